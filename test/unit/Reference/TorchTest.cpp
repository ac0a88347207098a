//===- TorchTest.cpp - Tests of torch's names in host programs ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchSupport.h"
#include "gtest/gtest.h"

using namespace pl::frontend;
using namespace pl::frontend::test;

namespace {

std::string run(llvm::StringRef program) { return runTorch(program); }

/// The message of the first error alone.
std::string errorOf(llvm::StringRef program) {
  return llvm::StringRef(run(program)).split('\n').first.str();
}

TEST(TorchTest, WhatIsLackingIsAnErrorOnlyWhenCalled) {
  EXPECT_EQ(run(R"(
from torch import nn, float8_e4m3fn
CODES = {"F8": torch.float8_e4m3fn, "U16": torch.some.thing[3]}
class Model(nn.Module):
  pass
@torch.compile
def a(): return torch.sparse_coo_tensor(1)
@torch.library.custom_op("x", y=torch.unknown)
def b(x): return x
assert b(3) == 3
assert not hasattr(torch, "npu")
)"),
            "");
  EXPECT_EQ(run("def f():\n  return torch.fft_it(3)\nf()\n"),
            "AttributeError: module 'torch' has no attribute 'fft_it' here: "
            "plc has only a part of it\n  at: fft_it\n");
}

TEST(TorchTest, CreationTakesTorchsArguments) {
  EXPECT_EQ(run(R"(
assert torch.zeros(2, 3).shape == (2, 3)
assert torch.zeros((2, 3)).dtype == torch.float32
assert torch.ones([4], dtype=torch.bfloat16).dtype == torch.bfloat16
assert torch.zeros(size=(2,), device="cpu").shape == (2,)
assert torch.full((2, 2), 7).dtype == torch.int64
assert torch.full((2,), 1.5, dtype=torch.float16).tolist() == [1.5, 1.5]
assert torch.arange(5).tolist() == [0, 1, 2, 3, 4]
assert torch.arange(1, 4, dtype=torch.float32).tolist() == [1.0, 2.0, 3.0]
assert torch.arange(0, 1, 0.25).tolist() == [0.0, 0.25, 0.5, 0.75]
assert torch.arange(end=3).tolist() == [0, 1, 2]
assert torch.tensor([[1, 2], [3, 4]]).shape == (2, 2)
assert torch.tensor([1, 2.5]).dtype == torch.float32
assert torch.tensor(3).shape == ()
assert torch.tensor([True, False]).dtype == torch.bool
assert torch.tensor([i * i for i in range(3)], dtype=torch.int32).tolist() == [0, 1, 4]
assert torch.tensor([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]
assert torch.tensor([]).shape == (0,)
assert torch.eye(2).tolist() == [[1.0, 0.0], [0.0, 1.0]]
x = torch.tensor([1, 2], dtype=torch.int8)
assert torch.zeros_like(x).dtype == torch.int8
assert torch.ones_like(x, dtype=torch.float32).tolist() == [1.0, 1.0]
assert torch.full_like(x, 5).tolist() == [5, 5]
assert x.new_zeros(3).shape == (3,)
assert torch.empty(0, 4).numel() == 0
)"),
            "");
}

TEST(TorchTest, DTypesOfTheLanguageWorkToo) {
  EXPECT_EQ(run(R"(
import pypto.language as pl
assert torch.zeros(2, dtype=pl.BF16).dtype == torch.bfloat16
assert torch.ones(2).to(pl.INT32).dtype == pl.INT32
)"),
            "");
}

TEST(TorchTest, OperatorsAndMethods) {
  EXPECT_EQ(run(R"(
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
assert (x + 1).tolist() == [[2.0, 3.0], [4.0, 5.0]]
assert (1 - x).tolist() == [[0.0, -1.0], [-2.0, -3.0]]
assert (2 ** x)[1, 1].item() == 16.0
assert (x @ x).tolist() == [[7.0, 10.0], [15.0, 22.0]]
assert (-x).sum().item() == -10.0
assert (x // 2).tolist() == [[0.0, 1.0], [1.0, 2.0]]
assert (x % 2).tolist() == [[1.0, 0.0], [1.0, 0.0]]
assert (x > 2).tolist() == [[False, False], [True, True]]
assert ((x > 1) & (x < 4)).sum() == 2
assert (~(x > 2)).tolist() == [[True, True], [False, False]]
assert x.sum(-1, keepdim=True).shape == (2, 1)
assert x.mean(dim=0).tolist() == [2.0, 3.0]
assert x.mean((0, 1)).item() == 2.5
assert x.sum(axis=1, keepdims=True).tolist() == [[3.0], [7.0]]
assert x.to(torch.bfloat16).float().dtype == torch.float32
assert x.max() == 4
values, places = x.max(dim=1)
assert places.tolist() == [1, 1]
assert x.max(dim=0).values.tolist() == [3.0, 4.0]
assert torch.maximum(x, torch.tensor(2.0)).tolist() == [[2.0, 2.0], [3.0, 4.0]]
assert x.t().tolist() == x.T.tolist() == [[1.0, 3.0], [2.0, 4.0]]
assert x.reshape(-1).tolist() == x.view(4).tolist() == x.flatten().tolist()
assert x.permute(1, 0).shape == x.permute((1, 0)).shape
assert x.unsqueeze(0).squeeze().shape == (2, 2)
assert torch.cat([x, x], dim=1).shape == (2, 4)
assert torch.stack((x, x)).shape == (2, 2, 2)
a, b = x.split(1)
assert b.tolist() == [[3.0, 4.0]]
assert torch.where(x > 2, x, 0.0).tolist() == [[0.0, 0.0], [3.0, 4.0]]
assert torch.clamp(x, min=2).tolist() == x.clamp(2).tolist()
assert torch.softmax(x * 0, dim=-1).tolist() == [[0.5, 0.5], [0.5, 0.5]]
assert torch.topk(x, 1).indices.tolist() == [[1], [1]]
assert torch.einsum("ij,jk->ik", x, x).tolist() == (x @ x).tolist()
assert torch.einsum("ij->i", [x]).tolist() == [3.0, 7.0]
assert torch.allclose(x, x + 1e-9)
assert torch.equal(x, x.clone())
assert x.size(0) == 2 and x.size() == (2, 2) and x.dim() == 2 and len(x) == 2
assert torch.round(torch.tensor([0.5, 1.5])).tolist() == [0.0, 2.0]
assert torch.nn.functional.relu(torch.tensor([-1.0, 1.0])).tolist() == [0.0, 1.0]
assert torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc").tolist() == [3, -3]
assert torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor").tolist() == [3, -4]
assert 3.0 in x and not (9.0 in x)
assert (x == None) == False
assert torch.finfo(torch.bfloat16).eps == 2.0 ** -7
assert torch.iinfo(torch.int8).min == -128
assert isinstance(x, torch.Tensor) and not isinstance(3, torch.Tensor)
)"),
            "");
}

TEST(TorchTest, SubscriptsReadAndWrite) {
  EXPECT_EQ(run(R"(
x = torch.zeros(3, 4, dtype=torch.int32)
x[1] = 5
x[0, 1:3] = torch.tensor([7, 8])
x[..., -1] = 9
assert x.tolist() == [[0, 7, 8, 9], [5, 5, 5, 9], [0, 0, 0, 9]]
assert x[:, ::2].tolist() == [[0, 8], [5, 5], [0, 0]]
assert x[None].shape == (1, 3, 4)
assert x[[2, 0]].tolist() == [[0, 0, 0, 9], [0, 7, 8, 9]]
assert x[x > 7].tolist() == [8, 9, 9, 9]
x[x == 9] = -1
assert x[:, 3].tolist() == [-1, -1, -1]
rows = torch.tensor([0, 2])
x[rows, 0] = torch.tensor([4, 6], dtype=torch.int32)
assert x[:, 0].tolist() == [4, 5, 6]
x[2] = [1, 2, 3, 4]
view = x.view(-1)
view[0] = 100
assert x[0, 0].item() == 100
x += 1
assert view[0] == 101
x[0] *= 0
assert x[0].sum() == 0
count = 0
for row in x:
    count += int(row.sum())
assert count == int(x.sum())
i = torch.tensor(1)
assert x[i].shape == (4,) and [10, 20, 30][i] == 20
)"),
            "");
}

TEST(TorchTest, InPlaceMethodsWriteTheirTensor) {
  EXPECT_EQ(run(R"(
x = torch.ones(4)
y = x
x.add_(1).mul_(3)
assert y.tolist() == [6.0] * 4
x.fill_(2.5)
x.zero_()
assert y.sum() == 0
x.copy_(torch.arange(4))
x.clamp_(max=2)
assert y.tolist() == [0.0, 1.0, 2.0, 2.0]
x.masked_fill_(x == 2, -1)
assert y.tolist() == [0.0, 1.0, -1.0, -1.0]
x.scatter_(0, torch.tensor([0]), torch.tensor([8.0]))
assert y[0] == 8
x.index_add_(0, torch.tensor([1, 1]), torch.tensor([1.0, 1.0]))
assert y[1] == 3
)"),
            "");
  EXPECT_EQ(errorOf("x = torch.ones(2, dtype=torch.int32)\nx += 0.5\n"),
            "RuntimeError: '+=' gives float32, which a tensor of int32 cannot "
            "hold");
}

TEST(TorchTest, RandomNumbersFollowTheirSeed) {
  EXPECT_EQ(run(R"(
torch.manual_seed(7)
a = torch.randn(3, 4)
b = torch.randn(3, 4)
torch.manual_seed(7)
assert torch.equal(a, torch.randn(3, 4))
assert not torch.equal(a, b)
g = torch.Generator().manual_seed(7)
assert torch.equal(a, torch.randn(3, 4, generator=g))
assert torch.rand(100).max() < 1
r = torch.randint(3, 5, (50,))
assert r.dtype == torch.int64 and r.min() == 3 and r.max() == 4
assert torch.randint(2, (4,)).shape == (4,)
assert torch.randint(0, 9, size=(2,), dtype=torch.int32).dtype == torch.int32
assert torch.randperm(6).sort().values.tolist() == [0, 1, 2, 3, 4, 5]
u = torch.empty(50).uniform_(-2, -1)
assert u.max() <= -1 and u.min() >= -2
assert torch.randn(2, dtype=torch.bfloat16).dtype == torch.bfloat16
)"),
            "");
}

TEST(TorchTest, RmsNormReadsAsItsAuthorWouldWriteIt) {
  EXPECT_EQ(run(R"(
def rms_norm(x, w, eps=1e-6):
    wide = x.float()
    inv = torch.rsqrt((wide * wide).mean(-1, keepdim=True) + eps)
    return (wide * inv * w.float()).to(torch.bfloat16)

x = torch.tensor([[3.0, 4.0]], dtype=torch.bfloat16)
y = rms_norm(x, torch.ones(2, dtype=torch.bfloat16), eps=0.0)
# 3 / sqrt(12.5) and 4 / sqrt(12.5) to the nearest bfloat16.
assert y.tolist() == [[0.84765625, 1.1328125]]
)"),
            "");
}

TEST(TorchTest, NumberOverTensorIsItsReciprocalTimesTheNumber) {
  EXPECT_EQ(run(R"(
x = torch.tensor([3.0, 5.0])
# The float32 nearest to 1/3, times 127, is nearest to another float32 than
# 127/3 is.
assert (127.0 / x).tolist() == [42.333335876464844, 25.399999618530273]
assert (127.0 / x)[0] != torch.tensor(127.0) / x[0]
assert (torch.tensor(127.0) / x)[0].item() == 42.33333206176758
# In bfloat16 the reciprocal is rounded too: 1/3 is 0.333984375 there.
y = 3.0 / torch.tensor([3.0], dtype=torch.bfloat16)
assert y.dtype == torch.bfloat16 and y.item() == 1.0
assert (127 / torch.tensor([3], dtype=torch.bfloat16)).item() == 42.5
assert (1 / torch.tensor([2, 4])).tolist() == [0.5, 0.25]
x /= 4.0
assert x.tolist() == [0.75, 1.25]
)"),
            "");
}

TEST(TorchTest, TensorsPrint) {
  EXPECT_EQ(run("print(torch.tensor([[1, 2], [3, 4]]))\n"
                "print(torch.tensor([0.5, 1.0], dtype=torch.bfloat16))\n"
                "print(torch.zeros(0))\n"),
            "tensor([[1, 2],\n        [3, 4]])\n"
            "tensor([0.5, 1.0], dtype=torch.bfloat16)\n"
            "tensor([], size=[0])\n");
}

TEST(TorchTest, ErrorsSpeakOfTheProgram) {
  EXPECT_EQ(errorOf("torch.zeros(2, 3) + torch.zeros(4)\n"),
            "RuntimeError: shapes [2, 3] and [4] do not broadcast: 3 and 4 "
            "differ at dim 1");
  EXPECT_EQ(errorOf("torch.matmul(torch.zeros(2, 3), torch.zeros(2, 3))\n"),
            "RuntimeError: matmul of shapes [2, 3] and [2, 3]: 3 columns meet "
            "2 rows");
  EXPECT_EQ(errorOf("torch.zeros(2).sum(dim=3)\n"),
            "RuntimeError: sum: dim 3 is out of range for a tensor of shape "
            "[2]");
  EXPECT_EQ(errorOf("torch.zeros(2)[5]\n"),
            "IndexError: index 5 is out of range for dim 0 of a tensor of "
            "shape [2]");
  EXPECT_EQ(errorOf("torch.tensor([[1], [2, 3]])\n"),
            "ValueError: the nested lists of a tensor must all be equally "
            "long");
  EXPECT_EQ(errorOf("torch.tensor([300], dtype=torch.int8)\n"),
            "RuntimeError: the number 300 does not fit int8");
  EXPECT_EQ(errorOf("if torch.zeros(2):\n    pass\n"),
            "RuntimeError: a tensor of shape [2] is neither true nor false; "
            "use .any() or .all()");
  EXPECT_EQ(errorOf("torch.softmx(torch.zeros(2), 0)\n"),
            "AttributeError: module 'torch' has no attribute 'softmx'; did you "
            "mean 'softmax'?");
  EXPECT_EQ(errorOf("torch.zeros(2).reshap(2)\n"),
            "AttributeError: 'Tensor' object has no attribute 'reshap'; did "
            "you mean 'reshape'?");
  EXPECT_EQ(errorOf("torch.zeros(2, dtipe=torch.int8)\n"),
            "TypeError: zeros() has no parameter 'dtipe'; did you mean "
            "'dtype'?");
  EXPECT_EQ(errorOf("torch.exp(3)\n"),
            "TypeError: exp(): input must be a tensor, not 'int'");
  EXPECT_EQ(
      errorOf("torch.zeros(1 << 40)\n"),
      "RuntimeError: zeros: a tensor of shape [1099511627776] has more than "
      "the limit of 2147483648 elements");
  EXPECT_EQ(errorOf("x = torch.zeros(1)\nfor i in range(100):\n"
                    "    x = x.unsqueeze(0)\n"),
            "RuntimeError: unsqueeze: a tensor has at most 64 dims, not 65");
  EXPECT_EQ(errorOf("torch.zeros(2) + [1]\n"),
            "TypeError: '+' does not take a 'Tensor' and a 'list'");
}

} // namespace

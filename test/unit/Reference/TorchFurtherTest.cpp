//===- TorchFurtherTest.cpp - Tests of torch's less common functions ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out by hand, by another formula, or by the math
// library of the host.
//
//===----------------------------------------------------------------------===//

#include "TorchSupport.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace pl::frontend::test;

TEST(TorchFurtherTest, SpecialFunctions) {
  EXPECT_EQ(runTorch(R"(
import math
def near(x, y, tolerance=1e-7):
  assert abs(x.item() - y) <= tolerance * max(abs(y), 1e-30), (x.item(), y)
def d(x): return torch.tensor(x, dtype=torch.float64)
for x in (0.0, 1e-9, 0.3, 0.9999, 1.7, 5.0, 40.0, 1e8):
  for s in (x, -x):
    near(d(s).atan(), math.atan(s), 1e-15)
    near(d(s).erf(), math.erf(s), 1e-14)
    near(d(s).tan(), math.tan(s), 1e-8)
    if x < 30:
      near(d(s).sinh(), math.sinh(s), 1e-14)
      near(d(s).cosh(), math.cosh(s), 1e-14)
    near(d(s).asinh(), math.copysign(math.log1p(x + x * x / (1 + math.sqrt(x * x + 1))), s), 1e-14)
near(torch.erfc(d(3.0)), 2.2090496998585438e-05, 1e-14)
near(torch.erfc(d(-1.0)), 1.8427007929497148, 1e-14)
near(torch.asin(d(0.3)), 0.3046926540153975, 1e-15)
near(torch.acos(d(-0.9)), 2.6905658417935308, 1e-15)
near(torch.acosh(d(3.0)), 1.762747174039086, 1e-15)
near(torch.atanh(d(0.25)), 0.25541281188299536, 1e-15)
near(torch.log10(d(7.0)), 0.8450980400142568, 1e-15)
near(torch.erfinv(d(0.5)), 0.4769362762044699, 1e-13)
near(torch.logaddexp(d(1000.0), d(1000.0)), 1000 + math.log(2), 1e-15)
near(torch.hypot(d(3.0), d(4.0)), 5.0)
assert torch.asin(torch.tensor([1.0, -1.0, 2.0])).tolist()[:2] == [1.5707963705062866, -1.5707963705062866]
assert torch.isnan(torch.asin(torch.tensor(2.0)))
# Each quadrant, the axes, both zeros and both infinities.
ys = [1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 0.0, -0.0, math.inf, -math.inf, 0.0]
xs = [1.0, -1.0, -1.0, 1.0, 0.0, 0.0, -1.0, -1.0, math.inf, -math.inf, 1.0]
got = torch.atan2(torch.tensor(ys, dtype=torch.float64), torch.tensor(xs, dtype=torch.float64))
for g, y, x in zip(got, ys, xs):
  near(g, math.atan2(y, x), 1e-15)
# An integer gives float32; a float keeps its dtype.
assert torch.tensor([2]).log10().dtype == torch.float32
assert torch.tensor([2.0], dtype=torch.bfloat16).tan().dtype == torch.bfloat16
x = torch.tensor([-0.0, 0.0, 3.0, -2.0])
assert torch.signbit(x).tolist() == [True, False, False, True]
x.erf_()
assert x[2].item() == torch.erf(torch.tensor(3.0)).item()
)"),
            "");
}

TEST(TorchFurtherTest, ChoicesBetweenNumbers) {
  EXPECT_EQ(runTorch(R"(
import math
nan, inf = math.nan, math.inf
x = torch.tensor([nan, inf, -inf, 2.0])
assert torch.nan_to_num(x).tolist() == [0.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 2.0]
assert torch.nan_to_num(x, nan=1.0, posinf=5.0, neginf=-5.0).tolist() == [1.0, 5.0, -5.0, 2.0]
y = torch.tensor([1.0, nan, 4.0, nan])
assert torch.fmin(y, torch.tensor(3.0)).tolist() == [1.0, 3.0, 3.0, 3.0]
assert torch.fmax(y, torch.tensor(3.0)).tolist() == [3.0, 3.0, 4.0, 3.0]
assert torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5)).tolist() == [0.0, 0.5, 1.0]
assert torch.copysign(torch.tensor([1.0, -2.0]), torch.tensor([-1.0, 1.0])).tolist() == [-1.0, 2.0]
assert torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.25).tolist() == [2.5, 12.5]
assert torch.addcmul(torch.ones(2), torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0]), value=0.5).tolist() == [5.0, 8.5]
assert torch.isposinf(x).tolist() == [False, True, False, False]
assert torch.round(torch.tensor([1.2345, -2.675], dtype=torch.float64), decimals=2).tolist() == [1.23, -2.68]
)"),
            "");
}

TEST(TorchFurtherTest, ProductsOfMatrices) {
  EXPECT_EQ(runTorch(R"(
a = torch.arange(6.0).reshape(2, 3)
b = torch.arange(12.0).reshape(3, 4)
assert torch.addmm(torch.ones(2, 4), a, b, beta=2, alpha=3).tolist() == (3 * (a @ b) + 2).tolist()
assert torch.mv(a, torch.tensor([1.0, 0.0, 2.0])).tolist() == [4.0, 13.0]
t = torch.arange(24.0).reshape(2, 3, 4)
u = torch.arange(12.0).reshape(4, 3)
want = torch.einsum("ijk,kj->i", t, u)
assert torch.tensordot(t, u, dims=([1, 2], [1, 0])).tolist() == want.tolist()
assert torch.tensordot(a, b, dims=1).tolist() == (a @ b).tolist()
assert torch.inner(a, a).tolist() == (a @ a.T).tolist()
assert torch.kron(torch.tensor([[1, 2]]), torch.tensor([[1], [10]])).tolist() == [[1, 2], [10, 20]]
assert torch.block_diag(torch.ones(1, 2), torch.ones(2, 1)).tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
m = torch.tensor([[4.0, 2.0], [1.0, 3.0]], dtype=torch.float64)
assert torch.allclose(torch.linalg.inv(m), torch.tensor([[0.3, -0.2], [-0.1, 0.4]], dtype=torch.float64))
q, r = torch.linalg.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]], dtype=torch.float64))
assert torch.allclose(q.T @ q, torch.eye(2, dtype=torch.float64), atol=1e-14)
assert torch.allclose(q @ r, torch.tensor([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]], dtype=torch.float64))
assert abs(abs(r[0, 0].item()) - 5.0) < 1e-14 and r[1, 0].item() == 0.0
x = torch.tensor([[3.0, -4.0], [0.0, 1.0]])
assert torch.norm(x, p=1).item() == 8.0 and torch.norm(x, p=float("inf")).item() == 4.0
assert torch.linalg.vector_norm(x, 2, dim=1).tolist() == [5.0, 1.0]
assert torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]])).tolist() == [[5.0]]
)"),
            "");
}

TEST(TorchFurtherTest, OrderStatistics) {
  EXPECT_EQ(runTorch(R"(
import math
x = torch.tensor([[3.0, 1.0, 2.0, 9.0], [5.0, 5.0, 0.0, 7.0]])
# The lower of two middle values.
m = x.median(1)
assert m.values.tolist() == [2.0, 5.0] and m.indices[0].item() == 2
assert x.median().item() == 3.0
assert torch.isnan(torch.tensor([1.0, math.nan]).median())
assert torch.kthvalue(x, 3, dim=1).values.tolist() == [3.0, 5.0]
assert torch.quantile(x[0], 0.5).item() == 2.5
assert torch.quantile(x, torch.tensor([0.0, 0.25, 1.0]), dim=1).tolist() == [[1.0, 0.0], [1.75, 3.75], [9.0, 7.0]]
v = torch.tensor([2.0, 1.0, 3.0, 3.0, 0.0])
assert v.cummax(0).values.tolist() == [2.0, 2.0, 3.0, 3.0, 3.0]
assert v.cummax(0).indices.tolist() == [0, 0, 2, 3, 3]
assert v.cummin(0).values.tolist() == [2.0, 1.0, 1.0, 1.0, 0.0]
assert torch.nansum(torch.tensor([1.0, math.nan, 2.0])).item() == 3.0
assert v.diff().tolist() == [-1.0, 2.0, 0.0, -3.0]
low, high = torch.aminmax(v)
assert (low.item(), high.item()) == (0.0, 3.0)
assert torch.bucketize(torch.tensor([0, 1, 3, 9]), torch.tensor([1, 3, 5])).tolist() == [0, 0, 1, 3]
assert torch.bucketize(torch.tensor([0, 1, 3, 9]), torch.tensor([1, 3, 5]), right=True).tolist() == [0, 1, 2, 3]
rows = torch.tensor([[1, 3, 5], [2, 4, 6]])
assert torch.searchsorted(rows, torch.tensor([[3, 6], [3, 7]])).tolist() == [[1, 3], [1, 3]]
u, inverse, counts = torch.unique(torch.tensor([[3, 1], [3, 2]]), return_inverse=True, return_counts=True)
assert u.tolist() == [1, 2, 3] and inverse.tolist() == [[2, 0], [2, 1]] and counts.tolist() == [1, 1, 2]
assert torch.histc(torch.tensor([0.0, 1.0, 1.0, 4.0]), bins=4, min=0, max=4).tolist() == [1.0, 2.0, 0.0, 1.0]
)"),
            "");
}

TEST(TorchFurtherTest, ViewsAndJoins) {
  EXPECT_EQ(runTorch(R"(
x = torch.arange(12).reshape(3, 4)
assert x.diagonal().tolist() == [0, 5, 10]
assert x.diagonal(1).tolist() == [1, 6, 11] and x.diagonal(-2).tolist() == [8]
assert x.diagonal(7).tolist() == [] and x.diagonal(-7).tolist() == []
y = torch.zeros(3, 3)
y.diagonal().fill_(2)
y.diagonal(1)[0] = 5
assert y.tolist() == [[2, 5, 0], [0, 2, 0], [0, 0, 2]]
assert torch.diag(torch.tensor([1, 2]), 1).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
assert torch.diag(x, 1).tolist() == [1, 6, 11] and torch.trace(x).item() == 15
assert torch.diag_embed(torch.tensor([[1, 2], [3, 4]])).tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
w = torch.arange(6).unfold(0, 3, 2)
assert w.tolist() == [[0, 1, 2], [2, 3, 4]]
a, b = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
assert a.tolist() == [[1, 1, 1], [2, 2, 2]] and b.tolist() == [[3, 4, 5], [3, 4, 5]]
assert torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])).tolist() == [[1, 3], [1, 4], [2, 3], [2, 4]]
assert torch.hstack([torch.tensor([1]), torch.tensor([2, 3])]).tolist() == [1, 2, 3]
assert torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])]).tolist() == [[1, 2], [3, 4]]
assert torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])]).tolist() == [[1, 3], [2, 4]]
assert [p.tolist() for p in torch.arange(7).tensor_split(3)] == [[0, 1, 2], [3, 4], [5, 6]]
assert [p.tolist() for p in torch.arange(5).tensor_split([1, -1])] == [[0], [1, 2, 3], [4]]
assert torch.rot90(torch.tensor([[1, 2], [3, 4]])).tolist() == [[2, 4], [1, 3]]
assert torch.rot90(torch.tensor([[1, 2], [3, 4]]), 3).tolist() == [[3, 1], [4, 2]]
assert torch.tril_indices(2, 3).tolist() == [[0, 1, 1], [0, 0, 1]]
assert torch.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]
assert torch.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
assert torch.repeat_interleave(torch.tensor([5, 6, 7]), torch.tensor([2, 0, 1])).tolist() == [5, 5, 7]
assert [t.tolist() for t in torch.unravel_index(torch.tensor([5, 11]), (3, 4))] == [[1, 2], [1, 3]]
assert x.swapdims(0, 1).shape == (4, 3)
)"),
            "");
}

TEST(TorchFurtherTest, ScatteredWrites) {
  EXPECT_EQ(runTorch(R"(
x = torch.zeros(3, 2)
x.index_put_((torch.tensor([0, 2, 0]), torch.tensor([1, 0, 1])), torch.tensor([1.0, 2.0, 4.0]), accumulate=True)
assert x.tolist() == [[0.0, 5.0], [0.0, 0.0], [2.0, 0.0]]
x.index_put_((torch.tensor([1]),), torch.tensor([7.0, 8.0]))
assert x[1].tolist() == [7.0, 8.0]
y = torch.tensor([1.0, 2.0, 3.0])
index, source = torch.tensor([0, 0, 2]), torch.tensor([4.0, 6.0, 1.0])
assert y.scatter_reduce(0, index, source, "sum").tolist() == [11.0, 2.0, 4.0]
assert y.scatter_reduce(0, index, source, "amax", include_self=False).tolist() == [6.0, 2.0, 1.0]
assert y.scatter_reduce(0, index, source, "mean", include_self=False).tolist() == [5.0, 2.0, 1.0]
z = torch.zeros(4, dtype=torch.int32)
z.masked_scatter_(torch.tensor([True, False, True, False]), torch.tensor([7, 8, 9], dtype=torch.int32))
assert z.tolist() == [7, 0, 8, 0]
)"),
            "");
}

TEST(TorchFurtherTest, LayersOfNetworks) {
  EXPECT_EQ(runTorch(R"(
import math
import torch.nn.functional as F
x = torch.tensor([[1.0, -2.0, 3.0, 0.5]], dtype=torch.float64)
row = [1.0, -2.0, 3.0, 0.5]
mean = sum(row) / 4
var = sum((v - mean) ** 2 for v in row) / 4
square = sum(v * v for v in row) / 4
def same(got, want):
  for g, w in zip(got.flatten().tolist(), want):
    assert abs(g - w) < 1e-13, (g, w)
same(F.layer_norm(x, (4,)), [(v - mean) / math.sqrt(var + 1e-5) for v in row])
same(F.rms_norm(x, (4,), eps=1e-6), [v / math.sqrt(square + 1e-6) for v in row])
same(F.gelu(x), [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in row])
same(F.gelu(x, approximate="tanh"), [0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v ** 3))) for v in row])
same(F.normalize(x, dim=1), [v / math.sqrt(4 * square) for v in row])
same(F.leaky_relu(x, 0.1), [1.0, -0.2, 3.0, 0.5])
same(F.logsigmoid(x), [-math.log1p(math.exp(-v)) for v in row])
assert abs(F.cosine_similarity(x, 2 * x, dim=1).item() - 1) < 1e-15
assert F.mse_loss(x, torch.zeros_like(x)).item() == square
q, k, v = (torch.randn(2, 3, 4, dtype=torch.float64) for _ in range(3))
want = torch.softmax((q @ k.transpose(1, 2) / 2).masked_fill(torch.ones(3, 3).triu(1).bool(), -math.inf), -1) @ v
assert torch.allclose(F.scaled_dot_product_attention(q, k, v, is_causal=True), want, rtol=1e-14)
signal, taps = torch.arange(5.0).reshape(1, 1, 5), torch.tensor([[[1.0, 0.0, -1.0]]])
assert F.conv1d(signal, taps, padding=1).tolist() == [[[-1.0, -2.0, -2.0, -2.0, 3.0]]]
logits = torch.tensor([[0.0, math.log(3.0)]], dtype=torch.float64)
assert abs(F.cross_entropy(logits, torch.tensor([1])).item() - math.log(4 / 3)) < 1e-15
torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
)"),
            "");
}

TEST(TorchFurtherTest, ErrorsPointAtTheCall) {
  EXPECT_EQ(runTorch("x = torch.kthvalue(torch.ones(3), 9)\n"),
            "IndexError: kthvalue: k = 9 is not in 1 to 3\n"
            "  at: torch.kthvalue(torch.ones(3), 9)\n");
  EXPECT_EQ(runTorch("torch.testing.assert_close(torch.ones(2), "
                     "torch.zeros(2))\n"),
            "AssertionError: 2 of 2 elements differ; the largest difference is "
            "1.0\n  at: torch.testing.assert_close(torch.ones(2), "
            "torch.zeros(2))\n");
  EXPECT_EQ(runTorch("x = torch.ones(3).diagonal()\n"),
            "RuntimeError: diagonal: dim 1 is out of range for a tensor of "
            "shape [3]\n  at: torch.ones(3).diagonal()\n");
}

TEST(TorchFurtherTest, TheGeneratorCanBeSetAside) {
  EXPECT_EQ(runTorch(R"(
torch.manual_seed(3)
a = torch.randn(4)
torch.manual_seed(3)
with torch.random.fork_rng():
  torch.manual_seed(9)
  other = torch.randn(4)
b = torch.randn(4)
assert torch.equal(a, b) and not torch.equal(a, other)
x = torch.zeros(1000, dtype=torch.int8).random_(-3, 4)
assert x.min().item() == -3 and x.max().item() == 3
@torch.no_grad()
def f(x): return x + 1
@torch.inference_mode()
def g(x): return f(x)
assert g(1) == 2
assert not torch.cuda.is_available() and torch.float32 != torch.uint16
)"),
            "");
}

TEST(TorchFurtherTest, AnOpenFileOutlivesItsExpression) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("plc", "safetensors", path));
  EXPECT_EQ(runTorch("from safetensors import safe_open\n"
                     "from safetensors.torch import save_file\n"
                     "path = '" +
                     path.str().str() +
                     "'\n"
                     "save_file({'a': torch.arange(3)}, path)\n"
                     "enter = safe_open(path, framework='pt').__enter__\n"
                     "f = enter()\n"
                     "print(f.keys(), f.get_tensor('a').tolist())\n"
                     "with safe_open(path, framework='pt') as g:\n"
                     "  print(g.get_tensor('a').tolist())\n"),
            "['a'] [0, 1, 2]\n[0, 1, 2]\n");
  llvm::sys::fs::remove(path);
}

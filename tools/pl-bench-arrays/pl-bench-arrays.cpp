//===- pl-bench-arrays.cpp - speed of the array library -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nanoseconds an element of the operations that goldens are made of, and the
// matrix product against the host's BLAS. All threads of the host; the least of
// a few runs.
//
//   pl-bench-arrays [MILLIONS]    elements of the large operands, default 64
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Create.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Linalg.h"
#include "pl/Reference/Random.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <cblas.h>
#include <chrono>

using namespace pl::ref;
using llvm::cantFail;

/// Seconds of the fastest of several runs.
template <typename F> static double time(int runs, F run) {
  double best = 1e30;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

template <typename F>
static void element(llvm::StringRef name, int64_t elements, F run) {
  double ns = time(2, run) / static_cast<double>(elements) * 1e9;
  llvm::outs() << llvm::format("  %-36s %8.2f ns\n", name.str().c_str(), ns);
  llvm::outs().flush();
}

static Array normal(DType dtype, llvm::ArrayRef<int64_t> shape,
                    uint64_t seed = 7) {
  Generator generator{seed, 0};
  Array array = cantFail(Array::create(DType::FP32, shape));
  cantFail(fillNormal(array, generator));
  return convert(array, dtype);
}

static void benchElements(int64_t millions) {
  int64_t columns = 1024, rows = std::max<int64_t>(millions << 10, 1);
  int64_t n = rows * columns;
  Array x = normal(DType::FP32, {rows, columns});
  Array y = normal(DType::FP32, {rows, columns}, /*seed=*/8);
  Array half = convert(x, DType::BF16);
  Array row = cantFail(narrow(x, 0, 0, 1));
  llvm::outs() << "an element of float32 [" << rows << ", " << columns
               << "]:\n";
  element("zeros", n, [&] { Array::make(DType::FP32, x.shape()); });
  element("randn", n, [&] { normal(DType::FP32, x.shape()); });
  element("x.bfloat16()", n, [&] { convert(x, DType::BF16); });
  element("bf16.float()", n, [&] { convert(half, DType::FP32); });
  element("x.int() of int8", n,
          [&] { convert(convert(x, DType::Int8), DType::Int32); });
  element("x + y", n, [&] { cantFail(binary(BinaryOp::Add, x, y)); });
  element("x * row", n, [&] { cantFail(binary(BinaryOp::Mul, x, row)); });
  element("x / 3.0", n, [&] { cantFail(binary(BinaryOp::Div, x, 3.0)); });
  element("bf16 * bf16", n,
          [&] { cantFail(binary(BinaryOp::Mul, half, half)); });
  element("x ** 2", n, [&] { cantFail(binary(BinaryOp::Pow, x, 2)); });
  element("x.abs() ** 1.5", n, [&] {
    Array magnitude = cantFail(unary(UnaryOp::Abs, x));
    cantFail(binary(BinaryOp::Pow, magnitude, 1.5));
  });
  element("maximum(x, y)", n,
          [&] { cantFail(binary(BinaryOp::Maximum, x, y)); });
  element("x > y", n, [&] { cantFail(compare(CompareOp::Gt, x, y)); });
  Array mask = cantFail(compare(CompareOp::Gt, x, y));
  element("where(mask, x, y)", n, [&] { cantFail(where(mask, x, y)); });
  element("where(mask, x, 0.0)", n, [&] { cantFail(where(mask, x, 0.0)); });
  element("clamp(x, -1, 1)", n,
          [&] { cantFail(clamp(x, Operand(-1.0), Operand(1.0))); });
  for (UnaryOp op :
       {UnaryOp::Neg, UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sqrt, UnaryOp::Rsqrt,
        UnaryOp::Sin, UnaryOp::Tanh, UnaryOp::Sigmoid, UnaryOp::Softplus,
        UnaryOp::Round, UnaryOp::IsNan})
    element(opName(op), n, [&] { cantFail(unary(op, x)); });
  element("sum(-1)", n, [&] { cantFail(reduce(ReduceOp::Sum, x, {-1})); });
  element("sum(0)", n, [&] { cantFail(reduce(ReduceOp::Sum, x, {0})); });
  element("amax(-1)", n, [&] { cantFail(reduce(ReduceOp::Max, x, {-1})); });
  element("sum()", n, [&] { cantFail(reduce(ReduceOp::Sum, x)); });
  element("any()", n, [&] { cantFail(reduce(ReduceOp::All, x)); });
  element("argmax(-1)", n, [&] { cantFail(argExtreme(true, x, -1, false)); });
  element("softmax(-1)", n, [&] { cantFail(softmax(x, -1)); });
  element("softmax(0)", n, [&] { cantFail(softmax(x, 0)); });
  element("cumsum(-1)", n, [&] { cantFail(cumsum(x, -1)); });
  element("sort(-1)", n, [&] { cantFail(sort(x, -1, false)); });
  element("topk(64)", n, [&] { cantFail(topk(x, 64, -1, true)); });
  element("x.T.contiguous()", n, [&] { reverseDims(x).contiguous(); });
  element("x[:, ::2] + 1", n / 2, [&] {
    Array every = cantFail(slice(x, 1, {}, {}, 2));
    cantFail(binary(BinaryOp::Add, every, 1.0));
  });
  element("cat([x, y])", 2 * n, [&] { cantFail(cat({x, y}, 0)); });

  Generator generator{9, 0};
  Array rowIndex = cantFail(Array::create(DType::Int64, {rows}));
  cantFail(fillIntegers(rowIndex, generator, 0, rows));
  element("x[rows]", n, [&] { cantFail(index(x, {IndexItem::of(rowIndex)})); });
  element("x[rows] = y", n,
          [&] { cantFail(assignIndex(x, {IndexItem::of(rowIndex)}, y)); });
  Array places = cantFail(Array::create(DType::Int64, {rows, columns}));
  cantFail(fillIntegers(places, generator, 0, columns));
  element("gather(-1)", n, [&] { cantFail(gather(x, -1, places)); });
  element("scatter(-1)", n,
          [&] { cantFail(scatterInto(x, -1, places, y, /*add=*/false)); });
  Array column = cantFail(unsqueeze(rowIndex, 1));
  element("x[rows[:, None], places]", n, [&] {
    cantFail(index(x, {IndexItem::of(column), IndexItem::of(places)}));
  });
  element("x[mask]", n, [&] { cantFail(index(x, {IndexItem::of(mask)})); });
  element("x[mask] = 0", n,
          [&] { cantFail(assignIndex(x, {IndexItem::of(mask)}, 0.0)); });
  element("nonzero", n, [&] { nonzero(mask); });
}

static void benchProducts() {
  llvm::outs() << "products, GFLOP/s (dgemm of the host's BLAS: the same shape "
                  "in double, in place)\n";
  for (const std::array<int64_t, 3> &sides :
       {std::array<int64_t, 3>{512, 4096, 1024},
        std::array<int64_t, 3>{128, 4096, 4096},
        std::array<int64_t, 3>{512, 1024, 4096}}) {
    int64_t m = sides[0], k = sides[1], n = sides[2];
    double flops = 2.0 * static_cast<double>(m * k * n);
    std::vector<double> a(size_t(m * k), 1.0), b(size_t(k * n), 1.0),
        c(size_t(m * n));
    double blas = time(5, [&] {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n),
                  int(k), 1.0, a.data(), int(k), b.data(), int(n), 0.0,
                  c.data(), int(n));
    });
    llvm::outs() << llvm::format("  %4d x %4d x %4d  dgemm %6.1f", int(m),
                                 int(k), int(n), flops / blas * 1e-9);
    for (DType dtype : {DType::FP32, DType::BF16, DType::Int8}) {
      Array x = normal(dtype, {m, k}), y = normal(dtype, {k, n});
      DType result = dtype == DType::Int8 ? DType::Int32 : dtype;
      double own = time(5, [&] { cantFail(matmul(x, y, result)); });
      llvm::outs() << "  " << dtypeName(dtype)
                   << llvm::format(" %6.1f (%3.0f %%)", flops / own * 1e-9,
                                   100.0 * blas / own);
    }
    llvm::outs() << "\n";
  }
  Array q = normal(DType::BF16, {64, 128, 128}),
        kv = normal(DType::BF16, {64, 640, 128});
  double flops = 2.0 * 64 * 128 * 640 * 128;
  double taken = time(3, [&] { cantFail(einsum("thd,tkd->thk", {q, kv})); });
  llvm::outs() << llvm::format("  einsum thd,tkd->thk  bfloat16 %6.1f\n",
                               flops / taken * 1e-9);
}

int main(int argc, char **argv) {
  int64_t millions = 64;
  if (argc > 2 ||
      (argc == 2 && llvm::StringRef(argv[1]).getAsInteger(10, millions)) ||
      millions < 1 || millions > 1024) {
    llvm::errs() << "usage: pl-bench-arrays [MILLIONS]\n";
    return 2;
  }
  benchProducts();
  benchElements(millions);
  return 0;
}

//===- LinalgTest.cpp - Tests of matrix products --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Linalg.h"
#include "TestUtil.h"
#include "pl/Reference/Random.h"
#include "pl/Reference/Shape.h"

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

TEST(LinalgTest, SmallProductsByHand) {
  Array a = tensor({1, 2, 3, 4, 5, 6}, DType::FP32, {2, 3});
  Array b = tensor({1, 0, 0, 1, 1, 1}, DType::FP32, {3, 2});
  EXPECT_EQ(valuesOf(ok(matmul(a, b))), (Values{4, 5, 10, 11}));
  Array vector = tensor({1, 1, 1});
  EXPECT_EQ(valuesOf(ok(matmul(a, vector))), (Values{6, 15}));
  EXPECT_EQ(valuesOf(ok(matmul(vector, b))), (Values{2, 2}));
  Array dot = ok(matmul(vector, vector));
  EXPECT_EQ(shapeOf(dot), "[]");
  EXPECT_EQ(dot.getDouble(0), 3);
  EXPECT_EQ(messageOf(matmul(a, a)),
            "matmul of shapes [2, 3] and [2, 3]: 3 columns meet 2 rows");
  EXPECT_EQ(messageOf(matmul(a, convert(b, DType::BF16))),
            "matmul needs equal dtypes, but got float32 and bfloat16");
  EXPECT_EQ(messageOf(mm(a, vector)),
            "mm needs two matrices, but got shapes [2, 3] and [3]");
}

TEST(LinalgTest, EmptyExtents) {
  Array a = Array::make(DType::FP32, {2, 0}),
        b = Array::make(DType::FP32, {0, 3});
  EXPECT_EQ(valuesOf(ok(matmul(a, b))), Values(6, 0.0));
  EXPECT_EQ(shapeOf(ok(matmul(b, Array::make(DType::FP32, {3, 4})))), "[0, 4]");
}

TEST(LinalgTest, TransposedAndStridedOperands) {
  Array a = counting({3, 4}), b = counting({5, 4});
  // a b^T by the definition.
  Array product = ok(matmul(a, reverseDims(b)));
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 4; ++k)
        sum += a.getDouble(i * 4 + k) * b.getDouble(j * 4 + k);
      EXPECT_EQ(product.getDouble(i * 5 + j), sum);
    }
  Array strided = ok(slice(counting({4, 8}), 1, 0, std::nullopt, 2));
  EXPECT_EQ(
      valuesOf(ok(matmul(tensor({1, 0, 0, 0}, DType::FP32, {1, 4}), strided))),
      (Values{0, 2, 4, 6}));
}

TEST(LinalgTest, BatchesBroadcast) {
  Array a = counting({2, 1, 2, 2}), b = counting({3, 2, 2});
  Array product = ok(matmul(a, b));
  EXPECT_EQ(shapeOf(product), "[2, 3, 2, 2]");
  // Batch (1, 2): [[4, 5], [6, 7]] times [[8, 9], [10, 11]].
  EXPECT_EQ(product.getDouble(20), 4 * 8 + 5 * 10);
  EXPECT_EQ(product.getDouble(23), 6 * 9 + 7 * 11);
  EXPECT_EQ(messageOf(matmul(counting({2, 2, 2}), b)),
            "matmul of shapes [2, 2, 2] and [3, 2, 2]: shapes [2] and [3] do "
            "not broadcast: 2 and 3 differ at dim 0");
  EXPECT_EQ(messageOf(bmm(counting({2, 2, 2}), b)),
            "bmm needs two batches of as many matrices, but got shapes [2, 2, "
            "2] and [3, 2, 2]");
}

TEST(LinalgTest, FloatProductsRoundOnce) {
  // 2^24 + 1 is lost if products are added in float32.
  Array a = tensor({16777216, 1, 1}, DType::FP32, {1, 3});
  Array ones = tensor({1, 1, 1}, DType::FP32, {3, 1});
  EXPECT_EQ(ok(matmul(a, ones)).getDouble(0), 16777218.0);
  // The bfloat16 result is the double 1 + 2^-8 + 2^-16, over the tie.
  Array x = tensor({1, 0x1p-8, 0x1p-16}, DType::BF16, {1, 3});
  EXPECT_EQ(ok(matmul(x, convert(ones, DType::BF16))).getDouble(0), 1.0078125);
}

TEST(LinalgTest, FloatProductsAreAccurate) {
  Generator generator{3};
  Array a = Array::make(DType::FP32, {17, 300});
  Array b = Array::make(DType::FP32, {300, 29});
  ok(fillNormal(a, generator));
  ok(fillNormal(b, generator));
  Array product = ok(matmul(a, b));
  for (int64_t i = 0; i < 17; ++i)
    for (int64_t j = 0; j < 29; ++j) {
      long double sum = 0;
      for (int64_t k = 0; k < 300; ++k)
        sum += static_cast<long double>(a.getDouble(i * 300 + k)) *
               b.getDouble(k * 29 + j);
      double wanted = static_cast<double>(sum);
      EXPECT_NEAR(product.getDouble(i * 29 + j), wanted,
                  std::fabs(wanted) * 0x1p-24 + 1e-13);
    }
}

/// The product of integers by the definition.
int64_t integerDot(const Array &a, const Array &b, int64_t i, int64_t j) {
  int64_t sum = 0, k = a.dim(1), n = b.dim(1);
  for (int64_t p = 0; p < k; ++p)
    sum += a.getInt(i * k + p) * b.getInt(p * n + j);
  return sum;
}

TEST(LinalgTest, IntegerProductsAreExact) {
  Generator generator{5};
  // Bounds that take the float, the double and the wide path.
  for (int64_t bound : {int64_t(100), int64_t(1) << 20, int64_t(1) << 31}) {
    Array a = Array::make(DType::Int64, {5, 60});
    Array b = Array::make(DType::Int64, {60, 7});
    ok(fillIntegers(a, generator, -bound, bound));
    ok(fillIntegers(b, generator, -bound / 64, bound / 64 + 1));
    Array product = ok(matmul(a, b));
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 7; ++j)
        EXPECT_EQ(product.getInt(i * 7 + j), integerDot(a, b, i, j));
  }
}

TEST(LinalgTest, IntegerOverflowIsAnError) {
  Array a = tensor({100, 100}, DType::Int8, {1, 2});
  Array b = tensor({100, 100}, DType::Int8, {2, 1});
  EXPECT_EQ(messageOf(matmul(a, b)),
            "a product of the int8 matmul does not fit int8; widen the "
            "operands first, for example with .int()");
  EXPECT_EQ(ok(matmul(a, b, DType::Int32)).getInt(0), 20000);
  EXPECT_EQ(
      ok(matmul(convert(a, DType::Int32), convert(b, DType::Int32))).getInt(0),
      20000);
}

TEST(LinalgTest, PanelsCoverTheWholeProduct) {
  // An inner extent so long that panels have 16 columns.
  Array a = Array::make(DType::Int8, {3, 600000});
  Array b = Array::make(DType::Int8, {600000, 37});
  for (int64_t i = 0; i < a.numel(); ++i)
    a.data<int8_t>()[i] = 1;
  for (int64_t i = 0; i < b.numel(); ++i)
    b.data<int8_t>()[i] = static_cast<int8_t>(i % 37);
  Array product = ok(matmul(a, b, DType::Int32));
  for (int64_t j = 0; j < 37; ++j)
    EXPECT_EQ(product.getInt(2 * 37 + j), 600000 * j);
}

TEST(LinalgTest, Einsum) {
  Array a = counting({2, 3}), b = counting({3, 4});
  EXPECT_EQ(valuesOf(ok(einsum("ij,jk->ik", {a, b}))),
            valuesOf(ok(matmul(a, b))));
  EXPECT_EQ(valuesOf(ok(einsum("ij,jk", {a, b}))), valuesOf(ok(matmul(a, b))));
  EXPECT_EQ(valuesOf(ok(einsum("ij->ji", {a}))), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(valuesOf(ok(einsum("ij->", {a}))), (Values{15}));
  EXPECT_EQ(valuesOf(ok(einsum("ii", {counting({3, 3})}))), (Values{12}));
  EXPECT_EQ(valuesOf(ok(einsum("i,j->ij", {tensor({1, 2}), tensor({3, 4})}))),
            (Values{3, 4, 6, 8}));
  // A batch label, one that is summed on one side only, and a free one.
  Array x = counting({2, 3, 2}), y = counting({2, 2, 2});
  Array z = ok(einsum("bij,bkl->bik", {x, y}));
  EXPECT_EQ(shapeOf(z), "[2, 3, 2]");
  EXPECT_EQ(z.getDouble(0), (0 + 1) * (0 + 1));
  EXPECT_EQ(z.getDouble(11), (10 + 11) * (6 + 7));
  EXPECT_EQ(shapeOf(ok(einsum("...ij,jk->...ik", {counting({5, 2, 3}), b}))),
            "[5, 2, 4]");
  EXPECT_EQ(valuesOf(ok(einsum("ij,jk,kl->il", {a, b, counting({4, 2})}))),
            valuesOf(ok(matmul(ok(matmul(a, b)), counting({4, 2})))));
  EXPECT_EQ(messageOf(einsum("ij,jk->ik", {a, a})),
            "einsum: label 'j' stands for extents 3 and 2");
  EXPECT_EQ(messageOf(einsum("ij->k", {a})),
            "einsum: 'k' of the output must be a letter of the inputs, used "
            "once");
  EXPECT_EQ(messageOf(einsum("ijk->i", {a})),
            "einsum: 'ijk' does not describe a tensor of rank 2");
  EXPECT_EQ(messageOf(einsum("ij", {a, b})),
            "einsum: 'ij' has 1 terms for 2 tensors");
}

} // namespace

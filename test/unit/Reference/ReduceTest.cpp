//===- ReduceTest.cpp - Tests of sums, extremes, softmax and sorting ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Reduce.h"
#include "TestUtil.h"
#include "pl/Reference/Shape.h"
#include <cmath>
#include <limits>

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(ReduceTest, SumsOverDims) {
  Array x = counting({2, 3, 2});
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Sum, x))), (Values{66}));
  Array middle = ok(reduce(ReduceOp::Sum, x, {1}));
  EXPECT_EQ(shapeOf(middle), "[2, 2]");
  EXPECT_EQ(valuesOf(middle), (Values{6, 9, 24, 27}));
  Array outer = ok(reduce(ReduceOp::Sum, x, {0, -1}, /*keepdim=*/true));
  EXPECT_EQ(shapeOf(outer), "[1, 3, 1]");
  EXPECT_EQ(valuesOf(outer), (Values{14, 22, 30}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Mean, reverseDims(x), {0}))),
            (Values{0.5, 6.5, 2.5, 8.5, 4.5, 10.5}));
}

TEST(ReduceTest, FloatSumsRoundOnce) {
  // In bfloat16 steps the sum would stick at 256.
  Array ones = tensor(Values(1000, 1.0), DType::BF16);
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Sum, ones))), (Values{1000}));
  // 2^24 + 1 + 1 is lost in float32 steps.
  Array big = tensor({16777216, 1, 1});
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Sum, big))), (Values{16777218}));
}

TEST(ReduceTest, IntegersSumToInt64) {
  Array x = tensor({100, 100, 100}, DType::Int8);
  Array sum = ok(reduce(ReduceOp::Sum, x));
  EXPECT_EQ(sum.dtype(), DType::Int64);
  EXPECT_EQ(sum.getInt(0), 300);
  EXPECT_EQ(ok(reduce(ReduceOp::Sum, x, {}, false, DType::FP32)).dtype(),
            DType::FP32);
  EXPECT_EQ(ok(reduce(ReduceOp::Prod, x)).getInt(0), 1000000);
  EXPECT_EQ(ok(reduce(ReduceOp::Sum, tensor({1, 0, 1}, DType::Bool))).getInt(0),
            2);
  EXPECT_EQ(messageOf(reduce(ReduceOp::Mean, x)),
            "mean needs a float dtype, but got int8; convert with .float() "
            "first");
}

TEST(ReduceTest, ExtremesAndTheirPlaces) {
  Array x = tensor({3, 7, 7, -1, 2, 0}, DType::FP32, {2, 3});
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Max, x, {1}))), (Values{7, 2}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Min, x))), (Values{-1}));
  ValuesAndIndices top = ok(extreme(true, x, -1, false));
  EXPECT_EQ(valuesOf(top.indices), (Values{1, 1}));
  EXPECT_EQ(valuesOf(ok(argExtreme(true, x, std::nullopt, false))),
            (Values{1}));
  EXPECT_EQ(shapeOf(ok(argExtreme(false, x, 0, true))), "[1, 3]");
  Array withNaN = tensor({1, NAN, 5});
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Max, withNaN)).getDouble(0)));
  EXPECT_EQ(ok(argExtreme(true, withNaN, 0, false)).getInt(0), 1);
  EXPECT_EQ(messageOf(reduce(ReduceOp::Max, Array::make(DType::FP32, {0}))),
            "the extreme of no elements: shape [0]");
  EXPECT_EQ(
      ok(reduce(ReduceOp::Sum, Array::make(DType::FP32, {0}))).getDouble(0),
      0.0);
}

TEST(ReduceTest, AllAndAny) {
  Array x = tensor({1, 0, 2, 3}, DType::Int32, {2, 2});
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::All, x, {1}))), (Values{0, 1}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Any, x, {1}))), (Values{1, 1}));
  EXPECT_EQ(ok(reduce(ReduceOp::All, Array::make(DType::Bool, {0}))).getInt(0),
            1);
}

TEST(ReduceTest, SoftmaxIsShiftedByItsMaximum) {
  Array x = tensor({1000, 1000 + std::log(3.0)}, DType::FP64);
  Array y = ok(softmax(x, 0));
  EXPECT_NEAR(y.getDouble(0), 0.25, 1e-13);
  EXPECT_NEAR(y.getDouble(1), 0.75, 1e-13);
  Array masked = ok(softmax(tensor({0, -inf}), -1));
  EXPECT_EQ(valuesOf(masked), (Values{1, 0}));
  Array columns = ok(softmax(tensor({0, 5, 0, 5}, DType::FP32, {2, 2}), 0));
  EXPECT_EQ(valuesOf(columns), (Values{0.5, 0.5, 0.5, 0.5}));
  EXPECT_NEAR(ok(logSoftmax(tensor({0, 0}, DType::FP64), 0)).getDouble(0),
              -std::log(2.0), 1e-15);
  EXPECT_NEAR(
      ok(logsumexp(tensor({0, 0}, DType::FP64), {}, false)).getDouble(0),
      std::log(2.0), 1e-15);
}

TEST(ReduceTest, RunningSums) {
  EXPECT_EQ(valuesOf(ok(cumsum(tensor({1, 2, 3}, DType::Int32), 0))),
            (Values{1, 3, 6}));
  EXPECT_EQ(valuesOf(ok(cumsum(counting({2, 2}), 0))), (Values{0, 1, 2, 4}));
  EXPECT_EQ(valuesOf(ok(cumprod(tensor({1, 2, 3}), 0))), (Values{1, 2, 6}));
}

TEST(ReduceTest, SortIsStableAndPutsNaNLast) {
  Array x = tensor({3, NAN, 1, 3, -2});
  ValuesAndIndices up = ok(sort(x, 0, /*descending=*/false));
  EXPECT_EQ(valuesOf(up.indices), (Values{4, 2, 0, 3, 1}));
  ValuesAndIndices down = ok(sort(x, 0, /*descending=*/true));
  EXPECT_EQ(valuesOf(down.indices), (Values{1, 0, 3, 2, 4}));
  ValuesAndIndices best = ok(topk(tensor({4, 9, 9, 1}), 3, 0, true));
  EXPECT_EQ(valuesOf(best.values), (Values{9, 9, 4}));
  EXPECT_EQ(valuesOf(best.indices), (Values{1, 2, 0}));
  ValuesAndIndices columns =
      ok(topk(tensor({1, 8, 2, 7}, DType::FP32, {2, 2}), 1, 0, true));
  EXPECT_EQ(shapeOf(columns.values), "[1, 2]");
  EXPECT_EQ(valuesOf(columns.indices), (Values{1, 0}));
  EXPECT_EQ(messageOf(topk(x, 6, 0, true)),
            "topk: k = 6 but dim 0 of shape [5] has extent 5");
}

TEST(ReduceTest, VarianceAndNorm) {
  Array x = tensor({1, 2, 3, 4}, DType::FP64);
  EXPECT_NEAR(ok(variance(x, {}, 1, false)).getDouble(0), 5.0 / 3.0, 1e-15);
  EXPECT_EQ(ok(variance(x, {}, 0, false)).getDouble(0), 1.25);
  EXPECT_EQ(ok(norm(tensor({3, 4}), {}, false)).getDouble(0), 5.0);
}

TEST(ReduceTest, ManyRowsInParallelAreAllThere) {
  Array x = counting({3000, 64}, DType::Int64);
  Array sums = ok(reduce(ReduceOp::Sum, x, {1}));
  bool right = true;
  for (int64_t r = 0; r < 3000; ++r)
    right &= sums.getInt(r) == 64 * (64 * r) + 2016;
  EXPECT_TRUE(right);
}

} // namespace

//===- EdgesTest.cpp - Tests at the edges of dtypes and shapes ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out by hand or by a second formula, here a slow
// one over every element.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Linalg.h"
#include "pl/Reference/Random.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include <cmath>
#include <cstring>

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

/// Rounds by searching the neighbours: the nearest value of a format with
/// `digits` binary digits, ties to the even one.
double roundBySearch(double value, int digits) {
  int exponent;
  double mantissa = std::frexp(value, &exponent); // [0.5, 1)
  double scaled = std::ldexp(mantissa, digits);
  double low = std::floor(scaled), high = low + 1;
  double choice = scaled - low < high - scaled   ? low
                  : scaled - low > high - scaled ? high
                  : std::fmod(low, 2.0) == 0.0   ? low
                                                 : high;
  return std::ldexp(choice, exponent - digits);
}

TEST(EdgesTest, TiesOfEveryFloatFormat) {
  // Between every two neighbours: the middle, and a hair on either side.
  for (auto [dtype, digits] :
       {std::pair{DType::BF16, 8}, std::pair{DType::FP16, 11}})
    for (int i = 0; i < 1 << digits; ++i) {
      double low = std::ldexp((1 << (digits - 1)) + i % (1 << (digits - 1)),
                              i & 1 ? -3 : 2);
      double step = std::ldexp(1.0, (i & 1 ? -3 : 2));
      for (double part : {0.5 - 0x1p-10, 0.5, 0.5 + 0x1p-10}) {
        double value = low + part * step;
        Array rounded = convert(tensor({value, -value}, DType::FP64), dtype);
        double wanted = roundBySearch(value, digits);
        EXPECT_EQ(valuesOf(rounded), (Values{wanted, -wanted})) << value;
      }
    }
}

TEST(EdgesTest, ConversionsOfSpecialValues) {
  Values special{inf, -inf, 0.0, -0.0, 1e-45, 3.5e38, 65519.0, 65520.0};
  Array x = tensor(special, DType::FP64);
  Array bf = convert(x, DType::BF16), half = convert(x, DType::FP16);
  EXPECT_EQ(bf.getDouble(0), inf);
  EXPECT_TRUE(std::signbit(bf.getDouble(3)));
  EXPECT_EQ(bf.getDouble(5), inf); // above the largest bfloat16 and its tie
  EXPECT_EQ(half.getDouble(4), 0.0);
  EXPECT_EQ(half.getDouble(6), 65504.0);
  EXPECT_EQ(half.getDouble(7), inf); // the tie goes to infinity
  Array unknown = tensor({nan}, DType::FP64);
  for (DType dtype : {DType::BF16, DType::FP16, DType::FP32})
    EXPECT_TRUE(std::isnan(convert(unknown, dtype).getDouble(0)));
  // Floats to integers truncate; int8 keeps the low bits of what it is given.
  EXPECT_EQ(valuesOf(convert(tensor({2.5, 3.5, -2.5, -0.9, 127.9, -128.9}),
                             DType::Int8)),
            (Values{2, 3, -2, 0, 127, -128}));
  EXPECT_EQ(
      valuesOf(convert(tensor({200, -200, 256}, DType::Int32), DType::Int8)),
      (Values{-56, 56, 0}));
  // Rounding first, as quantization does, takes ties to even.
  EXPECT_EQ(valuesOf(convert(
                ok(unary(UnaryOp::Round, tensor({0.5, 1.5, 2.5, -0.5, -1.5}))),
                DType::Int8)),
            (Values{0, 2, 2, 0, -2}));
}

TEST(EdgesTest, EmptyTensors) {
  Array none = ok(Array::create(DType::FP32, {0, 3}));
  EXPECT_EQ(shapeOf(ok(binary(BinaryOp::Add, none, 1.0))), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(binary(BinaryOp::Mul, none, tensor({1, 2, 3})))),
            "[0, 3]");
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Sum, none))), (Values{0}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Prod, none))), (Values{1}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Sum, none, {0}))), (Values{0, 0, 0}));
  EXPECT_EQ(shapeOf(ok(reduce(ReduceOp::Sum, none, {1}))), "[0]");
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Mean, none)).getDouble(0)));
  EXPECT_EQ(messageOf(reduce(ReduceOp::Max, none)),
            "the extreme of no elements: shape [0, 3]");
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::All, none))), (Values{1}));
  EXPECT_EQ(valuesOf(ok(reduce(ReduceOp::Any, none))), (Values{0}));
  EXPECT_EQ(shapeOf(ok(softmax(none, 0))), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(softmax(none, 1))), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(cumsum(none, 0))), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(sort(none, 0, false)).values), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(topk(none, 0, 0, true)).values), "[0, 3]");
  EXPECT_EQ(shapeOf(ok(matmul(none, counting({3, 4})))), "[0, 4]");
  EXPECT_EQ(shapeOf(ok(cat({none, counting({2, 3})}, 0))), "[2, 3]");
  EXPECT_EQ(shapeOf(ok(einsum("ij,kj->ik", {none, none}))), "[0, 0]");
  Array places = ok(Array::create(DType::Int64, {0}));
  EXPECT_EQ(shapeOf(ok(index(none, {IndexItem::of(places)}))), "[0, 3]");
  Array some = counting({4, 3});
  EXPECT_EQ(shapeOf(ok(index(some, {IndexItem::of(places)}))), "[0, 3]");
  ok(assignIndex(some, {IndexItem::of(places)}, 9.0));
  EXPECT_EQ(some.getDouble(0), 0.0);
  EXPECT_EQ(shapeOf(nonzero(none)), "[0, 2]");
  EXPECT_EQ(shapeOf(ok(reshape(none, {3, 0}))), "[3, 0]");
  EXPECT_EQ(shapeOf(ok(repeat(none, {2, 1}))), "[0, 3]");
}

TEST(EdgesTest, ZeroDimTensors) {
  Array x = Array::make(DType::FP32, {});
  x.setDouble(0, 3.0);
  EXPECT_EQ(shapeOf(ok(binary(BinaryOp::Add, x, x))), "[]");
  EXPECT_EQ(ok(reduce(ReduceOp::Sum, x)).getDouble(0), 3.0);
  EXPECT_EQ(ok(reduce(ReduceOp::Max, x, {0})).getDouble(0), 3.0);
  EXPECT_EQ(ok(softmax(x, 0)).getDouble(0), 1.0);
  EXPECT_EQ(ok(cumsum(x, -1)).getDouble(0), 3.0);
  EXPECT_EQ(ok(sort(x, 0, true)).values.getDouble(0), 3.0);
  EXPECT_EQ(shapeOf(ok(index(x, {IndexItem::newAxis()}))), "[1]");
  EXPECT_EQ(shapeOf(ok(index(x, {IndexItem::ellipsis()}))), "[]");
  EXPECT_EQ(messageOf(index(x, {IndexItem::at(0)})),
            "too many indices (1) for a tensor of shape []");
  ok(assignIndex(x, {IndexItem::ellipsis()}, 8.0));
  EXPECT_EQ(x.getDouble(0), 8.0);
  EXPECT_EQ(shapeOf(ok(stack({x, x}, 0))), "[2]");
  EXPECT_EQ(messageOf(cat({x, x}, 0)).empty(), false);
  EXPECT_EQ(shapeOf(ok(expand(x, {2, 2}))), "[2, 2]");
}

TEST(EdgesTest, NaNAndInfinityThroughReductions) {
  Array x = tensor({1, nan, inf, -inf}, DType::FP32, {2, 2});
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Sum, x)).getDouble(0)));
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Max, x)).getDouble(0)));
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Min, x, {0})).getDouble(1)));
  // inf and -inf have no sum; each has an extreme.
  EXPECT_TRUE(std::isnan(ok(reduce(ReduceOp::Sum, x, {1})).getDouble(1)));
  EXPECT_EQ(ok(reduce(ReduceOp::Max, x, {1})).getDouble(1), inf);
  Array masked = tensor({-inf, -inf, 0, -inf}, DType::FP32, {2, 2});
  Array weights = ok(softmax(masked, 1));
  EXPECT_TRUE(std::isnan(weights.getDouble(0))); // as torch: all are -inf
  EXPECT_EQ(weights.getDouble(2), 1.0);
  EXPECT_EQ(weights.getDouble(3), 0.0);
  EXPECT_EQ(ok(logsumexp(masked, {1}, false)).getDouble(0), -inf);
  Array signs = ok(unary(UnaryOp::Sign, tensor({-inf, 0, inf})));
  EXPECT_EQ(valuesOf(signs), (Values{-1, 0, 1}));
}

TEST(EdgesTest, SlicesWithStepsAndFlips) {
  Array x = counting({6, 5});
  Array some = ok(slice(x, 0, 4, std::nullopt));
  EXPECT_EQ(valuesOf(ok(select(some, 1, -1))), (Values{24, 29}));
  Array odd =
      ok(index(x, {IndexItem::range(1, 6, 2), IndexItem::range(0, 5, 3)}));
  EXPECT_EQ(valuesOf(odd), (Values{5, 8, 15, 18, 25, 28}));
  EXPECT_EQ(valuesOf(ok(flip(odd, {0, 1}))), (Values{28, 25, 18, 15, 8, 5}));
  // torch has no negative steps.
  EXPECT_EQ(messageOf(index(x, {IndexItem::range({}, {}, -1)})).empty(), false);
  EXPECT_NE(messageOf(index(x, {IndexItem::range({}, {}, -1)})), "no error");
  // Writes through a stepped view reach the tensor; a flip is a copy.
  ok(assignIndex(odd, {IndexItem::at(0)}, 100.0));
  EXPECT_EQ(x.getDouble(5), 100.0);
  EXPECT_EQ(x.getDouble(8), 100.0);
  EXPECT_EQ(x.getDouble(6), 6.0);
}

TEST(EdgesTest, LargeTransposedCopies) {
  // Sides that no block divides, in every order of dims.
  Array x = counting({37, 53, 71}, DType::Int32);
  for (Dims order : {Dims{0, 2, 1}, Dims{1, 0, 2}, Dims{2, 1, 0}, Dims{1, 2, 0},
                     Dims{2, 0, 1}}) {
    Array moved = ok(permute(x, order));
    Array copy = moved.contiguous();
    int64_t wrong = 0, flat = 0;
    int64_t at[3];
    int64_t sides[3] = {37, 53, 71};
    for (int64_t a = 0; a < copy.dim(0); ++a)
      for (int64_t b = 0; b < copy.dim(1); ++b)
        for (int64_t c = 0; c < copy.dim(2); ++c, ++flat) {
          at[order[0]] = a;
          at[order[1]] = b;
          at[order[2]] = c;
          int64_t value = (at[0] * sides[1] + at[1]) * sides[2] + at[2];
          wrong += copy.data<int32_t>()[flat] != value;
        }
    EXPECT_EQ(wrong, 0);
  }
  // A batch of transposed matrices inside a larger tensor.
  Array part = ok(narrow(ok(transpose(x, 1, 2)), 1, 3, 60));
  EXPECT_EQ(part.contiguous().getInt(0), 3);
  EXPECT_EQ(part.contiguous().getInt(part.numel() - 1),
            36 * 53 * 71 + 52 * 71 + 62);
}

TEST(EdgesTest, IndexTensorsOfEveryKindInLargeTensors) {
  Generator generator{5, 0};
  Array x = ok(Array::create(DType::FP32, {300, 40, 7}));
  ok(fillUniform(x, generator));
  Array rows = ok(Array::create(DType::Int64, {90, 50}));
  Array columns = ok(Array::create(DType::Int64, {50}));
  ok(fillIntegers(rows, generator, -300, 300));
  ok(fillIntegers(columns, generator, 0, 40));
  auto item = [](const Array &a) { return IndexItem::of(a); };
  Array picked = ok(index(x, {item(rows), item(columns)}));
  Array places = ok(index(x, {item(rows), item(columns), IndexItem::at(3)}));
  EXPECT_EQ(shapeOf(picked), "[90, 50, 7]");
  int64_t wrong = 0;
  for (int64_t i = 0; i < 90; ++i)
    for (int64_t j = 0; j < 50; ++j) {
      int64_t row = rows.getInt(i * 50 + j);
      row += row < 0 ? 300 : 0;
      for (int64_t k = 0; k < 7; ++k)
        wrong += picked.getDouble((i * 50 + j) * 7 + k) !=
                 x.getDouble((row * 40 + columns.getInt(j)) * 7 + k);
      wrong += places.getDouble(i * 50 + j) !=
               picked.getDouble((i * 50 + j) * 7 + 3);
    }
  EXPECT_EQ(wrong, 0);
  // Of equal places the last write stays, and writes go in order.
  Array target = Array::make(DType::Int32, {8});
  Array same = ok(Array::create(DType::Int64, {100000}));
  ok(fillIntegers(same, generator, 0, 8));
  ok(assignIndex(target, {item(same)}, counting({100000}, DType::Int32)));
  Values last(8, 0.0);
  for (int64_t i = 0; i < 100000; ++i)
    last[static_cast<size_t>(same.getInt(i))] = static_cast<double>(i);
  EXPECT_EQ(valuesOf(target), last);
  // The first bad index is named, wherever it stands.
  same.setInt(77777, 8);
  same.setInt(99999, -9);
  EXPECT_EQ(messageOf(index(target, {item(same)})),
            "index 8 (at [77777] of an index tensor) is out of range for an "
            "extent of 8");
}

TEST(EdgesTest, SquaresAreProducts) {
  Array x = tensor({-3, 0.1, nan, inf, -0.0, 1e20});
  Array square = ok(binary(BinaryOp::Pow, x, 2)),
        product = ok(binary(BinaryOp::Mul, x, x));
  EXPECT_EQ(std::memcmp(square.rawData(), product.rawData(), 24), 0);
  EXPECT_EQ(ok(binary(BinaryOp::Pow, tensor({-3}, DType::Int32), 2)).dtype(),
            DType::Int32);
  EXPECT_EQ(ok(binary(BinaryOp::Pow, tensor({-3}, DType::Int32), 2.0)).dtype(),
            DType::FP32);
}

} // namespace

//===- ElementwiseTest.cpp - Tests of operations element by element -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Elementwise.h"
#include "TestUtil.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Random.h"
#include "pl/Reference/Shape.h"
#include <cmath>
#include <limits>

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(ElementwiseTest, ResultTypesFollowTorch) {
  Array i8 = tensor({1}, DType::Int8), bf = tensor({1}, DType::BF16);
  Array scalarFloat = Array::make(DType::FP64, {});
  Array scalarInt = Array::make(DType::Int64, {});
  Array flags = tensor({1}, DType::Bool);
  EXPECT_EQ(resultType({i8, Operand(3)}), DType::Int8);
  EXPECT_EQ(resultType({i8, Operand(3.0)}), DType::FP32);
  EXPECT_EQ(resultType({bf, Operand(3.0)}), DType::BF16);
  EXPECT_EQ(resultType({bf, scalarFloat}), DType::BF16);
  EXPECT_EQ(resultType({i8, scalarInt}), DType::Int8);
  EXPECT_EQ(resultType({i8, scalarFloat}), DType::FP64);
  EXPECT_EQ(resultType({flags, Operand(2)}), DType::Int64);
  EXPECT_EQ(resultType({flags, i8}), DType::Int8);
  EXPECT_EQ(resultType({Operand(1.0), Operand(2)}), DType::FP32);
}

TEST(ElementwiseTest, BroadcastsBothSides) {
  Array column = tensor({10, 20}, DType::FP32, {2, 1});
  Array row = tensor({1, 2, 3});
  Array sum = ok(binary(BinaryOp::Add, column, row));
  EXPECT_EQ(shapeOf(sum), "[2, 3]");
  EXPECT_EQ(valuesOf(sum), (Values{11, 12, 13, 21, 22, 23}));
  Array transposed = reverseDims(counting({2, 3}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Mul, transposed, 2))),
            (Values{0, 6, 2, 8, 4, 10}));
  EXPECT_EQ(messageOf(binary(BinaryOp::Add, counting({2, 3}), counting({2}))),
            "shapes [2, 3] and [2] do not broadcast: 3 and 2 differ at dim 1");
}

TEST(ElementwiseTest, DivisionAndRemainderFloor) {
  Array a = tensor({7, -7, 7, -7}, DType::Int32);
  Array b = tensor({2, 2, -2, -2}, DType::Int32);
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::FloorDiv, a, b))),
            (Values{3, -4, -4, 3}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Remainder, a, b))),
            (Values{1, 1, -1, -1}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Fmod, a, b))), (Values{1, -1, 1, -1}));
  Array quotient = ok(binary(BinaryOp::Div, a, b));
  EXPECT_EQ(quotient.dtype(), DType::FP32);
  EXPECT_EQ(valuesOf(quotient), (Values{3.5, -3.5, -3.5, 3.5}));
  EXPECT_EQ(messageOf(binary(BinaryOp::FloorDiv, a, 0)),
            "floor_divide: integer division by zero");
  Array least = tensor({-128}, DType::Int8);
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::FloorDiv, least, -1))),
            (Values{-128}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::FloorDiv, tensor({-1.5, 5}), 2.0))),
            (Values{-1, 2}));
}

TEST(ElementwiseTest, IntegersWrapAndNumbersMustFit) {
  Array x = tensor({127, -128}, DType::Int8);
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Add, x, 1))), (Values{-128, -127}));
  EXPECT_EQ(messageOf(binary(BinaryOp::Add, x, 300)),
            "the number 300 does not fit the tensor's dtype int8");
  EXPECT_EQ(valuesOf(ok(compare(CompareOp::Lt, x, 300))), (Values{1, 1}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::Neg, x))), (Values{-127, -128}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Pow, tensor({3, -2}, DType::Int32),
                               tensor({4, 3}, DType::Int32)))),
            (Values{81, -8}));
  EXPECT_EQ(valuesOf(ok(
                binary(BinaryOp::ShiftLeft, tensor({1, 3}, DType::Int32), 4))),
            (Values{16, 48}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::ShiftRight,
                               tensor({-8, 7}, DType::Int32), 1))),
            (Values{-4, 3}));
}

TEST(ElementwiseTest, BFloat16RoundsOncePerOperation) {
  // 1 + 2^-7 squared is 1 + 2^-6 + 2^-14: rounded to 1 + 2^-6.
  Array x = tensor({1.0078125}, DType::BF16);
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Mul, x, x))), (Values{1.015625}));
  // A plain number is not rounded to bfloat16 first: 1 + 0.003907 is just
  // over the tie at 1 + 2^-8.
  Array one = tensor({1.0}, DType::BF16);
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Add, one, 0.003907))),
            (Values{1.0078125}));
  EXPECT_EQ(valuesOf(ok(binary(BinaryOp::Add, one, 0.00390625))),
            (Values{1.0}));
}

TEST(ElementwiseTest, MinimumMaximumAndClampKeepNaN) {
  Array x = tensor({1, NAN, -5, 9});
  Array low = ok(binary(BinaryOp::Maximum, x, 0.0));
  EXPECT_EQ(low.getDouble(0), 1);
  EXPECT_TRUE(std::isnan(low.getDouble(1)));
  EXPECT_EQ(low.getDouble(2), 0);
  EXPECT_TRUE(std::isnan(
      ok(binary(BinaryOp::Minimum, tensor({1}), tensor({NAN}))).getDouble(0)));
  Array both = ok(clamp(x, Operand(-1.0), Operand(2.0)));
  EXPECT_EQ(both.getDouble(2), -1);
  EXPECT_EQ(both.getDouble(3), 2);
  EXPECT_EQ(messageOf(clamp(x, std::nullopt, std::nullopt)),
            "clamp needs a min, a max or both");
}

TEST(ElementwiseTest, RoundsHalfToEven) {
  Array x = tensor({0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 8388609.0});
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::Round, x))),
            (Values{0, 2, 2, -0.0, -2, 2, 8388609.0}));
  EXPECT_TRUE(std::signbit(ok(unary(UnaryOp::Round, x)).getDouble(3)));
  Array big = tensor({0x1p52 + 1, -0x1p60, inf}, DType::FP64);
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::Round, big))), valuesOf(big));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::Trunc, tensor({-1.7, 1.7})))),
            (Values{-1, 1}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::Floor, tensor({-1.2, 1.7})))),
            (Values{-2, 1}));
}

TEST(ElementwiseTest, FunctionsAgreeWithKnownValues) {
  auto one = [](UnaryOp op, double x) {
    return ok(unary(op, tensor({x}, DType::FP64))).getDouble(0);
  };
  // Values to 17 digits from tables.
  EXPECT_NEAR(one(UnaryOp::Exp, 1.0), 2.7182818284590452, 5e-16);
  EXPECT_NEAR(one(UnaryOp::Log, 10.0), 2.3025850929940457, 5e-16);
  EXPECT_NEAR(one(UnaryOp::Sin, 1.0), 0.84147098480789651, 2e-16);
  EXPECT_NEAR(one(UnaryOp::Cos, 1.0), 0.54030230586813972, 2e-16);
  EXPECT_NEAR(one(UnaryOp::Sin, 1e22), -0.8522008497671888, 5e-16);
  EXPECT_NEAR(one(UnaryOp::Cos, 524288.0), 0.98585201574610375, 5e-16);
  EXPECT_NEAR(one(UnaryOp::Tanh, 0.5), 0.46211715726000976, 2e-16);
  EXPECT_NEAR(one(UnaryOp::Sigmoid, -2.0), 0.11920292202211756, 2e-16);
  EXPECT_NEAR(one(UnaryOp::Log1p, 1e-10), 9.9999999995e-11, 1e-24);
  EXPECT_EQ(one(UnaryOp::Exp, -inf), 0.0);
  EXPECT_EQ(one(UnaryOp::Exp, 800.0), inf);
  EXPECT_EQ(one(UnaryOp::Log, 0.0), -inf);
  EXPECT_TRUE(std::isnan(one(UnaryOp::Log, -1.0)));
  EXPECT_EQ(one(UnaryOp::Rsqrt, 0.0), inf);
  EXPECT_EQ(one(UnaryOp::Exp2, 10.0), 1024.0);
  EXPECT_EQ(one(UnaryOp::Log2, 0x1p-1040), -1040.0);
}

TEST(ElementwiseTest, Float32FunctionsAreRoundedFromDouble) {
  Generator generator{7};
  Array x = Array::make(DType::FP32, {20000});
  ok(fillUniform(x, generator, -20.0, 20.0));
  auto check = [&](UnaryOp op, long double (*exact)(long double)) {
    Array y = ok(unary(op, x));
    for (int64_t i = 0; i < x.numel(); ++i) {
      float wanted = static_cast<float>(exact(x.data<float>()[i]));
      ASSERT_EQ(y.data<float>()[i], wanted)
          << opName(op).str() << " of " << x.data<float>()[i];
    }
  };
  check(UnaryOp::Exp, [](long double v) { return expl(v); });
  check(UnaryOp::Sin, [](long double v) { return sinl(v); });
  check(UnaryOp::Cos, [](long double v) { return cosl(v); });
  check(UnaryOp::Tanh, [](long double v) { return tanhl(v); });
  check(UnaryOp::Sigmoid, [](long double v) { return 1 / (1 + expl(-v)); });
}

TEST(ElementwiseTest, PowersHaveTheUsualEdges) {
  auto power = [](double x, double y) {
    return ok(binary(BinaryOp::Pow, tensor({x}, DType::FP64), y)).getDouble(0);
  };
  for (double x : {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, inf, -inf, 1e-310})
    for (double y : {0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, inf, -inf}) {
      double wanted = std::pow(x, y), found = power(x, y);
      EXPECT_TRUE(found == wanted ||
                  (std::isnan(found) && std::isnan(wanted)) ||
                  std::fabs(found - wanted) <= 4e-16 * std::fabs(wanted))
          << x << " ** " << y << " gave " << found;
      EXPECT_TRUE(std::isnan(wanted) ||
                  std::signbit(found) == std::signbit(wanted))
          << x << " ** " << y;
    }
  EXPECT_NEAR(power(10000.0, 0.3), 15.848931924611136, 4e-15);
  EXPECT_EQ(messageOf(binary(BinaryOp::Pow, tensor({2}, DType::Int32), -1)),
            "pow: integers to negative powers are not integers; convert the "
            "base to a float dtype");
}

TEST(ElementwiseTest, ComparisonsAndLogic) {
  Array x = tensor({1, 2, NAN});
  EXPECT_EQ(valuesOf(ok(compare(CompareOp::Ge, x, 2.0))), (Values{0, 1, 0}));
  EXPECT_EQ(valuesOf(ok(compare(CompareOp::Ne, x, x))), (Values{0, 0, 1}));
  EXPECT_EQ(valuesOf(ok(logical(LogicalOp::And, x, tensor({0, 3, 3})))),
            (Values{0, 1, 1}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::IsNan, x))), (Values{0, 0, 1}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::IsFinite, tensor({1, inf, NAN})))),
            (Values{1, 0, 0}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::LogicalNot, tensor({0, 2})))),
            (Values{1, 0}));
  EXPECT_EQ(valuesOf(ok(unary(UnaryOp::BitNot, tensor({0, 5}, DType::Int8)))),
            (Values{-1, -6}));
}

TEST(ElementwiseTest, WhereTakesTensorsAndNumbers) {
  Array mask = tensor({1, 0}, DType::Bool);
  Array x = tensor({1, 2, 3, 4}, DType::FP32, {2, 2});
  EXPECT_EQ(valuesOf(ok(where(mask, x, 0.0))), (Values{1, 0, 3, 0}));
  Array numbers = ok(where(mask, 0.0, -1e20));
  EXPECT_EQ(numbers.dtype(), DType::FP32);
  EXPECT_EQ(numbers.getDouble(1), static_cast<double>(-1e20f));
  EXPECT_EQ(messageOf(where(x, x, x)),
            "where needs a bool condition, but got float32");
}

TEST(ElementwiseTest, CreationCountsAsTorch) {
  Array a = ok(arange(Scalar::ofInt(0), Scalar::ofInt(5), Scalar::ofInt(2),
                      std::nullopt));
  EXPECT_EQ(a.dtype(), DType::Int64);
  EXPECT_EQ(valuesOf(a), (Values{0, 2, 4}));
  Array f = ok(arange(Scalar::ofFloat(1.0), Scalar::ofInt(0),
                      Scalar::ofFloat(-0.25), std::nullopt));
  EXPECT_EQ(valuesOf(f), (Values{1, 0.75, 0.5, 0.25}));
  EXPECT_EQ(messageOf(arange(Scalar::ofInt(0), Scalar::ofInt(5),
                             Scalar::ofInt(-1), std::nullopt)),
            "arange: a step of - never leads from start to end");
  int64_t big = int64_t(1) << 60;
  Array far = ok(arange(Scalar::ofInt(big), Scalar::ofInt(big + 5),
                        Scalar::ofInt(2), std::nullopt));
  ASSERT_EQ(far.numel(), 3);
  EXPECT_EQ(far.getInt(2), big + 4);
  EXPECT_EQ(valuesOf(ok(arange(Scalar::ofInt(5), Scalar::ofInt(0),
                               Scalar::ofInt(-2), std::nullopt))),
            (Values{5, 3, 1}));
  EXPECT_EQ(messageOf(full({1}, Scalar::ofInt(128), DType::Int8)),
            "the number 128 does not fit the tensor's dtype int8");
  EXPECT_EQ(valuesOf(ok(eye(2, 3, DType::Int32))), (Values{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(valuesOf(ok(linspace(0, 1, 5, DType::FP32))),
            (Values{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(valuesOf(ok(full({2}, Scalar::ofFloat(-0.5), DType::BF16))),
            (Values{-0.5, -0.5}));
}

TEST(ElementwiseTest, EqualityAndCloseness) {
  Array x = tensor({1, 2});
  EXPECT_TRUE(equal(x, tensor({1, 2})));
  EXPECT_FALSE(equal(x, tensor({1, 3})));
  EXPECT_FALSE(equal(x, tensor({1, 2, 3})));
  EXPECT_FALSE(equal(tensor({NAN}), tensor({NAN})));
  EXPECT_TRUE(ok(allclose(x, tensor({1, 2.00001}), 1e-5, 1e-8, false)));
  EXPECT_FALSE(ok(allclose(x, tensor({1, 2.1}), 1e-5, 1e-8, false)));
  EXPECT_TRUE(ok(allclose(tensor({inf}), tensor({inf}), 0, 0, false)));
  EXPECT_FALSE(ok(allclose(tensor({1}), tensor({inf}), 1, 1, false)));
  EXPECT_TRUE(ok(allclose(tensor({NAN}), tensor({NAN}), 0, 0, true)));
}

TEST(ElementwiseTest, LargeResultsAreRefusedNotAllocated) {
  Array column = Array::make(DType::FP32, {1 << 20, 1});
  Array row = Array::make(DType::FP32, {1 << 20});
  EXPECT_EQ(messageOf(binary(BinaryOp::Add, column, row)),
            "a tensor of shape [1048576, 1048576] has more than the limit of "
            "2147483648 elements");
}

} // namespace

//===- RandomTest.cpp - Tests of the random stream ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Random.h"
#include "TestUtil.h"
#include "pl/Reference/Shape.h"
#include <algorithm>
#include <cmath>

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

TEST(RandomTest, BlocksAreThoseOfTheAlgorithm) {
  // Known answers published with Philox-4x32-10: all zeros and all ones.
  EXPECT_EQ(randomBlock(0, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(randomBlock(~0ull, ~0ull, ~0ull),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
}

TEST(RandomTest, KnownValuesStayTheSame) {
  Generator generator{20260819};
  Array normals = Array::make(DType::FP32, {4});
  ok(fillNormal(normals, generator));
  Array uniforms = Array::make(DType::FP32, {2});
  ok(fillUniform(uniforms, generator));
  Array integers = Array::make(DType::Int64, {4});
  ok(fillIntegers(integers, generator, -5, 100));
  EXPECT_EQ(generator.draws, 3u);
  EXPECT_EQ(valuesOf(normals), (Values{0x1.ac98dap-3, 0x1.54740ep+0,
                                       0x1.555f0ap-1, -0x1.b7d95ep-3}));
  EXPECT_EQ(valuesOf(uniforms), (Values{0x1.68625ep-1, 0x1.9306fp-2}));
  EXPECT_EQ(valuesOf(integers), (Values{54, 48, 30, 47}));
}

TEST(RandomTest, ElementsDoNotDependOnTheirNumberOrTheThreads) {
  Generator one{1}, two{1};
  Array few = Array::make(DType::FP32, {10});
  Array many = Array::make(DType::FP32, {1000, 300});
  ok(fillNormal(few, one));
  ok(fillNormal(many, two));
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(few.getDouble(i), many.getDouble(i));
  // Element by element from the blocks themselves.
  Generator three{1};
  Array uniforms = Array::make(DType::FP32, {1000, 300});
  ok(fillUniform(uniforms, three));
  bool same = true;
  for (int64_t i = 0; i < uniforms.numel(); ++i)
    same &= uniforms.data<float>()[i] ==
            static_cast<float>(
                randomBlock(1, 0, static_cast<uint64_t>(i / 4))[i % 4] >> 8) *
                0x1p-24f;
  EXPECT_TRUE(same);
}

TEST(RandomTest, DrawsAndSeedsDiffer) {
  Generator a{1}, b{2};
  Array x = Array::make(DType::FP32, {8}), y = Array::make(DType::FP32, {8}),
        z = Array::make(DType::FP32, {8});
  ok(fillNormal(x, a));
  ok(fillNormal(y, a));
  ok(fillNormal(z, b));
  EXPECT_NE(valuesOf(x), valuesOf(y));
  EXPECT_NE(valuesOf(x), valuesOf(z));
  a.manualSeed(1);
  ok(fillNormal(y, a));
  EXPECT_EQ(valuesOf(x), valuesOf(y));
}

TEST(RandomTest, NormalsAreNormal) {
  Generator generator{11};
  Array x = Array::make(DType::FP64, {400000});
  ok(fillNormal(x, generator));
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  int64_t within = 0;
  for (double v : x.elements<double>()) {
    sum += v;
    squares += v * v;
    cubes += v * v * v;
    fourths += v * v * v * v;
    within += std::fabs(v) < 1.0;
  }
  double n = 400000;
  EXPECT_NEAR(sum / n, 0.0, 0.008);
  EXPECT_NEAR(squares / n, 1.0, 0.012);
  EXPECT_NEAR(cubes / n, 0.0, 0.03);
  EXPECT_NEAR(fourths / n, 3.0, 0.1);
  EXPECT_NEAR(static_cast<double>(within) / n, 0.6827, 0.004);
}

TEST(RandomTest, UniformsStayBelowOne) {
  Generator generator{13};
  for (DType dtype : {DType::BF16, DType::FP16, DType::FP32, DType::FP64}) {
    Array x = Array::make(dtype, {100000});
    ok(fillUniform(x, generator));
    double low = 1, high = 0, sum = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
      double v = x.getDouble(i);
      low = std::min(low, v);
      high = std::max(high, v);
      sum += v;
    }
    EXPECT_GE(low, 0.0);
    EXPECT_LT(high, 1.0);
    EXPECT_NEAR(sum / 100000, 0.5, 0.006);
  }
  EXPECT_EQ(messageOf(fillNormal(Array::make(DType::Int8, {1}), generator)),
            "normal needs a float dtype, but got int8");
}

TEST(RandomTest, ViewsAreFilledInTheirOwnOrder) {
  Generator a{5}, b{5};
  Array dense = Array::make(DType::FP32, {3, 2});
  Array base = Array::make(DType::FP32, {2, 3});
  ok(fillUniform(dense, a));
  ok(fillUniform(reverseDims(base), b));
  EXPECT_EQ(valuesOf(dense), valuesOf(reverseDims(base)));
}

TEST(RandomTest, IntegersAndPermutations) {
  Generator generator{17};
  Array x = Array::make(DType::Int32, {10000});
  ok(fillIntegers(x, generator, 3, 7));
  int64_t counts[4] = {};
  for (int32_t v : x.elements<int32_t>()) {
    ASSERT_TRUE(v >= 3 && v < 7);
    ++counts[v - 3];
  }
  for (int64_t count : counts)
    EXPECT_NEAR(static_cast<double>(count), 2500.0, 200.0);
  EXPECT_EQ(messageOf(fillIntegers(x, generator, 4, 4)),
            "randint: low 4 is not below high 4");
  Array order = ok(randomPermutation(100, generator));
  Values sorted = valuesOf(order);
  EXPECT_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < 100; ++i)
    EXPECT_EQ(sorted[i], static_cast<double>(i));
}

} // namespace

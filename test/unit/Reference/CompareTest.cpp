//===- CompareTest.cpp - Tests of the comparators -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Compare.h"
#include "TestUtil.h"
#include "pl/Reference/Shape.h"
#include <cmath>

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(CompareTest, BudgetsRoundHalfToEven) {
  EXPECT_EQ(roundBudget(0.005, 100), 0); // 0.5
  EXPECT_EQ(roundBudget(0.005, 300), 2); // 1.5
  EXPECT_EQ(roundBudget(0.5, 5), 2);     // 2.5
  EXPECT_EQ(roundBudget(0.005, 320), 2); // 1.6
  EXPECT_EQ(roundBudget(0.0, 1000), 0);
}

TEST(CompareTest, RatioAllcloseCountsAgainstItsBudget) {
  Array expected = tensor(Values(10, 1.0));
  Array actual = expected.clone();
  actual.setDouble(3, 1.5);
  RatioAllclose how{1e-3, 1e-3, 0.1, std::nullopt, 0, false};
  CompareResult result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.compared, 10);
  EXPECT_EQ(result.bad, 1);
  EXPECT_EQ(result.allowed, 1);
  EXPECT_EQ(result.worst, 0.5);
  EXPECT_EQ(result.worstFlat, 3);
  actual.setDouble(1, 2.0);
  result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_FALSE(result.passed);
  ASSERT_TRUE(result.firstBad.has_value());
  EXPECT_EQ(result.firstBad->flat, 1);
  EXPECT_EQ(result.message, "2 of 10 values are wrong, 1 may be; first wrong "
                            "element [1]: found 2, expected 1");
}

TEST(CompareTest, RunsThatAreNotLookedAt) {
  Array expected = ok(reshape(tensor(Values(12, 1.0)), {3, 2, 2}));
  Array actual = expected.clone();
  actual.setDouble(5, 2.0); // in the second of three runs of four
  RatioAllclose how{1e-3, 1e-3, 0.0, std::nullopt, 0, false};
  EXPECT_FALSE(ok(compareRatioAllclose(actual, expected, how)).passed);
  how.runs = {true, false, true};
  CompareResult result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.compared, 8);
  how.runs = {false, false, false};
  result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.message, "nothing is left to compare");
  EXPECT_EQ(result.reason, result.message);
  how.runs = {true, false, false};
  how.atLeast = 0.3;
  EXPECT_TRUE(ok(compareRatioAllclose(actual, expected, how)).passed);
  how.atLeast = 0.5;
  result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.reason,
            "only 1 of 3 rows are left to compare, but 2 must be");
  how.runs = {true, false, true, true, true};
  EXPECT_EQ(messageOf(compareRatioAllclose(actual, expected, how)),
            "a tensor of shape [3, 2, 2] does not fall into 5 equal runs");
}

TEST(CompareTest, EqualRows) {
  Array expected = ok(reshape(tensor({1, 2, 3, 4, 5, 6}, DType::Int8), {3, 2}));
  Array actual = expected.clone();
  EXPECT_EQ(ok(findEqualRows(actual, expected)),
            std::vector<bool>({true, true, true}));
  actual.setDouble(3, 7);
  EXPECT_EQ(ok(findEqualRows(actual, expected)),
            std::vector<bool>({true, false, true}));
  Array scalar = ok(reshape(tensor({1}), {}));
  EXPECT_EQ(messageOf(findEqualRows(scalar, scalar)),
            "a 0-d tensor has no rows");
}

TEST(CompareTest, TheToleranceItselfIsGood) {
  // Exactly one bfloat16 ulp at 1, and one more.
  Array expected = tensor({1, 1}, DType::BF16);
  Array actual = tensor({1.0078125, 1.015625}, DType::BF16);
  CompareResult result = ok(compareRatioAllclose(
      actual, expected, {0.0, 1.0 / 128, 0.0, std::nullopt, 0, false}));
  EXPECT_EQ(result.bad, 1);
  EXPECT_EQ(result.firstBad->flat, 1);
}

TEST(CompareTest, NonFiniteFailsWhateverTheBudget) {
  for (double odd : {double(NAN), inf, -inf}) {
    // Also when both sides have the same.
    Array both = tensor({1, odd});
    RatioAllclose loose{1, 1, 1.0, std::nullopt, 0, false};
    CompareResult result = ok(compareRatioAllclose(both, both, loose));
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.nonFinite, 1);
    EXPECT_EQ(result.worst, inf);
    EXPECT_FALSE(ok(compareRatioAllclose(tensor({1, 1}), both, loose)).passed);
    EXPECT_FALSE(ok(compareRatioAllclose(both, tensor({1, 1}), loose)).passed);
    EXPECT_FALSE(ok(compareRatioReldiff(both, both, {1.0, 1.0, inf})).passed);
  }
  CompareResult result = ok(compareRatioAllclose(
      tensor({NAN}), tensor({1}), {1, 1, 1.0, std::nullopt, 0, false}));
  EXPECT_EQ(result.message, "1 values are NaN or infinite; first wrong element "
                            "[0]: found nan, expected 1");
}

TEST(CompareTest, PrefixAndZeroTail) {
  Array expected = tensor({1, 2, 3, 4, 5, 6}, DType::FP32, {2, 3});
  Array actual = tensor({1, 2, 0, 4, 5, 0}, DType::FP32, {2, 3});
  RatioAllclose how{0, 0, 0, 2, 1, true};
  CompareResult result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.compared, 4);
  actual.setDouble(5, NAN);
  result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.message,
            "the tail after the prefix is not zero: [1, 2] is nan");
  how.zeroTail = false;
  EXPECT_TRUE(ok(compareRatioAllclose(actual, expected, how)).passed);
  how.prefix = 4;
  EXPECT_EQ(messageOf(compareRatioAllclose(actual, expected, how)),
            "the prefix 4 is not within dim 1 of shape [2, 3]");
}

TEST(CompareTest, PrefixAndKeptTail) {
  Array expected = tensor({1, 2, 3, 4, 5, 6}, DType::FP32, {2, 3});
  Array before = tensor({9, 9, NAN, 9, 9, 0}, DType::FP32, {2, 3});
  Array actual = tensor({1, 2, NAN, 4, 5, 0}, DType::FP32, {2, 3});
  RatioAllclose how{0, 0, 0, 2, 1, false, before};
  EXPECT_TRUE(ok(compareRatioAllclose(actual, expected, how)).passed);
  actual.setDouble(5, -0.0);
  CompareResult result = ok(compareRatioAllclose(actual, expected, how));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.bad, 0);
  EXPECT_EQ(result.reason, "the tail after the prefix is not what it was: "
                           "[1, 2] is -0, was 0");
  // A view, which is not contiguous.
  how.keptTail =
      ok(transpose(tensor({9, 9, 9, 9, NAN, -0.0}, DType::FP32, {3, 2}), 0, 1));
  EXPECT_TRUE(ok(compareRatioAllclose(actual, expected, how)).passed);
  how.keptTail = tensor({0}, DType::FP32);
  EXPECT_EQ(messageOf(compareRatioAllclose(actual, expected, how)),
            "the found tensor has shape [2, 3], but the expected one has [1]");
}

TEST(CompareTest, RatioReldiffSwitchesToRelativeAndCaps) {
  Array expected = tensor({0.001, 100, 100, 1});
  Array actual = tensor({0.002, 100.2, 101, 1});
  // 0.001 is below d and not bad; 0.2/100.2 is good; 1/101 is bad.
  CompareResult result =
      ok(compareRatioReldiff(actual, expected, {3e-3, 0.25, 1.0}));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.bad, 1);
  EXPECT_NEAR(result.worst, 1.0 / 101.0, 1e-9);
  EXPECT_FALSE(
      ok(compareRatioReldiff(actual, expected, {3e-3, 0.0, 1.0})).passed);
  // Opposite signs: 2/1, over the cap though within the budget.
  CompareResult capped = ok(
      compareRatioReldiff(tensor({1, 1}), tensor({-1, 1}), {3e-3, 0.5, 1.0}));
  EXPECT_EQ(capped.bad, 1);
  EXPECT_EQ(capped.allowed, 1);
  EXPECT_FALSE(capped.passed);
  EXPECT_EQ(capped.reason,
            "the worst difference 2.00 at [0] reaches the cap 1.00");
  // Small values are measured against 2^-14 / d.
  double floor = 0x1p-14 / 3e-3;
  CompareResult small =
      ok(compareRatioReldiff(tensor({0.004}), tensor({0.0}), {3e-3, 0.0, inf}));
  EXPECT_NEAR(small.worst, 0.004 / std::max(0.004, floor), 1e-6);
}

TEST(CompareTest, MappedPoolComparesNamedRowsAndPinsTheRest) {
  Array mapping = tensor({2, -1, 0}, DType::Int64);
  Array expected = counting({2, 2, 1, 4}, DType::BF16);
  Array actual = expected.clone();
  MappedPool how{0.5, 0.0, 0.0};
  CompareResult result = ok(compareMappedPool(actual, expected, mapping, how));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.compared, 8);
  actual.setDouble(0, 0.5); // row 0: within the tolerance
  EXPECT_TRUE(ok(compareMappedPool(actual, expected, mapping, how)).passed);
  actual.setDouble(5, 5.03125); // row 1: not named
  result = ok(compareMappedPool(actual, expected, mapping, how));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.message,
            "1 values of rows that the mapping does not name differ, the first "
            "in row 1; first wrong element [0, 1, 0, 1]: found 5.03125, "
            "expected 5");
  actual.setDouble(5, 5);
  actual.setDouble(15, NAN);
  expected.setDouble(15, NAN);
  EXPECT_FALSE(ok(compareMappedPool(actual, expected, mapping, how)).passed);
}

TEST(CompareTest, MappedPoolRejectsBadMappings) {
  Array pool = counting({4, 2});
  MappedPool how{0, 0, 0};
  auto reject = [&](const Values &slots) {
    return messageOf(
        compareMappedPool(pool, pool, tensor(slots, DType::Int64), how));
  };
  EXPECT_EQ(reject({1, 3, 1}),
            "the mapping names row 1 twice: at [0] and at [2]");
  EXPECT_EQ(reject({4}), "the mapping's entry [0] is 4, but the pool has rows "
                         "0 to 3 (-1 skips a token)");
  EXPECT_EQ(reject({0, -2}), "the mapping's entry [1] is -2, but the pool has "
                             "rows 0 to 3 (-1 skips a token)");
  // One row may be named once per rank.
  Array ranks = counting({2, 4, 2});
  EXPECT_TRUE(ok(compareMappedPool(ranks, ranks,
                                   tensor({1, 1}, DType::Int64, {2, 1}), how))
                  .passed);
}

TEST(CompareTest, ExactIsEquality) {
  Array wide = tensor({0}, DType::Int64);
  Array other = wide.clone();
  wide.setInt(0, (int64_t(1) << 53) + 1);
  other.setInt(0, int64_t(1) << 53);
  EXPECT_FALSE(ok(compareExact(wide, other)).passed);
  EXPECT_TRUE(ok(compareExact(tensor({0.0, inf}), tensor({-0.0, inf}))).passed);
  EXPECT_FALSE(ok(compareExact(tensor({NAN}), tensor({NAN}))).passed);
  EXPECT_EQ(messageOf(compareExact(tensor({1}), tensor({1, 2}))),
            "the found tensor has shape [1], but the expected one has [2]");
  EXPECT_EQ(messageOf(compareExact(tensor({1}), tensor({1}, DType::BF16))),
            "the found tensor is float32, but the expected one is bfloat16");
}

} // namespace

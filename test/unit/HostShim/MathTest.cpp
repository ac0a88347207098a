//===- MathTest.cpp - conversions and functions of one element ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Math.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace pl::shim;

namespace {

const RoundMode kModes[] = {RoundMode::None,  RoundMode::Rint, RoundMode::Round,
                            RoundMode::Floor, RoundMode::Ceil, RoundMode::Trunc,
                            RoundMode::Odd};

/// A narrow format as the sorted list of its finite values, from which any
/// rounding can be read off. `bits[i]` encodes `values[i]`; a zero is +0.
struct Format {
  std::vector<double> values;
  std::vector<uint16_t> bits;

  explicit Format(float (*decode)(uint16_t)) {
    std::vector<std::pair<double, uint16_t>> all;
    for (uint32_t i = 0; i < 0x10000; ++i) {
      float value = decode(uint16_t(i));
      if (std::isfinite(value) && i != 0x8000)
        all.push_back({value, uint16_t(i)});
    }
    std::sort(all.begin(), all.end());
    for (auto &[value, code] : all) {
      values.push_back(value);
      bits.push_back(code);
    }
  }

  /// Rounds a finite value whose magnitude is within the format's range.
  uint16_t round(double x, RoundMode mode) const {
    size_t above = size_t(std::lower_bound(values.begin(), values.end(), x) -
                          values.begin());
    if (values[above] == x)
      return x == 0 && std::signbit(x) ? 0x8000 : bits[above];
    size_t below = above - 1;
    double down = x - values[below], up = values[above] - x;
    bool towardsUp = false;
    switch (mode) {
    case RoundMode::None:
    case RoundMode::Rint:
      towardsUp = up < down || (up == down && bits[above] % 2 == 0);
      break;
    case RoundMode::Round:
      towardsUp = up < down || (up == down && x > 0);
      break;
    case RoundMode::Floor:
      break;
    case RoundMode::Ceil:
      towardsUp = true;
      break;
    case RoundMode::Trunc:
      towardsUp = x < 0;
      break;
    case RoundMode::Odd:
      towardsUp = bits[above] % 2 == 1;
      break;
    }
    uint16_t result = bits[towardsUp ? above : below];
    return result == 0 && x < 0 ? 0x8000 : result;
  }
};

uint16_t castOne(ElemType type, float x, RoundMode mode) {
  uint16_t result;
  castRow(type, &result, ElemType::F32, &x, 1, mode);
  return result;
}

/// Around every value and every midpoint between neighbours, in every mode.
void checkNarrowing(ElemType type, float (*decode)(uint16_t)) {
  Format format(decode);
  for (size_t i = 0; i + 1 < format.values.size(); ++i) {
    auto middle = float((format.values[i] + format.values[i + 1]) / 2);
    auto value = float(format.values[i]);
    float points[] = {value, std::nextafterf(value, INFINITY),
                      std::nextafterf(middle, -INFINITY), middle,
                      std::nextafterf(middle, INFINITY)};
    for (float x : points)
      for (RoundMode mode : kModes)
        ASSERT_EQ(castOne(type, x, mode), format.round(x, mode))
            << x << " mode " << int(mode);
  }
  auto largest = float(format.values.back());
  for (float sign : {1.0f, -1.0f})
    for (float x : {std::nextafterf(largest, INFINITY), INFINITY}) {
      uint16_t end = castOne(type, sign * INFINITY, RoundMode::Rint);
      for (RoundMode mode : kModes) {
        bool stays = std::isfinite(x) &&
                     (mode == RoundMode::Trunc || mode == RoundMode::Odd ||
                      mode == (sign > 0 ? RoundMode::Floor : RoundMode::Ceil) ||
                      mode <= RoundMode::Round);
        ASSERT_EQ(castOne(type, sign * x, mode), stays ? end - 1 : end);
      }
      EXPECT_EQ(castOne(type, sign * 0x1.fffffep127f, RoundMode::Rint), end);
    }
}

TEST(Scalar, EveryBF16Survives) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    float value = bf16ToF32(uint16_t(i));
    for (RoundMode mode : kModes)
      if (!std::isnan(value))
        ASSERT_EQ(castOne(ElemType::BF16, value, mode), i);
      else
        ASSERT_EQ(castOne(ElemType::BF16, value, mode), kNanBitsBF16);
  }
}

TEST(Scalar, EveryF16MatchesTheCompilersType) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    _Float16 half;
    auto bits = uint16_t(i);
    std::memcpy(&half, &bits, 2);
    float value = f16ToF32(bits);
    if (std::isnan(float(half)))
      ASSERT_EQ(floatBits(value), kNanBits);
    else
      ASSERT_EQ(floatBits(value), floatBits(float(half)));
  }
}

TEST(Scalar, NarrowingToBF16IsExactInEveryMode) {
  checkNarrowing(ElemType::BF16, [](uint16_t x) { return bf16ToF32(x); });
}

TEST(Scalar, NarrowingToF16IsExactInEveryMode) {
  checkNarrowing(ElemType::F16, [](uint16_t x) { return f16ToF32(x); });
}

double roundTo(double x, RoundMode mode) {
  switch (mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    return std::nearbyint(x);
  case RoundMode::Round:
    return std::round(x);
  case RoundMode::Floor:
    return std::floor(x);
  case RoundMode::Ceil:
    return std::ceil(x);
  case RoundMode::Trunc:
    return std::trunc(x);
  case RoundMode::Odd: {
    double below = std::floor(x);
    return below == x || std::fmod(below, 2) != 0 ? below : below + 1;
  }
  }
  return x;
}

template <typename Int> void checkToInt(ElemType type, float x) {
  for (RoundMode mode : kModes) {
    double rounded = roundTo(x, mode);
    Int expected;
    if (std::isnan(x))
      expected = 0;
    else if (rounded < double(std::numeric_limits<Int>::min()))
      expected = std::numeric_limits<Int>::min();
    else if (rounded >= -2.0 * double(std::numeric_limits<Int>::min() / 2) &&
             std::is_signed_v<Int>)
      expected = std::numeric_limits<Int>::max();
    else if (!std::is_signed_v<Int> &&
             rounded > double(std::numeric_limits<Int>::max()))
      expected = std::numeric_limits<Int>::max();
    else
      expected = Int(rounded);
    Int actual;
    castRow(type, &actual, ElemType::F32, &x, 1, mode);
    ASSERT_EQ(actual, expected) << x << " mode " << int(mode);
  }
}

TEST(Scalar, FloatToIntegerSaturatesAndRounds) {
  std::vector<float> values = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f};
  for (int i = -600; i <= 600; ++i) {
    values.push_back(float(i) / 2);
    values.push_back(std::nextafterf(float(i) / 2, INFINITY));
    values.push_back(std::nextafterf(float(i) / 2, -INFINITY));
  }
  for (int e = 7; e < 66; ++e)
    for (float sign : {1.0f, -1.0f})
      for (float step : {-0.5f, 0.0f, 0.5f, 1.0f, 1.5f})
        values.push_back(sign * (std::ldexp(1.0f, e) + step));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i)
    values.push_back(bitsFloat(random()));
  for (float x : values) {
    checkToInt<int8_t>(ElemType::I8, x);
    checkToInt<uint8_t>(ElemType::U8, x);
    checkToInt<int16_t>(ElemType::I16, x);
    checkToInt<int32_t>(ElemType::I32, x);
    checkToInt<int64_t>(ElemType::I64, x);
    for (RoundMode mode : kModes) {
      float integral;
      castRow(ElemType::F32, &integral, ElemType::F32, &x, 1, mode);
      if (mode == RoundMode::None || std::isnan(x))
        continue;
      ASSERT_EQ(integral, float(roundTo(x, mode)));
      ASSERT_EQ(std::signbit(integral), std::signbit(x));
    }
  }
}

/// Integer to float through long double, which holds every 64-bit integer.
void checkFromInt(int64_t x) {
  for (RoundMode mode : kModes) {
    auto exact = static_cast<long double>(x);
    auto nearest = float(x);
    float below = nearest, above = nearest;
    if (nearest > exact)
      below = std::nextafterf(nearest, -INFINITY);
    else if (nearest < exact)
      above = std::nextafterf(nearest, INFINITY);
    float expected = nearest;
    long double down = exact - below, up = above - exact;
    if (mode == RoundMode::Round && down == up && down != 0)
      expected = x > 0 ? above : below;
    else if (mode == RoundMode::Floor || (mode == RoundMode::Trunc && x > 0))
      expected = below;
    else if (mode == RoundMode::Ceil || mode == RoundMode::Trunc)
      expected = above;
    else if (mode == RoundMode::Odd && below != above)
      expected = floatBits(below) & 1 ? below : above;
    float actual;
    castRow(ElemType::F32, &actual, ElemType::I64, &x, 1, mode);
    ASSERT_EQ(actual, expected) << x << " mode " << int(mode);
    if (x == int32_t(x)) {
      auto narrow = int32_t(x);
      castRow(ElemType::F32, &actual, ElemType::I32, &narrow, 1, mode);
      ASSERT_EQ(actual, expected);
    }
  }
}

TEST(Scalar, IntegerToFloatIsExactInEveryMode) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i)
    checkFromInt(int64_t(random()) >> (i % 64));
  for (int e = 20; e < 63; ++e)
    for (int step = -3; step <= 3; ++step) {
      checkFromInt((int64_t(1) << e) + step);
      checkFromInt(-(int64_t(1) << e) + step);
      if (e >= 25) {
        // Ties between two floats.
        checkFromInt((int64_t(1) << e) + (int64_t(1) << (e - 24)) + step);
        checkFromInt((int64_t(3) << (e - 1)) + (int64_t(3) << (e - 24)) + step);
      }
    }
}

TEST(Scalar, IntegerToHalfRoundsOnce) {
  Format half([](uint16_t x) { return f16ToF32(x); });
  for (int32_t x = -65504; x <= 65504; x += 7)
    for (RoundMode mode : kModes) {
      uint16_t actual;
      castRow(ElemType::F16, &actual, ElemType::I32, &x, 1, mode);
      ASSERT_EQ(actual, half.round(x, mode)) << x;
    }
  // Just above a tie, too close for a first rounding to F32 to nearest.
  Format brain([](uint16_t x) { return bf16ToF32(x); });
  for (int32_t x : {(1 << 30) + (1 << 22) + 1, (1 << 30) + (1 << 22) - 1})
    for (RoundMode mode : kModes) {
      uint16_t actual;
      castRow(ElemType::BF16, &actual, ElemType::I32, &x, 1, mode);
      ASSERT_EQ(actual, brain.round(x, mode)) << x;
    }
}

TEST(Scalar, IntegersNarrowAsAsked) {
  int32_t wide[] = {40000, -40000, 127, -129};
  int16_t saturated[4], wrapped[4];
  castRow(ElemType::I16, saturated, ElemType::I32, wide, 4, RoundMode::None);
  castRow(ElemType::I16, wrapped, ElemType::I32, wide, 4, RoundMode::None,
          /*saturate=*/false);
  EXPECT_EQ(saturated[0], 32767);
  EXPECT_EQ(saturated[1], -32768);
  EXPECT_EQ(wrapped[0], int16_t(40000));
  EXPECT_EQ(saturated[3], -129);
}

//===----------------------------------------------------------------------===//
// Functions against long double
//===----------------------------------------------------------------------===//

/// Distance from the exact value in units of the last place of the result.
double ulpError(float actual, long double exact) {
  int exponent;
  std::frexp(double(exact), &exponent);
  long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return double(std::fabs((actual - exact) / unit));
}

void checkFunction(const char *name, float (*function)(float),
                   long double (*exact)(long double), double bound) {
  std::mt19937 random(11);
  double worst = 0;
  auto check = [&](float x) {
    long double expected = exact(x);
    float actual = function(x);
    if (std::isnan(expected)) {
      ASSERT_EQ(floatBits(actual), kNanBits) << name << " " << x;
      return;
    }
    if (std::fabs(expected) >= 0x1.ffffffp127L) {
      ASSERT_EQ(actual, expected > 0 ? INFINITY : -INFINITY) << name << x;
      return;
    }
    double error = ulpError(actual, expected);
    worst = std::max(worst, error);
    ASSERT_LE(error, bound) << name << "(" << x << ") = " << actual;
  };
  for (int i = 0; i < 400000; ++i)
    check(bitsFloat(random()));
  for (int i = -11000; i < 9000; ++i)
    check(float(i) / 100);
  for (int i = -2000; i < 2000; ++i)
    check(bitsFloat(floatBits(1.0f) + uint32_t(i)));
  for (float x : {0.0f, -0.0f, 1e-45f, 1e-40f, -1e-40f, 0x1p-126f, 88.722839f,
                  88.72284f, -87.33655f, -103.97f, -103.98f, -104.5f, NAN,
                  INFINITY, -INFINITY, 0x1.fffffep127f})
    check(x);
  std::printf("%s: worst %.4f ulp\n", name, worst);
}

TEST(Scalar, ExpIsWithinItsBound) {
  checkFunction(
      "exp", [](float x) { return expF32(x); },
      [](long double x) { return std::exp(x); }, 0.501);
  EXPECT_EQ(expF32(0.0f), 1.0f);
  EXPECT_EQ(expF32(-INFINITY), 0.0f);
}

TEST(Scalar, LogIsWithinItsBound) {
  checkFunction(
      "log", [](float x) { return logF32(x); },
      [](long double x) { return std::log(x); }, 0.501);
  EXPECT_EQ(logF32(0.0f), -INFINITY);
  EXPECT_EQ(logF32(-0.0f), -INFINITY);
  EXPECT_EQ(logF32(1.0f), 0.0f);
}

TEST(Scalar, RootsAndReciprocals) {
  checkFunction(
      "sqrt", [](float x) { return sqrtF32(x); },
      [](long double x) { return std::sqrt(x); }, 0.5);
  checkFunction(
      "recip", [](float x) { return recipF32(x); },
      [](long double x) { return 1 / x; }, 0.5);
  checkFunction(
      "rsqrt", [](float x) { return rsqrtF32(x); },
      [](long double x) { return 1 / std::sqrt(x); }, 1.5);
  checkFunction(
      "rsqrt precise", [](float x) { return rsqrtPreciseF32(x); },
      [](long double x) { return 1 / std::sqrt(x); }, 0.501);
}

TEST(Scalar, MaxAndMinOrderZerosAndKeepNan) {
  EXPECT_EQ(floatBits(maxF32(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(floatBits(maxF32(0.0f, -0.0f)), 0u);
  EXPECT_EQ(floatBits(maxF32(-0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(floatBits(minF32(0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(floatBits(maxF32(-NAN, 1.0f)), kNanBits);
  EXPECT_EQ(floatBits(minF32(1.0f, NAN)), kNanBits);
  EXPECT_EQ(maxF32(-INFINITY, -5.0f), -5.0f);
}

} // namespace

//===- Math.h - Elementary functions in double ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our own exp, log, sin, cos, tanh and pow, so that fixtures and goldens are
// the same on every machine: a C library may answer differently by an ulp, even
// on one machine after an update. Only +, -, *, /, sqrt and fma of IEEE doubles
// are used, in a fixed order. Errors are at most 4 ulp of a double, so a
// float32 or narrower result that is rounded from here is right but for the
// rarest ties. Polynomials are Taylor series, long enough for double on the
// reduced range.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_REFERENCE_MATH_H
#define PL_LIB_REFERENCE_MATH_H

#include "llvm/ADT/bit.h"
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pl::ref::math {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// ln 2 in two parts; the first has 32 bits, so a product with an exponent is
/// exact.
inline constexpr double ln2High = 0x1.62e42feep-1;
inline constexpr double ln2Low = 0x1.a39ef35793c76p-33;

/// Adding this to |x| < 2^51 leaves x rounded to an integer in the low bits.
inline constexpr double roundingMagic = 0x1.8p52;

/// 2^k for -1022 <= k <= 1023.
inline double powerOfTwo(int64_t k) {
  return llvm::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
}

/// sum of r^i / i! for i = 2 … 13, |r| <= 0.35: what exp adds to 1 + r.
inline double expTail(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  return p * r * r;
}

/// Free of branches, so that loops over it vectorise.
inline double exp(double x) {
  double clamped = x < -746.0 ? -746.0 : x;
  clamped = clamped > 710.0 ? 710.0 : clamped;
  double shifted = clamped * 0x1.71547652b82fep0 + roundingMagic;
  double n = shifted - roundingMagic;
  double r = (clamped - n * ln2High) - n * ln2Low;
  double value = 1.0 + (r + expTail(r));
  // 2^n in two steps, since n may leave the range of exponents.
  int64_t whole = static_cast<int64_t>(llvm::bit_cast<uint64_t>(shifted) -
                                       llvm::bit_cast<uint64_t>(roundingMagic));
  int64_t half = whole >> 1;
  value = value * powerOfTwo(half) * powerOfTwo(whole - half);
  return x == x ? value : x;
}

/// exp(x) - 1 without cancellation near 0.
inline double expm1(double x) {
  double small = x + expTail(x);
  double large = exp(x) - 1.0;
  return std::fabs(x) < 0.35 ? small : large;
}

/// A positive, finite, normal x as 2^exponent * m, m in [sqrt(1/2), sqrt(2)).
struct Split {
  double m;
  double exponent;
};
inline Split splitExponent(double x) {
  constexpr uint64_t sqrtHalf = 0x3fe6a09e667f3bcdull;
  uint64_t bits = llvm::bit_cast<uint64_t>(x);
  uint64_t shifted = bits - sqrtHalf;
  int64_t k = static_cast<int64_t>(shifted) >> 52;
  double m = llvm::bit_cast<double>(bits - (static_cast<uint64_t>(k) << 52));
  return {m, static_cast<double>(k)};
}

/// 2 * (atanh(s) / s - 1) as a series in z = s^2 <= 0.0295.
inline double atanhTail(double z) {
  double p = 2.0 / 23.0;
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  return p * z;
}

/// Free of branches.
inline double log(double x) {
  bool tiny = x < std::numeric_limits<double>::min();
  double scaled = tiny ? x * 0x1p54 : x;
  Split parts = splitExponent(scaled);
  double k = tiny ? parts.exponent - 54.0 : parts.exponent;
  double f = parts.m - 1.0;
  double s = f / (2.0 + f);
  // log(m) = 2 s + s T(s^2), and 2 s = f - s f.
  double value = k * ln2High + (f - (s * (f - atanhTail(s * s)) - k * ln2Low));
  value = x == infinity ? infinity : value;
  value = x == 0.0 ? -infinity : value;
  return x >= 0.0 ? value : notANumber;
}

/// Exact for powers of two.
inline double log2(double x) {
  if (!(x > 0.0) || x == infinity)
    return log(x);
  bool tiny = x < std::numeric_limits<double>::min();
  Split parts = splitExponent(tiny ? x * 0x1p54 : x);
  double k = tiny ? parts.exponent - 54.0 : parts.exponent;
  return k + log(parts.m) * 0x1.71547652b82fep0;
}

inline double log1p(double x) {
  double u = 1.0 + x;
  // The division gives back what rounding 1 + x lost.
  double value = log(u) * (x / (u - 1.0));
  value = u == 1.0 ? x : value;
  return u == infinity ? infinity : value;
}

inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

inline double tanh(double x) {
  double magnitude = std::fabs(x);
  double e = expm1(2.0 * (magnitude > 22.0 ? 22.0 : magnitude));
  double value = e / (e + 2.0);
  return x == x ? std::copysign(value, x) : x;
}

/// sin and cos of a remainder |r| <= pi/4 (1 + tiny).
inline double sinKernel(double r) {
  double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return r + r * z * p;
}
inline double cosKernel(double r) {
  double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  return 1.0 - (0.5 * z - z * z * p);
}

/// x less a multiple of pi/2, and that multiple modulo 4.
struct Reduced {
  double remainder;
  unsigned quadrant;
};

/// The same for |x| >= 2^20, from the digits of 2/pi that matter.
inline Reduced reduceLarge(double x) {
  // 2/pi = 0.a2f9836e…, 64 bits a word.
  static constexpr std::array<uint64_t, 20> twoOverPi = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
      0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
      0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
      0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  using Wide = unsigned __int128;
  uint64_t bits = llvm::bit_cast<uint64_t>(std::fabs(x));
  int exponent = static_cast<int>(bits >> 52) - 1075;
  uint64_t mantissa = (bits & 0xfffffffffffffull) | (1ull << 52);
  // |x| = mantissa * 2^exponent. Bits of 2/pi above `skip` give multiples of 4.
  int skip = exponent > 2 ? exponent - 2 : 0;
  int shift = exponent - skip; // at most 2, negative below 2^52
  std::array<uint64_t, 3> window;
  for (int i = 0; i < 3; ++i) {
    size_t word = static_cast<size_t>(skip / 64 + i);
    int bit = skip % 64;
    window[i] = twoOverPi[word] << bit;
    if (bit)
      window[i] |= twoOverPi[word + 1] >> (64 - bit);
  }
  // mantissa * window: four words, the binary point after the first.
  Wide low = Wide(mantissa) * window[2];
  Wide middle = Wide(mantissa) * window[1] + (low >> 64);
  Wide high = Wide(mantissa) * window[0] + (middle >> 64);
  uint64_t whole = static_cast<uint64_t>(high >> 64);
  Wide fraction =
      (Wide(static_cast<uint64_t>(high)) << 64) | static_cast<uint64_t>(middle);
  uint64_t rest = static_cast<uint64_t>(low);
  for (; shift > 0; --shift) {
    whole = (whole << 1) | static_cast<uint64_t>(fraction >> 127);
    fraction = (fraction << 1) | (rest >> 63);
    rest <<= 1;
  }
  for (; shift < 0; ++shift) {
    fraction = (fraction >> 1) | (Wide(whole & 1) << 127);
    whole >>= 1;
  }
  // To the nearest multiple: a fraction of a half or more counts from above.
  bool above = fraction >> 127;
  if (above) {
    ++whole;
    fraction = ~fraction + 1;
  }
  double quarterTurns =
      static_cast<double>(static_cast<uint64_t>(fraction >> 64)) * 0x1p-64 +
      static_cast<double>(static_cast<uint64_t>(fraction)) * 0x1p-128;
  double r = quarterTurns * 0x1.921fb54442d18p0;
  if (above)
    r = -r;
  unsigned quadrant = static_cast<unsigned>(whole & 3);
  if (x < 0.0)
    return {-r, (4 - quadrant) & 3};
  return {r, quadrant};
}

inline Reduced reduceAngle(double x) {
  if (std::fabs(x) >= 0x1p20)
    return reduceLarge(x);
  // pi/2 in three parts; the first two have 33 bits.
  constexpr double first = 0x1.921fb544p0, second = 0x1.0b4611a6p-34,
                   third = 0x1.3198a2e037073p-69;
  double shifted = x * 0x1.45f306dc9c883p-1 + roundingMagic;
  double n = shifted - roundingMagic;
  double r = ((x - n * first) - n * second) - n * third;
  return {r, static_cast<unsigned>(llvm::bit_cast<uint64_t>(shifted)) & 3u};
}

inline double sin(double x) {
  if (!(std::fabs(x) < infinity))
    return notANumber;
  if (x == 0.0)
    return x; // keeps the sign
  Reduced a = reduceAngle(x);
  double value =
      (a.quadrant & 1) ? cosKernel(a.remainder) : sinKernel(a.remainder);
  return (a.quadrant & 2) ? -value : value;
}

inline double cos(double x) {
  if (!(std::fabs(x) < infinity))
    return notANumber;
  Reduced a = reduceAngle(x);
  double value =
      (a.quadrant & 1) ? sinKernel(a.remainder) : cosKernel(a.remainder);
  return ((a.quadrant + 1) & 2) ? -value : value;
}

/// |x|^y for finite positive |x| and finite y, with the logarithm carried in
/// two doubles.
inline double powPositive(double x, double y) {
  bool tiny = x < std::numeric_limits<double>::min();
  Split parts = splitExponent(tiny ? x * 0x1p54 : x);
  double k = tiny ? parts.exponent - 54.0 : parts.exponent;
  double f = parts.m - 1.0, d = 2.0 + f;
  double dLow = f - (d - 2.0);
  double s = f / d;
  double sLow = (std::fma(-s, d, f) - s * dLow) / d;
  double high = k * ln2High, twice = 2.0 * s;
  double sum = high + twice;
  double lost = std::fabs(high) > std::fabs(twice) ? (high - sum) + twice
                                                   : (twice - sum) + high;
  double rest = lost + (k * ln2Low + (2.0 * sLow + s * atanhTail(s * s)));
  double logarithm = sum + rest;
  double low = (sum - logarithm) + rest;
  double product = y * logarithm;
  if (!(std::fabs(product) < 1e4))
    return product > 0.0 ? infinity : 0.0;
  double productLow = std::fma(y, logarithm, -product) + y * low;
  double value = exp(product);
  // Where the value overflowed or vanished there is nothing left to correct.
  if (value == infinity || value == 0.0)
    return value;
  return value + value * productLow;
}

/// As C's pow.
inline double pow(double x, double y) {
  if (y == 0.0 || x == 1.0)
    return 1.0;
  if (x != x || y != y)
    return notANumber;
  double magnitude = std::fabs(x);
  bool isInteger = std::floor(y) == y;
  bool isOdd = isInteger && std::fabs(y) < 0x1p53 && std::fmod(y, 2.0) != 0.0;
  double value;
  if (std::fabs(y) == infinity)
    value = magnitude == 1.0                 ? 1.0
            : (magnitude > 1.0) == (y > 0.0) ? infinity
                                             : 0.0;
  else if (magnitude == 0.0 || magnitude == infinity)
    value = (magnitude == 0.0) == (y > 0.0) ? 0.0 : infinity;
  else if (x < 0.0 && !isInteger)
    return notANumber;
  else if (y == 1.0)
    value = magnitude;
  else if (y == 2.0)
    value = magnitude * magnitude;
  else if (y == -1.0)
    value = 1.0 / magnitude;
  else if (y == 0.5)
    value = std::sqrt(magnitude);
  else
    value = powPositive(magnitude, y);
  return x < 0.0 && isOdd    ? -value
         : x == 0.0 && isOdd ? std::copysign(value, x)
                             : value;
}

} // namespace pl::ref::math

#endif // PL_LIB_REFERENCE_MATH_H

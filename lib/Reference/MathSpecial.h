//===- MathSpecial.h - arc tangent and error function ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the manner of Math.h: the same bits on every host, a few units in the last
// place of a double.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_REFERENCE_MATHSPECIAL_H
#define PL_LIB_REFERENCE_MATHSPECIAL_H

#include "Math.h"

namespace pl::ref::math {

inline double atan(double x) {
  constexpr double halfPi = 0x1.921fb54442d18p0;
  double size = std::fabs(x);
  if (size != size)
    return x;
  if (size == infinity)
    return std::copysign(halfPi, x);
  bool inverts = size > 1.0;
  double z = inverts ? 1.0 / size : size;
  // Halving the angle twice leaves |z| below 0.2.
  z = z / (1.0 + std::sqrt(1.0 + z * z));
  z = z / (1.0 + std::sqrt(1.0 + z * z));
  double square = z * z;
  double p = 0.0;
  for (int k = 27; k >= 3; k -= 2)
    p = ((k & 2) ? -1.0 / k : 1.0 / k) + square * p;
  double angle = 4.0 * (z + z * square * p);
  return std::copysign(inverts ? halfPi - angle : angle, x);
}

/// exp(-x x) without the error of squaring.
inline double expOfMinusSquare(double x) {
  double high = llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(x) &
                                       0xfffffffff8000000ull);
  double low = x - high;
  return exp(-high * high) * exp(-low * (x + high));
}

/// A series of terms of one sign, for |x| up to 3.
inline double erfSeries(double x) {
  double term = x, sum = x, square = x * x;
  for (int n = 1; n < 80; ++n) {
    term *= 2.0 * square / (2 * n + 1);
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 0x1p-56)
      break;
  }
  constexpr double twoOverRootPi = 0x1.20dd750429b6dp0;
  return twoOverRootPi * expOfMinusSquare(x) * sum;
}

/// A continued fraction, from its far end, for x above 1.
inline double erfcFraction(double x) {
  double value = x;
  for (int k = x < 2.0 ? 300 : 60; k > 0; --k)
    value = x + 0.5 * k / value;
  constexpr double rootPi = 0x1.c5bf891b4ef6bp0;
  return expOfMinusSquare(x) / (rootPi * value);
}

inline double erf(double x) {
  if (x != x)
    return x;
  double size = std::fabs(x);
  if (size > 6.0)
    return std::copysign(1.0, x);
  return size < 2.5 ? erfSeries(x) : std::copysign(1.0 - erfcFraction(size), x);
}

inline double erfc(double x) {
  if (x != x)
    return x;
  if (x > 28.0)
    return 0.0;
  if (x > 1.0)
    return erfcFraction(x);
  return x < -6.0 ? 2.0 : 1.0 - erf(x);
}

} // namespace pl::ref::math

#endif // PL_LIB_REFERENCE_MATHSPECIAL_H

//===- Scalar.h - one element: types, rounding, transcendentals -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one element means, for simulator and emitted C++ alike. Everything is
// plain IEEE arithmetic in a written order, so the bits are the same on every
// host and at every vector width. Rules that hold throughout:
//  * round to nearest even unless a mode says otherwise, no flush to zero;
//  * an arithmetic result that is NaN is the one quiet NaN (0x7fc00000), as the
//    sign and payload that hardware propagates differ from host to host;
//  * multiply and add are rounded separately; only matmul fuses them.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_SCALAR_H
#define PL_HOSTSHIM_SCALAR_H

#include <cstddef>
#include <cstdint>
#include <cstring>

// Internal linkage and forced inlining: these functions are compiled into files
// with different target features, and the linker must never merge the copies.
#define PL_SHIM_INLINE static inline __attribute__((always_inline))

// Holds even where a build forgets -ffp-contract=off.
#pragma clang fp contract(off)

namespace pl::shim {

/// Element types of tiles and tensors.
enum class ElemType : uint8_t {
  F32,
  F16,
  BF16,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64
};
constexpr unsigned kNumElemTypes = 11;

/// How a conversion that is not exact rounds. `None` acts as `Rint`.
enum class RoundMode : uint8_t {
  None,  ///< as Rint where something must be rounded
  Rint,  ///< to nearest, ties to even
  Round, ///< to nearest, ties away from zero
  Floor, ///< towards minus infinity
  Ceil,  ///< towards plus infinity
  Trunc, ///< towards zero
  Odd    ///< towards zero, then the last bit set if anything was lost
};

/// Byte that fills fresh memory: NaN in every float type, -1 in every integer.
constexpr uint8_t kPoisonByte = 0xff;

constexpr size_t elemBytes(ElemType type) {
  switch (type) {
  case ElemType::I8:
  case ElemType::U8:
    return 1;
  case ElemType::F16:
  case ElemType::BF16:
  case ElemType::I16:
  case ElemType::U16:
    return 2;
  case ElemType::F32:
  case ElemType::I32:
  case ElemType::U32:
    return 4;
  case ElemType::I64:
  case ElemType::U64:
    return 8;
  }
  return 0;
}

constexpr bool isFloat(ElemType type) { return type <= ElemType::BF16; }

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

PL_SHIM_INLINE uint32_t floatBits(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
PL_SHIM_INLINE float bitsFloat(uint32_t x) {
  return __builtin_bit_cast(float, x);
}
PL_SHIM_INLINE uint64_t doubleBits(double x) {
  return __builtin_bit_cast(uint64_t, x);
}
PL_SHIM_INLINE double bitsDouble(uint64_t x) {
  return __builtin_bit_cast(double, x);
}

constexpr uint32_t kNanBits = 0x7fc00000;
constexpr uint16_t kNanBitsF16 = 0x7e00;
constexpr uint16_t kNanBitsBF16 = 0x7fc0;

/// The one NaN instead of any other.
PL_SHIM_INLINE float canonical(float x) {
  return x != x ? bitsFloat(kNanBits) : x;
}

//===----------------------------------------------------------------------===//
// Half formats, as their 16 bits
//===----------------------------------------------------------------------===//

PL_SHIM_INLINE float bf16ToF32(uint16_t x) {
  return bitsFloat(uint32_t(x) << 16);
}

PL_SHIM_INLINE float f16ToF32(uint16_t x) {
  uint32_t magnitude = uint32_t(x & 0x7fff) << 13;
  // Rebiasing by a multiply is exact and takes care of subnormals.
  uint32_t finite = floatBits(bitsFloat(magnitude) * 0x1p112f);
  uint32_t special = (x & 0x3ff) ? kNanBits : 0x7f800000u;
  uint32_t result = (x & 0x7c00) == 0x7c00 ? special : finite;
  bool isNan = (x & 0x7fff) > 0x7c00;
  return bitsFloat(result | (isNan ? 0u : uint32_t(x & 0x8000) << 16));
}

/// One if the magnitude `kept` must grow by a unit when `lost` (a fraction
/// whose half is `half`) is dropped.
template <RoundMode Mode, typename Bits>
PL_SHIM_INLINE Bits roundIncrement(bool negative, Bits kept, Bits lost,
                                   Bits half) {
  switch (Mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    return Bits((lost > half) | ((lost == half) & Bits(kept & 1)));
  case RoundMode::Round:
    return Bits(lost >= half);
  case RoundMode::Floor:
    return Bits(negative & (lost != 0));
  case RoundMode::Ceil:
    return Bits(!negative & (lost != 0));
  case RoundMode::Trunc:
    return 0;
  case RoundMode::Odd:
    return Bits((lost != 0) & !(kept & 1));
  }
  return 0;
}

/// Whether a finite value too large for its type stays at the largest finite.
template <RoundMode Mode>
PL_SHIM_INLINE bool overflowStaysFinite(bool negative) {
  return Mode == RoundMode::Trunc || Mode == RoundMode::Odd ||
         (Mode == RoundMode::Floor && !negative) ||
         (Mode == RoundMode::Ceil && negative);
}

template <RoundMode Mode> PL_SHIM_INLINE uint16_t f32ToBF16(float x) {
  uint32_t bits = floatBits(x);
  uint32_t magnitude = bits & 0x7fffffff;
  bool negative = bits >> 31;
  uint32_t kept = magnitude >> 16;
  kept += roundIncrement<Mode, uint32_t>(negative, kept, magnitude & 0xffff,
                                         0x8000);
  bool finite = magnitude < 0x7f800000;
  uint32_t limit = overflowStaysFinite<Mode>(negative) ? 0x7f7f : 0x7f80;
  kept = (finite & (kept > limit)) ? limit : kept;
  uint32_t result = kept | (bits >> 16 & 0x8000);
  return uint16_t(magnitude > 0x7f800000 ? uint32_t(kNanBitsBF16) : result);
}

template <RoundMode Mode> PL_SHIM_INLINE uint16_t f32ToF16(float x) {
  uint32_t bits = floatBits(x);
  uint32_t magnitude = bits & 0x7fffffff;
  bool negative = bits >> 31;
  uint32_t exponent = magnitude >> 23;
  // Normal results drop 13 bits; below 2^-14 the unit is fixed at 2^-24.
  uint32_t rebased = magnitude - (112u << 23);
  uint32_t mantissa = (magnitude & 0x7fffff) | (exponent ? 0x800000u : 0u);
  uint32_t shift = exponent < 96 ? 30u : 126u - exponent;
  bool normal = magnitude >= 0x38800000;
  shift = normal ? 13u : shift;
  uint32_t source = normal ? rebased : mantissa;
  uint32_t kept = source >> (shift & 31);
  uint32_t lost = source & ((1u << (shift & 31)) - 1);
  uint32_t half = 1u << ((shift - 1) & 31);
  kept += roundIncrement<Mode, uint32_t>(negative, kept, lost, half);
  uint32_t limit = overflowStaysFinite<Mode>(negative) ? 0x7bff : 0x7c00;
  kept = kept > limit ? limit : kept;
  kept = magnitude == 0x7f800000 ? 0x7c00u : kept;
  uint32_t result = kept | (bits >> 16 & 0x8000);
  return uint16_t(magnitude > 0x7f800000 ? uint32_t(kNanBitsF16) : result);
}

//===----------------------------------------------------------------------===//
// Rounding to integers, integers to float
//===----------------------------------------------------------------------===//

/// Rounds to an integral value. Exact for every mode; infinities stay.
template <RoundMode Mode> PL_SHIM_INLINE float roundIntegral(float x) {
  float magnitude = bitsFloat(floatBits(x) & 0x7fffffff);
  uint32_t sign = floatBits(x) & 0x80000000;
  // Adding and subtracting 2^23 rounds to nearest even; from there one step.
  float nearest = (magnitude + 0x1p23f) - 0x1p23f;
  nearest = magnitude < 0x1p23f ? nearest : magnitude;
  float below = nearest > magnitude ? nearest - 1.0f : nearest;
  float above = below < magnitude ? below + 1.0f : below;
  float result = nearest;
  switch (Mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    break;
  case RoundMode::Round:
    result = magnitude - below >= 0.5f ? above : below;
    break;
  case RoundMode::Floor:
    result = sign ? above : below;
    break;
  case RoundMode::Ceil:
    result = sign ? below : above;
    break;
  case RoundMode::Trunc:
    result = below;
    break;
  case RoundMode::Odd: {
    float half = below * 0.5f;
    float halfNearest = (half + 0x1p23f) - 0x1p23f;
    bool odd = below < 0x1p23f && halfNearest != half;
    result = odd ? below : above;
    break;
  }
  }
  // Infinity minus itself made a NaN of `below`; integral magnitudes stay.
  result = magnitude < 0x1p23f ? result : magnitude;
  return canonical(bitsFloat(floatBits(result) | sign));
}

/// An integral float to an integer type; out of range goes to the nearest end,
/// NaN to 0.
template <typename Int> PL_SHIM_INLINE Int integralToInt(float x) {
  constexpr bool isSigned = Int(-1) < Int(0);
  constexpr unsigned width = sizeof(Int) * 8;
  constexpr Int maxInt =
      isSigned ? Int((uint64_t(1) << (width - 1)) - 1) : Int(~uint64_t(0));
  constexpr Int minInt = isSigned ? Int(-maxInt - 1) : Int(0);
  // First value that is too large: a power of two, hence exact.
  constexpr float end =
      float(uint64_t(1) << (width - 1)) * (isSigned ? 1.0f : 2.0f);
  constexpr float begin = isSigned ? -end : 0.0f;
  bool inside = x >= begin && x < end;
  Int converted = Int(inside ? x : 0.0f);
  Int outside = x >= end ? maxInt : (x < begin ? minInt : Int(0));
  return inside ? converted : outside;
}

/// An integer to float, rounded as asked.
template <RoundMode Mode, typename Int> PL_SHIM_INLINE float intToF32(Int x) {
  if constexpr (sizeof(Int) < 4 || Mode == RoundMode::None ||
                Mode == RoundMode::Rint)
    return float(x);
  bool negative = x < Int(0);
  uint64_t magnitude = negative ? 0 - uint64_t(x) : uint64_t(x);
  if (magnitude < (1u << 24))
    return float(x);
  unsigned shift = 40 - unsigned(__builtin_clzll(magnitude));
  uint64_t kept = magnitude >> shift;
  uint64_t lost = magnitude & ((uint64_t(1) << shift) - 1);
  uint64_t half = shift ? uint64_t(1) << (shift - 1) : 1;
  kept += roundIncrement<Mode, uint64_t>(negative, kept, lost, half);
  float result = float(kept) * float(uint64_t(1) << shift);
  return negative ? -result : result;
}

//===----------------------------------------------------------------------===//
// Arithmetic with fixed NaN and signed zero
//===----------------------------------------------------------------------===//

PL_SHIM_INLINE float addF32(float a, float b) { return canonical(a + b); }
PL_SHIM_INLINE float subF32(float a, float b) { return canonical(a - b); }
PL_SHIM_INLINE float mulF32(float a, float b) { return canonical(a * b); }
PL_SHIM_INLINE float divF32(float a, float b) { return canonical(a / b); }

/// The larger; NaN if either is NaN; +0 above -0. Hence independent of order.
PL_SHIM_INLINE float maxF32(float a, float b) {
  float larger = a > b ? a : b;
  float equal = bitsFloat(floatBits(a) & floatBits(b));
  larger = a == b ? equal : larger;
  return ((a != a) | (b != b)) ? bitsFloat(kNanBits) : larger;
}

PL_SHIM_INLINE float minF32(float a, float b) {
  float smaller = a < b ? a : b;
  float equal = bitsFloat(floatBits(a) | floatBits(b));
  smaller = a == b ? equal : smaller;
  return ((a != a) | (b != b)) ? bitsFloat(kNanBits) : smaller;
}

PL_SHIM_INLINE float absF32(float x) {
  return bitsFloat(floatBits(x) & 0x7fffffff);
}
PL_SHIM_INLINE float negF32(float x) {
  return bitsFloat(floatBits(x) ^ 0x80000000);
}
/// max(x, 0); NaN stays NaN.
PL_SHIM_INLINE float reluF32(float x) { return maxF32(x, 0.0f); }

/// Correctly rounded (0.5 ulp). The test is on the bits: compilers know that a
/// square root below zero is a NaN, and drop one written with `x < 0`.
PL_SHIM_INLINE float sqrtF32(float x) {
  uint32_t bits = floatBits(x);
  bool invalid = (bits > 0x80000000u) | ((bits & 0x7fffffff) > 0x7f800000u);
  return invalid ? bitsFloat(kNanBits) : __builtin_elementwise_sqrt(x);
}
/// Correctly rounded (0.5 ulp).
PL_SHIM_INLINE float recipF32(float x) { return canonical(1.0f / x); }
/// Square root, then divide: two roundings, at most 1.5 ulp.
PL_SHIM_INLINE float rsqrtF32(float x) {
  return canonical(1.0f / __builtin_elementwise_sqrt(x));
}
/// High-precision form: at most 0.501 ulp.
PL_SHIM_INLINE float rsqrtPreciseF32(float x) {
  return canonical(float(1.0 / __builtin_elementwise_sqrt(double(x))));
}

/// e to the x, at most 0.501 ulp, subnormal results included. Evaluated in
/// double: 2^k times the Taylor polynomial of degree 10 on |r| <= ln(2)/2,
/// whose relative error is below 2^-40.
PL_SHIM_INLINE float expF32(float x) {
  // Beyond these the result is infinity or zero anyway.
  float clamped = x < -110.0f ? -110.0f : x;
  clamped = clamped > 90.0f ? 90.0f : clamped;
  clamped = x != x ? 0.0f : clamped;
  double value = double(clamped);
  constexpr double magic = 0x1.8p52;
  double shifted = value * 0x1.71547652b82fep+0 + magic;
  double k = shifted - magic;
  double r = value - k * 0x1.62e42fefa39efp-1;
  double p = 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  uint64_t biased = doubleBits(shifted) - doubleBits(magic) + 1023;
  float result = float(p * bitsDouble(biased << 52));
  return x != x ? bitsFloat(kNanBits) : result;
}

/// Natural logarithm, at most 0.501 ulp. x = 2^e * m with m in [sqrt(1/2),
/// sqrt(2)); log m = 2 atanh(s), s = (m-1)/(m+1), in double up to s^17.
PL_SHIM_INLINE float logF32(float x) {
  double value = double(x);
  constexpr uint64_t sqrtHalf = 0x3fe6a09e667f3bcd;
  // Counting the exponent from sqrt(1/2) centres m around one.
  uint64_t offset = doubleBits(value) - sqrtHalf;
  uint64_t biased = (offset >> 52 ^ 0x800) & 0xfff;
  double m = bitsDouble((offset & 0xfffffffffffff) + sqrtHalf);
  // 2^52 + biased exactly, as integer to double has no vector form everywhere.
  double e = bitsDouble(0x4330000000000000 | biased) - (0x1p52 + 2048.0);
  double f = m - 1.0;
  double s = f / (m + 1.0);
  double z = s * s;
  double p = 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  double logM = 2.0 * (s + s * z * p);
  float result = float(e * 0x1.62e42fefa39efp-1 + logM);
  result = x == 0.0f ? bitsFloat(0xff800000) : result;
  result = x == bitsFloat(0x7f800000) ? x : result;
  return x >= 0.0f ? result : bitsFloat(kNanBits);
}

} // namespace pl::shim

#endif // PL_HOSTSHIM_SCALAR_H

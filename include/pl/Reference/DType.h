//===- DType.h - Element types of the reference arrays ----------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of fixtures and goldens, their names in torch's and in pl's
// spelling, torch's promotion lattice, and the two 16-bit floats as values.
// Nothing here is shared with the simulator: the golden is its own witness.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_DTYPE_H
#define PL_REFERENCE_DTYPE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace pl::ref {

enum class DType : uint8_t {
  Bool,
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  FP16,
  BF16,
  FP32,
  FP64
};

/// torch's name: `float32`, `bfloat16`, `int8`, `bool`, …
llvm::StringRef dtypeName(DType dtype);

/// Bytes of one element.
int64_t dtypeBytes(DType dtype);

/// Accepts torch's names and aliases (`float32`, `float`, `long`, `half`, …)
/// and pl's (`FP32`, `BF16`, `INT8`, `BOOL`, …).
std::optional<DType> parseDType(llvm::StringRef name);

inline bool isFloating(DType d) { return d >= DType::FP16; }
inline bool isIntegral(DType d) {
  return d >= DType::UInt8 && d <= DType::Int64;
}

/// The smallest type both convert to, as `torch.promote_types`.
DType promoteTypes(DType a, DType b);

/// IEEE binary32 cut to its upper half; conversions round to nearest even.
struct BFloat16 {
  uint16_t bits = 0;

  float toFloat() const {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static BFloat16 fromFloat(float value) {
    uint32_t u = llvm::bit_cast<uint32_t>(value);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    bool isNaN = (u & 0x7fffffffu) > 0x7f800000u;
    return {static_cast<uint16_t>(isNaN ? 0x7fc0u : rounded)};
  }
  /// One rounding from the double, not two.
  static BFloat16 fromDouble(double value);
};

/// IEEE binary16; conversions round to nearest even.
struct Half {
  uint16_t bits = 0;

  float toFloat() const;
  static Half fromFloat(float value);
  /// One rounding from the double, not two.
  static Half fromDouble(double value);
};

/// The C++ type that holds one element.
template <DType D> struct StorageOf;
template <> struct StorageOf<DType::Bool> {
  using type = bool;
};
template <> struct StorageOf<DType::UInt8> {
  using type = uint8_t;
};
template <> struct StorageOf<DType::Int8> {
  using type = int8_t;
};
template <> struct StorageOf<DType::Int16> {
  using type = int16_t;
};
template <> struct StorageOf<DType::Int32> {
  using type = int32_t;
};
template <> struct StorageOf<DType::Int64> {
  using type = int64_t;
};
template <> struct StorageOf<DType::FP16> {
  using type = Half;
};
template <> struct StorageOf<DType::BF16> {
  using type = BFloat16;
};
template <> struct StorageOf<DType::FP32> {
  using type = float;
};
template <> struct StorageOf<DType::FP64> {
  using type = double;
};

static_assert(sizeof(bool) == 1 && sizeof(BFloat16) == 2 && sizeof(Half) == 2);

} // namespace pl::ref

#endif // PL_REFERENCE_DTYPE_H

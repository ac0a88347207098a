//===- DType.cpp - Element types of the reference arrays ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/DType.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace pl::ref;

llvm::StringRef pl::ref::dtypeName(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "bool";
  case DType::UInt8:
    return "uint8";
  case DType::Int8:
    return "int8";
  case DType::Int16:
    return "int16";
  case DType::Int32:
    return "int32";
  case DType::Int64:
    return "int64";
  case DType::FP16:
    return "float16";
  case DType::BF16:
    return "bfloat16";
  case DType::FP32:
    return "float32";
  case DType::FP64:
    return "float64";
  }
  llvm_unreachable("all dtypes are named");
}

int64_t pl::ref::dtypeBytes(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::UInt8:
  case DType::Int8:
    return 1;
  case DType::Int16:
  case DType::FP16:
  case DType::BF16:
    return 2;
  case DType::Int32:
  case DType::FP32:
    return 4;
  case DType::Int64:
  case DType::FP64:
    return 8;
  }
  llvm_unreachable("all dtypes have a size");
}

std::optional<DType> pl::ref::parseDType(llvm::StringRef name) {
  using Result = std::optional<DType>;
  return llvm::StringSwitch<Result>(name)
      .Cases({"bool", "BOOL"}, DType::Bool)
      .Cases({"uint8", "UINT8"}, DType::UInt8)
      .Cases({"int8", "INT8"}, DType::Int8)
      .Cases({"int16", "short", "INT16"}, DType::Int16)
      .Cases({"int32", "int", "INT32"}, DType::Int32)
      .Cases({"int64", "long", "INT64"}, DType::Int64)
      .Cases({"float16", "half", "FP16"}, DType::FP16)
      .Cases({"bfloat16", "BF16"}, DType::BF16)
      .Cases({"float32", "float", "FP32"}, DType::FP32)
      .Cases({"float64", "double", "FP64"}, DType::FP64)
      .Default(std::nullopt);
}

DType pl::ref::promoteTypes(DType a, DType b) {
  if (a == b)
    return a;
  if (a > b)
    std::swap(a, b);
  if (isFloating(b))
    return a == DType::FP16 && b == DType::BF16 ? DType::FP32 : b;
  // Below here both are integers or bool; only uint8 and int8 have no common
  // type among themselves.
  if (a == DType::UInt8 && b == DType::Int8)
    return DType::Int16;
  return b;
}

/// `value` as a float whose last bit also says whether anything was cut off, so
/// that a second rounding to fewer bits is right ("round to odd").
static float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value))
    return nearest;
  uint32_t bits = llvm::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return llvm::bit_cast<float>(bits | 1u);
}

BFloat16 BFloat16::fromDouble(double value) {
  return fromFloat(roundToOdd(value));
}

Half Half::fromDouble(double value) { return fromFloat(roundToOdd(value)); }

float Half::toFloat() const {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t exponent = (bits >> 10) & 0x1fu;
  uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f)
    return llvm::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0)
    return llvm::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                 (fraction << 13));
  // A subnormal is fraction * 2^-24, exact in float.
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

Half Half::fromFloat(float value) {
  uint32_t u = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = (u >> 16) & 0x8000u;
  uint32_t magnitude = u & 0x7fffffffu;
  auto withSign = [&](uint32_t v) {
    return Half{static_cast<uint16_t>(sign | v)};
  };
  if (magnitude > 0x7f800000u)
    return withSign(0x7e00u);
  // 65520 is halfway between the largest half and the next step.
  if (magnitude >= 0x477ff000u)
    return withSign(0x7c00u);
  if (magnitude >= 0x38800000u) {
    uint32_t odd = (magnitude >> 13) & 1u;
    return withSign((magnitude - 0x38000000u + 0xfffu + odd) >> 13);
  }
  // Subnormal result: a float add at exponent 2^-1 rounds the fraction at
  // 2^-24.
  float shifted = llvm::bit_cast<float>(magnitude) + 0.5f;
  return withSign(llvm::bit_cast<uint32_t>(shifted) - 0x3f000000u);
}

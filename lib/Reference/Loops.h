//===- Loops.h - Strided loops over arrays ----------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every elementwise loop needs: a switch from a dtype to its C++ type, the
// arithmetic type of each storage type, and a plan that turns several strided
// views into few long inner runs, split over threads by position only.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_REFERENCE_LOOPS_H
#define PL_LIB_REFERENCE_LOOPS_H

#include "pl/Reference/Array.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <limits>

namespace pl::ref {

template <typename T> struct TypeTag {
  using type = T;
};

/// Calls `f(TypeTag<T>())` for the storage type T of `dtype`.
template <typename F> decltype(auto) dispatch(DType dtype, F &&f) {
  switch (dtype) {
  case DType::Bool:
    return f(TypeTag<bool>());
  case DType::UInt8:
    return f(TypeTag<uint8_t>());
  case DType::Int8:
    return f(TypeTag<int8_t>());
  case DType::Int16:
    return f(TypeTag<int16_t>());
  case DType::Int32:
    return f(TypeTag<int32_t>());
  case DType::Int64:
    return f(TypeTag<int64_t>());
  case DType::FP16:
    return f(TypeTag<Half>());
  case DType::BF16:
    return f(TypeTag<BFloat16>());
  case DType::FP32:
    return f(TypeTag<float>());
  case DType::FP64:
    return f(TypeTag<double>());
  }
  llvm_unreachable("all dtypes are dispatched");
}

/// As `dispatch`, for floating types only.
template <typename F> decltype(auto) dispatchFloating(DType dtype, F &&f) {
  switch (dtype) {
  case DType::FP16:
    return f(TypeTag<Half>());
  case DType::BF16:
    return f(TypeTag<BFloat16>());
  case DType::FP64:
    return f(TypeTag<double>());
  default:
    return f(TypeTag<float>());
  }
}

template <typename T>
inline constexpr bool isFloatStorage =
    std::is_floating_point_v<T> || std::is_same_v<T, BFloat16> ||
    std::is_same_v<T, Half>;

/// The type arithmetic happens in: 16-bit floats compute in float32 and round
/// once per operation, as torch does.
template <typename T>
using ComputeOf =
    std::conditional_t<std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>,
                       float, T>;

inline bool load(bool v) { return v; }
inline float load(BFloat16 v) { return v.toFloat(); }
inline float load(Half v) { return v.toFloat(); }
template <typename T> inline T load(T v) { return v; }

/// Integers out of floats: truncated, NaN gives 0; what does not fit int64 goes
/// to its nearest end and narrower integers wrap.
template <typename F> inline int64_t truncateToInt(F value) {
  if (value >= F(9223372036854775808.0))
    return std::numeric_limits<int64_t>::max();
  if (value < F(-9223372036854775808.0))
    return std::numeric_limits<int64_t>::min();
  return value == value ? static_cast<int64_t>(value) : 0;
}

template <typename To, typename From> inline To convertValue(From stored) {
  auto value = load(stored);
  using Value = decltype(value);
  if constexpr (std::is_same_v<To, bool>)
    return value != Value(0);
  else if constexpr (std::is_same_v<To, BFloat16> || std::is_same_v<To, Half>)
    return To::fromFloat(static_cast<float>(value));
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Value>)
    return static_cast<To>(truncateToInt(value));
  else
    return static_cast<To>(value);
}

/// A double into storage with one rounding.
template <typename T> inline T storeDouble(double value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>)
    return T::fromDouble(value);
  else
    return convertValue<T>(value);
}

/// Nested loops over views of one shape: dims of extent 1 dropped, neighbours
/// merged where every view allows it, the innermost kept apart.
class LoopPlan {
public:
  /// `strides[k]` are the strides of view k, as many as `shape` has dims.
  LoopPlan(llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides);

  /// Calls `run(offsets, count, innerStrides)` for pieces that together cover
  /// every element once; pieces may run at the same time. Offsets are in
  /// elements from each view's first one.
  using Run =
      llvm::function_ref<void(llvm::ArrayRef<int64_t> offsets, int64_t count,
                              llvm::ArrayRef<int64_t> innerStrides)>;
  void forEach(Run run) const;
  /// The same on one thread in row-major order, where elements may collide.
  void forEachInOrder(Run run) const;

private:
  void runRows(int64_t firstRow, int64_t endRow, Run run) const;

  size_t views;
  Dims outerShape;
  llvm::SmallVector<Dims, 4> outerStrides;
  int64_t inner = 1;
  llvm::SmallVector<int64_t, 4> innerStrides;
  int64_t rows = 1;
};

/// Runs `body(begin, end)` over [0, count) in pieces of about `grain`.
void parallelRanges(int64_t count, int64_t grain,
                    llvm::function_ref<void(int64_t, int64_t)> body);

/// Copies bytes of equal dtype from one view to another of the same shape.
void copyElements(const Array &destination, const Array &source);

} // namespace pl::ref

#endif // PL_LIB_REFERENCE_LOOPS_H

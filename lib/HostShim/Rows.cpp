//===- Rows.cpp - choice of build, conversions in steps -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Rows.h"
#include "Kernels.h"

#include <algorithm>

using namespace pl::shim;

namespace {
// Elements converted at a time: the buffers stay in the first-level cache.
constexpr size_t kChunk = 512;
} // namespace

HostIsa pl::shim::hostIsa() {
#if defined(__x86_64__)
  static const HostIsa best = [] {
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
      return HostIsa::AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return HostIsa::AVX2;
    return HostIsa::Baseline;
  }();
  return best;
#else
  return HostIsa::Baseline;
#endif
}

const Kernels &pl::shim::kernels(HostIsa isa) {
#if defined(__x86_64__)
  if (isa == HostIsa::AVX512)
    return kernelsAVX512();
  if (isa == HostIsa::AVX2)
    return kernelsAVX2();
#endif
  return kernelsBaseline();
}

const Kernels &pl::shim::kernels() {
  static const Kernels &best = kernels(hostIsa());
  return best;
}

bool pl::shim::supports(BinaryOp op, ElemType type) {
  return kernelsBaseline().binary[int(type)][int(op)] != nullptr;
}

bool pl::shim::supports(UnaryOp op, ElemType type) {
  return kernelsBaseline().unary[int(type)][int(op)] != nullptr;
}

void pl::shim::binaryRow(ElemType type, BinaryOp op, void *dst, const void *a,
                         const void *b, size_t count) {
  kernels().binary[int(type)][int(op)](dst, a, b, count);
}

void pl::shim::binaryScalarRow(ElemType type, BinaryOp op, void *dst,
                               const void *a, const void *scalar,
                               size_t count) {
  kernels().binaryScalar[int(type)][int(op)](dst, a, scalar, count);
}

void pl::shim::scalarBinaryRow(ElemType type, BinaryOp op, void *dst,
                               const void *scalar, const void *a,
                               size_t count) {
  kernels().scalarBinary[int(type)][int(op)](dst, scalar, a, count);
}

void pl::shim::unaryRow(ElemType type, UnaryOp op, void *dst, const void *a,
                        size_t count) {
  kernels().unary[int(type)][int(op)](dst, a, count);
}

void pl::shim::fillRow(ElemType type, void *dst, const void *scalar,
                       size_t count) {
  kernels().fill[elemBytes(type)](dst, scalar, count);
}

void pl::shim::reduceRow(ElemType type, ReduceOp op, void *dst, const void *a,
                         size_t count) {
  kernels().reduce[int(type)][int(op)](dst, a, count);
}

void pl::shim::reduceColumns(ElemType type, ReduceOp op, void *dst,
                             const void *src, size_t rowBytes, size_t rows,
                             size_t cols) {
  auto *row = static_cast<const char *>(src);
  size_t bytes = elemBytes(type);
  if (rows == 0) {
    uint64_t identity;
    reduceRow(type, op, &identity, nullptr, 0);
    return fillRow(type, dst, &identity, cols);
  }
  std::memmove(dst, row, cols * bytes);
  BinaryOp step = op == ReduceOp::Sum   ? BinaryOp::Add
                  : op == ReduceOp::Max ? BinaryOp::Max
                  : op == ReduceOp::Min ? BinaryOp::Min
                                        : BinaryOp::Mul;
  for (size_t r = 1; r < rows; ++r)
    binaryRow(type, step, dst, dst, row + r * rowBytes, cols);
}

template <typename T>
static void iota(void *dst, const void *start, int step, size_t count) {
  auto *d = static_cast<T *>(dst);
  T first = *static_cast<const T *>(start);
  for (size_t i = 0; i < count; ++i)
    d[i] = T(uint64_t(first) + i * uint64_t(int64_t(step)));
}

void pl::shim::iotaRow(ElemType type, void *dst, const void *start, int step,
                       size_t count) {
  switch (type) {
  case ElemType::F32: {
    auto *d = static_cast<float *>(dst);
    float first = *static_cast<const float *>(start);
    for (size_t i = 0; i < count; ++i)
      d[i] = addF32(first, float(int64_t(i) * step));
    return;
  }
  case ElemType::F16:
  case ElemType::BF16: {
    auto *d = static_cast<uint16_t *>(dst);
    uint16_t bits = *static_cast<const uint16_t *>(start);
    bool half = type == ElemType::F16;
    float first = half ? f16ToF32(bits) : bf16ToF32(bits);
    for (size_t i = 0; i < count; ++i) {
      float value = addF32(first, float(int64_t(i) * step));
      d[i] = half ? f32ToF16<RoundMode::Rint>(value)
                  : f32ToBF16<RoundMode::Rint>(value);
    }
    return;
  }
  case ElemType::I8:
  case ElemType::U8:
    return iota<uint8_t>(dst, start, step, count);
  case ElemType::I16:
  case ElemType::U16:
    return iota<uint16_t>(dst, start, step, count);
  case ElemType::I32:
  case ElemType::U32:
    return iota<uint32_t>(dst, start, step, count);
  case ElemType::I64:
  case ElemType::U64:
    return iota<uint64_t>(dst, start, step, count);
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A chunk of any type as F32, for a destination that is F32 (`mode` applies)
/// or narrower (wide integers are first rounded to odd, which keeps the second
/// rounding right in every mode as F32 has more than two spare bits).
static const float *widen(const Kernels &table, ElemType type, const void *src,
                          size_t count, RoundMode mode, bool narrower,
                          float *buffer) {
  if (type == ElemType::F32)
    return static_cast<const float *>(src);
  const RoundFns &round = table.round[int(narrower ? RoundMode::Odd : mode)];
  UnaryFn convert = table.toF32[int(type)];
  switch (type) {
  case ElemType::I32:
    convert = round.fromI32;
    break;
  case ElemType::U32:
    convert = round.fromU32;
    break;
  case ElemType::I64:
    convert = round.fromI64;
    break;
  case ElemType::U64:
    convert = round.fromU64;
    break;
  default:
    break;
  }
  convert(buffer, src, count);
  return buffer;
}

static void castChunk(const Kernels &table, ElemType dstType, void *dst,
                      ElemType srcType, const void *src, size_t count,
                      RoundMode mode, bool saturate) {
  const RoundFns &round = table.round[int(mode)];
  if (!isFloat(srcType) && !isFloat(dstType)) {
    int64_t wide[kChunk];
    table.toI64[saturate][int(srcType)](wide, src, count);
    return table.fromI64[saturate][int(dstType)](dst, wide, count);
  }
  float buffer[kChunk];
  bool narrower = dstType != ElemType::F32;
  const float *wide = widen(table, srcType, src, count, mode, narrower, buffer);
  switch (dstType) {
  case ElemType::F32:
    if (srcType == ElemType::F32 && mode != RoundMode::None)
      return round.toIntegral(dst, wide, count);
    std::memmove(dst, wide, count * sizeof(float));
    return;
  case ElemType::F16:
    return round.toF16(dst, wide, count);
  case ElemType::BF16:
    return round.toBF16(dst, wide, count);
  default: {
    float integral[kChunk];
    round.toIntegral(integral, wide, count);
    return table.fromF32[int(dstType)](dst, integral, count);
  }
  }
}

void pl::shim::castRowWith(const Kernels &table, ElemType dstType, void *dst,
                           ElemType srcType, const void *src, size_t count,
                           RoundMode mode, bool saturate) {
  if (dstType == srcType && dstType != ElemType::F32) {
    std::memmove(dst, src, count * elemBytes(srcType));
    return;
  }
  auto *to = static_cast<char *>(dst);
  auto *from = static_cast<const char *>(src);
  for (size_t done = 0; done < count; done += kChunk) {
    size_t n = std::min(kChunk, count - done);
    castChunk(table, dstType, to + done * elemBytes(dstType), srcType,
              from + done * elemBytes(srcType), n, mode, saturate);
  }
}

void pl::shim::castRow(ElemType dstType, void *dst, ElemType srcType,
                       const void *src, size_t count, RoundMode mode,
                       bool saturate) {
  castRowWith(kernels(), dstType, dst, srcType, src, count, mode, saturate);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

template <typename T>
static bool gather(void *dst, const void *src, size_t srcCount,
                   const uint32_t *index, size_t count, size_t *bad) {
  auto *d = static_cast<T *>(dst);
  auto *x = static_cast<const T *>(src);
  for (size_t i = 0; i < count; ++i) {
    if (index[i] >= srcCount) {
      *bad = i;
      return false;
    }
    d[i] = x[index[i]];
  }
  return true;
}

bool pl::shim::gatherRow(size_t elemSize, void *dst, const void *src,
                         size_t srcCount, const uint32_t *index, size_t count,
                         size_t *bad) {
  switch (elemSize) {
  case 1:
    return gather<uint8_t>(dst, src, srcCount, index, count, bad);
  case 2:
    return gather<uint16_t>(dst, src, srcCount, index, count, bad);
  case 4:
    return gather<uint32_t>(dst, src, srcCount, index, count, bad);
  default:
    return gather<uint64_t>(dst, src, srcCount, index, count, bad);
  }
}

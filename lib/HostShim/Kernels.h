//===- Kernels.h - table of the routines built per instruction set --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_HOSTSHIM_KERNELS_H
#define PL_LIB_HOSTSHIM_KERNELS_H

#include "pl/HostShim/Math.h"

namespace pl::shim {

using BinaryFn = void (*)(void *dst, const void *a, const void *b, size_t n);
using UnaryFn = void (*)(void *dst, const void *a, size_t n);

/// The conversions that round, for one mode.
struct RoundFns {
  UnaryFn toBF16, toF16, toIntegral;          ///< from F32
  UnaryFn fromI32, fromU32, fromI64, fromU64; ///< to F32
};

/// The product's inner loops work on packed F32: rows of A `kPackedK` elements
/// apart, a panel of B as [k][vectors * 16].
constexpr int64_t kBlockK = 256;
constexpr int64_t kPackedK = kBlockK + 16;

struct MatmulFns {
  int64_t rows;    ///< most rows of one call of `micro`
  int64_t vectors; ///< most 16-wide column groups of one call
  /// c[v][r * rowStride .. + 16) = chain over k, starting from what is there
  /// if `load`, else from 0. `last`: no block of K follows, so any NaN becomes
  /// the one NaN.
  void (*microF32)(int64_t rows, int64_t vectors, void *const *c,
                   int64_t rowStride, const float *a, const float *b, int64_t k,
                   bool load, bool last);
  /// The same for whole numbers below 2^24: the block's sum is added to what
  /// is there as integers.
  void (*microI32)(int64_t rows, int64_t vectors, void *const *c,
                   int64_t rowStride, const float *a, const float *b, int64_t k,
                   bool load, bool last);
  /// dst[r * ld + c] = element (r0 + r, c0 + c), widened.
  void (*packRows[kNumElemTypes])(float *dst, int64_t ld, const TileRef &src,
                                  int64_t r0, int64_t rows, int64_t c0,
                                  int64_t cols);
};

struct Kernels {
  /// Null where the operation is not defined for the type.
  BinaryFn binary[kNumElemTypes][kNumBinaryOps];
  BinaryFn binaryScalar[kNumElemTypes][kNumBinaryOps]; ///< b is one element
  BinaryFn scalarBinary[kNumElemTypes][kNumBinaryOps]; ///< a is one element
  UnaryFn unary[kNumElemTypes][kNumUnaryOps];
  UnaryFn reduce[kNumElemTypes][kNumReduceOps];
  UnaryFn fill[9];                 ///< by element size; a is one element
  UnaryFn toF32[kNumElemTypes];    ///< exact; null for 32- and 64-bit integers
  UnaryFn fromF32[kNumElemTypes];  ///< integral F32 to integer, saturating
  UnaryFn toI64[2][kNumElemTypes]; ///< by `saturate`
  UnaryFn fromI64[2][kNumElemTypes];
  RoundFns round[7]; ///< by RoundMode
  MatmulFns matmul;
};

const Kernels &kernelsBaseline();
#if defined(__x86_64__)
const Kernels &kernelsAVX2();
const Kernels &kernelsAVX512();
#endif

/// The table of one build, which the host must support.
const Kernels &kernels(HostIsa isa);
/// The table in use.
const Kernels &kernels();

/// The same product through one given build.
void matmulWith(const Kernels &table, const TileRef &c, const TileRef &a,
                const TileRef &b, bool accumulate);
void castRowWith(const Kernels &table, ElemType dstType, void *dst,
                 ElemType srcType, const void *src, size_t count,
                 RoundMode mode, bool saturate);

} // namespace pl::shim

#endif // PL_LIB_HOSTSHIM_KERNELS_H

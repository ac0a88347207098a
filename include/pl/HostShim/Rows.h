//===- Rows.h - arithmetic on contiguous rows -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector unit's arithmetic, one contiguous row at a time. Each routine has
// a baseline, an AVX2 and an AVX-512 build; the best one the host supports runs
// and all give the same bits. Destination and sources may be the same row, but
// must not overlap otherwise. Rows are aligned to their elements.
//
// F16 and BF16 operands are widened to F32, computed, and rounded to nearest
// even once per operation, which is the correctly rounded result for + - * /
// and square root. Integers wrap; division of integers truncates, and division
// by zero gives 0.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ROWS_H
#define PL_HOSTSHIM_ROWS_H

#include "pl/HostShim/Scalar.h"

namespace pl::shim {

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Max,    ///< NaN if either is NaN; +0 above -0
  Min,    ///< NaN if either is NaN; -0 below +0
  ExpDif, ///< exp(a - b), floats only
  And,    ///< integers only, as all below
  Or,
  Xor,
  Shl, ///< shift counts are taken modulo the width
  Shr, ///< arithmetic on signed types
  Rem  ///< remainder of the truncating division; 0 for a zero divisor
};
constexpr unsigned kNumBinaryOps = 13;

enum class UnaryOp : uint8_t {
  Abs,
  Neg,
  Relu,
  Not, ///< integers only; bitwise
  Exp, ///< floats only, as all below; error bounds in Scalar.h
  Log,
  Sqrt,
  Rsqrt,        ///< square root, then divide
  RsqrtPrecise, ///< the high-precision form
  Recip
};
constexpr unsigned kNumUnaryOps = 10;

/// How rows are reduced to one element.
enum class ReduceOp : uint8_t { Sum, Max, Min, Prod };
constexpr unsigned kNumReduceOps = 4;

/// Which build of the routines runs. Results do not depend on it.
enum class HostIsa : uint8_t { Baseline, AVX2, AVX512 };

/// The best build this host can run.
HostIsa hostIsa();

/// Whether the operation is defined for the type.
bool supports(BinaryOp op, ElemType type);
bool supports(UnaryOp op, ElemType type);

/// dst[i] = a[i] op b[i].
void binaryRow(ElemType type, BinaryOp op, void *dst, const void *a,
               const void *b, size_t count);

/// dst[i] = a[i] op *scalar; `scalar` points to one element of the type.
void binaryScalarRow(ElemType type, BinaryOp op, void *dst, const void *a,
                     const void *scalar, size_t count);

/// dst[i] = *scalar op a[i].
void scalarBinaryRow(ElemType type, BinaryOp op, void *dst, const void *scalar,
                     const void *a, size_t count);

/// dst[i] = op(a[i]).
void unaryRow(ElemType type, UnaryOp op, void *dst, const void *a,
              size_t count);

/// dst[i] = *scalar, bit for bit.
void fillRow(ElemType type, void *dst, const void *scalar, size_t count);

/// dst[i] = start + i * step, wrapping; integers and F32.
void iotaRow(ElemType type, void *dst, const void *start, int step,
             size_t count);

/// dst[0] = the reduction of a[0 .. count). Order, whatever the host: 16 lanes
/// start at the identity (0, -inf, +inf, 1; the ends of the range for
/// integers), lane l takes elements l, l + 16, l + 32, ... in turn, then lanes
/// 8 apart are combined, 4 apart, 2 apart, 1 apart. F16 and BF16 accumulate in
/// F32 and are rounded once. An empty row gives the identity.
void reduceRow(ElemType type, ReduceOp op, void *dst, const void *a,
               size_t count);

/// dst[c] = the reduction of column c of a rows x cols block whose rows lie
/// `rowBytes` apart. Rows are taken in ascending order, starting from a copy
/// of the first one, each step rounded in the type. No rows: the identity.
void reduceColumns(ElemType type, ReduceOp op, void *dst, const void *src,
                   size_t rowBytes, size_t rows, size_t cols);

/// Converts a row. Rounds as `mode` says. Float to integer saturates and sends
/// NaN to 0; a float too large for a narrower float becomes infinite, or stays
/// the largest finite value where the mode rounds towards it. F32 to F32
/// rounds to an integral value, and copies for `None`. Integer to integer
/// saturates if `saturate`, else keeps the low bits.
void castRow(ElemType dstType, void *dst, ElemType srcType, const void *src,
             size_t count, RoundMode mode, bool saturate = true);

/// dst[i] = src[index[i]]; indices are 32-bit, sizes 1, 2, 4 or 8 bytes. False
/// if an index lies outside [0, srcCount); `*bad` is then its position.
bool gatherRow(size_t elemSize, void *dst, const void *src, size_t srcCount,
               const uint32_t *index, size_t count, size_t *bad);

} // namespace pl::shim

#endif // PL_HOSTSHIM_ROWS_H

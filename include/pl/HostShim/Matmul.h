//===- Matmul.h - the cube unit's product ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C (+)= A * B over tiles at their physical bytes, in whatever layout. Each
// element of C is one chain: starting from 0 or from the old value, k ascends
// and every step is one single-precision fused multiply-add (rounded once).
// BF16 and F16 inputs are widened exactly. INT8 is exact in INT32 (wrapping).
// The chain fixes the bits, so blocking and vector width cannot be seen.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_MATMUL_H
#define PL_HOSTSHIM_MATMUL_H

#include "pl/HostShim/Rows.h"

namespace pl::shim {

/// Where element (r, c) of a tile lies: rows and columns are cut into boxes of
/// boxRows x boxCols; all strides count elements. Plain layouts are one box.
struct Placement {
  int64_t boxRows = 1, boxCols = 1;
  int64_t boxRowStride = 0, boxColStride = 0; ///< from one box to the next
  int64_t rowStride = 0, colStride = 0;       ///< inside a box

  int64_t operator()(int64_t r, int64_t c) const {
    return r / boxRows * boxRowStride + c / boxCols * boxColStride +
           r % boxRows * rowStride + c % boxCols * colStride;
  }

  /// Row-major (`ld` elements from row to row).
  static Placement nd(int64_t ld) {
    return {INT64_MAX, INT64_MAX, 0, 0, ld, 1};
  }
  /// Column-major (`ld` elements from column to column).
  static Placement dn(int64_t ld) {
    return {INT64_MAX, INT64_MAX, 0, 0, 1, ld};
  }
  /// Boxes of boxRows x boxCols in a physical rows x cols tile. `blockRowMajor`
  /// orders the boxes, `boxRowMajor` the elements inside one:
  /// NZ = (false, true), ZN = (true, false), ZZ = (true, true).
  static Placement boxed(int64_t rows, int64_t cols, int64_t boxRows,
                         int64_t boxCols, bool blockRowMajor,
                         bool boxRowMajor) {
    int64_t box = boxRows * boxCols;
    return {boxRows,
            boxCols,
            blockRowMajor ? box * (cols / boxCols) : box,
            blockRowMajor ? box : box * (rows / boxRows),
            boxRowMajor ? boxCols : 1,
            boxRowMajor ? 1 : boxRows};
  }
};

/// A rows x cols (valid extents) block at its bytes.
struct TileRef {
  void *data = nullptr;
  ElemType type = ElemType::F32;
  int64_t rows = 0, cols = 0;
  Placement at;
};

/// c (+)= a * b. Types: a and b both F32, F16 or BF16 with c F32, or both I8
/// with c I32. Extents come from a (rows, cols = K) and c's columns; b's rows
/// must be K or more. Elements of c outside rows x cols are not touched.
void matmul(const TileRef &c, const TileRef &a, const TileRef &b,
            bool accumulate);

/// The same on row-major arrays.
void matmul(ElemType inputs, void *c, int64_t ldc, const void *a, int64_t lda,
            const void *b, int64_t ldb, int64_t m, int64_t n, int64_t k,
            bool accumulate);

} // namespace pl::shim

#endif // PL_HOSTSHIM_MATMUL_H

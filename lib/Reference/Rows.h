//===- Rows.h - Arrays as rows along the dims an operation works on -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_REFERENCE_ROWS_H
#define PL_LIB_REFERENCE_ROWS_H

#include "Loops.h"

namespace pl::ref {

/// A contiguous [outer, inner] array whose rows run over the chosen dims.
struct Rows {
  Array array;
  int64_t outer = 1;
  int64_t inner = 1;
  /// The shape without the chosen dims, and with extents of 1 for them.
  Dims kept;
  Dims keptWithOnes;
};

/// Rows over `dims`, which are counted from the front and distinct.
Rows makeRows(const Array &array, llvm::ArrayRef<int64_t> dims);

/// Calls `f(row)` for each row, in parallel where there is enough to do.
void forEachRow(const Rows &rows, llvm::function_ref<void(int64_t)> f);

/// Brings an array whose last dim was `dim` back into its place.
Array restoreDim(const Array &array, int64_t dim);

} // namespace pl::ref

#endif // PL_LIB_REFERENCE_ROWS_H

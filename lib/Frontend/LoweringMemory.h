//===- LoweringMemory.h - windows and elements of tiles ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the user has any rank; the tile of the IR has rows and columns: the
// last axis is the columns, all others together are the rows, row-major. What
// the language writes in place gives a new tile here, which the name then has.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGMEMORY_H
#define PL_LIB_FRONTEND_LOWERINGMEMORY_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// Integer arithmetic on constants and scalars alike.
DslValue computeInt(FunctionLowering &f, SourceRange range, BinOpKind op,
                    const DslValue &lhs, const DslValue &rhs);
DslValue minInt(FunctionLowering &f, SourceRange range, const DslValue &lhs,
                const DslValue &rhs);
DslValue maxInt(FunctionLowering &f, SourceRange range, const DslValue &lhs,
                const DslValue &rhs);

/// Rows and columns of a tile of a shape as the user wrote it.
std::pair<int64_t, int64_t> flattenShape(ArrayRef<int64_t> shape);

/// A MemorySpace that holds tiles; reports others.
std::optional<ir::MemorySpace> getMemorySpace(FunctionLowering &f,
                                              const Expr *expr);
/// `pad_value=`, zero when absent; reports what it cannot be.
std::optional<ir::PadValue> getPadValue(FunctionLowering &f, const Expr *expr);

/// How many rows of a tile are valid where the box `valid` of a window of
/// `sizes` is; false where the valid rows do not follow each other.
bool getValidRows(FunctionLowering &f, ArrayRef<int64_t> sizes,
                  ArrayRef<DslValue> valid, DslValue &rows, SourceRange range);

/// `x[...]` of a tile.
DslValue lowerTileSubscript(FunctionLowering &f, const SubscriptExpr *expr,
                            const DslValue &base);
/// Row and column of the element of a tile at `indices`.
bool getTileCell(FunctionLowering &f, const DslValue &tile,
                 ArrayRef<DslValue> indices, SourceRange range,
                 mlir::Value (&cell)[2]);
DslValue readTileElement(FunctionLowering &f, const DslValue &tile,
                         ArrayRef<DslValue> indices, SourceRange range);
/// The tile with `source` written at `offsets`, one per axis.
DslValue insertTile(FunctionLowering &f, const DslValue &target,
                    DslValue source, ArrayRef<DslValue> offsets,
                    SourceRange range);
/// Whether a source of `shape` (and static valid extents `valid`) fits a window
/// of `sizes`; -1 is unknown and trusted.
bool fitsWindow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
                ArrayRef<int64_t> valid);
/// Static valid extents by axis of the user's shape; -1 where known at run
/// time.
SmallVector<int64_t, 2> getStaticValid(const DslValue &tile);
std::string printShape(ArrayRef<int64_t> shape);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGMEMORY_H

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

/// The name whose value a statement like `pl.write(x, ...)` or `pl.assemble(x,
/// ...)` replaces, or null.
const NameExpr *getWrittenInPlace(const Expr *expr);

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
/// Whether some machine has room for a tile in the memory named for it.
bool checkRoom(FunctionLowering &f, const DslValue &tile, ir::MemorySpace space,
               const Twine &what, SourceRange range);
/// `pad_value=`, zero when absent; reports what it cannot be.
std::optional<ir::PadValue> getPadValue(FunctionLowering &f, const Expr *expr);

/// A loop that only writes constants to elements that follow each other, as
/// stores; false where the loop is something else.
bool lowerFillLoop(FunctionLowering &f, const ForStmt *stmt, int64_t start,
                   int64_t stop);

/// Whether a window of a tensor is wide in more than two axes.
bool isWideBox(ArrayRef<int64_t> sizes);
/// A wide window whose rows follow each other in memory: the tensor with its
/// axes of rows as one, and the window of that; else null.
std::shared_ptr<TensorRef> mergeRows(FunctionLowering &f,
                                     const TensorRef &tensor,
                                     ArrayRef<int64_t> sizes,
                                     FunctionLowering::Window &window);
bool getBoxOffsets(FunctionLowering &f, const FunctionLowering::Window &window,
                   SmallVectorImpl<mlir::Value> &offsets);

/// How many rows of a tile are valid where the box `valid` of a window of
/// `sizes` is; false where the valid rows do not follow each other.
bool getValidRows(FunctionLowering &f, ArrayRef<int64_t> sizes,
                  ArrayRef<DslValue> valid, DslValue &rows, SourceRange range);

/// `x[...]` of a tile.
DslValue lowerTileSubscript(FunctionLowering &f, const SubscriptExpr *expr,
                            const DslValue &base);
/// Rows [row, row + rows) and columns [col, col + cols) of a tile, with
/// nothing said about what is valid.
mlir::Value cutTile(FunctionLowering &f, mlir::Value tile, const DslValue &row,
                    const DslValue &col, int64_t rows, int64_t cols,
                    SourceRange range);
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
/// The run-time valid extent of a tile, followed back to the operand that says
/// it; null where it is not one value.
mlir::Value findValidExtent(mlir::Value tile, unsigned axis,
                            unsigned level = 0);
/// Whether the valid boxes of the operands of an elementwise op are equal or
/// one lies in the other, which gives the box of the result.
bool checkBoxes(FunctionLowering &f, SourceRange range, StringRef name,
                ArrayRef<DslValue> sources);
/// Whether a tile is a window of another one.
bool isWindow(mlir::Value tile);
DslValue transposeTile(FunctionLowering &f, const DslValue &tile,
                       unsigned axis1, unsigned axis2, SourceRange range);
/// The tensor with two axes swapped: the strides change, nothing moves.
DslValue transposeTensor(FunctionLowering &f, const TensorRef &tensor,
                         unsigned axis1, unsigned axis2, SourceRange range);
/// Whether a source of `shape` (and static valid extents `valid`) fits a window
/// of `sizes`; -1 is unknown and trusted.
bool fitsWindow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
                ArrayRef<int64_t> valid);
/// Static valid extents by axis of the user's shape; -1 where known at run
/// time.
SmallVector<int64_t, 2> getStaticValid(const DslValue &tile);
std::string printShape(ArrayRef<int64_t> shape);

/// A task that copies a tensor into a window of another. False after a report.
bool copyIntoWindow(FunctionLowering &f, const TensorRef &target,
                    const FunctionLowering::Window &window,
                    const TensorRef &source, SourceRange range);
/// The same for pl.assemble; gives the target.
DslValue assembleTensor(FunctionLowering &f, const DslValue &target,
                        const DslValue &source, ArrayRef<DslValue> offsets,
                        SourceRange range);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGMEMORY_H

//===- MemoryOps.cpp - Rules of windows, elements, layouts ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/TileInference.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Windows of tiles
//===----------------------------------------------------------------------===//

/// A window of `rows` x `cols` at [row, col], as far as the offsets are known.
static LogicalResult verifyInside(Operation *op, TileType box, int64_t rows,
                                  int64_t cols, Value row, Value col) {
  const int64_t sizes[2] = {rows, cols};
  const Value offsets[2] = {row, col};
  for (unsigned axis : {0, 1}) {
    int64_t from = getConstantIntValue(offsets[axis]).value_or(0);
    if (from < 0 || sizes[axis] > box.getExtent(axis) ||
        from > box.getExtent(axis) - sizes[axis])
      return op->emitOpError()
             << "expects a window inside " << describe(box) << ", but axis "
             << axis << " covers " << from << " to " << from + sizes[axis];
  }
  return success();
}

static LogicalResult verifyElementType(Operation *op, TileType a, TileType b) {
  if (a.getElementType() != b.getElementType())
    return op->emitOpError() << "expects one element type, got " << describe(a)
                             << " and " << describe(b);
  return success();
}

LogicalResult InsertOp::verify() {
  TileType source = getSource().getType(), target = getTarget().getType();
  if (failed(verifyElementType(*this, source, target)))
    return failure();
  auto moved = [&](unsigned axis) {
    int64_t valid = source.getValid(axis);
    return ShapedType::isDynamic(valid) ? int64_t(0) : valid;
  };
  return verifyInside(*this, target, moved(0), moved(1), getRow(), getCol());
}

LogicalResult SliceOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyElementType(*this, source, result)))
    return failure();
  return verifyInside(*this, source, result.getRows(), result.getCols(),
                      getRow(), getCol());
}

LogicalResult ConcatOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(),
           result = getResult().getType();
  if (failed(verifyElementType(*this, lhs, rhs)) ||
      failed(verifyElementType(*this, lhs, result)))
    return failure();
  if (lhs.getRows() != rhs.getRows())
    return emitOpError() << "expects equal rows, got " << describe(lhs)
                         << " and " << describe(rhs);
  if (result.getRows() != lhs.getRows() ||
      result.getCols() != lhs.getCols() + rhs.getCols())
    return emitOpError() << "expects a result of " << lhs.getRows() << " x "
                         << lhs.getCols() + rhs.getCols() << ", but got "
                         << describe(result);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements of tiles
//===----------------------------------------------------------------------===//

static LogicalResult verifyElement(Operation *op, TileType box, Type element,
                                   Value row, Value col) {
  if (!isScalarOf(box.getElementType(), element))
    return op->emitOpError()
           << "expects an element of " << describe(box) << ", got " << element;
  return verifyInside(op, box, 1, 1, row, col);
}

LogicalResult TileReadOp::verify() {
  return verifyElement(*this, getSource().getType(), getResult().getType(),
                       getRow(), getCol());
}

LogicalResult TileWriteOp::verify() {
  return verifyElement(*this, getTarget().getType(), getValue().getType(),
                       getRow(), getCol());
}

//===----------------------------------------------------------------------===//
// Between global memory and tiles
//===----------------------------------------------------------------------===//

/// A window of a tensor of one size per axis, and a tile of all of it.
static LogicalResult verifyBox(Operation *op, MemRefType memref,
                               size_t numOffsets, ArrayRef<int64_t> sizes,
                               TileType tile) {
  if (memref.getRank() != int64_t(numOffsets) ||
      memref.getRank() != int64_t(sizes.size()))
    return op->emitOpError()
           << "expects one offset and one size per axis of " << memref
           << ", got " << numOffsets << " and " << sizes.size();
  if (memref.getElementType() != tile.getElementType())
    return op->emitOpError() << "expects one element type, got "
                             << describe(tile) << " and " << memref;
  int64_t rows = 1;
  for (int64_t size : sizes.drop_back())
    rows *= size;
  if (rows != tile.getRows() || sizes.back() != tile.getCols())
    return op->emitOpError() << "expects a tile of " << rows << " x "
                             << sizes.back() << ", got " << describe(tile);
  return success();
}

LogicalResult LoadBoxOp::verify() {
  auto memref = cast<MemRefType>(getSource().getType());
  if (memref.getRank() == 0 ||
      (!getValid().empty() && int64_t(getValid().size()) != memref.getRank()))
    return emitOpError() << "expects no valid extents or one per axis of "
                         << memref << ", got " << getValid().size();
  return verifyBox(*this, memref, getOffsets().size(), getSizes(),
                   getResult().getType());
}

LogicalResult StoreBoxOp::verify() {
  auto memref = cast<MemRefType>(getTarget().getType());
  if (memref.getRank() == 0)
    return emitOpError() << "expects a tensor with axes, got " << memref;
  return verifyBox(*this, memref, getOffsets().size(), getSizes(),
                   getTile().getType());
}

LogicalResult GatherRowOp::verify() {
  auto memref = cast<MemRefType>(getSource().getType());
  TileType acc = getAcc().getType();
  ArrayRef<int64_t> sizes = getSizes();
  if (memref.getRank() != 2 || getOffsets().size() != 2 || sizes.size() != 2)
    return emitOpError() << "expects a tensor of rank 2 with two offsets and "
                            "two sizes, got "
                         << memref;
  if (memref.getElementType() != acc.getElementType())
    return emitOpError() << "expects one element type, got " << memref
                         << " and " << describe(acc);
  if (!getValid().empty() && (getValid().size() != 2 || getTranspose()))
    return emitOpError() << "expects valid extents for both axes, and none "
                            "with transpose";
  // With run-time valid extents the size is an upper bound only.
  if (!getValid().empty())
    return success();
  unsigned rows = getTranspose() ? 1 : 0;
  return verifyInside(*this, acc, sizes[rows], sizes[1 - rows], getRow(),
                      getCol());
}

//===----------------------------------------------------------------------===//
// Layouts and padding
//===----------------------------------------------------------------------===//

LogicalResult TransposeViewOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyElementType(*this, source, result)))
    return failure();
  for (unsigned axis : {0, 1})
    if (source.getExtent(axis) != result.getExtent(1 - axis) ||
        source.getValid(axis) != result.getValid(1 - axis))
      return emitOpError() << "expects rows and columns swapped, got "
                           << describe(source) << " and " << describe(result);
  return success();
}

LogicalResult FillPadExpandOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyElementType(*this, source, result)))
    return failure();
  if (result.getRows() < source.getRows() ||
      result.getCols() < source.getCols() || !result.isFullyValid())
    return emitOpError() << "expects a fully valid result at least as large as "
                         << describe(source) << ", got " << describe(result);
  return success();
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLMemoryOps.cpp.inc"

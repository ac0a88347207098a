//===- LaneOps.cpp - Rules of barriers and lanes --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "pl/Dialect/PL/IR/TileInference.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Cores of one launch
//===----------------------------------------------------------------------===//

LogicalResult CacheInvalidOp::verify() {
  if (!getTensor())
    return success();
  auto type = cast<MemRefType>(getTensor().getType());
  if (getOffsets().size() != size_t(type.getRank()) ||
      getSizes().size() != size_t(type.getRank()))
    return emitOpError() << "expects one offset and one size per axis of "
                         << type << ", got " << getOffsets().size() << " and "
                         << getSizes().size();
  return success();
}

LogicalResult SyncAllOp::verify() {
  if (!getWorkspace()) {
    if (getParticipants())
      return emitOpError() << "counts participants only with a workspace";
    return success();
  }
  auto type = cast<MemRefType>(getWorkspace().getType());
  constexpr int64_t kCells = 16; // one cache line
  if (!type.getElementType().isSignlessInteger(32) ||
      (type.hasStaticShape() && type.getNumElements() < kCells))
    return emitOpError() << "expects a workspace of at least " << kCells
                         << " i32, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

LogicalResult SplitAivOp::verify() {
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isIndex())
    return emitOpError() << "expects a body with the lane as argument";
  if (auto outer = (*this)->getParentOfType<SplitAivOp>()) {
    InFlightDiagnostic diag =
        emitOpError() << "cannot be inside another: there are two lanes";
    diag.attachNote(outer.getLoc()) << "the outer region is here";
    return diag;
  }
  if (TypeRange(getYield()->getOperands()) != getResultTypes())
    return emitOpError() << "expects to yield what it returns";
  return success();
}

TileType mlir::pl::getLaneTile(TileType type, SplitMode mode, bool halve) {
  if (mode == SplitMode::none)
    return type;
  unsigned axis = mode == SplitMode::up_down ? 0 : 1;
  int64_t extents[2] = {type.getRows(), type.getCols()};
  int64_t valid[2] = {type.getValidRows(), type.getValidCols()};
  bool isWhole = valid[axis] == extents[axis];
  if (!halve && !isWhole)
    return {};
  int64_t extent = extents[axis];
  extents[axis] = halve ? (extent + 1) / 2 : extent * 2;
  valid[axis] = isWhole && (!halve || extent % 2 == 0) ? extents[axis]
                                                       : ShapedType::kDynamic;
  return TileType::get(extents[0], extents[1], type.getElementType(),
                       type.getSpace(), valid[0], valid[1]);
}

static LogicalResult verifyLaneTile(Operation *op, TileType source,
                                    TileType result, SplitMode mode,
                                    bool halve) {
  TileType expected = getLaneTile(source, mode, halve);
  if (!expected)
    return op->emitOpError()
           << "cannot join the halves of partly valid " << describe(source);
  if (expected.withSpace(MemorySpace::none) !=
      result.withSpace(MemorySpace::none))
    return op->emitOpError() << "expects a result of " << describe(expected)
                             << ", but got " << describe(result);
  return success();
}

LogicalResult AivShardOp::verify() {
  return verifyLaneTile(*this, getSource().getType(), getResult().getType(),
                        getMode(), /*halve=*/true);
}

LogicalResult AicGatherOp::verify() {
  return verifyLaneTile(*this, getSource().getType(), getResult().getType(),
                        getMode(), /*halve=*/false);
}

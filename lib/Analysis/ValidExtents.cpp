//===- ValidExtents.cpp - Valid extents of tiles as values ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/ValidExtents.h"

#include "pl/Analysis/TileInterference.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

ValidSource mlir::pl::validSourceOf(Operation *op, unsigned axis) {
  ValidSource source;
  auto from = [&](unsigned operand, unsigned operandAxis) {
    source.operands.push_back({op->getOperand(operand), operandAxis});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp>([&](auto) {
        from(0, axis);
        from(1, axis);
      })
      .Case<MatmulOp>([&](auto) { from(axis, axis); })
      .Case<MatmulAccOp>([&](auto) { from(axis + 1, axis); })
      .Case<GatherOp>([&](auto) { from(1, axis); })
      .Case<TransposeOp>([&](auto) { from(0, 1 - axis); })
      .Case<ReshapeOp>([&](ReshapeOp reshape) {
        TileType in = reshape.getSource().getType();
        TileType out = reshape.getResult().getType();
        // Only vectors turn with a partial box.
        from(0, in.getRows() == out.getRows() ? axis : 1 - axis);
      })
      .Case<SubtileOp, ExtractOp>([&](auto window) {
        from(0, axis);
        source.offset = axis == 0 ? window.getRow() : window.getCol();
        source.isWindow =
            source.offset != 0 ||
            cast<TileType>(window.getSource().getType()).getExtent(axis) !=
                cast<TileType>(op->getResult(0).getType()).getExtent(axis);
      })
      .Default([&](Operation *) { from(0, axis); });
  return source;
}

ValidExtents::ValidExtents(KernelOp kernel) {
  visitBlock(kernel.getBody().front());
}

static OpFoldResult staticValid(TileType type, unsigned axis) {
  int64_t valid = type.getValid(axis);
  if (ShapedType::isDynamic(valid))
    return {};
  return IntegerAttr::get(IndexType::get(type.getContext()), valid);
}

/// The run-time extents that loads and set_valid are given, by axis.
static OpFoldResult givenValid(Operation *op, TileType type, unsigned axis) {
  ValueRange given;
  if (auto load = dyn_cast<LoadOp>(op))
    given = load.getValid();
  else if (auto remote = dyn_cast<RemoteLoadOp>(op))
    given = remote.getValid();
  else if (auto set = dyn_cast<SetValidOp>(op))
    given = set.getValid();
  return given[axis == 1 && ShapedType::isDynamic(type.getValidRows())];
}

OpFoldResult ValidExtents::compute(Operation *op, unsigned axis) {
  auto type = cast<TileType>(op->getResult(0).getType());
  if (OpFoldResult known = staticValid(type, axis))
    return known;
  if (isa<LoadOp, RemoteLoadOp, SetValidOp>(op)) {
    OpFoldResult given = givenValid(op, type, axis);
    // The extent of another tile: the value behind it, where that is known.
    if (auto extent = cast<Value>(given).getDefiningOp<ValidExtentOp>())
      if (OpFoldResult known = get(extent.getTile(), extent.getAxis()))
        return known;
    return given;
  }
  ValidSource source = validSourceOf(op, axis);
  if (source.isWindow)
    return {};
  OpFoldResult result;
  for (auto [tile, tileAxis] : source.operands) {
    OpFoldResult extent = get(tile, tileAxis);
    int64_t box = cast<TileType>(tile.getType()).getExtent(tileAxis);
    // A full operand leaves the other's box.
    if (source.operands.size() > 1 && isConstantIntValue(extent, box))
      continue;
    if (!extent || (result && result != extent))
      return {};
    result = extent;
  }
  return result;
}

void ValidExtents::visitBlock(Block &block) {
  for (Operation &op : block) {
    if (isa<ForOp, scf::ForOp>(op)) {
      visitLoop(cast<LoopLikeOpInterface>(&op));
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visitBlock(inner);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        if (auto type = dyn_cast<TileType>(result.getType())) {
          ValidBox &box = boxes[result];
          Value thenValue = branch.thenYield().getOperand(index);
          Value elseValue = branch.elseYield().getOperand(index);
          for (unsigned axis : {0u, 1u}) {
            OpFoldResult a = get(thenValue, axis), b = get(elseValue, axis);
            box[axis] = staticValid(type, axis);
            // An undefined initial value has whatever box the other has.
            if (!box[axis] && a && a == b)
              box[axis] = a;
          }
        }
      continue;
    }
    if (op.getNumResults() == 1 && isa<TileType>(op.getResult(0).getType())) {
      ValidBox box{compute(&op, 0), compute(&op, 1)};
      boxes[op.getResult(0)] = box;
    }
  }
}

/// An accumulator that the first iteration makes has no box to start with: it
/// takes the one it gets, if that is the same in every iteration.
void ValidExtents::adoptFromBody(LoopLikeOpInterface loop) {
  Block &body = loop.getLoopRegions().front()->front();
  auto isOutside = [&](OpFoldResult extent) {
    auto value = dyn_cast<Value>(extent);
    return !value || loop.isDefinedOutsideOfLoop(value);
  };
  for (auto [argument, init, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitsMutable(),
                 body.getTerminator()->getOperands())) {
    if (!isa<TileType>(argument.getType()) ||
        !storageOf(init.get()).getDefiningOp<EmptyOp>())
      continue;
    for (unsigned axis : {0u, 1u}) {
      OpFoldResult made = get(yielded, axis);
      if (boxes[argument][axis] || !made || !isOutside(made))
        continue;
      boxes[argument][axis] = made;
      visitBlock(body);
      if (get(yielded, axis) == made)
        continue;
      boxes[argument][axis] = OpFoldResult();
      visitBlock(body);
    }
  }
}

void ValidExtents::visitLoop(LoopLikeOpInterface loop) {
  auto carried = loop.getRegionIterArgs();
  auto inits = loop.getInitsMutable();
  // Assume that a carried tile keeps the box it starts with; where the body
  // disagrees, assume nothing and look again. Each round drops at least one
  // assumption.
  for (auto [argument, init] : llvm::zip(carried, inits))
    if (auto type = dyn_cast<TileType>(argument.getType()))
      for (unsigned axis : {0u, 1u}) {
        OpFoldResult known = staticValid(type, axis);
        boxes[argument][axis] = known ? known : get(init.get(), axis);
      }
  Block &body = loop.getLoopRegions().front()->front();
  for (bool changed = true; changed;) {
    changed = false;
    visitBlock(body);
    for (auto [argument, yielded] :
         llvm::zip(carried, body.getTerminator()->getOperands()))
      if (isa<TileType>(argument.getType()))
        for (unsigned axis : {0u, 1u})
          if (boxes[argument][axis] &&
              boxes[argument][axis] != get(yielded, axis) &&
              !staticValid(cast<TileType>(argument.getType()), axis)) {
            boxes[argument][axis] = OpFoldResult();
            changed = true;
          }
  }
  adoptFromBody(loop);
  for (auto [argument, result] : llvm::zip(carried, loop->getResults()))
    if (isa<TileType>(argument.getType())) {
      ValidBox box = boxes[argument];
      boxes[result] = box;
    }
}

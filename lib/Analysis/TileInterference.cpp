//===- TileInterference.cpp - Which tiles are live at once ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/TileInterference.h"

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::pl;

static bool isTile(Value value) { return isa<TileType>(value.getType()); }

Value mlir::pl::storageOf(Value tile) {
  while (Operation *def = tile.getDefiningOp()) {
    if (!isa<ReshapeOp, SubtileOp, SetValidOp>(def))
      break;
    tile = def->getOperand(0);
  }
  return tile;
}

TileInterference::TileInterference(KernelOp kernel) {
  LiveSet live;
  visitBlock(kernel.getBody().front(), live);
}

void TileInterference::define(Value value, const LiveSet &live) {
  for (Value other : live)
    if (other != value)
      pairs.insert({value, other});
}

void TileInterference::use(Value value, LiveSet &live) {
  if (isTile(value))
    live.insert(storageOf(value));
}

/// Walks `block` backwards; `live` holds what is live at its end, and then what
/// is live at its start.
void TileInterference::visitBlock(Block &block, LiveSet &live) {
  for (Operation &op : llvm::reverse(block))
    visitOp(&op, live);
}

void TileInterference::visitOp(Operation *op, LiveSet &live) {
  if (isa<ForOp, scf::ForOp>(op))
    return visitLoop(cast<LoopLikeOpInterface>(op), live);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch, live);
  if (isa<CubeOp, VectorOp>(op))
    return visitBlock(op->getRegion(0).front(), live);
  // A view is its source, seen in another way.
  if (isa<ReshapeOp, SubtileOp, SetValidOp, ValidExtentOp>(op))
    return;
  for (Value result : op->getResults())
    if (isTile(result)) {
      live.remove(result);
      define(result, live);
    }
  if (auto tileOp = dyn_cast<TileOpInterface>(op))
    if (Value result = tileOp.getResultTile())
      for (auto [index, source] : llvm::enumerate(tileOp.getTileSources()))
        if (!tileOp.getFacts().mayAlias(index))
          pairs.insert({result, storageOf(source->get())});
  for (Value operand : op->getOperands())
    use(operand, live);
}

void TileInterference::visitLoop(LoopLikeOpInterface loop, LiveSet &live) {
  for (Value result : loop->getResults())
    if (isTile(result)) {
      live.remove(result);
      define(result, live);
    }
  Block &body = loop.getLoopRegions().front()->front();
  // What an iteration uses from outside, the next one uses too.
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(loop->getRegions(), outside);
  for (Value value : outside)
    use(value, live);
  LiveSet inner = live;
  visitBlock(body, inner);
  for (Value carried : loop.getRegionIterArgs())
    if (isTile(carried)) {
      inner.remove(carried);
      define(carried, inner);
      // All of them arrive at once.
      for (Value other : loop.getRegionIterArgs())
        if (isTile(other) && other != carried)
          pairs.insert({carried, other});
    }
  for (OpOperand &init : loop.getInitsMutable())
    use(init.get(), live);
}

void TileInterference::visitIf(scf::IfOp branch, LiveSet &live) {
  for (Value result : branch.getResults())
    if (isTile(result)) {
      live.remove(result);
      define(result, live);
    }
  LiveSet before = live;
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    LiveSet inner = live;
    visitBlock(region.front(), inner);
    before.insert_range(inner);
  }
  live = std::move(before);
}

//===- CoreAffinity.cpp - Which cores work needs --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/CoreAffinity.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::pl;

/// A transposed operand of a product is how the cube reads it.
static bool isOperandLayout(TransposeOp op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<MatmulOp, MatmulAccOp>(user);
  });
}

Affinity mlir::pl::affinityOf(Operation *op) {
  if (isa<AivShardOp, AicGatherOp>(op))
    return Affinity::boundary;
  if (isa<PutOp, GetOp, RemoteStoreOp, RemoteLoadOp, AllReduceOp, BroadcastOp,
          ReduceScatterOp, AllGatherOp, AllToAllOp, AllToAllVOp, ConcatOp,
          FillPadExpandOp, TileReadOp, TileWriteOp>(op))
    return Affinity::vector;
  if (isa<EmptyOp, SubtileOp, SliceOp, ReshapeOp, SetValidOp, ValidExtentOp,
          InsertOp, LoadBoxOp, StoreBoxOp, GatherRowOp, TransposeViewOp>(op))
    return Affinity::data;
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return isOperandLayout(transpose) ? Affinity::data : Affinity::vector;
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp)
    return Affinity::shared;
  switch (tileOp.getFacts().pipe) {
  case Pipe::m:
    return Affinity::cube;
  case Pipe::v:
    return Affinity::vector;
  default:
    return Affinity::data;
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static void addUse(Region &region, CoreUse &use,
                   SmallPtrSetImpl<Operation *> &seen) {
  region.walk([&](Operation *op) {
    Affinity affinity = affinityOf(op);
    if (affinity == Affinity::cube && !use.cube)
      use.cube = op;
    else if (affinity == Affinity::vector && !use.vector)
      use.vector = op;
    if (use.isMixed())
      return WalkResult::interrupt();
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (callee && seen.insert(callee).second)
        addUse(callee.getBody(), use, seen);
    }
    return use.isMixed() ? WalkResult::interrupt() : WalkResult::advance();
  });
}

CoreUse mlir::pl::coreUseOf(Region &region) {
  CoreUse use;
  SmallPtrSet<Operation *, 8> seen;
  addUse(region, use, seen);
  return use;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Adds what `tile` is made from to `next`; true unless it is made here.
static bool addSources(Value tile, SmallVectorImpl<Value> &next) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
    unsigned index = argument.getArgNumber();
    if (loop && index > 0) {
      next.push_back(loop.getInits()[index - 1]);
      next.push_back(loop.getYield()->getOperand(index - 1));
    }
    return true;
  }
  Operation *op = tile.getDefiningOp();
  unsigned index = cast<OpResult>(tile).getResultNumber();
  if (auto loop = dyn_cast<ForOp>(op)) {
    next.push_back(loop.getInits()[index]);
    next.push_back(loop.getYield()->getOperand(index));
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    next.push_back(branch.thenYield().getOperand(index));
    next.push_back(branch.elseYield().getOperand(index));
  } else if (auto lanes = dyn_cast<SplitAivOp>(op)) {
    next.push_back(lanes.getYield()->getOperand(index));
  } else if (auto insert = dyn_cast<InsertOp>(op)) {
    next.push_back(insert.getSource());
    next.push_back(insert.getTarget());
  } else if (isa<SubtileOp, SliceOp, ReshapeOp, SetValidOp, TransposeViewOp>(
                 op) ||
             (isa<TransposeOp>(op) && affinityOf(op) == Affinity::data)) {
    next.push_back(op->getOperand(0));
  } else {
    return false;
  }
  return true;
}

TileOrigin mlir::pl::originOf(Value tile) {
  TileOrigin origin;
  SmallPtrSet<Value, 8> seen;
  SmallVector<Value> work{tile};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || addSources(value, work))
      continue;
    Operation *op = value.getDefiningOp();
    // A shard is the lane's own; what was gathered is the cube's own.
    if (isa<AivShardOp>(op)) {
      origin.vector = op;
      continue;
    }
    if (isa<AicGatherOp>(op))
      continue;
    switch (affinityOf(op)) {
    case Affinity::cube:
      origin.cube = op;
      break;
    case Affinity::vector:
      origin.vector = op;
      break;
    default:
      if (isa<LoadOp, LoadBoxOp, GatherRowOp>(op))
        origin.memory = op;
    }
  }
  return origin;
}

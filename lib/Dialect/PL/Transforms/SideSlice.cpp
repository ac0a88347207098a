//===- SideSlice.cpp - What one side of a mixed kernel needs --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SideSlice.h"

#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pl;

static MemorySpace spaceOf(Value value) {
  auto tile = dyn_cast<TileType>(value.getType());
  return tile ? tile.getSpace() : MemorySpace::none;
}

std::optional<Crossing> mlir::pl::getCrossing(Operation *op) {
  if (auto shard = dyn_cast<AivShardOp>(op))
    return Crossing{shard.getSource(), shard.getResult(), false,
                    shard.getMode()};
  if (auto gather = dyn_cast<AicGatherOp>(op))
    return Crossing{gather.getSource(), gather.getResult(), true,
                    gather.getMode()};
  auto move = dyn_cast<MoveOp>(op);
  if (!move || !move.getResult())
    return std::nullopt;
  MemorySpace from = spaceOf(move.getSource()), to = spaceOf(move.getResult());
  bool toCube = from == MemorySpace::vec && to == MemorySpace::mat;
  if (!toCube && (from != MemorySpace::acc || to != MemorySpace::vec))
    return std::nullopt;
  return Crossing{move.getSource(), move.getResult(), toCube, SplitMode::none};
}

/// The memory of the first tile of `op`: which side it is on. None for what
/// has no tile.
static MemorySpace memoryOf(Operation *op) {
  for (Value value : op->getResults())
    if (MemorySpace space = spaceOf(value); space != MemorySpace::none)
      return space;
  for (Value value : op->getOperands())
    if (MemorySpace space = spaceOf(value); space != MemorySpace::none)
      return space;
  return MemorySpace::none;
}

/// Is `op` an op on tiles of this side, or one without tiles?
bool SideSlice::isMine(Operation *op) const {
  if (getCrossing(op) || isa<ForOp, scf::IfOp>(op))
    return true;
  MemorySpace space = memoryOf(op);
  if (space == MemorySpace::none)
    return true;
  return kind != Replay && (space == MemorySpace::vec) == (kind == Vector);
}

/// Does the side do `op` for its own sake?
bool SideSlice::isAnchor(Operation *op) const {
  if (getCrossing(op))
    return true;
  if (kind == Replay || op->getNumRegions() || isMemoryEffectFree(op) ||
      isa<LoadOp, ReadOp>(op))
    return false;
  if (isa<WaitOp>(op))
    return true; // holds both sides
  // What has no tile happens once, on the vector side.
  if (memoryOf(op) == MemorySpace::none)
    return kind == Vector;
  return isMine(op);
}

//===----------------------------------------------------------------------===//
// Finding the slice
//===----------------------------------------------------------------------===//

void SideSlice::reportForeign(Operation *op) {
  failedAny = true;
  if (!reported.insert(reason).second)
    return;
  StringRef side = kind == Cube ? "cube" : "vector";
  StringRef other = kind == Cube ? "vector" : "cube";
  InFlightDiagnostic diag = reason->emitError();
  if (isa<scf::IfOp, ForOp>(reason))
    diag << "PL108: both sides of the core group run this "
         << (isa<ForOp>(reason) ? "loop" : "branch") << ", but its "
         << (isa<ForOp>(reason) ? "bounds come" : "condition comes")
         << " from a tile that only the " << other
         << " side has; compute it from scalars, or read it from a tensor";
  else
    diag << "PL108: the " << side
         << " side needs a number here that comes from a tile of the " << other
         << " side; compute it from scalars, or read it from a tensor";
  diag.attachNote(op->getLoc()) << "the tile is read here";
}

void SideSlice::demand(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == kernel)
      return;
    if (argument.getArgNumber() == 0)
      return demand(parent);
    return keep(parent, argument.getArgNumber() - 1);
  }
  Operation *def = value.getDefiningOp();
  if (isa<ForOp, scf::IfOp>(def))
    return keep(def, cast<OpResult>(value).getResultNumber());
  demand(def);
}

/// Value `index` that `op`, a loop or branch, carries or merges is needed.
void SideSlice::keep(Operation *op, unsigned index) {
  llvm::SmallBitVector &bits = kept[op];
  bits.resize(op->getNumResults());
  if (bits.test(index))
    return;
  bits.set(index);
  demand(op);
  llvm::SaveAndRestore<Operation *> scope(reason, op);
  if (auto loop = dyn_cast<ForOp>(op)) {
    demand(loop.getInits()[index]);
    demand(loop.getYield()->getOperand(index));
    return;
  }
  auto branch = cast<scf::IfOp>(op);
  demand(branch.thenYield().getOperand(index));
  demand(branch.elseYield().getOperand(index));
}

void SideSlice::demand(Operation *op) {
  if (!isMine(op))
    return reportForeign(op);
  if (!ops.insert(op).second)
    return;
  Operation *parent = op->getParentOp();
  if (parent != kernel)
    demand(parent);
  if (auto loop = dyn_cast<ForOp>(op)) {
    llvm::SaveAndRestore<Operation *> scope(reason, op);
    demand(loop.getLower());
    demand(loop.getUpper());
    demand(loop.getStep());
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    llvm::SaveAndRestore<Operation *> scope(reason, op);
    return demand(branch.getCondition());
  }
  if (std::optional<Crossing> crossing = getCrossing(op)) {
    // Only the side that pushes has the source.
    if (kind == (crossing->toCube ? Vector : Cube))
      demand(crossing->source);
    return;
  }
  for (Value operand : op->getOperands())
    demand(operand);
}

LogicalResult SideSlice::run() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel || !isAnchor(op))
      return;
    reason = op;
    demand(op);
  });
  return failure(failedAny);
}

//===----------------------------------------------------------------------===//
// Copying it
//===----------------------------------------------------------------------===//

void SideSlice::cloneInto(OpBuilder &builder) {
  cloneBlock(kernel.getBody().front(), builder);
}

void SideSlice::cloneBlock(Block &block, OpBuilder &builder) {
  // Ops that are made go behind the original ones of the kernel's own block.
  SmallVector<Operation *> needed;
  for (Operation &op : block)
    if (ops.contains(&op))
      needed.push_back(&op);
  for (Operation *op : needed)
    cloneOp(op, builder);
}

void SideSlice::cloneOp(Operation *op, OpBuilder &builder) {
  if (auto loop = dyn_cast<ForOp>(op))
    return cloneLoop(loop, builder);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneIf(branch, builder);
  if (getCrossing(op))
    return cloneCrossing(op, builder);
  // What a region of lanes does, both lanes do; all else happens once.
  if (lane && op->getNumResults() == 0 && !isMemoryEffectFree(op) &&
      !op->hasAttr(kLanes) && !isa<WaitOp>(op)) {
    scf::IfOp branch = onFirstLane(builder, op->getLoc(), /*withElse=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    inner.clone(*op, mapping);
    return;
  }
  builder.clone(*op, mapping)->removeAttr(kLanes);
}

void SideSlice::cloneLoop(ForOp loop, OpBuilder &builder) {
  llvm::SmallBitVector bits = kept.lookup(loop);
  bits.resize(loop.getNumResults());
  SmallVector<Value> inits;
  for (unsigned index : bits.set_bits())
    inits.push_back(mapping.lookupOrDefault(loop.getInits()[index]));
  auto made = ForOp::create(builder, loop.getLoc(), loop.getKind(),
                            mapping.lookupOrDefault(loop.getLower()),
                            mapping.lookupOrDefault(loop.getUpper()),
                            mapping.lookupOrDefault(loop.getStep()), inits,
                            int64_t(loop.getStages()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getInductionVariable().setLoc(loop.getInductionVariable().getLoc());
  mapping.map(loop.getInductionVariable(), made.getInductionVariable());
  for (auto [index, carried] : llvm::zip(bits.set_bits(), made.getCarried())) {
    carried.setLoc(loop.getCarried()[index].getLoc());
    mapping.map(loop.getCarried()[index], carried);
  }
  OpBuilder::InsertionGuard guard(builder);
  Block &body = made.getBody().front();
  if (!body.empty())
    body.back().erase();
  builder.setInsertionPointToEnd(&body);
  cloneBlock(loop.getBody().front(), builder);
  SmallVector<Value> yielded;
  for (unsigned index : bits.set_bits())
    yielded.push_back(
        mapping.lookupOrDefault(loop.getYield()->getOperand(index)));
  YieldOp::create(builder, loop.getYield()->getLoc(), yielded);
  for (auto [index, result] : llvm::zip(bits.set_bits(), made.getResults()))
    mapping.map(loop.getResult(index), result);
}

void SideSlice::cloneIf(scf::IfOp branch, OpBuilder &builder) {
  llvm::SmallBitVector bits = kept.lookup(branch);
  bits.resize(branch.getNumResults());
  SmallVector<Type> types;
  for (unsigned index : bits.set_bits())
    types.push_back(branch.getResult(index).getType());
  auto made = scf::IfOp::create(builder, branch.getLoc(), types,
                                mapping.lookupOrDefault(branch.getCondition()),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.emplaceBlock());
    cloneBlock(from.front(), builder);
    SmallVector<Value> yielded;
    for (unsigned index : bits.set_bits())
      yielded.push_back(mapping.lookupOrDefault(
          from.front().getTerminator()->getOperand(index)));
    scf::YieldOp::create(builder, branch.getLoc(), yielded);
  }
  for (auto [index, result] : llvm::zip(bits.set_bits(), made.getResults()))
    mapping.map(branch.getResult(index), result);
}

/// The smallest tile of the same elements, without valid cells.
static TileType nothingOf(TileType type) {
  int64_t cols =
      ::pl::kBlockBytes * 8 / type.getElementType().getIntOrFloatBitWidth();
  return TileType::get(1, cols, type.getElementType(), MemorySpace::vec, 0, 0);
}

scf::IfOp SideSlice::onFirstLane(OpBuilder &builder, Location loc,
                                 bool withElse) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  return scf::IfOp::create(builder, loc, isFirst, withElse);
}

void SideSlice::cloneCrossing(Operation *op, OpBuilder &builder) {
  Location loc = op->getLoc();
  Crossing crossing = *getCrossing(op);
  auto source = cast<TileType>(crossing.source.getType());
  auto result = cast<TileType>(crossing.result.getType());
  auto keepFence = [&](Operation *handshake) {
    if (Attribute fence = op->getAttr(kFence))
      handshake->setAttr(kFence, fence);
  };
  auto pushNothing = [&](OpBuilder &at) {
    Value nothing = EmptyOp::create(at, loc, nothingOf(source));
    keepFence(PushOp::create(at, loc, nothing));
  };
  if (crossing.toCube != (kind != Cube)) { // this side takes it
    if (kind == Replay) {
      keepFence(PopOp::create(builder, loc, nothingOf(result), Value()));
      return;
    }
    auto pop = PopOp::create(builder, loc, result, Value());
    keepFence(pop);
    if (kind == Vector)
      pop.setSplit(crossing.split);
    mapping.map(crossing.result, pop.getResult());
    return;
  }
  if (kind == Replay)
    return pushNothing(builder);
  Value tile = mapping.lookupOrDefault(crossing.source);
  if (kind == Vector && lane && crossing.split == SplitMode::none) {
    // Both lanes have all of it; one of them hands it over.
    scf::IfOp branch = onFirstLane(builder, loc, /*withElse=*/true);
    OpBuilder first = branch.getThenBodyBuilder();
    keepFence(PushOp::create(first, loc, tile));
    OpBuilder second = branch.getElseBodyBuilder();
    return pushNothing(second);
  }
  auto push = PushOp::create(builder, loc, tile);
  keepFence(push);
  if (kind == Vector)
    push.setSplit(crossing.split);
}

//===- OrderSides.cpp - Global memory that both sides of a kernel touch ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SideSlice.h"

#include "pl/Analysis/Repetition.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_ORDERSIDES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
enum Side : uint8_t { kCube = 0, kVector = 1 };

/// An access of one side, within a child of the block that is looked at.
struct SideAccess {
  Access access;
  Side side;
  unsigned child;
};

/// The latest crossing from a side; the first child of a block is at 0, the
/// next at 2, and what is put before a child at the odd number before.
struct Crossed {
  int64_t position = -1;
  Operation *op = nullptr;
};

class SideOrder {
public:
  explicit SideOrder(KernelOp kernel) : kernel(kernel) {}
  void run();
  int64_t numFences = 0;

private:
  bool findShared();
  SmallVector<SideAccess> accessesOf(ArrayRef<Operation *> children);
  void visitBlock(Block &block, ForOp loop);
  void orderTurns(ForOp loop, ArrayRef<SideAccess> accesses,
                  ArrayRef<SmallVector<Crossed>> crossings);
  Operation *addFence(OpBuilder builder, Location loc, Side from);
  SplitMode modeOf(Side from);

  KernelOp kernel;
  AccessCollector collector;
  /// Tensors that both sides access, one of them writing.
  DenseSet<Value> shared;
  /// Accesses of two turns that something orders already.
  DenseSet<std::pair<Operation *, Operation *>> ordered;
};
} // namespace

/// The sides that do `op`; scalars are read wherever they are needed.
static SmallVector<Side, 2> sidesOf(Operation *op) {
  if (isa<ReadOp>(op))
    return {kCube, kVector};
  for (ValueRange values :
       {ValueRange(op->getResults()), ValueRange(op->getOperands())})
    for (Value value : values)
      if (auto tile = dyn_cast<TileType>(value.getType()))
        return {tile.getSpace() == MemorySpace::vec ? kVector : kCube};
  return {kVector};
}

static bool mayConflict(const Access &a, const Access &b) {
  return a.root == b.root && (a.writes || b.writes) && !a.signal && !b.signal &&
         !(a.atomic && b.atomic);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// How the lanes share the tiles that leave `from`: those of a fence as well.
SplitMode SideOrder::modeOf(Side from) {
  SplitMode mode = SplitMode::none;
  kernel.walk([&](Operation *op) {
    std::optional<Crossing> crossing = getCrossing(op);
    if (!crossing || crossing->toCube != (from == kVector))
      return WalkResult::advance();
    mode = crossing->split;
    return WalkResult::interrupt();
  });
  return mode;
}

/// A small tile goes to the other side; nobody looks at what it holds.
Operation *SideOrder::addFence(OpBuilder builder, Location loc, Side from) {
  SplitMode mode = modeOf(from);
  auto half = [&](TileType type) {
    int64_t extents[2] = {type.getRows(), type.getCols()};
    if (mode != SplitMode::none)
      extents[mode == SplitMode::up_down ? 0 : 1] /= 2;
    return TileType::get(extents[0], extents[1], type.getElementType())
        .withSpace(MemorySpace::vec);
  };
  Operation *fence;
  constexpr int64_t rows = ::pl::kFractalRows;
  if (from == kCube) {
    auto type = TileType::get(rows, rows, builder.getF32Type())
                    .withSpace(MemorySpace::acc);
    Value token = EmptyOp::create(builder, loc, type);
    if (mode == SplitMode::none)
      fence = MoveOp::create(builder, loc, half(type), token, Value(),
                             ValueRange());
    else
      fence = AivShardOp::create(builder, loc, half(type), mode, token);
  } else {
    // Half of it is a whole number of blocks on either axis.
    auto type = TileType::get(rows, 2 * rows, builder.getBF16Type())
                    .withSpace(MemorySpace::mat);
    Value token = EmptyOp::create(builder, loc, half(type));
    if (mode == SplitMode::none)
      fence = MoveOp::create(builder, loc, type, token, Value(), ValueRange());
    else
      fence = AicGatherOp::create(builder, loc, type, mode, token);
  }
  fence->setAttr(kFence, builder.getUnitAttr());
  ++numFences;
  return fence;
}

//===----------------------------------------------------------------------===//
// What has to be ordered
//===----------------------------------------------------------------------===//

bool SideOrder::findShared() {
  DenseMap<Value, unsigned> readers, writers; // bits of sides
  for (Operation &child : kernel.getBody().front())
    for (const Access &access : collector.collect(&child))
      for (Side side : sidesOf(access.op)) {
        (access.writes ? writers : readers)[access.root] |= 1u << side;
        if (access.reads)
          readers[access.root] |= 1u << side;
      }
  for (auto [root, sides] : writers)
    if ((sides | readers.lookup(root)) == 3)
      shared.insert(root);
  return !shared.empty();
}

SmallVector<SideAccess> SideOrder::accessesOf(ArrayRef<Operation *> children) {
  SmallVector<SideAccess> found;
  for (auto [index, child] : llvm::enumerate(children))
    for (Access &access : collector.collect(child))
      if (shared.contains(access.root))
        for (Side side : sidesOf(access.op))
          found.push_back({access, side, unsigned(index)});
  return found;
}

void SideOrder::visitBlock(Block &block, ForOp loop) {
  SmallVector<Operation *> children;
  for (Operation &op : block)
    children.push_back(&op);
  for (Operation *child : children) {
    auto inner = dyn_cast<ForOp>(child);
    for (Region &region : child->getRegions())
      for (Block &nested : region)
        visitBlock(nested, inner);
  }
  SmallVector<SideAccess> accesses = accessesOf(children);
  if (accesses.empty())
    return;

  // All crossings from each side that every run of the block passes.
  SmallVector<SmallVector<Crossed>, 2> crossings(2);
  auto next = accesses.begin();
  for (auto [index, child] : llvm::enumerate(children)) {
    int64_t position = 2 * int64_t(index);
    for (; next != accesses.end() && next->child == index; ++next)
      for (auto early = accesses.begin();
           early != next && early->child != index; ++early) {
        if (early->side == next->side ||
            !mayConflict(early->access, next->access) ||
            early->access.region.isDisjointFrom(next->access.region))
          continue;
        SmallVector<Crossed> &from = crossings[early->side];
        if (from.empty() || from.back().position < 2 * int64_t(early->child))
          from.push_back({position - 1,
                          addFence(OpBuilder(child), early->access.op->getLoc(),
                                   early->side)});
        from.back().op->setAttr(kFence, UnitAttr::get(child->getContext()));
      }
    if (std::optional<Crossing> crossing = getCrossing(child))
      crossings[crossing->toCube ? kVector : kCube].push_back(
          {position, child});
  }
  if (loop)
    orderTurns(loop, accesses, crossings);
}

/// An access of one turn, and one of a later turn.
void SideOrder::orderTurns(ForOp loop, ArrayRef<SideAccess> accesses,
                           ArrayRef<SmallVector<Crossed>> crossings) {
  Operation *atEnd[2] = {};
  for (const SideAccess &early : accesses)
    for (const SideAccess &late : accesses) {
      if (early.side == late.side || !mayConflict(early.access, late.access) ||
          Repetition(loop).areApart(early.access.region, late.access.region) ||
          !ordered.insert({early.access.op, late.access.op}).second)
        continue;
      // After the one in its turn, or before the other in its own.
      auto found =
          llvm::find_if(crossings[early.side], [&](const Crossed &crossed) {
            return crossed.position > 2 * int64_t(early.child) ||
                   crossed.position < 2 * int64_t(late.child);
          });
      Operation *fence =
          found != crossings[early.side].end() ? found->op : atEnd[early.side];
      if (!fence)
        fence = atEnd[early.side] = addFence(
            OpBuilder(loop.getYield()), early.access.op->getLoc(), early.side);
      fence->setAttr(kFence, UnitAttr::get(fence->getContext()));
    }
}

void SideOrder::run() {
  if (findShared())
    visitBlock(kernel.getBody().front(), ForOp());
}

namespace {
struct OrderSides : mlir::pl::impl::OrderSidesBase<OrderSides> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // What is split already has its sides as it wants them.
    if (kernel.getCore() != CoreKind::mix ||
        !kernel.getBody().getOps<CubeOp>().empty())
      return;
    SideOrder order(kernel);
    order.run();
    numFences += order.numFences;
  }
};
} // namespace

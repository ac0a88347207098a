//===- CheckHandshakes.cpp - Pushes meet pops on both sides ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKHANDSHAKES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// More handshakes than this in one block of a task are left to the simulator.
constexpr size_t kMaxEvents = 1 << 14;

namespace {
/// A push or a pop of a core.
struct Event {
  Operation *op;
  bool toCube;
};
/// What one core does, and how far it has come.
struct Queue {
  StringRef name;
  SmallVector<Event> events;
  size_t next = 0;
  /// Tiles pushed and slots given back so far, by ring: to_vector, to_cube.
  int64_t pushed[2] = {}, freed[2] = {};
};
} // namespace

static bool hasHandshake(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<PushOp, PopOp>(nested) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The value of a condition on `lane`, where it depends on nothing else.
static std::optional<bool> evaluate(Value condition, int64_t lane) {
  auto number = [&](Value value) -> std::optional<int64_t> {
    if (value.getDefiningOp<SubblockIdxOp>())
      return lane;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    return std::nullopt;
  };
  if (std::optional<int64_t> constant = number(condition))
    return *constant != 0;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<int64_t> left = number(compare.getLhs());
  std::optional<int64_t> right = number(compare.getRhs());
  if (!left || !right)
    return std::nullopt;
  return arith::applyCmpPredicate(
      compare.getPredicate(), APInt(64, *left, true), APInt(64, *right, true));
}

/// Appends the handshakes of `block` as `lane` runs it; false where they depend
/// on what only the run knows.
static bool collect(Block &block, int64_t lane, bool isCube,
                    SmallVectorImpl<Event> &events) {
  for (Operation &op : block) {
    if (events.size() > kMaxEvents)
      return false;
    if (isa<PushOp, PopOp>(op)) {
      events.push_back({&op, isCube == isa<PopOp>(op)});
      continue;
    }
    if (op.getNumRegions() == 0 || !hasHandshake(&op))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<bool> taken = evaluate(branch.getCondition(), lane);
      if (!taken)
        return false;
      Region &arm = *taken ? branch.getThenRegion() : branch.getElseRegion();
      if (!arm.empty() && !collect(arm.front(), lane, isCube, events))
        return false;
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> trips =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if (!trips || trips->ugt(kMaxEvents))
      return false;
    for (uint64_t i = 0; i < trips->getZExtValue(); ++i)
      if (!collect(*loop.getBody(), lane, isCube, events))
        return false;
  }
  return true;
}

namespace {
struct CheckHandshakes : mlir::pl::impl::CheckHandshakesBase<CheckHandshakes> {
  void runOnOperation() override;

private:
  LogicalResult play(KernelOp kernel, MutableArrayRef<Queue> queues);
  LogicalResult reportStuck(ArrayRef<Queue> queues);
};
} // namespace

/// The queues at the ends of a ring: the cube is queue 0, the lanes 1 and 2.
static MutableArrayRef<Queue> producers(MutableArrayRef<Queue> queues,
                                        bool toCube) {
  return toCube ? queues.drop_front(1) : queues.take_front(1);
}

LogicalResult CheckHandshakes::reportStuck(ArrayRef<Queue> queues) {
  const Queue *first = nullptr;
  for (const Queue &queue : queues)
    if (!first && queue.next < queue.events.size())
      first = &queue;
  Operation *op = first->events[first->next].op;
  InFlightDiagnostic diag = op->emitError();
  auto describe = [&](const Queue &queue) {
    const Event &event = queue.events[queue.next];
    StringRef other =
        event.toCube == isa<PopOp>(event.op) ? "the vector lanes" : "the cube";
    if (isa<PopOp>(event.op))
      return (queue.name + " waits for tile " +
              Twine(queue.freed[event.toCube] + 1) + " of " + other)
          .str();
    return (queue.name + " waits for a slot for its tile " +
            Twine(queue.pushed[event.toCube] + 1) + " for " + other)
        .str();
  };
  diag << "PL205: " << describe(*first)
       << ", which never comes: the handshakes of the two sides do not match";
  for (const Queue &queue : queues)
    if (&queue != first)
      diag.attachNote(queue.next < queue.events.size()
                          ? queue.events[queue.next].op->getLoc()
                          : getOperation().getLoc())
          << (queue.next < queue.events.size()
                  ? describe(queue)
                  : (queue.name + " has ended").str());
  return diag;
}

/// Plays the handshakes against each other, with the credits of the hardware.
LogicalResult CheckHandshakes::play(KernelOp kernel,
                                    MutableArrayRef<Queue> queues) {
  int64_t slots[2] = {};
  for (auto ring : kernel.getBody().getOps<RingOp>())
    slots[ring.getToCube()] = int64_t(ring.getSlots());
  auto step = [&](Queue &queue) {
    const Event &event = queue.events[queue.next];
    bool ring = event.toCube;
    if (isa<PopOp>(event.op)) {
      for (Queue &producer : producers(queues, ring))
        if (producer.pushed[ring] <= queue.freed[ring])
          return false;
      ++queue.freed[ring];
      return true;
    }
    int64_t next = queue.pushed[ring];
    if (next >= slots[ring]) {
      int64_t period = slots[ring] <= 2 ? slots[ring] : slots[ring] / 2;
      int64_t needed = next / period * period - slots[ring] + period;
      for (Queue &consumer : producers(queues, !ring))
        if (consumer.freed[ring] < needed)
          return false;
    }
    ++queue.pushed[ring];
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (Queue &queue : queues)
      while (queue.next < queue.events.size() && step(queue)) {
        ++queue.next;
        progress = true;
      }
  }
  if (llvm::any_of(queues, [](const Queue &queue) {
        return queue.next < queue.events.size();
      }))
    return reportStuck(queues);
  for (auto ring : kernel.getBody().getOps<RingOp>()) {
    bool toCube = ring.getToCube();
    for (Queue &producer : producers(queues, toCube))
      for (Queue &consumer : producers(queues, !toCube))
        if (producer.pushed[toCube] != consumer.freed[toCube])
          return ring.emitError()
                 << "PL205: " << producer.name << " pushes "
                 << producer.pushed[toCube] << " tiles, but " << consumer.name
                 << " takes " << consumer.freed[toCube]
                 << ": the next kernel on this cluster would meet the rest";
  }
  return success();
}

/// Bytes that the whole tile of a handshake takes in its slot.
static int64_t bytesOf(Operation *op) {
  Value tile;
  SplitMode split;
  if (auto push = dyn_cast<PushOp>(op)) {
    tile = push.getTile();
    split = push.getSplit();
  } else {
    auto pop = cast<PopOp>(op);
    tile = pop.getDst() ? Value(pop.getDst()) : Value(pop.getResult());
    split = pop.getSplit();
  }
  auto bytes = [](auto type) {
    int64_t size = type.getElementType().getIntOrFloatBitWidth() / 8;
    for (unsigned axis : {0u, 1u})
      size *= ShapedType::isDynamic(type.getValid(axis)) ? type.getExtent(axis)
                                                         : type.getValid(axis);
    return size;
  };
  auto buffer = dyn_cast<BufferType>(tile.getType());
  int64_t size = buffer ? bytes(buffer) : bytes(cast<TileType>(tile.getType()));
  return split == SplitMode::none ? size : 2 * size;
}

void CheckHandshakes::runOnOperation() {
  markAllAnalysesPreserved();
  KernelOp kernel = getOperation();
  if (kernel.getCore() != CoreKind::mix)
    return;
  bool hasRing[2] = {};
  int64_t slotBytes[2] = {};
  for (auto ring : kernel.getBody().getOps<RingOp>()) {
    hasRing[ring.getToCube()] = true;
    slotBytes[ring.getToCube()] = int64_t(ring.getBytes());
  }
  Queue queues[] = {
      {"the cube", {}}, {"vector lane 0", {}}, {"vector lane 1", {}}};
  bool isKnown = true;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<CubeOp, VectorOp>(op))
      continue;
    Block &body = op.getRegion(0).front();
    if (isa<CubeOp>(op))
      isKnown &= collect(body, 0, /*isCube=*/true, queues[0].events);
    else
      for (int64_t lane : {0, 1})
        isKnown &=
            collect(body, lane, /*isCube=*/false, queues[1 + lane].events);
  }
  WalkResult rings = kernel.walk([&](Operation *op) {
    if (!isa<PushOp, PopOp>(op))
      return WalkResult::advance();
    bool isCube = op->getParentOfType<CubeOp>() != nullptr;
    bool toCube = isCube == isa<PopOp>(op);
    if (hasRing[toCube]) {
      int64_t bytes = bytesOf(op);
      if (bytes <= slotBytes[toCube])
        return WalkResult::advance();
      op->emitError() << "PL205: a tile of " << bytes << " bytes in a slot of "
                      << slotBytes[toCube];
      return WalkResult::interrupt();
    }
    op->emitError() << "PL205: the kernel has no ring to the "
                    << (toCube ? "cube" : "vector cores");
    return WalkResult::interrupt();
  });
  if (rings.wasInterrupted())
    return signalPassFailure();
  if (!isKnown) {
    ++numUndecided;
    return;
  }
  if (failed(play(kernel, queues)))
    signalPassFailure();
  ++numChecked;
}

//===- InsertSync.cpp - Flags and barriers between pipes ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/InCoreAccess.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_INSERTSYNC
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Events 0..6 carry flags; the last one is for handshakes alone.
constexpr int64_t kNumEvents = 7, kHandshakeEvent = 7;
/// Work that may be under way: bytes touched by a pipe, or a flag not yet
/// known to be consumed (`event` >= 0: set by `from`, awaited by `pipe`).
/// `ordered` holds the pipes that wait for it already.
struct Pending {
  Pipe pipe;
  Touched touched{};
  int64_t event = -1;
  Pipe from = Pipe::s;
  PipeSet ordered = 0;

  bool sameAs(const Pending &other) const {
    return pipe == other.pipe && event == other.event && from == other.from &&
           touched == other.touched;
  }
};
using State = SmallVector<Pending>;

/// What goes in front of an op. It only grows, so the walk over loops ends.
struct Decision {
  bool barrier = false;
  /// A barrier of all pipes.
  bool drain = false;
  /// Pipes that first wait for this op's pipe, so that their events are free.
  PipeSet handshakes = 0;
  /// Event of the flag from each pipe; -1 for none.
  std::array<int64_t, kNumPipes> events;
  Decision() { events.fill(-1); }
};

class SyncInserter {
public:
  explicit SyncInserter(KernelOp kernel) : kernel(kernel) {}
  void run();
  int64_t numFlags = 0, numBarriers = 0;

private:
  void visitBlock(Block &block, State &state);
  void visitLoop(scf::ForOp loop, State &state);
  void visitOp(Operation *op, Pipe pipe, ArrayRef<Touched> touched,
               State &state);
  void addFlag(Pipe from, Pipe to, Decision &decision, State &state);
  void emit();

  KernelOp kernel;
  llvm::MapVector<Operation *, Decision> decisions;
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static void insert(State &state, const Pending &pending) {
  for (Pending &known : state)
    if (known.sameAs(pending)) {
      // The later one stands for both: its pipe works in order.
      known.ordered = pending.ordered;
      return;
    }
  state.push_back(pending);
}

/// What may be under way after either of two paths.
static void join(State &state, const State &other) {
  for (const Pending &pending : other) {
    bool found = false;
    for (Pending &known : state)
      if (known.sameAs(pending)) {
        known.ordered &= pending.ordered;
        found = true;
      }
    if (!found)
      state.push_back(pending);
  }
}

static bool sameState(const State &a, const State &b) {
  return a.size() == b.size() && llvm::all_of(a, [&](const Pending &pending) {
           return llvm::any_of(b, [&](const Pending &other) {
             return pending.sameAs(other) && pending.ordered == other.ordered;
           });
         });
}

/// `to` now waits for all that `from` was given, and for what `from` waits for.
static void order(State &state, Pipe from, Pipe to) {
  for (Pending &pending : state)
    if (pending.pipe == from || (pending.ordered & bit(from)))
      pending.ordered |= bit(to);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// A token of `event` from `from` that `to` awaits.
static Pending tokenOf(Pipe from, Pipe to, int64_t event) {
  Pending token;
  token.pipe = to;
  token.event = event;
  token.from = from;
  return token;
}

void SyncInserter::addFlag(Pipe from, Pipe to, Decision &decision,
                           State &state) {
  // An event may be set again once `from` knows that its last token is gone.
  auto isFree = [&](int64_t event) {
    return llvm::none_of(state, [&](const Pending &pending) {
      return pending.event == event && pending.from == from &&
             pending.pipe == to && !(pending.ordered & bit(from));
    });
  };
  int64_t &event = decision.events[unsigned(from)];
  if (!(decision.handshakes & bit(from)) && (event < 0 || !isFree(event))) {
    event = 0;
    while (event < kNumEvents && !isFree(event))
      ++event;
    if (event == kNumEvents)
      decision.handshakes |= bit(from);
  }
  if (decision.handshakes & bit(from)) {
    // `from` waits for `to`, and with that for every token it ever sent there.
    // The flag that follows tells `to` that the handshake's token is gone.
    order(state, to, from);
    insert(state, tokenOf(to, from, kHandshakeEvent));
    event = 0;
  }
  order(state, from, to);
  insert(state, tokenOf(from, to, event));
}

void SyncInserter::visitOp(Operation *op, Pipe pipe, ArrayRef<Touched> touched,
                           State &state) {
  Decision &decision = decisions[op];
  auto clashes = [&](const Pending &pending) {
    return pending.event < 0 && !(pending.ordered & bit(pipe)) &&
           llvm::any_of(
               touched,
               [&](const Touched &bytes) {
                 return bytes.conflicts(pending.touched);
               });
  };
  // A transfer uses flags of its own, so no other may be under way, and it is
  // not over before all pipes are empty again. A notify says that all accesses
  // before it are over.
  auto isOpen = [&](const Pending &pending) {
    return pending.pipe != Pipe::s && !(pending.ordered & bit(Pipe::s));
  };
  bool isTransfer = isa<PutOp, GetOp>(op);
  if (isTransfer)
    decision.drain |= llvm::any_of(state, isOpen);
  if (isa<NotifyOp>(op))
    decision.drain |= llvm::any_of(state, clashes);
  if (decision.drain || isTransfer)
    for (Pending &pending : state)
      pending.ordered = PipeSet(~0u);
  if (isTransfer)
    return;
  // Flags that an earlier round asked for come first, then what is missing.
  for (unsigned i = 0; i < kNumPipes; ++i) {
    Pipe from = Pipe(i);
    if (from == pipe)
      continue;
    bool needed = llvm::any_of(state, [&](const Pending &pending) {
      return pending.pipe == from && clashes(pending);
    });
    if (needed || decision.events[i] >= 0)
      addFlag(from, pipe, decision, state);
  }
  // The scalar unit finishes each access before the next.
  decision.barrier |=
      pipe != Pipe::s && llvm::any_of(state, [&](const Pending &pending) {
        return pending.pipe == pipe && clashes(pending);
      });
  if (decision.barrier)
    order(state, pipe, pipe);
  // A notify is over before the scalar unit goes on.
  if (isa<NotifyOp>(op))
    return;
  for (const Touched &bytes : touched) {
    Pending pending;
    pending.pipe = pipe;
    pending.touched = bytes;
    insert(state, pending);
  }
}

void SyncInserter::visitLoop(scf::ForOp loop, State &state) {
  // The body starts after what came before it or after itself. `entry` only
  // grows, so this ends; it takes two or three rounds.
  State entry = state;
  for (;;) {
    State exit = entry;
    visitBlock(*loop.getBody(), exit);
    State next = entry;
    join(next, exit);
    if (sameState(next, entry))
      break;
    entry = std::move(next);
  }
  state = std::move(entry);
}

void SyncInserter::visitBlock(Block &block, State &state) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, state);
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State thenState = state, elseState = state;
      visitBlock(branch.getThenRegion().front(), thenState);
      if (!branch.getElseRegion().empty())
        visitBlock(branch.getElseRegion().front(), elseState);
      state = std::move(thenState);
      join(state, elseState);
      continue;
    }
    if (std::optional<InCoreAccess> access = inCoreAccessOf(&op))
      visitOp(&op, access->pipe, access->touched, state);
  }
}

void SyncInserter::emit() {
  for (auto &entry : decisions) {
    Operation *op = entry.first;
    const Decision &decision = entry.second;
    OpBuilder builder(op);
    Pipe pipe = inCoreAccessOf(op)->pipe;
    if (isa<PutOp, GetOp>(op)) {
      OpBuilder after(op->getBlock(), std::next(op->getIterator()));
      PipeBarrierOp::create(after, op->getLoc(), Pipe::all);
      ++numBarriers;
    }
    auto addPair = [&](Pipe from, Pipe to, int64_t event) {
      SetFlagOp::create(builder, op->getLoc(), from, to, event);
      WaitFlagOp::create(builder, op->getLoc(), from, to, event);
      ++numFlags;
    };
    if (decision.drain) {
      PipeBarrierOp::create(builder, op->getLoc(), Pipe::all);
      ++numBarriers;
    }
    for (unsigned i = 0; i < kNumPipes; ++i) {
      if (decision.handshakes & bit(Pipe(i)))
        addPair(pipe, Pipe(i), kHandshakeEvent);
      if (int64_t event = decision.events[i]; event >= 0)
        addPair(Pipe(i), pipe, event);
    }
    if (decision.barrier) {
      PipeBarrierOp::create(builder, op->getLoc(), pipe);
      ++numBarriers;
    }
  }
}

void SyncInserter::run() {
  SmallVector<Block *> busy;
  for (Block *body : getCoreBodies(kernel)) {
    State state;
    visitBlock(*body, state);
    if (!state.empty())
      busy.push_back(body);
  }
  emit();
  // A task is complete only when its stores have landed.
  for (Block *body : busy) {
    OpBuilder builder = OpBuilder::atBlockEnd(body);
    PipeBarrierOp::create(builder, kernel.getLoc(), Pipe::all);
    ++numBarriers;
  }
}

namespace {
struct InsertSync : mlir::pl::impl::InsertSyncBase<InsertSync> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](Operation *op) {
      if (isa<BufferOp, BufferViewOp>(op) && !op->hasAttr("address")) {
        op->emitOpError("expects pl-plan-memory to run first");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    SyncInserter inserter(getOperation());
    inserter.run();
    numFlags += inserter.numFlags;
    numBarriers += inserter.numBarriers;
  }
};
} // namespace

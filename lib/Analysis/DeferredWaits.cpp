//===- DeferredWaits.cpp - Rules of pl.defer_wait -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task with a deferred wait registers conditions and ends: it computes
// scalars, reads tensors for them before the first registration, and does
// nothing else. How many conditions it registers at most is counted: sums over
// sequences, maxima over branches, products over loops.
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/ScopeRules.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pl;

namespace {
class Counter {
public:
  /// Walks `block`; returns at most how many conditions it registers.
  int64_t visit(Block &block);
  bool isGood() const { return good; }

private:
  int64_t visit(Operation *op);
  int64_t visitLoop(ForOp loop);
  InFlightDiagnostic error(Operation *op) {
    good = false;
    return op->emitError() << "PL082: ";
  }

  bool good = true;
  /// A registration that may have been made already.
  Operation *registered = nullptr;
};
} // namespace

/// Counts stay just above the limit, whatever the trip counts.
static int64_t clampCount(int64_t count) {
  return std::min(count, DeferWaitOp::kMaxConditions + 1);
}

static bool hasDeferredWait(Operation *op) {
  return op->walk([](DeferWaitOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// What an op that does not belong beside a deferred wait does.
static StringRef describeWork(Operation *op) {
  if (isa<WaitOp>(op))
    return "blocks its core in a wait";
  if (isa<NotifyOp, PutOp, GetOp, RemoteStoreOp, RemoteLoadOp, AllReduceOp,
          BarrierOp, BroadcastOp, ReduceScatterOp, AllGatherOp, AllToAllOp,
          AllToAllVOp>(op))
    return "communicates with other ranks";
  if (isa<FenceOp, CacheInvalidOp, SyncAllOp>(op))
    return "works on caches or barriers";
  if (isa<memref::AllocOp, AllocOp>(op))
    return "creates a tensor";
  if (isa<WriteOp, StoreOp>(op))
    return "updates a tensor";
  if (isa<SplitAivOp>(op))
    return "uses both vector lanes";
  if (isa<TileOpInterface>(op) ||
      llvm::any_of(op->getResultTypes(),
                   [](Type type) { return isa<TileType>(type); }))
    return "works on tiles";
  return "does more";
}

int64_t Counter::visit(Block &block) {
  int64_t count = 0;
  for (Operation &op : block)
    count = clampCount(count + visit(&op));
  return count;
}

int64_t Counter::visitLoop(ForOp loop) {
  if (!hasDeferredWait(loop)) {
    visit(loop.getBody().front());
    return 0;
  }
  if (loop.getKind() != LoopKind::range)
    error(loop) << "a loop that registers deferred waits must be pl.range or "
                   "pl.unroll";
  APInt lower, upper, step;
  int64_t trips = 0;
  if (matchPattern(loop.getLower(), m_ConstantInt(&lower)) &&
      matchPattern(loop.getUpper(), m_ConstantInt(&upper)) &&
      matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      step.isStrictlyPositive() && upper.sgt(lower))
    trips = llvm::divideCeilSigned(upper.getSExtValue() - lower.getSExtValue(),
                                   step.getSExtValue());
  if (trips == 0) {
    error(loop) << "a loop that registers deferred waits needs a constant, "
                   "positive trip count: a task takes at most "
                << DeferWaitOp::kMaxConditions << " conditions";
    trips = 1;
  }
  // A read is before the first registration in the first turn only.
  ReadOp read;
  DeferWaitOp first;
  if (trips > 1)
    loop.walk([&](Operation *op) {
      // A read behind the registration is wrong in the first turn already.
      if (auto found = dyn_cast<ReadOp>(op); found && !read && !first)
        read = found;
      if (auto found = dyn_cast<DeferWaitOp>(op); found && !first)
        first = found;
    });
  if (read && !registered) {
    InFlightDiagnostic diag =
        error(read) << "a tensor is read in a loop that registers deferred "
                       "waits: the second turn reads after the first has "
                       "registered; read before the loop";
    diag.attachNote(first.getLoc()) << "a condition is registered here";
  }
  int64_t count = visit(loop.getBody().front());
  return count > DeferWaitOp::kMaxConditions / trips
             ? DeferWaitOp::kMaxConditions + 1
             : count * trips;
}

int64_t Counter::visit(Operation *op) {
  if (isa<DeferWaitOp>(op)) {
    registered = op;
    return 1;
  }
  if (auto loop = dyn_cast<ForOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Operation *before = registered;
    int64_t most = 0;
    Operation *after = before;
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      registered = before;
      most = std::max(most, visit(region->front()));
      after = registered ? registered : after;
    }
    registered = after;
    return most;
  }
  if (isa<ReadOp>(op)) {
    if (!registered)
      return 0;
    InFlightDiagnostic diag =
        error(op) << "a tensor is read after a deferred wait was registered; "
                     "read it before the first one";
    diag.attachNote(registered->getLoc()) << "a condition is registered here";
    return 0;
  }
  bool isScalar = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                  llvm::all_of(op->getResultTypes(), [](Type type) {
                    return type.isIntOrIndexOrFloat();
                  });
  // A read may go through a view.
  if (isScalar || isa<YieldOp, scf::YieldOp, ViewLikeOpInterface>(op))
    return 0;
  InFlightDiagnostic diag = error(op);
  diag << "this " << describeWork(op)
       << ", which a task with deferred waits cannot: it only computes "
          "scalars, reads tensors and registers conditions; do the rest in a "
          "task that depends on it";
  if (registered)
    diag.attachNote(registered->getLoc()) << "a condition is registered here";
  return 0;
}

static bool isDirectSignal(Value signal) {
  auto argument = dyn_cast<BlockArgument>(signal);
  return argument &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

LogicalResult mlir::pl::checkDeferredWaits(Operation *scope) {
  DeferWaitOp first;
  bool good = true;
  scope->walk([&](DeferWaitOp wait) {
    if (!first)
      first = wait;
    if (!isDirectSignal(wait.getSignal())) {
      wait.emitError()
          << "PL082: the signal of a deferred wait must be a window "
             "parameter itself, not a view of one";
      good = false;
    }
  });
  if (!first)
    return success();
  auto reject = [&](const Twine &text) {
    InFlightDiagnostic diag = first.emitError() << "PL082: " << text;
    diag.attachNote(scope->getLoc()) << "its scope is here";
    good = false;
  };
  auto at = dyn_cast<AtOp>(scope);
  if (!at) {
    reject("a deferred wait cannot be in pl.spmd: its task has one block; use "
           "with pl.at(...)");
    return failure();
  }
  for (Operation *outer = at->getParentOp(); outer;
       outer = outer->getParentOp()) {
    StringRef name = outer->getName().getStringRef();
    if (name == "pl.cluster" || name == "pl.hierarchy") {
      reject("a deferred wait cannot be in " +
             Twine(name == "pl.cluster" ? "pl.cluster"
                                        : "a scope of another level") +
             ": its task is a scope of its own");
      break;
    }
  }
  if (at->hasAttr("predicate") || at->hasAttr("pl.predicate"))
    reject("a task with deferred waits takes no predicate=");
  if (at.getEarlyResolve())
    reject("a task with deferred waits takes no allow_early_resolve=True: it "
           "is not complete when it ends");
  Counter counter;
  int64_t count = counter.visit(at.getBody().front());
  if (count > DeferWaitOp::kMaxConditions)
    reject("this task may register more than " +
           Twine(DeferWaitOp::kMaxConditions) +
           " deferred waits, the most that one task takes; use several tasks");
  return success(good && counter.isGood());
}

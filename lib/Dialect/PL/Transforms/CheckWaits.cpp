//===- CheckWaits.cpp - Waits come after what this rank says itself -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKWAITS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// A task that waits, and for which signal.
struct Wait {
  LaunchOp launch;
  WaitOp op;
  Value signal;
};

struct CheckWaits : mlir::pl::impl::CheckWaitsBase<CheckWaits> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SymbolTable kernels(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      waits.clear();
      notifies.clear();
      function.walk([&](LaunchOp launch) {
        if (auto kernel = kernels.lookup<KernelOp>(launch.getKernel()))
          collect(launch, kernel);
      });
      for (const Wait &wait : waits)
        check(function, wait);
    }
  }

private:
  void collect(LaunchOp launch, KernelOp kernel);
  void check(func::FuncOp function, Wait wait);

  SmallVector<Wait> waits;
  /// The first notify of each signal in each task.
  DenseMap<std::pair<Operation *, Value>, NotifyOp> notifies;
};
} // namespace

/// Does a loop around `wait` notify its signal too? Then a later turn waits for
/// what an earlier one was answered.
static bool takesTurns(WaitOp wait) {
  Value signal = rootOf(wait.getSignal());
  for (Operation *loop = wait->getParentOp(); loop && !isa<KernelOp>(loop);
       loop = loop->getParentOp()) {
    if (!isa<LoopLikeOpInterface>(loop))
      continue;
    WalkResult walk = loop->walk([&](NotifyOp notify) {
      return rootOf(notify.getTarget()) == signal ? WalkResult::interrupt()
                                                  : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return false;
}

void CheckWaits::collect(LaunchOp launch, KernelOp kernel) {
  auto signalOf = [&](Value inside) {
    auto argument = dyn_cast<BlockArgument>(rootOf(inside));
    return argument && argument.getOwner() == &kernel.getBody().front()
               ? launch.getArgs()[argument.getArgNumber()]
               : Value();
  };
  bool hasSpoken = false;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto notify = dyn_cast<NotifyOp>(op)) {
      notifies.try_emplace({launch, signalOf(notify.getTarget())}, notify);
      hasSpoken = true;
    }
    if (auto wait = dyn_cast<WaitOp>(op)) {
      ++numChecked;
      if (!hasSpoken && !takesTurns(wait))
        waits.push_back({launch, wait, signalOf(wait.getSignal())});
    }
  });
}

/// All tasks on the way to `launch`.
static llvm::SetVector<Operation *> tasksBefore(LaunchOp task) {
  llvm::SetVector<Operation *> before;
  auto addDeps = [&](ValueRange deps) {
    for (Value dep : deps)
      if (Operation *op = dep.getDefiningOp())
        before.insert(op);
  };
  addDeps(task.getDeps());
  for (size_t i = 0; i < before.size(); ++i) {
    if (auto launch = dyn_cast<LaunchOp>(before[i]))
      addDeps(launch.getDeps());
    else if (auto dummy = dyn_cast<DummyOp>(before[i]))
      addDeps(dummy.getDeps());
  }
  return before;
}

void CheckWaits::check(func::FuncOp function, Wait wait) {
  llvm::SetVector<Operation *> before = tasksBefore(wait.launch);
  for (Operation *op : before)
    if (notifies.contains({op, wait.signal}))
      return;
  NotifyOp first;
  LaunchOp notifier;
  function.walk([&](LaunchOp launch) {
    auto found = notifies.find({launch, wait.signal});
    if (!first && launch != wait.launch && found != notifies.end()) {
      first = found->second;
      notifier = launch;
    }
  });
  if (!first && !before.empty())
    return;
  std::string name = nameOf(wait.signal);
  InFlightDiagnostic diag = wait.op.emitWarning();
  diag << "PL106: this wait holds a core ";
  std::optional<int64_t> blocks =
      LinearExpr::of(wait.launch.getBlocks()).asConstant();
  if (!blocks)
    diag << "for each of its blocks ";
  else if (*blocks > 1)
    diag << "for each of " << *blocks << " blocks ";
  diag << "as soon as its task starts, and no task of this rank that notifies '"
       << name
       << "' comes before it: when such waits hold all cores, what they "
       << "wait for cannot run; "
       << (first && tasksBefore(notifier).contains(wait.launch)
               ? "the task that notifies waits for this one: let it come first"
           : first ? "let its task depend on the one that notifies"
                   : "let its task depend on the one it belongs behind");
  if (first)
    diag.attachNote(first.getLoc()) << "'" << name << "' is notified here";
}

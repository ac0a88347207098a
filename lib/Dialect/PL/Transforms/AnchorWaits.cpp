//===- AnchorWaits.cpp - Waits that follow their producer -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait that nothing orders may start first and hold the core that the task
// needs which it waits for. Here every wait gets the task it comes after, as an
// edge of the user.
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_ANCHORWAITS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static bool isWait(Operation *op) { return isa<WaitOp, DeferWaitOp>(op); }

static bool hasWait(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isWait(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasRead(Operation *op) {
  return op->walk([](ReadOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The first op in `op` that does more than to read and to wait.
static Operation *findWork(Operation *op) {
  Operation *work = nullptr;
  op->walk([&](Operation *inner) {
    if (isWait(inner) || isa<ReadOp>(inner) || inner->getNumRegions() > 0 ||
        isMemoryEffectFree(inner))
      return WalkResult::advance();
    work = inner;
    return WalkResult::interrupt();
  });
  return work;
}

/// How a task names its edges and the tasks they come from.
static OperandRange depsOf(Operation *task) {
  return TypeSwitch<Operation *, OperandRange>(task)
      .Case<AtOp, SpmdOp, DummyOp>([](auto op) { return op.getDeps(); });
}

static void setDeps(Operation *task, ArrayRef<Value> deps,
                    ArrayRef<Attribute> edges) {
  TypeSwitch<Operation *>(task).Case<AtOp, SpmdOp, DummyOp>([&](auto op) {
    op.getDepsMutable().assign(deps);
    op.setEdgesAttr(ArrayAttr::get(op.getContext(), edges));
  });
}

static EdgeAttr userEdge(MLIRContext *context) {
  return EdgeAttr::get(context, EdgeKind::user, {}, {});
}

/// Takes the edges from `from` away and adds those from `more`.
static void changeDeps(RewriterBase &rewriter, Operation *task, Value from,
                       ArrayRef<Value> more) {
  SmallVector<Value> deps;
  SmallVector<Attribute> edges;
  auto known = task->getAttrOfType<ArrayAttr>("edges").getValue();
  for (auto [dep, edge] : llvm::zip(depsOf(task), known))
    if (dep != from) {
      deps.push_back(dep);
      edges.push_back(edge);
    }
  for (Value dep : more)
    if (!llvm::is_contained(deps, dep)) {
      deps.push_back(dep);
      edges.push_back(userEdge(task->getContext()));
    }
  rewriter.modifyOpInPlace(task, [&] { setDeps(task, deps, edges); });
}

static void setForm(RewriterBase &rewriter, Block &block, WaitForm form) {
  block.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto wait = dyn_cast<WaitOp>(op); wait && form == WaitForm::deferred)
      rewriter.replaceOpWithNewOp<DeferWaitOp>(
          wait, wait.getSignal(), wait.getOffsets(), wait.getExpected());
    if (auto wait = dyn_cast<DeferWaitOp>(op);
        wait && form == WaitForm::blocking)
      rewriter.replaceOpWithNewOp<WaitOp>(wait, WaitCmp::ge, wait.getExpected(),
                                          wait.getSignal(), wait.getOffsets());
  });
}

/// The statements of `block` up to the last one that only waits; none where
/// something else is done before it. What is read after a wait may be what it
/// waits for.
static SmallVector<Operation *> leadingWaits(Block &block) {
  SmallVector<Operation *> all;
  size_t end = 0;
  for (Operation &op : block) {
    if (findWork(&op) || (end > 0 && hasRead(&op)))
      break;
    all.push_back(&op);
    if (hasWait(&op))
      end = all.size();
  }
  all.truncate(end);
  return all;
}

static LogicalResult checkProducer(Operation *waiter, Operation *producer,
                                   Diagnostic &refusal) {
  if (!isa<AtOp, SpmdOp, DummyOp>(producer)) {
    refusal << "the waits of '" << taskName(waiter)
            << "' are to follow what is no task";
    refusal.attachNote(producer->getLoc()) << "this";
    return failure();
  }
  if (producer->getBlock() == waiter->getBlock() &&
      producer->isBeforeInBlock(waiter))
    return success();
  refusal << "'" << taskName(waiter) << "' cannot follow '"
          << taskName(producer) << "', which comes after it";
  refusal.attachNote(producer->getLoc()) << "the task to follow";
  return failure();
}

static LogicalResult checkForm(Operation *waiter, WaitForm form,
                               Diagnostic &refusal) {
  bool good = true;
  waiter->walk([&](WaitOp wait) {
    if (form != WaitForm::deferred || wait.getCmp() == WaitCmp::ge)
      return WalkResult::advance();
    refusal << "a deferred wait ends when a cell has reached a value, and '"
            << taskName(waiter) << "' waits for equality";
    refusal.attachNote(wait.getLoc()) << "the wait";
    good = false;
    return WalkResult::interrupt();
  });
  return success(good);
}

static LogicalResult checkInto(Operation *waiter, Operation *into,
                               Operation *work, WaitForm form,
                               Diagnostic &refusal) {
  Value result = waiter->getResult(0);
  auto refuse = [&](Operation *at, const Twine &note) {
    refusal.attachNote(at->getLoc()) << note;
    return failure();
  };
  if (form == WaitForm::deferred) {
    refusal << "a deferred wait is a task of its own: '" << taskName(waiter)
            << "' cannot become part of '" << taskName(into) << "'";
    return failure();
  }
  if (!isa<AtOp>(into)) {
    refusal << "the waits of '" << taskName(waiter)
            << "' would be in every block of '" << taskName(into) << "'";
    return refuse(into, "a task of many blocks");
  }
  if (work) {
    refusal << "'" << taskName(waiter)
            << "' does more than to wait, and cannot become part of '"
            << taskName(into) << "'";
    return refuse(work, "this");
  }
  if (!llvm::is_contained(depsOf(into), result)) {
    refusal << "'" << taskName(into) << "' does not wait for '"
            << taskName(waiter) << "'";
    return refuse(into, "write it into deps= here, if it should");
  }
  for (Operation *user : result.getUsers())
    if (user != into) {
      refusal << "'" << taskName(user) << "' also waits for '"
              << taskName(waiter) << "', which would be a part of '"
              << taskName(into) << "'";
      return refuse(user, "this would then wait for more");
    }
  return success();
}

FailureOr<Operation *> mlir::pl::anchorWaits(RewriterBase &rewriter,
                                             Operation *waiter,
                                             Operation *producer, WaitForm form,
                                             Operation *into,
                                             Diagnostic &refusal) {
  auto scope = dyn_cast<AtOp>(waiter);
  if (!scope || !hasWait(scope)) {
    refusal << "task '" << taskName(waiter) << "' "
            << (scope ? "waits for no signal" : "has many blocks, which wait");
    return failure();
  }
  Operation *work = nullptr;
  for (Operation &op : scope.getBody().front())
    if (!work)
      work = findWork(&op);
  if (failed(checkProducer(waiter, producer, refusal)) ||
      failed(checkForm(waiter, form, refusal)) ||
      (into && failed(checkInto(waiter, into, work, form, refusal))))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  Block &body = scope.getBody().front();
  Value after = producer->getResult(0);
  if (into) {
    Block &target = into->getRegion(0).front();
    SmallVector<Value> deps(scope.getDeps());
    deps.push_back(after);
    changeDeps(rewriter, into, scope.getTask(), deps);
    rewriter.inlineBlockBefore(&body, &target, target.begin());
    rewriter.eraseOp(scope);
    setForm(rewriter, target, form);
    return into;
  }
  if (form == WaitForm::blocking || !work) {
    setForm(rewriter, body, form);
    changeDeps(rewriter, scope, Value(), after);
    if (form == WaitForm::deferred)
      rewriter.modifyOpInPlace(scope, [&] { scope.setEarlyResolve(false); });
    return waiter;
  }
  // A deferred wait is all that its task does.
  SmallVector<Operation *> waits = leadingWaits(body);
  if (waits.empty()) {
    refusal
        << "'" << taskName(waiter)
        << "' works before it waits; only waits at its begin can be those of "
           "a task before it";
    refusal.attachNote(work->getLoc()) << "this comes first";
    return failure();
  }
  auto before = cast<AtOp>(
      createTaskLike(rewriter, waiter, (taskName(waiter) + "_wait").str()));
  // Who waits for a signal is not ready early.
  before.setEarlyResolve(false);
  Block *first = &before.getBody().front();
  rewriter.setInsertionPointToEnd(first);
  // Scalars that the rest needs too are computed in both.
  IRMapping map;
  for (Operation *op : waits)
    rewriter.clone(*op, map);
  for (Operation *op : llvm::reverse(waits))
    if (hasWait(op) || op->use_empty())
      rewriter.eraseOp(op);
  setForm(rewriter, *first, form);
  changeDeps(rewriter, before, Value(), after);
  changeDeps(rewriter, scope, Value(), before.getTask());
  return before.getOperation();
}

namespace {
struct AnchorWaits : mlir::pl::impl::AnchorWaitsBase<AnchorWaits> {
  using AnchorWaitsBase::AnchorWaitsBase;

  void runOnOperation() override {
    Operation *waiter = find(task), *producer = find(after),
              *consumer = into.empty() ? nullptr : find(into);
    if (!waiter || !producer || (!into.empty() && !consumer))
      return signalPassFailure();
    Diagnostic refusal(waiter->getLoc(), DiagnosticSeverity::Error);
    IRRewriter rewriter(&getContext());
    if (succeeded(
            anchorWaits(rewriter, waiter, producer,
                        deferred ? WaitForm::deferred : WaitForm::blocking,
                        consumer, refusal)))
      return;
    getContext().getDiagEngine().emit(std::move(refusal));
    signalPassFailure();
  }

private:
  Operation *find(StringRef name) {
    Operation *found = nullptr;
    getOperation().walk([&](Operation *op) {
      if (isa<AtOp, SpmdOp, DummyOp>(op) && taskName(op) == name)
        found = op;
    });
    if (!found)
      getOperation().emitError()
          << "pl-anchor-waits: there is no task '" << name << "'";
    return found;
  }
};
} // namespace

//===- FusePublish.cpp - Rows go to their owners as they are made ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteRows.h"
#include "ScheduleUtils.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/CoreAffinity.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_FUSEPUBLISH
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "fuse";

namespace {
class Fusion {
public:
  Fusion(RewriterBase &rewriter, SpmdOp producer, AtOp exchange,
         int64_t workers, ArrayRef<StringRef> names, Diagnostic &refusal)
      : rewriter(rewriter), producer(producer), exchange(exchange),
        workers(workers), names(names), refusal(refusal) {}

  FailureOr<FusedPublish> run();

private:
  LogicalResult checkExchange();
  LogicalResult checkRoute();
  LogicalResult checkBuffer();
  LogicalResult checkStore(StoreOp store);
  LogicalResult checkBetween();
  LogicalResult checkNeeded(Value value);

  void hoist(Value value);
  SpmdOp createPublish();
  AtOp createFinish(SpmdOp publish);

  /// Starts the refusal with `reason`; a note points at `op`.
  LogicalResult refuse(const Twine &reason, Operation *op, const Twine &note) {
    mlir::pl::refuse(refusal, kWhat, producer) << reason;
    if (op)
      refusal.attachNote(op->getLoc()) << note;
    return failure();
  }

  RewriterBase &rewriter;
  SpmdOp producer;
  AtOp exchange;
  int64_t workers;
  ArrayRef<StringRef> names;
  Diagnostic &refusal;

  PutOp put;
  Operation *puts = nullptr; // with its loops
  SmallVector<Operation *> tells;
  SmallVector<NotifyOp> sends;
  bool hasRest = false;
  std::optional<PutRoute> route;
  AllocOp buffer;
  SmallVector<Operation *> views;
  SmallVector<StoreOp> stores;
  /// What the puts and notifies use of the function.
  llvm::SetVector<Value> needed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Puts, then notifies, then anything.
LogicalResult Fusion::checkExchange() {
  std::string who = describeTask(exchange);
  for (Operation &op : exchange.getBody().front()) {
    if (isScalar(&op))
      continue;
    if (!puts) {
      op.walk([&](PutOp found) {
        puts = &op;
        if (!put)
          put = found;
      });
      if (puts)
        continue;
      return refuse(who + " does something before its puts", &op,
                    "this comes first");
    }
    SmallVector<NotifyOp> notifies = notifiesOf(&op);
    if (notifies.empty() || hasRest) {
      hasRest = true;
      continue;
    }
    tells.push_back(&op);
    sends.append(notifies);
  }
  if (!puts)
    return refuse(who + " puts nothing", exchange, "this task");
  if (tells.empty())
    return refuse("in " + who +
                      " nothing tells the other ranks right after "
                      "the puts that their rows are there",
                  put, "put here");
  return success();
}

LogicalResult Fusion::checkRoute() {
  auto loops = loopsAround(put, puts);
  if (!loops)
    return refuse("the puts of " + describeTask(exchange) +
                      " are not one put alone in loops that carry nothing",
                  puts, "this holds them");
  PutRoute::Obstacle obstacle;
  route = PutRoute::of(put, *loops, exchange.getBody(), obstacle);
  if (!route)
    return refuse("of " + describeTask(exchange) + ": " + obstacle.reason,
                  obstacle.op, "here");
  return success();
}

/// Nobody but the two reads or writes the buffer, which then is not needed.
LogicalResult Fusion::checkBuffer() {
  Value root = rootOf(put.getSource());
  buffer = root.getDefiningOp<AllocOp>();
  if (!buffer)
    return refuse("what is put is no tensor of this function, and its caller "
                  "may read it",
                  put, "put here");
  std::string name = "'" + buffer.getName().str() + "'";
  SmallVector<Value> work{root};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (user == put || isa<memref::DimOp>(user))
        continue;
      if (isa<memref::ReinterpretCastOp>(user)) {
        views.push_back(user);
        work.push_back(user->getResult(0));
        continue;
      }
      auto store = dyn_cast<StoreOp>(user);
      if (!store)
        return refuse(name + " is also used by another op than the stores of "
                             "the one task and the put of the other",
                      user, "used here");
      if (!producer->isAncestor(store))
        return refuse(name + " is also written by another task", store,
                      "written here");
      if (failed(checkStore(store)))
        return failure();
      stores.push_back(store);
    }
  }
  if (stores.empty())
    return refuse("it does not write " + name + ", which " +
                      describeTask(exchange) + " puts",
                  put, "put here");
  return success();
}

LogicalResult Fusion::checkStore(StoreOp store) {
  MemRefType type = store.getTarget().getType();
  if (store.getAtomic() != AtomicKind::none)
    return refuse("it adds to what '" + buffer.getName() + "' holds", store,
                  "added to here");
  if (type.getRank() != 2 || type.isDynamicDim(1) ||
      !type.getLayout().isIdentity() ||
      route->getSource().getDimSize(1) % type.getDimSize(1) != 0)
    return refuse("its rows are no whole parts of the rows that are put", store,
                  "stored here");
  if (std::string reason = whyNotRemotely(store, *route); !reason.empty())
    return refuse(reason, store, "stored here");
  return success();
}

/// What the task that publishes needs is there before `producer`, or can be.
LogicalResult Fusion::checkNeeded(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != producer->getBlock() ||
      def->isBeforeInBlock(producer))
    return success();
  if (!isScalar(def))
    return refuse("what says where rows are put is known only after it", def,
                  "known here");
  for (Value operand : def->getOperands())
    if (failed(checkNeeded(operand)))
      return failure();
  return success();
}

LogicalResult Fusion::checkBetween() {
  if (producer->getBlock() != exchange->getBlock() ||
      !producer->isBeforeInBlock(exchange))
    return refuse("it does not come before " + describeTask(exchange), exchange,
                  "this task");
  if (producer->hasAttr(kManual) != exchange->hasAttr(kManual))
    return refuse("one of the two tasks is in a manual scope and the other is "
                  "not",
                  exchange, "the other task");
  Region &region = exchange.getBody();
  auto need = [&](Value value) {
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (!region.isAncestor(next.getParentRegion()))
        needed.insert(next);
      else if (Operation *def = next.getDefiningOp())
        llvm::append_range(work, def->getOperands());
    }
  };
  SmallVector<Operation *> sending(tells);
  sending.push_back(puts);
  for (Operation *root : sending)
    root->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (op != put || operand != put.getSource())
          need(operand);
    });
  for (Value value : needed)
    if (failed(checkNeeded(value)))
      return failure();
  for (Value dep : exchange.getDeps()) {
    Operation *def = dep.getDefiningOp();
    if (def && def != producer && def->getBlock() == producer->getBlock() &&
        !def->isBeforeInBlock(producer))
      return refuse(describeTask(exchange) + " waits for a task that comes "
                                             "after it",
                    def, "this task");
  }
  llvm::SmallPtrSet<Value, 4> reached{rootOf(route->getTarget())};
  for (NotifyOp send : sends)
    reached.insert(rootOf(send.getTarget()));
  // The ranks run the same program: what one of them stores early, another may
  // not have read yet.
  for (Operation *op = producer; op != exchange; op = op->getNextNode()) {
    Operation *found = nullptr;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<MemRefType>(operand.getType()) && !isScalar(inner) &&
            reached.contains(rootOf(operand)))
          found = inner;
    });
    if (found)
      return refuse(op == producer
                        ? "it uses the window or the signal itself"
                        : "between it and " + describeTask(exchange) +
                              " the window or its signal is used",
                    found, "used here");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The two tasks
//===----------------------------------------------------------------------===//

void Fusion::hoist(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != producer->getBlock() ||
      def->isBeforeInBlock(producer))
    return;
  for (Value operand : def->getOperands())
    hoist(operand);
  rewriter.moveOpBefore(def, producer);
}

template <typename Task>
static void addDeps(RewriterBase &rewriter, Task to, AtOp from,
                    Operation *without) {
  SmallVector<Value> deps(to.getDeps());
  SmallVector<Attribute> edges(to.getEdges().getValue());
  for (auto [dep, edge] : llvm::zip_equal(from.getDeps(), from.getEdges()))
    if (dep.getDefiningOp() != without && !llvm::is_contained(deps, dep)) {
      deps.push_back(dep);
      edges.push_back(edge);
    }
  rewriter.modifyOpInPlace(to, [&] {
    to.getDepsMutable().assign(deps);
    to.setEdgesAttr(rewriter.getArrayAttr(edges));
  });
}

SpmdOp Fusion::createPublish() {
  Location loc = producer.getLoc();
  rewriter.setInsertionPoint(producer);
  Value count = arith::ConstantIndexOp::create(rewriter, loc, workers);
  SpmdOp publish = createSpmdLike(rewriter, producer, count,
                                  names.empty() ? StringRef() : names[0]);
  addDeps(rewriter, publish, exchange, producer);
  rewriter.setInsertionPointToStart(&publish.getBody().front());
  Share share =
      createShare(rewriter, loc, producer.getBlocks(), publish.getBlockIndex(),
                  workers, Distribution::strided);
  auto loop =
      ForOp::create(rewriter, loc, LoopKind::range, share.lower, share.upper,
                    arith::ConstantIndexOp::create(rewriter, loc, share.step));
  rewriter.inlineBlockBefore(
      &producer.getBody().front(), &loop.getBody().front(),
      Block::iterator(loop.getYield()), {loop.getInductionVariable()});
  for (StoreOp store : stores)
    storeRemotely(rewriter, store, *route);
  rewriter.setInsertionPointToEnd(&publish.getBody().front());
  Recomputation again(exchange.getBody());
  for (Operation *tell : tells) {
    tell->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!tell->isAncestor(operand.getParentBlock()->getParentOp()) &&
            operand.getDefiningOp() != tell)
          again.compute(rewriter, operand);
    });
    rewriter.clone(*tell, again.getMapping());
  }
  return publish;
}

AtOp Fusion::createFinish(SpmdOp publish) {
  if (!hasRest) {
    replaceTask(rewriter, exchange, {publish});
    return {};
  }
  for (Operation *tell : tells)
    rewriter.eraseOp(tell);
  rewriter.eraseOp(puts);
  auto finish = cast<AtOp>(createTaskLike(
      rewriter, exchange, names.empty() ? StringRef() : names[1]));
  rewriter.modifyOpInPlace(finish, [&] {
    finish.getDepsMutable().assign(ValueRange{publish.getTask()});
    finish.setEdgesAttr(rewriter.getArrayAttr(EdgeAttr::get(
        rewriter.getContext(), EdgeKind::user, StringAttr(), StringAttr())));
  });
  addDeps(rewriter, finish, exchange, producer);
  Block &body = finish.getBody().front();
  rewriter.inlineBlockBefore(&exchange.getBody().front(), &body, body.end());
  replaceTask(rewriter, exchange, {finish});
  return finish;
}

FailureOr<FusedPublish> Fusion::run() {
  if (failed(checkNumber(producer, kWhat, "workers", workers, refusal)) ||
      failed(
          checkBlocks(producer, kWhat, workers, "take fewer workers", refusal)))
    return failure();
  if (!names.empty() && names.size() != 2)
    return refuse("two names are needed, or none", nullptr, "");
  if (failed(checkExchange()) || failed(checkRoute()) || failed(checkBuffer()))
    return failure();
  if (Operation *product = coreUseOf(producer.getBody()).cube)
    return refuse("it works on the cube, whose results do not go to other "
                  "ranks row by row",
                  product, "a product is here");
  if (failed(checkBetween()))
    return failure();
  auto credits = rescalable(sends, workers, kWhat, producer, refusal);
  if (failed(credits) || failed(checkBlocks(producer, kWhat, workers,
                                            "take fewer workers", refusal)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rescale(rewriter, *credits, sends, workers);
  for (Value value : needed)
    hoist(value);
  SpmdOp publish = createPublish();
  AtOp finish = createFinish(publish);
  replaceTask(rewriter, producer, {publish});
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      rewriter.eraseOp(view);
  if (buffer->use_empty())
    rewriter.eraseOp(buffer);
  return FusedPublish{publish, finish};
}

FailureOr<FusedPublish> mlir::pl::fusePublish(RewriterBase &rewriter,
                                              SpmdOp producer, AtOp exchange,
                                              int64_t workers,
                                              ArrayRef<StringRef> names,
                                              Diagnostic &refusal) {
  return Fusion(rewriter, producer, exchange, workers, names, refusal).run();
}

namespace {
struct FusePublish : mlir::pl::impl::FusePublishBase<FusePublish> {
  using FusePublishBase::FusePublishBase;
  void runOnOperation() override {
    SmallVector<StringRef> given(names.begin(), names.end());
    if (producer.empty() || exchange.empty()) {
      getOperation().emitError("pl-fuse-publish needs the options "
                               "producer=NAME and exchange=NAME");
      return signalPassFailure();
    }
    auto transform = [&](RewriterBase &rewriter, Operation *task,
                         Diagnostic &refusal) {
      LogicalResult fused = fuse(rewriter, task, given, refusal);
      numFused += succeeded(fused);
      return fused;
    };
    if (failed(transformTasks(getOperation(), producer, transform)))
      signalPassFailure();
  }

private:
  LogicalResult fuse(RewriterBase &rewriter, Operation *task,
                     ArrayRef<StringRef> given, Diagnostic &refusal) {
    auto spmd = dyn_cast<SpmdOp>(task);
    if (!spmd) {
      refuse(refusal, kWhat, task) << "it has no blocks that workers could "
                                      "share";
      return failure();
    }
    // The exchange that is next.
    for (Operation *op = task->getNextNode(); op; op = op->getNextNode())
      if (isa<AtOp, SpmdOp>(op) && taskName(op) == exchange) {
        if (auto at = dyn_cast<AtOp>(op))
          return fusePublish(rewriter, spmd, at, workers, given, refusal);
        refuse(refusal, kWhat, task)
            << describeTask(op) << " has blocks of its own";
        refusal.attachNote(op->getLoc()) << "this task";
        return failure();
      }
    refuse(refusal, kWhat, task)
        << "no task '" << exchange << "' comes after it";
    return failure();
  }
};
} // namespace

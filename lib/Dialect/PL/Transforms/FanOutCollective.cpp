//===- FanOutCollective.cpp - Many blocks push, copy and tell -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "TripRules.h"

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pl {
#define GEN_PASS_DEF_FANOUTCOLLECTIVE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "fan out";

namespace {
class FanOut {
public:
  FanOut(RewriterBase &rewriter, AtOp task, int64_t workers, int64_t tile,
         Distribution distribution, Diagnostic &refusal)
      : rewriter(rewriter), task(task), workers(workers), tile(tile),
        distribution(distribution), refusal(refusal) {}

  FailureOr<SpmdOp> run(StringRef name);

private:
  LogicalResult checkBody();
  LogicalResult checkPut();
  LogicalResult checkRows();
  LogicalResult checkTurns(ArrayRef<ForOp> loops);

  void sharePut(Value worker);
  void shareRows(Value worker);

  LogicalResult refuse(const Twine &reason, Operation *op, const Twine &note) {
    mlir::pl::refuse(refusal, kWhat, task) << reason;
    refusal.attachNote(op->getLoc()) << note;
    return failure();
  }

  RewriterBase &rewriter;
  AtOp task;
  int64_t workers, tile;
  Distribution distribution;
  Diagnostic &refusal;

  Operation *work = nullptr;
  SmallVector<NotifyOp> sends;
  /// Whose rows are shared; without one it is the trips of `loop`.
  PutOp put;
  ForOp loop;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Rows are put or copied, then the others are told.
LogicalResult FanOut::checkBody() {
  for (Operation &op : task.getBody().front()) {
    if (isScalar(&op))
      continue;
    SmallVector<NotifyOp> notifies = notifiesOf(&op);
    if (!notifies.empty()) {
      if (!work)
        return refuse("it tells the others before its rows are done", &op,
                      "told here");
      sends.append(notifies);
      continue;
    }
    if (isa<WaitOp, DeferWaitOp>(op) ||
        op.walk([](Operation *inner) {
            return isa<WaitOp, DeferWaitOp>(inner) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
          }).wasInterrupted())
      return refuse("it also waits for others, and each block would; let "
                    "another task wait",
                    &op, "it waits here");
    if (work)
      return refuse("it does more than to put or copy rows and then to tell "
                    "the others",
                    &op, "this is more");
    work = &op;
  }
  if (!work)
    return refuse("it puts and copies nothing", task, "this task");
  if (sends.empty())
    return refuse("it tells no other rank; pl-spmdize makes blocks of its loop",
                  task, "this task");
  return success();
}

/// The turns around the put may change places.
LogicalResult FanOut::checkTurns(ArrayRef<ForOp> loops) {
  ForOp peers, slabs;
  for (ForOp turn : loops) {
    if (constantTrips(turn) == 1)
      continue;
    if (dependenceOf(put.getPeer(), turn) == Dependence::distinct && !peers) {
      peers = turn;
      continue;
    }
    // Slabs beside each other.
    std::optional<int64_t> step = LinearExpr::of(turn.getStep()).asConstant();
    bool areApart =
        !slabs && step && dependenceOf(put.getPeer(), turn) == Dependence::none;
    bool onAxis = false;
    for (auto [offset, size] :
         llvm::zip_equal(put.getTargetOffsets(), put.getSizes())) {
      int64_t distance;
      std::optional<int64_t> extent = LinearExpr::of(size).asConstant();
      int64_t factor =
          LinearExpr::of(offset).coefficientOf(turn.getInductionVariable());
      onAxis |= extent && step && !llvm::MulOverflow(factor, *step, distance) &&
                dependenceOf(offset, turn) == Dependence::distinct &&
                std::abs(distance) >= *extent;
    }
    if (!areApart || !onAxis)
      return refuse("two turns of a loop around its put may write one place "
                    "of a window, where the later one would win",
                    turn, "the loop is here");
    slabs = turn;
  }
  return success();
}

LogicalResult FanOut::checkPut() {
  auto loops = loopsAround(put, work);
  if (!loops)
    return refuse("its puts are not one put alone in loops that carry nothing",
                  work, "this holds them");
  if (put.getSource().getType().getRank() != 2)
    return refuse("its put does not move rows of two axes", put, "put here");
  Recomputation again(task.getBody());
  if (Operation *unknown = again.obstacle(put.getSizes()[0], {}))
    return refuse("how many rows its put sends differs from turn to turn, or "
                  "comes from memory",
                  unknown, "known only here");
  if (rootOf(put.getSource()) == rootOf(put.getTarget()))
    return refuse("its put reads the window that it writes", put, "put here");
  return checkTurns(*loops);
}

LogicalResult FanOut::checkRows() {
  TripRules rules(task, kWhat, refusal);
  loop = dyn_cast<ForOp>(work);
  if (!loop)
    return refuse("its rows are no put and no loop, and cannot be shared", work,
                  "this is done once");
  if (Operation *unknown = findUnknown(work))
    return refuse("it holds an op of which is not known what it touches",
                  unknown, "this one");
  bool tells = false;
  work->walk([&](NotifyOp) { tells = true; });
  if (tells)
    return refuse("it tells the others before all of its rows are done", work,
                  "told in this loop");
  if (!loop.getInits().empty())
    return refuse("a trip of its loop needs what the trip before gives", loop,
                  "the loop is here");
  std::optional<int64_t> step = LinearExpr::of(loop.getStep()).asConstant();
  int64_t span;
  if (!step || *step <= 0 || llvm::MulOverflow(*step, tile, span) ||
      span > INT32_MAX)
    return refuse("the step of its loop is not known before it runs, or is too "
                  "large",
                  loop, "the loop is here");
  return rules.checkTrips(loop, /*assumeDisjoint=*/false);
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

void FanOut::sharePut(Value worker) {
  Location loc = work->getLoc();
  rewriter.setInsertionPoint(work);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Recomputation again(*work->getParentRegion());
  Value rows = again.compute(rewriter, put.getSizes()[0]);
  Value bands = createTripCount(rewriter, loc, number(0), rows, tile);
  Share share =
      createShare(rewriter, loc, bands, worker, workers, distribution);
  auto turns = ForOp::create(rewriter, loc, LoopKind::range, share.lower,
                             share.upper, number(share.step));
  rewriter.moveOpBefore(work, turns.getYield());
  rewriter.setInsertionPoint(work);
  Value row = createMulAdd(rewriter, loc, turns.getInductionVariable(), tile);
  std::optional<int64_t> all = getConstantIntValue(rows);
  Value size = number(tile);
  if (!all || *all % tile != 0)
    size = createMin(rewriter, loc, size,
                     arith::SubIOp::create(rewriter, loc, rows, row));
  rewriter.setInsertionPoint(put);
  Value from =
      arith::AddIOp::create(rewriter, loc, put.getSourceOffsets()[0], row);
  Value to =
      arith::AddIOp::create(rewriter, loc, put.getTargetOffsets()[0], row);
  rewriter.modifyOpInPlace(put, [&] {
    put.getSourceOffsetsMutable()[0].assign(from);
    put.getTargetOffsetsMutable()[0].assign(to);
    put.getSizesMutable()[0].assign(size);
    int64_t chunk = put.getChunkRows();
    put.setChunkRows(chunk == 0 ? tile : std::min(chunk, tile));
  });
}

void FanOut::shareRows(Value worker) {
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  int64_t step = stepOf(loop);
  Value trips =
      createTripCount(rewriter, loc, loop.getLower(), loop.getUpper(), step);
  std::optional<int64_t> number = getConstantIntValue(trips);
  Tiling tiling{tile, tile * step, step,
                createCeilDiv(rewriter, loc, trips, tile),
                number && *number % tile == 0};
  shareTiles(rewriter, loop, tiling, worker, workers, distribution);
}

FailureOr<SpmdOp> FanOut::run(StringRef name) {
  if (failed(checkNumber(task, kWhat, "workers", workers, refusal)) ||
      failed(checkNumber(task, kWhat, "tile", tile, refusal)) ||
      failed(checkBody()))
    return failure();
  // A put of one row is work of a trip like any other.
  work->walk([&](PutOp found) {
    if (!put && LinearExpr::of(found.getSizes().front()).asConstant() != 1)
      put = found;
  });
  if (failed(put ? checkPut() : checkRows()))
    return failure();
  auto credits = rescalable(sends, workers, kWhat, task, refusal);
  if (failed(credits) ||
      failed(checkBlocks(task, kWhat, workers, "take fewer workers", refusal)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rescale(rewriter, *credits, sends, workers);
  rewriter.setInsertionPoint(task);
  Location loc = task.getLoc();
  Value blocks = arith::ConstantIndexOp::create(rewriter, loc, workers);
  SpmdOp made = createSpmdLike(rewriter, task, blocks, name);
  Block &body = made.getBody().front();
  rewriter.setInsertionPointToStart(&body);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  moveBody(rewriter, task, &body, zero, one);
  if (put)
    sharePut(made.getBlockIndex());
  else
    shareRows(made.getBlockIndex());
  replaceTask(rewriter, task, {made});
  return made;
}

FailureOr<SpmdOp> mlir::pl::fanOutCollective(RewriterBase &rewriter, AtOp task,
                                             int64_t workers, int64_t tile,
                                             Distribution distribution,
                                             StringRef name,
                                             Diagnostic &refusal) {
  return FanOut(rewriter, task, workers, tile, distribution, refusal).run(name);
}

namespace {
struct FanOutCollective
    : mlir::pl::impl::FanOutCollectiveBase<FanOutCollective> {
  using FanOutCollectiveBase::FanOutCollectiveBase;
  void runOnOperation() override {
    if (task.empty()) {
      getOperation().emitError(
          "pl-fan-out-collective needs the option task=NAME");
      return signalPassFailure();
    }
    auto transform = [&](RewriterBase &rewriter, Operation *op,
                         Diagnostic &refusal) -> LogicalResult {
      auto at = dyn_cast<AtOp>(op);
      if (!at) {
        refuse(refusal, kWhat, op) << "it has blocks already";
        return failure();
      }
      if (failed(fanOutCollective(rewriter, at, workers, tile, distribution,
                                  name, refusal)))
        return failure();
      ++numFannedOut;
      return success();
    };
    if (failed(transformTasks(getOperation(), task, transform)))
      signalPassFailure();
  }
};
} // namespace

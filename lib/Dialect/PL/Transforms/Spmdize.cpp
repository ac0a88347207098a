//===- Spmdize.cpp - A loop over rows as blocks ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripRules.h"

#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pl {
#define GEN_PASS_DEF_SPMDIZE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "make blocks of";

/// The op inside `task` without which `value` cannot be known outside of it, or
/// null.
static Operation *findInnerSource(Value value, AtOp task) {
  SmallVector<Value> open{value};
  DenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *def = open.pop_back_val().getDefiningOp();
    if (!def || !task->isAncestor(def) || !seen.insert(def).second)
      continue;
    if (!isMemoryEffectFree(def) || def->getNumRegions() != 0 ||
        isa<BlockIdxOp, BlockNumOp>(def))
      return def;
    llvm::append_range(open, def->getOperands());
  }
  return nullptr;
}

/// `value` before `task`, where the builder is.
static Value hoist(RewriterBase &rewriter, Value value, AtOp task,
                   IRMapping &mapping) {
  Operation *def = value.getDefiningOp();
  if (!def || !task->isAncestor(def))
    return value;
  if (Value known = mapping.lookupOrNull(value))
    return known;
  for (Value operand : def->getOperands())
    mapping.map(operand, hoist(rewriter, operand, task, mapping));
  rewriter.clone(*def, mapping);
  return mapping.lookup(value);
}

/// The one trip that is left of `loop` takes its place.
static void inlineTrip(RewriterBase &rewriter, ForOp loop, Value counter) {
  rewriter.eraseOp(loop.getYield());
  rewriter.inlineBlockBefore(&loop.getBody().front(), loop, {counter});
  rewriter.eraseOp(loop);
}

FailureOr<SpmdOp> mlir::pl::spmdize(RewriterBase &rewriter, AtOp task,
                                    int64_t tile, int64_t workers,
                                    Distribution distribution, StringRef name,
                                    Diagnostic &refusal, bool assumeDisjoint) {
  TripRules rules(task, kWhat, refusal);
  if (failed(checkNumber(task, kWhat, "tile", tile, refusal)) ||
      (workers != 0 &&
       failed(checkNumber(task, kWhat, "workers", workers, refusal))) ||
      failed(rules.checkOps()))
    return failure();
  FailureOr<ForOp> found = rules.findLoop();
  if (failed(found))
    return failure();
  ForOp loop = *found;
  for (Value bound : {loop.getLower(), loop.getUpper()})
    if (Operation *source = findInnerSource(bound, task)) {
      rules.refuse() << "how often its loop runs is known only inside of it, "
                        "but the number of blocks is needed before";
      refusal.attachNote(source->getLoc()) << "this is known only inside";
      refusal.attachNote(loop.getLoc()) << "the loop is here";
      return failure();
    }
  if (failed(rules.checkRest(loop)) ||
      failed(rules.checkTrips(loop, assumeDisjoint)))
    return failure();
  int64_t step = stepOf(loop), span, stride;
  if (llvm::MulOverflow(tile, step, span) ||
      llvm::MulOverflow(step, std::max<int64_t>(workers, 1), stride)) {
    rules.refuse() << "tile is " << tile << ", which is too large";
    return failure();
  }
  std::optional<int64_t> first = getConstantIntValue(loop.getLower()),
                         last = getConstantIntValue(loop.getUpper()), count;
  if (workers != 0)
    count = workers;
  else if (first && last)
    count = llvm::divideCeil(std::max<int64_t>(*last - *first, 0), span);
  if (failed(checkBlocks(task, kWhat, count,
                         workers ? "take fewer workers"
                                 : "take a larger tile, or workers that share "
                                   "the tiles",
                         refusal)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(task);
  Location loc = loop.getLoc();
  IRMapping mapping;
  Value lower = hoist(rewriter, loop.getLower(), task, mapping);
  Value upper = hoist(rewriter, loop.getUpper(), task, mapping);
  Value trips = createTripCount(rewriter, loc, lower, upper, step);
  std::optional<int64_t> number = getConstantIntValue(trips);
  Tiling tiling{tile, span, step, createCeilDiv(rewriter, loc, trips, tile),
                number && *number % tile == 0};
  Value blocks = workers == 0
                     ? tiling.tiles
                     : arith::ConstantIndexOp::create(rewriter, loc, workers);
  SpmdOp made = createSpmdLike(rewriter, task, blocks, name);
  Block &body = made.getBody().front();
  rewriter.setInsertionPointToStart(&body);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  moveBody(rewriter, task, &body, zero, one);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getLowerMutable().assign(lower);
    loop.getUpperMutable().assign(upper);
  });
  Value block = made.getBlockIndex();
  if (workers != 0) {
    shareTiles(rewriter, loop, tiling, block, workers, distribution);
  } else if (tile == 1) {
    rewriter.setInsertionPoint(loop);
    Location counterLoc = loop.getInductionVariable().getLoc();
    inlineTrip(rewriter, loop,
               createMulAdd(rewriter, counterLoc, block, step, lower));
  } else {
    takeTile(rewriter, loop, block, span, tiling.isWhole);
  }
  replaceTask(rewriter, task, {made});
  return made;
}

namespace {
struct Spmdize : mlir::pl::impl::SpmdizeBase<Spmdize> {
  using SpmdizeBase::SpmdizeBase;
  void runOnOperation() override {
    if (task.empty() && !name.empty()) {
      emitError(getOperation().getLoc(),
                "pl-spmdize needs the option task=NAME to give "
                "a task the name '")
          << name << "'";
      return signalPassFailure();
    }
    auto transform = [&](RewriterBase &rewriter, Operation *op,
                         Diagnostic &refusal) -> LogicalResult {
      auto at = dyn_cast<AtOp>(op);
      if (!at) {
        refuse(refusal, kWhat, op)
            << "it has blocks already; pl-fan-out-m makes more of them";
        return failure();
      }
      if (failed(spmdize(rewriter, at, tile, workers, distribution, name,
                         refusal, assumeDisjoint)))
        return failure();
      ++numSpmdized;
      return success();
    };
    if (failed(transformTasks(getOperation(), task, transform)))
      signalPassFailure();
  }
};
} // namespace

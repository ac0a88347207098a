//===- CoarsenBlocks.cpp - Fewer, larger blocks ---------------------------===//
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

namespace mlir::pl {
#define GEN_PASS_DEF_COARSENBLOCKS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "coarsen";

FailureOr<SpmdOp> mlir::pl::coarsenBlocks(RewriterBase &rewriter, SpmdOp task,
                                          int64_t factor,
                                          Distribution distribution,
                                          StringRef name, Diagnostic &refusal) {
  TripRules rules(task, kWhat, refusal);
  if (failed(checkNumber(task, kWhat, "factor", factor, refusal)) ||
      failed(rules.checkOps()) || failed(rules.checkSumsOfBlocks(task)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(task);
  Location loc = task->getLoc(), indexLoc = task.getBlockIndex().getLoc();
  Value blocks = task.getBlocks();
  Value count = createCeilDiv(rewriter, loc, blocks, factor);
  SpmdOp made = createSpmdLike(rewriter, task, count, name);
  Block &body = made.getBody().front();
  rewriter.setInsertionPointToStart(&body);
  Value block = made.getBlockIndex(), one, lower, upper, step;
  one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  if (factor == 1) {
    moveBody(rewriter, task, &body, block, blocks);
    replaceTask(rewriter, task, {made});
    return made;
  }
  if (distribution == Distribution::strided) {
    lower = block;
    upper = blocks;
    step = count;
  } else {
    lower = createMulAdd(rewriter, indexLoc, block, factor);
    upper = createMulAdd(
        rewriter, indexLoc, lower, 1,
        arith::ConstantIndexOp::create(rewriter, indexLoc, factor));
    std::optional<int64_t> number = getConstantIntValue(blocks);
    if (!number || *number % factor != 0)
      upper = createMin(rewriter, indexLoc, upper, blocks);
    step = one;
  }
  auto loop = ForOp::create(rewriter, loc, LoopKind::range, lower, upper, step);
  loop.getInductionVariable().setLoc(indexLoc);
  Block &trip = loop.getBody().front();
  Operation *yield = trip.getTerminator();
  moveBody(rewriter, task, &trip, loop.getInductionVariable(), blocks);
  rewriter.moveOpAfter(yield, &trip.back());
  replaceTask(rewriter, task, {made});
  return made;
}

namespace {
struct CoarsenBlocks : mlir::pl::impl::CoarsenBlocksBase<CoarsenBlocks> {
  using CoarsenBlocksBase::CoarsenBlocksBase;
  void runOnOperation() override {
    if (task.empty()) {
      emitError(getOperation().getLoc(),
                "pl-coarsen-blocks needs the option task=NAME");
      return signalPassFailure();
    }
    auto transform = [&](RewriterBase &rewriter, Operation *op,
                         Diagnostic &refusal) -> LogicalResult {
      auto spmd = dyn_cast<SpmdOp>(op);
      if (!spmd) {
        refuse(refusal, kWhat, op) << "it has one block";
        return failure();
      }
      if (failed(coarsenBlocks(rewriter, spmd, factor, distribution, name,
                               refusal)))
        return failure();
      ++numCoarsened;
      return success();
    };
    if (failed(transformTasks(getOperation(), task, transform)))
      signalPassFailure();
  }
};
} // namespace

//===- FanOutM.cpp - The trips of a loop as more blocks -------------------===//
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
#include "llvm/Support/MathExtras.h"

namespace mlir::pl {
#define GEN_PASS_DEF_FANOUTM
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "fan out";

FailureOr<SpmdOp> mlir::pl::fanOutM(RewriterBase &rewriter, Operation *task,
                                    int64_t factor, Distribution distribution,
                                    StringRef name, Diagnostic &refusal) {
  TripRules rules(task, kWhat, refusal);
  if (failed(checkNumber(task, kWhat, "factor", factor, refusal)) ||
      failed(rules.checkOps()))
    return failure();
  FailureOr<ForOp> found = rules.findLoop();
  if (failed(found) || failed(rules.checkRest(*found)) ||
      failed(rules.checkTrips(*found, /*assumeDisjoint=*/false)))
    return failure();
  ForOp loop = *found;
  auto launch = dyn_cast<SpmdOp>(task);
  if (launch && failed(rules.checkSumsOfTrips(launch, loop)))
    return failure();
  int64_t step = stepOf(loop);
  std::optional<int64_t> count =
      launch ? getConstantIntValue(launch.getBlocks()) : 1;
  int64_t product;
  if (llvm::MulOverflow(step, factor, product) ||
      (count && llvm::MulOverflow(*count, factor, product))) {
    rules.refuse() << "factor is " << factor << ", which is too large";
    return failure();
  }
  if (failed(checkBlocks(task, kWhat,
                         count ? std::optional(product) : std::nullopt,
                         "take a smaller factor", refusal)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(task);
  Location loc = task->getLoc();
  Value blocks = launch
                     ? launch.getBlocks()
                     : Value(arith::ConstantIndexOp::create(rewriter, loc, 1));
  SpmdOp made = createSpmdLike(
      rewriter, task, createMulAdd(rewriter, loc, blocks, factor), name);
  rewriter.setInsertionPointToStart(&made.getBody().front());
  Value index, part = made.getBlockIndex();
  Location indexLoc = part.getLoc();
  if (count == 1) {
    index = arith::ConstantIndexOp::create(rewriter, indexLoc, 0);
  } else {
    index = arith::RemSIOp::create(rewriter, indexLoc, part, blocks);
    part = arith::FloorDivSIOp::create(rewriter, indexLoc, part, blocks);
  }
  moveBody(rewriter, task, &made.getBody().front(), index, blocks);
  takeShareOfTrips(rewriter, loop, step, part, factor, distribution);
  replaceTask(rewriter, task, {made});
  return made;
}

namespace {
struct FanOutM : mlir::pl::impl::FanOutMBase<FanOutM> {
  using FanOutMBase::FanOutMBase;
  void runOnOperation() override {
    if (task.empty()) {
      emitError(getOperation().getLoc(),
                "pl-fan-out-m needs the option task=NAME");
      return signalPassFailure();
    }
    auto transform = [&](RewriterBase &rewriter, Operation *op,
                         Diagnostic &refusal) -> LogicalResult {
      if (failed(fanOutM(rewriter, op, factor, distribution, name, refusal)))
        return failure();
      ++numFannedOut;
      return success();
    };
    if (failed(transformTasks(getOperation(), task, transform)))
      signalPassFailure();
  }
};
} // namespace

//===- PipelineLoops.cpp - Pipelined loops become copies of their bodies --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace mlir::pl {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// Replaces `loop` by an scf.for with the same body.
static scf::ForOp toScf(ForOp loop) {
  OpBuilder builder(loop);
  auto result =
      scf::ForOp::create(builder, loop.getLoc(), loop.getLower(),
                         loop.getUpper(), loop.getStep(), loop.getInits());
  Block *body = result.getBody();
  if (!body->empty())
    body->clear();
  Block &old = loop.getBody().front();
  Operation *yield = old.getTerminator();
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  for (auto [from, to] : llvm::zip(old.getArguments(), body->getArguments())) {
    to.setLoc(from.getLoc());
    from.replaceAllUsesWith(to);
  }
  body->getOperations().splice(body->end(), old.getOperations());
  loop.replaceAllUsesWith(result.getResults());
  loop.erase();
  return result;
}

namespace {
struct PipelineLoops : mlir::pl::impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<ForOp> loops;
    // Inner loops first: they are copied with the bodies around them.
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops) {
      bool isPipeline = loop.getKind() == LoopKind::pipeline;
      int64_t stages = loop.getStages();
      scf::ForOp expanded = toScf(loop);
      if (!isPipeline || stages < 2)
        continue;
      // A loop shorter than its stages gains nothing from more copies.
      if (std::optional<APInt> trip = expanded.getStaticTripCount())
        if (trip->ult(stages))
          continue;
      Location loc = expanded.getLoc();
      FailureOr<UnrolledLoopInfo> unrolled =
          loopUnrollByFactor(expanded, stages);
      if (failed(unrolled)) {
        emitError(loc) << "cannot make " << stages << " stages of this loop";
        return signalPassFailure();
      }
      // A loop of one iteration is gone.
      if (unrolled->mainLoopOp)
        (*unrolled->mainLoopOp)
            ->setDiscardableAttr(PLDialect::kStages,
                                 builder.getI64IntegerAttr(stages));
      ++numPipelined;
    }
  }
};
} // namespace

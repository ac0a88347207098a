//===- InlineLanes.cpp - Regions of vector lanes become plain code --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SideSlice.h"

#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_INLINELANES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct InlineLanes : mlir::pl::impl::InlineLanesBase<InlineLanes> {
  void runOnOperation() override {
    SmallVector<SplitAivOp> regions;
    getOperation()->walk([&](SplitAivOp op) { regions.push_back(op); });
    if (regions.empty())
      return;
    UnitAttr here = UnitAttr::get(&getContext());
    getOperation()->setAttr(kLanes, here);
    for (SplitAivOp region : regions) {
      // What both lanes do stays told from what happens once.
      region->walk([&](Operation *op) {
        if (op != region && op->getNumRegions() == 0 && !isMemoryEffectFree(op))
          op->setAttr(kLanes, here);
      });
      OpBuilder builder(region);
      Value lane = SubblockIdxOp::create(builder, region.getLane().getLoc(),
                                         builder.getIndexType());
      region.getLane().replaceAllUsesWith(lane);
      Operation *yield = region.getYield();
      region.replaceAllUsesWith(yield->getOperands());
      yield->erase();
      region->getBlock()->getOperations().splice(
          region->getIterator(), region.getBody().front().getOperations());
      region.erase();
      ++numRegions;
    }
  }
};
} // namespace

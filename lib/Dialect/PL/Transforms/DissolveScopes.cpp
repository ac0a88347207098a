//===- DissolveScopes.cpp - Tasks of scopes join the block around them ----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pl {
#define GEN_PASS_DEF_DISSOLVESCOPES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct DissolveScopes : mlir::pl::impl::DissolveScopesBase<DissolveScopes> {
  void runOnOperation() override {
    // Inner scopes first; a manual one has none inside.
    getOperation()->walk([&](ScopeOp scope) {
      Block &body = scope.getBody().front();
      if (scope.getKind() == ScopeKind::manual)
        for (Operation &op : body)
          if (isa<AtOp, SpmdOp, DummyOp>(op))
            op.setDiscardableAttr(kManual, UnitAttr::get(&getContext()));
      Operation *yield = body.getTerminator();
      scope->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      Block *block = scope->getBlock();
      block->getOperations().splice(scope->getIterator(), body.getOperations());
      scope.erase();
      ++numDissolved;
    });
  }
};
} // namespace

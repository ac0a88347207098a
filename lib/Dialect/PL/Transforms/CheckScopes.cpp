//===- CheckScopes.cpp - What core scopes may hold ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/ScopeRules.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKSCOPES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct CheckScopes : mlir::pl::impl::CheckScopesBase<CheckScopes> {
  using CheckScopesBase::CheckScopesBase;
  void runOnOperation() override;
};
} // namespace

/// Splices the inline functions that `function` calls.
static LogicalResult inlineCalls(func::FuncOp function, SymbolTable &symbols,
                                 InlinerInterface &interface) {
  InlinerConfig config;
  SmallVector<func::CallOp> calls;
  auto collect = [&](Operation *op) {
    op->walk([&](func::CallOp call) { calls.push_back(call); });
  };
  collect(function);
  while (!calls.empty()) {
    func::CallOp call = calls.pop_back_val();
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration() || !callee.isPrivate())
      continue;
    Operation *before = call->getPrevNode(), *after = call->getNextNode();
    Block *block = call->getBlock();
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                          &callee.getBody())))
      continue;
    call.erase();
    // Only what is new can hold further calls.
    Operation *op = before ? before->getNextNode() : &block->front();
    for (; op && op != after; op = op->getNextNode())
      collect(op);
  }
  return success();
}

void CheckScopes::runOnOperation() {
  markAllAnalysesPreserved();
  ModuleOp module = getOperation();
  bool concerns = module
                      .walk([](Operation *op) {
                        return concernsScopeRules(op) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!concerns)
    return;
  const ::pl::MachineDescription *description = ::pl::findMachine(machine);
  if (!description) {
    module.emitError() << "no machine is called '" << machine << "'";
    return signalPassFailure();
  }
  // The rules speak of what runs in a scope, wherever it is written: they are
  // checked on a copy with all calls spliced.
  OwningOpRef<ModuleOp> copy = module.clone();
  SymbolTable symbols(*copy);
  InlinerInterface interface(&getContext());
  bool good = true;
  for (auto function : copy->getOps<func::FuncOp>()) {
    // A program that a host program launches is private and called by nobody.
    if (function.isPrivate() && !isOrchestration(function))
      continue;
    good &= succeeded(inlineCalls(function, symbols, interface));
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) {
          if (isa<AtOp, SpmdOp>(op)) {
            good &= succeeded(checkDeferredWaits(op));
            good &= succeeded(checkLanes(op));
            good &= succeeded(checkBarriers(op, *description));
            good &= succeeded(checkCoherence(op));
            return WalkResult::skip();
          }
          if (isa<DeferWaitOp>(op)) {
            op->emitError()
                << "PL082: a deferred wait belongs into a core scope of its "
                   "own (with pl.at(...) as tid)";
            good = false;
          }
          return WalkResult::advance();
        });
  }
  if (!good)
    signalPassFailure();
}

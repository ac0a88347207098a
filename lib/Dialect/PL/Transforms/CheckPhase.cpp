//===- CheckPhase.cpp - The contract of a phase ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKPHASE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {

/// Every parameter has a name, every tensor a direction and names for its
/// dynamic dims.
LogicalResult checkParameters(FunctionOpInterface function) {
  auto wrong = [&](unsigned i, const Twine &what) {
    return function.emitError()
           << "'" << function.getName() << "': argument " << i << " " << what;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttrOfType<StringAttr>(i, PLDialect::kName))
      return wrong(i, "has no " + PLDialect::kName);
    auto memref = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    if (!memref)
      continue;
    if (!function.getArgAttrOfType<DirectionAttr>(i, PLDialect::kDirection))
      return wrong(i, "has no " + PLDialect::kDirection);
    auto dims = function.getArgAttrOfType<ArrayAttr>(i, PLDialect::kDims);
    size_t numNames = dims ? dims.size() : 0;
    if (isa<func::FuncOp>(function) &&
        numNames != static_cast<size_t>(memref.getNumDynamicDims()))
      return wrong(i, "has " + Twine(memref.getNumDynamicDims()) +
                          " dynamic dims and " + Twine(numNames) + " names");
  }
  return success();
}

LogicalResult forbid(Operation *op, StringRef phase) {
  return op->emitError() << "'" << op->getName()
                         << "' does not belong to phase '" << phase << "'";
}

/// Stops at the first that is wrong. One walk for all: a large program does not
/// fit into the caches.
LogicalResult checkOps(ModuleOp module,
                       function_ref<LogicalResult(Operation *)> check) {
  return failure(
      module.walk([&](Operation *op) { return WalkResult(check(op)); })
          .wasInterrupted());
}

LogicalResult checkSource(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->getAttrOfType<FuncKindAttr>(PLDialect::kKind))
      return function.emitError()
             << "'" << function.getName() << "' has no " << PLDialect::kKind;
    if (failed(checkParameters(function)))
      return failure();
  }
  return checkOps(module, [](Operation *op) -> LogicalResult {
    if (isa<KernelOp, LaunchOp, BufferOp, BufferViewOp, SetFlagOp, WaitFlagOp,
            PipeBarrierOp>(op))
      return forbid(op, "pl");
    return success();
  });
}

/// A launch gets whole tensors, each once, so that arguments never alias.
LogicalResult checkLaunch(LaunchOp launch) {
  llvm::SmallPtrSet<Value, 8> seen;
  for (Value arg : launch.getArgs()) {
    if (!isa<MemRefType>(arg.getType()))
      continue;
    if (!isa<BlockArgument>(arg) && !arg.getDefiningOp<AllocOp>())
      return launch.emitError() << "a kernel of phase 'tasks' takes whole "
                                   "tensors, but one argument is a view";
    if (!seen.insert(arg).second)
      return launch.emitError()
             << "a tensor is passed twice to '" << launch.getKernel() << "'";
  }
  return success();
}

LogicalResult checkTasks(ModuleOp module) {
  // A host program launches several orchestrations.
  bool anyHost = llvm::any_of(module.getOps<func::FuncOp>(), isHost);
  unsigned numFunctions = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (++numFunctions > 1 && !anyHost)
      return function.emitError()
             << "phase 'tasks' has one orchestration function, but '"
             << function.getName() << "' is another";
    if (failed(checkParameters(function)))
      return failure();
  }
  for (auto kernel : module.getOps<KernelOp>())
    if (failed(checkParameters(kernel)))
      return failure();
  return checkOps(module, [](Operation *op) -> LogicalResult {
    if (auto launch = dyn_cast<LaunchOp>(op))
      return checkLaunch(launch);
    if (isa<AtOp, SpmdOp, ScopeOp, NoDepOp, TaskNoneOp, TaskArrayOp, TaskSlotOp,
            TaskSetOp, TaskJoinOp, func::CallOp, BufferOp, BufferViewOp,
            SetFlagOp, WaitFlagOp, PipeBarrierOp>(op))
      return forbid(op, "tasks");
    return success();
  });
}

bool hasTile(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TileType>(type); });
}

LogicalResult checkTiles(ModuleOp module) {
  return checkOps(module, [](Operation *op) -> LogicalResult {
    if (auto buffer = dyn_cast<BufferOp>(op); buffer && !buffer.getAddress())
      return buffer.emitError() << "buffer '" << buffer.getName()
                                << "' has no address in phase 'tiles'";
    if (!isa<AtOp, SpmdOp, pl::ForOp, func::CallOp>(op) &&
        !hasTile(op->getResultTypes()) && !hasTile(op->getOperandTypes()))
      return success();
    // Host programs never change: no kernel is made of their loops.
    auto function = op->getParentOfType<func::FuncOp>();
    return function && isHost(function) ? success() : forbid(op, "tiles");
  });
}

class CheckPhase : public mlir::pl::impl::CheckPhaseBase<CheckPhase> {
public:
  using CheckPhaseBase::CheckPhaseBase;

  void runOnOperation() override {
    // Only the attribute that names the phase is set.
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    LogicalResult result = failure();
    if (phase == "pl")
      result = checkSource(module);
    else if (phase == "tasks")
      result = checkTasks(module);
    else if (phase == "tiles")
      result = checkTiles(module);
    else
      module.emitError() << "there is no phase '" << phase.getValue()
                         << "'; it is one of pl, tasks, tiles";
    if (failed(result))
      return signalPassFailure();
    module->setAttr(PLDialect::kPhase, StringAttr::get(&getContext(), phase));
  }
};

} // namespace

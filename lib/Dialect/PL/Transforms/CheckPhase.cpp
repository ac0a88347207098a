//===- CheckPhase.cpp - The contract of a phase ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

LogicalResult forbid(ModuleOp module, StringRef phase,
                     function_ref<bool(Operation *)> isForbidden) {
  WalkResult result = module.walk([&](Operation *op) {
    if (!isForbidden(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' does not belong to phase '"
                    << phase << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkSource(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->getAttrOfType<FuncKindAttr>(PLDialect::kKind))
      return function.emitError()
             << "'" << function.getName() << "' has no " << PLDialect::kKind;
    if (failed(checkParameters(function)))
      return failure();
  }
  return forbid(module, "pl", [](Operation *op) {
    return isa<KernelOp, LaunchOp, BufferOp, BufferViewOp, SetFlagOp,
               WaitFlagOp, PipeBarrierOp>(op);
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

bool isHost(func::FuncOp function) {
  auto kind = function->getAttrOfType<FuncKindAttr>(PLDialect::kKind);
  return kind && kind.getValue() == FuncKind::host;
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
  WalkResult launches = module.walk(
      [](LaunchOp launch) { return WalkResult(checkLaunch(launch)); });
  if (launches.wasInterrupted())
    return failure();
  return forbid(module, "tasks", [](Operation *op) {
    return isa<AtOp, SpmdOp, ScopeOp, func::CallOp, BufferOp, BufferViewOp,
               SetFlagOp, WaitFlagOp, PipeBarrierOp>(op);
  });
}

bool hasTile(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TileType>(type); });
}

LogicalResult checkTiles(ModuleOp module) {
  WalkResult addresses = module.walk([](BufferOp buffer) {
    if (buffer.getAddress())
      return WalkResult::advance();
    buffer.emitError() << "buffer '" << buffer.getName()
                       << "' has no address in phase 'tiles'";
    return WalkResult::interrupt();
  });
  if (addresses.wasInterrupted())
    return failure();
  return forbid(module, "tiles", [](Operation *op) {
    if (!isa<AtOp, SpmdOp, pl::ForOp, func::CallOp>(op) &&
        !hasTile(op->getResultTypes()) && !hasTile(op->getOperandTypes()))
      return false;
    // Host programs never change: no kernel is made of their loops.
    auto function = op->getParentOfType<func::FuncOp>();
    return !function || !isHost(function);
  });
}

class CheckPhase : public mlir::pl::impl::CheckPhaseBase<CheckPhase> {
public:
  using CheckPhaseBase::CheckPhaseBase;

  void runOnOperation() override {
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

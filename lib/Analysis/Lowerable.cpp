//===- Lowerable.cpp - What no phase after `pl` takes yet -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Lowerable.h"

#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pl;

/// The core-group scope around `op`, or null in orchestration.
static Operation *getScope(Operation *op) {
  while (op && !isa<AtOp, SpmdOp, KernelOp, func::FuncOp>(op))
    op = op->getParentOp();
  return isa_and_nonnull<AtOp, SpmdOp, KernelOp>(op) ? op : nullptr;
}

/// Functions that core-group scopes call, and functions those call.
static llvm::StringSet<> collectInCoreFunctions(ModuleOp module) {
  llvm::StringSet<> inCore;
  if (llvm::hasSingleElement(module.getOps<func::FuncOp>()))
    return inCore;
  SmallVector<func::FuncOp> worklist;
  auto visitCalls = [&](Operation *root, bool all) {
    root->walk([&](func::CallOp call) {
      if (!all && !getScope(call))
        return;
      if (inCore.insert(call.getCallee()).second)
        if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
          worklist.push_back(callee);
    });
  };
  visitCalls(module, /*all=*/false);
  while (!worklist.empty())
    visitCalls(worklist.pop_back_val(), /*all=*/true);
  return inCore;
}

static bool hasTask(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<AtOp, SpmdOp, DummyOp, func::CallOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The type as the language spells it when it is one that later phases lack.
static std::string getLaterType(Type type) {
  bool isTile = isa<TileType>(type);
  if (auto tile = dyn_cast<TileType>(type)) {
    // Later phases choose the memory; what the user chose must not be lost.
    if (tile.getSpace() != MemorySpace::none)
      return "a tile in the memory that target_memory= or pl.create_l1 names";
    type = tile.getElementType();
  } else if (auto memref = dyn_cast<MemRefType>(type)) {
    type = memref.getElementType();
  }
  if (type.isUnsignedInteger())
    return "UINT" + std::to_string(type.getIntOrFloatBitWidth());
  if (type.isSignlessInteger(4))
    return "INT4";
  if (isTile && type.isInteger(1))
    return "a BOOL tile";
  if (isa<FloatType>(type) && !type.isF32() && !type.isF16() &&
      !type.isBF16()) {
    std::string text;
    llvm::raw_string_ostream(text) << "element type " << type;
    return text;
  }
  return "";
}

/// Keywords of scopes and allocations that are attributes of phase `pl`.
static std::string getLaterAttribute(Operation *op) {
  static constexpr std::pair<StringLiteral, StringLiteral> known[] = {
      {"pl.staged", "pl.write to a tensor that the same scope fills"},
      {"pl.init_value", "init_value= of pl.create_tensor"}};
  for (auto [name, text] : known)
    if (op->hasAttr(name))
      return text.str();
  return "";
}

/// What a core does with tiles and numbers of its own, and loads and stores.
static bool isKernelCode(Operation *op) {
  return isMemoryEffectFree(op) ||
         isa<LoadBoxOp, StoreBoxOp, GatherRowOp, PrefetchOp, ArrayOp>(op);
}

/// Why phase `tiles` refuses `op`, or "".
static std::string describeNotInTiles(Operation *op) {
  if (op->hasTrait<mlir::pl::OpTrait::NotLoweredYet>())
    return ("'" + op->getName().getStringRef() + "'").str();
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    for (Type type : function.getArgumentTypes())
      if (std::string text = getLaterType(type); !text.empty())
        return text;
    return "";
  }
  if (std::string text = getLaterAttribute(op); !text.empty())
    return text;
  for (Type type : op->getResultTypes())
    if (std::string text = getLaterType(type); !text.empty())
      return text;
  return "";
}

/// Why phase `tasks` refuses `op`, or "".
static std::string
describeNotInTasks(Operation *op, const llvm::StringSet<> &inCoreFunctions) {
  if (isa<func::FuncOp>(op))
    return "";
  auto function = op->getParentOfType<func::FuncOp>();
  bool inCore = getScope(op) ||
                (function && inCoreFunctions.contains(function.getName()));
  if (op->hasTrait<mlir::pl::OpTrait::NotLoweredYet>())
    return inCore && isKernelCode(op)
               ? ""
               : ("'" + op->getName().getStringRef() + "'").str();
  // Arrays of a core are its own.
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return inCore && copy.getTarget().getDefiningOp<ArrayOp>()
               ? ""
               : "a copy between tensors outside core scopes";
  if (op->hasAttr("pl.sync_start"))
    return "sync_start=";
  if (function && isHost(function)) {
    if (isa<memref::ExtractStridedMetadataOp>(op))
      return "a reshape of a window in a host program";
    return isa<scf::WhileOp>(op) ? "a while loop of a host program" : "";
  }
  if (inCore)
    return isa<scf::WhileOp>(op) ? "a while loop" : "";
  if (isa<memref::TransposeOp>(op))
    return "pl.transpose of a tensor outside core scopes";
  if (isa<scf::WhileOp>(op))
    return "a while loop around tasks";
  if (isa<pl::ForOp>(op))
    return hasTask(op) ? "a task inside a run-time loop"
                       : "a run-time loop outside core scopes";
  if (isa<scf::IfOp>(op) && hasTask(op))
    return "a task inside a run-time branch";
  return "";
}

SmallVector<NotLowered> mlir::pl::findNotLowered(ModuleOp module, Door door) {
  llvm::StringSet<> inCore;
  if (door == Door::tasks)
    inCore = collectInCoreFunctions(module);
  SmallVector<NotLowered> found;
  llvm::StringSet<> seen;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string what = door == Door::tasks ? describeNotInTasks(op, inCore)
                                           : describeNotInTiles(op);
    if (!what.empty() && seen.insert(what).second)
      found.push_back({op->getLoc(), std::move(what)});
  });
  return found;
}

void mlir::pl::reportNotLowered(Operation *where, Location loc,
                                const Twine &what, StringRef phase,
                                bool isRemark) {
  if (!isRemark) {
    emitError(loc) << "PL099: " << what << " is not lowered past phase '"
                   << phase << "' yet";
    return;
  }
  emitRemark(loc)
      << what << " is not lowered past phase '" << phase
      << "' yet: what later phases check of this entry is undecided";
  where->setDiscardableAttr(kUndecided, UnitAttr::get(where->getContext()));
}

//===- OutlineKernels.cpp - Scopes become kernels and launches ---*- C++ --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::pl {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// What a scope takes from outside.
struct Captures {
  /// Whole tensors, each once, in order of first use.
  SetVector<Value> roots;
  /// Scalars that are not constants.
  SetVector<Value> scalars;
  /// Views and constants to make again inside, in order of definition.
  SetVector<Operation *> inner;
};

struct OutlineKernels : mlir::pl::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override;

private:
  template <typename ScopeOp>
  LogicalResult outline(ScopeOp scope, SymbolTable &symbols);

  std::optional<AccessCollector> collector;
};
} // namespace

/// Adds `value`, or what it is made of, to `captures`.
static LogicalResult capture(Value value, Captures &captures,
                             Operation *scope) {
  if (captures.roots.contains(value) || captures.scalars.contains(value))
    return success();
  Operation *def = value.getDefiningOp();
  if (def && captures.inner.contains(def))
    return success();
  bool isView = isa_and_nonnull<ViewLikeOpInterface>(def);
  if (isView || (def && matchPattern(def, m_Constant()))) {
    for (Value operand : def->getOperands())
      if (failed(capture(operand, captures, scope)))
        return failure();
    captures.inner.insert(def);
    return success();
  }
  if (isa<MemRefType>(value.getType())) {
    captures.roots.insert(value);
    return success();
  }
  if (value.getType().isIntOrIndexOrFloat()) {
    captures.scalars.insert(value);
    return success();
  }
  return scope->emitOpError()
         << "uses a value of type " << value.getType()
         << " from outside; only tensors and scalars enter a task";
}

/// Cube for products, vector for everything else that computes on tiles, both
/// cores of a cluster where a scope has work of both kinds.
static CoreKind coreKindOf(Operation *scope) {
  Operation *cube = nullptr, *vector = nullptr;
  bool hasLanes = false;
  scope->walk([&](Operation *op) {
    hasLanes |= isa<SplitAivOp>(op);
    if (isa<MatmulOp, MatmulAccOp>(op))
      cube = cube ? cube : op;
    else if (auto tileOp = dyn_cast<TileOpInterface>(op);
             tileOp && tileOp.getFacts().pipe == Pipe::v)
      vector = vector ? vector : op;
  });
  // Both lanes of a cluster are there only in a task for the whole cluster.
  if ((cube && vector) || hasLanes)
    return CoreKind::mix;
  return cube ? CoreKind::aic : CoreKind::aiv;
}

/// How the accesses of a scope use `root`.
static Direction directionOf(ArrayRef<Access> accesses, Value root) {
  bool reads = false, writes = false;
  for (const Access &access : accesses)
    if (access.root == root) {
      reads |= access.reads;
      writes |= access.writes;
    }
  if (reads && writes)
    return Direction::inout;
  return writes ? Direction::out : Direction::in;
}

/// A launch counts the lanes of its blocks; that of a task on both kinds of
/// cores has three for each.
static LogicalResult checkBlocks(Operation *scope, CoreKind core) {
  auto spmd = dyn_cast<SpmdOp>(scope);
  std::optional<int64_t> blocks =
      spmd ? getConstantIntValue(spmd.getBlocks()) : std::nullopt;
  bool isMixed = core == CoreKind::mix;
  int64_t most = ::pl::kMaxLaunchLanes / (isMixed ? 3 : 1);
  if (!blocks || (*blocks >= 0 && *blocks <= most))
    return success();
  return scope->emitError()
         << "PL058: this task has " << *blocks << " blocks, but a launch "
         << (isMixed ? "of a task with work for cube and vector cores " : "")
         << "has 0 to " << most
         << "; let each block do more, in a loop over its part";
}

template <typename ScopeOp>
LogicalResult OutlineKernels::outline(ScopeOp scope, SymbolTable &symbols) {
  Captures captures;
  SetVector<Value> used;
  getUsedValuesDefinedAbove(scope->getRegions(), used);
  for (Value value : used)
    if (failed(capture(value, captures, scope)))
      return failure();
  if (int64_t(captures.roots.size()) > ::pl::kMaxTaskTensors ||
      int64_t(captures.scalars.size()) > ::pl::kMaxTaskScalars)
    return scope->emitError()
           << "PL104: the scope uses " << captures.roots.size()
           << " tensors and " << captures.scalars.size()
           << " scalars from outside; a task takes " << ::pl::kMaxTaskTensors
           << " and " << ::pl::kMaxTaskScalars
           << ": split it, or compute scalars inside";
  CoreKind core = coreKindOf(scope);
  if (failed(checkBlocks(scope, core)))
    return failure();

  SmallVector<Value> arguments(captures.roots.getArrayRef());
  llvm::append_range(arguments, captures.scalars);
  OpBuilder builder(scope);
  StringRef name = scope.getName().value_or("task");
  auto type = builder.getFunctionType(TypeRange(ValueRange(arguments)), {});
  builder.setInsertionPointToEnd(cast<ModuleOp>(symbols.getOp()).getBody());
  auto kernel = KernelOp::create(builder, scope.getLoc(), name, type, core);
  if (core == CoreKind::mix)
    for (StringRef option : {kSlots, kSplit})
      if (Attribute value = scope->getAttr(option))
        kernel->setAttr(option, value);
  symbols.insert(kernel);
  ++numKernels;

  SmallVector<Access> accesses = collector->collect(scope);
  IRMapping mapping;
  ::llvm::StringSet<> names;
  for (auto [index, value] : llvm::enumerate(arguments)) {
    BlockArgument argument = kernel.getBody().getArgument(index);
    argument.setLoc(value.getLoc());
    mapping.map(value, argument);
    std::string userName = nameOf(value);
    if (userName.empty())
      userName = isa<MemRefType>(value.getType()) ? "tensor" : "scalar";
    std::string unique = userName;
    for (unsigned i = 1; !names.insert(unique).second; ++i)
      unique = userName + "_" + std::to_string(i);
    kernel.setArgAttr(index, PLDialect::kName, builder.getStringAttr(unique));
    if (isa<MemRefType>(value.getType()))
      kernel.setArgAttr(
          index, PLDialect::kDirection,
          DirectionAttr::get(&getContext(), directionOf(accesses, value)));
  }
  builder.setInsertionPointToStart(&kernel.getBody().front());
  if (auto spmd = dyn_cast<SpmdOp>(scope.getOperation())) {
    Value block = BlockIdxOp::create(builder, spmd.getBlockIndex().getLoc(),
                                     builder.getIndexType());
    mapping.map(spmd.getBlockIndex(), block);
  }
  for (Operation *op : captures.inner)
    builder.clone(*op, mapping);
  for (Operation &op : scope.getBody().front())
    builder.clone(op, mapping);

  builder.setInsertionPoint(scope);
  Value blocks;
  if (auto spmd = dyn_cast<SpmdOp>(scope.getOperation()))
    blocks = spmd.getBlocks();
  else
    blocks = arith::ConstantIndexOp::create(builder, scope.getLoc(), 1);
  auto launch = LaunchOp::create(
      builder, scope.getLoc(), TaskType::get(&getContext()),
      FlatSymbolRefAttr::get(kernel.getSymNameAttr()), blocks, arguments,
      scope.getDeps(), scope.getEdgesAttr(), scope.getEarlyResolveAttr());
  scope.getTask().replaceAllUsesWith(launch.getTask());
  scope.erase();
  // Views and constants that only this scope used live in the kernel now.
  for (Operation *op : llvm::reverse(captures.inner))
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}

void OutlineKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  collector.emplace();
  SmallVector<Operation *> scopes;
  module.walk([&](Operation *op) {
    if (isa<AtOp, SpmdOp>(op))
      scopes.push_back(op);
  });
  bool failedAny = false;
  for (Operation *op : scopes) {
    LogicalResult result = isa<AtOp>(op) ? outline(cast<AtOp>(op), symbols)
                                         : outline(cast<SpmdOp>(op), symbols);
    failedAny |= failed(result);
  }
  if (failedAny)
    return signalPassFailure();
  module->setAttr(PLDialect::kPhase, StringAttr::get(&getContext(), "tasks"));
}

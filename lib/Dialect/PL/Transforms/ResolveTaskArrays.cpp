//===- ResolveTaskArrays.cpp - Edges to the tasks of slots ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Lowerable.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_RESOLVETASKARRAYS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static bool isTask(Operation *op) { return isa<AtOp, SpmdOp, DummyOp>(op); }

/// Adds the tasks that `dep` stands for. Returns what keeps them from being
/// known, or null.
static Operation *collectTasks(Value dep, SmallVectorImpl<Value> &tasks) {
  Operation *op = dep.getDefiningOp();
  // What comes from outside stays as it is.
  if (!op || isTask(op)) {
    tasks.push_back(dep);
    return nullptr;
  }
  if (isa<TaskNoneOp>(op))
    return nullptr;
  Value array;
  std::optional<int64_t> wanted;
  if (auto slot = dyn_cast<TaskSlotOp>(op)) {
    array = slot.getArray();
    wanted = getConstantIntValue(slot.getIndex());
    if (!wanted)
      return op;
  } else if (auto join = dyn_cast<TaskJoinOp>(op)) {
    array = join.getArray();
  } else {
    return op;
  }
  // From the last write on: earlier ones to the same slot are gone.
  llvm::SmallSet<int64_t, 8> seen;
  while (auto set = array.getDefiningOp<TaskSetOp>()) {
    std::optional<int64_t> index = getConstantIntValue(set.getIndex());
    if (!index)
      return set;
    if (wanted ? *index == *wanted : seen.insert(*index).second) {
      if (Operation *unknown = collectTasks(set.getTask(), tasks))
        return unknown;
      if (wanted)
        return nullptr;
    }
    array = set.getArray();
  }
  return array.getDefiningOp<TaskArrayOp>() ? nullptr : op;
}

static StringRef describe(Operation *unknown) {
  auto slot = dyn_cast<TaskSlotOp>(unknown);
  if (isa<TaskSetOp>(unknown) ||
      (slot && !getConstantIntValue(slot.getIndex())))
    return "an array of tasks with an index that only the run knows";
  if (isa<TaskSlotOp, TaskJoinOp>(unknown))
    return "an array of tasks that a run-time loop or branch chooses";
  return "an edge to a task that a run-time loop or branch chooses";
}

namespace {
struct ResolveTaskArrays
    : mlir::pl::impl::ResolveTaskArraysBase<ResolveTaskArrays> {
  using ResolveTaskArraysBase::ResolveTaskArraysBase;

  void runOnOperation() override {
    SmallVector<Operation *> arrays;
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<AtOp, SpmdOp, DummyOp>([&](auto task) {
            for (Value dep : task.getDeps())
              if (Operation *def = dep.getDefiningOp(); def && !isTask(def)) {
                failedAny |= failed(resolve(task));
                break;
              }
          })
          .Case<TaskNoneOp, TaskArrayOp, TaskSlotOp, TaskSetOp, TaskJoinOp>(
              [&](auto) { arrays.push_back(op); });
    });
    if (failedAny)
      return signalPassFailure();
    // Without any, no edge was one to a slot.
    if (arrays.empty())
      return markAllAnalysesPreserved();
    // What else uses one is a loop or branch without tasks.
    for (Operation *op : llvm::reverse(arrays))
      if (op->use_empty())
        op->erase();
  }

private:
  template <typename TaskOp> LogicalResult resolve(TaskOp task) {
    llvm::MapVector<Value, Attribute> edges;
    SmallVector<Value> tasks;
    for (auto [dep, edge] :
         llvm::zip_equal(task.getDeps(), task.getEdges().getValue())) {
      tasks.clear();
      if (Operation *unknown = collectTasks(dep, tasks)) {
        reportNotLowered(getOperation(), unknown->getLoc(), describe(unknown),
                         "pl", remarksOnly);
        return failure();
      }
      for (Value one : tasks)
        edges.insert({one, edge});
    }
    SmallVector<Value> deps;
    SmallVector<Attribute> labels;
    for (auto [dep, edge] : edges) {
      deps.push_back(dep);
      labels.push_back(edge);
    }
    task.getDepsMutable().assign(deps);
    task.setEdgesAttr(ArrayAttr::get(&getContext(), labels));
    return success();
  }
};
} // namespace

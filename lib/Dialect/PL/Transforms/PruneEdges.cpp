//===- PruneEdges.cpp - Edges that other edges imply ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_PRUNEEDGES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct PruneEdges : mlir::pl::impl::PruneEdgesBase<PruneEdges> {
  using PruneEdgesBase::PruneEdgesBase;

  void runOnOperation() override {
    numbers.clear();
    ancestors.clear();
    // Tasks come after what they wait for.
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<LaunchOp, DummyOp>(
          [&](auto task) { prune(task); });
    });
  }

private:
  template <typename TaskOp> void prune(TaskOp task) {
    SmallVector<Value> deps;
    SmallVector<Attribute> edges;
    for (auto [index, dep, edge] :
         llvm::enumerate(task.getDeps(), task.getEdges())) {
      bool isUsers = cast<EdgeAttr>(edge).getKind() == EdgeKind::user;
      if (!isUsers && isImplied(task.getDeps(), index)) {
        ++numPruned;
        if (remarks)
          remark(task, index);
        continue;
      }
      deps.push_back(dep);
      edges.push_back(edge);
    }
    if (deps.size() != task.getDeps().size()) {
      task.getDepsMutable().assign(deps);
      task.setEdgesAttr(ArrayAttr::get(&getContext(), edges));
    }
    llvm::BitVector before(numbers.size());
    for (Value dep : deps)
      if (auto number = numbers.find(dep); number != numbers.end()) {
        before |= ancestors[number->second];
        before.set(number->second);
      }
    numbers[task.getTask()] = ancestors.size();
    ancestors.push_back(std::move(before));
  }

  /// Does another of `deps` wait for the one at `index`? Of two equal ones the
  /// first stays.
  bool isImplied(ValueRange deps, unsigned index) {
    auto number = numbers.find(deps[index]);
    if (number == numbers.end())
      return false;
    for (auto [other, dep] : llvm::enumerate(deps)) {
      if (dep == deps[index] && other < index)
        return true;
      auto otherNumber = numbers.find(dep);
      if (otherNumber == numbers.end())
        continue;
      const llvm::BitVector &before = ancestors[otherNumber->second];
      if (number->second < before.size() && before.test(number->second))
        return true;
    }
    return false;
  }

  /// The path of edges that implies the one at `index`.
  void remark(Operation *task, unsigned index) {
    auto deps = [](Operation *op) {
      auto launch = dyn_cast<LaunchOp>(op);
      return launch ? launch.getDeps() : cast<DummyOp>(op).getDeps();
    };
    Value target = deps(task)[index];
    unsigned number = numbers[target];
    SmallVector<StringRef> path = {taskLabel(task)};
    for (Operation *at = task; at;) {
      Operation *next = nullptr;
      for (auto [other, dep] : llvm::enumerate(deps(at))) {
        bool isDirect = dep == target && (at != task || other != index);
        auto known = numbers.find(dep);
        if (isDirect || (known != numbers.end() &&
                         number < ancestors[known->second].size() &&
                         ancestors[known->second].test(number))) {
          path.push_back(taskLabel(dep.getDefiningOp()));
          next = isDirect ? nullptr : dep.getDefiningOp();
          break;
        }
      }
      at = next;
    }
    std::reverse(path.begin(), path.end());
    mlir::emitRemark(task->getLoc())
        << "PL095: the edge from task '" << path.front() << "' to task '"
        << path.back() << "' is left out, as others order the two: "
        << llvm::join(path, " -> ");
  }

  /// Tasks in program order, and for each those that end before it starts.
  DenseMap<Value, unsigned> numbers;
  SmallVector<llvm::BitVector> ancestors;
};
} // namespace

//===- TaskEdges.h - The tasks of a graph and their edges -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_DRIVER_TASKEDGES_H
#define PL_TEST_UNIT_DRIVER_TASKEDGES_H

#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace pl::driver {

/// A task of an orchestration: a scope, a launch or a dummy, seen alike.
struct Task {
  mlir::Operation *op;

  static bool isTask(mlir::Operation *op) {
    return llvm::isa<mlir::pl::AtOp, mlir::pl::SpmdOp, mlir::pl::LaunchOp,
                     mlir::pl::DummyOp>(op);
  }
  mlir::MutableOperandRange deps() const {
    return llvm::TypeSwitch<mlir::Operation *, mlir::MutableOperandRange>(op)
        .Case<mlir::pl::AtOp, mlir::pl::SpmdOp, mlir::pl::LaunchOp>(
            [](auto task) { return task.getDepsMutable(); })
        .Default([](mlir::Operation *other) {
          return llvm::cast<mlir::pl::DummyOp>(other).getDepsMutable();
        });
  }
  mlir::ArrayAttr edges() const {
    return op->getAttrOfType<mlir::ArrayAttr>("edges");
  }
  mlir::pl::EdgeAttr edge(unsigned index) const {
    return llvm::cast<mlir::pl::EdgeAttr>(edges()[index]);
  }
  std::string name() const {
    if (auto launch = llvm::dyn_cast<mlir::pl::LaunchOp>(op))
      return launch.getKernel().str();
    auto name = op->getAttrOfType<mlir::StringAttr>("name");
    return name ? name.str() : "task";
  }
  void erase(unsigned edge) const {
    llvm::SmallVector<mlir::Attribute> kept(edges().begin(), edges().end());
    kept.erase(kept.begin() + edge);
    deps().erase(edge);
    op->setAttr("edges", mlir::ArrayAttr::get(op->getContext(), kept));
  }
};

/// In program order; those inside another are not counted.
inline std::vector<Task> collectTasks(mlir::Operation *root) {
  std::vector<Task> tasks;
  root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!Task::isTask(op))
      return mlir::WalkResult::advance();
    tasks.push_back({op});
    return mlir::WalkResult::skip();
  });
  return tasks;
}

/// Whether `from` comes before `to` on some path of edges.
inline bool hasPath(mlir::Operation *from, Task to) {
  for (mlir::OpOperand &dep : to.deps()) {
    mlir::Operation *producer = dep.get().getDefiningOp();
    if (producer == from || (producer && hasPath(from, {producer})))
      return true;
  }
  return false;
}

inline std::string describe(mlir::Attribute edge) {
  std::string text;
  llvm::raw_string_ostream os(text);
  edge.print(os);
  return text;
}

} // namespace pl::driver

#endif // PL_TEST_UNIT_DRIVER_TASKEDGES_H

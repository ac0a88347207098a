//===- OptOuts.h - Edges that the user does without -------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `no_dep_args=` and `pl.no_dep` speak of one tensor in one task, `manual_dep=`
// of a tensor in all tasks: its accesses make no edges. That none is needed is
// a claim, which the race check tests.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_OPTOUTS_H
#define PL_ANALYSIS_OPTOUTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::pl {

/// The attribute of allocations with `manual_dep=True`.
constexpr llvm::StringLiteral kManualDep = "pl.manual_dep";

/// Whether the tensor is made with it.
bool isManualDep(Value root);

class OptOuts {
public:
  /// Those of a task, which is a pl.at, pl.spmd or pl.dummy.
  explicit OptOuts(Operation *task);
  /// Whether accesses of the task to a tensor make no edges.
  bool contains(Value root) const {
    return roots.contains(root.getAsOpaquePointer()) || isManualDep(root);
  }

private:
  llvm::SmallPtrSet<const void *, 2> roots;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_OPTOUTS_H

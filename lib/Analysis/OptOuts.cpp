//===- OptOuts.cpp - Edges that the user does without ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/OptOuts.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::isManualDep(Value root) {
  auto alloc = root.getDefiningOp<AllocOp>();
  return alloc && alloc->hasAttr(kManualDep);
}

OptOuts::OptOuts(Operation *task) {
  // The notes of a task stand at the head of its body.
  for (Region &region : task->getRegions())
    for (Block &block : region)
      for (auto note : block.getOps<NoDepOp>())
        roots.insert(rootOf(note.getTensor()).getAsOpaquePointer());
}

//===- CheckLowerable.cpp - The door of phase `tasks` ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Lowerable.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKLOWERABLE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
class CheckLowerable
    : public mlir::pl::impl::CheckLowerableBase<CheckLowerable> {
public:
  using CheckLowerableBase::CheckLowerableBase;

  void runOnOperation() override {
    SmallVector<NotLowered> found = findNotLowered(getOperation());
    for (const NotLowered &item : found)
      emitError(item.loc) << "PL099: " << item.what
                          << " is not lowered past phase 'pl' yet";
    if (!found.empty())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

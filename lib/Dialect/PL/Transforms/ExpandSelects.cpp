//===- ExpandSelects.cpp - Selections between tiles as branches -*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_EXPANDSELECTS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct ExpandSelects : mlir::pl::impl::ExpandSelectsBase<ExpandSelects> {
  void runOnOperation() override {
    getOperation()->walk([&](arith::SelectOp select) {
      if (!isa<TileType>(select.getType()))
        return;
      OpBuilder builder(select);
      auto yield = [](Value value) {
        return [value](OpBuilder &arm, Location loc) {
          scf::YieldOp::create(arm, loc, value);
        };
      };
      auto branch = scf::IfOp::create(
          builder, select.getLoc(), select.getCondition(),
          yield(select.getTrueValue()), yield(select.getFalseValue()));
      select.replaceAllUsesWith(branch);
      select.erase();
      ++numExpanded;
    });
  }
};
} // namespace

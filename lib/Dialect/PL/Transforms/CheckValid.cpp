//===- CheckValid.cpp - Valid boxes of operands fit together ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/LinearExpr.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKVALID
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static LinearExpr exprOf(OpFoldResult extent) {
  if (auto value = dyn_cast<Value>(extent))
    return LinearExpr::of(value);
  return LinearExpr(*getConstantIntValue(extent));
}

/// `a <= b` for certain: a minimum is at most each of its operands.
static bool isAtMost(const LinearExpr &a, const LinearExpr &b,
                     unsigned depth = 0) {
  if (std::optional<int64_t> difference = (b - a).asConstant())
    return *difference >= 0;
  if (depth == 4)
    return false;
  for (auto [value, factor] : a.getTerms())
    if (auto min = value.getDefiningOp<arith::MinSIOp>(); min && factor == 1)
      for (Value operand : min->getOperands())
        if (isAtMost(a.substitute(value, LinearExpr::of(operand)), b,
                     depth + 1))
          return true;
  return false;
}

static std::string textOf(Value tile, const ValidExtents &extents) {
  std::string text = nameOf(tile);
  text = (text.empty() ? "an operand" : "'" + text + "'") + " valid [";
  for (unsigned axis : {0u, 1u})
    text += (axis ? ", " : "") + exprOf(extents.get(tile, axis)).str();
  return text + "]";
}

namespace {
struct CheckValid : mlir::pl::impl::CheckValidBase<CheckValid> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ValidExtents extents(getOperation());
    bool failedAny = false;
    getOperation()->walk([&](Operation *op) {
      if (!isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp>(op) ||
          op->getNumResults() == 0)
        return;
      failedAny |= failed(check(op, extents));
    });
    if (failedAny)
      signalPassFailure();
  }

private:
  LogicalResult check(Operation *op, const ValidExtents &extents) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    bool lhsInside = true, rhsInside = true;
    for (unsigned axis : {0u, 1u}) {
      OpFoldResult a = extents.get(lhs, axis), b = extents.get(rhs, axis);
      if (!a || !b) {
        ++numUndecided;
        return success();
      }
      // Every valid extent is inside the whole box.
      int64_t box = cast<TileType>(lhs.getType()).getExtent(axis);
      lhsInside &= isConstantIntValue(b, box) || isAtMost(exprOf(a), exprOf(b));
      rhsInside &= isConstantIntValue(a, box) || isAtMost(exprOf(b), exprOf(a));
    }
    ++numChecked;
    if (lhsInside || rhsInside)
      return success();
    return op->emitError()
           << "PL101: " << textOf(lhs, extents) << " and "
           << textOf(rhs, extents)
           << ": neither valid box is known to lie inside the other; narrow "
              "both to one box with set_validshape";
  }
};
} // namespace

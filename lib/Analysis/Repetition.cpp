//===- Repetition.cpp - Trips and blocks that touch other elements --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Repetition.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

Repetition::Repetition(ForOp loop)
    : scope(loop), counter(loop.getInductionVariable()),
      step(LinearExpr::of(loop.getStep()).asConstant()) {}

Repetition::Repetition(SpmdOp launch)
    : scope(launch), counter(launch.getBlockIndex()), step(1) {}

bool Repetition::areApart(const AccessRegion &early,
                          const AccessRegion &late) const {
  if (!step || *step <= 0)
    return false;
  auto isKnown = [&](const LinearExpr &expr) {
    return llvm::all_of(expr.getTerms(), [&](auto term) {
      return term.first == counter ||
             !scope->isAncestor(term.first.getParentBlock()->getParentOp());
    });
  };
  // `to` for a counter `k` steps higher, less `from`: at least zero for all
  // k >= 1?
  auto grows = [&](const LinearExpr &from, const LinearExpr &to) {
    int64_t slope = to.coefficientOf(counter);
    std::optional<int64_t> gap = (to - from).asConstant();
    int64_t first;
    return isKnown(from) && isKnown(to) && gap && slope > 0 &&
           !llvm::MulOverflow(slope, *step, first) &&
           !llvm::AddOverflow(first, *gap, first) && first >= 0;
  };
  LinearExpr zero(0);
  return llvm::any_of(llvm::zip_equal(early.axes, late.axes), [&](auto pair) {
    auto &[a, b] = pair;
    // Upwards, or downwards with all signs turned.
    return grows(a.high, b.low) || grows(zero - a.low, zero - b.high);
  });
}

bool Repetition::areApartBothWays(const Access &a, const Access &b) const {
  auto areRegionsApart = [&](const AccessRegion &x, const AccessRegion &y) {
    return areApart(x, y) && areApart(y, x);
  };
  // A tensor that is reshaped in here may be another one each time.
  Value view = a.view;
  if (view && scope->isAncestor(view.getParentBlock()->getParentOp()))
    return areRegionsApart(a.region, b.region);
  return anyRegion(a, b, areRegionsApart);
}

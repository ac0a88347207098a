//===- IndexBounds.h - What index values are at least and at most -*- C++ -*-=//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs about linear expressions of index values: that one is never negative,
// whatever the dims are; and bounds of what a scope computes, over all of its
// blocks and loops, in terms of values from outside of it. An answer is proved
// or it is none.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_INDEXBOUNDS_H
#define PL_ANALYSIS_INDEXBOUNDS_H

#include "pl/Analysis/LinearExpr.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace mlir::pl {

/// Whether `expr` is at least zero for all dims that are at least `leastDim`.
/// Looks through quotients, rests, minima and maxima.
bool isNeverNegative(const LinearExpr &expr, int64_t leastDim = 0);

/// `a <= b` for certain.
inline bool isAtMost(const LinearExpr &a, const LinearExpr &b) {
  return isNeverNegative(b - a);
}

/// One value for all that are computed alike from the same values, so that two
/// scopes which both compute `n // 8` agree.
class ValueNumbers {
public:
  Value representative(Value value);
  LinearExpr normalize(const LinearExpr &expr);

private:
  std::map<SmallVector<int64_t, 8>, Value> known;
  llvm::DenseMap<Value, Value> numbers;
};

/// Bounds of values inside `scope` by values outside of it.
class ScopeBounds {
public:
  ScopeBounds(Operation *scope, ValueNumbers &numbers)
      : scope(scope), numbers(numbers) {}

  /// Least (`upper` false) or greatest value of `expr`, or nothing; then
  /// `getObstacle` is the value that has no bound.
  std::optional<LinearExpr> bound(LinearExpr expr, bool upper);
  Value getObstacle() const { return obstacle; }
  void forgetObstacle() { obstacle = Value(); }

  /// `expr` is `base` and a multiple of `step`, with `base` from outside: the
  /// same for all blocks and turns. `step` 0: it is `base`.
  struct Residue {
    LinearExpr base;
    int64_t step = 0;
  };
  std::optional<Residue> residueOf(LinearExpr expr);

  /// Defined inside, and not computed from values outside alone.
  bool varies(Value value);

private:
  bool isInside(Value value) const;
  /// A bound of `factor * value`.
  std::optional<LinearExpr> boundOfTerm(Value value, int64_t factor,
                                        bool upper);
  std::optional<LinearExpr> boundOfQuotient(Operation *op, int64_t factor,
                                            bool upper);

  Operation *scope;
  ValueNumbers &numbers;
  llvm::DenseMap<Value, bool> variance;
  Value obstacle;
  unsigned depth = 0;
};

/// Least (`upper` false) or greatest value of `expr` over what is defined
/// inside `scope`, in terms of values outside of it, or nothing.
std::optional<LinearExpr> boundOf(const LinearExpr &expr, Operation *scope,
                                  bool upper);

} // namespace mlir::pl

#endif // PL_ANALYSIS_INDEXBOUNDS_H

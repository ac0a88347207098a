//===- AccessRegions.h - Which bytes a task touches -------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_ACCESSREGIONS_H
#define PL_ANALYSIS_ACCESSREGIONS_H

#include "pl/Analysis/LinearExpr.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pl {

/// The allocation or parameter behind a GM tensor, through every view.
Value rootOf(Value memref);

/// `[low, high)` of one axis.
struct AxisRange {
  LinearExpr low, high;
  /// What cannot be compared with the extent of the tensor may have it as a
  /// second bound.
  std::optional<LinearExpr> end = std::nullopt;
};

/// A box of a root tensor, one range per axis of the root.
struct AccessRegion {
  SmallVector<AxisRange, 0> axes;

  /// True only if provably no element is in both.
  bool isDisjointFrom(const AccessRegion &other) const;
  /// True only if provably every element of `other` is in this one.
  bool covers(const AccessRegion &other) const;
  /// "[0:T, 0:512]".
  std::string str() const;
  static AccessRegion whole(Value root);
};

/// Least (`upper` false) or greatest value of `expr` over what is defined
/// inside `scope`, in terms of values outside of it, or nothing.
std::optional<LinearExpr> boundOf(const LinearExpr &expr, Operation *scope,
                                  bool upper);

/// What one op of a task does to one tensor.
struct Access {
  Value root;
  AccessRegion region;
  /// Where `region` is no more than a bound because of a reshape: the reshaped
  /// tensor, which has each element once, and the region in it.
  Value view = {};
  AccessRegion inView = {};
  bool reads = false, writes = false, atomic = false;
  /// A notify or a wait.
  bool signal = false;
  Operation *op = nullptr;
};

/// Calls `test` for the regions of two accesses of one tensor, in terms of
/// whatever both give theirs in, until it returns true.
bool anyRegion(
    const Access &a, const Access &b,
    llvm::function_ref<bool(const AccessRegion &, const AccessRegion &)> test);

/// True only if provably no element is touched by both.
bool areDisjoint(const Access &a, const Access &b);

/// Collects the accesses of scopes. It remembers the extents of tensors, so one
/// collector serves all scopes of a function.
class AccessCollector {
public:
  /// Accesses of all ops inside `scope` (pl.at, pl.spmd), with regions over the
  /// whole of its loops and blocks, in terms of values defined outside of it.
  SmallVector<Access> collect(Operation *scope);

private:
  const AccessRegion &wholeOf(Value root);

  /// Of roots and of reshaped tensors.
  llvm::DenseMap<Value, AccessRegion> whole;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_ACCESSREGIONS_H

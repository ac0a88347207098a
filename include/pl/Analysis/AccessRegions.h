//===- AccessRegions.h - Which bytes a task touches -------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_ACCESSREGIONS_H
#define PL_ANALYSIS_ACCESSREGIONS_H

#include "pl/Analysis/IndexBounds.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace mlir::pl {

/// The allocation or parameter behind a GM tensor, through every view.
Value rootOf(Value memref);

/// `[low, high)` of one axis.
struct AxisRange {
  LinearExpr low, high;
  /// Further upper bounds, where none of them is the least for certain.
  std::vector<LinearExpr> ends = {};
  /// Runs of `width` elements that begin at `start` and any multiple of `step`
  /// from there. No step: nothing is known beyond the range.
  int64_t step = 0, width = 0;
  LinearExpr start = LinearExpr(0);

  bool endsBy(const LinearExpr &limit) const;
};

/// A box of a root tensor, one range per axis of the root.
struct AccessRegion {
  std::vector<AxisRange> axes;

  /// True only if provably no element is in both.
  bool isDisjointFrom(const AccessRegion &other) const;
  /// True only if provably every element of `other` is in this one.
  bool covers(const AccessRegion &other) const;
  /// True only if the boxes provably share an element wherever both have any;
  /// dims are taken for not zero.
  bool meets(const AccessRegion &other) const;
  /// "[0:T, 0:512]".
  std::string str() const;
  static AccessRegion whole(Value root);
};

/// Why a region may hold more than what is touched.
struct Inexact {
  enum Reason : uint8_t {
    Data,    ///< `value` is computed from elements of `tensor`
    Unbound, ///< `value` has no bound
    View,    ///< no box of the tensor is the window of this view
    Carried, ///< a loop or branch carries several tensors
    Hull     ///< the box has holes
  } reason;
  mlir::Value value = {}, tensor = {};

  /// "which elements are touched depends on what is read from 'slots'".
  std::string str() const;
};

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
  /// What could not be said exactly of the region.
  std::optional<Inexact> inexact = std::nullopt;
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
  /// `scopesStay`: no scope is erased while the collector lives. Then what two
  /// scopes compute alike is one value in the regions of both.
  explicit AccessCollector(bool scopesStay = false) : scopesStay(scopesStay) {}

  /// Accesses of all ops inside `scope` (pl.at, pl.spmd), with regions over the
  /// whole of its loops and blocks, in terms of values defined outside of it.
  SmallVector<Access> collect(Operation *scope);

private:
  const AccessRegion &wholeOf(Value root);

  /// Of roots and of reshaped tensors.
  llvm::DenseMap<Value, AccessRegion> whole;
  ValueNumbers numbers;
  bool scopesStay;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_ACCESSREGIONS_H

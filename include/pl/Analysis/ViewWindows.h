//===- ViewWindows.h - Windows of views, as windows of tensors --*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_VIEWWINDOWS_H
#define PL_ANALYSIS_VIEWWINDOWS_H

#include "pl/Analysis/IndexBounds.h"

namespace mlir::pl {

/// `[low, high)` on each axis of a tensor, in terms of values anywhere.
struct Window {
  SmallVector<LinearExpr> low, high;
  /// It holds what is touched and more.
  bool isHull = false;
};

/// The allocations or parameters behind a tensor, through every view; several
/// where a loop or branch carries them.
SmallVector<Value, 2> rootsOf(Value memref);

/// A window of `memref` as one of `base`, which it is a view of: through
/// slices, steps and transpositions, and through reshapes where `base` is the
/// root. Nothing where no box says more than the whole tensor. `bounds` are
/// those of the scope that has the window.
std::optional<Window> windowOn(Value base, Value memref, Window window,
                               ScopeBounds &bounds);

/// The reshaped tensor of which `memref` is a window, if each of its elements
/// has a place of its own; or nothing.
Value reshapedTensor(Value memref);

} // namespace mlir::pl

#endif // PL_ANALYSIS_VIEWWINDOWS_H

//===- Conflicts.h - Touches of the same elements ---------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_CONFLICTS_H
#define PL_ANALYSIS_CONFLICTS_H

#include "pl/Analysis/Footprint.h"

#include <vector>

namespace mlir::pl {

/// Two touches of the same elements.
struct Conflict {
  Value root;
  Touch first, second;       ///< without their ranges
  int64_t low = 0, high = 0; ///< elements from the first to the last shared one
  SmallVector<int64_t> shape = {};

  auto key() const { return std::tuple(first.op, second.op); }
};

/// Touches of the same elements that come from different tasks, or, where there
/// is one task, from different blocks; at least one writes, and not both are
/// atomic. Of two ops it gives the first two blocks. All touches have ranges
/// and a block. O(n log n) of the ranges, and of those that meet.
void findConflicts(ArrayRef<const std::vector<Touch> *> tasks,
                   function_ref<bool(Value)> wanted,
                   std::vector<Conflict> &conflicts);

} // namespace mlir::pl

#endif // PL_ANALYSIS_CONFLICTS_H

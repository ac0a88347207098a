//===- SignalCounts.h - How much arrives in a cell --------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALCOUNTS_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALCOUNTS_H

#include "pl/Analysis/LinearExpr.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace mlir::pl::signals {

/// A loop or grid around an op, with constant bounds.
struct Counter {
  Value value;
  int64_t low, high, trips;
};

/// A program that a host program runs, on one rank or on all of them.
struct Launch {
  std::optional<int64_t> rank;
  /// How many ranks run it; nothing if only the run knows.
  std::optional<int64_t> ranks;
  /// Values of the program that differ from rank to rank.
  DenseSet<Value> ranksOwn;
  /// Those that are the number of the rank plus a constant, and constants.
  DenseMap<Value, int64_t> rankPlus, constants;
};

struct Notifier {
  NotifyOp op;
  const Launch *launch;
  SmallVector<Counter> counters;
  int64_t value;
  std::optional<int64_t> peer; ///< where it is one rank
};
struct Waiter {
  Operation *op;
  const Launch *launch;
  SmallVector<Counter> counters;
  SmallVector<Value> offsets;
  int64_t expected;
  bool isConditional;
};

/// All that happens to the signals of one window buffer.
struct Signals {
  bool isKnown = true;
  std::string name;
  SmallVector<Notifier> notifiers;
  SmallVector<Waiter> waiters;
};

/// Places in a loop nest: every counter at its first or last value, or any.
enum class At : uint8_t { first, last, any };

/// The loops and grids around `op`; false if one has bounds that only the run
/// knows. `isConditional`: a branch decides whether it is done at all.
bool countersOf(Operation *op, SmallVectorImpl<Counter> &counters,
                bool &isConditional);

/// Least and greatest value of a coordinate, if the counters alone decide it.
std::optional<std::pair<int64_t, int64_t>>
rangeOf(Value coordinate, ArrayRef<Counter> counters, At at);

/// The most that all ranks together add to one cell of one rank by `notifier`.
std::optional<int64_t> mostFrom(const Notifier &notifier);

/// May `notifier` tell the cell that `waiter` waits for?
bool mayReach(const Notifier &notifier, const Waiter &waiter, At at);

/// The constant k of `rank + k`.
std::optional<int64_t> plusOfRank(Value value, const Launch &launch);

/// Is the rank that `notifier` tells never its own number less `shift`?
bool neverTells(const Notifier &notifier, int64_t shift);

} // namespace mlir::pl::signals

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALCOUNTS_H

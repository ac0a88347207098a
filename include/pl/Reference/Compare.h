//===- Compare.h - How found values are judged ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The comparators a module names with `pl.compare`. A budget is a share of the
// compared elements, rounded half to even. What a comparator cannot work on at
// all (different shapes, a mapping that names a row twice) is an error; values
// that are wrong are a result whose verdict is false.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_COMPARE_H
#define PL_REFERENCE_COMPARE_H

#include "pl/Reference/Array.h"
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace pl::ref {

/// One element that is wrong.
struct BadElement {
  /// Row-major position, and the same as coordinates.
  int64_t flat = 0;
  Dims index;
  double actual = 0.0;
  double expected = 0.0;
};

struct CompareResult {
  /// Elements looked at, wrong ones among them, and how many may be wrong.
  int64_t compared = 0;
  int64_t bad = 0;
  int64_t allowed = 0;
  /// Elements that are NaN or infinite on either side where that alone fails.
  int64_t nonFinite = 0;
  /// The largest measured difference (|a - e|; for ratio_reldiff its r) and
  /// where it is; infinite for a NaN.
  double worst = 0.0;
  int64_t worstFlat = -1;
  bool passed = false;
  std::optional<BadElement> firstBad;
  /// What failed besides single elements, or nothing.
  std::string reason;
  /// What failed, naming the first wrong element; empty when passed.
  std::string message;
};

/// `share * count` to the nearest integer, ties to even.
int64_t roundBudget(double share, int64_t count);

struct RatioAllclose {
  double atol = 0.0;
  double rtol = 0.0;
  double ratio = 0.005;
  /// Only the first `prefix` places along `axis` are looked at.
  std::optional<int64_t> prefix;
  int64_t axis = 0;
  /// The found values after the prefix must be zero.
  bool zeroTail = false;
  /// The found values after the prefix must be those that this tensor holds,
  /// bit by bit.
  std::optional<Array> keptTail = std::nullopt;
  /// Of equal runs of elements, one after the other, those that are looked at;
  /// empty means all.
  std::vector<bool> runs = {};
  /// The share of the runs that must be looked at; at least one must be.
  double atLeast = 0.0;
};

/// For each row (along the last dim) whether all of its elements are equal.
llvm::Expected<std::vector<bool>> findEqualRows(const Array &actual,
                                                const Array &expected);

/// Bad when |a - e| > atol + rtol * |e| in float32. NaN or infinity on either
/// side fails whatever the budget.
llvm::Expected<CompareResult> compareRatioAllclose(const Array &actual,
                                                   const Array &expected,
                                                   const RatioAllclose &how);

struct RatioReldiff {
  double d = 0.0;
  double pct = 0.0;
  double cap = std::numeric_limits<double>::infinity();
};

/// b = max(|a|, |e|, 2^-14/d) + 1e-9; r = |a - e| where that is below d, else
/// |a - e| / b; bad when r > d. Passes within the budget `pct` when the worst
/// bad r is below `cap`. NaN or infinity fails.
llvm::Expected<CompareResult> compareRatioReldiff(const Array &actual,
                                                  const Array &expected,
                                                  const RatioReldiff &how);

struct MappedPool {
  double atol = 0.0;
  double rtol = 0.0;
  double ratio = 0.005;
};

/// Rows of a pool (its last dim is a row) that `mapping` names are compared as
/// by ratio_allclose; all others must be equal. -1 names no row. A mapping [T]
/// has one pool; a mapping [R, T] has pools along the leading axis of the
/// arrays. A repeated, out-of-range or smaller entry is an error.
llvm::Expected<CompareResult> compareMappedPool(const Array &actual,
                                                const Array &expected,
                                                const Array &mapping,
                                                const MappedPool &how);

/// Every element equal (==).
llvm::Expected<CompareResult> compareExact(const Array &actual,
                                           const Array &expected);

} // namespace pl::ref

#endif // PL_REFERENCE_COMPARE_H

//===- Repetition.h - Trips and blocks that touch other elements *- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_REPETITION_H
#define PL_ANALYSIS_REPETITION_H

#include "pl/Analysis/AccessRegions.h"

namespace mlir::pl {

class ForOp;
class SpmdOp;

/// The same code for each value of a counter: the trips of a loop, or the
/// blocks of a launch.
struct Repetition {
  explicit Repetition(ForOp loop);
  explicit Repetition(SpmdOp launch);

  /// Is there an axis on which nothing that is touched in `late` for one value
  /// of the counter was touched in `early` for a lower one? Both regions are
  /// those of one repetition; a bound over a value of the scope that is not the
  /// counter proves nothing.
  bool areApart(const AccessRegion &early, const AccessRegion &late) const;
  /// The same in either order.
  bool areApartBothWays(const Access &a, const Access &b) const;

  /// Values defined in here may differ from one repetition to the next; a scope
  /// further out asks for proofs without what changes there.
  Operation *scope;
  Value counter;
  std::optional<int64_t> step;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_REPETITION_H

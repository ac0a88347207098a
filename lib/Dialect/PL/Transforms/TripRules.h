//===- TripRules.h - What lets trips and blocks change places ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_TRIPRULES_H
#define PL_DIALECT_PL_TRANSFORMS_TRIPRULES_H

#include "ScheduleUtils.h"

#include "pl/Analysis/AccessRegions.h"

namespace mlir::pl {

/// Looks at one task and says whether the values stay when its work is dealt
/// out in another way. What fails has written the reason into the refusal, with
/// notes at the lines.
class TripRules {
public:
  /// `what` is the verb of the refusal, as in "cannot WHAT task 'x'".
  TripRules(Operation *task, StringRef what, Diagnostic &refusal)
      : task(task), what(what), refusal(refusal) {}

  /// Nothing but accesses to known places: no signal, barrier, or op without
  /// known effects.
  LogicalResult checkOps();
  /// The one loop of the body, with a constant step and nothing carried.
  FailureOr<ForOp> findLoop();
  /// What is beside the loop may be done by each of several blocks.
  LogicalResult checkRest(ForOp loop);
  /// The trips of `loop` may run in any order and at the same time. Where that
  /// cannot be decided, it is so by the caller's word.
  LogicalResult checkTrips(ForOp loop, bool assumeDisjoint);
  /// The sums of floating-point numbers that several blocks of `launch` add to
  /// keep their order when they run `loop` only for some of its trips.
  LogicalResult checkSumsOfTrips(SpmdOp launch, ForOp loop);
  /// The same when several blocks become one.
  LogicalResult checkSumsOfBlocks(SpmdOp launch);

  Diagnostic &refuse() { return mlir::pl::refuse(refusal, what, task); }

private:
  SmallVector<Access> accessesOf(Block &block);
  LogicalResult checkTripPair(ForOp loop, const Access &a, const Access &b,
                              bool assumeDisjoint);
  LogicalResult refuseSums(const Access &a, const Access &b, StringRef where);

  Operation *task;
  StringRef what;
  Diagnostic &refusal;
  AccessCollector collector;
};

/// The first op in `op`, or itself, whose effects no transform of a schedule
/// knows, or null.
Operation *findUnknown(Operation *op);

/// The step of a loop that `findLoop` found.
int64_t stepOf(ForOp loop);

/// A notify or a wait.
bool isSignal(Operation *op);

/// "read", "written", "added to", "notified" or "awaited".
StringRef describeAccess(const Access &access);

/// Adds the note "written here" at an access, or what else it does.
void noteAccess(Diagnostic &refusal, const Access &access);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_TRIPRULES_H

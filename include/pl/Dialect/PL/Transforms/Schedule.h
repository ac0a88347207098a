//===- Schedule.h - Other tasks that give the same values -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transforms of a schedule, as functions. A pass and a transform-dialect op
// of the same name call each of them. They work on inlined functions of phase
// `pl` (`pl.at`, `pl.spmd`), before dependencies are derived; edges of the user
// stay, and those between the tasks they make are derived like all others.
//
// A transform that cannot be sure to keep the values changes nothing, says why
// in `refusal` (its location is the task's; notes name the lines), and fails.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_SCHEDULE_H
#define PL_DIALECT_PL_TRANSFORMS_SCHEDULE_H

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/Transforms/Distribution.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::pl {

/// The parts of `task`, a `pl.at` or `pl.spmd`, that share no data become tasks
/// of their own, in the order of their first statements. `names` has a name for
/// each, or is empty: then they are NAME_0, NAME_1, ...
FailureOr<SmallVector<Operation *>> splitFusedTask(RewriterBase &rewriter,
                                                   Operation *task,
                                                   ArrayRef<StringRef> names,
                                                   Diagnostic &refusal);

/// The one loop of `task` becomes ceil(trips / tile) blocks of `tile` trips
/// each, the last one clamped. With `workers` above 0 there are that many
/// blocks, which share the tiles as `distribution` says. An empty `name` keeps
/// the task's. Where the data say which elements a trip writes,
/// `assumeDisjoint` is the caller's word that no two trips write the same.
FailureOr<SpmdOp> spmdize(RewriterBase &rewriter, AtOp task, int64_t tile,
                          int64_t workers, Distribution distribution,
                          StringRef name, Diagnostic &refusal,
                          bool assumeDisjoint = false);

/// Every block of `task` is made `factor` blocks, which share the trips of the
/// outermost loop of its body. Block b of the result is block b % n of the task
/// of n blocks, with part b / n of the trips, so that atomic adds into one
/// element keep their order.
FailureOr<SpmdOp> fanOutM(RewriterBase &rewriter, Operation *task,
                          int64_t factor, Distribution distribution,
                          StringRef name, Diagnostic &refusal);

/// ceil(n / factor) blocks, each of which does the work of `factor` blocks of
/// `task` one after the other; the last one of those that are left.
FailureOr<SpmdOp> coarsenBlocks(RewriterBase &rewriter, SpmdOp task,
                                int64_t factor, Distribution distribution,
                                StringRef name, Diagnostic &refusal);

/// How a task waits for a signal.
enum class WaitForm {
  blocking, ///< `pl.wait`: holds its core until the signal is there
  deferred  ///< `pl.defer_wait`: frees its core; what follows waits
};

/// The waits of `waiter` take `form` and come after `producer`. Where `into` is
/// given, a task that waits for `waiter`, the waits become its first statements
/// and `waiter` is gone. Gives the task that waits.
FailureOr<Operation *> anchorWaits(RewriterBase &rewriter, Operation *waiter,
                                   Operation *producer, WaitForm form,
                                   Operation *into, Diagnostic &refusal);

/// `task`, which pushes rows to other ranks or copies what they have pushed and
/// then tells them, becomes `workers` blocks. They share its rows in bands of
/// `tile`, the last one clamped, and each tells the others when it has done its
/// own; what awaits or takes off these credits counts `workers` for each one of
/// before.
FailureOr<SpmdOp> fanOutCollective(RewriterBase &rewriter, AtOp task,
                                   int64_t workers, int64_t tile,
                                   Distribution distribution, StringRef name,
                                   Diagnostic &refusal);

/// What `fusePublish` makes. `finish` is null where the exchange did nothing
/// but put and tell: then who waited for it waits for `publish`.
struct FusedPublish {
  SpmdOp publish;
  AtOp finish;
};

/// `producer` finishes rows of a buffer that `exchange` puts into the windows
/// of their owners. `workers` blocks share the blocks of `producer`, store what
/// they finish straight into those windows and tell each rank once; `exchange`
/// keeps what comes after its puts, and what counts these credits anywhere in
/// the function counts `workers` for each one of before. The buffer is gone.
/// `names` are those of the two, or empty: then they stay.
FailureOr<FusedPublish> fusePublish(RewriterBase &rewriter, SpmdOp producer,
                                    AtOp exchange, int64_t workers,
                                    ArrayRef<StringRef> names,
                                    Diagnostic &refusal);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_SCHEDULE_H

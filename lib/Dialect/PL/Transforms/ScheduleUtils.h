//===- ScheduleUtils.h - What transforms of a schedule share ----*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_SCHEDULEUTILS_H
#define PL_DIALECT_PL_TRANSFORMS_SCHEDULEUTILS_H

#include "pl/Dialect/PL/Transforms/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pl {

/// "task 'kv_proj'", or "the task without a name".
std::string describeTask(Operation *task);

/// Starts a refusal: `cannot WHAT task 'NAME': `. The rest is the reason.
Diagnostic &refuse(Diagnostic &refusal, StringRef what, Operation *task);

/// A `pl.spmd` before `task` that waits for what `task` waits for and has its
/// other properties, attributes and location; an empty `name` keeps the task's.
/// The body has its block index and nothing else.
SpmdOp createSpmdLike(RewriterBase &rewriter, Operation *task, Value blocks,
                      StringRef name);

/// A task before `task` of the same kind, likewise.
Operation *createTaskLike(RewriterBase &rewriter, Operation *task,
                          StringRef name);

/// May several tasks stand for `task` wherever it is used?
LogicalResult checkTaskUses(Operation *task, StringRef what,
                            Diagnostic &refusal);

/// Who waits for `task` waits for all of `by`, for the same reason; `task` is
/// erased. More than one task needs `checkTaskUses`.
void replaceTask(RewriterBase &rewriter, Operation *task,
                 ArrayRef<Operation *> by);

/// Not below zero whatever the input: extents, and what is counted from them in
/// a few operations.
bool isNonNegative(Value value, unsigned depth = 8);

/// Rounds up; the divisor is above zero. A dividend at or below zero gives at
/// most zero.
Value createCeilDiv(OpBuilder &builder, Location loc, Value dividend,
                    int64_t divisor);

/// Trips of `for i = lower to upper step step`, at least zero.
Value createTripCount(OpBuilder &builder, Location loc, Value lower,
                      Value upper, int64_t step);

/// `value * factor + addend`, or what of it is left for constants.
Value createMulAdd(OpBuilder &builder, Location loc, Value value,
                   int64_t factor, Value addend = Value());

/// The pieces of a worker: those of `for i = lower to upper step step`.
struct Share {
  Value lower, upper;
  int64_t step;
};

/// `a` or `b`, whichever is less; a bound on `b` is a bound on it.
Value createMin(OpBuilder &builder, Location loc, Value a, Value b);

/// Which of `pieces` pieces `worker` of `workers` gets.
Share createShare(OpBuilder &builder, Location loc, Value pieces, Value worker,
                  int64_t workers, Distribution distribution);

/// Gives the trips of `loop` that are a share of all of them. `step` is its
/// step; new bounds come before it.
void takeShareOfTrips(RewriterBase &rewriter, ForOp loop, int64_t step,
                      Value worker, int64_t workers, Distribution distribution);

/// A loop cut into tiles.
struct Tiling {
  int64_t tile, span, step;
  Value tiles;
  /// No tile is shorter than the others.
  bool isWhole;
};

/// `loop` runs for tile number `tile` of those of `span`.
void takeTile(RewriterBase &rewriter, ForOp loop, Value tile, int64_t span,
              bool isWhole);

/// `loop` runs for the tiles of `worker`, in a loop over these if need be.
void shareTiles(RewriterBase &rewriter, ForOp loop, const Tiling &tiling,
                Value worker, int64_t workers, Distribution distribution);

/// Moves the body of `task` to the end of that of `made`. In it `index` stands
/// for the number of its block and `blocks` for how many there are.
void moveBody(RewriterBase &rewriter, Operation *task, Block *to, Value index,
              Value blocks);

/// Whether a number that an option or a caller gave is in `[1, 2^31)`; if not,
/// the refusal says so.
LogicalResult checkNumber(Operation *task, StringRef what, StringRef name,
                          int64_t number, Diagnostic &refusal);

/// Whether a launch may have as many blocks as `task` would get; nothing is
/// known of `blocks` that only the run has. `advice`: what gives fewer.
LogicalResult checkBlocks(Operation *task, StringRef what,
                          std::optional<int64_t> blocks, StringRef advice,
                          Diagnostic &refusal);

/// Calls `transform` for the tasks of `func` that are called `name`, where a
/// refusal is an error, or, with an empty name, for all, where it is a remark.
LogicalResult transformTasks(
    func::FuncOp func, StringRef name,
    function_ref<LogicalResult(RewriterBase &, Operation *, Diagnostic &)>
        transform);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_SCHEDULEUTILS_H

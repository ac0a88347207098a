//===- Credits.h - What signals count, in program order ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ranks run one program, so what arrives in a cell of a signal is what the
// program sends. A transform that makes a task tell its peers more often than
// before finds here who waits for these credits and who takes them off.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_CREDITS_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_CREDITS_H

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::pl {

/// What one op does to the cells of a signal.
struct Credit {
  enum class Kind {
    send,  ///< a notify adds to cells of other ranks, or of all
    await, ///< a wait, blocking or deferred, until so much is there
    retire ///< a notify takes off what was awaited, from this rank's own cells
  };
  Kind kind;
  /// `pl.notify`, `pl.wait` or `pl.defer_wait`.
  Operation *op;
  /// The `pl.at` or `pl.spmd` around it, in the block of the function.
  Operation *task;
  /// What arrives in one cell by all turns, blocks and senders; the number that
  /// is awaited; what is taken off.
  int64_t amount;
  /// How often the op itself counts in one cell: turns, blocks, senders.
  int64_t times;
  /// The cell, axis by axis: its number, or nothing where it differs from rank
  /// to rank or from turn to turn.
  SmallVector<std::optional<int64_t>, 2> cell;
};

/// The credits of one signal, a window parameter of a function whose calls are
/// inlined. It is known that
///
/// * no other op of the function reads or writes the cells, and nothing
///   uses a view of them;
/// * every amount is a constant, and no branch but "all other ranks" decides
///   whether it counts;
/// * every wait awaits all that was sent before it in program order and not yet
///   taken off, and every retire takes off as much.
///
/// Other functions that get the same window buffer are not looked at.
class Credits {
public:
  /// Fails, with the first line that breaks a rule in the notes of `refusal`.
  static FailureOr<Credits> of(Value signal, Diagnostic &refusal);

  Value getSignal() const { return signal; }
  /// In program order.
  ArrayRef<Credit> getUses() const { return uses; }
  /// What this op does, or null.
  const Credit *find(Operation *op) const;
  /// The sends whose credits `op`, a wait or a retire, counts.
  SmallVector<const Credit *> countedBy(const Credit &use) const;

  /// From now on every one of `sends` is done `times` times as often: rewrites
  /// the numbers of the waits and retires that count them. Changes nothing if
  /// it fails. The notifies themselves are the caller's, and what this object
  /// says of them is that of before.
  LogicalResult rescale(RewriterBase &rewriter, ArrayRef<NotifyOp> sends,
                        int64_t times, Diagnostic &refusal) const;
  /// Would `rescale` succeed?
  LogicalResult canRescale(ArrayRef<NotifyOp> sends, int64_t times,
                           Diagnostic &refusal) const;

private:
  /// The new amount of each wait and retire whose amount changes.
  FailureOr<SmallVector<std::pair<Operation *, int64_t>>>
  rescaled(ArrayRef<NotifyOp> sends, int64_t times, Diagnostic &refusal) const;

  Value signal;
  SmallVector<Credit> uses;
};

/// The signals that ops inside `task` send to, await or take from.
SmallVector<Value> signalsOf(Operation *task);

/// `value` as lhs mod rhs, with a result that is not negative where the source
/// language made it so; nothing if it is no remainder.
std::optional<std::pair<Value, Value>> asRemainder(Value value);

/// How often a loop of constant bounds turns; nothing if only the run knows.
std::optional<int64_t> constantTrips(ForOp loop);

/// How a number differs from turn to turn of a loop.
enum class Dependence {
  none,
  distinct, ///< another one in each turn
  unknown
};
Dependence dependenceOf(Value number, ForOp loop);

/// Is `op` in a branch that leaves out exactly one value of the variable of a
/// loop, "all peers but this rank"? Gives that variable.
BlockArgument guardedCounter(scf::IfOp branch, Operation *op);

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_CREDITS_H

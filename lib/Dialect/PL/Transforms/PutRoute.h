//===- PutRoute.h - Where the rows of puts come to be -----------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A put in loops of constant bounds sends slabs of rows: the first row of each
// is a sum of loop counters with constant factors. That is a number in a mixed
// radix, so a row says by itself in which turns it is sent, to whom, and to
// which row of the window.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_PUTROUTE_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_PUTROUTE_H

#include "Exchanges.h"

namespace mlir::pl {

class PutRoute {
public:
  /// Why there is no route, and the op to look at.
  struct Obstacle {
    std::string reason;
    Operation *op;
  };

  /// `loops` are those around `put` inside of `task`, the region of a task.
  static std::optional<PutRoute> of(PutOp put, ArrayRef<ForOp> loops,
                                    Region &task, Obstacle &obstacle);

  MemRefType getSource() { return put.getSource().getType(); }
  Value getTarget() { return put.getTarget(); }

  /// May rows of `unit` to a row of the source be rows of the window alike?
  bool reachesWholeRows();
  /// Every `rows` rows of a `unit`-th of a row, from a multiple of `rows` on,
  /// are rows of one turn.
  bool keepsTogether(int64_t rows, int64_t unit) const;
  /// And all of them are sent, or none.
  bool sendsTogether(int64_t rows, int64_t unit) const;

  /// Where a row comes to be.
  struct Place {
    Value peer, row, col;
    /// Its number among the rows of its turn, and how many of these are sent.
    Value index, numRows;
  };
  using Emit = function_ref<void(OpBuilder &builder, const Place &place)>;
  /// Calls `emit` at a place that is reached for each peer that the put sends
  /// `row` to. With a `unit` above 1, rows of source and window are `unit` rows
  /// of equal parts, and `row` is one of these.
  void send(OpBuilder &builder, Location loc, Value row, int64_t unit,
            Emit emit);

private:
  struct Turn {
    ForOp loop;
    /// The variable of the loop, or what takes all its values in another order:
    /// (rank + variable) mod trips.
    Value counter;
    int64_t lower, step, trips;
    /// How far apart the slabs of two turns are, and where they come to be.
    int64_t pitch = 0, targetPitch = 0;
    bool choosesPeer = false;
  };

  LogicalResult readLoops(ArrayRef<ForOp> loops, Obstacle &obstacle);
  LogicalResult readSource(Obstacle &obstacle);
  LogicalResult readTarget(Obstacle &obstacle);

  PutOp put;
  Region *task = nullptr;
  /// Those that choose rows of the source, the largest pitch first, and those
  /// that send the same rows again.
  SmallVector<Turn> turns, repeats;
  int64_t firstRow = 0;
  /// Rows of a slab, at most; where it is a constant, exactly.
  int64_t maxRows = 0;
  std::optional<int64_t> numRows;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_PUTROUTE_H

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

  using Emit =
      function_ref<void(OpBuilder &builder, Value peer, Value row, Value col)>;
  /// Calls `emit` at a place that is reached for each peer that the put sends
  /// `row` of its source to, with the row of the window and its first column.
  void send(OpBuilder &builder, Location loc, Value row, Emit emit);

private:
  struct Turn {
    ForOp loop;
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

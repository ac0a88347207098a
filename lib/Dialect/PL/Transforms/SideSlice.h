//===- SideSlice.h - What one side of a mixed kernel needs ------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_SIDESLICE_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_SIDESLICE_H

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::pl {

/// A tile that goes from one side to the other.
struct Crossing {
  Value source, result;
  bool toCube = false;
  /// How the lanes share it.
  SplitMode split = SplitMode::none;

  /// The whole tile, as the cube has it.
  TileType getWhole() const {
    return cast<TileType>((toCube ? result : source).getType());
  }
};
/// What crosses by `op`: a move between the memories of the two sides, a shard
/// or a gather. Nothing for other ops.
std::optional<Crossing> getCrossing(Operation *op);

/// The part of a mixed kernel, not split yet, that one side executes: what it
/// does to memory and to the other side, and all that this depends on. Scalars
/// and control flow are computed wherever they are needed.
class SideSlice {
public:
  /// `Replay`: only the handshakes of the vector side, for its idle lane.
  enum Kind { Cube, Vector, Replay };

  SideSlice(KernelOp kernel, Kind kind) : kernel(kernel), kind(kind) {}

  /// Finds the slice, or reports what this side cannot compute.
  LogicalResult run();
  /// Says which value tells the lanes apart, where both run the vector side.
  void setLane(Value value) { lane = value; }
  /// Appends a copy of it.
  void cloneInto(OpBuilder &builder);

private:
  bool isAnchor(Operation *op) const;
  bool isMine(Operation *op) const;
  void demand(Value value);
  void demand(Operation *op);
  void keep(Operation *op, unsigned index);
  void reportForeign(Operation *op);

  void cloneBlock(Block &block, OpBuilder &builder);
  void cloneOp(Operation *op, OpBuilder &builder);
  void cloneLoop(ForOp loop, OpBuilder &builder);
  void cloneIf(scf::IfOp branch, OpBuilder &builder);
  void cloneCrossing(Operation *op, OpBuilder &builder);
  scf::IfOp onFirstLane(OpBuilder &builder, Location loc, bool withElse);

  KernelOp kernel;
  Kind kind;
  llvm::DenseSet<Operation *> ops;
  /// Carried and merged values that are needed, by loop or branch.
  DenseMap<Operation *, llvm::SmallBitVector> kept;
  /// What is being looked at: an anchor, or the control flow around it.
  Operation *reason = nullptr;
  bool failedAny = false;
  llvm::DenseSet<Operation *> reported;
  IRMapping mapping;
  Value lane;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_SIDESLICE_H

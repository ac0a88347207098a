//===- ValidExtents.h - Valid extents of tiles as values --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_VALIDEXTENTS_H
#define PL_ANALYSIS_VALIDEXTENTS_H

#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::pl {

/// The valid extents of a tile: a constant or a value for rows and columns.
using ValidBox = std::array<OpFoldResult, 2>;

/// Where the valid extent of a result comes from.
struct ValidSource {
  /// Tile operands whose extents intersect; at most two.
  SmallVector<std::pair<Value, unsigned>, 2> operands;
  /// The result is a window of its operand: `offset` is subtracted, and what
  /// is left is cut to the result's box.
  bool isWindow = false;
  int64_t offset = 0;
};

/// The extents that decide valid axis `axis` of the result of `op`, an op that
/// computes or views a tile.
ValidSource validSourceOf(Operation *op, unsigned axis);

/// Valid extents of every tile of a kernel, as far as they are known to be one
/// value for the whole loop: `get` returns null where a carried tile changes
/// its extent from iteration to iteration, or an extent has to be computed.
class ValidExtents {
public:
  explicit ValidExtents(KernelOp kernel);

  OpFoldResult get(Value tile, unsigned axis) const {
    auto found = boxes.find(tile);
    return found == boxes.end() ? OpFoldResult() : found->second[axis];
  }

private:
  void visitBlock(Block &block);
  void visitLoop(LoopLikeOpInterface loop);
  void adoptFromBody(LoopLikeOpInterface loop);
  OpFoldResult compute(Operation *op, unsigned axis);

  llvm::DenseMap<Value, ValidBox> boxes;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_VALIDEXTENTS_H

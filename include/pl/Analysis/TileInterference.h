//===- TileInterference.h - Which tiles are live at once --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_TILEINTERFERENCE_H
#define PL_ANALYSIS_TILEINTERFERENCE_H

#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pl {

/// The tile whose storage `tile` names, through reshape, subtile, set_valid.
Value storageOf(Value tile);

/// For tile values of a kernel with structured control flow: which of them may
/// not share storage. A value interferes with what is live after the op that
/// makes it, and with sources of that op that it must not overwrite.
class TileInterference {
public:
  explicit TileInterference(KernelOp kernel);

  bool interfere(Value a, Value b) const {
    return pairs.contains({a, b}) || pairs.contains({b, a});
  }

private:
  using LiveSet = llvm::SetVector<Value>;

  void visitBlock(Block &block, LiveSet &live);
  void visitOp(Operation *op, LiveSet &live);
  void visitLoop(LoopLikeOpInterface loop, LiveSet &live);
  void visitIf(scf::IfOp branch, LiveSet &live);
  void define(Value value, const LiveSet &live);
  void use(Value value, LiveSet &live);

  llvm::DenseSet<std::pair<Value, Value>> pairs;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_TILEINTERFERENCE_H

//===- SharedStorage.h - Tiles that share a buffer ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_SHAREDSTORAGE_H
#define PL_DIALECT_PL_TRANSFORMS_SHAREDSTORAGE_H

#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <optional>

namespace mlir::pl {

class TileInterference;

/// A place where a tile flows into another name: `operand` is an initial,
/// yielded or accumulated value, `target` the name it gets.
struct Flow {
  OpOperand *operand;
  Value target;
};

/// Decides which tiles share a buffer. Where a flow would overwrite a tile
/// that is still needed, it inserts a copy.
class SharedStorage {
public:
  explicit SharedStorage(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run();
  Value leaderOf(Value value) const {
    void *key = value.getAsOpaquePointer();
    return classes->contains(key)
               ? Value::getFromOpaquePointer(classes->getLeaderValue(key))
               : value;
  }
  SmallVector<Value> membersOf(Value value) const;
  int64_t getNumCopies() const { return numCopies; }

private:
  SmallVector<Flow> collectFlows();
  bool join(Value a, Value b, const TileInterference &interference);
  LogicalResult copy(Flow flow);

  KernelOp kernel;
  // Made anew after each round of copies.
  std::optional<llvm::EquivalenceClasses<void *>> classes;
  int64_t numCopies = 0;
};

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_SHAREDSTORAGE_H

//===- Footprint.h - What tasks touch for given dims ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the scalar code of an orchestration and of its scopes for given
// values of the dynamic dims, and tells which elements each load and store
// touches. What depends on data is not known, and said to be so.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_FOOTPRINT_H
#define PL_ANALYSIS_FOOTPRINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>

namespace mlir::pl {

class TileType;

/// Elements of a tensor, as ranges of row-major positions that do not meet.
class ElementSet {
public:
  void insert(int64_t begin, int64_t end);
  /// The first part of `[begin, end)` that is not in the set, or nothing.
  std::optional<std::pair<int64_t, int64_t>> firstMissing(int64_t begin,
                                                          int64_t end) const;
  std::map<int64_t, int64_t>::const_iterator begin() const {
    return ends.begin();
  }
  std::map<int64_t, int64_t>::const_iterator end() const { return ends.end(); }

private:
  std::map<int64_t, int64_t> ends; ///< by begin
};

/// One execution of a load or store.
struct Touch {
  Operation *op = nullptr;
  Value root;
  bool reads = false, writes = false, atomic = false;
  /// It is executed whatever the data are.
  bool certain = true;
  /// Which block of the task it is in; nothing if only data say so.
  std::optional<int64_t> block = 0;
  /// The ranges are these elements; else they hold them.
  bool exact = true;
  /// Row-major ranges of the root; nothing if they depend on data.
  std::optional<SmallVector<std::pair<int64_t, int64_t>, 4>> ranges;
  /// Where it leaves its tensor, or the view of it that it is made in.
  struct Outside {
    unsigned axis;
    int64_t first, last; ///< what it touches along the axis
    SmallVector<int64_t, 4> shape;
    bool isView;
  };
  std::optional<Outside> outside;
  /// It touches the window of some rank, which is `peer` where that is known.
  bool isRemote = false;
  std::optional<int64_t> peer;
};

/// The values that dynamic dims have, by name.
using DimValues = llvm::StringMap<int64_t>;

class Footprint {
public:
  /// Operations that the scopes of one task may execute.
  static constexpr int64_t kMaxSteps = 400'000;

  Footprint(func::FuncOp func, const DimValues &dims)
      : func(func), dims(dims) {}

  /// Calls `visit` for all that `task` touches of tensors that `wanted` names,
  /// block after block. False: there were too many, or `visit` said so.
  bool walk(Operation *task, function_ref<bool(Value)> wanted,
            function_ref<bool(const Touch &)> visit);

  int64_t stepsOfLastWalk() const { return kMaxSteps - budget; }

  /// The extents of a tensor, or nothing.
  std::optional<SmallVector<int64_t>> shapeOf(Value memref);
  std::optional<int64_t> evaluate(Value value);
  /// Stores write what is valid of their tiles, where that is known; otherwise
  /// they write their boxes, unless the type says less.
  void useValidExtents() { usesExtents = true; }
  /// What a scalar of the caller is.
  void assume(Value value, int64_t number) { values[value] = number; }
  /// Which rank this is, of how many.
  void assumeRank(int64_t number, int64_t count) {
    rank = number;
    numRanks = count;
  }

private:
  struct View {
    Value root;
    int64_t offset = 0;
    SmallVector<int64_t> sizes, strides;
  };
  void set(Value value, std::optional<int64_t> number);
  std::optional<int64_t> evaluateAnew(Value value);
  std::optional<View> viewOf(Value memref);
  std::optional<int64_t> compute(Operation *op);
  bool isRelevant(Operation *op);
  bool walkBlock(Block &block, bool certain);
  bool walkLoop(Operation *loop, bool certain);
  bool touch(Operation *op, bool certain);
  bool touchStore(Touch touch, Value tile, Value target, ValueRange offsets,
                  bool atomic);
  bool touchLoad(Touch touch, TileType tile, ValueRange valid,
                 bool isTransposed, Value source, ValueRange offsets);
  bool isCurrent(Value scalar, Operation *user);
  /// The valid extent of a tile where `user` has it; `kAnyExtent` where it is
  /// what others say.
  std::optional<int64_t> validOf(Value tile, unsigned axis, Operation *user,
                                 unsigned depth = 0);
  /// A box of `memref`; `like` says all else.
  bool touchBox(Touch like, Value memref, ValueRange offsets,
                ArrayRef<std::optional<int64_t>> sizes);

  func::FuncOp func;
  const DimValues &dims;
  DenseMap<Value, std::optional<int64_t>> values;
  SmallVector<Value> local; ///< those of them that the last task made
  DenseMap<Block *, SmallVector<Operation *>> relevant;
  function_ref<bool(Value)> wanted;
  function_ref<bool(const Touch &)> visit;
  int64_t budget = 0;
  std::optional<int64_t> block;
  bool usesExtents = false;
  std::optional<int64_t> rank, numRanks;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_FOOTPRINT_H

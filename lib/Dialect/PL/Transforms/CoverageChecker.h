//===- CoverageChecker.h - Which rows an entry leaves out ---*- C++ -*- ===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_COVERAGECHECKER_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_COVERAGECHECKER_H

#include "pl/Analysis/DimSamples.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace mlir::pl {

/// Of larger tiles, two and a bit are too many rows to try every time.
constexpr int64_t kMaxSample = 32;
/// Steps that one entry may take; gaps found later are not judged.
constexpr int64_t kMaxEntrySteps = 8'000'000;

enum class Lack : uint8_t { NotWritten, NotRead, OutputNotWritten };

/// What one set of dims leaves out of one tensor.
struct Gap {
  Lack lack;
  Value root;
  Operation *op = nullptr; ///< who reads it
  int64_t firstRow = 0, lastRow = 0, rows = 0;
  bool isAtomic = false;

  auto key() const { return std::tuple(lack, root.getAsOpaquePointer(), op); }
};

class CoverageChecker {
public:
  CoverageChecker(func::FuncOp func, DimSamples &samples, bool remarks)
      : func(func), samples(samples), names(samples.getUsedNames()),
        remarks(remarks) {}
  LogicalResult run();
  int64_t numChecked = 0, numAssumed = 0, numUndecided = 0;

private:
  void collectTensors();
  /// Only those of one tensor, if there is an `only`.
  bool findGaps(const DimValues &dims, std::vector<Gap> &gaps, Value only = {});
  bool isLive(const DimValues &dims, ArrayRef<int64_t> shape, Value root,
              int64_t element);
  bool isWritten(BlockArgument argument);
  bool isNarrowed(Operation *load);
  bool isSure(const Gap &gap, StringRef dim, int64_t value, int64_t other);
  bool hasGap(const DimValues &dims, const Gap &gap);
  SmallVector<Operation *> touchersOf(const Gap &gap);
  void judge(const Gap &gap, const DimValues &dims, StringRef dim);
  void report(const Gap &gap, const DimValues &dims, StringRef dim,
              int64_t tile, const Guard *guard);
  void remarkGap(const Gap &gap, const DimValues &dims, StringRef dim,
                 int64_t tile);
  void remarkUnknown();

  func::FuncOp func;
  SmallVector<Operation *> tasks;
  llvm::SetVector<Value> produced, outputs, inputs;
  DenseSet<Value> everWritten;
  DimSamples &samples;
  SmallVector<StringRef> names; ///< dims that matter
  std::set<std::tuple<Lack, void *, Operation *>> reported;
  /// A count that is rounded down leaves rows of many tensors out.
  std::set<std::pair<StringRef, int64_t>> reportedTiles;
  DenseMap<Operation *, bool> narrowed;
  int64_t steps = kMaxEntrySteps; ///< that are left
  bool failedAny = false, gaveUp = false;
  /// Says what is not decided: once for each tensor.
  bool remarks;
  DenseSet<Value> remarked;
  /// Tensors of which a task writes elements that only a run knows, and where.
  llvm::MapVector<Value, Operation *> unknownWrites;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_COVERAGECHECKER_H

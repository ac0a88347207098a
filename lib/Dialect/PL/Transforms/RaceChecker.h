//===- RaceChecker.h - Conflicts of what runs side by side ------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_RACECHECKER_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_RACECHECKER_H

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/Conflicts.h"
#include "pl/Analysis/DimSamples.h"
#include "pl/Analysis/Footprint.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace mlir::pl {

/// What runs side by side: blocks of one task, or two tasks.
struct Suspects {
  unsigned first, second;
  bool isOneTask() const { return first == second; }
};

struct Task {
  Operation *op;
  llvm::SmallSetVector<Value, 8> touched, written;
  /// Waits for other blocks, tasks or ranks at some place within.
  bool waits = false, notifies = false;
  bool isManual = false;
  /// What it touches without edges, as the user says.
  SmallVector<Value> optOuts;
  /// Collected when needed.
  std::optional<SmallVector<Access>> accesses;
  /// What it is certain to touch of tensors that any task writes, for the dims
  /// with which pairs of tasks are tried. Nothing: too much.
  std::optional<std::vector<Touch>> touches;
  bool hasTouches = false;
};

class RaceChecker {
public:
  RaceChecker(func::FuncOp func, DimSamples &samples, bool remarks)
      : func(func), samples(samples), names(samples.getNames()),
        scalars(samples.getScalars()), whole(samples.getWholeTile()),
        remarks(remarks) {}
  LogicalResult run();
  int64_t numPairs = 0, numUndecided = 0;

private:
  void collect();
  void orderTasks();
  bool isOrdered(unsigned earlier, unsigned later) const;
  bool mayLackEdge(unsigned earlier, unsigned later) const;
  std::string whyNoEdge(Suspects suspects, Value root) const;
  void checkBlocks(unsigned task);
  bool mayConflict(unsigned first, unsigned second);
  /// False: there was something to report.
  bool checkTasks(unsigned first, unsigned second);
  void addEdge(unsigned earlier, unsigned later);

  /// Conflicts for these dims; false if there is too much to look at.
  bool find(Suspects suspects, const DimValues &dims, int64_t scalars,
            function_ref<bool(Value)> wanted, std::vector<Conflict> &conflicts);
  /// What a task is certain to touch.
  std::optional<std::vector<Touch>> touchesOf(unsigned task,
                                              const DimValues &dims,
                                              int64_t scalars,
                                              function_ref<bool(Value)> wanted);
  std::optional<Conflict> findOne(Suspects suspects, const DimValues &dims,
                                  int64_t scalars, const Conflict &like);
  bool judge(Suspects suspects, const Conflict &conflict, int64_t size);
  void report(Suspects suspects, const Conflict &conflict, StringRef dim,
              int64_t value);
  void remark(Suspects suspects, const Conflict &conflict, int64_t size);
  /// `other` is what it may meet: its own blocks, or another task.
  void remarkTooLong(unsigned task, unsigned other);

  func::FuncOp func;
  std::vector<Task> tasks;
  AccessCollector collector{/*scopesStay=*/true};
  DenseSet<Value> everWritten;
  SmallVector<llvm::BitVector> ancestors;
  llvm::BitVector afterWait, beforeNotify;
  DimSamples &samples;
  ArrayRef<StringRef> names;
  ArrayRef<Value> scalars;
  int64_t whole; ///< a multiple of all tiles
  /// Says what is not decided: once for each tensor.
  bool remarks;
  DenseSet<Value> remarked;
  std::set<std::pair<Operation *, Operation *>> judged;
  llvm::SmallSetVector<std::pair<Location, Location>, 8> reported;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_RACECHECKER_H

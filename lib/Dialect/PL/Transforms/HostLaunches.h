//===- HostLaunches.h - What a host program runs on which rank --*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_HOSTLAUNCHES_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_HOSTLAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace mlir::pl {

class DispatchOp;

/// A program on one rank.
struct Instance {
  func::FuncOp program;
  int64_t rank = 0;
  /// Scalars that the launch gives, and the buffers of windows.
  SmallVector<std::pair<Value, int64_t>> scalars;
  DenseMap<Value, Value> buffers;
  /// All other scalars are the caller's: the same on all ranks.
  bool hasAllScalars = true;
};

/// How many ranks there are: the first extent of every tensor says so.
std::optional<int64_t> worldOf(func::FuncOp host);

/// The programs that `launch` runs, by rank. False: something about the launch
/// is not known.
bool addInstances(DispatchOp launch, func::FuncOp program, int64_t world,
                  std::vector<Instance> &instances);

/// Whether every buffer has windows of one shape only.
bool hasOneViewEach(func::FuncOp host);

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_HOSTLAUNCHES_H

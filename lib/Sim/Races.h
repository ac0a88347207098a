//===- Races.h - accesses of tasks, and those that nothing orders ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_RACES_H
#define PL_LIB_SIM_RACES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pl::sim {

enum class AccessKind : uint8_t { Read, Write, Add };

/// Equal rows of bytes of one buffer, `pitch` bytes apart.
struct Access {
  int64_t start = 0, rowBytes = 0, pitch = 0, rows = 0;
  AccessKind kind = AccessKind::Read;
  mlir::LocationAttr loc;

  int64_t end() const { return start + (rows - 1) * pitch + rowBytes; }
};

/// The first byte that both touch.
std::optional<int64_t> firstOverlap(const Access &a, const Access &b);

/// Accesses to one buffer, coalesced: repeated, nested and neighbouring
/// rectangles of one kind become one.
class AccessSet {
public:
  void add(Access access);
  llvm::ArrayRef<Access> get() const { return accesses; }

private:
  std::vector<Access> accesses;
};

/// An access and who did it: a block of a task, or a task.
struct OwnedAccess {
  Access access;
  unsigned owner = 0;
};

struct Conflict {
  OwnedAccess first, second;  ///< first.owner < second.owner
  int64_t begin = 0, end = 0; ///< first common bytes
};

/// Finds conflicting accesses of different owners for which `ordered` is false:
/// at most one per pair of owners, at most `limit` in all.
std::vector<Conflict>
findConflicts(std::vector<OwnedAccess> accesses,
              llvm::function_ref<bool(unsigned, unsigned)> ordered,
              unsigned limit);

/// Which tasks come after which.
class Reachability {
public:
  /// Adds the next task with the tasks it waits for, which come before it.
  void addTask(llvm::ArrayRef<unsigned> deps);
  bool ordered(unsigned a, unsigned b) const {
    return a < b ? reaches(a, b) : reaches(b, a);
  }

private:
  bool reaches(unsigned early, unsigned late) const {
    const std::vector<uint64_t> &row = before[late];
    return early / 64 < row.size() && (row[early / 64] >> early % 64 & 1);
  }
  std::vector<std::vector<uint64_t>> before;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_RACES_H

//===- RankGroup.h - ranks that wait for each other -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_RANKGROUP_H
#define PL_HOSTSHIM_RANKGROUP_H

#include "pl/HostShim/isa/platform_comm/comm_context.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pl::shim {

/// The ranks of a run, each on a thread of its own, and their windows. When all
/// of them wait, nobody can notify any more: then the program ends with a
/// message.
class RankGroup {
public:
  /// Windows of `bytes` bytes for each rank, of poison.
  RankGroup(unsigned ranks, uint64_t bytes);

  unsigned size() const { return unsigned(contexts.size()); }
  const CommContext &context(unsigned rank) const { return contexts[rank]; }
  char *windows(unsigned rank) const {
    return reinterpret_cast<char *>(contexts[rank].windowsIn[rank]);
  }

  enum class Compare { EQ, NE, GT, GE, LT, LE, UnsignedGE };
  void notify(int32_t *cell, int32_t value, bool set);
  /// `where` says who waits.
  void wait(const int32_t *cell, int32_t value, Compare compare,
            std::string where);
  /// A rank has run all its programs.
  void leave();
  /// A lock around atomic adds to windows.
  std::mutex &addMutex() { return adding; }

private:
  struct Waiter {
    const int32_t *cell;
    int32_t value;
    Compare compare;
    std::string where;
    bool holds() const;
  };
  void checkStuck();
  std::string describe(const Waiter &waiter) const;

  std::vector<CommContext> contexts;
  std::vector<std::unique_ptr<char[]>> memory;
  std::mutex mutex, adding;
  std::condition_variable changed;
  std::vector<const Waiter *> waiters;
  unsigned running;
};

/// What a task registered, which its completion waits for.
struct DeferredWait {
  int32_t *cell;
  uint32_t expected;
};

} // namespace pl::shim

#endif // PL_HOSTSHIM_RANKGROUP_H

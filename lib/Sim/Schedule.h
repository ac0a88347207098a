//===- Schedule.h - which ready task starts next --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_SCHEDULE_H
#define PL_LIB_SIM_SCHEDULE_H

#include "pl/Sim/Sim.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace pl::sim {

/// A counter-based generator: the same numbers on every host.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// In [0, bound), without bias that could be seen here.
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state;
};

/// Hands out tasks whose dependencies are complete.
class Schedule {
public:
  Schedule(Order order, uint64_t seed) : order(order), random(seed) {}

  /// Adds the next task. Dependencies may also name tasks added later.
  void add(llvm::ArrayRef<unsigned> deps);
  using Filter = llvm::function_ref<bool(unsigned)>;
  /// The next task to start, or nothing if none is ready that `may` start.
  std::optional<unsigned> start(Filter may = {});
  bool hasReady(Filter may = {}) const;
  llvm::ArrayRef<unsigned> getReady() const { return ready; }
  void complete(unsigned task);
  bool allComplete() const { return numComplete == tasks.size(); }
  /// Tasks that have not started, with those each of them waits for.
  std::vector<std::pair<unsigned, std::vector<unsigned>>> waiting() const;
  /// The order of the blocks of a task.
  std::vector<int64_t> blockOrder(unsigned task, int64_t blocks) const;

private:
  struct Task {
    std::vector<unsigned> deps, consumers;
    unsigned missing = 0;
    bool started = false, complete = false;
  };
  Order order;
  Random random;
  std::vector<Task> tasks;
  std::vector<std::pair<unsigned, unsigned>> early; ///< (task to come, waiter)
  std::vector<unsigned> ready; ///< in the order they became so
  size_t numComplete = 0;
};

/// Who waits for whom, when nothing can start any more.
Failure describeDeadlock(const Schedule &schedule,
                         llvm::ArrayRef<TaskInfo> tasks);

} // namespace pl::sim

#endif // PL_LIB_SIM_SCHEDULE_H

//===- Workers.h - host threads that share the blocks of a task -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_WORKERS_H
#define PL_LIB_SIM_WORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace pl::sim {

/// Threads that live as long as a run. One `forEach` at a time.
class Workers {
public:
  explicit Workers(unsigned count);
  ~Workers();

  unsigned size() const { return threads.size() + 1; }

  /// Calls `work(item, worker)` for items 0 .. count, handed out in order, on
  /// all threads. Once a call returns false, no later item is handed out; all
  /// before it are done when this returns.
  void forEach(int64_t count, llvm::function_ref<bool(int64_t, unsigned)> work);

private:
  void serve(unsigned worker);
  void drain(unsigned worker);

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake, idle;
  llvm::function_ref<bool(int64_t, unsigned)> current;
  int64_t next = 0, end = 0;
  unsigned busy = 0;
  uint64_t generation = 0;
  bool stop = false;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_WORKERS_H

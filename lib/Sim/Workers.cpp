//===- Workers.cpp - host threads that share the blocks of a task ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

using namespace pl::sim;

Workers::Workers(unsigned count) {
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([this, i] { serve(i); });
}

Workers::~Workers() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Workers::serve(unsigned worker) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stop || generation != seen; });
    if (stop)
      return;
    seen = generation;
    lock.unlock();
    drain(worker);
    lock.lock();
    if (--busy == 0)
      idle.notify_one();
  }
}

void Workers::drain(unsigned worker) {
  while (true) {
    int64_t item;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (next >= end)
        return;
      item = next++;
    }
    if (current(item, worker))
      continue;
    std::lock_guard<std::mutex> lock(mutex);
    end = next;
  }
}

void Workers::forEach(int64_t count,
                      llvm::function_ref<bool(int64_t, unsigned)> work) {
  if (count == 1 || threads.empty()) {
    for (int64_t item = 0; item < count; ++item)
      if (!work(item, 0))
        return;
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = work;
    next = 0;
    end = count;
    busy = threads.size();
    ++generation;
  }
  wake.notify_all();
  drain(0);
  std::unique_lock<std::mutex> lock(mutex);
  idle.wait(lock, [&] { return busy == 0; });
}

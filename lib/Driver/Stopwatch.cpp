//===- Stopwatch.cpp - Where host time goes -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Stopwatch.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <time.h>

namespace pl::driver {

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// What all threads of the process have worked so far.
static double getCpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

Stopwatch::Stopwatch()
    : announces(llvm::sys::Process::StandardErrIsDisplayed()) {}

double Stopwatch::getTotalSeconds() const { return secondsSince(start); }

Stopwatch::Scope::Scope(Stopwatch &stopwatch, llvm::StringRef name)
    : stopwatch(stopwatch), name(name.str()), cpuStart(getCpuSeconds()) {
  if (stopwatch.announces)
    watcher = std::thread([this] { announce(); });
}

/// Waits for the end of the step, and says what is going on if that takes long.
void Stopwatch::Scope::announce() {
  std::unique_lock<std::mutex> lock(mutex);
  if (!ended.wait_for(lock, std::chrono::seconds(1), [&] { return hasEnded; }))
    llvm::errs() << "plc: " << name << " ...\n";
}

Stopwatch::Scope::~Scope() {
  if (watcher.joinable()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      hasEnded = true;
    }
    ended.notify_one();
    watcher.join();
  }
  double seconds = secondsSince(start);
  double cpuSeconds = getCpuSeconds() - cpuStart;
  for (Step &step : stopwatch.steps)
    if (step.name == name) {
      step.seconds += seconds;
      step.cpuSeconds += cpuSeconds;
      return;
    }
  stopwatch.steps.push_back({name, seconds, cpuSeconds});
}

} // namespace pl::driver

//===- Stopwatch.h - Where host time goes -----------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_STOPWATCH_H
#define PL_DRIVER_STOPWATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pl::driver {

/// Host seconds per step of a command. A step that takes longer than a second
/// is announced on standard error, when somebody sits there.
class Stopwatch {
public:
  struct Step {
    std::string name;
    double seconds;
    /// What all threads of the process worked.
    double cpuSeconds;
  };

  Stopwatch();

  /// Measures from its construction to its end.
  class Scope {
  public:
    Scope(Stopwatch &stopwatch, llvm::StringRef name);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    void announce();

    using Clock = std::chrono::steady_clock;
    Stopwatch &stopwatch;
    std::string name;
    Clock::time_point start = Clock::now();
    double cpuStart;
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    std::thread watcher;
  };

  /// In the order they began; steps of one name are added up.
  llvm::ArrayRef<Step> getSteps() const { return steps; }
  /// Since the stopwatch was made.
  double getTotalSeconds() const;

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  bool announces;
  std::vector<Step> steps;
};

} // namespace pl::driver

#endif // PL_DRIVER_STOPWATCH_H

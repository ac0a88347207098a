//===- CpuClock.h - Seconds that a thread worked ----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_SIM_CPUCLOCK_H
#define PL_SIM_CPUCLOCK_H

#include <chrono>
#include <time.h>

namespace pl::sim {

/// What the calling thread has worked so far. Time in which other programs have
/// its core does not count, so sums of it can be compared between machines that
/// are busy and those that are not.
inline double getThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Measures a piece of work of one thread, and of that a part, by a clock that
/// is cheap to read often but goes on while other programs have the core.
class PartClock {
public:
  /// `part` grows by seconds of that clock until `stop`.
  explicit PartClock(double &part) : part(part), partBefore(part) {}

  /// What the thread worked; of `part`, what was added becomes the same share
  /// of that as it was of the time that passed.
  double stop() {
    double worked = getThreadSeconds() - start;
    double passed = std::chrono::duration<double>(Clock::now() - begun).count();
    if (passed > worked)
      part = partBefore + (part - partBefore) * worked / passed;
    return worked;
  }

private:
  using Clock = std::chrono::steady_clock;
  double &part;
  double partBefore;
  Clock::time_point begun = Clock::now();
  double start = getThreadSeconds();
};

} // namespace pl::sim

#endif // PL_SIM_CPUCLOCK_H

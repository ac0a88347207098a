//===- CpuClock.h - Seconds that a thread worked ----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_SIM_CPUCLOCK_H
#define PL_SIM_CPUCLOCK_H

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

} // namespace pl::sim

#endif // PL_SIM_CPUCLOCK_H

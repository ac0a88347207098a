//===- Report.h - What a run says -------------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_REPORT_H
#define PL_DRIVER_REPORT_H

#include "pl/Driver/Judge.h"

namespace pl::driver {

/// All that `plc run` found out.
struct RunReport {
  std::string entry;
  sim::RunResult result;
  std::vector<OutputVerdict> outputs;
  /// Where files were written, one line each.
  std::vector<std::string> files;
  bool passed = false;
  /// Of this run, and how many were tried up to it.
  uint64_t seed = 0;
  unsigned numSeeds = 0;
};

/// The table for people.
void printReport(llvm::raw_ostream &os, Compilation &compiled,
                 const RunReport &report);
/// The same for programs.
void printJsonReport(llvm::raw_ostream &os, Compilation &compiled,
                     const RunReport &report);

/// Reports what the simulator found, as the front end reports its errors.
void reportFailures(Compilation &compiled, const sim::RunResult &result);
/// Reports an output with wrong values, at the stores that wrote it.
void reportWrong(Compilation &compiled, const OutputVerdict &output);

} // namespace pl::driver

#endif // PL_DRIVER_REPORT_H

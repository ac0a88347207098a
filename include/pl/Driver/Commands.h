//===- Commands.h - The commands of plc -------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_COMMANDS_H
#define PL_DRIVER_COMMANDS_H

#include "pl/Driver/CommandLine.h"

namespace pl::driver {

/// The whole of plc: parses the command line and runs the command. What was
/// asked for goes to standard output, everything else to standard error.
/// Returns the exit code.
int plcMain(int argc, const char *const *argv);

/// Each command returns its exit code.
int runCompile(const Options &options, llvm::raw_ostream &out,
               llvm::raw_ostream &err);
int runCheck(const Options &options, llvm::raw_ostream &out,
             llvm::raw_ostream &err);
int runRun(const Options &options, llvm::raw_ostream &out,
           llvm::raw_ostream &err);
int runGraph(const Options &options, llvm::raw_ostream &out,
             llvm::raw_ostream &err);
/// What any of them does with --list-params.
int runListParams(const Options &options, llvm::raw_ostream &out,
                  llvm::raw_ostream &err);

} // namespace pl::driver

#endif // PL_DRIVER_COMMANDS_H

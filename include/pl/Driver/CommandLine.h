//===- CommandLine.h - What the user asked plc to do ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Driver` holds the commands of plc: it connects the front end, the passes,
// the emission and the simulator, and it alone talks to the user. This header
// is the command line: one table of options per command, from which parsing,
// the help and the suggestions for misspelt options are made. Options of MLIR
// (`--mlir-…`) are handed to llvm::cl.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_COMMANDLINE_H
#define PL_DRIVER_COMMANDLINE_H

#include "pl/Driver/Phase.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace pl::driver {

/// Exit codes of every command.
enum ExitCode : int {
  ExitGood = 0,
  ExitRejected = 1, ///< diagnostics say why
  ExitUsage = 2,    ///< the command line is wrong
  ExitFailed = 3    ///< the simulated program failed
};

enum class Command : uint8_t { Compile, Check, Run, Graph };
llvm::StringRef stringify(Command command);

/// Names of `--order`.
enum class RunOrder : uint8_t { Program, Oldest, Newest, Shuffle };
llvm::StringRef stringify(RunOrder order);

struct Options {
  Command command = Command::Compile;
  /// The input; "-" is standard input.
  std::string file;

  // All commands.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includeDirs;
  std::vector<std::string> argv; ///< what follows `--`
  std::string entry;             ///< empty: what the module names
  std::string machine = "a2a3";
  bool listParams = false;
  std::string schedule; ///< a schedule file; empty: none
  /// Which remarks about speed and edges to print; empty: all.
  std::optional<std::string> remarks;

  // compile
  std::string outputDir;
  std::optional<Phase> emit;
  bool saveTemps = false;

  // run
  RunOrder order = RunOrder::Program;
  bool pipesAdversarial = false;
  /// How many seeds, from `seed` on.
  unsigned seeds = 1;
  uint64_t seed = 0;
  unsigned threads = 0; ///< 0: all
  unsigned rounds = 1;
  unsigned cores = 0; ///< that waiting blocks may hold; 0: all
  bool json = false;
  std::string saveData;
  std::string goldenData;
  std::string inputs;

  // graph
  bool graphJson = false;
  std::string outputFile; ///< empty or "-": standard output
};

/// Parses the arguments of the program, its name included. Returns nothing when
/// there is nothing left to do (help, version, a mistake); `exitCode` is then
/// the code to end with. Help goes to `out`, mistakes to `err`.
std::optional<Options> parseCommandLine(llvm::ArrayRef<const char *> args,
                                        llvm::raw_ostream &out,
                                        llvm::raw_ostream &err, int &exitCode);

/// Registers the options of MLIR that every command takes. Call once.
void registerMlirOptions();

} // namespace pl::driver

#endif // PL_DRIVER_COMMANDLINE_H

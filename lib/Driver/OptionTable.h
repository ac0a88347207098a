//===- OptionTable.h - The options of plc ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_OPTIONTABLE_H
#define PL_DRIVER_OPTIONTABLE_H

#include "pl/Driver/CommandLine.h"

namespace pl::driver {

enum class Opt : uint8_t {
  Help,
  Define,
  Include,
  ListParams,
  Entry,
  Machine,
  Output,
  OutputFile,
  Emit,
  SaveTemps,
  Order,
  Seed,
  Seeds,
  Threads,
  Json,
  SaveData,
  GoldenData,
  Inputs,
  Format,
  Rounds,
  Cores,
  Pipes,
  Remarks,
  Schedule,
  NotYet ///< recognised, refused
};

constexpr Command allCommands[] = {Command::Compile, Command::Check,
                                   Command::Run, Command::Graph};

/// One row of the table; it drives parsing and help.
struct OptionSpec {
  Opt id;
  /// Without dashes; one letter for `-D`.
  llvm::StringLiteral name;
  /// Placeholder of the value; empty for a flag.
  llvm::StringLiteral metavar;
  /// One line.
  llvm::StringLiteral help;
  /// Bits of the commands that take it.
  unsigned commands;
  /// Heading in the help.
  llvm::StringLiteral group;
  /// `a|b|c`, or empty when any value will do.
  llvm::StringLiteral choices = "";

  bool takes(Command command) const {
    return commands & (1u << static_cast<unsigned>(command));
  }
  bool isNotYet() const { return id == Opt::NotYet; }
};

llvm::ArrayRef<OptionSpec> getOptionTable();

void printGeneralHelp(llvm::raw_ostream &os);
void printCommandHelp(llvm::raw_ostream &os, Command command);
void printExplainHelp(llvm::raw_ostream &os);
void printVersion(llvm::raw_ostream &os);
/// "the commands are compile, check, run and graph".
std::string listCommands();

} // namespace pl::driver

#endif // PL_DRIVER_OPTIONTABLE_H

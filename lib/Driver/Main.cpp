//===- Main.cpp - plc from the command line to the exit code --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"

#include "llvm/Support/raw_ostream.h"

namespace pl::driver {

int plcMain(int argc, const char *const *argv) {
  registerMlirOptions();
  llvm::raw_ostream &out = llvm::outs(), &err = llvm::errs();
  int exitCode = ExitGood;
  std::optional<Options> options =
      parseCommandLine(llvm::ArrayRef(argv, argc), out, err, exitCode);
  if (options && options->listParams) {
    exitCode = runListParams(*options, out, err);
  } else if (options) {
    switch (options->command) {
    case Command::Compile:
      exitCode = runCompile(*options, out, err);
      break;
    case Command::Check:
      exitCode = runCheck(*options, out, err);
      break;
    case Command::Run:
      exitCode = runRun(*options, out, err);
      break;
    case Command::Graph:
      exitCode = runGraph(*options, out, err);
      break;
    }
  }
  out.flush();
  // A full disk or a closed pipe must not pass for a good run, nor end in
  // raw_ostream's fatal error.
  if (llvm::outs().has_error()) {
    std::string reason = llvm::outs().error().message();
    llvm::outs().clear_error();
    err << "plc: error: cannot write the output: " << reason << "\n";
    if (exitCode == ExitGood)
      exitCode = ExitRejected;
  }
  return exitCode;
}

} // namespace pl::driver

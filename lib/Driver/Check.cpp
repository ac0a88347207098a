//===- Check.cpp - plc check ----------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/Judge.h"

#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

int runCheck(const Options &options, raw_ostream &out, raw_ostream &err) {
  Compilation compiled(options, err);
  if (failed(compiled.load()))
    return compiled.getExitCode();
  // A module of helpers only has nothing that could be compiled.
  if (compiled.getSession() && compiled.getSession()->getKernels().empty() &&
      options.entry.empty()) {
    out << options.file << ": no problems found (it defines no kernel)\n";
    return ExitGood;
  }
  if (failed(compiled.selectEntry()) ||
      failed(compiled.compileTo(Phase::Tiles)))
    return compiled.getExitCode();
  FailureOr<std::vector<Parameter>> parameters = readParameters(compiled);
  if (failed(parameters) || failed(checkComparators(compiled, *parameters)))
    return compiled.getExitCode();
  out << options.file << ": no problems found\n";
  return ExitGood;
}

} // namespace pl::driver

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

/// The entries to check: the one asked for, what the module runs, else every
/// entry it has.
static std::vector<std::string> listEntries(Compilation &compiled) {
  const Options &options = compiled.getOptions();
  if (!options.entry.empty() || !compiled.getSession())
    return {options.entry};
  std::string why;
  frontend::Session &session = *compiled.getSession();
  if (frontend::KernelObject *entry = session.getMainEntry(why))
    return {entry->name};
  std::vector<std::string> names;
  for (const frontend::Ref<frontend::KernelObject> &kernel :
       session.getKernels())
    if (kernel->kind == frontend::KernelKind::Jit &&
        kernel->module.get() == session.getMainModule())
      names.push_back(kernel->name);
  return names;
}

static LogicalResult checkEntry(Compilation &compiled) {
  if (failed(compiled.selectEntry()) ||
      failed(compiled.compileTo(Phase::Tiles)))
    return failure();
  FailureOr<std::vector<Parameter>> parameters = readParameters(compiled);
  if (failed(parameters))
    return failure();
  return checkComparators(compiled, *parameters);
}

int runCheck(const Options &options, raw_ostream &out, raw_ostream &err) {
  Compilation first(options, err);
  if (failed(first.load()))
    return first.getExitCode();
  std::vector<std::string> entries = listEntries(first);
  if (entries.size() == 1) {
    if (failed(checkEntry(first)))
      return first.getExitCode();
  } else {
    for (const std::string &entry : entries) {
      Options one = options;
      one.entry = entry;
      Compilation compiled(one, err);
      if (failed(compiled.load()) || failed(checkEntry(compiled)))
        return compiled.getExitCode();
    }
  }
  out << options.file << ": no problems found"
      << (entries.empty() ? " (it defines no entry)" : "") << "\n";
  return ExitGood;
}

} // namespace pl::driver

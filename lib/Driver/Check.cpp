//===- Check.cpp - plc check ----------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/Judge.h"

#include "pl/Analysis/Lowerable.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

namespace {

/// How far the checks of one entry went.
enum class Reached { Rejected, Source, Tiles };

/// One `plc check`.
class Checker {
public:
  Checker(const Options &options, raw_ostream &out, raw_ostream &err)
      : options(options), out(out), compiled(options, err) {}

  int run();

private:
  Reached checkEntry();
  bool noteNotLowered();
  bool noteUnknownShape();

  const Options &options;
  raw_ostream &out;
  Compilation compiled;
};

} // namespace

/// Says what keeps later phases from taking the module, if anything does.
bool Checker::noteNotLowered() {
  SmallVector<mlir::pl::NotLowered> found =
      mlir::pl::findNotLowered(compiled.getModule());
  for (const mlir::pl::NotLowered &item : found)
    mlir::emitRemark(item.loc)
        << item.what << " is not lowered past phase 'pl' yet: what later "
        << "phases check of this entry is undecided";
  compiled.getDiagnostics().flush();
  return !found.empty();
}

/// Says that the entry can be compiled for no call, if so.
bool Checker::noteUnknownShape() {
  frontend::Session *session = compiled.getSession();
  const frontend::KernelObject *entry = compiled.getEntry();
  const frontend::Param *param =
      session && entry ? session->findUnknownShape(*entry) : nullptr;
  if (!param)
    return false;
  StringRef name = param->name;
  compiled.getDiagnostics()
      .report(frontend::Severity::Remark, param->range,
              "the shape of '" + name +
                  "' is known to callers "
                  "of '" +
                  entry->name +
                  "' only: what this "
                  "entry does is undecided")
      .note({}, "write it, as in pl.Tensor[[8, 64], pl.FP32], or give the "
                "entry a fixture");
  compiled.getDiagnostics().flush();
  return true;
}

Reached Checker::checkEntry() {
  if (compiled.getPhase() < Phase::PL && noteUnknownShape())
    return Reached::Source;
  if (compiled.getPhase() < Phase::PL && failed(compiled.compileTo(Phase::PL)))
    return Reached::Rejected;
  if (compiled.getPhase() == Phase::PL && noteNotLowered())
    return Reached::Source;
  if (failed(compiled.compileTo(Phase::Tiles)))
    return Reached::Rejected;
  FailureOr<std::vector<Parameter>> parameters = readParameters(compiled);
  if (failed(parameters) || failed(checkComparators(compiled, *parameters)))
    return Reached::Rejected;
  return Reached::Tiles;
}

int Checker::run() {
  if (failed(compiled.load()))
    return compiled.getExitCode();
  size_t numSource = 0, numEntries = 1;
  if (!compiled.getSession()) {
    if (failed(compiled.selectEntry()))
      return compiled.getExitCode();
    numSource += checkEntry() == Reached::Source;
  } else {
    FailureOr<SmallVector<frontend::KernelObject *>> entries =
        compiled.listEntries();
    if (failed(entries))
      return compiled.getExitCode();
    numEntries = entries->size();
    for (frontend::KernelObject *entry : *entries) {
      compiled.selectEntry(*entry);
      numSource += checkEntry() == Reached::Source;
    }
  }
  if (int code = compiled.getExitCode())
    return code;
  out << options.file << ": no problems found";
  if (numEntries == 0)
    out << " (it defines no entry)";
  else if (numSource == numEntries)
    out << " (checked to phase 'pl')";
  else if (numSource != 0)
    out << " (" << numSource << " of " << numEntries
        << " entries checked to phase 'pl')";
  out << "\n";
  return ExitGood;
}

int runCheck(const Options &options, raw_ostream &out, raw_ostream &err) {
  return Checker(options, out, err).run();
}

} // namespace pl::driver

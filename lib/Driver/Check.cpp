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
#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

namespace {

/// How far the checks of one entry went.
enum class Reached { Rejected, Source, Tasks, Tiles };

/// One `plc check`.
class Checker {
public:
  Checker(const Options &options, raw_ostream &out, raw_ostream &err)
      : options(options), out(out), compiled(options, err) {}

  int run();

private:
  Reached checkEntry();
  void checkUncalled();
  std::string summarize() const;
  bool noteUnknownShape();

  const Options &options;
  raw_ostream &out;
  Compilation compiled;
  void countEntry();

  /// Entries, those of them that were followed to phase `pl` and `tasks` only,
  /// and kernels that no entry calls.
  size_t numEntries = 0, numSource = 0, numTasks = 0, numUncalled = 0;
};

} // namespace

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
      .report(frontend::Severity::Remark, frontend::DiagCode::BadAnnotation,
              param->range,
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
  const frontend::KernelObject *entry = compiled.getEntry();
  if (entry && !frontend::isProgram(*entry)) {
    if (!compiled.canCheckAlone(*entry))
      return Reached::Source;
    return failed(compiled.compileTo(Phase::PL)) ? Reached::Rejected
                                                 : Reached::Source;
  }
  if (compiled.getPhase() < Phase::PL && noteUnknownShape())
    return Reached::Source;
  if (compiled.getPhase() < Phase::PL && failed(compiled.compileTo(Phase::PL)))
    return Reached::Rejected;
  compiled.mayStop = true;
  if (failed(compiled.compileTo(Phase::Tiles)))
    return !compiled.hasStopped()                ? Reached::Rejected
           : compiled.getPhase() == Phase::Tasks ? Reached::Tasks
                                                 : Reached::Source;
  // Only a host program can give a program its windows.
  if (mlir::func::FuncOp function = compiled.getEntryFunction())
    for (mlir::Type type : function.getArgumentTypes())
      if (auto memref = dyn_cast<mlir::MemRefType>(type))
        if (isa_and_nonnull<mlir::pl::WindowAttr>(memref.getMemorySpace()))
          return Reached::Tiles;
  FailureOr<std::vector<Parameter>> parameters = readParameters(compiled);
  if (failed(parameters) || failed(checkComparators(compiled, *parameters)))
    return Reached::Rejected;
  return Reached::Tiles;
}

void Checker::countEntry() {
  Reached reached = checkEntry();
  numSource += reached == Reached::Source;
  numTasks += reached == Reached::Tasks;
}

/// Looks at what the entries do not reach.
void Checker::checkUncalled() {
  frontend::Session &session = *compiled.getSession();
  for (frontend::KernelObject *kernel : session.getUncalledKernels()) {
    // One before it may call it.
    if (session.wasLowered(*kernel) || !compiled.canCheckAlone(*kernel))
      continue;
    compiled.selectEntry(*kernel);
    (void)checkEntry();
    ++numUncalled;
  }
}

static std::string count(size_t number, StringRef noun, StringRef plural) {
  return std::to_string(number) + " " + (number == 1 ? noun : plural).str();
}

static std::string describeOutcome(const frontend::DiagnosticEngine &engine) {
  unsigned warnings = engine.getNumWarnings();
  return warnings == 0 ? "no problems found"
                       : "no errors, " + count(warnings, "warning", "warnings");
}

/// How far the checks went, where that is not all the way.
std::string Checker::summarize() const {
  std::string uncalled =
      count(numUncalled, "kernel", "kernels") + " that no entry calls";
  if (numEntries == 0)
    return numUncalled == 0 ? "it defines no entry"
                            : uncalled + " checked to phase 'pl'";
  auto entries = [&](size_t number) {
    return number == numEntries ? count(numEntries, "entry", "entries")
                                : std::to_string(number) + " of " +
                                      count(numEntries, "entry", "entries");
  };
  SmallVector<std::string> parts;
  std::string source = numSource == 0 ? "" : entries(numSource);
  if (numUncalled != 0)
    source += (source.empty() ? "" : " and ") + uncalled;
  if (!source.empty())
    parts.push_back(source + " checked to phase 'pl'");
  if (numTasks != 0)
    parts.push_back(entries(numTasks) + " checked to phase 'tasks'");
  if (numUncalled == 0 && numSource == numEntries)
    return "checked to phase 'pl'";
  if (numUncalled == 0 && numTasks == numEntries)
    return "checked to phase 'tasks'";
  return llvm::join(parts, ", ");
}

int Checker::run() {
  if (failed(compiled.load()))
    return compiled.getExitCode();
  if (!compiled.getSession()) {
    if (failed(compiled.selectEntry()))
      return compiled.getExitCode();
    numEntries = 1;
    countEntry();
  } else {
    FailureOr<SmallVector<frontend::KernelObject *>> entries =
        compiled.listEntries();
    if (failed(entries))
      return compiled.getExitCode();
    numEntries = entries->size();
    for (frontend::KernelObject *entry : *entries) {
      if (compiled.getDiagnostics().reachedLimit()) {
        // Shows as "too many errors".
        compiled.getDiagnostics().error(frontend::DiagCode::None, {}, "");
        break;
      }
      compiled.selectEntry(*entry);
      countEntry();
    }
    if (options.entry.empty())
      checkUncalled();
  }
  if (int code = compiled.getExitCode())
    return code;
  std::string reached = summarize();
  out << frontend::makePrintable(options.file) << ": "
      << describeOutcome(compiled.getDiagnostics())
      << (reached.empty() ? "" : " (" + reached + ")") << "\n";
  return ExitGood;
}

int runCheck(const Options &options, raw_ostream &out, raw_ostream &err) {
  return Checker(options, out, err).run();
}

} // namespace pl::driver

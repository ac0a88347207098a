//===- Report.cpp - What a run says ---------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Report.h"

#include "HostJson.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Driver/Table.h"
#include "pl/Frontend/PrintableText.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cmath>

using namespace llvm;
using pl::frontend::ParamRecord;
using Verdict = pl::driver::OutputVerdict::Verdict;

namespace pl::driver {

static std::string describeTimes(const Stopwatch &stopwatch) {
  std::string text;
  for (const Stopwatch::Step &step : stopwatch.getSteps())
    text += fmt::format("{} {:.2f} s, ", step.name, step.seconds);
  return text + fmt::format("total {:.2f} s", stopwatch.getTotalSeconds());
}

static void printHeading(raw_ostream &os, Compilation &compiled,
                         const RunReport &report) {
  const Options &options = compiled.getOptions();
  os << frontend::makePrintable(report.entry) << " on " << options.machine
     << ", order " << stringify(options.order);
  if (options.pipesAdversarial)
    os << ", pipes adversarial";
  if (options.order == RunOrder::Shuffle || options.pipesAdversarial)
    os << ", seed " << report.seed;
  if (!report.result.ranks.empty())
    os << ", " << report.result.ranks.size()
       << (report.result.ranks.size() == 1 ? " rank" : " ranks");
  if (!options.schedule.empty())
    os << ", schedule "
       << frontend::makePrintable(sys::path::filename(options.schedule));
  if (frontend::Session *session = compiled.getSession())
    for (const ParamRecord &param : session->getParams())
      os << (&param == session->getParams().data() ? "; " : " ") << param.name
         << "=" << frontend::makePrintable(frontend::str(param.value));
  os << "\n\n";
}

void printReport(raw_ostream &os, Compilation &compiled,
                 const RunReport &report) {
  const Options &options = compiled.getOptions();
  printHeading(os, compiled, report);
  bool manyRanks = report.result.ranks.size() > 1;
  Table tasks(
      {{manyRanks ? "task of rank 0" : "task"}, {"kind"}, {"blocks", true}});
  for (const sim::TaskInfo &task : report.result.tasks)
    tasks.addRow({task.name, sim::stringify(task.kind).str(),
                  task.kind == sim::TaskKind::Dummy
                      ? "-"
                      : std::to_string(task.blocks)});
  tasks.print(os);

  size_t numGood = 0, numUnchecked = 0;
  if (!report.outputs.empty()) {
    os << "\n";
    Table outputs({{"output"},
                   {"compared", true},
                   {"bad", true},
                   {"worst", true},
                   {"allowed"},
                   {"verdict"}});
    for (const OutputVerdict &output : report.outputs) {
      numGood += output.verdict == Verdict::Pass;
      bool checked = output.verdict != Verdict::Unchecked;
      numUnchecked += !checked;
      std::string name = output.name;
      if (output.round)
        name += fmt::format(" (round {})", output.round);
      outputs.addRow({name, std::to_string(output.compared),
                      checked ? std::to_string(output.bad) : "-",
                      checked ? fmt::format("{:.3g}", output.worst) : "-",
                      describeAllowed(output),
                      stringify(output.verdict).str()});
    }
    outputs.print(os);
  }
  os << "\n" << (report.passed ? "passed" : "FAILED");
  if (!report.result.failures.empty())
    os << ": the simulation reported " << report.result.failures.size()
       << (report.result.failures.size() == 1 ? " failure" : " failures");
  else if (numUnchecked && numUnchecked == report.outputs.size())
    os << ": it ran; there are no expected values to compare the outputs with";
  else
    os << ": " << numGood << " of " << report.outputs.size()
       << " outputs are right";
  if (options.seeds > 1 && report.passed)
    os << " with each of " << report.numSeeds << " seeds, " << options.seed
       << " to " << report.seed;
  else if (options.seeds > 1)
    os << " with seed " << report.seed << " (" << report.numSeeds << " of "
       << options.seeds << " tried)";
  os << "\n";
  for (const std::string &line : report.files)
    os << frontend::makePrintable(line) << "\n";
  os << "time: " << describeTimes(compiled.getStopwatch()) << "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no word for infinity and NaN.
static json::Value finite(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static void printTasks(json::OStream &out, ArrayRef<sim::TaskInfo> tasks,
                       ArrayRef<unsigned> startOrder) {
  out.attributeArray("tasks", [&] {
    for (const sim::TaskInfo &task : tasks)
      out.object([&] {
        out.attribute("name", json::fixUTF8(task.name));
        out.attribute("kind", sim::stringify(task.kind));
        out.attribute("block_num", task.blocks);
        out.attributeArray("deps", [&] {
          for (const sim::TaskEdge &edge : task.deps)
            out.object([&] {
              out.attribute("task", edge.task);
              out.attribute("reason", json::fixUTF8(edge.reason));
            });
        });
      });
  });
  out.attributeArray("start_order", [&] {
    for (unsigned index : startOrder)
      out.value(index);
  });
}

static void printFound(json::OStream &out, Compilation &compiled,
                       StringRef name, ArrayRef<sim::Failure> found) {
  auto where = [&](mlir::LocationAttr location) {
    ResolvedLocation at = resolveLocation(compiled.getSources(), location);
    return json::fixUTF8(at.range.isValid()
                             ? compiled.getSources().describe(at.range)
                             : at.text);
  };
  out.attributeArray(name, [&] {
    for (const sim::Failure &failure : found)
      out.object([&] {
        out.attribute("kind", sim::stringify(failure.kind));
        out.attribute("message", json::fixUTF8(failure.message));
        out.attribute("location", where(failure.location));
        out.attributeArray("notes", [&] {
          for (const sim::Note &note : failure.notes)
            out.object([&] {
              out.attribute("message", json::fixUTF8(note.message));
              out.attribute("location", where(note.location));
            });
        });
      });
  });
}

/// The comparator and its numbers, by the names of its arguments.
static void printAllowed(json::OStream &out, const OutputVerdict &output) {
  using Kind = frontend::ComparatorObject::Kind;
  const frontend::ComparatorObject *how = output.how;
  Kind kind = how ? how->comparator : Kind::Exact;
  out.attribute("comparator", getName(kind));
  if (kind == Kind::RatioReldiff) {
    out.attribute("d", how->d);
    out.attribute("pct", how->pct);
    out.attribute("cap", finite(how->cap));
  } else if (kind != Kind::Exact) {
    out.attribute("atol", how->atol);
    out.attribute("rtol", how->rtol);
    out.attribute("ratio", how->ratio);
  }
  out.attribute("bad", output.allowedBad);
}

void printJsonReport(raw_ostream &os, Compilation &compiled,
                     const RunReport &report) {
  const Options &options = compiled.getOptions();
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("entry", json::fixUTF8(report.entry));
    out.attribute("machine", options.machine);
    out.attributeObject("parameters", [&] {
      if (frontend::Session *session = compiled.getSession())
        for (const ParamRecord &param : session->getParams())
          out.attribute(json::fixUTF8(param.name), toJson(param.value));
    });
    out.attribute("order", stringify(options.order));
    out.attribute("pipes",
                  options.pipesAdversarial ? "adversarial" : "program");
    out.attribute("seed", static_cast<int64_t>(report.seed));
    out.attribute("seeds", static_cast<int64_t>(report.numSeeds));
    out.attribute("passed", report.passed);
    printTasks(out, report.result.tasks, report.result.startOrder);
    if (!report.result.ranks.empty())
      out.attributeArray("ranks", [&] {
        for (const sim::RankResult &rank : report.result.ranks)
          out.object([&] { printTasks(out, rank.tasks, rank.startOrder); });
      });
    out.attributeArray("outputs", [&] {
      for (const OutputVerdict &output : report.outputs)
        out.object([&] {
          out.attribute("name", json::fixUTF8(output.name));
          if (output.round)
            out.attribute("round", output.round);
          out.attribute("compared", output.compared);
          out.attribute("bad", output.bad);
          out.attribute("worst", finite(output.worst));
          if (output.verdict != Verdict::Unchecked)
            out.attributeObject("allowed", [&] { printAllowed(out, output); });
          out.attribute("verdict",
                        StringRef(stringify(output.verdict)).lower());
          if (!output.message.empty())
            out.attribute("message", json::fixUTF8(output.message));
        });
    });
    printFound(out, compiled, "failures", report.result.failures);
    printFound(out, compiled, "remarks", report.result.remarks);
    out.attribute("undefined_uses",
                  static_cast<int64_t>(report.result.undefinedUses));
    out.attributeObject("phases_s", [&] {
      for (const Stopwatch::Step &step : compiled.getStopwatch().getSteps())
        out.attribute(step.name, step.seconds);
    });
    out.attributeObject("cpu_s", [&] {
      for (const Stopwatch::Step &step : compiled.getStopwatch().getSteps())
        out.attribute(step.name, step.cpuSeconds);
    });
    out.attribute("matmul_s", report.result.matmulSeconds);
    out.attribute("blocks_s", report.result.blockSeconds);
    out.attribute("total_s", compiled.getStopwatch().getTotalSeconds());
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static void reportFound(Compilation &compiled, frontend::Severity severity,
                        ArrayRef<sim::Failure> found) {
  frontend::SourceManager &sources = compiled.getSources();
  for (const sim::Failure &failure : found) {
    std::string message =
        (failure.kind == sim::FailureKind::Input
             ? Twine(failure.message)
             : sim::stringify(failure.kind) + ": " + failure.message)
            .str();
    frontend::Diagnostic diagnostic =
        makeDiagnostic(sources, severity, failure.location, message);
    std::vector<frontend::Diagnostic> calls = std::move(diagnostic.notes);
    diagnostic.notes.clear();
    for (const sim::Note &note : failure.notes) {
      frontend::Diagnostic converted = makeDiagnostic(
          sources, frontend::Severity::Note, note.location, note.message);
      converted.notes.clear();
      diagnostic.notes.push_back(std::move(converted));
    }
    for (frontend::Diagnostic &call : calls)
      diagnostic.notes.push_back(std::move(call));
    compiled.getDiagnostics().add(std::move(diagnostic));
  }
  compiled.getDiagnostics().flush();
}

void reportFailures(Compilation &compiled, const sim::RunResult &result) {
  reportFound(compiled, frontend::Severity::Error, result.failures);
  reportFound(compiled, frontend::Severity::Remark, result.remarks);
}

/// The stores of all kernels into one parameter of the entry, in the order of
/// the launches.
static SmallVector<mlir::Location> findStores(Compilation &compiled,
                                              StringRef name) {
  namespace ir = mlir::pl;
  llvm::SmallSetVector<mlir::Location, 4> found;
  auto collect = [&](mlir::Operation *scope, mlir::Value root) {
    scope->walk([&](mlir::Operation *op) {
      mlir::Value target;
      if (auto store = dyn_cast<ir::StoreOp>(op))
        target = store.getTarget();
      else if (auto write = dyn_cast<ir::WriteOp>(op))
        target = write.getTarget();
      if (target && ir::rootOf(target) == root)
        found.insert(op->getLoc());
    });
  };
  mlir::func::FuncOp entry = compiled.getEntryFunction();
  SmallVector<mlir::BlockArgument> tensors;
  for (mlir::BlockArgument argument : entry.getArguments())
    if (ir::nameOf(argument) == name)
      tensors.push_back(argument);
  // What a host program launches has other names for it.
  entry.walk([&](ir::DispatchOp dispatch) {
    auto program =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
            dispatch, dispatch.getCalleeAttr());
    for (auto [i, arg] : enumerate(dispatch.getArgs()))
      if (program && isa<mlir::MemRefType>(arg.getType()) &&
          is_contained(tensors, ir::rootOf(arg)))
        tensors.push_back(program.getArgument(i));
  });
  for (mlir::BlockArgument tensor : tensors) {
    mlir::Operation *function = tensor.getOwner()->getParentOp();
    function->walk([&](ir::LaunchOp launch) {
      auto kernel = mlir::SymbolTable::lookupNearestSymbolFrom<ir::KernelOp>(
          launch, launch.getKernelAttr());
      if (!kernel)
        return;
      for (auto [i, arg] : enumerate(launch.getArgs()))
        if (arg == tensor)
          collect(kernel, kernel.getBody().getArgument(i));
    });
    collect(function, tensor);
  }
  return found.takeVector();
}

void reportWrong(Compilation &compiled, const OutputVerdict &output) {
  constexpr size_t kMaxStores = 3;
  frontend::SourceManager &sources = compiled.getSources();
  SmallVector<mlir::Location> stores = findStores(compiled, output.name);
  frontend::Diagnostic diagnostic = makeDiagnostic(
      sources, frontend::Severity::Error,
      stores.empty() ? mlir::LocationAttr() : mlir::LocationAttr(stores[0]),
      "wrong: " + output.message);
  for (mlir::Location store : ArrayRef(stores).drop_front(!stores.empty())) {
    if (diagnostic.notes.size() >= kMaxStores)
      break;
    diagnostic.notes.push_back(
        makeDiagnostic(sources, frontend::Severity::Note, store,
                       "'" + output.name + "' is written here too"));
  }
  if (output.judgedBy.isValid())
    diagnostic.note(output.judgedBy, "'" + output.name + "' is compared here");
  else
    diagnostic.note(output.judgedBy, "compared exactly: IR has no pl.compare");
  compiled.getDiagnostics().add(std::move(diagnostic));
  compiled.getDiagnostics().flush();
}

} // namespace pl::driver

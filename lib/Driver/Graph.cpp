//===- Graph.cpp - plc graph ----------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/Report.h"

#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

/// Text inside a quoted string of DOT.
static std::string quote(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// Reasons by producer, in order; a task may wait for another for several.
static std::vector<std::pair<unsigned, std::vector<std::string>>>
groupEdges(const sim::TaskInfo &task) {
  std::vector<std::pair<unsigned, std::vector<std::string>>> groups;
  for (const sim::TaskEdge &edge : task.deps) {
    auto group = find_if(
        groups, [&](const auto &other) { return other.first == edge.task; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {edge.task, {}});
    group->second.push_back(edge.reason);
  }
  return groups;
}

/// Nodes are named `prefix` and the number of the task.
static void printDotTasks(raw_ostream &os, ArrayRef<sim::TaskInfo> tasks,
                          const std::string &prefix) {
  for (auto [i, task] : enumerate(tasks)) {
    os << "  " << prefix << i << " [label=\"";
    printEscapedString(task.name, os);
    os << "\\n" << sim::stringify(task.kind);
    if (task.kind != sim::TaskKind::Dummy)
      os << " x " << task.blocks;
    os << "\"";
    if (task.kind == sim::TaskKind::AIC)
      os << ", style=filled, fillcolor=\"#dbe9ff\"";
    else if (task.kind == sim::TaskKind::AIV)
      os << ", style=filled, fillcolor=\"#e3f6e0\"";
    else if (task.kind == sim::TaskKind::Dummy)
      os << ", style=dashed";
    os << "];\n";
  }
  for (auto [i, task] : enumerate(tasks))
    for (const auto &[producer, reasons] : groupEdges(task)) {
      bool userOnly =
          all_of(reasons, [](StringRef reason) { return reason == "user"; });
      os << "  " << prefix << producer << " -> " << prefix << i << " [label=";
      os << quote(join(reasons, "\n"));
      os << (userOnly ? ", style=dashed];\n" : "];\n");
    }
}

static void printDot(raw_ostream &os, StringRef name,
                     const sim::RunResult &result) {
  os << "digraph " << quote(name) << " {\n"
     << "  node [shape=box, fontname=\"sans-serif\"];\n"
     << "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  if (result.ranks.empty())
    printDotTasks(os, result.tasks, "t");
  for (auto [i, rank] : enumerate(result.ranks)) {
    std::string number = std::to_string(i);
    os << "  subgraph cluster_" << number << " {\n  label=\"rank " << number
       << "\";\n";
    printDotTasks(os, rank.tasks, "r" + number + "_t");
    os << "  }\n";
  }
  os << "}\n";
}

/// The fields of the runtime's deps.json, and name, kind and reasons beside
/// them. 64-bit values are strings there.
static void printJsonTasks(json::OStream &out, ArrayRef<sim::TaskInfo> tasks,
                           const StringMap<int64_t> &kernelIds) {
  out.attributeArray("tasks", [&] {
    for (size_t i = 0; i < tasks.size(); ++i)
      out.object([&] {
        const sim::TaskInfo &task = tasks[i];
        out.attribute("task_id", std::to_string(i));
        out.attribute("name", task.name);
        out.attribute("kind", sim::stringify(task.kind));
        out.attribute("scope", "manual");
        auto found = kernelIds.find(task.name);
        int64_t id = found == kernelIds.end() ? -1 : found->second;
        bool isCube = task.kind == sim::TaskKind::AIC;
        out.attributeArray("kernel_ids", [&] {
          out.value(isCube ? id : -1);
          out.value(isCube ? -1 : id);
          out.value(-1);
        });
        out.attribute("block_num", task.blocks);
        out.attribute("early_dispatch", task.earlyResolve);
      });
  });
  out.attributeArray("edges", [&] {
    for (size_t i = 0; i < tasks.size(); ++i)
      for (const auto &group : groupEdges(tasks[i]))
        out.object([&] {
          out.attribute("pred", std::to_string(group.first));
          out.attribute("succ", std::to_string(i));
          out.attribute("arg", -1);
          out.attribute("source", "explicit");
          out.attribute("flags", "wait");
          out.attributeArray("reasons", [&] {
            for (const std::string &reason : group.second)
              out.value(reason);
          });
        });
  });
}

static void printJson(raw_ostream &os, StringRef name,
                      const sim::RunResult &result,
                      const StringMap<int64_t> &kernelIds) {
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("entry", name);
    if (result.ranks.empty())
      return printJsonTasks(out, result.tasks, kernelIds);
    out.attributeArray("ranks", [&] {
      for (auto [i, rank] : enumerate(result.ranks)) {
        const sim::RankResult &tasks = rank;
        auto number = static_cast<int64_t>(i);
        out.object([&] {
          out.attribute("rank", number);
          printJsonTasks(out, tasks.tasks, kernelIds);
        });
      }
    });
  });
  os << "\n";
}

/// Kernels are numbered in the order of the module, as the emitted loader does;
/// those of each program that a host program runs from 0.
static StringMap<int64_t> numberKernels(mlir::ModuleOp module) {
  StringMap<int64_t> ids;
  SmallVector<mlir::func::FuncOp> programs(module.getOps<mlir::func::FuncOp>());
  bool isOne = programs.size() <= 1;
  for (mlir::func::FuncOp program : programs) {
    StringSet<> launched;
    program.walk([&](mlir::pl::LaunchOp launch) {
      launched.insert(launch.getKernel());
    });
    int64_t next = 0;
    for (auto kernel : module.getOps<mlir::pl::KernelOp>())
      if (isOne || launched.contains(kernel.getSymName()))
        ids[kernel.getSymName()] = next++;
  }
  return ids;
}

int runGraph(const Options &options, raw_ostream &out, raw_ostream &err) {
  Compilation compiled(options, err);
  if (failed(compiled.load()) || failed(compiled.selectEntry()) ||
      failed(compiled.compileTo(Phase::Tiles)))
    return compiled.getExitCode();
  FailureOr<std::vector<Parameter>> parameters = readParameters(compiled);
  if (failed(parameters))
    return compiled.getExitCode();
  FailureOr<RunInputs> inputs = readInputs(compiled, *parameters, nullptr);
  if (failed(inputs))
    return compiled.getExitCode();
  std::string name = compiled.getEntryFunction().getName().str();
  std::optional<sim::Program> program =
      sim::Program::create(compiled.getModule(), name);
  compiled.getDiagnostics().flush();
  if (!program)
    return ExitRejected;
  sim::RunResult result =
      program->graph(makeTensorArgs(*inputs, *parameters), inputs->scalars);
  reportFailures(compiled, result);
  if (!result.ok())
    return ExitRejected;
  if (options.graphJson)
    printJson(out, name, result, numberKernels(compiled.getModule()));
  else
    printDot(out, name, result);
  return ExitGood;
}

} // namespace pl::driver

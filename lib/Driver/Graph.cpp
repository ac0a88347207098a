//===- Graph.cpp - plc graph ----------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/OutputFile.h"
#include "pl/Driver/Report.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Frontend/PrintableText.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

/// Text as it stands inside a quoted string of DOT, which is UTF-8. Control
/// characters are shown escaped.
static std::string escapeDot(StringRef text) {
  std::string escaped;
  for (char c : frontend::makePrintable(text)) {
    if (c == '"' || c == '\\')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
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
    os << "  " << prefix << i << " [label=\"" << escapeDot(task.name) << "\\n"
       << sim::stringify(task.kind);
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
      os << "  " << prefix << producer << " -> " << prefix << i << " [label=\"";
      interleave(
          reasons, os, [&](StringRef reason) { os << escapeDot(reason); },
          "\\n");
      os << (userOnly ? "\", style=dashed];\n" : "\"];\n");
    }
}

static void printDot(raw_ostream &os, StringRef name,
                     const sim::RunResult &result) {
  os << "digraph \"" << escapeDot(name) << "\" {\n"
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

/// A view of a tensor, as the arguments of tasks and the ends of edges have it.
static void printView(json::OStream &out, const sim::TaskArgInfo &arg,
                      ArrayRef<sim::TensorInfo> tensors) {
  out.attribute("tensor_id", std::to_string(arg.tensor));
  out.attribute("dtype",
                ref::dtypeName(getDType(tensors[arg.tensor].type)).str());
  auto list = [&](StringRef key, ArrayRef<int64_t> numbers) {
    out.attributeArray(key, [&] {
      for (int64_t number : numbers)
        out.value(number);
    });
  };
  list("shape", arg.shape);
  out.attribute("start_offset", std::to_string(arg.offset));
  list("strides", arg.strides);
}

/// The argument by which a task has tensor `name`, or -1.
static int64_t findArg(const sim::TaskInfo &task, StringRef name,
                       ArrayRef<sim::TensorInfo> tensors) {
  for (auto [index, arg] : enumerate(task.args))
    if (arg.kind != sim::TaskArgInfo::Kind::Scalar &&
        tensors[arg.tensor].name == name)
      return int64_t(index);
  return -1;
}

static void printJsonTask(json::OStream &out, size_t number,
                          const sim::TaskInfo &task,
                          ArrayRef<sim::TensorInfo> tensors,
                          const StringMap<int64_t> &kernelIds) {
  out.attribute("task_id", std::to_string(number));
  out.attribute("name", json::fixUTF8(task.name));
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
  out.attributeArray("args", [&] {
    for (size_t i = 0; i < task.args.size(); ++i)
      out.object([&] {
        const sim::TaskArgInfo &arg = task.args[i];
        out.attribute("idx", static_cast<int64_t>(i));
        out.attribute("type", sim::stringify(arg.kind));
        if (arg.kind == sim::TaskArgInfo::Kind::Scalar)
          out.attribute("value", std::to_string(int64_t(arg.bits)));
        else
          printView(out, arg, tensors);
      });
  });
}

/// All edges of a program are explicit. Those that order memory say by which
/// tensor, and by what arguments both tasks have it.
static void printJsonEdge(json::OStream &out, ArrayRef<sim::TaskInfo> tasks,
                          size_t producer, size_t consumer,
                          ArrayRef<std::string> reasons,
                          ArrayRef<sim::TensorInfo> tensors) {
  out.attribute("pred", std::to_string(producer));
  out.attribute("succ", std::to_string(consumer));
  out.attribute("arg", -1);
  out.attribute("source", "explicit");
  out.attribute("flags", "wait");
  for (StringRef reason : reasons) {
    StringRef tensor = reason.split(' ').second.split(' ').first;
    int64_t from = findArg(tasks[producer], tensor, tensors),
            to = findArg(tasks[consumer], tensor, tensors);
    if (tensor.empty() || from < 0 || to < 0)
      continue;
    const sim::TaskArgInfo &first = tasks[producer].args[from],
                           &second = tasks[consumer].args[to];
    // Kernels take whole tensors, so most arguments have equal views.
    bool isSame = first.offset == second.offset &&
                  first.shape == second.shape &&
                  first.strides == second.strides;
    out.attribute("overlap", isSame ? "covered" : "other");
    out.attributeObject("producer", [&] {
      out.attribute("arg", from);
      printView(out, first, tensors);
    });
    out.attributeObject("consumer", [&] {
      out.attribute("arg", to);
      printView(out, second, tensors);
    });
    break;
  }
  out.attributeArray("reasons", [&] {
    for (const std::string &reason : reasons)
      out.value(json::fixUTF8(reason));
  });
}

/// The fields of the runtime's deps.json, and name, kind and reasons beside
/// them. 64-bit values are strings there.
static void printJsonTasks(json::OStream &out, ArrayRef<sim::TaskInfo> tasks,
                           ArrayRef<sim::TensorInfo> tensors,
                           const StringMap<int64_t> &kernelIds) {
  out.attributeArray("tasks", [&] {
    for (size_t i = 0; i < tasks.size(); ++i)
      out.object([&] { printJsonTask(out, i, tasks[i], tensors, kernelIds); });
  });
  out.attributeArray("tensors", [&] {
    for (size_t i = 0; i < tensors.size(); ++i)
      out.object([&] {
        const sim::TensorInfo &tensor = tensors[i];
        out.attribute("tensor_id", std::to_string(i));
        out.attribute("name", json::fixUTF8(tensor.name));
        out.attribute("buffer_addr", std::to_string(tensor.address));
        out.attribute("version", 0);
        out.attribute("dtype", ref::dtypeName(getDType(tensor.type)).str());
        out.attribute("buffer_numel", std::to_string(tensor.elements));
      });
  });
  out.attributeArray("edges", [&] {
    for (size_t i = 0; i < tasks.size(); ++i)
      for (const auto &group : groupEdges(tasks[i]))
        out.object([&] {
          printJsonEdge(out, tasks, group.first, i, group.second, tensors);
        });
  });
}

static void printJson(raw_ostream &os, StringRef name,
                      const sim::RunResult &result,
                      const StringMap<int64_t> &kernelIds) {
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("entry", json::fixUTF8(name));
    if (result.ranks.empty())
      return printJsonTasks(out, result.tasks, result.tensors, kernelIds);
    out.attributeArray("ranks", [&] {
      for (auto [i, rank] : enumerate(result.ranks)) {
        const sim::RankResult &tasks = rank;
        auto number = static_cast<int64_t>(i);
        out.object([&] {
          out.attribute("rank", number);
          printJsonTasks(out, tasks.tasks, tasks.tensors, kernelIds);
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
  if (sys::fs::equivalent(options.file, options.outputFile)) {
    (void)compiled.usageError("-o names the input, '" + options.file + "'");
    return compiled.getExitCode();
  }
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
  std::string text;
  raw_string_ostream os(text);
  if (options.graphJson)
    printJson(os, name, result, numberKernels(compiled.getModule()));
  else
    printDot(os, name, result);
  const std::string &file = options.outputFile;
  if (file.empty() || file == "-")
    out << text;
  else if (std::error_code error = writeOutputFile(file, text))
    (void)compiled.error("cannot write '" + file + "': " + error.message());
  return compiled.getExitCode();
}

} // namespace pl::driver

//===- Executor.cpp - one run of a program --------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "HostProgram.h"

#include "fmt/format.h"

#include <chrono>

using namespace pl::sim;
using Clock = std::chrono::steady_clock;

/// More threads than this only cost memory.
constexpr unsigned kMaxThreads = 64;

static unsigned threadCount(const RunOptions &options, bool graphOnly) {
  if (graphOnly)
    return 1;
  unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return std::min(options.threads ? options.threads : all, kMaxThreads);
}

Executor::Executor(const ProgramCode &program, const RunOptions &options,
                   bool graphOnly)
    : program(program), options(options), graphOnly(graphOnly),
      workers(threadCount(options, graphOnly)), origins(256) {}

Executor::~Executor() = default;

bool Executor::reject(FailureKind kind, std::string message,
                      mlir::LocationAttr loc) {
  result.failures.push_back({kind, std::move(message), loc, {}});
  failed = true;
  return false;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

RunResult Executor::run(llvm::ArrayRef<TensorArg> tensors,
                        llvm::ArrayRef<ScalarArg> scalars) {
  Clock::time_point start = Clock::now();
  for (unsigned i = 0; i < workers.size(); ++i)
    if (!cores.emplace_back().ok()) {
      reject(FailureKind::Limit, "no memory left on this host", {});
      return std::move(result);
    }
  if (program.isHost)
    host = std::make_unique<HostProgram>(*this);
  else
    ranks.push_back(std::make_unique<Rank>(*this, 0));
  for (unsigned round = 0; round < std::max(options.rounds, 1u) && !failed;
       ++round)
    if (!prepare(tensors, scalars, round))
      failed = true;
  if (!failed)
    runAll();
  if (!graphOnly) {
    reportRaces();
    if (!failed) {
      checkLeftovers();
      collectOutputs();
    }
    if (result.failures.empty())
      collectRemarks();
  }
  for (const auto &rank : ranks) {
    RankResult part = rank->takeResult();
    if (rank->number == 0) {
      result.tasks = part.tasks;
      result.startOrder = part.startOrder;
      result.tensors = part.tensors;
    }
    if (host)
      result.ranks.push_back(std::move(part));
  }
  result.wallSeconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  return std::move(result);
}

/// Puts the programs of one round into the queues of the ranks.
bool Executor::prepare(llvm::ArrayRef<TensorArg> tensors,
                       llvm::ArrayRef<ScalarArg> scalars, unsigned round) {
  size_t firstParam = params.size();
  Interpreter entry(program.entry);
  if (!bind(tensors, scalars, entry))
    return false;
  for (size_t i = firstParam; i < params.size(); ++i)
    params[i].round = round;
  if (!host) {
    Dispatch dispatch;
    dispatch.program = &program.entry;
    dispatch.round = round;
    for (const ParamDecl &param : program.entry.params)
      if (param.isTensor)
        dispatch.views.push_back(entry.views[param.slot]);
      else
        dispatch.scalars.push_back(entry.regs[param.slot]);
    ranks[0]->queue.push_back(std::move(dispatch));
    return true;
  }
  host->beginRound(round);
  entry.start(&cores[0]);
  Stop stop;
  if (!runEntry(entry, *host, program.entry.name, stop))
    return false;
  for (const std::string &name : options.persistent)
    if (!host->hasWindow(name))
      return reject(FailureKind::Input,
                    fmt::format("'{}' is declared persistent, but '{}' "
                                "allocates no window buffer of that name",
                                name, program.entry.name),
                    program.entry.loc);
  return true;
}

/// Runs code that launches. False when it failed.
bool Executor::runEntry(Interpreter &entry, Orchestrator &orchestrator,
                        llvm::StringRef name, Stop &stop) {
  Context context;
  context.isEntry = true;
  context.host = &orchestrator;
  context.task = name;
  BlockLog log;
  stop = entry.resume(context, log);
  if (stop != Stop::Failure)
    return true;
  failed = true;
  if (log.failure) {
    addOrigin(*log.failure, log.failureSite, &log);
    result.failures.push_back(std::move(*log.failure));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Executor::runAll() {
  // A stream of its own, so that a program of one rank sees the same orders.
  Random random(options.seed ^ 0xd1b54a32d192ed03);
  bool shuffles = options.order == Order::Shuffle;
  bool startsFirst = options.order == Order::Newest;
  size_t last = ranks.size() - 1;
  struct Choice {
    Rank *rank;
    bool starts;
  };
  std::vector<Choice> choices;
  while (!failed) {
    ++step;
    for (const auto &rank : ranks)
      if (!failed)
        rank->settle();
    if (failed)
      return;
    choices.clear();
    for (size_t i = 0; i < ranks.size(); ++i) {
      // Program order lets the ranks take turns; the oldest and the newest let
      // one run ahead of the others as far as it can.
      size_t index = options.order == Order::Program
                         ? (last + 1 + i) % ranks.size()
                     : startsFirst ? ranks.size() - 1 - i
                                   : i;
      Rank &rank = *ranks[index];
      bool continues = rank.canContinue();
      if (startsFirst || shuffles ? rank.canStart()
                                  : !continues && rank.canStart())
        choices.push_back({&rank, true});
      if (continues)
        choices.push_back({&rank, false});
      if (!choices.empty() && !shuffles)
        break;
    }
    if (choices.empty()) {
      bool allDone =
          llvm::all_of(ranks, [](const auto &rank) { return rank->isDone(); });
      if (!allDone)
        reportStuck();
      return;
    }
    const Choice &choice = choices[shuffles ? random.below(choices.size()) : 0];
    last = choice.rank->number;
    if (choice.starts)
      choice.rank->startTask();
    else
      choice.rank->continueBlocks(shuffles ? &random : nullptr);
  }
}

void Executor::finishBlock(const TaskInfo &task, unsigned rank, BlockLog &log) {
  result.undefinedUses += log.undefinedUses;
  result.matmulSeconds += log.matmulSeconds;
  for (auto &[site, origin] : log.origins)
    if (!origins[site])
      origins[site] = origin;
  if (!log.failure || failed)
    return;
  addOrigin(*log.failure, log.failureSite, &log);
  if (ranks.size() > 1)
    log.failure->message =
        fmt::format("rank {}, {}", rank, log.failure->message);
  log.failure->notes.push_back(
      {fmt::format("task '{}' is launched here", task.name), task.location});
  result.failures.push_back(std::move(*log.failure));
  failed = true;
}

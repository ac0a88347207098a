//===- Executor.cpp - launching and running tasks -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "pl/Machine/Machine.h"

#include "fmt/format.h"

#include <chrono>

using namespace pl::sim;
using Clock = std::chrono::steady_clock;

/// Bounds what a loop that launches without end can take from the host: the
/// ancestors of all tasks take 256 MiB then.
constexpr unsigned kMaxTasks = 1 << 16;
/// More threads than this only cost memory.
constexpr unsigned kMaxThreads = 64;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static unsigned threadCount(const RunOptions &options, bool graphOnly) {
  if (graphOnly)
    return 1;
  unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return std::min(options.threads ? options.threads : all, kMaxThreads);
}

Executor::Executor(const ProgramCode &program, const RunOptions &options,
                   bool graphOnly)
    : program(program), options(options), graphOnly(graphOnly),
      schedule(options.order, options.seed),
      workers(threadCount(options, graphOnly)), origins(256) {}

Executor::~Executor() = default;

bool Executor::reject(FailureKind kind, std::string message,
                      mlir::LocationAttr loc) {
  result.failures.push_back({kind, std::move(message), loc, {}});
  failed = true;
  return false;
}

RunResult Executor::run(llvm::ArrayRef<TensorArg> tensors,
                        llvm::ArrayRef<ScalarArg> scalars) {
  Clock::time_point start = Clock::now();
  for (unsigned i = 0; i < workers.size(); ++i)
    if (!cores.emplace_back().ok()) {
      reject(FailureKind::Limit, "no memory left on this host", {});
      return std::move(result);
    }
  Interpreter entry(program.entry);
  if (bind(tensors, scalars, entry)) {
    Context context;
    context.isEntry = true;
    context.host = this;
    context.task = program.entry.name;
    BlockLog log;
    if (!entry.run(&cores[0], context, log)) {
      failed = true;
      if (log.failure) {
        addOrigin(*log.failure, log.failureSite, &log);
        result.failures.push_back(std::move(*log.failure));
      }
    }
    if (!failed)
      finishTasks();
    if (!graphOnly) {
      reportRaces();
      if (!failed)
        collectOutputs();
    }
  }
  result.wallSeconds = secondsSince(start);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

bool Executor::alloc(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
                     mlir::LocationAttr loc, View &view) {
  Buffer *buffer = makeBuffer(decl.name, decl.type, shape, loc);
  if (!buffer)
    return false;
  if (!graphOnly) {
    buffer->ownedData = Bytes(buffer->bytes, shim::kPoisonByte);
    buffer->ownedShadow = Bytes(buffer->bytes, kFresh);
    buffer->data = buffer->ownedData.get();
    buffer->shadow = buffer->ownedShadow.get();
    if (!buffer->data || !buffer->shadow)
      return reject(FailureKind::Limit,
                    fmt::format("no memory left on this host for '{}' of {} "
                                "bytes",
                                decl.name, buffer->bytes),
                    loc);
  }
  view = View::whole(*buffer);
  return true;
}

bool Executor::launch(const LaunchDecl &decl, bool isDummy, int64_t blocks,
                      llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars,
                      llvm::ArrayRef<unsigned> deps, mlir::LocationAttr loc,
                      unsigned &id) {
  id = tasks.size();
  if (id == kMaxTasks)
    return reject(
        FailureKind::Limit,
        fmt::format("the program launches more than {} tasks", kMaxTasks), loc);
  Task &task = tasks.emplace_back();
  TaskInfo &info = result.tasks.emplace_back();
  info.name = decl.name;
  info.location = loc;
  info.earlyResolve = decl.earlyResolve;
  for (auto [index, dep] : llvm::enumerate(deps))
    info.deps.push_back(
        {dep, index < decl.reasons.size() ? decl.reasons[index] : "user"});
  task.epoch = epoch;
  schedule.add(deps);
  if (isDummy)
    return true;

  const Code &kernel = program.kernels[decl.kernel];
  task.kernel = &kernel;
  info.kind = kernel.kind;
  info.blocks = blocks;
  if (blocks < 0)
    return reject(
        FailureKind::Limit,
        fmt::format("task '{}' is launched with {} blocks", decl.name, blocks),
        loc);
  int64_t lanes = kernel.kind == TaskKind::Mix ? 3 : 1;
  if (blocks > kMaxLaunchLanes / lanes)
    return reject(
        FailureKind::Limit,
        fmt::format("task '{}' is launched with {} blocks of {} lanes each; a "
                    "launch has at most {} blocks x lanes",
                    decl.name, blocks, lanes, kMaxLaunchLanes),
        loc);
  task.views.assign(views.begin(), views.end());
  task.scalars.assign(scalars.begin(), scalars.end());
  if (graphOnly)
    return true;
  for (const auto &[index, view] : llvm::enumerate(views)) {
    const TensorUse &use = kernel.params[index].use;
    if ((use.writes || use.adds) && !view.buffer->prepareWrite())
      return reject(FailureKind::Limit, "no memory left on this host", loc);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool Executor::finishTasks() {
  if (graphOnly)
    return true;
  ++epoch;
  while (!failed) {
    std::optional<unsigned> task = schedule.start();
    if (!task)
      break;
    result.startOrder.push_back(*task);
    if (tasks[*task].kernel) {
      Clock::time_point start = Clock::now();
      runTask(*task);
      result.tasks[*task].seconds = secondsSince(start);
    }
    schedule.complete(*task);
  }
  if (!failed && !schedule.allComplete()) {
    result.failures.push_back(describeDeadlock(schedule, result.tasks));
    failed = true;
  }
  return !failed;
}

void Executor::runTask(unsigned id) {
  Task &task = tasks[id];
  const Code &kernel = *task.kernel;
  int64_t blocks = result.tasks[id].blocks;
  std::vector<int64_t> order = schedule.blockOrder(id, blocks);
  // Adds are logged and land in block order. A kernel that also reads or
  // stores what it adds to must see them at once, so its blocks are serial.
  bool serial = false;
  for (const ParamDecl &param : kernel.params)
    serial |= param.use.adds && (param.use.reads || param.use.writes);

  std::vector<std::unique_ptr<BlockLog>> logs(blocks);
  std::vector<std::unique_ptr<Interpreter>> interpreters(workers.size());
  std::vector<double> seconds(workers.size());
  std::vector<std::vector<OwnedAccess>> accesses(buffers.size());
  std::mutex mutex;
  std::vector<bool> done(blocks);
  int64_t landed = 0;

  auto contextOf = [&](int64_t block) {
    Context context;
    context.task = result.tasks[id].name;
    context.block = block;
    context.numBlocks = blocks;
    context.addDirectly = serial;
    return context;
  };
  /// What happens in block order: adds, origins, counts, the first failure.
  auto land = [&](int64_t position) {
    BlockLog &log = *logs[position];
    Context context = contextOf(order[position]);
    for (const PendingAdd &add : log.adds)
      if (!log.failure)
        applyAdd(add, log.addBytes.data() + add.data,
                 log.addShadow.data() + add.data, context, log);
    for (auto &[buffer, set] : log.accesses)
      for (const Access &access : set.get())
        accesses[buffer].push_back({access, unsigned(order[position])});
    finishBlock(id, order[position], log);
    logs[position].reset();
  };
  auto runBlock = [&](int64_t position, unsigned worker) {
    Clock::time_point start = Clock::now();
    auto log = std::make_unique<BlockLog>();
    std::unique_ptr<Interpreter> &interpreter = interpreters[worker];
    if (!interpreter) {
      interpreter = std::make_unique<Interpreter>(kernel);
      unsigned nextView = 0, nextScalar = 0;
      for (const ParamDecl &param : kernel.params)
        if (param.isTensor)
          interpreter->views[param.slot] = task.views[nextView++];
        else
          interpreter->regs[param.slot] = task.scalars[nextScalar++];
    }
    cores[worker].poison(kernel.usedBytes);
    bool ok =
        interpreter->run(&cores[worker], contextOf(order[position]), *log);
    seconds[worker] += secondsSince(start);
    std::lock_guard<std::mutex> lock(mutex);
    logs[position] = std::move(log);
    done[position] = true;
    for (; landed < blocks && done[landed]; ++landed)
      land(landed);
    return ok;
  };
  if (serial) {
    for (int64_t position = 0; position < blocks; ++position)
      if (!runBlock(position, 0))
        break;
  } else {
    workers.forEach(blocks, runBlock);
  }
  for (double part : seconds)
    result.blockSeconds += part;

  for (auto [buffer, list] : llvm::enumerate(accesses)) {
    if (list.empty())
      continue;
    checkBlocks(id, list, buffer);
    AccessSet set;
    for (const OwnedAccess &access : list)
      set.add(access.access);
    task.accesses.emplace_back(buffer, std::move(set));
  }
}

void Executor::finishBlock(unsigned id, int64_t block, BlockLog &log) {
  result.undefinedUses += log.undefinedUses;
  result.matmulSeconds += log.matmulSeconds;
  for (auto &[site, origin] : log.origins)
    if (!origins[site])
      origins[site] = origin;
  if (!log.failure || failed)
    return;
  addOrigin(*log.failure, log.failureSite, &log);
  log.failure->notes.push_back(
      {fmt::format("task '{}' is launched here", result.tasks[id].name),
       result.tasks[id].location});
  result.failures.push_back(std::move(*log.failure));
  failed = true;
}

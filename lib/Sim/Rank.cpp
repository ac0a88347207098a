//===- Rank.cpp - launching the tasks of one rank -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rank.h"
#include "Executor.h"

#include "pl/Machine/Machine.h"

#include "fmt/format.h"

using namespace pl::sim;

/// Bounds what a loop that launches without end can take from the host: the
/// ancestors of all tasks take 256 MiB then.
constexpr unsigned kMaxTasks = 1 << 16;

Rank::Rank(Executor &run, unsigned number) : number(number), run(run) {}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

bool Rank::alloc(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
                 mlir::LocationAttr loc, View &view) {
  Buffer *buffer = run.makeBuffer(decl.name, decl.type, shape, loc);
  if (!buffer)
    return false;
  buffer->isTemporary = true;
  allocated.push_back(buffer);
  view = View::whole(*buffer);
  return true;
}

bool Rank::provide(Buffer &buffer) {
  if (!buffer.isTemporary || buffer.data || run.makeFresh(buffer))
    return true;
  return run.reject(
      FailureKind::Limit,
      fmt::format("no memory left on this host for '{}' of {} bytes",
                  buffer.name, buffer.bytes),
      buffer.loc);
}

bool Rank::launch(const LaunchDecl &decl, bool isDummy, int64_t blocks,
                  llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars,
                  llvm::ArrayRef<unsigned> deps, mlir::LocationAttr loc,
                  unsigned &id) {
  id = tasks.size();
  if (id == kMaxTasks)
    return run.reject(
        FailureKind::Limit,
        fmt::format("the program launches more than {} tasks", kMaxTasks), loc);
  Task &task = tasks.emplace_back();
  TaskInfo &info = infos.emplace_back();
  if (current->round == 0)
    numListed = infos.size();
  info.name = decl.name;
  info.location = loc;
  info.earlyResolve = decl.earlyResolve;
  for (auto [index, dep] : llvm::enumerate(deps))
    info.deps.push_back(
        {dep, index < decl.reasons.size() ? decl.reasons[index] : "user"});
  schedule->add(deps);
  if (isDummy)
    return true;

  const Code &kernel = run.program.kernels[decl.kernel];
  task.kernel = &kernel;
  info.kind = kernel.kind;
  info.blocks = blocks;
  if (blocks < 0)
    return run.reject(
        FailureKind::Limit,
        fmt::format("task '{}' is launched with {} blocks", decl.name, blocks),
        loc);
  int64_t lanes = kernel.kind == TaskKind::Mix ? 3 : 1;
  if (blocks > kMaxLaunchLanes / lanes)
    return run.reject(
        FailureKind::Limit,
        fmt::format("task '{}' is launched with {} blocks of {} lanes each; a "
                    "launch has at most {} blocks x lanes",
                    decl.name, blocks, lanes, kMaxLaunchLanes),
        loc);
  task.views.assign(views.begin(), views.end());
  task.scalars.assign(scalars.begin(), scalars.end());
  if (run.graphOnly) {
    listArgs(info, kernel, views, scalars);
    return true;
  }
  for (const auto &[index, view] : llvm::enumerate(views)) {
    ++view.buffer->openTasks;
    const TensorUse &use = kernel.params[index].use;
    if ((use.writes || use.adds) && !view.buffer->prepareWrite())
      return run.reject(FailureKind::Limit, "no memory left on this host", loc);
  }
  return true;
}

void Rank::listArgs(TaskInfo &info, const Code &kernel,
                    llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars) {
  // Outputs of the runtime are padded to this, and so are these.
  constexpr uint64_t alignment = 1024, start = uint64_t(1) << 32;
  size_t nextView = 0, nextScalar = 0;
  for (const ParamDecl &param : kernel.params) {
    TaskArgInfo &arg = info.args.emplace_back();
    if (!param.isTensor) {
      if (nextScalar < scalars.size())
        arg.bits = uint64_t(scalars[nextScalar++].bits);
      continue;
    }
    if (nextView == views.size())
      continue;
    const View &view = views[nextView++];
    bool writes = param.use.writes || param.use.adds;
    arg.kind = !writes ? TaskArgInfo::Kind::Input
               : param.use.reads || param.use.adds || param.isIn
                   ? TaskArgInfo::Kind::InOut
                   : TaskArgInfo::Kind::Output;
    arg.offset = view.offset;
    arg.shape.assign(view.sizes, view.sizes + view.rank);
    arg.strides.assign(view.strides, view.strides + view.rank);
    const Buffer &buffer = *view.buffer;
    auto [tensor, isNew] = tensors.try_emplace(&buffer);
    arg.tensor = tensor - tensors.begin();
    if (!isNew)
      continue;
    tensor->second = {buffer.name, buffer.type, 1, start};
    for (int64_t extent : buffer.shape)
      tensor->second.elements *= extent;
    if (arg.tensor == 0)
      continue;
    const auto &[before, last] = *std::prev(tensor);
    uint64_t end = last.address + std::max<int64_t>(before->bytes, 1);
    tensor->second.address = (end + alignment - 1) / alignment * alignment;
  }
}

bool Rank::hasOpenTasks() {
  if (run.graphOnly)
    return false;
  if (!schedule->allComplete())
    return true;
  // Whatever is launched from now on comes after all that has run.
  base |= all;
  // The program is about to look at some of them, or to write them itself.
  for (Buffer *buffer : allocated)
    if (!provide(*buffer))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Starts the next program.
void Rank::begin() {
  current.emplace(std::move(queue.front()));
  queue.pop_front();
  // A stream of its own per rank and program; the first has that of the seed.
  uint64_t seed = run.options.seed + number * 0x9e3779b97f4a7c15 +
                  infos.size() * 0xbf58476d1ce4e5b9;
  schedule = std::make_unique<Schedule>(run.options.order, seed);
  tasks.clear();
  firstInfo = infos.size();
  base |= all;
  entry = std::make_unique<Interpreter>(*current->program);
  unsigned nextView = 0, nextScalar = 0;
  for (const ParamDecl &param : current->program->params)
    if (param.isTensor)
      entry->views[param.slot] = current->views[nextView++];
    else
      entry->regs[param.slot] = current->scalars[nextScalar++];
  entry->start(&run.cores[0]);
  runEntry();
}

/// Launches as far as it goes without waiting for tasks.
void Rank::runEntry() {
  Stop stop;
  run.runEntry(*entry, *this, current->program->name, stop);
  if (stop == Stop::Tasks)
    return;
  entry.reset();
  for (Buffer *buffer : allocated)
    if (buffer->openTasks == 0)
      run.takeBytes(*buffer);
}

void Rank::settle() {
  for (size_t i = 0; i < deferred.size();) {
    Deferred &waiting = deferred[i];
    bool holds = llvm::all_of(waiting.conditions,
                              [](const Condition &c) { return c.holds(); });
    if (!holds) {
      ++i;
      continue;
    }
    Node &node = run.nodes[tasks[waiting.task].node];
    for (const Condition &condition : waiting.conditions)
      run.acquire(condition.cell, node.before);
    unsigned task = waiting.task;
    deferred.erase(deferred.begin() + i);
    complete(task);
  }
  for (auto &activity : activities)
    for (auto &strand : activity->strands)
      if (strand->isWaiting && strand->wait.holds()) {
        strand->isWaiting = false;
        strand->node = -1;
        run.acquire(strand->wait.cell, strand->before);
      }
  while (!run.failed) {
    bool allComplete = schedule && (run.graphOnly || schedule->allComplete());
    if (current && entry && allComplete) {
      base |= all;
      runEntry();
    } else if (current && !entry && allComplete) {
      current.reset();
      schedule.reset();
      allocated.clear();
    } else if (!current && !queue.empty()) {
      begin();
    } else {
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// What can run
//===----------------------------------------------------------------------===//

unsigned Rank::numCores(TaskKind kind) const {
  if (run.options.cores)
    return run.options.cores;
  const MachineDescription *machine = findMachine("a2a3");
  return kind == TaskKind::AIV ? machine->vectorCores : machine->cubeCores;
}

unsigned Rank::freeCores(TaskKind kind) const {
  unsigned all = numCores(kind);
  unsigned taken = llvm::count(held[kind == TaskKind::AIC], true);
  return taken < all ? all - taken : 0;
}

bool Rank::canAdvance(const Activity &activity) const {
  if (llvm::any_of(activity.strands,
                   [](const auto &strand) { return !strand->isWaiting; }))
    return true;
  return activity.next < activity.order.size() &&
         freeCores(infoOf(activity.task).kind) > 0;
}

bool Rank::canContinue() const {
  return llvm::any_of(
      activities, [&](const auto &activity) { return canAdvance(*activity); });
}

bool Rank::canStart() const {
  if (!schedule || run.graphOnly)
    return false;
  if (activities.empty())
    return schedule->hasReady();
  return schedule->hasReady([&](unsigned task) {
    return !tasks[task].kernel || freeCores(infoOf(task).kind) > 0;
  });
}

RankResult Rank::takeResult() {
  RankResult result;
  result.tasks.assign(infos.begin(), infos.begin() + numListed);
  for (unsigned task : startOrder)
    if (task < numListed)
      result.startOrder.push_back(task);
  for (auto &[buffer, tensor] : tensors)
    result.tensors.push_back(tensor);
  return result;
}

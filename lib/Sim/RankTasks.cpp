//===- RankTasks.cpp - running the tasks of one rank ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "CpuClock.h"
#include "Executor.h"
#include "Rank.h"

#include "fmt/format.h"

#include <chrono>

using namespace pl::sim;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

llvm::BitVector Rank::before(unsigned task) const {
  llvm::BitVector result = base;
  for (const TaskEdge &edge : infoOf(task).deps) {
    unsigned node = tasks[edge.task].node;
    result |= run.nodes[node].before;
    if (result.size() <= node)
      result.resize(node + 1);
    result.set(node);
  }
  return result;
}

void Rank::startTask() {
  auto may = [&](unsigned task) {
    return !tasks[task].kernel || freeCores(infoOf(task).kind) > 0;
  };
  std::optional<unsigned> task =
      activities.empty() ? schedule->start() : schedule->start(may);
  if (!task)
    return;
  startOrder.push_back(unsigned(firstInfo) + *task);
  for (const View &view : tasks[*task].views)
    if (!provide(*view.buffer))
      return;
  const Code *kernel = tasks[*task].kernel;
  if (kernel && kernel->stops)
    return openActivity(*task);
  if (kernel)
    return runTask(*task);
  tasks[*task].node = run.makeNode(*this, *task, -1, before(*task));
  complete(*task);
}

void Rank::finish(unsigned task, std::vector<Condition> conditions) {
  if (conditions.empty())
    return complete(task);
  deferred.push_back({task, std::move(conditions), run.step});
}

void Rank::complete(unsigned task) {
  unsigned node = tasks[task].node;
  all |= run.nodes[node].before;
  if (all.size() <= node)
    all.resize(node + 1);
  all.set(node);
  schedule->complete(task);
  for (const View &view : tasks[task].views)
    if (--view.buffer->openTasks == 0 && view.buffer->isTemporary && !entry)
      run.takeBytes(*view.buffer);
}

bool Rank::isSerial(const Code &kernel) {
  // Adds are logged and land in block order. A kernel that also reads or
  // stores what it adds to must see them at once, so its blocks are serial.
  return llvm::any_of(kernel.params, [](const ParamDecl &param) {
    return param.use.adds && (param.use.reads || param.use.writes);
  });
}

void Rank::bindArguments(const Task &task, Interpreter &interpreter) const {
  unsigned nextView = 0, nextScalar = 0;
  for (const ParamDecl &param : task.kernel->params)
    if (param.isTensor)
      interpreter.views[param.slot] = task.views[nextView++];
    else
      interpreter.regs[param.slot] = task.scalars[nextScalar++];
}

Context Rank::contextOf(unsigned task, int64_t block) const {
  Context context;
  context.task = infoOf(task).name;
  context.block = block;
  context.numBlocks = infoOf(task).blocks;
  context.addDirectly = isSerial(*tasks[task].kernel);
  if (run.options.pipes == PipeOrder::Adversarial) {
    Random random(run.options.seed ^ (uint64_t(number) << 48) ^
                  (uint64_t(task) << 24) ^ uint64_t(block));
    context.pipeSeed = random.next();
  }
  return context;
}

static void applyAdds(BlockLog &log, const Context &context) {
  for (const PendingAdd &add : log.adds)
    if (!log.failure)
      applyAdd(add, log.addBytes.data() + add.data,
               log.addShadow.data() + add.data, context, log);
  log.adds.clear();
  log.addBytes.clear();
  log.addShadow.clear();
}

//===----------------------------------------------------------------------===//
// Tasks whose blocks never stop
//===----------------------------------------------------------------------===//

void Rank::runTask(unsigned id) {
  Task &task = tasks[id];
  const Code &kernel = *task.kernel;
  TaskInfo &info = infoOf(id);
  int64_t blocks = info.blocks;
  Clock::time_point begun = Clock::now();
  std::vector<int64_t> order = schedule->blockOrder(id, blocks);
  task.node = run.makeNode(*this, id, -1, before(id));

  Workers &workers = run.workers;
  std::vector<std::unique_ptr<BlockLog>> logs(blocks);
  std::vector<std::unique_ptr<Interpreter>> interpreters(workers.size());
  std::vector<std::unique_ptr<Cluster>> clusters(workers.size());
  std::vector<double> seconds(workers.size());
  std::vector<std::vector<OwnedAccess>> accesses(run.buffers.size());
  std::vector<Condition> conditions;
  std::mutex mutex;
  std::vector<bool> done(blocks);
  int64_t landed = 0;

  /// What happens in block order: adds, origins, counts, the first failure.
  auto land = [&](int64_t position) {
    BlockLog &log = *logs[position];
    applyAdds(log, contextOf(id, order[position]));
    for (auto &[buffer, set] : log.accesses)
      for (const Access &access : set.get())
        accesses[buffer].push_back({access, unsigned(order[position])});
    llvm::append_range(conditions, log.deferred);
    run.finishBlock(info, number, log);
    logs[position].reset();
  };
  auto runBlock = [&](int64_t position, unsigned worker) {
    auto log = std::make_unique<BlockLog>();
    PartClock clock(log->matmulSeconds);
    bool ok;
    if (!kernel.sides.empty()) {
      std::unique_ptr<Cluster> &cluster = clusters[worker];
      if (!cluster)
        cluster = std::make_unique<Cluster>(kernel, task.views, task.scalars);
      ok = cluster->run(contextOf(id, order[position]), *log);
    } else {
      std::unique_ptr<Interpreter> &interpreter = interpreters[worker];
      if (!interpreter) {
        interpreter = std::make_unique<Interpreter>(kernel);
        bindArguments(task, *interpreter);
      }
      run.cores[worker].poison(kernel.usedBytes);
      interpreter->start(&run.cores[worker]);
      ok = interpreter->resume(contextOf(id, order[position]), *log) ==
           Stop::End;
    }
    seconds[worker] += clock.stop();
    std::lock_guard<std::mutex> lock(mutex);
    logs[position] = std::move(log);
    done[position] = true;
    for (; landed < blocks && done[landed]; ++landed)
      land(landed);
    return ok;
  };
  if (isSerial(kernel)) {
    for (int64_t position = 0; position < blocks; ++position)
      if (!runBlock(position, 0))
        break;
  } else {
    workers.forEach(blocks, runBlock);
  }
  for (double part : seconds)
    run.result.blockSeconds += part;

  for (auto [buffer, list] : llvm::enumerate(accesses)) {
    if (list.empty())
      continue;
    run.checkBlocks(info, number, list, buffer);
    AccessSet set;
    for (const OwnedAccess &access : list)
      set.add(access.access);
    run.nodes[task.node].accesses.emplace_back(buffer, std::move(set));
  }
  info.seconds = secondsSince(begun);
  finish(id, std::move(conditions));
}

//===----------------------------------------------------------------------===//
// Tasks whose blocks stop for signals
//===----------------------------------------------------------------------===//

void Rank::openActivity(unsigned id) {
  auto &activity = activities.emplace_back(std::make_unique<Activity>());
  activity->task = id;
  activity->order = schedule->blockOrder(id, infoOf(id).blocks);
  activity->before = activity->after = before(id);
  std::vector<Strand *> batch;
  startStrands(*activity, batch);
  advance(*activity, batch);
}

/// Gives free cores to the next blocks.
void Rank::startStrands(Activity &activity, std::vector<Strand *> &batch) {
  const Task &task = tasks[activity.task];
  TaskKind kind = infoOf(activity.task).kind;
  std::vector<bool> &cores = heldCores(kind);
  cores.resize(numCores(kind));
  for (; activity.next < activity.order.size() && freeCores(kind) > 0;
       ++activity.next) {
    auto strand = std::make_unique<Strand>(*task.kernel);
    if (!strand->memory.ok()) {
      run.reject(FailureKind::Limit, "no memory left on this host",
                 infoOf(activity.task).location);
      return;
    }
    strand->block = activity.order[activity.next];
    strand->core = unsigned(llvm::find(cores, false) - cores.begin());
    cores[strand->core] = true;
    strand->before = activity.before;
    bindArguments(task, strand->interpreter);
    strand->interpreter.start(&strand->memory);
    batch.push_back(strand.get());
    activity.strands.push_back(std::move(strand));
  }
}

void Rank::continueBlocks(Random *random) {
  Activity *activity = nullptr;
  for (auto &candidate : activities)
    if (canAdvance(*candidate)) {
      activity = candidate.get();
      if (!random || random->below(2))
        break;
    }
  if (!activity)
    return;
  std::vector<Strand *> batch;
  for (auto &strand : activity->strands)
    if (!strand->isWaiting)
      batch.push_back(strand.get());
  // Now and then one block runs ahead of the others.
  if (random && batch.size() > 1 && random->below(2)) {
    Strand *one = batch[random->below(batch.size())];
    batch.assign(1, one);
  } else {
    startStrands(*activity, batch);
  }
  advance(*activity, batch);
}

void Rank::advance(Activity &activity, llvm::ArrayRef<Strand *> batch) {
  TaskInfo &info = infoOf(activity.task);
  Clock::time_point begun = Clock::now();
  std::vector<double> seconds(run.workers.size());
  auto runOne = [&](int64_t i, unsigned worker) {
    Strand &strand = *batch[i];
    PartClock clock(strand.log.matmulSeconds);
    strand.stop = strand.interpreter.resume(
        contextOf(activity.task, strand.block), strand.log);
    seconds[worker] += clock.stop();
    return true;
  };
  if (isSerial(*tasks[activity.task].kernel)) {
    for (size_t i = 0; i < batch.size(); ++i)
      runOne(int64_t(i), 0);
  } else {
    run.workers.forEach(int64_t(batch.size()), runOne);
  }
  for (double part : seconds)
    run.result.blockSeconds += part;
  for (Strand *strand : batch) {
    land(activity, *strand);
    if (run.failed)
      return;
  }
  llvm::erase_if(activity.strands,
                 [](const auto &strand) { return strand->isDone; });
  info.seconds += secondsSince(begun);
  if (activity.numDone < int64_t(activity.order.size()))
    return;
  unsigned task = activity.task;
  tasks[task].node = run.makeNode(*this, task, -1, std::move(activity.after));
  std::vector<Condition> conditions = std::move(activity.deferred);
  llvm::erase_if(activities,
                 [&](const auto &other) { return other.get() == &activity; });
  finish(task, std::move(conditions));
}

/// What a block did until it stopped takes effect.
void Rank::land(Activity &activity, Strand &strand) {
  BlockLog log = std::move(strand.log);
  strand.log = BlockLog();
  applyAdds(log, contextOf(activity.task, strand.block));
  // What sets a cell takes away what others added.
  if (log.notify)
    log.accessesOf(log.notify->cell.buffer->id)
        .add({log.notify->cell.byte, 4, 4, 1,
              log.notify->isSet ? AccessKind::Write : AccessKind::Add,
              log.notify->loc});
  if (!log.accesses.empty()) {
    if (strand.node < 0) {
      strand.node =
          run.makeNode(*this, activity.task, strand.block, strand.before);
      strand.before.resize(
          std::max<unsigned>(strand.before.size(), strand.node + 1));
      strand.before.set(unsigned(strand.node));
    }
    auto &known = run.nodes[strand.node].accesses;
    for (auto &entry : log.accesses) {
      auto found = llvm::find_if(
          known, [&](const auto &other) { return other.first == entry.first; });
      if (found == known.end())
        found = known.insert(known.end(), {entry.first, AccessSet()});
      for (const Access &access : entry.second.get())
        found->second.add(access);
    }
  }
  llvm::append_range(activity.deferred, log.deferred);
  run.finishBlock(infoOf(activity.task), number, log);
  if (run.failed)
    return;
  switch (strand.stop) {
  case Stop::Notify:
    run.perform(*log.notify, strand.before);
    strand.node = -1;
    break;
  case Stop::Wait:
    strand.wait = *log.wait;
    strand.isWaiting = true;
    strand.since = run.step;
    break;
  case Stop::End:
    strand.isDone = true;
    ++activity.numDone;
    activity.after |= strand.before;
    heldCores(infoOf(activity.task).kind)[strand.core] = false;
    break;
  case Stop::Failure:
  case Stop::Tasks:
  case Stop::Slot:
    break;
  }
}

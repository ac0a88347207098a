//===- Schedule.cpp - which ready task starts next ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace pl::sim;

uint64_t Random::next() {
  // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Schedule::add(llvm::ArrayRef<unsigned> deps) {
  unsigned id = tasks.size();
  Task &task = tasks.emplace_back();
  for (unsigned dep : deps) {
    if (llvm::is_contained(task.deps, dep))
      continue;
    task.deps.push_back(dep);
    if (dep < id && tasks[dep].complete)
      continue;
    ++task.missing;
    if (dep <= id)
      tasks[dep].consumers.push_back(id);
    else
      early.push_back({dep, id});
  }
  for (auto [awaited, waiter] : early)
    if (awaited == id)
      task.consumers.push_back(waiter);
  if (task.missing == 0)
    ready.push_back(id);
}

bool Schedule::hasReady(Filter may) const {
  return may ? llvm::any_of(ready, may) : !ready.empty();
}

std::optional<unsigned> Schedule::start(Filter may) {
  if (!hasReady(may))
    return std::nullopt;
  std::vector<unsigned> some;
  if (may)
    llvm::copy_if(ready, std::back_inserter(some), may);
  const std::vector<unsigned> &from = may ? some : ready;
  size_t pick = 0;
  switch (order) {
  case Order::Program:
    pick = std::min_element(from.begin(), from.end()) - from.begin();
    break;
  case Order::Oldest:
    break;
  case Order::Newest:
    pick = from.size() - 1;
    break;
  case Order::Shuffle:
    pick = random.below(from.size());
    break;
  }
  unsigned task = from[pick];
  ready.erase(llvm::find(ready, task));
  tasks[task].started = true;
  return task;
}

void Schedule::complete(unsigned task) {
  tasks[task].complete = true;
  ++numComplete;
  for (unsigned consumer : tasks[task].consumers)
    if (--tasks[consumer].missing == 0)
      ready.push_back(consumer);
}

std::vector<std::pair<unsigned, std::vector<unsigned>>>
Schedule::waiting() const {
  std::vector<std::pair<unsigned, std::vector<unsigned>>> result;
  for (unsigned id = 0; id < tasks.size(); ++id) {
    if (tasks[id].started)
      continue;
    std::vector<unsigned> missing;
    for (unsigned dep : tasks[id].deps)
      if (dep >= tasks.size() || !tasks[dep].complete)
        missing.push_back(dep);
    result.emplace_back(id, std::move(missing));
  }
  return result;
}

std::vector<int64_t> Schedule::blockOrder(unsigned task, int64_t blocks) const {
  std::vector<int64_t> result(blocks);
  std::iota(result.begin(), result.end(), int64_t(0));
  if (order == Order::Newest)
    std::reverse(result.begin(), result.end());
  if (order != Order::Shuffle)
    return result;
  // A stream of its own per task, so that it does not depend on the others.
  Random stream = random;
  Random own(stream.next() ^ (uint64_t(task) + 1) * 0x9e3779b97f4a7c15);
  for (int64_t i = blocks; i > 1; --i)
    std::swap(result[i - 1], result[own.below(uint64_t(i))]);
  return result;
}

Failure pl::sim::describeDeadlock(const Schedule &schedule,
                                  llvm::ArrayRef<TaskInfo> tasks) {
  auto name = [&](unsigned id) {
    return id < tasks.size() ? fmt::format("'{}' (task {})", tasks[id].name, id)
                             : fmt::format("task {}, which does not exist", id);
  };
  Failure failure;
  failure.kind = FailureKind::Deadlock;
  auto waiting = schedule.waiting();
  failure.message = fmt::format("no progress: {} tasks wait and none can start",
                                waiting.size());
  for (auto &[id, missing] : waiting) {
    std::vector<std::string> names;
    for (unsigned dep : missing)
      names.push_back(name(dep));
    failure.notes.push_back(
        {fmt::format("{} waits for {}", name(id), fmt::join(names, ", ")),
         tasks[id].location});
  }
  if (!waiting.empty())
    failure.location = tasks[waiting.front().first].location;
  return failure;
}

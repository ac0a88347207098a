//===- Signals.cpp - what ranks tell each other ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "HostProgram.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;

static std::string cellText(const Cell &cell) {
  return fmt::format("'{}'{}", cell.buffer->name,
                     cell.buffer->indexOf(cell.byte));
}

unsigned Executor::makeNode(const Rank &rank, unsigned task, int64_t block,
                            llvm::BitVector before) {
  Node node;
  node.task = &rank.infoOf(task);
  node.rank = rank.number;
  node.index = unsigned(rank.firstInfo) + task;
  node.block = block;
  node.before = std::move(before);
  nodes.push_back(std::move(node));
  return unsigned(nodes.size()) - 1;
}

void Executor::acquire(const Cell &cell, llvm::BitVector &before) const {
  auto found = released.find({cell.buffer->id, cell.byte});
  if (found != released.end())
    before |= found->second;
}

void Executor::perform(const Notify &notify, const llvm::BitVector &before) {
  const Cell &cell = notify.cell;
  int32_t old = cell.value();
  int32_t now = notify.isSet ? notify.value
                             : int32_t(uint32_t(old) + uint32_t(notify.value));
  // The scheduler compares unsigned, and may look at any time.
  if (now < old || now < 0)
    for (const auto &rank : ranks)
      for (const Rank::Deferred &waiting : rank->deferred)
        for (const Condition &condition : waiting.conditions) {
          if (condition.cell.buffer->id != cell.buffer->id ||
              condition.cell.byte != cell.byte || failed)
            continue;
          reject(FailureKind::Signal,
                 fmt::format("{}{} goes from {} to {} while the deferred wait "
                             "of task '{}' for {} is pending; its values must "
                             "not fall until then",
                             cellText(cell), rankText(cell.buffer->rank), old,
                             now, rank->infoOf(waiting.task).name,
                             condition.expected),
                 notify.loc);
          result.failures.back().notes.push_back(
              {"the condition is registered here", condition.loc});
        }
  std::memcpy(cell.buffer->data + cell.byte, &now, sizeof(now));
  released[{cell.buffer->id, cell.byte}] |= before;
}

void Executor::checkLeftovers() {
  if (!host)
    return;
  unsigned reports = 0;
  for (Buffer *buffer : host->getSignals()) {
    if (llvm::is_contained(options.persistent, buffer->name))
      continue;
    for (int64_t byte = 0; byte + 4 <= buffer->bytes; byte += 4) {
      int32_t value = Cell{buffer, byte}.value();
      if (value == 0 || ++reports > options.maxReports)
        continue;
      result.failures.push_back(
          {FailureKind::Signal,
           fmt::format("{}{} is {} when the program ends, but it began at 0: "
                       "the next program on these windows would see it",
                       cellText({buffer, byte}), rankText(buffer->rank), value),
           buffer->loc,
           {{"take off what was counted, or declare it with "
             "pl.persistent(entry, \"" +
                 buffer->name + "\")",
             {}}}});
    }
  }
}

//===----------------------------------------------------------------------===//
// No progress
//===----------------------------------------------------------------------===//

static std::string conditionText(const Condition &condition) {
  return fmt::format("for {} {} {}, which is {}", cellText(condition.cell),
                     condition.kind == Condition::Equal ? "==" : ">=",
                     condition.expected, condition.cell.value());
}

void Rank::describeStuck(Failure &failure) const {
  std::string where = fmt::format("rank {}: ", number);
  auto add = [&](std::string text, mlir::LocationAttr loc) {
    failure.notes.push_back({where + text, loc});
    if (!failure.location)
      failure.location = loc;
  };
  for (const auto &activity : activities) {
    const TaskInfo &info = infoOf(activity->task);
    llvm::StringRef core = info.kind == TaskKind::AIC ? "cube" : "vector";
    for (const auto &strand : activity->strands)
      add(fmt::format("block {} of '{}' holds {} core {} and waits since step "
                      "{} {}",
                      strand->block, info.name, core.str(), strand->core,
                      strand->since, conditionText(strand->wait)),
          strand->wait.loc);
    if (size_t left = activity->order.size() - activity->next)
      add(fmt::format("{} of {} blocks of '{}' have no core: blocks that wait "
                      "hold all {} {} cores",
                      left, activity->order.size(), info.name,
                      numCores(info.kind), core.str()),
          info.location);
  }
  for (const Deferred &waiting : deferred)
    for (const Condition &condition : waiting.conditions)
      if (!condition.holds())
        add(fmt::format("task '{}', which holds no core, waits since step {} "
                        "{}",
                        infoOf(waiting.task).name, waiting.since,
                        conditionText(condition)),
            condition.loc);
  if (!schedule)
    return;
  for (unsigned task : schedule->getReady()) {
    const TaskInfo &info = infoOf(task);
    add(fmt::format("task '{}' is ready, but blocks that wait hold all {} {} "
                    "cores",
                    info.name, numCores(info.kind),
                    info.kind == TaskKind::AIC ? "cube" : "vector"),
        info.location);
  }
  for (auto &[task, missing] : schedule->waiting()) {
    if (missing.empty())
      continue;
    std::vector<std::string> names;
    for (unsigned dep : missing)
      names.push_back(dep < tasks.size()
                          ? fmt::format("'{}'", infoOf(dep).name)
                          : fmt::format("task {}, which does not exist", dep));
    add(fmt::format("'{}' waits for {}", infoOf(task).name,
                    fmt::join(names, ", ")),
        infoOf(task).location);
  }
}

void Executor::reportStuck() {
  // A program without signals waits for its tasks only.
  if (!host) {
    Rank &rank = *ranks[0];
    bool onlyTasks = rank.activities.empty() && rank.deferred.empty();
    if (onlyTasks && rank.schedule) {
      std::vector<TaskInfo> infos(rank.infos.begin() + rank.firstInfo,
                                  rank.infos.end());
      result.failures.push_back(describeDeadlock(*rank.schedule, infos));
      failed = true;
      return;
    }
  }
  constexpr size_t kMaxNotes = 24;
  Failure failure;
  failure.kind = FailureKind::Deadlock;
  std::vector<std::string> open, ended;
  for (const auto &rank : ranks)
    (rank->isDone() ? ended : open).push_back(std::to_string(rank->number));
  failure.message =
      fmt::format("no progress at step {}: nothing can run on rank{} {}{}",
                  step, open.size() == 1 ? "" : "s", fmt::join(open, ", "),
                  ended.empty() ? ""
                                : fmt::format("; rank{} {} ended",
                                              ended.size() == 1 ? "" : "s",
                                              fmt::join(ended, ", ")));
  for (const auto &rank : ranks)
    rank->describeStuck(failure);
  if (failure.notes.size() > kMaxNotes) {
    size_t left = failure.notes.size() - kMaxNotes;
    failure.notes.resize(kMaxNotes);
    failure.notes.push_back({fmt::format("and {} more", left), {}});
  }
  result.failures.push_back(std::move(failure));
  failed = true;
}

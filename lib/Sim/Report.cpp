//===- Report.cpp - races, origins, outputs -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;

llvm::StringRef pl::sim::stringify(TaskKind kind) {
  constexpr llvm::StringLiteral names[] = {"aic", "aiv", "mix", "dummy"};
  return names[unsigned(kind)];
}

llvm::StringRef pl::sim::stringify(FailureKind kind) {
  constexpr llvm::StringLiteral names[] = {"input",     "bounds",   "undefined",
                                           "race",      "deadlock", "limit",
                                           "arithmetic"};
  return names[unsigned(kind)];
}

//===----------------------------------------------------------------------===//
// Undefined values
//===----------------------------------------------------------------------===//

void Executor::addOrigin(Failure &failure, uint8_t site, const BlockLog *log) {
  if (site < kFirstSite)
    return;
  const Origin *origin = nullptr;
  if (log)
    for (auto &[known, first] : log->origins)
      if (known == site)
        origin = &first;
  if (!origin && origins[site])
    origin = &*origins[site];
  if (!origin)
    return;
  failure.notes.push_back(
      {fmt::format("it comes from {}, which task '{}' (block {}) was the first "
                   "to read before anything wrote it",
                   origin->what, origin->task, origin->block),
       origin->loc});
}

void Executor::collectOutputs() {
  for (auto [param, buffer] : llvm::zip(program.entry.params, params)) {
    if (!buffer || !param.isOut)
      continue;
    TensorResult &output = result.outputs.emplace_back();
    output.name = param.name;
    output.type = param.type;
    output.shape = buffer->shape;
    output.bytes.assign(buffer->data, buffer->data + buffer->bytes);
    if (!buffer->shadow || isClean(buffer->shadow, buffer->bytes))
      continue;
    int64_t size = int64_t(shim::elemBytes(param.type));
    int64_t first = -1, count = 0;
    for (int64_t at = 0; at < buffer->bytes; at += size) {
      bool undefined = !isClean(buffer->shadow + at, size);
      count += undefined;
      if (undefined && first < 0)
        first = at;
    }
    uint8_t taint = kFresh;
    for (int64_t i = 0; i < size; ++i)
      taint = std::max(taint, buffer->shadow[first + i]);
    std::string why =
        taint == kFresh ? "no task wrote it" : "it depends on undefined values";
    Failure failure{FailureKind::Undefined,
                    fmt::format("element {} of output '{}' is undefined: {} "
                                "({} of {} elements are undefined)",
                                buffer->indexOf(first), buffer->name, why,
                                count, buffer->bytes / size),
                    param.loc,
                    {}};
    addOrigin(failure, taint, nullptr);
    result.failures.push_back(std::move(failure));
  }
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

static llvm::StringRef verb(AccessKind kind) {
  constexpr llvm::StringLiteral verbs[] = {"reads", "writes",
                                           "adds atomically to"};
  return verbs[unsigned(kind)];
}

static std::string elementsText(const Conflict &conflict,
                                const Buffer &buffer) {
  int64_t size = int64_t(pl::shim::elemBytes(buffer.type));
  std::string first = buffer.indexOf(conflict.begin);
  std::string last = buffer.indexOf(conflict.end - 1);
  if (conflict.end - conflict.begin <= size)
    return fmt::format("'{}' at {}", buffer.name, first);
  return fmt::format("'{}' at {}..{}", buffer.name, first, last);
}

void Executor::reportRace(const Conflict &conflict, const Buffer &buffer,
                          bool betweenBlocks, unsigned task) {
  Failure failure;
  failure.kind = FailureKind::Race;
  const Access &a = conflict.first.access, &b = conflict.second.access;
  failure.location = b.loc;
  if (betweenBlocks) {
    const std::string &name = result.tasks[task].name;
    failure.message = fmt::format(
        "blocks {} and {} of task '{}' conflict on {}: block {} {} it and "
        "block {} {} it, in no order",
        conflict.first.owner, conflict.second.owner, name,
        elementsText(conflict, buffer), conflict.first.owner,
        verb(a.kind).str(), conflict.second.owner, verb(b.kind).str());
    if (a.loc != b.loc)
      failure.notes.push_back(
          {fmt::format("block {} {} it here", conflict.first.owner,
                       verb(a.kind).str()),
           a.loc});
    failure.notes.push_back(
        {"give each block a part of its own, or store with an atomic add",
         result.tasks[task].location});
  } else {
    const TaskInfo &early = result.tasks[conflict.first.owner];
    const TaskInfo &late = result.tasks[conflict.second.owner];
    failure.message = fmt::format(
        "tasks '{}' and '{}' conflict on {}: '{}' {} it and '{}' {} it, and no "
        "path of edges orders them",
        early.name, late.name, elementsText(conflict, buffer), early.name,
        verb(a.kind).str(), late.name, verb(b.kind).str());
    failure.notes.push_back(
        {fmt::format("'{}' {} it here", early.name, verb(a.kind).str()),
         a.loc});
    failure.notes.push_back(
        {fmt::format("add an edge: deps=[<task of '{}'>] where '{}' is made",
                     early.name, late.name),
         late.location});
  }
  result.failures.push_back(std::move(failure));
}

void Executor::checkBlocks(unsigned id, std::vector<OwnedAccess> &accesses,
                           unsigned buffer) {
  bool conflicts = llvm::any_of(accesses, [](const OwnedAccess &access) {
    return access.access.kind != AccessKind::Read;
  });
  if (!conflicts || result.tasks[id].blocks < 2)
    return;
  std::vector<Conflict> found = findConflicts(
      accesses, [](unsigned, unsigned) { return false; }, /*limit=*/1);
  for (const Conflict &conflict : found)
    reportRace(conflict, *buffers[buffer], /*betweenBlocks=*/true, id);
  failed |= !found.empty();
}

void Executor::reportRaces() {
  Reachability reach;
  for (const TaskInfo &task : result.tasks) {
    llvm::SmallVector<unsigned, 8> deps;
    for (const TaskEdge &edge : task.deps)
      deps.push_back(edge.task);
    reach.addTask(deps);
  }
  auto ordered = [&](unsigned a, unsigned b) {
    // What the orchestration waited for in between orders them too.
    return tasks[a].epoch != tasks[b].epoch || reach.ordered(a, b);
  };
  std::vector<std::vector<OwnedAccess>> byBuffer(buffers.size());
  for (auto [id, task] : llvm::enumerate(tasks))
    for (auto &[buffer, set] : task.accesses)
      for (const Access &access : set.get())
        byBuffer[buffer].push_back({access, unsigned(id)});
  llvm::DenseSet<std::pair<unsigned, unsigned>> pairs;
  unsigned reports = 0;
  for (auto [id, list] : llvm::enumerate(byBuffer)) {
    bool conflicts = llvm::any_of(list, [](const OwnedAccess &access) {
      return access.access.kind != AccessKind::Read;
    });
    if (!conflicts)
      continue;
    for (const Conflict &conflict :
         findConflicts(std::move(list), ordered, options.maxReports)) {
      std::pair<unsigned, unsigned> pair(conflict.first.owner,
                                         conflict.second.owner);
      if (!pairs.insert(pair).second || ++reports > options.maxReports)
        continue;
      reportRace(conflict, *buffers[id], /*betweenBlocks=*/false, 0);
    }
  }
}

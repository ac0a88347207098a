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

llvm::StringRef pl::sim::stringify(TaskArgInfo::Kind kind) {
  switch (kind) {
  case TaskArgInfo::Kind::Input:
    return "input";
  case TaskArgInfo::Kind::Output:
    return "output";
  case TaskArgInfo::Kind::InOut:
    return "inout";
  case TaskArgInfo::Kind::Scalar:
    return "scalar";
  }
  return "";
}

llvm::StringRef pl::sim::stringify(TaskKind kind) {
  constexpr llvm::StringLiteral names[] = {"aic", "aiv", "mix", "dummy"};
  return names[unsigned(kind)];
}

llvm::StringRef pl::sim::stringify(FailureKind kind) {
  constexpr llvm::StringLiteral names[] = {
      "input",    "bounds", "undefined",  "race",
      "deadlock", "limit",  "arithmetic", "signal"};
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

void Executor::collectRemarks() {
  llvm::DenseSet<mlir::Attribute> places;
  for (const std::optional<Origin> &origin : origins)
    if (origin && result.remarks.size() < options.maxReports &&
        places.insert(origin->loc).second)
      result.remarks.push_back(
          {FailureKind::Undefined,
           fmt::format("task '{}' (block {}) reads {}, which nothing wrote; "
                       "what comes of it is not used",
                       origin->task, origin->block, origin->what),
           origin->loc,
           {}});
}

void Executor::collectOutputs() {
  result.outputs.reserve(params.size()); // To move one means to copy its bytes.
  for (const BoundParam &bound : params) {
    const ParamDecl &param = *bound.param;
    Buffer *buffer = bound.buffer;
    if (!buffer || !param.isOut)
      continue;
    TensorResult &output = result.outputs.emplace_back();
    output.round = bound.round;
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

std::string Executor::rankText(unsigned rank) const {
  return ranks.size() > 1 ? fmt::format(" of rank {}", rank) : "";
}

/// `'push'`, with the rank where there are several.
static std::string taskText(const Node &node, bool manyRanks) {
  return manyRanks ? fmt::format("'{}' on rank {}", node.task->name, node.rank)
                   : fmt::format("'{}'", node.task->name);
}

void Executor::reportRace(const Conflict &conflict, const Node &first,
                          const Node &second, const Buffer &buffer) {
  Failure failure;
  failure.kind = FailureKind::Race;
  const Access &a = conflict.first.access, &b = conflict.second.access;
  failure.location = b.loc;
  std::string where = elementsText(conflict, buffer) +
                      (buffer.ranks ? rankText(buffer.rank) : std::string());
  bool sameTask = first.rank == second.rank && first.index == second.index;
  bool manyRanks = ranks.size() > 1;
  if (sameTask) {
    failure.message = fmt::format(
        "blocks {} and {} of task {} conflict on {}: block {} {} it and "
        "block {} {} it, in no order",
        first.block, second.block, taskText(first, manyRanks), where,
        first.block, verb(a.kind).str(), second.block, verb(b.kind).str());
    if (a.loc != b.loc)
      failure.notes.push_back(
          {fmt::format("block {} {} it here", first.block, verb(a.kind).str()),
           a.loc});
    failure.notes.push_back(
        {"give each block a part of its own, or store with an atomic add",
         first.task->location});
  } else {
    std::string early = taskText(first, manyRanks);
    std::string late = taskText(second, manyRanks);
    bool sameRank = first.rank == second.rank;
    failure.message = fmt::format(
        "tasks {} and {} conflict on {}: {} {} it and {} {} it, and no "
        "path of edges{} orders them",
        early, late, where, early, verb(a.kind).str(), late, verb(b.kind).str(),
        manyRanks ? " and signals" : "");
    failure.notes.push_back(
        {fmt::format("{} {} it here", early, verb(a.kind).str()), a.loc});
    failure.notes.push_back(
        {sameRank ? fmt::format("add an edge: deps=[<task of '{}'>] where "
                                "'{}' is made",
                                first.task->name, second.task->name)
                  : fmt::format("one of the two must be told that the other "
                                "is over: a notify after it, and a wait before "
                                "'{}'",
                                second.task->name),
         second.task->location});
  }
  result.failures.push_back(std::move(failure));
}

void Executor::checkBlocks(const TaskInfo &task, unsigned rank,
                           std::vector<OwnedAccess> &accesses,
                           unsigned buffer) {
  bool conflicts = llvm::any_of(accesses, [](const OwnedAccess &access) {
    return access.access.kind != AccessKind::Read;
  });
  if (!conflicts || task.blocks < 2)
    return;
  std::vector<Conflict> found = findConflicts(
      accesses, [](unsigned, unsigned) { return false; }, /*limit=*/1);
  for (const Conflict &conflict : found) {
    Node first, second;
    first.task = second.task = &task;
    first.rank = second.rank = rank;
    first.block = conflict.first.owner;
    second.block = conflict.second.owner;
    reportRace(conflict, first, second, *buffers[buffer]);
  }
  failed |= !found.empty();
}

void Executor::reportRaces() {
  auto follows = [&](unsigned early, unsigned late) {
    const llvm::BitVector &before = nodes[late].before;
    return early < before.size() && before.test(early);
  };
  auto ordered = [&](unsigned a, unsigned b) {
    return follows(a, b) || follows(b, a);
  };
  std::vector<std::vector<OwnedAccess>> byBuffer(buffers.size());
  for (auto [id, node] : llvm::enumerate(nodes))
    for (auto &[number, set] : node.accesses) {
      // Parts of one host tensor may overlap.
      const Buffer &buffer = *buffers[number];
      const Buffer &whole = buffer.whole ? *buffer.whole : buffer;
      for (Access access : set.get()) {
        access.start += buffer.start;
        byBuffer[whole.id].push_back({access, unsigned(id)});
      }
    }
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> pairs;
  std::vector<std::pair<Conflict, unsigned>> found;
  auto key = [&](unsigned id) {
    return uint64_t(nodes[id].rank) << 32 | nodes[id].index;
  };
  for (auto [id, list] : llvm::enumerate(byBuffer)) {
    bool conflicts = llvm::any_of(list, [](const OwnedAccess &access) {
      return access.access.kind != AccessKind::Read;
    });
    if (!conflicts)
      continue;
    for (Conflict &conflict :
         findConflicts(std::move(list), ordered, options.maxReports)) {
      // In program order, whatever the order of this run.
      uint64_t first = key(conflict.first.owner);
      uint64_t second = key(conflict.second.owner);
      if (first > second ||
          (first == second && nodes[conflict.first.owner].block >
                                  nodes[conflict.second.owner].block))
        std::swap(conflict.first, conflict.second);
      if (pairs.insert(std::minmax(first, second)).second)
        found.push_back({conflict, unsigned(id)});
    }
  }
  unsigned reports = 0;
  for (auto &[conflict, id] : found)
    if (++reports <= options.maxReports)
      reportRace(conflict, nodes[conflict.first.owner],
                 nodes[conflict.second.owner], *buffers[id]);
}

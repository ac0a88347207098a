//===- Cluster.cpp - the queues of one core cluster -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

using namespace pl::sim;

static constexpr llvm::StringLiteral kQueueNames[] = {
    "the cube", "vector lane 0", "vector lane 1"};

/// The queues at the two ends of a ring.
static llvm::ArrayRef<unsigned> producersOf(const RingDecl &ring) {
  static constexpr unsigned cube[] = {kCubeQueue};
  static constexpr unsigned lanes[] = {kLane0Queue, kLane1Queue};
  return ring.toCube ? llvm::ArrayRef(lanes) : llvm::ArrayRef(cube);
}
static llvm::ArrayRef<unsigned> consumersOf(const RingDecl &ring) {
  RingDecl other = ring;
  other.toCube = !ring.toCube;
  return producersOf(other);
}

Cluster::Cluster(const Code &kernel, llvm::ArrayRef<View> tensors,
                 llvm::ArrayRef<Reg> scalars)
    : kernel(kernel), cores(kNumQueues) {
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    const Code &side = kernel.sides[queue == kCubeQueue ? 0 : 1];
    auto interpreter = std::make_unique<Interpreter>(side);
    unsigned nextView = 0, nextScalar = 0;
    for (const ParamDecl &param : side.params)
      if (param.isTensor)
        interpreter->views[param.slot] = tensors[nextView++];
      else
        interpreter->regs[param.slot] = scalars[nextScalar++];
    queues.push_back(std::move(interpreter));
  }
}

bool Cluster::ok() const {
  return llvm::all_of(cores, std::mem_fn(&CoreMemory::ok));
}

//===----------------------------------------------------------------------===//
// Handshakes
//===----------------------------------------------------------------------===//

void Cluster::endSegment(unsigned queue) {
  std::vector<std::pair<unsigned, AccessSet>> &accesses = logs[queue].accesses;
  segments.push_back({queue, clocks[queue], std::move(accesses)});
  accesses.clear();
  ++clocks[queue][queue];
}

void Cluster::join(unsigned queue, const QueueClock &other) {
  for (unsigned i = 0; i < kNumQueues; ++i)
    clocks[queue][i] = std::max(clocks[queue][i], other[i]);
}

std::optional<int64_t> Cluster::beginPush(unsigned index, unsigned queue) {
  Ring &ring = rings[index];
  int64_t slots = ring.decl.slots;
  int64_t next = int64_t(ring.pushed[queue].size());
  if (next >= slots) {
    // A credit stands for `period` slots, and is waited for once per period.
    int64_t period = slots <= 2 ? slots : slots / 2;
    int64_t needed = next / period * period - slots + period;
    for (unsigned consumer : consumersOf(ring.decl))
      if (int64_t(ring.freed[consumer].size()) < needed)
        return std::nullopt;
    endSegment(queue);
    for (unsigned consumer : consumersOf(ring.decl))
      join(queue, ring.freed[consumer][needed - 1]);
  }
  return ring.decl.offset + next % slots * ring.decl.bytes;
}

void Cluster::endPush(unsigned index, unsigned queue) {
  endSegment(queue);
  rings[index].pushed[queue].push_back(clocks[queue]);
  ++events;
}

std::optional<int64_t> Cluster::beginPop(unsigned index, unsigned queue) {
  Ring &ring = rings[index];
  size_t next = ring.freed[queue].size();
  for (unsigned producer : producersOf(ring.decl))
    if (ring.pushed[producer].size() <= next)
      return std::nullopt;
  endSegment(queue);
  for (unsigned producer : producersOf(ring.decl))
    join(queue, ring.pushed[producer][next]);
  return ring.decl.offset + int64_t(next) % ring.decl.slots * ring.decl.bytes;
}

void Cluster::endPop(unsigned index, unsigned queue) {
  endSegment(queue);
  rings[index].freed[queue].push_back(clocks[queue]);
  ++events;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool Cluster::run(const Context &context, BlockLog &log) {
  rings.clear();
  for (const RingDecl &decl : kernel.rings)
    rings.emplace_back().decl = decl;
  segments.clear();
  Context own[kNumQueues];
  bool ended[kNumQueues] = {};
  unsigned running = kNumQueues;
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    logs[queue] = BlockLog();
    clocks[queue] = {};
    own[queue] = context;
    own[queue].cluster = this;
    own[queue].queue = queue;
    const Code &side = kernel.sides[queue == kCubeQueue ? 0 : 1];
    cores[queue].poison(side.usedBytes);
    queues[queue]->start(&cores[queue]);
  }
  if (!ok()) {
    log.failure =
        Failure{FailureKind::Limit, "no memory left on this host", {}, {}};
    return false;
  }
  bool good = true;
  while (running && good) {
    uint64_t before = events;
    for (unsigned queue = 0; queue < kNumQueues && good; ++queue) {
      if (ended[queue])
        continue;
      switch (queues[queue]->resume(own[queue], logs[queue])) {
      case Stop::End:
        ended[queue] = true;
        --running;
        ++events;
        break;
      case Stop::Slot:
        break;
      default:
        log.failure = std::move(logs[queue].failure);
        log.failureSite = logs[queue].failureSite;
        good = false;
        break;
      }
    }
    if (running && good && events == before)
      good = reportStuck(context, log, ended);
  }
  for (unsigned queue = 0; queue < kNumQueues; ++queue)
    endSegment(queue);
  if (good)
    good = checkBalance(context, log) && checkRaces(context, log);

  for (Segment &segment : segments)
    for (auto &[buffer, set] : segment.accesses)
      for (const Access &access : set.get())
        log.accessesOf(buffer).add(access);
  for (BlockLog &part : logs) {
    for (PendingAdd add : part.adds) {
      add.data += log.addBytes.size();
      log.adds.push_back(add);
    }
    llvm::append_range(log.addBytes, part.addBytes);
    llvm::append_range(log.addShadow, part.addShadow);
    llvm::append_range(log.origins, part.origins);
    llvm::append_range(log.deferred, part.deferred);
    log.undefinedUses += part.undefinedUses;
    log.matmulSeconds += part.matmulSeconds;
  }
  return good;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static std::string where(const Code &kernel, const Context &context) {
  return fmt::format("kernel '{}', block {}", kernel.name, context.block);
}

/// No queue can go on: who waits for what.
bool Cluster::reportStuck(const Context &context, BlockLog &log,
                          llvm::ArrayRef<bool> ended) {
  Failure failure;
  failure.kind = FailureKind::Deadlock;
  unsigned waiting = 0;
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    if (ended[queue])
      continue;
    const Instr *instr = &queues[queue]->waitsAt();
    ++waiting;
    const Ring &ring = rings[instr->imm];
    std::string what;
    if (instr->op == Op::Pop)
      what = fmt::format("{} waits for tile {} of {}", kQueueNames[queue].str(),
                         ring.freed[queue].size() + 1,
                         ring.decl.toCube ? "the vector lanes" : "the cube");
    else
      what = fmt::format("{} waits for one of {} slots to put tile {} for {}",
                         kQueueNames[queue].str(), ring.decl.slots,
                         ring.pushed[queue].size() + 1,
                         ring.decl.toCube ? "the cube" : "the vector lanes");
    failure.notes.push_back({what, instr->loc});
    if (!failure.location)
      failure.location = instr->loc;
  }
  failure.message =
      fmt::format("{}: no progress: {} of the 3 cores wait for each other{}",
                  where(kernel, context), waiting,
                  waiting < kNumQueues ? ", the others have ended" : "");
  log.failure = std::move(failure);
  return false;
}

/// A tile that nobody took would meet the next kernel on this cluster.
bool Cluster::checkBalance(const Context &context, BlockLog &log) {
  for (const Ring &ring : rings)
    for (unsigned producer : producersOf(ring.decl))
      for (unsigned consumer : consumersOf(ring.decl)) {
        size_t pushed = ring.pushed[producer].size();
        size_t popped = ring.freed[consumer].size();
        if (pushed == popped)
          continue;
        log.failure = Failure{
            FailureKind::Deadlock,
            fmt::format("{}: handshakes do not match: {} pushes {} tiles, {} "
                        "takes {}; the next kernel on this cluster would meet "
                        "the rest",
                        where(kernel, context), kQueueNames[producer].str(),
                        pushed, kQueueNames[consumer].str(), popped),
            ring.decl.loc,
            {}};
        return false;
      }
  return true;
}

bool Cluster::checkRaces(const Context &context, BlockLog &log) {
  // Each segment is an owner; handshakes order them.
  auto ordered = [&](unsigned a, unsigned b) {
    const Segment &x = segments[a], &y = segments[b];
    return x.queue == y.queue || y.clock[x.queue] > x.clock[x.queue] ||
           x.clock[y.queue] > y.clock[y.queue];
  };
  llvm::SmallDenseMap<unsigned, std::vector<OwnedAccess>> byBuffer;
  for (auto [id, segment] : llvm::enumerate(segments))
    for (auto &[buffer, set] : segment.accesses)
      for (const Access &access : set.get())
        byBuffer[buffer].push_back({access, unsigned(id)});
  std::vector<unsigned> buffers;
  for (auto &entry : byBuffer)
    buffers.push_back(entry.first);
  llvm::sort(buffers);
  for (unsigned buffer : buffers) {
    std::vector<OwnedAccess> &list = byBuffer[buffer];
    if (llvm::all_of(list, [](const OwnedAccess &access) {
          return access.access.kind == AccessKind::Read;
        }))
      continue;
    std::vector<Conflict> found =
        findConflicts(std::move(list), ordered, /*limit=*/1);
    if (found.empty())
      continue;
    const Buffer *tensor = find(buffer);
    const OwnedAccess &a = found.front().first, &b = found.front().second;
    auto verb = [](AccessKind kind) {
      return kind == AccessKind::Read    ? "reads"
             : kind == AccessKind::Write ? "writes"
                                         : "adds atomically to";
    };
    llvm::StringRef first = kQueueNames[segments[a.owner].queue];
    llvm::StringRef second = kQueueNames[segments[b.owner].queue];
    Failure failure;
    failure.kind = FailureKind::Race;
    failure.location = b.access.loc;
    failure.message = fmt::format(
        "{}: the two sides conflict on '{}' at {}..{}: {} {} it and {} {} it, "
        "and no tile that crosses orders the two",
        where(kernel, context), tensor->name,
        tensor->indexOf(found.front().begin),
        tensor->indexOf(found.front().end - 1), first.str(),
        verb(a.access.kind), second.str(), verb(b.access.kind));
    failure.notes.push_back(
        {fmt::format("{} {} it here", first.str(), verb(a.access.kind)),
         a.access.loc});
    log.failure = std::move(failure);
    return false;
  }
  return true;
}

const Buffer *Cluster::find(unsigned buffer) const {
  const Code &side = kernel.sides.front();
  for (const ParamDecl &param : side.params)
    if (param.isTensor)
      if (const View &view = queues.front()->views[param.slot];
          view.buffer->id == buffer)
        return view.buffer;
  return nullptr;
}

//===- SignalRun.cpp - Runs of what ranks tell each other -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignalRun.h"

#include "pl/Analysis/DimSamples.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pl;

/// More of them are left to the simulator.
static constexpr size_t kMaxEvents = 200'000;
static constexpr size_t kMaxTasks = 400'000;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

unsigned SignalGraph::addTask(Operation *op, int64_t rank,
                              ArrayRef<unsigned> deps) {
  unsigned number = unsigned(tasks.size());
  for (unsigned dep : deps)
    tasks[dep].users.push_back(number);
  tasks.push_back({op, rank, SmallVector<unsigned, 4>(deps), {}, {}});
  return number;
}

unsigned SignalGraph::cellOf(int64_t rank, Value buffer, int64_t element) {
  auto [found, isNew] = cellNumbers.try_emplace(
      {rank, buffer.getAsOpaquePointer(), element}, unsigned(cells.size()));
  if (isNew)
    cells.push_back({rank, buffer, element, {}});
  return found->second;
}

/// The windows of a program that are signals; nothing if something else than
/// events changes or orders by them.
static std::optional<llvm::SetVector<Value>>
findSignals(const Instance &instance) {
  llvm::SetVector<Value> signals;
  for (BlockArgument argument : func::FuncOp(instance.program).getArguments()) {
    bool isSignal = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return isa<NotifyOp, WaitOp, DeferWaitOp>(user);
    });
    if (!isSignal)
      continue;
    if (!instance.buffers.contains(argument) ||
        !llvm::all_of(argument.getUsers(), [](Operation *user) {
          return isa<NotifyOp, WaitOp, DeferWaitOp, WriteOp, ReadOp, LoadOp,
                     RankOfOp, NumRanksOp, memref::DimOp>(user);
        }))
      return std::nullopt;
    signals.insert(argument);
  }
  WalkResult walk = func::FuncOp(instance.program).walk([&](Operation *op) {
    bool isEvent = isa<NotifyOp, WaitOp, DeferWaitOp>(op);
    Value signal;
    if (auto notify = dyn_cast<NotifyOp>(op))
      signal = notify.getTarget();
    else if (auto wait = dyn_cast<WaitOp>(op))
      signal = wait.getSignal();
    else if (auto wait = dyn_cast<DeferWaitOp>(op))
      signal = wait.getSignal();
    bool isUnknown = (isEvent && !signals.contains(signal)) ||
                     isa<BarrierOp, AllReduceOp, BroadcastOp, ReduceScatterOp,
                         AllGatherOp, AllToAllOp, AllToAllVOp, SyncAllOp>(op);
    return isUnknown ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return std::nullopt;
  return signals;
}

static bool isTask(Value value) {
  return isa<TaskType, TaskArrayType>(value.getType());
}

bool SignalGraph::addProgram(const Instance &instance, int64_t world,
                             Sample sample,
                             std::optional<unsigned> &lastOfRank) {
  SmallVector<unsigned, 1> first;
  if (lastOfRank)
    first.push_back(*lastOfRank);
  // The program begins when the one before it is over.
  unsigned entry = addTask(nullptr, instance.rank, first);
  DenseMap<Value, unsigned> numberOf;
  llvm::MapVector<Operation *, unsigned> numbers;
  SmallVector<unsigned> all{entry};
  for (Operation &op : func::FuncOp(instance.program).getBody().front()) {
    llvm::SmallSetVector<unsigned, 4> deps;
    deps.insert(entry);
    auto addDeps = [&](Operation *user) {
      for (Value operand : user->getOperands())
        if (auto found = numberOf.find(operand); found != numberOf.end())
          deps.insert(found->second);
    };
    // The bodies of tasks use no tasks.
    bool hasTasks = isa<AtOp, SpmdOp, DummyOp>(op);
    if (hasTasks)
      addDeps(&op);
    else
      op.walk([&](Operation *inner) {
        hasTasks |= isa<AtOp, SpmdOp, DummyOp>(inner) ||
                    llvm::any_of(inner->getResults(), isTask);
        addDeps(inner);
      });
    if (!hasTasks)
      continue;
    isApproximate |= !isa<AtOp, SpmdOp, DummyOp>(op);
    unsigned number = addTask(&op, instance.rank, deps.getArrayRef());
    numbers[&op] = number;
    all.push_back(number);
    for (Value result : op.getResults())
      if (isTask(result))
        numberOf[result] = number;
  }
  lastOfRank = addTask(nullptr, instance.rank, all);
  return tasks.size() < kMaxTasks &&
         addEvents(instance, world, sample, numbers);
}

bool SignalGraph::addEvents(
    const Instance &instance, int64_t world, Sample sample,
    const llvm::MapVector<Operation *, unsigned> &numbers) {
  std::optional<llvm::SetVector<Value>> signals = findSignals(instance);
  if (!signals)
    return false;
  llvm::DenseSet<Operation *> telling;
  for (Value signal : *signals)
    for (Operation *user : signal.getUsers()) {
      if (!isa<NotifyOp, WaitOp, DeferWaitOp, WriteOp>(user))
        continue;
      Operation *task = user;
      while (!isa<func::FuncOp>(task->getParentOp()))
        task = task->getParentOp();
      // A task in a loop is many.
      if (!isa<AtOp, SpmdOp>(task))
        return false;
      telling.insert(task);
    }
  DimSamples samples(instance.program);
  DimValues dims = samples.valuesOf("", 0, sample.dims);
  Footprint footprint(instance.program, dims);
  for (Value value : samples.getScalars())
    footprint.assume(value, sample.scalars);
  for (auto [value, known] : instance.scalars)
    footprint.assume(value, known);
  footprint.assumeRank(instance.rank, world);
  for (auto [op, task] : numbers) {
    if (!telling.contains(op))
      continue;
    std::map<int64_t, unsigned> strandOf;
    unsigned number = task;
    auto visit = [&](const Touch &touch) {
      if (isa<ReadOp, LoadOp>(touch.op))
        return true;
      bool isOneCell =
          touch.ranges && touch.ranges->size() == 1 &&
          touch.ranges->front().second == touch.ranges->front().first + 1;
      if (!touch.certain || !touch.block || !isOneCell || touch.outside ||
          events.size() >= kMaxEvents)
        return false;
      int64_t rank = instance.rank;
      SignalEvent event{SignalEvent::Kind::wait, touch.op, 0, 0, 0};
      Value value;
      if (auto notify = dyn_cast<NotifyOp>(touch.op)) {
        if (!touch.peer || *touch.peer < 0 || *touch.peer >= world)
          return false;
        rank = *touch.peer;
        value = notify.getValue();
        event.kind = notify.getKind() == NotifyKind::add
                         ? SignalEvent::Kind::add
                         : SignalEvent::Kind::set;
      } else if (auto write = dyn_cast<WriteOp>(touch.op)) {
        value = write.getValue();
        event.kind = SignalEvent::Kind::set;
      } else if (auto wait = dyn_cast<WaitOp>(touch.op)) {
        value = wait.getExpected();
        if (wait.getCmp() != WaitCmp::ge)
          event.kind = SignalEvent::Kind::waitEqual;
      } else if (auto wait = dyn_cast<DeferWaitOp>(touch.op)) {
        value = wait.getExpected();
      } else {
        return false;
      }
      std::optional<int64_t> known = footprint.evaluate(value);
      if (!known || std::abs(*known) > INT32_MAX)
        return false;
      event.value = *known;
      event.cell = cellOf(rank, instance.buffers.lookup(touch.root),
                          touch.ranges->front().first);
      auto [strand, isNew] =
          strandOf.try_emplace(*touch.block, unsigned(strands.size()));
      if (isNew) {
        strands.push_back({number, {}});
        tasks[number].strands.push_back(strand->second);
      }
      event.strand = strand->second;
      strands[event.strand].events.push_back(unsigned(events.size()));
      cells[event.cell].events.push_back(unsigned(events.size()));
      events.push_back(event);
      return true;
    };
    if (!footprint.walk(
            op, [&](Value root) { return signals->contains(root); }, visit))
      return false;
  }
  return true;
}

std::optional<SignalGraph> SignalGraph::of(ArrayRef<Instance> instances,
                                           int64_t world, Sample sample) {
  SignalGraph graph;
  std::map<int64_t, std::optional<unsigned>> last;
  for (const Instance &instance : instances)
    if (!instance.hasAllScalars || instance.rank < 0 ||
        instance.rank >= world ||
        !graph.addProgram(instance, world, sample, last[instance.rank]))
      return std::nullopt;
  return graph;
}

bool SignalGraph::isBefore(unsigned early, unsigned late) const {
  if (events[early].strand == events[late].strand)
    return early < late;
  unsigned wanted = strands[events[early].strand].task;
  unsigned task = strands[events[late].strand].task;
  if (tasks[wanted].rank != tasks[task].rank || wanted == task)
    return false;
  llvm::SmallSetVector<unsigned, 16> before;
  before.insert(tasks[task].deps.begin(), tasks[task].deps.end());
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == wanted)
      return true;
    const SignalTask &next = tasks[before[i]];
    before.insert(next.deps.begin(), next.deps.end());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

SignalRun::SignalRun(const SignalGraph &graph, std::optional<unsigned> held)
    : graph(graph), held(held), values(graph.cells.size()),
      taken(graph.cells.size()), waiting(graph.cells.size()),
      position(graph.strands.size()), openDeps(graph.tasks.size()),
      openStrands(graph.tasks.size()), performed(graph.events.size()),
      isDone(graph.tasks.size()) {
  for (auto [number, task] : llvm::enumerate(graph.tasks)) {
    openDeps[number] = unsigned(task.deps.size());
    openStrands[number] = unsigned(task.strands.size());
  }
  for (auto [number, task] : llvm::enumerate(graph.tasks))
    if (task.deps.empty())
      begin(unsigned(number));
  while (!ready.empty() || !finished.empty()) {
    if (!finished.empty()) {
      unsigned task = finished.front();
      finished.pop_front();
      finish(task);
      continue;
    }
    unsigned strand = ready.front();
    ready.pop_front();
    proceed(strand);
  }
  for (auto [number, strand] : llvm::enumerate(graph.strands))
    if (openDeps[strand.task] == 0 && position[number] < strand.events.size())
      stuck.push_back(strand.events[position[number]]);
}

void SignalRun::begin(unsigned task) {
  if (graph.tasks[task].strands.empty())
    finished.push_back(task);
  for (unsigned strand : graph.tasks[task].strands)
    ready.push_back(strand);
}

void SignalRun::finish(unsigned task) {
  isDone.set(task);
  for (unsigned user : graph.tasks[task].users)
    if (--openDeps[user] == 0)
      begin(user);
}

bool SignalRun::holds(const SignalEvent &wait) const {
  int64_t value = values[wait.cell];
  if (wait.kind == SignalEvent::Kind::waitEqual)
    return value == wait.value;
  // The scheduler compares unsigned.
  if (isa<DeferWaitOp>(wait.op))
    return uint32_t(value) >= uint32_t(wait.value);
  return value >= wait.value;
}

void SignalRun::perform(unsigned number) {
  const SignalEvent &event = graph.events[number];
  performed.set(number);
  if (event.isWait())
    return;
  int64_t &value = values[event.cell];
  int64_t before = value;
  value =
      event.kind == SignalEvent::Kind::set ? event.value : value + event.value;
  if (value < before) {
    taken[event.cell].first += before - value;
    taken[event.cell].second = number;
  }
  for (unsigned strand : waiting[event.cell])
    ready.push_back(strand);
  waiting[event.cell].clear();
}

void SignalRun::proceed(unsigned number) {
  const SignalStrand &strand = graph.strands[number];
  unsigned &next = position[number];
  for (; next < strand.events.size(); ++next) {
    const SignalEvent &event = graph.events[strand.events[next]];
    if (held == strand.events[next])
      return;
    if (event.isWait() && !holds(event)) {
      waiting[event.cell].push_back(number);
      return;
    }
    perform(strand.events[next]);
  }
  if (--openStrands[strand.task] == 0)
    finished.push_back(strand.task);
}

std::optional<unsigned> SignalRun::blockerOf(unsigned event) const {
  unsigned strand = graph.events[event].strand;
  unsigned task = graph.strands[strand].task;
  if (openDeps[task] == 0)
    return graph.strands[strand].events[position[strand]];
  // Back to a task that has begun.
  while (openDeps[task] != 0) {
    const auto *open = llvm::find_if(
        graph.tasks[task].deps, [&](unsigned dep) { return !isDone[dep]; });
    if (open == graph.tasks[task].deps.end())
      return std::nullopt;
    task = *open;
  }
  for (unsigned other : graph.tasks[task].strands)
    if (position[other] < graph.strands[other].events.size())
      return graph.strands[other].events[position[other]];
  return std::nullopt;
}

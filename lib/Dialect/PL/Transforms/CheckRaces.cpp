//===- CheckRaces.cpp - No two of what runs side by side conflict ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceChecker.h"

#include "pl/Analysis/OptOuts.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKRACES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// Dims up to this value are tried to get several blocks.
static constexpr int64_t kMaxSample = 260;
/// Dims with which pairs of tasks are tried.
static constexpr int64_t kPairSample = 33;
/// As the others of a dim: more than any pitch or width within a tile.
static constexpr int64_t kLarge = 512;
/// Scalars of the caller may be anything.
static constexpr int64_t kLargeScalar = 4099;

//===----------------------------------------------------------------------===//
// Tasks, and what orders them
//===----------------------------------------------------------------------===//

/// A tensor of the function in memory of this rank.
static bool isShared(func::FuncOp func, Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  if (!type || isa_and_nonnull<WindowAttr>(type.getMemorySpace()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(root))
    return argument.getOwner() == &func.getBody().front();
  return isa_and_nonnull<AllocOp>(root.getDefiningOp()) &&
         root.getParentBlock() == &func.getBody().front();
}

void RaceChecker::collect() {
  for (Operation &op : func.getBody().front()) {
    if (!isa<AtOp, SpmdOp, DummyOp>(op))
      continue;
    Task task;
    task.op = &op;
    task.isManual = bool(op.removeDiscardableAttr(kManual));
    op.walk([&](Operation *inner) {
      auto use = [&](Value memref, bool writes) {
        Value root = rootOf(memref);
        if (!isShared(func, root))
          return;
        task.touched.insert(root);
        if (writes) {
          task.written.insert(root);
          everWritten.insert(root);
        }
      };
      llvm::TypeSwitch<Operation *>(inner)
          .Case<LoadOp, ReadOp, LoadBoxOp, GatherRowOp>(
              [&](auto o) { use(o.getSource(), false); })
          .Case<StoreOp, WriteOp, StoreBoxOp>(
              [&](auto o) { use(o.getTarget(), true); })
          .Case<PutOp, GetOp>([&](auto o) {
            use(o.getSource(), false);
            use(o.getTarget(), true);
          })
          .Case<NotifyOp>([&](auto) { task.notifies = true; })
          .Case<WaitOp, DeferWaitOp>([&](auto) { task.waits = true; })
          .Case<BarrierOp>([&](auto) { task.waits = task.notifies = true; });
    });
    OptOuts optOuts(&op);
    llvm::copy_if(task.touched, std::back_inserter(task.optOuts),
                  [&](Value root) { return optOuts.contains(root); });
    tasks.push_back(std::move(task));
  }
}

void RaceChecker::orderTasks() {
  DenseMap<Value, unsigned> numbers;
  afterWait.resize(tasks.size());
  beforeNotify.resize(tasks.size());
  for (auto [number, task] : llvm::enumerate(tasks)) {
    llvm::BitVector before(number);
    llvm::TypeSwitch<Operation *>(task.op).Case<AtOp, SpmdOp, DummyOp>(
        [&](auto scope) {
          for (Value dep : scope.getDeps())
            if (auto found = numbers.find(dep); found != numbers.end()) {
              before |= ancestors[found->second];
              before.set(found->second);
            }
        });
    // Another rank may stand between a notify and a wait.
    if (task.waits)
      afterWait.set(number);
    for (unsigned other : before.set_bits())
      if (afterWait.test(other))
        afterWait.set(number);
    if (task.notifies) {
      beforeNotify.set(number);
      for (unsigned other : before.set_bits())
        beforeNotify.set(other);
    }
    numbers[task.op->getResult(0)] = number;
    ancestors.push_back(std::move(before));
  }
}

/// As if the user had written it.
void RaceChecker::addEdge(unsigned earlier, unsigned later) {
  llvm::BitVector more = ancestors[earlier];
  more.resize(later);
  more.set(earlier);
  ancestors[later] |= more;
  for (unsigned after = later + 1; after < tasks.size(); ++after)
    if (ancestors[after].test(later))
      ancestors[after] |= more;
}

/// Whether a path of edges, or of signals, may order two tasks.
bool RaceChecker::isOrdered(unsigned earlier, unsigned later) const {
  return ancestors[later].test(earlier) ||
         (beforeNotify.test(earlier) && afterWait.test(later)) ||
         (beforeNotify.test(later) && afterWait.test(earlier));
}

/// Whether an edge that the two need may not have been derived.
bool RaceChecker::mayLackEdge(unsigned earlier, unsigned later) const {
  const Task &one = tasks[earlier], &other = tasks[later];
  auto touches = [](const Task &task) {
    return [&task](Value root) { return task.touched.contains(root); };
  };
  return other.isManual || llvm::any_of(one.optOuts, touches(other)) ||
         llvm::any_of(other.optOuts, touches(one));
}

//===----------------------------------------------------------------------===//
// One set of dims
//===----------------------------------------------------------------------===//

std::optional<std::vector<Touch>>
RaceChecker::touchesOf(unsigned task, const DimValues &dims,
                       int64_t scalarValue, function_ref<bool(Value)> wanted) {
  Footprint footprint(func, dims);
  footprint.useValidExtents();
  for (Value scalar : scalars)
    footprint.assume(scalar, scalarValue);
  std::vector<Touch> touches;
  if (!footprint.walk(tasks[task].op, wanted, [&](const Touch &touch) {
        if (touch.certain && touch.exact && touch.ranges && touch.block)
          touches.push_back(touch);
        return true;
      }))
    return std::nullopt;
  return touches;
}

bool RaceChecker::find(Suspects suspects, const DimValues &dims,
                       int64_t scalarValue, function_ref<bool(Value)> wanted,
                       std::vector<Conflict> &conflicts) {
  auto first = touchesOf(suspects.first, dims, scalarValue, wanted);
  if (!first)
    return false;
  SmallVector<const std::vector<Touch> *, 2> touches{&*first};
  std::optional<std::vector<Touch>> second;
  if (!suspects.isOneTask()) {
    second = touchesOf(suspects.second, dims, scalarValue, wanted);
    if (!second)
      return false;
    touches.push_back(&*second);
  }
  findConflicts(touches, wanted, conflicts);
  return true;
}

std::optional<Conflict> RaceChecker::findOne(Suspects suspects,
                                             const DimValues &dims,
                                             int64_t scalarValue,
                                             const Conflict &like) {
  std::vector<Conflict> conflicts;
  if (!find(
          suspects, dims, scalarValue,
          [&](Value root) { return root == like.root; }, conflicts))
    return std::nullopt;
  for (Conflict &conflict : conflicts)
    if (conflict.key() == like.key()) {
      Footprint footprint(func, dims);
      for (Value scalar : scalars)
        footprint.assume(scalar, scalarValue);
      if (auto shape = footprint.shapeOf(conflict.root))
        conflict.shape = *shape;
      return conflict;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Judgement
//===----------------------------------------------------------------------===//

/// Whether the conflict is there whatever other dims and scalars are, and for
/// which values of a dim.
bool RaceChecker::judge(Suspects suspects, const Conflict &conflict,
                        int64_t size) {
  if (!judged.insert({conflict.first.op, conflict.second.op}).second)
    return false;
  ++numPairs;
  // Whole tiles, and few or many of them.
  int64_t few = (std::max(size, 2 * whole) + whole - 1) / whole * whole;
  int64_t many = (std::max(few, kLarge) + whole - 1) / whole * whole + whole;
  auto holds = [&](StringRef dim, int64_t value, int64_t others,
                   int64_t scalarValue) {
    return findOne(suspects, samples.valuesOf(dim, value, others), scalarValue,
                   conflict)
        .has_value();
  };
  auto isEverywhere = [&](StringRef dim, int64_t value) {
    SmallVector<int64_t, 4> forScalars = {1};
    if (!scalars.empty())
      forScalars = {1, 2, whole, kLargeScalar};
    return llvm::all_of(forScalars, [&](int64_t scalar) {
      return holds(dim, value, whole, scalar) &&
             (names.size() < 2 || holds(dim, value, 3 * whole + 1, scalar));
    });
  };
  if (names.empty()) {
    if (isEverywhere("", 1)) {
      auto witness = findOne(suspects, samples.valuesOf("", 1, 1), 1, conflict);
      report(suspects, *witness, "", 0);
      return true;
    }
    ++numUndecided;
    remark(suspects, conflict, size);
    return false;
  }
  // All dims at once, then one by one: the one that matters most is told.
  StringRef dim;
  int64_t least = 0;
  if (holds("", 0, few, 1) && holds("", 0, many, 1))
    for (StringRef name : names) {
      if (!isEverywhere(name, few) || !holds(name, many, whole, 1))
        continue;
      int64_t value = 1;
      while (value < few && !isEverywhere(name, value))
        ++value;
      if (value > least) {
        least = value;
        dim = name;
      }
    }
  if (dim.empty()) {
    ++numUndecided;
    remark(suspects, conflict, size);
    return false;
  }
  int64_t others = whole;
  auto witness =
      findOne(suspects, samples.valuesOf(dim, least, others), 1, conflict);
  // A dim that does not move the place is none of the reader's concern.
  bool isSame = false;
  if (least == 1)
    if (auto larger =
            findOne(suspects, samples.valuesOf(dim, few, others), 1, conflict))
      isSame = larger->low == witness->low && larger->high == witness->high;
  report(suspects, *witness, isSame ? StringRef() : dim, least);
  return true;
}

void RaceChecker::checkBlocks(unsigned number) {
  Task &task = tasks[number];
  auto spmd = dyn_cast<SpmdOp>(task.op);
  // A signal may order blocks.
  if (!spmd || task.waits || task.written.empty())
    return;
  // Few rows, but as many as make several blocks.
  llvm::SmallSetVector<int64_t, 4> sizes;
  int64_t enough[] = {2, 5};
  unsigned reached = 0;
  for (int64_t size = 1; size <= kMaxSample && reached < 2;
       size = 2 * size - (size > 1)) {
    DimValues dims = samples.valuesOf("", 0, size);
    Footprint footprint(func, dims);
    for (Value scalar : scalars)
      footprint.assume(scalar, 1);
    std::optional<int64_t> blocks = footprint.evaluate(spmd.getBlocks());
    if (!blocks)
      return;
    for (; reached < 2 && *blocks >= enough[reached]; ++reached)
      sizes.insert(size);
    if (size == 1)
      ++size;
  }
  // One report for each tensor.
  DenseSet<Value> done;
  for (int64_t size : sizes) {
    std::vector<Conflict> conflicts;
    if (!find(
            {number, number}, samples.valuesOf("", 0, size), 1,
            [&](Value root) { return task.written.contains(root); },
            conflicts)) {
      ++numUndecided;
      remarkTooLong(number, number);
      return;
    }
    for (const Conflict &conflict : conflicts)
      if (!done.contains(conflict.root) &&
          judge({number, number}, conflict, size))
        done.insert(conflict.root);
  }
}

/// Most pairs have regions that are disjoint whatever the dims are.
bool RaceChecker::mayConflict(unsigned first, unsigned second) {
  for (unsigned number : {first, second})
    if (!tasks[number].accesses)
      tasks[number].accesses = collector.collect(tasks[number].op);
  for (const Access &a : *tasks[first].accesses)
    for (const Access &b : *tasks[second].accesses)
      if (a.root == b.root && (a.writes || b.writes) &&
          !(a.atomic && b.atomic) && isShared(func, a.root) &&
          !areDisjoint(a, b))
        return true;
  return false;
}

bool RaceChecker::checkTasks(unsigned first, unsigned second) {
  auto wanted = [&](Value root) {
    const Task &one = tasks[first], &other = tasks[second];
    return one.touched.contains(root) && other.touched.contains(root) &&
           (one.written.contains(root) || other.written.contains(root));
  };
  if (!llvm::any_of(tasks[first].touched, wanted) ||
      !mayConflict(first, second))
    return true;
  DimValues dims = samples.valuesOf("", 0, kPairSample);
  SmallVector<const std::vector<Touch> *, 2> touches;
  for (unsigned number : {first, second}) {
    Task &task = tasks[number];
    if (!task.hasTouches)
      task.touches = touchesOf(number, dims, 1, [&](Value root) {
        return everWritten.contains(root);
      });
    task.hasTouches = true;
    if (!task.touches) {
      ++numUndecided;
      remarkTooLong(number, first + second - number);
      return true;
    }
    touches.push_back(&*task.touches);
  }
  std::vector<Conflict> conflicts;
  findConflicts(touches, wanted, conflicts);
  for (const Conflict &conflict : conflicts)
    if (judge({first, second}, conflict, kPairSample))
      return false;
  return true;
}

LogicalResult RaceChecker::run() {
  collect();
  for (unsigned number = 0; number < tasks.size(); ++number)
    checkBlocks(number);
  // Only edges that were not derived can be missing.
  if (llvm::any_of(tasks, [](const Task &task) {
        return task.isManual || !task.optOuts.empty();
      })) {
    orderTasks();
    // The nearest first: what an edge to it orders as well needs no other.
    for (unsigned later = 0; later < tasks.size(); ++later)
      for (unsigned earlier = later; earlier-- > 0;)
        if (!isOrdered(earlier, later) && mayLackEdge(earlier, later) &&
            !checkTasks(earlier, later))
          addEdge(earlier, later);
  }
  return failure(!reported.empty());
}

namespace {
struct CheckRaces : mlir::pl::impl::CheckRacesBase<CheckRaces> {
  using CheckRacesBase::CheckRacesBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!isOrchestration(getOperation()))
      return;
    RaceChecker checker(getOperation(), getAnalysis<DimSamples>(), remarks);
    if (failed(checker.run()))
      signalPassFailure();
    // Their claims are tested.
    getOperation().walk([](Operation *op) {
      if (auto alloc = dyn_cast<AllocOp>(op))
        alloc->removeDiscardableAttr(kManualDep);
      if (isa<NoDepOp>(op))
        op->erase();
    });
    numJudged += checker.numPairs;
    numUndecided += checker.numUndecided;
  }
};
} // namespace

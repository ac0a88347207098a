//===- CheckRaces.cpp - No two of what runs side by side conflict ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/Conflicts.h"
#include "pl/Analysis/DimSamples.h"
#include "pl/Analysis/Footprint.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <numeric>
#include <set>

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKRACES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Dims up to this value are tried to get several blocks.
constexpr int64_t kMaxSample = 260;
/// Dims with which pairs of tasks are tried.
constexpr int64_t kPairSample = 33;
/// As the others of a dim: more than any pitch or width within a tile.
constexpr int64_t kLarge = 512;
/// Scalars of the caller may be anything.
constexpr int64_t kLargeScalar = 4099;
/// Reports of one function; more are likely to have the same reason.
constexpr unsigned kMaxReports = 8;

/// What runs side by side: blocks of one task, or two tasks.
struct Suspects {
  unsigned first, second;
  bool isOneTask() const { return first == second; }
};

struct Task {
  Operation *op;
  llvm::SmallSetVector<Value, 8> touched, written;
  /// Waits for other blocks, tasks or ranks at some place within.
  bool waits = false, notifies = false;
  bool isManual = false;
  /// Collected when needed.
  std::optional<SmallVector<Access>> accesses;
  /// What it is certain to touch of tensors that any task writes, for the dims
  /// with which pairs of tasks are tried. Nothing: too much.
  std::optional<std::vector<Touch>> touches;
  bool hasTouches = false;
};

class RaceChecker {
public:
  RaceChecker(func::FuncOp func, DimSamples &samples)
      : func(func), samples(samples), names(samples.getNames()),
        scalars(samples.getScalars()), whole(samples.getWholeTile()) {}
  LogicalResult run();
  int64_t numPairs = 0, numUndecided = 0;

private:
  void collect();
  void orderTasks();
  bool isOrdered(unsigned earlier, unsigned later) const;
  void checkBlocks(unsigned task);
  bool mayConflict(unsigned first, unsigned second);
  /// False: there was something to report.
  bool checkTasks(unsigned first, unsigned second);
  void addEdge(unsigned earlier, unsigned later);

  /// Conflicts for these dims; false if there is too much to look at.
  bool find(Suspects suspects, const DimValues &dims, int64_t scalars,
            function_ref<bool(Value)> wanted, std::vector<Conflict> &conflicts);
  /// What a task is certain to touch.
  std::optional<std::vector<Touch>> touchesOf(unsigned task,
                                              const DimValues &dims,
                                              int64_t scalars,
                                              function_ref<bool(Value)> wanted);
  std::optional<Conflict> findOne(Suspects suspects, const DimValues &dims,
                                  int64_t scalars, const Conflict &like);
  bool judge(Suspects suspects, const Conflict &conflict, int64_t size);
  void report(Suspects suspects, const Conflict &conflict, StringRef dim,
              int64_t value);

  func::FuncOp func;
  std::vector<Task> tasks;
  AccessCollector collector{/*scopesStay=*/true};
  DenseSet<Value> everWritten;
  SmallVector<llvm::BitVector> ancestors;
  llvm::BitVector afterWait, beforeNotify;
  DimSamples &samples;
  ArrayRef<StringRef> names;
  ArrayRef<Value> scalars;
  int64_t whole; ///< a multiple of all tiles
  std::set<std::pair<Operation *, Operation *>> judged;
  llvm::SmallSetVector<std::pair<Location, Location>, 8> reported;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tasks, and what orders them
//===----------------------------------------------------------------------===//

static StringRef taskName(Operation *op) {
  std::optional<StringRef> name;
  llvm::TypeSwitch<Operation *>(op).Case<AtOp, SpmdOp, DummyOp>(
      [&](auto task) { name = task.getName(); });
  return name.value_or("task");
}

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
          .Case<LoadOp, ReadOp>([&](auto o) { use(o.getSource(), false); })
          .Case<StoreOp, WriteOp>([&](auto o) { use(o.getTarget(), true); })
          .Case<PutOp, GetOp>([&](auto o) {
            use(o.getSource(), false);
            use(o.getTarget(), true);
          })
          .Case<NotifyOp>([&](auto) { task.notifies = true; })
          .Case<WaitOp, DeferWaitOp>([&](auto) { task.waits = true; })
          .Case<BarrierOp>([&](auto) { task.waits = task.notifies = true; });
    });
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

static std::string number(int64_t first, int64_t last, StringRef one) {
  std::string text = one.str();
  if (first == last)
    return text + " " + std::to_string(first);
  return text + "s " + std::to_string(first) + ".." + std::to_string(last);
}

/// "rows 4..7 of 'y'".
static std::string placeText(const Conflict &conflict) {
  std::string name = nameOf(conflict.root);
  int64_t row = 1;
  for (size_t axis = 1; axis < conflict.shape.size(); ++axis)
    row *= conflict.shape[axis];
  if (conflict.shape.empty() || row == 0)
    return "'" + name + "'";
  return number(conflict.low / row, (conflict.high - 1) / row,
                conflict.shape.size() > 1 ? "row" : "element") +
         " of '" + name + "'";
}

static bool isPlural(const Conflict &conflict) {
  int64_t row = 1;
  for (size_t axis = 1; axis < conflict.shape.size(); ++axis)
    row *= conflict.shape[axis];
  return row == 0 || conflict.low / row != (conflict.high - 1) / row;
}

/// "adds to", "writes", "reads".
static StringRef verbOf(const Touch &touch, bool isMany = false) {
  if (touch.atomic)
    return isMany ? "add to" : "adds to";
  if (touch.writes)
    return isMany ? "write" : "writes";
  return isMany ? "read" : "reads";
}

void RaceChecker::report(Suspects suspects, const Conflict &conflict,
                         StringRef dim, int64_t value) {
  // An unrolled loop makes many tasks of one place.
  if (!reported.insert(
          {conflict.first.op->getLoc(), conflict.second.op->getLoc()}) ||
      reported.size() > kMaxReports)
    return;
  const Touch &first = conflict.first, &second = conflict.second;
  std::string when;
  if (!dim.empty())
    when = (" when " + dim + " is " + Twine(value)).str();
  StringRef them = isPlural(conflict) ? "them" : "it";
  InFlightDiagnostic diag = mlir::emitError(second.op->getLoc()) << "PL112: ";
  StringRef name = taskName(tasks[suspects.second].op);
  if (suspects.isOneTask()) {
    int64_t one = *first.block, other = *second.block;
    if (first.writes == second.writes && first.atomic == second.atomic)
      diag << "blocks " << std::min(one, other) << " and "
           << std::max(one, other) << " of '" << name << "' both "
           << verbOf(second, /*isMany=*/true) << ' ' << placeText(conflict);
    else
      diag << "block " << other << " of '" << name << "' " << verbOf(second)
           << ' ' << placeText(conflict) << " and block " << one << ' '
           << verbOf(first) << ' ' << them;
    diag << when
         << ", but blocks run side by side: give each its own part, or make "
            "two tasks";
    if (first.op != second.op)
      diag.attachNote(first.op->getLoc())
          << "block " << one << ' ' << verbOf(first) << ' ' << them << " here";
    return;
  }
  Operation *earlier = tasks[suspects.first].op;
  // A task that reads comes second among touches, but maybe not in the program.
  bool isSwapped = earlier->isAncestor(second.op);
  Operation *later = tasks[suspects.second].op;
  Operation *of = isSwapped ? earlier : later,
            *with = isSwapped ? later : earlier;
  auto sets = [&](const Touch &touch, const Touch &other) {
    return other.atomic && touch.writes && !touch.atomic ? StringRef("sets")
                                                         : verbOf(touch);
  };
  diag << "task '" << taskName(of) << "' " << sets(second, first) << ' '
       << placeText(conflict) << " and task '" << taskName(with) << "' "
       << sets(first, second) << ' ' << them << when
       << ", but nothing orders the two: name the task of '"
       << taskName(earlier) << "' in deps= of '" << taskName(later) << "'";
  diag.attachNote(first.op->getLoc())
      << "task '" << taskName(with) << "' " << sets(first, second) << ' '
      << them << " here";
  diag.attachNote(later->getLoc())
      << "no path of edges leads to this task from '" << taskName(earlier)
      << "'; in a manual scope none is derived";
}

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
    return false;
  }
  int64_t others = whole;
  auto witness =
      findOne(suspects, samples.valuesOf(dim, least, others), 1, conflict);
  report(suspects, *witness, least == 1 ? StringRef() : dim, least);
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
  if (llvm::any_of(tasks, [](const Task &task) { return task.isManual; })) {
    orderTasks();
    // The nearest first: what an edge to it orders as well needs no other.
    for (unsigned later = 0; later < tasks.size(); ++later)
      if (tasks[later].isManual)
        for (unsigned earlier = later; earlier-- > 0;)
          if (!isOrdered(earlier, later) && !checkTasks(earlier, later))
            addEdge(earlier, later);
  }
  return failure(!reported.empty());
}

namespace {
struct CheckRaces : mlir::pl::impl::CheckRacesBase<CheckRaces> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!isOrchestration(getOperation()))
      return;
    RaceChecker checker(getOperation(), getAnalysis<DimSamples>());
    if (failed(checker.run()))
      signalPassFailure();
    numJudged += checker.numPairs;
    numUndecided += checker.numUndecided;
  }
};
} // namespace

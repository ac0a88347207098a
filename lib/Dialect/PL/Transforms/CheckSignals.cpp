//===- CheckSignals.cpp - Waits for more than can arrive ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credits.h"
#include "HostLaunches.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <deque>

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKSIGNALS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// A loop or grid around an op, with constant bounds.
struct Counter {
  Value value;
  int64_t low, high, trips;
};

/// A program that a host program runs, on one rank or on all of them.
struct Launch {
  std::optional<int64_t> rank;
  /// How many ranks run it; nothing if only the run knows.
  std::optional<int64_t> ranks;
  /// Values of the program that differ from rank to rank.
  DenseSet<Value> ranksOwn;
  /// Those that are the number of the rank plus a constant, and constants.
  DenseMap<Value, int64_t> rankPlus, constants;
};

struct Notifier {
  NotifyOp op;
  const Launch *launch;
  SmallVector<Counter> counters;
  int64_t value;
  std::optional<int64_t> peer; ///< where it is one rank
};
struct Waiter {
  Operation *op;
  const Launch *launch;
  SmallVector<Counter> counters;
  SmallVector<Value> offsets;
  int64_t expected;
  bool isConditional;
};

/// All that happens to the signals of one window buffer.
struct Signals {
  bool isKnown = true;
  std::string name;
  SmallVector<Notifier> notifiers;
  SmallVector<Waiter> waiters;
};

/// Places in a loop nest: every counter at its first or last value, or any.
enum class At : uint8_t { first, last, any };

struct CheckSignals : mlir::pl::impl::CheckSignalsBase<CheckSignals> {
  void runOnOperation() override;

private:
  void collectLaunch(DispatchOp dispatch, std::optional<int64_t> world);
  void collectUses(const Launch &launch, BlockArgument window,
                   Signals &signals);
  LogicalResult check(const Signals &signals, const Waiter &waiter);
  LogicalResult checkOwnCell(const Signals &signals, const Waiter &waiter);

  /// Pointers to them stay.
  std::deque<Launch> launches;
  llvm::MapVector<Value, Signals> buffers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// The loops and grids around `op`; false if one has bounds that only the run
/// knows. `isConditional`: a branch decides whether it is done at all.
static bool countersOf(Operation *op, SmallVectorImpl<Counter> &counters,
                       bool &isConditional) {
  isConditional = false;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(parent)) {
      auto low = LinearExpr::of(loop.getLower()).asConstant();
      auto high = LinearExpr::of(loop.getUpper()).asConstant();
      auto step = LinearExpr::of(loop.getStep()).asConstant();
      if (!low || !high || !step || *step <= 0 || *low < 0 || *high > INT32_MAX)
        return false;
      int64_t trips = std::max<int64_t>(0, (*high - *low + *step - 1) / *step);
      counters.push_back({loop.getInductionVariable(), *low,
                          *low + (trips - 1) * *step, trips});
    } else if (auto grid = dyn_cast<SpmdOp>(parent)) {
      auto blocks = LinearExpr::of(grid.getBlocks()).asConstant();
      if (!blocks || *blocks < 0 || *blocks > INT32_MAX)
        return false;
      counters.push_back(
          {grid.getBody().getArgument(0), 0, *blocks - 1, *blocks});
    } else if (isa<scf::IfOp>(parent)) {
      isConditional = true;
    } else if (!isa<AtOp>(parent)) {
      return false;
    }
  }
  return true;
}

/// Least and greatest value of a coordinate, if the counters alone decide it.
static std::optional<std::pair<int64_t, int64_t>>
rangeOf(Value coordinate, ArrayRef<Counter> counters, At at) {
  LinearExpr low = LinearExpr::of(coordinate), high = low;
  for (const Counter &counter : counters) {
    int64_t slope = low.coefficientOf(counter.value);
    bool atLeast = at == At::first || (at == At::any && slope >= 0);
    bool atMost = at == At::last || (at == At::any && slope >= 0);
    low = low.substitute(counter.value,
                         LinearExpr(atLeast ? counter.low : counter.high));
    high = high.substitute(counter.value,
                           LinearExpr(atMost ? counter.high : counter.low));
  }
  auto first = low.asConstant(), last = high.asConstant();
  if (!first || !last)
    return std::nullopt;
  return std::pair(*first, *last);
}

/// Is `value` (x + k) mod n, with x of this rank alone and n ranks?
static bool isNeighbour(Value value, const Launch &launch) {
  auto rest = asRemainder(value);
  if (!rest)
    return false;
  std::optional<int64_t> modulus = LinearExpr::of(rest->second).asConstant();
  bool byRanks = rest->second.getDefiningOp<NumRanksOp>() ||
                 (modulus && modulus == launch.ranks);
  unsigned own = 0;
  LinearExpr left = LinearExpr::of(rest->first);
  for (auto [term, factor] : left.getTerms()) {
    if (launch.ranksOwn.contains(term) && (factor == 1 || factor == -1))
      ++own;
    else if (!term.getDefiningOp<NumRanksOp>())
      return false;
  }
  return byRanks && own == 1;
}

namespace {
/// What a coordinate says of the counters and the rank it is computed from: any
/// one of `solvable` follows from the others of `terms`.
struct Equation {
  SmallVector<Value, 2> terms, solvable;
};
} // namespace

static std::optional<Equation> equationOf(Value coordinate, Value sender,
                                          const Notifier &notifier) {
  const Launch &launch = *notifier.launch;
  if (isNeighbour(coordinate, launch))
    return Equation{{sender}, {sender}};
  Equation equation;
  unsigned numOwn = 0;
  bool hasOther = false;
  LinearExpr expr = LinearExpr::of(coordinate);
  for (auto [value, factor] : expr.getTerms()) {
    Value term = value;
    if (llvm::any_of(notifier.counters, [&](const Counter &counter) {
          return counter.value == term;
        }))
      equation.terms.push_back(term);
    else if (launch.ranksOwn.contains(term))
      ++numOwn;
    // What the program computes once; it may differ from rank to rank.
    else if (isa<func::FuncOp>(term.getParentBlock()->getParentOp()))
      hasOther = true;
    else
      return std::nullopt;
  }
  equation.solvable = equation.terms;
  if (numOwn || hasOther)
    equation.terms.push_back(sender);
  if (numOwn == 1 && !hasOther)
    equation.solvable.push_back(sender);
  return equation;
}

/// The most that all ranks together add to one cell of one rank by `notifier`.
static std::optional<int64_t> mostFrom(const Notifier &notifier) {
  const Launch &launch = *notifier.launch;
  // What may differ between two notifies of one cell: a counter, or the rank.
  Value sender = NotifyOp(notifier.op).getTarget(); // stands for the rank
  llvm::SmallSetVector<Value, 4> open;
  if (!launch.rank)
    open.insert(sender);
  for (const Counter &counter : notifier.counters)
    open.insert(counter.value);
  SmallVector<Equation> equations;
  SmallVector<Value> coordinates(NotifyOp(notifier.op).getOffsets());
  coordinates.push_back(NotifyOp(notifier.op).getPeer());
  for (Value coordinate : coordinates)
    if (auto equation = equationOf(coordinate, sender, notifier))
      equations.push_back(std::move(*equation));
  // First what follows from the cell alone, so that nothing goes in a circle;
  // then one more that follows from the rest.
  auto settle = [&](bool fromCellAlone) {
    for (auto *it = equations.begin(); it != equations.end(); ++it) {
      auto isOpen = [&](Value value) { return open.contains(value); };
      auto *found = llvm::find_if(it->solvable, isOpen);
      if (found == it->solvable.end() ||
          (fromCellAlone && llvm::count_if(it->terms, isOpen) > 1))
        continue;
      open.remove(*found);
      equations.erase(it);
      return true;
    }
    return false;
  };
  while (settle(/*fromCellAlone=*/true))
    ;
  settle(/*fromCellAlone=*/false);
  int64_t most = notifier.value;
  for (const Counter &counter : notifier.counters)
    if (open.contains(counter.value) || counter.trips == 0)
      if (__builtin_mul_overflow(most, counter.trips, &most))
        return std::nullopt;
  if (open.contains(sender))
    if (!launch.ranks || __builtin_mul_overflow(most, *launch.ranks, &most))
      return std::nullopt;
  return most;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// May `notifier` tell the cell that `waiter` waits for?
static bool mayReach(const Notifier &notifier, const Waiter &waiter, At at) {
  for (auto [told, awaited] :
       llvm::zip_equal(NotifyOp(notifier.op).getOffsets(), waiter.offsets)) {
    auto to = rangeOf(told, notifier.counters, At::any);
    auto from = rangeOf(awaited, waiter.counters, at);
    if (to && from && (to->second < from->first || from->second < to->first))
      return false;
  }
  return true;
}

LogicalResult CheckSignals::check(const Signals &signals,
                                  const Waiter &waiter) {
  ++numChecked;
  // Ranks that some notify names, and one that none does.
  SmallVector<std::optional<int64_t>> ranks;
  if (waiter.launch->rank) {
    ranks.push_back(waiter.launch->rank);
  } else {
    llvm::SetVector<int64_t> named;
    for (const Notifier &notifier : signals.notifiers)
      if (notifier.peer)
        named.insert(*notifier.peer);
    ranks.assign(named.begin(), named.end());
    if (named.empty() ||
        (waiter.launch->ranks && *waiter.launch->ranks > int64_t(named.size())))
      ranks.push_back(std::nullopt);
  }
  SmallVector<At, 2> places{At::first, At::last};
  if (waiter.isConditional)
    places = {At::any};
  struct Sum {
    int64_t most = 0;
    std::optional<int64_t> rank;
    At at = At::any;
  };
  std::optional<Sum> worst;
  for (std::optional<int64_t> rank : ranks)
    for (At at : places) {
      Sum sum{0, rank, at};
      for (const Notifier &notifier : signals.notifiers) {
        if ((notifier.peer && notifier.peer != rank) ||
            !mayReach(notifier, waiter, at))
          continue;
        std::optional<int64_t> most = mostFrom(notifier);
        if (!most || __builtin_add_overflow(sum.most, *most, &sum.most)) {
          ++numUndecided;
          return checkOwnCell(signals, waiter);
        }
      }
      // A branch may choose the rank and the turn.
      bool isWorse = !worst || (waiter.isConditional ? sum.most > worst->most
                                                     : sum.most < worst->most);
      if (isWorse)
        worst = sum;
    }
  if (!worst || worst->most >= waiter.expected)
    return checkOwnCell(signals, waiter);
  InFlightDiagnostic diag = waiter.op->emitError();
  diag << "PL111: waits for " << waiter.expected << ", but at most "
       << worst->most << (worst->most == 1 ? " arrives" : " arrive")
       << " in this cell of '" << signals.name << "'";
  if (signals.notifiers.empty())
    diag << ": nothing notifies it";
  else
    diag << "; wait for as many as the blocks and ranks that notify it";
  for (const Notifier &notifier : signals.notifiers) {
    Diagnostic &note = diag.attachNote(NotifyOp(notifier.op).getLoc());
    if (notifier.peer && notifier.peer != worst->rank)
      note << "this reaches rank " << *notifier.peer
           << " only, but other ranks wait too";
    else if (!mayReach(notifier, waiter, worst->at))
      note << "this notifies other cells";
    else
      note << "at most " << *mostFrom(notifier) << " from here";
  }
  return diag;
}

//===----------------------------------------------------------------------===//
// The cell that stands for the waiting rank itself
//===----------------------------------------------------------------------===//

namespace {
/// `factor` times the number of the rank, and what is left.
struct ByRank {
  int64_t factor = 0;
  LinearExpr rest;

  ByRank(Value value, const Launch &launch) : rest(LinearExpr::of(value)) {
    SmallVector<std::pair<Value, int64_t>> terms(rest.getTerms().begin(),
                                                 rest.getTerms().end());
    for (auto [term, coefficient] : terms)
      if (auto own = launch.rankPlus.find(term); own != launch.rankPlus.end()) {
        factor += coefficient;
        rest = rest.substitute(term, LinearExpr(own->second));
      } else if (auto known = launch.constants.find(term);
                 known != launch.constants.end()) {
        rest = rest.substitute(term, LinearExpr(known->second));
      }
  }

  /// The constant k of `rank + k`.
  std::optional<int64_t> plus() const {
    return factor == 1 ? rest.asConstant() : std::nullopt;
  }
};
} // namespace

/// Does one of the branches around `op` say that `factor * rank + rest` is not
/// zero?
static bool isGuarded(Operation *op, int64_t factor, const LinearExpr &rest,
                      const Launch &launch) {
  for (Operation *inner = op, *parent = op->getParentOp();
       !isa<func::FuncOp>(parent);
       inner = parent, parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch)
      continue;
    bool isThen = inner->getParentRegion() == &branch.getThenRegion();
    SmallVector<Value> conditions{branch.getCondition()};
    while (!conditions.empty()) {
      Value condition = conditions.pop_back_val();
      if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && isThen)
        llvm::append_range(conditions, both->getOperands());
      auto compare = condition.getDefiningOp<arith::CmpIOp>();
      if (!compare ||
          compare.getPredicate() !=
              (isThen ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq))
        continue;
      ByRank left(compare.getLhs(), launch), right(compare.getRhs(), launch);
      int64_t difference = left.factor - right.factor;
      if ((difference == factor && left.rest - right.rest == rest) ||
          (difference == -factor && right.rest - left.rest == rest))
        return true;
    }
  }
  return false;
}

/// Is the rank that `notifier` tells never its own number less `shift`?
static bool neverTells(const Notifier &notifier, int64_t shift) {
  const Launch &launch = *notifier.launch;
  Value to = NotifyOp(notifier.op).getPeer();
  ByRank peer(to, launch);
  // Zero where it tells that rank.
  int64_t factor = peer.factor - 1;
  LinearExpr rest = peer.rest + LinearExpr(shift);
  if (std::optional<int64_t> constant = rest.asConstant()) {
    if (factor == 0)
      return *constant != 0;
    int64_t rank = -*constant / factor;
    return *constant % factor != 0 || rank < 0 ||
           (launch.ranks && rank >= *launch.ranks);
  }
  if (auto remainder = asRemainder(to); remainder && launch.ranks) {
    ByRank dividend(remainder->first, launch);
    LinearExpr modulus = LinearExpr::of(remainder->second);
    std::optional<int64_t> distance =
        (dividend.rest + LinearExpr(shift)).asConstant();
    if (dividend.factor == 1 && distance &&
        modulus.asConstant() == *launch.ranks)
      return *distance % *launch.ranks != 0;
  }
  return isGuarded(notifier.op, factor, rest, launch);
}

/// Often each rank has a cell for every other one, and none tells itself: a
/// wait for the cell of its own number never ends.
LogicalResult CheckSignals::checkOwnCell(const Signals &signals,
                                         const Waiter &waiter) {
  if (waiter.launch->rank)
    return success();
  for (size_t axis = 0; axis < waiter.offsets.size(); ++axis) {
    Value offset = waiter.offsets[axis];
    std::optional<int64_t> own = ByRank(offset, *waiter.launch).plus();
    // One of the turns of a loop over all ranks, on rank 0.
    bool isOnFirst = false;
    if (!own && !waiter.isConditional) {
      isOnFirst = llvm::any_of(std::array{At::first, At::last}, [&](At at) {
        auto range = rangeOf(offset, waiter.counters, at);
        return range && *range == std::pair<int64_t, int64_t>(0, 0);
      });
      if (isOnFirst && !LinearExpr::of(offset).asConstant())
        own = 0;
    }
    if (!own)
      continue;
    auto tells = [&](const Notifier &notifier) {
      ByRank told(NotifyOp(notifier.op).getOffsets()[axis], *notifier.launch);
      std::optional<int64_t> cell = told.plus();
      return !(notifier.peer && isOnFirst && *notifier.peer != 0) &&
             mayReach(notifier, waiter, At::any) &&
             !(cell && !notifier.launch->rank &&
               neverTells(notifier, *own - *cell));
    };
    std::optional<int64_t> sum = 0;
    for (const Notifier &notifier : signals.notifiers) {
      if (!tells(notifier))
        continue;
      std::optional<int64_t> most = mostFrom(notifier);
      if (!most || __builtin_add_overflow(*sum, *most, &*sum)) {
        sum.reset();
        break;
      }
    }
    if (!sum || *sum >= waiter.expected)
      continue;
    InFlightDiagnostic diag = waiter.op->emitError();
    diag << "PL111: waits for " << waiter.expected << ", but ";
    if (*sum == 0)
      diag << "nothing arrives";
    else
      diag << "at most " << *sum << (*sum == 1 ? " arrives" : " arrive");
    diag << " in this cell of '" << signals.name << "'"
         << (*own == 0 ? ", which is that of the waiting rank itself" : "")
         << "; wait for the cells that other ranks tell";
    for (const Notifier &notifier : signals.notifiers) {
      Diagnostic &note = diag.attachNote(NotifyOp(notifier.op).getLoc());
      if (tells(notifier))
        note << "at most " << *mostFrom(notifier) << " from here";
      else if (*own == 0 && mayReach(notifier, waiter, At::any))
        note << "this tells other ranks, and never the rank itself";
      else
        note << "this notifies other cells";
    }
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

void CheckSignals::collectUses(const Launch &launch, BlockArgument window,
                               Signals &signals) {
  SmallVector<Value> work{window};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (isa<RankOfOp, NumRanksOp, memref::DimOp, LoadOp, ReadOp>(op))
        continue;
      SmallVector<Counter> counters;
      bool isConditional;
      auto notify = dyn_cast<NotifyOp>(op);
      bool waits = isa<WaitOp, DeferWaitOp>(op);
      // A view has cells of its own numbers.
      if ((!notify && !waits) || value != window) {
        signals.isKnown = false;
        continue;
      }
      bool isCounted = countersOf(op, counters, isConditional);
      if (notify) {
        APInt number;
        bool isConstant =
            matchPattern(notify.getValue(), m_ConstantInt(&number));
        if (!isConstant || !isCounted) {
          signals.isKnown = false;
          continue;
        }
        if (number.getSExtValue() > 0)
          signals.notifiers.push_back(
              {notify, &launch, counters, number.getSExtValue(),
               LinearExpr::of(notify.getPeer()).asConstant()});
        continue;
      }
      APInt expected;
      auto wait = dyn_cast<WaitOp>(op);
      auto deferred = dyn_cast<DeferWaitOp>(op);
      Value bound = wait ? wait.getExpected() : deferred.getExpected();
      bool isRun = llvm::all_of(
          counters, [](const Counter &counter) { return counter.trips > 0; });
      if (!isCounted || !isRun ||
          !matchPattern(bound, m_ConstantInt(&expected)))
        continue;
      signals.waiters.push_back(
          {op, &launch, counters,
           llvm::to_vector(wait ? wait.getOffsets() : deferred.getOffsets()),
           expected.getSExtValue(), isConditional});
    }
  }
}

void CheckSignals::collectLaunch(DispatchOp dispatch,
                                 std::optional<int64_t> world) {
  auto program = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      dispatch, dispatch.getCalleeAttr());
  Launch &launch = launches.emplace_back();
  auto loop = dyn_cast<ForOp>(dispatch->getParentOp());
  bool isKnown = program && !program.isDeclaration();
  Value counter;
  if (loop) {
    counter = loop.getInductionVariable();
    isKnown &= isa<func::FuncOp>(loop->getParentOp()) &&
               dispatch.getDevice() == counter &&
               LinearExpr::of(loop.getLower()).asConstant() == 0 &&
               LinearExpr::of(loop.getStep()).asConstant() == 1;
    launch.ranks = LinearExpr::of(loop.getUpper()).asConstant();
    if (!launch.ranks)
      launch.ranks = world;
  } else {
    isKnown &= isa<func::FuncOp>(dispatch->getParentOp());
    launch.rank = dispatch.getDevice()
                      ? LinearExpr::of(dispatch.getDevice()).asConstant()
                      : std::optional<int64_t>(0);
    isKnown &= launch.rank.has_value();
  }
  if (isKnown) {
    program.walk([&](RankOfOp rank) {
      launch.ranksOwn.insert(rank.getResult());
      launch.rankPlus[rank.getResult()] = 0;
    });
    for (auto [argument, value] :
         llvm::zip_equal(program.getArguments(), dispatch.getArgs()))
      if (counter && !isa<MemRefType>(value.getType())) {
        LinearExpr expr = LinearExpr::of(value);
        if (expr.getTerms().size() == 1 && expr.coefficientOf(counter) != 0)
          launch.ranksOwn.insert(argument);
        if (auto plus = (expr - LinearExpr::symbol(counter)).asConstant())
          launch.rankPlus[argument] = *plus;
        if (auto constant = expr.asConstant())
          launch.constants[argument] = *constant;
      }
  }
  for (auto [index, value] : llvm::enumerate(dispatch.getArgs())) {
    auto window = value.getDefiningOp<WindowOp>();
    if (!window)
      continue;
    Signals &signals = buffers[window.getBuffer()];
    auto type = cast<MemRefType>(value.getType());
    if (auto buffer = window.getBuffer().getDefiningOp<AllocWindowOp>())
      signals.name = buffer.getName().str();
    if (!type.getElementType().isInteger(32) || !isKnown) {
      signals.isKnown = false;
      continue;
    }
    collectUses(launch, program.getArgument(index), signals);
  }
}

void CheckSignals::runOnOperation() {
  markAllAnalysesPreserved();
  bool good = true;
  for (auto host : getOperation().getOps<func::FuncOp>()) {
    if (!isHost(host))
      continue;
    launches.clear();
    buffers.clear();
    std::optional<int64_t> world = worldOf(host);
    host.walk([&](DispatchOp dispatch) { collectLaunch(dispatch, world); });
    for (auto &[buffer, signals] : buffers) {
      // Two views of one buffer number its cells in two ways.
      llvm::SmallDenseSet<Type> views;
      for (Operation *user : buffer.getUsers())
        if (auto window = dyn_cast<WindowOp>(user))
          views.insert(window.getType());
      if (!signals.isKnown || views.size() != 1) {
        numUndecided += signals.waiters.size();
        continue;
      }
      for (const Waiter &waiter : signals.waiters)
        good &= succeeded(check(signals, waiter));
    }
  }
  if (!good)
    signalPassFailure();
}

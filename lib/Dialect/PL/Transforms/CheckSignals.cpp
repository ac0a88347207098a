//===- CheckSignals.cpp - Waits for more than can arrive ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLaunches.h"
#include "SignalCounts.h"

#include "Undecided.h"
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
using namespace mlir::pl::signals;

namespace {
struct CheckSignals : mlir::pl::impl::CheckSignalsBase<CheckSignals> {
  using CheckSignalsBase::CheckSignalsBase;

  void runOnOperation() override;

private:
  void collectLaunch(DispatchOp dispatch, std::optional<int64_t> world);
  void collectUses(const Launch &launch, BlockArgument window,
                   Signals &signals);
  LogicalResult check(const Signals &signals, const Waiter &waiter);
  LogicalResult checkOwnCell(const Signals &signals, const Waiter &waiter);
  void remarkUndecided(const Waiter &waiter, StringRef why);

  /// Pointers to them stay.
  std::deque<Launch> launches;
  llvm::MapVector<Value, Signals> buffers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

void CheckSignals::remarkUndecided(const Waiter &waiter, StringRef why) {
  if (remarks)
    emitUndecided(waiter.op->getLoc(),
                  "whether as many arrive as this waits for", why);
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
          LogicalResult ownCell = checkOwnCell(signals, waiter);
          if (succeeded(ownCell))
            remarkUndecided(waiter, "how many its notifiers send is known to "
                                    "the run only");
          return ownCell;
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

/// Often each rank has a cell for every other one, and none tells itself: a
/// wait for the cell of its own number never ends.
LogicalResult CheckSignals::checkOwnCell(const Signals &signals,
                                         const Waiter &waiter) {
  if (waiter.launch->rank)
    return success();
  for (size_t axis = 0; axis < waiter.offsets.size(); ++axis) {
    Value offset = waiter.offsets[axis];
    std::optional<int64_t> own = plusOfRank(offset, *waiter.launch);
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
      std::optional<int64_t> cell = plusOfRank(
          NotifyOp(notifier.op).getOffsets()[axis], *notifier.launch);
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
        for (const Waiter &waiter : signals.waiters)
          remarkUndecided(waiter,
                          views.size() > 1
                              ? "the signal has views of two shapes"
                              : "the run decides who tells it, or something "
                                "else writes its cells");
        continue;
      }
      for (const Waiter &waiter : signals.waiters)
        good &= succeeded(check(signals, waiter));
    }
  }
  if (!good)
    signalPassFailure();
}

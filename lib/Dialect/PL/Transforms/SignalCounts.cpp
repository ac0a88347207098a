//===- SignalCounts.cpp - How much arrives in a cell ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignalCounts.h"

#include "Credits.h"

#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pl;
using namespace mlir::pl::signals;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

bool signals::countersOf(Operation *op, SmallVectorImpl<Counter> &counters,
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

std::optional<std::pair<int64_t, int64_t>>
signals::rangeOf(Value coordinate, ArrayRef<Counter> counters, At at) {
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

std::optional<int64_t> signals::mostFrom(const Notifier &notifier) {
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

bool signals::mayReach(const Notifier &notifier, const Waiter &waiter, At at) {
  for (auto [told, awaited] :
       llvm::zip_equal(NotifyOp(notifier.op).getOffsets(), waiter.offsets)) {
    auto to = rangeOf(told, notifier.counters, At::any);
    auto from = rangeOf(awaited, waiter.counters, at);
    if (to && from && (to->second < from->first || from->second < to->first))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Ranks
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

std::optional<int64_t> signals::plusOfRank(Value value, const Launch &launch) {
  ByRank byRank(value, launch);
  return byRank.factor == 1 ? byRank.rest.asConstant() : std::nullopt;
}

bool signals::neverTells(const Notifier &notifier, int64_t shift) {
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

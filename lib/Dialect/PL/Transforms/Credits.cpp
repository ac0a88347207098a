//===- Credits.cpp - What signals count, in program order -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credits.h"

#include "pl/Analysis/LinearExpr.h"
#include "pl/Analysis/UserNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

std::optional<int64_t> mlir::pl::constantTrips(ForOp loop) {
  auto low = LinearExpr::of(loop.getLower()).asConstant();
  auto high = LinearExpr::of(loop.getUpper()).asConstant();
  auto step = LinearExpr::of(loop.getStep()).asConstant();
  int64_t span;
  if (!low || !high || !step || *step <= 0 ||
      llvm::SubOverflow(*high, *low, span))
    return std::nullopt;
  return span <= 0 ? 0 : (span - 1) / *step + 1;
}

std::optional<std::pair<Value, Value>> mlir::pl::asRemainder(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto rest = select ? select.getFalseValue().getDefiningOp<arith::RemSIOp>()
                     : value.getDefiningOp<arith::RemSIOp>();
  if (!rest)
    return std::nullopt;
  if (select) {
    auto sum = select.getTrueValue().getDefiningOp<arith::AddIOp>();
    if (!sum || sum.getLhs() != rest.getResult() ||
        sum.getRhs() != rest.getRhs())
      return std::nullopt;
  }
  return std::pair<Value, Value>(rest.getLhs(), rest.getRhs());
}

namespace {
/// A loop or grid around an op.
struct Counter {
  BlockArgument value;
  std::optional<int64_t> trips;
  /// One value of it, known to the run, is left out.
  bool leavesOneOut = false;
};
} // namespace

/// May `value` differ from turn to turn of the loop or grid of `counter`?
static bool dependsOn(Value value, BlockArgument counter) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Value, 8> seen;
  Region *body = counter.getParentRegion();
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (next == counter)
      return true;
    if (!seen.insert(next).second || !body->isAncestor(next.getParentRegion()))
      continue;
    Operation *def = next.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      // The variable of an inner loop; what a loop carries may be anything.
      auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() != 0)
        return true;
      work.push_back(loop.getLower());
      work.push_back(loop.getStep());
      continue;
    }
    if (isa<RankOfOp, NumRanksOp>(def))
      continue;
    // What memory or a region gives.
    if (def->getNumRegions() > 0 || !isMemoryEffectFree(def))
      return true;
    llvm::append_range(work, def->getOperands());
  }
  return false;
}

/// Is `value` another one of the next ranks of a ring in each turn?
static bool isRotation(Value value, const Counter &counter) {
  auto rest = asRemainder(value);
  if (!rest || dependsOn(rest->second, counter.value))
    return false;
  LinearExpr sum = LinearExpr::of(rest->first);
  LinearExpr modulus = LinearExpr::of(rest->second);
  for (auto [term, factor] : sum.getTerms())
    if (term != counter.value && dependsOn(term, counter.value))
      return false;
  if (std::abs(sum.coefficientOf(counter.value)) != 1)
    return false;
  if (auto number = modulus.asConstant();
      number && counter.trips && *counter.trips <= *number)
    return true;
  // As many turns as there are ranks, or fewer.
  auto loop = dyn_cast<ForOp>(counter.value.getOwner()->getParentOp());
  if (!loop || !(LinearExpr::of(loop.getUpper()) == modulus))
    return false;
  auto low = LinearExpr::of(loop.getLower()).asConstant();
  return low && *low >= 0;
}

static Dependence dependenceOn(const Counter &counter, Value coordinate) {
  if (!dependsOn(coordinate, counter.value))
    return Dependence::none;
  Value changing;
  LinearExpr expr = LinearExpr::of(coordinate);
  for (auto [term, factor] : expr.getTerms()) {
    if (!dependsOn(term, counter.value))
      continue;
    if (changing)
      return Dependence::unknown;
    changing = term;
  }
  bool isDistinct =
      changing && (changing == counter.value || isRotation(changing, counter));
  return isDistinct ? Dependence::distinct : Dependence::unknown;
}

Dependence mlir::pl::dependenceOf(Value number, ForOp loop) {
  return dependenceOn({loop.getInductionVariable(), constantTrips(loop)},
                      number);
}

BlockArgument mlir::pl::guardedCounter(scf::IfOp branch, Operation *op) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  bool inThen = branch.getThenRegion().isAncestor(op->getParentRegion());
  arith::CmpIPredicate needed =
      inThen ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  if (compare.getPredicate() != needed)
    return {};
  LinearExpr difference =
      LinearExpr::of(compare.getLhs()) - LinearExpr::of(compare.getRhs());
  for (auto [term, coefficient] : difference.getTerms()) {
    auto counter = dyn_cast<BlockArgument>(term);
    if (!counter || std::abs(coefficient) != 1 ||
        !isa<ForOp>(counter.getOwner()->getParentOp()) ||
        counter.getArgNumber() != 0)
      continue;
    LinearExpr rest = difference - LinearExpr::symbol(counter) * coefficient;
    if (llvm::none_of(rest.getTerms(), [&](const auto &other) {
          return dependsOn(other.first, counter);
        }))
      return counter;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
/// Reads one op on a signal, or says why it is not understood.
class Reader {
public:
  Reader(Operation *op, Diagnostic &refusal) : op(op), refusal(refusal) {}

  FailureOr<Credit> read();

private:
  LogicalResult refuse(const Twine &why) {
    refusal.attachNote(op->getLoc()) << why;
    return failure();
  }
  LogicalResult readNotify(NotifyOp notify, Credit &credit);
  LogicalResult readAround();
  LogicalResult readCell(ValueRange offsets, Credit &credit);

  Operation *op;
  Diagnostic &refusal;
  Operation *task = nullptr;
  SmallVector<Counter> counters;
  /// Counters that tell cells apart.
  llvm::SmallPtrSet<Value, 4> inCell;
  /// A coordinate of the cell is this rank's own.
  bool isOwnCell = false;
};
} // namespace

LogicalResult Reader::readAround() {
  llvm::SmallPtrSet<Value, 2> guarded;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(parent)) {
      if (task)
        return refuse("a loop around its task decides how often it counts");
      BlockArgument counter = loop.getInductionVariable();
      counters.push_back(
          {counter, constantTrips(loop), guarded.contains(counter)});
    } else if (isa<AtOp, SpmdOp>(parent) &&
               isa<func::FuncOp>(parent->getParentOp())) {
      task = parent;
      if (auto grid = dyn_cast<SpmdOp>(parent))
        counters.push_back({grid.getBlockIndex(),
                            LinearExpr::of(grid.getBlocks()).asConstant()});
    } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      BlockArgument counter = guardedCounter(branch, op);
      if (!counter || !guarded.insert(counter).second)
        return refuse("a branch decides whether this counts");
    } else {
      return refuse("how often this counts is not known");
    }
  }
  return task ? success() : refuse("this is in no task");
}

LogicalResult Reader::readCell(ValueRange offsets, Credit &credit) {
  for (Value offset : offsets) {
    credit.cell.push_back(LinearExpr::of(offset).asConstant());
    if (credit.cell.back())
      continue;
    unsigned numUsed = 0;
    for (const Counter &counter : counters) {
      switch (dependenceOn(counter, offset)) {
      case Dependence::none:
        continue;
      case Dependence::distinct:
        ++numUsed;
        inCell.insert(counter.value);
        continue;
      case Dependence::unknown:
        return refuse("which cell this is differs from turn to turn in a way "
                      "that is not understood");
      }
    }
    if (numUsed > 1)
      return refuse("two loops together choose the cell");
    isOwnCell |= numUsed == 0;
  }
  return success();
}

LogicalResult Reader::readNotify(NotifyOp notify, Credit &credit) {
  std::optional<int64_t> value = LinearExpr::of(notify.getValue()).asConstant();
  if (notify.getKind() != NotifyKind::add)
    return refuse("this sets the cell; credits are counted where notifies add");
  if (!value || *value == 0)
    return refuse("what this adds is no constant number");
  credit.kind = *value > 0 ? Credit::Kind::send : Credit::Kind::retire;
  const Counter *peers = nullptr;
  for (const Counter &counter : counters) {
    switch (dependenceOn(counter, notify.getPeer())) {
    case Dependence::none:
      continue;
    case Dependence::distinct:
      if (peers)
        return refuse("two loops together choose the rank");
      peers = &counter;
      continue;
    case Dependence::unknown:
      return refuse("which rank this tells differs from turn to turn in a way "
                    "that is not understood");
    }
  }
  if (credit.kind == Credit::Kind::retire && peers)
    return refuse("this takes off from cells of several ranks; a rank takes "
                  "off from its own cells");
  credit.times = 1;
  auto multiply = [&](std::optional<int64_t> by) {
    return by && !llvm::MulOverflow(credit.times, *by, credit.times);
  };
  for (const Counter &counter : counters)
    if (&counter != peers && !inCell.contains(counter.value) &&
        !multiply(counter.trips))
      return refuse("how often this counts is known only to the run");
  // A cell that is not the sender's own gets the credits of all ranks that
  // name it.
  if (credit.kind == Credit::Kind::send && peers && !isOwnCell) {
    std::optional<int64_t> senders = peers->trips;
    if (senders && peers->leavesOneOut)
      --*senders;
    if (!multiply(senders))
      return refuse("how many ranks add to this cell is known only to the run");
  }
  if (llvm::MulOverflow(std::abs(*value), credit.times, credit.amount) ||
      credit.amount > INT32_MAX)
    return refuse("the sum of what this adds does not fit a signal");
  return success();
}

FailureOr<Credit> Reader::read() {
  Credit credit{Credit::Kind::await, op, nullptr, 0, 1, {}};
  if (failed(readAround()))
    return failure();
  credit.task = task;
  if (auto notify = dyn_cast<NotifyOp>(op)) {
    if (failed(readCell(notify.getOffsets(), credit)) ||
        failed(readNotify(notify, credit)))
      return failure();
    return credit;
  }
  auto wait = dyn_cast<WaitOp>(op);
  if (wait && wait.getCmp() != WaitCmp::ge)
    return refuse("this does not wait for `at least` a number");
  auto deferred = dyn_cast<DeferWaitOp>(op);
  std::optional<int64_t> expected =
      LinearExpr::of(wait ? wait.getExpected() : deferred.getExpected())
          .asConstant();
  if (!expected)
    return refuse("what this waits for is no constant number");
  credit.amount = *expected;
  if (failed(
          readCell(wait ? wait.getOffsets() : deferred.getOffsets(), credit)))
    return failure();
  return credit;
}

SmallVector<Value> mlir::pl::signalsOf(Operation *task) {
  llvm::SetVector<Value> signals;
  task->walk([&](Operation *op) {
    if (auto notify = dyn_cast<NotifyOp>(op))
      signals.insert(notify.getTarget());
    else if (auto wait = dyn_cast<WaitOp>(op))
      signals.insert(wait.getSignal());
    else if (auto deferred = dyn_cast<DeferWaitOp>(op))
      signals.insert(deferred.getSignal());
  });
  return signals.takeVector();
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

/// Can the two be the same cell, and the same only?
static bool isSameCell(const Credit &a, const Credit &b) {
  return a.cell == b.cell;
}
static bool mayMeet(const Credit &a, const Credit &b) {
  return llvm::all_of(llvm::zip(a.cell, b.cell), [](auto pair) {
    auto [x, y] = pair;
    return !x || !y || *x == *y;
  });
}

FailureOr<Credits> Credits::of(Value signal, Diagnostic &refusal) {
  Credits credits;
  credits.signal = signal;
  std::string name = nameOf(signal);
  auto refuse = [&](Location loc, const Twine &why) {
    refusal.attachNote(loc) << why;
    return failure();
  };
  auto argument = dyn_cast<BlockArgument>(signal);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (!function)
    return refuse(signal.getLoc(), "the signal is no window of the function, "
                                   "but a view or a part of one");
  for (Operation *user : signal.getUsers())
    if (!isa<NotifyOp, WaitOp, DeferWaitOp, RankOfOp, NumRanksOp,
             memref::DimOp>(user))
      return refuse(user->getLoc(), "'" + name +
                                        "' is used here, and not to send, "
                                        "await or take off credits");
  WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isUse = llvm::is_contained(op->getOperands(), signal) &&
                 isa<NotifyOp, WaitOp, DeferWaitOp>(op);
    if (!isUse)
      return WalkResult::advance();
    FailureOr<Credit> credit = Reader(op, refusal).read();
    if (failed(credit))
      return WalkResult::interrupt();
    credits.uses.push_back(std::move(*credit));
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  for (const Credit &use : credits.uses) {
    for (const Credit &other : credits.uses)
      if (!isSameCell(use, other) && mayMeet(use, other))
        return refuse(use.op->getLoc(),
                      "cells of '" + name +
                          "' are named in two ways, which may be the same "
                          "cell: by a number and by rank or turn");
    if (use.kind == Credit::Kind::send)
      continue;
    int64_t sent = 0;
    for (const Credit *send : credits.countedBy(use))
      if (llvm::AddOverflow(sent, send->amount, sent))
        return refuse(send->op->getLoc(), "the sum of credits overflows");
    if (sent == use.amount)
      continue;
    std::string numbers = std::to_string(use.amount) + ", but " +
                          std::to_string(sent) + " of '" + name + "'";
    return refuse(use.op->getLoc(),
                  use.kind == Credit::Kind::await
                      ? "this waits for " + numbers +
                            " is sent before it in program order and not "
                            "taken off"
                      : "this takes off " + numbers + " is there");
  }
  return credits;
}

const Credit *Credits::find(Operation *op) const {
  const auto *found =
      llvm::find_if(uses, [&](const Credit &use) { return use.op == op; });
  return found == uses.end() ? nullptr : found;
}

SmallVector<const Credit *> Credits::countedBy(const Credit &use) const {
  SmallVector<const Credit *> counted;
  for (const Credit &other : uses) {
    if (&other == &use)
      break;
    if (!isSameCell(other, use))
      continue;
    if (other.kind == Credit::Kind::send)
      counted.push_back(&other);
    else if (other.kind == Credit::Kind::retire)
      counted.clear();
  }
  return counted;
}

//===----------------------------------------------------------------------===//
// Rescaling
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<std::pair<Operation *, int64_t>>>
Credits::rescaled(ArrayRef<NotifyOp> sends, int64_t times,
                  Diagnostic &refusal) const {
  SmallVector<std::pair<Operation *, int64_t>> changes;
  auto refuse = [&](Operation *op, const Twine &why) {
    refusal.attachNote(op->getLoc()) << why;
    return failure();
  };
  for (const Credit &use : uses) {
    if (use.kind == Credit::Kind::send)
      continue;
    int64_t sum = 0;
    bool changed = false;
    for (const Credit *send : countedBy(use)) {
      bool scales = llvm::is_contained(sends, cast<NotifyOp>(send->op));
      int64_t amount = send->amount;
      if (llvm::MulOverflow(amount, scales ? times : 1, amount) ||
          llvm::AddOverflow(sum, amount, sum) || sum > INT32_MAX)
        return refuse(use.op, "what this counts would not fit a signal");
      changed |= scales;
    }
    if (!changed)
      continue;
    if (use.kind == Credit::Kind::retire && sum % use.times != 0)
      return refuse(use.op, "this is done " + std::to_string(use.times) +
                                " times and cannot take off " +
                                std::to_string(sum));
    changes.emplace_back(
        use.op, use.kind == Credit::Kind::retire ? -(sum / use.times) : sum);
  }
  return changes;
}

LogicalResult Credits::canRescale(ArrayRef<NotifyOp> sends, int64_t times,
                                  Diagnostic &refusal) const {
  return rescaled(sends, times, refusal);
}

LogicalResult Credits::rescale(RewriterBase &rewriter, ArrayRef<NotifyOp> sends,
                               int64_t times, Diagnostic &refusal) const {
  auto changes = rescaled(sends, times, refusal);
  if (failed(changes))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [op, number] : *changes) {
    rewriter.setInsertionPoint(op);
    Value value = arith::ConstantIntOp::create(rewriter, op->getLoc(),
                                               rewriter.getI32Type(), number);
    rewriter.modifyOpInPlace(op, [op = op, value] {
      if (auto notify = dyn_cast<NotifyOp>(op))
        notify.getValueMutable().assign(value);
      else if (auto wait = dyn_cast<WaitOp>(op))
        wait.getExpectedMutable().assign(value);
      else
        cast<DeferWaitOp>(op).getExpectedMutable().assign(value);
    });
  }
  return success();
}

//===- IndexBounds.cpp - What index values are at least and at most -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/IndexBounds.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::pl;

/// Longer proofs are not tried.
static constexpr unsigned kMaxSteps = 64;
/// Minima and maxima whose sides are both looked at.
static constexpr unsigned kMaxSplits = 5;
/// Values that are computed from others, one in the other.
static constexpr unsigned kMaxDepth = 12;

namespace {
/// A quotient that is rounded down, or a rest.
struct Division {
  LinearExpr dividend;
  int64_t divisor;
};
} // namespace

static bool isNeverNegativeValue(Value value, unsigned depth = 0);

/// `value` as floor(dividend / divisor), if it is one.
static std::optional<Division> quotientOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
                       arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return std::nullopt;
  std::optional<int64_t> divisor =
      LinearExpr::of(op->getOperand(1)).asConstant();
  if (!divisor || *divisor <= 0)
    return std::nullopt;
  LinearExpr dividend = LinearExpr::of(op->getOperand(0));
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    dividend = dividend + LinearExpr(*divisor - 1);
  // A quotient that is rounded towards zero is rounded down only then.
  else if (!isa<arith::FloorDivSIOp>(op) &&
           !isNeverNegativeValue(op->getOperand(0)))
    return std::nullopt;
  return Division{std::move(dividend), *divisor};
}

/// `value` as the rest of a dividend that is not negative.
static std::optional<Division> restOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op))
    return std::nullopt;
  std::optional<int64_t> divisor =
      LinearExpr::of(op->getOperand(1)).asConstant();
  if (!divisor || *divisor <= 0 || !isNeverNegativeValue(op->getOperand(0)))
    return std::nullopt;
  return Division{LinearExpr::of(op->getOperand(0)), *divisor};
}

static bool isNeverNegativeValue(Value value, unsigned depth) {
  if (depth > kMaxDepth)
    return false;
  auto next = [&](Value other) {
    return isNeverNegativeValue(other, depth + 1);
  };
  // Stands for an extent that nothing else names.
  if (isa<MemRefType>(value.getType()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<ForOp>(parent);
    return isa<SpmdOp>(parent) ||
           (loop && argument == loop.getInductionVariable() &&
            next(loop.getLower()));
  }
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.isNonNegative();
  Operation *op = value.getDefiningOp();
  if (isa<memref::DimOp, BlockIdxOp, BlockNumOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::FloorDivSIOp, arith::DivSIOp,
          arith::CeilDivSIOp, arith::MinSIOp>(op))
    return next(op->getOperand(0)) && next(op->getOperand(1));
  if (isa<arith::MaxSIOp>(op))
    return next(op->getOperand(0)) || next(op->getOperand(1));
  if (isa<arith::RemSIOp, arith::IndexCastOp, arith::ExtSIOp>(op))
    return next(op->getOperand(0));
  if (isa<arith::SelectOp>(op))
    return next(op->getOperand(1)) && next(op->getOperand(2));
  return false;
}

/// Values that are an extent, or stand for one.
static bool isExtent(Value value) {
  return isa<MemRefType>(value.getType()) ||
         isa_and_nonnull<memref::DimOp>(value.getDefiningOp());
}

/// The two values that `value` may have: a minimum, a maximum, a choice.
static std::optional<std::pair<Value, Value>> sidesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op))
    return std::pair(op->getOperand(0), op->getOperand(1));
  if (isa_and_nonnull<arith::SelectOp>(op))
    return std::pair(op->getOperand(1), op->getOperand(2));
  return std::nullopt;
}

/// Whether `late` may be computed from `early`.
static bool comesLater(Value late, Value early) {
  Operation *a = late.getDefiningOp(), *b = early.getDefiningOp();
  if (!a || !b)
    return bool(a);
  return a->getBlock() == b->getBlock() && b->isBeforeInBlock(a);
}

static bool prove(LinearExpr expr, int64_t leastDim, unsigned splits) {
  for (unsigned step = 0; step < kMaxSteps && expr.isKnown(); ++step) {
    if (std::optional<int64_t> constant = expr.asConstant())
      return *constant >= 0;
    // What is computed from others first: they may cancel with what is left.
    Value last;
    for (auto [value, factor] : expr.getTerms()) {
      bool isComputed =
          quotientOf(value) || restOf(value) || sidesOf(value).has_value();
      if (isComputed && (!last || comesLater(value, last)))
        last = value;
    }
    if (!last) {
      // Extents and the like are as small as they may be.
      int64_t least = expr.getConstant();
      for (auto [value, factor] : expr.getTerms()) {
        if (factor < 0 || !isNeverNegativeValue(value))
          return false;
        int64_t product = 0;
        if (isExtent(value) && llvm::MulOverflow(factor, leastDim, product))
          return false;
        if (llvm::AddOverflow(least, product, least))
          return false;
      }
      return least >= 0;
    }
    int64_t factor = expr.coefficientOf(last);
    if (auto sides = sidesOf(last)) {
      if (splits == 0)
        return false;
      return prove(expr.substitute(last, LinearExpr::of(sides->first)),
                   leastDim, splits - 1) &&
             prove(expr.substitute(last, LinearExpr::of(sides->second)),
                   leastDim, splits - 1);
    }
    if (std::optional<Division> rest = restOf(last)) {
      expr =
          expr.substitute(last, LinearExpr(factor > 0 ? 0 : rest->divisor - 1));
      continue;
    }
    Division quotient = *quotientOf(last);
    if (factor % quotient.divisor != 0) {
      if (factor < 0 || !isNeverNegativeValue(last))
        return false;
      expr = expr.substitute(last, LinearExpr(0));
      continue;
    }
    // divisor * quotient lies in (dividend - divisor, dividend].
    LinearExpr product = quotient.dividend;
    if (factor > 0)
      product = product - LinearExpr(quotient.divisor - 1);
    expr = expr.substitute(last, LinearExpr(0)) +
           product * (factor / quotient.divisor);
  }
  return false;
}

bool mlir::pl::isNeverNegative(const LinearExpr &expr, int64_t leastDim) {
  return prove(expr, leastDim, kMaxSplits);
}

//===----------------------------------------------------------------------===//
// Values that are computed alike
//===----------------------------------------------------------------------===//

static bool isPlainArithmetic(Operation *op) {
  return isa_and_nonnull<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
                         arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
                         arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp,
                         arith::MulIOp>(op);
}

Value ValueNumbers::representative(Value value) {
  auto [number, isNew] = numbers.try_emplace(value, value);
  if (!isNew)
    return number->second;
  Operation *op = value.getDefiningOp();
  if (!isPlainArithmetic(op))
    return value;
  SmallVector<int64_t, 8> key;
  key.push_back(reinterpret_cast<intptr_t>(op->getName().getAsOpaquePointer()));
  for (Value operand : op->getOperands()) {
    LinearExpr expr = normalize(LinearExpr::of(operand));
    SmallVector<std::pair<int64_t, int64_t>> terms;
    for (auto [term, factor] : expr.getTerms())
      terms.push_back(
          {reinterpret_cast<intptr_t>(term.getAsOpaquePointer()), factor});
    llvm::sort(terms);
    key.push_back(terms.size());
    for (auto [term, factor] : terms) {
      key.push_back(term);
      key.push_back(factor);
    }
    key.push_back(expr.getConstant());
    if (!expr.isKnown())
      return value;
  }
  Value same = known.try_emplace(std::move(key), value).first->second;
  return numbers[value] = same;
}

LinearExpr ValueNumbers::normalize(const LinearExpr &expr) {
  LinearExpr result = expr;
  for (auto [value, factor] : expr.getTerms())
    if (Value same = representative(value); same != value)
      result = result.substitute(value, LinearExpr::symbol(same));
  return result;
}

//===----------------------------------------------------------------------===//
// Bounds of a scope
//===----------------------------------------------------------------------===//

bool ScopeBounds::isInside(Value value) const {
  Operation *parent = value.getParentBlock()->getParentOp();
  return parent == scope || scope->isProperAncestor(parent);
}

bool ScopeBounds::varies(Value value) {
  if (!isInside(value))
    return false;
  auto [known, isNew] = variance.try_emplace(value, true);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  bool isArithmetic =
      isPlainArithmetic(op) ||
      isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::IndexCastOp,
                      arith::ConstantOp, memref::DimOp>(op);
  bool does = !isArithmetic || llvm::any_of(op->getOperands(), [&](Value in) {
    return isa<MemRefType>(in.getType()) ? isInside(in) : varies(in);
  });
  return variance[value] = does;
}

std::optional<LinearExpr> ScopeBounds::bound(LinearExpr expr, bool upper) {
  // Each step replaces a value defined inside by a bound; the nesting of loops
  // bounds their number.
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    if (!expr.isKnown())
      return std::nullopt;
    Value inner;
    for (auto [value, factor] : expr.getTerms())
      if (varies(value) && (!inner || comesLater(value, inner)))
        inner = value;
    if (!inner)
      return numbers.normalize(expr);
    std::optional<LinearExpr> by =
        boundOfTerm(inner, expr.coefficientOf(inner), upper);
    if (!by) {
      if (!obstacle)
        obstacle = inner;
      return std::nullopt;
    }
    expr = expr.substitute(inner, LinearExpr(0)) + *by;
  }
  return std::nullopt;
}

std::optional<LinearExpr>
ScopeBounds::boundOfQuotient(Operation *op, int64_t factor, bool upper) {
  std::optional<Division> quotient = quotientOf(op->getResult(0));
  if (!quotient)
    return std::nullopt;
  bool high = (factor > 0) == upper;
  std::optional<LinearExpr> dividend = bound(quotient->dividend, high);
  if (!dividend)
    return std::nullopt;
  auto [whole, rest] = dividend->splitBy(quotient->divisor);
  // The rest is a constant below the divisor: the quotient is known.
  if (rest.asConstant())
    return whole * factor;
  if (factor % quotient->divisor == 0) {
    if (!high)
      *dividend = *dividend - LinearExpr(quotient->divisor - 1);
    return *dividend * (factor / quotient->divisor);
  }
  if (!high && isNeverNegative(*dividend))
    return LinearExpr(0);
  return std::nullopt;
}

std::optional<LinearExpr> ScopeBounds::boundOfTerm(Value value, int64_t factor,
                                                   bool upper) {
  bool high = (factor > 0) == upper;
  if (depth > kMaxDepth)
    return std::nullopt;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  auto blocks = [&](SpmdOp spmd) {
    return (high ? LinearExpr::of(spmd.getBlocks()) - LinearExpr(1)
                 : LinearExpr(0)) *
           factor;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto spmd = dyn_cast<SpmdOp>(parent))
      return blocks(spmd);
    auto loop = dyn_cast<ForOp>(parent);
    if (!loop || argument != loop.getInductionVariable())
      return std::nullopt;
    std::optional<int64_t> stride = LinearExpr::of(loop.getStep()).asConstant();
    if (!stride || *stride <= 0)
      return std::nullopt;
    LinearExpr first = LinearExpr::of(loop.getLower());
    if (!high)
      return first * factor;
    // The last turn is known exactly where the trips are a whole number.
    LinearExpr end = LinearExpr::of(loop.getUpper());
    auto [turns, rest] = (end - first - LinearExpr(1)).splitBy(*stride);
    if (rest.asConstant())
      return (first + turns * *stride) * factor;
    return (end - LinearExpr(1)) * factor;
  }
  Operation *op = value.getDefiningOp();
  if (isa<BlockIdxOp>(op)) {
    if (auto spmd = op->getParentOfType<SpmdOp>())
      return blocks(spmd);
    return LinearExpr(0);
  }
  // A minimum is at most either side, a maximum at least either side.
  if ((high && isa<arith::MinSIOp>(op)) || (!high && isa<arith::MaxSIOp>(op))) {
    for (Value operand : op->getOperands())
      if (LinearExpr::of(operand).asConstant())
        return LinearExpr::of(operand) * factor;
    for (Value operand : op->getOperands())
      if (std::optional<LinearExpr> side = bound(LinearExpr::of(operand), high))
        return *side * factor;
    return std::nullopt;
  }
  if (auto sides = sidesOf(value)) {
    std::optional<LinearExpr> a = bound(LinearExpr::of(sides->first), high),
                              b = bound(LinearExpr::of(sides->second), high);
    if (!a || !b)
      return std::nullopt;
    if (isAtMost(*a, *b))
      return (high ? *b : *a) * factor;
    if (isAtMost(*b, *a))
      return (high ? *a : *b) * factor;
    return std::nullopt;
  }
  // x mod c is in [0, c) when x is not negative, and x less a multiple of c
  // where x does not pass one.
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    std::optional<int64_t> modulus =
        LinearExpr::of(op->getOperand(1)).asConstant();
    LinearExpr dividend = LinearExpr::of(op->getOperand(0));
    std::optional<LinearExpr> least = bound(dividend, /*upper=*/false);
    if (!modulus || *modulus <= 0 || !least || !isNeverNegative(*least))
      return std::nullopt;
    std::optional<LinearExpr> most = bound(dividend, /*upper=*/true);
    std::optional<int64_t> low = least->asConstant(),
                           top = most ? most->asConstant() : std::nullopt;
    if (low && top && *low / *modulus == *top / *modulus)
      return LinearExpr((high ? *top : *low) % *modulus) * factor;
    return LinearExpr(high ? *modulus - 1 : 0) * factor;
  }
  if (auto product = dyn_cast<arith::MulIOp>(op)) {
    // Of what is not negative, the product of the bounds.
    std::optional<LinearExpr> a = bound(LinearExpr::of(product.getLhs()), high),
                              b = bound(LinearExpr::of(product.getRhs()), high);
    if (!isNeverNegativeValue(product.getLhs()) ||
        !isNeverNegativeValue(product.getRhs()))
      return std::nullopt;
    if (!high)
      return LinearExpr(0);
    if (a && b)
      if (std::optional<int64_t> number = a->asConstant())
        return *b * *number * factor;
    if (a && b)
      if (std::optional<int64_t> number = b->asConstant())
        return *a * *number * factor;
    return std::nullopt;
  }
  return boundOfQuotient(op, factor, upper);
}

std::optional<ScopeBounds::Residue> ScopeBounds::residueOf(LinearExpr expr) {
  Residue residue;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    if (!expr.isKnown())
      return std::nullopt;
    Value inner;
    for (auto [value, factor] : expr.getTerms())
      if (varies(value)) {
        inner = value;
        break;
      }
    if (!inner) {
      residue.base = numbers.normalize(expr);
      return residue;
    }
    int64_t factor = expr.coefficientOf(inner), pitch = factor;
    expr = expr.substitute(inner, LinearExpr(0));
    if (auto argument = dyn_cast<BlockArgument>(inner)) {
      auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVariable()) {
        std::optional<int64_t> stride =
            LinearExpr::of(loop.getStep()).asConstant();
        if (!stride || llvm::MulOverflow(factor, *stride, pitch))
          return std::nullopt;
        expr = expr + LinearExpr::of(loop.getLower()) * factor;
      }
    }
    residue.step = std::gcd(residue.step, pitch);
  }
  return std::nullopt;
}

std::optional<LinearExpr> mlir::pl::boundOf(const LinearExpr &expr,
                                            Operation *scope, bool upper) {
  ValueNumbers numbers;
  return ScopeBounds(scope, numbers).bound(expr, upper);
}

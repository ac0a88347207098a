//===- LinearExpr.cpp - Linear expressions over index values --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/LinearExpr.h"
#include "pl/Analysis/UserNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

LinearExpr LinearExpr::symbol(Value value) {
  LinearExpr expr;
  expr.add(value, 1);
  return expr;
}

LinearExpr LinearExpr::of(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSignificantBits() <= 64 ? LinearExpr(number.getSExtValue())
                                             : symbol(value);
  Operation *def = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp>(def))
    return of(def->getOperand(0)) + of(def->getOperand(1));
  if (isa_and_nonnull<arith::SubIOp>(def))
    return of(def->getOperand(0)) - of(def->getOperand(1));
  if (isa_and_nonnull<arith::MulIOp>(def)) {
    LinearExpr lhs = of(def->getOperand(0)), rhs = of(def->getOperand(1));
    if (std::optional<int64_t> factor = rhs.asConstant())
      return lhs * *factor;
    if (std::optional<int64_t> factor = lhs.asConstant())
      return rhs * *factor;
  }
  APInt divisor;
  if (isa_and_nonnull<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
                      arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
                      arith::RemUIOp>(def) &&
      matchPattern(def->getOperand(1), m_ConstantInt(&divisor)) &&
      divisor.isStrictlyPositive() && divisor.getSignificantBits() <= 32) {
    auto [quotient, rest] =
        of(def->getOperand(0)).splitBy(divisor.getSExtValue());
    std::optional<int64_t> left = rest.asConstant();
    // Only floors are the same whatever the sign is.
    if (left && quotient.isKnown()) {
      bool isRest = isa<arith::RemSIOp, arith::RemUIOp>(def);
      if (*left == 0)
        return isRest ? LinearExpr(0) : quotient;
      if (isa<arith::FloorDivSIOp>(def))
        return quotient;
      if (isa<arith::CeilDivSIOp>(def))
        return quotient + LinearExpr(1);
    }
  }
  // Conversions between index and integers keep the number.
  if (isa_and_nonnull<arith::IndexCastOp>(def))
    return of(def->getOperand(0));
  return symbol(value);
}

void LinearExpr::add(Value value, int64_t coefficient) {
  int64_t &sum = terms[value];
  if (llvm::AddOverflow(sum, coefficient, sum))
    known = false;
  if (sum == 0)
    terms.erase(value);
}

LinearExpr LinearExpr::operator+(const LinearExpr &other) const {
  LinearExpr result = *this;
  result.known &= other.known &&
                  !llvm::AddOverflow(constant, other.constant, result.constant);
  for (auto [value, coefficient] : other.terms)
    result.add(value, coefficient);
  return result;
}

LinearExpr LinearExpr::operator-(const LinearExpr &other) const {
  return *this + other * -1;
}

LinearExpr LinearExpr::operator*(int64_t factor) const {
  LinearExpr result;
  result.known = known && !llvm::MulOverflow(constant, factor, result.constant);
  for (auto [value, coefficient] : terms) {
    int64_t product;
    result.known &= !llvm::MulOverflow(coefficient, factor, product);
    result.add(value, product);
  }
  return result;
}

LinearExpr LinearExpr::substitute(Value value, const LinearExpr &by) const {
  int64_t coefficient = coefficientOf(value);
  if (coefficient == 0)
    return *this;
  LinearExpr result = *this;
  result.terms.erase(value);
  return result + by * coefficient;
}

std::pair<LinearExpr, LinearExpr> LinearExpr::splitBy(int64_t divisor) const {
  LinearExpr quotient, rest;
  quotient.known = rest.known = known;
  for (auto [value, coefficient] : terms) {
    quotient.add(value, coefficient / divisor);
    rest.add(value, coefficient % divisor);
  }
  int64_t left = constant % divisor;
  quotient.constant = constant / divisor;
  if (left < 0) {
    left += divisor;
    --quotient.constant;
  }
  rest.constant = left;
  return {quotient, rest};
}

std::optional<int64_t> LinearExpr::asConstant() const {
  if (!known || !terms.empty())
    return std::nullopt;
  return constant;
}

/// A term in the user's words: its name, or what it is computed from.
static std::string textOf(Value value, unsigned depth) {
  if (std::string name = nameOf(value); !name.empty())
    return name;
  Operation *def = value.getDefiningOp();
  if (!def || depth == 0)
    return "?";
  auto operand = [&](unsigned index) {
    return LinearExpr::of(def->getOperand(index)).str(depth - 1);
  };
  if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(def))
    return "((" + operand(0) + ") // " + operand(1) + ")";
  if (isa<arith::RemSIOp, arith::RemUIOp>(def))
    return "((" + operand(0) + ") % " + operand(1) + ")";
  if (isa<arith::MinSIOp, arith::MinUIOp>(def))
    return "min(" + operand(0) + ", " + operand(1) + ")";
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(def))
    return "max(" + operand(0) + ", " + operand(1) + ")";
  return "?";
}

std::string LinearExpr::str(unsigned depth) const {
  if (!known)
    return "?";
  std::string text;
  for (auto [value, coefficient] : terms) {
    std::string name = textOf(value, depth);
    if (!text.empty())
      text += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      text += "-";
    int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
    if (magnitude != 1)
      text += std::to_string(magnitude) + "*";
    text += name;
  }
  if (text.empty())
    return std::to_string(constant);
  if (constant > 0)
    text += " + " + std::to_string(constant);
  if (constant < 0)
    text += " - " + std::to_string(-constant);
  return text;
}

//===- LoweringSymbolic.cpp - differences of scalars ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

#include "llvm/Support/MathExtras.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

namespace {
/// number + sum of factor * atom; atoms are values that are equal only if they
/// are computed alike.
struct LinearForm {
  int64_t number = 0;
  SmallVector<std::pair<mlir::Value, int64_t>> terms;
  /// Keeps the walk short where one value is used again and again.
  unsigned budget = 512;
};
} // namespace

/// Two values that the same pure computation gives.
static bool isSameValue(mlir::Value a, mlir::Value b, unsigned level = 0) {
  if (a == b)
    return true;
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (level > 8 || !x || !y || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumResults() != 1 ||
      x->getNumRegions() != 0 || a.getType() != b.getType() ||
      x->getAttrDictionary() != y->getAttrDictionary() || !mlir::isPure(x))
    return false;
  for (auto [left, right] : llvm::zip(x->getOperands(), y->getOperands()))
    if (!isSameValue(left, right, level + 1))
      return false;
  return true;
}

static void addTerm(LinearForm &form, mlir::Value value, int64_t factor) {
  for (auto &[atom, count] : form.terms)
    if (isSameValue(atom, value)) {
      count += factor;
      return;
    }
  form.terms.emplace_back(value, factor);
}

static std::optional<int64_t> getConstant(mlir::Value value) {
  mlir::IntegerAttr attr;
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    attr = mlir::dyn_cast<mlir::IntegerAttr>(op.getValue());
  if (!attr)
    return std::nullopt;
  return attr.getValue().getSExtValue();
}

static void accumulate(LinearForm &form, mlir::Value value, int64_t factor,
                       unsigned level = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (op && level < 32 && form.budget > 0) {
    --form.budget;
    if (std::optional<int64_t> number = getConstant(value)) {
      form.number += factor * *number;
      return;
    }
    // Bounds are worked out in the type of their scalars, then widened.
    if (mlir::isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return accumulate(form, op->getOperand(0), factor, level + 1);
    if (mlir::isa<arith::AddIOp, arith::SubIOp>(op)) {
      accumulate(form, op->getOperand(0), factor, level + 1);
      accumulate(form, op->getOperand(1),
                 mlir::isa<arith::AddIOp>(op) ? factor : -factor, level + 1);
      return;
    }
    if (mlir::isa<arith::MulIOp>(op))
      for (unsigned side : {0, 1})
        if (std::optional<int64_t> number = getConstant(op->getOperand(side))) {
          int64_t product;
          if (llvm::MulOverflow(factor, *number, product))
            break;
          accumulate(form, op->getOperand(1 - side), product, level + 1);
          return;
        }
  }
  addTerm(form, value, factor);
}

std::optional<int64_t>
FunctionLowering::getConstantDifference(const DslValue &a, const DslValue &b) {
  LinearForm form;
  for (auto [value, factor] : {std::pair(&b, 1), std::pair(&a, -1)}) {
    if (value->isHost() && value->host.isIntOrBool())
      form.number += factor * value->host.getInt();
    else if (value->isScalar())
      accumulate(form, value->value, factor);
    else
      return std::nullopt;
  }
  for (auto &[atom, count] : form.terms)
    if (count != 0)
      return std::nullopt;
  return form.number;
}

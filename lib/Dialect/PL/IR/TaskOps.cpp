//===- TaskOps.cpp - Rules of task ops ------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::pl;

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLTaskOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Arrays of tasks
//===----------------------------------------------------------------------===//

static LogicalResult verifySlot(Operation *op, TaskArrayType type,
                                Value index) {
  APInt number;
  if (!matchPattern(index, m_ConstantInt(&number)))
    return success();
  if (number.isNegative() || number.getSExtValue() >= type.getSize())
    return op->emitOpError() << "expects a slot in 0.." << type.getSize() - 1
                             << ", got " << number.getSExtValue();
  return success();
}

LogicalResult TaskSlotOp::verify() {
  return verifySlot(*this, getArray().getType(), getIndex());
}

LogicalResult TaskSetOp::verify() {
  return verifySlot(*this, getArray().getType(), getIndex());
}

OpFoldResult TaskSlotOp::fold(FoldAdaptor) {
  APInt wanted, written;
  bool isConstant = matchPattern(getIndex(), m_ConstantInt(&wanted));
  Value array = getArray();
  while (auto set = array.getDefiningOp<TaskSetOp>()) {
    if (set.getIndex() == getIndex())
      return set.getTask();
    if (!isConstant || !matchPattern(set.getIndex(), m_ConstantInt(&written)))
      return {};
    if (wanted == written)
      return set.getTask();
    array = set.getArray();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

static LogicalResult verifyScopeResults(Operation *op) {
  Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != 0)
    return op->emitOpError() << "expects a body without arguments";
  if (body.getTerminator()->getOperandTypes() != op->getResultTypes())
    return op->emitOpError()
           << "expects a body that yields a value for each of its "
           << op->getNumResults() << " results";
  return success();
}

LogicalResult ScopeOp::verify() {
  if (failed(verifyScopeResults(*this)))
    return failure();
  auto outer = (*this)->getParentOfType<ScopeOp>();
  if (outer && outer.getKind() == ScopeKind::manual) {
    InFlightDiagnostic diag = emitOpError()
                              << "does not belong into a manual scope";
    diag.attachNote(outer.getLoc()) << "the manual scope is here";
    return diag;
  }
  return success();
}

LogicalResult ClusterOp::verify() { return verifyScopeResults(*this); }

LogicalResult HierarchyOp::verify() { return verifyScopeResults(*this); }

//===----------------------------------------------------------------------===//
// Notes of tasks
//===----------------------------------------------------------------------===//

static LogicalResult verifyInTask(Operation *op) {
  if (isa<AtOp, SpmdOp>(op->getParentOp()))
    return success();
  return op->emitOpError() << "belongs to the body of a task, but is in '"
                           << op->getParentOp()->getName() << "'";
}

LogicalResult NoDepOp::verify() { return verifyInTask(*this); }

LogicalResult PredicateOp::verify() {
  auto type = cast<MemRefType>(getTensor().getType());
  if (size_t(type.getRank()) != getIndices().size())
    return emitOpError() << "expects " << type.getRank() << " indices, got "
                         << getIndices().size();
  if (!type.getElementType().isIntOrIndex())
    return emitOpError() << "expects a tensor of integers, got " << type;
  return verifyInTask(*this);
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

LogicalResult ArrayOp::verify() {
  auto type = cast<MemRefType>(getMemref().getType());
  if (type.getRank() != 1 || !type.hasStaticShape() ||
      !type.getElementType().isIntOrIndex() || !type.getLayout().isIdentity())
    return emitOpError() << "expects a fixed number of integers, got " << type;
  return success();
}

/// The values that the loop around `op` carries, or nothing.
static std::optional<TypeRange> getCarriedTypes(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<mlir::pl::ForOp, scf::WhileOp>(parent))
      return TypeRange(parent->getResultTypes());
    if (isa<AtOp, SpmdOp>(parent) ||
        parent->hasTrait<::mlir::OpTrait::IsIsolatedFromAbove>())
      return std::nullopt;
  }
  return std::nullopt;
}

static LogicalResult verifyLeave(Operation *op) {
  std::optional<TypeRange> types = getCarriedTypes(op);
  if (!types)
    return op->emitOpError() << "belongs into a loop";
  if (*types != op->getOperandTypes())
    return op->emitOpError() << "expects the values that its loop carries";
  Operation *next = op->getNextNode();
  if (next && !next->hasTrait<::mlir::OpTrait::IsTerminator>())
    return op->emitOpError() << "expects nothing after it";
  return success();
}

LogicalResult BreakOp::verify() { return verifyLeave(*this); }

LogicalResult ContinueOp::verify() { return verifyLeave(*this); }

//===- PLVectorOps.h - Further ops on tiles -------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a header of their own: only what handles these ops needs them.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_VECTOR_OPS_H
#define PL_DIALECT_PL_IR_VECTOR_OPS_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

/// What the types of an op's operands do not say: runs and patterns that fix a
/// shape. See VectorOps.cpp.
LogicalResult verifyVectorRules(Operation *op);

namespace OpTrait {
template <typename ConcreteType>
class HasVectorRules
    : public mlir::OpTrait::TraitBase<ConcreteType, HasVectorRules> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyVectorRules(op);
  }
};
} // namespace OpTrait

} // namespace mlir::pl

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLVectorOps.h.inc"

#endif // PL_DIALECT_PL_IR_VECTOR_OPS_H

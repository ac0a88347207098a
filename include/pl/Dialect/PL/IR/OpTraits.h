//===- OpTraits.h - Traits of the dialect -----------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_OPTRAITS_H
#define PL_DIALECT_PL_IR_OPTRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::pl::OpTrait {

/// Phase `pl` holds such an op, and no later phase takes it yet.
template <typename ConcreteType>
class NotLoweredYet
    : public mlir::OpTrait::TraitBase<ConcreteType, NotLoweredYet> {};

} // namespace mlir::pl::OpTrait

#endif // PL_DIALECT_PL_IR_OPTRAITS_H

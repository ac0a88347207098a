//===- PLTransformOps.h - What a schedule says ------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMOPS_PLTRANSFORMOPS_H
#define PL_DIALECT_PL_TRANSFORMOPS_PLTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "pl/Dialect/PL/TransformOps/PLTransformOps.h.inc"

namespace mlir::pl {

/// Makes the transform dialect know `transform.pl.*`.
void registerTransformOps(DialectRegistry &registry);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMOPS_PLTRANSFORMOPS_H

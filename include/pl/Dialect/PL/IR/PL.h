//===- PL.h - The pl dialect: types, attributes, ops ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_PL_H
#define PL_DIALECT_PL_IR_PL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "pl/Dialect/PL/IR/PLDialect.h.inc"
#include "pl/Dialect/PL/IR/PLEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "pl/Dialect/PL/IR/PLAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "pl/Dialect/PL/IR/PLTypes.h.inc"

#include "pl/Dialect/PL/IR/OpTraits.h"
#include "pl/Dialect/PL/IR/TileOpFacts.h"

#include "pl/Dialect/PL/IR/PLInterfaces.h.inc"
#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLOps.h.inc"

#endif // PL_DIALECT_PL_IR_PL_H

//===- PLCommOps.td - Ranks, windows, signals, lanes -------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_COMM_OPS
#define PL_DIALECT_PL_IR_COMM_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

def PL_FenceOp : PL_Op<"fence", [PL_NotLoweredYet]> {
  let summary = "orders this core's accesses to global memory";
  let assemblyFormat = "attr-dict";
}

#endif // PL_DIALECT_PL_IR_COMM_OPS

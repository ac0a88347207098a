//===- PLTaskOps.td - Scopes and arrays of tasks -----------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TASK_OPS
#define PL_DIALECT_PL_IR_TASK_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

def PL_TaskNoneOp : PL_Op<"task_none", [Pure, PL_NotLoweredYet]> {
  let summary = "no task: whoever waits for it does not wait";
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = "attr-dict";
}

#endif // PL_DIALECT_PL_IR_TASK_OPS

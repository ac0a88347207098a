//===- PLCrossCoreOps.h - The two sides of mixed kernels --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_CROSS_CORE_OPS_H
#define PL_DIALECT_PL_IR_CROSS_CORE_OPS_H

#include "pl/Dialect/PL/IR/PL.h"

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h.inc"

namespace mlir::pl {

/// The code of each core of a kernel: its body, or the two sides of a mixed
/// kernel, cube first.
SmallVector<Block *, 2> getCoreBodies(KernelOp kernel);

/// Attribute of scopes and kernels: how many slots a ring has, an i64.
constexpr llvm::StringLiteral kSlots = "pl.slots";
/// Attribute of scopes and kernels: how lanes share vector tiles.
constexpr llvm::StringLiteral kSplit = "pl.split";
/// Attribute of kernels whose lanes both run the vector side as written, and of
/// the ops that both of them do.
constexpr llvm::StringLiteral kLanes = "pl.lanes";
/// Attribute of handshakes that also order what the two sides do to global
/// memory: what was begun before is over, and what comes later has not begun.
constexpr llvm::StringLiteral kFence = "pl.fence";

} // namespace mlir::pl

#endif // PL_DIALECT_PL_IR_CROSS_CORE_OPS_H

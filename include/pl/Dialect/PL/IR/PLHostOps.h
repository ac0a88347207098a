//===- PLHostOps.h - Programs that launch on ranks --------------*- C++ -*-===//
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

#ifndef PL_DIALECT_PL_IR_HOST_OPS_H
#define PL_DIALECT_PL_IR_HOST_OPS_H

#include "pl/Dialect/PL/IR/PL.h"

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLHostOps.h.inc"

#endif // PL_DIALECT_PL_IR_HOST_OPS_H

//===- Passes.h - Schedules in files of their own ---------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMOPS_PASSES_H
#define PL_DIALECT_PL_TRANSFORMOPS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::pl {

#define GEN_PASS_DECL
#include "pl/Dialect/PL/TransformOps/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pl/Dialect/PL/TransformOps/Passes.h.inc"

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMOPS_PASSES_H

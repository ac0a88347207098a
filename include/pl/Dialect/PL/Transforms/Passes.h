//===- Passes.h - Passes over the pl dialect --------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_PASSES_H
#define PL_DIALECT_PL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "pl/Analysis/Lowerable.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/Transforms/Distribution.h"

namespace mlir::pl {

/// Marks a task that only the edges of its user order.
constexpr llvm::StringLiteral kManual = "pl.manual";

#define GEN_PASS_DECL
#include "pl/Dialect/PL/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pl/Dialect/PL/Transforms/Passes.h.inc"

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_PASSES_H

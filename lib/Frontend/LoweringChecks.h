//===- LoweringChecks.h - what is wrong although every line is legal ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGCHECKS_H
#define PL_LIB_FRONTEND_LOWERINGCHECKS_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// Reports reads of tensors made by pl.create_tensor that nothing can have
/// written before. What is not known to be a plain read counts as a write.
void warnOfNeverWritten(ModuleLowering &module);

/// Warns when one side of 'and' or 'or' reads memory at a place that the sides
/// before it, whose value is `guard`, test: both sides are evaluated. Looks at
/// the ops that follow `from` (null: all) in the block that is being built.
void checkGuardedReads(FunctionLowering &f, mlir::Value guard,
                       mlir::Operation *from, const BoolOpExpr *expr,
                       SourceRange side);

/// Remarks on loads and stores whose rows are shorter than one access.
void remarkShortRows(ModuleLowering &module);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGCHECKS_H

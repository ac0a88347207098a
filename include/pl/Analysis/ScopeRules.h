//===- ScopeRules.h - What core scopes may hold -----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about whole scopes (pl.at, pl.spmd) of phase `pl`, after inlining. Each
// reports every place where it is broken.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_SCOPERULES_H
#define PL_ANALYSIS_SCOPERULES_H

#include "mlir/IR/Operation.h"

namespace pl {
struct MachineDescription;
}

namespace mlir::pl {

/// Deferred waits are alone in their task (language.md 6.5).
LogicalResult checkDeferredWaits(Operation *scope);

/// Values cross between cube and vector cores by name, and lanes have whole
/// halves (language.md 3.10).
LogicalResult checkLanes(Operation *scope);

/// A hard barrier needs every core of the machine (language.md 3.10).
LogicalResult checkBarriers(Operation *scope,
                            const ::pl::MachineDescription &machine);

/// One tensor is not written by elements and by tiles in one scope, whose paths
/// to memory are not ordered (language.md 3.11).
LogicalResult checkCoherence(Operation *scope);

/// Whether one of the rules above may have something to say of `op`.
bool concernsScopeRules(Operation *op);

} // namespace mlir::pl

#endif // PL_ANALYSIS_SCOPERULES_H

//===- Lowering.h - device functions to the `pl` phase --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns an entry (`@pl.jit`) and the inline functions it reaches into a module
// in phase `pl` (docs/Phases.md). Decorated bodies are compiled, never run:
// names of the body are SSA values, names from outside are host values that
// become constants. Errors go to the diagnostics of the session, at the user's
// line, several per run.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_LOWERING_H
#define PL_FRONTEND_LOWERING_H

#include "pl/Frontend/Module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace pl::frontend {

/// Lowers `entry` and all it calls. One that is no program (isProgram) gets a
/// program that calls it: it can be checked, but not be run. Null when there
/// was an error; warnings do not prevent a result.
mlir::OwningOpRef<mlir::ModuleOp>
lowerToMLIR(mlir::MLIRContext &context, Session &session, KernelObject &entry);

/// The operations of the language: names without `pl.`, `pl.tensor.` and
/// `pl.tile.`; those of `pld` with all of theirs.
std::vector<llvm::StringRef> getOpNames();

} // namespace pl::frontend

#endif // PL_FRONTEND_LOWERING_H

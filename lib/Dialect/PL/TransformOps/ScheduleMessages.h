//===- ScheduleMessages.h - MLIR's errors in a schedule's words -*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMOPS_SCHEDULEMESSAGES_H
#define PL_LIB_DIALECT_PL_TRANSFORMOPS_SCHEDULEMESSAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <vector>

namespace mlir::pl {

/// Keeps back what MLIR's parser and interpreter report while it lives, so that
/// it can be said in the words of a schedule's author.
class ErrorKeeper : public ScopedDiagnosticHandler {
public:
  explicit ErrorKeeper(MLIRContext *context);
  std::vector<Diagnostic> take() { return std::move(kept); }

private:
  std::vector<Diagnostic> kept;
};

/// Hands on errors of a schedule `file` with this text, those of reading it if
/// `schedule` is null, or else those of running it.
void emitScheduleErrors(MLIRContext *context, std::vector<Diagnostic> errors,
                        StringRef file, StringRef text, ModuleOp schedule);

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMOPS_SCHEDULEMESSAGES_H

//===- Lowerable.h - What no phase after `pl` takes yet ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phase `pl` holds the whole language; the phases after it take a part. This
// is the one place that says where the part ends.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_LOWERABLE_H
#define PL_ANALYSIS_LOWERABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace mlir::pl {

/// What leads to a phase.
enum class Door : uint8_t { tasks, tiles };

/// A construct that a phase refuses.
struct NotLowered {
  Location loc;
  /// In the user's words: "'pl.sort32'", "a task inside a run-time loop".
  std::string what;
};

/// All of them in a module of the phase before, each kind once, in program
/// order. Phase `tasks` takes what kernels do on tiles as it is.
SmallVector<NotLowered> findNotLowered(ModuleOp module, Door door);

/// Says that a construct of `where` is not lowered past `phase`. Where that
/// decides nothing about the program it is a remark, and `where` is marked.
void reportNotLowered(Operation *where, Location loc, const Twine &what,
                      StringRef phase, bool isRemark);

/// The mark of a function or module that such a remark kept in its phase.
constexpr llvm::StringLiteral kUndecided = "pl.undecided";

} // namespace mlir::pl

#endif // PL_ANALYSIS_LOWERABLE_H

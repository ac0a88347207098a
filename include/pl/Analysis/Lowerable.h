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

/// A construct of phase `pl` that later phases refuse.
struct NotLowered {
  Location loc;
  /// In the user's words: "'pl.sort32'", "a task inside a run-time loop".
  std::string what;
};

/// All of them in a module of phase `pl`, each kind once, in program order.
SmallVector<NotLowered> findNotLowered(ModuleOp module);

} // namespace mlir::pl

#endif // PL_ANALYSIS_LOWERABLE_H

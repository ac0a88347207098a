//===- Undecided.h - What a check leaves to the simulator -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_UNDECIDED_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_UNDECIDED_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::pl {

/// The remark PL097: `question`, which begins with "whether", and `why` it has
/// no answer before a run.
inline InFlightDiagnostic emitUndecided(Location loc, const Twine &question,
                                        const Twine &why) {
  return emitRemark(loc) << "PL097: not decided: " << question << ": " << why
                         << "; 'plc run' decides it for the sizes and data of "
                            "one run";
}

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_UNDECIDED_H

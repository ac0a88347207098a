//===- HostPlan.h - A host program as data ----------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_HOSTPLAN_H
#define PL_LIB_CONVERSION_PLTOEMITC_HOSTPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::pl {

/// The text of `host_plan.json`: the windows that a host program allocates and
/// the programs it runs, with what each gets. Numbers that only the run knows
/// are expressions: {"scalar": NAME}, {"loop": DEPTH}, {"world_size": true},
/// {"dim": [PARAM, AXIS]}, {"bound": NAME, ...} or {"op": OP, "args": [...]}.
FailureOr<std::string> hostPlanText(func::FuncOp host);

/// The folder of a program that a host program runs.
std::string programDirectory(func::FuncOp program);

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_HOSTPLAN_H

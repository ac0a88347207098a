//===- Passes.h - From pl kernels to EmitC ----------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_CONVERSION_PLTOEMITC_PASSES_H
#define PL_CONVERSION_PLTOEMITC_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;

namespace emitc {
class EmitCDialect;
} // namespace emitc

namespace pl {

#define GEN_PASS_DECL
#include "pl/Conversion/PLToEmitC/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pl/Conversion/PLToEmitC/Passes.h.inc"

/// Attribute of a kernel's emitc.file: {func_id, name, core, signature}.
constexpr llvm::StringLiteral kKernelInfo = "pl.kernel";
/// Attribute of the orchestration's emitc.file: {name, entry, config, params}.
constexpr llvm::StringLiteral kOrchestrationInfo = "pl.orchestration";
/// Attribute of the module of a host program: the text of host_plan.json. The
/// files of each program lie in a folder of its own.
constexpr llvm::StringLiteral kHostPlan = "pl.host_plan";

} // namespace pl
} // namespace mlir

#endif // PL_CONVERSION_PLTOEMITC_PASSES_H

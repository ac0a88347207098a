//===- Pipeline.h - The passes between the phases ---------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says which passes lead from phase to phase. plc runs them,
// and pl-opt has them as named pipelines: `pl-lower-to-tasks`,
// `pl-lower-to-tiles`, `pl-lower-to-emitc`.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_PIPELINE_H
#define PL_DRIVER_PIPELINE_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pl::driver {

/// What holds of a module that comes from the front end.
void buildSourcePipeline(mlir::OpPassManager &pm, llvm::StringRef machine);
/// What a pipeline does beside lowering for a machine.
struct PipelineOptions {
  llvm::StringRef machine = "a2a3";
  llvm::StringRef schedule = ""; ///< a file
  /// Say why tasks wait for each other.
  bool remarks = false;
  /// What is not lowered yet is a remark, not an error.
  bool mayStop = false;
};

/// From phase `pl` to phase `tasks`, by way of a schedule file if there is one.
void buildTasksPipeline(mlir::OpPassManager &pm,
                        const PipelineOptions &options);
/// From phase `tasks` to phase `tiles`, for one machine.
void buildTilesPipeline(mlir::OpPassManager &pm,
                        const PipelineOptions &options);
/// From phase `tiles` to phase `emitc`.
void buildEmitCPipeline(mlir::OpPassManager &pm);

/// Makes the pipelines and all passes they use known to pl-opt.
void registerPipelines();

} // namespace pl::driver

#endif // PL_DRIVER_PIPELINE_H

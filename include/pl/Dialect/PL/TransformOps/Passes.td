//===- Passes.td - Schedules in files of their own ------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMOPS_PASSES
#define PL_DIALECT_PL_TRANSFORMOPS_PASSES

include "mlir/Pass/PassBase.td"

def ApplySchedule : Pass<"pl-apply-schedule", "::mlir::ModuleOp"> {
  let summary = "Other tasks, as a schedule file says";
  let description = [{
    Runs the named sequence `@__transform_main` of `file`, a module of the transform
    dialect, on the module. Needs: inlined functions of phase `pl`. Every
    transform keeps the values or refuses with the reason.

    ```mlir
    module attributes {transform.with_named_sequence} {
      transform.named_sequence @__transform_main(%layer: !transform.any_op) {
        %norm = transform.pl.task "rms_norm" in %layer
        transform.pl.coarsen_blocks %norm factor 2
        transform.yield
      }
    }
    ```
  }];
  let options = [Option<"file", "file", "std::string", "\"\"",
                        "the schedule: a module with @__transform_main">];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

#endif // PL_DIALECT_PL_TRANSFORMOPS_PASSES

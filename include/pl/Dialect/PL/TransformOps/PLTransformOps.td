//===- PLTransformOps.td - What a schedule says ---------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMOPS
#define PL_DIALECT_PL_TRANSFORMOPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

// A handle of tasks. Its type goes without saying in the text.
def PL_Tasks
    : Type<CPred<"::llvm::isa<::mlir::transform::AnyOpType>($_self)">, "tasks",
           "::mlir::transform::AnyOpType">,
      BuildableType<"$_builder.getType<::mlir::transform::AnyOpType>()">;

class PL_ScheduleOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "pl." # mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def TaskOp : PL_ScheduleOp<"task"> {
  let summary = "The tasks of a name";
  let description = [{
    A handle of the tasks of `scope` whose name is `name`, in program order. Fails
    where there is none.

    ```mlir
    %seed = transform.pl.task "kv_proj_seed" in %layer
    ```
  }];
  let arguments = (ins StrAttr:$name, PL_Tasks:$scope);
  let results = (outs PL_Tasks:$tasks);
  let assemblyFormat = "$name `in` $scope attr-dict";
}

def AnchorWaitsOp : PL_ScheduleOp<"anchor_waits"> {
  let summary = "Waits hold a core or free it, and follow a task";
  let description = [{
    The pass `pl-anchor-waits` on one task: its waits hold their core, or free it
    with `deferred`, and come after `producer`. With `into` they become the first
    statements of the task that follows them.

    ```mlir
    %wait = transform.pl.anchor_waits %arrived after %push
    %done = transform.pl.anchor_waits %read after %readback into %retire
    ```
  }];
  let arguments = (ins PL_Tasks:$target, PL_Tasks:$producer, Optional<PL_Tasks>:$into,
                       UnitAttr:$deferred);
  let results = (outs PL_Tasks:$task);
  let assemblyFormat = [{
    $target `after` $producer (`into` $into^)? (`deferred` $deferred^)? attr-dict
  }];
}

#endif // PL_DIALECT_PL_TRANSFORMOPS

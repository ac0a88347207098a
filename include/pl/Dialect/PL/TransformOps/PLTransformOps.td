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
    where there is none; with `optional` the handle is then empty, and what is
    asked of it is not done.

    ```mlir
    %seed = transform.pl.task "kv_proj_seed" in %layer
    ```
  }];
  let arguments = (ins StrAttr:$name, PL_Tasks:$scope, UnitAttr:$optional);
  let results = (outs PL_Tasks:$tasks);
  let assemblyFormat = "$name `in` $scope (`optional` $optional^)? attr-dict";
}

def SplitFusedTasksOp : PL_ScheduleOp<"split_fused_tasks"> {
  let summary = "Parts of a task that share no data become tasks";
  let description = [{
    The pass `pl-split-fused-tasks` on the tasks of a handle. There is a result for
    each name, in the order of the parts' first statements; without names there is
    one, for all parts.

    ```mlir
    %write, %bias = transform.pl.split_fused_tasks %insert into ["write", "bias"]
    ```
  }];
  let arguments = (ins PL_Tasks:$target, DefaultValuedAttr<StrArrayAttr, "{}">:$names);
  let results = (outs Variadic<PL_Tasks>:$parts);
  let hasCustomAssemblyFormat = 1;
}

def SpmdizeOp : PL_ScheduleOp<"spmdize"> {
  let summary = "The loop of a task becomes blocks";
  let description = [{
    The pass `pl-spmdize` on the tasks of a handle: ceil(trips / tile) blocks of
    `tile` trips each, the last one clamped; with `workers` that many blocks, which
    share the tiles. `assume_disjoint` is the user's word that no two trips touch
    the same element where that cannot be proved; a run checks it.

    ```mlir
    %blocks = transform.pl.spmdize %write tile 32 assume_disjoint
    ```
  }];
  let arguments = (ins PL_Tasks:$target, I64Attr:$tile, OptionalAttr<I64Attr>:$workers,
                       UnitAttr:$strided, UnitAttr:$assume_disjoint,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs PL_Tasks:$task);
  let assemblyFormat = [{
    $target `tile` $tile (`workers` $workers^)? (`strided` $strided^)?
    (`assume_disjoint` $assume_disjoint^)? (`into` $name^)? attr-dict
  }];
  let hasVerifier = 1;
}

def FanOutMOp : PL_ScheduleOp<"fan_out_m"> {
  let summary = "Blocks share the loop that each block has";
  let description = [{
    The pass `pl-fan-out-m` on the tasks of a handle: `factor` times the blocks,
    which share the trips of the outermost loop of the body.

    ```mlir
    %wide = transform.pl.fan_out_m %matmul factor 4 strided
    ```
  }];
  let arguments = (ins PL_Tasks:$target, I64Attr:$factor, UnitAttr:$strided,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs PL_Tasks:$task);
  let assemblyFormat = [{
    $target `factor` $factor (`strided` $strided^)? (`into` $name^)? attr-dict
  }];
  let hasVerifier = 1;
}

def CoarsenBlocksOp : PL_ScheduleOp<"coarsen_blocks"> {
  let summary = "Fewer, larger blocks";
  let description = [{
    The pass `pl-coarsen-blocks` on the tasks of a handle: a block does the work of
    `factor` blocks, the last one that of those that are left.

    ```mlir
    %larger = transform.pl.coarsen_blocks %norm factor 2
    ```
  }];
  let arguments = (ins PL_Tasks:$target, I64Attr:$factor, UnitAttr:$strided,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs PL_Tasks:$task);
  let assemblyFormat = [{
    $target `factor` $factor (`strided` $strided^)? (`into` $name^)? attr-dict
  }];
  let hasVerifier = 1;
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

def FanOutCollectiveOp : PL_ScheduleOp<"fan_out_collective"> {
  let summary = "Many workers push, or read back";
  let description = [{
    The pass `pl-fan-out-collective` on the tasks of a handle: `workers` blocks share
    the rows in bands of `tile`, and each tells the other ranks; what awaits them
    counts as many.

    ```mlir
    %push = transform.pl.fan_out_collective %push workers 16 tile 8 strided
    ```
  }];
  let arguments = (ins PL_Tasks:$target, I64Attr:$workers, I64Attr:$tile,
                       UnitAttr:$strided, OptionalAttr<StrAttr>:$name);
  let results = (outs PL_Tasks:$task);
  let assemblyFormat = [{
    $target `workers` $workers `tile` $tile (`strided` $strided^)? (`into` $name^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def FusePublishOp : PL_ScheduleOp<"fuse_publish"> {
  let summary = "Workers write what they finish to the windows of its owners";
  let description = [{
    The pass `pl-fuse-publish` on two tasks: `workers` blocks do the work of
    `producer` and store it straight where `exchange` would have put it, and what
    is left of `exchange` receives. The second handle is empty where nothing is left.

    ```mlir
    %publish, %finish = transform.pl.fuse_publish %norm with %exchange workers 48
        into ["norm_publish", "exchange_finish"]
    ```
  }];
  let arguments = (ins PL_Tasks:$producer, PL_Tasks:$exchange, I64Attr:$workers,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$names);
  let results = (outs PL_Tasks:$publish, PL_Tasks:$finish);
  let assemblyFormat = [{
    $producer `with` $exchange `workers` $workers (`into` $names^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // PL_DIALECT_PL_TRANSFORMOPS

//===- Passes.td - Passes over the pl dialect --------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_PASSES
#define PL_DIALECT_PL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

include "pl/Dialect/PL/Transforms/CheckPasses.td"
include "pl/Dialect/PL/Transforms/KernelPasses.td"
include "pl/Dialect/PL/Transforms/SchedulePasses.td"

//===----------------------------------------------------------------------===//
// Task graph: phase `pl` to phase `tasks`
//===----------------------------------------------------------------------===//

def UnifyDims : Pass<"pl-unify-dims", "::mlir::func::FuncOp"> {
  let summary = "Read each dynamic dimension once";
  let description = [{
    Dimensions of one name have equal extents (`pl.dims`). Every `memref.dim` of
    a parameter becomes that of the first parameter with the same dimension, read
    once at the start, so that equal sizes are equal values to all later passes.

    ```mlir
    %t = memref.dim %x, %c0      // x and y both have #pl.dim<"T">
    %u = memref.dim %y, %c0      // becomes %t
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numUnified", "unified", "Number of reads of a dimension saved">];
}

def DissolveScopes : Pass<"pl-dissolve-scopes", "::mlir::func::FuncOp"> {
  let summary = "Tasks of scopes join the block around them";
  let description = [{
    Needs: inlined functions. Gives: no `pl.scope`; its results are the values
    that it yields, and the tasks of a manual one are marked `pl.manual`. Keeps:
    the order of everything.

    ```mlir
    %t = pl.scope manual -> (!pl.task) {
      %a = pl.at "w" { ... }
      pl.yield %a : !pl.task
    }
    // becomes
    %a = pl.at "w" { ... } {pl.manual}
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [
    Statistic<"numDissolved", "dissolved", "Number of scopes dissolved">
  ];
}

def ResolveTaskArrays : Pass<"pl-resolve-task-arrays", "::mlir::func::FuncOp"> {
  let summary = "Edges to tasks in place of edges to slots of arrays";
  let description = [{
    Needs: inlined functions, scopes dissolved, folded constants. Gives: an edge to
    the task that a slot holds, edges to all tasks of a joined array, none to a
    slot without a task. Two edges to one task become one. Keeps: who waits for
    whom. Refuses: slots whose index only the run knows.

    ```mlir
    %none = pl.task_array : !pl.task_array<2>
    %tids = pl.task_set %none[%c0] = %t : !pl.task_array<2>
    %slot = pl.task_slot %tids[%c0] : !pl.task_array<2>
    pl.at "next" deps(%slot : [#pl.edge<user>]) { ... }
    // becomes
    pl.at "next" deps(%t : [#pl.edge<user>]) { ... }
    ```
  }];
  let options = [PL_RemarksOnlyOption];
}

def ResolveViews : Pass<"pl-resolve-views", "::mlir::func::FuncOp"> {
  let summary = "Make reshapes of windows views of the whole tensor";
  let description = [{
    Needs: inlined functions. A reshape of a window begins where the window does:
    that place is computed from the offsets of all slices on the way. Gives: no
    `memref.extract_strided_metadata`; each `memref.reinterpret_cast` is of an
    allocation or a parameter. A window that a loop or branch carries is an error.
    The cost is linear in the views.

    ```mlir
    %half = memref.subview %x[8, 0] [8, 64] [1, 1] : ...
    %base, %at, %sizes:2, %strides:2 = memref.extract_strided_metadata %half : ...
    %flat = memref.reinterpret_cast %base to offset: [512], sizes: [512], strides: [1] : ...
    // becomes
    %flat = memref.reinterpret_cast %x to offset: [512], sizes: [512], strides: [1] : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numResolved", "resolved", "Number of reshapes of windows">];
}

def DeriveDependencies : Pass<"pl-derive-dependencies", "::mlir::func::FuncOp"> {
  let summary = "Make every ordering between tasks an explicit, labelled edge";
  let description = [{
    Needs: inlined functions, tasks (`pl.at`, `pl.spmd`, `pl.dummy`) in one
    block. Gives: `deps` and `edges` with RAW, WAR and WAW edges on the bytes
    touched, through every view; two accesses get no edge only if they are
    provably disjoint or both atomic adds. A task marked `pl.manual` gets no edge
    beyond the user's and loses the mark; later ones get theirs on it. Keeps: edges the user
    wrote. Where only data tell which elements are touched, the edge is there and
    its label ends in `by data`. An access
    that a later write covers is ordered through that write and is forgotten, so
    the cost is O(tasks x live accesses of one tensor).

    ```mlir
    %a = pl.at "w" { pl.store %t, %y[...] : ... }
    %b = pl.at "r" { %u = pl.load %y[...] : ... }
    // becomes
    %b = pl.at "r" deps(%a : [#pl.edge<raw, "y", "[0:8, 0:64]">]) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say of each edge why it is there, or is not">
  ];
  let statistics = [
    Statistic<"numEdges", "edges", "Number of edges derived">,
    Statistic<"numLeftOut", "left-out", "Number of edges left to the user">,
    Statistic<"numDisjoint", "disjoint", "Number of access pairs proved disjoint">
  ];
}

def PruneEdges : Pass<"pl-prune-edges", "::mlir::func::FuncOp"> {
  let summary = "Drop derived edges that a path of other edges implies";
  let description = [{
    Works on launches. Edges the user wrote stay, and as nothing drops them, they
    imply others like any edge. The cost is O(edges x tasks / 64).

    ```mlir
    %c = pl.launch @c ... deps(%a, %b : [#pl.edge<raw, "x">, #pl.edge<raw, "y">])
    // b waits for a already:
    %c = pl.launch @c ... deps(%b : [#pl.edge<raw, "y">])
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say of each edge why it is there, or is not">
  ];
  let statistics = [Statistic<"numPruned", "pruned", "Number of edges dropped">];
}

def OutlineKernels : Pass<"pl-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn each core-group scope into a kernel and a launch";
  let description = [{
    Needs: explicit edges. Gives: phase `tasks`. A kernel takes whole tensors,
    each once, then scalars; views are made again inside it; constants move in.
    Its core kind follows from its ops. Keeps: order, names and locations. A
    scope with both cube and vector ops, or with more arguments than a task may
    have, is an error.

    ```mlir
    %a = pl.spmd "copy" blocks(%n) { ^bb0(%b: index): ... }
    // becomes
    %a = pl.launch @copy blocks(%n) args(%x, %y : ...)
    pl.kernel aiv @copy(%x: ..., %y: ...) { %b = pl.block_idx ... }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "Number of kernels made">];
}

#endif // PL_DIALECT_PL_TRANSFORMS_PASSES

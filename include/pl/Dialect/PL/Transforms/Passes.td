//===- Passes.td - Passes over the pl dialect -----------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_PASSES
#define PL_DIALECT_PL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Task graph: phase `pl` to phase `tasks`
//===----------------------------------------------------------------------===//

def CheckLowerable : Pass<"pl-check-lowerable", "::mlir::ModuleOp"> {
  let summary = "Refuse what no phase after `pl` takes yet";
  let description = [{
    Phase `pl` holds the whole language. This pass stands at the door of the next
    phase and names each kind of construct, at its first place, that is not
    lowered yet: ops with the trait `NotLoweredYet`, tasks inside run-time loops
    and branches, windows, host programs, some element types. Changes nothing.
  }];
}

def CheckScopes : Pass<"pl-check-scopes", "::mlir::ModuleOp"> {
  let summary = "What core scopes may hold";
  let description = [{
    Rules of phase `pl` about whole scopes, through the functions they call:

    * a task with deferred waits does nothing else: scalars, reads before the
      first registration, at most 64 conditions (counted over sequences,
      branches and loops of constant trip count);
    * once a `pl.split_aiv` region is opened, vector work is inside regions and
      cube work outside; values cross by `pl.aiv_shard` and `pl.aic_gather`;
    * no transpose or reduction over an axis that the lanes halve;
    * a hard `pl.sync_all` needs a launch that fills the machine;
    * no tensor is written by elements and by tiles in one scope.

    Undecided, and left to run time: barriers in launches whose number of blocks
    is. Changes nothing; the cost is that of inlining a copy, and only modules
    with such ops pay it.
  }];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "the machine whose cores are counted">];
}

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

//===----------------------------------------------------------------------===//
// Schedule: other tasks that give the same values. Phase `pl`, inlined
//===----------------------------------------------------------------------===//

def AnchorWaits : Pass<"pl-anchor-waits", "::mlir::func::FuncOp"> {
  let summary = "Waits hold a core or free it, and follow a task";
  let description = [{
    The waits of `task` hold their core (`pl.wait`) or free it (`pl.defer_wait`,
    with `deferred`), and come after the task `after`. With `into`, a task of one
    block that alone waits for `task`, they become its first statements. A task
    that goes on after its waits leaves them, deferred, to a task before it.

    Needs: inlined functions. Refuses: a task without waits, one to follow that
    comes later, a deferred wait for equality, waits in the middle of other work.

    ```mlir
    %p = pl.at "push" { ... }
    %w = pl.at "arrived" { pl.defer_wait %s[%c1, %c0] reaches %n : ... }
    // task=arrived after=push
    %w = pl.at "arrived" deps(%p : [#pl.edge<user>]) {
      pl.wait ge %n, %s[%c1, %c0] : ...
    }
    ```
  }];
  let options = [
    Option<"task", "task", "std::string", "\"\"", "the task that waits">,
    Option<"after", "after", "std::string", "\"\"", "the task that it follows">,
    Option<"into", "into", "std::string", "\"\"",
           "the task that takes the waits in">,
    Option<"deferred", "deferred", "bool", "false",
           "the waits free their core">];
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

//===----------------------------------------------------------------------===//
// Schedule: other tasks that give the same values
//===----------------------------------------------------------------------===//

class PL_TaskOption<string description>
    : Option<"task", "task", "std::string", "\"\"", description>;
class PL_NameOption
    : Option<"name", "name", "std::string", "\"\"",
             "name of the task that is made; without it the name stays">;
class PL_DistributionOption<string what>
    : Option<"distribution", "distribution", "::mlir::pl::Distribution",
             "::mlir::pl::Distribution::contiguous", what,
             [{::llvm::cl::values(
               clEnumValN(::mlir::pl::Distribution::contiguous, "contiguous",
                          "neighbours go to one block"),
               clEnumValN(::mlir::pl::Distribution::strided, "strided",
                          "neighbours go to different blocks"))}]>;

def SplitFusedTasks : Pass<"pl-split-fused-tasks", "::mlir::func::FuncOp"> {
  let summary = "Make the parts of a task that share no data tasks of their own";
  let description = [{
    Needs: inlined functions of phase `pl`, scopes dissolved, dims unified,
    before dependencies are derived. Gives: for a `pl.at` or `pl.spmd` whose
    statements fall into independent parts, a task of the same kind and number of
    blocks for each, in the order of their first statements. Keeps: what the task
    waits for and who waits for it, `early_resolve`, attributes, locations, and
    the order of the statements of a part.

    Statements are the ops of the body. Scalar arithmetic, views, constant tiles
    and scalars of tensors that the task only reads are done again in each part
    that uses them. Two statements stay together when one uses a value of the
    other, when they touch elements of one tensor, window or signal, one of them
    writes, and they are not provably disjoint, or when one waits before the
    other or notifies after it. A loop is one statement.

    With `task` a task that cannot be split is an error that says what its
    statements share; without, it is a remark. The cost is O(a^2) for the `a`
    accesses of one task to one tensor.

    ```mlir
    %t = pl.at "both" {
      pl.store %a, %x[%c0, %c0] : ...
      pl.store %b, %y[%c0, %c0] : ...
    }
    // becomes
    %t = pl.at "both_0" { pl.store %a, %x[%c0, %c0] : ... }
    %u = pl.at "both_1" { pl.store %b, %y[%c0, %c0] : ... }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [
    PL_TaskOption<"the tasks of this name only">,
    ListOption<"names", "names", "std::string",
               "a name for each part; without them they are NAME_0, NAME_1, ...">
  ];
  let statistics = [
    Statistic<"numSplit", "split", "Number of tasks split">,
    Statistic<"numParts", "parts", "Number of tasks made of them">
  ];
}

def Spmdize : Pass<"pl-spmdize", "::mlir::func::FuncOp"> {
  let summary = "Make the trips of a task's loop blocks";
  let description = [{
    Needs: as `pl-split-fused-tasks`. Gives: for a `pl.at` with one loop, a
    `pl.spmd` of ceil(trips / tile) blocks of `tile` trips each; the last one may
    have fewer, and zero trips are zero blocks. With `workers` there are that
    many blocks, which share the tiles. Keeps: deps, `early_resolve`, attributes,
    locations, the kind of the loop, and the order of the trips of a block.
    `canonicalize` and `cse` afterwards fold the new arithmetic.

    Refused are loops that carry values, whose step is not a constant or whose
    bounds come from inside the task, bodies that write outside of the loop, that
    notify or wait, and trips that are not provably apart: they touch the same
    elements and one writes, or both add floating-point numbers. Where only the
    data say which elements a trip touches (`cache[slot[t]]`), `assume-disjoint`
    is the caller's word that no two trips touch the same; the races of a run
    check it. A loop of kind `parallel` is such a word too. Neither lets trips
    add to elements that may be the same: the order of a sum is not checked.

    With `task` a refusal is an error; without, every `pl.at` that qualifies is
    changed and what is refused is a remark. The cost is O(a^2) for the `a`
    accesses of one task.

    ```mlir
    %t = pl.at "scale" {
      pl.for range %i = %c0 to %n step %c8 { ... %i ... }
    }
    // becomes, with tile=4
    %blocks = ceil(ceil(%n / 8) / 4)
    %t = pl.spmd "scale" blocks(%blocks) {
    ^bb0(%b: index):
      %first = %b * 32
      pl.for range %i = %first to min(%first + 32, %n) step %c8 { ... %i ... }
    }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    PL_TaskOption<"the tasks of this name only">, PL_NameOption<>,
    Option<"tile", "tile", "int64_t", "1", "trips of a tile">,
    Option<"workers", "workers", "int64_t", "0",
           "number of blocks, which share the tiles; 0: a block for each tile">,
    PL_DistributionOption<"which tiles a worker gets">,
    Option<"assumeDisjoint", "assume-disjoint", "bool", "false",
           "no two trips touch the same elements where only the data say which">
  ];
  let statistics = [
    Statistic<"numSpmdized", "spmdized", "Number of tasks that got blocks">
  ];
}

def FanOutM : Pass<"pl-fan-out-m", "::mlir::func::FuncOp"> {
  let summary = "Share the trips of the loop in each block among more blocks";
  let description = [{
    Needs: as `pl-split-fused-tasks`. Gives: `factor` times as many blocks. Block
    b of the result does what block b % n of the task of n blocks did, for part
    b / n of the trips of the one loop in its body. The row tiles of a product
    are such a loop. Keeps: as `pl-spmdize`, and the order in which blocks add to
    an element, so that the values are the same to the bit.

    Refused is what `pl-spmdize` refuses, except that the bounds of the loop may
    come from inside the block, and blocks that may add floating-point numbers to
    one element in different trips.

    ```mlir
    pl.spmd "product" blocks(%c8) {
    ^bb0(%b: index):
      pl.for range %m = %c0 to %rows step %c16 { ... %b ... }
    }
    // becomes, with factor=4 distribution=strided
    pl.spmd "product" blocks(%c32) {
    ^bb0(%b: index):
      %index = %b % 8
      %first = %b / 8 * 16
      pl.for range %m = %first to %rows step %c64 { ... %index ... }
    }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    PL_TaskOption<"the tasks of this name; needed">, PL_NameOption<>,
    Option<"factor", "factor", "int64_t", "2", "blocks for each one of before">,
    PL_DistributionOption<"which trips a part gets">
  ];
  let statistics = [
    Statistic<"numFannedOut", "fanned-out", "Number of tasks fanned out">
  ];
}

def CoarsenBlocks : Pass<"pl-coarsen-blocks", "::mlir::func::FuncOp"> {
  let summary = "Give each block the work of several";
  let description = [{
    Needs: as `pl-split-fused-tasks`. Gives: a `pl.spmd` of ceil(n / factor)
    blocks for one of n, each of which does the work of `factor` blocks one after
    the other; the last one of those that are left. Keeps: as `pl-spmdize`.

    Refused are tasks that notify or wait, and those whose blocks may add
    floating-point numbers to one element: the order of the sum would change.

    ```mlir
    pl.spmd "norm" blocks(%n) {
    ^bb0(%b: index): ... %b ...
    }
    // becomes, with factor=2
    %blocks = ceil(%n / 2)
    pl.spmd "norm" blocks(%blocks) {
    ^bb0(%c: index):
      %first = %c * 2
      pl.for range %b = %first to min(%first + 2, %n) step %c1 { ... %b ... }
    }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    PL_TaskOption<"the tasks of this name; needed">, PL_NameOption<>,
    Option<"factor", "factor", "int64_t", "2", "blocks that become one">,
    PL_DistributionOption<"which blocks become one">
  ];
  let statistics = [
    Statistic<"numCoarsened", "coarsened", "Number of tasks with fewer blocks">
  ];
}

def FanOutCollective : Pass<"pl-fan-out-collective", "::mlir::func::FuncOp"> {
  let summary = "Share the rows of a push or read-back, and tell by each worker";
  let description = [{
    Needs: as `pl-split-fused-tasks`. The `pl.at` of that name puts rows into
    windows, or does the trips of one loop, and then notifies other ranks. Gives:
    a `pl.spmd` of `workers` blocks, which share the rows of the put, or the trips
    of the loop, in bands of `tile`, the last one clamped; each notifies once when
    it has done its part, also if that is nothing. What awaits or takes off these
    credits anywhere in the function counts `workers` for each one of before.
    Keeps: deps, `early_resolve`, attributes, locations, and the order of peers
    within a band.

    Refused: bodies that also wait, take off credits or do anything else; trips
    that are not provably apart; puts whose number of rows differs from turn to
    turn or whose turns may write one place of a window; credits that cannot be
    followed (`pl-print-credits`). Other functions that use the same signals are
    not looked at.

    ```mlir
    pl.at "push" {
      pl.for range %p = %c0 to %c4 step %c1 {
        pl.put %x[%c0, %c0] to %w[%mine, %c0] peer %p sizes(%n, %c64) : ...
      }
      // notify each rank
    }
    pl.at "wait" { // wait 1 }
    // becomes, with workers=16 tile=8 distribution=strided
    pl.spmd "push" blocks(%c16) {
    ^bb0(%worker: index):
      pl.for range %band = %worker to %bands step %c16 {
        %row = %band * 8; %rows = min(8, %n - %row)
        pl.for range %p = %c0 to %c4 step %c1 {
          pl.put %x[%row, %c0] to %w[%mine + %row, %c0] peer %p sizes(%rows, %c64)
        }
      }
      // notify each rank
    }
    pl.at "wait" { // wait 16 }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    PL_TaskOption<"the tasks of this name">, PL_NameOption<>,
    Option<"workers", "workers", "int64_t", "1", "number of blocks">,
    Option<"tile", "tile", "int64_t", "1", "rows of a band">,
    PL_DistributionOption<"which bands a worker gets">
  ];
  let statistics = [
    Statistic<"numFannedOut", "fanned-out", "Number of tasks that got workers">
  ];
}

def FusePublish : Pass<"pl-fuse-publish", "::mlir::func::FuncOp"> {
  let summary = "Store finished rows straight into the windows of their owners";
  let description = [{
    Needs: inlined functions of phase `pl`, scopes dissolved, dims unified,
    before dependencies are derived. The task `producer` of blocks stores rows of
    a tensor; after it, the task `exchange` puts them into windows and notifies
    before it does anything else. Gives: a task of `workers` blocks, which share
    the blocks of `producer`, strided. Each store goes to where the put would
    have sent the rows: at once if all rows of the tile stay together, else row by
    row. Each worker notifies once when it has done its part, also if that is
    nothing. `exchange` loses its puts
    and these notifies, and waits for the workers; if nothing is left of it, it
    goes too. What awaits or takes off the credits counts `workers` for each one of
    before. Keeps: deps, attributes, locations. The tensor is gone.

    A row says by itself where it goes: the first row of a put is a sum of loop
    counters with constant factors, a number in a mixed radix. Rows that no put
    sends are not stored. `canonicalize` and `cse` afterwards fold the new
    arithmetic.

    Refused: tensors that anything else reads or writes, that come from the
    caller or are added to; puts of parts of rows, of rows that two turns send, or
    to rows of a window that two turns write; loops around the put whose bounds
    only the run knows; places that come from memory; uses of the window or its
    signal by `producer` or between the two tasks; products of the cube; rows that
    go one by one and are no multiples of 32 bytes; credits that cannot be followed
    (`pl-print-credits`). O(rows of the stored tiles).

    ```mlir
    pl.spmd "finish" blocks(%n) { ... pl.store %t, %x[%r, %c0] : ... }
    %done = pl.at "exchange" {
      pl.for range %p = %c0 to %c4 step %c1 {
        %row = %p * 32
        pl.put %x[%row, %c0] to %w[%mine, %c0] peer %p sizes(%rows, %c64) : ...
      }
      // notify each rank; wait 1; ...
    }
    // becomes, with workers=48
    %sent = pl.spmd "finish" blocks(%c48) {
    ^bb0(%worker: index):
      pl.for range %b = %worker to %n step %c48 {
        ...
        %p = %r / 32; %i = %r % 32
        if %i < %rows { pl.remote_store %t, %w[%mine + %i, %c0] peer %p : ... }
      }
      // notify each rank
    }
    %done = pl.at "exchange" deps(%sent : [#pl.edge<user>]) { // wait 48; ... }
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"producer", "producer", "std::string", "\"\"",
           "the task that stores the rows">,
    Option<"exchange", "exchange", "std::string", "\"\"",
           "the task after it that puts them">,
    Option<"workers", "workers", "int64_t", "1", "number of blocks">,
    ListOption<"names", "names", "std::string",
               "names of the two tasks that are made; without them they stay">
  ];
  let statistics = [Statistic<"numFused", "fused", "Number of exchanges fused">];
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

def CheckCoverage : Pass<"pl-check-coverage", "::mlir::func::FuncOp"> {
  let summary = "Check that rows are not left out";
  let description = [{
    Needs an orchestration whose scopes are not outlined yet. Executes the scalar
    code of all scopes for a few values of the dynamic dims, small and odd ones,
    and compares the elements that they touch. PL110, an error:

    * a task reads, or adds to, elements of a tensor of this program that no
      task up to it writes;
    * elements of an output are written by no task, or elements of an input are
      read by no task, although all of them are for other values of a dim.

    Elements of padding do not count: on each axis the element must be the first,
    or one of a dim that the axis is made from, or the axis as long as one of a
    tensor that the caller gets back. Rows that are only missing when a dim is no
    multiple of a tile are reported if a division by that tile rounds down and a
    guard beside the access, `min` with what is left of the dim, says that there
    may be a part of a tile; other dims are counted as assumed. Offsets that come
    from data count as "any element", and so do tasks of too many steps.

    Whether tasks run in the right order is the concern of the edges, and what
    one run really touches that of the simulator. O(tasks x accesses of small
    dims), and at most some million steps.
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of tensors checked">,
    Statistic<"numAssumed", "assumed", "Number of dims taken for multiples of a tile">,
    Statistic<"numUndecided", "undecided", "Number of functions too long to check">];
}

def CheckRaces : Pass<"pl-check-races", "::mlir::func::FuncOp"> {
  let summary = "Check that what runs side by side does not conflict";
  let description = [{
    Needs an orchestration with its edges whose scopes are not outlined yet; what
    `pl-dissolve-scopes` left to say which tasks only their user orders is taken
    away. Executes the scalar code of scopes for values of the dynamic dims and
    compares the elements that they touch. PL112, an error:

    * two blocks of one `pl.spmd` touch the same elements, and one writes them;
    * a task of a manual scope and an earlier task touch the same elements, one
      writes them, and no path of edges orders the two. So does an atomic add
      whose destination is set by a task that nothing orders before it.

    Two atomic adds do not conflict. Only touches count that are executed
    whatever the data are, at places that are known, with known valid extents.
    The conflict must be there for whole tiles, few and many, whatever the other
    dims and the scalars of the caller are. All else is left to the simulator: a
    dim that is no multiple of its tile as the only reason, rows that data choose,
    windows, blocks that wait for signals, tasks that signals may order. O(tasks x
    accesses of small dims), and O(tasks^2) in manual scopes.
  }];
  let statistics = [
    Statistic<"numJudged", "judged", "Number of pairs of accesses that may conflict">,
    Statistic<"numUndecided", "undecided", "Number of pairs that dims decide, or tasks too long to check">];
}

def CheckBounds : Pass<"pl-check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Check that no access leaves its tensor";
  let description = [{
    Needs an orchestration whose scopes are not outlined yet. Executes the scalar
    code of all scopes for a few values of the dynamic dims. PL114, an error:

    * a load, store, read, write or transfer, of a tensor or of a window of any
      rank, touches places outside of it, whatever dims and scalars are tried;
    * it does when a dim is no multiple of a tile, and not when it is one, and a
      guard in the same task, `min` with what is left of the dim, says that the
      dim may end within a tile. A count that is rounded up is no proof: then it
      is a warning.

    Only what is executed whatever the data are counts, with valid extents as far
    as they are known: a load of as many rows as there are is fine. Rows that
    data choose, and dims that are too large for the buffers of a program, are
    left to the simulator. O(tasks x accesses of small dims), and at most some
    million steps.
  }];
  let statistics = [
    Statistic<"numJudged", "judged", "Number of accesses that leave a tensor for some dims">,
    Statistic<"numUndecided", "undecided", "Number of those that others dims keep inside">];
}

def CheckWindows : Pass<"pl-check-windows", "::mlir::ModuleOp"> {
  let summary = "Check that what tasks and ranks give each other is read where it is written";
  let description = [{
    Needs calls inlined, tasks not outlined yet. Executes the scalar code of all
    ranks that a host program launches, as `pl-check-bounds` does, with the ranks
    and scalars of the launch. PL115, an error:

    * a transfer, store, load or notify of a rank that is not there;
    * a read of elements of a window of which no rank ever writes a single one,
      or of a tensor of the program of which no task does. Only reads that a dim
      or a scalar counts: those of a fixed number of rows may read padding.

    All dims and scalars that are tried must show it: few and odd ones, whole
    tiles, and dims for the tokens of a rank or of all of them. Order is not its
    concern, nor are windows in two shapes, unknown numbers of ranks, or rows
    that data choose. O(ranks x accesses of small dims).
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of ops that were executed">,
    Statistic<"numUndecided", "undecided", "Number of programs left to the simulator">];
}

def CheckLaunches : Pass<"pl-check-launches", "::mlir::ModuleOp"> {
  let summary = "Check the dims and the tensors of what host programs launch";
  let description = [{
    Needs phase `pl`. A host program binds a dynamic dim of a program that it
    launches from the extent of a tensor that it is given. PL113:

    * a parameter of the host program has a number where the program has a
      dynamic dim, although other dims of the launch are bound: a warning; an
      error if another parameter gives the same dim an extent of the run;
    * two dims of the host program for one of the program, or one, by the name
      that it has there, for two: a warning, for the run compares them.

    A host program that has numbers everywhere is for these sizes, and a part of
    a tensor that it chooses itself is its own concern; so are windows.

    PL117: one tensor, or one part of it, for two parameters of a program that
    writes one of them: an error, for edges are derived by tensor. Parts that
    overlap otherwise, and windows of one buffer, are left to the simulator.

    ```mlir
    // The program has [#pl.dim<"T">] and [#pl.dim<"PAGES">].
    func.func @host(%x: memref<2x?x64xf32> {pl.dims = [#pl.dim<"T">]},
                    %cache: memref<2x16x64xf32>)
    // warning: PL113: axis 1 of 'cache' is always 16 here, but ...
    ```
  }];
  let statistics = [Statistic<"numChecked", "checked", "Number of axes checked">];
}

def CheckSignalOrder : Pass<"pl-check-signal-order", "::mlir::ModuleOp"> {
  let summary = "Check that credits are not lost, and that ranks do not wait in a circle";
  let description = [{
    PL116. Needs calls inlined, edges derived, tasks not outlined yet. Executes
    the scalar code of all ranks that a host program launches, as
    `pl-check-windows` does, which gives a list of adds, sets and waits for each
    block. Then it runs these lists, with a core for every block: each such run is
    one that the machine may choose. Errors:

    * a notify that sets a cell, or a `pl.write` of one, and an add of another
      block, where in one run the first comes before the second and in another
      run after it;
    * a wait that the run does not get past as a negative add or a set took away
      what it counts; waits that no edge orders before that are looked at last;
    * waits of ranks that each come before what ends another one of them.

    Undecided, and left to the simulator: what data decide or who is told by a
    number that only the run has, tasks in loops and branches, collectives,
    signals that are stored to, buffers in two shapes, more than 8 ranks. What is
    reported is there for all of a few values of the dims and scalars.
    O(ranks x (tasks + edges + events)) for a run, and up to 64 runs where cells
    are both set and added to, or taken off without an order.

    ```mlir
    pl.notify add %minus, %cells[%peer, %c0] peer %me : memref<2x1xi32, #pl.window>
    pl.wait ge %c2, %cells[%peer, %c0] : memref<2x1xi32, #pl.window>
    // error: PL116: waits for 2 in 'cells'[1, 0], but of what was sent 1 is taken off before
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of events of signals">,
    Statistic<"numUndecided", "undecided", "Number of host programs left to the simulator">
  ];
}

def CheckSignals : Pass<"pl-check-signals", "::mlir::ModuleOp"> {
  let summary = "Check that what is waited for can arrive";
  let description = [{
    PL111: a wait for more than all notifies of the cell add up to. Needs: calls
    inlined, tasks not outlined yet. Signals begin at zero, so the sum over a run
    is a bound. A notify counts once for each turn, block and rank that can tell
    the same cell: not those that its peer and offsets tell apart. A wait that all
    ranks reach is checked on each rank that a notify names, and on the others; one
    in a branch, where most arrives. In the cell that stands for the waiting
    rank itself, a notify counts only where its sender may be that rank: not with a
    peer, or branches around it, that say it is another one.

    Undecided, and left to the simulator: values, bounds and numbers of ranks that
    only the run knows, signals that something else writes, buffers with views of
    two shapes.

    ```mlir
    // Of four blocks each adds 1.
    pl.wait ge %c8, %cells[%peer, %c0] : memref<2x1xi32, #pl.window>
    // error: PL111: waits for 8, but at most 4 arrive in this cell of 'cells'
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of waits checked">,
    Statistic<"numUndecided", "undecided", "Number of waits left to the simulator">
  ];
}

def PrintCredits : Pass<"pl-print-credits", "::mlir::func::FuncOp"> {
  let summary = "Say what the signals of a function count";
  let description = [{
    A remark at each notify and wait of a function of phase `pl` whose calls are
    inlined: what arrives in one cell by it, over all blocks, turns and senders,
    what it awaits, or what it takes off. An error where the credits cannot be
    followed: amounts that are no constants, branches other than "all ranks but
    this one", a wait for another number than all that was sent before it in
    program order and not taken off. Changes nothing.

    ```mlir
    pl.notify add %one, %told[%me, %c0] peer %peer : ...
    // remark: sends 1 in cell [*, 0] of 'told'
    ```
  }];
  let statistics = [Statistic<"numUses", "uses", "Number of notifies and waits">];
}

def CheckWaits : Pass<"pl-check-waits", "::mlir::ModuleOp"> {
  let summary = "Check that blocking waits come after what this rank says itself";
  let description = [{
    Needs launches with their edges (phase `tasks`). PL106, a warning: a task
    that blocks its core in a wait has told nobody anything before in its own
    kernel, and no task on the way to it notifies that signal. It may start
    first, and once such waits hold all cores, the notifies that the other ranks
    wait for cannot run. A task that waits for a signal which only others give
    is fine as soon as it waits for some task.

    Deferred waits hold no core and are left alone. Whether the signal comes,
    and in time, is left to the simulator. O(launches x edges). It looks from a
    program into the kernels, which may change while passes run on them: so it
    runs on the module.
  }];
  let statistics = [Statistic<"numChecked", "checked", "Number of waits checked">];
}

def CheckSync : Pass<"pl-check-sync", "::mlir::pl::KernelOp"> {
  let summary = "Check that flags and barriers order all that shares bytes";
  let description = [{
    Needs phase `tiles`. Follows the flags as tokens and the barriers along all
    paths, in its own way: it knows nothing of how they were put there.

    * PL201: two ops on different pipes, or on one that does not finish in order,
      share bytes, at least one writes, and some path orders them by nothing.
    * PL202: a flag is set while its last token may still be there.
    * PL203: a wait for a flag that is not set on every path.
    * PL204: the kernel ends before a store has landed, or with a flag set.

    Bytes of a GM tensor count as one; on-chip bytes are exact. Loops are
    followed until nothing changes: O(ops x work under way x nesting).
  }];
  let statistics = [Statistic<"numChecked", "checked", "Number of ops checked">];
}

def CheckHandshakes : Pass<"pl-check-handshakes", "::mlir::pl::KernelOp"> {
  let summary = "Check that both sides of a mixed kernel run the same handshakes";
  let description = [{
    Plays the pushes and pops of the cube and of both vector lanes against each
    other, with the slots and credits of the rings. PL205: a core waits for a
    tile or slot that never comes, or tiles are left in a ring. Decided where the
    number of handshakes is constant; handshakes under run-time conditions and in
    loops of unknown length are left to the simulator, which reports the same.
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of mixed kernels decided">,
    Statistic<"numUndecided", "undecided", "Number of mixed kernels left to the simulator">
  ];
}

def CheckValid : Pass<"pl-check-valid", "::mlir::pl::KernelOp"> {
  let summary = "Check that valid boxes of operands fit together";
  let description = [{
    PL101: two operands of an elementwise op have valid boxes of which neither
    is known to lie inside the other, so no box of the result is right. Decided
    from the values of the extents; boxes that change from iteration to
    iteration are left to the simulator.
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Number of operand pairs decided">,
    Statistic<"numUndecided", "undecided", "Number of operand pairs left to the simulator">
  ];
}

def CheckOperations : Pass<"pl-check-operations", "::mlir::pl::KernelOp"> {
  let summary = "Check that the machine has each tile operation for its element type";
  let description = [{
    PL102: the machine has no instruction for this operation on tiles of this
    type, such as arithmetic on bf16. The user casts, so that each rounding is in
    the source. Conversions themselves are `pl-legalize-casts`' to judge.
  }];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
}

//===----------------------------------------------------------------------===//
// Kernels: phase `tasks` to phase `tiles`
//===----------------------------------------------------------------------===//

def ExpandSelects : Pass<"pl-expand-selects", "::mlir::pl::KernelOp"> {
  let summary = "Turn selections between tiles back into branches";
  let description = [{
    Canonicalization turns an `scf.if` that only yields into `arith.select`. A
    core selects numbers, not tiles. Gives: no `arith.select` of tiles; runs after
    each canonicalization of tile values.

    ```mlir
    %t = arith.select %c, %a, %b : !pl.tile<8x64xf32>
    // becomes
    %t = scf.if %c -> (!pl.tile<8x64xf32>) {
      scf.yield %a : !pl.tile<8x64xf32>
    } else {
      scf.yield %b : !pl.tile<8x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Number of selections changed">];
}

def LegalizeCasts : Pass<"pl-legalize-casts", "::mlir::pl::KernelOp"> {
  let summary = "Split conversions into those the machine has";
  let description = [{
    A conversion that is not one instruction becomes the shortest chain of
    instructions, each with the conversion's rounding. An unreachable pair is an
    error; a conversion to the same type disappears.

    ```mlir
    %y = pl.cast %x rint : !pl.tile<8x64xi8> -> !pl.tile<8x64xf32>
    // becomes
    %h = pl.cast %x rint : !pl.tile<8x64xi8> -> !pl.tile<8x64xf16>
    %y = pl.cast %h rint : !pl.tile<8x64xf16> -> !pl.tile<8x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numHops", "hops", "Number of conversions added">];
}

def LegalizeGathers : Pass<"pl-legalize-gathers", "::mlir::pl::KernelOp"> {
  let summary = "Turn per-row gather indices into indices of the whole tile";
  let description = [{
    The instruction counts elements of the whole source. `out[r, c] =
    x[r, index[r, c]]` becomes a `flat` gather with `index + r * columns`.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numFlattened", "flattened", "Number of gathers changed">];
}

def TileMatmul : Pass<"pl-tile-matmul", "::mlir::pl::KernelOp"> {
  let summary = "Cut matmuls into pieces that fit the operand memories";
  let description = [{
    Gives: every matmul reads `left` and `right` tiles made by `pl.extract`.
    K is cut where an operand does not fit; pieces accumulate by ascending k, so
    values do not change. A product that does not fit the accumulator is an error.

    ```mlir
    %c = pl.matmul %a, %b : !pl.tile<16x512xbf16>, !pl.tile<512x128xbf16> -> !pl.tile<16x128xf32>
    // becomes, for each piece of K,
    %l = pl.extract %a[0, 0] : ... -> !pl.tile<16x256xbf16, left>
    %r = pl.extract %b[0, 0] : ... -> !pl.tile<256x128xbf16, right>
    %c = pl.matmul %l, %r : ... -> !pl.tile<16x128xf32, acc>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numPieces", "pieces", "Number of products made">];
}

def InlineLanes : Pass<"pl-inline-lanes", "::mlir::pl::KernelOp"> {
  let summary = "Turn regions of vector lanes into plain code";
  let description = [{
    The body of each `pl.split_aiv` goes where the region was; the lane is
    `pl.subblock_idx`. The kernel gets the attribute `pl.lanes`, and so does each
    op of a region that changes memory: both lanes do it, while the rest of the
    kernel happens once.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numRegions", "regions", "Number of regions inlined">];
}

def InsertCrossings : Pass<"pl-insert-crossings", "::mlir::pl::KernelOp"> {
  let summary = "Move tiles between the two sides of mixed kernels";
  let description = [{
    Works on kernels of kind `mix`, after products are cut. A product that
    vector work uses moves to `vec` right after it is made, a vector tile that
    the cube reads moves to `mat`; each moves once. Tiles go over whole and get
    their valid box on the other side. PL107: a valid extent that is not one
    value, or an accumulator that starts from a vector tile.

    ```mlir
    %c = pl.matmul %l, %r : ... -> !pl.tile<16x64xf32>
    %e = pl.exp %c : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    // becomes
    %v = pl.move %c : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    %e = pl.exp %v : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numCrossings", "crossings", "Number of moves made">];
}

def AssignMemorySpaces : Pass<"pl-assign-memory-spaces", "::mlir::pl::KernelOp"> {
  let summary = "Say which memory holds each tile";
  let description = [{
    Operands of the cube are loaded to `mat`, products stay in `acc`, all else
    lives in `vec`. Values that a loop or branch carries share one memory. A
    tile that would need two memories is an error at the op that asks. A
    window of a vector tile whose rows are apart becomes a `pl.extract`.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [
    Statistic<"numTiles", "tiles", "Number of tiles assigned">,
    Statistic<"numCopies", "copies", "Number of windows copied">
  ];
}

def OrderSides : Pass<"pl-order-sides", "::mlir::pl::KernelOp"> {
  let summary = "Order what both sides of mixed kernels do to global memory";
  let description = [{
    Needs: tiles in their memories. Where one side of a kernel of kind `mix` reads
    or writes bytes of a tensor that the other side accesses later, in this turn
    of a loop or the next, one of them writing, a tile must cross between the two
    from the first side to the second, on every path. If none does, a small one is
    made to, right before the second access, or at the end of the loop's body. Such
    a crossing has the attribute `pl.fence`: `pl-insert-sync` puts it behind all
    accesses of global memory before it, and those after it behind it. Accesses
    that are disjoint, of the same turn or of all turns, and atomic adds among
    themselves need no order. Compares every access of a shared tensor with every
    other one of its block.

    ```mlir
    pl.store %c, %z[%r, %c0] : !pl.tile<16x64xf32, acc>, memref<64x64xf32>
    %v = pl.load %z[%r, %c0] : memref<64x64xf32> -> !pl.tile<16x64xf32, vec>
    // becomes
    pl.store %c, %z[%r, %c0] : !pl.tile<16x64xf32, acc>, memref<64x64xf32>
    %t = pl.empty : !pl.tile<16x16xf32, acc>
    %f = pl.move %t {pl.fence} : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
    %v = pl.load %z[%r, %c0] : memref<64x64xf32> -> !pl.tile<16x64xf32, vec>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numFences", "fences", "Number of crossings made">];
}

def SplitMixedKernels : Pass<"pl-split-mixed-kernels", "::mlir::ModuleOp"> {
  let summary = "Make the cube and the vector side of mixed kernels";
  let description = [{
    Needs: tiles in their memories. Each side gets what it does to memory, the
    handshakes, and the scalars and control flow that these depend on. A move
    between the sides becomes `pl.push` on one and `pl.pop` on the other, so that
    both run the same handshakes in the same order on every path. The second
    vector lane replays the handshakes with empty tiles: the cube waits for both.
    The slots lie in a workspace, a new last tensor of the kernel, which each
    launch allocates: one row per block, one ring per direction, `pl.slots`
    slots (2) of the largest tile.

    * PL108: a condition, bound or number that one side needs comes from a tile
      of the other.
    * PL109: the slots do not fit the memory that receives the tiles.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [
    Statistic<"numSplit", "kernels", "Number of kernels split">,
    Statistic<"numCrossings", "crossings", "Number of pairs of push and pop">
  ];
}

def PipelineLoops : Pass<"pl-pipeline-loops", "::mlir::pl::KernelOp"> {
  let summary = "Expand pipelined loops";
  let description = [{
    Gives: `scf.for` only. A loop of n stages becomes n copies of its body per
    iteration, so that each copy has buffers of its own; what is left runs in a
    loop after it. Results do not change.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPipelined", "pipelined", "Number of loops expanded">];
}

def ReloadOperands : Pass<"pl-reload-operands", "::mlir::pl::KernelOp"> {
  let summary = "Extract shared operands of products again where they do not fit";
  let description = [{
    Equal operands of several products, as the copies of a pipelined loop have,
    are one `pl.extract` whose tile would stay in `left` or `right` from the first
    product to the last. Where all of these do not fit beside one more operand,
    each product gets an extract of its own.
  }];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numReloads", "reloads", "Number of extracts made">];
}

def BufferizeTiles : Pass<"pl-bufferize-tiles", "::mlir::pl::KernelOp"> {
  let summary = "Turn tile values into buffers with destinations";
  let description = [{
    Needs: memory spaces. Gives: the buffer form, without addresses. Carried
    and merged tiles share one buffer; where two of them are live at once the
    tile is copied. Valid extents become operands of the op that makes a buffer.
    Scratch that an instruction needs becomes an operand.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers made">,
    Statistic<"numCopies", "copies", "Number of tiles copied">
  ];
}

def PlanMemory : Pass<"pl-plan-memory", "::mlir::pl::KernelOp"> {
  let summary = "Give each buffer an address";
  let description = [{
    Buffers that are live together do not overlap; an op's destination takes the
    storage of a source that dies there only where the instruction allows it.
    Buffers that one pipelined loop loads keep storage of their own for the
    whole loop when there is room. When a memory is too small the error lists
    what is live at the fullest point.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"peakVecBytes", "peak-vec-bytes", "Largest use of vec by a kernel">];
}

def InsertSync : Pass<"pl-insert-sync", "::mlir::pl::KernelOp"> {
  let summary = "Order the pipes of a core where they share bytes";
  let description = [{
    Needs: addresses. For each op and each earlier op on bytes it shares
    (on chip or of one tensor; at least one of them writes) that may still be
    under way: a barrier if both run on one pipe, else a flag from the earlier
    pipe to the later one, set and awaited just before the later op. An event is
    set again only when its pipe knows that the last token is gone; where it
    cannot know, a handshake in the other direction tells it. Paths through loops
    and branches are joined, so a loop that runs zero times orders nothing. The
    kernel ends with all pipes drained.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [
    Statistic<"numFlags", "flags", "Number of flag pairs">,
    Statistic<"numBarriers", "barriers", "Number of barriers">
  ];
}

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

def CheckPhase : Pass<"pl-check-phase", "::mlir::ModuleOp"> {
  let summary = "Check the contract of a phase and name it in pl.phase";
  let description = [{
    Runs at the end of each phase. `pl`: parameters are named, nothing is
    outlined. `tasks`: one function, launches of whole tensors, no calls and no
    core-group scopes. `tiles`: no tile values, every buffer has an address.
    docs/Phases.md has the contracts in full; what an op by itself must hold is
    left to its verifier.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"\"",
                        "The phase: pl, tasks or tiles">];
}

#endif // PL_DIALECT_PL_TRANSFORMS_PASSES

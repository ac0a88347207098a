//===- SchedulePasses.td - Other tasks, same values -----------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_SCHEDULEPASSES
#define PL_DIALECT_PL_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

// All of them take phase `pl` with its calls inlined, and leave it so.

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

#endif // PL_DIALECT_PL_TRANSFORMS_SCHEDULEPASSES

//===- CheckPasses.td - What is wrong with a program -------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_CHECKPASSES
#define PL_DIALECT_PL_TRANSFORMS_CHECKPASSES

include "mlir/Pass/PassBase.td"

class PL_RemarksOnly
    : Option<"remarksOnly", "remarks-only", "bool", "false",
             "say what is not lowered as remarks, and stop there">;
def PL_RemarksOnlyOption : PL_RemarksOnly;

// None of them changes the program, but for notes that one check is for.

def CheckLowerable : Pass<"pl-check-lowerable", "::mlir::ModuleOp"> {
  let summary = "Refuse what a phase does not take yet";
  let description = [{
    Phase `pl` holds the whole language. This pass stands at the door of a later
    phase and names each kind of construct, at its first place, that is not
    lowered yet. At that of `tasks`: tasks inside run-time loops and branches, ops
    with the trait `NotLoweredYet` that start or order tasks. At that of `tiles`:
    all other ops with that trait, some element types and memories. Changes
    nothing.
  }];
  let options = [
    Option<"door", "to", "::mlir::pl::Door", "::mlir::pl::Door::tasks",
           "the phase behind the door",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pl::Door::tasks, "tasks", "from phase pl"),
             clEnumValN(::mlir::pl::Door::tiles, "tiles", "from phase tasks"))}]>,
    PL_RemarksOnlyOption
  ];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what is left to the simulator, and why (PL097)">];
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

#endif // PL_DIALECT_PL_TRANSFORMS_CHECKPASSES

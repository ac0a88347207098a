// Edges that only the run knows.
// RUN: pl-opt %s -pl-resolve-task-arrays -split-input-file -verify-diagnostics
// RUN: sed 's/expected-.*//' %s | not pl-opt -pl-resolve-task-arrays=remarks-only -split-input-file 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: remark: an array of tasks with an index that only the run knows is not lowered past phase 'pl' yet: what later phases check of this entry is undecided
// CHECK: remark: an edge to a task that a run-time loop or branch chooses is not lowered past phase 'pl' yet

func.func @read(%i: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %empty = pl.task_array : !pl.task_array<3>
  // expected-error @+1 {{PL099: an array of tasks with an index that only the run knows is not lowered past phase 'pl' yet}}
  %slot = pl.task_slot %empty[%i] : !pl.task_array<3>
  %a = pl.dummy deps(%slot : [#pl.edge<user>])
  return
}

// -----

func.func @written(%i: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %empty = pl.task_array : !pl.task_array<3>
  %a = pl.dummy
  // expected-error @+1 {{PL099: an array of tasks with an index that only the run knows is not lowered past phase 'pl' yet}}
  %one = pl.task_set %empty[%i] = %a : !pl.task_array<3>
  %slot = pl.task_slot %one[%c0] : !pl.task_array<3>
  %b = pl.dummy deps(%slot : [#pl.edge<user>])
  return
}

// -----

func.func @chosen(%c: i1) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %a = pl.dummy
  %b = pl.dummy
  // expected-error @+1 {{PL099: an edge to a task that a run-time loop or branch chooses is not lowered past phase 'pl' yet}}
  %one = scf.if %c -> !pl.task {
    scf.yield %a : !pl.task
  } else {
    scf.yield %b : !pl.task
  }
  %d = pl.dummy deps(%one : [#pl.edge<user>])
  return
}

// -----

// The array, not the index, is what only the run knows.
func.func @chosen_array(%c: i1) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %one = pl.task_array : !pl.task_array<3>
  %a = pl.dummy
  %c0 = arith.constant 0 : index
  %two = scf.if %c -> !pl.task_array<3> {
    %set = pl.task_set %one[%c0] = %a : !pl.task_array<3>
    scf.yield %set : !pl.task_array<3>
  } else {
    scf.yield %one : !pl.task_array<3>
  }
  // expected-error @+1 {{PL099: an array of tasks that a run-time loop or branch chooses is not lowered past phase 'pl' yet}}
  %all = pl.task_join %two : !pl.task_array<3>
  %d = pl.dummy deps(%all : [#pl.edge<user>])
  return
}

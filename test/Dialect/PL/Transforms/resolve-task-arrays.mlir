// Edges to slots of arrays become edges to the tasks in them.
// RUN: pl-opt %s -pl-resolve-task-arrays | FileCheck %s --implicit-check-not=task_
// RUN: pl-opt %s -pl-resolve-task-arrays | pl-opt | FileCheck %s

// CHECK-LABEL: func.func @slots
func.func @slots() attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %none = pl.task_none
  %empty = pl.task_array : !pl.task_array<7>
  // CHECK: %[[A:.*]] = pl.at "a" {
  %a = pl.at "a" deps(%none : [#pl.edge<user>]) {
  }
  // CHECK: %[[B:.*]] = pl.dummy
  %b = pl.dummy
  // CHECK: %[[C:.*]] = pl.at "c" {
  %c = pl.at "c" {
  }
  %one = pl.task_set %empty[%c6] = %a : !pl.task_array<7>
  %two = pl.task_set %one[%c1] = %b : !pl.task_array<7>
  %three = pl.task_set %two[%c6] = %c : !pl.task_array<7>

  // An array is a value: the earlier one has the earlier task.
  // CHECK: pl.at "earlier" deps(%[[A]] : [#pl.edge<user>]) {
  %old = pl.task_slot %two[%c6] : !pl.task_array<7>
  %d = pl.at "earlier" deps(%old : [#pl.edge<user>]) {
  }
  // CHECK: pl.at "later" deps(%[[C]], %[[B]] : [#pl.edge<user>, #pl.edge<user>]) {
  %new = pl.task_slot %three[%c6] : !pl.task_array<7>
  %e = pl.at "later" deps(%new, %b : [#pl.edge<user>, #pl.edge<user>]) {
  }
  // A slot without a task, and a task that is named twice.
  // CHECK: pl.at "twice" deps(%[[B]] : [#pl.edge<user>]) {
  %missing = pl.task_slot %three[%c0] : !pl.task_array<7>
  %again = pl.task_slot %three[%c1] : !pl.task_array<7>
  %f = pl.at "twice" deps(%missing, %b, %again : [#pl.edge<user>, #pl.edge<user>, #pl.edge<user>]) {
  }
  // All of an array, but not what was overwritten; and what one slot takes over
  // from another.
  // CHECK: pl.dummy deps(%[[C]], %[[B]] : [#pl.edge<user>, #pl.edge<user>])
  %all = pl.task_join %three : !pl.task_array<7>
  %g = pl.dummy deps(%all : [#pl.edge<user>])
  %moved = pl.task_set %empty[%c0] = %old : !pl.task_array<7>
  %nested = pl.task_slot %moved[%c0] : !pl.task_array<7>
  // CHECK: pl.dummy deps(%[[A]] : [#pl.edge<user>])
  %h = pl.dummy deps(%nested : [#pl.edge<user>])
  // CHECK: return
  return
}

// RUN: pl-opt %s | pl-opt | FileCheck %s
// RUN: pl-opt --mlir-print-op-generic %s | pl-opt | FileCheck %s
// RUN: pl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @arrays
func.func @arrays(%i: index) -> (!pl.task, !pl.task, !pl.task) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = pl.dummy "a"
  %a = pl.dummy "a"
  // CHECK: pl.task_none
  %none = pl.task_none
  // CHECK: %[[T:.*]] = pl.task_array : !pl.task_array<2>
  %t = pl.task_array : !pl.task_array<2>
  // CHECK: %[[S:.*]] = pl.task_set %[[T]][%c0] = %[[A]] : !pl.task_array<2>
  %s = pl.task_set %t[%c0] = %a : !pl.task_array<2>
  %u = pl.task_set %s[%c1] = %none : !pl.task_array<2>
  %w = pl.task_set %u[%i] = %none : !pl.task_array<2>
  // CHECK: pl.task_slot %{{.*}}[%c0] : !pl.task_array<2>
  %known = pl.task_slot %u[%c0] : !pl.task_array<2>
  %unknown = pl.task_slot %w[%c0] : !pl.task_array<2>
  // CHECK: pl.task_join %{{.*}} : !pl.task_array<2>
  %all = pl.task_join %u : !pl.task_array<2>
  // A slot is the task that was put there, when that is known.
  // FOLD-LABEL: func.func @arrays
  // FOLD: %[[A:.*]] = pl.dummy "a"
  // FOLD: %[[U:.*]] = pl.task_slot
  // FOLD: return %[[A]], %[[U]]
  return %known, %unknown, %all : !pl.task, !pl.task, !pl.task
}

// CHECK-LABEL: func.func @scopes
func.func @scopes(%m: memref<8x1xi32>, %i: index) {
  // CHECK: pl.scope auto {
  pl.scope auto {
  }
  // CHECK: %{{.*}} = pl.scope manual -> (!pl.task) {
  %r = pl.scope manual -> (!pl.task) {
    %d = pl.dummy
    // CHECK: pl.yield %{{.*}} : !pl.task
    pl.yield %d : !pl.task
  }
  // CHECK: pl.cluster "pair" {
  pl.cluster "pair" {
    // CHECK: pl.at {
    %t = pl.at {
      // CHECK-NEXT: pl.no_dep %{{.*}} : memref<8x1xi32>
      // CHECK-NEXT: pl.dump %{{.*}} : memref<8x1xi32>
      // CHECK-NEXT: pl.predicate %{{.*}}[%{{.*}}, %{{.*}}] le -3 : memref<8x1xi32>
      pl.no_dep %m : memref<8x1xi32>
      pl.dump %m : memref<8x1xi32>
      pl.predicate %m[%i, %i] le -3 : memref<8x1xi32>
    }
  }
  // CHECK: pl.hierarchy "CHIP" role "Orchestrator" name "chip" {
  pl.hierarchy "CHIP" role "Orchestrator" name "chip" {
  }
  return
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pl.array : memref<4xi32>
  %a = pl.array : memref<4xi32>
  // CHECK: pl.undefined : index
  %u = pl.undefined : index
  %r = pl.for range %i = %c0 to %n step %c1 iter(%x = %u : index) {
    scf.if %c {
      // CHECK: pl.break %{{.*}} : index
      pl.break %x : index
    }
    pl.yield %i : index
  }
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.if %c {
      // CHECK: pl.continue
      pl.continue
    }
    scf.yield
  }
  return
}

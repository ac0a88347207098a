// Where only the data say which elements a trip touches, the user says that no
// two trips touch the same.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=scatter}))' -verify-diagnostics -split-input-file
// RUN: sed '/expected-/d' %s > %t.mlir
// RUN: pl-opt %t.mlir --pass-pipeline='builtin.module(func.func(pl-spmdize{task=scatter assume-disjoint},canonicalize))' -split-input-file 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @told(
// CHECK: pl.spmd "scatter" blocks
func.func @told(%x: memref<?x16xf32> {pl.name = "x"}, %slot: memref<?xi32> {pl.name = "slot"}, %y: memref<?x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-error @+1 {{cannot make blocks of task 'scatter': the data say which elements of 'y' a trip of its loop touches, so that two trips may write the same; if no two do, say so with `assume_disjoint`, which a run then checks}}
  %t = pl.at "scatter" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %n step %c1 {
      %s = pl.read %slot[%i] : memref<?xi32> -> i32
      %row = arith.index_cast %s : i32 to index
      %a = pl.load %x[%i, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{written here}}
      pl.store %a, %y[%row, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

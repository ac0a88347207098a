// The word of the user does not make one place several, and does not order sums.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=job assume-disjoint}))' -verify-diagnostics -split-input-file

func.func @same_place(%x: memref<8xf32> {pl.name = "x"}, %y: memref<4xf32> {pl.name = "y"}, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': each trip of its loop writes the same elements of 'y'}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      %f = pl.read %x[%i] : memref<8xf32> -> f32
      // expected-note @+1 {{written here}}
      pl.write %f, %y[%k] : f32, memref<4xf32>
    }
  }
  return
}

// -----

func.func @sum(%x: memref<?x16xf32> {pl.name = "x"}, %slot: memref<?xi32> {pl.name = "slot"}, %y: memref<?x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-error @+1 {{cannot make blocks of task 'job': trips of its loop may add to the same elements of 'y', and such sums depend on the order}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %n step %c1 {
      %s = pl.read %slot[%i] : memref<?xi32> -> i32
      %row = arith.index_cast %s : i32 to index
      %a = pl.load %x[%i, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{added to here}}
      pl.store %a, %y[%row, %c0] atomic add : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

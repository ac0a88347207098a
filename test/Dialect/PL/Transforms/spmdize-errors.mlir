// What keeps the trips of a loop in one block, said at the task with the lines.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=job}))' -verify-diagnostics -split-input-file
// RUN: sed 's/expected-error/expected-remark/' %s > %t.mlir
// RUN: pl-opt %t.mlir --pass-pipeline='builtin.module(func.func(pl-spmdize))' -verify-diagnostics -split-input-file > %t.after
// RUN: pl-opt %t.mlir -split-input-file | diff - %t.after
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=job tile=0}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=job workers=-2}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=WORKERS
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{name=x}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=jpb}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=TYPO

// TILE: error: cannot make blocks of task 'job': tile is 0, but must be between 1 and 2147483647
// WORKERS: error: cannot make blocks of task 'job': workers is -2, but must be between 1 and 2147483647
// NAME: error: pl-spmdize needs the option task=NAME to give a task the name 'x'
// TYPO: warning: there is no task 'jpb' in 'no_loop'

func.func @no_loop(%x: memref<8xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot make blocks of task 'job': there is no loop in its body whose trips could be shared}}
  %t = pl.at "job" {
    pl.write %f, %x[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @two_loops(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': its body has 2 loops, and only the trips of one can be shared}}
  %t = pl.at "job" {
    // expected-note @+1 {{a loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
    // expected-note @+1 {{a loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      pl.write %f, %y[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @carries(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<1x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop needs what the trip before gives}}
  %t = pl.at "job" {
    %zero = pl.load %y[%c0, %c0] : memref<1x16xf32> -> !pl.tile<1x16xf32>
    // expected-note @+1 {{the loop is here}}
    %sum = pl.for range %i = %c0 to %c8 step %c1 iter(%a = %zero : !pl.tile<1x16xf32>) {
      %b = pl.load %x[%i, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
      %c = pl.add %a, %b : !pl.tile<1x16xf32>, !pl.tile<1x16xf32> -> !pl.tile<1x16xf32>
      pl.yield %c : !pl.tile<1x16xf32>
    }
    pl.store %sum, %y[%c0, %c0] : !pl.tile<1x16xf32>, memref<1x16xf32>
  }
  return
}

// -----

func.func @step(%x: memref<8xf32> {pl.name = "x"}, %f: f32, %step: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': the step of its loop is not known before it runs}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %step {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @bounds(%x: memref<8xf32> {pl.name = "x"}, %count: memref<1xi32> {pl.name = "count"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot make blocks of task 'job': how often its loop runs is known only inside of it, but the number of blocks is needed before}}
  %t = pl.at "job" {
    // expected-note @+1 {{this is known only inside}}
    %number = pl.read %count[%c0] : memref<1xi32> -> i32
    %end = arith.index_cast %number : i32 to index
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %end step %c1 {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @writes_besides(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': it does more than its loop, and each block would write 'y' again}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
    // expected-note @+1 {{written here}}
    pl.write %f, %y[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @reads_besides(%x: memref<8xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': its loop writes 'x', which each block would read outside of the loop}}
  %t = pl.at "job" {
    // expected-note @+1 {{read here}}
    %f = pl.read %x[%c0] : memref<8xf32> -> f32
    pl.for range %i = %c0 to %c8 step %c1 {
      // expected-note @+1 {{written here}}
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @same_place(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<1x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': each trip of its loop writes the same elements of 'y'}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      %a = pl.load %x[%i, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{written here}}
      pl.store %a, %y[%c0, %c0] : !pl.tile<1x16xf32>, memref<1x16xf32>
    }
  }
  return
}

// -----

// The next row of the trip before.
func.func @neighbour(%x: memref<?x16xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop may touch elements of 'x' that another writes}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c1 to %n step %c1 {
      %before = arith.subi %i, %c1 : index
      // expected-note @+1 {{read here}}
      %a = pl.load %x[%before, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{written here}}
      pl.store %a, %x[%i, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

// -----

// Boxes of 8 rows every 5.
func.func @overlap(%x: memref<?x16xf32> {pl.name = "x"}, %y: memref<?x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop may write elements of 'y' that another writes}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %n step %c5 {
      %a = pl.load %x[%i, %c0] : memref<?x16xf32> -> !pl.tile<8x16xf32>
      // expected-note @+1 {{written here}}
      pl.store %a, %y[%i, %c0] : !pl.tile<8x16xf32>, memref<?x16xf32>
    }
  }
  return
}

// -----

func.func @sum(%x: memref<?x16xf32> {pl.name = "x"}, %sum: memref<4x16xf32> {pl.name = "sum"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-error @+1 {{cannot make blocks of task 'job': trips of its loop may add to the same elements of 'sum', and such sums depend on the order}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %n step %c1 {
      %a = pl.load %x[%i, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      %row = arith.remsi %i, %c4 : index
      // expected-note @+1 {{added to here}}
      pl.store %a, %sum[%row, %c0] atomic add : !pl.tile<1x16xf32>, memref<4x16xf32>
    }
  }
  return
}

// -----

func.func @signal(%x: memref<8xf32> {pl.name = "x"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot make blocks of task 'job': it notifies or waits, and others count on how often and when}}
  %t = pl.at "job" {
    pl.for range %i = %c0 to %c8 step %c1 {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
    // expected-note @+1 {{it notifies here}}
    pl.notify add %one, %cells[%c0, %c0] peer %c0 : memref<4x1xi32, #pl.window>
  }
  return
}

// -----

func.func @unknown(%x: memref<8xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot make blocks of task 'job': it holds 'pl.dump', of which is not known what it touches}}
  %t = pl.at "job" {
    // expected-note @+1 {{this one}}
    pl.dump %x : memref<8xf32>
    pl.for range %i = %c0 to %c8 step %c1 {
      pl.write %f, %x[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @blocks(%x: memref<8xf32> {pl.name = "x"}, %f: f32) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{cannot make blocks of task 'job': it has blocks already; pl-fan-out-m makes more of them}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    pl.write %f, %x[%b] : f32, memref<8xf32>
  }
  return
}

// -----

// Rows of 16 that begin every 8 elements.
func.func @overlapping_rows(%x: memref<64xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %rows = memref.reinterpret_cast %x to offset: [0], sizes: [7, 16], strides: [8, 1] : memref<64xf32> to memref<7x16xf32, strided<[8, 1]>>
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop may write elements of 'x' that another writes}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c7 step %c1 {
      %a = pl.full %f : f32 -> !pl.tile<1x16xf32>
      // expected-note @+1 {{written here}}
      pl.store %a, %rows[%i, %c0] : !pl.tile<1x16xf32>, memref<7x16xf32, strided<[8, 1]>>
    }
  }
  return
}

// -----

// Rows of two reshapes of one tensor.
func.func @two_shapes(%x: memref<8x16xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [16, 8], strides: [8, 1] : memref<8x16xf32> to memref<16x8xf32>
  %b = memref.reinterpret_cast %x to offset: [0], sizes: [8, 2, 8], strides: [16, 8, 1] : memref<8x16xf32> to memref<8x2x8xf32>
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop may touch elements of 'x' that another writes}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      // expected-note @+1 {{read here}}
      %f1 = pl.read %b[%i, %c0, %c0] : memref<8x2x8xf32> -> f32
      // expected-note @+1 {{written here}}
      pl.write %f1, %a[%i, %c0] : f32, memref<16x8xf32>
    }
  }
  return
}

// -----

// Row i of a tensor that begins i rows earlier in each trip.
func.func @moving_view(%x: memref<15x16xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  // expected-error @+1 {{cannot make blocks of task 'job': a trip of its loop may write elements of 'x' that another writes}}
  %t = pl.at "job" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c7 step %c1 {
      %left = arith.subi %c7, %i : index
      %offset = arith.muli %left, %c16 : index
      %rows = memref.reinterpret_cast %x to offset: [%offset], sizes: [8, 16], strides: [16, 1] : memref<15x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
      // expected-note @+1 {{written here}}
      pl.write %f, %rows[%i, %c0] : f32, memref<8x16xf32, strided<[16, 1], offset: ?>>
    }
  }
  return
}

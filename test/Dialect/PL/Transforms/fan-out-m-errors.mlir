// What keeps the trips of a loop in one block, said at the task with the lines.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m{task=job factor=3}))' -verify-diagnostics -split-input-file
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m))' -split-input-file 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m{task=job factor=0}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m{task=job distribution=odd}))' 2>&1 | FileCheck %s --check-prefix=ODD

// TASK: error: pl-fan-out-m needs the option task=NAME
// FACTOR: error: cannot fan out task 'job': factor is 0, but must be between 1 and 2147483647
// ODD: for the --distribution option: Cannot find option named 'odd'!

func.func @sum(%x: memref<64x16xf32> {pl.name = "x"}, %y: memref<64x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // Block 0 adds to row 4 in its second trip, block 1 in its first.
  // expected-error @+1 {{cannot fan out task 'job': its blocks may add to the same elements of 'y' in different trips, and such sums depend on the order}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    %start = arith.muli %b, %c4 : index
    pl.for range %i = %start to %c64 step %c4 {
      %a = pl.load %x[%i, %c0] : memref<64x16xf32> -> !pl.tile<4x16xf32>
      // expected-note @+1 {{added to here}}
      pl.store %a, %y[%i, %c0] atomic add : !pl.tile<4x16xf32>, memref<64x16xf32>
    }
  }
  return
}

// -----

func.func @shifted(%x: memref<64x16xf32> {pl.name = "x"}, %y: memref<80x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{cannot fan out task 'job': its blocks may add to the same elements of 'y' in different trips, and such sums depend on the order}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    pl.for range %i = %c0 to %c64 step %c4 {
      %a = pl.load %x[%i, %c0] : memref<64x16xf32> -> !pl.tile<4x16xf32>
      %shift = arith.muli %b, %c4 : index
      %row = arith.addi %i, %shift : index
      // expected-note @+1 {{added to here}}
      pl.store %a, %y[%row, %c0] atomic add : !pl.tile<4x16xf32>, memref<80x16xf32>
    }
  }
  return
}

// -----

func.func @writes_besides(%x: memref<64xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot fan out task 'job': it does more than its loop, and each block would write 'y' again}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    // expected-note @+1 {{written here}}
    pl.write %f, %y[%b] : f32, memref<8xf32>
    %start = arith.muli %b, %c8 : index
    %end = arith.addi %start, %c8 : index
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %start to %end step %c1 {
      pl.write %f, %x[%i] : f32, memref<64xf32>
    }
  }
  return
}

// -----

func.func @carries(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<4x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot fan out task 'job': a trip of its loop needs what the trip before gives}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    %zero = pl.load %x[%c0, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
    // expected-note @+1 {{the loop is here}}
    %sum = pl.for range %i = %c0 to %c8 step %c1 iter(%a = %zero : !pl.tile<1x16xf32>) {
      %c = pl.load %x[%i, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
      %d = pl.add %a, %c : !pl.tile<1x16xf32>, !pl.tile<1x16xf32> -> !pl.tile<1x16xf32>
      pl.yield %d : !pl.tile<1x16xf32>
    }
    pl.store %sum, %y[%b, %c0] : !pl.tile<1x16xf32>, memref<4x16xf32>
  }
  return
}

// -----

func.func @same_place(%y: memref<4xf32> {pl.name = "y"}, %x: memref<8xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot fan out task 'job': each trip of its loop writes the same elements of 'y'}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    // expected-note @+1 {{the loop is here}}
    pl.for range %i = %c0 to %c8 step %c1 {
      %f = pl.read %x[%i] : memref<8xf32> -> f32
      // expected-note @+1 {{written here}}
      pl.write %f, %y[%b] : f32, memref<4xf32>
    }
  }
  return
}

// -----

func.func @wait(%y: memref<8xf32> {pl.name = "y"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'job': it notifies or waits, and others count on how often and when}}
  %t = pl.at "job" {
    pl.for range %i = %c0 to %c8 step %c1 {
      // expected-note @+1 {{it waits here}}
      pl.wait ge %one, %cells[%c0, %c0] : memref<4x1xi32, #pl.window>
      pl.write %f, %y[%i] : f32, memref<8xf32>
    }
  }
  return
}

// -----

func.func @too_large(%y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c = arith.constant 4611686018427387904 : index
  // expected-error @+1 {{cannot fan out task 'job': factor is 3, which is too large}}
  %t = pl.at "job" {
    pl.for range %i = %c0 to %c8 step %c {
      pl.write %f, %y[%i] : f32, memref<8xf32>
    }
  }
  return
}

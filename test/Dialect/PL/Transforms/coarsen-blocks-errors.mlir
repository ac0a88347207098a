// What keeps blocks apart, said at the task with the lines.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=job factor=2}))' -verify-diagnostics -split-input-file
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks))' -split-input-file 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=job factor=-1}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=FACTOR

// TASK: error: pl-coarsen-blocks needs the option task=NAME
// FACTOR: error: cannot coarsen task 'job': factor is -1, but must be between 1 and 2147483647

// K splits of a product: each block adds to all of the rows.
func.func @sum(%x: memref<4x16xf32> {pl.name = "x"}, %y: memref<1x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{cannot coarsen task 'job': its blocks may add to the same elements of 'y', and such sums depend on the order}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    %a = pl.load %x[%b, %c0] : memref<4x16xf32> -> !pl.tile<1x16xf32>
    // expected-note @+1 {{added to here}}
    pl.store %a, %y[%c0, %c0] atomic add : !pl.tile<1x16xf32>, memref<1x16xf32>
  }
  return
}

// -----

func.func @wait(%y: memref<8xf32> {pl.name = "y"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot coarsen task 'job': it notifies or waits, and others count on how often and when}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    // expected-note @+1 {{it waits here}}
    pl.wait ge %one, %cells[%b, %c0] : memref<4x1xi32, #pl.window>
    pl.write %f, %y[%b] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @barrier(%y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{cannot coarsen task 'job': it holds 'pl.fence', of which is not known what it touches}}
  %t = pl.spmd "job" blocks(%c4) {
  ^bb0(%b: index):
    pl.write %f, %y[%b] : f32, memref<8xf32>
    // expected-note @+1 {{this one}}
    pl.fence
  }
  return
}

// -----

func.func @one_block(%y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{cannot coarsen task 'job': it has one block}}
  %t = pl.at "job" {
    pl.write %f, %y[%c4] : f32, memref<8xf32>
  }
  return
}

// What keeps the statements of a task together, said at the task with the lines.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks{task=job names=a,b,c}))' -verify-diagnostics -split-input-file
// RUN: sed '/^func.func @names/,/^}/d; s/expected-error/expected-remark/' %s > %t.mlir
// RUN: pl-opt %t.mlir --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks))' -verify-diagnostics -split-input-file > %t.after
// RUN: pl-opt %t.mlir -split-input-file | diff - %t.after
// RUN: not pl-opt %s --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks{names=a,b}))' -split-input-file 2>&1 | FileCheck %s --check-prefix=NAMES

// NAMES: error: pl-split-fused-tasks needs the option task=NAME to give the parts of a task names

func.func @one(%x: memref<8xf32> {pl.name = "x"}, %f: f32, %i: index) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot split task 'job': there is one statement in its body}}
  %t = pl.at "job" {
    %j = arith.addi %i, %c1 : index
    pl.write %f, %x[%j] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @names(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot split task 'job': it has 2 parts, but 3 names are given}}
  %t = pl.at "job" {
    // expected-note @+1 {{one part is here}}
    pl.write %f, %x[%c0] : f32, memref<8xf32>
    // expected-note @+1 {{one part is here}}
    pl.write %f, %y[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @value(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<8x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot split task 'job': all its statements share data}}
  %t = pl.at "job" {
    // expected-note @+1 {{what is computed here}}
    %a = pl.load %x[%c0, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
    // expected-note @+1 {{is used here}}
    pl.store %a, %y[%c0, %c0] : !pl.tile<1x16xf32>, memref<8x16xf32>
    // expected-note @+1 {{is used here}}
    pl.store %a, %y[%c1, %c0] : !pl.tile<1x16xf32>, memref<8x16xf32>
  }
  return
}

// -----

func.func @memory(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot split task 'job': all its statements share data}}
  %t = pl.at "job" {
    // expected-note @+1 {{'x' is written here}}
    pl.write %f, %x[%c0] : f32, memref<8xf32>
    // expected-note @+2 {{and read here}}
    // expected-note @+1 {{what is computed here}}
    %g = pl.read %x[%i] : memref<8xf32> -> f32
    // expected-note @+1 {{is used here}}
    pl.write %g, %y[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

// The order of a sum stays.
func.func @sums(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<8x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{cannot split task 'job': all its statements share data}}
  %t = pl.at "job" {
    pl.for range %i = %c0 to %c4 step %c1 {
      %a = pl.load %x[%i, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{'y' is added to here}}
      pl.store %a, %y[%i, %c0] atomic add : !pl.tile<1x16xf32>, memref<8x16xf32>
    }
    pl.for range %i = %c0 to %c4 step %c1 {
      %a = pl.load %x[%i, %c0] : memref<8x16xf32> -> !pl.tile<1x16xf32>
      // expected-note @+1 {{and added to here}}
      pl.store %a, %y[%c1, %c0] atomic add : !pl.tile<1x16xf32>, memref<8x16xf32>
    }
  }
  return
}

// -----

func.func @notify(%x: memref<8xf32> {pl.name = "x"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot split task 'job': all its statements share data}}
  %t = pl.at "job" {
    // expected-note @+1 {{this is done}}
    pl.write %f, %x[%c0] : f32, memref<8xf32>
    // expected-note @+1 {{before it tells others here}}
    pl.notify add %one, %cells[%c0, %c0] peer %c0 : memref<4x1xi32, #pl.window>
  }
  return
}

// -----

func.func @wait(%x: memref<8xf32> {pl.name = "x"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot split task 'job': all its statements share data}}
  %t = pl.at "job" {
    // expected-note @+1 {{it waits here}}
    pl.wait ge %one, %cells[%c0, %c0] : memref<4x1xi32, #pl.window>
    // expected-note @+1 {{before this}}
    pl.write %f, %x[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @unknown(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot split task 'job': it has no_dep_args=, and which part they are for is not known}}
  %t = pl.at "job" {
    // expected-note @+1 {{this one}}
    pl.no_dep %x : memref<8xf32>
    pl.write %f, %x[%c0] : f32, memref<8xf32>
    pl.write %f, %y[%c0] : f32, memref<8xf32>
  }
  return
}

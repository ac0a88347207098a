// Claims that no edge is needed, and are false.
// RUN: pl-opt %s -pass-pipeline='builtin.module(func.func(pl-derive-dependencies,pl-check-races))' -verify-diagnostics -split-input-file

// The earlier task says it.
func.func @earlier(%x: memref<13x24xf32> {pl.name = "x"},
                   %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %mid = pl.alloc "mid"() : memref<13x24xf32>
  %a = pl.at "fill" {
    pl.no_dep %mid : memref<13x24xf32>
    %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<9x24xf32>
    // expected-note @+1 {{task 'fill' writes them here}}
    pl.store %t, %mid[%c4, %c0] : !pl.tile<9x24xf32>, memref<13x24xf32>
  }
  // expected-note @+1 {{no path of edges leads to this task from 'fill'; no_dep_args= of 'fill' says that 'mid' needs none}}
  %b = pl.at "drain" {
    // expected-error @+1 {{PL112: task 'drain' reads rows 4..5 of 'mid' and task 'fill' writes them, but nothing orders the two: name the task of 'fill' in deps= of 'drain'}}
    %t = pl.load %mid[%c0, %c0] : memref<13x24xf32> -> !pl.tile<6x24xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<6x24xf32>, memref<13x24xf32>
  }
  return
}

// -----

// A write that must come after a read.
func.func @later(%x: memref<13x24xf32> {pl.name = "x"},
                 %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %a = pl.at "save" {
    // expected-error @+1 {{PL112: task 'save' reads rows 0..6 of 'x' and task 'clear' writes them, but nothing orders the two: name the task of 'save' in deps= of 'clear'}}
    %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<7x24xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<7x24xf32>, memref<13x24xf32>
  }
  // expected-note @+1 {{no path of edges leads to this task from 'save'; no_dep_args= of 'clear' says that 'x' needs none}}
  %b = pl.at "clear" {
    pl.no_dep %x : memref<13x24xf32>
    %zero = arith.constant 0.0 : f32
    %t = pl.full %zero : f32 -> !pl.tile<13x24xf32>
    // expected-note @+1 {{task 'clear' writes them here}}
    pl.store %t, %x[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
  }
  return
}

// -----

// No task waits here, so the orchestration cannot either.
func.func @read(%x: memref<13xi32> {pl.name = "x"},
                %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %count = pl.alloc "count"() {pl.manual_dep} : memref<1xi32>
  %a = pl.at "count" {
    // expected-note @+1 {{written here}}
    pl.write %seven, %count[%c0] : i32, memref<1xi32>
  }
  // expected-error @+1 {{PL099: the orchestration reads 'count', which a task writes; waiting for a task there is not lowered yet: read it inside a scope}}
  %n = pl.read %count[%c0] : memref<1xi32> -> i32
  return
}

// No edges where the user wants none; the race check takes the notes away.
// RUN: pl-opt %s -pl-derive-dependencies -split-input-file | FileCheck %s
// RUN: pl-opt %s -pass-pipeline='builtin.module(func.func(pl-derive-dependencies,pl-check-races))' -split-input-file | FileCheck %s --check-prefix=AFTER --implicit-check-not=pl.no_dep --implicit-check-not=manual_dep
// RUN: pl-opt %s -pl-derive-dependencies -split-input-file | pl-opt -split-input-file | FileCheck %s

// Rows that data choose: only the note says that they are apart.
// CHECK-LABEL: func.func @chosen
// AFTER-LABEL: func.func @chosen
func.func @chosen(%x: memref<5x24xf32> {pl.name = "x"},
                  %slots: memref<2xi32> {pl.name = "slots"},
                  %y: memref<11x24xf32> {pl.name = "y"},
                  %z: memref<5x24xf32> {pl.name = "z"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[FIRST:.*]] = pl.at "first" {
  %a = pl.at "first" {
    %r = pl.read %slots[%c0] : memref<2xi32> -> i32
    %i = arith.index_cast %r : i32 to index
    %t = pl.load %x[%c0, %c0] : memref<5x24xf32> -> !pl.tile<1x24xf32>
    pl.store %t, %y[%i, %c0] : !pl.tile<1x24xf32>, memref<11x24xf32>
  }
  // A view of the tensor is the tensor.
  // CHECK: pl.at "second" {
  // AFTER: pl.at "second" {
  %view = memref.subview %y[0, 0] [11, 16] [1, 1] : memref<11x24xf32> to memref<11x16xf32, strided<[24, 1]>>
  %b = pl.at "second" {
    pl.no_dep %view : memref<11x16xf32, strided<[24, 1]>>
    %r = pl.read %slots[%c1] : memref<2xi32> -> i32
    %i = arith.index_cast %r : i32 to index
    %t = pl.load %x[%c0, %c0] : memref<5x24xf32> -> !pl.tile<1x24xf32>
    pl.store %t, %y[%i, %c0] : !pl.tile<1x24xf32>, memref<11x24xf32>
  }
  // The note is about its task: this one waits for the first, not the second.
  // CHECK: pl.at "third" deps(%[[FIRST]] : [#pl.edge<raw, "y", "[0:1, 0:24] by data">]) {
  %c = pl.at "third" {
    %t = pl.load %y[%c0, %c0] : memref<11x24xf32> -> !pl.tile<1x24xf32>
    pl.store %t, %z[%c0, %c0] : !pl.tile<1x24xf32>, memref<5x24xf32>
  }
  return
}

// -----

// An edge of the user stays, and other tensors make theirs.
// CHECK-LABEL: func.func @manual
// AFTER-LABEL: func.func @manual
func.func @manual(%x: memref<5x24xf32> {pl.name = "x"},
                  %y: memref<5x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  // AFTER: pl.alloc "mid"() : memref<5x24xf32>
  %mid = pl.alloc "mid"() {pl.manual_dep} : memref<5x24xf32>
  %own = pl.alloc "own"() : memref<5x24xf32>
  // CHECK: %[[FILL:.*]] = pl.at "fill" {
  %a = pl.at "fill" {
    %t = pl.load %x[%c0, %c0] : memref<5x24xf32> -> !pl.tile<5x24xf32>
    pl.store %t, %mid[%c0, %c0] : !pl.tile<5x24xf32>, memref<5x24xf32>
  }
  // CHECK: %[[USER:.*]] = pl.at "user" deps(%[[FILL]] : [#pl.edge<user>]) {
  %b = pl.at "user" deps(%a : [#pl.edge<user>]) {
    %t = pl.load %mid[%c0, %c0] : memref<5x24xf32> -> !pl.tile<5x24xf32>
    pl.store %t, %own[%c0, %c0] : !pl.tile<5x24xf32>, memref<5x24xf32>
  }
  // CHECK: pl.at "path" deps(%[[USER]] : [#pl.edge<raw, "own", "[0:5, 0:24]">]) {
  %c = pl.at "path" {
    %t = pl.load %own[%c0, %c0] : memref<5x24xf32> -> !pl.tile<5x24xf32>
    %u = pl.load %mid[%c0, %c0] : memref<5x24xf32> -> !pl.tile<5x24xf32>
    %s = pl.add %t, %u : !pl.tile<5x24xf32>, !pl.tile<5x24xf32> -> !pl.tile<5x24xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<5x24xf32>, memref<5x24xf32>
  }
  return
}

// RUN: pl-opt %s -pl-derive-dependencies | FileCheck %s

// Column bands and row tiles of one grid, by quotient and rest of the block.
// CHECK-LABEL: func.func @grid
func.func @grid(%y: memref<?x96xf32> {pl.name = "y", pl.dims = [#pl.dim<"R">]}, %n: index) {
  %c3 = arith.constant 3 : index
  %blocks = arith.muli %n, %c3 : index
  // CHECK: pl.spmd "left" blocks(%{{.*}}) {
  %a = pl.spmd "left" blocks(%blocks) {
  ^bb0(%b: index):
    %three = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %q = arith.floordivsi %b, %three : index
    %r = arith.remsi %b, %three : index
    %row = arith.muli %q, %c16 : index
    %col = arith.muli %r, %c16 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %y[%row, %col] : !pl.tile<16x16xf32>, memref<?x96xf32>
  }
  // CHECK: pl.spmd "right" blocks(%{{.*}}) {
  %c = pl.spmd "right" blocks(%blocks) {
  ^bb0(%b: index):
    %three = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %q = arith.floordivsi %b, %three : index
    %r = arith.remsi %b, %three : index
    %row = arith.muli %q, %c16 : index
    %band = arith.muli %r, %c16 : index
    %col = arith.addi %band, %c48 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %y[%row, %col] : !pl.tile<16x16xf32>, memref<?x96xf32>
  }
  return
}

// Even and odd row tiles; one that takes both waits for both.
// CHECK-LABEL: func.func @residues
func.func @residues(%y: memref<?x64xf32> {pl.name = "y", pl.dims = [#pl.dim<"R">]}, %n: index) {
  // CHECK: %[[A:.*]] = pl.spmd "even" blocks(%{{.*}}) {
  %a = pl.spmd "even" blocks(%n) {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %row = arith.muli %b, %c16 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
    pl.store %t, %y[%row, %c0] : !pl.tile<8x64xf32>, memref<?x64xf32>
  }
  // CHECK: %[[B:.*]] = pl.spmd "odd" blocks(%{{.*}}) {
  %c = pl.spmd "odd" blocks(%n) {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %at = arith.muli %b, %c16 : index
    %row = arith.addi %at, %c8 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
    pl.store %t, %y[%row, %c0] : !pl.tile<8x64xf32>, memref<?x64xf32>
  }
  // One row too many meets the others.
  // CHECK: pl.spmd "wide" blocks(%{{.*}}) deps(%[[A]], %[[B]] :
  %d = pl.spmd "wide" blocks(%n) {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %at = arith.muli %b, %c16 : index
    %row = arith.addi %at, %c8 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<9x64xf32>
    pl.store %t, %y[%row, %c0] : !pl.tile<9x64xf32>, memref<?x64xf32>
  }
  return
}

// Rows of whole tiles, and the rest: both count them for themselves.
// CHECK-LABEL: func.func @rest
func.func @rest(%y: memref<?x64xf32> {pl.name = "y", pl.dims = [#pl.dim<"R">]}) {
  %zero = arith.constant 0 : index
  %rows = memref.dim %y, %zero : memref<?x64xf32>
  // CHECK: pl.at "whole" {
  %a = pl.at "whole" {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %tiles = arith.floordivsi %rows, %c8 : index
    %end = arith.muli %tiles, %c8 : index
    pl.for range %i = %c0 to %end step %c8 {
      %z = arith.constant 1.0 : f32
      %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
      pl.store %t, %y[%i, %c0] : !pl.tile<8x64xf32>, memref<?x64xf32>
      pl.yield
    }
  }
  // CHECK: pl.at "rest" {
  %b = pl.at "rest" {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %tiles = arith.floordivsi %rows, %c8 : index
    %begin = arith.muli %tiles, %c8 : index
    pl.for range %i = %begin to %rows step %c1 {
      %z = arith.constant 1.0 : f32
      %t = pl.full %z : f32 -> !pl.tile<1x64xf32>
      pl.store %t, %y[%i, %c0] : !pl.tile<1x64xf32>, memref<?x64xf32>
      pl.yield
    }
  }
  return
}

// A window of a transposed view has the axes of the tensor, and so has one of
// every other row.
// CHECK-LABEL: func.func @turned
func.func @turned(%x: memref<16x64xf32> {pl.name = "x"}, %y: memref<64x8xf32> {pl.name = "y"}) {
  %turned = memref.transpose %x (i, j) -> (j, i) : memref<16x64xf32> to memref<64x16xf32, strided<[1, 64]>>
  %evens = memref.subview %x[0, 0] [8, 64] [2, 1] : memref<16x64xf32> to memref<8x64xf32, strided<[128, 1]>>
  // CHECK: %[[A:.*]] = pl.at "low" {
  %a = pl.at "low" {
    %c0 = arith.constant 0 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<8x64xf32>, memref<16x64xf32>
  }
  // CHECK: %[[B:.*]] = pl.at "high" {
  %b = pl.at "high" {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
    pl.store %t, %x[%c8, %c0] : !pl.tile<8x64xf32>, memref<16x64xf32>
  }
  // CHECK: pl.at "columns" deps(%[[B]] : [#pl.edge<raw, "x", "[8:16, 0:64]">]) {
  %c = pl.at "columns" {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = pl.load %turned[%c0, %c8] : memref<64x16xf32, strided<[1, 64]>> -> !pl.tile<64x8xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<64x8xf32>, memref<64x8xf32>
  }
  // CHECK: pl.at "steps" deps(%[[A]], %{{.*}} : [#pl.edge<raw, "x", "[0:7, 0:8]">, #pl.edge<waw, "y", "[0:4, 0:8]">]) {
  %d = pl.at "steps" {
    %c0 = arith.constant 0 : index
    %t = pl.load %evens[%c0, %c0] : memref<8x64xf32, strided<[128, 1]>> -> !pl.tile<4x8xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<4x8xf32>, memref<64x8xf32>
  }
  return
}

// Two tensors that a loop carries in turn are both read and both written.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: memref<8x64xf32> {pl.name = "x"}, %y: memref<8x64xf32> {pl.name = "y"}) {
  %one = pl.alloc "one"() : memref<8x64xf32>
  %other = pl.alloc "other"() : memref<8x64xf32>
  // CHECK: %[[A:.*]] = pl.at "first" {
  %a = pl.at "first" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
    pl.store %t, %one[%c0, %c0] : !pl.tile<8x64xf32>, memref<8x64xf32>
  }
  // CHECK: %[[B:.*]] = pl.at "swap" deps(%[[A]] : [#pl.edge<raw, "one", "[0:8, 0:64]">]) {
  %b = pl.at "swap" {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = pl.for range %i = %c0 to %c3 step %c1 iter(%p = %one : memref<8x64xf32>, %q = %other : memref<8x64xf32>) {
      %t = pl.load %p[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
      pl.store %t, %q[%c0, %c0] : !pl.tile<8x64xf32>, memref<8x64xf32>
      pl.yield %q, %p : memref<8x64xf32>, memref<8x64xf32>
    }
  }
  // CHECK: pl.at "last" deps(%[[B]] : [#pl.edge<raw, "other", "[0:8, 0:64]">]) {
  %c = pl.at "last" {
    %c0 = arith.constant 0 : index
    %t = pl.load %other[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<8x64xf32>, memref<8x64xf32>
  }
  return
}

// Heads of a token in one view are columns of its row in the other.
// CHECK-LABEL: func.func @heads
func.func @heads(%y: memref<?x64xf32> {pl.name = "y", pl.dims = [#pl.dim<"R">]}) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %rows = memref.dim %y, %zero : memref<?x64xf32>
  %all = arith.muli %rows, %four : index
  %heads = memref.reinterpret_cast %y to offset: [0], sizes: [%all, 16], strides: [16, 1] : memref<?x64xf32> to memref<?x16xf32>
  // CHECK: pl.spmd "second" blocks(%{{.*}}) {
  %a = pl.spmd "second" blocks(%rows) {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %at = arith.muli %b, %c4 : index
    %head = arith.addi %at, %c1 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<1x16xf32>
    pl.store %t, %heads[%head, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  // CHECK: pl.spmd "third" blocks(%{{.*}}) {
  %c = pl.spmd "third" blocks(%rows) {
  ^bb0(%b: index):
    %c32 = arith.constant 32 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<1x16xf32>
    pl.store %t, %y[%b, %c32] : !pl.tile<1x16xf32>, memref<?x64xf32>
  }
  return
}

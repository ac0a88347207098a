// RUN: pl-opt %s -pl-derive-dependencies | FileCheck %s

// CHECK-LABEL: func.func @chain
func.func @chain(%x: memref<17x64xf32> {pl.name = "x"}, %y: memref<17x64xf32> {pl.name = "y"},
                 %z: memref<17x64xf32> {pl.name = "z"}) {
  %tmp = pl.alloc "tmp"() : memref<17x64xf32>
  // CHECK: %[[A:.*]] = pl.at "write" {
  %a = pl.at "write" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
    pl.store %t, %tmp[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  }
  // Two readers of one tensor are not ordered.
  // CHECK: %[[B:.*]] = pl.at "read" deps(%[[A]] : [#pl.edge<raw, "tmp", "[0:8, 0:64]">]) {
  %b = pl.at "read" {
    %c0 = arith.constant 0 : index
    %t = pl.load %tmp[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<8x64xf32>, memref<17x64xf32>
  }
  // CHECK: %[[C:.*]] = pl.at "read_more" deps(%[[A]] : [#pl.edge<raw, "tmp", "[8:16, 0:64]">]) {
  %c = pl.at "read_more" {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = pl.load %tmp[%c8, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32>
    pl.store %t, %y[%c8, %c0] : !pl.tile<8x64xf32>, memref<17x64xf32>
  }
  // A write after a write and after the readers.
  // CHECK: %[[D:.*]] = pl.at "again" deps(%[[A]], %[[B]], %[[C]] : [#pl.edge<waw, "tmp", "[0:17, 0:64]">, #pl.edge<war, "tmp", "[0:17, 0:64]">, #pl.edge<war, "tmp", "[0:17, 0:64]">]) {
  %d = pl.at "again" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
    pl.store %t, %tmp[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  }
  // What the last write covers is forgotten.
  // CHECK: pl.at "last" deps(%[[D]] : [#pl.edge<raw, "tmp", "[0:17, 0:64]">]) {
  %e = pl.at "last" {
    %c0 = arith.constant 0 : index
    %t = pl.load %tmp[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
    pl.store %t, %z[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  }
  return
}

// A write through a reshaped view is a write of the tensor.
// CHECK-LABEL: func.func @views
func.func @views(%x: memref<2x8x16xf32> {pl.name = "x"}, %y: memref<8x16xf32> {pl.name = "y"}) {
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<2x8x16xf32> to memref<16x16xf32>
  // CHECK: %[[A:.*]] = pl.at "p" {
  %a = pl.at "p" {
    %c0 = arith.constant 0 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %flat[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // CHECK: pl.at "c" deps(%[[A]] : [#pl.edge<raw, "x", "[1:2, 0:8, 0:16]">]) {
  %b = pl.at "c" {
    %c0 = arith.constant 0 : index
    %v = memref.subview %x[1, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 128>>
    %t = pl.load %v[%c0, %c0] : memref<8x16xf32, strided<[16, 1], offset: 128>> -> !pl.tile<8x16xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<8x16xf32>, memref<8x16xf32>
  }
  return
}

// Row blocks of a grid, with a run-time number of rows.
// CHECK-LABEL: func.func @grid
func.func @grid(%x: memref<?x64xf32> {pl.name = "x", pl.dims = [#pl.dim<"T">]}, %n: index) {
  %c0 = arith.constant 0 : index
  %t_dim = memref.dim %x, %c0 : memref<?x64xf32>
  // CHECK: %[[A:.*]] = pl.spmd "rows"
  %a = pl.spmd "rows" blocks(%n) {
  ^bb0(%b: index):
    %zero = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 1.0 : f32
    %r = arith.muli %b, %c8 : index
    %t = pl.full %z : f32 -> !pl.tile<8x32xf32>
    pl.store %t, %x[%r, %zero] : !pl.tile<8x32xf32>, memref<?x64xf32>
  }
  // Other columns: no edge.
  // CHECK: pl.at "other_columns" {
  %o = pl.at "other_columns" {
    %zero = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<8x32xf32>
    pl.store %t, %x[%zero, %c32] : !pl.tile<8x32xf32>, memref<?x64xf32>
  }
  // CHECK: pl.at "same_columns" deps(%[[A]] : [#pl.edge<raw, "x", "[0:8, 0:32]">]) {
  %s = pl.at "same_columns" {
    %zero = arith.constant 0 : index
    %t = pl.load %x[%zero, %zero] : memref<?x64xf32> -> !pl.tile<8x32xf32>
    pl.store %t, %x[%zero, %zero] : !pl.tile<8x32xf32>, memref<?x64xf32>
  }
  return
}

// Atomic adds commute; what zeroes and what reads their target does not.
// CHECK-LABEL: func.func @atomics
func.func @atomics(%y: memref<16x16xf32> {pl.name = "y"}, %z: memref<16x16xf32> {pl.name = "z"}) {
  // CHECK: %[[S:.*]] = pl.at "seed" {
  %s = pl.at "seed" {
    %c0 = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    %t = pl.full %f : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // CHECK: %[[A:.*]] = pl.at "add0" deps(%[[S]] : [#pl.edge<raw, "y", "[0:16, 0:16]">]) {
  %a = pl.at "add0" {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %t = pl.full %f : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %y[%c0, %c0] atomic add : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // The user's edge keeps its kind and gains the region it orders.
  // CHECK: %[[B:.*]] = pl.at "add1" deps(%[[S]] : [#pl.edge<user, "y", "[0:16, 0:16]">]) {
  %b = pl.at "add1" deps(%s : [#pl.edge<user>]) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %t = pl.full %f : f32 -> !pl.tile<16x16xf32>
    pl.store %t, %y[%c0, %c0] atomic add : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // CHECK: pl.at "sum" deps(%[[S]], %[[A]], %[[B]] :
  %r = pl.at "sum" {
    %c0 = arith.constant 0 : index
    %t = pl.load %y[%c0, %c0] : memref<16x16xf32> -> !pl.tile<16x16xf32>
    pl.store %t, %z[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  return
}

// Fewer names than dynamic dims: an axis without a name is like no other.
// CHECK-LABEL: func.func @unnamed_dim
func.func @unnamed_dim(%x: memref<?x?xf32> {pl.name = "x", pl.dims = [#pl.dim<"T">]}) {
  // CHECK: %[[A:.*]] = pl.at "w" {
  %a = pl.at "w" {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<1x8xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<1x8xf32>, memref<?x?xf32>
  }
  // CHECK: pl.at "r" deps(%[[A]] : [#pl.edge<raw, "x", "[0:1, 0:8]">]) {
  %b = pl.at "r" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<?x?xf32> -> !pl.tile<1x8xf32>
  }
  return
}

// A part at a run-time place ends where the next begins; reading to the end of
// the tensor does not.
// CHECK-LABEL: func.func @places
func.func @places(%x: memref<24x40xf32> {pl.name = "x"}, %n: index) {
  // CHECK: %[[A:.*]] = pl.at "first" {
  %a = pl.at "first" {
    %c0 = arith.constant 0 : index
    %z = arith.constant 1.0 : f32
    %t = pl.full %z : f32 -> !pl.tile<24x8xf32>
    pl.store %t, %x[%c0, %n] : !pl.tile<24x8xf32>, memref<24x40xf32>
  }
  // CHECK: pl.at "next" {
  %b = pl.at "next" {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 1.0 : f32
    %at = arith.addi %n, %c8 : index
    %t = pl.full %z : f32 -> !pl.tile<24x8xf32>
    pl.store %t, %x[%c0, %at] : !pl.tile<24x8xf32>, memref<24x40xf32>
  }
  // CHECK: pl.at "common" deps(%[[A]] : [#pl.edge<raw, "x", "[0:24, {{.*}}7:{{.*}}8]">]) {
  %c = pl.at "common" {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %at = arith.addi %n, %c7 : index
    %t = pl.load %x[%c0, %at] : memref<24x40xf32> -> !pl.tile<24x1xf32>
  }
  // CHECK: pl.at "all" deps({{.*}}, {{.*}} : [#pl.edge<raw, "x", "[0:24, 0:40]">, #pl.edge<raw, "x", "[0:24, 0:40]">]) {
  %d = pl.at "all" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<24x40xf32> -> !pl.tile<24x40xf32>
  }
  return
}

// A loop without trips touches nothing.
// CHECK-LABEL: func.func @no_trips
// CHECK: pl.at "empty" {
// CHECK-NOT: deps
func.func @no_trips(%x: memref<64xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %a = pl.at "full" {
    pl.write %f, %x[%c0] : f32, memref<64xf32>
  }
  %b = pl.at "empty" {
    pl.write %f, %x[%c9] : f32, memref<64xf32>
    pl.for range %i = %c40 to %c1 step %c1 {
      pl.write %f, %x[%i] : f32, memref<64xf32>
    }
  }
  return
}

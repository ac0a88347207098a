// RUN: pl-opt %s -pl-outline-kernels | FileCheck %s

// CHECK: module attributes {pl.phase = "tasks"}
// CHECK-LABEL: func.func @views
// CHECK: %[[N:.*]] = arith.addi
// Views that only the kernel uses are made there alone.
// CHECK-NOT: memref.subview
// CHECK: %[[T:.*]] = pl.launch @rows blocks(%[[N]]) args(%arg0, %arg1, %[[N]] : memref<17x48xf32>, memref<17x48xf32>, index)
// CHECK: pl.launch @rows_0 blocks(%{{.*}}) args(%arg1 : memref<17x48xf32>) deps(%[[T]] : [#pl.edge<user>]) early_resolve
func.func @views(%x: memref<17x48xf32> {pl.name = "x"}, %y: memref<17x48xf32> {pl.name = "y"}, %n: index) {
  %m = arith.addi %n, %n : index
  %v = memref.subview %x[1, 0] [16, 48] [1, 1] : memref<17x48xf32> to memref<16x48xf32, strided<[48, 1], offset: 48>>
  %w = memref.subview %x[0, 0] [8, 48] [1, 1] : memref<17x48xf32> to memref<8x48xf32, strided<[48, 1]>>
  %t = pl.spmd "rows" blocks(%m) {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %last = arith.subi %m, %b : index
    %a = pl.load %v[%last, %c0] : memref<16x48xf32, strided<[48, 1], offset: 48>> -> !pl.tile<1x48xf32>
    %c = pl.load %w[%last, %c0] : memref<8x48xf32, strided<[48, 1]>> -> !pl.tile<1x48xf32>
    %s = pl.add %a, %c : !pl.tile<1x48xf32>, !pl.tile<1x48xf32> -> !pl.tile<1x48xf32>
    pl.store %s, %y[%b, %c0] : !pl.tile<1x48xf32>, memref<17x48xf32>
  }
  %u = pl.at "rows" deps(%t : [#pl.edge<user>]) early_resolve {
    %c0 = arith.constant 0 : index
    %a = pl.load %y[%c0, %c0] : memref<17x48xf32> -> !pl.tile<1x48xf32>
    pl.store %a, %y[%c0, %c0] : !pl.tile<1x48xf32>, memref<17x48xf32>
  }
  return
}
// Two views of one tensor are one argument; the views are made inside.
// CHECK-LABEL: pl.kernel aiv @rows(
// CHECK-SAME: %[[X:.*]]: memref<17x48xf32> {pl.direction = #pl.direction<in>, pl.name = "x"}, %[[Y:.*]]: memref<17x48xf32> {pl.direction = #pl.direction<out>, pl.name = "y"}, %[[M:.*]]: index
// CHECK: %[[B:.*]] = pl.block_idx
// CHECK-DAG: memref.subview %[[X]][1, 0]
// CHECK-DAG: memref.subview %[[X]][0, 0]
// CHECK: arith.subi %[[M]], %[[B]]
// CHECK-LABEL: pl.kernel aiv @rows_0(
// CHECK-SAME: {pl.direction = #pl.direction<inout>, pl.name = "y"}

// CHECK-LABEL: pl.kernel aic @product(
func.func @cube(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>) {
  %t = pl.at "product" {
    %c0 = arith.constant 0 : index
    %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
    %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
    %c = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
    pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  return
}

// Work of both kinds is one kernel, which keeps what was asked for its slots.
// CHECK-LABEL: pl.kernel mix @both(
// CHECK-SAME: attributes {pl.slots = 4 : i64}
func.func @mixed(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>) {
  %t = pl.at "both" {
    %c0 = arith.constant 0 : index
    %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
    %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
    %c = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
    %e = pl.exp %c : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
    pl.store %e, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  } {pl.slots = 4 : i64}
  return
}

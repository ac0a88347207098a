// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-legalize-gathers))' | FileCheck %s

// CHECK-LABEL: pl.kernel aiv @rows
pl.kernel aiv @rows(%x: memref<8x64xf32>, %i: memref<8x64xi32>, %y: memref<8x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<8x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %b = pl.load %i[%c0, %c0] valid(%n) : memref<8x64xi32> -> !pl.tile<8x64xi32, valid = ?x64>
  // CHECK: %[[ROWS:.*]] = pl.iota %{{.*}} : i32 -> !pl.tile<1x8xi32>
  // CHECK: %[[STARTS:.*]] = pl.muls %[[ROWS]], %{{.*}} : !pl.tile<1x8xi32>, i32
  // CHECK: %[[COLUMN:.*]] = pl.reshape %[[STARTS]]
  // CHECK: %[[FLAT:.*]] = pl.row_expand_add %{{.*}}, %[[COLUMN]]
  // CHECK: pl.gather %{{.*}}, %[[FLAT]] flat
  %g = pl.gather %a, %b : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xi32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
  pl.store %g, %y[%c0, %c0] : !pl.tile<8x64xf32, valid = ?x64>, memref<8x64xf32>
}

// One row needs no row starts.
// CHECK-LABEL: pl.kernel aiv @one_row
pl.kernel aiv @one_row(%x: memref<1x64xf32>, %i: memref<1x8xi32>, %y: memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<1x64xf32> -> !pl.tile<1x64xf32>
  %b = pl.load %i[%c0, %c0] : memref<1x8xi32> -> !pl.tile<1x8xi32>
  // CHECK-NOT: pl.iota
  // CHECK: pl.gather %{{.*}}, %{{.*}} flat
  %g = pl.gather %a, %b : !pl.tile<1x64xf32>, !pl.tile<1x8xi32> -> !pl.tile<1x8xf32>
  pl.store %g, %y[%c0, %c0] : !pl.tile<1x8xf32>, memref<1x8xf32>
}

// The starts of rows that make no whole blocks come from the positions of the
// elements: trunc((k + 0.5) / 16) * 64.
// CHECK-LABEL: pl.kernel aiv @few_rows
pl.kernel aiv @few_rows(%x: memref<4x64xf32>, %i: memref<4x16xi32>, %y: memref<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<4x64xf32> -> !pl.tile<4x64xf32>
  %b = pl.load %i[%c0, %c0] : memref<4x16xi32> -> !pl.tile<4x16xi32>
  // CHECK: %[[PITCH:.*]] = arith.constant 64 : i32
  // CHECK: %[[AT:.*]] = pl.iota %{{.*}} : i32 -> !pl.tile<1x64xi32>
  // CHECK: %[[REAL:.*]] = pl.cast %[[AT]] none : !pl.tile<1x64xi32> -> !pl.tile<1x64xf32>
  // CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: %[[MIDDLE:.*]] = pl.adds %[[REAL]], %[[HALF]]
  // CHECK: %[[PART:.*]] = arith.constant 6.250000e-02 : f32
  // CHECK: %[[QUOTIENT:.*]] = pl.muls %[[MIDDLE]], %[[PART]]
  // CHECK: %[[ROW:.*]] = pl.cast %[[QUOTIENT]] trunc : !pl.tile<1x64xf32> -> !pl.tile<1x64xi32>
  // CHECK: %[[STARTS:.*]] = pl.muls %[[ROW]], %[[PITCH]]
  // CHECK: %[[ALL:.*]] = pl.reshape %[[STARTS]] : !pl.tile<1x64xi32> -> !pl.tile<4x16xi32>
  // CHECK: %[[FLAT:.*]] = pl.add %{{.*}}, %[[ALL]]
  // CHECK: pl.gather %{{.*}}, %[[FLAT]] flat
  %g = pl.gather %a, %b : !pl.tile<4x64xf32>, !pl.tile<4x16xi32> -> !pl.tile<4x16xf32>
  pl.store %g, %y[%c0, %c0] : !pl.tile<4x16xf32>, memref<4x16xf32>
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(canonicalize,pl-expand-selects))' | FileCheck %s
// RUN: pl-opt %s -pass-pipeline='builtin.module(pl-lower-to-tiles)' | FileCheck %s --check-prefix=TILES

// A branch that only picks a tile stays a branch; a number is selected.
// CHECK-LABEL: pl.kernel aiv @pick
// TILES-LABEL: pl.kernel aiv @pick
pl.kernel aiv @pick(%x: memref<8x64xf32> {pl.direction = #pl.direction<in>, pl.name = "x"},
                    %y: memref<8x64xf32> {pl.direction = #pl.direction<out>, pl.name = "y"},
                    %n: index {pl.name = "n"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f32
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<8x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %b = pl.muls %a, %two : !pl.tile<8x64xf32, valid = ?x64>, f32 -> !pl.tile<8x64xf32, valid = ?x64>
  %c = arith.cmpi slt, %n, %c4 : index
  // CHECK: %[[A:.*]] = pl.load
  // CHECK: %[[B:.*]] = pl.muls
  // CHECK-NOT: arith.select
  // CHECK: %[[T:.*]] = scf.if %{{.*}} -> (!pl.tile<8x64xf32, valid = ?x64>) {
  // CHECK-NEXT: scf.yield %[[A]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[B]]
  // TILES: scf.if
  // TILES: pl.store
  %t = scf.if %c -> (!pl.tile<8x64xf32, valid = ?x64>) {
    scf.yield %a : !pl.tile<8x64xf32, valid = ?x64>
  } else {
    scf.yield %b : !pl.tile<8x64xf32, valid = ?x64>
  }
  // CHECK: %[[ROW:.*]] = arith.select %{{.*}} : index
  // CHECK: pl.store %[[T]], %{{.*}}[%[[ROW]], %{{.*}}]
  %row = scf.if %c -> (index) {
    scf.yield %c4 : index
  } else {
    scf.yield %c0 : index
  }
  pl.store %t, %y[%row, %c0] : !pl.tile<8x64xf32, valid = ?x64>, memref<8x64xf32>
}

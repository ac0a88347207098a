// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul))' | FileCheck %s

// K = 48 fits in one piece.
// CHECK-LABEL: pl.kernel aic @small
pl.kernel aic @small(%x: memref<17x48xbf16>, %w: memref<48x16xbf16>, %y: memref<17x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<17x48xbf16> -> !pl.tile<16x48xbf16, valid = ?x48>
  %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
  // CHECK: %[[L:.*]] = pl.extract %{{.*}}[0, 0] : !pl.tile<16x48xbf16, valid = ?x48> -> !pl.tile<16x48xbf16, left, valid = ?x48>
  // CHECK: %[[R:.*]] = pl.extract %{{.*}}[0, 0] : !pl.tile<48x16xbf16> -> !pl.tile<48x16xbf16, right>
  // CHECK: pl.matmul %[[L]], %[[R]] : {{.*}} -> !pl.tile<16x16xf32, valid = ?x16>
  // CHECK-NOT: pl.matmul_acc
  %c = pl.matmul %a, %b : !pl.tile<16x48xbf16, valid = ?x48>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32, valid = ?x16>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32, valid = ?x16>, memref<17x16xf32>
}

// The right operand of 512 x 128 takes 131072 bytes: two even pieces of K.
// CHECK-LABEL: pl.kernel aic @deep
pl.kernel aic @deep(%x: memref<16x512xbf16>, %w: memref<512x128xbf16>, %y: memref<16x128xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x512xbf16> -> !pl.tile<16x512xbf16>
  %b = pl.load %w[%c0, %c0] : memref<512x128xbf16> -> !pl.tile<512x128xbf16>
  // CHECK: pl.extract %{{.*}}[0, 0] : !pl.tile<16x512xbf16> -> !pl.tile<16x256xbf16, left>
  // CHECK: pl.extract %{{.*}}[0, 0] : !pl.tile<512x128xbf16> -> !pl.tile<256x128xbf16, right>
  // CHECK: %[[P:.*]] = pl.matmul
  // CHECK: pl.extract %{{.*}}[0, 256] : !pl.tile<16x512xbf16> -> !pl.tile<16x256xbf16, left>
  // CHECK: pl.extract %{{.*}}[256, 0] : !pl.tile<512x128xbf16> -> !pl.tile<256x128xbf16, right>
  // CHECK: pl.matmul_acc %[[P]]
  %c = pl.matmul %a, %b : !pl.tile<16x512xbf16>, !pl.tile<512x128xbf16> -> !pl.tile<16x128xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x128xf32>, memref<16x128xf32>
}

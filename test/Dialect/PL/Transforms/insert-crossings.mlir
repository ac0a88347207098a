// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-insert-crossings))' -split-input-file -verify-diagnostics | FileCheck %s

// Each tile crosses once, whole, where it is made.
// CHECK-LABEL: pl.kernel mix @chain
pl.kernel mix @chain(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %v: memref<16x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
  %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
  %l = pl.extract %a[0, 0] : !pl.tile<16x48xbf16> -> !pl.tile<16x48xbf16, left>
  %r = pl.extract %b[0, 0] : !pl.tile<48x16xbf16> -> !pl.tile<48x16xbf16, right>
  // CHECK: %[[C:.*]] = pl.matmul
  // CHECK-NEXT: %[[M:.*]] = pl.move %[[C]] : !pl.tile<16x16xf32>
  %c = pl.matmul %l, %r : !pl.tile<16x48xbf16, left>, !pl.tile<48x16xbf16, right> -> !pl.tile<16x16xf32>
  // CHECK-NEXT: pl.exp %[[M]]
  %e = pl.exp %c : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
  // CHECK-NEXT: pl.add %{{.*}}, %[[M]]
  %s = pl.add %e, %c : !pl.tile<16x16xf32>, !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
  // CHECK-NEXT: %[[P:.*]] = pl.cast
  // CHECK-NEXT: %[[Q:.*]] = pl.move %[[P]] : !pl.tile<16x16xbf16>
  %p = pl.cast %s rint : !pl.tile<16x16xf32> -> !pl.tile<16x16xbf16>
  // CHECK-NEXT: pl.extract %[[Q]][0, 0]
  %l2 = pl.extract %p[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, left>
  %d = pl.load %v[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
  %r2 = pl.extract %d[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, right>
  // A product that is only stored stays.
  // CHECK: %[[O:.*]] = pl.matmul
  // CHECK-NEXT: pl.store %[[O]]
  %o = pl.matmul %l2, %r2 : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32>
  pl.store %o, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// -----

// The cube hands over whole products: windows are taken on the other side, with
// the valid box that both sides know.
// CHECK-LABEL: pl.kernel mix @window
pl.kernel mix @window(%x: memref<?x16xbf16>, %w: memref<16x16xbf16>, %y: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<?x16xbf16> -> !pl.tile<16x16xbf16, valid = ?x16>
  %b = pl.load %w[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, valid = ?x16> -> !pl.tile<16x16xbf16, left, valid = ?x16>
  %r = pl.extract %b[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, right>
  // CHECK: %[[C:.*]] = pl.matmul
  // CHECK-NEXT: %[[W:.*]] = pl.set_valid %[[C]] : {{.*}} -> !pl.tile<16x16xf32>
  // CHECK-NEXT: %[[M:.*]] = pl.move %[[W]] : !pl.tile<16x16xf32>
  // CHECK-NEXT: %[[V:.*]] = pl.set_valid %[[M]] valid(%{{.*}}) : {{.*}} -> !pl.tile<16x16xf32, valid = ?x16>
  %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left, valid = ?x16>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, valid = ?x16>
  // CHECK-NEXT: %[[S:.*]] = pl.subtile %[[V]][0, 0]
  // CHECK-NEXT: pl.exp %[[S]]
  %s = pl.subtile %c[0, 0] : !pl.tile<16x16xf32, valid = ?x16> -> !pl.tile<8x16xf32>
  %e = pl.exp %s : !pl.tile<8x16xf32> -> !pl.tile<8x16xf32>
  pl.store %e, %y[%c0, %c0] : !pl.tile<8x16xf32>, memref<16x16xf32>
}

// -----

// What a loop carries is on the vector side if vector work makes any of it.
// CHECK-LABEL: pl.kernel mix @carried
pl.kernel mix @carried(%x: memref<16x16xbf16>, %y: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, left>
  %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, right>
  // CHECK: %[[C:.*]] = pl.matmul
  // CHECK-NEXT: %[[M:.*]] = pl.move %[[C]]
  %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32>
  // CHECK: pl.for range {{.*}} iter(%{{.*}} = %[[M]] :
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %c : !pl.tile<16x16xf32>) {
    %e = pl.exp %acc : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
    pl.yield %e : !pl.tile<16x16xf32>
  }
  pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// -----

pl.kernel mix @accumulator(%x: memref<16x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, left>
  %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, right>
  %acc = pl.full %z : f32 -> !pl.tile<16x16xf32>
  // expected-error @+1 {{PL107: the accumulator of this product comes from vector work, and nothing leads from the vector cores into the accumulator; start with pl.matmul and add the vector tile to the result}}
  %c = pl.matmul_acc %acc, %l, %r : !pl.tile<16x16xf32>, !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// -----

// The valid rows change from iteration to iteration.
pl.kernel mix @changing(%x: memref<?x16xbf16>, %y: memref<16x16xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pl.load %x[%c0, %c0] valid(%m) : memref<?x16xbf16> -> !pl.tile<16x16xbf16, valid = ?x16>
  %b = pl.load %x[%c0, %c0] : memref<?x16xbf16> -> !pl.tile<16x16xbf16>
  %r = pl.extract %b[0, 0] : !pl.tile<16x16xbf16> -> !pl.tile<16x16xbf16, right>
  %e = pl.for range %i = %c0 to %m step %c1 iter(%t = %a : !pl.tile<16x16xbf16, valid = ?x16>) {
    %l = pl.extract %t[0, 0] : !pl.tile<16x16xbf16, valid = ?x16> -> !pl.tile<16x16xbf16, left, valid = ?x16>
    %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left, valid = ?x16>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, valid = ?x16>
    // expected-error @+1 {{PL107: this tile goes from one side of the core group to the other, but its valid rows are not one value that both sides know; set them with pl.set_validshape before it is used here}}
    %f = pl.exp %c : !pl.tile<16x16xf32, valid = ?x16> -> !pl.tile<16x16xf32, valid = ?x16>
    pl.store %f, %y[%c0, %c0] : !pl.tile<16x16xf32, valid = ?x16>, memref<16x16xf32>
    %next = pl.load %x[%i, %c0] valid(%i) : memref<?x16xbf16> -> !pl.tile<16x16xbf16, valid = ?x16>
    pl.yield %next : !pl.tile<16x16xbf16, valid = ?x16>
  }
}

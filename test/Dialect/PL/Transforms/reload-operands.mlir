// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-reload-operands))' | FileCheck %s

// Two shared right tiles of 64 KiB do not fit beside each other.
// CHECK-LABEL: pl.kernel aic @large
pl.kernel aic @large(%x: memref<16x512xbf16>, %w: memref<512x128xbf16>, %y: memref<32x128xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.empty : !pl.tile<16x512xbf16, mat>
  %w0 = pl.empty : !pl.tile<512x128xbf16, mat>
  %r0 = pl.extract %w0[0, 0] : !pl.tile<512x128xbf16, mat> -> !pl.tile<256x128xbf16, right>
  %r1 = pl.extract %w0[256, 0] : !pl.tile<512x128xbf16, mat> -> !pl.tile<256x128xbf16, right>
  %l = pl.empty : !pl.tile<16x256xbf16, left>
  // CHECK: %[[A:.*]] = pl.extract %{{.*}}[0, 0]
  // CHECK-NEXT: pl.matmul %{{.*}}, %[[A]]
  // CHECK-NEXT: %[[B:.*]] = pl.extract %{{.*}}[256, 0]
  // CHECK-NEXT: pl.matmul_acc %{{.*}}, %{{.*}}, %[[B]]
  // CHECK-NEXT: %[[C:.*]] = pl.extract %{{.*}}[0, 0]
  // CHECK-NEXT: pl.matmul %{{.*}}, %[[C]]
  %p = pl.matmul %l, %r0 : !pl.tile<16x256xbf16, left>, !pl.tile<256x128xbf16, right> -> !pl.tile<16x128xf32, acc>
  %q = pl.matmul_acc %p, %l, %r1 : !pl.tile<16x128xf32, acc>, !pl.tile<16x256xbf16, left>, !pl.tile<256x128xbf16, right> -> !pl.tile<16x128xf32, acc>
  %s = pl.matmul %l, %r0 : !pl.tile<16x256xbf16, left>, !pl.tile<256x128xbf16, right> -> !pl.tile<16x128xf32, acc>
  %t = pl.matmul_acc %s, %l, %r1 : !pl.tile<16x128xf32, acc>, !pl.tile<16x256xbf16, left>, !pl.tile<256x128xbf16, right> -> !pl.tile<16x128xf32, acc>
  pl.store %q, %y[%c0, %c0] : !pl.tile<16x128xf32, acc>, memref<32x128xf32>
  pl.store %t, %y[%c0, %c0] : !pl.tile<16x128xf32, acc>, memref<32x128xf32>
}

// What fits stays where it is.
// CHECK-LABEL: pl.kernel aic @small
// CHECK-COUNT-1: pl.extract
// CHECK-NOT: pl.extract
pl.kernel aic @small(%y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %w = pl.empty : !pl.tile<16x16xbf16, mat>
  %l = pl.empty : !pl.tile<16x16xbf16, left>
  %r = pl.extract %w[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, right>
  %p = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
  %q = pl.matmul_acc %p, %l, %r : !pl.tile<16x16xf32, acc>, !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
  pl.store %q, %y[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-legalize-casts))' | FileCheck %s

// CHECK-LABEL: pl.kernel aiv @chains
pl.kernel aiv @chains(%x: memref<17x64xi8>, %y: memref<17x64xf32>, %z: memref<17x64xf16>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<17x64xi8> -> !pl.tile<17x64xi8>
  // One hop stays as it is.
  // CHECK: %[[H:.*]] = pl.cast %{{.*}} none : !pl.tile<17x64xi8> -> !pl.tile<17x64xf16>
  %h = pl.cast %a none : !pl.tile<17x64xi8> -> !pl.tile<17x64xf16>
  // i8 -> f32 goes through f16, with the same rounding at each hop.
  // CHECK: %[[F:.*]] = pl.cast %{{.*}} rint : !pl.tile<17x64xi8> -> !pl.tile<17x64xf16>
  // CHECK: %[[G:.*]] = pl.cast %[[F]] rint : !pl.tile<17x64xf16> -> !pl.tile<17x64xf32>
  %f = pl.cast %a rint : !pl.tile<17x64xi8> -> !pl.tile<17x64xf32>
  // A conversion to the same type disappears.
  // CHECK-NOT: pl.cast
  // CHECK: pl.store %[[G]]
  %same = pl.cast %f rint : !pl.tile<17x64xf32> -> !pl.tile<17x64xf32>
  pl.store %same, %y[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  pl.store %h, %z[%c0, %c0] : !pl.tile<17x64xf16>, memref<17x64xf16>
}

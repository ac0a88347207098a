// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-legalize-casts))' -verify-diagnostics -split-input-file

pl.kernel aiv @unreachable(%x: memref<1x8xui32>, %y: memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<1x8xui32> -> !pl.tile<1x8xui32>
  // expected-error @+1 {{a2a3 cannot convert 'ui32' to 'f32', in any number of steps}}
  %f = pl.cast %a none : !pl.tile<1x8xui32> -> !pl.tile<1x8xf32>
  pl.store %f, %y[%c0, %c0] : !pl.tile<1x8xf32>, memref<1x8xf32>
}

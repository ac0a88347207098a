// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul,pl-assign-memory-spaces))' -verify-diagnostics -split-input-file

pl.kernel mix @both(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
  %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
  // expected-note @+1 {{needed in acc here}}
  %c = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
  // expected-error @+1 {{is needed in vec here and in acc elsewhere; store it and load it again between the two}}
  %e = pl.exp %c : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
  pl.store %e, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// -----

pl.kernel aiv @crooked_window(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
  // expected-error @+1 {{this window starts 16 bytes into the rows of its tile; windows of vector tiles start at multiples of 32 bytes}}
  %w = pl.subtile %t[0, 4] : !pl.tile<8x64xf32> -> !pl.tile<8x32xf32>
  pl.store %w, %y[%c0, %c0] : !pl.tile<8x32xf32>, memref<8x64xf32>
}

// -----

pl.kernel aic @cube_window(%x: memref<32x32xf32>, %y: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.load %x[%c0, %c0] : memref<32x32xf32> -> !pl.tile<32x32xf32>
  // expected-error @+1 {{a window of a tile in mat is not lowered yet; load the window from its tensor}}
  %w = pl.subtile %t[16, 0] : !pl.tile<32x32xf32> -> !pl.tile<16x32xf32>
  %c = pl.matmul %w, %t : !pl.tile<16x32xf32>, !pl.tile<32x32xf32> -> !pl.tile<16x32xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x32xf32>, memref<16x32xf32>
}

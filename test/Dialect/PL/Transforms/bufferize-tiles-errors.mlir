// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul,pl-assign-memory-spaces,pl-pipeline-loops,pl-bufferize-tiles))' -verify-diagnostics -split-input-file

// The first sum is needed after more is added to it.
pl.kernel aic @sum_kept(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
  %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
  %c = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
  // expected-error @+1 {{is still needed after it is accumulated into or merged, and acc cannot copy it}}
  %d = pl.matmul_acc %c, %a, %b : !pl.tile<16x16xf32>, !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  pl.store %d, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul))' -verify-diagnostics -split-input-file

pl.kernel aic @odd(%x: memref<17x48xbf16>, %w: memref<48x16xbf16>, %y: memref<17x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<17x48xbf16> -> !pl.tile<17x48xbf16>
  %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
  // expected-error @+1 {{rows and columns in multiples of 16 and K in multiples of 16, but this product is 17x48 by 48x16}}
  %c = pl.matmul %a, %b : !pl.tile<17x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<17x16xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<17x16xf32>, memref<17x16xf32>
}

// -----

pl.kernel aic @wide(%x: memref<256x16xbf16>, %w: memref<16x256xbf16>, %y: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<256x16xbf16> -> !pl.tile<256x16xbf16>
  %b = pl.load %w[%c0, %c0] : memref<16x256xbf16> -> !pl.tile<16x256xbf16>
  // expected-error @+1 {{the product [256, 256] f32 takes 262144 bytes of acc, which has 131072}}
  %c = pl.matmul %a, %b : !pl.tile<256x16xbf16>, !pl.tile<16x256xbf16> -> !pl.tile<256x256xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<256x256xf32>, memref<256x256xf32>
}

// -----

pl.kernel aic @ragged_k(%x: memref<16x8192xbf16>, %w: memref<8192x16xbf16>, %y: memref<16x16xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%k) : memref<16x8192xbf16> -> !pl.tile<16x8192xbf16, valid = 16x?>
  %b = pl.load %w[%c0, %c0] valid(%k) : memref<8192x16xbf16> -> !pl.tile<8192x16xbf16, valid = ?x16>
  // expected-error @+1 {{a product whose valid K is a run-time value must fit the operand memories in one piece}}
  %c = pl.matmul %a, %b : !pl.tile<16x8192xbf16, valid = 16x?>, !pl.tile<8192x16xbf16, valid = ?x16> -> !pl.tile<16x16xf32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

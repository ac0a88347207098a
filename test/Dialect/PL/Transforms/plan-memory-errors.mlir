// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-plan-memory))' -verify-diagnostics -split-input-file

pl.kernel aiv @too_large(%x: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+2 {{tile 'big' [512, 512] f32 takes 1048576 bytes of vec, which has 188416; use a smaller tile}}
  // expected-note @+1 {{live there: 'big' [512, 512] f32, 1048576 bytes}}
  %a = pl.buffer "big" : !pl.buffer<512x512xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xf32> into %a : !pl.buffer<512x512xf32, vec, nd>
}

// -----

pl.kernel aiv @too_many(%x: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+2 {{kernel 'too_many' needs 262144 bytes of vec at once, which has 188416}}
  // expected-note @+1 {{live there: 'p' [64, 512] f32, 131072 bytes}}
  %a = pl.buffer "p" : !pl.buffer<64x512xf32, vec, nd>
  // expected-note @+1 {{live there: 'q' [64, 512] f32, 131072 bytes}}
  %b = pl.buffer "q" : !pl.buffer<64x512xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xf32> into %a : !pl.buffer<64x512xf32, vec, nd>
  pl.exp %a : !pl.buffer<64x512xf32, vec, nd> into %b : !pl.buffer<64x512xf32, vec, nd>
  pl.store %a, %x[%c0, %c0] : !pl.buffer<64x512xf32, vec, nd>, memref<512x512xf32>
}

// -----

pl.kernel aiv @narrow(%x: memref<17x17xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'t' [17, 17] f32 has rows of 68 bytes; vector tiles need multiples of 32: use columns in multiples of 8}}
  %a = pl.buffer "t" : !pl.buffer<17x17xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x17xf32> into %a : !pl.buffer<17x17xf32, vec, nd>
}

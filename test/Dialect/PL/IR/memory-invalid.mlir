// RUN: pl-opt %s -verify-diagnostics -split-input-file

func.func @f(%t: !pl.tile<16x48xf32>, %row: !pl.tile<1x48xf32>, %r: index) {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'pl.insert' op expects a window inside [16, 48] f32, but axis 1 covers 8 to 56}}
  %a = pl.insert %row into %t[%r, %c8] : !pl.tile<1x48xf32> into !pl.tile<16x48xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<16x48xf32>, %row: !pl.tile<1x48xbf16>, %r: index) {
  // expected-error @+1 {{'pl.insert' op expects one element type, got [1, 48] bf16 and [16, 48] f32}}
  %a = pl.insert %row into %t[%r, %r] : !pl.tile<1x48xbf16> into !pl.tile<16x48xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<16x48xf32>, %r: index) {
  // expected-error @+1 {{'pl.slice' op expects a window inside [16, 48] f32, but axis 0 covers 0 to 17}}
  %a = pl.slice %t[%r, %r] : !pl.tile<16x48xf32> -> !pl.tile<17x48xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<16x48xf32>, %r: index) {
  // expected-error @+1 {{'pl.tile_read' op expects an element of [16, 48] f32, got 'i32'}}
  %a = pl.tile_read %t[%r, %r] : !pl.tile<16x48xf32> -> i32
  return
}

// -----

func.func @f(%t: !pl.tile<16x48xf32>, %v: f32, %r: index) {
  %c16 = arith.constant 16 : index
  // expected-error @+1 {{'pl.tile_write' op expects a window inside [16, 48] f32, but axis 0 covers 16 to 17}}
  %a = pl.tile_write %v into %t[%c16, %r] : f32 into !pl.tile<16x48xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xbf16>, %b: !pl.tile<4x64xbf16>) {
  // expected-error @+1 {{'pl.concat' op expects equal rows, got [8, 64] bf16 and [4, 64] bf16}}
  %c = pl.concat %a, %b : !pl.tile<8x64xbf16>, !pl.tile<4x64xbf16> -> !pl.tile<8x128xbf16>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xbf16>) {
  // expected-error @+1 {{'pl.concat' op expects a result of 8 x 128, but got [8, 64] bf16}}
  %c = pl.concat %a, %a : !pl.tile<8x64xbf16>, !pl.tile<8x64xbf16> -> !pl.tile<8x64xbf16>
  return
}

// -----

func.func @f(%x: memref<8x8x64xf32>, %i: index) {
  // expected-error @+1 {{'pl.load_box' op expects a tile of 8 x 64, got [4, 64] f32}}
  %t = pl.load_box %x[%i, %i, %i] sizes [2, 4, 64] : memref<8x8x64xf32> -> !pl.tile<4x64xf32>
  return
}

// -----

func.func @f(%x: memref<8x8x64xf32>, %i: index) {
  // expected-error @+1 {{'pl.load_box' op expects no valid extents or one per axis}}
  %t = pl.load_box %x[%i, %i, %i] sizes [2, 4, 64] valid(%i) : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<8x64xf32>, %x: memref<8x8x64xf32>, %i: index) {
  // expected-error @+1 {{'pl.store_box' op expects one offset and one size per axis}}
  pl.store_box %t, %x[%i, %i] sizes [2, 4, 64] : !pl.tile<8x64xf32>, memref<8x8x64xf32>
  return
}

// -----

func.func @f(%pool: memref<?x64xbf16>, %acc: !pl.tile<128x64xbf16, mat>, %i: index) {
  // expected-error @+1 {{'pl.gather_row' op expects a window inside [128, 64] bf16, but axis 0 covers 0 to 129}}
  %a = pl.gather_row %pool[%i, %i] size [129, 64] into %acc[%i, %i] : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
  return
}

// -----

func.func @f(%pool: memref<?x64xbf16>, %acc: !pl.tile<128x64xbf16, mat>, %i: index) {
  // expected-error @+1 {{'pl.gather_row' op expects valid extents for both axes, and none with transpose}}
  %a = pl.gather_row %pool[%i, %i] size [1, 64] into %acc[%i, %i] valid(%i, %i) transpose : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
  return
}

// -----

func.func @f(%k: !pl.tile<32x64xbf16, mat>) {
  // expected-error @+1 {{'pl.transpose_view' op expects rows and columns swapped}}
  %v = pl.transpose_view %k : !pl.tile<32x64xbf16, mat> -> !pl.tile<32x64xbf16, mat>
  return
}

// -----

func.func @f(%k: !pl.tile<32x64xbf16>) {
  // expected-error @+1 {{'pl.fillpad_expand' op expects a fully valid result at least as large as [32, 64] bf16}}
  %v = pl.fillpad_expand %k zero : !pl.tile<32x64xbf16> -> !pl.tile<16x64xbf16>
  return
}

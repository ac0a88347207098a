// RUN: pl-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{'pl.and' op expects integer tiles, got [8, 64] f32}}
  %c = pl.and %a, %a : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf16>) {
  // expected-error @+1 {{expects FP32 tiles, got [8, 64] f16}}
  %c = pl.sin %a : !pl.tile<8x64xf16> -> !pl.tile<8x64xf16>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xi1>) {
  // expected-error @+1 {{takes no BOOL tiles, got [8, 64] i1}}
  %c = pl.add %a, %a : !pl.tile<8x64xi1>, !pl.tile<8x64xi1> -> !pl.tile<8x64xi1>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xbf16>, %v: !pl.tile<8x1xbf16>) {
  // expected-error @+1 {{expects INT8, INT16, INT32, FP16 or FP32 tiles, got [8, 64] bf16}}
  %c = pl.row_expand_add %a, %v : !pl.tile<8x64xbf16>, !pl.tile<8x1xbf16> -> !pl.tile<8x64xbf16>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xi32>, %v: !pl.tile<8x1xi32>) {
  // expected-error @+1 {{expects float tiles, got [8, 64] i32}}
  %c = pl.row_expand_expdif %a, %v : !pl.tile<8x64xi32>, !pl.tile<8x1xi32> -> !pl.tile<8x64xi32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32, valid = 4x64>, %b: !pl.tile<8x64xf32, valid = 8x32>) {
  // expected-error @+1 {{expects one valid box inside the other, got [8, 64] f32 (valid [4, 64]) and [8, 64] f32 (valid [8, 32])}}
  %c = pl.part_add %a, %b : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = 8x32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x320xf32>) {
  // expected-error @+1 {{expects a result of [8, 64] ui8 (valid [8, 40]), but got [8, 40] ui8}}
  %c = pl.cmp_mask lt %a, %a : !pl.tile<8x320xf32>, !pl.tile<8x320xf32> -> !pl.tile<8x40xui8>
  return
}

// -----

func.func @f(%m: !pl.tile<8x64xf32>, %a: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{expects a packed mask of a comparison, an integer tile of 8 to 32 bits, got [8, 64] f32}}
  %c = pl.sel %m, %a, %a : !pl.tile<8x64xf32>, !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%m: !pl.tile<8x32xui8>, %a: !pl.tile<8x512xf32>) {
  // expected-error @+1 {{expects a mask with a bit for each cell of [8, 512] f32, got [8, 32] ui8}}
  %c = pl.sel %m, %a, %a : !pl.tile<8x32xui8>, !pl.tile<8x512xf32>, !pl.tile<8x512xf32> -> !pl.tile<8x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x48xf32>, %i: !pl.tile<1x48xui32>) {
  // expected-error @+1 {{sorts blocks of 32 columns, got [1, 48] f32}}
  %p = pl.sort32 %x, %i : !pl.tile<1x48xf32>, !pl.tile<1x48xui32> -> !pl.tile<1x96xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x64xf32>, %i: !pl.tile<1x64xi32>) {
  // expected-error @+1 {{expects UINT32 indices, got [1, 64] i32}}
  %p = pl.sort32 %x, %i : !pl.tile<1x64xf32>, !pl.tile<1x64xi32> -> !pl.tile<1x128xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x64xf32>, %i: !pl.tile<1x64xui32>) {
  // expected-error @+1 {{expects a result of [1, 128] f32, but got [1, 64] f32}}
  %p = pl.sort32 %x, %i : !pl.tile<1x64xf32>, !pl.tile<1x64xui32> -> !pl.tile<1x64xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>) {
  %c = arith.constant 65 : index
  // expected-error @+1 {{expects runs of a multiple of 64, got block_len 65}}
  %p = pl.mrgsort %x block(%c) : !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>) {
  %c = arith.constant 256 : index
  // expected-error @+1 {{merges four runs of 256 into one, which needs a multiple of 4 * 256 columns, got [1, 512] f32}}
  %p = pl.mrgsort %x block(%c) : !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<2x512xf32>, %n: index) {
  // expected-error @+1 {{merges runs of one row, got [2, 512] f32}}
  %p = pl.mrgsort %x block(%n) : !pl.tile<2x512xf32> -> !pl.tile<2x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>) {
  // expected-error @+1 {{merges two to four rows, got 1}}
  %p = pl.mrgsort_lists %x : !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>) {
  // expected-error @+1 {{expects a result of [1, 1024] f32, but got [1, 512] f32}}
  %p = pl.mrgsort_lists %x, %x : !pl.tile<1x512xf32>, !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x510xf32>) {
  // expected-error @+1 {{expects a number of columns that p0001 divides (by 4), got [1, 510] f32}}
  %p = pl.gather_mask p0001 %x : !pl.tile<1x510xf32> -> !pl.tile<1x127xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>) {
  // expected-error @+1 {{keeps the bits, so the result must have 32-bit elements like [1, 512] f32, not 'i16'}}
  %p = pl.gather_mask p0101 %x : !pl.tile<1x512xf32> -> !pl.tile<1x256xi16>
  return
}

// -----

// Odd lanes of five valid columns are two.
func.func @f(%x: !pl.tile<1x8xf32, valid = 1x5>) {
  // expected-error @+1 {{expects a result of [1, 4] f32 (valid [1, 2]), but got [1, 4] f32 (valid [1, 3])}}
  %p = pl.gather_mask p1010 %x : !pl.tile<1x8xf32, valid = 1x5> -> !pl.tile<1x4xf32, valid = 1x3>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xbf16>, %i: !pl.tile<1x512xi32>) {
  // expected-error @+1 {{expects FP16, FP32, INT16 or INT32 tiles, got [1, 512] bf16}}
  %p = pl.gather %x, %i : !pl.tile<1x512xbf16>, !pl.tile<1x512xi32> -> !pl.tile<1x512xbf16>
  return
}

// -----

func.func @f(%d: !pl.tile<1x512xf32>, %i: !pl.tile<1x64xi16>, %x: !pl.tile<1x64xf32>) {
  // expected-error @+1 {{expects an INT32 index for [1, 512] f32, got [1, 64] i16}}
  %p = pl.scatter %d, %i, %x : !pl.tile<1x512xf32>, !pl.tile<1x64xi16>, !pl.tile<1x64xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%d: !pl.tile<1x512xf32>, %x: !pl.tile<1x64xf32>) {
  // expected-error @+1 {{expects a destination of [1, 128] for [1, 64] f32 by p0101, got [1, 512] f32}}
  %p = pl.scatter_mask p0101 %d, %x : !pl.tile<1x512xf32>, !pl.tile<1x64xf32> -> !pl.tile<1x512xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<1x512xf32>, %i: !pl.tile<1x12xui32>) {
  // expected-error @+1 {{expects a multiple of 8 offsets in a row, got [1, 12] ui32}}
  %p = pl.gather_blocks %x, %i : !pl.tile<1x512xf32>, !pl.tile<1x12xui32> -> !pl.tile<1x96xf32>
  return
}

// -----

func.func @f(%n: i32) {
  // expected-error @+1 {{makes one row of integers, not [2, 64] i32}}
  %p = pl.iota_down %n : i32 -> !pl.tile<2x64xi32>
  return
}

// -----

func.func @f(%x: memref<8xui32>, %i: index) {
  // expected-error @+1 {{expects an element of 'memref<8xui32>', got 'ui32'}}
  %p = pl.read %x[%i] : memref<8xui32> -> ui32
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{keeps the bytes: [8, 64] f32 has 2048, [8, 64] i16 has 1024}}
  %p = pl.reinterpret %x : !pl.tile<8x64xf32> -> !pl.tile<8x64xi16>
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{expects another element type than that of [8, 64] f32}}
  %p = pl.reinterpret %x : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xi16, valid = 8x3>) {
  // expected-error @+1 {{cannot map the valid box of [8, 64] i16 (valid [8, 3]) to [8, 32] f32; fill it with pl.fillpad first}}
  %p = pl.reinterpret %x : !pl.tile<8x64xi16, valid = 8x3> -> !pl.tile<8x32xf32>
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xf32>, %s: f32) {
  // expected-error @+1 {{expects one row of 8 counts of INT32 or UINT32, got [1, 4] i32}}
  %i, %n = pl.gather_compare ge %x, %s offset 0 : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x16xi32>, !pl.tile<1x4xi32>
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xf32>, %s: f32) {
  // expected-error @+1 {{expects INT32 indices of 8 rows, got [8, 16] i16}}
  %i, %n = pl.gather_compare ge %x, %s offset 0 : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x16xi16>, !pl.tile<1x8xi32>
  return
}

// -----

func.func @f(%x: !pl.tile<8x64xf32>, %s: f16) {
  // expected-error @+1 {{expects a scalar of [8, 64] f32, got 'f16'}}
  %i, %n = pl.gather_compare ge %x, %s offset 0 : !pl.tile<8x64xf32>, f16 -> !pl.tile<8x16xi32>, !pl.tile<1x8xi32>
  return
}

// -----

func.func @f(%s: i32) {
  // expected-error @+1 {{takes two words of a key and four of a counter, got 1}}
  %r = pl.random (%s) rounds 7 -> !pl.tile<8x64xui32>
  return
}

// -----

func.func @f(%s: i32) {
  // expected-error @+1 {{takes 7 or 10 rounds, got 8}}
  %r = pl.random (%s, %s, %s, %s, %s, %s) rounds 8 -> !pl.tile<8x64xui32>
  return
}

// RUN: pl-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{valid rows 9 are outside 0..8}}
func.func private @f(!pl.tile<8x64xf32, valid = 9x64>)

// -----

// expected-error @+1 {{expects rows x columns, got 3 extents}}
func.func private @f(!pl.tile<8x8x64xf32>)

// -----

// expected-error @+1 {{expects a memory space (vec, mat, left, right, acc, bias) or 'valid', got 'ub'}}
func.func private @f(!pl.tile<8x64xf32, ub>)

// -----

func.func @f(%a: !pl.tile<8x64xf32>, %b: !pl.tile<8x32xf32>) {
  // expected-error @+1 {{'pl.add' op expects operands of one shape, got [8, 64] f32 and [8, 32] f32}}
  %c = pl.add %a, %b : !pl.tile<8x64xf32>, !pl.tile<8x32xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32>, %b: !pl.tile<8x64xbf16>) {
  // expected-error @+1 {{expects operands of one element type, got [8, 64] f32 and [8, 64] bf16; cast one of them}}
  %c = pl.add %a, %b : !pl.tile<8x64xf32>, !pl.tile<8x64xbf16> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32, valid = ?x64>) {
  // expected-error @+1 {{expects a result of [8, 64] f32 (valid [?, 64]), but got [8, 64] f32}}
  %c = pl.exp %a : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<16x48xbf16>, %b: !pl.tile<32x16xbf16>) {
  // expected-error @+1 {{expects equal K, got [16, 48] bf16 x [32, 16] bf16: K is 48 on the left and 32 on the right}}
  %c = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<32x16xbf16> -> !pl.tile<16x16xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32, valid = 8x0>) {
  // expected-error @+1 {{reduces an empty region}}
  %c = pl.row_sum %a : !pl.tile<8x64xf32, valid = 8x0> -> !pl.tile<8x1xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32>, %v: !pl.tile<1x64xf32>) {
  // expected-error @+1 {{expects a [8, 1] vector for [8, 64] f32, got [1, 64] f32}}
  %c = pl.row_expand_mul %a, %v : !pl.tile<8x64xf32>, !pl.tile<1x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%a: !pl.tile<8x64xf32, valid = ?x64>) {
  // expected-error @+1 {{cannot map the valid box of [8, 64] f32 (valid [?, 64]) to [64, 8] f32}}
  %c = pl.reshape %a : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<64x8xf32>
  return
}

// -----

func.func @f(%x: memref<17x64xf32>, %i: index) {
  // expected-error @+1 {{expects one offset per axis of 'memref<17x64xf32>', got 1}}
  %c = pl.load %x[%i] : memref<17x64xf32> -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%x: memref<17x64xf32>, %i: index) {
  // expected-error @+1 {{expects one operand for each run-time valid extent of [8, 64] f32 (valid [?, 64]), got 0}}
  %c = pl.load %x[%i, %i] : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  return
}

// -----

func.func @f(%x: memref<17x64xbf16>, %b: !pl.buffer<8x64xf32, vec, nd>, %i: index) {
  // Only the path out of the accumulator converts.
  // expected-error @+1 {{expects one element type, got [8, 64] f32 and 'memref<17x64xbf16>'}}
  pl.store %b, %x[%i, %i] : !pl.buffer<8x64xf32, vec, nd>, memref<17x64xbf16>
  return
}

// -----

func.func @f(%a: !pl.task) {
  // expected-error @+1 {{expects a reason for each of 1 deps, but got 0}}
  %t = "pl.dummy"(%a) <{edges = []}> : (!pl.task) -> !pl.task
  return
}

// -----

func.func @f(%x: memref<17x64xf32>, %n: index) {
  // expected-error @+1 {{expects a pl.kernel named @missing}}
  %t = pl.launch @missing blocks(%n) args(%x : memref<17x64xf32>)
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
pl.kernel aiv @k(%x: memref<17x64xf32>) {
}
func.func @f(%n: index) {
  // expected-error @+1 {{expects the 1 arguments of the kernel, but got 0 or other types}}
  %t = pl.launch @k blocks(%n) args()
  return
}

// -----

// expected-error @+1 {{expects tensors before scalars}}
pl.kernel aiv @k(%n: index, %x: memref<17x64xf32>) {
}

// -----

func.func @f() {
  // expected-error @+1 {{expects an event in 0..7, got 8}}
  pl.set_flag v to mte2 event 8
  return
}

// -----

func.func @f(%a: !pl.buffer<8x64xf32, vec, nd>) {
  // expected-error @+1 {{bytes 1920..2176 leave the source of 2048 bytes}}
  %v = pl.buffer_view %a "v" offset 1920 : !pl.buffer<8x64xf32, vec, nd> -> !pl.buffer<1x64xf32, vec, nd>
  return
}

// -----

func.func @f(%n: index, %a: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{expects initial, carried, yielded and result values of the same types}}
  %r = "pl.for"(%n, %n, %n, %a) <{kind = #pl<loop_kind range>}> ({
  ^bb0(%i: index, %c: !pl.tile<8x64xf32>):
    "pl.yield"(%n) : (index) -> ()
  }) : (index, index, index, !pl.tile<8x64xf32>) -> !pl.tile<8x64xf32>
  return
}

// RUN: pl-opt %s -verify-diagnostics -split-input-file

func.func @f(%w: memref<8x64xf32>) {
  // expected-error @+1 {{'pl.rank' op operand #0 must be a tensor of a window (memory space #pl.window), but got 'memref<8x64xf32>'}}
  %r = pl.rank %w : memref<8x64xf32>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %w: memref<8x64xbf16, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.put' op expects one element type, got 'memref<8x64xf32>' and 'memref<8x64xbf16, #pl.window>'}}
  pl.put %x[%i, %i] to %w[%i, %i] peer %i sizes(%i, %i) : memref<8x64xf32>, memref<8x64xbf16, #pl.window>
  return
}

// -----

func.func @f(%x: memref<64xf32>, %w: memref<8x64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.put' op expects equal ranks, got 'memref<64xf32>' and 'memref<8x64xf32, #pl.window>'}}
  pl.put %x[%i] to %w[%i, %i] peer %i sizes(%i, %i) : memref<64xf32>, memref<8x64xf32, #pl.window>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %w: memref<8x64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.put' op expects one size per axis of 'memref<8x64xf32>', got 1}}
  pl.put %x[%i, %i] to %w[%i, %i] peer %i sizes(%i) : memref<8x64xf32>, memref<8x64xf32, #pl.window>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %w: memref<8x64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.get' op expects one offset per axis of 'memref<8x64xf32>', got 1}}
  pl.get %w[%i, %i] peer %i to %x[%i] sizes(%i, %i) : memref<8x64xf32, #pl.window>, memref<8x64xf32>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %w: memref<8x64xf32, #pl.window>, %i: index) {
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'pl.put' op leaves 'memref<8x64xf32, #pl.window>': in axis 0 it covers 5 to 9}}
  pl.put %x[%i, %i] to %w[%c5, %i] peer %i sizes(%c4, %i) : memref<8x64xf32>, memref<8x64xf32, #pl.window>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %w: memref<8x64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.put' op pipelines only chunks of given rows and columns}}
  pl.put %x[%i, %i] to %w[%i, %i] peer %i sizes(%i, %i) chunk 4 x 0 pipeline : memref<8x64xf32>, memref<8x64xf32, #pl.window>
  return
}

// -----

func.func @f(%x: memref<8x64xi64>, %w: memref<8x64xi64, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.put' op cannot add atomically to 'i64'}}
  pl.put %x[%i, %i] to %w[%i, %i] peer %i sizes(%i, %i) atomic add : memref<8x64xi64>, memref<8x64xi64, #pl.window>
  return
}

// -----

func.func @f(%t: !pl.tile<1x64xf32>, %w: memref<64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.remote_store' op expects a window of at least two axes, got 'memref<64xf32, #pl.window>'}}
  pl.remote_store %t, %w[%i] peer %i : !pl.tile<1x64xf32>, memref<64xf32, #pl.window>
  return
}

// -----

func.func @f(%t: !pl.tile<8x64xf32>, %w: memref<8x64xbf16, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.remote_store' op expects one element type, got [8, 64] f32 and 'memref<8x64xbf16, #pl.window>'}}
  pl.remote_store %t, %w[%i, %i] peer %i : !pl.tile<8x64xf32>, memref<8x64xbf16, #pl.window>
  return
}

// -----

func.func @f(%w: memref<8x64xf32, #pl.window>, %i: index) {
  // expected-error @+1 {{'pl.remote_load' op expects one operand for each run-time valid extent of [8, 64] f32 (valid [?, 64]), got 0}}
  %t = pl.remote_load %w[%i, %i] peer %i : memref<8x64xf32, #pl.window> -> !pl.tile<8x64xf32, valid = ?x64>
  return
}

// -----

func.func @f(%s: memref<4x1xf32, #pl.window>, %i: index, %v: i32) {
  // expected-error @+1 {{'pl.notify' op operand #1 must be an i32 tensor of a window (memory space #pl.window), but got 'memref<4x1xf32, #pl.window>'}}
  pl.notify add %v, %s[%i, %i] peer %i : memref<4x1xf32, #pl.window>
  return
}

// -----

func.func @f(%s: memref<4x1xi32, #pl.window>, %i: index, %v: i32) {
  // expected-error @+1 {{'pl.wait' op expects one offset per axis of 'memref<4x1xi32, #pl.window>', got 1}}
  pl.wait ge %v, %s[%i] : memref<4x1xi32, #pl.window>
  return
}

// -----

func.func @f(%s: memref<4x1xi32, #pl.window>, %i: index) {
  %v = arith.constant -2 : i32
  // expected-error @+1 {{'pl.defer_wait' op expects a value of at least 0, got -2: conditions compare unsigned}}
  pl.defer_wait %s[%i, %i] reaches %v : memref<4x1xi32, #pl.window>
  return
}

// -----

func.func @f(%w: memref<4x64xi8, #pl.window>, %s: memref<4x1xi32, #pl.window>) {
  // expected-error @+1 {{'pl.allreduce' op expects f32 or f16, got 'i8'}}
  pl.allreduce sum %w signal %s : memref<4x1xi32, #pl.window>, memref<4x64xi8, #pl.window>
  return
}

// -----

func.func @f(%w: memref<4x64xf32, #pl.window>) {
  // expected-error @+1 {{'pl.allreduce' op needs a signal for a ring}}
  pl.allreduce sum %w topology ring, memref<4x64xf32, #pl.window>
  return
}

// -----

func.func @f(%s: memref<4x1x1xi32, #pl.window>) {
  // expected-error @+1 {{'pl.barrier' op expects a signal of one or two axes, got 'memref<4x1x1xi32, #pl.window>'}}
  pl.barrier %s : memref<4x1x1xi32, #pl.window>
  return
}

// -----

func.func @f(%w: memref<4x64xf32, #pl.window>, %s: memref<4x1xi32, #pl.window>) {
  // expected-error @+1 {{'pl.all_to_all' op expects two tensors, got one}}
  pl.all_to_all %w to %w signal %s : memref<4x64xf32, #pl.window>, memref<4x64xf32, #pl.window>, memref<4x1xi32, #pl.window>
  return
}

// -----

func.func @f(%x: memref<8x64xf32>, %i: index) {
  // expected-error @+1 {{'pl.cache_invalid' op expects one offset and one size per axis of 'memref<8x64xf32>', got 1 and 2}}
  pl.cache_invalid %x[%i] sizes(%i, %i) : memref<8x64xf32>
  return
}

// -----

func.func @f(%ws: memref<8xi32>) {
  // expected-error @+1 {{'pl.sync_all' op expects a workspace of at least 16 i32, got 'memref<8xi32>'}}
  pl.sync_all mix workspace %ws : memref<8xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'pl.split_aiv' op expects a body with the lane as argument}}
  pl.split_aiv none {
  }
  return
}

// -----

func.func @f() {
  // expected-note @+1 {{the outer region is here}}
  pl.split_aiv none {
  ^bb0(%a: index):
    // expected-error @+1 {{'pl.split_aiv' op cannot be inside another: there are two lanes}}
    pl.split_aiv none {
    ^bb0(%b: index):
    }
  }
  return
}

// -----

func.func @f(%t: !pl.tile<8x64xf32>) {
  // expected-error @+1 {{'pl.split_aiv' op expects to yield what it returns}}
  %r = pl.split_aiv none {
  ^bb0(%a: index):
  } -> !pl.tile<8x64xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<17x64xf32>) {
  // expected-error @+1 {{'pl.aiv_shard' op expects a result of [9, 64] f32 (valid [?, 64]), but got [9, 64] f32}}
  %h = pl.aiv_shard up_down %t : !pl.tile<17x64xf32> -> !pl.tile<9x64xf32>
  return
}

// -----

func.func @f(%t: !pl.tile<9x64xf32, valid = ?x64>) {
  // expected-error @+1 {{'pl.aic_gather' op cannot join the halves of partly valid [9, 64] f32 (valid [?, 64])}}
  %h = pl.aic_gather up_down %t : !pl.tile<9x64xf32, valid = ?x64> -> !pl.tile<18x64xf32>
  return
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-plan-memory))' | FileCheck %s

// "a" is free once "b" is made; "c" takes its place.
// CHECK-LABEL: pl.kernel aiv @reuse
pl.kernel aiv @reuse(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: pl.buffer "a" at 0
  %a = pl.buffer "a" : !pl.buffer<1x64xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  // CHECK: pl.buffer "b" at 256
  %b = pl.buffer "b" : !pl.buffer<1x64xf32, vec, nd>
  pl.exp %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  // CHECK: pl.buffer "c" at 0
  %c = pl.buffer "c" : !pl.buffer<1x64xf32, vec, nd>
  // CHECK: pl.buffer_view %{{.*}} "v" offset 128 at 128
  %v = pl.buffer_view %c "v" offset 128 : !pl.buffer<1x64xf32, vec, nd> -> !pl.buffer<1x32xf32, vec, nd>
  pl.exp %b : !pl.buffer<1x64xf32, vec, nd> into %c : !pl.buffer<1x64xf32, vec, nd>
  pl.store %v, %x[%c0, %c0] : !pl.buffer<1x32xf32, vec, nd>, memref<17x64xf32>
}

// What a loop uses from outside lives through all of it.
// CHECK-LABEL: pl.kernel aiv @through_loop
pl.kernel aiv @through_loop(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pl.buffer "outer" at 0
  %a = pl.buffer "outer" : !pl.buffer<1x64xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: pl.buffer "first" at 256
    %b = pl.buffer "first" : !pl.buffer<1x64xf32, vec, nd>
    pl.exp %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
    // CHECK: pl.buffer "second" at 512
    %c = pl.buffer "second" : !pl.buffer<1x64xf32, vec, nd>
    pl.exp %b : !pl.buffer<1x64xf32, vec, nd> into %c : !pl.buffer<1x64xf32, vec, nd>
    pl.store %c, %x[%i, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
  }
}

// The loads of a pipelined loop keep storage of their own.
// CHECK-LABEL: pl.kernel aiv @stages
pl.kernel aiv @stages(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    // CHECK: pl.buffer "even" at 0
    %a = pl.buffer "even" : !pl.buffer<1x64xf32, vec, nd>
    pl.load %x[%i, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
    pl.store %a, %x[%i, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
    // CHECK: pl.buffer "odd" at 256
    %b = pl.buffer "odd" : !pl.buffer<1x64xf32, vec, nd>
    pl.load %x[%i, %c0] : memref<17x64xf32> into %b : !pl.buffer<1x64xf32, vec, nd>
    pl.store %b, %x[%i, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
  } {pl.stages = 2 : i64}
}

// Where room is short, a result takes the place of a source that ends with it.
// CHECK-LABEL: pl.kernel aiv @in_place
pl.kernel aiv @in_place(%x: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: pl.buffer "a" at 0
  %a = pl.buffer "a" : !pl.buffer<64x512xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xf32> into %a : !pl.buffer<64x512xf32, vec, nd>
  // CHECK: pl.buffer "b" at 0
  %b = pl.buffer "b" : !pl.buffer<64x512xf32, vec, nd>
  pl.exp %a : !pl.buffer<64x512xf32, vec, nd> into %b : !pl.buffer<64x512xf32, vec, nd>
  // CHECK: pl.buffer "c" at 0
  %c = pl.buffer "c" : !pl.buffer<64x512xf32, vec, nd>
  pl.abs %b : !pl.buffer<64x512xf32, vec, nd> into %c : !pl.buffer<64x512xf32, vec, nd>
  pl.store %c, %x[%c0, %c0] : !pl.buffer<64x512xf32, vec, nd>, memref<512x512xf32>
}

// A conversion may where each element takes the place of its own: types of one
// size.
// CHECK-LABEL: pl.kernel aiv @cast_in_place
pl.kernel aiv @cast_in_place(%x: memref<512x512xi32>, %y: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: pl.buffer "a" at 0
  %a = pl.buffer "a" : !pl.buffer<64x512xi32, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xi32> into %a : !pl.buffer<64x512xi32, vec, nd>
  // CHECK: pl.buffer "b" at 0
  %b = pl.buffer "b" : !pl.buffer<64x512xf32, vec, nd>
  pl.cast %a none : !pl.buffer<64x512xi32, vec, nd> into %b : !pl.buffer<64x512xf32, vec, nd>
  pl.store %b, %y[%c0, %c0] : !pl.buffer<64x512xf32, vec, nd>, memref<512x512xf32>
}

// Not where the instruction reads a source after it began to write: "r" needs
// a place of its own, so does a tile of another element size.
// CHECK-LABEL: pl.kernel aiv @not_in_place
pl.kernel aiv @not_in_place(%x: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: pl.buffer "a" at 0
  %a = pl.buffer "a" : !pl.buffer<32x512xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xf32> into %a : !pl.buffer<32x512xf32, vec, nd>
  // CHECK: pl.buffer "b" at 65536
  %b = pl.buffer "b" : !pl.buffer<32x512xf32, vec, nd>
  // CHECK: pl.buffer "c" at 0
  %c = pl.buffer "c" : !pl.buffer<32x512xf32, vec, nd>
  // CHECK: pl.buffer "d" at 131072
  %d = pl.buffer "d" : !pl.buffer<32x512xbf16, vec, nd>
  pl.load %x[%c0, %c0] : memref<512x512xf32> into %b : !pl.buffer<32x512xf32, vec, nd>
  pl.add %a, %b : !pl.buffer<32x512xf32, vec, nd>, !pl.buffer<32x512xf32, vec, nd> into %c : !pl.buffer<32x512xf32, vec, nd>
  pl.cast %c rint : !pl.buffer<32x512xf32, vec, nd> into %d : !pl.buffer<32x512xbf16, vec, nd>
  pl.store %b, %x[%c0, %c0] : !pl.buffer<32x512xf32, vec, nd>, memref<512x512xf32>
}

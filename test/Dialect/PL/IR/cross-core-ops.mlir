// RUN: pl-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: pl.kernel mix @both
pl.kernel mix @both(%x: memref<16x64xf32>, %fifo: memref<?x12288xi8>) {
  // CHECK: pl.ring to_vector %{{.*}} offset 0 slots 2 bytes 4096 : memref<?x12288xi8>
  // CHECK: pl.ring to_cube %{{.*}} offset 8192 slots 2 bytes 2048 : memref<?x12288xi8>
  pl.ring to_vector %fifo offset 0 slots 2 bytes 4096 : memref<?x12288xi8>
  pl.ring to_cube %fifo offset 8192 slots 2 bytes 2048 : memref<?x12288xi8>
  %c0 = arith.constant 0 : index
  // CHECK: pl.cube {
  pl.cube {
    %e = pl.empty : !pl.tile<16x64xf32, acc>
    // CHECK: pl.push %{{.*}} : !pl.tile<16x64xf32, acc>
    pl.push %e : !pl.tile<16x64xf32, acc>
    // CHECK: pl.pop -> !pl.tile<16x64xbf16, mat>
    %t = pl.pop -> !pl.tile<16x64xbf16, mat>
    // CHECK: pl.pop into %{{.*}} : !pl.buffer<16x64xbf16, mat, nz>
    %b = pl.buffer "b" at 0 : !pl.buffer<16x64xbf16, mat, nz>
    pl.pop into %b : !pl.buffer<16x64xbf16, mat, nz>
  }
  // CHECK: pl.vector {
  pl.vector {
    // CHECK: pl.pop split up_down -> !pl.tile<8x64xf32, vec>
    %t = pl.pop split up_down -> !pl.tile<8x64xf32, vec>
    %h = pl.empty : !pl.tile<16x32xbf16, vec>
    // CHECK: pl.push %{{.*}} split left_right : !pl.tile<16x32xbf16, vec>
    pl.push %h split left_right : !pl.tile<16x32xbf16, vec>
    // CHECK: pl.push %{{.*}} : !pl.buffer<16x64xbf16, vec, nd>
    %b = pl.buffer "b" at 0 : !pl.buffer<16x64xbf16, vec, nd>
    pl.push %b : !pl.buffer<16x64xbf16, vec, nd>
  }
}

// RUN: pl-opt %s --pass-pipeline='builtin.module(pl.kernel(pl-bufferize-tiles))' | FileCheck %s

// The high-precision form has a block of scratch; the plain one has none.

// CHECK-LABEL: pl.kernel aiv @roots
pl.kernel aiv @roots(%x: memref<8x64xf32> {pl.direction = #pl.direction<in>, pl.name = "x"},
                     %y: memref<8x64xf32> {pl.direction = #pl.direction<out>, pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %t = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32, vec>
  // CHECK: %[[TMP:.*]] = pl.buffer "{{.*}}" : !pl.buffer<1x8xf32, vec, nd>
  // CHECK: pl.rsqrt {{.*}} scratch(%[[TMP]] : !pl.buffer<1x8xf32, vec, nd>)
  %a = pl.rsqrt %t {high_precision} : !pl.tile<8x64xf32, vec> -> !pl.tile<8x64xf32, vec>
  // CHECK: pl.rsqrt
  // CHECK-NOT: scratch
  %b = pl.rsqrt %a : !pl.tile<8x64xf32, vec> -> !pl.tile<8x64xf32, vec>
  pl.store %b, %y[%c0, %c0] : !pl.tile<8x64xf32, vec>, memref<8x64xf32>
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-insert-sync))' | FileCheck %s

// CHECK-LABEL: pl.kernel aiv @chain
pl.kernel aiv @chain(%x: memref<17x64xf32>, %y: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 256 : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NOT: flag
  // CHECK: pl.load
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NEXT: pl.set_flag mte2 to v event 0
  // CHECK-NEXT: pl.wait_flag mte2 to v event 0
  // CHECK-NEXT: pl.exp
  pl.exp %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NEXT: pl.pipe_barrier v
  // CHECK-NEXT: pl.neg
  pl.neg %b : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NEXT: pl.set_flag v to mte3 event 0
  // CHECK-NEXT: pl.wait_flag v to mte3 event 0
  // CHECK-NEXT: pl.store
  pl.store %b, %y[%c0, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
  // The task ends when its store has landed.
  // CHECK-NEXT: pl.pipe_barrier all
}

// Bytes that nothing shares need no order: only the drain is there.
// CHECK-LABEL: pl.kernel aiv @apart
pl.kernel aiv @apart(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 256 : !pl.buffer<1x64xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NOT: flag
  // CHECK: pl.full
  pl.full %f : f32 into %b : !pl.buffer<1x64xf32, vec, nd>
  // CHECK-NEXT: pl.pipe_barrier all
}

// The loop may run zero times: the load before it is awaited after it too, and
// the next iteration's load waits for this one's reader.
// CHECK-LABEL: pl.kernel aiv @zero_trips
pl.kernel aiv @zero_trips(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pl.buffer "t" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %a = pl.buffer "a" at 256 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 512 : !pl.buffer<1x64xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %t : !pl.buffer<1x64xf32, vec, nd>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: pl.set_flag v to mte2 event 0
    // CHECK-NEXT: pl.wait_flag v to mte2 event 0
    // CHECK-NEXT: pl.load
    pl.load %x[%i, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
    // CHECK-NEXT: pl.set_flag mte2 to v event 0
    // CHECK-NEXT: pl.wait_flag mte2 to v event 0
    // CHECK: pl.exp
    pl.exp %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  }
  // CHECK: }
  // CHECK-NEXT: pl.set_flag mte2 to v
  // CHECK-NEXT: pl.wait_flag mte2 to v
  // CHECK: pl.neg
  pl.neg %t : !pl.buffer<1x64xf32, vec, nd> into %t : !pl.buffer<1x64xf32, vec, nd>
}

// Two views of one storage.
// CHECK-LABEL: pl.kernel aiv @views
pl.kernel aiv @views(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %v = pl.buffer_view %a "v" offset 128 at 128 : !pl.buffer<1x64xf32, vec, nd> -> !pl.buffer<1x32xf32, vec, nd>
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  // CHECK: pl.set_flag mte2 to v
  // CHECK: pl.neg
  pl.neg %v : !pl.buffer<1x32xf32, vec, nd> into %v : !pl.buffer<1x32xf32, vec, nd>
}

// A tensor in global memory is ordered like a buffer.
// CHECK-LABEL: pl.kernel aiv @through_memory
pl.kernel aiv @through_memory(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 256 : !pl.buffer<1x64xf32, vec, nd>
  pl.full %f : f32 into %a : !pl.buffer<1x64xf32, vec, nd>
  pl.store %a, %x[%c0, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
  // CHECK: pl.set_flag mte3 to mte2
  // CHECK-NEXT: pl.wait_flag mte3 to mte2
  // CHECK-NEXT: pl.load
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %b : !pl.buffer<1x64xf32, vec, nd>
}

// Nothing in the inner loop tells fix that its last token is gone, so each
// token follows a handshake.
// CHECK-LABEL: pl.kernel aic @handshake
pl.kernel aic @handshake(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<16x16xbf16, left, zz>
  %b = pl.buffer "b" at 0 : !pl.buffer<16x16xbf16, right, zn>
  %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      // CHECK: pl.set_flag m to fix event 7
      // CHECK-NEXT: pl.wait_flag m to fix event 7
      // CHECK-NEXT: pl.set_flag fix to m event 0
      // CHECK-NEXT: pl.wait_flag fix to m event 0
      // CHECK-NEXT: pl.pipe_barrier m
      // CHECK-NEXT: pl.matmul
      pl.matmul %a, %b : !pl.buffer<16x16xbf16, left, zz>, !pl.buffer<16x16xbf16, right, zn> into %c : !pl.buffer<16x16xf32, acc, nz>
    }
    // CHECK: pl.set_flag m to fix event 0
    // CHECK-NEXT: pl.wait_flag m to fix event 0
    // CHECK: pl.store
    pl.store %c, %x[%i, %c0] : !pl.buffer<16x16xf32, acc, nz>, memref<17x64xf32>
  }
}

// RUN: pl-opt %s -pl-split-mixed-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Crossings in a loop and in a branch: both sides run both, each with what it
// needs; the second lane replays the handshakes with nothing in its tiles.

// CHECK-LABEL: func.func @entry
func.func @entry(%x: memref<64x16xbf16>, %y: memref<64x16xf32>, %blocks: index, %n: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // CHECK: %[[ROWS:.*]] = arith.maxsi
  // CHECK: %[[FIFO:.*]] = pl.alloc "two_fifo"(%[[ROWS]]) : memref<?x4608xi8>
  // CHECK: pl.launch @two blocks(%{{.*}}) args(%{{[^,]*}}, %{{[^,]*}}, %[[FIFO]], %{{[^,]*}} : memref<64x16xbf16>, memref<64x16xf32>, memref<?x4608xi8>, index)
  %t = pl.launch @two blocks(%blocks) args(%x, %y, %n : memref<64x16xbf16>, memref<64x16xf32>, index)
  return
}
// CHECK-LABEL: pl.kernel mix @two(
// CHECK-SAME: %[[WS:[a-z0-9]*]]: memref<?x4608xi8> {pl.direction = #pl.direction<inout>, pl.name = "fifo_1"}, %[[N:[a-z0-9]*]]: index
pl.kernel mix @two(%x: memref<64x16xbf16> {pl.name = "x"}, %y: memref<64x16xf32> {pl.name = "fifo"}, %n: index {pl.name = "n"})
    attributes {pl.slots = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %k = arith.constant 2.0 : f32
  // CHECK: pl.ring to_vector %[[WS]] offset 0 slots 3 bytes 1024
  // CHECK: pl.ring to_cube %[[WS]] offset 3072 slots 3 bytes 512
  // CHECK: pl.cube {
  // CHECK-NOT: pl.full
  // CHECK: pl.for range {{.*}} to %[[N]] step %{{[a-z0-9_]*}} {
  // CHECK: pl.load {{.*}} -> !pl.tile<16x16xbf16, mat>
  // CHECK: %[[C:.*]] = pl.matmul
  // CHECK: pl.push %[[C]] : !pl.tile<16x16xf32, acc>
  // CHECK: scf.if
  // CHECK: %[[P:.*]] = pl.pop -> !pl.tile<16x16xbf16, mat>
  // CHECK: pl.extract %[[P]]
  // CHECK: pl.store {{.*}}, acc>
  // CHECK-NOT: pl.muls
  // CHECK: pl.vector {
  // CHECK: %[[LANE:.*]] = pl.subblock_idx
  // CHECK: arith.cmpi eq, %[[LANE]]
  // CHECK: scf.if
  // CHECK: pl.full
  // CHECK: pl.for range {{.*}} iter(
  // CHECK-NOT: pl.matmul
  // CHECK: pl.pop -> !pl.tile<16x16xf32, vec>
  // CHECK: pl.muls
  // CHECK: scf.if
  // CHECK: pl.push %{{.*}} : !pl.tile<16x16xbf16, vec>
  // CHECK: pl.store {{.*}}, vec>
  // CHECK: } else {
  // CHECK: pl.for range {{.*}} {
  // CHECK-NEXT: pl.pop -> !pl.tile<1x8xf32, vec, valid = 0x0>
  // CHECK: scf.if
  // CHECK: pl.push %{{.*}} : !pl.tile<1x16xbf16, vec, valid = 0x0>
  // CHECK-NOT: pl.store
  %z = pl.full %k : f32 -> !pl.tile<16x16xf32, vec>
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %z : !pl.tile<16x16xf32, vec>) {
    %row = arith.muli %i, %c16 : index
    %a = pl.load %x[%row, %c0] : memref<64x16xbf16> -> !pl.tile<16x16xbf16, mat>
    %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, left>
    %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, right>
    %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
    %v = pl.move %c : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
    %m = pl.muls %v, %k : !pl.tile<16x16xf32, vec>, f32 -> !pl.tile<16x16xf32, vec>
    %odd = arith.cmpi eq, %i, %c1 : index
    scf.if %odd {
      %p = pl.cast %m rint : !pl.tile<16x16xf32, vec> -> !pl.tile<16x16xbf16, vec>
      %q = pl.move %p : !pl.tile<16x16xbf16, vec> -> !pl.tile<16x16xbf16, mat>
      %l2 = pl.extract %q[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, left>
      %c2 = pl.matmul %l2, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
      pl.store %c2, %y[%row, %c0] : !pl.tile<16x16xf32, acc>, memref<64x16xf32>
    }
    %t = pl.add %acc, %m : !pl.tile<16x16xf32, vec>, !pl.tile<16x16xf32, vec> -> !pl.tile<16x16xf32, vec>
    pl.yield %t : !pl.tile<16x16xf32, vec>
  }
  pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32, vec>, memref<64x16xf32>
}

// -----

// Nothing crosses: no workspace, and nothing for the second lane to do.
// CHECK-LABEL: pl.kernel mix @apart(
// CHECK-SAME: %{{[^,]*}}, %{{[^,]*}}: memref<16x16xf32>) {
// CHECK-NOT: pl.ring
// CHECK: pl.cube
// CHECK: pl.vector
// CHECK-NOT: else
pl.kernel mix @apart(%x: memref<16x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 2.0 : f32
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16, mat>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, left>
  %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, right>
  %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
  pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  %z = pl.full %k : f32 -> !pl.tile<16x16xf32, vec>
  pl.store %z, %y[%c0, %c0] : !pl.tile<16x16xf32, vec>, memref<16x16xf32>
}

// -----

pl.kernel mix @condition(%x: memref<16x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 2.0 : f32
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16, mat>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, left>
  %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, right>
  %z = pl.full %k : f32 -> !pl.tile<16x16xf32, vec>
  // expected-note @+1 {{the tile is read here}}
  %e = pl.tile_read %z[%c0, %c0] : !pl.tile<16x16xf32, vec> -> f32
  %p = arith.cmpf ogt, %e, %k : f32
  // expected-error @+1 {{PL108: both sides of the core group run this branch, but its condition comes from a tile that only the vector side has; compute it from scalars, or read it from a tensor}}
  scf.if %p {
    %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
    pl.store %c, %y[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  }
  pl.store %z, %y[%c0, %c0] : !pl.tile<16x16xf32, vec>, memref<16x16xf32>
}

// -----

pl.kernel mix @number(%x: memref<16x16xbf16>, %i: memref<1x8xi32>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16, mat>
  %l = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, left>
  %r = pl.extract %a[0, 0] : !pl.tile<16x16xbf16, mat> -> !pl.tile<16x16xbf16, right>
  %rows = pl.load %i[%c0, %c0] : memref<1x8xi32> -> !pl.tile<1x8xi32, vec>
  // expected-note @+1 {{the tile is read here}}
  %e = pl.tile_read %rows[%c0, %c0] : !pl.tile<1x8xi32, vec> -> i32
  %row = arith.index_cast %e : i32 to index
  %c = pl.matmul %l, %r : !pl.tile<16x16xbf16, left>, !pl.tile<16x16xbf16, right> -> !pl.tile<16x16xf32, acc>
  // expected-error @+1 {{PL108: the cube side needs a number here that comes from a tile of the vector side; compute it from scalars, or read it from a tensor}}
  pl.store %c, %y[%row, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
}

// -----

pl.kernel mix @slots(%x: memref<16x16xbf16>, %y: memref<128x256xf32>) attributes {pl.slots = 2 : i64} {
  %c0 = arith.constant 0 : index
  %l = pl.empty : !pl.tile<128x16xbf16, left>
  %r = pl.empty : !pl.tile<16x256xbf16, right>
  %c = pl.matmul %l, %r : !pl.tile<128x16xbf16, left>, !pl.tile<16x256xbf16, right> -> !pl.tile<128x256xf32, acc>
  // expected-error @+1 {{PL109: 2 slots of 131072 bytes, for the largest tile that goes to the vector cores, do not fit vec, which has 188416 bytes; use smaller tiles, or fewer slots with pl.cross_core_slot(slot_num=)}}
  %v = pl.move %c : !pl.tile<128x256xf32, acc> -> !pl.tile<128x256xf32, vec>
  pl.store %v, %y[%c0, %c0] : !pl.tile<128x256xf32, vec>, memref<128x256xf32>
}

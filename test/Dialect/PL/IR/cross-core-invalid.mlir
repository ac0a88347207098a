// RUN: pl-opt %s -verify-diagnostics -split-input-file

pl.kernel aic @pure() {
  // expected-error @+1 {{'pl.cube' op is a side of a mixed kernel, but 'pure' is of kind aic}}
  pl.cube {}
}

// -----

pl.kernel mix @twice() {
  // expected-note @+1 {{the other is here}}
  pl.vector {}
  // expected-error @+1 {{'pl.vector' op is there twice: a kernel has one such side}}
  pl.vector {}
}

// -----

pl.kernel mix @rank(%fifo: memref<4096xi8>) {
  // expected-error @+1 {{'pl.ring' op expects a workspace of one row of i8 per block, got 'memref<4096xi8>'}}
  pl.ring to_cube %fifo offset 0 slots 2 bytes 2048 : memref<4096xi8>
}

// -----

pl.kernel mix @outside(%fifo: memref<?x4096xi8>) {
  // expected-error @+1 {{'pl.ring' op leaves its workspace: 3 slots of 2048 bytes from 0 on, in a row of 4096}}
  pl.ring to_cube %fifo offset 0 slots 3 bytes 2048 : memref<?x4096xi8>
}

// -----

pl.kernel mix @odd(%fifo: memref<?x4096xi8>) {
  // expected-error @+1 {{expects at least one slot, and an offset and slot bytes in multiples of 32}}
  pl.ring to_cube %fifo offset 8 slots 1 bytes 2048 : memref<?x4096xi8>
}

// -----

pl.kernel aiv @nowhere() {
  %e = pl.empty : !pl.tile<16x64xf32, vec>
  // expected-error @+1 {{'pl.push' op belongs into pl.cube or pl.vector}}
  pl.push %e : !pl.tile<16x64xf32, vec>
}

// -----

pl.kernel mix @memory() {
  pl.cube {
    %e = pl.empty : !pl.tile<16x64xf32, mat>
    // expected-error @+1 {{'pl.push' op expects a tile in acc on the cube side, got [16, 64] f32}}
    pl.push %e : !pl.tile<16x64xf32, mat>
  }
}

// -----

pl.kernel mix @split() {
  pl.cube {
    // expected-error @+1 {{'pl.pop' op is whole on the cube side; the lanes split it}}
    %e = pl.pop split up_down -> !pl.tile<16x64xf32, mat>
  }
}

// -----

pl.kernel mix @valid() {
  pl.vector {
    // expected-error @+1 {{'pl.pop' op expects a tile of known valid extents}}
    %e = pl.pop -> !pl.tile<16x64xf32, vec, valid = ?x64>
  }
}

// -----

pl.kernel mix @two_numbers_of_slots(%fifo: memref<?x8192xi8>) {
  // expected-note @+1 {{the other is here}}
  pl.ring to_cube %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  pl.ring to_vector %fifo offset 2048 slots 2 bytes 1024 : memref<?x8192xi8>
  // expected-error @+1 {{'pl.ring' op is the second one to the cube: a kernel has one ring per direction, of one number of slots}}
  pl.ring to_cube %fifo offset 4096 slots 4 bytes 1024 : memref<?x8192xi8>
}

// -----

pl.kernel mix @overlap(%fifo: memref<?x8192xi8>) {
  // expected-note @+1 {{the other is here}}
  pl.ring to_cube %fifo offset 1024 slots 2 bytes 1024 : memref<?x8192xi8>
  // expected-error @+1 {{'pl.ring' op has bytes 3040..5087 of its workspace, of which another ring has 1024..3071}}
  pl.ring to_vector %fifo offset 3040 slots 2 bytes 1024 : memref<?x8192xi8>
}

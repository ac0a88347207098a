// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-check-handshakes))' -split-input-file -verify-diagnostics

// Both lanes take three tiles, in a loop and after it.
pl.kernel mix @good(%fifo: memref<?x8192xi8>) {
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    scf.for %i = %c0 to %c2 step %c1 {
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
    }
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
  }
  pl.vector {
    %lane = pl.subblock_idx
    %first = arith.cmpi eq, %lane, %c0 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    scf.if %first {
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    } else {
      scf.for %i = %c0 to %c2 step %c1 {
        pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
      }
    }
  }
}

// -----

// expected-note @+1 {{the cube has ended}}
pl.kernel mix @few(%fifo: memref<?x8192xi8>) {
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
  }
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    // expected-error @+2 {{PL205: vector lane 0 waits for tile 2 of the cube, which never comes: the handshakes of the two sides do not match}}
    // expected-note @+1 {{vector lane 1 waits for tile 2 of the cube}}
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

// -----

pl.kernel mix @lane(%fifo: memref<?x8192xi8>) {
  // expected-error @+1 {{PL205: the cube pushes 1 tiles, but vector lane 1 takes 0: the next kernel on this cluster would meet the rest}}
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  %c0 = arith.constant 0 : index
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
  }
  pl.vector {
    %lane = pl.subblock_idx
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    }
  }
}

// -----

// Each side waits for the other to begin.
pl.kernel mix @cross(%fifo: memref<?x8192xi8>) {
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  pl.ring to_cube %fifo offset 2048 slots 2 bytes 1024 : memref<?x8192xi8>
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    %m = pl.buffer "m" at 0 : !pl.buffer<16x16xf32, mat, nz>
    // expected-error @+1 {{PL205: the cube waits for tile 1 of the vector lanes, which never comes}}
    pl.pop into %m : !pl.buffer<16x16xf32, mat, nz>
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
  }
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    // expected-note @+2 {{vector lane 0 waits for tile 1 of the cube}}
    // expected-note @+1 {{vector lane 1 waits for tile 1 of the cube}}
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    pl.push %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

// -----

// One slot, and a consumer that wants two tiles before it gives one back in the
// other direction.
pl.kernel mix @full(%fifo: memref<?x8192xi8>) {
  pl.ring to_vector %fifo offset 0 slots 1 bytes 1024 : memref<?x8192xi8>
  pl.ring to_cube %fifo offset 2048 slots 1 bytes 1024 : memref<?x8192xi8>
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    %m = pl.buffer "m" at 0 : !pl.buffer<16x16xf32, mat, nz>
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
    // expected-error @+1 {{PL205: the cube waits for a slot for its tile 2 for the vector lanes, which never comes}}
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
    pl.pop into %m : !pl.buffer<16x16xf32, mat, nz>
    pl.pop into %m : !pl.buffer<16x16xf32, mat, nz>
  }
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    pl.push %t : !pl.buffer<16x16xf32, vec, nd>
    // expected-note @+2 {{vector lane 0 waits for a slot for its tile 2 for the cube}}
    // expected-note @+1 {{vector lane 1 waits for a slot for its tile 2 for the cube}}
    pl.push %t : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

// -----

pl.kernel mix @no_ring() {
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    // expected-error @+1 {{PL205: the kernel has no ring to the vector cores}}
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

// -----

// How often they meet is known to the run only.
pl.kernel mix @undecided(%fifo: memref<?x8192xi8>, %n: index) {
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    scf.for %i = %c0 to %n step %c1 {
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
    }
  }
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

// -----

pl.kernel mix @large(%fifo: memref<?x8192xi8>) {
  pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x8192xi8>
  pl.cube {
    %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
    pl.push %c : !pl.buffer<16x16xf32, acc, nz>
    %d = pl.buffer "d" at 0 : !pl.buffer<32x16xf32, acc, nz>
    // expected-error @+1 {{PL205: a tile of 2048 bytes in a slot of 1024}}
    pl.push %d : !pl.buffer<32x16xf32, acc, nz>
  }
  pl.vector {
    %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
    pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
  }
}

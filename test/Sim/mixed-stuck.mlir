// What a run says of handshakes that do not match, and of accesses of the two
// sides that nothing orders.

// REQUIRES: plc
// RUN: rm -rf %t && split-file %s %t
// RUN: %exits 3 plc run %t/stuck.mlir 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: %exits 3 plc run %t/full.mlir 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %exits 3 plc run %t/rest.mlir 2>&1 | FileCheck %s --check-prefix=REST
// RUN: %exits 3 plc run %t/race.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %exits 0 plc run %t/ordered.mlir

// STUCK: stuck.mlir:[[#]]:[[#]]: error: deadlock: kernel 'k', block 1: no progress: 2 of the 3 cores wait for each other, the others have ended
// STUCK: note: vector lane 0 waits for tile 2 of the cube
// STUCK: note: vector lane 1 waits for tile 2 of the cube

// FULL: error: deadlock: kernel 'k', block 0: no progress: 3 of the 3 cores wait for each other
// FULL: note: the cube waits for one of 2 slots to put tile 3 for the vector lanes
// FULL: note: vector lane 0 waits for one of 2 slots to put tile 3 for the cube

// REST: error: deadlock: kernel 'k', block 0: handshakes do not match: the cube pushes 2 tiles, vector lane 0 takes 1; the next kernel on this cluster would meet the rest

// RACE: race.mlir:[[#]]:[[#]]: error: race: kernel 'k', block 0: the two sides conflict on 'y' at [0, 0]..[0, 15]: the cube writes it and vector lane 0 reads it, and no tile that crosses orders the two
// RACE: note: the cube writes it here

//--- stuck.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel mix @k(%fifo: memref<?x2048xi8> {pl.name = "fifo", pl.direction = #pl.direction<inout>}) {
    pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x2048xi8>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %b = pl.block_idx
    %n = arith.addi %b, %c1 : index
    pl.cube {
      %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.pipe_barrier all
    }
    pl.vector {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      scf.for %i = %c0 to %n step %c1 {
        pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
        pl.pipe_barrier all
      }
    }
  }
  func.func @main() attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c2 = arith.constant 2 : index
    %fifo = pl.alloc "fifo"(%c2) : memref<?x2048xi8>
    %t = pl.launch @k blocks(%c2) args(%fifo : memref<?x2048xi8>)
    return
  }
}

//--- full.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel mix @k(%fifo: memref<?x4096xi8> {pl.name = "fifo", pl.direction = #pl.direction<inout>}) {
    pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x4096xi8>
    pl.ring to_cube %fifo offset 2048 slots 2 bytes 1024 : memref<?x4096xi8>
    pl.cube {
      %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
      %m = pl.buffer "m" at 0 : !pl.buffer<16x16xf32, mat, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.pop into %m : !pl.buffer<16x16xf32, mat, nz>
      pl.pipe_barrier all
    }
    pl.vector {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      pl.push %t : !pl.buffer<16x16xf32, vec, nd>
      pl.push %t : !pl.buffer<16x16xf32, vec, nd>
      pl.push %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pipe_barrier all
    }
  }
  func.func @main() attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %fifo = pl.alloc "fifo"(%c1) : memref<?x4096xi8>
    %t = pl.launch @k blocks(%c1) args(%fifo : memref<?x4096xi8>)
    return
  }
}

//--- rest.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel mix @k(%fifo: memref<?x2048xi8> {pl.name = "fifo", pl.direction = #pl.direction<inout>}) {
    pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x2048xi8>
    pl.cube {
      %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.pipe_barrier all
    }
    pl.vector {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pipe_barrier all
    }
  }
  func.func @main() attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %fifo = pl.alloc "fifo"(%c1) : memref<?x2048xi8>
    %t = pl.launch @k blocks(%c1) args(%fifo : memref<?x2048xi8>)
    return
  }
}

//--- race.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel mix @k(%y: memref<16x16xf32> {pl.name = "y", pl.direction = #pl.direction<inout>}) {
    %c0 = arith.constant 0 : index
    pl.cube {
      %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
      pl.store %c, %y[%c0, %c0] : !pl.buffer<16x16xf32, acc, nz>, memref<16x16xf32>
      pl.pipe_barrier all
    }
    pl.vector {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      pl.load %y[%c0, %c0] : memref<16x16xf32> into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pipe_barrier all
    }
  }
  func.func @main() attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %y = pl.alloc "y"() : memref<16x16xf32>
    %t = pl.launch @k blocks(%c1) args(%y : memref<16x16xf32>)
    return
  }
}

//--- ordered.mlir
// A tile that crosses after the store, and is taken before the load, orders them.
module attributes {pl.phase = "tiles"} {
  pl.kernel mix @k(%y: memref<16x16xf32> {pl.name = "y", pl.direction = #pl.direction<inout>}, %fifo: memref<?x2048xi8> {pl.name = "fifo", pl.direction = #pl.direction<inout>}) {
    pl.ring to_vector %fifo offset 0 slots 2 bytes 1024 : memref<?x2048xi8>
    %c0 = arith.constant 0 : index
    pl.cube {
      %c = pl.buffer "c" at 0 : !pl.buffer<16x16xf32, acc, nz>
      pl.store %c, %y[%c0, %c0] : !pl.buffer<16x16xf32, acc, nz>, memref<16x16xf32>
      pl.push %c : !pl.buffer<16x16xf32, acc, nz>
      pl.pipe_barrier all
    }
    pl.vector {
      %t = pl.buffer "t" at 0 : !pl.buffer<16x16xf32, vec, nd>
      pl.pop into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pipe_barrier all
      pl.load %y[%c0, %c0] : memref<16x16xf32> into %t : !pl.buffer<16x16xf32, vec, nd>
      pl.pipe_barrier all
    }
  }
  func.func @main() attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %y = pl.alloc "y"() : memref<16x16xf32>
    %fifo = pl.alloc "fifo"(%c1) : memref<?x2048xi8>
    %t = pl.launch @k blocks(%c1) args(%y, %fifo : memref<16x16xf32>, memref<?x2048xi8>)
    return
  }
}

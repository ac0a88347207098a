// What a run says of a program without one of its edges, and with it.

// REQUIRES: plc
// RUN: rm -rf %t && split-file %s %t
// RUN: %exits 3 plc run %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %exits 3 plc run %t/missing.mlir --order=newest 2>&1 | FileCheck %s --check-prefix=NEWEST
// RUN: %exits 0 plc run %t/there.mlir --order=newest
// RUN: %exits 0 plc run %t/there.mlir --order=shuffle --seed=3 --threads=2
// RUN: %exits 3 plc run %t/outside.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// MISSING: missing.mlir:[[#]]:[[#]]: error: race: tasks 'fill' and 'double' conflict on 'tmp'
// MISSING: note: 'fill' writes it here
// MISSING: note: add an edge: deps=[<task of 'fill'>] where 'double' is made

// NEWEST: error: race: tasks 'fill' and 'double' conflict on 'tmp'
// NEWEST: error: undefined: element [0, 0] of output 'y' is undefined
// NEWEST: note: it comes from 'tmp'[0, 0], which task 'double' (block 0) was the first to read

// OUTSIDE: outside.mlir:[[#]]:[[#]]: error: bounds: kernel 'fill', block 3: store of rows 6..7 of 'y', which has 7 rows

//--- missing.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @fill(%y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %b = pl.block_idx
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %k = arith.constant 1.5 : f32
    %r = arith.muli %b, %c2 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<2x16xf32, vec, nd>
    pl.full %k : f32 into %t : !pl.buffer<2x16xf32, vec, nd>
    pl.set_flag v to mte3 event 0
    pl.wait_flag v to mte3 event 0
    pl.store %t, %y[%r, %c0] : !pl.buffer<2x16xf32, vec, nd>, memref<8x16xf32>
    pl.pipe_barrier all
  }
  pl.kernel aiv @double(%x: memref<8x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                        %y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %c0 = arith.constant 0 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<8x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
    pl.add %t, %t : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.set_flag v to mte3 event 0
    pl.wait_flag v to mte3 event 0
    pl.store %t, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
    pl.pipe_barrier all
  }
  func.func @main(%y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %tmp = pl.alloc "tmp"() : memref<8x16xf32>
    %a = pl.launch @fill blocks(%c4) args(%tmp : memref<8x16xf32>)
    %d = pl.launch @double blocks(%c1) args(%tmp, %y : memref<8x16xf32>, memref<8x16xf32>)
    return
  }
}

//--- there.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @fill(%y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %b = pl.block_idx
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %k = arith.constant 1.5 : f32
    %r = arith.muli %b, %c2 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<2x16xf32, vec, nd>
    pl.full %k : f32 into %t : !pl.buffer<2x16xf32, vec, nd>
    pl.set_flag v to mte3 event 0
    pl.wait_flag v to mte3 event 0
    pl.store %t, %y[%r, %c0] : !pl.buffer<2x16xf32, vec, nd>, memref<8x16xf32>
    pl.pipe_barrier all
  }
  pl.kernel aiv @double(%x: memref<8x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                        %y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %c0 = arith.constant 0 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<8x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
    pl.add %t, %t : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.set_flag v to mte3 event 0
    pl.wait_flag v to mte3 event 0
    pl.store %t, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
    pl.pipe_barrier all
  }
  func.func @main(%y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %tmp = pl.alloc "tmp"() : memref<8x16xf32>
    %a = pl.launch @fill blocks(%c4) args(%tmp : memref<8x16xf32>)
    %d = pl.launch @double blocks(%c1) args(%tmp, %y : memref<8x16xf32>, memref<8x16xf32>)
          deps(%a : [#pl.edge<raw, "tmp">])
    return
  }
}

//--- outside.mlir
module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @fill(%y: memref<7x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %b = pl.block_idx
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %k = arith.constant 1.5 : f32
    %r = arith.muli %b, %c2 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<2x16xf32, vec, nd>
    pl.full %k : f32 into %t : !pl.buffer<2x16xf32, vec, nd>
    pl.set_flag v to mte3 event 0
    pl.wait_flag v to mte3 event 0
    pl.store %t, %y[%r, %c0] : !pl.buffer<2x16xf32, vec, nd>, memref<7x16xf32>
    pl.pipe_barrier all
  }
  func.func @main(%y: memref<7x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c4 = arith.constant 4 : index
    %a = pl.launch @fill blocks(%c4) args(%y : memref<7x16xf32>)
    return
  }
}

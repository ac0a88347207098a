// RUN: pl-opt %s -pl-fuse-publish="producer=finish exchange=post workers=6 names=finish_and_post,gather" -canonicalize -cse | FileCheck %s
// RUN: pl-opt %s -pl-fuse-publish="producer=finish exchange=post workers=6" -pl-print-credits 2>&1 | FileCheck %s --check-prefix=CREDITS
// RUN: pl-opt %s -pl-fuse-publish="producer=halves exchange=ship workers=2" -canonicalize -cse | FileCheck %s --check-prefix=ROWS
// RUN: pl-opt %s -pl-fuse-publish="producer=wheel exchange=spin workers=2" -canonicalize -cse | FileCheck %s --check-prefix=RING
// RUN: pl-opt %s -pl-fuse-publish="producer=rows exchange=send workers=3" -canonicalize -cse | FileCheck %s --check-prefix=ALL

// Three ranks, two slabs of 20 rows for each; a row of the buffer that is put is
// two rows of the one that is stored.
func.func @slabs(%x: memref<240x16xf32> {pl.name = "x"},
                 %mail: memref<80x32xf32, #pl.window> {pl.name = "mail"},
                 %flag: memref<3x1xi32, #pl.window> {pl.name = "flag"},
                 %y: memref<80x32xf32> {pl.name = "y"},
                 %me: i32 {pl.name = "me"}, %rows: i32 {pl.name = "rows"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c60 = arith.constant 60 : index
  %c80 = arith.constant 80 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus2 = arith.constant -2 : i32
  %first = pl.at "first" {
    %s = pl.load %x[%c0, %c0] : memref<240x16xf32> -> !pl.tile<8x16xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<8x16xf32>, memref<80x32xf32>
  }
  %b = pl.alloc "heads"() : memref<240x16xf32>
  %done = pl.spmd "finish" blocks(%c60) deps(%first : [#pl.edge<user>]) {
  ^bb0(%k: index):
    %r = arith.muli %k, %c4 : index
    %s = pl.load %x[%r, %c0] : memref<240x16xf32> -> !pl.tile<4x16xf32>
    %e = pl.exp %s : !pl.tile<4x16xf32> -> !pl.tile<4x16xf32>
    pl.store %e, %b[%r, %c0] : !pl.tile<4x16xf32>, memref<240x16xf32>
  }
  %wide = memref.reinterpret_cast %b to offset: [0], sizes: [120, 32], strides: [32, 1] : memref<240x16xf32> to memref<120x32xf32>
  %i = arith.index_cast %me : i32 to index
  %n = arith.index_cast %rows : i32 to index
  %post = pl.at "post" {
    %mine = arith.muli %i, %n : index
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.for range %s = %c0 to %c2 step %c1 {
        %two_p = arith.muli %p, %c2 : index
        %slab = arith.addi %two_p, %s : index
        %from = arith.muli %slab, %c20 : index
        %half = arith.muli %s, %c40 : index
        %to = arith.addi %half, %mine : index
        pl.put %wide[%from, %c0] to %mail[%to, %c0] peer %p sizes(%n, %c32)
            : memref<120x32xf32>, memref<80x32xf32, #pl.window>
      }
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %p, %i : index
      scf.if %other {
        pl.notify add %one, %flag[%i, %c0] peer %p : memref<3x1xi32, #pl.window>
      }
    }
    pl.for range %s = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        pl.wait ge %one, %flag[%s, %c0] : memref<3x1xi32, #pl.window>
      }
    }
    pl.for range %r = %c0 to %c80 step %c1 {
      %t = pl.load %mail[%r, %c0] : memref<80x32xf32, #pl.window> -> !pl.tile<1x32xf32>
      pl.store %t, %y[%r, %c0] : !pl.tile<1x32xf32>, memref<80x32xf32>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %p, %i : index
      scf.if %other {
        pl.notify add %one, %flag[%i, %c0] peer %p : memref<3x1xi32, #pl.window>
      }
    }
    pl.for range %s = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        pl.wait ge %two, %flag[%s, %c0] : memref<3x1xi32, #pl.window>
        pl.notify add %minus2, %flag[%s, %c0] peer %i : memref<3x1xi32, #pl.window>
      }
    }
  }
  %use = pl.at "use" deps(%done, %post : [#pl.edge<user>, #pl.edge<user>]) {
    %s = pl.load %y[%c0, %c0] : memref<80x32xf32> -> !pl.tile<8x32xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<8x32xf32>, memref<80x32xf32>
  }
  return
}

// CHECK-LABEL: func.func @slabs
// CHECK:       %[[FIRST:.*]] = pl.at "first"
// CHECK-NOT:   pl.alloc
// CHECK:       %[[SENT:.*]] = pl.spmd "finish_and_post" blocks(%c6) deps(%[[FIRST]] : [#pl.edge<user>]) {
// CHECK-NEXT:  ^bb0(%[[WORKER:.*]]: index):
// CHECK:         pl.for range %[[K:.*]] = %[[WORKER]] to %c60 step %c6 {
// CHECK:           %[[TILE:.*]] = pl.exp
// The window has rows like the stored ones as well. 80 of them go to a rank, 40
// make a slab, and a slab may end within a tile.
// CHECK:           %[[NARROW:.*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [160, 16]
// CHECK:           %[[PEER:.*]] = arith.floordivsi %[[R:.*]], %c80
// CHECK:           %[[REST:.*]] = arith.remsi %[[R]], %c80
// CHECK:           %[[SLAB:.*]] = arith.floordivsi %[[REST]], %c40
// CHECK:           %[[ROW:.*]] = arith.remsi %[[REST]], %c40
// CHECK:           %[[N:.*]] = arith.muli %{{.*}}, %c2
// CHECK:           %[[IS_SENT:.*]] = arith.cmpi slt, %[[ROW]], %[[N]] :
// CHECK:           scf.if %[[IS_SENT]] {
// CHECK:             arith.muli %[[SLAB]], %c40
// CHECK:             %[[TO:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK:             %[[LEFT:.*]] = arith.subi %[[N]], %[[ROW]]
// CHECK:             %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c4
// CHECK:             %[[SENT_ROWS:.*]] = pl.set_valid %[[TILE]] valid(%[[COUNT]])
// CHECK:             pl.remote_store %[[SENT_ROWS]], %[[NARROW]][%[[TO]], %c0] peer %[[PEER]]
// CHECK-NOT:       pl.store
// CHECK:         pl.notify{{ +}}add %c1_i32
// CHECK-NOT:   pl.put
// CHECK:       %[[GATHER:.*]] = pl.at "gather" deps(%[[SENT]] : [#pl.edge<user>]) {
// CHECK:         pl.wait{{ +}}ge %c6_i32
// CHECK:         pl.load %arg1
// CHECK:         pl.notify{{ +}}add %c1_i32
// CHECK:         pl.wait{{ +}}ge %c7_i32
// CHECK:         pl.notify{{ +}}add %c-7_i32
// CHECK:       pl.at "use" deps(%[[SENT]], %[[GATHER]] : [#pl.edge<user>, #pl.edge<user>])

// CREDITS: remark: sends 6 in cell [*, 0] of 'flag'
// CREDITS: remark: awaits 6 in cell [*, 0] of 'flag'
// CREDITS: remark: sends 1 in cell [*, 0] of 'flag'
// CREDITS: remark: awaits 7 in cell [*, 0] of 'flag'
// CREDITS: remark: takes off 7 in cell [*, 0] of 'flag'

// All rows to all ranks, each of them whole: nothing to guard. The exchange does
// nothing else and goes; what the put needs is computed before.
func.func @all(%x: memref<21x40xf16> {pl.name = "x"},
               %pot: memref<84x40xf16, #pl.window> {pl.name = "pot"},
               %cup: memref<1xi32, #pl.window> {pl.name = "cup"},
               %me: index {pl.name = "me"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c21 = arith.constant 21 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %b = pl.alloc "rows"() : memref<21x40xf16>
  %done = pl.spmd "rows" blocks(%c7) {
  ^bb0(%k: index):
    %r = arith.muli %k, %c3 : index
    pl.for range %j = %c0 to %c3 step %c1 {
      %q = arith.addi %r, %j : index
      %s = pl.load %x[%q, %c0] : memref<21x40xf16> -> !pl.tile<1x40xf16>
      pl.store %s, %b[%q, %c0] : !pl.tile<1x40xf16>, memref<21x40xf16>
    }
  }
  %at = arith.muli %me, %c21 : index
  %sent = pl.at "send" {
    pl.for range %p = %c0 to %c4 step %c1 {
      pl.put %b[%c0, %c0] to %pot[%at, %c0] peer %p sizes(%c21, %c40)
          : memref<21x40xf16>, memref<84x40xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c4 step %c1 {
      pl.notify add %one, %cup[%c0] peer %p : memref<1xi32, #pl.window>
    }
  }
  %heard = pl.at "heard" deps(%sent : [#pl.edge<user>]) {
    pl.defer_wait %cup[%c0] reaches %four : memref<1xi32, #pl.window>
  }
  return
}

// ALL-LABEL: func.func @all
// ALL:       %[[AT:.*]] = arith.muli %arg3, %c21
// ALL:       %[[SENT:.*]] = pl.spmd "rows" blocks(%c3)
// ALL-NEXT:  ^bb0(%[[WORKER:.*]]: index):
// ALL:         pl.for range %[[K:.*]] = %[[WORKER]] to %c7 step %c3 {
// ALL:           pl.for range
// ALL:             %[[ROW:.*]] = arith.addi
// ALL:             %[[TILE:.*]] = pl.load
// ALL-NOT:         scf.if
// ALL:             pl.for range %[[PEER:.*]] = %c0 to %c4 step %c1 {
// ALL:               %[[TO:.*]] = arith.addi
// ALL:               pl.remote_store %[[TILE]], %arg1[%[[TO]], %c0] peer %[[PEER]]
// ALL:         pl.notify{{ +}}add %c1_i32
// ALL-NOT:   pl.at "send"
// ALL:       pl.at "heard" deps(%[[SENT]] : [#pl.edge<user>])
// ALL:         reaches %c12_i32

// Of slabs of 7 rows 5 are sent, the first one is not, the window has other columns, and the tile has rows and columns that are no data.
func.func @one_by_one(%x: memref<70x16xf32> {pl.name = "x"},
                      %dock: memref<30x40xf32, #pl.window> {pl.name = "dock"},
                      %horn: memref<4x1xi32, #pl.window> {pl.name = "horn"},
                      %me: index {pl.name = "me"}, %rows: index {pl.name = "rows"},
                      %cols: index {pl.name = "cols"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c23 = arith.constant 23 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "load"() : memref<70x16xf32>
  %done = pl.spmd "halves" blocks(%c23) {
  ^bb0(%k: index):
    %r = arith.muli %k, %c3 : index
    %s = pl.load %x[%r, %c0] valid(%rows, %cols) : memref<70x16xf32> -> !pl.tile<3x16xf32, valid = ?x?>
    pl.store %s, %b[%r, %c0] : !pl.tile<3x16xf32, valid = ?x?>, memref<70x16xf32>
  }
  %wide = memref.reinterpret_cast %b to offset: [0], sizes: [35, 32], strides: [32, 1] : memref<70x16xf32> to memref<35x32xf32>
  %sent = pl.at "ship" {
    pl.for range %p = %c1 to %c4 step %c1 {
      %seven = arith.muli %p, %c7 : index
      pl.put %wide[%seven, %c0] to %dock[%me, %c8] peer %p sizes(%c5, %c32)
          : memref<35x32xf32>, memref<30x40xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c4 step %c1 {
      pl.notify add %one, %horn[%me, %c0] peer %p : memref<4x1xi32, #pl.window>
    }
  }
  return
}

// ROWS-LABEL: func.func @one_by_one
// ROWS:       pl.spmd "halves" blocks(%c2)
// ROWS:         %[[R:.*]] = arith.muli %{{.*}}, %c3
// ROWS:         %[[TILE:.*]] = pl.load
// ROWS:         %[[VALID:.*]] = pl.valid_extent %[[TILE]], 0
// The row of the tile, as the first or second half of a row that is put.
// ROWS:         %[[HALF:.*]] = arith.remsi %[[R]], %c2
// ROWS:         %[[WHOLE:.*]] = arith.floordivsi %[[R]], %c2
// ROWS:         arith.muli %[[HALF]], %c16
// Rows before the first slab are not sent, nor those after the last one, nor those
// after the last row of one.
// ROWS:         %[[FROM:.*]] = arith.subi %{{.*}}, %c7
// ROWS:         %[[NOT_BEFORE:.*]] = arith.cmpi sge, %[[FROM]], %c0
// ROWS:         %[[TURN:.*]] = arith.floordivsi %[[FROM]], %c7
// ROWS:         %[[TURNS:.*]] = arith.cmpi slt, %[[TURN]], %c3
// ROWS:         %[[REST:.*]] = arith.remsi %[[FROM]], %c7
// ROWS:         arith.cmpi slt, %[[REST]], %c5
// ROWS:         scf.if
// ROWS:           %[[IS_DATA:.*]] = arith.cmpi sgt, %[[VALID]], %c0
// ROWS:           scf.if %[[IS_DATA]] {
// ROWS:             %[[ROW:.*]] = pl.subtile %[[TILE]][0, 0]
// ROWS:             %[[COLS:.*]] = pl.valid_extent %[[TILE]], 1
// ROWS:             %[[SENT:.*]] = pl.set_valid %[[ROW]] valid(%[[COLS]])
// ROWS:             pl.remote_store %[[SENT]], %arg1[
// ROWS:           pl.subtile %[[TILE]][1, 0]
// ROWS:           pl.subtile %[[TILE]][2, 0]

// Each rank begins with the one after it: the turns come in another order, and
// are those of all ranks.
func.func @ring(%x: memref<20x8xf32> {pl.name = "x"},
                %spoke: memref<20x8xf32, #pl.window> {pl.name = "spoke"},
                %hub: memref<4x1xi32, #pl.window> {pl.name = "hub"},
                %base: index {pl.name = "base"}, %me: i32 {pl.name = "me"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %i = arith.index_cast %me : i32 to index
  %b = pl.alloc "rim"() : memref<20x8xf32>
  %done = pl.spmd "wheel" blocks(%c4) {
  ^bb0(%k: index):
    %r = arith.muli %k, %c5 : index
    %s = pl.load %x[%r, %c0] : memref<20x8xf32> -> !pl.tile<5x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<5x8xf32>, memref<20x8xf32>
  }
  %sent = pl.at "spin" {
    pl.for range %turn = %c0 to %c4 step %c1 {
      %turn32 = arith.index_cast %turn : index to i32
      %sum = arith.addi %turn32, %me : i32
      %rest = arith.remsi %sum, %four : i32
      %negative = arith.cmpi slt, %rest, %zero : i32
      %more = arith.addi %rest, %four : i32
      %next = arith.select %negative, %more, %rest : i32
      %p = arith.index_cast %next : i32 to index
      %from = arith.muli %p, %c5 : index
      %to = arith.muli %i, %c5 : index
      %rank = arith.addi %base, %p : index
      pl.put %b[%from, %c0] to %spoke[%to, %c0] peer %rank sizes(%c5, %c8)
          : memref<20x8xf32>, memref<20x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c4 step %c1 {
      %rank = arith.addi %base, %p : index
      pl.notify add %one, %hub[%i, %c0] peer %rank : memref<4x1xi32, #pl.window>
    }
  }
  return
}

// RING-LABEL: func.func @ring
// RING:       pl.spmd "wheel" blocks(%c2)
// RING:         %[[R:.*]] = arith.muli %{{.*}}, %c5
// RING:         %[[TILE:.*]] = pl.load
// RING-NOT:     scf.if
// RING:         %[[P:.*]] = arith.floordivsi %[[R]], %c5
// RING:         %[[ROW:.*]] = arith.remsi %[[R]], %c5
// RING-DAG:     %[[RANK:.*]] = arith.addi %arg3, %[[P]]
// RING-DAG:     %[[MINE:.*]] = arith.muli %{{.*}}, %c5
// RING:         %[[TO:.*]] = arith.addi %[[MINE]], %[[ROW]]
// RING:         pl.remote_store %[[TILE]], %arg1[%[[TO]], %c0] peer %[[RANK]]

// RUN: pl-opt %s -pl-fuse-publish="producer=finish exchange=post workers=6 names=finish_and_post,gather" -canonicalize -cse | FileCheck %s
// RUN: pl-opt %s -pl-fuse-publish="producer=finish exchange=post workers=6" -pl-print-credits 2>&1 | FileCheck %s --check-prefix=CREDITS
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
// Rows 4k and 4k + 1 are row 2k of what is put: 40 rows for a rank, 20 for a slab.
// CHECK:           %[[WIDE:.*]] = arith.muli %[[K]], %c2
// CHECK:           %[[NEXT:.*]] = arith.addi %[[WIDE]], %c1
// CHECK:           %[[PEER:.*]] = arith.floordivsi %[[WIDE]], %c40
// CHECK:           %[[REST:.*]] = arith.remsi %[[WIDE]], %c40
// CHECK:           %[[SLAB:.*]] = arith.floordivsi %[[REST]], %c20
// CHECK:           %[[ROW:.*]] = arith.remsi %[[REST]], %c20
// CHECK:           %[[SENT_ROW:.*]] = arith.cmpi slt, %[[ROW]], %[[N:.*]] :
// CHECK:           scf.if %[[SENT_ROW]] {
// CHECK-DAG:         %[[MINE:.*]] = arith.muli %{{.*}}, %[[N]]
// CHECK-DAG:         %[[HALF:.*]] = arith.muli %[[SLAB]], %c40
// CHECK:             %[[TO:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK:             %[[ROW0:.*]] = pl.subtile %[[TILE]][0, 0] : {{.*}} -> !pl.tile<1x16xf32>
// CHECK:             pl.remote_store %[[ROW0]], %arg1[%[[TO]], %c0] peer %[[PEER]]
// CHECK:             %[[ROW1:.*]] = pl.subtile %[[TILE]][1, 0] : {{.*}} -> !pl.tile<1x16xf32>
// CHECK:             pl.remote_store %[[ROW1]], %arg1[%[[TO]], %c16] peer %[[PEER]]
// CHECK:           }
// Rows 4k + 2 and 4k + 3 are the next.
// CHECK:           arith.floordivsi %[[NEXT]], %c40
// CHECK:           pl.subtile %[[TILE]][2, 0]
// CHECK:           pl.subtile %[[TILE]][3, 0]
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

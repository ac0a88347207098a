// RUN: pl-opt %s -pl-fan-out-collective="task=shout workers=5 tile=3 distribution=strided name=shout_all" -canonicalize -cse | FileCheck %s --check-prefix=PUSH
// RUN: pl-opt %s -pl-fan-out-collective="task=take workers=4 tile=2" -canonicalize -cse | FileCheck %s --check-prefix=TAKE
// RUN: pl-opt %s -pl-fan-out-collective="task=shout workers=3 tile=4" -pl-fan-out-collective="task=take workers=7 tile=1 distribution=strided" -canonicalize -cse -pl-print-credits 2>&1 | FileCheck %s --check-prefix=BOTH

// Rows of every rank to every other; a rank waits for the rows, copies them, and
// says that its window may be written again.
func.func @gossip(%mine: memref<?x24xf16> {pl.name = "mine"},
                  %box: memref<65x24xf16, #pl.window> {pl.name = "box"},
                  %bell: memref<5x2xi32, #pl.window> {pl.name = "bell"},
                  %out: memref<65x24xf16> {pl.name = "out"},
                  %me: i32 {pl.name = "me"}, %rows: i32 {pl.name = "rows"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus2 = arith.constant -2 : i32
  %five = arith.constant 5 : i32
  %shout = pl.at "shout" {
    %offset = arith.muli %me, %rows : i32
    %at = arith.index_cast %offset : i32 to index
    pl.for range %p = %c0 to %c5 step %c1 {
      %n = arith.index_cast %rows : i32 to index
      pl.put %mine[%c0, %c0] to %box[%at, %c0] peer %p sizes(%n, %c24) chunk 4 x 24
          : memref<?x24xf16>, memref<65x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c5 step %c1 {
      %i = arith.index_cast %me : i32 to index
      %other = arith.cmpi ne, %p, %i : index
      scf.if %other {
        pl.notify add %one, %bell[%i, %c1] peer %p : memref<5x2xi32, #pl.window>
      }
    }
  }
  %heard = pl.at "heard" {
    pl.for range %s = %c0 to %c5 step %c1 {
      %i = arith.index_cast %me : i32 to index
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        pl.defer_wait %bell[%s, %c1] reaches %one : memref<5x2xi32, #pl.window>
      }
    }
  }
  %take = pl.at "take" deps(%heard : [#pl.edge<user>]) early_resolve {
    %all = arith.muli %rows, %five : i32
    %n = arith.index_cast %all : i32 to index
    pl.for range %r = %c0 to %n step %c1 {
      %t = pl.load %box[%r, %c0] : memref<65x24xf16, #pl.window> -> !pl.tile<1x24xf16>
      pl.store %t, %out[%r, %c0] : !pl.tile<1x24xf16>, memref<65x24xf16>
    }
    pl.for range %p = %c0 to %c5 step %c1 {
      %i = arith.index_cast %me : i32 to index
      %other = arith.cmpi ne, %p, %i : index
      scf.if %other {
        pl.notify add %one, %bell[%i, %c1] peer %p : memref<5x2xi32, #pl.window>
      }
    }
  }
  %end = pl.at "end" deps(%take : [#pl.edge<user>]) {
    pl.for range %s = %c0 to %c5 step %c1 {
      %i = arith.index_cast %me : i32 to index
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        pl.wait ge %two, %bell[%s, %c1] : memref<5x2xi32, #pl.window>
        pl.notify add %minus2, %bell[%s, %c1] peer %i : memref<5x2xi32, #pl.window>
      }
    }
  }
  return
}

// PUSH-LABEL: func.func @gossip
// PUSH:       pl.spmd "shout_all" blocks(%c5)
// PUSH-NEXT:  ^bb0(%[[WORKER:.*]]: index):
// PUSH:         %[[ROWS:.*]] = arith.index_cast %arg5 : i32 to index
// PUSH:         %[[SUM:.*]] = arith.addi %[[ROWS]], %c2
// PUSH:         %[[CEIL:.*]] = arith.floordivsi %[[SUM]], %c3
// PUSH:         %[[BANDS:.*]] = arith.maxsi %[[CEIL]], %c0
// PUSH:         pl.for range %[[BAND:.*]] = %[[WORKER]] to %[[BANDS]] step %c5 {
// PUSH-DAG:       %[[ROW:.*]] = arith.muli %[[BAND]], %c3
// PUSH-DAG:       %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[ROW]]
// PUSH-DAG:       %[[SIZE:.*]] = arith.minsi %{{.*}}, %{{.*}}
// PUSH:           pl.for range %[[PEER:.*]] = %c0 to %c5 step %c1 {
// PUSH:             %[[TO:.*]] = arith.addi %{{.*}}, %[[ROW]]
// PUSH:             pl.put %arg0[%[[ROW]], %c0] to %arg1[%[[TO]], %c0] peer %[[PEER]] sizes(%[[SIZE]], %c24) chunk 3 x 24
// One credit for each worker, after all of its bands.
// PUSH:         pl.notify{{ +}}add %c1_i32
// PUSH:       pl.at "heard"
// PUSH:         pl.defer_wait %arg2[%{{.*}}, %c1] reaches %c5_i32
// PUSH:       pl.at "take"
// PUSH:         pl.notify{{ +}}add %c1_i32
// PUSH:       pl.at "end"
// PUSH:         pl.wait{{ +}}ge %c6_i32
// PUSH:         pl.notify{{ +}}add %c-6_i32

// TAKE-LABEL: func.func @gossip
// TAKE:       %[[TOLD:.*]] = pl.at "shout"
// TAKE:       %[[HEARD:.*]] = pl.at "heard"
// TAKE:         reaches %c1_i32
// TAKE:       %[[TAKE:.*]] = pl.spmd "take" blocks(%c4) deps(%[[HEARD]] : [#pl.edge<user>]) early_resolve {
// TAKE-NEXT:  ^bb0(%[[WORKER:.*]]: index):
// TAKE:         pl.for range %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c1 {
// TAKE-NEXT:      %[[TILE:.*]] = pl.load %arg1[%[[ROW]], %c0]
// TAKE-NEXT:      pl.store %[[TILE]], %arg3[%[[ROW]], %c0]
// TAKE:         pl.notify{{ +}}add %c1_i32
// TAKE:       pl.at "end" deps(%[[TAKE]] : [#pl.edge<user>])
// TAKE:         pl.wait{{ +}}ge %c5_i32
// TAKE:         pl.notify{{ +}}add %c-5_i32

// BOTH: remark: sends 3 in cell [*, 1] of 'bell'
// BOTH: remark: awaits 3 in cell [*, 1] of 'bell'
// BOTH: remark: sends 7 in cell [*, 1] of 'bell'
// BOTH: remark: awaits 10 in cell [*, 1] of 'bell'
// BOTH: remark: takes off 10 in cell [*, 1] of 'bell'

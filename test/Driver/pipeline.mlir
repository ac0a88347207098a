// The named pipelines take a program from phase to phase; each ends with the
// check of its contract. 17 rows in 3 blocks of 6, K = 48.

// RUN: pl-opt %s --pl-check-phase=phase=pl | pl-opt --pl-lower-to-tasks | FileCheck %s --check-prefix=TASKS
// RUN: pl-opt %s --pl-lower-to-tasks --pl-lower-to-tiles | FileCheck %s --check-prefix=TILES
// RUN: not pl-opt %s --pl-check-phase=phase=tasks 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not pl-opt %s --pl-lower-to-tasks --pl-check-phase=phase=pl 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not pl-opt %s --pl-lower-to-tasks --pl-check-phase=phase=tiles 2>&1 | FileCheck %s --check-prefix=VALUES

// TASKS: module attributes {pl.phase = "tasks"}
// TASKS: %[[SCALE:.*]] = pl.launch @scale blocks(
// TASKS: pl.launch @product blocks({{.*}} deps(%[[SCALE]] : [#pl.edge<raw, "scaled"
// TASKS: pl.kernel aiv @scale(
// TASKS: pl.kernel aic @product(

// TILES: module attributes {pl.phase = "tiles"}
// TILES: pl.kernel aiv @scale(
// TILES: pl.buffer "{{.*}}"{{.*}} at {{[0-9]+}}
// TILES: pl.set_flag
// TILES: pl.kernel aic @product(
// TILES: pl.matmul

// EARLY: 'pl.spmd' does not belong to phase 'tasks'
// LATE: 'pl.launch' does not belong to phase 'pl'
// VALUES: does not belong to phase 'tiles'

module attributes {pl.phase = "pl"} {
  func.func @odd(%x: memref<17x48xbf16> {pl.name = "x", pl.direction = #pl.direction<in>},
                 %w: memref<48x32xbf16> {pl.name = "w", pl.direction = #pl.direction<in>},
                 %y: memref<17x32xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c3 = arith.constant 3 : index
    %scaled = pl.alloc "scaled"() : memref<17x48xbf16>
    %a = pl.spmd "scale" blocks(%c3) {
    ^bb0(%block: index):
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %c17 = arith.constant 17 : index
      %row = arith.muli %block, %c6 : index
      %left = arith.subi %c17, %row : index
      %valid = arith.minsi %left, %c6 : index
      %t = pl.load %x[%row, %c0] valid(%valid) : memref<17x48xbf16> -> !pl.tile<6x48xbf16, valid = ?x48>
      %f = pl.cast %t none : !pl.tile<6x48xbf16, valid = ?x48> -> !pl.tile<6x48xf32, valid = ?x48>
      %d = pl.add %f, %f : !pl.tile<6x48xf32, valid = ?x48>, !pl.tile<6x48xf32, valid = ?x48> -> !pl.tile<6x48xf32, valid = ?x48>
      %r = pl.cast %d rint : !pl.tile<6x48xf32, valid = ?x48> -> !pl.tile<6x48xbf16, valid = ?x48>
      pl.store %r, %scaled[%row, %c0] : !pl.tile<6x48xbf16, valid = ?x48>, memref<17x48xbf16>
    }
    %b = pl.at "product" {
      %c0 = arith.constant 0 : index
      %c17 = arith.constant 17 : index
      %l = pl.load %scaled[%c0, %c0] valid(%c17) : memref<17x48xbf16> -> !pl.tile<32x48xbf16, valid = ?x48>
      %k = pl.load %w[%c0, %c0] : memref<48x32xbf16> -> !pl.tile<48x32xbf16>
      %p = pl.matmul %l, %k : !pl.tile<32x48xbf16, valid = ?x48>, !pl.tile<48x32xbf16> -> !pl.tile<32x32xf32, valid = ?x32>
      pl.store %p, %y[%c0, %c0] : !pl.tile<32x32xf32, valid = ?x32>, memref<17x32xf32>
    }
    return
  }
}

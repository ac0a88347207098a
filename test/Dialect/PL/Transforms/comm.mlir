// What ranks say to each other, from scopes to kernels: edges, directions,
// buffers and barriers.
//
// RUN: pl-opt %s -pl-lower-to-tasks | FileCheck %s --check-prefix=TASKS
// RUN: pl-opt %s -pl-lower-to-tasks -pl-lower-to-tiles | FileCheck %s --check-prefix=TILES
// RUN: pl-opt %s -pl-lower-to-tasks -pl-lower-to-tiles | pl-opt --verify-roundtrip -o /dev/null

module attributes {pl.phase = "pl"} {

// A notify is before a wait of its window, and a wait before the notify that
// answers it; what a transfer writes is before what reads the window here.
// TASKS-LABEL: func.func @exchange
// TASKS: %[[PUSH:.*]] = pl.launch @push blocks(%{{.*}}) args({{.*}})
// TASKS: %[[WAIT:.*]] = pl.launch @arrived blocks(%{{.*}}) args({{.*}}) deps(%[[PUSH]] : [#pl.edge<signal, "done", "[0:4, 0:1]">])
// TASKS: %[[READ:.*]] = pl.launch @readback blocks(%{{.*}}) args({{.*}}) deps(%[[WAIT]] : [#pl.edge<signal, "done", "[0:4, 0:1]">
// TASKS: pl.launch @again blocks(%{{.*}}) args({{.*}}) deps(%[[READ]] : [#pl.edge<signal, "done", "[0:4, 0:1]">])
// TASKS: pl.kernel aiv @push(%[[X:.*]]: memref<21x64xf32> {pl.direction = #pl.direction<in>, pl.name = "x"}, %[[W:.*]]: memref<84x64xf32, #pl.window> {pl.direction = #pl.direction<out>, pl.name = "w"}, %{{.*}}: memref<4x1xi32, #pl.window> {pl.direction = #pl.direction<inout>, pl.name = "done"}
// TASKS: pl.kernel aiv @arrived(%{{.*}}: memref<4x1xi32, #pl.window> {pl.direction = #pl.direction<in>, pl.name = "done"}
func.func @exchange(%x: memref<21x64xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                    %y: memref<84x64xf32> {pl.name = "y", pl.direction = #pl.direction<out>},
                    %w: memref<84x64xf32, #pl.window> {pl.name = "w", pl.direction = #pl.direction<inout>},
                    %done: memref<4x1xi32, #pl.window> {pl.name = "done", pl.direction = #pl.direction<inout>},
                    %me: index {pl.name = "me"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // The stage holds as many rows as the chunk says, of whole blocks.
  // TILES-LABEL: pl.kernel aiv @push
  // TILES: %[[STAGE:.*]] = pl.buffer "stage" at 0 : !pl.buffer<8x64xf32, vec, nd>
  // TILES: pl.put %{{.*}} to %{{.*}} peer %{{.*}} sizes({{.*}}) chunk 8 x 0 stages(%[[STAGE]] : !pl.buffer<8x64xf32, vec, nd>)
  // It is over once all pipes are empty: the notify has nothing to wait for.
  // TILES-NEXT: pl.pipe_barrier all
  // TILES-NEXT: pl.notify
  %push = pl.at "push" {
    %c0 = arith.constant 0 : index
    %c21 = arith.constant 21 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    pl.put %x[%c0, %c0] to %w[%c0, %c0] peer %me sizes(%c21, %c64) chunk 8 x 0 : memref<21x64xf32>, memref<84x64xf32, #pl.window>
    pl.notify add %one, %done[%c0, %c0] peer %me : memref<4x1xi32, #pl.window>
  }
  // TILES-LABEL: pl.kernel aiv @arrived
  // TILES: pl.defer_wait
  %wait = pl.at "arrived" {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    pl.defer_wait %done[%c0, %c0] reaches %one : memref<4x1xi32, #pl.window>
  }
  // The last loads and stores are over before the notify.
  // TILES-LABEL: pl.kernel aiv @readback
  // TILES: pl.store
  // TILES: pl.pipe_barrier all
  // TILES-NEXT: pl.notify
  %read = pl.at "readback" {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %t = pl.load %w[%c0, %c0] : memref<84x64xf32, #pl.window> -> !pl.tile<16x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<16x64xf32>, memref<84x64xf32>
    pl.notify add %one, %done[%c0, %c0] peer %me : memref<4x1xi32, #pl.window>
  }
  %again = pl.at "again" {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    pl.wait ge %one, %done[%c0, %c0] : memref<4x1xi32, #pl.window>
  }
  return
}
}

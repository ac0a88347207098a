// Storage and order of transfers in kernels.
//
// RUN: pl-opt %s -pl-lower-to-tiles | FileCheck %s

module attributes {pl.phase = "tasks"} {

// Without a chunk the stage holds what fits; the rows are padded to blocks. A
// pipelined transfer has two stages. Transfers use flags of their own, so what
// comes before them is over.
// CHECK-LABEL: pl.kernel aiv @whole
pl.kernel aiv @whole(%x: memref<600x41xf32> {pl.name = "x", pl.direction = #pl.direction<inout>},
                     %w: memref<600x41xf32, #pl.window> {pl.name = "w", pl.direction = #pl.direction<inout>},
                     %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %c41 = arith.constant 41 : index
  %c600 = arith.constant 600 : index
  // CHECK: pl.buffer "stage" at {{.*}} : !pl.buffer<399x48xf32, vec, nd>
  // CHECK: pl.put
  // CHECK-NEXT: pl.pipe_barrier all
  pl.put %x[%c0, %c0] to %w[%c0, %c0] peer %peer sizes(%c600, %c41) : memref<600x41xf32>, memref<600x41xf32, #pl.window>
  %t = pl.load %x[%c0, %c0] : memref<600x41xf32> -> !pl.tile<8x40xf32>
  // CHECK: pl.neg
  %u = pl.neg %t : !pl.tile<8x40xf32> -> !pl.tile<8x40xf32>
  // CHECK: pl.store
  pl.store %u, %x[%c0, %c0] : !pl.tile<8x40xf32>, memref<600x41xf32>
  // CHECK: pl.buffer "stage_2" at {{.*}} : !pl.buffer<4x32xf32, vec, nd>
  // CHECK: pl.buffer "stage_3" at {{.*}} : !pl.buffer<4x32xf32, vec, nd>
  // CHECK: pl.pipe_barrier all
  // CHECK-NEXT: pl.get
  pl.get %w[%c0, %c0] peer %peer to %x[%c0, %c0] sizes(%c600, %c41) chunk 4 x 32 pipeline : memref<600x41xf32, #pl.window>, memref<600x41xf32>
}

// Long rows go in pieces.
// CHECK-LABEL: pl.kernel aiv @long
pl.kernel aiv @long(%x: memref<2x100003xi8> {pl.name = "x", pl.direction = #pl.direction<in>},
                    %w: memref<2x100003xi8, #pl.window> {pl.name = "w", pl.direction = #pl.direction<out>},
                    %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 100003 : index
  // CHECK: pl.buffer "stage" at {{.*}} : !pl.buffer<1x65536xi8, vec, nd>
  pl.put %x[%c0, %c0] to %w[%c0, %c0] peer %peer sizes(%c2, %n) : memref<2x100003xi8>, memref<2x100003xi8, #pl.window>
}

// A remote load and store are loads and stores.
// CHECK-LABEL: pl.kernel aiv @remote
pl.kernel aiv @remote(%w: memref<64x64xf32, #pl.window> {pl.name = "w", pl.direction = #pl.direction<inout>},
                      %rows: index {pl.name = "rows"}, %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = pl.buffer {{.*}} valid(%{{.*}}) at {{[0-9]+}} : !pl.buffer<8x64xf32, vec, nd, valid = ?x64>
  // CHECK: pl.remote_load %{{.*}} : memref<64x64xf32, #pl.window> into %[[T]]
  %t = pl.remote_load %w[%c0, %c0] peer %peer valid(%rows) : memref<64x64xf32, #pl.window> -> !pl.tile<8x64xf32, valid = ?x64>
  // CHECK: pl.set_flag mte2 to v
  // CHECK: pl.neg
  %u = pl.neg %t : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
  // CHECK: pl.set_flag v to mte3
  // CHECK: pl.remote_store
  pl.remote_store %u, %w[%c0, %c0] peer %peer : !pl.tile<8x64xf32, valid = ?x64>, memref<64x64xf32, #pl.window>
  // CHECK: pl.pipe_barrier all
}
}

// RUN: pl-opt %s | pl-opt | FileCheck %s
// RUN: pl-opt %s --mlir-print-op-generic | pl-opt | FileCheck %s

// CHECK-LABEL: func.func @scopes
// CHECK-SAME: pl.dims = [#pl.dim<"T">]
func.func @scopes(%x: memref<?x64xf32> {pl.name = "x", pl.dims = [#pl.dim<"T">], pl.direction = #pl.direction<in>},
                  %y: memref<?x64xf32>, %n: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // CHECK: %[[A:.*]] = pl.at "seed" early_resolve {
  %a = pl.at "seed" early_resolve {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    // CHECK: pl.full %{{.*}} : f32 -> !pl.tile<8x64xf32>
    %t = pl.full %z : f32 -> !pl.tile<8x64xf32>
    // CHECK: pl.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : !pl.tile<8x64xf32>, memref<?x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<8x64xf32>, memref<?x64xf32>
  }
  // CHECK: %[[D:.*]] = pl.dummy deps(%[[A]] : [#pl.edge<user>])
  %d = pl.dummy deps(%a : [#pl.edge<user>])
  // CHECK: pl.spmd "body" blocks(%{{.*}}) deps(%[[A]], %[[D]] : [#pl.edge<waw, "y", "[0:T, 0:64]">, #pl.edge<user>]) {
  %b = pl.spmd "body" blocks(%n) deps(%a, %d : [#pl.edge<waw, "y", "[0:T, 0:64]">, #pl.edge<user>]) {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %init = pl.full %z : f32 -> !pl.tile<1x8xf32>
    %init_v = pl.set_valid %init valid(%n) : !pl.tile<1x8xf32> -> !pl.tile<1x8xf32, valid = 1x?>
    // CHECK: pl.for pipeline %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} stages 2 iter(%{{.*}} = %{{.*}} : !pl.tile<1x8xf32, valid = 1x?>) {
    %s = pl.for pipeline %k = %c0 to %n step %c1 stages 2 iter(%acc = %init_v : !pl.tile<1x8xf32, valid = 1x?>) {
      // CHECK: pl.load %{{.*}}[%{{.*}}, %{{.*}}] valid(%{{.*}}) : memref<?x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
      %t = pl.load %x[%block, %k] valid(%n) : memref<?x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
      // CHECK: pl.mul %{{.*}}, %{{.*}} : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
      %sq = pl.mul %t, %t : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
      // CHECK: pl.row_sum %{{.*}} : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x1xf32, valid = ?x1>
      %r = pl.row_sum %sq : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x1xf32, valid = ?x1>
      %row = pl.reshape %r : !pl.tile<8x1xf32, valid = ?x1> -> !pl.tile<1x8xf32, valid = 1x?>
      %next = pl.add %acc, %row : !pl.tile<1x8xf32, valid = 1x?>, !pl.tile<1x8xf32, valid = 1x?> -> !pl.tile<1x8xf32, valid = 1x?>
      pl.yield %next : !pl.tile<1x8xf32, valid = 1x?>
    }
    // CHECK: pl.cast %{{.*}} rint : !pl.tile<1x8xf32, valid = 1x?> -> !pl.tile<1x8xbf16, valid = 1x?>
    %c = pl.cast %s rint : !pl.tile<1x8xf32, valid = 1x?> -> !pl.tile<1x8xbf16, valid = 1x?>
    // CHECK: pl.valid_extent %{{.*}}, 1
    %v = pl.valid_extent %c, 1 : !pl.tile<1x8xbf16, valid = 1x?>
    // CHECK: pl.for range %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
    pl.for range %k = %c0 to %v step %c1 {
    }
  }
  return
}

// CHECK-LABEL: pl.kernel aiv @copy(
// CHECK-SAME: memref<?x64xbf16> {pl.direction = #pl.direction<in>, pl.name = "x"}
pl.kernel aiv @copy(%x: memref<?x64xbf16> {pl.direction = #pl.direction<in>, pl.name = "x"}, %y: memref<?x64xbf16>, %n: index) {
  %b = pl.block_idx
  %c0 = arith.constant 0 : index
  // CHECK: pl.buffer "t" valid(%{{.*}}) at 256 : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64>
  %t = pl.buffer "t" valid(%n) at 256 : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64>
  // CHECK: pl.buffer_view %{{.*}} "u" offset 128 at 384 : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64> -> !pl.buffer<4x64xbf16, vec, nd>
  %u = pl.buffer_view %t "u" offset 128 at 384 : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64> -> !pl.buffer<4x64xbf16, vec, nd>
  // CHECK: pl.load %{{.*}} : memref<?x64xbf16> into %{{.*}} : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64>
  pl.load %x[%b, %c0] : memref<?x64xbf16> into %t : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64>
  // CHECK: pl.set_flag mte2 to mte3 event 0
  pl.set_flag mte2 to mte3 event 0
  // CHECK: pl.wait_flag mte2 to mte3 event 0
  pl.wait_flag mte2 to mte3 event 0
  // CHECK: pl.pipe_barrier all
  pl.pipe_barrier all
  // CHECK: pl.store %{{.*}} atomic add : !pl.buffer
  pl.store %t, %y[%b, %c0] atomic add : !pl.buffer<8x64xbf16, vec, nd, valid = ?x64>, memref<?x64xbf16>
}

// CHECK-LABEL: func.func @graph
func.func @graph(%x: memref<?x64xbf16>, %n: index) {
  // CHECK: pl.alloc "tmp"(%{{.*}}) : memref<?x64xbf16>
  %tmp = pl.alloc "tmp"(%n) : memref<?x64xbf16>
  // CHECK: pl.launch @copy blocks(%{{.*}}) args(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x64xbf16>, memref<?x64xbf16>, index)
  %t = pl.launch @copy blocks(%n) args(%x, %tmp, %n : memref<?x64xbf16>, memref<?x64xbf16>, index)
  %u = pl.launch @copy blocks(%n) args(%tmp, %x, %n : memref<?x64xbf16>, memref<?x64xbf16>, index) deps(%t : [#pl.edge<raw, "tmp">]) early_resolve
  return
}

// RUN: pl-opt %s | pl-opt | FileCheck %s
// RUN: pl-opt %s --mlir-print-op-generic | pl-opt | FileCheck %s

!win = memref<32x64xbf16, #pl.window>
!sig = memref<4x1xi32, #pl.window>

// CHECK-LABEL: func.func @transfers
func.func @transfers(%x: memref<8x64xbf16>, %w: !win, %s: !sig, %n: index) {
  pl.at {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // CHECK: %[[ME:.*]] = pl.rank %{{.*}} : memref<32x64xbf16, #pl.window>
    %me = pl.rank %w : !win
    // CHECK: pl.num_ranks %{{.*}} : memref<4x1xi32, #pl.window>
    %all = pl.num_ranks %s : !sig
    %peer = arith.index_cast %me : i32 to index
    // CHECK: pl.put %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}, %{{.*}}] peer %{{.*}} sizes(%{{.*}}, %{{.*}}) : memref<8x64xbf16>, memref<32x64xbf16, #pl.window>
    pl.put %x[%n, %c0] to %w[%n, %c0] peer %peer sizes(%c1, %c64) : memref<8x64xbf16>, !win
    // CHECK: pl.put {{.*}} atomic add chunk 1 x 64 pipeline :
    pl.put %x[%n, %c0] to %w[%n, %c0] peer %peer sizes(%n, %c64) atomic add chunk 1 x 64 pipeline : memref<8x64xbf16>, !win
    // CHECK: pl.get %{{.*}}[%{{.*}}, %{{.*}}] peer %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] sizes(%{{.*}}, %{{.*}}) chunk 2 x 0 : memref<32x64xbf16, #pl.window>, memref<8x64xbf16>
    pl.get %w[%n, %c0] peer %peer to %x[%n, %c0] sizes(%n, %c64) chunk 2 x 0 : !win, memref<8x64xbf16>
    // CHECK: %[[T:.*]] = pl.remote_load %{{.*}}[%{{.*}}, %{{.*}}] peer %{{.*}} valid(%{{.*}}) : memref<32x64xbf16, #pl.window> -> !pl.tile<8x64xbf16, valid = ?x64>
    %t = pl.remote_load %w[%n, %c0] peer %peer valid(%n) : !win -> !pl.tile<8x64xbf16, valid = ?x64>
    // CHECK: pl.remote_store %[[T]], %{{.*}}[%{{.*}}, %{{.*}}] peer %{{.*}} : !pl.tile<8x64xbf16, valid = ?x64>, memref<32x64xbf16, #pl.window>
    pl.remote_store %t, %w[%n, %c0] peer %peer : !pl.tile<8x64xbf16, valid = ?x64>, !win
    // CHECK: pl.remote_store {{.*}} atomic add
    pl.remote_store %t, %w[%n, %c0] peer %peer atomic add : !pl.tile<8x64xbf16, valid = ?x64>, !win
  }
  return
}

// A window is a window through views.
// CHECK-LABEL: func.func @signals
func.func @signals(%s: !sig, %n: index, %v: i32) {
  %c0 = arith.constant 0 : index
  pl.at {
    // CHECK: pl.notify add %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] peer %{{.*}} : memref<4x1xi32, #pl.window>
    pl.notify add %v, %s[%n, %c0] peer %n : !sig
    // CHECK: pl.notify set
    pl.notify set %v, %s[%n, %c0] peer %n : !sig
    // CHECK: pl.wait ge %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x1xi32, #pl.window>
    pl.wait ge %v, %s[%n, %c0] : !sig
    // CHECK: pl.wait eq
    pl.wait eq %v, %s[%n, %c0] : !sig
    %row = memref.subview %s[1, 0] [1, 1] [1, 1] : !sig to memref<1x1xi32, strided<[1, 1], offset: 1>, #pl.window>
    // CHECK: pl.wait ge {{.*}} : memref<1x1xi32, strided<[1, 1], offset: 1>, #pl.window>
    pl.wait ge %v, %row[%c0, %c0] : memref<1x1xi32, strided<[1, 1], offset: 1>, #pl.window>
  }
  pl.at "later" {
    // CHECK: pl.defer_wait %{{.*}}[%{{.*}}, %{{.*}}] reaches %{{.*}} : memref<4x1xi32, #pl.window>
    pl.defer_wait %s[%n, %c0] reaches %v : !sig
  }
  return
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%x: memref<1x64xf32>, %w: memref<4x64xf32, #pl.window>, %s: !sig, %counts: memref<4xi32>) {
  pl.at {
    // CHECK: pl.allreduce sum %{{.*}} signal %{{.*}} : memref<4x1xi32, #pl.window>, memref<4x64xf32, #pl.window>
    pl.allreduce sum %w signal %s : !sig, memref<4x64xf32, #pl.window>
    // CHECK: pl.allreduce max %{{.*}} signal %{{.*}} : memref<4x1xi32, #pl.window> topology ring, memref<4x64xf32, #pl.window>
    pl.allreduce max %w signal %s : !sig topology ring, memref<4x64xf32, #pl.window>
    // CHECK: pl.allreduce sum %{{.*}} cores 4, memref<4x64xf32, #pl.window>
    pl.allreduce sum %w cores 4, memref<4x64xf32, #pl.window>
    // CHECK: pl.barrier %{{.*}} : memref<4x1xi32, #pl.window>
    pl.barrier %s : !sig
    // CHECK: pl.broadcast %{{.*}} signal %{{.*}} root 2 : memref<4x64xf32, #pl.window>, memref<4x1xi32, #pl.window>
    pl.broadcast %w signal %s root 2 : memref<4x64xf32, #pl.window>, !sig
    // CHECK: pl.reduce_scatter sum %{{.*}} signal %{{.*}} : memref<4x64xf32, #pl.window>, memref<4x1xi32, #pl.window>
    pl.reduce_scatter sum %w signal %s : memref<4x64xf32, #pl.window>, !sig
    // CHECK: pl.allgather %{{.*}} to %{{.*}} signal %{{.*}} : memref<1x64xf32>, memref<4x64xf32, #pl.window>, memref<4x1xi32, #pl.window>
    pl.allgather %x to %w signal %s : memref<1x64xf32>, memref<4x64xf32, #pl.window>, !sig
    // CHECK: pl.all_to_all %{{.*}} to %{{.*}} signal
    pl.all_to_all %x to %w signal %s : memref<1x64xf32>, memref<4x64xf32, #pl.window>, !sig
    // CHECK: pl.all_to_all_v %{{.*}} to %{{.*}} signal %{{.*}} counts %{{.*}} to %{{.*}} :
    pl.all_to_all_v %x to %w signal %s counts %counts to %s : memref<1x64xf32>, memref<4x64xf32, #pl.window>, !sig, memref<4xi32>, !sig
  }
  return
}

// CHECK-LABEL: func.func @cores
func.func @cores(%ws: memref<16xi32>, %n: i32, %x: memref<8x64xf32>) {
  // CHECK: pl.available_clusters
  %clusters = pl.available_clusters
  // CHECK: pl.available_vector_cores
  %cores = pl.available_vector_cores
  pl.at {
    %c0 = arith.constant 0 : index
    // CHECK: pl.fence
    pl.fence
    // CHECK: pl.cache_invalid{{$}}
    pl.cache_invalid
    // CHECK: pl.cache_invalid %{{.*}}[%{{.*}}, %{{.*}}] sizes(%{{.*}}, %{{.*}}) : memref<8x64xf32>
    pl.cache_invalid %x[%c0, %c0] sizes(%c0, %c0) : memref<8x64xf32>
    // CHECK: pl.sync_all mix{{$}}
    pl.sync_all mix
    // CHECK: pl.sync_all aiv_only workspace %{{.*}} participants %{{.*}} : memref<16xi32>
    pl.sync_all aiv_only workspace %ws participants %n : memref<16xi32>
    // CHECK: pl.sync_all aic_only workspace %{{.*}} : memref<16xi32>
    pl.sync_all aic_only workspace %ws : memref<16xi32>
    // CHECK: pl.subblock_idx
    %lane = pl.subblock_idx
  }
  return
}

// CHECK-LABEL: func.func @lanes
func.func @lanes(%x: memref<32x64xbf16>, %w: memref<64x32xbf16>, %y: memref<32x32xf32>) {
  pl.at {
    %c0 = arith.constant 0 : index
    %a = pl.load %x[%c0, %c0] : memref<32x64xbf16> -> !pl.tile<17x64xbf16>
    %b = pl.load %w[%c0, %c0] : memref<64x32xbf16> -> !pl.tile<64x32xbf16>
    %acc = pl.matmul %a, %b : !pl.tile<17x64xbf16>, !pl.tile<64x32xbf16> -> !pl.tile<17x32xf32>
    // CHECK: %[[R:.*]] = pl.split_aiv left_right {
    // CHECK-NEXT: ^bb0(%[[LANE:.*]]: index):
    // CHECK-NEXT:   %[[H:.*]] = pl.aiv_shard left_right %{{.*}} : !pl.tile<17x32xf32> -> !pl.tile<17x16xf32>
    // CHECK-NEXT:   %[[G:.*]] = pl.aic_gather left_right %[[H]] : !pl.tile<17x16xf32> -> !pl.tile<17x32xf32>
    // CHECK-NEXT:   pl.yield %[[G]] : !pl.tile<17x32xf32>
    // CHECK-NEXT: } -> !pl.tile<17x32xf32>
    %r = pl.split_aiv left_right {
    ^bb0(%lane: index):
      %h = pl.aiv_shard left_right %acc : !pl.tile<17x32xf32> -> !pl.tile<17x16xf32>
      %g = pl.aic_gather left_right %h : !pl.tile<17x16xf32> -> !pl.tile<17x32xf32>
      pl.yield %g : !pl.tile<17x32xf32>
    } -> !pl.tile<17x32xf32>
    // Lane 0 has the larger half of an odd extent.
    // CHECK: pl.split_aiv up_down {
    pl.split_aiv up_down {
    ^bb0(%lane: index):
      // CHECK: pl.aiv_shard up_down %{{.*}} : !pl.tile<17x32xf32> -> !pl.tile<9x32xf32, valid = ?x32>
      %h = pl.aiv_shard up_down %acc : !pl.tile<17x32xf32> -> !pl.tile<9x32xf32, valid = ?x32>
      pl.store %h, %y[%lane, %c0] : !pl.tile<9x32xf32, valid = ?x32>, memref<32x32xf32>
    }
    // CHECK: pl.split_aiv none {
    pl.split_aiv none {
    ^bb0(%lane: index):
      // CHECK: pl.aiv_shard none %{{.*}} : !pl.tile<17x32xf32> -> !pl.tile<17x32xf32>
      %h = pl.aiv_shard none %acc : !pl.tile<17x32xf32> -> !pl.tile<17x32xf32>
    }
  }
  return
}

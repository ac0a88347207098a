// Ops of host programs.
//
// RUN: pl-opt %s | pl-opt | FileCheck %s

module attributes {pl.phase = "pl"} {
  // CHECK-LABEL: func.func private @chip
  func.func private @chip(%x: memref<?x64xf32>, %w: memref<16x64xf32, #pl.window>, %n: i32)
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    // CHECK: %[[M:.*]] = pl.alloc "made"() : memref<4x4xf32>
    %m = pl.alloc "made"() : memref<4x4xf32>
    // CHECK: pl.extern "attention"(%{{.*}}, %{{.*}} : memref<?x64xf32>, i32) directions [#pl.direction<inout>]
    pl.extern "attention"(%x, %n : memref<?x64xf32>, i32) directions [#pl.direction<inout>]
    // CHECK: pl.export "made" %[[M]] : memref<4x4xf32>
    pl.export "made" %m : memref<4x4xf32>
    return
  }
  // CHECK-LABEL: func.func @host
  func.func @host(%x: memref<2x?x64xf32>) attributes {pl.kind = #pl.func_kind<host>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : i32
    %d = memref.dim %x, %c1 : memref<2x?x64xf32>
    // CHECK: pl.bind_dim "T" extents(%{{.*}}, %{{.*}}) scales [1, 2] offsets [0, -1] sources ["axis 1 of 'x'", "axis 2 of 'y'"]
    %t = pl.bind_dim "T" extents(%d, %d) scales [1, 2] offsets [0, -1] sources ["axis 1 of 'x'", "axis 2 of 'y'"]
    // CHECK: %[[N:.*]] = pl.world_size
    %n = pl.world_size
    %i = arith.index_cast %n : i64 to index
    // CHECK: pl.alloc_window "rows" : memref<4096xi8, #pl.window>
    %b = pl.alloc_window "rows" : memref<4096xi8, #pl.window>
    // CHECK: pl.alloc_window "arrived"[%{{.*}}] : memref<?xi8, #pl.window>
    %s = pl.alloc_window "arrived" [%i] : memref<?xi8, #pl.window>
    pl.for range %r = %c0 to %i step %c1 {
      // CHECK: pl.window %{{.*}} : memref<4096xi8, #pl.window> to memref<16x64xf32, #pl.window>
      %w = pl.window %b : memref<4096xi8, #pl.window> to memref<16x64xf32, #pl.window>
      // CHECK: pl.window %{{.*}}[%{{.*}}] : memref<?xi8, #pl.window> to memref<?x1xi32, #pl.window>
      %v = pl.window %s[%i] : memref<?xi8, #pl.window> to memref<?x1xi32, #pl.window>
      %xr = memref.subview %x[%r, 0, 0] [1, %d, 64] [1, 1, 1] : memref<2x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
      // CHECK: pl.dispatch @chip(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x64xf32, strided<[64, 1], offset: ?>>, memref<16x64xf32, #pl.window>, i32) device(%{{.*}})
      pl.dispatch @chip(%xr, %w, %c7 : memref<?x64xf32, strided<[64, 1], offset: ?>>, memref<16x64xf32, #pl.window>, i32) device(%r)
    }
    return
  }
}

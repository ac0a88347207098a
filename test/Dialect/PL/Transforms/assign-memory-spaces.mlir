// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul,pl-assign-memory-spaces))' | FileCheck %s

// CHECK-LABEL: pl.kernel aiv @vector
pl.kernel aiv @vector(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pl.load {{.*}} -> !pl.tile<1x64xf32, vec>
  %a = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
  // CHECK: pl.for range {{.*}} iter(%{{.*}} = %{{.*}} : !pl.tile<1x64xf32, vec>)
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %a : !pl.tile<1x64xf32>) {
    // CHECK: pl.load {{.*}} -> !pl.tile<1x64xf32, vec>
    %b = pl.load %x[%i, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
    // CHECK: pl.add {{.*}} -> !pl.tile<1x64xf32, vec>
    %t = pl.add %acc, %b : !pl.tile<1x64xf32>, !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.yield %t : !pl.tile<1x64xf32>
  }
  pl.store %s, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// CHECK-LABEL: pl.kernel aic @cube
pl.kernel aic @cube(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>, %z: memref<16x48xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pl.empty : !pl.tile<16x16xf32, acc>
  %e = pl.empty : !pl.tile<16x16xf32>
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %e : !pl.tile<16x16xf32>) {
    // A load that is also stored is made once for each memory.
    // CHECK: pl.load {{.*}} -> !pl.tile<16x48xbf16, mat>
    // CHECK: pl.load {{.*}} -> !pl.tile<16x48xbf16, vec>
    %a = pl.load %x[%c0, %c0] : memref<16x48xbf16> -> !pl.tile<16x48xbf16>
    %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
    %first = arith.cmpi eq, %i, %c0 : index
    // CHECK: scf.if {{.*}} -> (!pl.tile<16x16xf32, acc>)
    %r = scf.if %first -> !pl.tile<16x16xf32> {
      // CHECK: pl.matmul {{.*}} -> !pl.tile<16x16xf32, acc>
      %p = pl.matmul %a, %b : !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
      scf.yield %p : !pl.tile<16x16xf32>
    } else {
      %p = pl.matmul_acc %acc, %a, %b : !pl.tile<16x16xf32>, !pl.tile<16x48xbf16>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32>
      scf.yield %p : !pl.tile<16x16xf32>
    }
    pl.store %a, %z[%c0, %c0] : !pl.tile<16x48xbf16>, memref<16x48xbf16>
    pl.yield %r : !pl.tile<16x16xf32>
  }
  pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-pipeline-loops))' | FileCheck %s

// CHECK-LABEL: pl.kernel aiv @run_time
pl.kernel aiv @run_time(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // Three copies per iteration, then a loop for what is left.
  // CHECK: scf.for
  // CHECK-COUNT-3: pl.exp
  // CHECK: pl.stages = 3
  // CHECK: scf.for
  // CHECK-COUNT-1: pl.exp
  // CHECK-NOT: pl.exp
  pl.for pipeline %i = %c0 to %n step %c1 stages 3 {
    %a = pl.load %x[%i, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
    %e = pl.exp %a : !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.store %e, %x[%i, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
  }
}

// CHECK-LABEL: pl.kernel aiv @sequential
pl.kernel aiv @sequential(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %z = pl.full %f : f32 -> !pl.tile<1x64xf32>
  // CHECK: %[[S:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (!pl.tile<1x64xf32>)
  // CHECK-COUNT-1: pl.add
  // CHECK-NOT: pl.add
  // CHECK: pl.store %[[S]]
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %z : !pl.tile<1x64xf32>) {
    %a = pl.load %x[%i, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
    %t = pl.add %acc, %a : !pl.tile<1x64xf32>, !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.yield %t : !pl.tile<1x64xf32>
  }
  pl.store %s, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// RUN: pl-opt %s -pl-outline-kernels -verify-diagnostics -split-input-file

func.func @tile_from_outside(%y: memref<16x16xf32>) {
  %z = arith.constant 0.0 : f32
  %f = pl.full %z : f32 -> !pl.tile<16x16xf32>
  // expected-error @+1 {{only tensors and scalars enter a task}}
  %t = pl.at "store" {
    %c0 = arith.constant 0 : index
    pl.store %f, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  return
}


// -----

func.func @scalars(%y: memref<1x8xf32>, %a: index, %b: index, %c: index, %d: index, %e: index, %f: index,
                   %g: index, %h: index, %i: index, %j: index, %k: index, %l: index, %m: index, %n: index,
                   %o: index, %p: index, %q: index) {
  // expected-error @+1 {{the scope uses 1 tensors and 17 scalars from outside; a task takes 32 and 16}}
  %t = pl.at "many" {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %v = pl.full %z : f32 -> !pl.tile<1x8xf32>
    pl.store %v, %y[%a, %b] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%c, %d] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%e, %f] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%g, %h] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%i, %j] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%k, %l] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%m, %n] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%o, %p] : !pl.tile<1x8xf32>, memref<1x8xf32>
    pl.store %v, %y[%q, %c0] : !pl.tile<1x8xf32>, memref<1x8xf32>
  }
  return
}

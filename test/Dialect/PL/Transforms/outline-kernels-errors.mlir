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

// -----

// Blocks of a task on both kinds of cores have three lanes each.
func.func @blocks(%x: memref<16x16xbf16>, %y: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 2.0 : f32
  %fit = arith.constant 10922 : index
  %more = arith.constant 10923 : index
  %most = arith.constant 32767 : index
  %beyond = arith.constant 32768 : index
  %a = pl.spmd "mixed" blocks(%fit) {
  ^bb0(%i: index):
    %l = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
    %p = pl.matmul %l, %l : !pl.tile<16x16xbf16>, !pl.tile<16x16xbf16> -> !pl.tile<16x16xf32>
    %s = pl.adds %p, %k : !pl.tile<16x16xf32>, f32 -> !pl.tile<16x16xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // expected-error @+1 {{PL058: this task has 10923 blocks, but a launch of a task with work for cube and vector cores has 0 to 10922; let each block do more, in a loop over its part}}
  %b = pl.spmd "mixed" blocks(%more) {
  ^bb0(%i: index):
    %l = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
    %p = pl.matmul %l, %l : !pl.tile<16x16xbf16>, !pl.tile<16x16xbf16> -> !pl.tile<16x16xf32>
    %s = pl.adds %p, %k : !pl.tile<16x16xf32>, f32 -> !pl.tile<16x16xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  %c = pl.spmd "vector" blocks(%most) {
  ^bb0(%i: index):
    %s = pl.full %k : f32 -> !pl.tile<16x16xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  // expected-error @+1 {{PL058: this task has 32768 blocks, but a launch has 0 to 32767; let each block do more}}
  %d = pl.spmd "vector" blocks(%beyond) {
  ^bb0(%i: index):
    %s = pl.full %k : f32 -> !pl.tile<16x16xf32>
    pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32>, memref<16x16xf32>
  }
  return
}

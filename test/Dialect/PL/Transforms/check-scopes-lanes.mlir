// RUN: pl-opt %s --pl-check-scopes --split-input-file --verify-diagnostics

// A product to the lanes and back, by name; loads and stores anywhere.
func.func @good(%x: memref<32x32xbf16>, %y: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "mixed" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
    %p = pl.matmul %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
    %r = pl.split_aiv up_down {
    ^bb0(%lane: index):
      %h = pl.aiv_shard up_down %p : !pl.tile<32x32xf32> -> !pl.tile<16x32xf32>
      %e = pl.exp %h : !pl.tile<16x32xf32> -> !pl.tile<16x32xf32>
      %s = pl.row_sum %e : !pl.tile<16x32xf32> -> !pl.tile<16x1xf32>
      %b = pl.cast %e rint : !pl.tile<16x32xf32> -> !pl.tile<16x32xbf16>
      %g = pl.aic_gather up_down %b : !pl.tile<16x32xbf16> -> !pl.tile<32x32xbf16>
      pl.yield %g : !pl.tile<32x32xbf16>
    } -> !pl.tile<32x32xbf16>
    %q = pl.matmul %r, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
    pl.store %q, %y[%c0, %c0] : !pl.tile<32x32xf32>, memref<32x32xf32>
  }
  return
}

// -----

func.func @unnamed_in(%x: memref<32x32xbf16>, %y: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pl.at "mixed" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
    %p = pl.matmul %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
    // expected-note @+1 {{the product is here}}
    %q = pl.matmul_acc %p, %a, %a : !pl.tile<32x32xf32>, !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
    pl.split_aiv none {
    ^bb0(%lane: index):
      // expected-error @+1 {{a product of the cube enters the vector lanes unnamed; take it with pl.aiv_shard(...) in the region and use what that gives}}
      %e = pl.exp %q : !pl.tile<32x32xf32> -> !pl.tile<32x32xf32>
      // Through views and loops, too.
      %row = pl.subtile %q[0, 0] : !pl.tile<32x32xf32> -> !pl.tile<1x32xf32>
      %l = pl.for range %i = %c0 to %c1 step %c1 iter(%v = %row : !pl.tile<1x32xf32>) {
        pl.yield %v : !pl.tile<1x32xf32>
      }
      // expected-error @+1 {{a product of the cube enters the vector lanes unnamed}}
      pl.store %l, %y[%c0, %c0] : !pl.tile<1x32xf32>, memref<32x32xf32>
    }
  }
  return
}

// -----

func.func @unnamed_out(%x: memref<32x32xbf16>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "mixed" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
    %r = pl.split_aiv none {
    ^bb0(%lane: index):
      // expected-note @+1 {{the tile is made here}}
      %n = pl.add %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xbf16>
      pl.yield %n : !pl.tile<32x32xbf16>
    } -> !pl.tile<32x32xbf16>
    // expected-error @+1 {{a tile of the vector lanes enters the cube unnamed; hand it out with x = pl.aic_gather(x) at the end of the region}}
    %p = pl.matmul %r, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
  }
  return
}

// -----

func.func @places(%x: memref<32x32xbf16>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "mixed" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
    // expected-error @+1 {{pl.add is vector work outside pl.split_aiv, but this scope has opened a region: all its vector work belongs into regions (mode=NONE runs the body on both lanes)}}
    %n = pl.add %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xbf16>
    // expected-note @+2 {{a region is opened here}}
    // expected-note @+1 {{the region is here}}
    pl.split_aiv none {
    ^bb0(%lane: index):
      // expected-error @+1 {{pl.matmul is cube work, but pl.split_aiv is a region of the vector lanes; move it out of the region}}
      %p = pl.matmul %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
    }
  }
  return
}

// -----

func.func @shard_of_vector(%x: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "lanes" {
    // expected-note @+1 {{it is made here}}
    %a = pl.load %x[%c0, %c0] : memref<32x32xf32> -> !pl.tile<32x32xf32>
    pl.split_aiv up_down {
    ^bb0(%lane: index):
      // expected-error @+1 {{pl.aiv_shard takes a product of the cube, but this tile is on the vector side already; use it as it is}}
      %h = pl.aiv_shard up_down %a : !pl.tile<32x32xf32> -> !pl.tile<16x32xf32>
    }
  }
  return
}

// -----

func.func @axes(%x: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "lanes" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xf32> -> !pl.tile<32x32xf32>
    pl.split_aiv up_down {
    ^bb0(%lane: index):
      %r = pl.row_sum %a : !pl.tile<32x32xf32> -> !pl.tile<32x1xf32>
      // expected-error @+1 {{pl.col_sum reduces the axis that UP_DOWN halves: each lane would get the result of its half of the rows; reduce the other axis, join the lanes with pl.aic_gather, or use mode=NONE}}
      %c = pl.col_sum %a : !pl.tile<32x32xf32> -> !pl.tile<1x32xf32>
      // expected-error @+1 {{pl.transpose swaps the axis that UP_DOWN halves: each lane has its half of the rows only; transpose on the cube side, or use mode=NONE}}
      %t = pl.transpose %a : !pl.tile<32x32xf32> -> !pl.tile<32x32xf32>
      // One row is not halved.
      %d = pl.col_sum %c : !pl.tile<1x32xf32> -> !pl.tile<1x32xf32>
    }
    pl.split_aiv left_right {
    ^bb0(%lane: index):
      // expected-error @+1 {{pl.row_max reduces the axis that LEFT_RIGHT halves: each lane would get the result of its half of the columns}}
      %r = pl.row_max %a : !pl.tile<32x32xf32> -> !pl.tile<32x1xf32>
      %c = pl.col_sum %a : !pl.tile<32x32xf32> -> !pl.tile<1x32xf32>
    }
    pl.split_aiv none {
    ^bb0(%lane: index):
      %r = pl.row_max %a : !pl.tile<32x32xf32> -> !pl.tile<32x1xf32>
      %c = pl.col_sum %a : !pl.tile<32x32xf32> -> !pl.tile<1x32xf32>
      %t = pl.transpose %a : !pl.tile<32x32xf32> -> !pl.tile<32x32xf32>
    }
  }
  return
}

// -----

func.func @both(%x: memref<32x32xf32>) {
  // expected-error @+1 {{optimizations=[pl.split(...)] and pl.split_aiv exclude each other}}
  %t = pl.at "lanes" {
    // expected-note @+1 {{a region is opened here}}
    pl.split_aiv none {
    ^bb0(%lane: index):
    }
  } {pl.split = #pl<split_mode none>}
  return
}

// -----

// The compiler's own split: ignored without work of both kinds.
func.func @automatic(%x: memref<32x32xbf16>, %f: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = pl.at "vector" {
    %a = pl.load %f[%c0, %c0] : memref<32x32xf32> -> !pl.tile<32x32xf32>
    %c = pl.col_sum %a : !pl.tile<32x32xf32> -> !pl.tile<1x32xf32>
  } {pl.split = #pl<split_mode up_down>}
  %u = pl.at "mixed" {
    %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<17x32xbf16>
    %w = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
    // An odd extent crosses from cube to vector.
    %p = pl.matmul %a, %w : !pl.tile<17x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<17x32xf32>
    // expected-error @+1 {{pl.col_sum reduces the axis that UP_DOWN halves}}
    %c = pl.col_sum %p : !pl.tile<17x32xf32> -> !pl.tile<1x32xf32>
    // expected-note @+1 {{the tile is made here}}
    %b = pl.cast %p rint : !pl.tile<17x32xf32> -> !pl.tile<17x32xbf16>
    // expected-error @+1 {{the lanes' halves of [17, 32] bf16 are not equal under UP_DOWN: an odd extent crosses from cube to vector only; pad it to an even one}}
    %q = pl.matmul %b, %w : !pl.tile<17x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<17x32xf32>
  } {pl.split = #pl<split_mode up_down>}
  return
}

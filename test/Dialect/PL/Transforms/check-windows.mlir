// RUN: pl-opt %s -pl-check-windows -split-input-file -verify-diagnostics

// The parts of a rank are 6 rows for who writes them, and 8 for who reads.
func.func @host(%y: memref<2x8xf32> {pl.name = "y"}, %n: i32 {pl.name = "n"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = pl.alloc_window "parts" : memref<5120xi8, #pl.window>
  pl.for range %r = %c0 to %c2 step %c1 {
    %w = pl.window %b : memref<5120xi8, #pl.window> to memref<40x32xf32, #pl.window>
    %id = arith.index_cast %r : index to i32
    pl.dispatch @exchange(%w, %id, %n : memref<40x32xf32, #pl.window>, i32, i32) device(%r)
    pl.yield
  }
  return
}
func.func private @exchange(%w: memref<40x32xf32, #pl.window> {pl.name = "w"}, %me: i32 {pl.name = "me"}, %n: i32 {pl.name = "n"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  %rows = arith.index_cast %n : i32 to index
  %rank = arith.index_cast %me : i32 to index
  %z = arith.constant 1.0 : f32
  %got = pl.alloc "got"() : memref<40x32xf32>
  %a = pl.at "send" {
    pl.for range %p = %c0 to %c2 step %c1 {
      pl.for range %i = %c0 to %rows step %c1 {
        %base = arith.muli %rank, %c20 : index
        %at = arith.addi %base, %i : index
        %t = pl.full %z : f32 -> !pl.tile<1x32xf32>
        // expected-note @+1 {{'parts' is written here}}
        pl.remote_store %t, %w[%at, %c0] peer %p : !pl.tile<1x32xf32>, memref<40x32xf32, #pl.window>
      }
    }
  }
  %d = pl.at "take" {
    pl.for range %s = %c0 to %c4 step %c1 {
      pl.for range %i = %c0 to %rows step %c1 {
        %at0 = arith.muli %s, %c5 : index
        %at = arith.addi %at0, %i : index
        // expected-error @+1 {{PL115: row 5 of the window 'parts' is read here on rank 0, but no rank ever writes it, however many rows there are: the parts of 'parts' are laid out in two ways; compute where a part begins in one place}}
        %t = pl.load %w[%at, %c0] : memref<40x32xf32, #pl.window> -> !pl.tile<1x32xf32>
        pl.store %t, %got[%at, %c0] : !pl.tile<1x32xf32>, memref<40x32xf32>
      }
    }
  }
  // A fixed number of rows may be padding.
  %e = pl.at "take_all" {
    %t = pl.load %w[%c5, %c0] : memref<40x32xf32, #pl.window> -> !pl.tile<8x32xf32>
    pl.store %t, %got[%c20, %c0] : !pl.tile<8x32xf32>, memref<40x32xf32>
  }
  return
}

// -----

// Groups are shared out to three ranks, and there are two.
func.func @host(%y: memref<2x8xf32> {pl.name = "y"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = pl.alloc_window "told" : memref<8xi8, #pl.window>
  pl.for range %r = %c0 to %c2 step %c1 {
    %w = pl.window %b : memref<8xi8, #pl.window> to memref<2x1xi32, #pl.window>
    pl.dispatch @tell(%w : memref<2x1xi32, #pl.window>) device(%r)
    pl.yield
  }
  return
}
func.func private @tell(%w: memref<2x1xi32, #pl.window> {pl.name = "w"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i32
  %a = pl.at "tell" {
    pl.for range %g = %c0 to %c6 step %c1 {
      %owner = arith.floordivsi %g, %c2 : index
      // expected-error @+1 {{PL115: this reaches rank 2, but there are 2 ranks: how the parts are shared out to ranks is computed from another number of them}}
      pl.notify add %one, %w[%c0, %c0] peer %owner : memref<2x1xi32, #pl.window>
    }
  }
  return
}

// -----

// A tensor of one program, with as many rows as a dim says.
func.func @slabs(%x: memref<?x32xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]}, %y: memref<?x32xf32> {pl.name = "y", pl.dims = [#pl.dim<"ROWS">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  %packed = pl.alloc "packed"() : memref<128x32xf32>
  %a = pl.spmd "pack" blocks(%n) {
  ^bb0(%b: index):
    %t = pl.load %x[%b, %c0] : memref<?x32xf32> -> !pl.tile<1x32xf32>
    %second = arith.addi %b, %c64 : index
    // expected-note @+1 {{'packed' is written here}}
    pl.store %t, %packed[%b, %c0] : !pl.tile<1x32xf32>, memref<128x32xf32>
    // expected-note @+1 {{'packed' is written here}}
    pl.store %t, %packed[%second, %c0] : !pl.tile<1x32xf32>, memref<128x32xf32>
  }
  %d = pl.spmd "right" blocks(%n) {
  ^bb0(%b: index):
    %second = arith.addi %b, %c64 : index
    %t = pl.load %packed[%second, %c0] : memref<128x32xf32> -> !pl.tile<1x32xf32>
    pl.store %t, %y[%b, %c0] : !pl.tile<1x32xf32>, memref<?x32xf32>
  }
  %e = pl.spmd "unpack" blocks(%n) {
  ^bb0(%b: index):
    %second = arith.addi %b, %c48 : index
    // expected-error @+1 {{PL115: row 48 of 'packed' is read here, but no task writes it, however many rows there are}}
    %t = pl.load %packed[%second, %c0] : memref<128x32xf32> -> !pl.tile<1x32xf32>
    pl.store %t, %y[%b, %c0] : !pl.tile<1x32xf32>, memref<?x32xf32>
  }
  return
}

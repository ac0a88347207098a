// RUN: pl-opt %s -pl-check-bounds -split-input-file -verify-diagnostics

// Rows 4..11 of 8, whatever happens.
// expected-note @+1 {{'x' is declared here}}
func.func @fixed(%x: memref<8x32xf32> {pl.name = "x"}, %y: memref<16x32xf32> {pl.name = "y"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = pl.at "shift" {
    // expected-error @+1 {{PL114: rows 4..11 of 'x' [8, 32] are read here, but it has 8}}
    %t = pl.load %x[%c4, %c0] : memref<8x32xf32> -> !pl.tile<8x32xf32>
    pl.store %t, %y[%c4, %c0] : !pl.tile<8x32xf32>, memref<16x32xf32>
  }
  return
}

// -----

// Columns of the last block; an element by its number.
// expected-note @+1 {{'y' is declared here}}
func.func @columns(%x: memref<4x32xf32> {pl.name = "x"}, %y: memref<4x96xf32> {pl.name = "y"},
    // expected-note @+1 {{'n' is declared here}}
    %n: memref<5xi32> {pl.name = "n"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  %a = pl.spmd "spread" blocks(%c4) {
  ^bb0(%b: index):
    %t = pl.load %x[%c0, %c0] : memref<4x32xf32> -> !pl.tile<4x32xf32>
    %at = arith.muli %b, %c32 : index
    // expected-error @+1 {{PL114: columns 96..127 of 'y' [4, 96] are written here, but it has 96}}
    pl.store %t, %y[%c0, %at] : !pl.tile<4x32xf32>, memref<4x96xf32>
  }
  %c = pl.at "count" {
    // expected-error @+1 {{PL114: element 5 of 'n' is written here, but it has 5}}
    pl.write %one, %n[%c5] : i32, memref<5xi32>
  }
  return
}

// -----

// The count is rounded up, but the last tile is loaded whole.
// expected-note @+1 {{'x' is declared here}}
func.func @tail(%x: memref<?x32xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]}, %y: memref<?x32xf32> {pl.name = "y", pl.dims = [#pl.dim<"ROWS">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c12 = arith.constant 12 : index
  %c11 = arith.constant 11 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  %up = arith.addi %n, %c11 : index
  %blocks = arith.floordivsi %up, %c12 : index
  %a = pl.spmd "copy" blocks(%blocks) {
  ^bb0(%b: index):
    %at = arith.muli %b, %c12 : index
    %left = arith.subi %n, %at : index
    // expected-error @+1 {{PL114: rows 12..23 of 'x' [13, 32] are read here when ROWS is 13, but it has 13; none is outside when it is a multiple of 12: say how many rows are there, valid_shape=[pl.min(12, ROWS - first row), ...], or clamp the last tile}}
    %t = pl.load %x[%at, %c0] : memref<?x32xf32> -> !pl.tile<12x32xf32>
    // expected-note @+1 {{ROWS may be no multiple of 12: here a part of a tile is taken care of}}
    %rows = arith.minsi %left, %c12 : index
    %v = pl.set_valid %t valid(%rows) : !pl.tile<12x32xf32> -> !pl.tile<12x32xf32, valid = ?x32>
    pl.store %v, %y[%at, %c0] : !pl.tile<12x32xf32, valid = ?x32>, memref<?x32xf32>
  }
  return
}

// -----

// The same without a guard: all may be whole tiles.
// expected-note @+1 {{'x' is declared here}}
func.func @rounded(%x: memref<?x32xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  // expected-note @+1 {{ROWS may be no multiple of 6: here a part of a tile counts as one}}
  %blocks = arith.ceildivsi %n, %c6 : index
  %s = pl.alloc "s"() : memref<6x32xf32>
  %a = pl.spmd "copy" blocks(%blocks) {
  ^bb0(%b: index):
    %at = arith.muli %b, %c6 : index
    // expected-warning @+1 {{PL114: rows 6..11 of 'x' [7, 32] are read here when ROWS is 7, but it has 7}}
    %t = pl.load %x[%at, %c0] : memref<?x32xf32> -> !pl.tile<6x32xf32>
    pl.store %t, %s[%c0, %c0] : !pl.tile<6x32xf32>, memref<6x32xf32>
  }
  return
}

// -----

// Into the window of another rank: the rows of a rank are 20 there, and 32 here.
// expected-note @+1 {{'w' is declared here}}
func.func @remote(%x: memref<60x32xf32> {pl.name = "x"}, %w: memref<60x32xf32, #pl.window> {pl.name = "w"}, %n: i32 {pl.name = "n"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %rows = arith.index_cast %n : i32 to index
  %a = pl.at "send" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %at = arith.muli %p, %c32 : index
      // expected-error @+1 {{PL114: row 64 of the window 'w' [60, 32] is written here, but the window has 60, whatever dims and scalars are}}
      pl.put %x[%c0, %c0] to %w[%at, %c0] peer %p sizes(%rows, %c32) : memref<60x32xf32>, memref<60x32xf32, #pl.window>
    }
  }
  return
}

// -----

// Right, or not decided: as many rows as are there, a dim that the other dim
// bounds, a buffer for few rows only, rows that data choose, whole tiles.
func.func @good(%x: memref<?x32xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]}, %all: memref<?x32xf32> {pl.name = "all", pl.dims = [#pl.dim<"ALL">]}, %at: memref<?xi32> {pl.name = "at", pl.dims = [#pl.dim<"ROWS">]}, %y: memref<?x32xf32> {pl.name = "y", pl.dims = [#pl.dim<"ROWS">]}, %rank: i32 {pl.name = "rank"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c11 = arith.constant 11 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  %few = pl.alloc "few"() : memref<16x32xf32>
  %up = arith.addi %n, %c11 : index
  %blocks = arith.floordivsi %up, %c12 : index
  %whole = arith.floordivsi %n, %c8 : index
  %a = pl.spmd "copy" blocks(%blocks) {
  ^bb0(%b: index):
    %first = arith.muli %b, %c12 : index
    %left = arith.subi %n, %first : index
    %rows = arith.minsi %left, %c12 : index
    %t = pl.load %x[%first, %c0] valid(%rows) : memref<?x32xf32> -> !pl.tile<12x32xf32, valid = ?x32>
    pl.store %t, %y[%first, %c0] : !pl.tile<12x32xf32, valid = ?x32>, memref<?x32xf32>
  }
  %b = pl.at "mine" {
    %r = arith.index_cast %rank : i32 to index
    %base = arith.muli %r, %n : index
    %t = pl.load %all[%base, %c0] : memref<?x32xf32> -> !pl.tile<1x32xf32>
    pl.store %t, %few[%c3, %c0] : !pl.tile<1x32xf32>, memref<16x32xf32>
  }
  %c = pl.at "rounded_down" {
    pl.for range %i = %c0 to %whole step %c1 {
      %first = arith.muli %i, %c8 : index
      %t = pl.load %x[%first, %c0] : memref<?x32xf32> -> !pl.tile<8x32xf32>
      pl.store %t, %few[%first, %c0] : !pl.tile<8x32xf32>, memref<16x32xf32>
    }
  }
  %d = pl.at "chosen" {
    %row = pl.read %at[%c0] : memref<?xi32> -> i32
    %i = arith.index_cast %row : i32 to index
    %t = pl.load %x[%i, %c0] : memref<?x32xf32> -> !pl.tile<1x32xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<1x32xf32>, memref<?x32xf32>
  }
  return
}

// -----

// A fixed number of rows of a dim, in every run; what a branch on a scalar of the
// caller may leave out.
func.func @fixed_rows(%x: memref<?x32xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]}, %one: memref<1x32xf32> {pl.name = "one"}, %rank: i32 {pl.name = "rank"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i32
  %a = pl.at "some" {
    %t = pl.load %x[%c100, %c0] : memref<?x32xf32> -> !pl.tile<8x32xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<8x32xf32>, memref<?x32xf32>
  }
  %b = pl.at "others" {
    %is = arith.cmpi ne, %rank, %zero : i32
    %r = arith.index_cast %rank : i32 to index
    scf.if %is {
      %t = pl.load %one[%r, %c0] : memref<1x32xf32> -> !pl.tile<1x32xf32>
      pl.store %t, %x[%c0, %c0] : !pl.tile<1x32xf32>, memref<?x32xf32>
    }
  }
  return
}

// Rows that no task writes or reads. Names and extents are in no example.
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-check-coverage))' -verify-diagnostics -split-input-file

// A task reads what only a part of was written.
func.func @part(%x: memref<13x24xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                %y: memref<13x24xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %mid = pl.alloc "mid"() : memref<13x24xf32>
  %a = pl.spmd "first" blocks(%c2) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c5 : index
    %t = pl.load %x[%r, %c0] : memref<13x24xf32> -> !pl.tile<5x24xf32>
    // expected-note @+1 {{'mid' is written here}}
    pl.store %t, %mid[%r, %c0] : !pl.tile<5x24xf32>, memref<13x24xf32>
  }
  %c = pl.at "second" {
    // expected-error @+1 {{PL110: rows 10..12 of 13 of 'mid' are read here, but no task up to this one writes them}}
    %t = pl.load %mid[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
  }
  return
}

// -----

// The rest in a task of its own, through a view; the padding is nobody's.
func.func @whole(%x: memref<13x24xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                 %y: memref<13x24xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %mid = pl.alloc "mid"() : memref<16x24xf32>
  %a = pl.spmd "first" blocks(%c2) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c5 : index
    %t = pl.load %x[%r, %c0] : memref<13x24xf32> -> !pl.tile<5x24xf32>
    pl.store %t, %mid[%r, %c0] : !pl.tile<5x24xf32>, memref<16x24xf32>
  }
  %rest = memref.subview %mid[10, 0] [3, 24] [1, 1] : memref<16x24xf32> to memref<3x24xf32, strided<[24, 1], offset: 240>>
  %d = pl.at "rest" {
    %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<3x24xf32>
    pl.store %t, %rest[%c0, %c0] : !pl.tile<3x24xf32>, memref<3x24xf32, strided<[24, 1], offset: 240>>
  }
  %c = pl.at "second" {
    %t = pl.load %mid[%c0, %c0] : memref<16x24xf32> -> !pl.tile<16x24xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<16x24xf32>, memref<13x24xf32>
  }
  return
}

// -----

// What is added to must have been set.
func.func @sum(%x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"N">]},
               %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %a = pl.spmd "add" blocks(%n) {
  ^bb0(%b: index):
    %t = pl.load %x[%b, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
    // expected-error @+1 {{PL110: row 0 of 1 of 'y' is added to here when N is 1, but no task up to this one sets it}}
    pl.store %t, %y[%b, %c0] atomic add : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// Rows that data choose may be any.
func.func @scatter(%x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"N">]},
                   %slots: memref<?xi64> {pl.name = "slots", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"N">]},
                   %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %a = pl.spmd "scatter" blocks(%n) {
  ^bb0(%b: index):
    %t = pl.load %x[%b, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
    %slot = pl.read %slots[%b] : memref<?xi64> -> i64
    %r = arith.index_cast %slot : i64 to index
    pl.store %t, %y[%r, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// Every third row tile of a dim is for a third block, which is not there. A
// caller may want only these rows of an output, but another task needs all.
func.func @strided(%x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"ROWS">]},
                   %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"ROWS">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c18 = arith.constant 18 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %mid = pl.alloc "mid"(%n) : memref<?x16xf32>
  %a = pl.spmd "copy" blocks(%c2) {
  ^bb0(%b: index):
    %first = arith.muli %b, %c6 : index
    pl.for range %r0 = %first to %n step %c18 {
      %left = arith.subi %n, %r0 : index
      %rows = arith.minsi %left, %c6 : index
      %t = pl.load %x[%r0, %c0] valid(%rows) : memref<?x16xf32> -> !pl.tile<6x16xf32, valid = ?x16>
      pl.store %t, %y[%r0, %c0] : !pl.tile<6x16xf32, valid = ?x16>, memref<?x16xf32>
      // expected-note @+1 {{'mid' is written here}}
      pl.store %t, %mid[%r0, %c0] : !pl.tile<6x16xf32, valid = ?x16>, memref<?x16xf32>
    }
  }
  %c = pl.spmd "use" blocks(%n) {
  ^bb0(%b: index):
    // expected-error @+1 {{PL110: rows 12..17 of 65 of 'mid' are read here when ROWS is 65, but no task up to this one writes them}}
    %t = pl.load %mid[%b, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
    pl.store %t, %y[%b, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// Seven columns at a time, and a guard for rows of three: a floor of 21 rows.
func.func @rounded_down(
    // expected-error @+1 {{PL110: row 0 of 1 of 'x' is read by no task when N is 1; none is missing when it is a multiple of 21, so a number of blocks or steps is rounded down}}
    %x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"N">]},
    %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<inout>, pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c21 = arith.constant 21 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  // expected-note @+1 {{it is rounded down here; round it up, (N + 20) // 21, and clamp the last tile, pl.min(21, N - first row)}}
  %blocks = arith.floordivsi %n, %c21 : index
  %a = pl.spmd "move" blocks(%blocks) {
  ^bb0(%b: index):
    %first = arith.muli %b, %c21 : index
    %last = arith.addi %first, %c21 : index
    pl.for range %r0 = %first to %last step %c3 {
      %left = arith.subi %n, %r0 : index
      // expected-note @+1 {{N may be no multiple of 21: here a part of a tile of 3 is taken care of}}
      %rows = arith.minsi %left, %c3 : index
      // expected-note @+1 {{'x' is read here}}
      %t = pl.load %x[%r0, %c0] valid(%rows) : memref<?x16xf32> -> !pl.tile<3x16xf32, valid = ?x16>
      pl.store %t, %y[%r0, %c0] : !pl.tile<3x16xf32, valid = ?x16>, memref<?x16xf32>
    }
  }
  return
}

// -----

// What lies beyond the valid rows is thrown away.
func.func @narrowed(%x: memref<16x24xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
                    %y: memref<16x24xf32> {pl.name = "y", pl.direction = #pl.direction<inout>})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %mid = pl.alloc "mid"() : memref<16x24xf32>
  %a = pl.at "first" {
    %t = pl.load %x[%c0, %c0] : memref<16x24xf32> -> !pl.tile<13x24xf32>
    pl.store %t, %mid[%c0, %c0] : !pl.tile<13x24xf32>, memref<16x24xf32>
  }
  %b = pl.at "second" {
    %t = pl.load %mid[%c0, %c0] : memref<16x24xf32> -> !pl.tile<16x24xf32>
    %u = pl.neg %t : !pl.tile<16x24xf32> -> !pl.tile<16x24xf32>
    %v = pl.set_valid %u valid(%c13) : !pl.tile<16x24xf32> -> !pl.tile<16x24xf32, valid = ?x24>
    pl.store %v, %y[%c0, %c0] : !pl.tile<16x24xf32, valid = ?x24>, memref<16x24xf32>
  }
  return
}

// -----

// A dim that is always longer by one, and tiles of tiles: nothing rounds down
// beside a guard.
func.func @fine(%off: memref<?xi32> {pl.name = "off", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"E">]},
                %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<inout>, pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %e = memref.dim %off, %c0 : memref<?xi32>
  %n = memref.dim %y, %c0 : memref<?x16xf32>
  %mid = pl.alloc "mid"(%e) : memref<?x16xf32>
  %groups = arith.subi %e, %c1 : index
  %a = pl.spmd "fill" blocks(%groups) {
  ^bb0(%b: index):
    %t = pl.load %y[%c0, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
    pl.store %t, %mid[%b, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  %c = pl.spmd "use" blocks(%groups) {
  ^bb0(%b: index):
    %t = pl.load %mid[%c0, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  %long = pl.alloc "long"(%n) : memref<?x16xf32>
  %eights = arith.floordivsi %n, %c8 : index
  %quads = arith.floordivsi %eights, %c4 : index
  %d = pl.spmd "quads" blocks(%quads) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c32 : index
    %t = pl.load %y[%r, %c0] : memref<?x16xf32> -> !pl.tile<32x16xf32>
    pl.store %t, %long[%r, %c0] : !pl.tile<32x16xf32>, memref<?x16xf32>
  }
  %f = pl.spmd "eights" blocks(%eights) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c8 : index
    %t = pl.load %long[%r, %c0] : memref<?x16xf32> -> !pl.tile<8x16xf32>
    pl.store %t, %y[%r, %c0] : !pl.tile<8x16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// A dim that is a part of one tile or whole tiles: the guard is for the former.
func.func @at_least_a_tile(%x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"N">]},
                           %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<inout>, pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %padded = arith.maxsi %n, %c16 : index
  %blocks = arith.floordivsi %padded, %c16 : index
  %a = pl.spmd "move" blocks(%blocks) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c16 : index
    %left = arith.subi %n, %r : index
    %rows = arith.minsi %left, %c16 : index
    %t = pl.load %x[%r, %c0] valid(%rows) : memref<?x16xf32> -> !pl.tile<16x16xf32, valid = ?x16>
    pl.store %t, %y[%r, %c0] : !pl.tile<16x16xf32, valid = ?x16>, memref<?x16xf32>
  }
  return
}

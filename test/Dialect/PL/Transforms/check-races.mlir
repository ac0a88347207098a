// What runs side by side on the same elements. Names and extents are in no example.
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-dissolve-scopes,pl-derive-dependencies,pl-check-races))' -verify-diagnostics -split-input-file

// Blocks five rows apart that write seven.
func.func @overlap(%x: memref<21x24xf32> {pl.name = "x"},
                   %y: memref<21x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %a = pl.spmd "zip" blocks(%c3) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c5 : index
    %t = pl.load %x[%r, %c0] : memref<21x24xf32> -> !pl.tile<7x24xf32>
    // expected-error @+1 {{PL112: blocks 0 and 1 of 'zip' both write rows 5..6 of 'y', but blocks run side by side: give each its own part, or make two tasks}}
    pl.store %t, %y[%r, %c0] : !pl.tile<7x24xf32>, memref<21x24xf32>
  }
  return
}

// -----

// Columns of their own in the same rows, and atomic adds to the same elements.
func.func @apart(%x: memref<7x48xf32> {pl.name = "x"},
                 %y: memref<7x48xf32> {pl.name = "y"},
                 %sum: memref<7x16xf32> {pl.name = "sum"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %a = pl.spmd "zip" blocks(%c3) {
  ^bb0(%unused: index):
    %b = pl.block_idx
    %c = arith.muli %b, %c16 : index
    %t = pl.load %x[%c0, %c] : memref<7x48xf32> -> !pl.tile<7x16xf32>
    pl.store %t, %y[%c0, %c] : !pl.tile<7x16xf32>, memref<7x48xf32>
    pl.store %t, %sum[%c0, %c0] atomic add : !pl.tile<7x16xf32>, memref<7x16xf32>
  }
  return
}

// -----

// A block reads the last row of the one before, which writes it.
func.func @halo(%y: memref<18x16xf32> {pl.name = "grid"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %a = pl.spmd "smooth" blocks(%c3) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c6 : index
    %isInner = arith.cmpi sgt, %b, %c0 : index
    scf.if %isInner {
      %before = arith.subi %r, %c1 : index
      // expected-error @+1 {{PL112: block 1 of 'smooth' reads row 5 of 'grid' and block 0 writes it, but blocks run side by side: give each its own part, or make two tasks}}
      %h = pl.load %y[%before, %c0] : memref<18x16xf32> -> !pl.tile<1x16xf32>
      pl.store %h, %y[%r, %c0] : !pl.tile<1x16xf32>, memref<18x16xf32>
    }
    %t = pl.load %y[%r, %c0] : memref<18x16xf32> -> !pl.tile<6x16xf32>
    // expected-note @+1 {{block 0 writes it here}}
    pl.store %t, %y[%r, %c0] : !pl.tile<6x16xf32>, memref<18x16xf32>
  }
  return
}

// -----

// A dim decides how many blocks there are; all leave their rows at the start.
// With valid extents through arithmetic and a loop.
func.func @scratch(%x: memref<?x16xf32> {pl.name = "x", pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %blocks = arith.ceildivsi %n, %c11 : index
  %tmp = pl.alloc "stage"() : memref<11x16xf32>
  %a = pl.spmd "stage_in" blocks(%blocks) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c11 : index
    %empty = pl.empty : !pl.tile<11x16xf32>
    %start = pl.set_valid %empty valid(%c11) : !pl.tile<11x16xf32> -> !pl.tile<11x16xf32, valid = ?x16>
    %sum = pl.for range %i = %c0 to %c4 step %c1 iter(%carried = %start : !pl.tile<11x16xf32, valid = ?x16>) {
      %left = arith.subi %n, %r : index
      %rows = arith.minsi %left, %c11 : index
      %t = pl.load %x[%r, %c0] valid(%rows) : memref<?x16xf32> -> !pl.tile<11x16xf32, valid = ?x16>
      %twice = pl.add %t, %t : !pl.tile<11x16xf32, valid = ?x16>, !pl.tile<11x16xf32, valid = ?x16> -> !pl.tile<11x16xf32, valid = ?x16>
      pl.yield %twice : !pl.tile<11x16xf32, valid = ?x16>
    }
    // expected-error @+1 {{PL112: blocks 0 and 1 of 'stage_in' both write row 0 of 'stage' when N is 12, but blocks run side by side}}
    pl.store %sum, %tmp[%c0, %c0] : !pl.tile<11x16xf32, valid = ?x16>, memref<11x16xf32>
  }
  return
}

// -----

// Tiles of which only a part is valid do not meet, although their boxes do.
func.func @valid(%x: memref<?x16xf32> {pl.name = "x", pl.dims = [#pl.dim<"N">]},
                 %y: memref<?x16xf32> {pl.name = "y", pl.dims = [#pl.dim<"N">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %blocks = arith.ceildivsi %n, %c5 : index
  %a = pl.spmd "zip" blocks(%blocks) {
  ^bb0(%b: index):
    %r = arith.muli %b, %c5 : index
    %left = arith.subi %n, %r : index
    %rows = arith.minsi %left, %c5 : index
    %t = pl.load %x[%r, %c0] valid(%rows) : memref<?x16xf32> -> !pl.tile<8x16xf32, valid = ?x16>
    pl.store %t, %y[%r, %c0] : !pl.tile<8x16xf32, valid = ?x16>, memref<?x16xf32>
  }
  return
}

// -----

// Undecided: rows that data choose, blocks that data skip, pitches of the caller
// and of a dim, and a last tile that is moved up where the dim is no multiple.
func.func @undecided(%x: memref<?x16xf32> {pl.name = "x", pl.dims = [#pl.dim<"N">]},
                     %slots: memref<?xi64> {pl.name = "slots", pl.dims = [#pl.dim<"N">]},
                     %wide: memref<?x16xf32> {pl.name = "wide", pl.dims = [#pl.dim<"M">]},
                     %y: memref<512x16xf32> {pl.name = "y"},
                     %z: memref<512x16xf32> {pl.name = "z"},
                     %u: memref<1x16xf32> {pl.name = "u"},
                     %v: memref<9000x16xf32> {pl.name = "v"},
                     %w: memref<9000x16xf32> {pl.name = "w"},
                     %pitch: index {pl.name = "pitch"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %m = memref.dim %wide, %c0 : memref<?x16xf32>
  %blocks = arith.ceildivsi %n, %c6 : index
  %a = pl.spmd "many" blocks(%blocks) {
  ^bb0(%b: index):
    %full = arith.muli %b, %c6 : index
    %most = arith.subi %n, %c6 : index
    %moved = arith.minsi %full, %most : index
    %first = arith.maxsi %moved, %c0 : index
    %t = pl.load %x[%first, %c0] : memref<?x16xf32> -> !pl.tile<6x16xf32>
    pl.store %t, %z[%first, %c0] : !pl.tile<6x16xf32>, memref<512x16xf32>
    %slot = pl.read %slots[%b] : memref<?xi64> -> i64
    %r = arith.index_cast %slot : i64 to index
    pl.store %t, %y[%r, %c0] : !pl.tile<6x16xf32>, memref<512x16xf32>
    %isOne = arith.cmpi eq, %r, %c6 : index
    scf.if %isOne {
      %one = pl.load %x[%b, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      pl.store %one, %u[%c0, %c0] : !pl.tile<1x16xf32>, memref<1x16xf32>
    }
    %p = arith.muli %b, %pitch : index
    pl.store %t, %v[%p, %c0] : !pl.tile<6x16xf32>, memref<9000x16xf32>
    %q = arith.muli %b, %m : index
    pl.store %t, %w[%q, %c0] : !pl.tile<6x16xf32>, memref<9000x16xf32>
  }
  return
}

// -----

// Nobody derives edges in a manual scope: the second task may be first.
func.func @manual(%x: memref<13x24xf32> {pl.name = "x"},
                  %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %mid = pl.alloc "mid"() : memref<13x24xf32>
  pl.scope manual {
    %a = pl.at "fill" {
      %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<9x24xf32>
      // expected-note @+1 {{task 'fill' writes them here}}
      pl.store %t, %mid[%c4, %c0] : !pl.tile<9x24xf32>, memref<13x24xf32>
    }
    // expected-note @+1 {{no path of edges leads to this task from 'fill'; in a manual scope none is derived}}
    %b = pl.at "drain" {
      // expected-error @+1 {{PL112: task 'drain' reads rows 4..5 of 'mid' and task 'fill' writes them, but nothing orders the two: name the task of 'fill' in deps= of 'drain'}}
      %t = pl.load %mid[%c0, %c0] : memref<13x24xf32> -> !pl.tile<6x24xf32>
      pl.store %t, %y[%c0, %c0] : !pl.tile<6x24xf32>, memref<13x24xf32>
    }
  }
  return
}

// -----

// A buffer is used again while it is still read. An edge to the task before
// would order both, so one report is enough.
func.func @again(%x: memref<13x24xf32> {pl.name = "x"},
                 %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %mid = pl.alloc "mid"() : memref<13x24xf32>
  pl.scope manual {
    %a = pl.at "fill" {
      %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
      pl.store %t, %mid[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
    }
    %b = pl.at "drain" deps(%a : [#pl.edge<user>]) {
      // expected-error @+1 {{PL112: task 'drain' reads rows 0..12 of 'mid' and task 'refill' writes them, but nothing orders the two: name the task of 'drain' in deps= of 'refill'}}
      %t = pl.load %mid[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
      pl.store %t, %y[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
    }
    // expected-note @+1 {{no path of edges leads to this task from 'drain'}}
    %c = pl.at "refill" {
      %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
      // expected-note @+1 {{task 'refill' writes them here}}
      pl.store %t, %mid[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
    }
  }
  return
}

// -----

// The zeros of a sum come at any time.
func.func @zero(%x: memref<?x16xf32> {pl.name = "x", pl.dims = [#pl.dim<"ROWS">]},
                %y: memref<?x16xf32> {pl.name = "y", pl.dims = [#pl.dim<"ROWS">]})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %a = pl.spmd "clear" blocks(%n) {
  ^bb0(%b: index):
    %t = pl.full %zero : f32 -> !pl.tile<1x16xf32>
    // expected-note @+1 {{task 'clear' sets it here}}
    pl.store %t, %y[%b, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
  }
  pl.scope manual {
    // expected-note @+1 {{no path of edges leads to this task from 'clear'}}
    %c = pl.spmd "collect" blocks(%n) {
    ^bb0(%b: index):
      %t = pl.load %x[%b, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      // expected-error @+1 {{PL112: task 'collect' adds to row 0 of 'y' and task 'clear' sets it, but nothing orders the two: name the task of 'clear' in deps= of 'collect'}}
      pl.store %t, %y[%b, %c0] atomic add : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

// -----

// Right: edges along a path with a dummy task, rows of their own, and a task
// after the scope.
func.func @ordered(%x: memref<13x24xf32> {pl.name = "x"},
                   %y: memref<13x24xf32> {pl.name = "y"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %mid = pl.alloc "mid"() : memref<13x24xf32>
  pl.scope manual {
    %a = pl.at "low" {
      %t = pl.load %x[%c0, %c0] : memref<13x24xf32> -> !pl.tile<7x24xf32>
      pl.store %t, %mid[%c0, %c0] : !pl.tile<7x24xf32>, memref<13x24xf32>
    }
    %b = pl.at "high" {
      %t = pl.load %x[%c7, %c0] : memref<13x24xf32> -> !pl.tile<6x24xf32>
      pl.store %t, %mid[%c7, %c0] : !pl.tile<6x24xf32>, memref<13x24xf32>
    }
    %j = pl.dummy "both" deps(%a, %b : [#pl.edge<user>, #pl.edge<user>])
    %c = pl.at "drain" deps(%j : [#pl.edge<user>]) {
      %t = pl.load %mid[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
      pl.store %t, %y[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
    }
  }
  %d = pl.at "after" {
    %t = pl.load %y[%c0, %c0] : memref<13x24xf32> -> !pl.tile<13x24xf32>
    pl.store %t, %mid[%c0, %c0] : !pl.tile<13x24xf32>, memref<13x24xf32>
  }
  return
}

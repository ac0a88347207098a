// RUN: pl-opt --pl-check-launches -split-input-file -verify-diagnostics %s

// Numbers for a dim of the program, where other dims come with the tensors.
module attributes {pl.phase = "pl"} {
// expected-note @+1 {{axis 0 of 'pool' of 'move' is declared here}}
func.func @move(%rows: memref<?x64xf32> {pl.name = "rows", pl.dims = [#pl.dim<"N">]}, %pool: memref<?x8x64xf32> {pl.name = "pool", pl.dims = [#pl.dim<"PAGES">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
// expected-warning @+1 {{PL113: axis 1 of 'pool' is always 24 here, but 'move' leaves it open as its dim 'PAGES': tensors of any other size are refused, and the dim is bound to no extent of a run; write the dim instead of 24, or the number in the program if there is no other}}
func.func @host(%rows: memref<2x?x64xf32> {pl.name = "rows", pl.dims = [#pl.dim<"N">]}, %pool: memref<2x24x8x64xf32> {pl.name = "pool"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %rows, %c1 : memref<2x?x64xf32>
  %w64 = pl.world_size
  %w = arith.index_cast %w64 : i64 to index
  pl.for range %r = %c0 to %w step %c1 {
    %row = memref.subview %rows[%r, 0, 0] [1, %n, 64] [1, 1, 1] : memref<2x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %page = memref.subview %pool[%r, 0, 0, 0] [1, 24, 8, 64] [1, 1, 1, 1] : memref<2x24x8x64xf32> to memref<24x8x64xf32, strided<[512, 64, 1], offset: ?>>
    pl.dispatch @move(%row, %page : memref<?x64xf32, strided<[64, 1], offset: ?>>, memref<24x8x64xf32, strided<[512, 64, 1], offset: ?>>) device(%r)
  }
  return
}
}

// -----

// The same dim from a tensor of the run: no other size can ever be launched.
module attributes {pl.phase = "pl"} {
// expected-note @+1 {{axis 0 of 'out' of 'move' is declared here}}
func.func @move(%rows: memref<?x64xf32> {pl.name = "rows", pl.dims = [#pl.dim<"N">]}, %out: memref<?x64xf32> {pl.name = "out", pl.dims = [#pl.dim<"N">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
// expected-error @+2 {{PL113: axis 0 of 'out' is always 7 here, but 'move' leaves it open as its dim 'N', which axis 0 of 'rows' gives another value whenever it is not 7; write the dim instead of 7}}
// expected-note @+1 {{'rows' is declared here}}
func.func @host(%rows: memref<?x64xf32> {pl.name = "rows", pl.dims = [#pl.dim<"N">]}, %out: memref<7x64xf32> {pl.name = "out"}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @move(%rows, %out : memref<?x64xf32>, memref<7x64xf32>)
  return
}
}

// -----

// Two names for one dim; then one name for two.
module attributes {pl.phase = "pl"} {
// expected-note @+1 {{axis 0 of 'a' of 'both' is declared here}}
func.func @both(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"N">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
// expected-warning @+2 {{PL113: axis 0 of 'a' is 'L' and axis 0 of 'b' is 'N', but 'both' has one dim 'N' for both: tensors in which they differ are refused only when they come; write one dim for both}}
// expected-note @+1 {{'b' is declared here}}
func.func @two(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"L">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"N">]}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @both(%a, %b : memref<?x64xf32>, memref<?x64xf32>)
  return
}
// expected-note @+1 {{axis 0 of 'b' of 'each' is declared here}}
func.func @each(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"PAGES">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
// expected-warning @+2 {{PL113: axis 0 of 'b' is 'N' here, as axis 0 of 'a' is, but 'each' has a dim of its own for it, 'PAGES': tensors in which the two differ are refused; write 'PAGES'}}
// expected-note @+1 {{'a' is declared here}}
func.func @one(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"N">]}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @each(%a, %b : memref<?x64xf32>, memref<?x64xf32>)
  return
}
}

// -----

// Nothing to say: dims bound under other names, numbers everywhere, a part that
// the host program chooses, a window.
module attributes {pl.phase = "pl"} {
func.func @each(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"PAGES">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
func.func @renamed(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"LEFT">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"RIGHT">]}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @each(%a, %b : memref<?x64xf32>, memref<?x64xf32>)
  return
}
func.func @numbers(%a: memref<5x64xf32> {pl.name = "a"}, %b: memref<6x64xf32> {pl.name = "b"}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @each(%a, %b : memref<5x64xf32>, memref<6x64xf32>)
  return
}
func.func @part(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32> {pl.name = "b", pl.dims = [#pl.dim<"M">]}) attributes {pl.kind = #pl.func_kind<host>} {
  %part = memref.subview %b[0, 0] [6, 64] [1, 1] : memref<?x64xf32> to memref<6x64xf32, strided<[64, 1]>>
  pl.dispatch @each(%a, %part : memref<?x64xf32>, memref<6x64xf32, strided<[64, 1]>>)
  return
}
func.func @windows(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}, %b: memref<?x64xf32, #pl.window> {pl.name = "b", pl.dims = [#pl.dim<"PAGES">]}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
func.func @made(%a: memref<?x64xf32> {pl.name = "a", pl.dims = [#pl.dim<"N">]}) attributes {pl.kind = #pl.func_kind<host>} {
  %buf = pl.alloc_window "buf" : memref<1536xi8, #pl.window>
  %b = pl.window %buf : memref<1536xi8, #pl.window> to memref<6x64xf32, #pl.window>
  pl.dispatch @windows(%a, %b : memref<?x64xf32>, memref<6x64xf32, #pl.window>)
  return
}
}

// -----

// One tensor, or one part of it, for two parameters.
module attributes {pl.phase = "pl"} {
// expected-note @+2 {{'a' is declared here}}
// expected-note @+1 {{'b' is declared here}}
func.func @shift(%a: memref<6x64xf32> {pl.name = "a", pl.direction = #pl.direction<in>}, %b: memref<6x64xf32> {pl.name = "b", pl.direction = #pl.direction<out>}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
func.func @twice(%x: memref<6x64xf32> {pl.name = "x"}) attributes {pl.kind = #pl.func_kind<host>} {
  // expected-error @+1 {{PL117: 'a' and 'b' of 'shift' are given the same tensor, and 'b' is written: tasks on two parameters are not ordered; give it once, or a copy of it}}
  pl.dispatch @shift(%x, %x : memref<6x64xf32>, memref<6x64xf32>)
  return
}
func.func @parts(%x: memref<2x6x64xf32> {pl.name = "x"}) attributes {pl.kind = #pl.func_kind<host>} {
  %p = memref.subview %x[0, 0, 0] [1, 6, 64] [1, 1, 1] : memref<2x6x64xf32> to memref<6x64xf32, strided<[64, 1]>>
  %q = memref.subview %x[0, 0, 0] [1, 6, 64] [1, 1, 1] : memref<2x6x64xf32> to memref<6x64xf32, strided<[64, 1]>>
  %r = memref.subview %x[1, 0, 0] [1, 6, 64] [1, 1, 1] : memref<2x6x64xf32> to memref<6x64xf32, strided<[64, 1], offset: 384>>
  pl.dispatch @shift(%p, %r : memref<6x64xf32, strided<[64, 1]>>, memref<6x64xf32, strided<[64, 1], offset: 384>>)
  // expected-error @+1 {{PL117: 'a' and 'b' of 'shift' are given the same tensor}}
  pl.dispatch @shift(%p, %q : memref<6x64xf32, strided<[64, 1]>>, memref<6x64xf32, strided<[64, 1]>>)
  return
}
func.func @cells(%c: memref<3x1xi32, #pl.window> {pl.name = "c", pl.direction = #pl.direction<inout>}, %d: memref<3x1xi32, #pl.window> {pl.name = "d", pl.direction = #pl.direction<in>}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
func.func @windows() attributes {pl.kind = #pl.func_kind<host>} {
  %buf = pl.alloc_window "buf" : memref<12xi8, #pl.window>
  %c = pl.window %buf : memref<12xi8, #pl.window> to memref<3x1xi32, #pl.window>
  %d = pl.window %buf : memref<12xi8, #pl.window> to memref<3x1xi32, #pl.window>
  // A signal may have two names.
  pl.dispatch @cells(%c, %d : memref<3x1xi32, #pl.window>, memref<3x1xi32, #pl.window>)
  return
}
// Reading one tensor by two names is no mistake.
func.func @sum(%a: memref<6x64xf32> {pl.name = "a", pl.direction = #pl.direction<in>}, %b: memref<6x64xf32> {pl.name = "b", pl.direction = #pl.direction<in>}) attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}
func.func @double(%x: memref<6x64xf32> {pl.name = "x"}) attributes {pl.kind = #pl.func_kind<host>} {
  pl.dispatch @sum(%x, %x : memref<6x64xf32>, memref<6x64xf32>)
  return
}
}

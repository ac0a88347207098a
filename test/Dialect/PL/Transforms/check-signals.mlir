// RUN: pl-opt %s -pl-check-signals -split-input-file -verify-diagnostics

// Three ranks, four blocks each: one cell for each sender gets 4, and so much is
// waited for in it.
func.func @host(%y: memref<3x8xf32> {pl.name = "y"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = pl.alloc_window "told" : memref<96xi8, #pl.window>
  pl.for range %r = %c0 to %c3 step %c1 {
    %w = pl.window %b : memref<96xi8, #pl.window> to memref<3x8xi32, #pl.window>
    %id = arith.index_cast %r : index to i32
    pl.dispatch @good(%w, %id : memref<3x8xi32, #pl.window>, i32) device(%r)
    pl.yield
  }
  return
}
func.func private @good(%told: memref<3x8xi32, #pl.window> {pl.name = "told"}, %me: i32)
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %i = arith.index_cast %me : i32 to index
  %a = pl.spmd "tell" blocks(%c4) {
  ^bb0(%block: index):
    pl.for range %peer = %c0 to %c3 step %c1 {
      pl.notify add %one, %told[%i, %c0] peer %peer : memref<3x8xi32, #pl.window>
      pl.yield
    }
  }
  %d = pl.at "take" {
    pl.for range %source = %c0 to %c3 step %c1 {
      pl.wait ge %four, %told[%source, %c0] : memref<3x8xi32, #pl.window>
      pl.yield
    }
  }
  return
}

// -----

// Offsets that a counter of the block and one of the turn make together tell one
// of the two apart, not both.
func.func @host(%y: memref<2x8xf32> {pl.name = "y"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = pl.alloc_window "told" : memref<64xi8, #pl.window>
  pl.for range %r = %c0 to %c2 step %c1 {
    %w = pl.window %b : memref<64xi8, #pl.window> to memref<16xi32, #pl.window>
    pl.dispatch @sums(%w : memref<16xi32, #pl.window>) device(%r)
    pl.yield
  }
  return
}
func.func private @sums(%told: memref<16xi32, #pl.window> {pl.name = "told"})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2 : i32
  %twelve = arith.constant 12 : i32
  %thirteen = arith.constant 13 : i32
  %a = pl.spmd "tell" blocks(%c4) {
  ^bb0(%block: index):
    pl.for range %turn = %c0 to %c3 step %c1 {
      %cell = arith.addi %block, %turn : index
      // expected-note @+1 {{at most 12 from here}}
      pl.notify add %two, %told[%cell] peer %c1 : memref<16xi32, #pl.window>
      pl.yield
    }
  }
  %d = pl.at "take" {
    %me = pl.rank %told : memref<16xi32, #pl.window>
    %first = arith.constant 1 : i32
    %is = arith.cmpi eq, %me, %first : i32
    scf.if %is {
      pl.wait ge %twelve, %told[%c1] : memref<16xi32, #pl.window>
      // expected-error @+1 {{PL111: waits for 13, but at most 12 arrive in this cell of 'told'}}
      pl.wait ge %thirteen, %told[%c1] : memref<16xi32, #pl.window>
    }
  }
  return
}

// -----

// Undecided: the number of blocks, something else that writes cells, two views.
func.func @host(%y: memref<2x8xf32> {pl.name = "y"}, %n: index) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = pl.alloc_window "blocks" : memref<64xi8, #pl.window>
  %e = pl.alloc_window "written" : memref<64xi8, #pl.window>
  %f = pl.alloc_window "views" : memref<64xi8, #pl.window>
  pl.for range %r = %c0 to %c2 step %c1 {
    %u = pl.window %b : memref<64xi8, #pl.window> to memref<16xi32, #pl.window>
    %v = pl.window %e : memref<64xi8, #pl.window> to memref<16xi32, #pl.window>
    %w = pl.window %f : memref<64xi8, #pl.window> to memref<16xi32, #pl.window>
    %x = pl.window %f : memref<64xi8, #pl.window> to memref<4x4xi32, #pl.window>
    pl.dispatch @open(%u, %v, %w, %x, %n : memref<16xi32, #pl.window>, memref<16xi32, #pl.window>, memref<16xi32, #pl.window>, memref<4x4xi32, #pl.window>, index) device(%r)
    pl.yield
  }
  return
}
func.func private @open(%blocks: memref<16xi32, #pl.window>, %written: memref<16xi32, #pl.window>,
                        %flat: memref<16xi32, #pl.window>, %square: memref<4x4xi32, #pl.window>, %n: index)
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  %a = pl.spmd "tell" blocks(%n) {
  ^bb0(%block: index):
    pl.notify add %one, %blocks[%c0] peer %c0 : memref<16xi32, #pl.window>
    pl.write %nine, %written[%c0] : i32, memref<16xi32, #pl.window>
    pl.notify add %nine, %square[%c0, %c0] peer %c0 : memref<4x4xi32, #pl.window>
  }
  %d = pl.at "take" {
    pl.wait ge %nine, %blocks[%c0] : memref<16xi32, #pl.window>
    pl.wait ge %nine, %written[%c0] : memref<16xi32, #pl.window>
    pl.wait ge %nine, %flat[%c0] : memref<16xi32, #pl.window>
  }
  return
}

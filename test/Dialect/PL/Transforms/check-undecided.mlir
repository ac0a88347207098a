// What the checks of ranks leave to the simulator is a remark, if asked for; check-signals.mlir and check-signal-order.mlir
// have the same programs without.
// RUN: pl-opt %s -pass-pipeline='builtin.module(pl-check-signals{remarks=true},pl-check-signal-order{remarks=true},pl-check-windows{remarks=true})' -split-input-file -verify-diagnostics

// The number of blocks, something else that writes cells, two views.
// expected-remark @+2 {{PL097: not decided: whether every wait gets its credits in some order: a launch depends on data}}
// expected-remark @+1 {{PL097: not decided: whether what ranks read of windows and of each other is written: a launch depends on data, or a window has two shapes}}
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
    // expected-remark @+1 {{PL097: not decided: whether as many arrive as this waits for: the run decides who tells it, or something else writes its cells;}}
    pl.wait ge %nine, %blocks[%c0] : memref<16xi32, #pl.window>
    // expected-remark @+1 {{PL097: not decided: whether as many arrive as this waits for: the run decides who tells it, or something else writes its cells;}}
    pl.wait ge %nine, %written[%c0] : memref<16xi32, #pl.window>
    // expected-remark @+1 {{PL097: not decided: whether as many arrive as this waits for: the signal has views of two shapes; 'plc run' decides it for the sizes and data of one run}}
    pl.wait ge %nine, %flat[%c0] : memref<16xi32, #pl.window>
  }
  return
}

// -----

// Data say how much is told.
func.func @host(%y: memref<2x8xf32> {pl.name = "y"}) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = pl.alloc_window "told" : memref<64xi8, #pl.window>
  pl.for range %r = %c0 to %c2 step %c1 {
    %w = pl.window %b : memref<64xi8, #pl.window> to memref<16xi32, #pl.window>
    %id = arith.index_cast %r : index to i32
    pl.dispatch @chip(%w, %id : memref<16xi32, #pl.window>, i32) device(%r)
    pl.yield
  }
  return
}
// expected-remark @+1 {{PL097: not decided: whether every wait gets its credits in some order: data decide who tells whom}}
func.func private @chip(%told: memref<16xi32, #pl.window> {pl.name = "told"}, %me: i32)
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  %minus2 = arith.constant -2 : i32
  %self = arith.index_cast %me : i32 to index
  %peer = arith.subi %c1, %self : index
  %a = pl.at "take" {
    // expected-remark @+1 {{PL097: not decided: whether as many arrive as this waits for: the run decides who tells it, or something else writes its cells;}}
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    %much = pl.read %told[%c4] : memref<16xi32, #pl.window> -> i32
    pl.notify add %much, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

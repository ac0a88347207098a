// RUN: pl-opt %s -pl-check-signal-order -split-input-file -verify-diagnostics

// Told, awaited, and taken off after the last wait.
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
  %a = pl.at "meet" {
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    pl.wait ge %two, %told[%c0] : memref<16xi32, #pl.window>
    pl.notify add %minus2, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  return
}

// -----

// A cell that is set by this rank and added to by blocks of the other one.
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
  %a = pl.at "clear" {
    // expected-error @+1 {{PL116: 'told'[0] on rank 0 is set here, and nothing orders that and what rank 1 adds to it: what was added before is lost; add, and take off what was seen}}
    pl.notify set %zero, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  %d = pl.spmd "tell" blocks(%c4) deps(%a : [#pl.edge<user>]) {
  ^bb0(%block: index):
    // expected-note @+1 {{it is added to here, on rank 1}}
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

// -----

// Told that the cell is set: what is added comes after it.
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
  %a = pl.at "clear" {
    pl.notify set %zero, %told[%c0] peer %self : memref<16xi32, #pl.window>
    pl.notify add %one, %told[%c1] peer %peer : memref<16xi32, #pl.window>
    pl.wait ge %one, %told[%c1] : memref<16xi32, #pl.window>
  }
  %d = pl.at "tell" deps(%a : [#pl.edge<user>]) {
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

// -----

// An edge orders what a rank does to its own cell.
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
  %a = pl.at "clear" {
    pl.write %zero, %told[%c0] : i32, memref<16xi32, #pl.window>
  }
  %d = pl.at "tell" deps(%a : [#pl.edge<user>]) {
    pl.notify add %one, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  return
}

// -----

// Without the edge.
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
  %a = pl.at "clear" {
    // expected-error @+1 {{PL116: 'told'[0] on rank 0 is set here, and nothing orders that and what rank 0 adds to it}}
    pl.write %zero, %told[%c0] : i32, memref<16xi32, #pl.window>
  }
  %d = pl.at "tell" {
    // expected-note @+1 {{it is added to here, on rank 0}}
    pl.notify add %one, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  return
}

// -----

// The second wait counts what was taken off before it.
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
  %a = pl.at "meet" {
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    // expected-note @+1 {{it is taken off here, on rank 0}}
    pl.notify add %minus, %told[%c0] peer %self : memref<16xi32, #pl.window>
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  %d = pl.at "again" deps(%a : [#pl.edge<user>]) {
    // expected-error @+1 {{PL116: waits for 2 in 'told'[0], but of what was sent 1 is taken off before, and 1 is left: take off after the last wait that counts it, or wait for what is left}}
    pl.defer_wait %told[%c0] reaches %two : memref<16xi32, #pl.window>
  }
  return
}

// -----

// A set erases what the wait before it has seen.
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
  %a = pl.at "meet" {
    pl.notify set %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    // expected-note @+1 {{it is set to 0 here, on rank 0}}
    pl.notify set %zero, %told[%c0] peer %self : memref<16xi32, #pl.window>
    // expected-error @+1 {{PL116: waits for 1 in 'told'[0], but of what was sent 1 is taken off before, and 0 are left}}
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
  }
  return
}

// -----

// No edge orders the wait and what takes off.
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
  %a = pl.at "tell" {
    pl.notify add %one, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  %d = pl.at "take" deps(%a : [#pl.edge<user>]) {
    // expected-error @+1 {{PL116: waits for 1 in 'told'[0], but nothing orders it and what takes off 1, after which 0 are left: let the task that takes off come after this wait}}
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
  }
  %e = pl.at "retire" deps(%a : [#pl.edge<user>]) {
    // expected-note @+1 {{it is taken off here, on rank 0}}
    pl.notify add %minus, %told[%c0] peer %self : memref<16xi32, #pl.window>
  }
  return
}

// -----

// The other rank takes off once it has been told that this one has seen it.
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
  %a = pl.at "tell" {
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  %d = pl.at "take" deps(%a : [#pl.edge<user>]) {
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    pl.notify add %one, %told[%c1] peer %peer : memref<16xi32, #pl.window>
  }
  %e = pl.at "retire" deps(%a : [#pl.edge<user>]) {
    pl.wait ge %one, %told[%c1] : memref<16xi32, #pl.window>
    pl.notify add %minus, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

// -----

// Both ranks wait before they tell.
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
    // expected-error @+2 {{PL116: rank 0 waits here for what rank 1 sends only after a wait of its own, and so on in a circle: none of them goes on; one has to send before it waits}}
    // expected-note @+1 {{before that, rank 1 waits here for 'told'[0]}}
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
  }
  %d = pl.at "tell" deps(%a : [#pl.edge<user>]) {
    // expected-note @+2 {{rank 1 sends it to 'told'[0] here}}
    // expected-note @+1 {{rank 0 sends it to 'told'[0] here}}
    pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

// -----

// One of them tells first.
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
  %first = arith.cmpi eq, %me, %zero : i32
  %a = pl.at "take" {
    scf.if %first {
      pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    }
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    %other = arith.cmpi ne, %me, %zero : i32
    scf.if %other {
      pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    }
  }
  return
}

// -----

// Undecided: data say how much is told, and a loop around the task.
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
    pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
    %much = pl.read %told[%c4] : memref<16xi32, #pl.window> -> i32
    pl.notify add %much, %told[%c0] peer %peer : memref<16xi32, #pl.window>
  }
  return
}

// -----

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
  pl.for range %i = %c0 to %c2 step %c1 {
    %a = pl.at "take" {
      pl.wait ge %one, %told[%c0] : memref<16xi32, #pl.window>
      pl.notify add %one, %told[%c0] peer %peer : memref<16xi32, #pl.window>
    }
    pl.yield
  }
  return
}

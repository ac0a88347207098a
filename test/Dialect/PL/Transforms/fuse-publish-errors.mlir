// RUN: pl-opt %s -pl-fuse-publish="producer=make exchange=post workers=4" -split-input-file -verify-diagnostics

// Each refusal: what, why, and the line.

func.func @no_blocks(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': it has no blocks that workers could share}}
  %t = pl.at "make" {
    %i = arith.constant 3 : index
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @no_exchange(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': no task 'post' comes after it}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  return
}

// -----

func.func @blocks(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': task 'post' has blocks of its own}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  // expected-note @+1 {{this task}}
  %u = pl.spmd "post" blocks(%c2) {
  ^bb0(%j: index):
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @before(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': task 'post' does something before its puts}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{this comes first}}
    pl.notify add %one, %k[%me] peer %me : memref<3xi32, #pl.window>
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @puts_nothing(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': task 'post' puts nothing}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  // expected-note @+1 {{this task}}
  %u = pl.at "post" {
  }
  return
}

// -----

func.func @silent(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': in task 'post' nothing tells the other ranks right after the puts that their rows are there}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{put here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
  }
  return
}

// -----

func.func @two_puts(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': the puts of task 'post' are not one put alone in loops that carry nothing}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{this holds them}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
      pl.put %b[%from, %c0] to %w[%n, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @trips(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': a loop around its put has bounds that are not known before it runs, or no turn}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{here}}
    pl.for range %p = %c0 to %n step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @adds(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': its put adds to what is in the window}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) atomic add : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @part_of_rows(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': its put does not send whole rows}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c3) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @backwards(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': its put sends rows from the last to the first}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %c16 = arith.constant 16 : index
      %q = arith.muli %p, %c8 : index
      %from = arith.subi %c16, %q : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @any_start(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': the first row that its put sends is no sum of counters with constant factors}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %n : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @rows_differ(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': how many rows its put sends differs from turn to turn, or comes from memory}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%p, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @leaves(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': its put sends nothing, or leaves its tensor}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c12 : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @twice(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': two turns of its put may send one row: they are 3 rows apart, and one sends up to 18}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c3 : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @from_memory(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %at: memref<3xindex>, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': the puts of task 'post' are not one put alone in loops that carry nothing}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{this holds them}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      %to = memref.load %at[%p] : memref<3xindex>
      pl.put %b[%from, %c0] to %w[%to, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @one_place(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': two turns of this loop may send to one place of a window, where the later one would win}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %n sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @no_multiple(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': two turns of this loop may send to one place of a window, where the later one would win}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      %eight = arith.muli %p, %c8 : index
      %half = arith.floordivsi %p, %c2 : index
      %to = arith.subi %eight, %half : index
      pl.put %b[%from, %c0] to %w[%to, %c0] peer %n sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @one_row(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': two turns of this loop may send to one row of a window: they are 3 rows apart, and up to 8 are sent}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    // expected-note @+1 {{here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      %to = arith.muli %p, %c3 : index
      pl.put %b[%from, %c0] to %w[%to, %c0] peer %n sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @dynamic(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"(%n) : memref<?x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': of task 'post': its put does not send rows of a tensor of two known extents}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<?x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<?x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @callers(%x: memref<24x8xf32> {pl.name = "x"}, %b: memref<24x8xf32>, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fuse task 'make': what is put is no tensor of this function, and its caller may read it}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{put here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @read(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': 'parts' is also used by another op than the stores of the one task and the put of the other}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  %v = pl.at "peek" {
    // expected-note @+1 {{used here}}
    %s = pl.load %b[%c0, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %x[%c0, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  return
}

// -----

func.func @written(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': 'parts' is also written by another task}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %v = pl.at "poke" {
    %s = pl.load %x[%c0, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    // expected-note @+1 {{written here}}
    pl.store %s, %b[%c0, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @other_tensor(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  %d = pl.alloc "others"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': it does not write 'parts', which task 'post' puts}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %d[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      // expected-note @+1 {{put here}}
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @sums(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': it adds to what 'parts' holds}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    // expected-note @+1 {{added to here}}
    pl.store %s, %b[%r, %c0] atomic add : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @other_rows(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  %d = memref.reinterpret_cast %b to offset: [0], sizes: [12, 16], strides: [16, 1] : memref<24x8xf32> to memref<12x16xf32>
  // expected-error @+1 {{cannot fuse task 'make': its rows are no whole parts of the rows that are put}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %s = pl.load %x[%i, %c0] : memref<24x8xf32> -> !pl.tile<1x8xf32>
    // expected-note @+1 {{stored here}}
    pl.store %s, %d[%i, %c0] : !pl.tile<1x8xf32>, memref<12x16xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @short_rows(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  %d = memref.reinterpret_cast %b to offset: [0], sizes: [48, 4], strides: [4, 1] : memref<24x8xf32> to memref<48x4xf32>
  // expected-error @+1 {{cannot fuse task 'make': rows of its tile go to different places one by one, and rows of 16 bytes are no multiples of 32}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c3 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<3x4xf32>
    // expected-note @+1 {{stored here}}
    pl.store %s, %d[%r, %c0] : !pl.tile<3x4xf32>, memref<48x4xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @product(%x: memref<48x16xf32> {pl.name = "x"}, %w: memref<96x16xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<48x16xf32>
  // expected-error @+1 {{cannot fuse task 'make': it works on the cube, whose results do not go to other ranks row by row}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %c0, %i : index
    %s = pl.load %x[%r, %c0] : memref<48x16xf32> -> !pl.tile<16x16xf32>
    // expected-note @+1 {{a product is here}}
    %q = pl.matmul %s, %s : !pl.tile<16x16xf32>, !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
    pl.store %q, %b[%r, %c0] : !pl.tile<16x16xf32>, memref<48x16xf32>
  }
  %u = pl.at "post" {
    %c16 = arith.constant 16 : index
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c16 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c16) : memref<48x16xf32>, memref<96x16xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @manual(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': one of the two tasks is in a manual scope and the other is not}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  // expected-note @+1 {{the other task}}
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  } {pl.manual}
  return
}

// -----

func.func @later(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %at: memref<3xindex>, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': what says where rows are put is known only after it}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  // expected-note @+1 {{known here}}
  %to = memref.load %at[%c0] : memref<3xindex>
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%to, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @waits_for_later(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': task 'post' waits for a task that comes after it}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  // expected-note @+1 {{this task}}
  %v = pl.at "free" {
  }
  %u = pl.at "post" deps(%v : [#pl.edge<user>]) {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @between(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': between it and task 'post' the window or its signal is used}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %v = pl.at "peek" {
    // expected-note @+1 {{used here}}
    %s = pl.load %w[%c0, %c0] : memref<96x8xf32, #pl.window> -> !pl.tile<2x8xf32>
    pl.store %s, %x[%c0, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @itself(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': it uses the window or the signal itself}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    // expected-note @+1 {{used here}}
    %s = pl.load %w[%r, %c0] : memref<96x8xf32, #pl.window> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @credits(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': the credits of 'knock' cannot be followed}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  %v = pl.at "hear" {
    %two = arith.constant 2 : i32
    // expected-note @+1 {{this waits for 2, but 1 of 'knock' is sent before it in program order and not taken off}}
    pl.wait ge %two, %k[%me] : memref<3xi32, #pl.window>
  }
  return
}

// -----

func.func @takes(%x: memref<24x8xf32> {pl.name = "x"}, %w: memref<96x8xf32, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %b = pl.alloc "parts"() : memref<24x8xf32>
  // expected-error @+1 {{cannot fuse task 'make': it takes off credits of 'knock', which each of its blocks would do again}}
  %t = pl.spmd "make" blocks(%c12) {
  ^bb0(%i: index):
    %r = arith.muli %i, %c2 : index
    %s = pl.load %x[%r, %c0] : memref<24x8xf32> -> !pl.tile<2x8xf32>
    pl.store %s, %b[%r, %c0] : !pl.tile<2x8xf32>, memref<24x8xf32>
  }
  %u = pl.at "post" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %from = arith.muli %p, %c8 : index
      pl.put %b[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c8) : memref<24x8xf32>, memref<96x8xf32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
    %minus = arith.constant -1 : i32
    // expected-note @+1 {{taken off here}}
    pl.notify add %minus, %k[%me] peer %me : memref<3xi32, #pl.window>
  }
  return
}

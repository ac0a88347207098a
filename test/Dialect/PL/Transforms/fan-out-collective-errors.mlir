// RUN: pl-opt %s -pl-fan-out-collective="task=crew workers=3 tile=4" -split-input-file -verify-diagnostics

// Each refusal: what, why, and the line.

func.func @blocks(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it has blocks already}}
  %t = pl.spmd "crew" blocks(%c3) {
  ^bb0(%b: index):
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @first(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it tells the others before its rows are done}}
  %t = pl.at "crew" {
    // expected-note @+1 {{told here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
  }
  return
}

// -----

func.func @waits(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it also waits for others, and each block would; let another task wait}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
    // expected-note @+1 {{it waits here}}
    pl.for range %s = %c0 to %c3 step %c1 {
      pl.wait ge %one, %k[%s] : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @more(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it does more than to put or copy rows and then to tell the others}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    // expected-note @+1 {{this is more}}
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%n, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @nothing(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+2 {{cannot fan out task 'crew': it puts and copies nothing}}
  // expected-note @+1 {{this task}}
  %t = pl.at "crew" {
    %z = arith.addi %me, %c1 : index
  }
  return
}

// -----

func.func @silent(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+2 {{cannot fan out task 'crew': it tells no other rank; pl-spmdize makes blocks of its loop}}
  // expected-note @+1 {{this task}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
  }
  return
}

// -----

func.func @same_place(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': two turns of a loop around its put may write one place of a window, where the later one would win}}
  %t = pl.at "crew" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %j = %c0 to %c2 step %c1 {
      pl.for range %p = %c0 to %c3 step %c1 {
        %from = arith.muli %j, %n : index
        pl.put %x[%from, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
      }
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @two_puts(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': its puts are not one put alone in loops that carry nothing}}
  %t = pl.at "crew" {
    // expected-note @+1 {{this holds them}}
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
      pl.put %x[%c1, %c0] to %w[%n, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @three_axes(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index,
    %x3: memref<2x4x4xf16>, %w3: memref<2x4x4xf16, #pl.window>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': its put does not move rows of two axes}}
  %t = pl.at "crew" {
    // expected-note @+1 {{put here}}
    pl.put %x3[%c0, %c0, %c0] to %w3[%c0, %c0, %c0] peer %me sizes(%c2, %c3, %c3) : memref<2x4x4xf16>, memref<2x4x4xf16, #pl.window>
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @rows_differ(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': how many rows its put sends differs from turn to turn, or comes from memory}}
  %t = pl.at "crew" {
    // expected-note @+1 {{known only here}}
    pl.for range %p = %c0 to %c3 step %c1 {
      %m = arith.addi %p, %c1 : index
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%m, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @forwards(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': its put reads the window that it writes}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      // expected-note @+1 {{put here}}
      pl.put %w[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<66x24xf16, #pl.window>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @one_tile(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': its rows are no put and no loop, and cannot be shared}}
  %t = pl.at "crew" {
    %zero = arith.constant 0.0 : f16
    %s = pl.full %zero : f16 -> !pl.tile<8x24xf16>
    // expected-note @+1 {{this is done once}}
    pl.store %s, %y[%c0, %c0] : !pl.tile<8x24xf16>, memref<66x24xf16>
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @unknown(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it holds an op of which is not known what it touches}}
  %t = pl.at "crew" {
    pl.for range %r = %c0 to %n step %c1 {
      // expected-note @+1 {{this one}}
      func.call @elsewhere() : () -> ()
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}
func.func private @elsewhere()

// -----

func.func @tells_each(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it tells the others before all of its rows are done}}
  %t = pl.at "crew" {
    // expected-note @+1 {{told in this loop}}
    pl.for range %r = %c0 to %n step %c1 {
      %s = pl.load %x[%r, %c0] : memref<?x24xf16> -> !pl.tile<1x24xf16>
      pl.store %s, %y[%r, %c0] : !pl.tile<1x24xf16>, memref<66x24xf16>
      pl.notify add %one, %k[%me] peer %me : memref<3xi32, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @carries(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': a trip of its loop needs what the trip before gives}}
  %t = pl.at "crew" {
    // expected-note @+1 {{the loop is here}}
    %last = pl.for range %r = %c0 to %n step %c1 iter(%row = %me : index) {
      %s = pl.load %x[%r, %c0] : memref<?x24xf16> -> !pl.tile<1x24xf16>
      pl.store %s, %y[%row, %c0] : !pl.tile<1x24xf16>, memref<66x24xf16>
      %next = arith.addi %row, %c2 : index
      pl.yield %next : index
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @step(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': the step of its loop is not known before it runs, or is too large}}
  %t = pl.at "crew" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %r = %c0 to %c24 step %n {
      %s = pl.load %x[%r, %c0] : memref<?x24xf16> -> !pl.tile<1x24xf16>
      pl.store %s, %y[%r, %c0] : !pl.tile<1x24xf16>, memref<66x24xf16>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @overlap(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': a trip of its loop may write elements of 'y' that another writes}}
  %t = pl.at "crew" {
    // expected-note @+1 {{the loop is here}}
    pl.for range %r = %c0 to %n step %c1 {
      %s = pl.load %x[%r, %c0] : memref<?x24xf16> -> !pl.tile<2x24xf16>
      // expected-note @+1 {{written here}}
      pl.store %s, %y[%r, %c0] : !pl.tile<2x24xf16>, memref<66x24xf16>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @credits(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': the credits of 'knock' cannot be followed}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %k[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  %u = pl.at "later" {
    %two = arith.constant 2 : i32
    // expected-note @+1 {{this waits for 2, but 1 of 'knock' is sent before it in program order and not taken off}}
    pl.wait ge %two, %k[%me] : memref<3xi32, #pl.window>
  }
  return
}

// -----

func.func @takes(%x: memref<?x24xf16> {pl.name = "x"}, %w: memref<66x24xf16, #pl.window> {pl.name = "w"},
    %k: memref<3xi32, #pl.window> {pl.name = "knock"}, %y: memref<66x24xf16> {pl.name = "y"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': it takes off credits of 'knock', which each of its blocks would do again}}
  %t = pl.at "crew" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.put %x[%c0, %c0] to %w[%me, %c0] peer %p sizes(%n, %c24) : memref<?x24xf16>, memref<66x24xf16, #pl.window>
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

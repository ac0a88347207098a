// RUN: pl-opt %s -pl-fan-out-collective="task=crew workers=1500000000" -split-input-file -verify-diagnostics

// Numbers that no signal holds.
func.func @large(%x: memref<8x24xf16>, %y: memref<8x24xf16>, %knock: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2 : i32
  // expected-error @+1 {{cannot fan out task 'crew': the credits of 'knock' cannot be followed}}
  %t = pl.at "crew" {
    pl.for range %r = %c0 to %c8 step %c1 {
      %s = pl.load %x[%r, %c0] : memref<8x24xf16> -> !pl.tile<1x24xf16>
      pl.store %s, %y[%r, %c0] : !pl.tile<1x24xf16>, memref<8x24xf16>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %two, %knock[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  %u = pl.at "hear" {
    // expected-note @+1 {{what this counts would not fit a signal}}
    pl.wait ge %two, %knock[%me] : memref<3xi32, #pl.window>
  }
  return
}

// -----

// Taken off in three turns: three credits are, 1500000002 are not.
func.func @turns(%x: memref<8x24xf16>, %y: memref<8x24xf16>, %knock: memref<3xi32, #pl.window> {pl.name = "knock"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  // expected-error @+1 {{cannot fan out task 'crew': the credits of 'knock' cannot be followed}}
  %t = pl.at "crew" {
    pl.for range %r = %c0 to %c8 step %c1 {
      %s = pl.load %x[%r, %c0] : memref<8x24xf16> -> !pl.tile<1x24xf16>
      pl.store %s, %y[%r, %c0] : !pl.tile<1x24xf16>, memref<8x24xf16>
    }
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %knock[%me] peer %p : memref<3xi32, #pl.window>
    }
  }
  %u = pl.at "more" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %two, %knock[%me] peer %p : memref<3xi32, #pl.window>
    }
    pl.for range %turn = %c0 to %c3 step %c1 {
      // expected-note @+1 {{this is done 3 times and cannot take off 1500000002}}
      pl.notify add %minus, %knock[%me] peer %me : memref<3xi32, #pl.window>
    }
  }
  return
}

// RUN: pl-opt %s -split-input-file -verify-diagnostics -pl-anchor-waits='task=w after=p'

func.func @nothing_to_wait_for(%x: memref<5x7xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  pl.dummy "p"
  // expected-error @+1 {{task 'w' waits for no signal}}
  pl.at "w" {
    %t = pl.load %x[%c0, %c0] : memref<5x7xf32> -> !pl.tile<5x7xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<5x7xf32>, memref<5x7xf32>
  }
  return
}

// -----

func.func @too_late(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{'w' cannot follow 'p', which comes after it}}
  pl.at "w" {
    pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  // expected-note @+1 {{the task to follow}}
  pl.dummy "p"
  return
}

// -----

func.func @many(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  pl.dummy "p"
  // expected-error @+1 {{task 'w' has many blocks, which wait}}
  pl.spmd "w" blocks(%c3) {
  ^bb0(%b: index):
    pl.defer_wait %sig[%b, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{pl-anchor-waits: there is no task 'p'}}
func.func @no_such_task(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.at "w" {
    pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  return
}

// RUN: pl-opt %s -split-input-file -verify-diagnostics -pl-anchor-waits='task=w after=p deferred'

func.func @equality(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.dummy "p"
  // expected-error @+1 {{a deferred wait ends when a cell has reached a value, and 'w' waits for equality}}
  pl.at "w" {
    // expected-note @+1 {{the wait}}
    pl.wait eq %one, %sig[%c0, %c0] : memref<3x1xi32, #pl.window>
  }
  return
}

// -----

func.func @work_first(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}, %x: memref<5x7xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.dummy "p"
  // expected-error @+1 {{'w' works before it waits; only waits at its begin can be those of a task before it}}
  pl.at "w" {
    // expected-note @+1 {{this comes first}}
    %t = pl.load %x[%c0, %c0] : memref<5x7xf32> -> !pl.tile<5x7xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<5x7xf32>, memref<5x7xf32>
    pl.wait ge %one, %sig[%c0, %c0] : memref<3x1xi32, #pl.window>
  }
  return
}

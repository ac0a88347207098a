// RUN: pl-opt %s -split-input-file -verify-diagnostics -pl-check-waits

pl.kernel aiv @tell(%s: memref<2xi32, #pl.window> {pl.name = "s"}, %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-note @+1 {{'cells' is notified here}}
  pl.notify add %one, %s[%c0] peer %peer : memref<2xi32, #pl.window>
}
pl.kernel aiv @hold(%s: memref<2xi32, #pl.window> {pl.name = "s"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-warning @+1 {{PL106: this wait holds a core as soon as its task starts, and no task of this rank that notifies 'cells' comes before it: when such waits hold all cores, what they wait for cannot run; the task that notifies waits for this one: let it come first}}
  pl.wait ge %one, %s[%c0] : memref<2xi32, #pl.window>
}
pl.kernel aiv @other(%x: memref<8x8xf32> {pl.name = "x"}) {
}
func.func @unanchored(%s: memref<2xi32, #pl.window> {pl.name = "cells"}, %x: memref<8x8xf32> {pl.name = "x"}, %peer: index {pl.name = "peer"}) {
  %c1 = arith.constant 1 : index
  %o = pl.launch @other blocks(%c1) args(%x : memref<8x8xf32>)
  // Another task before it does not help.
  %w = pl.launch @hold blocks(%c1) args(%s : memref<2xi32, #pl.window>) deps(%o : [#pl.edge<user>])
  %t = pl.launch @tell blocks(%c1) args(%s, %peer : memref<2xi32, #pl.window>, index) deps(%w : [#pl.edge<signal, "cells">])
  return
}

// -----

// Behind the notifier, through any path; or after its own notify.
pl.kernel aiv @tell(%s: memref<2xi32, #pl.window> {pl.name = "s"}, %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.notify add %one, %s[%c0] peer %peer : memref<2xi32, #pl.window>
}
pl.kernel aiv @hold(%s: memref<2xi32, #pl.window> {pl.name = "s"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.wait ge %one, %s[%c0] : memref<2xi32, #pl.window>
}
pl.kernel aiv @meet(%s: memref<2xi32, #pl.window> {pl.name = "s"}, %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.notify add %one, %s[%c0] peer %peer : memref<2xi32, #pl.window>
  pl.wait ge %one, %s[%c0] : memref<2xi32, #pl.window>
}
pl.kernel aiv @later(%s: memref<2xi32, #pl.window> {pl.name = "s"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  pl.defer_wait %s[%c0] reaches %one : memref<2xi32, #pl.window>
}
// Turns: the first one waits for nothing.
pl.kernel aiv @turns(%s: memref<2xi32, #pl.window> {pl.name = "s"}, %peer: index {pl.name = "peer"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %n = arith.index_cast %i : index to i32
    pl.wait ge %n, %s[%c0] : memref<2xi32, #pl.window>
    pl.notify add %one, %s[%c0] peer %peer : memref<2xi32, #pl.window>
  }
}
func.func @anchored(%s: memref<2xi32, #pl.window> {pl.name = "cells"}, %others: memref<2xi32, #pl.window> {pl.name = "others"}, %peer: index {pl.name = "peer"}) {
  %c1 = arith.constant 1 : index
  %e = pl.launch @turns blocks(%c1) args(%s, %peer : memref<2xi32, #pl.window>, index)
  %d = pl.launch @later blocks(%c1) args(%s : memref<2xi32, #pl.window>)
  %t = pl.launch @tell blocks(%c1) args(%s, %peer : memref<2xi32, #pl.window>, index)
  %j = pl.dummy deps(%t : [#pl.edge<user>])
  %w = pl.launch @hold blocks(%c1) args(%s : memref<2xi32, #pl.window>) deps(%j : [#pl.edge<user>])
  %m = pl.launch @meet blocks(%c1) args(%s, %peer : memref<2xi32, #pl.window>, index)
  // Only other programs give this one.
  %o = pl.launch @hold blocks(%c1) args(%others : memref<2xi32, #pl.window>) deps(%t : [#pl.edge<user>])
  return
}

// -----

pl.kernel aiv @hold(%s: memref<2xi32, #pl.window> {pl.name = "s"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-warning @+1 {{let its task depend on the one it belongs behind}}
  pl.wait ge %one, %s[%c0] : memref<2xi32, #pl.window>
}
func.func @first(%s: memref<2xi32, #pl.window> {pl.name = "cells"}) {
  %c1 = arith.constant 1 : index
  %w = pl.launch @hold blocks(%c1) args(%s : memref<2xi32, #pl.window>)
  return
}

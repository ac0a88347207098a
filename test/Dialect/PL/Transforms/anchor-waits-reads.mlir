// RUN: pl-opt %s -pl-anchor-waits='task=w after=p deferred' | FileCheck %s

// What is read after a wait stays behind it; a wait is never early.

func.func @counted(%sig: memref<2x1xi32, #pl.window> {pl.name = "sig"},
                   %few: memref<1x5xi32, #pl.window> {pl.name = "few"},
                   %x: memref<3x5xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %p = pl.dummy "p"
  %w = pl.at "w" early_resolve {
    pl.wait ge %one, %sig[%c0, %c0] : memref<2x1xi32, #pl.window>
    %n = pl.read %few[%c0, %c0] : memref<1x5xi32, #pl.window> -> i32
    pl.wait ge %n, %sig[%c1, %c0] : memref<2x1xi32, #pl.window>
    %t = pl.load %x[%c0, %c0] : memref<3x5xf32> -> !pl.tile<3x5xf32>
    pl.store %t, %x[%c0, %c0] : !pl.tile<3x5xf32>, memref<3x5xf32>
  }
  return
}
// CHECK: %[[P:.*]] = pl.dummy "p"
// CHECK: %[[W:.*]] = pl.at "w_wait" deps(%[[P]] : [#pl.edge<user>]) {
// CHECK-NEXT: pl.defer_wait
// CHECK-NEXT: }
// CHECK: pl.at "w" deps(%[[W]] : [#pl.edge<user>]) early_resolve {
// CHECK-NEXT: pl.read
// CHECK-NEXT: pl.wait ge

// RUN: pl-opt %s -pl-dissolve-scopes | FileCheck %s
// RUN: pl-opt %s -pl-dissolve-scopes -pl-derive-dependencies | FileCheck %s --check-prefix=EDGES

// CHECK-LABEL: func.func @manual
// CHECK-NOT: pl.scope
// EDGES-LABEL: func.func @manual
func.func @manual(%x: memref<17x64xf32> {pl.name = "x"}, %y: memref<17x64xf32> {pl.name = "y"}) {
  // CHECK: %[[FIRST:.*]] = pl.at "first" {
  // EDGES: %[[FIRST:.*]] = pl.at "first" {
  %first = pl.at "first" {
    %c0 = arith.constant 0 : index
    %t = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  }
  // CHECK: %[[TMP:.*]] = pl.alloc "tmp"
  // CHECK: %[[A:.*]] = pl.at "fill" {
  // CHECK: } {pl.manual}
  // CHECK: %[[B:.*]] = pl.spmd "use" blocks({{.*}}) deps(%[[A]] : [#pl.edge<user>])
  // CHECK: } {pl.manual}
  // CHECK: pl.dummy "join" deps(%[[B]] : [#pl.edge<user>]) {pl.manual}
  // What the user did not write stays out: "fill" overwrites what "first" wrote,
  // "rest" reads what "fill" does. What the user wrote says which bytes it orders.
  // EDGES-NOT: pl.manual
  // EDGES: %[[FILL:.*]] = pl.at "fill" {
  // EDGES: %[[USE:.*]] = pl.spmd "use" blocks({{.*}}) deps(%[[FILL]] : [#pl.edge<user, "tmp", "[0:8, 0:64]">]) {
  // EDGES: %[[REST:.*]] = pl.at "rest" {
  // EDGES: pl.dummy "join" deps(%[[USE]] : [#pl.edge<user>])
  %tmp, %join = pl.scope manual -> (memref<17x64xf32>, !pl.task) {
    %inner = pl.alloc "tmp"() : memref<17x64xf32>
    %a = pl.at "fill" {
      %c0 = arith.constant 0 : index
      %t = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
      pl.store %t, %inner[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
      pl.store %t, %y[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
    }
    %c1 = arith.constant 1 : index
    %b = pl.spmd "use" blocks(%c1) deps(%a : [#pl.edge<user>]) {
    ^bb0(%block: index):
      %c0 = arith.constant 0 : index
      %t = pl.load %inner[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32>
      pl.store %t, %y[%c0, %c0] : !pl.tile<8x64xf32>, memref<17x64xf32>
    }
    %rest = pl.at "rest" {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %t = pl.load %inner[%c8, %c0] : memref<17x64xf32> -> !pl.tile<9x64xf32>
      pl.store %t, %y[%c8, %c0] : !pl.tile<9x64xf32>, memref<17x64xf32>
    }
    %c = pl.dummy "join" deps(%b : [#pl.edge<user>])
    pl.yield %inner, %c : memref<17x64xf32>, !pl.task
  }
  // Tasks outside wait for all that touched what they touch, also for what a
  // write in the scope covers: nobody ordered the two.
  // CHECK: pl.at "after" deps(%{{.*}} : [#pl.edge<user>]) {
  // CHECK: pl.load %[[TMP]]
  // EDGES: pl.at "after" deps(%{{[^,]*}}, %[[FILL]], %[[FIRST]], %[[USE]], %[[REST]] : [#pl.edge<user>, #pl.edge<raw, "tmp", "[0:17, 0:64]">, #pl.edge<waw, "y", "[0:17, 0:64]">, #pl.edge<waw, "y", "[0:17, 0:64]">, #pl.edge<waw, "y", "[0:17, 0:64]">]) {
  pl.at "after" deps(%join : [#pl.edge<user>]) {
    %c0 = arith.constant 0 : index
    %t = pl.load %tmp[%c0, %c0] : memref<17x64xf32> -> !pl.tile<17x64xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<17x64xf32>, memref<17x64xf32>
  }
  return
}

// Automatic scopes leave no trace, with what is in them.
// CHECK-LABEL: func.func @automatic
func.func @automatic(%x: memref<17x64xf32> {pl.name = "x"}, %y: memref<17x64xf32> {pl.name = "y"}) {
  // CHECK-NEXT: %[[A:.*]] = pl.at "outer" {
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[B:.*]] = pl.at "inner" deps(%[[A]] : [#pl.edge<user>]) {
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  pl.scope auto {
    %a = pl.at "outer" {
    }
    pl.scope auto {
      %b = pl.at "inner" deps(%a : [#pl.edge<user>]) {
      }
    }
  }
  return
}

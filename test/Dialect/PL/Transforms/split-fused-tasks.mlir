// Parts of a task that share no data become tasks, in the order of their first
// statements.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks))' | FileCheck %s
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks{task=both names=left,right}))' 2>/dev/null | FileCheck %s --check-prefix=NAMED
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-split-fused-tasks{task=both}))' --mlir-print-debuginfo --mlir-print-local-scope 2>/dev/null | FileCheck %s --check-prefix=LOC

// Scalars, views, constant tiles and scalars of a tensor that is only read are
// done again in each part; what nobody uses is not. Edges and marks are those of
// the task, and who waits for it waits for both.

// CHECK-LABEL: func.func @both(
// CHECK: %[[BEFORE:.*]] = pl.dummy
// CHECK: %[[A:.*]] = pl.at "both_0" deps(%[[BEFORE]] : [#pl.edge<user>]) early_resolve {
// CHECK-NEXT: %[[TWO:.*]] = arith.addi
// CHECK-NEXT: %[[ZERO:.*]] = pl.full
// CHECK-NEXT: pl.read
// CHECK-NEXT: pl.store %[[ZERO]], %{{.*}}[%[[TWO]],
// CHECK-NEXT: pl.write
// CHECK-NEXT: } {pl.manual}
// CHECK-NEXT: %[[B:.*]] = pl.at "both_1" deps(%[[BEFORE]] : [#pl.edge<user>]) early_resolve {
// CHECK-NEXT: %[[TWO:.*]] = arith.addi
// CHECK-NEXT: %[[ZERO:.*]] = pl.full
// CHECK-NEXT: pl.read
// CHECK-NEXT: %[[SUM:.*]] = pl.adds %[[ZERO]]
// CHECK-NEXT: memref.subview
// CHECK-NEXT: pl.store %[[SUM]], %{{.*}}[%[[TWO]],
// CHECK-NEXT: } {pl.manual}
// CHECK-NEXT: pl.dummy deps(%[[BEFORE]], %[[A]], %[[B]] : [#pl.edge<signal>, #pl.edge<user>, #pl.edge<user>])
// CHECK-NEXT: pl.at "next" deps(%[[A]], %[[B]] : [#pl.edge<user>, #pl.edge<user>])

// NAMED: pl.at "left"
// NAMED: pl.at "right"

// LOC: pl.at "both_0"
// LOC: pl.store {{.*}} loc("user.plk":9:9)
// LOC: } {pl.manual} loc("user.plk":8:8)
// LOC: pl.at "both_1"
// LOC: } {pl.manual} loc("user.plk":8:8)
func.func @both(%x: memref<8x16xf32> {pl.name = "x"}, %y: memref<2x8x16xf32> {pl.name = "y"}, %s: memref<4xf32> {pl.name = "s"}, %z: memref<8xf32> {pl.name = "z"}, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %before = pl.dummy
  %t = pl.at "both" deps(%before : [#pl.edge<user>]) early_resolve {
    %two = arith.addi %i, %c1 : index
    %zero = pl.full %f : f32 -> !pl.tile<1x16xf32>
    %five = arith.constant 5 : i32
    %unused = pl.iota %five : i32 -> !pl.tile<1x16xi32>
    %scale = pl.read %s[%c0] : memref<4xf32> -> f32
    pl.store %zero, %x[%two, %c0] : !pl.tile<1x16xf32>, memref<8x16xf32> loc("user.plk":9:9)
    %sum = pl.adds %zero, %scale : !pl.tile<1x16xf32>, f32 -> !pl.tile<1x16xf32>
    %part = memref.subview %y[1, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 128>>
    pl.store %sum, %part[%two, %c0] : !pl.tile<1x16xf32>, memref<8x16xf32, strided<[16, 1], offset: 128>>
    pl.write %scale, %x[%two, %c1] : f32, memref<8x16xf32>
  } {pl.manual} loc("user.plk":8:8)
  %after = pl.dummy deps(%before, %t : [#pl.edge<signal>, #pl.edge<user>])
  %next = pl.at "next" deps(%t : [#pl.edge<user>]) {
    pl.write %f, %z[%c0] : f32, memref<8xf32>
  }
  return
}

// Parts of a task of n blocks have n blocks; rows of one tensor that are
// provably disjoint are different data.

// CHECK-LABEL: func.func @blocks(
// CHECK: pl.spmd "halves_0" blocks(%[[N:.*]]) {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK: arith.muli %[[B]]
// CHECK-NOT: arith.addi
// CHECK: pl.spmd "halves_1" blocks(%[[N]]) {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK: %[[ROW:.*]] = arith.muli %[[B]]
// CHECK: arith.addi %[[ROW]]
func.func @blocks(%x: memref<?x16xf32> {pl.name = "x"}, %y: memref<?x16xf32> {pl.name = "y"}, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = pl.spmd "halves" blocks(%n) {
  ^bb0(%b: index):
    %row = arith.muli %b, %c8 : index
    %a = pl.load %x[%row, %c0] : memref<?x16xf32> -> !pl.tile<4x16xf32>
    pl.store %a, %y[%row, %c0] : !pl.tile<4x16xf32>, memref<?x16xf32>
    %next = arith.addi %row, %c4 : index
    %c = pl.load %x[%next, %c0] : memref<?x16xf32> -> !pl.tile<4x16xf32>
    pl.store %c, %y[%next, %c0] : !pl.tile<4x16xf32>, memref<?x16xf32>
  }
  return
}

// Three parts, two of them interleaved, one a loop and one a branch; a task
// without a name leaves its parts without.

// CHECK-LABEL: func.func @three(
// CHECK: pl.at {
// CHECK-NEXT: pl.write %{{.*}}, %[[X:.*]][
// CHECK-NEXT: pl.write %{{.*}}, %[[X]][
// CHECK-NEXT: }
// CHECK: pl.at {
// CHECK-NEXT: pl.for
// CHECK-NEXT: pl.write
// CHECK: pl.at {
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: scf.if
func.func @three(%x: memref<8xf32> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %z: memref<8xf32> {pl.name = "z"}, %f: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = pl.at {
    %negative = arith.cmpi slt, %i, %c0 : index
    pl.write %f, %x[%c0] : f32, memref<8xf32>
    pl.for range %j = %c0 to %c8 step %c1 {
      pl.write %f, %y[%j] : f32, memref<8xf32>
    }
    scf.if %negative {
      pl.write %f, %z[%i] : f32, memref<8xf32>
    }
    pl.write %f, %x[%i] : f32, memref<8xf32>
  }
  return
}

// What comes before a wait, or after a notify, needs neither.

// CHECK-LABEL: func.func @signals(
// CHECK: pl.at "talk_0" {
// CHECK-NEXT: pl.write %{{.*}}, %[[X:.*]][
// CHECK-NEXT: pl.notify
// CHECK-NEXT: pl.wait
// CHECK-NEXT: pl.read
// CHECK-NEXT: pl.write
// CHECK-NEXT: }
// CHECK: pl.at "talk_1" {
// CHECK-NEXT: pl.write
// CHECK-NEXT: }
func.func @signals(%x: memref<8xf32, #pl.window> {pl.name = "x"}, %y: memref<8xf32> {pl.name = "y"}, %z: memref<8xf32> {pl.name = "z"}, %cells: memref<4x1xi32, #pl.window> {pl.name = "cells"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %t = pl.at "talk" {
    pl.write %f, %x[%c0] : f32, memref<8xf32, #pl.window>
    pl.notify add %one, %cells[%c0, %c0] peer %c0 : memref<4x1xi32, #pl.window>
    pl.write %f, %y[%c0] : f32, memref<8xf32>
    pl.wait ge %one, %cells[%c0, %c0] : memref<4x1xi32, #pl.window>
    %g = pl.read %x[%c0] : memref<8xf32, #pl.window> -> f32
    pl.write %g, %z[%c0] : f32, memref<8xf32>
  }
  return
}

// Two rows of one reshaped tensor.

// CHECK-LABEL: func.func @reshaped(
// CHECK: pl.at "rows_0"
// CHECK: pl.at "rows_1"
func.func @reshaped(%x: memref<4x3x16xf32> {pl.name = "x"}, %f: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [12, 16], strides: [16, 1] : memref<4x3x16xf32> to memref<12x16xf32>
  %t = pl.at "rows" {
    pl.write %f, %flat[%i, %c0] : f32, memref<12x16xf32>
    %next = arith.addi %i, %c1 : index
    pl.write %f, %flat[%next, %c0] : f32, memref<12x16xf32>
  }
  return
}

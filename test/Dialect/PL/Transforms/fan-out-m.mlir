// Each block becomes several, which share the trips of its loop.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m{task=crush factor=4 distribution=strided},canonicalize,cse))' | FileCheck %s --check-prefixes=CHECK,STRIDED
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-fan-out-m{task=crush name=crush_all factor=3},canonicalize,cse))' | FileCheck %s --check-prefix=CONTIGUOUS

// STRIDED-LABEL: func.func @product(
// STRIDED: %[[BEFORE:.*]] = pl.dummy
// STRIDED: %[[TASK:.*]] = pl.spmd "crush" blocks(%c20) deps(%[[BEFORE]] : [#pl.edge<user>]) early_resolve {
// STRIDED-NEXT: ^bb0(%[[B:.*]]: index):
// STRIDED-NEXT: %[[INDEX:.*]] = arith.remsi %[[B]], %c5
// STRIDED-NEXT: %[[PART:.*]] = arith.floordivsi %[[B]], %c5
// STRIDED-NEXT: %[[K:.*]] = arith.muli %[[INDEX]], %c16
// STRIDED-NEXT: %[[FIRST:.*]] = arith.muli %[[PART]], %c16
// STRIDED-NEXT: pl.for range %[[M:.*]] = %[[FIRST]] to %{{.*}} step %c64 {
// STRIDED: pl.load %{{.*}}[%[[M]], %[[K]]]
// STRIDED: } {pl.manual}
// STRIDED: pl.dummy deps(%[[TASK]] : [#pl.edge<user>])

// CONTIGUOUS-LABEL: func.func @product(
// CONTIGUOUS: pl.spmd "crush_all" blocks(%c15)
// CONTIGUOUS-NEXT: ^bb0(%[[B:.*]]: index):
// CONTIGUOUS-NEXT: %[[INDEX:.*]] = arith.remsi %[[B]], %c5
// CONTIGUOUS-NEXT: %[[PART:.*]] = arith.floordivsi %[[B]], %c5
// CONTIGUOUS: %[[TRIPS:.*]] = arith.floordivsi %{{.*}}, %c16
// CONTIGUOUS: %[[EACH:.*]] = arith.floordivsi %{{.*}}, %c3
// CONTIGUOUS-NEXT: %[[LOW:.*]] = arith.muli %[[PART]], %[[EACH]]
// CONTIGUOUS-NEXT: %[[NEXT:.*]] = arith.addi %[[LOW]], %[[EACH]]
// CONTIGUOUS-NEXT: %[[HIGH:.*]] = arith.minsi %[[NEXT]], %[[TRIPS]]
// CONTIGUOUS-NEXT: %[[LAST:.*]] = arith.muli %[[HIGH]], %c16
// CONTIGUOUS-NEXT: %[[END:.*]] = arith.minsi %[[LAST]], %[[N:.*]] : index
// CONTIGUOUS-NEXT: %[[FIRST:.*]] = arith.muli %[[LOW]], %c16
// CONTIGUOUS-NEXT: pl.for range %{{.*}} = %[[FIRST]] to %[[END]] step %c16 {
func.func @product(%x: memref<?x80xbf16> {pl.name = "x"}, %w: memref<80x32xbf16> {pl.name = "w"}, %y: memref<?x32xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?x80xbf16>
  %before = pl.dummy
  %t = pl.spmd "crush" blocks(%c5) deps(%before : [#pl.edge<user>]) early_resolve {
  ^bb0(%b: index):
    %k = arith.muli %b, %c16 : index
    pl.for range %m = %c0 to %n step %c16 {
      %l = pl.load %x[%m, %k] : memref<?x80xbf16> -> !pl.tile<16x16xbf16>
      %r = pl.load %w[%k, %c0] : memref<80x32xbf16> -> !pl.tile<16x32xbf16>
      %p = pl.matmul %l, %r : !pl.tile<16x16xbf16>, !pl.tile<16x32xbf16> -> !pl.tile<16x32xf32>
      pl.store %p, %y[%m, %c0] atomic add : !pl.tile<16x32xf32>, memref<?x32xf32>
    }
  } {pl.manual}
  %after = pl.dummy deps(%t : [#pl.edge<user>])
  return
}

// A run-time number of blocks, a loop that begins where the block says, and the
// number of blocks of before in the body.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[N]], %c4
// CHECK: pl.spmd "crush" blocks(%[[BLOCKS]])
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK-NEXT: %[[INDEX:.*]] = arith.remsi %[[B]], %[[N]]
// CHECK-NEXT: %[[PART:.*]] = arith.floordivsi %[[B]], %[[N]]
// CHECK-NEXT: %[[START:.*]] = arith.muli %[[INDEX]], %c40
// CHECK-NEXT: %[[END:.*]] = arith.addi %[[START]], %[[N]]
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[PART]], %c2
// CHECK-NEXT: %[[FIRST:.*]] = arith.addi %[[OFFSET]], %[[START]]
// CHECK-NEXT: pl.for range %{{.*}} = %[[FIRST]] to %[[END]] step %c8 {
func.func @blocks(%n: index, %y: memref<?xf32> {pl.name = "y"}, %f: f32) {
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %t = pl.spmd "crush" blocks(%n) {
  ^bb0(%b: index):
    %start = arith.muli %b, %c40 : index
    %number = pl.block_num
    %end = arith.addi %start, %number : index
    pl.for range %i = %start to %end step %c2 {
      pl.write %f, %y[%i] : f32, memref<?xf32>
    }
  }
  return
}

// One block becomes as many as the factor says.

// CHECK-LABEL: func.func @at(
// CHECK: pl.spmd "crush" blocks(%c4)
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[B]], %c3
// CHECK-NEXT: %[[FIRST:.*]] = arith.addi %[[OFFSET]], %c1
// CHECK-NEXT: pl.for pipeline %[[I:.*]] = %[[FIRST]] to %c20 step %c12 stages 2 {
// CHECK-NEXT: pl.write %{{.*}}, %{{.*}}[%[[I]]]
func.func @at(%y: memref<64xf32> {pl.name = "y"}, %f: f32) {
  %t = pl.at "crush" {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c20 = arith.constant 20 : index
    pl.for pipeline %i = %c1 to %c20 step %c3 stages 2 {
      pl.write %f, %y[%i] : f32, memref<64xf32>
    }
  }
  return
}

// Blocks that add to columns of their own may begin anywhere.

// CHECK-LABEL: func.func @columns(
// CHECK: pl.spmd "crush" blocks(%c8)
func.func @columns(%x: memref<64x64xf32> {pl.name = "x"}, %y: memref<64x64xf32> {pl.name = "y"}) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %t = pl.spmd "crush" blocks(%c2) {
  ^bb0(%b: index):
    %start = arith.muli %b, %c4 : index
    %column = arith.muli %b, %c32 : index
    pl.for range %i = %start to %c64 step %c4 {
      %a = pl.load %x[%i, %column] : memref<64x64xf32> -> !pl.tile<4x32xf32>
      pl.store %a, %y[%i, %column] atomic add : !pl.tile<4x32xf32>, memref<64x64xf32>
    }
  }
  return
}

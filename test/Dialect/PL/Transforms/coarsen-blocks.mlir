// A block does the work of several, one after the other.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=bottle factor=3},canonicalize,cse))' | FileCheck %s
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=bottle factor=3 distribution=strided name=crate},canonicalize,cse))' | FileCheck %s --check-prefix=STRIDED
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=bottle factor=1}))' | FileCheck %s --check-prefix=SAME
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-coarsen-blocks{task=bottle factor=3}))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[BEFORE:.*]] = pl.dummy
// CHECK: %[[SUM:.*]] = arith.addi %[[N]], %c2
// CHECK: %[[BLOCKS:.*]] = arith.floordivsi %[[SUM]], %c3
// CHECK: %[[TASK:.*]] = pl.spmd "bottle" blocks(%[[BLOCKS]]) deps(%[[BEFORE]] : [#pl.edge<user>]) early_resolve {
// CHECK-NEXT: ^bb0(%[[C:.*]]: index):
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[C]], %c3
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[FIRST]], %c3
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK-NEXT: pl.for range %[[B:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[B]], %c8
// CHECK-NEXT: arith.subi %[[N]], %[[B]]
// CHECK: pl.store %{{.*}}[%[[ROW]], %c0]
// CHECK-NEXT: pl.write
// CHECK-NEXT: }
// CHECK-NEXT: } {pl.manual}
// CHECK-NEXT: pl.dummy deps(%[[TASK]] : [#pl.edge<user>])

// STRIDED-LABEL: func.func @dynamic(
// STRIDED-SAME: %[[N:[^:]*]]: index
// STRIDED: %[[BLOCKS:.*]] = arith.floordivsi %{{.*}}, %c3
// STRIDED: pl.spmd "crate" blocks(%[[BLOCKS]])
// STRIDED-NEXT: ^bb0(%[[C:.*]]: index):
// STRIDED-NEXT: pl.for range %{{.*}} = %[[C]] to %[[N]] step %[[BLOCKS]] {

// SAME-LABEL: func.func @dynamic(
// SAME-SAME: %[[N:[^:]*]]: index
// SAME: pl.spmd "bottle" blocks(%[[N]])
// SAME-NOT: pl.for

// LOC-LABEL: func.func @dynamic(
// LOC: ^bb0(%{{.*}}: index loc("block"("user.plk":4:30))):
// LOC: pl.store {{.*}} loc("user.plk":6:20)
// LOC: } loc("user.plk":4:10)
// LOC: } {pl.manual} loc("user.plk":4:10)
func.func @dynamic(%n: index, %x: memref<?x32xf32> {pl.name = "x"}, %y: memref<?x32xf32> {pl.name = "y"}, %z: memref<?xi64> {pl.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %before = pl.dummy
  %t = pl.spmd "bottle" blocks(%n) deps(%before : [#pl.edge<user>]) early_resolve {
  ^bb0(%b: index loc("block"("user.plk":4:30))):
    %row = arith.muli %b, %c8 : index
    %all = pl.block_num
    %rest = arith.subi %all, %b : index
    %number = arith.index_cast %rest : index to i64
    %a = pl.load %x[%row, %c0] : memref<?x32xf32> -> !pl.tile<8x32xf32>
    pl.store %a, %y[%row, %c0] : !pl.tile<8x32xf32>, memref<?x32xf32> loc("user.plk":6:20)
    pl.write %number, %z[%b] : i64, memref<?xi64>
  } {pl.manual} loc("user.plk":4:10)
  %after = pl.dummy deps(%t : [#pl.edge<user>])
  return
}

// 9 blocks are 3 of 3 and need no clamp, 10 are 4, of which the last has one.

// CHECK-LABEL: func.func @known(
// CHECK: pl.spmd "bottle" blocks(%c3)
// CHECK-NOT: arith.minsi
// CHECK: pl.spmd "bottle" blocks(%c4)
// CHECK: arith.minsi %{{.*}}, %c10
func.func @known(%x: memref<?xf32> {pl.name = "x"}, %y: memref<?xf32> {pl.name = "y"}, %f: f32) {
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %t = pl.spmd "bottle" blocks(%c9) {
  ^bb0(%b: index):
    pl.write %f, %x[%b] : f32, memref<?xf32>
  }
  %u = pl.spmd "bottle" blocks(%c10) {
  ^bb0(%b: index):
    pl.write %f, %y[%b] : f32, memref<?xf32>
  }
  return
}

// Blocks that add to rows of their own, and to whole numbers.

// CHECK-LABEL: func.func @sums(
// CHECK: pl.spmd "bottle" blocks(%c2)
func.func @sums(%x: memref<24x16xf32> {pl.name = "x"}, %y: memref<24x16xf32> {pl.name = "y"}, %k: memref<1x16xi32> {pl.name = "k"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i32
  %t = pl.spmd "bottle" blocks(%c6) {
  ^bb0(%b: index):
    %row = arith.muli %b, %c4 : index
    %a = pl.load %x[%row, %c0] : memref<24x16xf32> -> !pl.tile<4x16xf32>
    pl.store %a, %y[%row, %c0] atomic add : !pl.tile<4x16xf32>, memref<24x16xf32>
    %i = pl.full %one : i32 -> !pl.tile<1x16xi32>
    pl.store %i, %k[%c0, %c0] atomic add : !pl.tile<1x16xi32>, memref<1x16xi32>
  }
  return
}

// The trips of one loop become blocks, whatever its bounds and its step.

// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{tile=4},canonicalize,cse))' | FileCheck %s
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize,canonicalize,cse))' | FileCheck %s --check-prefix=ONE
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{tile=4 workers=3 distribution=strided},canonicalize,cse))' | FileCheck %s --check-prefix=STRIDED
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{tile=4 workers=3 distribution=contiguous},canonicalize,cse))' | FileCheck %s --check-prefix=CONTIGUOUS
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{task=skim name=skimmed workers=5 distribution=strided},canonicalize,cse))' | FileCheck %s --check-prefix=NAMED
// RUN: pl-opt %s --pass-pipeline='builtin.module(func.func(pl-spmdize{tile=4}))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC


// A dynamic number of trips of 6 rows: ceil(ceil(n / 6) / 4) blocks of 24 rows,
// the last one clamped. Edges, marks and those who wait for the task stay.

// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[BEFORE:.*]] = pl.dummy
// CHECK: %[[TRIPS:.*]] = arith.floordivsi %{{.*}}, %c6
// CHECK: %[[SUM:.*]] = arith.addi %[[TRIPS]], %c3
// CHECK: %[[BLOCKS:.*]] = arith.floordivsi %[[SUM]], %c4
// CHECK: %[[TASK:.*]] = pl.spmd "skim" blocks(%[[BLOCKS]]) deps(%[[BEFORE]] : [#pl.edge<user>]) early_resolve {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[B]], %c24
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[FIRST]], %c24
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK-NEXT: pl.for pipeline %[[I:.*]] = %[[FIRST]] to %[[END]] step %c6 stages 2 {
// CHECK: pl.load %{{.*}}[%[[I]], %c0]
// CHECK: } {pl.manual}
// CHECK: pl.dummy deps(%[[TASK]] : [#pl.edge<user>])

// ONE-LABEL: func.func @dynamic(
// ONE: %[[SUM:.*]] = arith.addi %{{.*}}, %c5
// ONE: %[[BLOCKS:.*]] = arith.floordivsi %[[SUM]], %c6
// ONE: pl.spmd "skim" blocks(%[[BLOCKS]])
// ONE-NEXT: ^bb0(%[[B:.*]]: index):
// ONE-NEXT: %[[I:.*]] = arith.muli %[[B]], %c6
// ONE-NOT: pl.for
// ONE: pl.load %{{.*}}[%[[I]], %c0]

// STRIDED-LABEL: func.func @dynamic(
// STRIDED: %[[TILES:.*]] = arith.floordivsi %{{.*}}, %c4
// STRIDED: pl.spmd "skim" blocks(%c3)
// STRIDED-NEXT: ^bb0(%[[W:.*]]: index):
// STRIDED-NEXT: pl.for range %[[T:.*]] = %[[W]] to %[[TILES]] step %c3 {
// STRIDED-NEXT: %[[FIRST:.*]] = arith.muli %[[T]], %c24
// STRIDED-NEXT: %[[NEXT:.*]] = arith.addi %[[FIRST]], %c24
// STRIDED-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %{{.*}}
// STRIDED-NEXT: pl.for pipeline %{{.*}} = %[[FIRST]] to %[[END]] step %c6 stages 2 {

// CONTIGUOUS-LABEL: func.func @dynamic(
// CONTIGUOUS: %[[TILES:.*]] = arith.floordivsi %{{.*}}, %c4
// CONTIGUOUS: pl.spmd "skim" blocks(%c3)
// CONTIGUOUS-NEXT: ^bb0(%[[W:.*]]: index):
// CONTIGUOUS-NEXT: %[[SUM:.*]] = arith.addi %[[TILES]], %c2
// CONTIGUOUS-NEXT: %[[EACH:.*]] = arith.floordivsi %[[SUM]], %c3
// CONTIGUOUS-NEXT: %[[LOW:.*]] = arith.muli %[[W]], %[[EACH]]
// CONTIGUOUS-NEXT: %[[HIGH:.*]] = arith.addi %[[LOW]], %[[EACH]]
// CONTIGUOUS-NEXT: %[[LAST:.*]] = arith.minsi %[[HIGH]], %[[TILES]]
// CONTIGUOUS-NEXT: %[[FIRST:.*]] = arith.muli %[[LOW]], %c24
// CONTIGUOUS-NEXT: %[[NEXT:.*]] = arith.muli %[[LAST]], %c24
// CONTIGUOUS-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %{{.*}}
// CONTIGUOUS-NEXT: pl.for pipeline %{{.*}} = %[[FIRST]] to %[[END]] step %c6 stages 2 {

// NAMED-LABEL: func.func @dynamic(
// NAMED: pl.spmd "skimmed" blocks(%c5)
// NAMED-NEXT: ^bb0(%[[W:.*]]: index):
// NAMED-NEXT: %[[FIRST:.*]] = arith.muli %[[W]], %c6
// NAMED-NEXT: pl.for pipeline %{{.*}} = %[[FIRST]] to %{{.*}} step %c30 stages 2 {
// NAMED-LABEL: func.func @between(
// NAMED: pl.at "between"

// LOC-LABEL: func.func @dynamic(
// LOC: pl.spmd "skim" blocks
// LOC-NEXT: ^bb0(%{{.*}}: index loc("user.plk":4:10)):
// LOC: pl.for {{.*}}
// LOC: pl.load {{.*}} loc("user.plk":6:20)
// LOC: } loc("user.plk":5:5)
// LOC-NEXT: } {pl.manual} loc("user.plk":4:10)
func.func @dynamic(%milk: memref<?x48xf32> {pl.name = "milk"}, %cream: memref<?x48xf32> {pl.name = "cream"}) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %n = memref.dim %milk, %c0 : memref<?x48xf32>
  %before = pl.dummy
  %t = pl.at "skim" deps(%before : [#pl.edge<user>]) early_resolve {
    pl.for pipeline %i = %c0 to %n step %c6 stages 2 {
      %left = arith.subi %n, %i : index
      %rows = arith.minsi %left, %c6 : index
      %x = pl.load %milk[%i, %c0] valid(%rows) : memref<?x48xf32> -> !pl.tile<6x48xf32, valid = ?x48> loc("user.plk":6:20)
      pl.store %x, %cream[%i, %c0] : !pl.tile<6x48xf32, valid = ?x48>, memref<?x48xf32>
    } loc("user.plk":5:5)
  } {pl.manual} loc("user.plk":4:10)
  %after = pl.dummy deps(%t : [#pl.edge<user>])
  return
}

// Bounds that may cross: no blocks then, and not a negative number of them.

// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[LOW:[^:]*]]: index, %[[HIGH:[^:]*]]: index
// CHECK: %[[EXTENT:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK: %[[SUM:.*]] = arith.addi %[[EXTENT]], %c2
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %[[SUM]], %c3
// CHECK: %[[TRIPS:.*]] = arith.maxsi %[[QUOTIENT]], %c0
// CHECK: %[[MORE:.*]] = arith.addi %[[TRIPS]], %c3
// CHECK: %[[BLOCKS:.*]] = arith.floordivsi %[[MORE]], %c4
// CHECK: pl.spmd "between" blocks(%[[BLOCKS]])
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c12
// CHECK: %[[FIRST:.*]] = arith.addi %[[OFFSET]], %[[LOW]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %c12
// CHECK: %[[END:.*]] = arith.minsi %[[NEXT]], %[[HIGH]]
// CHECK: pl.for range %{{.*}} = %[[FIRST]] to %[[END]] step %c3 {
func.func @between(%x: memref<?xf32> {pl.name = "x"}, %low: index, %high: index, %f: f32) {
  %c3 = arith.constant 3 : index
  %t = pl.at "between" {
    pl.for range %i = %low to %high step %c3 {
      pl.write %f, %x[%i] : f32, memref<?xf32>
    }
  }
  return
}

// Known trips: 7 in tiles of 4 leave a short one, 8 do not, and none are none.

// CHECK-LABEL: func.func @known(
// CHECK: pl.spmd "seven" blocks(%c2)
// CHECK: arith.minsi
// CHECK: pl.for
// CHECK: pl.spmd "eight" blocks(%c2)
// CHECK-NOT: arith.minsi
// CHECK: pl.for
// CHECK: pl.spmd "none" blocks(%c0)
func.func @known(%x: memref<64xf32> {pl.name = "x"}, %y: memref<64xf32> {pl.name = "y"}, %f: f32) {
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %c18 = arith.constant 18 : index
  %c20 = arith.constant 20 : index
  %t = pl.at "seven" {
    pl.for range %i = %c5 to %c18 step %c2 {
      pl.write %f, %x[%i] : f32, memref<64xf32>
    }
  }
  %u = pl.at "eight" {
    pl.for range %i = %c5 to %c20 step %c2 {
      pl.write %f, %y[%i] : f32, memref<64xf32>
    }
  }
  %v = pl.at "none" {
    pl.for range %i = %c5 to %c2 step %c2 {
      pl.write %f, %y[%i] : f32, memref<64xf32>
    }
  }
  return
}

// Arithmetic of the bounds comes out of the task; what all trips use is done by
// each block; so are numbers of a task of one block.

// CHECK-LABEL: func.func @around(
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %{{.*}}, %c7
// CHECK: %[[N:.*]] = arith.muli %[[QUOTIENT]], %c7
// CHECK: pl.spmd "around" blocks
// CHECK: %[[GAMMA:.*]] = pl.load %{{.*}}[%c0]
// CHECK: arith.minsi %{{.*}}, %[[N]]
// CHECK: pl.for range
// CHECK: pl.col_expand_mul %{{.*}}, %[[GAMMA]]
// CHECK: pl.write %{{.*}}, %{{.*}}[%{{.*}}, %c0]
func.func @around(%x: memref<?x32xf32> {pl.name = "x"}, %g: memref<32xf32> {pl.name = "g"}, %y: memref<?x32xf32> {pl.name = "y"}, %k: index, %f: f32, %z: memref<?x8xf32> {pl.name = "z"}) {
  %c0 = arith.constant 0 : index
  %t = pl.at "around" {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %sevens = arith.floordivsi %k, %c7 : index
    %n = arith.muli %sevens, %c7 : index
    %gamma = pl.load %g[%c0] : memref<32xf32> -> !pl.tile<1x32xf32>
    %block = pl.block_idx
    pl.for range %i = %c0 to %n step %c1 {
      %a = pl.load %x[%i, %c0] : memref<?x32xf32> -> !pl.tile<1x32xf32>
      %b = pl.col_expand_mul %a, %gamma : !pl.tile<1x32xf32>, !pl.tile<1x32xf32> -> !pl.tile<1x32xf32>
      pl.store %b, %y[%i, %c0] : !pl.tile<1x32xf32>, memref<?x32xf32>
      pl.write %f, %z[%i, %block] : f32, memref<?x8xf32>
    }
  }
  return
}

// Inner loops, rows through a view, and reads of other rows of what is only read.

// CHECK-LABEL: func.func @inner(
// CHECK: pl.spmd "inner" blocks
// CHECK: pl.for range
// CHECK: pl.for range %{{.*}} = %c0 to %c64 step %c16 {
func.func @inner(%x: memref<?x64xf32> {pl.name = "x"}, %y: memref<2x?x64xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %half = memref.subview %y[1, 0, 0] [1, %n, 64] [1, 1, 1] : memref<2x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  %t = pl.at "inner" {
    pl.for range %i = %c0 to %n step %c4 {
      pl.for range %j = %c0 to %c64 step %c16 {
        %a = pl.load %x[%i, %j] : memref<?x64xf32> -> !pl.tile<4x16xf32>
        %b = pl.load %x[%c0, %j] : memref<?x64xf32> -> !pl.tile<4x16xf32>
        %c = pl.add %a, %b : !pl.tile<4x16xf32>, !pl.tile<4x16xf32> -> !pl.tile<4x16xf32>
        pl.store %c, %half[%i, %j] : !pl.tile<4x16xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>
      }
    }
  }
  return
}

// Whole numbers have the same sum in any order.

// CHECK-LABEL: func.func @whole_numbers(
// CHECK: pl.spmd "tally" blocks
func.func @whole_numbers(%x: memref<?x16xi32> {pl.name = "x"}, %sum: memref<1x16xi32> {pl.name = "sum"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x16xi32>
  %t = pl.at "tally" {
    pl.for range %i = %c0 to %n step %c1 {
      %a = pl.load %x[%i, %c0] : memref<?x16xi32> -> !pl.tile<1x16xi32>
      pl.store %a, %sum[%c0, %c0] atomic add : !pl.tile<1x16xi32>, memref<1x16xi32>
    }
  }
  return
}

// The user says that the trips of a parallel loop touch rows of their own.

// CHECK-LABEL: func.func @parallel(
// CHECK: pl.spmd "parallel" blocks
// CHECK: pl.for parallel
func.func @parallel(%x: memref<?x16xf32> {pl.name = "x"}, %where: memref<?xi32> {pl.name = "where"}, %y: memref<?x16xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %t = pl.at "parallel" {
    pl.for parallel %i = %c0 to %n step %c1 {
      %a = pl.load %x[%i, %c0] : memref<?x16xf32> -> !pl.tile<1x16xf32>
      %r = pl.read %where[%i] : memref<?xi32> -> i32
      %row = arith.index_cast %r : i32 to index
      pl.store %a, %y[%row, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

// Rows downwards: each trip has one of its own.

// CHECK-LABEL: func.func @downwards(
// CHECK: pl.spmd "downwards" blocks
func.func @downwards(%x: memref<?xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = pl.at "downwards" {
    pl.for range %i = %c0 to %n step %c1 {
      %last = arith.subi %n, %c1 : index
      %row = arith.subi %last, %i : index
      pl.write %f, %x[%row] : f32, memref<?xf32>
    }
  }
  return
}

// Rows of a reshaped tensor, which has each element once.

// CHECK-LABEL: func.func @reshaped(
// CHECK: pl.spmd "reshaped" blocks
func.func @reshaped(%x: memref<?x3x16xf32> {pl.name = "x"}, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x3x16xf32>
  %rows = arith.muli %n, %c3 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 16], strides: [16, 1] : memref<?x3x16xf32> to memref<?x16xf32>
  %t = pl.at "reshaped" {
    pl.for range %i = %c0 to %rows step %c1 {
      %a = pl.full %f : f32 -> !pl.tile<1x16xf32>
      pl.store %a, %flat[%i, %c0] : !pl.tile<1x16xf32>, memref<?x16xf32>
    }
  }
  return
}

// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-order-sides))' -split-input-file | FileCheck %s

// A store of the cube, and a load of the vector cores in a loop after it.
// CHECK-LABEL: pl.kernel mix @into_loop
pl.kernel mix @into_loop(%z: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = pl.empty : !pl.tile<16x16xf32, acc>
  // CHECK: pl.store
  // CHECK-NEXT: %[[T:.*]] = pl.empty : !pl.tile<16x16xf32, acc>
  // CHECK-NEXT: pl.move %[[T]] {pl.fence} : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
  // CHECK-NEXT: pl.for
  // CHECK-NEXT: pl.load
  // CHECK-NOT: pl.fence
  pl.store %c, %z[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  pl.for range %i = %c0 to %n step %c1 {
    %v = pl.load %z[%c0, %c0] : memref<16x16xf32> -> !pl.tile<16x16xf32, vec>
    pl.yield
  }
}

// -----

// What crosses between the two already is enough.
// CHECK-LABEL: pl.kernel mix @there
pl.kernel mix @there(%z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c = pl.empty : !pl.tile<16x16xf32, acc>
  // CHECK: pl.store
  // CHECK-NEXT: pl.move %{{.*}} {pl.fence}
  // CHECK-NEXT: pl.load
  pl.store %c, %z[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  %m = pl.move %c : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
  %v = pl.load %z[%c0, %c0] : memref<16x16xf32> -> !pl.tile<16x16xf32, vec>
}

// -----

// One that crosses before the store, in a branch, or the other way is not.
// CHECK-LABEL: pl.kernel mix @elsewhere
pl.kernel mix @elsewhere(%z: memref<16x16xf32>, %b: i1) {
  %c0 = arith.constant 0 : index
  %c = pl.empty : !pl.tile<16x16xf32, acc>
  %u = pl.empty : !pl.tile<16x16xbf16, vec>
  // CHECK-COUNT-3: pl.move {{[^{]*}} :
  // CHECK: pl.move %{{.*}} {pl.fence} : !pl.tile<16x16xf32, acc>
  // CHECK-NEXT: pl.load
  %m = pl.move %c : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
  pl.store %c, %z[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  scf.if %b {
    %n = pl.move %c : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
  }
  %o = pl.move %u : !pl.tile<16x16xbf16, vec> -> !pl.tile<16x16xbf16, mat>
  %v = pl.load %z[%c0, %c0] : memref<16x16xf32> -> !pl.tile<16x16xf32, vec>
}

// -----

// Rows of each turn: within it, but not to the next. The other way round, rows
// that overlap those of the turn before.
// CHECK-LABEL: pl.kernel mix @turns
pl.kernel mix @turns(%z: memref<256x16xbf16>, %y: memref<256x16xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c15 = arith.constant 15 : index
  %t = pl.empty : !pl.tile<16x16xbf16, vec>
  // CHECK: pl.for
  // CHECK: pl.store
  // CHECK-NEXT: pl.empty : !pl.tile<16x32xbf16, vec>
  // CHECK-NEXT: pl.move %{{.*}} {pl.fence} : !pl.tile<16x32xbf16, vec> -> !pl.tile<16x32xbf16, mat>
  // CHECK-NEXT: pl.load
  // CHECK-NEXT: }
  pl.for range %i = %c0 to %n step %c1 {
    %r = arith.muli %i, %c16 : index
    pl.store %t, %z[%r, %c0] : !pl.tile<16x16xbf16, vec>, memref<256x16xbf16>
    %a = pl.load %z[%r, %c0] : memref<256x16xbf16> -> !pl.tile<16x16xbf16, mat>
    pl.yield
  }
  // CHECK: pl.for
  // CHECK: pl.store
  // CHECK: pl.move %{{.*}} {pl.fence} : !pl.tile<16x32xbf16, vec>
  // CHECK: pl.load
  // CHECK: pl.move %{{.*}} {pl.fence} : !pl.tile<16x16xf32, acc>
  // CHECK-NEXT: }
  pl.for range %i = %c0 to %n step %c1 {
    %r = arith.muli %i, %c15 : index
    pl.store %t, %y[%r, %c0] : !pl.tile<16x16xbf16, vec>, memref<256x16xbf16>
    %a = pl.load %y[%r, %c0] : memref<256x16xbf16> -> !pl.tile<16x16xbf16, mat>
    pl.yield
  }
}

// -----

// Branches that exclude each other, in a loop: a turn takes what one before left.
// CHECK-LABEL: pl.kernel mix @branches
pl.kernel mix @branches(%z: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = pl.empty : !pl.tile<16x16xf32, acc>
  // CHECK: scf.if
  // CHECK-NOT: pl.fence
  // CHECK: } else {
  // CHECK-NOT: pl.fence
  // CHECK: }
  // CHECK-DAG: pl.move %{{.*}} {pl.fence} : !pl.tile<16x16xf32, acc>
  // CHECK-DAG: pl.move %{{.*}} {pl.fence} : !pl.tile<16x32xbf16, vec>
  // CHECK: }
  pl.for range %i = %c0 to %n step %c1 {
    %b = arith.cmpi eq, %i, %c0 : index
    scf.if %b {
      pl.store %c, %z[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
    } else {
      %v = pl.load %z[%c0, %c0] : memref<16x16xf32> -> !pl.tile<16x16xf32, vec>
    }
    pl.yield
  }
}

// -----

// Reads only, other rows, atomic adds, one side alone: no order.
// CHECK-LABEL: pl.kernel mix @free
// CHECK-NOT: pl.fence
pl.kernel mix @free(%x: memref<16x16xbf16>, %z: memref<64x16xf32>, %s: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c = pl.empty : !pl.tile<16x16xf32, acc>
  %v = pl.empty : !pl.tile<16x16xf32, vec>
  %a = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16, mat>
  %b = pl.load %x[%c0, %c0] : memref<16x16xbf16> -> !pl.tile<16x16xbf16, vec>
  pl.store %c, %z[%c0, %c0] : !pl.tile<16x16xf32, acc>, memref<64x16xf32>
  %d = pl.load %z[%c32, %c0] : memref<64x16xf32> -> !pl.tile<16x16xf32, vec>
  pl.store %c, %s[%c0, %c0] atomic add : !pl.tile<16x16xf32, acc>, memref<16x16xf32>
  pl.store %v, %s[%c0, %c0] atomic add : !pl.tile<16x16xf32, vec>, memref<16x16xf32>
}

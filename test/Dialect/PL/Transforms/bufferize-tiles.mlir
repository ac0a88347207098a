// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-tile-matmul,pl-assign-memory-spaces,pl-pipeline-loops,pl-bufferize-tiles))' | FileCheck %s

// The valid extents move to the op that makes the buffer; scratch is explicit.
// CHECK-LABEL: pl.kernel aiv @ragged
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
pl.kernel aiv @ragged(%x: memref<17x64xf32>, %y: memref<17x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = pl.buffer "t" valid(%[[N]]) : !pl.buffer<8x64xf32, vec, nd, valid = ?x64>
  // CHECK: pl.load %{{.*}} : memref<17x64xf32> into %[[A]]
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  // CHECK: %[[TMP:.*]] = pl.buffer "tmp" : !pl.buffer<8x64xf32, vec, nd>
  // CHECK: %[[S:.*]] = pl.buffer "t_2" valid(%[[N]]) : !pl.buffer<8x1xf32, vec, dn, valid = ?x1>
  // CHECK: pl.row_sum %[[A]] : {{.*}} into %[[S]] : {{.*}} scratch(%[[TMP]] : !pl.buffer<8x64xf32, vec, nd>)
  %s = pl.row_sum %a : !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x1xf32, valid = ?x1>
  // CHECK: %[[R:.*]] = pl.buffer_view %[[S]] {{.*}} valid(%[[N]]) : {{.*}} -> !pl.buffer<1x8xf32, vec, nd, valid = 1x?>
  // CHECK: pl.store %[[R]]
  %r = pl.reshape %s : !pl.tile<8x1xf32, valid = ?x1> -> !pl.tile<1x8xf32, valid = 1x?>
  pl.store %r, %y[%c0, %c0] : !pl.tile<1x8xf32, valid = 1x?>, memref<17x8xf32>
}

// A carried tile is one buffer, updated in place; nothing is copied.
// CHECK-LABEL: pl.kernel aiv @carried
pl.kernel aiv @carried(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  // CHECK: %[[ACC:.*]] = pl.buffer "t"
  // CHECK: pl.full {{.*}} into %[[ACC]]
  %z = pl.full %f : f32 -> !pl.tile<1x64xf32>
  // CHECK: scf.for
  // CHECK-NOT: iter_args
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %z : !pl.tile<1x64xf32>) {
    // CHECK: pl.load {{.*}} into %[[A:.*]] :
    %a = pl.load %x[%i, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
    // CHECK: pl.add %[[ACC]], %[[A]] : {{.*}} into %[[ACC]]
    // CHECK-NOT: pl.move
    %t = pl.add %acc, %a : !pl.tile<1x64xf32>, !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.yield %t : !pl.tile<1x64xf32>
  }
  // CHECK: pl.store %[[ACC]]
  pl.store %s, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// The initial value is used again after the loop: it is copied first.
// CHECK-LABEL: pl.kernel aiv @initial_kept
pl.kernel aiv @initial_kept(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  // CHECK: pl.full {{.*}} into %[[Z:.*]] :
  %z = pl.full %f : f32 -> !pl.tile<1x64xf32>
  // CHECK: pl.move %[[Z]] : {{.*}} into %[[ACC:.*]] :
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %z : !pl.tile<1x64xf32>) {
    // CHECK: pl.exp %[[ACC]] : {{.*}} into %[[ACC]]
    %t = pl.exp %acc : !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.yield %t : !pl.tile<1x64xf32>
  }
  // CHECK: pl.add %[[ACC]], %[[Z]]
  %u = pl.add %s, %z : !pl.tile<1x64xf32>, !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
  pl.store %u, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// An instruction that must not work in place gets a buffer of its own.
// CHECK-LABEL: pl.kernel aiv @not_in_place
pl.kernel aiv @not_in_place(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 2.0 : f32
  // CHECK: pl.full {{.*}} into %[[ACC:.*]] :
  %z = pl.full %f : f32 -> !pl.tile<1x64xf32>
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %z : !pl.tile<1x64xf32>) {
    // CHECK: pl.recip %[[ACC]] : {{.*}} into %[[R:.*]] :
    // CHECK: pl.move %[[R]] : {{.*}} into %[[ACC]]
    %t = pl.recip %acc : !pl.tile<1x64xf32> -> !pl.tile<1x64xf32>
    pl.yield %t : !pl.tile<1x64xf32>
  }
  pl.store %s, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// Two tiles that change places.
// CHECK-LABEL: pl.kernel aiv @swap
pl.kernel aiv @swap(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pl.load {{.*}} into %[[P:.*]] :
  %p = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
  // CHECK: pl.load {{.*}} into %[[Q:.*]] :
  %q = pl.load %x[%c1, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
  // CHECK: scf.for
  // CHECK: pl.move %[[Q]] : {{.*}} into %[[T:.*]] :
  // CHECK: pl.move %[[P]] : {{.*}} into %[[Q]] :
  // CHECK: pl.move %[[T]] : {{.*}} into %[[P]] :
  %s:2 = pl.for range %i = %c0 to %n step %c1 iter(%a = %p : !pl.tile<1x64xf32>, %b = %q : !pl.tile<1x64xf32>) {
    pl.yield %b, %a : !pl.tile<1x64xf32>, !pl.tile<1x64xf32>
  }
  pl.store %s#0, %x[%c0, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
  pl.store %s#1, %x[%c1, %c0] : !pl.tile<1x64xf32>, memref<17x64xf32>
}

// A merge of two branches; an accumulator stays in place throughout.
// CHECK-LABEL: pl.kernel aic @accumulator
pl.kernel aic @accumulator(%x: memref<16x48xbf16>, %w: memref<48x16xbf16>, %y: memref<16x16xf32>, %rows: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[ACC:.*]] = pl.buffer "t" : !pl.buffer<16x16xf32, acc, nz>
  %e = pl.empty : !pl.tile<16x16xf32>
  %ev = pl.set_valid %e valid(%c16) : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32, valid = ?x16>
  // The run-time box is the same in every iteration: it is not carried.
  // CHECK: scf.for
  // CHECK-NOT: iter_args
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %ev : !pl.tile<16x16xf32, valid = ?x16>) {
    %a = pl.load %x[%c0, %c0] valid(%rows) : memref<16x48xbf16> -> !pl.tile<16x48xbf16, valid = ?x48>
    %b = pl.load %w[%c0, %c0] : memref<48x16xbf16> -> !pl.tile<48x16xbf16>
    %first = arith.cmpi eq, %i, %c0 : index
    // Each iteration sees the accumulator through one view.
    // CHECK: %[[V0:.*]] = pl.buffer_view %[[ACC]] {{.*}} valid(%{{.*}})
    // CHECK: scf.if
    %r = scf.if %first -> !pl.tile<16x16xf32, valid = ?x16> {
      // CHECK: pl.matmul {{.*}} into %[[V0]]
      %p = pl.matmul %a, %b : !pl.tile<16x48xbf16, valid = ?x48>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32, valid = ?x16>
      scf.yield %p : !pl.tile<16x16xf32, valid = ?x16>
    } else {
      // CHECK: pl.matmul_acc %[[V0]], {{.*}} into %[[V0]]
      %p = pl.matmul_acc %acc, %a, %b : !pl.tile<16x16xf32, valid = ?x16>, !pl.tile<16x48xbf16, valid = ?x48>, !pl.tile<48x16xbf16> -> !pl.tile<16x16xf32, valid = ?x16>
      scf.yield %p : !pl.tile<16x16xf32, valid = ?x16>
    }
    pl.yield %r : !pl.tile<16x16xf32, valid = ?x16>
  }
  // CHECK: %[[V2:.*]] = pl.buffer_view %[[ACC]] {{.*}} valid(%{{.*}})
  // CHECK: pl.store %[[V2]],
  pl.store %s, %y[%c0, %c0] : !pl.tile<16x16xf32, valid = ?x16>, memref<16x16xf32>
}

// A box that shrinks from iteration to iteration is carried as a scalar.
// CHECK-LABEL: pl.kernel aiv @shrinking
pl.kernel aiv @shrinking(%x: memref<17x64xf32>, %n: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %z = pl.full %f : f32 -> !pl.tile<8x64xf32>
  %zv = pl.set_valid %z valid(%rows) : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  // CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}) -> (index)
  %s = pl.for range %i = %c0 to %n step %c1 iter(%acc = %zv : !pl.tile<8x64xf32, valid = ?x64>) {
    %a = pl.load %x[%c0, %c0] valid(%i) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
    // CHECK: %[[M:.*]] = arith.minsi %[[V]], %{{.*}}
    // CHECK: scf.yield %[[M]]
    %t = pl.add %acc, %a : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
    pl.yield %t : !pl.tile<8x64xf32, valid = ?x64>
  }
  pl.store %s, %x[%c0, %c0] : !pl.tile<8x64xf32, valid = ?x64>, memref<17x64xf32>
}

// Two names that nothing filled are one value to the folding of equal
// operations; each carried product has a buffer of its own.
// CHECK-LABEL: pl.kernel aic @two_products
// CHECK-COUNT-2: pl.buffer "{{.*}}" : !pl.buffer<16x64xf32, acc
// CHECK-NOT: pl.buffer "{{.*}}" : !pl.buffer<16x64xf32, acc
pl.kernel aic @two_products(%m: memref<16x16xbf16>, %k: memref<16x64xbf16>, %x: memref<16x64xf32>, %y: memref<16x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = pl.empty : !pl.tile<16x64xf32>
  %start = pl.set_valid %empty valid(%n) : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32, valid = ?x64>
  %r:2 = pl.for range %i = %c0 to %c4 step %c1 iter(%p = %start : !pl.tile<16x64xf32, valid = ?x64>, %q = %start : !pl.tile<16x64xf32, valid = ?x64>) {
    %a = pl.load %m[%c0, %c0] valid(%n) : memref<16x16xbf16> -> !pl.tile<16x16xbf16, valid = ?x16>
    %b = pl.load %k[%c0, %c0] : memref<16x64xbf16> -> !pl.tile<16x64xbf16>
    %p1 = pl.matmul_acc %p, %a, %b : !pl.tile<16x64xf32, valid = ?x64>, !pl.tile<16x16xbf16, valid = ?x16>, !pl.tile<16x64xbf16> -> !pl.tile<16x64xf32, valid = ?x64>
    %q1 = pl.matmul_acc %q, %a, %b : !pl.tile<16x64xf32, valid = ?x64>, !pl.tile<16x16xbf16, valid = ?x16>, !pl.tile<16x64xbf16> -> !pl.tile<16x64xf32, valid = ?x64>
    pl.yield %p1, %q1 : !pl.tile<16x64xf32, valid = ?x64>, !pl.tile<16x64xf32, valid = ?x64>
  }
  pl.store %r#0, %x[%c0, %c0] : !pl.tile<16x64xf32, valid = ?x64>, memref<16x64xf32>
  pl.store %r#1, %y[%c0, %c0] : !pl.tile<16x64xf32, valid = ?x64>, memref<16x64xf32>
}

// RUN: pl-opt %s -pl-unify-dims | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>
func.func @rows(%x: memref<?x64xf32> {pl.dims = [#pl.dim<"T">]}, %y: memref<8x?x?xf32> {pl.dims = [#pl.dim<"N">, #pl.dim<"T">]},
                %z: memref<?xf32>) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: %[[N:.*]] = memref.dim %arg1, %{{.*}}
  // CHECK: %[[T:.*]] = memref.dim %arg0, %{{.*}}
  %n = memref.dim %y, %c1 : memref<8x?x?xf32>
  %t = memref.dim %y, %c2 : memref<8x?x?xf32>
  %u = memref.dim %x, %c0 : memref<?x64xf32>
  // A dimension without a name is no other's.
  // CHECK: %[[Z:.*]] = memref.dim %arg2
  %v = memref.dim %z, %c0 : memref<?xf32>
  %w = memref.dim %y, %c1 : memref<8x?x?xf32>
  // CHECK: return %[[N]], %[[T]], %[[T]], %[[Z]], %[[N]]
  return %n, %t, %u, %v, %w : index, index, index, index, index
}

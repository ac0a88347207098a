// RUN: pl-opt %s | pl-opt | FileCheck %s
// RUN: pl-opt %s --mlir-print-op-generic | pl-opt | FileCheck %s

// CHECK-LABEL: func.func @windows
func.func @windows(%t: !pl.tile<16x48xf32>, %row: !pl.tile<1x48xf32>, %r: index, %c: index) -> !pl.tile<16x48xf32> {
  // CHECK: %[[A:.*]] = pl.insert %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] : !pl.tile<1x48xf32> into !pl.tile<16x48xf32>
  %a = pl.insert %row into %t[%r, %c] : !pl.tile<1x48xf32> into !pl.tile<16x48xf32>
  // CHECK: pl.slice %[[A]][%{{.*}}, %{{.*}}] : !pl.tile<16x48xf32> -> !pl.tile<4x8xf32>
  %s = pl.slice %a[%r, %c] : !pl.tile<16x48xf32> -> !pl.tile<4x8xf32>
  // CHECK: %[[V:.*]] = pl.tile_read %{{.*}}[%{{.*}}, %{{.*}}] : !pl.tile<4x8xf32> -> f32
  %v = pl.tile_read %s[%r, %c] : !pl.tile<4x8xf32> -> f32
  // CHECK: pl.tile_write %[[V]] into %[[A]][%{{.*}}, %{{.*}}] : f32 into !pl.tile<16x48xf32>
  %w = pl.tile_write %v into %a[%r, %c] : f32 into !pl.tile<16x48xf32>
  return %w : !pl.tile<16x48xf32>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%a: !pl.tile<8x64xbf16, valid = ?x64>, %b: !pl.tile<8x16xbf16, valid = ?x16>, %k: !pl.tile<32x64xbf16, mat>) {
  // CHECK: pl.concat %{{.*}}, %{{.*}} : !pl.tile<8x64xbf16, valid = ?x64>, !pl.tile<8x16xbf16, valid = ?x16> -> !pl.tile<8x80xbf16, valid = ?x80>
  %c = pl.concat %a, %b : !pl.tile<8x64xbf16, valid = ?x64>, !pl.tile<8x16xbf16, valid = ?x16> -> !pl.tile<8x80xbf16, valid = ?x80>
  // CHECK: pl.fillpad_expand %{{.*}} min : !pl.tile<8x80xbf16, valid = ?x80> -> !pl.tile<16x128xbf16>
  %f = pl.fillpad_expand %c min : !pl.tile<8x80xbf16, valid = ?x80> -> !pl.tile<16x128xbf16>
  // CHECK: pl.transpose_view %{{.*}} : !pl.tile<32x64xbf16, mat> -> !pl.tile<64x32xbf16, mat>
  %v = pl.transpose_view %k : !pl.tile<32x64xbf16, mat> -> !pl.tile<64x32xbf16, mat>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%x: memref<8x8x64xf32>, %pool: memref<?x64xbf16>, %acc: !pl.tile<128x64xbf16, mat>, %turned: !pl.tile<64x128xbf16, mat>, %i: index, %n: index) {
  // CHECK: %[[T:.*]] = pl.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] sizes [2, 4, 64] : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
  %t = pl.load_box %x[%i, %i, %i] sizes [2, 4, 64] : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.load_box %{{.*}} sizes [2, 4, 64] valid(%{{.*}}, %{{.*}}, %{{.*}}) : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
  %p = pl.load_box %x[%i, %i, %i] sizes [2, 4, 64] valid(%n, %n, %n) : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.store_box %[[T]], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] sizes [2, 4, 64] : !pl.tile<8x64xf32>, memref<8x8x64xf32>
  pl.store_box %t, %x[%i, %i, %i] sizes [2, 4, 64] : !pl.tile<8x64xf32>, memref<8x8x64xf32>
  // CHECK: pl.store_box %{{.*}} sizes [2, 4, 64] atomic add : !pl.tile<8x64xf32>, memref<8x8x64xf32>
  pl.store_box %t, %x[%i, %i, %i] sizes [2, 4, 64] atomic add : !pl.tile<8x64xf32>, memref<8x8x64xf32>
  // CHECK: pl.gather_row %{{.*}}[%{{.*}}, %{{.*}}] size [1, 64] into %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
  %a = pl.gather_row %pool[%i, %i] size [1, 64] into %acc[%n, %i] : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
  // CHECK: pl.gather_row %{{.*}} size [128, 64] into %{{.*}} valid(%{{.*}}, %{{.*}}) : memref
  %b = pl.gather_row %pool[%i, %i] size [128, 64] into %a[%n, %i] valid(%n, %n) : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
  // CHECK: pl.gather_row %{{.*}} size [1, 64] into %{{.*}} transpose : memref
  %c = pl.gather_row %pool[%i, %i] size [1, 64] into %turned[%i, %n] transpose : memref<?x64xbf16> into !pl.tile<64x128xbf16, mat>
  return
}

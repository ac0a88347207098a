// RUN: pl-opt %s -pl-resolve-views -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @windows
func.func @windows(%x: memref<4x8x16xf32>, %y: memref<128xf32>, %first: index) {
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [256], sizes: [128], strides: [1] : memref<4x8x16xf32> to memref<128xf32, strided<[1], offset: 256>>
  %part = memref.subview %x[2, 0, 0] [1, 8, 16] [1, 1, 1] : memref<4x8x16xf32> to memref<1x8x16xf32, strided<[128, 16, 1], offset: 256>>
  %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %part : memref<1x8x16xf32, strided<[128, 16, 1], offset: 256>> -> memref<f32>, index, index, index, index, index, index, index
  %flat = memref.reinterpret_cast %base to offset: [256], sizes: [128], strides: [1] : memref<f32> to memref<128xf32, strided<[1], offset: 256>>
  pl.at "known" {
    %c0 = arith.constant 0 : index
    %t = pl.load %flat[%c0] : memref<128xf32, strided<[1], offset: 256>> -> !pl.tile<1x128xf32>
    pl.store %t, %y[%c0] : !pl.tile<1x128xf32>, memref<128xf32>
  }
  // CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c128
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[AT]]], sizes: [128], strides: [1] : memref<4x8x16xf32> to memref<128xf32, strided<[1], offset: ?>>
  %place = memref.subview %x[%first, 0, 0] [1, 8, 16] [1, 1, 1] : memref<4x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
  %base2, %offset2, %sizes2:2, %strides2:2 = memref.extract_strided_metadata %place : memref<8x16xf32, strided<[16, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  %flat2 = memref.reinterpret_cast %base2 to offset: [%offset2], sizes: [128], strides: [1] : memref<f32> to memref<128xf32, strided<[1], offset: ?>>
  pl.at "run_time" {
    %c0 = arith.constant 0 : index
    %t = pl.load %flat2[%c0] : memref<128xf32, strided<[1], offset: ?>> -> !pl.tile<1x128xf32>
    pl.store %t, %y[%c0] : !pl.tile<1x128xf32>, memref<128xf32>
  }
  // CHECK-NOT: memref.extract_strided_metadata
  return
}

// Views of tensors as pointers and pitches: windows of windows, a reshaped
// tensor, a dropped axis, a transposed load is in matmul.mlir; a column.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aiv/views.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_VEC__ -I %source_dir/include/pl/HostShim/isa %t.cpp

// The pitch is that of the tensor, not of the window: 64.
// CHECK: w_gm((x + n * 64) + 3, Shape<1, 1, 1, 4, 8>(), Stride<256, 256, 256, 64, 1>());
// A window of the window.
// CHECK: w2_gm(((x + n * 64) + n_1 * 64) + 19, Shape<1, 1, 1, 4, 8>(), Stride<256, 256, 256, 64, 1>());
// [T, 64] seen as [T * 8, 8].
// CHECK: r_gm(x + n * 8, Shape<1, 1, 1, 4, 8>(), Stride<32, 32, 32, 8, 1>());
// One layer of [3, T, 64].
// CHECK: l_gm((layers + (n * T) * 64) + 128, Shape<1, 1, 1, 4, 8>(), Stride<256, 256, 256, 64, 1>());
// The extent of a window is its own; that of the tensor is a parameter.
// CHECK: Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, -1, 8> v(T);
// A column of a tensor of one column.
// CHECK: GlobalTensor<float, Shape<1, 1, 1, 8, 1>, Stride<8, 8, 8, 1, 8>, Layout::DN> c_gm(col, Shape<1, 1, 1, 8, 1>(), Stride<8, 8, 8, 1, 8>());
// CHECK: views(x, layers, col, y, n, T, block_idx, block_num);

!t = !pl.buffer<4x8xf32, vec, nd>
module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @views(
      %x: memref<?x64xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %layers: memref<3x?x64xf32> {pl.name = "layers", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %col: memref<8x1xf32> {pl.name = "col", pl.direction = #pl.direction<in>},
      %y: memref<4x8xf32> {pl.name = "y", pl.direction = #pl.direction<out>},
      %n: index {pl.name = "n"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %n1 = arith.addi %n, %c1 : index
    %window = memref.subview %x[%n, 3] [8, 32] [1, 1] : memref<?x64xf32> to memref<8x32xf32, strided<[64, 1], offset: ?>>
    %w = pl.buffer "w" at 0 : !t
    pl.load %window[%c0, %c0] : memref<8x32xf32, strided<[64, 1], offset: ?>> into %w : !t
    %inner = memref.subview %window[%n1, 16] [4, 8] [1, 1] : memref<8x32xf32, strided<[64, 1], offset: ?>> to memref<4x8xf32, strided<[64, 1], offset: ?>>
    %w2 = pl.buffer "w2" at 128 : !t
    pl.load %inner[%c0, %c0] : memref<4x8xf32, strided<[64, 1], offset: ?>> into %w2 : !t
    %t = memref.dim %x, %c0 : memref<?x64xf32>
    %t8 = arith.muli %t, %c8 : index
    %flat = memref.reinterpret_cast %x to offset: [0], sizes: [%t8, 8], strides: [8, 1] : memref<?x64xf32> to memref<?x8xf32, strided<[8, 1]>>
    %r = pl.buffer "r" at 256 : !t
    pl.load %flat[%n, %c0] : memref<?x8xf32, strided<[8, 1]>> into %r : !t
    %layer = memref.subview %layers[%n, 0, 0] [1, %t, 64] [1, 1, 1] : memref<3x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %l = pl.buffer "l" at 384 : !t
    pl.load %layer[%c2, %c0] : memref<?x64xf32, strided<[64, 1], offset: ?>> into %l : !t
    %extent = memref.dim %layer, %c0 : memref<?x64xf32, strided<[64, 1], offset: ?>>
    %v = pl.buffer "v" valid(%extent) at 512 : !pl.buffer<4x8xf32, vec, nd, valid = ?x8>
    pl.move %l : !t into %v : !pl.buffer<4x8xf32, vec, nd, valid = ?x8>
    %c = pl.buffer "c" at 640 : !pl.buffer<8x1xf32, vec, dn>
    pl.load %col[%c0, %c0] : memref<8x1xf32> into %c : !pl.buffer<8x1xf32, vec, dn>
    pl.store %v, %y[%c0, %c0] : !pl.buffer<4x8xf32, vec, nd, valid = ?x8>, memref<4x8xf32>
  }
}

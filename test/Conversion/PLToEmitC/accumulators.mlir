// An accumulator that goes on under another name, whose valid extents are
// spelled differently: both names have one type. Operands keep theirs.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aic/product.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_CUBE__ -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK: Tile<TileType::Right, bfloat16_t, 16, 32, BLayout::RowMajor, 16, 24, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Normal> right;
// CHECK: Tile<TileType::Acc, float, 16, 32, BLayout::ColMajor, 16, -1, SLayout::RowMajor, 1024> acc(24);
// CHECK: Tile<TileType::Acc, float, 16, 32, BLayout::ColMajor, 16, -1, SLayout::RowMajor, 1024> acc_carried(n);
// CHECK: TMATMUL(acc, left, right);
// CHECK: TMATMUL_ACC(acc, acc_carried, left, right);

module attributes {pl.phase = "tiles"} {
  pl.kernel aic @product(
      %c: memref<16x32xf32> {pl.name = "c", pl.direction = #pl.direction<out>},
      %n: index {pl.name = "n"}) {
    %c0 = arith.constant 0 : index
    %left = pl.buffer "left" at 0 : !pl.buffer<16x16xbf16, left, zz>
    %right = pl.buffer "right" at 0 : !pl.buffer<16x32xbf16, right, zn, valid = 16x24>
    %acc = pl.buffer "acc" at 0 : !pl.buffer<16x32xf32, acc, nz, valid = 16x24>
    %carried = pl.buffer "acc_carried" valid(%n) at 0 : !pl.buffer<16x32xf32, acc, nz, valid = 16x?>
    pl.matmul %left, %right : !pl.buffer<16x16xbf16, left, zz>, !pl.buffer<16x32xbf16, right, zn, valid = 16x24> into %acc : !pl.buffer<16x32xf32, acc, nz, valid = 16x24>
    pl.matmul_acc %carried, %left, %right : !pl.buffer<16x32xf32, acc, nz, valid = 16x?>, !pl.buffer<16x16xbf16, left, zz>, !pl.buffer<16x32xbf16, right, zn, valid = 16x24> into %acc : !pl.buffer<16x32xf32, acc, nz, valid = 16x24>
    pl.store %acc, %c[%c0, %c0] : !pl.buffer<16x32xf32, acc, nz, valid = 16x24>, memref<16x32xf32>
    pl.pipe_barrier all
  }
}

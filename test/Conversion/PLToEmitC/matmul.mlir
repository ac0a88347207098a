// A cube kernel: fractal tiles, transposed operand, accumulation, atomic add,
// a carried scalar, a branch; 17 rows and K = 48.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aic/product.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_CUBE__ -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK:      static __aicore__ void product(__gm__ bfloat16_t* v1, __gm__ bfloat16_t* v2, __gm__ float* v3, int64_t v4, int32_t v5, int32_t v6) {
// CHECK-NEXT: #if defined(__DAV_CUBE__)
// CHECK-NEXT: __gm__ bfloat16_t* a = v1;
// CHECK-NEXT: __gm__ bfloat16_t* b = v2;
// CHECK-NEXT: __gm__ float* c = v3;
// CHECK-NEXT: const int64_t K = v4;
// CHECK:      Tile<TileType::Mat, bfloat16_t, 32, 48, BLayout::ColMajor, 17, 48, SLayout::RowMajor, 512> a_l1;
// CHECK-NEXT: TASSIGN<0x0>(a_l1);
// CHECK:      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 17, 48>, Stride<1536, 1536, 1536, 48, 1>, Layout::ND> a_l1_gm(a, Shape<1, 1, 1, 17, 48>(), Stride<1536, 1536, 1536, 48, 1>());
// CHECK-NEXT: TLOAD(a_l1, a_l1_gm);
// CHECK:      Tile<TileType::Mat, bfloat16_t, 48, 32, BLayout::RowMajor, 48, 32, SLayout::ColMajor, 512> b_l1;
// CHECK-NEXT: TASSIGN<0x1000>(b_l1);
// CHECK-NEXT: Tile<TileType::Mat, bfloat16_t, 32, 48, BLayout::ColMajor, 32, 48, SLayout::RowMajor, 512> b_l1_stored;
// CHECK-NEXT: TASSIGN<0x1000>(b_l1_stored);
// CHECK:      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 48>, Stride<-1, -1, -1, -1, 1>, Layout::ND> b_l1_gm(b, Shape<1, 1, 1, 32, 48>(), Stride<-1, -1, -1, -1, 1>(K, K, K, K));
// CHECK-NEXT: TLOAD(b_l1_stored, b_l1_gm);
// CHECK-NEXT: set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
// CHECK-NEXT: wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
// CHECK:      Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 17, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Normal> acc;
// CHECK-NEXT: TASSIGN<0x0>(acc);
// CHECK:      Tile<TileType::Left, bfloat16_t, 32, 16, BLayout::RowMajor, 17, 16, SLayout::RowMajor, 512> left;
// CHECK-NEXT: TASSIGN<0x0>(left);
// CHECK:      Tile<TileType::Right, bfloat16_t, 16, 32, BLayout::RowMajor, 16, 32, SLayout::ColMajor, 512> right;
// CHECK-NEXT: TASSIGN<0x0>(right);
// CHECK-NEXT: // turns
// CHECK-NEXT: int64_t v7;
// CHECK-NEXT: v7 = 0;
// CHECK-NEXT: // p.plk:9
// CHECK-NEXT: for (int64_t i8 = 0; i8 < 48; i8 += 16) {
// CHECK-NEXT: const int64_t carried = v7;
// CHECK:      TEXTRACT(left, a_l1, 0, 16);
// CHECK:      TEXTRACT(right, b_l1, 16, 0);
// CHECK:      if (i8 == 0) {
// CHECK:      TMATMUL(acc, left, right);
// CHECK-NEXT: } else {
// CHECK:      TMATMUL_ACC(acc, acc, left, right);
// CHECK-NEXT: }
// CHECK-NEXT: v7 = carried + 1;
// CHECK-NEXT: }
// CHECK-NEXT: const int64_t turns = v7;
// CHECK:      GlobalTensor<float, Shape<1, 1, 1, 17, 32>, Stride<1024, 1024, 1024, 32, 1>, Layout::ND> acc_gm(c + turns % 1, Shape<1, 1, 1, 17, 32>(), Stride<1024, 1024, 1024, 32, 1>());
// CHECK-NEXT: TSTORE<decltype(acc), decltype(acc_gm), AtomicType::AtomicAdd>(acc_gm, acc);
// CHECK-NEXT: pipe_barrier(PIPE_ALL);
// CHECK-NEXT: #endif // __DAV_CUBE__
// CHECK-NEXT: return;

module attributes {pl.phase = "tiles"} {
  pl.kernel aic @product(
      %a: memref<17x48xbf16> {pl.name = "a", pl.direction = #pl.direction<in>},
      %b: memref<32x?xbf16> {pl.name = "b", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"K">]},
      %c: memref<17x32xf32> {pl.name = "c", pl.direction = #pl.direction<inout>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %a_l1 = pl.buffer "a_l1" at 0 : !pl.buffer<32x48xbf16, mat, nz, valid = 17x48>
    pl.load %a[%c0, %c0] : memref<17x48xbf16> into %a_l1 : !pl.buffer<32x48xbf16, mat, nz, valid = 17x48>
    // [48, 32], laid out transposed.
    %b_l1 = pl.buffer "b_l1" at 4096 : !pl.buffer<48x32xbf16, mat, zn>
    pl.load %b[%c0, %c0] transpose : memref<32x?xbf16> into %b_l1 : !pl.buffer<48x32xbf16, mat, zn>
    pl.set_flag mte2 to mte1 event 0
    pl.wait_flag mte2 to mte1 event 0
    %acc = pl.buffer "acc" at 0 : !pl.buffer<32x32xf32, acc, nz, valid = 17x32>
    %left = pl.buffer "left" at 0 : !pl.buffer<32x16xbf16, left, zz, valid = 17x16>
    %right = pl.buffer "right" at 0 : !pl.buffer<16x32xbf16, right, zn>
    %n = scf.for %k = %c0 to %c48 step %c16 iter_args(%turn = %c0) -> (index) {
      pl.extract %a_l1[0, 16] : !pl.buffer<32x48xbf16, mat, nz, valid = 17x48> into %left : !pl.buffer<32x16xbf16, left, zz, valid = 17x16>
      pl.extract %b_l1[16, 0] : !pl.buffer<48x32xbf16, mat, zn> into %right : !pl.buffer<16x32xbf16, right, zn>
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        pl.matmul %left, %right : !pl.buffer<32x16xbf16, left, zz, valid = 17x16>, !pl.buffer<16x32xbf16, right, zn> into %acc : !pl.buffer<32x32xf32, acc, nz, valid = 17x32>
      } else {
        pl.matmul_acc %acc, %left, %right : !pl.buffer<32x32xf32, acc, nz, valid = 17x32>, !pl.buffer<32x16xbf16, left, zz, valid = 17x16>, !pl.buffer<16x32xbf16, right, zn> into %acc : !pl.buffer<32x32xf32, acc, nz, valid = 17x32>
      }
      %next = arith.addi %turn, %c1 : index
      scf.yield %next : index
    } loc("turns"("p.plk":9:2))
    %col = arith.remsi %n, %c1 : index
    pl.store %acc, %c[%c0, %col] atomic add : !pl.buffer<32x32xf32, acc, nz, valid = 17x32>, memref<17x32xf32>
    pl.pipe_barrier all
  }
}

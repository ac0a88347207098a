// The shape of a kernel's file, and the instructions of a vector kernel.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aiv/scale_rows.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_VEC__ -I %source_dir/include/pl/HostShim/isa %t.cpp
// RUN: pl-opt %t.mlir | FileCheck %s --check-prefix=IR

// IR: module attributes {pl.phase = "emitc"}
// IR: emitc.file "kernels/aiv/scale_rows.cpp" attributes {pl.kernel = {arguments = ["x", "gamma", "y", "n", "eps"], core = "aiv", func_id = 0 : i64, name = "scale_rows", signature = ["in", "in", "out"]}}
// IR: call_opaque "TMUL"

// CHECK:      // scale_rows: a kernel for the vector cores.
// CHECK-NEXT: #include <cstdint>
// CHECK:      #ifndef __gm__
// CHECK:      #define __aicore__ [aicore]
// CHECK:      #include <pto/pto-inst.hpp>
// CHECK-NEXT: #include "tensor.h"
// CHECK-NEXT: #include "intrinsic.h"
// CHECK:      using namespace pto;
// CHECK:      static __aicore__ void scale_rows(__gm__ float* v1, __gm__ bfloat16_t* v2, __gm__ float* v3, int64_t v4, float v5, int32_t v6, int32_t v7) {
// CHECK-NEXT:   #if defined(__DAV_VEC__)
// CHECK-NEXT:   set_mask_norm();
// CHECK-NEXT:   set_vector_mask(-1, -1);
// CHECK-NEXT:   __gm__ float* x = v1;
// CHECK-NEXT:   __gm__ float* y = v3;
// CHECK-NEXT:   const int64_t n = v4;
// CHECK-NEXT:   const float eps = v5;
// CHECK-NEXT:   const int64_t block_idx = v6;
// CHECK-NEXT:   const int64_t row = block_idx * 8;
// CHECK-NEXT:   const int64_t rows = n - row < 8 ? n - row : 8;
// CHECK-NEXT:   // a.plk:5
// A tile named like its tensor gets a name of its own.
// CHECK-NEXT:   Tile<TileType::Vec, float, 8, 48, BLayout::RowMajor, -1, 48> x_tile(rows);
// CHECK-NEXT:   TASSIGN<0x0>(x_tile);
// CHECK-NEXT:   GlobalTensor<float, Shape<1, 1, 1, -1, 48>, Stride<384, 384, 384, 48, 1>, Layout::ND> x_tile_gm(x + row * 48, Shape<1, 1, 1, -1, 48>(rows), Stride<384, 384, 384, 48, 1>());
// CHECK-NEXT:   TLOAD(x_tile, x_tile_gm);
// CHECK-NEXT:   set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK-NEXT:   wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK:        TMUL(sq, x_tile, x_tile);
// CHECK-NEXT:   pipe_barrier(PIPE_V);
// CHECK:        Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, -1, 1> sum(rows);
// CHECK-NEXT:   TASSIGN<0x2000>(sum);
// Elementwise instructions run along rows: a column is computed on as a row.
// CHECK-NEXT:   Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, -1> sum_row(rows);
// CHECK-NEXT:   TASSIGN<0x2000>(sum_row);
// CHECK-NEXT:   TROWSUM(sum, sq, sum_scratch);
// CHECK:        TMULS(sum_row, sum_row, 0.020833334f);
// CHECK-NEXT:   TADDS(sum_row, sum_row, eps);
// CHECK:        TSTORE<decltype(sq), decltype(sq_gm), AtomicType::AtomicAdd>(sq_gm, sq);
// CHECK-NEXT:   pipe_barrier(PIPE_ALL);
// CHECK-NEXT:   #endif // __DAV_VEC__

// CHECK:      extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* v1) {
// CHECK:        set_atomic_none();
// CHECK:        __gm__ ChipTensor* x_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
// CHECK-NEXT:   __gm__ float* x = reinterpret_cast<__gm__ float*>(x_tensor->buffer.addr) + x_tensor->start_offset;
// CHECK:        const int64_t n = static_cast<int64_t>(args[3]);
// CHECK-NEXT:   const float eps = from_u64<float>(static_cast<uint64_t>(args[4]));
// CHECK-NEXT:   const int32_t block_idx = get_block_idx(args);
// CHECK-NEXT:   const int32_t block_num = get_block_num(args);
// CHECK-NEXT:   scale_rows(x, gamma, y, n, eps, block_idx, block_num);

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @scale_rows(
      %x: memref<?x48xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %gamma: memref<1x48xbf16> {pl.name = "gamma", pl.direction = #pl.direction<in>},
      %y: memref<?x48xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"T">]},
      %n: index {pl.name = "n"}, %eps: f32 {pl.name = "eps"}) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c17 = arith.constant 17 : index
    %scale = arith.constant 2.083333395421505e-02 : f32
    %b = pl.block_idx
    %row = arith.muli %b, %c8 : index loc("row"("a.plk":3:4))
    %left = arith.subi %n, %row : index
    %rows = arith.minsi %left, %c8 : index loc("rows"("a.plk":4:4))
    %t = pl.buffer "x" valid(%rows) at 0 : !pl.buffer<8x48xf32, vec, nd, valid = ?x48> loc("a.plk":5:4)
    pl.load %x[%row, %c0] : memref<?x48xf32> into %t : !pl.buffer<8x48xf32, vec, nd, valid = ?x48> loc("a.plk":5:4)
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
    %sq = pl.buffer "sq" valid(%rows) at 2048 : !pl.buffer<8x48xf32, vec, nd, valid = ?x48> loc("a.plk":6:4)
    pl.mul %t, %t : !pl.buffer<8x48xf32, vec, nd, valid = ?x48>, !pl.buffer<8x48xf32, vec, nd, valid = ?x48> into %sq : !pl.buffer<8x48xf32, vec, nd, valid = ?x48> loc("a.plk":6:4)
    pl.pipe_barrier v
    %tmp = pl.buffer "sum_scratch" valid(%rows) at 4096 : !pl.buffer<8x48xf32, vec, nd, valid = ?x48>
    %sum = pl.buffer "sum" valid(%rows) at 8192 : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> loc("a.plk":7:4)
    pl.row_sum %sq : !pl.buffer<8x48xf32, vec, nd, valid = ?x48> into %sum : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> scratch(%tmp : !pl.buffer<8x48xf32, vec, nd, valid = ?x48>) loc("a.plk":7:4)
    pl.muls %sum, %scale : !pl.buffer<8x1xf32, vec, dn, valid = ?x1>, f32 into %sum : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> loc("a.plk":8:4)
    pl.adds %sum, %eps : !pl.buffer<8x1xf32, vec, dn, valid = ?x1>, f32 into %sum : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> loc("a.plk":8:4)
    pl.store %sq, %y[%row, %c0] atomic add : !pl.buffer<8x48xf32, vec, nd, valid = ?x48>, memref<?x48xf32>
  }
}

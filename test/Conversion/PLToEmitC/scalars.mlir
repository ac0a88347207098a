// Numbers: division that floors, comparisons, carried values, scalars in
// memory, names that C++ or the tile ISA does not leave to the user.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aiv/TADD_.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_VEC__ -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK:      static __aicore__ void TADD_(__gm__ int32_t* v1, __gm__ float* v2, int64_t v3, int64_t v4, int32_t v5, float v6, int64_t v7, int32_t v8, int32_t v9) {
// CHECK-NEXT: #if defined(__DAV_VEC__)
// CHECK-NEXT: set_mask_norm();
// CHECK-NEXT: set_vector_mask(-1, -1);
// CHECK-NEXT: __gm__ int32_t* class_ = v1;
// CHECK-NEXT: __gm__ float* out = v2;
// CHECK-NEXT: const int64_t TMUL_ = v3;
// CHECK-NEXT: const int64_t v1_ = v4;
// CHECK-NEXT: const int32_t i1_ = v5;
// CHECK-NEXT: const float x = v6;
// CHECK-NEXT: const int64_t T = v7;
// CHECK-NEXT: const int64_t block_idx = v8;
// CHECK-NEXT: const int64_t block_num = v9;
// CHECK-NEXT: const int64_t floor = TMUL_ / 17 - (int64_t) (TMUL_ % 17 < 0);
// CHECK-NEXT: const int64_t any = floor / v1_ - (int64_t) (floor % v1_ != 0 && floor < 0 != v1_ < 0);
// CHECK-NEXT: const int64_t ceil = T / 3 + (int64_t) (T % 3 > 0);
// CHECK-NEXT: const int64_t delete_ = ceil > any ? ceil : any;
// CHECK:      Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16> for_;
// CHECK-NEXT: TASSIGN<0x0>(for_);
// CHECK-NEXT: // total
// CHECK-NEXT: float v10;
// CHECK-NEXT: v10 = 0.0f;
// CHECK-NEXT: // s.plk:5
// CHECK-NEXT: for (int64_t i11 = block_idx; i11 < delete_; i11 += block_num) {
// CHECK-NEXT: const float carried = v10;
// CHECK-NEXT: // s.plk:6
// CHECK-NEXT: __gm__ int32_t* slot_at = class_ + i11;
// CHECK-NEXT: dcci(slot_at, cache_line_t::SINGLE_CACHE_LINE);
// CHECK-NEXT: const int32_t slot = *slot_at;
// CHECK-NEXT: // scaled
// CHECK-NEXT: float v12;
// CHECK-NEXT: // s.plk:7
// CHECK-NEXT: if (slot >= -5 && (uint32_t) slot < (uint32_t) i1_) {
// CHECK:      TEXPANDS(for_, -__builtin_inff());
// CHECK:      GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>, Layout::ND> for_gm((out + T * 48) + (int64_t) slot * 16, Shape<1, 1, 1, 1, 16>(), Stride<16, 16, 16, 16, 1>());
// CHECK-NEXT: TSTORE(for_gm, for_);
// CHECK-NEXT: v12 = (float) slot;
// CHECK-NEXT: } else {
// CHECK-NEXT: v12 = x;
// CHECK-NEXT: }
// CHECK-NEXT: const float scaled = v12;
// CHECK-NEXT: v10 = carried + scaled;
// CHECK-NEXT: }
// CHECK-NEXT: const float total = v10;
// CHECK-NEXT: // s.plk:9
// CHECK-NEXT: __gm__ float* total_at = out + 16;
// CHECK-NEXT: *total_at = total;
// CHECK-NEXT: dcci(total_at, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);
// CHECK-NEXT: pipe_barrier(PIPE_ALL);
// CHECK-NEXT: #endif // __DAV_VEC__
// CHECK-NEXT: return;

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @TADD(
      %slots: memref<?xi32> {pl.name = "class", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %out: memref<4x?x16xf32> {pl.name = "out", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"T">]},
      %n: index {pl.name = "TMUL"}, %m: index {pl.name = "v1"}, %w: i32 {pl.name = "i1"}, %p: f32 {pl.name = "__x"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c17 = arith.constant 17 : index
    %cn5 = arith.constant -5 : i32
    %false = arith.constant false
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %b = pl.block_idx
    %nb = pl.block_num
    %t = memref.dim %slots, %c0 : memref<?xi32>
    %floor = arith.floordivsi %n, %c17 : index loc("floor"("s.plk":1:1))
    %any = arith.floordivsi %floor, %m : index loc("any"("s.plk":2:1))
    %ceil = arith.ceildivsi %t, %c3 : index loc("ceil"("s.plk":3:1))
    %big = arith.maxsi %ceil, %any : index loc("delete"("s.plk":4:1))
    %tile = pl.buffer "for" at 0 : !pl.buffer<1x16xf32, vec, nd>
    %last = scf.for %i = %b to %big step %nb iter_args(%sum = %zero) -> (f32) {
      %slot = pl.read %slots[%i] : memref<?xi32> -> i32 loc("slot"("s.plk":6:1))
      %valid = arith.cmpi sge, %slot, %cn5 : i32
      %both = arith.cmpi ult, %slot, %w : i32
      %and = arith.andi %valid, %both : i1
      %scaled = scf.if %and -> (f32) {
        %at = arith.index_cast %slot : i32 to index
        pl.full %inf : f32 into %tile : !pl.buffer<1x16xf32, vec, nd>
        pl.store %tile, %out[%c3, %at, %c0] : !pl.buffer<1x16xf32, vec, nd>, memref<4x?x16xf32>
        %wide = arith.sitofp %slot : i32 to f32
        scf.yield %wide : f32
      } else {
        scf.yield %p : f32
      } loc("scaled"("s.plk":7:1))
      %sum2 = arith.addf %sum, %scaled : f32
      scf.yield %sum2 : f32
    } loc("total"("s.plk":5:1))
    pl.write %last, %out[%c0, %c1, %c0] : f32, memref<4x?x16xf32> loc("s.plk":9:1)
  }
}

// From what the user wrote to C++, for a program with odd extents: blocks of
// up to 8 rows of 48, a product over K = 48 of 17 rows, a late join.
// DEFINE: %{file} =
// DEFINE: %{translate} = mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=%{file} %t.mlir -o %t.cpp
// DEFINE: %{compile} = %cxx -std=c++17 -Wall -Werror -fsyntax-only -I %source_dir/include/pl/HostShim/isa %t.cpp
// RUN: pl-opt %s -pass-pipeline='builtin.module(inline,symbol-dce,func.func(canonicalize,cse,pl-derive-dependencies),pl-outline-kernels,pl-check-phase{phase=tasks},pl.kernel(pl-legalize-casts,pl-legalize-gathers,pl-tile-matmul,pl-assign-memory-spaces,pl-pipeline-loops,canonicalize,cse,pl-bufferize-tiles,pl-plan-memory,pl-insert-sync),pl-check-phase{phase=tiles},convert-pl-to-emitc)' -o %t.mlir
// REDEFINE: %{file} = kernels/aiv/seed.cpp
// RUN: %{translate}
// RUN: FileCheck %s --check-prefix=SEED < %t.cpp
// RUN: %{compile} -D__CPU_SIM -D__DAV_VEC__
// REDEFINE: %{file} = kernels/aic/product.cpp
// RUN: %{translate}
// RUN: FileCheck %s --check-prefix=PRODUCT < %t.cpp
// RUN: %{compile} -D__CPU_SIM -D__DAV_CUBE__
// REDEFINE: %{file} = kernels/aiv/norm.cpp
// RUN: %{translate}
// RUN: FileCheck %s --check-prefix=NORM < %t.cpp
// RUN: %{compile} -D__CPU_SIM -D__DAV_VEC__
// REDEFINE: %{file} = orchestration/odd.cpp
// RUN: %{translate}
// RUN: FileCheck %s --check-prefix=ODD < %t.cpp
// RUN: %{compile}

// SEED: TEXPANDS(
// SEED: TSTORE(

// PRODUCT: #if defined(__DAV_CUBE__)
// PRODUCT: const int64_t rows = T - row < 16 ? T - row : 16;
// PRODUCT: Tile<TileType::Mat, bfloat16_t, 16, 48, BLayout::ColMajor, -1, 48, SLayout::RowMajor, 512> a(rows);
// PRODUCT: TEXTRACT(
// PRODUCT: TMATMUL(
// PRODUCT: AtomicType::AtomicAdd>(

// NORM: TROWSUM(sum, sq, tmp);
// NORM: TRSQRT(
// NORM: TROWEXPANDMUL(
// NORM: TCVT({{.*}}, RoundMode::CAST_RINT, SaturationMode::OFF);

// ODD: const int64_t blocks = (tokens + 7) / 8;
// ODD: // waits for late_task: user
// ODD: // waits for seed_task: raw kv
// ODD: // waits for product_task: raw kv
// ODD: norm_args.set_dependencies(norm_deps, 4);

module attributes {pl.phase = "pl"} {
  func.func @odd(
      %x: memref<?x48xbf16> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %w: memref<48x32xbf16> {pl.name = "w", pl.direction = #pl.direction<in>},
      %gamma: memref<1x32xf32> {pl.name = "gamma", pl.direction = #pl.direction<in>},
      %y: memref<?x32xbf16> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"T">]})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %t = memref.dim %x, %c0 : memref<?x48xbf16> loc("tokens"("odd.plk":3:1))
    %kv = pl.alloc "kv"(%t) : memref<?x32xf32>
    %up = arith.addi %t, %c7 : index
    %blocks = arith.floordivsi %up, %c8 : index loc("blocks"("odd.plk":4:1))
    %seed = pl.spmd "seed" blocks(%blocks) {
    ^bb0(%b: index):
      %row = arith.muli %b, %c8 : index loc("row"("odd.plk":6:1))
      %rest = arith.subi %t, %row : index
      %n = arith.minsi %rest, %c8 : index loc("rows"("odd.plk":7:1))
      %z = pl.full %zero : f32 -> !pl.tile<8x32xf32>
      %zv = pl.set_valid %z valid(%n) : !pl.tile<8x32xf32> -> !pl.tile<8x32xf32, valid = ?x32>
      pl.store %zv, %kv[%row, %c0] : !pl.tile<8x32xf32, valid = ?x32>, memref<?x32xf32>
    }
    %up16 = arith.addi %up, %c8 : index
    %mm_blocks = arith.floordivsi %up16, %c16 : index loc("mm_blocks"("odd.plk":8:1))
    %mm = pl.spmd "product" blocks(%mm_blocks) deps(%seed : [#pl.edge<user>]) {
    ^bb0(%b: index):
      %row = arith.muli %b, %c16 : index loc("row"("odd.plk":9:1))
      %rest = arith.subi %t, %row : index
      %n = arith.minsi %rest, %c16 : index loc("rows"("odd.plk":10:1))
      %a = pl.load %x[%row, %c0] valid(%n) : memref<?x48xbf16> -> !pl.tile<16x48xbf16, valid = ?x48> loc("a"("odd.plk":11:1))
      %b2 = pl.load %w[%c0, %c0] : memref<48x32xbf16> -> !pl.tile<48x32xbf16> loc("w"("odd.plk":12:1))
      %p = pl.matmul %a, %b2 : !pl.tile<16x48xbf16, valid = ?x48>, !pl.tile<48x32xbf16> -> !pl.tile<16x32xf32, valid = ?x32> loc("p"("odd.plk":13:1))
      pl.store %p, %kv[%row, %c0] atomic add : !pl.tile<16x32xf32, valid = ?x32>, memref<?x32xf32> loc("odd.plk":14:1)
    }
    %late = pl.dummy "late" deps(%mm : [#pl.edge<user>])
    %norm = pl.spmd "norm" blocks(%blocks) deps(%late : [#pl.edge<user>]) {
    ^bb0(%b: index):
      %row = arith.muli %b, %c8 : index loc("row"("odd.plk":16:1))
      %rest = arith.subi %t, %row : index
      %n = arith.minsi %rest, %c8 : index loc("rows"("odd.plk":17:1))
      %eps = arith.constant 1.0e-6 : f32
      %inv = arith.constant 0.03125 : f32
      %k = pl.load %kv[%row, %c0] valid(%n) : memref<?x32xf32> -> !pl.tile<8x32xf32, valid = ?x32> loc("kv"("odd.plk":18:1))
      %sq = pl.mul %k, %k : !pl.tile<8x32xf32, valid = ?x32>, !pl.tile<8x32xf32, valid = ?x32> -> !pl.tile<8x32xf32, valid = ?x32> loc("sq"("odd.plk":19:1))
      %sum = pl.row_sum %sq : !pl.tile<8x32xf32, valid = ?x32> -> !pl.tile<8x1xf32, valid = ?x1> loc("sum"("odd.plk":20:1))
      %srow = pl.reshape %sum : !pl.tile<8x1xf32, valid = ?x1> -> !pl.tile<1x8xf32, valid = 1x?> loc("sum_row"("odd.plk":21:1))
      %mean = pl.muls %srow, %inv : !pl.tile<1x8xf32, valid = 1x?>, f32 -> !pl.tile<1x8xf32, valid = 1x?>
      %me = pl.adds %mean, %eps : !pl.tile<1x8xf32, valid = 1x?>, f32 -> !pl.tile<1x8xf32, valid = 1x?>
      %rs = pl.rsqrt %me : !pl.tile<1x8xf32, valid = 1x?> -> !pl.tile<1x8xf32, valid = 1x?>
      %col = pl.reshape %rs : !pl.tile<1x8xf32, valid = 1x?> -> !pl.tile<8x1xf32, valid = ?x1>
      %scaled = pl.row_expand_mul %k, %col : !pl.tile<8x32xf32, valid = ?x32>, !pl.tile<8x1xf32, valid = ?x1> -> !pl.tile<8x32xf32, valid = ?x32>
      %g = pl.load %gamma[%c0, %c0] : memref<1x32xf32> -> !pl.tile<1x32xf32> loc("gamma"("odd.plk":24:1))
      %out = pl.col_expand_mul %scaled, %g : !pl.tile<8x32xf32, valid = ?x32>, !pl.tile<1x32xf32> -> !pl.tile<8x32xf32, valid = ?x32>
      %half = pl.cast %out rint : !pl.tile<8x32xf32, valid = ?x32> -> !pl.tile<8x32xbf16, valid = ?x32>
      pl.store %half, %y[%row, %c0] : !pl.tile<8x32xbf16, valid = ?x32>, memref<?x32xbf16> loc("odd.plk":26:1)
    }
    return
  }
}

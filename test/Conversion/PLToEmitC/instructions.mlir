// One instruction for each op on the vector unit.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=kernels/aiv/all.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -D__CPU_SIM -D__DAV_VEC__ -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK:      Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8> col_row;
// CHECK:      TADD(d, a, b);
// CHECK:      TSUB(d, a, b);
// CHECK:      TMUL(d, a, b);
// CHECK:      TDIV(d, a, b);
// CHECK:      TMAX(d, a, b);
// CHECK:      TMIN(d, a, b);
// CHECK:      TADDS(d, a, 2.5f);
// CHECK:      TSUBS(d, a, 2.5f);
// CHECK:      TMULS(d, a, 2.5f);
// CHECK:      TDIVS(d, a, 2.5f);
// CHECK:      TMAXS(d, a, 2.5f);
// CHECK:      TMINS(d, a, 2.5f);
// CHECK:      TNEG(d, a);
// CHECK:      TABS(d, a);
// CHECK:      TEXP(d, a);
// CHECK:      TLOG(d, a);
// CHECK:      TSQRT(d, a);
// CHECK:      TRECIP(d, a);
// CHECK:      TRSQRT(d, a);
// CHECK:      TROWSUM(col, a, tmp);
// CHECK:      TROWMAX(col, a, tmp);
// CHECK:      TROWMIN(col, a, tmp);
// CHECK:      TCOLSUM(row, a);
// CHECK:      TCOLMAX(row, a);
// CHECK:      TROWEXPANDADD(d, a, col, blk);
// CHECK:      TROWEXPANDSUB(d, a, col, blk);
// CHECK:      TROWEXPANDMUL(d, a, col, blk);
// CHECK:      TROWEXPANDDIV(d, a, col, blk);
// CHECK:      TCOLEXPANDADD(d, a, row);
// CHECK:      TCOLEXPANDSUB(d, a, row);
// CHECK:      TCOLEXPANDMUL(d, a, row);
// CHECK:      TCOLEXPANDDIV(d, a, row);
// CHECK:      TROWEXPAND(d, col);
// CHECK:      TCOLEXPAND(d, row);
// CHECK:      TEXPANDS(d, 2.5f);
// CHECK:      TEXPANDS(i, 7);
// CHECK:      TCI<decltype(seq), int32_t, 0>(seq, 0);
// CHECK:      TCVT(h, a, RoundMode::CAST_RINT, SaturationMode::OFF);
// CHECK:      TCVT(bf, a, RoundMode::CAST_ROUND, SaturationMode::OFF);
// CHECK:      TCVT(i, a, RoundMode::CAST_TRUNC, SaturationMode::ON);
// CHECK:      TCVT(a, h, RoundMode::CAST_NONE, SaturationMode::OFF);
// CHECK:      TCVT(a, bf, RoundMode::CAST_NONE, SaturationMode::OFF);
// CHECK:      TCVT(a, i, RoundMode::CAST_RINT);
// CHECK:      TCVT(i, a, RoundMode::CAST_FLOOR, SaturationMode::ON);
// CHECK:      TCVT(i, a, RoundMode::CAST_CEIL, SaturationMode::ON);
// CHECK:      TCVT(q, h32, RoundMode::CAST_RINT, SaturationMode::ON);
// CHECK:      TCVT(h32, q, RoundMode::CAST_NONE);
// CHECK:      TMOV(d, a);
// CHECK:      TTRANS(tr, a, tmp);
// CHECK:      TGATHER(d, a, i, itmp);
// CHECK-NEXT: Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, 16, SLayout::NoneBox, 512, PadValue::Min> d_padded(8);
// CHECK:      TFILLPAD(d_padded, part);
// CHECK-NEXT: Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, 16> a_part(5);
// CHECK:      TEXP(part, a_part);
// CHECK-NEXT: Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 5, 1> col_part;
// CHECK:      TROWEXPANDMUL(part, part, col_part, blk);
// CHECK:      TMULS(col_row, col_row, 2.5f);
// CHECK:      GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<128, 128, 128, 16, 1>, Layout::ND> d_gm(y, Shape<1, 1, 1, 8, 16>(), Stride<128, 128, 128, 16, 1>());
// CHECK-NEXT: TSTORE(d_gm, d);
// CHECK:      GlobalTensor<float, Shape<1, 1, 1, 8, 1>, Stride<8, 8, 8, 1, 8>, Layout::DN> col_gm(c, Shape<1, 1, 1, 8, 1>(), Stride<8, 8, 8, 1, 8>());
// CHECK-NEXT: TSTORE(col_gm, col);

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @all(%x: memref<8x16xf32> {pl.name = "x", pl.direction = #pl.direction<in>}, %y: memref<8x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}, %c: memref<8x1xf32> {pl.name = "c", pl.direction = #pl.direction<out>}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %s = arith.constant 2.5 : f32
    %a = pl.buffer "a" at 0 : !pl.buffer<8x16xf32, vec, nd>
    %b = pl.buffer "b" at 512 : !pl.buffer<8x16xf32, vec, nd>
    %d = pl.buffer "d" at 1024 : !pl.buffer<8x16xf32, vec, nd>
    %tmp = pl.buffer "tmp" at 1536 : !pl.buffer<8x16xf32, vec, nd>
    %col = pl.buffer "col" at 2048 : !pl.buffer<8x1xf32, vec, dn>
    %row = pl.buffer "row" at 2112 : !pl.buffer<1x16xf32, vec, nd>
    %blk = pl.buffer "blk" at 2304 : !pl.buffer<8x8xf32, vec, nd>
    %h = pl.buffer "h" at 2560 : !pl.buffer<8x16xf16, vec, nd>
    %bf = pl.buffer "bf" at 2816 : !pl.buffer<8x16xbf16, vec, nd>
    %i = pl.buffer "i" at 3072 : !pl.buffer<8x16xi32, vec, nd>
    %itmp = pl.buffer "itmp" at 3584 : !pl.buffer<8x16xi32, vec, nd>
    %seq = pl.buffer "seq" at 4096 : !pl.buffer<1x16xi32, vec, nd>
    %tr = pl.buffer "tr" at 4608 : !pl.buffer<16x8xf32, vec, nd>
    %part = pl.buffer "part" at 5120 : !pl.buffer<8x16xf32, vec, nd, valid = 5x16>
    %h32 = pl.buffer "h32" at 5632 : !pl.buffer<8x32xf16, vec, nd>
    %q = pl.buffer "q" at 6656 : !pl.buffer<8x32xi8, vec, nd>
    pl.add %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.sub %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.mul %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.div %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.maximum %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.minimum %a, %b : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.adds %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.subs %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.muls %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.divs %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.maxs %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.mins %a, %s : !pl.buffer<8x16xf32, vec, nd>, f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.neg %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.abs %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.exp %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.log %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.sqrt %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.recip %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.rsqrt %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.row_sum %a : !pl.buffer<8x16xf32, vec, nd> into %col : !pl.buffer<8x1xf32, vec, dn> scratch(%tmp : !pl.buffer<8x16xf32, vec, nd>)
    pl.row_max %a : !pl.buffer<8x16xf32, vec, nd> into %col : !pl.buffer<8x1xf32, vec, dn> scratch(%tmp : !pl.buffer<8x16xf32, vec, nd>)
    pl.row_min %a : !pl.buffer<8x16xf32, vec, nd> into %col : !pl.buffer<8x1xf32, vec, dn> scratch(%tmp : !pl.buffer<8x16xf32, vec, nd>)
    pl.col_sum %a : !pl.buffer<8x16xf32, vec, nd> into %row : !pl.buffer<1x16xf32, vec, nd>
    pl.col_max %a : !pl.buffer<8x16xf32, vec, nd> into %row : !pl.buffer<1x16xf32, vec, nd>
    pl.row_expand_add %a, %col : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x1xf32, vec, dn> into %d : !pl.buffer<8x16xf32, vec, nd> scratch(%blk : !pl.buffer<8x8xf32, vec, nd>)
    pl.row_expand_sub %a, %col : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x1xf32, vec, dn> into %d : !pl.buffer<8x16xf32, vec, nd> scratch(%blk : !pl.buffer<8x8xf32, vec, nd>)
    pl.row_expand_mul %a, %col : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x1xf32, vec, dn> into %d : !pl.buffer<8x16xf32, vec, nd> scratch(%blk : !pl.buffer<8x8xf32, vec, nd>)
    pl.row_expand_div %a, %col : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x1xf32, vec, dn> into %d : !pl.buffer<8x16xf32, vec, nd> scratch(%blk : !pl.buffer<8x8xf32, vec, nd>)
    pl.col_expand_add %a, %row : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<1x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.col_expand_sub %a, %row : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<1x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.col_expand_mul %a, %row : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<1x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.col_expand_div %a, %row : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<1x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.row_expand %col : !pl.buffer<8x1xf32, vec, dn> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.col_expand %row : !pl.buffer<1x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.full %s : f32 into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.full %seven : i32 into %i : !pl.buffer<8x16xi32, vec, nd>
    pl.iota %zero : i32 into %seq : !pl.buffer<1x16xi32, vec, nd>
    pl.cast %a rint : !pl.buffer<8x16xf32, vec, nd> into %h : !pl.buffer<8x16xf16, vec, nd>
    pl.cast %a round : !pl.buffer<8x16xf32, vec, nd> into %bf : !pl.buffer<8x16xbf16, vec, nd>
    pl.cast %a trunc : !pl.buffer<8x16xf32, vec, nd> into %i : !pl.buffer<8x16xi32, vec, nd>
    pl.cast %h none : !pl.buffer<8x16xf16, vec, nd> into %a : !pl.buffer<8x16xf32, vec, nd>
    pl.cast %bf none : !pl.buffer<8x16xbf16, vec, nd> into %a : !pl.buffer<8x16xf32, vec, nd>
    pl.cast %i rint : !pl.buffer<8x16xi32, vec, nd> into %a : !pl.buffer<8x16xf32, vec, nd>
    pl.cast %a floor : !pl.buffer<8x16xf32, vec, nd> into %i : !pl.buffer<8x16xi32, vec, nd>
    pl.cast %a ceil : !pl.buffer<8x16xf32, vec, nd> into %i : !pl.buffer<8x16xi32, vec, nd>
    pl.cast %h32 rint : !pl.buffer<8x32xf16, vec, nd> into %q : !pl.buffer<8x32xi8, vec, nd>
    pl.cast %q none : !pl.buffer<8x32xi8, vec, nd> into %h32 : !pl.buffer<8x32xf16, vec, nd>
    pl.move %a : !pl.buffer<8x16xf32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.transpose %a : !pl.buffer<8x16xf32, vec, nd> into %tr : !pl.buffer<16x8xf32, vec, nd> scratch(%tmp : !pl.buffer<8x16xf32, vec, nd>)
    pl.gather %a, %i flat : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xi32, vec, nd> into %d : !pl.buffer<8x16xf32, vec, nd> scratch(%itmp : !pl.buffer<8x16xi32, vec, nd>)
    pl.fillpad %part min : !pl.buffer<8x16xf32, vec, nd, valid = 5x16> into %d : !pl.buffer<8x16xf32, vec, nd>
    pl.exp %a : !pl.buffer<8x16xf32, vec, nd> into %part : !pl.buffer<8x16xf32, vec, nd, valid = 5x16>
    pl.row_expand_mul %part, %col : !pl.buffer<8x16xf32, vec, nd, valid = 5x16>, !pl.buffer<8x1xf32, vec, dn> into %part : !pl.buffer<8x16xf32, vec, nd, valid = 5x16> scratch(%blk : !pl.buffer<8x8xf32, vec, nd>)
    pl.muls %col, %s : !pl.buffer<8x1xf32, vec, dn>, f32 into %col : !pl.buffer<8x1xf32, vec, dn>
    pl.store %d, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
    pl.store %col, %c[%c0, %c0] : !pl.buffer<8x1xf32, vec, dn>, memref<8x1xf32>
  }
}

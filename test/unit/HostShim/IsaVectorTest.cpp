//===- IsaVectorTest.cpp - vector instructions against plain loops --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Core.h"
#include "pl/HostShim/Math.h"
#include "pl/HostShim/isa/pto/pto-inst.hpp"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace pto;
using pl::shim::Core;
using pl::shim::CoreScope;

namespace {

/// A core with poisoned memories for each test, and tiles partly valid.
class IsaVector : public testing::Test {
protected:
  Core core;
  CoreScope scope{core};
  std::mt19937 random{1};

  template <typename T> void fill(T &tile) {
    std::uniform_real_distribution<float> values(-4, 4);
    for (unsigned r = 0; r < tile.GetValidRow(); ++r)
      for (unsigned c = 0; c < tile.GetValidCol(); ++c)
        tile.data()[r * T::RowStride + c * T::ColStride] =
            typename T::DType(values(random));
  }
  template <typename T> static auto &at(T &tile, unsigned r, unsigned c) {
    return tile.data()[r * T::RowStride + c * T::ColStride];
  }
  /// Valid elements equal what `expected` gives; all others are still poison.
  template <typename T, typename F> void expectTile(T &tile, F expected) {
    for (unsigned r = 0; r < unsigned(T::Rows); ++r)
      for (unsigned c = 0; c < unsigned(T::Cols); ++c) {
        typename T::DType want;
        if (r < tile.GetValidRow() && c < tile.GetValidCol())
          want = typename T::DType(expected(r, c));
        else
          std::memset(&want, pl::shim::kPoisonByte, sizeof(want));
        ASSERT_EQ(std::memcmp(&want, &at(tile, r, c), sizeof(want)), 0)
            << "at " << r << ", " << c << ": " << float(at(tile, r, c))
            << " instead of " << float(want);
      }
  }
};

using Full = Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, -1, -1>;
using Row = Tile<TileType::Vec, float, 1, 24, BLayout::RowMajor, 1, -1>;
using Column = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, -1, 1>;
using IntTile = Tile<TileType::Vec, int32_t, 8, 24, BLayout::RowMajor, -1, -1>;

TEST_F(IsaVector, BinaryRunsOverTheDestination) {
  Full a(8, 24), b(8, 20), d(5, 19);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(b);
  TASSIGN<0x800>(d);
  fill(a);
  fill(b);
  TADD(d, a, b);
  expectTile(d, [&](int r, int c) { return at(a, r, c) + at(b, r, c); });
  TSUB(d, a, b);
  expectTile(d, [&](int r, int c) { return at(a, r, c) - at(b, r, c); });
  TMUL(d, a, b);
  expectTile(d, [&](int r, int c) { return at(a, r, c) * at(b, r, c); });
  TDIV(d, a, b);
  expectTile(d, [&](int r, int c) { return at(a, r, c) / at(b, r, c); });
  TMAX(d, a, b);
  expectTile(d,
             [&](int r, int c) { return std::max(at(a, r, c), at(b, r, c)); });
  TMIN(d, a, b);
  expectTile(d,
             [&](int r, int c) { return std::min(at(a, r, c), at(b, r, c)); });
}

TEST_F(IsaVector, ScalarForms) {
  Full a(8, 24), d(7, 23);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  fill(a);
  TADDS(d, a, 1.5f);
  expectTile(d, [&](int r, int c) { return at(a, r, c) + 1.5f; });
  TSUBS(d, a, 1.5f);
  expectTile(d, [&](int r, int c) { return at(a, r, c) - 1.5f; });
  TMULS(d, a, -3.0f);
  expectTile(d, [&](int r, int c) { return at(a, r, c) * -3.0f; });
  TDIVS(d, a, 3.0f);
  expectTile(d, [&](int r, int c) { return at(a, r, c) / 3.0f; });
  TDIVS(d, 3.0f, a);
  expectTile(d, [&](int r, int c) { return 3.0f / at(a, r, c); });
  TMAXS(d, a, 0.25f);
  expectTile(d, [&](int r, int c) { return std::max(at(a, r, c), 0.25f); });
  TMINS(d, a, 0.25f);
  expectTile(d, [&](int r, int c) { return std::min(at(a, r, c), 0.25f); });
}

TEST_F(IsaVector, IntegerForms) {
  IntTile a(8, 24), d(8, 24);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  fill(a);
  TANDS(d, a, 1);
  expectTile(d, [&](int r, int c) { return at(a, r, c) & 1; });
  TSHLS(d, a, 2);
  expectTile(d, [&](int r, int c) { return at(a, r, c) * 4; });
  TSHRS(d, a, 1);
  expectTile(d, [&](int r, int c) { return at(a, r, c) >> 1; });
  TORS(d, a, 8);
  expectTile(d, [&](int r, int c) { return at(a, r, c) | 8; });
  TMULS(d, a, -1);
  expectTile(d, [&](int r, int c) { return -at(a, r, c); });
}

TEST_F(IsaVector, Functions) {
  Full a(8, 24), d(6, 21), e(6, 21);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(e);
  fill(a);
  TNEG(d, a);
  expectTile(d, [&](int r, int c) { return -at(a, r, c); });
  TRELU(d, a);
  expectTile(d, [&](int r, int c) { return std::max(at(a, r, c), 0.0f); });
  TEXP(d, a);
  expectTile(d, [&](int r, int c) { return pl::shim::expF32(at(a, r, c)); });
  TMUL(a, a, a);
  TLOG(d, a);
  expectTile(d, [&](int r, int c) { return pl::shim::logF32(at(a, r, c)); });
  TSQRT(d, a);
  expectTile(d, [&](int r, int c) { return std::sqrt(at(a, r, c)); });
  TRSQRT(d, a);
  expectTile(d, [&](int r, int c) { return 1 / std::sqrt(at(a, r, c)); });
  TRECIP(d, a);
  expectTile(d, [&](int r, int c) { return 1 / at(a, r, c); });
  TRSQRT(d, a, e);
  expectTile(d, [&](int r, int c) {
    return float(1 / std::sqrt(double(at(a, r, c))));
  });
}

TEST_F(IsaVector, RowReductions) {
  Full a(7, 19), tmp(7, 19);
  Column d(7);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(tmp);
  TASSIGN<0x800>(d);
  fill(a);
  TROWMAX(d, a, tmp);
  expectTile(d, [&](int r, int) {
    return *std::max_element(&at(a, r, 0), &at(a, r, 0) + 19);
  });
  TROWMIN(d, a, tmp);
  expectTile(d, [&](int r, int) {
    return *std::min_element(&at(a, r, 0), &at(a, r, 0) + 19);
  });
  TROWSUM(d, a, tmp);
  expectTile(d, [&](int r, int) {
    // Columns 16, 17, 18 join lanes 0, 1, 2; then the tree.
    float lanes[16];
    for (int l = 0; l < 16; ++l)
      lanes[l] = at(a, r, l) + (l < 3 ? at(a, r, 16 + l) : 0.0f);
    for (int width = 8; width; width /= 2)
      for (int l = 0; l < width; ++l)
        lanes[l] += lanes[l + width];
    return lanes[0];
  });
}

TEST_F(IsaVector, ColumnReductions) {
  Full a(7, 19);
  Row d(19);
  TASSIGN<0x0>(a);
  TASSIGN<0x800>(d);
  fill(a);
  TCOLSUM(d, a);
  expectTile(d, [&](int, int c) {
    float sum = at(a, 0, c);
    for (int r = 1; r < 7; ++r)
      sum += at(a, r, c);
    return sum;
  });
  TCOLMAX(d, a);
  expectTile(d, [&](int, int c) {
    float best = at(a, 0, c);
    for (int r = 1; r < 7; ++r)
      best = std::max(best, at(a, r, c));
    return best;
  });
}

TEST_F(IsaVector, Broadcasts) {
  Full a(7, 19), d(7, 19);
  Column column(7);
  Row row(19);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(column);
  TASSIGN<0x900>(row);
  fill(a);
  fill(column);
  fill(row);
  TROWEXPANDMUL(d, a, column);
  expectTile(d, [&](int r, int c) { return at(a, r, c) * at(column, r, 0); });
  TROWEXPANDSUB(d, column, a);
  expectTile(d, [&](int r, int c) { return at(column, r, 0) - at(a, r, c); });
  TROWEXPANDDIV(d, a, column, row);
  expectTile(d, [&](int r, int c) { return at(a, r, c) / at(column, r, 0); });
  TROWEXPANDEXPDIF(d, a, column);
  expectTile(d, [&](int r, int c) {
    return pl::shim::expF32(at(a, r, c) - at(column, r, 0));
  });
  TCOLEXPANDMUL(d, a, row);
  expectTile(d, [&](int r, int c) { return at(a, r, c) * at(row, 0, c); });
  TCOLEXPANDADD(d, a, row);
  expectTile(d, [&](int r, int c) { return at(a, r, c) + at(row, 0, c); });
  TROWEXPAND(d, column);
  expectTile(d, [&](int r, int) { return at(column, r, 0); });
  TCOLEXPAND(d, row);
  expectTile(d, [&](int, int c) { return at(row, 0, c); });
}

TEST_F(IsaVector, RowBlocksRepeat) {
  Full a(3, 19), d(3, 19);
  Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 3, 8> blocks;
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(blocks);
  fill(a);
  fill(blocks);
  TROWEXPANDADD(d, a, blocks);
  expectTile(d,
             [&](int r, int c) { return at(a, r, c) + at(blocks, r, c % 8); });
}

TEST_F(IsaVector, HiddenScratchIsOverwritten) {
  Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, 8, 24> hidden, a, d;
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1> column;
  TASSIGN<184 * 1024>(hidden);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(column);
  TEXPANDS(hidden, 1.0f);
  TEXPANDS(a, 1.0f);
  TEXPANDS(column, 1.0f);
  TROWEXPANDMUL(d, a, column, hidden);
  EXPECT_EQ(at(hidden, 0, 0), 1.0f);
  TROWEXPANDMUL(d, a, column);
  EXPECT_TRUE(std::isnan(at(hidden, 0, 0)));
}

TEST_F(IsaVector, Casts) {
  using BF = Tile<TileType::Vec, bfloat16_t, 8, 32, BLayout::RowMajor, -1, -1>;
  Full a(7, 19);
  BF b(7, 19);
  IntTile i(7, 19);
  Full back(7, 19);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(b);
  TASSIGN<0x800>(i);
  TASSIGN<0xc00>(back);
  fill(a);
  auto bits = [&](int r, int c) {
    return pl::shim::f32ToBF16<pl::shim::RoundMode::Rint>(at(a, r, c));
  };
  TCVT(b, a, RoundMode::CAST_RINT);
  expectTile(b, [&](int r, int c) {
    uint16_t raw = bits(r, c);
    bfloat16_t x;
    std::memcpy(&x, &raw, 2);
    return x;
  });
  TCVT(back, b, RoundMode::CAST_NONE);
  expectTile(back,
             [&](int r, int c) { return pl::shim::bf16ToF32(bits(r, c)); });
  TCVT(i, a, RoundMode::CAST_FLOOR, SaturationMode::OFF);
  expectTile(i, [&](int r, int c) { return int(std::floor(at(a, r, c))); });
  TCVT(i, a, RoundMode::CAST_TRUNC);
  expectTile(i, [&](int r, int c) { return int(at(a, r, c)); });
}

TEST_F(IsaVector, FillsAndIota) {
  Full a(3, 19);
  Tile<TileType::Vec, int32_t, 1, 24, BLayout::RowMajor, 1, 20> up, down;
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(up);
  TASSIGN<0x800>(down);
  TEXPANDS(a, 2.5f);
  expectTile(a, [](int, int) { return 2.5f; });
  TCI<decltype(up), int32_t, 0>(up, 3);
  expectTile(up, [](int, int c) { return 3 + c; });
  TCI<decltype(down), int32_t, 1>(down, 3);
  expectTile(down, [](int, int c) { return 3 - c; });
}

TEST_F(IsaVector, Gathers) {
  Full a(8, 24), d(5, 18);
  IntTile index(5, 18), tmp(5, 18);
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 12> half;
  Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 6> quarter;
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(index);
  TASSIGN<0xc00>(tmp);
  TASSIGN<0x1000>(half);
  TASSIGN<0x1400>(quarter);
  fill(a);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 18; ++c)
      at(index, r, c) = int32_t(random() % (8 * 24));
  TGATHER(d, a, index, tmp);
  expectTile(d, [&](int r, int c) { return a.data()[at(index, r, c)]; });
  TGATHER<decltype(half), Full, MaskPattern::P1010>(half, a);
  expectTile(half, [&](int r, int c) { return at(a, r, 2 * c + 1); });
  TGATHER<decltype(quarter), Full, MaskPattern::P0100>(quarter, a);
  expectTile(quarter, [&](int r, int c) { return at(a, r, 4 * c + 2); });
}

TEST_F(IsaVector, TransposeAndSelect) {
  Full a(8, 24), b(8, 24), d(8, 24);
  Tile<TileType::Vec, float, 24, 8, BLayout::RowMajor, 24, 8> t, tmp;
  Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 8, 32> mask;
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(b);
  TASSIGN<0x800>(d);
  TASSIGN<0xc00>(t);
  TASSIGN<0x1000>(tmp);
  TASSIGN<0x1400>(mask);
  fill(a);
  fill(b);
  TTRANS(t, a, tmp);
  expectTile(t, [&](int r, int c) { return at(a, c, r); });
  TCMP(mask, a, b, CmpMode::LT);
  TSEL(d, mask, a, b, tmp);
  expectTile(d,
             [&](int r, int c) { return std::min(at(a, r, c), at(b, r, c)); });
  TCMPS(mask, a, 0.0f, CmpMode::GE);
  TSELS(d, mask, a, tmp, -1.0f);
  expectTile(
      d, [&](int r, int c) { return at(a, r, c) >= 0 ? at(a, r, c) : -1.0f; });
}

TEST_F(IsaVector, AliasesNameTheSameBytes) {
  Column column(8);
  TASSIGN<0x0>(column);
  fill(column);
  Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8> row, reshaped;
  TASSIGN<0x0>(row);
  TRESHAPE(reshaped, column);
  TMULS(row, row, 2.0f);
  EXPECT_EQ(reshaped.data(), column.data());
  EXPECT_EQ(at(row, 0, 3), at(column, 3, 0));
}

TEST_F(IsaVector, PaddingFillsTheBox) {
  Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, 5, 19> part;
  Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, 8, 24, SLayout::NoneBox,
       512, PadValue::Min>
      padded;
  TASSIGN<0x0>(part);
  TASSIGN<0x400>(padded);
  fill(part);
  TFILLPAD(padded, part);
  expectTile(padded, [&](int r, int c) {
    return r < 5 && c < 19 ? at(part, r, c) : -INFINITY;
  });
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

using IsaVectorDeath = IsaVector;

TEST_F(IsaVectorDeath, NamesTheInstruction) {
  Full a(8, 24), b(8, 24), d(8, 24);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  EXPECT_DEATH(TADD(d, a, b), "TADD: the second source tile has no address");
  TASSIGN<0x800>(b);
  b.SetValidShape(8, 20);
  EXPECT_DEATH(TADD(d, a, b), "valid in \\[8, 20\\], but the destination in "
                              "\\[8, 24\\]");
  EXPECT_DEATH(b.SetValidCol(25), "exceed the box");
  EXPECT_DEATH(TASSIGN(a, 192 * 1024), "past the end of UB");
  EXPECT_DEATH(TASSIGN(a, 4), "not a multiple of 32");
  EXPECT_DEATH(TRECIP(a, a), "share storage");
  Full unset;
  TASSIGN<0x0>(unset);
  EXPECT_DEATH(TNEG(unset, a), "no valid extents");
}

TEST_F(IsaVectorDeath, GatherOutsideTheSource) {
  Full a(8, 24), d(8, 24);
  IntTile index(8, 24), tmp(8, 24);
  TASSIGN<0x0>(a);
  TASSIGN<0x400>(d);
  TASSIGN<0x800>(index);
  TASSIGN<0xc00>(tmp);
  TEXPANDS(index, 5);
  at(index, 2, 3) = 192;
  EXPECT_DEATH(TGATHER(d, a, index, tmp),
               "index 192 at \\[2, 3\\] is outside the source's 192 elements");
  at(index, 2, 3) = -1;
  EXPECT_DEATH(TGATHER(d, a, index, tmp), "index -1 at \\[2, 3\\]");
}

TEST_F(IsaVectorDeath, FlagsMustBalance) {
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  EXPECT_DEATH(set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0),
               "flag MTE2 -> V, id 0 is set already");
  EXPECT_DEATH(core.finishKernel(), "never waited for");
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  EXPECT_DEATH(wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0), "a hang");
  core.finishKernel();
}

} // namespace

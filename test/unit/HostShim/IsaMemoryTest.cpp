//===- IsaMemoryTest.cpp - loads, stores, layouts, the cube ---------------===//
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
#include <vector>

using namespace pto;
using pl::shim::Core;
using pl::shim::CoreScope;

namespace {

class IsaMemory : public testing::Test {
protected:
  Core core;
  CoreScope scope{core};
  std::mt19937 random{1};

  std::vector<float> floats(size_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float &x : values)
      x = normal(random);
    return values;
  }
  std::vector<uint16_t> halves(size_t count) {
    std::vector<uint16_t> bits(count);
    std::vector<float> values = floats(count);
    for (size_t i = 0; i < count; ++i)
      bits[i] = pl::shim::f32ToBF16<pl::shim::RoundMode::Rint>(values[i]);
    return bits;
  }
  static bfloat16_t *bf16(std::vector<uint16_t> &bits) {
    return reinterpret_cast<bfloat16_t *>(bits.data());
  }
  template <typename T> static uint16_t bitsOf(const T &value) {
    uint16_t bits;
    std::memcpy(&bits, &value, 2);
    return bits;
  }
};

template <int64_t R, int64_t C>
using Dense = GlobalTensor<float, Shape<1, 1, 1, R, C>,
                           Stride<R * C, R * C, R * C, C, 1>>;

TEST_F(IsaMemory, LoadsAndStoresPartOfATensor) {
  std::vector<float> in = floats(20 * 40), out(20 * 40, 7.0f);
  Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, -1, -1> tile(9, 21);
  TASSIGN<0x40>(tile);
  using Part = GlobalTensor<float, Shape<1, 1, 1, -1, -1>,
                            Stride<-1, -1, -1, 40, 1>, Layout::ND>;
  Part from(in.data() + 2 * 40 + 3, Shape<1, 1, 1, -1, -1>(9, 21),
            Stride<-1, -1, -1, 40, 1>(800, 800, 800));
  TLOAD(tile, from);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 32; ++c)
      if (r < 9 && c < 21)
        ASSERT_EQ(tile.data()[r * 32 + c], in[(r + 2) * 40 + c + 3]);
      else
        ASSERT_TRUE(std::isnan(tile.data()[r * 32 + c]));
  Part to(out.data() + 40 + 1, Shape<1, 1, 1, -1, -1>(9, 21),
          Stride<-1, -1, -1, 40, 1>(800, 800, 800));
  TSTORE(to, tile);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 40; ++c) {
      bool written = r >= 1 && r < 10 && c >= 1 && c < 22;
      ASSERT_EQ(out[r * 40 + c], written ? in[(r + 1) * 40 + c + 2] : 7.0f);
    }
}

TEST_F(IsaMemory, OuterDimsAreRows) {
  // [2, 3] rows of 8, the outer ones 100 elements apart.
  std::vector<float> in = floats(200);
  Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 6, 8> tile;
  TASSIGN<0x0>(tile);
  GlobalTensor<float, Shape<1, 1, 2, 3, 8>, Stride<200, 200, 100, 10, 1>> gm(
      in.data());
  TLOAD(tile, gm);
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 8; ++c)
      ASSERT_EQ(tile.data()[r * 8 + c], in[r / 3 * 100 + r % 3 * 10 + c]);
}

TEST_F(IsaMemory, ColumnsAndPadding) {
  std::vector<float> in = floats(8 * 5), out(8 * 5, 0.0f);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, -1, 1> column(6);
  TASSIGN<0x0>(column);
  GlobalTensor<float, Shape<1, 1, 1, 6, 1>, Stride<40, 40, 40, 5, 1>> strided(
      in.data());
  TLOAD(column, strided);
  for (int r = 0; r < 6; ++r)
    ASSERT_EQ(column.data()[r], in[r * 5]);
  GlobalTensor<float, Shape<1, 1, 1, 6, 1>, Stride<40, 40, 40, 5, 1>> back(
      out.data() + 2);
  TSTORE(back, column);
  for (int r = 0; r < 8; ++r)
    ASSERT_EQ(out[r * 5 + 2], r < 6 ? in[r * 5] : 0.0f);

  Tile<TileType::Vec, float, 2, 16, BLayout::RowMajor, 2, 5, SLayout::NoneBox,
       512, PadValue::Zero>
      padded;
  TASSIGN<0x100>(padded);
  Dense<2, 5> two(in.data());
  TLOAD(padded, two);
  EXPECT_EQ(padded.data()[5], 0.0f);
  EXPECT_EQ(padded.data()[7], 0.0f);
  EXPECT_TRUE(std::isnan(padded.data()[8]));
}

TEST_F(IsaMemory, MatIsFractal) {
  std::vector<uint16_t> in = halves(40 * 48);
  Tile<TileType::Mat, bfloat16_t, 48, 48, BLayout::ColMajor, 40, 48,
       SLayout::RowMajor>
      tile;
  TASSIGN<0x0>(tile);
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, 40, 48>,
               Stride<1920, 1920, 1920, 48, 1>>
      gm(bf16(in));
  TLOAD(tile, gm);
  // NZ: columns of 16 x 16 boxes, each row-major.
  for (int r = 0; r < 40; ++r)
    for (int c = 0; c < 48; ++c)
      ASSERT_EQ(bitsOf(tile.data()[c / 16 * (48 * 16) + r * 16 + c % 16]),
                in[r * 48 + c]);
  // The same bytes as ZN are the transposed matrix.
  Tile<TileType::Mat, bfloat16_t, 48, 48, BLayout::RowMajor, 48, 40,
       SLayout::ColMajor>
      transposed;
  TASSIGN<0x0>(transposed);
  Tile<TileType::Right, bfloat16_t, 16, 32, BLayout::RowMajor, 16, 24,
       SLayout::ColMajor>
      right;
  TASSIGN<0x0>(right);
  TEXTRACT(right, transposed, 32, 16);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 24; ++c)
      ASSERT_EQ(bitsOf(right.data()[c / 16 * 256 + c % 16 * 16 + r]),
                in[(c + 16) * 48 + r + 32]);
  // A DN tensor fills a ZN tile directly.
  Tile<TileType::Mat, bfloat16_t, 48, 48, BLayout::RowMajor, 48, 40,
       SLayout::ColMajor>
      direct;
  TASSIGN<0x4000>(direct);
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, 48, 40>,
               Stride<1920, 1920, 1920, 1, 48>, Layout::DN>
      dn(bf16(in));
  TLOAD(direct, dn);
  for (int r = 0; r < 48; ++r)
    for (int c = 0; c < 40; ++c)
      ASSERT_EQ(bitsOf(direct.data()[r / 16 * (48 * 16) + c * 16 + r % 16]),
                in[c * 48 + r]);
}

/// c = a * b over two K tiles, with M and N partly valid, stored narrowed.
template <CompactMode Compact, int M, int N>
void checkProduct(Core &core, std::vector<uint16_t> a, std::vector<uint16_t> b,
                  int m, int n) {
  core.reset();
  constexpr int K = 64;
  auto *pa = reinterpret_cast<bfloat16_t *>(a.data());
  auto *pb = reinterpret_cast<bfloat16_t *>(b.data());
  Tile<TileType::Mat, bfloat16_t, M, K, BLayout::ColMajor, -1, K,
       SLayout::RowMajor>
      la(m);
  Tile<TileType::Mat, bfloat16_t, K, N, BLayout::ColMajor, K, -1,
       SLayout::RowMajor>
      lb(n);
  TASSIGN<0x0>(la);
  TASSIGN<0x8000>(lb);
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, -1, K>, Stride<-1, -1, -1, K, 1>> ga(
      pa, Shape<1, 1, 1, -1, K>(m), Stride<-1, -1, -1, K, 1>(0, 0, 0));
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, K, -1>, Stride<-1, -1, -1, -1, 1>> gb(
      pb, Shape<1, 1, 1, K, -1>(n), Stride<-1, -1, -1, -1, 1>(0, 0, 0, n));
  TLOAD(la, ga);
  TLOAD(lb, gb);
  Tile<TileType::Acc, float, M, N, BLayout::ColMajor, -1, -1, SLayout::RowMajor,
       1024, PadValue::Null, Compact>
      acc(m, n);
  TASSIGN<0x0>(acc);
  for (int k = 0; k < K; k += 32) {
    Tile<TileType::Left, bfloat16_t, M, 32, BLayout::RowMajor, -1, 32,
         SLayout::RowMajor, 512, PadValue::Null, Compact>
        left(m);
    Tile<TileType::Right, bfloat16_t, 32, N, BLayout::RowMajor, 32, -1,
         SLayout::ColMajor, 512, PadValue::Null, Compact>
        right(n);
    TASSIGN<0x0>(left);
    TASSIGN<0x0>(right);
    TEXTRACT(left, la, 0, k);
    TEXTRACT(right, lb, k, 0);
    if (k == 0)
      TMATMUL(acc, left, right);
    else
      TMATMUL_ACC(acc, acc, left, right);
  }
  std::vector<float> full(size_t(m) * n);
  std::vector<uint16_t> narrow(size_t(m) * n);
  GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>> gf(
      full.data(), Shape<1, 1, 1, -1, -1>(m, n),
      Stride<-1, -1, -1, -1, 1>(0, 0, 0, n));
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>>
      gn(reinterpret_cast<bfloat16_t *>(narrow.data()),
         Shape<1, 1, 1, -1, -1>(m, n), Stride<-1, -1, -1, -1, 1>(0, 0, 0, n));
  TSTORE(gf, acc);
  TSTORE(gn, acc);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum = std::fma(pl::shim::bf16ToF32(a[i * K + k]),
                       pl::shim::bf16ToF32(b[k * n + j]), sum);
      ASSERT_EQ(full[i * n + j], sum) << i << ", " << j;
      ASSERT_EQ(narrow[i * n + j],
                pl::shim::f32ToBF16<pl::shim::RoundMode::Rint>(sum));
    }
}

TEST_F(IsaMemory, ProductsOfPartialTiles) {
  checkProduct<CompactMode::Null, 16, 48>(core, halves(13 * 64),
                                          halves(64 * 45), 13, 45);
  checkProduct<CompactMode::Normal, 64, 48>(core, halves(21 * 64),
                                            halves(64 * 20), 21, 20);
}

TEST_F(IsaMemory, IntegersMultiplyExactly) {
  std::vector<int8_t> a(16 * 32), b(32 * 32);
  for (int8_t &x : a)
    x = int8_t(random());
  for (int8_t &x : b)
    x = int8_t(random());
  Tile<TileType::Mat, int8_t, 16, 32, BLayout::ColMajor, 16, 32,
       SLayout::RowMajor>
      la;
  Tile<TileType::Mat, int8_t, 32, 32, BLayout::ColMajor, 32, 32,
       SLayout::RowMajor>
      lb;
  TASSIGN<0x0>(la);
  TASSIGN<0x800>(lb);
  GlobalTensor<int8_t, Shape<1, 1, 1, 16, 32>, Stride<512, 512, 512, 32, 1>> ga(
      a.data());
  GlobalTensor<int8_t, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>>
      gb(b.data());
  TLOAD(la, ga);
  TLOAD(lb, gb);
  TileLeft<int8_t, 16, 32> left;
  TileRight<int8_t, 32, 32> right;
  TileAcc<int32_t, 16, 32> acc;
  TASSIGN<0x0>(left);
  TASSIGN<0x0>(right);
  TASSIGN<0x0>(acc);
  TMOV(left, la);
  TMOV(right, lb);
  TMATMUL(acc, left, right);
  std::vector<int32_t> c(16 * 32);
  GlobalTensor<int32_t, Shape<1, 1, 1, 16, 32>, Stride<512, 512, 512, 32, 1>>
      gc(c.data());
  TSTORE(gc, acc);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 32; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < 32; ++k)
        sum += a[i * 32 + k] * b[k * 32 + j];
      ASSERT_EQ(c[i * 32 + j], sum);
    }
}

TEST_F(IsaMemory, AtomicAddAdds) {
  std::vector<float> out = floats(4 * 16), before = out;
  Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, 3, 13> tile;
  TASSIGN<0x0>(tile);
  TEXPANDS(tile, 0.1f);
  GlobalTensor<float, Shape<1, 1, 1, 3, 13>, Stride<64, 64, 64, 16, 1>> gm(
      out.data());
  TSTORE<decltype(tile), decltype(gm), AtomicType::AtomicAdd>(gm, tile);
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 16; ++c)
      ASSERT_EQ(out[r * 16 + c],
                before[r * 16 + c] + (r < 3 && c < 13 ? 0.1f : 0.0f));
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

using IsaMemoryDeath = IsaMemory;

TEST_F(IsaMemoryDeath, TransfersStayInTheTensor) {
  std::vector<float> in(8 * 16);
  core.setKernel("k", 2, 4);
  core.allowGm(in.data(), in.size() * 4, "0 (x)");
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16> tile;
  TASSIGN<0x0>(tile);
  Dense<8, 16> good(in.data()), shifted(in.data() + 16), outside(in.data() - 1);
  TLOAD(tile, good);
  EXPECT_DEATH(TLOAD(tile, shifted),
               "TLOAD: GM bytes 64 to 576 of argument 0 \\(x\\), which has 512 "
               "bytes, in kernel k, block 2 of 4");
  EXPECT_DEATH(TSTORE(outside, tile), "TSTORE: GM address .* starts in none");
  Dense<7, 16> shorter(in.data());
  EXPECT_DEATH(TLOAD(tile, shorter), "is not the tile's valid extents");
}

TEST_F(IsaMemoryDeath, WindowsStayInTheTile) {
  Tile<TileType::Mat, bfloat16_t, 32, 32, BLayout::ColMajor, -1, 32,
       SLayout::RowMajor>
      mat(20);
  Tile<TileType::Left, bfloat16_t, 16, 16, BLayout::RowMajor, 16, 16,
       SLayout::RowMajor>
      left;
  TASSIGN<0x0>(mat);
  TASSIGN<0x0>(left);
  EXPECT_DEATH(TEXTRACT(left, mat, 16, 0), "TEXTRACT: the window .* leaves");
  EXPECT_DEATH(TEXTRACT(left, mat, 3, 0), "not multiples of the box");
}

TEST_F(IsaMemoryDeath, TallAccumulatorsMustBeCompact) {
  Tile<TileType::Left, bfloat16_t, 64, 16, BLayout::RowMajor, -1, 16,
       SLayout::RowMajor>
      left(20);
  TileRight<bfloat16_t, 16, 32> right;
  Tile<TileType::Acc, float, 64, 32, BLayout::ColMajor, -1, 32,
       SLayout::RowMajor, 1024>
      acc(20);
  TASSIGN<0x0>(left);
  TASSIGN<0x0>(right);
  TASSIGN<0x0>(acc);
  EXPECT_DEATH(TMATMUL(acc, left, right), "CompactMode::Normal");
  acc.SetValidRow(19);
  EXPECT_DEATH(TMATMUL(acc, left, right), "the product is \\[20, 32\\]");
}

} // namespace

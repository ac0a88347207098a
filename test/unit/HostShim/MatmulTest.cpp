//===- MatmulTest.cpp - the product against chains of std::fma ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

using namespace pl::shim;

namespace {

/// A physical tile with everything outside the valid block poisoned.
struct Tile {
  std::vector<uint64_t> storage;
  TileRef ref;

  Tile(ElemType type, int64_t rows, int64_t cols, const Placement &at,
       int64_t elements)
      : storage(size_t(elements) * elemBytes(type) / 8 + 8, ~uint64_t(0)),
        ref{storage.data(), type, rows, cols, at} {}

  char *element(int64_t r, int64_t c) {
    return static_cast<char *>(ref.data) +
           ref.at(r, c) * int64_t(elemBytes(ref.type));
  }
  void set(int64_t r, int64_t c, float x) {
    castRow(ref.type, element(r, c), ElemType::F32, &x, 1, RoundMode::Rint);
  }
  float get(int64_t r, int64_t c) {
    float x;
    castRow(ElemType::F32, &x, ref.type, element(r, c), 1, RoundMode::None);
    return x;
  }
  template <typename T> T &as(int64_t r, int64_t c) {
    return *reinterpret_cast<T *>(element(r, c));
  }
};

int64_t up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

enum Layout { ND, DN, NZ, ZN, ZZ };

Tile makeTile(ElemType type, int64_t rows, int64_t cols, Layout layout,
              int64_t boxRows, int64_t boxCols) {
  int64_t pr = up(rows, boxRows), pc = up(cols, boxCols);
  Placement at = layout == ND   ? Placement::nd(pc)
                 : layout == DN ? Placement::dn(pr)
                                : Placement::boxed(pr, pc, boxRows, boxCols,
                                                   layout != NZ, layout != ZN);
  return Tile(type, rows, cols, at, pr * pc);
}

void checkCase(ElemType type, int64_t m, int64_t n, int64_t k, Layout la,
               Layout lb, Layout lc, bool accumulate, unsigned seed) {
  int64_t c0 = 32 / int64_t(elemBytes(type));
  bool isInt = type == ElemType::I8;
  Tile a = makeTile(type, m, k, la, la == ZN ? c0 : 16, la == ZN ? 16 : c0);
  Tile b = makeTile(type, k, n, lb, lb == ZN ? c0 : 16, lb == ZN ? 16 : c0);
  ElemType ct = isInt ? ElemType::I32 : ElemType::F32;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < k; ++j)
      a.set(i, j, isInt ? float(int(random() % 256) - 128) : normal(random));
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j)
      b.set(i, j, isInt ? float(int(random() % 256) - 128) : normal(random));
  Tile start = makeTile(ct, m, n, lc, 16, 16);
  for (int64_t i = 0; accumulate && i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (isInt)
        start.as<int32_t>(i, j) = int32_t(random());
      else
        start.as<float>(i, j) = normal(random);

  Tile expected = start;
  expected.ref.data = expected.storage.data();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (isInt) {
        auto sum = uint32_t(accumulate ? start.as<int32_t>(i, j) : 0);
        for (int64_t x = 0; x < k; ++x)
          sum += uint32_t(int32_t(a.get(i, x)) * int32_t(b.get(x, j)));
        expected.as<uint32_t>(i, j) = sum;
        continue;
      }
      float sum = accumulate ? start.as<float>(i, j) : 0.0f;
      for (int64_t x = 0; x < k; ++x)
        sum = std::fma(a.get(i, x), b.get(x, j), sum);
      expected.as<float>(i, j) = sum;
    }

  for (HostIsa isa : {HostIsa::Baseline, HostIsa::AVX2, HostIsa::AVX512}) {
    if (isa > hostIsa())
      continue;
    Tile c = start;
    c.ref.data = c.storage.data();
    matmulWith(kernels(isa), c.ref, a.ref, b.ref, accumulate);
    // Everything, so that bytes outside the valid block must be untouched too.
    ASSERT_EQ(c.storage, expected.storage)
        << "isa " << int(isa) << " type " << int(type) << " m " << m << " n "
        << n << " k " << k << " layouts " << la << lb << lc;
  }
}

TEST(Matmul, MatchesFmaChainsInEveryLayout) {
  unsigned seed = 0;
  for (ElemType type :
       {ElemType::BF16, ElemType::F16, ElemType::F32, ElemType::I8})
    for (Layout la : {ND, ZZ, NZ, ZN, DN})
      for (Layout lb : {ND, ZN, NZ, DN, ZZ})
        for (Layout lc : {ND, NZ})
          for (bool accumulate : {false, true})
            checkCase(type, 17, 48, 40, la, lb, lc, accumulate, ++seed);
}

TEST(Matmul, OddExtents) {
  unsigned seed = 100;
  for (ElemType type : {ElemType::BF16, ElemType::F32, ElemType::I8})
    for (int64_t m : {1, 7, 33, 70})
      for (int64_t n : {1, 31, 64, 100})
        for (int64_t k : {1, 48, 257})
          ++seed, checkCase(type, m, n, k, ZZ, ZN, NZ, seed % 2, seed);
}

TEST(Matmul, NothingToSumGivesZero) {
  float c[4] = {1, 2, 3, 4};
  matmul(ElemType::F32, c, 2, c, 0, c, 2, 2, 2, 0, false);
  for (float x : c)
    EXPECT_EQ(x, 0.0f);
}

TEST(Matmul, NanIsTheOneNan) {
  float a[] = {INFINITY}, b[] = {0.0f}, c[1];
  matmul(ElemType::F32, c, 1, a, 1, b, 1, 1, 1, 1, false);
  EXPECT_EQ(floatBits(c[0]), kNanBits);
}

} // namespace

//===- LayoutTest.cpp - copies between layouts ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

using namespace pl::sim;
using pl::shim::Placement;

namespace {

constexpr int64_t kRows = 64, kCols = 128;

struct NamedLayout {
  std::string name;
  Placement at;
};

/// Layouts of a tile of kRows x kCols elements.
std::vector<NamedLayout> layouts(size_t size) {
  int64_t c0 = 32 / int64_t(size);
  return {{"nd", Placement::nd(kCols)},
          {"dn", Placement::dn(kRows)},
          {"nz", Placement::boxed(kRows, kCols, 16, c0, false, true)},
          {"zn", Placement::boxed(kRows, kCols, c0, 16, true, false)},
          {"zz", Placement::boxed(kRows, kCols, 16, c0, true, true)},
          {"nn", Placement::boxed(kRows, kCols, 16, c0, false, false)},
          {"acc", Placement::boxed(kRows, kCols, 16, 16, false, true)}};
}

struct Region {
  int64_t dr, dc, sr, sc, rows, cols;
};

/// Whole boxes, parts of them, rows and columns by themselves.
constexpr Region kRegions[] = {
    {0, 0, 0, 0, kRows, kCols}, {0, 0, 16, 32, 32, 64}, {16, 64, 0, 0, 16, 16},
    {3, 5, 7, 9, 41, 77},       {0, 0, 0, 0, 1, kCols}, {0, 0, 0, 0, kRows, 1},
    {60, 120, 0, 1, 4, 8},      {8, 8, 8, 8, 24, 24},   {0, 0, 0, 0, 0, 5},
    {1, 0, 0, 1, 17, 31},       {0, 1, 1, 0, 15, 33}};

class Copies : public testing::TestWithParam<size_t> {};

} // namespace

TEST_P(Copies, MovesEveryElementAndNoOther) {
  size_t size = GetParam(), bytes = size_t(kRows * kCols) * size;
  std::vector<uint8_t> source(bytes);
  for (size_t i = 0; i < bytes; ++i)
    source[i] = uint8_t((i * 2654435761u) >> 13);
  for (const NamedLayout &to : layouts(size))
    for (const NamedLayout &from : layouts(size))
      for (const Region &region : kRegions) {
        std::vector<uint8_t> found(bytes, 0xee), expected(bytes, 0xee);
        copyRegion(size, found.data(), to.at, region.dr, region.dc,
                   source.data(), from.at, region.sr, region.sc, region.rows,
                   region.cols);
        for (int64_t r = 0; r < region.rows; ++r)
          for (int64_t c = 0; c < region.cols; ++c)
            std::memcpy(
                &expected[size_t(to.at(region.dr + r, region.dc + c)) * size],
                &source[size_t(from.at(region.sr + r, region.sc + c)) * size],
                size);
        ASSERT_EQ(found, expected)
            << from.name << " to " << to.name << ", " << region.rows << " x "
            << region.cols << " from " << region.sr << ", " << region.sc;
      }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Copies, testing::Values(1, 2, 4, 8));

TEST(Memory, LargeAndSmallPiecesAreFilled) {
  for (int64_t size : {int64_t(0), int64_t(100), int64_t(3) << 20})
    for (int fill : {0, 0xff}) {
      Bytes first(size, fill), second(std::move(first));
      ASSERT_TRUE(second.get());
      EXPECT_FALSE(first.get());
      for (int64_t at : {int64_t(0), size / 2, size - 1})
        if (at >= 0 && at < size)
          EXPECT_EQ(second.get()[at], fill);
    }
}

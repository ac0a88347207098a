//===- RowsTest.cpp - row routines, and that all builds agree -------------===//
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

constexpr size_t kCount = 333;

/// Random bit patterns, with the values that go wrong mixed in.
std::vector<uint64_t> randomRow(ElemType type, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> row(kCount);
  for (uint64_t &word : row)
    word = random();
  auto *bytes = reinterpret_cast<char *>(row.data());
  for (size_t i = 0; i < kCount; i += 5) {
    float special[] = {0.0f, -0.0f,   INFINITY, -INFINITY, NAN,
                       1.0f, -1e-40f, 3e38f,    0.5f,      -2.5f};
    float x = special[random() % 10];
    if (isFloat(type))
      castRow(type, bytes + i * elemBytes(type), ElemType::F32, &x, 1,
              RoundMode::Rint);
    else
      std::memset(bytes + i * elemBytes(type), random() % 2 ? 0 : 0xff,
                  elemBytes(type));
  }
  return row;
}

std::vector<HostIsa> otherBuilds() {
  std::vector<HostIsa> builds;
  if (hostIsa() >= HostIsa::AVX2)
    builds.push_back(HostIsa::AVX2);
  if (hostIsa() >= HostIsa::AVX512)
    builds.push_back(HostIsa::AVX512);
  return builds;
}

TEST(Rows, AllBuildsAgree) {
  const Kernels &base = kernels(HostIsa::Baseline);
  for (HostIsa isa : otherBuilds()) {
    const Kernels &other = kernels(isa);
    for (unsigned t = 0; t < kNumElemTypes; ++t) {
      auto type = ElemType(t);
      std::vector<uint64_t> a = randomRow(type, t), b = randomRow(type, t + 50);
      std::vector<uint64_t> x(kCount), y(kCount);
      for (unsigned op = 0; op < kNumBinaryOps; ++op) {
        ASSERT_EQ(base.binary[t][op] == nullptr,
                  other.binary[t][op] == nullptr);
        if (!base.binary[t][op])
          continue;
        base.binary[t][op](x.data(), a.data(), b.data(), kCount);
        other.binary[t][op](y.data(), a.data(), b.data(), kCount);
        ASSERT_EQ(x, y) << "binary " << op << " type " << t;
        base.binaryScalar[t][op](x.data(), a.data(), b.data(), kCount);
        other.binaryScalar[t][op](y.data(), a.data(), b.data(), kCount);
        ASSERT_EQ(x, y) << "binary scalar " << op << " type " << t;
        base.scalarBinary[t][op](x.data(), a.data(), b.data(), kCount);
        other.scalarBinary[t][op](y.data(), a.data(), b.data(), kCount);
        ASSERT_EQ(x, y) << "scalar binary " << op << " type " << t;
        // In place gives what two rows give.
        std::vector<uint64_t> inPlace = a;
        base.binary[t][op](x.data(), a.data(), b.data(), kCount);
        other.binary[t][op](inPlace.data(), inPlace.data(), b.data(), kCount);
        ASSERT_EQ(
            std::memcmp(x.data(), inPlace.data(), kCount * elemBytes(type)), 0);
      }
      for (unsigned op = 0; op < kNumUnaryOps; ++op) {
        if (!base.unary[t][op])
          continue;
        base.unary[t][op](x.data(), a.data(), kCount);
        other.unary[t][op](y.data(), a.data(), kCount);
        ASSERT_EQ(x, y) << "unary " << op << " type " << t;
      }
      for (unsigned op = 0; op < kNumReduceOps; ++op)
        for (size_t n : {size_t(0), size_t(1), size_t(15), size_t(16),
                         size_t(17), size_t(100), kCount}) {
          uint64_t p = 0, q = 0;
          base.reduce[t][op](&p, a.data(), n);
          other.reduce[t][op](&q, a.data(), n);
          ASSERT_EQ(p, q) << "reduce " << op << " type " << t << " n " << n;
        }
      for (unsigned to = 0; to < kNumElemTypes; ++to)
        for (int mode = 0; mode < 7; ++mode)
          for (bool saturate : {false, true}) {
            castRowWith(base, ElemType(to), x.data(), type, a.data(), kCount,
                        RoundMode(mode), saturate);
            castRowWith(other, ElemType(to), y.data(), type, a.data(), kCount,
                        RoundMode(mode), saturate);
            ASSERT_EQ(x, y) << "cast " << t << " to " << to << " mode " << mode;
          }
    }
  }
}

/// Every NaN among `count` elements is the one NaN.
void expectOneNan(ElemType type, const void *row, const char *what, int op) {
  auto *wide = static_cast<const uint32_t *>(row);
  auto *narrow = static_cast<const uint16_t *>(row);
  for (size_t i = 0; i < kCount; ++i)
    if (type == ElemType::F32 && std::isnan(bitsFloat(wide[i])))
      ASSERT_EQ(wide[i], kNanBits) << what << op << " element " << i;
    else if (type == ElemType::F16 && (narrow[i] & 0x7fff) > 0x7c00)
      ASSERT_EQ(narrow[i], kNanBitsF16) << what << op << " element " << i;
    else if (type == ElemType::BF16 && (narrow[i] & 0x7fff) > 0x7f80)
      ASSERT_EQ(narrow[i], kNanBitsBF16) << what << op << " element " << i;
}

TEST(Rows, ArithmeticGivesTheOneNan) {
  std::vector<HostIsa> builds = otherBuilds();
  builds.push_back(HostIsa::Baseline);
  for (HostIsa isa : builds) {
    const Kernels &table = kernels(isa);
    for (ElemType type : {ElemType::F32, ElemType::F16, ElemType::BF16}) {
      auto t = unsigned(type);
      std::vector<uint64_t> a = randomRow(type, t), b = randomRow(type, t + 50);
      std::vector<uint64_t> d(kCount);
      for (unsigned op = 0; op <= unsigned(BinaryOp::ExpDif); ++op) {
        table.binary[t][op](d.data(), a.data(), b.data(), kCount);
        expectOneNan(type, d.data(), "binary ", int(op));
      }
      for (UnaryOp op :
           {UnaryOp::Relu, UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sqrt,
            UnaryOp::Rsqrt, UnaryOp::RsqrtPrecise, UnaryOp::Recip}) {
        table.unary[t][int(op)](d.data(), a.data(), kCount);
        expectOneNan(type, d.data(), "unary ", int(op));
      }
      for (ElemType to : {ElemType::F16, ElemType::BF16}) {
        castRowWith(table, to, d.data(), ElemType::F32, a.data(), kCount,
                    RoundMode::Rint, true);
        expectOneNan(to, d.data(), "cast ", int(to));
      }
    }
  }
}

TEST(Rows, FloatsMatchPlainLoops) {
  std::vector<float> a(100), b(100), d(100);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (size_t i = 0; i < 100; ++i) {
    a[i] = normal(random);
    b[i] = normal(random);
  }
  binaryRow(ElemType::F32, BinaryOp::Div, d.data(), a.data(), b.data(), 100);
  for (size_t i = 0; i < 100; ++i)
    ASSERT_EQ(d[i], a[i] / b[i]);
  binaryRow(ElemType::F32, BinaryOp::ExpDif, d.data(), a.data(), b.data(), 100);
  for (size_t i = 0; i < 100; ++i)
    ASSERT_NEAR(d[i], std::exp(a[i] - b[i]), 1e-6 * d[i]);
  float two = 2;
  scalarBinaryRow(ElemType::F32, BinaryOp::Sub, d.data(), &two, a.data(), 100);
  for (size_t i = 0; i < 100; ++i)
    ASSERT_EQ(d[i], 2 - a[i]);
  binaryScalarRow(ElemType::F32, BinaryOp::Max, d.data(), a.data(), &two, 100);
  for (size_t i = 0; i < 100; ++i)
    ASSERT_EQ(d[i], std::max(a[i], 2.0f));
}

TEST(Rows, IntegersWrapAndTruncate) {
  int32_t a[] = {INT32_MIN, INT32_MAX, 7, -7, 5};
  int32_t b[] = {-1, 1, 2, 2, 0};
  int32_t d[5];
  binaryRow(ElemType::I32, BinaryOp::Div, d, a, b, 5);
  EXPECT_EQ(d[0], INT32_MIN);
  EXPECT_EQ(d[2], 3);
  EXPECT_EQ(d[3], -3);
  EXPECT_EQ(d[4], 0);
  binaryRow(ElemType::I32, BinaryOp::Add, d, a, b, 5);
  EXPECT_EQ(d[1], INT32_MIN);
  binaryRow(ElemType::I32, BinaryOp::Rem, d, a, b, 5);
  EXPECT_EQ(d[3], -1);
  binaryRow(ElemType::I32, BinaryOp::Shr, d, a, b, 5);
  EXPECT_EQ(d[3], -2);
  int8_t c[] = {-128, 127, -3}, e[3];
  unaryRow(ElemType::I8, UnaryOp::Neg, e, c, 3);
  EXPECT_EQ(e[0], -128);
  unaryRow(ElemType::I8, UnaryOp::Not, e, c, 3);
  EXPECT_EQ(e[2], 2);
  uint32_t start = 10, index[4];
  iotaRow(ElemType::U32, index, &start, -2, 4);
  EXPECT_EQ(index[3], 4u);
}

/// The documented order, written out.
float sumInOrder(const std::vector<float> &row) {
  float lanes[16] = {};
  for (size_t i = 0; i < row.size(); ++i)
    lanes[i % 16] = lanes[i % 16] + row[i];
  for (int width = 8; width; width /= 2)
    for (int l = 0; l < width; ++l)
      lanes[l] = lanes[l] + lanes[l + width];
  return lanes[0];
}

TEST(Rows, SumsFollowTheDocumentedOrder) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0, 1000);
  for (size_t n = 0; n < 200; ++n) {
    std::vector<float> row(n);
    for (float &x : row)
      x = normal(random);
    float actual;
    reduceRow(ElemType::F32, ReduceOp::Sum, &actual, row.data(), n);
    ASSERT_EQ(actual, sumInOrder(row)) << n;
  }
}

TEST(Rows, EmptyReductionsGiveTheIdentity) {
  float f;
  reduceRow(ElemType::F32, ReduceOp::Max, &f, nullptr, 0);
  EXPECT_EQ(f, -INFINITY);
  reduceRow(ElemType::F32, ReduceOp::Min, &f, nullptr, 0);
  EXPECT_EQ(f, INFINITY);
  int32_t i;
  reduceRow(ElemType::I32, ReduceOp::Max, &i, nullptr, 0);
  EXPECT_EQ(i, INT32_MIN);
  float columns[3];
  reduceColumns(ElemType::F32, ReduceOp::Sum, columns, nullptr, 0, 0, 3);
  EXPECT_EQ(columns[2], 0.0f);
}

TEST(Rows, ColumnsGoDownward) {
  float block[4][8], d[5];
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (auto &row : block)
    for (float &x : row)
      x = normal(random);
  reduceColumns(ElemType::F32, ReduceOp::Sum, d, block, sizeof(block[0]), 4, 5);
  for (int c = 0; c < 5; ++c)
    EXPECT_EQ(d[c], ((block[0][c] + block[1][c]) + block[2][c]) + block[3][c]);
  reduceColumns(ElemType::F32, ReduceOp::Max, d, block, sizeof(block[0]), 4, 5);
  for (int c = 0; c < 5; ++c)
    EXPECT_EQ(d[c],
              std::max({block[0][c], block[1][c], block[2][c], block[3][c]}));
}

TEST(Rows, GatherReportsTheBadIndex) {
  uint32_t index[] = {2, 0, 9};
  float src[] = {1, 2, 3}, d[3];
  size_t bad = 0;
  EXPECT_FALSE(gatherRow(4, d, src, 3, index, 3, &bad));
  EXPECT_EQ(bad, 2u);
  EXPECT_TRUE(gatherRow(4, d, src, 3, index, 2, &bad));
  EXPECT_EQ(d[0], 3.0f);
}

} // namespace

//===- ArrayTest.cpp - Tests of dtypes, views and conversion --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Array.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace pl::ref;

namespace {

std::string messageOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(DTypeTest, NamesOfBothSpellings) {
  EXPECT_EQ(parseDType("float32"), DType::FP32);
  EXPECT_EQ(parseDType("BF16"), DType::BF16);
  EXPECT_EQ(parseDType("long"), DType::Int64);
  EXPECT_EQ(parseDType("fp8"), std::nullopt);
  EXPECT_EQ(dtypeName(DType::BF16), "bfloat16");
}

TEST(DTypeTest, PromotionFollowsTorch) {
  EXPECT_EQ(promoteTypes(DType::UInt8, DType::Int8), DType::Int16);
  EXPECT_EQ(promoteTypes(DType::Int64, DType::FP16), DType::FP16);
  EXPECT_EQ(promoteTypes(DType::BF16, DType::FP16), DType::FP32);
  EXPECT_EQ(promoteTypes(DType::Bool, DType::UInt8), DType::UInt8);
  EXPECT_EQ(promoteTypes(DType::FP64, DType::BF16), DType::FP64);
}

TEST(DTypeTest, BFloat16RoundsTiesToEven) {
  // 1 + 2^-8 lies between 1 and 1 + 2^-7; 1 + 3*2^-8 between odd and even.
  EXPECT_EQ(BFloat16::fromFloat(1.0f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(BFloat16::fromFloat(1.0f + 0x3p-8f).bits, 0x3f82);
  EXPECT_EQ(BFloat16::fromFloat(std::nextafter(1.0f + 0x1p-8f, 2.0f)).bits,
            0x3f81);
  EXPECT_EQ(BFloat16::fromFloat(std::numeric_limits<float>::max()).bits,
            0x7f80);
  EXPECT_EQ(BFloat16::fromFloat(NAN).bits & 0x7fff, 0x7fc0);
  EXPECT_EQ(BFloat16::fromFloat(-0.0f).bits, 0x8000);
}

TEST(DTypeTest, DoubleRoundsOnce) {
  // Just above a tie: float32 would round to the tie, then to even.
  double justAbove = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(BFloat16::fromDouble(justAbove).bits, 0x3f81);
  EXPECT_EQ(BFloat16::fromFloat(static_cast<float>(justAbove)).bits, 0x3f80);
  EXPECT_EQ(Half::fromDouble(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(BFloat16::fromDouble(1e300).bits, 0x7f80);
}

TEST(DTypeTest, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half{static_cast<uint16_t>(bits)};
    float value = half.toFloat();
    if (std::isnan(value))
      continue;
    ASSERT_EQ(Half::fromFloat(value).bits, bits);
  }
}

TEST(DTypeTest, HalfEdges) {
  EXPECT_EQ(Half::fromFloat(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half::fromFloat(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half::fromFloat(0x1p-25f).bits, 0x0000);   // tie, to even zero
  EXPECT_EQ(Half::fromFloat(0x1.8p-24f).bits, 0x0002); // tie, to even two
  EXPECT_EQ(Half::fromFloat(-0x1p-24f).bits, 0x8001);
}

TEST(ArrayTest, CreateIsZeroAndChecksItsShape) {
  auto array = Array::create(DType::Int32, {2, 3});
  ASSERT_TRUE(!!array);
  EXPECT_EQ(array->numel(), 6);
  EXPECT_EQ(array->getInt(5), 0);
  EXPECT_EQ(messageOf(Array::create(DType::FP32, {2, -1}).takeError()),
            "a tensor cannot have the negative extent -1 (shape [2, -1])");
  auto huge = Array::create(DType::FP64, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_EQ(messageOf(huge.takeError()),
            "a tensor of shape [1099511627776, 1099511627776] has more than "
            "the limit of 2147483648 elements");
  EXPECT_EQ(messageOf(Array::create(DType::FP32, Dims(65, 1)).takeError()),
            "a tensor has at most 64 dims, not 65");
  auto scalar = Array::create(DType::FP32, {});
  ASSERT_TRUE(!!scalar);
  EXPECT_EQ(scalar->numel(), 1);
  auto empty = Array::create(DType::FP32, {0, 5});
  ASSERT_TRUE(!!empty);
  EXPECT_EQ(empty->numel(), 0);
}

TEST(ArrayTest, ViewsAliasAndClonesDoNot) {
  Array base = Array::make(DType::FP32, {2, 3});
  for (int64_t i = 0; i < 6; ++i)
    base.setDouble(i, static_cast<double>(i));
  Array transposed = base.withLayout({3, 2}, {1, 3}, 0);
  EXPECT_FALSE(transposed.isContiguous());
  EXPECT_EQ(transposed.getDouble(1), 3.0);
  Array copy = transposed.contiguous();
  transposed.setDouble(1, 30.0);
  EXPECT_EQ(base.getDouble(3), 30.0);
  EXPECT_EQ(copy.getDouble(1), 3.0);
  EXPECT_TRUE(copy.isContiguous());
}

TEST(ArrayTest, ConversionTruncatesAndWraps) {
  Array values = Array::make(DType::FP32, {4});
  values.setDouble(0, 2.9);
  values.setDouble(1, -2.9);
  values.setDouble(2, NAN);
  values.setDouble(3, 300.0);
  Array ints = convert(values, DType::Int8);
  EXPECT_EQ(ints.getInt(0), 2);
  EXPECT_EQ(ints.getInt(1), -2);
  EXPECT_EQ(ints.getInt(2), 0);
  EXPECT_EQ(ints.getInt(3), 44);
  EXPECT_EQ(convert(values, DType::Bool).getInt(2), 1);
}

TEST(ArrayTest, BitcastsLookAtTheSameBytes) {
  Array words = Array::make(DType::Int32, {2, 2});
  words.setInt(1, 0x3f800000);
  auto floats = bitcast(words, DType::FP32);
  ASSERT_TRUE(!!floats);
  EXPECT_EQ(floats->getDouble(1), 1.0);
  auto halves = bitcast(words, DType::BF16);
  ASSERT_TRUE(!!halves);
  EXPECT_EQ(shapeString(halves->shape()), "[2, 4]");
  EXPECT_EQ(halves->getDouble(3), 1.0);
  halves->setDouble(3, 2.0);
  EXPECT_EQ(floats->getDouble(1), 2.0);
  auto back = bitcast(*halves, DType::Int32);
  ASSERT_TRUE(!!back);
  EXPECT_EQ(back->getInt(1), 0x40000000);
  Array transposed = words.withLayout({2, 2}, {1, 2}, 0);
  EXPECT_EQ(
      messageOf(bitcast(transposed, DType::Int8).takeError()),
      "a int32 tensor of shape [2, 2] and strides [1, 2] cannot be viewed "
      "as int8");
}

TEST(ArrayTest, CopyIntoBroadcastsAndReadsOldValues) {
  Array x = Array::make(DType::Int32, {4});
  for (int64_t i = 0; i < 4; ++i)
    x.setInt(i, i);
  Array head = x.withLayout({3}, {1}, 0), tail = x.withLayout({3}, {1}, 1);
  ASSERT_FALSE(!!copyInto(tail, head));
  EXPECT_EQ(x.getInt(1), 0);
  EXPECT_EQ(x.getInt(2), 1);
  EXPECT_EQ(x.getInt(3), 2);
  Array matrix = Array::make(DType::FP32, {2, 3});
  ASSERT_FALSE(!!copyInto(matrix, tail));
  EXPECT_EQ(matrix.getDouble(5), 2.0);
  EXPECT_EQ(messageOf(copyInto(matrix, x)),
            "a tensor of shape [4] does not fit one of shape [2, 3]");
}

TEST(ArrayTest, LargeStridedCopiesAreComplete) {
  Array base = Array::make(DType::Int32, {700, 300});
  for (int64_t i = 0; i < base.numel(); ++i)
    base.data<int32_t>()[i] = static_cast<int32_t>(i);
  Array copy = base.withLayout({300, 700}, {1, 300}, 0).clone();
  bool same = true;
  for (int64_t r = 0; r < 300; ++r)
    for (int64_t c = 0; c < 700; ++c)
      same &= copy.data<int32_t>()[r * 700 + c] == c * 300 + r;
  EXPECT_TRUE(same);
}

} // namespace

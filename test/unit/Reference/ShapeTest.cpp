//===- ShapeTest.cpp - Tests of views and rearrangements ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Shape.h"
#include "TestUtil.h"

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

TEST(ShapeTest, ViewsAliasAndReshapeCopiesWhereItMust) {
  Array x = counting({2, 6});
  Array v = ok(view(x, {3, -1}));
  EXPECT_EQ(shapeOf(v), "[3, 4]");
  v.setDouble(0, 50);
  EXPECT_EQ(x.getDouble(0), 50);
  Array t = reverseDims(x);
  EXPECT_EQ(messageOf(view(t, {12})),
            "a tensor of shape [6, 2] and strides [1, 6] cannot be viewed as "
            "[12]; use reshape");
  Array copy = ok(reshape(t, {12}));
  EXPECT_FALSE(copy.sharesStorage(x));
  EXPECT_EQ(valuesOf(copy), (Values{50, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
  // Splitting a dim of a transposed tensor still is a view.
  Array split = ok(view(t, {2, 3, 2}));
  EXPECT_TRUE(split.sharesStorage(x));
  EXPECT_EQ(split.getDouble(7), 9);
  EXPECT_EQ(messageOf(reshape(x, {5, -1})),
            "shape [5, -1] does not fit the 12 elements of a tensor of shape "
            "[2, 6]");
  EXPECT_EQ(messageOf(reshape(x, {-1, -1})),
            "shape [-1, -1] has more than one -1");
  EXPECT_EQ(shapeOf(ok(reshape(Array::make(DType::FP32, {0, 3}), {3, 0}))),
            "[3, 0]");
  EXPECT_EQ(shapeOf(ok(reshape(Array::make(DType::FP32, {}), {1, 1}))),
            "[1, 1]");
}

TEST(ShapeTest, DimsAreMovedAndChecked) {
  Array x = counting({2, 3, 4});
  EXPECT_EQ(shapeOf(ok(permute(x, {2, 0, 1}))), "[4, 2, 3]");
  EXPECT_EQ(shapeOf(ok(permute(x, {-1, 0, 1}))), "[4, 2, 3]");
  EXPECT_EQ(messageOf(permute(x, {0, 0, 1})), "dim 0 is given twice");
  EXPECT_EQ(messageOf(permute(x, {0, 1})),
            "permute needs 3 dims for a tensor of shape [2, 3, 4], but got [0, "
            "1]");
  EXPECT_EQ(shapeOf(ok(transpose(x, -1, -2))), "[2, 4, 3]");
  EXPECT_EQ(shapeOf(ok(movedim(x, 0, -1))), "[3, 4, 2]");
  EXPECT_EQ(messageOf(transpose(x, 0, 3)),
            "dim 3 is out of range for a tensor of shape [2, 3, 4]");
  EXPECT_EQ(shapeOf(ok(unsqueeze(x, -1))), "[2, 3, 4, 1]");
  Array ones = counting({1, 3, 1});
  EXPECT_EQ(shapeOf(ok(squeeze(ones, {}))), "[3]");
  EXPECT_EQ(shapeOf(ok(squeeze(ones, {0}))), "[3, 1]");
  EXPECT_EQ(shapeOf(ok(squeeze(ones, {1}))), "[1, 3, 1]");
  EXPECT_EQ(shapeOf(ok(flatten(x, 1))), "[2, 12]");
  EXPECT_EQ(shapeOf(ok(flatten(x, 0, 1))), "[6, 4]");
  EXPECT_EQ(shapeOf(ok(unflatten(x, -1, {2, -1}))), "[2, 3, 2, 2]");
}

TEST(ShapeTest, ExpandAndRepeat) {
  Array x = tensor({1, 2}, DType::FP32, {2, 1});
  Array wide = ok(expand(x, {3, -1, 2}));
  EXPECT_EQ(shapeOf(wide), "[3, 2, 2]");
  EXPECT_TRUE(wide.sharesStorage(x));
  EXPECT_EQ(messageOf(expand(x, {3, 2})),
            "a tensor of shape [2, 1] does not expand to [3, 2]");
  EXPECT_EQ(
      messageOf(expand(x, {1 << 20, 1 << 20, 2, 1})),
      "a tensor of shape [1048576, 1048576, 2, 1] has more than the limit "
      "of 2147483648 elements");
  EXPECT_EQ(messageOf(view(x, Dims(65, 1))),
            "shape [" + shapeString(Dims(65, 1)).substr(1) +
                " does not fit the 2 elements of a tensor of shape [2, 1]");
  EXPECT_EQ(valuesOf(ok(repeat(tensor({1, 2}), {2, 2}))),
            (Values{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(valuesOf(ok(repeatInterleave(tensor({1, 2}), 3, std::nullopt))),
            (Values{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(valuesOf(ok(repeatInterleave(counting({2, 2}), 2, 0))),
            (Values{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(ShapeTest, SlicesClampAndNarrowDoesNot) {
  Array x = counting({6});
  EXPECT_EQ(valuesOf(ok(slice(x, 0, 1, 100, 2))), (Values{1, 3, 5}));
  EXPECT_EQ(valuesOf(ok(slice(x, 0, -2, std::nullopt))), (Values{4, 5}));
  EXPECT_EQ(ok(slice(x, 0, 4, 2)).numel(), 0);
  EXPECT_EQ(messageOf(slice(x, 0, std::nullopt, std::nullopt, -1)),
            "a slice of a tensor needs a positive step, but got -1 (use flip "
            "to reverse)");
  EXPECT_EQ(valuesOf(ok(narrow(x, 0, 2, 2))), (Values{2, 3}));
  EXPECT_EQ(
      messageOf(narrow(x, 0, 4, 3)),
      "narrow: start 4 and length 3 leave dim 0 of a tensor of shape [6]");
  EXPECT_EQ(ok(select(counting({2, 3}), 1, -1)).getDouble(1), 5);
}

TEST(ShapeTest, PiecesAndJoins) {
  Array x = counting({5, 2});
  std::vector<Array> parts = ok(splitEvery(x, 2, 0));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(shapeOf(parts[2]), "[1, 2]");
  EXPECT_TRUE(parts[1].sharesStorage(x));
  EXPECT_EQ(ok(chunk(x, 2, 0)).size(), 2u);
  EXPECT_EQ(ok(unbind(x, 1)).size(), 2u);
  EXPECT_EQ(messageOf(split(x, {2, 2}, 0)),
            "split sizes [2, 2] do not add up to the extent 5 of dim 0 (shape "
            "[5, 2])");
  EXPECT_TRUE(shapeOf(ok(cat(parts, 0))) == "[5, 2]");
  EXPECT_EQ(valuesOf(ok(cat({tensor({1, 2}), tensor({3}, DType::Int32)}, 0))),
            (Values{1, 2, 3}));
  EXPECT_EQ(messageOf(cat({counting({2, 2}), counting({2, 3})}, 0)),
            "cat along dim 0: shapes [2, 2] and [2, 3] differ elsewhere");
  Array pairs = ok(stack({tensor({1, 2}), tensor({3, 4})}, -1));
  EXPECT_EQ(valuesOf(pairs), (Values{1, 3, 2, 4}));
  EXPECT_EQ(messageOf(stack({tensor({1}), tensor({1, 2})}, 0)),
            "stack needs equal shapes, but got [1] and [2]");
}

TEST(ShapeTest, FlipRollAndTriangles) {
  EXPECT_EQ(valuesOf(ok(flip(counting({2, 2}), {0}))), (Values{2, 3, 0, 1}));
  EXPECT_EQ(valuesOf(ok(roll(counting({4}), 1, 0))), (Values{3, 0, 1, 2}));
  EXPECT_EQ(valuesOf(ok(roll(counting({2, 2}), -1, std::nullopt))),
            (Values{1, 2, 3, 0}));
  Array ones = tensor(Values(9, 1.0), DType::FP32, {3, 3});
  EXPECT_EQ(valuesOf(ok(tril(ones, 0))), (Values{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(valuesOf(ok(triu(ones, 1))), (Values{0, 1, 1, 0, 0, 1, 0, 0, 0}));
}

} // namespace

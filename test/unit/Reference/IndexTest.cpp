//===- IndexTest.cpp - Tests of subscripts, gather and scatter ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Index.h"
#include "TestUtil.h"
#include "pl/Reference/Shape.h"

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

using Item = IndexItem;

Item all() { return Item::range(std::nullopt, std::nullopt); }

TEST(IndexTest, IntsSlicesEllipsisAndNewAxes) {
  Array x = counting({2, 3, 4});
  Array row = ok(index(x, {Item::at(1), Item::at(-1)}));
  EXPECT_EQ(valuesOf(row), (Values{20, 21, 22, 23}));
  EXPECT_TRUE(row.sharesStorage(x));
  Array last = ok(index(x, {Item::ellipsis(), Item::at(0)}));
  EXPECT_EQ(valuesOf(last), (Values{0, 4, 8, 12, 16, 20}));
  Array mixed = ok(index(x, {Item::newAxis(), all(), Item::range(0, 3, 2),
                             Item::range(-1, std::nullopt)}));
  EXPECT_EQ(shapeOf(mixed), "[1, 2, 2, 1]");
  EXPECT_EQ(valuesOf(mixed), (Values{3, 11, 15, 23}));
  EXPECT_EQ(messageOf(index(x, {Item::at(0), Item::at(3)})),
            "index 3 is out of range for dim 1 of a tensor of shape [2, 3, 4]");
  EXPECT_EQ(messageOf(index(x, {all(), all(), all(), all()})),
            "too many indices (4) for a tensor of shape [2, 3, 4]");
  EXPECT_EQ(messageOf(index(x, {Item::ellipsis(), Item::ellipsis()})),
            "a subscript may have only one '...'");
}

TEST(IndexTest, IntegerTensorsGather) {
  Array x = counting({3, 4});
  Array picks = tensor({2, 0, -1}, DType::Int64);
  Array rows = ok(index(x, {Item::of(picks)}));
  EXPECT_FALSE(rows.sharesStorage(x));
  EXPECT_EQ(shapeOf(rows), "[3, 4]");
  EXPECT_EQ(rows.getDouble(0), 8);
  EXPECT_EQ(rows.getDouble(4), 0);
  EXPECT_EQ(valuesOf(ok(index(x, {Item::of(picks), Item::of(picks)}))),
            (Values{10, 0, 11}));
  Array columns = ok(index(x, {all(), Item::of(tensor({1, 3}, DType::Int32))}));
  EXPECT_EQ(valuesOf(columns), (Values{1, 3, 5, 7, 9, 11}));
  // A column of rows and a row of columns broadcast to a grid.
  Array grid = ok(index(
      x, {Item::of(tensor({0, 2}, DType::Int64, {2, 1})), Item::of(picks)}));
  EXPECT_EQ(valuesOf(grid), (Values{2, 0, 3, 10, 8, 11}));
  EXPECT_EQ(messageOf(index(x, {Item::of(tensor({3}, DType::Int64))})),
            "index 3 (at [0] of an index tensor) is out of range for an extent "
            "of 3");
  EXPECT_EQ(messageOf(index(x, {Item::of(tensor({1}))})),
            "an index tensor must hold integers or bools, but it is float32");
}

TEST(IndexTest, SeparatedTensorsMoveToTheFront) {
  Array x = counting({2, 3, 4});
  Array zero = tensor({0, 1, 1}, DType::Int64);
  EXPECT_EQ(shapeOf(ok(index(x, {Item::of(zero), all(), Item::of(zero)}))),
            "[3, 3]");
  Array apart = ok(index(x, {Item::of(zero), all(), Item::of(zero)}));
  EXPECT_EQ(apart.getDouble(3), x.getDouble(12 + 1));
  // An int between does not part them: it is taken out first.
  Array between = ok(index(x, {Item::of(zero), Item::at(1), Item::of(zero)}));
  EXPECT_EQ(valuesOf(between), (Values{4, 17, 17}));
  Array together = ok(index(x, {all(), Item::of(zero), Item::of(zero)}));
  EXPECT_EQ(shapeOf(together), "[2, 3]");
  EXPECT_EQ(valuesOf(together), (Values{0, 5, 5, 12, 17, 17}));
}

TEST(IndexTest, MasksSelectAndAssign) {
  Array x = counting({2, 3});
  Array mask = tensor({1, 0, 1, 0, 0, 1}, DType::Bool, {2, 3});
  EXPECT_EQ(valuesOf(ok(index(x, {Item::of(mask)}))), (Values{0, 2, 5}));
  EXPECT_EQ(shapeOf(ok(index(x, {Item::of(tensor({0, 1}, DType::Bool))}))),
            "[1, 3]");
  ok(assignIndex(x, {Item::of(mask)}, -1.0));
  EXPECT_EQ(valuesOf(x), (Values{-1, 1, -1, 3, 4, -1}));
  ok(assignIndex(x, {Item::of(mask)}, tensor({7, 8, 9})));
  EXPECT_EQ(valuesOf(x), (Values{7, 1, 8, 3, 4, 9}));
  EXPECT_EQ(messageOf(index(x, {Item::of(tensor({1, 0, 1}, DType::Bool))})),
            "a mask of shape [3] does not fit dims 0 to 0 of a tensor of shape "
            "[2, 3]");
  EXPECT_EQ(messageOf(assignIndex(x, {Item::of(mask)}, tensor({7, 8}))),
            "cannot assign a tensor of shape [2] to indexed elements of shape "
            "[3]");
}

TEST(IndexTest, AssignmentConvertsBroadcastsAndAliases) {
  Array x = counting({4, 2}, DType::Int32);
  Array alias = ok(view(x, {8}));
  ok(assignIndex(x, {Item::at(0)}, tensor({9.7})));
  EXPECT_EQ(alias.getInt(0), 9);
  EXPECT_EQ(alias.getInt(1), 9);
  ok(assignIndex(x, {Item::range(1, std::nullopt)},
                 ok(slice(x, 0, 0, 3)))); // overlapping
  EXPECT_EQ(valuesOf(x), (Values{9, 9, 9, 9, 2, 3, 4, 5}));
  ok(assignIndex(x, {Item::of(tensor({0, 3}, DType::Int64)), Item::at(1)},
                 Operand(0)));
  EXPECT_EQ(valuesOf(x), (Values{9, 0, 9, 9, 2, 3, 4, 0}));
  // Of repeated places the last value stays.
  ok(assignIndex(x, {Item::of(tensor({1, 1}, DType::Int64)), Item::at(0)},
                 tensor({5, 6}, DType::Int32)));
  EXPECT_EQ(x.getInt(2), 6);
}

TEST(IndexTest, GatherAndScatter) {
  Array x = counting({2, 3});
  Array where = tensor({2, 0, 1, 1}, DType::Int64, {2, 2});
  EXPECT_EQ(valuesOf(ok(gather(x, 1, where))), (Values{2, 0, 4, 4}));
  EXPECT_EQ(valuesOf(ok(gather(x, 0, tensor({1, 0, 1}, DType::Int64, {1, 3})))),
            (Values{3, 1, 5}));
  EXPECT_EQ(messageOf(gather(x, 1, tensor({3}, DType::Int64, {1, 1}))),
            "gather: index 3 at [0, 0] is out of range for an extent of 3");
  EXPECT_EQ(messageOf(gather(x, 1, tensor({0}, DType::Int64))),
            "gather along dim 1: an index of shape [1] does not fit a tensor "
            "of shape [2, 3]");
  Array target = Array::make(DType::FP32, {2, 3});
  ok(scatterInto(target, 1, where, counting({2, 2}), /*add=*/false));
  EXPECT_EQ(valuesOf(target), (Values{1, 0, 0, 0, 3, 0}));
  ok(scatterInto(target, 1, where, Operand(1.0), /*add=*/true));
  EXPECT_EQ(valuesOf(target), (Values{2, 0, 1, 0, 5, 0}));
  EXPECT_EQ(
      valuesOf(ok(takeAlongDim(x, tensor({1, 0}, DType::Int64, {2, 1}), 1))),
      (Values{1, 3}));
}

TEST(IndexTest, IndexSelectAddAndNonzero) {
  Array x = counting({3, 2});
  EXPECT_EQ(valuesOf(ok(indexSelect(x, 0, tensor({2, 2}, DType::Int32)))),
            (Values{4, 5, 4, 5}));
  EXPECT_EQ(valuesOf(ok(indexSelect(x, 1, tensor({1}, DType::Int64)))),
            (Values{1, 3, 5}));
  ok(indexInto(x, 0, tensor({0, 0}, DType::Int64), counting({2, 2}), true));
  EXPECT_EQ(valuesOf(x), (Values{2, 5, 2, 3, 4, 5}));
  Array places = nonzero(tensor({0, 3, 4, 0}, DType::Int32, {2, 2}));
  EXPECT_EQ(shapeOf(places), "[2, 2]");
  EXPECT_EQ(valuesOf(places), (Values{0, 1, 1, 0}));
}

TEST(IndexTest, RowGatherOfManyPlaces) {
  Array pool = counting({500, 32}, DType::Int32);
  Array places = Array::make(DType::Int64, {40, 50});
  for (int64_t i = 0; i < places.numel(); ++i)
    places.setInt(i, (i * 37) % 500);
  Array rows = ok(index(pool, {Item::of(places)}));
  EXPECT_EQ(shapeOf(rows), "[40, 50, 32]");
  bool same = true;
  for (int64_t i = 0; i < rows.numel(); ++i)
    same &= rows.data<int32_t>()[i] == places.getInt(i / 32) * 32 + i % 32;
  EXPECT_TRUE(same);
}

} // namespace

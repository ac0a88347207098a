//===- RemoteRows.cpp - A store as stores into windows of others ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteRows.h"

#include "ScheduleUtils.h"

#include "pl/Analysis/LinearExpr.h"
#include "pl/Machine/Machine.h"

using namespace mlir;
using namespace mlir::pl;

/// The sum of `expr` / `divisor`, without its constant.
static Value createQuotient(OpBuilder &builder, Location loc,
                            const LinearExpr &expr, int64_t divisor) {
  Value sum;
  for (auto [term, factor] : expr.getTerms()) {
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         value);
    sum = createMulAdd(builder, loc, value, factor / divisor, sum);
  }
  return sum ? sum : Value(arith::ConstantIndexOp::create(builder, loc, 0));
}

/// `first` as a sum of multiples of `factor` and a constant, or nothing.
static std::optional<std::pair<LinearExpr, int64_t>>
splitMultiples(const LinearExpr &first, int64_t factor) {
  LinearExpr variable;
  for (auto [term, coefficient] : first.getTerms()) {
    if (coefficient % factor != 0)
      return std::nullopt;
    variable = variable + LinearExpr::symbol(term) * coefficient;
  }
  std::optional<int64_t> constant = (first - variable).asConstant();
  if (!constant || *constant < 0)
    return std::nullopt;
  return std::pair(variable, *constant);
}

/// Rows of the tensor that `store` writes in one that is put.
static int64_t partsOf(StoreOp store, PutRoute &route) {
  return route.getSource().getDimSize(1) /
         store.getTarget().getType().getDimSize(1);
}

/// Rows of the tile that may hold data.
static int64_t numRowsOf(TileType tile) {
  return ShapedType::isDynamic(tile.getValidRows()) ? tile.getRows()
                                                    : tile.getValidRows();
}

/// All rows of the tile go to rows beside each other in one window.
static bool goesAsOne(StoreOp store, PutRoute &route) {
  int64_t parts = partsOf(store, route);
  int64_t rows = numRowsOf(cast<TileType>(store.getTile().getType()));
  if (rows == 0 || (parts > 1 && !route.reachesWholeRows()))
    return false;
  auto first = splitMultiples(LinearExpr::of(store.getOffsets()[0]), rows);
  return rows == 1 || (first && first->second % rows == 0 &&
                       route.keepsTogether(rows, parts));
}

std::string mlir::pl::whyNotRemotely(StoreOp store, PutRoute &route) {
  auto tile = dyn_cast<TileType>(store.getTile().getType());
  if (!tile)
    return "it stores no tile";
  int64_t bytes = tile.getNumBytes() / std::max<int64_t>(1, tile.getRows());
  if (tile.getRows() == 1 || goesAsOne(store, route) ||
      bytes % ::pl::kBlockBytes == 0)
    return "";
  return "rows of its tile go to different places one by one, and rows of " +
         std::to_string(bytes) + " bytes are no multiples of " +
         std::to_string(::pl::kBlockBytes);
}

//===----------------------------------------------------------------------===//
// The tile as one
//===----------------------------------------------------------------------===//

/// The window with rows of `cols` elements.
static Value createNarrowWindow(OpBuilder &builder, Location loc, Value window,
                                int64_t cols) {
  auto type = cast<MemRefType>(window.getType());
  if (type.getDimSize(1) == cols)
    return window;
  int64_t rows = type.getNumElements() / cols;
  auto narrow =
      MemRefType::get({rows, cols}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, narrow, window, /*offset=*/0, ArrayRef<int64_t>{rows, cols},
      ArrayRef<int64_t>{cols, 1});
}

/// `tile` with no more than `numRows` valid rows.
static Value createFirstRows(OpBuilder &builder, Location loc, Value tile,
                             Value numRows) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<Value, 2> extents;
  Value rows = ValidExtentOp::create(builder, loc, builder.getIndexType(), tile,
                                     /*axis=*/0);
  if (!ShapedType::isDynamic(type.getValidRows()))
    rows = arith::ConstantIndexOp::create(builder, loc, type.getValidRows());
  extents.push_back(createMin(builder, loc, rows, numRows));
  if (ShapedType::isDynamic(type.getValidCols()))
    extents.push_back(ValidExtentOp::create(
        builder, loc, builder.getIndexType(), tile, /*axis=*/1));
  return SetValidOp::create(
      builder, loc, type.withValid(ShapedType::kDynamic, type.getValidCols()),
      tile, extents);
}

static void storeAsOne(RewriterBase &rewriter, StoreOp store, PutRoute &route) {
  Location loc = store.getLoc();
  int64_t parts = partsOf(store, route);
  Value tile = store.getTile();
  int64_t rows = numRowsOf(cast<TileType>(tile.getType()));
  Value window = createNarrowWindow(
      rewriter, loc, route.getTarget(),
      parts == 1 ? cast<MemRefType>(route.getTarget().getType()).getDimSize(1)
                 : store.getTarget().getType().getDimSize(1));
  route.send(
      rewriter, loc, store.getOffsets()[0], parts,
      [&](OpBuilder &builder, const PutRoute::Place &place) {
        Value sent = tile;
        if (!route.sendsTogether(rows, parts))
          sent = createFirstRows(
              builder, loc, tile,
              arith::SubIOp::create(builder, loc, place.numRows, place.index));
        Value col =
            createMulAdd(builder, loc, store.getOffsets()[1], 1, place.col);
        RemoteStoreOp::create(builder, loc, sent, window,
                              ValueRange{place.row, col}, place.peer,
                              AtomicKind::none);
      });
}

//===----------------------------------------------------------------------===//
// Row by row
//===----------------------------------------------------------------------===//

namespace {
/// Rows of a tile that are parts of one row of the buffer that is put.
struct WideRow {
  Value row;
  struct Part {
    int64_t index;         ///< row of the tile
    int64_t col = 0;       ///< first column in the wide row
    Value dynamicCol = {}; ///< where only the run knows: added to `col`
  };
  SmallVector<Part> parts;
};
} // namespace

/// How the rows of the tile of `store` lie in rows of the tensor that is put.
static SmallVector<WideRow> wideRowsOf(OpBuilder &builder, StoreOp store,
                                       PutRoute &route) {
  Location loc = store.getLoc();
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t perRow = partsOf(store, route);
  int64_t narrow = store.getTarget().getType().getDimSize(1);
  int64_t numRows = numRowsOf(cast<TileType>(store.getTile().getType()));
  auto first = splitMultiples(LinearExpr::of(store.getOffsets()[0]), perRow);
  SmallVector<WideRow> rows;
  if (!first) {
    for (int64_t i = 0; i < numRows; ++i) {
      Value row =
          createMulAdd(builder, loc, store.getOffsets()[0], 1, number(i));
      Value part = arith::RemSIOp::create(builder, loc, row, number(perRow));
      Value wide =
          arith::FloorDivSIOp::create(builder, loc, row, number(perRow));
      rows.push_back(
          {wide, {{i, 0, createMulAdd(builder, loc, part, narrow)}}});
    }
    return rows;
  }
  auto [variable, constant] = *first;
  Value base = createQuotient(builder, loc, variable, perRow);
  int64_t last = -1;
  for (int64_t i = 0; i < numRows; ++i) {
    int64_t at = constant + i, wide = at / perRow;
    if (wide != last)
      rows.push_back({createMulAdd(builder, loc, base, 1, number(wide)), {}});
    last = wide;
    rows.back().parts.push_back({i, at % perRow * narrow});
  }
  return rows;
}

/// Row `index` of `tile`, with the valid columns that it has there.
static Value createRow(OpBuilder &builder, Location loc, Value tile,
                       int64_t index) {
  auto type = cast<TileType>(tile.getType());
  if (type.getRows() == 1)
    return tile;
  Value source = tile;
  int64_t row = index, col = 0;
  if (auto part = tile.getDefiningOp<SubtileOp>();
      part && type.isFullyValid()) {
    source = part.getSource();
    row += part.getRow();
    col += part.getCol();
  }
  auto rowType = TileType::get(1, type.getCols(), type.getElementType());
  Value result = SubtileOp::create(builder, loc, rowType, source, row, col);
  int64_t valid = type.getValidCols();
  if (valid == type.getCols())
    return result;
  SmallVector<Value, 1> extents;
  if (ShapedType::isDynamic(valid))
    extents.push_back(ValidExtentOp::create(
        builder, loc, builder.getIndexType(), tile, /*axis=*/1));
  return SetValidOp::create(builder, loc, rowType.withValid(1, valid), result,
                            extents);
}

static void storeRowByRow(RewriterBase &rewriter, StoreOp store,
                          PutRoute &route) {
  Location loc = store.getLoc();
  Value tile = store.getTile(), validRows;
  if (ShapedType::isDynamic(cast<TileType>(tile.getType()).getValidRows()))
    validRows = ValidExtentOp::create(rewriter, loc, rewriter.getIndexType(),
                                      tile, /*axis=*/0);
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  for (const WideRow &wide : wideRowsOf(rewriter, store, route))
    route.send(rewriter, loc, wide.row, /*unit=*/1,
               [&](OpBuilder &builder, const PutRoute::Place &place) {
                 for (const WideRow::Part &part : wide.parts) {
                   OpBuilder::InsertionGuard guard(builder);
                   Value col = createMulAdd(builder, loc, store.getOffsets()[1],
                                            1, number(part.col));
                   if (part.dynamicCol)
                     col = createMulAdd(builder, loc, col, 1, part.dynamicCol);
                   col = createMulAdd(builder, loc, col, 1, place.col);
                   if (validRows) {
                     Value isValid = arith::CmpIOp::create(
                         builder, loc, arith::CmpIPredicate::sgt, validRows,
                         number(part.index));
                     auto branch = scf::IfOp::create(builder, loc, isValid);
                     builder.setInsertionPoint(branch.thenYield());
                   }
                   RemoteStoreOp::create(
                       builder, loc, createRow(builder, loc, tile, part.index),
                       route.getTarget(), ValueRange{place.row, col},
                       place.peer, AtomicKind::none);
                 }
               });
}

void mlir::pl::storeRemotely(RewriterBase &rewriter, StoreOp store,
                             PutRoute &route) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(store);
  if (goesAsOne(store, route))
    storeAsOne(rewriter, store, route);
  else
    storeRowByRow(rewriter, store, route);
  rewriter.eraseOp(store);
}

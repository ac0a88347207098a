//===- LoweringTiles.cpp - windows and elements of tiles ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

DslValue pl::frontend::computeInt(FunctionLowering &f, SourceRange range,
                                  BinOpKind op, const DslValue &lhs,
                                  const DslValue &rhs) {
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  std::optional<int64_t> right = f.getConstantInt(rhs);
  bool isNeutral = right && *right == (op == BinOpKind::Mult ? 1 : 0);
  if (isNeutral)
    return lhs;
  if (lhs.isHost() && rhs.isHost())
    return f.foldBinary(range, op, lhs, rhs);
  return f.scalarBinary(range, op, lhs, rhs);
}

DslValue pl::frontend::minInt(FunctionLowering &f, SourceRange range,
                              const DslValue &lhs, const DslValue &rhs) {
  return f.scalarMinMax(range, /*isMin=*/true, lhs, rhs);
}

DslValue pl::frontend::maxInt(FunctionLowering &f, SourceRange range,
                              const DslValue &lhs, const DslValue &rhs) {
  return f.scalarMinMax(range, /*isMin=*/false, lhs, rhs);
}

std::pair<int64_t, int64_t>
pl::frontend::flattenShape(ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back())
    rows *= extent;
  return {rows, shape.back()};
}

bool pl::frontend::getValidRows(FunctionLowering &f, ArrayRef<int64_t> sizes,
                                ArrayRef<DslValue> valid, DslValue &rows,
                                SourceRange range) {
  rows = makeInt(1);
  bool isWide = false; // an axis outside this one has more than one index
  for (auto [axis, size] : llvm::enumerate(sizes.drop_back())) {
    bool isWhole = f.getConstantInt(valid[axis]) == size;
    if (!isWhole && isWide)
      return false;
    isWide |= size != 1;
    rows = f.getConstantInt(rows) == 1
               ? valid[axis]
               : computeInt(f, range, BinOpKind::Mult, rows, valid[axis]);
  }
  return !rows.isError();
}

//===----------------------------------------------------------------------===//
// Windows as runs of rows
//===----------------------------------------------------------------------===//

namespace {
/// Rows of a tile that follow each other, and where they are in the window.
struct RowRun {
  DslValue row;
  int64_t windowRow = 0;
  int64_t rows = 1;
};
} // namespace

/// Splits a window of a tile of `shape` into runs of rows.
static bool getRowRuns(FunctionLowering &f, ArrayRef<int64_t> shape,
                       ArrayRef<DslValue> offsets, ArrayRef<int64_t> sizes,
                       SourceRange range, SmallVectorImpl<RowRun> &runs) {
  constexpr int64_t kMaxRuns = 256;
  size_t axes = shape.size() - 1; // those that make the rows
  // From axis `first` on the rows of the window follow each other.
  size_t first = axes == 0 ? 0 : axes - 1;
  while (first > 0 && sizes[first] == shape[first] &&
         f.getConstantInt(offsets[first]) == 0)
    --first;
  int64_t rows = 1, count = 1;
  for (size_t axis = 0; axis < axes; ++axis)
    (axis < first ? count : rows) *= sizes[axis];
  if (count > kMaxRuns) {
    f.notLowered(range, "a window of " + Twine(count) + " separate row blocks");
    return false;
  }
  for (int64_t index = 0; index < count; ++index) {
    RowRun run;
    run.windowRow = index * rows;
    run.rows = rows;
    run.row = makeInt(0);
    int64_t rest = index, stride = 1;
    for (size_t axis = axes; axis-- > 0;) {
      DslValue at = offsets[axis];
      if (axis < first) {
        at = computeInt(f, range, BinOpKind::Add, at,
                        makeInt(rest % sizes[axis]));
        rest /= sizes[axis];
      }
      at = computeInt(f, range, BinOpKind::Mult, at, makeInt(stride));
      run.row = f.getConstantInt(run.row) == 0
                    ? at
                    : computeInt(f, range, BinOpKind::Add, at, run.row);
      stride *= shape[axis];
    }
    if (run.row.isError())
      return false;
    runs.push_back(std::move(run));
  }
  return true;
}

/// A tile whose rank-1 shape is a column of the IR's tile.
static bool isColumn(const DslValue &tile) {
  ir::TileType type = tile.getTileType();
  return tile.shape.size() == 1 && type.getCols() == 1 && type.getRows() != 1;
}

static bool checkTileBounds(FunctionLowering &f, const DslValue &tile,
                            ArrayRef<DslValue> offsets, ArrayRef<int64_t> sizes,
                            SourceRange range, StringRef what) {
  for (auto [axis, extent] : llvm::enumerate(tile.shape)) {
    std::optional<int64_t> offset = f.getConstantInt(offsets[axis]);
    if (offset.value_or(0) < 0 || sizes[axis] > extent ||
        offset.value_or(0) > extent - sizes[axis]) {
      f.error(DiagCode::OutsideSource, range,
              "this " + what + " leaves the source: in axis " + Twine(axis) +
                  " it covers " +
                  (offset
                       ? Twine(*offset) + " to " + Twine(*offset + sizes[axis])
                       : Twine(sizes[axis]) + " from a run-time offset") +
                  ", but the tile has " + Twine(extent));
      return false;
    }
  }
  return true;
}

mlir::Value pl::frontend::cutTile(FunctionLowering &f, mlir::Value tile,
                                  const DslValue &row, const DslValue &col,
                                  int64_t rows, int64_t cols,
                                  SourceRange range) {
  auto from = mlir::cast<ir::TileType>(tile.getType());
  if (rows == from.getRows() && cols == from.getCols())
    return tile;
  auto whole = ir::TileType::get(rows, cols, from.getElementType(),
                                 from.getSpace(), rows, cols);
  std::optional<int64_t> fixedRow = f.getConstantInt(row);
  std::optional<int64_t> fixedCol = f.getConstantInt(col);
  if (fixedRow && fixedCol)
    return ir::SubtileOp::create(f.builder, f.loc(range), whole, tile,
                                 *fixedRow, *fixedCol);
  mlir::Value rowValue = f.toIndex(row, range, "an offset");
  mlir::Value colValue = f.toIndex(col, range, "an offset");
  if (!rowValue || !colValue)
    return {};
  return ir::SliceOp::create(f.builder, f.loc(range), whole, tile, rowValue,
                             colValue);
}

/// The part of the valid extent of `tile` that a window sees on one axis.
static DslValue getWindowValid(FunctionLowering &f, mlir::Value tile,
                               unsigned axis, const DslValue &offset,
                               int64_t size, SourceRange range) {
  auto from = mlir::cast<ir::TileType>(tile.getType());
  int64_t have = from.getValid(axis);
  if (have == from.getExtent(axis))
    return makeInt(size);
  std::optional<int64_t> fixed = f.getConstantInt(offset);
  if (!mlir::ShapedType::isDynamic(have) && fixed)
    return makeInt(std::clamp<int64_t>(have - *fixed, 0, size));
  DslValue limit =
      mlir::ShapedType::isDynamic(have)
          ? DslValue::makeScalar(f.getValidExtent(tile, axis, range),
                                 DTypeKind::INDEX)
          : makeInt(have);
  if (fixed != 0)
    limit = maxInt(f, range, makeInt(0),
                   computeInt(f, range, BinOpKind::Sub, limit, offset));
  if (size != from.getExtent(axis))
    limit = minInt(f, range, limit, makeInt(size));
  return limit;
}

DslValue FunctionLowering::tileWindow(const DslValue &tile,
                                      const Window &window,
                                      ArrayRef<DslValue> valid,
                                      SourceRange range) {
  SmallVector<int64_t> sizes;
  for (const DslValue &size : window.sizes) {
    std::optional<int64_t> number = getConstantInt(size);
    if (!number)
      return fail(DiagCode::NotConstant, range,
                  "the extent of '" + getText(range) + "' must be constant");
    sizes.push_back(*number);
  }
  if (!checkTileBounds(*this, tile, window.offsets, sizes, range, "window"))
    return DslValue::error();
  SmallVector<int64_t, 2> kept;
  for (auto [size, drop] : llvm::zip(sizes, window.dropped))
    if (!drop)
      kept.push_back(size);
  ir::TileType from = tile.getTileType();
  DslValue made = tile;
  SmallVector<RowRun> runs;
  if (!getRowRuns(*this, tile.shape, window.offsets, sizes, range, runs))
    return DslValue::error();
  if (runs.size() > 1) {
    // Row blocks that are apart are put together.
    if (!from.isFullyValid() || !valid.empty())
      return notLowered(range, "a window of separate row blocks that is partly "
                               "valid");
    made = makeEmptyTile(sizes, *tile.dtype, range);
    for (const RowRun &run : runs) {
      mlir::Value part =
          cutTile(*this, tile.value, run.row, window.offsets.back(), run.rows,
                  sizes.back(), range);
      if (!part)
        return DslValue::error();
      made.value = ir::InsertOp::create(
          builder, loc(range), made.value.getType(), part, made.value,
          getIndex(run.windowRow, range), getIndex(0, range));
    }
    made.isTileLevel = tile.isTileLevel;
    return tileReshape(range, made, kept);
  }
  // A row of rank 1 is a tile of one row, or of one column.
  DslValue offsets[2] = {runs[0].row, window.offsets.back()};
  int64_t extents[2] = {runs[0].rows, sizes.back()};
  SmallVector<DslValue> boxes;
  if (!valid.empty()) {
    DslValue rows;
    if (!getValidRows(*this, sizes, valid, rows, range)) {
      error(DiagCode::ValidShape, range,
            "the valid part of '" + getText(range) +
                "' is no box of rows and columns; only the outermost "
                "axis of rows can be partly valid");
      return DslValue::error();
    }
    boxes = {rows, valid.back()};
  }
  if (isColumn(tile)) {
    std::swap(offsets[0], offsets[1]);
    std::swap(extents[0], extents[1]);
    if (!boxes.empty())
      std::swap(boxes[0], boxes[1]);
  }
  made.value = cutTile(*this, tile.value, offsets[0], offsets[1], extents[0],
                       extents[1], range);
  if (!made.value)
    return DslValue::error();
  // What is valid in the window: the part of the source's box in it, and no
  // more than was asked for.
  SmallVector<DslValue> limits;
  for (unsigned axis : {0, 1}) {
    DslValue limit = getWindowValid(*this, tile.value, axis, offsets[axis],
                                    extents[axis], range);
    if (!boxes.empty()) {
      bool isWhole = getConstantInt(limit) == extents[axis];
      limit = isWhole ? boxes[axis] : minInt(*this, range, limit, boxes[axis]);
    }
    limits.push_back(limit);
  }
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  if (!getValidBox(limits, extents[0], extents[1], range, box, operands))
    return DslValue::error();
  if (made.value == tile.value && box[0] == from.getValidRows() &&
      box[1] == from.getValidCols() && boxes.empty()) {
    // The whole tile.
  } else if (box[0] != extents[0] || box[1] != extents[1]) {
    auto type = mlir::cast<ir::TileType>(made.value.getType())
                    .withValid(box[0], box[1]);
    made.value =
        ir::SetValidOp::create(builder, loc(range), type, made.value, operands);
  }
  made.shape = kept;
  auto [rows, cols] = flattenShape(kept);
  if (rows != extents[0] || cols != extents[1])
    return tileReshape(range, made, kept);
  return made;
}

DslValue pl::frontend::lowerTileSubscript(FunctionLowering &f,
                                          const SubscriptExpr *expr,
                                          const DslValue &base) {
  FunctionLowering::Window window;
  window.range = expr->range;
  SmallVector<Extent> extents;
  for (int64_t extent : base.shape)
    extents.push_back({extent, {}, {}});
  if (!f.getWindow(expr, extents, window))
    return DslValue::error();
  if (window.isElement())
    return readTileElement(f, base, window.offsets, expr->range);
  if (!base.isTileLevel)
    return f.tileWindow(base, window, {}, expr->range);
  // Tiles have fixed windows: what an upper bound cuts off is not valid.
  SmallVector<DslValue> valid;
  bool isPartial = false;
  size_t kept = 0;
  for (auto [axis, extent] : llvm::enumerate(base.shape)) {
    DslValue &size = window.sizes[axis];
    valid.push_back(size);
    kept += !window.dropped[axis];
    if (window.dropped[axis])
      continue;
    std::optional<int64_t> offset = f.getConstantInt(window.offsets[axis]);
    if (!offset)
      return f.fail(DiagCode::BadSubscript, expr->range,
                    "Dynamic lower bounds are not supported in tile "
                    "subscript: '" +
                        f.getText(expr->range) +
                        "'; use pl.tile.slice, which takes run-time offsets");
    std::optional<int64_t> number = f.getConstantInt(size);
    if (!number) {
      size = makeInt(extent - *offset);
      valid.back() =
          minInt(f, expr->range,
                 maxInt(f, expr->range, valid.back(), makeInt(0)), size);
      isPartial = true;
    } else if (*number > extent - *offset && *offset < extent) {
      size = valid.back() = makeInt(extent - *offset);
    }
  }
  if (!isPartial)
    valid.clear();
  DslValue made = f.tileWindow(base, window, valid, expr->range);
  if (made.isError() || kept >= 2 || kept == base.shape.size())
    return made;
  // Tiles are never below rank 2.
  f.warning(DiagCode::PromotedSubscript, expr->range,
            "this tile subscript has " + Twine(kept) +
                " axis; it is promoted to the shape [1, " +
                Twine(made.shape.back()) + "]; use pl.reshape for another");
  return f.tileReshape(expr->range, made, {1, made.shape.back()});
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool pl::frontend::getTileCell(FunctionLowering &f, const DslValue &tile,
                               ArrayRef<DslValue> indices, SourceRange range,
                               mlir::Value (&cell)[2]) {
  if (indices.size() != tile.shape.size()) {
    f.error(DiagCode::WrongRank, range,
            f.describe(tile) + " has " + Twine(tile.shape.size()) +
                " axes, but got " + Twine(indices.size()) +
                (indices.size() == 1 ? " index" : " indices"));
    return false;
  }
  SmallVector<int64_t> ones(indices.size(), 1);
  if (!checkTileBounds(f, tile, indices, ones, range, "element"))
    return false;
  SmallVector<RowRun> runs;
  if (!getRowRuns(f, tile.shape, indices, ones, range, runs))
    return false;
  DslValue at[2] = {runs[0].row, indices.back()};
  if (isColumn(tile))
    std::swap(at[0], at[1]);
  for (unsigned axis : {0, 1}) {
    cell[axis] = f.toIndex(at[axis], range, "an index");
    if (!cell[axis])
      return false;
  }
  return true;
}

DslValue pl::frontend::readTileElement(FunctionLowering &f,
                                       const DslValue &tile,
                                       ArrayRef<DslValue> indices,
                                       SourceRange range) {
  mlir::Value cell[2];
  if (!getTileCell(f, tile, indices, range, cell))
    return DslValue::error();
  return DslValue::makeScalar(
      ir::TileReadOp::create(f.builder, f.loc(range),
                             f.module.getScalarType(*tile.dtype), tile.value,
                             cell[0], cell[1]),
      *tile.dtype);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

SmallVector<int64_t, 2> pl::frontend::getStaticValid(const DslValue &tile) {
  ir::TileType type = tile.getTileType();
  SmallVector<int64_t, 2> valid(tile.shape);
  auto getStatic = [](int64_t extent) {
    return mlir::ShapedType::isDynamic(extent) ? -1 : extent;
  };
  if (tile.shape.size() == 2)
    return {getStatic(type.getValidRows()), getStatic(type.getValidCols())};
  if (tile.shape.size() == 1)
    return {getStatic(type.getCols() == tile.shape[0] ? type.getValidCols()
                                                      : type.getValidRows())};
  return valid;
}

DslValue pl::frontend::insertTile(FunctionLowering &f, const DslValue &target,
                                  DslValue source, ArrayRef<DslValue> offsets,
                                  SourceRange range) {
  size_t rank = target.shape.size();
  if (offsets.size() != rank)
    return f.fail(DiagCode::WrongRank, range,
                  f.describe(target) + " has " + Twine(rank) +
                      " axes, but there are " + Twine(offsets.size()) +
                      " offsets");
  if (!f.checkLevels(range, "a write to a window", {target, source}))
    return DslValue::error();
  if (source.dtype != target.dtype)
    return f.fail(DiagCode::SubscriptWrite, range,
                  "cannot write " + f.describe(source) + " into " +
                      f.describe(target) + "; cast it with pl.cast");
  // The source by the axes of the target: those it lacks have extent 1.
  SmallVector<int64_t> sizes(source.shape.begin(), source.shape.end());
  while (sizes.size() > rank && sizes.front() == 1)
    sizes.erase(sizes.begin());
  if (sizes.size() > rank)
    return f.fail(DiagCode::WrongRank, range,
                  "the target has " + Twine(rank) +
                      " axes, but the source is " + f.describe(source));
  while (sizes.size() < rank)
    sizes.insert(sizes.begin(), 1);
  // Only what is valid moves.
  SmallVector<int64_t> moved(sizes);
  SmallVector<int64_t, 2> valid = getStaticValid(source);
  for (size_t i = 0; i < valid.size() && i < rank; ++i)
    moved[rank - 1 - i] = std::max<int64_t>(valid[valid.size() - 1 - i], 0);
  if (!checkTileBounds(f, target, offsets, moved, range, "write"))
    return DslValue::error();
  source = f.tileReshape(range, source, sizes);
  if (source.isError())
    return source;
  SmallVector<RowRun> runs;
  if (!getRowRuns(f, target.shape, offsets, sizes, range, runs))
    return DslValue::error();
  ir::TileType type = source.getTileType(), box = target.getTileType();
  DslValue made = target;
  bool isWhole = type.getRows() == box.getRows() &&
                 type.getCols() == box.getCols() && type.isFullyValid() &&
                 box.isFullyValid() && type.getSpace() == box.getSpace();
  if (isWhole && !isColumn(target)) {
    made.value = source.value;
    return made;
  }
  if (runs.size() > 1 && !type.isFullyValid())
    return f.notLowered(range, "a write of separate row blocks that are partly "
                               "valid");
  for (const RowRun &run : runs) {
    mlir::Value part = cutTile(f, source.value, makeInt(run.windowRow),
                               makeInt(0), run.rows, sizes.back(), range);
    DslValue at[2] = {run.row, offsets.back()};
    if (isColumn(target)) {
      std::swap(at[0], at[1]);
      DslValue turned = source;
      turned.value = part;
      turned = f.tileReshape(range, turned, {sizes.back(), 1});
      part = turned.value;
    }
    mlir::Value row = f.toIndex(at[0], range, "an offset");
    mlir::Value col = f.toIndex(at[1], range, "an offset");
    if (!part || !row || !col)
      return DslValue::error();
    made.value =
        ir::InsertOp::create(f.builder, f.loc(range), made.value.getType(),
                             part, made.value, row, col);
  }
  return made;
}

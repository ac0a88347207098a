//===- LoweringShapes.cpp - shapes, axes, valid boxes of tiles ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The box of the valid cells of a tile seen as [rows, cols]; false where they
/// are none. `rows` and `cols` are neither those of the tile nor a turned row.
static bool reshapeBox(FunctionLowering &f, const DslValue &tile, int64_t rows,
                       int64_t cols, SourceRange range,
                       SmallVector<DslValue> &box) {
  ir::TileType from = tile.getTileType();
  if (from.getValidRows() == 0 || from.getValidCols() == 0) {
    box = {makeInt(0), makeInt(cols)};
    return true;
  }
  // Whole rows, or a part of a single one: a prefix of the cells.
  bool wholeRows = from.getValidCols() == from.getCols();
  if (!wholeRows && from.getRows() != 1)
    return false;
  unsigned axis = wholeRows ? 0 : 1;
  int64_t unit = wholeRows ? from.getCols() : 1;
  int64_t have = from.getValid(axis);
  if (!mlir::ShapedType::isDynamic(have)) {
    int64_t cells = have * unit;
    if (cells % cols == 0)
      box = {makeInt(cells / cols), makeInt(cols)};
    else if (cells < cols)
      box = {makeInt(1), makeInt(cells)};
    else
      return false;
    return true;
  }
  DslValue count = DslValue::makeScalar(
      f.getValidExtent(tile.value, axis, range), DTypeKind::INDEX);
  if (rows == 1)
    box = {makeInt(1),
           computeInt(f, range, BinOpKind::Mult, count, makeInt(unit))};
  else if (unit % cols == 0)
    box = {computeInt(f, range, BinOpKind::Mult, count, makeInt(unit / cols)),
           makeInt(cols)};
  else
    return false;
  return true;
}

DslValue FunctionLowering::tileReshape(SourceRange range, DslValue tile,
                                       ArrayRef<int64_t> shape) {
  ir::TileType from = tile.getTileType();
  auto [rows, cols] = flattenShape(shape);
  DslValue made = tile;
  made.shape.assign(shape.begin(), shape.end());
  if (rows * cols != from.getRows() * from.getCols()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(shape, os);
    return fail(DiagCode::Reshape, range,
                "reshape: size mismatch, " + describe(tile) + " has " +
                    Twine(from.getRows() * from.getCols()) + " elements and [" +
                    text + "] has " + Twine(rows * cols));
  }
  if (rows == from.getRows() && cols == from.getCols())
    return made;
  auto to = ir::TileType::get(rows, cols, from.getElementType(),
                              from.getSpace(), rows, cols);
  bool turns =
      (from.getRows() == 1 && cols == 1) || (from.getCols() == 1 && rows == 1);
  if (turns) {
    to = to.withValid(from.getValidCols(), from.getValidRows());
  } else if (!from.isFullyValid()) {
    // The same cells as a box of the new shape, or an error.
    SmallVector<DslValue> box;
    if (!reshapeBox(*this, tile, rows, cols, range, box))
      return fail(DiagCode::Reshape, range,
                  "reshape: region not representable: the valid part of " +
                      describe(tile) + " is no box of [" + Twine(rows) + ", " +
                      Twine(cols) + "]; fill it with pl.fillpad first");
    mlir::Value whole = ir::SetValidOp::create(
        builder, loc(range), from.withValid(from.getRows(), from.getCols()),
        tile.value, mlir::ValueRange());
    made.value = ir::ReshapeOp::create(builder, loc(range), to, whole);
    int64_t extents[2];
    SmallVector<mlir::Value> operands;
    if (!getValidBox(box, rows, cols, range, extents, operands))
      return DslValue::error();
    return setValid(made, extents[0], extents[1], operands, range);
  }
  made.value = ir::ReshapeOp::create(builder, loc(range), to, tile.value);
  return made;
}

DslValue FunctionLowering::lowerReshape(OpCall &op) {
  DslValue source = lower(op.args[0]);
  if (source.isError())
    return source;
  if (source.isTensor()) {
    SmallVector<DslValue> shape;
    if (!getList(op.args[1], "the shape", shape))
      return DslValue::error();
    return viewReshape(op.range(), *source.tensor, shape);
  }
  if (!source.isTile())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor or tile, but this is " +
                    describe(source));
  SmallVector<int64_t> shape;
  if (!getStaticShape(op.args[1], "the shape", shape))
    return DslValue::error();
  return tileReshape(op.range(), source, shape);
}

DslValue FunctionLowering::lowerTranspose(OpCall &op) {
  DslValue source = lower(op.args[0]);
  if (source.isTensor() && core)
    source = toTile(source, op.args[0]->range, "an operand of " + op.spelling);
  if (source.isError())
    return source;
  if (!source.isTensor() && !source.isTile())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor or tile, but this is " +
                    describe(source));
  int64_t rank =
      source.isTensor() ? source.tensor->extents.size() : source.shape.size();
  int64_t axes[2];
  for (unsigned i : {0, 1}) {
    DslValue axis = lower(op.args[i + 1]);
    std::optional<int64_t> number = getConstantInt(axis);
    if (!number || *number < -rank || *number >= rank)
      return axis.isError()
                 ? axis
                 : fail(DiagCode::NotConstant, op.args[i + 1]->range,
                        "the axes of " + op.spelling +
                            " must be constants of a value of rank " +
                            Twine(rank));
    axes[i] = *number < 0 ? *number + rank : *number;
  }
  // Scratch is the compiler's; what the user gives is only looked at.
  if (op.args[3] && toTile(op, 3).isError())
    return DslValue::error();
  if (axes[0] == axes[1])
    return fail(DiagCode::WrongArguments, op.range(),
                op.spelling + " swaps two distinct axes");
  return source.isTensor()
             ? transposeTensor(*this, *source.tensor, axes[0], axes[1],
                               op.range())
             : transposeTile(*this, source, axes[0], axes[1], op.range());
}

DslValue FunctionLowering::lowerSetValid(OpCall &op) {
  DslValue tile = lower(op.args[0]);
  DslValue rows = lower(op.args[1]), cols = lower(op.args[2]);
  if (tile.isError() || rows.isError() || cols.isError())
    return DslValue::error();
  if (tile.isTensor() && core)
    tile = toTile(tile, op.args[0]->range, "the operand of " + op.spelling);
  if (tile.isError())
    return tile;
  if (!tile.isTile())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tile, but this is " + describe(tile));
  if (tile.shape.size() != 2)
    return fail(DiagCode::WrongRank, op.args[0]->range,
                op.spelling + " takes a value of rank 2, but this is " +
                    describe(tile));
  if (isWindow(tile.value))
    return fail(DiagCode::ValidShape, op.args[0]->range,
                "the valid shape of a slice cannot be changed after taking it; "
                "pass valid_shape to the slice, or narrow the source first");
  ir::TileType type = tile.getTileType();
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  if (!getValidBox({rows, cols}, type.getRows(), type.getCols(), op.range(),
                   box, operands))
    return DslValue::error();
  return setValid(tile, box[0], box[1], operands, op.range());
}

DslValue FunctionLowering::setValid(DslValue tile, int64_t rows, int64_t cols,
                                    ArrayRef<mlir::Value> operands,
                                    SourceRange range) {
  ir::TileType type = tile.getTileType().withValid(rows, cols);
  if (type == tile.value.getType() && operands.empty())
    return tile;
  tile.value =
      ir::SetValidOp::create(builder, loc(range), type, tile.value, operands);
  return tile;
}

bool FunctionLowering::getValidBox(ArrayRef<DslValue> valid, int64_t rows,
                                   int64_t cols, SourceRange range,
                                   int64_t (&box)[2],
                                   SmallVectorImpl<mlir::Value> &operands) {
  const int64_t extents[2] = {rows, cols};
  for (unsigned axis : {0, 1}) {
    if (std::optional<int64_t> number = getConstantInt(valid[axis])) {
      if (*number < 0 || *number > extents[axis]) {
        error(DiagCode::ValidShape, range,
              "a valid extent must lie in 0 to " + Twine(extents[axis]) +
                  ", but this is " + Twine(*number));
        return false;
      }
      box[axis] = *number;
      continue;
    }
    mlir::Value operand = toIndex(valid[axis], range, "a valid extent");
    if (!operand)
      return false;
    box[axis] = mlir::ShapedType::kDynamic;
    operands.push_back(operand);
  }
  return true;
}

/// The run-time valid extent of a tile, followed back to the operand that says
/// it; null where it is not one value.
mlir::Value pl::frontend::findValidExtent(mlir::Value tile, unsigned axis,
                                          unsigned level) {
  auto type = mlir::cast<ir::TileType>(tile.getType());
  mlir::Operation *op = tile.getDefiningOp();
  if (!op || level > 32 || !mlir::ShapedType::isDynamic(type.getValid(axis)))
    return {};
  // Rows come before columns among the operands.
  unsigned index =
      axis == 1 && mlir::ShapedType::isDynamic(type.getValidRows()) ? 1 : 0;
  if (auto load = mlir::dyn_cast<ir::LoadOp>(op))
    return load.getValid()[index];
  if (auto set = mlir::dyn_cast<ir::SetValidOp>(op))
    return set.getValid()[index];
  if (auto reshape = mlir::dyn_cast<ir::ReshapeOp>(op)) {
    auto from = reshape.getSource().getType();
    bool turns = from.getRows() != type.getRows();
    return findValidExtent(reshape.getSource(), turns ? 1 - axis : axis,
                           level + 1);
  }
  if (mlir::isa<ir::TransposeOp>(op))
    return findValidExtent(op->getOperand(0), 1 - axis, level + 1);
  // Where both sides agree, so does their intersection.
  if (mlir::isa<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp, ir::MaximumOp,
                ir::MinimumOp>(op)) {
    // A side that is valid all over leaves the other one.
    for (unsigned side : {0, 1}) {
      auto whole = mlir::cast<ir::TileType>(op->getOperand(side).getType());
      if (whole.getValid(axis) == whole.getExtent(axis))
        return findValidExtent(op->getOperand(1 - side), axis, level + 1);
    }
    mlir::Value lhs = findValidExtent(op->getOperand(0), axis, level + 1);
    mlir::Value rhs = op->getOperand(0) == op->getOperand(1)
                          ? lhs
                          : findValidExtent(op->getOperand(1), axis, level + 1);
    return lhs == rhs ? lhs : mlir::Value();
  }
  if (mlir::isa<ir::AddsOp, ir::SubsOp, ir::MulsOp, ir::DivsOp, ir::MaxsOp,
                ir::MinsOp, ir::NegOp, ir::AbsOp, ir::ExpOp, ir::LogOp,
                ir::SqrtOp, ir::RecipOp, ir::RsqrtOp, ir::CastOp, ir::RowSumOp,
                ir::RowMaxOp, ir::RowMinOp, ir::ColSumOp, ir::ColMaxOp,
                ir::RowExpandAddOp, ir::RowExpandSubOp, ir::RowExpandMulOp,
                ir::RowExpandDivOp, ir::ColExpandAddOp, ir::ColExpandSubOp,
                ir::ColExpandMulOp, ir::ColExpandDivOp>(op))
    return findValidExtent(op->getOperand(0), axis, level + 1);
  return {};
}

mlir::Value FunctionLowering::getValidExtent(mlir::Value tile, unsigned axis,
                                             SourceRange range) {
  auto type = mlir::cast<ir::TileType>(tile.getType());
  if (!mlir::ShapedType::isDynamic(type.getValid(axis)))
    return getIndex(type.getValid(axis), range);
  if (mlir::Value known = findValidExtent(tile, axis))
    return known;
  return ir::ValidExtentOp::create(builder, loc(range), builder.getIndexType(),
                                   tile, axis);
}

mlir::Value FunctionLowering::convertValidLike(mlir::Value tile,
                                               mlir::Value like,
                                               SourceRange range) {
  auto box = mlir::cast<ir::TileType>(like.getType());
  auto type = mlir::cast<ir::TileType>(tile.getType())
                  .withValid(box.getValidRows(), box.getValidCols());
  if (type == tile.getType())
    return tile;
  SmallVector<mlir::Value> valid;
  for (unsigned axis : {0, 1})
    if (mlir::ShapedType::isDynamic(box.getValid(axis)))
      valid.push_back(getValidExtent(like, axis, range));
  return ir::SetValidOp::create(builder, loc(range), type, tile, valid);
}

DslValue FunctionLowering::lowerFillPad(OpCall &op) {
  DslValue source = toTile(op, 0);
  std::optional<ir::PadValue> pad = getPadValue(*this, op.args[1]);
  if (source.isError() || !pad)
    return DslValue::error();
  mlir::NamedAttribute attr =
      builder.getNamedAttr("pad", ir::PadValueAttr::get(&module.context, *pad));
  return makeTileOp(op.range(), "fillpad", {source}, {}, {attr});
}

//===----------------------------------------------------------------------===//
// Valid boxes of two operands
//===----------------------------------------------------------------------===//

bool pl::frontend::checkBoxes(FunctionLowering &f, SourceRange range,
                              StringRef name, ArrayRef<DslValue> sources) {
  static const StringRef binary[] = {
      "add", "sub", "mul", "div", "maximum", "minimum", "precise_div", "and",
      "or",  "xor", "shl", "shr", "fmod",    "rem",     "cmp"};
  if (sources.size() != 2 || !llvm::is_contained(binary, name))
    return true;
  ir::TileType a = sources[0].getTileType(), b = sources[1].getTileType();
  bool inFirst = true, inSecond = true; // b in a, a in b
  for (unsigned axis : {0, 1}) {
    int64_t x = a.getValid(axis), y = b.getValid(axis);
    bool xDynamic = mlir::ShapedType::isDynamic(x);
    bool yDynamic = mlir::ShapedType::isDynamic(y);
    mlir::Value lhs = findValidExtent(sources[0].value, axis);
    mlir::Value rhs = findValidExtent(sources[1].value, axis);
    // What a loop or branch carries is the author's; the run intersects it.
    if ((xDynamic && !lhs) || (yDynamic && !rhs))
      continue;
    if (xDynamic && yDynamic) {
      if (lhs == rhs)
        continue;
      std::optional<int64_t> distance =
          f.getConstantDifference(DslValue::makeScalar(lhs, DTypeKind::INDEX),
                                  DslValue::makeScalar(rhs, DTypeKind::INDEX));
      inFirst &= distance && *distance <= 0;
      inSecond &= distance && *distance >= 0;
      continue;
    }
    bool isKnown = !xDynamic && !yDynamic;
    inFirst &= x == a.getExtent(axis) || (isKnown && y <= x);
    inSecond &= y == b.getExtent(axis) || (isKnown && x <= y);
  }
  if (inFirst || inSecond)
    return true;
  auto text = [&](const DslValue &value) {
    SmallVector<int64_t, 2> box;
    ir::TileType type = value.getTileType();
    for (unsigned axis : {0, 1})
      box.push_back(mlir::ShapedType::isDynamic(type.getValid(axis))
                        ? -1
                        : type.getValid(axis));
    return f.describe(value) + " valid in " + printShape(box);
  };
  f.error(DiagCode::ValidShape, range,
          "pl." + name +
              ": the valid parts of the operands differ, and "
              "neither is known to lie in the other: " +
              text(sources[0]) + " and " + text(sources[1]) +
              "; give both one valid_shape, or fill one with "
              "pl.fillpad");
  return false;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

bool pl::frontend::isWindow(mlir::Value tile) {
  while (auto set = tile.getDefiningOp<ir::SetValidOp>())
    tile = set.getSource();
  return mlir::isa_and_nonnull<ir::SubtileOp, ir::SliceOp>(
      tile.getDefiningOp());
}

DslValue pl::frontend::transposeTile(FunctionLowering &f, const DslValue &tile,
                                     unsigned axis1, unsigned axis2,
                                     SourceRange range) {
  if (axis1 > axis2)
    std::swap(axis1, axis2);
  SmallVector<int64_t> shape(tile.shape.begin(), tile.shape.end());
  std::swap(shape[axis1], shape[axis2]);
  size_t rank = shape.size();
  // Axes of extent 1 have no order: then the cells stay where they are.
  bool stays = llvm::all_of(ArrayRef(tile.shape).slice(axis1, axis2 - axis1),
                            [](int64_t extent) { return extent == 1; });
  stays |= llvm::all_of(ArrayRef(tile.shape).slice(axis1 + 1, axis2 - axis1),
                        [](int64_t extent) { return extent == 1; });
  stays |= shape[axis1] == 1 && shape[axis2] == 1;
  if (stays)
    return f.tileReshape(range, tile, shape);
  auto swapMatrix = [&](const DslValue &matrix) {
    DslValue made = f.makeTileOp(range, "transpose", {matrix});
    if (made.isTile())
      made.shape = {made.getTileType().getRows(), made.getTileType().getCols()};
    return made;
  };
  if (rank == 2)
    return swapMatrix(tile);
  if (axis2 != rank - 1 || axis1 != rank - 2)
    return f.notLowered(range, "a transposition of other than the last two "
                               "axes of " +
                                   f.describe(tile));
  int64_t rows = tile.shape[rank - 2], cols = tile.shape[rank - 1];
  int64_t count = tile.getTileType().getRows() / rows;
  DslValue made = tile;
  if (count == 1) {
    made.shape = {rows, cols};
    made = swapMatrix(made);
    made.shape.assign(shape.begin(), shape.end());
    return made;
  }
  if (count > 64 || !tile.getTileType().isFullyValid())
    return f.notLowered(range,
                        "a transposition of " + Twine(count) + " matrices");
  made = f.makeEmptyTile(shape, *tile.dtype, range);
  made.isTileLevel = tile.isTileLevel;
  for (int64_t index = 0; index < count; ++index) {
    DslValue part = tile;
    part.shape = {rows, cols};
    part.value = cutTile(f, tile.value, makeInt(index * rows), makeInt(0), rows,
                         cols, range);
    part = swapMatrix(part);
    if (part.isError())
      return part;
    made.value = ir::InsertOp::create(
        f.builder, f.loc(range), made.value.getType(), part.value, made.value,
        f.getIndex(index * cols, range), f.getIndex(0, range));
  }
  return made;
}

DslValue pl::frontend::transposeTensor(FunctionLowering &f,
                                       const TensorRef &tensor, unsigned axis1,
                                       unsigned axis2, SourceRange range) {
  auto view = std::make_shared<TensorRef>(tensor);
  SmallVector<unsigned> order;
  for (unsigned axis = 0; axis < tensor.extents.size(); ++axis)
    order.push_back(axis == axis1 ? axis2 : axis == axis2 ? axis1 : axis);
  std::swap(view->extents[axis1], view->extents[axis2]);
  view->memref = mlir::memref::TransposeOp::create(
      f.builder, f.loc(range), tensor.memref,
      mlir::AffineMapAttr::get(
          mlir::AffineMap::getPermutationMap(order, &f.module.context)));
  return DslValue::makeTensor(std::move(view));
}

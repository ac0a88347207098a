//===- LoweringCompute.cpp - ops on tiles ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

#include "pl/Dialect/PL/IR/TileInference.h"

using namespace pl::frontend;

FailureOr<ir::TileType>
FunctionLowering::inferTile(SourceRange range, StringRef name,
                            ArrayRef<ir::TileType> sources, ir::TileType hint) {
  // The dialect's rule speaks through MLIR's diagnostics; pass its words on.
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&module.context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return success();
                                        });
  FailureOr<ir::TileType> type = ir::inferTileResult(name, sources, hint, [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&module.context));
  });
  if (failed(type))
    error(range, "pl." + name + " " + message);
  return type;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static std::optional<BinOpKind> getBinOp(StringRef name) {
  if (name == "add")
    return BinOpKind::Add;
  if (name == "sub")
    return BinOpKind::Sub;
  if (name == "mul")
    return BinOpKind::Mult;
  if (name == "div")
    return BinOpKind::Div;
  return std::nullopt;
}

static StringRef getScalarForm(StringRef name) {
  if (name == "maximum")
    return "maxs";
  if (name == "minimum")
    return "mins";
  static const llvm::StringLiteral forms[] = {"adds", "subs", "muls", "divs"};
  for (llvm::StringLiteral form : forms)
    if (form.starts_with(name))
      return form;
  return "";
}

DslValue FunctionLowering::lowerTileBinary(SourceRange range, StringRef name,
                                           DslValue lhs, DslValue rhs) {
  std::string what = ("pl." + name).str();
  if (lhs.isScalar() || lhs.isHostNumber())
    return fail(range, what + " takes the tile first: a scalar on the left of "
                              "a tile is not accepted");
  lhs = toTile(lhs, range, "an operand of " + what);
  if (lhs.isError())
    return lhs;
  if (rhs.isScalar() || rhs.isHostNumber()) {
    // A literal takes the dtype of the tile.
    mlir::Value scalar = materialize(rhs, *lhs.dtype, range);
    if (!scalar)
      return DslValue::error();
    lhs.value = createCompute(getScalarForm(name), range, {lhs.value, scalar},
                              lhs.value.getType());
    return lhs;
  }
  rhs = toTile(rhs, range, "an operand of " + what);
  return makeTileOp(range, name, {lhs, rhs});
}

DslValue FunctionLowering::lowerElementwise(OpCall &op) {
  DslValue lhs = lower(op.args[0]), rhs = lower(op.args[1]);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  if (op.args.size() > 2) {
    std::optional<bool> precise = getBool(op.args[2], "high_precision=", false);
    if (!precise)
      return DslValue::error();
    if (*precise)
      return notLowered(op.args[2]->range, "high_precision= of " + op.spelling);
  }
  auto isNumber = [](const DslValue &value) {
    return value.isScalar() || value.isHostNumber();
  };
  if (isNumber(lhs) && isNumber(rhs)) {
    std::optional<BinOpKind> kind = getBinOp(op.name);
    if (!kind)
      return scalarMinMax(op.range(), op.name == "minimum", lhs, rhs);
    if (lhs.isHost() && rhs.isHost())
      return foldBinary(op.range(), *kind, lhs, rhs);
    return scalarBinary(op.range(), *kind, lhs, rhs);
  }
  if (!core)
    return fail(op.range(), "Misplaced tensor op '" + op.spelling +
                                "': it should be inside an InCore block (pl.at "
                                "or pl.spmd)");
  return lowerTileBinary(op.range(), op.name, lhs, rhs);
}

DslValue FunctionLowering::lowerUnaryOp(OpCall &op) {
  DslValue source = toTile(op, 0);
  std::optional<bool> precise =
      op.args.size() > 1 ? getBool(op.args[1], "high_precision=", false)
                         : std::optional(false);
  if (source.isError() || !precise)
    return DslValue::error();
  SmallVector<mlir::NamedAttribute> attrs;
  if (*precise) {
    if (op.name != "rsqrt")
      return notLowered(op.args[1]->range, "high_precision= of " + op.spelling);
    attrs.push_back(
        builder.getNamedAttr("high_precision", builder.getUnitAttr()));
  }
  bool anyType = op.name == "neg" || op.name == "abs";
  if (!anyType &&
      !mlir::isa<mlir::FloatType>(source.getTileType().getElementType()))
    return fail(op.range(), op.spelling + " takes a float tile, but this is " +
                                describe(source) + "; cast it to pl.FP32");
  return makeTileOp(op.range(), op.name, {source}, {}, attrs);
}

static std::optional<ir::RoundMode> parseMode(const DslValue &value) {
  if (value.isHost() && value.host.isStr())
    return ir::symbolizeRoundMode(value.host.getStr());
  if (value.isHostInt() && value.host.getInt() >= 0)
    return ir::symbolizeRoundMode(value.host.getInt());
  return std::nullopt;
}

DslValue FunctionLowering::lowerCast(OpCall &op) {
  DslValue source = lower(op.args[0]);
  std::optional<DTypeKind> dtype = getDType(op.args[1], "target_type");
  // Ties go away from zero unless the user says otherwise.
  ir::RoundMode mode = ir::RoundMode::round;
  if (op.args[2]) {
    DslValue value = lower(op.args[2]);
    if (value.isError())
      return value;
    std::optional<ir::RoundMode> parsed = parseMode(value);
    if (!parsed) {
      static const StringRef names[] = {"none", "rint",  "round", "floor",
                                        "ceil", "trunc", "odd"};
      return fail(op.args[2]->range,
                  "mode= of " + op.spelling +
                      " is none, rint, round, floor, ceil, trunc or odd (0 to "
                      "6), but this is " +
                      (value.isHost() ? repr(value.host) : describe(value)) +
                      (value.isHost() && value.host.isStr()
                           ? didYouMean(value.host.getStr(), names)
                           : std::string()));
    }
    mode = *parsed;
  }
  if (source.isError() || !dtype)
    return DslValue::error();
  if (source.isScalar() || source.isHostNumber()) {
    if (op.args[2] && mode != ir::RoundMode::round)
      return fail(op.args[2]->range, "a scalar cast has no mode=");
    return scalarCast(op.range(), source, *dtype);
  }
  if (!core)
    return fail(op.range(), "Misplaced tensor op '" + op.spelling +
                                "': it should be inside an InCore block (pl.at "
                                "or pl.spmd)");
  source = toTile(source, op.args[0]->range, "the operand of " + op.spelling);
  if (source.isError() || source.dtype == *dtype)
    return source;
  if (!getTileDType(op.args[1], "target_type"))
    return DslValue::error();
  ir::TileType type =
      source.getTileType().withElement(module.getElementType(*dtype));
  mlir::NamedAttribute attr = builder.getNamedAttr(
      "mode", ir::RoundModeAttr::get(&module.context, mode));
  source.value =
      createCompute("cast", op.range(), {source.value}, type, {attr});
  source.dtype = *dtype;
  return source;
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::lowerReduce(OpCall &op) {
  DslValue source = toTile(op, 0);
  if (source.isError())
    return source;
  if (op.args[1]) {
    // Scratch is the compiler's; what the user gives must still be enough.
    DslValue tmp = toTile(op, 1);
    if (tmp.isError())
      return tmp;
    ir::TileType need = source.getTileType(), have = tmp.getTileType();
    auto shape = [](ir::TileType type) {
      return "[" + std::to_string(type.getRows()) + ", " +
             std::to_string(type.getCols()) + "]";
    };
    if (have.getElementType() != need.getElementType())
      return fail(op.args[1]->range,
                  "scratch of " + op.spelling + " must have the dtype " +
                      getName(*source.dtype) + "; got " + getName(*tmp.dtype));
    if (have.getRows() < need.getRows() || have.getCols() < need.getCols())
      return fail(op.args[1]->range,
                  "scratch must cover " + shape(need) + "; got " + shape(have));
  }
  DslValue made = makeTileOp(op.range(), op.name, {source});
  if (made.isTile())
    made.shape = {made.getTileType().getRows(), made.getTileType().getCols()};
  return made;
}

DslValue FunctionLowering::lowerExpand(OpCall &op) {
  DslValue full = toTile(op, 0), vector = toTile(op, 1);
  if (full.isError() || vector.isError())
    return DslValue::error();
  return makeTileOp(op.range(), op.name, {full, vector});
}

DslValue FunctionLowering::lowerBroadcast(OpCall &op) {
  DslValue target = toTile(op, 0), vector = toTile(op, 1);
  if (target.isError() || vector.isError())
    return DslValue::error();
  ir::TileType box = target.getTileType(), type = vector.getTileType();
  bool isRow = op.name == "row_expand";
  int64_t rows = isRow ? box.getRows() : 1, cols = isRow ? 1 : box.getCols();
  if (type.getRows() != rows || type.getCols() != cols)
    return fail(op.range(), op.spelling + " expects a [" + Twine(rows) + ", " +
                                Twine(cols) + "] vector for " +
                                describe(target) + ", but got " +
                                describe(vector));
  ir::TileType whole =
      ir::TileType::get(box.getRows(), box.getCols(), type.getElementType());
  mlir::Value made = createCompute(op.name, op.range(), {vector.value}, whole);
  if (!checkLevels(op.range(), op.spelling, {target, vector}))
    return DslValue::error();
  // The result has the box of the target.
  target.value = convertValidLike(made, target.value, op.range());
  target.dtype = vector.dtype;
  return target;
}

//===----------------------------------------------------------------------===//
// Making tiles
//===----------------------------------------------------------------------===//

/// Rows and columns of a tile of a shape as the user wrote it.
static std::pair<int64_t, int64_t> flatten(ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back())
    rows *= extent;
  return {rows, shape.back()};
}

DslValue FunctionLowering::lowerFull(OpCall &op) {
  SmallVector<int64_t> shape;
  std::optional<DTypeKind> dtype = getTileDType(op.args[1], "dtype");
  bool good = getStaticShape(op.args[0], "the shape", shape);
  DslValue value = lower(op.args[2]);
  if (!good || !dtype || value.isError())
    return DslValue::error();
  if (!value.isHostNumber())
    return fail(op.args[2]->range, "the value of " + op.spelling +
                                       " must be a constant, but this is " +
                                       describe(value));
  value.dtype.reset();
  mlir::Value scalar = materialize(value, *dtype, op.args[2]->range);
  if (!scalar)
    return DslValue::error();
  auto [rows, cols] = flatten(shape);
  auto type = ir::TileType::get(rows, cols, scalar.getType());
  DslValue made = DslValue::makeTile(
      createCompute("full", op.range(), {scalar}, type), *dtype, shape);
  made.isTileLevel = op.isTileForm;
  return made;
}

DslValue FunctionLowering::lowerArange(OpCall &op) {
  SmallVector<int64_t> shape;
  std::optional<DTypeKind> dtype =
      op.args[2] ? getDType(op.args[2], "dtype") : DTypeKind::INT32;
  std::optional<bool> descending = getBool(op.args[3], "descending=", false);
  bool good = getStaticShape(op.args[1], "the shape", shape);
  DslValue start = lower(op.args[0]);
  if (!good || !dtype || !descending || start.isError())
    return DslValue::error();
  if (*descending)
    return notLowered(op.args[3]->range, "descending= of " + op.spelling);
  if (*dtype != DTypeKind::INT32 && *dtype != DTypeKind::INT16)
    return fail(op.args[2]->range,
                op.spelling + " makes INT16 or INT32, not " + getName(*dtype));
  auto [rows, cols] = flatten(shape);
  if (rows != 1 || cols == 1)
    return fail(op.args[1]->range, op.spelling +
                                       " makes one row [1, N] of more than one "
                                       "column, but the shape is [" +
                                       Twine(rows) + ", " + Twine(cols) + "]");
  mlir::Value scalar = materialize(start, *dtype, op.args[0]->range);
  if (!scalar)
    return DslValue::error();
  auto type = ir::TileType::get(rows, cols, scalar.getType());
  DslValue made = DslValue::makeTile(
      createCompute("iota", op.range(), {scalar}, type), *dtype, shape);
  made.isTileLevel = op.isTileForm;
  return made;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::tileReshape(SourceRange range, DslValue tile,
                                       ArrayRef<int64_t> shape) {
  ir::TileType from = tile.getTileType();
  auto [rows, cols] = flatten(shape);
  DslValue made = tile;
  made.shape.assign(shape.begin(), shape.end());
  if (rows * cols != from.getRows() * from.getCols()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(shape, os);
    return fail(range, "reshape: size mismatch, " + describe(tile) + " has " +
                           Twine(from.getRows() * from.getCols()) +
                           " elements and [" + text + "] has " +
                           Twine(rows * cols));
  }
  if (rows == from.getRows() && cols == from.getCols())
    return made;
  ir::TileType to = ir::TileType::get(rows, cols, from.getElementType());
  bool turns =
      (from.getRows() == 1 && cols == 1) || (from.getCols() == 1 && rows == 1);
  if (turns)
    to = to.withValid(from.getValidCols(), from.getValidRows());
  else if (!from.isFullyValid())
    return fail(range, "reshape: region not representable: the valid part of " +
                           describe(tile) + " is no box of [" + Twine(rows) +
                           ", " + Twine(cols) +
                           "]; fill it with pl.fillpad first");
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
    return fail(op.args[0]->range, op.spelling +
                                       " takes a tensor or tile, but this is " +
                                       describe(source));
  SmallVector<int64_t> shape;
  if (!getStaticShape(op.args[1], "the shape", shape))
    return DslValue::error();
  return tileReshape(op.range(), source, shape);
}

DslValue FunctionLowering::lowerTranspose(OpCall &op) {
  DslValue source = toTile(op, 0);
  if (source.isError())
    return source;
  int64_t rank = source.shape.size();
  int64_t axes[2];
  for (unsigned i : {0, 1}) {
    DslValue axis = lower(op.args[i + 1]);
    std::optional<int64_t> number = getConstantInt(axis);
    if (!number || *number < -rank || *number >= rank)
      return axis.isError() ? axis
                            : fail(op.args[i + 1]->range,
                                   "the axes of " + op.spelling +
                                       " must be constants of a tile of rank " +
                                       Twine(rank));
    axes[i] = *number < 0 ? *number + rank : *number;
  }
  if (axes[0] == axes[1])
    return fail(op.range(), op.spelling + " swaps two distinct axes");
  if (rank != 2)
    return notLowered(op.range(), op.spelling + " of rank " + Twine(rank));
  DslValue made = makeTileOp(op.range(), "transpose", {source});
  if (made.isTile())
    made.shape = {made.getTileType().getRows(), made.getTileType().getCols()};
  return made;
}

DslValue FunctionLowering::lowerGather(OpCall &op) {
  if (op.args[3] || op.args[4])
    return notLowered(op.range(), "the mask form of " + op.spelling);
  if (!op.args[2])
    return fail(op.range(), op.spelling + " needs 'index'");
  DslValue source = toTile(op, 0), index = toTile(op, 2);
  if (source.isError() || index.isError())
    return DslValue::error();
  if (op.args[1]) {
    DslValue dim = lower(op.args[1]);
    std::optional<int64_t> number = getConstantInt(dim);
    if (!number ||
        (*number != -1 && *number + 1 != int64_t(source.shape.size())))
      return dim.isError() ? dim
                           : fail(op.args[1]->range,
                                  op.spelling + " picks along the last axis; "
                                                "dim= must be -1");
  }
  DslValue made = makeTileOp(op.range(), "gather", {source, index});
  if (made.isTile())
    made.shape = index.shape;
  return made;
}

DslValue FunctionLowering::lowerSetValid(OpCall &op) {
  DslValue tile = lower(op.args[0]);
  DslValue rows = lower(op.args[1]), cols = lower(op.args[2]);
  if (tile.isError() || rows.isError() || cols.isError())
    return DslValue::error();
  if (!tile.isTile())
    return fail(op.args[0]->range,
                op.spelling + " takes a tile, but this is " + describe(tile));
  if (tile.value.getDefiningOp<ir::SubtileOp>())
    return fail(op.args[0]->range,
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
        error(range, "a valid extent must lie in 0 to " + Twine(extents[axis]) +
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
static mlir::Value findValidExtent(mlir::Value tile, unsigned axis,
                                   unsigned level = 0) {
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

//===- LoweringCompute.cpp - ops on tiles ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/TileInference.h"

#include "llvm/ADT/StringSwitch.h"

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
    error(getRuleCode(message), range,
          "pl." + getUserName(name) + " " + message);
  return type;
}

DiagCode pl::frontend::getRuleCode(StringRef message) {
  if (message.contains("of one element type"))
    return DiagCode::DTypeMismatch;
  if (message.contains("equal K"))
    return DiagCode::Matmul;
  if (message.contains(" tiles, got") || message.contains("UINT32 ") ||
      message.contains("keeps the bits") || message.contains("index for"))
    return DiagCode::UnsupportedDType;
  if (message.contains("valid box"))
    return DiagCode::ValidShape;
  return DiagCode::ShapeMismatch;
}

StringRef pl::frontend::getUserName(StringRef opName) {
  return llvm::StringSwitch<StringRef>(opName)
      .Case("and", "and_")
      .Case("or", "or_")
      .Case("not", "not_")
      .Cases({"cmp_mask", "cmps_mask", "cmps"}, "cmp")
      .Case("adds", "add")
      .Case("subs", "sub")
      .Case("muls", "mul")
      .Case("divs", "div")
      .Case("maxs", "maximum")
      .Case("mins", "minimum")
      .Case("ands", "and_")
      .Case("ors", "or_")
      .Case("xors", "xor")
      .Case("shls", "shl")
      .Case("shrs", "shr")
      .Case("mrgsort_lists", "mrgsort")
      .Case("gather_mask", "gather")
      .Case("gather_blocks", "gatherb")
      .Case("scatter_mask", "scatter")
      .Case("precise_div", "div")
      .Case("precise_log", "log")
      .Case("precise_recip", "recip")
      .Default(opName);
}

bool pl::frontend::isNumber(const DslValue &value) {
  return value.isScalar() || value.isHostNumber();
}

mlir::Value FunctionLowering::materializeFor(const DslValue &tile,
                                             DslValue value,
                                             SourceRange range) {
  bool isInt =
      mlir::isa<mlir::IntegerType>(tile.getTileType().getElementType());
  if (isInt && value.isScalar() && value.dtype == DTypeKind::INDEX)
    value = scalarCast(range, value, *tile.dtype);
  return materialize(value, *tile.dtype, range);
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
    return fail(DiagCode::WrongArguments, range,
                what + " takes the tile first: a scalar on the left of "
                       "a tile is not accepted");
  lhs = toTile(lhs, range, "an operand of " + what);
  if (lhs.isError())
    return lhs;
  if (rhs.isScalar() || rhs.isHostNumber()) {
    mlir::Value scalar = materializeFor(lhs, rhs, range);
    StringRef form = getScalarForm(name);
    if (!scalar || failed(inferTile(range, form, {lhs.getTileType()}, {})))
      return DslValue::error();
    DslValue made = lhs;
    made.value =
        createCompute(form, range, {lhs.value, scalar}, lhs.value.getType());
    return made;
  }
  rhs = toTile(rhs, range, "an operand of " + what);
  return makeTileOp(range, name, {lhs, rhs});
}

DslValue FunctionLowering::lowerElementwise(OpCall &op) {
  DslValue lhs = lower(op.args[0]), rhs = lower(op.args[1]);
  std::optional<bool> precise =
      op.args.size() > 2 ? getBool(op.args[2], "high_precision=", false)
                         : std::optional(false);
  if (lhs.isError() || rhs.isError() || !precise)
    return DslValue::error();
  if (*precise && (isNumber(lhs) || isNumber(rhs)))
    return fail(DiagCode::WrongArguments, op.args[2]->range,
                "high_precision= of " + op.spelling +
                    " needs a tile on both sides");
  if (isNumber(lhs) && isNumber(rhs)) {
    std::optional<BinOpKind> kind = getBinOp(op.name);
    if (!kind)
      return scalarMinMax(op.range(), op.name == "minimum", lhs, rhs);
    if (lhs.isHost() && rhs.isHost())
      return foldBinary(op.range(), *kind, lhs, rhs);
    return scalarBinary(op.range(), *kind, lhs, rhs);
  }
  if (!core)
    return fail(DiagCode::MisplacedOp, op.range(),
                "Misplaced tensor op '" + op.spelling +
                    "': it should be inside an InCore block (pl.at "
                    "or pl.spmd)");
  return lowerTileBinary(op.range(), *precise ? "precise_div" : op.name, lhs,
                         rhs);
}

DslValue FunctionLowering::lowerUnaryOp(OpCall &op) {
  DslValue source = toTile(op, 0);
  std::optional<bool> precise =
      op.args.size() > 1 ? getBool(op.args[1], "high_precision=", false)
                         : std::optional(false);
  if (source.isError() || !precise)
    return DslValue::error();
  SmallVector<mlir::NamedAttribute> attrs;
  StringRef name = op.name;
  if (*precise && name == "rsqrt") {
    if (op.isTileForm || source.isTileLevel)
      return fail(DiagCode::Scratch, op.args[1]->range,
                  "high_precision= is not part of the tile "
                  "form: give pl.tile.rsqrt a scratch tile");
    attrs.push_back(
        builder.getNamedAttr("high_precision", builder.getUnitAttr()));
  } else if (*precise) {
    name = name == "log" ? "precise_log" : "precise_recip";
  }
  bool anyType = op.name == "neg" || op.name == "abs";
  if (!anyType &&
      !mlir::isa<mlir::FloatType>(source.getTileType().getElementType()))
    return fail(DiagCode::UnsupportedDType, op.range(),
                op.spelling + " takes a float tile, but this is " +
                    describe(source) + "; cast it to pl.FP32");
  return makeTileOp(op.range(), name, {source}, {}, attrs);
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

bool pl::frontend::checkScratch(FunctionLowering &f, OpCall &op, unsigned arg,
                                ir::TileType need, DTypeKind dtype) {
  if (!op.args[arg])
    return true;
  SourceRange range = op.args[arg]->range;
  DslValue tmp = f.lower(op.args[arg]);
  if (tmp.isError())
    return false;
  if (!tmp.isTile()) {
    f.error(DiagCode::Scratch, range,
            "scratch of " + op.spelling + " must be a tile, but this is " +
                f.describe(tmp));
    return false;
  }
  if (tmp.dtype != dtype) {
    f.error(DiagCode::Scratch, range,
            "scratch of " + op.spelling + " must have the dtype " +
                getName(dtype) + "; got " + getName(*tmp.dtype));
    return false;
  }
  ir::TileType have = tmp.getTileType();
  auto shape = [](ir::TileType type) {
    return "[" + std::to_string(type.getRows()) + ", " +
           std::to_string(type.getCols()) + "]";
  };
  if (have.getRows() < need.getRows() || have.getCols() < need.getCols()) {
    f.error(DiagCode::Scratch, range,
            "scratch must cover " + shape(need) + "; got " + shape(have));
    return false;
  }
  return true;
}

DslValue FunctionLowering::lowerReduce(OpCall &op) {
  DslValue source = toTile(op, 0);
  if (source.isError())
    return source;
  bool isTile = op.isTileForm || (source.isTileLevel && !op.isTensorForm);
  if (op.args.size() > 1) {
    if (op.args[1] && !isTile)
      return fail(DiagCode::Scratch, op.args[1]->range,
                  op.spelling + " of a Tensor takes no scratch: the compiler "
                                "makes it; only the tile form has 'tmp'");
    if (!op.args[1] && isTile && op.name != "col_sum")
      return fail(DiagCode::Scratch, op.range(),
                  op.spelling + " of a Tile needs 'tmp', a scratch tile of "
                                "the dtype and shape of its operand");
    if (!checkScratch(*this, op, 1, source.getTileType(), *source.dtype))
      return DslValue::error();
  }
  DslValue made = makeTileOp(op.range(), op.name, {source});
  if (!made.isTile())
    return made;
  made.shape = {made.getTileType().getRows(), made.getTileType().getCols()};
  if (op.name.contains("_arg"))
    made.dtype = DTypeKind::INT32;
  return made;
}

DslValue FunctionLowering::lowerExpand(OpCall &op) {
  DslValue full = toTile(op, 0), vector = toTile(op, 1);
  if (full.isError() || vector.isError())
    return DslValue::error();
  if (op.args.size() > 2 && op.args[2] &&
      !checkScratch(*this, op, 2, vector.getTileType(), *full.dtype))
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
    return fail(DiagCode::ShapeMismatch, op.range(),
                op.spelling + " expects a [" + Twine(rows) + ", " +
                    Twine(cols) + "] vector for " + describe(target) +
                    ", but got " + describe(vector));
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
    return fail(DiagCode::NotConstant, op.args[2]->range,
                "the value of " + op.spelling +
                    " must be a constant, but this is " + describe(value));
  value.dtype.reset();
  mlir::Value scalar = materialize(value, *dtype, op.args[2]->range);
  if (!scalar)
    return DslValue::error();
  auto [rows, cols] = flatten(shape);
  auto type = ir::TileType::get(rows, cols, module.getElementType(*dtype));
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
  static const DTypeKind kinds[] = {DTypeKind::INT16, DTypeKind::INT32,
                                    DTypeKind::UINT16, DTypeKind::UINT32};
  if (!llvm::is_contained(kinds, *dtype))
    return fail(DiagCode::UnsupportedDType, op.args[2]->range,
                op.spelling + " makes INT16, INT32, UINT16 or UINT32, not " +
                    getName(*dtype));
  auto [rows, cols] = flatten(shape);
  if (rows != 1 || cols == 1)
    return fail(DiagCode::ShapeMismatch, op.args[1]->range,
                op.spelling +
                    " makes one row [1, N] of more than one "
                    "column, but the shape is [" +
                    Twine(rows) + ", " + Twine(cols) + "]");
  mlir::Value scalar = materialize(start, *dtype, op.args[0]->range);
  if (!scalar)
    return DslValue::error();
  auto type = ir::TileType::get(rows, cols, module.getElementType(*dtype));
  StringRef name = *descending ? "iota_down" : "iota";
  DslValue made = DslValue::makeTile(
      createCompute(name, op.range(), {scalar}, type), *dtype, shape);
  made.isTileLevel = op.isTileForm;
  return made;
}

//===- LoweringVectorOps.cpp - further operations on tiles ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRules.h"

#include "pl/Dialect/PL/IR/PLVectorOps.h"

using namespace pl::frontend;

/// Operands of an operation on a tile and a tile or scalar, in that order.
static bool lowerPair(FunctionLowering &f, OpCall &op, DslValue &lhs,
                      DslValue &rhs) {
  lhs = f.lower(op.args[0]);
  rhs = f.lower(op.args[1]);
  if (lhs.isError() || rhs.isError())
    return false;
  if (isNumber(lhs)) {
    f.error(DiagCode::WrongArguments, op.range(),
            op.spelling + " takes the tile first, but this is " +
                f.describe(lhs));
    return false;
  }
  lhs = f.toTile(lhs, op.args[0]->range, "an operand of " + op.spelling);
  if (!lhs.isError() && !isNumber(rhs))
    rhs = f.toTile(rhs, op.args[1]->range, "an operand of " + op.spelling);
  return !lhs.isError() && !rhs.isError();
}

/// A tile with a scalar that takes its dtype.
static DslValue makeScalarOp(FunctionLowering &f, OpCall &op, StringRef name,
                             const DslValue &tile, const DslValue &scalar,
                             ArrayRef<mlir::NamedAttribute> attrs = {}) {
  if (failed(f.inferTile(op.range(), name, {tile.getTileType()}, {})))
    return DslValue::error();
  mlir::Value value = f.materializeFor(tile, scalar, op.range());
  if (!value)
    return DslValue::error();
  DslValue made = tile;
  FailureOr<ir::TileType> type =
      f.inferTile(op.range(), name, {tile.getTileType()}, {});
  made.value =
      f.createCompute(name, op.range(), {tile.value, value}, *type, attrs);
  return made;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static DslValue lowerUnary(FunctionLowering &f, OpCall &op) {
  DslValue x = f.toTile(op, 0);
  StringRef name = op.name;
  name.consume_back("_");
  return x.isError() ? x : f.makeTileOp(op.range(), name, {x});
}

/// The scratch operand of some tile forms; tensor forms have none.
static bool checkTmp(FunctionLowering &f, OpCall &op, unsigned arg,
                     const DslValue &like) {
  if (op.args.size() <= arg)
    return true;
  bool isTile = op.isTileForm || (like.isTileLevel && !op.isTensorForm);
  if (op.args[arg] && !isTile) {
    f.error(DiagCode::Scratch, op.args[arg]->range,
            op.spelling + " of a Tensor takes no scratch: the compiler makes "
                          "it; only the tile form has 'tmp'");
    return false;
  }
  if (!op.args[arg] && isTile) {
    f.error(DiagCode::Scratch, op.range(),
            op.spelling + " of a Tile needs 'tmp', a scratch tile");
    return false;
  }
  // What a remainder needs is like its operand; bits and masks need less, which
  // the language leaves open.
  if (op.name.starts_with("rem"))
    return checkScratch(f, op, arg, like.getTileType(), *like.dtype);
  return !op.args[arg] || !f.toTile(op, arg).isError();
}

/// Shifts, bits and remainders: `name` on tiles, `name`s with a scalar.
static DslValue lowerBits(FunctionLowering &f, OpCall &op) {
  DslValue lhs, rhs;
  if (!lowerPair(f, op, lhs, rhs) || !checkTmp(f, op, 2, lhs))
    return DslValue::error();
  StringRef name = op.name;
  name.consume_back("_");
  // `ands`, `shls`: the spelling that takes scalars only.
  static const StringRef scalarForms[] = {"ands", "ors",  "xors",  "shls",
                                          "shrs", "rems", "fmods", "lrelu"};
  bool isScalarForm = llvm::is_contained(scalarForms, name);
  if (!isNumber(rhs)) {
    if (isScalarForm)
      return f.fail(DiagCode::DTypeMismatch, op.args[1]->range,
                    op.spelling + " takes a scalar, but this is " +
                        f.describe(rhs));
    return f.makeTileOp(op.range(), name, {lhs, rhs});
  }
  if (name.starts_with("shl") || name.starts_with("shr"))
    if (std::optional<int64_t> count = f.getConstantInt(rhs))
      if (*count < 0)
        return f.fail(DiagCode::OutOfRange, op.args[1]->range,
                      "the count of " + op.spelling +
                          " must not be negative, but this "
                          "is " +
                          Twine(*count));
  return makeScalarOp(f, op, isScalarForm ? name.str() : (name + "s").str(),
                      lhs, rhs);
}

static DslValue lowerTilePair(FunctionLowering &f, OpCall &op) {
  DslValue lhs = f.toTile(op, 0), rhs = f.toTile(op, 1);
  if (lhs.isError() || rhs.isError() || !checkTmp(f, op, 2, lhs))
    return DslValue::error();
  return f.makeTileOp(op.range(), op.name, {lhs, rhs});
}

/// `adds` and the like: the tile with a scalar, nothing else.
static DslValue lowerScalarForm(FunctionLowering &f, OpCall &op) {
  DslValue lhs = f.toTile(op, 0), rhs = f.lower(op.args[1]);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  if (!isNumber(rhs))
    return f.fail(DiagCode::DTypeMismatch, op.args[1]->range,
                  op.spelling + " takes a scalar, but this is " +
                      f.describe(rhs));
  StringRef name = op.name.drop_back(1);
  return f.lowerTileBinary(op.range(), name, lhs, rhs);
}

/// lhs + rhs + third or lhs - rhs - third, from the left. The machine's one
/// instruction for the latter, which is not used, adds the third operand.
static DslValue lowerThree(FunctionLowering &f, OpCall &op) {
  DslValue lhs, rhs;
  if (!lowerPair(f, op, lhs, rhs))
    return DslValue::error();
  DslValue third = f.toTile(op, 2);
  if (third.isError())
    return third;
  bool wantsScalar = op.name.ends_with("sc");
  if (isNumber(rhs) != wantsScalar)
    return f.fail(DiagCode::WrongArguments, op.args[1]->range,
                  op.spelling + " takes a " +
                      (wantsScalar ? "scalar" : "tile") +
                      " here, but this is " + f.describe(rhs));
  StringRef name = op.name.starts_with("add") ? "add" : "sub";
  if (name == "sub")
    f.warning(DiagCode::MeansOther, op.range(),
              op.spelling + " subtracts its third operand; where it becomes "
                            "the machine's own instruction, that adds it")
        .note({}, "two pl.sub mean the same everywhere");
  DslValue two = f.lowerTileBinary(op.range(), name, lhs, rhs);
  return two.isError() ? two : f.lowerTileBinary(op.range(), name, two, third);
}

static DslValue lowerRelu(FunctionLowering &f, OpCall &op) {
  DslValue x = f.toTile(op, 0);
  if (x.isError())
    return x;
  return f.lowerTileBinary(op.range(), "maximum", x,
                           DslValue::makeHost(Value::integer(0)));
}

//===----------------------------------------------------------------------===//
// Comparing and choosing
//===----------------------------------------------------------------------===//

static DslValue lowerCompare(FunctionLowering &f, OpCall &op) {
  DslValue lhs, rhs;
  if (!lowerPair(f, op, lhs, rhs))
    return DslValue::error();
  int64_t code = 0;
  if (op.args[2]) {
    DslValue value = f.lower(op.args[2]);
    std::optional<int64_t> number = f.getConstantInt(value);
    if (!number || *number < 0 || *number > 5)
      return value.isError()
                 ? value
                 : f.fail(DiagCode::UnknownChoice, op.args[2]->range,
                          "cmp_type= of " + op.spelling +
                              " is 0 eq, 1 ne, 2 lt, 3 le, 4 gt or 5 ge, but "
                              "this is " +
                              f.getText(op.args[2]));
    code = *number;
  }
  mlir::NamedAttribute kind = f.builder.getNamedAttr(
      "kind",
      ir::CmpKindAttr::get(&f.module.context, *ir::symbolizeCmpKind(code)));
  bool isTile = op.isTileForm || (lhs.isTileLevel && !op.isTensorForm);
  if (op.name == "cmps" && !isNumber(rhs))
    return f.fail(DiagCode::DTypeMismatch, op.args[1]->range,
                  op.spelling + " takes a scalar, but this is " +
                      f.describe(rhs));
  DslValue made =
      isNumber(rhs)
          ? makeScalarOp(f, op, isTile ? "cmps_mask" : "cmps", lhs, rhs, kind)
          : f.makeTileOp(op.range(), isTile ? "cmp_mask" : "cmp", {lhs, rhs},
                         {}, kind);
  if (made.isTile() && isTile) {
    // One bit for each cell.
    made.dtype = DTypeKind::UINT8;
    made.shape = {made.getTileType().getRows(), made.getTileType().getCols()};
  }
  return made;
}

/// sel(mask, lhs, rhs, tmp) and sels(mask, src, tmp, scalar).
static DslValue lowerSelect(FunctionLowering &f, OpCall &op) {
  bool isScalar = op.name == "sels";
  DslValue mask = f.toTile(op, 0), lhs = f.toTile(op, 1);
  DslValue rhs = isScalar ? f.lower(op.args[3]) : f.toTile(op, 2);
  DslValue tmp = f.toTile(op, isScalar ? 2 : 3);
  if (mask.isError() || lhs.isError() || rhs.isError() || tmp.isError())
    return DslValue::error();
  if (!isScalar) {
    DslValue made = f.makeTileOp(op.range(), "sel", {mask, lhs, rhs});
    if (made.isTile()) {
      made.dtype = lhs.dtype;
      made.shape = lhs.shape;
    }
    return made;
  }
  FailureOr<ir::TileType> type = f.inferTile(
      op.range(), "sels", {mask.getTileType(), lhs.getTileType()}, {});
  if (failed(type))
    return DslValue::error();
  if (!isNumber(rhs))
    return f.fail(DiagCode::DTypeMismatch, op.args[3]->range,
                  op.spelling + " takes a scalar, but this is " +
                      f.describe(rhs));
  mlir::Value scalar = f.materializeFor(lhs, rhs, op.args[3]->range);
  if (!scalar)
    return DslValue::error();
  DslValue made = lhs;
  made.value = f.createCompute("sels", op.range(),
                               {mask.value, lhs.value, scalar}, *type);
  return made;
}

//===----------------------------------------------------------------------===//
// Making tiles
//===----------------------------------------------------------------------===//

/// A tile of one scalar, of the shape and box of another.
static DslValue lowerExpands(FunctionLowering &f, OpCall &op) {
  DslValue target = f.toTile(op, 0), scalar = f.lower(op.args[1]);
  if (target.isError() || scalar.isError())
    return DslValue::error();
  if (!isNumber(scalar))
    return f.fail(DiagCode::DTypeMismatch, op.args[1]->range,
                  op.spelling + " takes a scalar, but this is " +
                      f.describe(scalar));
  mlir::Value value = f.materializeFor(target, scalar, op.args[1]->range);
  if (!value)
    return DslValue::error();
  ir::TileType box = target.getTileType();
  auto whole =
      ir::TileType::get(box.getRows(), box.getCols(), box.getElementType());
  DslValue made = target;
  made.value =
      f.convertValidLike(f.createCompute("full", op.range(), {value}, whole),
                         target.value, op.range());
  return made;
}

/// A vector over the shape of another tensor.
static DslValue lowerExpandClone(FunctionLowering &f, OpCall &op) {
  DslValue source = f.toTile(op, 0), target = f.toTile(op, 1);
  if (source.isError() || target.isError())
    return DslValue::error();
  ir::TileType from = source.getTileType(), to = target.getTileType();
  if (from.getRows() == to.getRows() && from.getCols() == to.getCols())
    return source;
  bool isColumn = from.getCols() == 1 && from.getRows() == to.getRows();
  bool isRow = from.getRows() == 1 && from.getCols() == to.getCols();
  if (!isColumn && !isRow)
    return f.fail(DiagCode::ShapeMismatch, op.range(),
                  op.spelling + " repeats a row or a column, but " +
                      f.describe(source) + " is neither of " +
                      f.describe(target));
  auto whole =
      ir::TileType::get(to.getRows(), to.getCols(), from.getElementType());
  source.value =
      f.convertValidLike(f.createCompute(isColumn ? "row_expand" : "col_expand",
                                         op.range(), {source.value}, whole),
                         target.value, op.range());
  source.shape = target.shape;
  return source;
}

/// A box of a tile that was made here: valid_shape= of `arg`.
static DslValue limitValid(FunctionLowering &f, OpCall &op, unsigned arg,
                           DslValue made) {
  if (!op.args[arg])
    return made;
  SmallVector<DslValue> valid;
  if (!f.getList(op.args[arg], "valid_shape=", valid))
    return DslValue::error();
  if (valid.size() != 2)
    return f.fail(DiagCode::ValidShape, op.args[arg]->range,
                  "valid_shape= of " + op.spelling + " is rows and columns");
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  ir::TileType type = made.getTileType();
  if (!f.getValidBox(valid, type.getRows(), type.getCols(), op.args[arg]->range,
                     box, operands))
    return DslValue::error();
  return f.setValid(made, box[0], box[1], operands, op.range());
}

static DslValue lowerTri(FunctionLowering &f, OpCall &op) {
  SmallVector<int64_t> shape;
  DslValue diagonal = f.lower(op.args[0]);
  bool good = f.getStaticShape(op.args[1], "the shape", shape);
  std::optional<DTypeKind> dtype =
      op.args[3] ? f.getTileDType(op.args[3], "dtype") : DTypeKind::INT32;
  std::optional<bool> upper = f.getBool(op.args[4], "upper=", false);
  if (!good || !dtype || !upper || diagonal.isError())
    return DslValue::error();
  if (shape.size() != 2)
    return f.fail(DiagCode::WrongRank, op.range(),
                  op.spelling + " makes rows and columns");
  mlir::Value value = f.toIndex(diagonal, op.args[0]->range, "a diagonal");
  if (!value)
    return DslValue::error();
  auto type =
      ir::TileType::get(shape[0], shape[1], f.module.getElementType(*dtype));
  SmallVector<mlir::NamedAttribute> attrs;
  if (*upper)
    attrs.push_back(f.builder.getNamedAttr("upper", f.builder.getUnitAttr()));
  DslValue made = DslValue::makeTile(
      f.createCompute("tri", op.range(), {value}, type, attrs), *dtype, shape);
  made.isTileLevel = true;
  return limitValid(f, op, 2, made);
}

static DslValue lowerRandom(FunctionLowering &f, OpCall &op) {
  constexpr unsigned shapeArg = 6, validArg = 7, dtypeArg = 8, roundsArg = 9;
  SmallVector<mlir::Value> seeds;
  for (unsigned arg = 0; arg < shapeArg; ++arg) {
    DslValue seed = f.lower(op.args[arg]);
    if (seed.isError())
      return seed;
    if (!isNumber(seed))
      return f.fail(DiagCode::WrongArguments, op.args[arg]->range,
                    "a seed of " + op.spelling + " is an INT32, but this is " +
                        f.describe(seed));
    mlir::Value value =
        f.materialize(seed, DTypeKind::INT32, op.args[arg]->range);
    if (!value)
      return DslValue::error();
    seeds.push_back(value);
  }
  SmallVector<int64_t> shape;
  std::optional<DTypeKind> dtype =
      op.args[dtypeArg] ? f.getTileDType(op.args[dtypeArg], "dtype")
                        : DTypeKind::UINT32;
  if (!f.getStaticShape(op.args[shapeArg], "the shape", shape) || !dtype)
    return DslValue::error();
  if (*dtype != DTypeKind::UINT32 && *dtype != DTypeKind::INT32)
    return f.fail(DiagCode::UnsupportedDType, op.args[dtypeArg]->range,
                  op.spelling + " makes INT32 or UINT32, not " +
                      getName(*dtype));
  int64_t rounds = 10;
  if (op.args[roundsArg]) {
    DslValue value = f.lower(op.args[roundsArg]);
    std::optional<int64_t> number = f.getConstantInt(value);
    if (!number || (*number != 7 && *number != 10))
      return value.isError()
                 ? value
                 : f.fail(DiagCode::UnknownChoice, op.args[roundsArg]->range,
                          "rounds= of " + op.spelling +
                              " is 7 or 10, but this is " +
                              f.getText(op.args[roundsArg]));
    rounds = *number;
  }
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(shape).drop_back())
    rows *= extent;
  auto type =
      ir::TileType::get(rows, shape.back(), f.module.getElementType(*dtype));
  mlir::Value value =
      ir::RandomOp::create(f.builder, f.loc(op.range()), type, seeds,
                           uint64_t(rounds), mlir::Value(), mlir::ValueRange())
          .getResult();
  DslValue made = DslValue::makeTile(value, *dtype, shape);
  made.isTileLevel = op.isTileForm;
  return limitValid(f, op, validArg, made);
}

/// The bytes of a tile as elements of another type.
static DslValue lowerReinterpret(FunctionLowering &f, OpCall &op) {
  DslValue source = f.lower(op.args[0]);
  std::optional<DTypeKind> dtype = f.getDType(op.args[1], "dtype");
  if (source.isError() || !dtype)
    return DslValue::error();
  if (source.isTensor() && !f.core)
    return f.notLowered(op.range(), op.spelling + " of a tensor in memory");
  source = f.toTile(source, op.args[0]->range, "the operand of " + op.spelling);
  if (source.isError() || !f.getTileDType(op.args[1], "dtype"))
    return DslValue::error();
  SmallVector<int64_t> shape;
  if (op.args[2]) {
    if (!f.getStaticShape(op.args[2], "the shape", shape))
      return DslValue::error();
  } else {
    shape.assign(source.shape.begin(), source.shape.end());
    int64_t bytes = shape.back() * getByteSize(*source.dtype);
    if (bytes % getByteSize(*dtype) != 0)
      return f.fail(DiagCode::ShapeMismatch, op.range(),
                    op.spelling + ": a row of " + f.describe(source) + " has " +
                        Twine(bytes) + " bytes, no whole number of " +
                        getName(*dtype));
    shape.back() = bytes / getByteSize(*dtype);
  }
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(shape).drop_back())
    rows *= extent;
  FailureOr<ir::TileType> type =
      askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::inferReinterpret(source.getTileType(), rows, shape.back(),
                                    f.module.getElementType(*dtype), emitError);
      });
  if (failed(type))
    return DslValue::error();
  source.value = ir::ReinterpretOp::create(f.builder, f.loc(op.range()), *type,
                                           source.value);
  source.dtype = *dtype;
  source.shape.assign(shape.begin(), shape.end());
  return source;
}

/// The form of a reciprocal square root with a scratch tile is the precise one.
static DslValue lowerTileRsqrt(FunctionLowering &f, OpCall &op) {
  DslValue x = f.toTile(op, 0);
  if (x.isError() || !checkScratch(f, op, 1, x.getTileType(), *x.dtype))
    return DslValue::error();
  if (!mlir::isa<mlir::FloatType>(x.getTileType().getElementType()))
    return f.fail(DiagCode::UnsupportedDType, op.range(),
                  op.spelling + " takes a float tile, but this is " +
                      f.describe(x) + "; cast it to pl.FP32");
  SmallVector<mlir::NamedAttribute> attrs;
  if (op.args[1])
    attrs.push_back(
        f.builder.getNamedAttr("high_precision", f.builder.getUnitAttr()));
  return f.makeTileOp(op.range(), "rsqrt", {x}, {}, attrs);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static DslValue lowerExpand(FunctionLowering &f, OpCall &op) {
  return f.lowerExpand(op);
}

#define PAIR "lhs,rhs"
#define ROWS "x|lhs|tensor|tile,v|rhs|row_vec"
#define COLS "x|lhs|tensor|tile,v|rhs|col_vec"

static const OpRow vectorOps[] = {
    {"sin", "x|input|tile", 1, lowerUnary, true},
    {"cos", "x|input|tile", 1, lowerUnary, true},
    {"not_", "x|input|tile", 1, lowerUnary, true},
    {"relu", "x|input|tile", 1, lowerRelu, true},
    {"and_", PAIR, 2, lowerBits, true},
    {"or_", PAIR, 2, lowerBits, true},
    {"xor", "lhs,rhs,tmp", 2, lowerBits, true},
    {"shl", PAIR, 2, lowerBits, true},
    {"shr", PAIR, 2, lowerBits, true},
    {"ands", PAIR, 2, lowerBits, true},
    {"ors", PAIR, 2, lowerBits, true},
    {"xors", "lhs,rhs,tmp", 2, lowerBits, true},
    {"shls", PAIR, 2, lowerBits, true},
    {"shrs", PAIR, 2, lowerBits, true},
    {"fmod", PAIR, 2, lowerBits, true},
    {"fmods", PAIR, 2, lowerBits, true},
    {"rem", "lhs,rhs,tmp", 2, lowerBits, true},
    {"rems", "lhs,rhs,tmp", 2, lowerBits, true},
    {"lrelu", "x|tile,slope", 2, lowerBits, true},
    {"prelu", "x|tile,slope,tmp", 2, lowerTilePair, true},
    {"part_add", "lhs|src0,rhs|src1", 2, lowerTilePair, true},
    {"part_mul", "lhs|src0,rhs|src1", 2, lowerTilePair, true},
    {"part_max", "lhs|src0,rhs|src1", 2, lowerTilePair, true},
    {"part_min", "lhs|src0,rhs|src1", 2, lowerTilePair, true},
    {"adds", PAIR, 2, lowerScalarForm, true},
    {"subs", PAIR, 2, lowerScalarForm, true},
    {"muls", PAIR, 2, lowerScalarForm, true},
    {"divs", PAIR, 2, lowerScalarForm, true},
    {"maximums", PAIR, 2, lowerScalarForm, true},
    {"minimums", PAIR, 2, lowerScalarForm, true},
    {"addc", "lhs,rhs,rhs2", 3, lowerThree, true},
    {"addsc", "lhs,rhs,rhs2", 3, lowerThree, true},
    {"subc", "lhs,rhs,rhs2", 3, lowerThree, true},
    {"subsc", "lhs,rhs,rhs2", 3, lowerThree, true},
    {"cmp", "lhs,rhs,cmp_type", 2, lowerCompare, true},
    {"cmps", "lhs,rhs,cmp_type", 2, lowerCompare, true},
    {"sel", "mask,lhs,rhs,tmp", 4, lowerSelect, true},
    {"sels", "mask,src,tmp,scalar", 4, lowerSelect, true},
    {"row_expand_max", ROWS, 2, lowerExpand, true},
    {"row_expand_min", ROWS, 2, lowerExpand, true},
    {"row_expand_expdif", ROWS, 2, lowerExpand, true},
    {"col_expand_max", COLS, 2, lowerExpand, true},
    {"col_expand_min", COLS, 2, lowerExpand, true},
    {"col_expand_expdif", COLS, 2, lowerExpand, true},
    {"expands", "target,scalar", 2, lowerExpands, true},
    {"expand_clone", "src,target", 2, lowerExpandClone, true},
    {"tri", "diagonal,shape,valid_shape,dtype,upper", 2, lowerTri, true},
    {"random",
     "key0,key1,counter0,counter1,counter2,counter3,shape,valid_shape,dtype,"
     "rounds",
     7, lowerRandom, true},
    {"reinterpret_view", "data|x|input,dtype,shape", 2, lowerReinterpret,
     false},
    {"tile.rsqrt", "x|tile,tmp", 1, lowerTileRsqrt, true},
};

#undef PAIR
#undef ROWS
#undef COLS

ArrayRef<OpRow> pl::frontend::getVectorOps() { return vectorOps; }

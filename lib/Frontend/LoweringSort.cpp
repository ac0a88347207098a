//===- LoweringSort.cpp - sorting, gathering and scattering ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRules.h"

#include "pl/Dialect/PL/IR/PLVectorOps.h"

using namespace pl::frontend;

static SmallVector<int64_t, 2> getShape(ir::TileType type) {
  return {type.getRows(), type.getCols()};
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static DslValue lowerSort32(FunctionLowering &f, OpCall &op) {
  DslValue source = f.toTile(op, 0), index = f.toTile(op, 1);
  if (source.isError() || index.isError())
    return DslValue::error();
  return f.makeTileOp(op.range(), "sort32", {source, index});
}

static DslValue mergeRuns(FunctionLowering &f, OpCall &op, unsigned blockArg) {
  for (auto [index, arg] : llvm::enumerate(op.args))
    if (arg && index != 0 && index != blockArg)
      return f.fail(DiagCode::WrongArguments, arg->range,
                    op.spelling + " merges the runs of one row (block_len=) "
                                  "or several rows, not both");
  DslValue source = f.toTile(op, 0), block = f.lower(op.args[blockArg]);
  if (source.isError() || block.isError())
    return DslValue::error();
  mlir::Value length = f.toIndex(block, op.args[blockArg]->range, "block_len=");
  if (!length ||
      failed(f.inferTile(op.range(), "mrgsort", {source.getTileType()}, {})))
    return DslValue::error();
  std::optional<int64_t> number = f.getConstantInt(block);
  if (failed(askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::checkMergeRuns(source.getTileType(), number, emitError);
      })))
    return DslValue::error();
  source.value = f.createCompute("mrgsort", op.range(), {source.value, length},
                                 source.value.getType());
  return source;
}

/// mrgsort(src, block_len=n) and mrgsort(a, b[, c[, d]]).
static DslValue lowerMrgsort(FunctionLowering &f, OpCall &op) {
  constexpr unsigned tmpArg = 4, exhaustedArg = 5, blockArg = 6;
  if (op.args[blockArg])
    return mergeRuns(f, op, blockArg);
  if (!op.args[1])
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " needs block_len=, the length of the sorted "
                                "runs of a row, or a second sorted row");
  std::optional<bool> exhausted =
      f.getBool(op.args[exhaustedArg], "exhausted=", false);
  SmallVector<DslValue> sources;
  SmallVector<ir::TileType> types;
  SmallVector<mlir::Value> values;
  for (unsigned arg = 0; arg < tmpArg; ++arg) {
    if (!op.args[arg]) {
      if (arg == 2 && op.args[3])
        return f.fail(DiagCode::WrongArguments, op.args[3]->range,
                      op.spelling + " has a fourth row but no third");
      continue;
    }
    sources.push_back(f.toTile(op, arg));
    if (sources.back().isError())
      return DslValue::error();
    types.push_back(sources.back().getTileType());
    values.push_back(sources.back().value);
  }
  if (!exhausted)
    return DslValue::error();
  FailureOr<ir::TileType> type =
      f.inferTile(op.range(), "mrgsort_lists", types, {});
  if (failed(type) || !f.checkLevels(op.range(), op.spelling, sources))
    return DslValue::error();
  bool isTile =
      op.isTileForm || (sources.front().isTileLevel && !op.isTensorForm);
  if (op.args[tmpArg] && !isTile)
    return f.fail(DiagCode::Scratch, op.args[tmpArg]->range,
                  op.spelling + " of Tensors takes no scratch: the compiler "
                                "makes it; only the tile form has 'tmp'");
  if (!op.args[tmpArg] && isTile)
    return f.fail(DiagCode::Scratch, op.range(),
                  op.spelling + " of Tiles needs 'tmp', a scratch tile of "
                                "the shape of the result");
  if (!checkScratch(f, op, tmpArg, *type, *sources.front().dtype))
    return DslValue::error();
  mlir::Value made =
      ir::MrgsortListsOp::create(f.builder, f.loc(op.range()), *type, values,
                                 *exhausted, mlir::Value(), mlir::ValueRange())
          .getResult();
  DslValue merged =
      DslValue::makeTile(made, *sources.front().dtype, getShape(*type));
  merged.isTileLevel = sources.front().isTileLevel;
  return merged;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

static std::optional<ir::MaskPattern> getPattern(FunctionLowering &f,
                                                 OpCall &op, const Expr *expr) {
  DslValue value = f.lower(expr);
  if (value.isError())
    return std::nullopt;
  std::optional<ir::MaskPattern> pattern;
  if (std::optional<int64_t> number = f.getConstantInt(value);
      number && *number >= 1 && *number <= 7)
    pattern = ir::symbolizeMaskPattern(uint32_t(*number));
  if (auto *member = value.isHost() ? value.host.as<EnumObject>() : nullptr;
      member && member->enumName == "MaskPattern")
    pattern = ir::symbolizeMaskPattern(StringRef(member->member).lower());
  if (!pattern)
    f.error(DiagCode::UnknownChoice, expr->range,
            "mask_pattern= of " + op.spelling +
                " is 1 to 7 or a member of pl.tile.MaskPattern, "
                "P0101 to P1111, but this is " +
                f.getText(expr));
  return pattern;
}

static mlir::NamedAttribute getPatternAttr(FunctionLowering &f,
                                           ir::MaskPattern pattern) {
  return f.builder.getNamedAttr(
      "pattern", ir::MaskPatternAttr::get(&f.module.context, pattern));
}

static DslValue gatherMask(FunctionLowering &f, OpCall &op, unsigned maskArg,
                           unsigned dtypeArg) {
  DslValue source = f.toTile(op, 0);
  std::optional<ir::MaskPattern> pattern = getPattern(f, op, op.args[maskArg]);
  std::optional<DTypeKind> dtype = source.dtype;
  if (op.args[dtypeArg])
    dtype = f.getTileDType(op.args[dtypeArg], "output_dtype=");
  if (source.isError() || !pattern || !dtype)
    return DslValue::error();
  FailureOr<ir::TileType> type =
      askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::inferGatherMask(source.getTileType(), *pattern,
                                   f.module.getElementType(*dtype), emitError);
      });
  if (failed(type))
    return DslValue::error();
  mlir::Value made = f.createCompute("gather_mask", op.range(), {source.value},
                                     *type, getPatternAttr(f, *pattern));
  source.value = made;
  source.dtype = *dtype;
  source.shape = getShape(*type);
  return source;
}

static DslValue transposeTile(FunctionLowering &f, OpCall &op, DslValue tile) {
  tile = f.makeTileOp(op.range(), "transpose", {tile});
  if (tile.isTile())
    tile.shape = getShape(tile.getTileType());
  return tile;
}

/// INT16 indices of 16-bit data become INT32, which is exact.
static bool widenIndex(FunctionLowering &f, OpCall &op, const DslValue &source,
                       DslValue &index) {
  if (index.dtype == DTypeKind::INT32)
    return true;
  bool isShort = getByteSize(*source.dtype) == 2;
  if (index.dtype != DTypeKind::INT16 || !isShort) {
    f.error(DiagCode::UnsupportedDType, op.range(),
            op.spelling + " takes an INT32 index" +
                (isShort ? ", or INT16 for 16-bit data"
                         : " (INT16 only for 16-bit data)") +
                ", but this is " + f.describe(index));
    return false;
  }
  mlir::NamedAttribute mode = f.builder.getNamedAttr(
      "mode", ir::RoundModeAttr::get(&f.module.context, ir::RoundMode::none));
  auto type = index.getTileType().withElement(f.builder.getI32Type());
  index.value = f.createCompute("cast", op.range(), {index.value}, type, mode);
  index.dtype = DTypeKind::INT32;
  return true;
}

static DslValue gatherIndex(FunctionLowering &f, OpCall &op) {
  constexpr unsigned dimArg = 1, indexArg = 2;
  if (!op.args[indexArg])
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " needs 'index' or 'mask_pattern'");
  DslValue source = f.toTile(op, 0), index = f.toTile(op, indexArg);
  if (source.isError() || index.isError())
    return DslValue::error();
  int64_t rank = source.shape.size();
  bool isFirst = false;
  if (op.args[dimArg]) {
    DslValue dim = f.lower(op.args[dimArg]);
    std::optional<int64_t> number = f.getConstantInt(dim);
    if (!number || *number < -rank || *number >= rank)
      return dim.isError()
                 ? dim
                 : f.fail(DiagCode::NotConstant, op.args[dimArg]->range,
                          "dim= of " + op.spelling +
                              " must be a constant from " + Twine(-rank) +
                              " to " + Twine(rank - 1));
    isFirst = *number != -1 && *number != rank - 1;
    if (isFirst && rank != 2)
      return f.notLowered(op.args[dimArg]->range,
                          op.spelling + " along axis " + Twine(*number) +
                              " of a tile of rank " + Twine(rank));
  }
  if (int64_t(index.shape.size()) != rank)
    return f.fail(DiagCode::WrongRank, op.range(),
                  op.spelling + " expects an index of rank " + Twine(rank) +
                      " like " + f.describe(source) + ", but this is " +
                      f.describe(index));
  // Rows of more axes lie one after the other, so all must be there.
  if (rank > 2)
    for (int64_t axis = 0; axis + 1 < rank; ++axis)
      if (index.shape[axis] != source.shape[axis])
        return f.fail(DiagCode::ShapeMismatch, op.range(),
                      op.spelling +
                          " expects an index of the leading axes "
                          "of " +
                          f.describe(source) + ", but this is " +
                          f.describe(index));
  if (!widenIndex(f, op, source, index))
    return DslValue::error();
  SmallVector<int64_t, 2> shape = index.shape;
  if (isFirst) {
    source = transposeTile(f, op, source);
    index = transposeTile(f, op, index);
  }
  DslValue made = f.makeTileOp(op.range(), "gather", {source, index});
  if (isFirst && made.isTile())
    made = transposeTile(f, op, made);
  if (made.isTile())
    made.shape = shape;
  return made;
}

/// cmp_mode= by name or number.
static std::optional<ir::CmpKind> getCompareMode(FunctionLowering &f,
                                                 OpCall &op, const Expr *expr) {
  if (!expr)
    return ir::CmpKind::eq;
  DslValue value = f.lower(expr);
  std::optional<ir::CmpKind> kind;
  if (value.isHost() && value.host.isStr())
    kind = ir::symbolizeCmpKind(value.host.getStr());
  else if (std::optional<int64_t> number = f.getConstantInt(value);
           number && *number >= 0 && *number <= 5)
    kind = ir::symbolizeCmpKind(uint32_t(*number));
  if (!kind && !value.isError())
    f.error(DiagCode::UnknownChoice, expr->range,
            "cmp_mode= of " + op.spelling +
                " is eq, ne, lt, le, gt or ge (0 to 5), but this "
                "is " +
                f.getText(expr));
  return kind;
}

/// `kvalue` and, from `first` on, cmp_mode, out_cols, offset, count_dtype.
/// Gives the indices and the counts.
static DslValue gatherCompare(FunctionLowering &f, OpCall &op,
                              unsigned valueArg, unsigned first) {
  const Expr *valueExpr = op.args[valueArg], *colsExpr = op.args[first + 1],
             *offsetExpr = op.args[first + 2], *typeExpr = op.args[first + 3];
  if (!valueExpr || !colsExpr)
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " by a comparison needs 'kvalue' "
                                "and 'out_cols'");
  DslValue source = f.toTile(op, 0), value = f.lower(valueExpr),
           cols = f.lower(colsExpr);
  DslValue offset =
      offsetExpr ? f.lower(offsetExpr) : DslValue::makeHost(Value::integer(0));
  std::optional<ir::CmpKind> kind = getCompareMode(f, op, op.args[first]);
  std::optional<DTypeKind> dtype =
      typeExpr ? f.getDType(typeExpr, "count_dtype=") : DTypeKind::INT32;
  if (source.isError() || value.isError() || cols.isError() ||
      offset.isError() || !kind || !dtype)
    return DslValue::error();
  std::optional<int64_t> width = f.getConstantInt(cols),
                         start = f.getConstantInt(offset);
  if (!width || *width < 1 || *width > INT32_MAX)
    return f.fail(DiagCode::NotConstant, colsExpr->range,
                  "out_cols= of " + op.spelling +
                      " must be a positive constant");
  if (!start)
    return f.fail(DiagCode::NotConstant, offsetExpr->range,
                  "offset= of " + op.spelling + " must be a constant");
  if (*dtype != DTypeKind::INT32 && *dtype != DTypeKind::UINT32)
    return f.fail(DiagCode::UnsupportedDType, typeExpr->range,
                  "count_dtype= of " + op.spelling +
                      " is INT32 or UINT32, not " + getName(*dtype));
  if (failed(askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::checkElements("gather", {source.getTileType()}, emitError);
      })))
    return DslValue::error();
  if (!isNumber(value))
    return f.fail(DiagCode::DTypeMismatch, valueExpr->range,
                  "kvalue= of " + op.spelling +
                      " must be a scalar, but this is " + f.describe(value));
  mlir::Value scalar = f.materializeFor(source, value, valueExpr->range);
  if (!scalar)
    return DslValue::error();
  ir::TileType type = source.getTileType();
  int64_t rows = type.getRows();
  auto indices =
      ir::TileType::get(rows, *width, f.builder.getI32Type(),
                        ir::MemorySpace::none, type.getValidRows(), *width);
  auto counts =
      ir::TileType::get(1, rows, f.module.getElementType(*dtype),
                        ir::MemorySpace::none, 1, type.getValidRows());
  auto made =
      ir::GatherCompareOp::create(f.builder, f.loc(op.range()), indices, counts,
                                  source.value, scalar, *kind, *start);
  DslValue found = DslValue::makeTile(made.getIndices(), DTypeKind::INT32,
                                      getShape(indices));
  DslValue second =
      DslValue::makeTile(made.getCounts(), *dtype, getShape(counts));
  found.isTileLevel = second.isTileLevel = source.isTileLevel;
  return DslValue::makeTuple({found, second});
}

static DslValue lowerGatherCompare(FunctionLowering &f, OpCall &op) {
  DslValue tmp = f.toTile(op, 2);
  return tmp.isError() ? tmp : gatherCompare(f, op, 1, 3);
}

static DslValue lowerGather(FunctionLowering &f, OpCall &op) {
  constexpr unsigned maskArg = 3, dtypeArg = 4, compareArg = 5;
  bool hasIndex = op.args[1] || op.args[2];
  bool hasCompare = llvm::any_of(ArrayRef(op.args).drop_front(compareArg),
                                 [](const Expr *arg) { return arg; });
  if (hasIndex + bool(op.args[maskArg]) + hasCompare > 1)
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " picks by an index, by a mask_pattern or by "
                                "a comparison, not by several of them");
  if (hasCompare)
    return gatherCompare(f, op, compareArg, compareArg + 1);
  if (op.args[maskArg])
    return gatherMask(f, op, maskArg, dtypeArg);
  if (op.args[dtypeArg])
    return f.fail(DiagCode::WrongArguments, op.args[dtypeArg]->range,
                  "output_dtype= of " + op.spelling +
                      " belongs to mask_pattern=");
  return gatherIndex(f, op);
}

static DslValue lowerGatherMask(FunctionLowering &f, OpCall &op) {
  return gatherMask(f, op, 1, 2);
}

/// pl.tile.gather(src, indices, tmp): the index counts cells of the whole tile.
static DslValue lowerFlatGather(FunctionLowering &f, OpCall &op) {
  DslValue source = f.toTile(op, 0), index = f.toTile(op, 1);
  DslValue tmp = f.toTile(op, 2);
  if (source.isError() || index.isError() || tmp.isError() ||
      !widenIndex(f, op, source, index))
    return DslValue::error();
  mlir::NamedAttribute flat =
      f.builder.getNamedAttr("flat", f.builder.getUnitAttr());
  DslValue made = f.makeTileOp(op.range(), "gather", {source, index}, {}, flat);
  if (made.isTile())
    made.shape = index.shape;
  return made;
}

static DslValue lowerGatherBlocks(FunctionLowering &f, OpCall &op) {
  DslValue source = f.toTile(op, 0), offset = f.toTile(op, 1);
  std::optional<DTypeKind> dtype = source.dtype;
  if (op.args[2])
    dtype = f.getTileDType(op.args[2], "output_dtype=");
  if (source.isError() || offset.isError() || !dtype)
    return DslValue::error();
  FailureOr<ir::TileType> type =
      askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::inferGatherBlocks(source.getTileType(), offset.getTileType(),
                                     f.module.getElementType(*dtype),
                                     emitError);
      });
  if (failed(type))
    return DslValue::error();
  mlir::Value made = f.createCompute("gather_blocks", op.range(),
                                     {source.value, offset.value}, *type);
  source.value = made;
  source.dtype = *dtype;
  source.shape = getShape(*type);
  return source;
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

static DslValue scatterMask(FunctionLowering &f, OpCall &op, unsigned baseArg,
                            unsigned sourceArg, unsigned maskArg) {
  DslValue base = f.toTile(op, baseArg), source = f.toTile(op, sourceArg);
  std::optional<ir::MaskPattern> pattern = getPattern(f, op, op.args[maskArg]);
  if (base.isError() || source.isError() || !pattern)
    return DslValue::error();
  if (failed(askRule(f, op, [&](ir::EmitTileError emitError) {
        return ir::checkScatterMask(base.getTileType(), source.getTileType(),
                                    *pattern, emitError);
      })))
    return DslValue::error();
  return f.makeTileOp(op.range(), "scatter_mask", {base, source}, {},
                      getPatternAttr(f, *pattern));
}

static DslValue lowerScatter(FunctionLowering &f, OpCall &op) {
  constexpr unsigned dimArg = 1, indexArg = 2, sourceArg = 3, maskArg = 4,
                     dstArg = 5;
  bool hasIndex = op.args[dimArg] || op.args[indexArg] || op.args[sourceArg];
  if (hasIndex && (op.args[maskArg] || op.args[dstArg]))
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " puts by an index (dim, index, src) or by a "
                                "mask_pattern into dst, not by both");
  if (!hasIndex) {
    if (!op.args[maskArg] || !op.args[dstArg])
      return f.fail(DiagCode::WrongArguments, op.range(),
                    op.spelling + " needs 'mask_pattern' and 'dst', or 'dim', "
                                  "'index' and 'src'");
    return scatterMask(f, op, dstArg, 0, maskArg);
  }
  if (!op.args[indexArg] || !op.args[sourceArg])
    return f.fail(DiagCode::WrongArguments, op.range(),
                  op.spelling + " needs 'index' and 'src'");
  DslValue base = f.toTile(op, 0), index = f.toTile(op, indexArg),
           source = f.toTile(op, sourceArg);
  if (base.isError() || index.isError() || source.isError())
    return DslValue::error();
  if (op.args[dimArg]) {
    DslValue dim = f.lower(op.args[dimArg]);
    std::optional<int64_t> number = f.getConstantInt(dim);
    if (!number || (*number != -1 && *number + 1 != int64_t(base.shape.size())))
      return dim.isError()
                 ? dim
                 : f.fail(DiagCode::WrongArguments, op.args[dimArg]->range,
                          op.spelling + " puts along the last axis; "
                                        "dim= must be -1");
  }
  if (source.getTileType().getRows() > base.getTileType().getRows())
    return f.fail(DiagCode::ShapeMismatch, op.range(),
                  op.spelling + " expects at most the rows of " +
                      f.describe(base) + ", but src is " + f.describe(source));
  return f.makeTileOp(op.range(), "scatter", {base, index, source});
}

/// pl.tile.scatter(dst, src, indexes): the index counts cells of all of dst.
static DslValue lowerFlatScatter(FunctionLowering &f, OpCall &op) {
  DslValue base = f.toTile(op, 0), source = f.toTile(op, 1),
           index = f.toTile(op, 2);
  if (base.isError() || index.isError() || source.isError())
    return DslValue::error();
  mlir::NamedAttribute flat =
      f.builder.getNamedAttr("flat", f.builder.getUnitAttr());
  return f.makeTileOp(op.range(), "scatter", {base, index, source}, {}, flat);
}

static DslValue lowerScatterMask(FunctionLowering &f, OpCall &op) {
  return scatterMask(f, op, 0, 1, 2);
}

static const OpRow sortOps[] = {
    {"sort32", "src,idx", 2, lowerSort32, true},
    {"mrgsort", "src0|src,src1,src2,src3,tmp,exhausted,block_len", 1,
     lowerMrgsort, true},
    {"gather",
     "x|input,dim,index,mask_pattern,output_dtype,kvalue,cmp_mode,out_cols,"
     "offset,count_dtype",
     1, lowerGather, true},
    {"tile.gather", "src,indices|idx,tmp", 3, lowerFlatGather, true},
    {"gather_mask", "src,mask_pattern,output_dtype", 2, lowerGatherMask, true},
    {"gatherb", "src,offset,output_dtype", 2, lowerGatherBlocks, true},
    {"scatter", "x|input,dim,index,src,mask_pattern,dst", 1, lowerScatter,
     true},
    {"tile.scatter", "dst,src,indexes", 3, lowerFlatScatter, true},
    {"tile.gather_compare",
     "src,kvalue,tmp,cmp_mode,out_cols,offset,count_dtype", 3,
     lowerGatherCompare, true},
    {"scatter_mask", "dst,src,mask_pattern", 3, lowerScatterMask, true},
};

ArrayRef<OpRow> pl::frontend::getSortOps() { return sortOps; }

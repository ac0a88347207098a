//===- LoweringOps.cpp - the table of pl operations -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringTable.h"

#include "pl/Frontend/Lowering.h"

#include "llvm/ADT/StringSwitch.h"

using namespace pl::frontend;

/// A member of FunctionLowering as what lowers an operation.
template <DslValue (FunctionLowering::*Member)(OpCall &)>
static DslValue by(FunctionLowering &function, OpCall &op) {
  return (function.*Member)(op);
}

using FL = FunctionLowering;

/// A product whose left operand is one row.
template <DslValue (FunctionLowering::*Member)(OpCall &)>
static DslValue lowerRow(FunctionLowering &f, OpCall &op) {
  DslValue made = (f.*Member)(op);
  if (made.isTile() && made.getTileType().getRows() != 1)
    return f.fail(DiagCode::Matmul, op.range(),
                  op.spelling +
                      " takes one row on the left, [1, K], but gives " +
                      f.describe(made) + "; pl.matmul takes more");
  return made;
}

static DslValue lowerNoTask(FunctionLowering &, OpCall &) {
  return DslValue::makeHost(Value::none());
}

static const OpRow basicOps[] = {
    // Elementwise.
    {"add", "lhs,rhs", 2, by<&FL::lowerElementwise>, true},
    {"sub", "lhs,rhs", 2, by<&FL::lowerElementwise>, true},
    {"mul", "lhs,rhs", 2, by<&FL::lowerElementwise>, true},
    {"div", "lhs,rhs,high_precision", 2, by<&FL::lowerElementwise>, true},
    {"maximum", "lhs,rhs", 2, by<&FL::lowerElementwise>, true},
    {"minimum", "lhs,rhs", 2, by<&FL::lowerElementwise>, true},
    {"neg", "x|input|tile", 1, by<&FL::lowerUnaryOp>, true},
    {"abs", "x|input|tile", 1, by<&FL::lowerUnaryOp>, true},
    {"exp", "x|input|tile", 1, by<&FL::lowerUnaryOp>, true},
    {"log", "x|input|tile,high_precision", 1, by<&FL::lowerUnaryOp>, true},
    {"sqrt", "x|input|tile", 1, by<&FL::lowerUnaryOp>, true},
    {"recip", "x|input|tile,high_precision", 1, by<&FL::lowerUnaryOp>, true},
    {"rsqrt", "x|input,high_precision", 1, by<&FL::lowerUnaryOp>, true},
    {"cast", "x|input|tile,target_type,mode", 2, by<&FL::lowerCast>, false},
    // Reductions and broadcasts.
    {"row_sum", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_max", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_min", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_prod", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_argmax", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_argmin", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"col_sum", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"col_max", "x|input|tile", 1, by<&FL::lowerReduce>, true},
    {"col_min", "x|input|tile", 1, by<&FL::lowerReduce>, true},
    {"col_prod", "x|input|tile", 1, by<&FL::lowerReduce>, true},
    {"col_argmax", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"col_argmin", "x|input|tile,tmp|tmp_tile", 1, by<&FL::lowerReduce>, true},
    {"row_expand_add", "x|lhs|tensor|tile,v|rhs|row_vec,tmp", 2,
     by<&FL::lowerExpand>, true},
    {"row_expand_sub", "x,v", 2, by<&FL::lowerExpand>, true},
    {"row_expand_mul", "x,v", 2, by<&FL::lowerExpand>, true},
    {"row_expand_div", "x,v", 2, by<&FL::lowerExpand>, true},
    {"col_expand_add", "x,v", 2, by<&FL::lowerExpand>, true},
    {"col_expand_sub", "x,v", 2, by<&FL::lowerExpand>, true},
    {"col_expand_mul", "x,v", 2, by<&FL::lowerExpand>, true},
    {"col_expand_div", "x,v", 2, by<&FL::lowerExpand>, true},
    {"row_expand", "target|lhs|tensor,v|rhs|row_vec", 2,
     by<&FL::lowerBroadcast>, true},
    {"col_expand", "target|lhs|tensor,v|rhs|col_vec", 2,
     by<&FL::lowerBroadcast>, true},
    // Creation and shape.
    {"full", "shape,dtype,value", 3, by<&FL::lowerFull>, true},
    {"arange", "start,shape,dtype,descending", 2, by<&FL::lowerArange>, true},
    {"ci", "start,shape,dtype,descending", 2, by<&FL::lowerArange>, true},
    {"reshape", "x|input|tensor|tile,shape", 2, by<&FL::lowerReshape>, false},
    {"transpose", "x|input|tensor|tile,axis1,axis2,tmp|tmp_tile", 3,
     by<&FL::lowerTranspose>, false},
    {"set_validshape", "x|input|tensor|tile,rows|valid_rows,cols|valid_cols", 3,
     by<&FL::lowerSetValid>, true},
    {"fillpad", "x|value|tensor|tile,pad_value", 1, by<&FL::lowerFillPad>,
     true},
    // Cube.
    {"matmul", "lhs,rhs,out_dtype,a_trans,b_trans,c_matrix_nz", 2,
     by<&FL::lowerMatmul>, true},
    {"matmul_acc", "acc,lhs,rhs,a_trans,b_trans,init_cond", 3,
     by<&FL::lowerMatmulAcc>, true},
    // Memory.
    {"create_tensor", "shape,dtype,layout,manual_dep,init_value", 2,
     by<&FL::lowerCreateTensor>, false},
    {"create_tile", "shape,dtype,target_memory,transpose,flat_layout", 2,
     by<&FL::lowerCreateTile>, true},
    {"create", "shape,dtype,target_memory,transpose,flat_layout", 2,
     by<&FL::lowerCreateTile>, true},
    {"slice",
     "x|input|tensor|tile,shape,offset,valid_shape,drop_dims,pad_value,clamp",
     3, by<&FL::lowerSlice>, false},
    {"load", "tensor,offsets,shapes,valid_shape,target_memory,clamp", 3,
     by<&FL::lowerLoad>, true},
    {"store", "tile,offsets,tensor|output_tensor,shapes,atomic", 3,
     by<&FL::lowerStore>, true},
    {"assemble", "target,src|source,offset,atomic", 3, by<&FL::lowerAssemble>,
     false},
    {"read", "x|src|tensor|tile,idx|offset|indices", 2, by<&FL::lowerRead>,
     false},
    {"write", "x|dst|tensor|tile,idx|offset|indices,value", 3,
     by<&FL::lowerWrite>, true},
    {"dim", "x|tensor,axis", 2, by<&FL::lowerDim>, false},
    // Scalars and the core.
    {"min", "a,b", 2, by<&FL::lowerMinMax>, false},
    {"max", "a,b", 2, by<&FL::lowerMinMax>, false},
    {"const", "value,dtype", 2, by<&FL::lowerConst>, false},
    {"get_block_idx", "", 0, by<&FL::lowerBlockIndex>, true},
    {"get_block_num", "", 0, by<&FL::lowerBlockNum>, true},
    {"dynamic", "name", 1, by<&FL::lowerDynamic>, false},
    {"static_assert", "cond,text", 1, by<&FL::lowerStaticAssert>, false},
    {"gemv", "lhs,rhs,out_dtype,a_trans,b_trans,c_matrix_nz", 2,
     lowerRow<&FL::lowerMatmul>, true},
    {"gemv_acc", "acc,lhs,rhs,a_trans,b_trans,init_cond", 3,
     lowerRow<&FL::lowerMatmulAcc>, true},
    {"batch_matmul", "lhs,rhs,out_dtype,a_trans,b_trans,c_matrix_nz", 2,
     by<&FL::lowerMatmul>, true},
    {"system.task_dummy", "deps", 1, by<&FL::lowerDummy>, false},
    {"system.task_invalid", "", 0, lowerNoTask, false},
};

ArrayRef<OpRow> pl::frontend::getBasicOps() { return basicOps; }

static std::array<ArrayRef<OpRow>, 8> getTables() {
  return {getBasicOps(),  getTaskOps(),   getCommOps(),     getHostOps(),
          getMemoryOps(), getVectorOps(), getPrefetchOps(), getSortOps()};
}

std::vector<StringRef> pl::frontend::getOpNames() {
  std::vector<StringRef> names;
  for (ArrayRef<OpRow> table : getTables())
    for (const OpRow &row : table)
      names.push_back(row.name);
  return names;
}

/// The row of an operation in any of the tables, or null.
static const OpRow *findOp(StringRef name) {
  for (ArrayRef<OpRow> table : getTables())
    for (const OpRow &row : table)
      if (row.name == name)
        return &row;
  return nullptr;
}

/// Operations of the language that this compiler does not lower yet.
static const llvm::StringLiteral laterOps[] = {
    "yield_",       "cond",  "func_attr",       "dump_tag",
    "static_print", "split", "cross_core_slot", "array.create"};

/// Why an instruction that other compilers let users place is not taken, or "".
static StringRef getLowLevelReason(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"system.tpush_to_aic", "system.tpush_to_aiv",
              "system.tpop_from_aic", "system.tpop_from_aiv",
              "system.tfree_to_aic", "system.tfree_to_aiv",
              "system.reserve_buffer", "system.import_peer_buffer"},
             "the compiler moves tiles between cube and vector cores; write "
             "pl.aiv_shard and pl.aic_gather")
      .Cases({"tpush_to_aic", "tpush_to_aiv", "tpop_from_aic", "tpop_from_aiv",
              "tfree_to_aic", "tfree_to_aiv", "reserve_buffer",
              "import_peer_buffer"},
             "the compiler moves tiles between cube and vector cores; write "
             "pl.aiv_shard and pl.aic_gather")
      .Cases({"system.sync_set", "system.sync_wait", "system.set_ffts",
              "sync_set", "sync_wait", "set_ffts"},
             "the compiler orders the pipes of a core, and deps= orders tasks")
      .Cases({"mgather", "paged_gather"},
             "write pl.gather_row for each row, or pl.gather on a tile")
      .Cases({"mscatter", "scatter_update"},
             "write the rows with pl.assemble, or pl.scatter on a tile")
      .Cases({"matmul_bias", "gemv_bias"},
             "write pl.matmul, then pl.col_expand_add with the bias")
      .Cases({"matmul_mx", "matmul_mx_acc", "matmul_mx_bias"},
             "no machine of plc multiplies scaled FP8")
      .Case("batch_matmul_acc", "write pl.matmul_acc for each matrix")
      .Case("extract", "write pl.slice, or pl.move for another memory")
      .Default("");
}

DslValue FunctionLowering::lowerOp(const CallExpr *call, StringRef plName) {
  SourceRange range = call->range;
  OpCall op;
  op.call = call;
  op.spelling = plName.str();
  // Operations of `pld` keep the prefix in the tables.
  StringRef name = plName;
  name.consume_front("pl.");
  op.isTileForm = name.consume_front("tile.");
  if (!op.isTileForm)
    name.consume_front("tensor.");
  op.isTensorForm = plName.starts_with("pl.tensor.");
  const OpRow *row = op.isTileForm ? findOp(("tile." + name).str()) : nullptr;
  if (!row)
    row = findOp(name);
  if (!row) {
    if (llvm::is_contained(laterOps, name))
      return notLowered(range, plName);
    if (name == "no_dep")
      return fail(DiagCode::WrongArguments, range,
                  "pl.no_dep(...) belongs to an argument of a task: the "
                  "call of an incore function, or pl.submit");
    if (StringRef why = getLowLevelReason(name); !why.empty())
      return fail(DiagCode::NotLowered, call->callee->range,
                  plName + " is not taken: " + why);
    static const StringRef scopes[] = {
        "at", "spmd", "range", "pipeline", "parallel", "unroll", "scope"};
    if (llvm::is_contained(scopes, name))
      return fail(DiagCode::NoReturnValue, range,
                  plName + " belongs after with or for, and gives no "
                           "value");
    SmallVector<StringRef> names;
    for (ArrayRef<OpRow> table : getTables())
      for (const OpRow &candidate : table) {
        StringRef known = candidate.name;
        if (!known.consume_front("tile.") || op.isTileForm)
          names.push_back(known);
      }
    for (llvm::StringLiteral later : laterOps)
      names.push_back(later);
    std::string prefix = plName.drop_back(name.size()).str();
    // `sum` is nearer to `row_sum` than to `sub`.
    const StringRef *longer = llvm::find_if(names, [&](StringRef candidate) {
      return candidate.consume_back(name) && candidate.ends_with("_");
    });
    // What numpy and torch call it.
    StringRef near = llvm::StringSwitch<StringRef>(name)
                         .Cases({"multiply", "times"}, "mul")
                         .Case("subtract", "sub")
                         .Cases({"divide", "true_divide"}, "div")
                         .Cases({"negative", "negate"}, "neg")
                         .Case("reciprocal", "recip")
                         .Cases({"zeros", "ones", "empty"}, "full")
                         .Cases({"dot", "mm", "bmm"}, "matmul")
                         .Case("where", "sel")
                         .Cases({"to", "astype"}, "cast")
                         .Cases({"cat", "concatenate"}, "concat")
                         .Default("");
    if (near.empty())
      near = longer == names.end() ? suggest(name, names) : *longer;
    return fail(DiagCode::UnknownOperation, call->callee->range,
                "unknown operation '" + plName + "'" +
                    (near.empty()
                         ? std::string()
                         : "; did you mean '" + prefix + near.str() + "'?"));
  }
  op.name = row->name;
  op.name.consume_front("tile.");

  // Arguments to parameters.
  SmallVector<StringRef> params;
  row->params.split(params, ',', -1, /*KeepEmpty=*/false);
  // The first keyword of a parameter names it in messages.
  SmallVector<std::pair<StringRef, unsigned>> keywords;
  for (auto [index, param] : llvm::enumerate(params)) {
    SmallVector<StringRef> names;
    param.split(names, '|');
    for (StringRef keyword : names)
      keywords.emplace_back(keyword, index);
    param = names.front();
  }
  op.args.assign(params.size(), nullptr);
  if (call->args.size() > params.size())
    return fail(DiagCode::WrongArguments, range,
                plName + " takes at most " + Twine(params.size()) +
                    " arguments, but got " + Twine(call->args.size()));
  for (auto [index, arg] : llvm::enumerate(call->args)) {
    if (llvm::isa<StarredExpr>(arg))
      return fail(DiagCode::WrongArguments, arg->range,
                  "* is not part of kernel calls");
    op.args[index] = arg;
  }
  bool good = true;
  for (const KeywordArg &keyword : call->keywords) {
    if (!keyword.name) {
      fail(DiagCode::WrongArguments, keyword.range,
           "** is not part of kernel calls");
      good = false;
      continue;
    }
    auto found = llvm::find_if(keywords, [&](auto &known) {
      return known.first == keyword.name.str();
    });
    if (found == keywords.end()) {
      fail(DiagCode::WrongArguments, keyword.range,
           plName + " has no keyword '" + keyword.name.str() + "'" +
               didYouMean(keyword.name, params));
      good = false;
      continue;
    }
    const Expr *&slot = op.args[found->second];
    if (slot) {
      fail(DiagCode::WrongArguments, keyword.range,
           "'" + keyword.name.str() + "' is given twice");
      good = false;
    }
    slot = keyword.value;
  }
  for (unsigned i = 0; good && i < row->required; ++i)
    if (!op.args[i])
      return fail(DiagCode::WrongArguments, range,
                  plName + " needs '" + params[i] + "'");
  if (!good)
    return DslValue::error();
  // Scalars may be combined anywhere.
  bool isScalarForm = row->handler == by<&FL::lowerElementwise>;
  auto atomic = llvm::find(params, "atomic");
  if (!core && atomic != params.end() && op.args[atomic - params.begin()])
    return fail(DiagCode::MisplacedOp, range,
                "Misplaced tensor op '" + plName +
                    "': an atomic add runs on a core, so it should be "
                    "inside an InCore block (pl.at or pl.spmd)");
  if (row->isCompute && !core && !isScalarForm)
    return fail(DiagCode::MisplacedOp, range,
                "Misplaced tensor op '" + plName +
                    "': it should be inside an InCore block (pl.at or "
                    "pl.spmd)");
  Identifier assigned = targetName;
  const CallExpr *statement = statementCall;
  statementCall = nullptr;
  // Only the outermost call of a statement makes what its target names.
  bool usesTarget = row->handler == by<&FL::lowerCreateTensor> ||
                    row->handler == by<&FL::lowerDummy> ||
                    row->name.ends_with("alloc_window_buffer");
  if (!usesTarget || statement != call)
    targetName = Identifier();
  DslValue made = row->handler(*this, op);
  targetName = assigned;
  return made;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<DTypeKind> FunctionLowering::getDType(const Expr *expr,
                                                    StringRef what) {
  DslValue value = lower(expr);
  if (value.isError())
    return std::nullopt;
  if (!value.isHost() || !value.host.isDType()) {
    error(DiagCode::UnknownChoice, expr->range,
          what + " must be a dtype such as pl.FP32, but this is " +
              describe(value));
    return std::nullopt;
  }
  DTypeKind dtype = value.host.getDType();
  if (!module.getElementType(dtype)) {
    error(DiagCode::UnsupportedDType, expr->range,
          getName(dtype) + " cannot be compiled: no type of the "
                           "IR has its values");
    return std::nullopt;
  }
  return dtype;
}

std::optional<bool> FunctionLowering::getBool(const Expr *expr, StringRef what,
                                              bool absent) {
  if (!expr)
    return absent;
  DslValue value = lower(expr);
  if (value.isHost() && value.host.isBool())
    return value.host.getBool();
  if (!value.isError())
    error(DiagCode::UnknownChoice, expr->range,
          what + " must be True or False, but this is " + describe(value));
  return std::nullopt;
}

std::optional<DTypeKind> FunctionLowering::getTileDType(const Expr *expr,
                                                        StringRef what) {
  std::optional<DTypeKind> dtype = getDType(expr, what);
  if (!dtype)
    return dtype;
  switch (*dtype) {
  case DTypeKind::FP32:
  case DTypeKind::FP16:
  case DTypeKind::BF16:
  case DTypeKind::INT8:
  case DTypeKind::INT16:
  case DTypeKind::INT32:
  case DTypeKind::INT64:
  case DTypeKind::UINT8:
  case DTypeKind::UINT16:
  case DTypeKind::UINT32:
  case DTypeKind::UINT64:
  case DTypeKind::BOOL:
  case DTypeKind::INT4:
  case DTypeKind::UINT4:
  case DTypeKind::FP8E4M3FN:
  case DTypeKind::FP8E5M2:
  case DTypeKind::FP8E8M0:
  case DTypeKind::FP4:
    return dtype;
  default:
    error(DiagCode::UnsupportedDType, expr->range,
          "a tile cannot hold " + getName(*dtype));
    return std::nullopt;
  }
}

bool FunctionLowering::checkSize(ArrayRef<int64_t> shape, int64_t limit,
                                 SourceRange range) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (mlir::ShapedType::isDynamic(extent) || extent == 0)
      continue;
    if (llvm::MulOverflow(count, extent, count) || count > limit) {
      error(DiagCode::TooLarge, range,
            "this has more than " + Twine(limit) +
                " elements, which nothing can hold");
      return false;
    }
  }
  return true;
}

bool FunctionLowering::checkEnum(const Expr *expr, StringRef what,
                                 StringRef enumName, std::string &member) {
  DslValue value = lower(expr);
  if (value.isError())
    return false;
  auto *object = value.isHost() ? value.host.as<EnumObject>() : nullptr;
  if (!object || object->enumName != enumName) {
    error(DiagCode::UnknownChoice, expr->range,
          what + " must be a member of pl." + enumName + ", but this is " +
              describe(value));
    return false;
  }
  member = object->member;
  return true;
}

bool FunctionLowering::getList(const Expr *expr, StringRef what,
                               SmallVectorImpl<DslValue> &list) {
  DslValue value = lower(expr);
  if (value.isError())
    return false;
  if (value.kind == DslValue::Kind::Tuple) {
    for (DslValue &element : value.elements) {
      if (element.isError())
        return false;
      list.push_back(std::move(element));
    }
  } else if (value.isHost() && value.host.as<TupleObject>()) {
    for (const Value &element : value.host.as<TupleObject>()->elements)
      list.push_back(DslValue::makeHost(element));
  } else if (value.isHost() && value.host.as<ListObject>()) {
    for (const Value &element : value.host.as<ListObject>()->elements)
      list.push_back(DslValue::makeHost(element));
  } else {
    error(DiagCode::WrongArguments, expr->range,
          what + " must be a list, but this is " + describe(value));
    return false;
  }
  for (DslValue &element : list) {
    if (element.isHost() && element.host.getKind() == ValueKind::DynVar)
      element = toScalar(element, expr->range);
    if (element.isError())
      return false;
    if (!element.isHostInt() &&
        !(element.isScalar() &&
          !mlir::isa<mlir::FloatType>(element.value.getType()))) {
      error(DiagCode::WrongArguments, expr->range,
            what + " must hold integers, but holds " + describe(element));
      return false;
    }
  }
  return true;
}

bool FunctionLowering::getStaticShape(const Expr *expr, StringRef what,
                                      SmallVectorImpl<int64_t> &shape) {
  SmallVector<DslValue> list;
  if (!getList(expr, what, list))
    return false;
  for (const DslValue &element : list) {
    std::optional<int64_t> number = getConstantInt(element);
    if (!number) {
      error(DiagCode::NotConstant, expr->range,
            what + " of a tile must be constant, but '" + getText(expr) +
                "' is known at run time only");
      return false;
    }
    if (*number <= 0 || *number > INT32_MAX) {
      error(DiagCode::OutOfRange, expr->range,
            what + " must be positive, but holds " + Twine(*number));
      return false;
    }
    shape.push_back(*number);
  }
  if (shape.empty())
    error(DiagCode::OutOfRange, expr->range, what + " must not be empty");
  return !shape.empty() && checkSize(shape, kMaxTileElements, expr->range);
}

DslValue FunctionLowering::toTile(DslValue value, SourceRange range,
                                  StringRef what) {
  if (value.isError() || value.isTile())
    return value;
  if (!value.isTensor())
    return fail(DiagCode::MixedLevels, range,
                what + " must be a tile, but this is " + describe(value));
  // The whole tensor, loaded.
  Window window;
  window.range = range;
  for (const Extent &extent : value.tensor->extents) {
    if (!extent.isStatic())
      return fail(DiagCode::MixedLevels, range,
                  what + " is " + describe(value) +
                      ", whose extent is known at run time only; take "
                      "a slice of constant extent");
    window.offsets.push_back(DslValue::makeHost(Value::integer(0)));
    window.sizes.push_back(DslValue::makeHost(Value::integer(extent.number)));
    window.dropped.push_back(false);
  }
  return loadWindow(*value.tensor, window, {}, range);
}

DslValue FunctionLowering::toTile(OpCall &op, unsigned arg) {
  return toTile(lower(op.args[arg]), op.args[arg]->range,
                "an operand of " + op.spelling);
}

bool FunctionLowering::checkLevels(SourceRange range, const Twine &what,
                                   ArrayRef<DslValue> sources) {
  for (const DslValue &source : sources)
    if (source.isTileLevel != sources.front().isTileLevel) {
      auto level = [](const DslValue &value) {
        return value.isTileLevel ? " (a Tile)" : " (a Tensor)";
      };
      error(DiagCode::MixedLevels, range,
            what + ": cannot mix Tensor and Tile arguments: " +
                describe(sources.front()) + level(sources.front()) + " and " +
                describe(source) + level(source) +
                "; pl.load, pl.create_tile and pl.tile.* make Tiles, "
                "slices of tensors are Tensors");
      return false;
    }
  return true;
}

DslValue FunctionLowering::makeTileOp(SourceRange range, StringRef name,
                                      ArrayRef<DslValue> sources,
                                      ir::TileType hint,
                                      ArrayRef<mlir::NamedAttribute> attrs) {
  SmallVector<mlir::Value> operands;
  SmallVector<ir::TileType> types;
  for (const DslValue &source : sources) {
    if (source.isError())
      return source;
    operands.push_back(source.value);
    types.push_back(source.getTileType());
  }
  if (!checkLevels(range, "pl." + getUserName(name), sources))
    return DslValue::error();
  FailureOr<ir::TileType> type = inferTile(range, name, types, hint);
  if (failed(type) || !checkBoxes(*this, range, name, sources))
    return DslValue::error();
  mlir::Value made = createCompute(name, range, operands, *type, attrs);
  DTypeKind dtype = *sources.front().dtype;
  SmallVector<int64_t, 2> shape = sources.front().shape;
  if (shape.size() != 2 || shape[0] != type->getRows() ||
      shape[1] != type->getCols()) {
    bool keeps = types.front().getRows() == type->getRows() &&
                 types.front().getCols() == type->getCols();
    if (!keeps)
      shape = {type->getRows(), type->getCols()};
  }
  DslValue result = DslValue::makeTile(made, dtype, shape);
  result.isTileLevel = sources.front().isTileLevel;
  return result;
}

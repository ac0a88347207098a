//===- LoweringCube.cpp - matrix products, scalar ops, the core -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

/// A matrix with rows and columns swapped, for the cube.
static DslValue transposeOperand(FunctionLowering &f, DslValue operand,
                                 SourceRange range) {
  ir::TileType type = operand.getTileType();
  auto swapped = ir::TileType::get(type.getCols(), type.getRows(),
                                   type.getElementType(), type.getSpace(),
                                   type.getValidCols(), type.getValidRows());
  auto load = operand.value.getDefiningOp<ir::LoadOp>();
  if (load && !load.getTranspose()) {
    // Laid out transposed while it is loaded, at the place of that load.
    SmallVector<mlir::Value> valid(load.getValid());
    std::reverse(valid.begin(), valid.end());
    mlir::OpBuilder::InsertionGuard guard(f.builder);
    f.builder.setInsertionPointAfter(load);
    auto made = ir::LoadOp::create(f.builder, load.getLoc(), swapped,
                                   load.getSource(), load.getOffsets(), valid,
                                   /*transpose=*/true, /*dst=*/mlir::Value());
    operand.value = made.getResult();
    // The load in place may still be read by what follows.
    load->setAttr(kReplaced, f.builder.getUnitAttr());
  } else {
    operand.value =
        f.createCompute("transpose", range, {operand.value}, swapped);
  }
  std::swap(operand.shape[0], operand.shape[1]);
  return operand;
}

namespace {
/// An operand of a product: matrices below each other in one tile.
struct MatrixBatch {
  DslValue tile;
  SmallVector<int64_t> lead; // extents before the last two
  int64_t rows = 1, cols = 1;
  bool transposed = false;
  bool isVector = false;
  const Expr *expr = nullptr;

  int64_t getCount() const {
    int64_t count = 1;
    for (int64_t extent : lead)
      count *= extent;
    return count;
  }
  /// Rows and columns as the product sees them.
  int64_t getRows() const { return transposed ? cols : rows; }
  int64_t getCols() const { return transposed ? rows : cols; }
};
} // namespace

/// Reads an operand; a vector is a row on the left and a column on the right.
static bool getBatch(FunctionLowering &f, OpCall &op, unsigned arg,
                     const Expr *flag, StringRef flagName, bool isRight,
                     MatrixBatch &batch) {
  std::optional<bool> transposed = f.getBool(flag, flagName, false);
  batch.tile = f.toTile(op, arg);
  batch.expr = op.args[arg];
  if (!transposed || batch.tile.isError())
    return false;
  batch.transposed = *transposed;
  SourceRange range = op.args[arg]->range;
  if (batch.transposed && batch.tile.isTileLevel) {
    f.error(DiagCode::MixedLevels, flag->range,
            op.spelling + ": " + flagName +
                " is not supported for Tile operands: take "
                "pl.tile.transpose_view of the tile, or a slice "
                "of the tensor instead of pl.load");
    return false;
  }
  ArrayRef<int64_t> shape(batch.tile.shape);
  batch.isVector = shape.size() == 1;
  if (!batch.isVector) {
    batch.lead.assign(shape.begin(), shape.end() - 2);
    batch.rows = shape[shape.size() - 2];
    batch.cols = shape.back();
    return true;
  }
  if (batch.transposed) {
    f.error(DiagCode::Matmul, flag->range,
            op.spelling + ": " + flagName +
                " does not apply to a 1-D operand, which has no "
                "axes to swap");
    return false;
  }
  (isRight ? batch.rows : batch.cols) = shape[0];
  batch.tile = f.tileReshape(range, batch.tile, {batch.rows, batch.cols});
  return !batch.tile.isError();
}

/// One matrix of a batch, the way the product needs it.
static DslValue getMatrix(FunctionLowering &f, const MatrixBatch &batch,
                          int64_t index) {
  DslValue matrix = batch.tile;
  matrix.shape = {batch.rows, batch.cols};
  SourceRange range = batch.expr->range;
  if (batch.getCount() > 1) {
    ir::TileType from = batch.tile.getTileType();
    if (!from.isFullyValid())
      return f.notLowered(range, "a batch of matrices that is partly valid");
    auto type = ir::TileType::get(batch.rows, batch.cols, from.getElementType(),
                                  from.getSpace(), batch.rows, batch.cols);
    matrix.value = ir::SubtileOp::create(
        f.builder, f.loc(range), type, batch.tile.value, index * batch.rows, 0);
  }
  return batch.transposed ? transposeOperand(f, matrix, range) : matrix;
}

/// The batch of two operands: the extents before the matrices, of which those
/// that are 1 or absent on one side repeat.
static bool broadcastLead(FunctionLowering &f, OpCall &op,
                          const MatrixBatch &lhs, const MatrixBatch &rhs,
                          SmallVectorImpl<int64_t> &lead) {
  if ((lhs.isVector && !rhs.lead.empty()) ||
      (rhs.isVector && !lhs.lead.empty())) {
    f.error(DiagCode::Matmul, op.range(),
            op.spelling +
                " of a batch needs two axes on both "
                "sides, got " +
                f.describe(lhs.tile) + " and " + f.describe(rhs.tile));
    return false;
  }
  size_t rank = std::max(lhs.lead.size(), rhs.lead.size());
  auto get = [&](const MatrixBatch &batch, size_t axis) {
    size_t missing = rank - batch.lead.size();
    return axis < missing ? 1 : batch.lead[axis - missing];
  };
  int64_t count = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t a = get(lhs, axis), b = get(rhs, axis);
    if (a != b && a != 1 && b != 1) {
      f.error(DiagCode::Matmul, op.range(),
              op.spelling + " cannot repeat the batches to one shape, got " +
                  f.describe(lhs.tile) + " and " + f.describe(rhs.tile));
      return false;
    }
    lead.push_back(std::max(a, b));
    count *= lead.back();
  }
  if (count > 256) {
    f.notLowered(op.range(), "a product of " + Twine(count) + " matrices");
    return false;
  }
  return true;
}

/// The matrix of an operand that takes part in product `index` of a batch.
static int64_t getSourceIndex(const MatrixBatch &batch, ArrayRef<int64_t> lead,
                              int64_t index) {
  int64_t at = 0, stride = 1;
  size_t missing = lead.size() - batch.lead.size();
  for (size_t axis = lead.size(); axis-- > 0;) {
    int64_t here = index % lead[axis];
    index /= lead[axis];
    if (axis < missing)
      continue;
    int64_t extent = batch.lead[axis - missing];
    at += (extent == 1 ? 0 : here) * stride;
    stride *= extent;
  }
  return at;
}

static bool checkInner(FunctionLowering &f, OpCall &op, const MatrixBatch &lhs,
                       const MatrixBatch &rhs) {
  if (lhs.getCols() == rhs.getRows())
    return true;
  auto text = [&](const MatrixBatch &batch) {
    return f.describe(batch.tile) + (batch.transposed ? " (transposed)" : "");
  };
  f.error(DiagCode::Matmul, op.range(),
          op.spelling + " expects equal K, got " + text(lhs) + " x " +
              text(rhs) + ": K is " + Twine(lhs.getCols()) +
              " on the left and " + Twine(rhs.getRows()) + " on the right");
  return false;
}

/// What the cube adds up in.
static DTypeKind getAccumulator(DTypeKind dtype) {
  return isFloat(dtype) ? DTypeKind::FP32 : DTypeKind::INT32;
}

/// The dtype of a product, or nothing after a report.
static std::optional<DTypeKind> getProductDType(FunctionLowering &f, OpCall &op,
                                                const DslValue &lhs) {
  DTypeKind acc = getAccumulator(*lhs.dtype);
  const Expr *expr = op.args[2];
  if (!expr) {
    if (lhs.isTileLevel || lhs.dtype == acc || acc == DTypeKind::FP32)
      return lhs.isTileLevel ? acc : *lhs.dtype;
    f.error(DiagCode::Matmul, op.range(),
            op.spelling + " of " + getName(*lhs.dtype) +
                " operands needs out_dtype=pl.INT32: the cube unit "
                "does not write " +
                getName(*lhs.dtype) + " results");
    return std::nullopt;
  }
  std::optional<DTypeKind> given = f.getDType(expr, "out_dtype");
  if (!given)
    return given;
  if (lhs.isTileLevel && *given != acc) {
    f.error(DiagCode::MixedLevels, expr->range,
            op.spelling + ": out_dtype=" + getName(*given) +
                " is not supported for Tile operands: the "
                "accumulator makes it " +
                getName(acc) + "; use pl.cast, or let pl.store narrow it");
    return std::nullopt;
  }
  bool narrows = acc == DTypeKind::FP32 &&
                 (*given == DTypeKind::BF16 || *given == DTypeKind::FP16);
  if (*given != acc && !narrows) {
    f.error(DiagCode::Matmul, expr->range,
            "out_dtype= of a product of " + getName(*lhs.dtype) +
                " operands is " + getName(acc) +
                (acc == DTypeKind::FP32 ? ", BF16 or FP16" : "") + ", not " +
                getName(*given) + "; use pl.cast for others");
    return std::nullopt;
  }
  return given;
}

DslValue FunctionLowering::lowerMatmul(OpCall &op) {
  SourceRange range = op.range();
  MatrixBatch lhs, rhs;
  bool good = getBatch(*this, op, 0, op.args[3], "a_trans=", false, lhs);
  good &= getBatch(*this, op, 1, op.args[4], "b_trans=", true, rhs);
  std::optional<bool> isNz = getBool(op.args[5], "c_matrix_nz=", false);
  if (!good || !isNz || !checkLevels(range, op.spelling, {lhs.tile, rhs.tile}))
    return DslValue::error();
  if (*isNz && lhs.tile.isTileLevel)
    return fail(DiagCode::MixedLevels, op.args[5]->range,
                op.spelling + ": c_matrix_nz= is not supported for Tile "
                              "operands");
  if (*isNz)
    return notLowered(op.args[5]->range, "c_matrix_nz=");
  if (lhs.isVector && rhs.isVector)
    return notLowered(range, op.spelling + " of two vectors");
  std::optional<DTypeKind> dtype = getProductDType(*this, op, lhs.tile);
  SmallVector<int64_t> lead;
  if (!checkInner(*this, op, lhs, rhs) ||
      !broadcastLead(*this, op, lhs, rhs, lead) || !dtype)
    return DslValue::error();
  int64_t rows = lhs.getRows(), cols = rhs.getCols(), count = 1;
  for (int64_t extent : lead)
    count *= extent;
  DTypeKind acc = getAccumulator(*lhs.tile.dtype);
  auto hint = ir::TileType::get(1, 1, module.getElementType(acc));
  SmallVector<int64_t> shape(lead);
  if (!lhs.isVector)
    shape.push_back(rows);
  if (!rhs.isVector)
    shape.push_back(cols);
  DslValue made;
  if (count > 1)
    made = makeEmptyTile(shape, acc, range);
  for (int64_t index = 0; index < count; ++index) {
    DslValue product =
        makeTileOp(range, "matmul",
                   {getMatrix(*this, lhs, getSourceIndex(lhs, lead, index)),
                    getMatrix(*this, rhs, getSourceIndex(rhs, lead, index))},
                   hint);
    if (product.isError())
      return product;
    if (count == 1)
      made = product;
    else
      made.value = ir::InsertOp::create(
          builder, loc(range), made.value.getType(), product.value, made.value,
          getIndex(index * rows, range), getIndex(0, range));
  }
  made.shape.assign(shape.begin(), shape.end());
  made.dtype = acc;
  made.isTileLevel = lhs.tile.isTileLevel;
  if (lhs.tile.getTileType().getSpace() == ir::MemorySpace::left)
    made.value.setType(made.getTileType().withSpace(ir::MemorySpace::acc));
  if (*dtype == acc)
    return made;
  // Narrowing out of the accumulator rounds half to even.
  mlir::NamedAttribute mode = builder.getNamedAttr(
      "mode", ir::RoundModeAttr::get(&module.context, ir::RoundMode::rint));
  made.value = createCompute(
      "cast", range, {made.value},
      made.getTileType().withElement(module.getElementType(*dtype)), {mode});
  made.dtype = *dtype;
  return made;
}

/// acc + lhs * rhs, or lhs * rhs where `init` holds.
static mlir::Value accumulate(FunctionLowering &f, SourceRange range,
                              const DslValue &acc, const DslValue &lhs,
                              const DslValue &rhs, mlir::Value init) {
  auto addProduct = [&] {
    return f.makeTileOp(range, "matmul_acc", {acc, lhs, rhs});
  };
  if (!init) {
    DslValue made = addProduct();
    return made.isTile() ? made.value : mlir::Value();
  }
  auto branch = mlir::scf::IfOp::create(f.builder, f.loc(range),
                                        acc.value.getType(), init,
                                        /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(f.builder);
  for (bool isInit : {true, false}) {
    f.builder.setInsertionPointToEnd(isInit ? branch.thenBlock()
                                            : branch.elseBlock());
    DslValue made =
        isInit ? f.makeTileOp(range, "matmul", {lhs, rhs},
                              ir::TileType::get(
                                  1, 1, acc.getTileType().getElementType()))
               : addProduct();
    mlir::Value value = made.isTile() ? made.value : acc.value;
    value = f.convertValid(value, acc.getTileType(), range);
    mlir::scf::YieldOp::create(f.builder, f.loc(range), value);
  }
  return branch.getResult(0);
}

DslValue FunctionLowering::lowerMatmulAcc(OpCall &op) {
  SourceRange range = op.range();
  DslValue acc = lower(op.args[0]);
  MatrixBatch lhs, rhs;
  bool good = getBatch(*this, op, 1, op.args[3], "a_trans=", false, lhs);
  good &= getBatch(*this, op, 2, op.args[4], "b_trans=", true, rhs);
  mlir::Value init;
  if (op.args[5]) {
    DslValue condition = lower(op.args[5]);
    if (std::optional<bool> constant = getHostCondition(condition))
      init = getConstant(builder.getBoolAttr(*constant), range);
    else
      init = lowerCondition(condition, op.args[5]);
    good &= !!init;
  }
  if (acc.isError() || !good)
    return DslValue::error();
  if (!acc.isTile())
    return fail(DiagCode::Matmul, op.args[0]->range,
                "the accumulator of " + op.spelling +
                    " must be a tile, but this is " + describe(acc));
  if (!checkLevels(range, op.spelling, {acc, lhs.tile, rhs.tile}))
    return DslValue::error();
  DTypeKind dtype = getAccumulator(*lhs.tile.dtype);
  if (acc.dtype != dtype)
    return fail(DiagCode::Matmul, op.args[0]->range,
                "the accumulator of " + op.spelling + " of " +
                    getName(*lhs.tile.dtype) + " operands must be " +
                    getName(dtype) + ", but this is " + describe(acc) +
                    "; make it with out_dtype=pl." + getName(dtype));
  SmallVector<int64_t> lead;
  if (!checkInner(*this, op, lhs, rhs) ||
      !broadcastLead(*this, op, lhs, rhs, lead))
    return DslValue::error();
  int64_t rows = lhs.getRows(), cols = rhs.getCols();
  SmallVector<int64_t> shape(lead);
  if (!lhs.isVector)
    shape.push_back(rows);
  if (!rhs.isVector)
    shape.push_back(cols);
  int64_t count = 1;
  for (int64_t extent : lead)
    count *= extent;
  auto [accRows, accCols] = flattenShape(acc.shape);
  bool fits = ArrayRef(acc.shape) == ArrayRef(shape) ||
              (count == 1 && accRows == rows && accCols == cols);
  if (!fits)
    return fail(DiagCode::Matmul, range,
                op.spelling +
                    " expects an accumulator of the product's "
                    "shape " +
                    printShape(shape) + ", got " + describe(acc));
  if (count == 1) {
    DslValue flat = acc;
    if (rhs.isVector || lhs.isVector)
      flat = tileReshape(range, acc, {rows, cols});
    if (flat.isError())
      return flat;
    acc.value = accumulate(*this, range, flat, getMatrix(*this, lhs, 0),
                           getMatrix(*this, rhs, 0), init);
    return acc.value ? acc : DslValue::error();
  }
  if (init)
    return fail(DiagCode::Matmul, op.args[5]->range,
                "init_cond= takes 2-D operands, but these are batches");
  for (int64_t index = 0; index < count; ++index) {
    ir::TileType box = acc.getTileType();
    DslValue part = acc;
    part.shape = {rows, cols};
    part.value = ir::SubtileOp::create(
        builder, loc(range),
        ir::TileType::get(rows, cols, box.getElementType(), box.getSpace(),
                          rows, cols),
        acc.value, index * rows, 0);
    mlir::Value sum =
        accumulate(*this, range, part,
                   getMatrix(*this, lhs, getSourceIndex(lhs, lead, index)),
                   getMatrix(*this, rhs, getSourceIndex(rhs, lead, index)), {});
    if (!sum)
      return DslValue::error();
    acc.value =
        ir::InsertOp::create(builder, loc(range), box, sum, acc.value,
                             getIndex(index * rows, range), getIndex(0, range));
  }
  return acc;
}

//===----------------------------------------------------------------------===//
// Scalars and the core
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::lowerMinMax(OpCall &op) {
  DslValue lhs = lower(op.args[0]), rhs = lower(op.args[1]);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  for (const DslValue *side : {&lhs, &rhs})
    if (side->isTile() || side->isTensor())
      return fail(DiagCode::MixedLevels, op.range(),
                  op.spelling + " takes scalars; for tiles write pl." +
                      (op.name == "min" ? "minimum" : "maximum"));
  return scalarMinMax(op.range(), op.name == "min", lhs, rhs);
}

DslValue FunctionLowering::lowerConst(OpCall &op) {
  DslValue value = lower(op.args[0]);
  std::optional<DTypeKind> dtype = getDType(op.args[1], "dtype");
  if (value.isError() || !dtype)
    return DslValue::error();
  if (!value.isHostNumber())
    return fail(DiagCode::NotConstant, op.args[0]->range,
                "pl.const takes a constant, but this is " + describe(value));
  value.dtype.reset();
  if (!materialize(value, *dtype, op.range()))
    return DslValue::error();
  return DslValue::makeHost(value.host, dtype);
}

DslValue FunctionLowering::lowerBlockIndex(OpCall &op) {
  readsBlockIndex = true;
  if (core->blockIndex)
    return DslValue::makeScalar(core->blockIndex, DTypeKind::INDEX);
  if (!core->isFunction)
    return DslValue::makeHost(Value::integer(0));
  return DslValue::makeScalar(
      ir::BlockIdxOp::create(builder, loc(op.range()), builder.getIndexType()),
      DTypeKind::INDEX);
}

DslValue FunctionLowering::lowerBlockNum(OpCall &op) {
  if (core->blocks)
    return DslValue::makeScalar(core->blocks, DTypeKind::INDEX);
  if (!core->isFunction)
    return DslValue::makeHost(Value::integer(1));
  return DslValue::makeScalar(
      ir::BlockNumOp::create(builder, loc(op.range()), builder.getIndexType()),
      DTypeKind::INDEX);
}

DslValue FunctionLowering::lowerDynamic(OpCall &op) {
  return evaluateHost(op.call);
}

DslValue FunctionLowering::lowerStaticAssert(OpCall &op) {
  DslValue condition = lower(op.args[0]);
  if (condition.isError())
    return condition;
  std::optional<bool> value = getHostCondition(condition);
  if (!value)
    return fail(DiagCode::NotConstant, op.args[0]->range,
                "pl.static_assert takes a constant condition");
  if (*value)
    return DslValue::makeTuple({});
  DslValue text = op.args[1] ? lower(op.args[1]) : DslValue::error();
  return fail(DiagCode::StaticAssert, op.range(),
              "static assertion failed" + (text.isHost() && text.host.isStr()
                                               ? ": " + text.host.getStr().str()
                                               : std::string()));
}

//===- LoweringCube.cpp - matrix products, scalar ops, the core -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::matmulOperand(OpCall &op, unsigned arg,
                                         bool transposed) {
  DslValue operand = toTile(op, arg);
  if (operand.isError())
    return operand;
  SourceRange range = op.args[arg]->range;
  if (operand.shape.size() != 2) {
    if (operand.shape.size() > 2)
      return notLowered(range, "a matmul operand of rank " +
                                   Twine(operand.shape.size()));
    if (transposed)
      return fail(range,
                  "a 1-D operand of " + op.spelling + " cannot be transposed");
    return notLowered(range, "a 1-D operand of " + op.spelling);
  }
  if (!transposed)
    return operand;
  ir::TileType type = operand.getTileType();
  auto swapped = ir::TileType::get(type.getCols(), type.getRows(),
                                   type.getElementType(), type.getSpace(),
                                   type.getValidCols(), type.getValidRows());
  auto load = operand.value.getDefiningOp<ir::LoadOp>();
  if (load && !load.getTranspose()) {
    // Laid out transposed while it is loaded, at the place of that load.
    SmallVector<mlir::Value> valid(load.getValid());
    std::reverse(valid.begin(), valid.end());
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(load);
    auto made = ir::LoadOp::create(builder, load.getLoc(), swapped,
                                   load.getSource(), load.getOffsets(), valid,
                                   /*transpose=*/true, /*dst=*/mlir::Value());
    operand.value = made.getResult();
    // The load in place may still be read by what follows.
    load->setAttr(kReplaced, builder.getUnitAttr());
  } else {
    operand.value = createCompute("transpose", range, {operand.value}, swapped);
  }
  std::swap(operand.shape[0], operand.shape[1]);
  return operand;
}

DslValue FunctionLowering::lowerMatmul(OpCall &op) {
  std::optional<bool> aTrans = getBool(op.args[3], "a_trans=", false);
  std::optional<bool> bTrans = getBool(op.args[4], "b_trans=", false);
  std::optional<bool> isNz = getBool(op.args[5], "c_matrix_nz=", false);
  if (!aTrans || !bTrans || !isNz)
    return DslValue::error();
  if (*isNz)
    return notLowered(op.args[5]->range, "c_matrix_nz=");
  DslValue lhs = matmulOperand(op, 0, *aTrans);
  DslValue rhs = matmulOperand(op, 1, *bTrans);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  DTypeKind dtype = *lhs.dtype;
  if (op.args[2]) {
    std::optional<DTypeKind> given = getDType(op.args[2], "out_dtype");
    if (!given)
      return DslValue::error();
    dtype = *given;
  } else if (dtype != DTypeKind::FP32) {
    return fail(op.range(), op.spelling + " of " + getName(dtype) +
                                " operands needs out_dtype=, pl.FP32 for float "
                                "and pl.INT32 for INT8 operands");
  }
  mlir::Type element = module.getElementType(dtype);
  if (element.isIndex() || dtype == DTypeKind::TASK_ID)
    return fail(op.args[2]->range, "out_dtype= cannot be " + getName(dtype));
  auto hint = ir::TileType::get(1, 1, element);
  DslValue made = makeTileOp(op.range(), "matmul", {lhs, rhs}, hint);
  if (made.isTile())
    made.dtype = dtype;
  return made;
}

DslValue FunctionLowering::lowerMatmulAcc(OpCall &op) {
  if (op.args[5])
    return notLowered(op.args[5]->range, "init_cond=");
  std::optional<bool> aTrans = getBool(op.args[3], "a_trans=", false);
  std::optional<bool> bTrans = getBool(op.args[4], "b_trans=", false);
  if (!aTrans || !bTrans)
    return DslValue::error();
  DslValue acc = lower(op.args[0]);
  DslValue lhs = matmulOperand(op, 1, *aTrans);
  DslValue rhs = matmulOperand(op, 2, *bTrans);
  if (acc.isError() || lhs.isError() || rhs.isError())
    return DslValue::error();
  if (!acc.isTile())
    return fail(op.args[0]->range, "the accumulator of " + op.spelling +
                                       " must be a tile, but this is " +
                                       describe(acc));
  return makeTileOp(op.range(), "matmul_acc", {acc, lhs, rhs});
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
      return fail(op.range(), op.spelling +
                                  " takes scalars; for tiles write pl." +
                                  (op.name == "min" ? "minimum" : "maximum"));
  return scalarMinMax(op.range(), op.name == "min", lhs, rhs);
}

DslValue FunctionLowering::lowerConst(OpCall &op) {
  DslValue value = lower(op.args[0]);
  std::optional<DTypeKind> dtype = getDType(op.args[1], "dtype");
  if (value.isError() || !dtype)
    return DslValue::error();
  if (!value.isHostNumber())
    return fail(op.args[0]->range,
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
    return fail(op.args[0]->range,
                "pl.static_assert takes a constant condition");
  if (*value)
    return DslValue::makeTuple({});
  DslValue text = op.args[1] ? lower(op.args[1]) : DslValue::error();
  return fail(op.range(),
              "static assertion failed" + (text.isHost() && text.host.isStr()
                                               ? ": " + text.host.getStr().str()
                                               : std::string()));
}

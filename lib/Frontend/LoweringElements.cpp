//===- LoweringElements.cpp - elements and extents ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Elements and extents
//===----------------------------------------------------------------------===//

/// Indices as a list, or one index alone.
static bool getIndexList(FunctionLowering &f, const Expr *expr,
                         SmallVectorImpl<DslValue> &indices) {
  if (llvm::isa<ListExpr, TupleExpr>(expr))
    return f.getList(expr, "the indices", indices);
  indices.push_back(f.lower(expr));
  return !indices.back().isError();
}

bool FunctionLowering::getIndices(const Expr *expr, const TensorRef &tensor,
                                  SmallVectorImpl<mlir::Value> &indices,
                                  SourceRange range) {
  SmallVector<DslValue> list;
  if (!getIndexList(*this, expr, list))
    return false;
  size_t rank = tensor.extents.size();
  if (list.size() != rank) {
    error(DiagCode::WrongRank, expr->range,
          "'" + tensor.name + "' has " + Twine(rank) + " axes, but got " +
              Twine(list.size()) + (list.size() == 1 ? " index" : " indices"));
    return false;
  }
  Window window;
  window.range = range;
  window.offsets.assign(list.begin(), list.end());
  SmallVector<DslValue> boxes(rank, makeInt(1));
  if (!checkBounds(tensor, window, boxes, "element"))
    return false;
  for (const DslValue &value : list) {
    mlir::Value index = toIndex(value, expr->range, "an index");
    if (!index)
      return false;
    indices.push_back(index);
  }
  return true;
}

DslValue FunctionLowering::lowerRead(OpCall &op) {
  DslValue source = lower(op.args[0]);
  if (source.isError())
    return source;
  if (source.isTile()) {
    SmallVector<DslValue> indices;
    return getIndexList(*this, op.args[1], indices)
               ? readTileElement(*this, source, indices, op.range())
               : DslValue::error();
  }
  if (!source.isTensor())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor, but this is " +
                    describe(source));
  SmallVector<mlir::Value> indices;
  if (!getIndices(op.args[1], *source.tensor, indices, op.range()))
    return DslValue::error();
  noteRead(*source.tensor, op.range());
  DTypeKind dtype = source.tensor->dtype;
  return DslValue::makeScalar(
      ir::ReadOp::create(builder, loc(op.range()), module.getScalarType(dtype),
                         source.tensor->memref, indices),
      dtype);
}

DslValue FunctionLowering::lowerWrite(OpCall &op) {
  DslValue target = lower(op.args[0]);
  DslValue value = lower(op.args[2]);
  if (target.isError() || value.isError())
    return DslValue::error();
  if (target.isTile()) {
    auto *name = llvm::dyn_cast<NameExpr>(op.args[0]);
    if (!name)
      return fail(DiagCode::SubscriptWrite, op.args[0]->range,
                  "the target of " + op.spelling + " must be a variable name");
    SmallVector<DslValue> indices;
    mlir::Value cell[2];
    mlir::Value scalar = materialize(value, *target.dtype, op.args[2]->range);
    if (!scalar || !getIndexList(*this, op.args[1], indices) ||
        !getTileCell(*this, target, indices, op.range(), cell))
      return DslValue::error();
    target.value = ir::TileWriteOp::create(builder, loc(op.range()),
                                           target.value.getType(), scalar,
                                           target.value, cell[0], cell[1]);
    bindWritten(*this, name->name, target, op.range());
    return target;
  }
  if (!target.isTensor())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor, but this is " +
                    describe(target));
  const TensorRef &tensor = *target.tensor;
  SmallVector<mlir::Value> indices;
  if (!getIndices(op.args[1], tensor, indices, op.range()))
    return DslValue::error();
  mlir::Value scalar = materialize(value, tensor.dtype, op.args[2]->range);
  if (!scalar)
    return DslValue::error();
  if (!noteAccessKind(tensor, /*isScalar=*/true, op.range()))
    return DslValue::error();
  noteWrite(tensor, op.range());
  ir::WriteOp::create(builder, loc(op.range()), scalar, tensor.memref, indices);
  return target;
}

DslValue FunctionLowering::lowerDim(OpCall &op) {
  DslValue source = lower(op.args[0]);
  DslValue axis = lower(op.args[1]);
  if (source.isError() || axis.isError())
    return DslValue::error();
  if (!source.isTensor() && !source.isTile())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor, but this is " +
                    describe(source));
  int64_t rank =
      source.isTensor() ? source.tensor->extents.size() : source.shape.size();
  std::optional<int64_t> number = getConstantInt(axis);
  if (!number || *number < -rank || *number >= rank)
    return fail(DiagCode::NotConstant, op.args[1]->range,
                "the axis must be a constant from 0 to " + Twine(rank - 1));
  size_t index = *number < 0 ? *number + rank : *number;
  return source.isTensor() ? getExtent(source.tensor->extents[index])
                           : makeInt(source.shape[index]);
}

//===----------------------------------------------------------------------===//
// Loops that fill
//===----------------------------------------------------------------------===//

namespace {
/// `pl.write(name, [.., base + variable, ..], value)`.
struct FillWrite {
  std::shared_ptr<TensorRef> tensor;
  SmallVector<const Expr *> bases; // per axis; null for the bare variable
  size_t axis = 0;                 // the one with the variable
  const Expr *value = nullptr;
  SourceRange range;
};
} // namespace

static bool isVariable(const Expr *expr, Identifier name) {
  auto *other = llvm::dyn_cast<NameExpr>(expr);
  return other && other->name == name;
}

/// Reads one statement of a fill loop; false where it is something else.
static bool matchFill(FunctionLowering &f, const Stmt *stmt,
                      Identifier variable, FillWrite &fill) {
  auto *statement = llvm::dyn_cast<ExprStmt>(stmt);
  auto *call = statement ? llvm::dyn_cast<CallExpr>(statement->value) : nullptr;
  if (!call || call->args.size() != 3 || !call->keywords.empty())
    return false;
  std::string name = f.getPlName(call->callee);
  if (name != "pl.write" && name != "pl.tensor.write")
    return false;
  auto *target = llvm::dyn_cast<NameExpr>(call->args[0]);
  auto *indices = llvm::dyn_cast<ListExpr>(call->args[1]);
  auto bound = target ? f.env.find(target->name) : f.env.end();
  if (bound == f.env.end() || !indices || !f.isHostExpr(call->args[2]) ||
      bound->second.state != Binding::State::Bound ||
      !bound->second.value.isTensor())
    return false;
  fill.tensor = bound->second.value.tensor;
  fill.value = call->args[2];
  fill.range = call->range;
  if (indices->elements.size() != fill.tensor->extents.size())
    return false;
  unsigned uses = 0;
  for (auto [axis, index] : llvm::enumerate(indices->elements)) {
    const Expr *base = index;
    if (readsName(index, variable)) {
      auto *sum = llvm::dyn_cast<BinOpExpr>(index);
      if (isVariable(index, variable))
        base = nullptr;
      else if (sum && sum->op == BinOpKind::Add &&
               isVariable(sum->rhs, variable))
        base = sum->lhs;
      else if (sum && sum->op == BinOpKind::Add &&
               isVariable(sum->lhs, variable))
        base = sum->rhs;
      else
        return false;
      if (base && readsName(base, variable))
        return false;
      fill.axis = axis;
      ++uses;
    }
    fill.bases.push_back(base);
  }
  return uses == 1;
}

bool pl::frontend::lowerFillLoop(FunctionLowering &f, const ForStmt *stmt,
                                 int64_t start, int64_t stop) {
  auto *variable = llvm::dyn_cast<NameExpr>(stmt->target);
  if (!variable || stop - start < 2 || stop - start > 4096 || start < 0)
    return false;
  SmallVector<FillWrite> fills;
  for (const Stmt *inner : stmt->body) {
    FillWrite fill;
    if (!matchFill(f, inner, variable->name, fill))
      return false;
    // One run of bytes that a block move can write.
    ArrayRef<Extent> extents(fill.tensor->extents);
    bool isRun = llvm::all_of(extents.drop_front(fill.axis + 1),
                              [](const Extent &extent) {
                                return extent.isStatic() && extent.number == 1;
                              });
    mlir::Type element = f.module.getElementType(fill.tensor->dtype);
    if (!isRun || !element.isIntOrFloat() ||
        (stop - start) * element.getIntOrFloatBitWidth() / 8 % 32 != 0)
      return false;
    fills.push_back(std::move(fill));
  }
  for (FillWrite &fill : fills) {
    DslValue value = f.lower(fill.value);
    mlir::Value scalar;
    if (value.isHostNumber())
      scalar = f.materialize(value, fill.tensor->dtype, fill.value->range);
    else if (!value.isError())
      f.error(DiagCode::MixedLevels, fill.value->range,
              "pl.write takes a scalar, but this is " + f.describe(value));
    if (!scalar)
      continue;
    FunctionLowering::Window window;
    window.range = fill.range;
    bool good = true;
    for (auto [axis, base] : llvm::enumerate(fill.bases)) {
      DslValue offset = base ? f.lower(base) : makeInt(0);
      bool isFilledAxis = axis == fill.axis;
      if (isFilledAxis)
        offset =
            computeInt(f, fill.range, BinOpKind::Add, offset, makeInt(start));
      good &= !offset.isError();
      window.offsets.push_back(offset);
      window.sizes.push_back(makeInt(isFilledAxis ? stop - start : 1));
      window.dropped.push_back(false);
    }
    if (!good)
      continue;
    auto type = ir::TileType::get(1, stop - start,
                                  f.module.getElementType(fill.tensor->dtype));
    DslValue tile =
        DslValue::makeTile(f.createCompute("full", fill.range, {scalar}, type),
                           fill.tensor->dtype, {stop - start});
    f.storeTile(tile, *fill.tensor, window, /*hasSizes=*/true,
                /*atomic=*/false, fill.range);
  }
  return true;
}

//===- LoweringArrays.cpp - arrays of TaskIds and of numbers --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `a[i] = v` gives the name `a` another value. An array of TaskIds is an SSA
// value, so that is all there is to it. An array of numbers is storage that
// belongs to one name: what assigns a name copies.
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "mlir/IR/Matchers.h"

using namespace pl::frontend;
namespace memref = mlir::memref;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

mlir::Value pl::frontend::getTask(FunctionLowering &f, const DslValue &value,
                                  SourceRange range) {
  if (value.isTask())
    return value.value;
  return ir::TaskNoneOp::create(f.builder, f.loc(range),
                                ir::TaskType::get(f.builder.getContext()));
}

void pl::frontend::appendTask(mlir::Value task,
                              SmallVectorImpl<mlir::Value> &tasks) {
  if (!task.getDefiningOp<ir::TaskNoneOp>() && !llvm::is_contained(tasks, task))
    tasks.push_back(task);
}

/// The tasks in the slots, null where one is missing, when all are known.
static bool getKnownSlots(mlir::Value array,
                          SmallVectorImpl<mlir::Value> &slots) {
  auto type = mlir::cast<ir::TaskArrayType>(array.getType());
  slots.assign(type.getSize(), {});
  llvm::SmallBitVector written(type.getSize());
  while (auto set = array.getDefiningOp<ir::TaskSetOp>()) {
    llvm::APInt index;
    if (!mlir::matchPattern(set.getIndex(), mlir::m_ConstantInt(&index)))
      return false;
    uint64_t slot = index.getZExtValue();
    if (slot < slots.size() && !written[slot]) {
      slots[slot] = set.getTask();
      written.set(slot);
    }
    array = set.getArray();
  }
  return written.all() || array.getDefiningOp<ir::TaskArrayOp>();
}

void pl::frontend::appendTasks(FunctionLowering &f, mlir::Value array,
                               SourceRange range,
                               SmallVectorImpl<mlir::Value> &tasks) {
  SmallVector<mlir::Value> slots;
  if (getKnownSlots(array, slots)) {
    for (mlir::Value task : slots)
      if (task)
        appendTask(task, tasks);
    return;
  }
  tasks.push_back(
      ir::TaskJoinOp::create(f.builder, f.loc(range),
                             ir::TaskType::get(f.builder.getContext()), array));
}

//===----------------------------------------------------------------------===//
// Making and copying
//===----------------------------------------------------------------------===//

DslValue pl::frontend::makeArrayOf(FunctionLowering &f, DTypeKind dtype,
                                   int64_t size, SourceRange range) {
  mlir::MLIRContext *context = f.builder.getContext();
  mlir::Value made;
  if (dtype == DTypeKind::TASK_ID)
    made = ir::TaskArrayOp::create(f.builder, f.loc(range),
                                   ir::TaskArrayType::get(context, size));
  else
    made = ir::ArrayOp::create(
        f.builder, f.loc(range),
        mlir::MemRefType::get({size}, f.module.getElementType(dtype)));
  return DslValue::makeArray(made, dtype, size);
}

void pl::frontend::copyArray(FunctionLowering &f, const DslValue &from,
                             const DslValue &to, SourceRange range) {
  memref::CopyOp::create(f.builder, f.loc(range), from.value, to.value);
}

void pl::frontend::copyNamedArrays(FunctionLowering &f, const Expr *expr,
                                   DslValue &value) {
  if (value.kind == DslValue::Kind::Tuple) {
    auto *tuple = llvm::dyn_cast<TupleExpr>(expr);
    if (tuple && tuple->elements.size() == value.elements.size())
      for (auto [element, part] : llvm::zip(tuple->elements, value.elements))
        copyNamedArrays(f, element, part);
    return;
  }
  if (!value.isArray() || value.isTaskArray() || !llvm::isa<NameExpr>(expr))
    return;
  DslValue made = makeArrayOf(f, *value.dtype, value.shape[0], expr->range);
  copyArray(f, value, made, expr->range);
  value = made;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

bool pl::frontend::checkArrayInReach(FunctionLowering &f, const DslValue &array,
                                     SourceRange range) {
  if (!f.core || f.core->isFunction)
    return true;
  mlir::Region *scope = f.prologues.back().block->getParent();
  if (scope->isAncestor(mlir::Value(array.value).getParentRegion()))
    return true;
  f.error(DiagCode::TaskArray, range,
          "'" + f.getText(range) + "' is " + f.describe(array) +
              " of the orchestration, which a core scope cannot reach")
      .note(f.core->header, "the core scope is here; read the element before "
                            "it, and use that");
  return false;
}

/// The index of a slot, checked when it is known.
static mlir::Value getSlot(FunctionLowering &f, const SubscriptExpr *expr,
                           const DslValue &array) {
  const Expr *index = expr->index;
  if (llvm::isa<SliceExpr, TupleExpr>(index)) {
    f.error(DiagCode::TaskArray, index->range,
            "an array has one index, and no slices");
    return {};
  }
  DslValue value = f.lower(index);
  if (value.isError())
    return {};
  if (value.isHost() && value.host.getKind() == ValueKind::DynVar)
    value = f.toScalar(value, index->range);
  if (std::optional<int64_t> number = f.getConstantInt(value)) {
    if (*number < 0 || *number >= array.shape[0]) {
      f.error(DiagCode::OutOfRange, index->range,
              "index " + Twine(*number) + " is outside " + f.describe(array));
      return {};
    }
    return f.getIndex(*number, index->range);
  }
  bool isInt = value.isScalar() && value.dtype != DTypeKind::BOOL &&
               !mlir::isa<mlir::FloatType>(value.value.getType());
  if (!isInt) {
    f.error(DiagCode::BadSubscript, index->range,
            "an index must be an integer, but this is " + f.describe(value));
    return {};
  }
  return f.toIndex(value, index->range, "an index");
}

DslValue pl::frontend::readArray(FunctionLowering &f, const SubscriptExpr *expr,
                                 const DslValue &array) {
  mlir::Value index = getSlot(f, expr, array);
  if (!index || !checkArrayInReach(f, array, expr->value->range))
    return DslValue::error();
  mlir::Location loc = f.loc(expr->range);
  if (!array.isTaskArray())
    return DslValue::makeScalar(
        memref::LoadOp::create(f.builder, loc, array.value, index),
        *array.dtype);
  llvm::APInt number;
  SmallVector<mlir::Value> slots;
  if (mlir::matchPattern(index, mlir::m_ConstantInt(&number)) &&
      getKnownSlots(array.value, slots)) {
    mlir::Value task = slots[number.getZExtValue()];
    return task ? DslValue::makeTask(task) : DslValue::makeHost(Value::none());
  }
  mlir::Type type = ir::TaskType::get(f.builder.getContext());
  return DslValue::makeTask(
      f.builder.createOrFold<ir::TaskSlotOp>(loc, type, array.value, index));
}

void pl::frontend::writeArray(FunctionLowering &f, const SubscriptExpr *target,
                              const DslValue &array, const Expr *expr,
                              SourceRange range) {
  auto *base = llvm::dyn_cast<NameExpr>(target->value);
  mlir::Value index = getSlot(f, target, array);
  DslValue value = f.lower(expr);
  if (!index || value.isError() ||
      !checkArrayInReach(f, array, target->value->range))
    return;
  if (!array.isTaskArray()) {
    if (!value.isScalar() && !value.isHostNumber()) {
      f.error(DiagCode::TaskArray, expr->range,
              "an element of " + f.describe(array) +
                  " is a scalar, but this is " + f.describe(value));
      return;
    }
    if (value.isScalar() && value.dtype != array.dtype) {
      bool isInt = value.dtype != DTypeKind::BOOL &&
                   array.dtype != DTypeKind::BOOL &&
                   !mlir::isa<mlir::FloatType>(value.value.getType());
      if (!isInt) {
        f.error(DiagCode::TaskArray, expr->range,
                "an element of " + f.describe(array) + " cannot hold " +
                    f.describe(value) + "; cast it with pl.cast");
        return;
      }
      value = f.scalarCast(expr->range, value, *array.dtype);
    }
    mlir::Value made = value.isError()
                           ? mlir::Value()
                           : f.materialize(value, *array.dtype, expr->range);
    if (made)
      memref::StoreOp::create(f.builder, f.loc(range), made, array.value,
                              index);
    return;
  }
  if (!value.isTask() && !value.isNone()) {
    f.error(DiagCode::TaskArray, expr->range,
            "a slot of " + f.describe(array) +
                " holds a TaskId or None, but this is " + f.describe(value));
    return;
  }
  DslValue made = array;
  made.value =
      ir::TaskSetOp::create(f.builder, f.loc(range), array.value.getType(),
                            array.value, index, getTask(f, value, expr->range));
  Binding &binding = f.env[base->name];
  binding.value = made;
  binding.range = target->range;
}

void pl::frontend::appendChangedArrays(FunctionLowering &f,
                                       SmallVectorImpl<mlir::Value> &operands) {
  for (auto [index, param] : llvm::enumerate(f.params)) {
    if (param.value.isTile()) {
      mlir::Value now = getWatched(f, param.name);
      if (now && now != param.value.value) {
        f.result->changedArrays.emplace_back(index, operands.size());
        operands.push_back(now);
      }
      continue;
    }
    if (!param.value.isTaskArray())
      continue;
    const Binding &now = f.env[param.name];
    if (now.state != Binding::State::Bound || !now.value.isTaskArray() ||
        now.value.value == param.value.value)
      continue;
    f.result->changedArrays.emplace_back(index, operands.size());
    operands.push_back(now.value.value);
  }
}

//===- LoweringTaskOps.cpp - operations on tasks and arrays ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"
#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Frontend/Interpreter.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::lowerDummy(OpCall &op) {
  if (core)
    return fail(DiagCode::MisplacedOp, op.range(),
                op.spelling + " makes a task, and belongs outside "
                              "core scopes");
  SmallVector<mlir::Value> deps;
  if (!lowerDeps(op.args[0], deps))
    return DslValue::error();
  mlir::StringAttr name;
  if (targetName)
    name = builder.getStringAttr(targetName.str());
  mlir::Type type = ir::TaskType::get(builder.getContext());
  return DslValue::makeTask(ir::DummyOp::create(
      builder, loc(op.range()), type, deps, name, getUserEdges(deps.size())));
}

/// pl.array.create(N, dtype)
static DslValue lowerArrayCreate(FunctionLowering &f, OpCall &op) {
  DslValue size = f.lower(op.args[0]);
  DslValue type = f.lower(op.args[1]);
  if (size.isError() || type.isError())
    return DslValue::error();
  std::optional<int64_t> number = f.getConstantInt(size);
  if (!number)
    return f.fail(DiagCode::NotConstant, op.args[0]->range,
                  "the size of an array must be a constant, "
                  "but this is " +
                      f.describe(size));
  constexpr int64_t kMaxSize = 1 << 16;
  if (*number < 1 || *number > kMaxSize)
    return f.fail(DiagCode::TaskArray, op.args[0]->range,
                  "an array has 1 to " + Twine(kMaxSize) +
                      " elements, but this is " + Twine(*number));
  if (!type.isHost() || !type.host.isDType())
    return f.fail(DiagCode::WrongArguments, op.args[1]->range,
                  "dtype must be a dtype such as "
                  "pl.TASK_ID, but this is " +
                      f.describe(type));
  DTypeKind dtype = type.host.getDType();
  mlir::Type element;
  if (dtype != DTypeKind::TASK_ID) {
    element = f.module.getElementType(dtype);
    if (!element || !element.isIntOrIndex())
      return f.fail(DiagCode::TaskArray, op.args[1]->range,
                    "an array holds integers, BOOL or TASK_ID, but not " +
                        getName(dtype));
  } else if (f.core) {
    return f.fail(DiagCode::MisplacedOp, op.range(),
                  "an array of TaskIds belongs outside core "
                  "scopes");
  }
  return makeArrayOf(f, dtype, *number, op.range());
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

static DslValue lowerDumpTag(FunctionLowering &f, OpCall &op) {
  DslValue tensor = f.lower(op.args[0]);
  if (tensor.isError())
    return tensor;
  if (!tensor.isTensor())
    return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                  op.spelling +
                      " marks a tensor, but this "
                      "is " +
                      f.describe(tensor));
  ir::DumpOp::create(f.builder, f.loc(op.range()), tensor.tensor->memref);
  return DslValue::makeTuple({});
}

static DslValue lowerStaticPrint(FunctionLowering &f, OpCall &op) {
  std::string text;
  for (const Expr *arg : op.args) {
    if (!arg)
      break;
    DslValue value = f.lower(arg);
    if (value.isError())
      return value;
    if (!text.empty())
      text += ' ';
    if (value.isHost() && value.host.isStr())
      text += value.host.getStr();
    else if (value.isHost())
      text += repr(value.host);
    else
      text += f.getText(arg) + ": " + f.describe(value);
  }
  f.module.report(Severity::Remark, DiagCode::None, op.range(), text);
  return DslValue::makeTuple({});
}

static mlir::Attribute getAttribute(mlir::Builder &builder,
                                    const Value &value) {
  if (value.isBool())
    return builder.getBoolAttr(value.getBool());
  if (value.isInt())
    return builder.getI64IntegerAttr(value.getInt());
  if (value.isFloat())
    return builder.getF64FloatAttr(value.getNumber());
  if (value.isStr())
    return builder.getStringAttr(value.getStr());
  return {};
}

/// pl.func_attr({"name": value}): told to whoever takes the function.
static DslValue lowerFuncAttr(FunctionLowering &f, OpCall &op) {
  const Stmt *first = nullptr;
  for (const Stmt *stmt : f.kernel.def->body) {
    auto *expr = llvm::dyn_cast<ExprStmt>(stmt);
    auto *text = expr ? llvm::dyn_cast<ConstantExpr>(expr->value) : nullptr;
    if (text && text->isString())
      continue;
    first = stmt;
    break;
  }
  if (!first || first->range.begin != op.range().begin)
    return f.fail(DiagCode::UnsupportedPython, op.range(),
                  op.spelling + " must be the first statement of a function");
  DslValue value = f.evaluateHost(op.args[0]);
  if (value.isError())
    return value;
  auto *dict = value.host.as<DictObject>();
  if (!dict)
    return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                  op.spelling + " takes a dict, but this is " +
                      f.describe(value));
  SmallVector<mlir::NamedAttribute> attrs;
  for (const ValueTable::Entry &entry : dict->table.getEntries()) {
    mlir::Attribute attr = getAttribute(f.builder, entry.value);
    if (!entry.key.isStr() || entry.key.getStr().empty() || !attr)
      return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                    op.spelling + " takes names with numbers and strings");
    attrs.push_back(f.builder.getNamedAttr(entry.key.getStr(), attr));
  }
  f.func->setAttr("pl.user_attrs", f.builder.getDictionaryAttr(attrs));
  return DslValue::makeTuple({});
}

//===----------------------------------------------------------------------===//
// Explicit values of branches and loops
//===----------------------------------------------------------------------===//

/// `x = pl.yield_(v)` at the end of an arm of an if: the value of the arm. What
/// ends a loop with init_values= is taken by the loop.
static DslValue lowerYield(FunctionLowering &f, OpCall &op) {
  if (!f.inBranch)
    return f.fail(DiagCode::LoopHeader, op.range(),
                  "pl.yield_ ends the body of a loop with "
                  "init_values=, or an arm of an if");
  std::vector<DslValue> values;
  for (const Expr *arg : op.args) {
    if (!arg)
      break;
    values.push_back(f.lower(arg));
    if (values.back().isError())
      return DslValue::error();
    copyNamedArrays(f, arg, values.back());
  }
  if (values.size() == 1)
    return values.front();
  return DslValue::makeTuple(std::move(values));
}

static DslValue lowerCond(FunctionLowering &f, OpCall &op) {
  return f.fail(DiagCode::LoopHeader, op.range(),
                "pl.cond must be the first statement of a "
                "pl.while_ loop");
}

static constexpr llvm::StringLiteral kAny =
    "a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15";

static const OpRow taskOps[] = {
    {"array.create", "size,dtype", 2, lowerArrayCreate, false},
    {"dump_tag", "tensor", 1, lowerDumpTag, false},
    {"func_attr", "attrs", 1, lowerFuncAttr, false},
    {"static_print", kAny, 0, lowerStaticPrint, false},
    {"yield_", kAny, 1, lowerYield, false},
    {"cond", "condition", 1, lowerCond, false},
};

ArrayRef<OpRow> pl::frontend::getTaskOps() { return taskOps; }

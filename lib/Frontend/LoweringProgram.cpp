//===- LoweringProgram.cpp - tasks that call a kernel, pl.submit ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call of an incore function by the orchestration is a task: `pl.at` around
// the call. pl.submit and pl.spmd_submit say the same with a TaskId and with
// what pl.at and pl.spmd take.
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"

#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Machine/Machine.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

DslValue pl::frontend::getReturned(FunctionLowering &f, const KernelCall &call,
                                   const LoweredFunction &function) {
  if (!function.returnsValue) {
    if (!call.assigned)
      return DslValue::makeTuple({});
    return f.fail(DiagCode::NoReturnValue, call.range,
                  "function '" + Twine(call.callee->name) +
                      "' has no return value");
  }
  std::vector<DslValue> results;
  for (const ReturnSlot &slot : function.returns)
    results.push_back(
        slot.kind == ReturnSlot::Kind::Param  ? call.arguments[slot.index]
        : slot.kind == ReturnSlot::Kind::Host ? slot.value
                                              : DslValue::makeTuple({}));
  if (!function.returnsTuple)
    return results.front();
  return DslValue::makeTuple(std::move(results));
}

/// Fills the body of a task with the call.
static void fillTask(FunctionLowering &f, mlir::Region &region,
                     const KernelCall &call, LoweredFunction &function,
                     bool isSpmd) {
  mlir::OpBuilder::InsertionGuard guard(f.builder);
  mlir::Block &block = region.emplaceBlock();
  if (isSpmd)
    block.addArgument(f.builder.getIndexType(), f.loc(call.range));
  FunctionLowering::Prologue prologue;
  prologue.block = &block;
  f.prologues.push_back(std::move(prologue));
  f.builder.setInsertionPointToEnd(&block);
  KernelCall inner = call;
  inner.assigned = Identifier();
  makeCall(f, inner, function);
  f.prologues.pop_back();
}

/// Whether all pl.no_dep(x) of a call name tensors.
static bool checkNoDeps(FunctionLowering &f, const KernelCall &call) {
  for (unsigned index : call.noDeps)
    if (!call.arguments[index].isTensor()) {
      f.error(DiagCode::WrongArguments, call.exprs[index]->range,
              "pl.no_dep takes a tensor, but this is " +
                  f.describe(call.arguments[index]));
      return false;
    }
  return true;
}

static void addNoDeps(const KernelCall &call,
                      FunctionLowering::TaskOptions &options) {
  for (unsigned index : call.noDeps)
    options.noDeps.push_back(call.arguments[index]);
}

DslValue pl::frontend::makeTaskCall(FunctionLowering &f,
                                    const KernelCall &call) {
  if (!checkNoDeps(f, call))
    return DslValue::error();
  LoweredFunction *function = getLoweredFunction(f, call);
  if (!function)
    return DslValue::error();
  auto op = ir::AtOp::create(
      f.builder, f.loc(call.range), ir::TaskType::get(&f.module.context),
      mlir::ValueRange(), f.builder.getStringAttr(call.callee->name),
      f.getUserEdges(0), /*early_resolve=*/false);
  fillTask(f, op.getBody(), call, *function, /*isSpmd=*/false);
  FunctionLowering::TaskOptions options;
  addNoDeps(call, options);
  f.applyTaskOptions(op, options);
  return getReturned(f, call, *function);
}

//===----------------------------------------------------------------------===//
// Kernels that are written elsewhere
//===----------------------------------------------------------------------===//

/// Whether an argument is of the kind and dtype that are declared. What a
/// kernel of another language does with it, its declaration says.
static bool checkExternArgument(FunctionLowering &f, const KernelCall &call,
                                unsigned index,
                                const ParamAnnotation &annotation,
                                SmallVectorImpl<mlir::Value> &operands) {
  const Param &param = call.callee->getParams()[index];
  const DslValue &actual = call.arguments[index];
  const TypeAnnotation &type = annotation.type;
  auto wrong = [&](const Twine &expected) {
    f.error(DiagCode::ArgumentMismatch, call.exprs[index]->range,
            "parameter '" + param.name.str() + "' of '" +
                Twine(call.callee->name) + "' is " + expected +
                ", but the argument is " + f.describe(actual))
        .note(param.range, "'" + param.name.str() + "' is declared here");
    return false;
  };
  if (!annotation.isGiven)
    return wrong("not annotated, which a kernel written elsewhere needs");
  if (type.kind == TypeAnnotation::Kind::Scalar && type.dtype) {
    bool isNumber = actual.isScalar() || actual.isHostNumber();
    if (!isNumber || (actual.dtype && actual.dtype != type.dtype))
      return wrong(getWithArticle(*type.dtype) + " scalar");
    operands.push_back(
        f.materialize(actual, *type.dtype, call.exprs[index]->range));
    return bool(operands.back());
  }
  bool isShared = type.kind == TypeAnnotation::Kind::DistributedTensor;
  if (!actual.isTensor() || isShared != isWindow(actual))
    return wrong(isShared ? "a window tensor" : "a tensor");
  if (type.dtype && *type.dtype != actual.tensor->dtype)
    return wrong(getWithArticle(*type.dtype) + " tensor");
  if (type.hasShape && type.dims.size() != actual.tensor->extents.size())
    return wrong("of rank " + Twine(type.dims.size()));
  operands.push_back(actual.tensor->memref);
  return true;
}

DslValue pl::frontend::makeExternCall(FunctionLowering &f,
                                      const KernelCall &call) {
  const KernelObject &callee = *call.callee;
  const auto &annotations = *f.module.getAnnotations(callee);
  SmallVector<mlir::Value> operands;
  SmallVector<mlir::Attribute> directions;
  std::vector<DslValue> outputs;
  bool good = checkNoDeps(f, call);
  for (auto [index, annotation] : llvm::enumerate(annotations)) {
    if (!checkExternArgument(f, call, index, annotation, operands)) {
      good = false;
      continue;
    }
    const DslValue &actual = call.arguments[index];
    if (!actual.isTensor())
      continue;
    Direction direction = annotation.type.direction;
    SourceRange where = call.exprs[index]->range;
    if (direction != Direction::Out)
      f.noteRead(*actual.tensor, where);
    if (direction != Direction::In) {
      f.noteWrite(*actual.tensor, where);
      outputs.push_back(actual);
    }
    directions.push_back(ir::DirectionAttr::get(
        &f.module.context, direction == Direction::In ? ir::Direction::in
                           : direction == Direction::Out
                               ? ir::Direction::out
                               : ir::Direction::inout));
  }
  if (!good)
    return DslValue::error();
  auto makeOp = [&] {
    ir::ExternOp::create(f.builder, f.loc(call.range), callee.name, operands,
                         f.builder.getArrayAttr(directions));
  };
  if (f.core) {
    // The code of the scope at hand; it knows its block by itself.
    f.readsBlockIndex = true;
    makeOp();
  } else {
    auto op = ir::AtOp::create(
        f.builder, f.loc(call.range), ir::TaskType::get(&f.module.context),
        mlir::ValueRange(), f.builder.getStringAttr(callee.name),
        f.getUserEdges(0), /*early_resolve=*/false);
    {
      mlir::OpBuilder::InsertionGuard guard(f.builder);
      f.builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
      makeOp();
    }
    FunctionLowering::TaskOptions options;
    addNoDeps(call, options);
    f.applyTaskOptions(op, options);
  }
  // What it returns are its outputs: one is the first of them.
  if (outputs.empty())
    return DslValue::makeTuple({});
  bool isTuple = false;
  if (const Expr *returns = callee.def->returns) {
    FailureOr<TypeAnnotation> type =
        f.module.session.evaluateAnnotation(callee, returns);
    if (failed(type))
      return DslValue::error();
    isTuple = type->kind == TypeAnnotation::Kind::Tuple;
  }
  if (!isTuple)
    return outputs.front();
  return DslValue::makeTuple(std::move(outputs));
}

//===----------------------------------------------------------------------===//
// pl.submit, pl.spmd_submit
//===----------------------------------------------------------------------===//

static mlir::Value lowerBlockCount(FunctionLowering &f, const Expr *expr) {
  DslValue count = f.lower(expr);
  std::optional<int64_t> number = f.getConstantInt(count);
  if (number && (*number < 0 || *number > pl::kMaxLaunchLanes)) {
    f.error(DiagCode::BlockCount, expr->range,
            "core_num= takes 0 to " + Twine(pl::kMaxLaunchLanes) +
                " blocks (the runtime's limit), but this is " + Twine(*number));
    return {};
  }
  return f.toIndex(count, expr->range, "core_num=");
}

DslValue pl::frontend::lowerSubmit(FunctionLowering &f, const CallExpr *call,
                                   bool isSpmd) {
  SourceRange range = call->range;
  StringRef spelling = isSpmd ? "pl.spmd_submit" : "pl.submit";
  bool isStatement = f.statementCall == call;
  f.statementCall = nullptr;
  f.targetName = Identifier();
  if (!isStatement)
    return f.fail(DiagCode::MisplacedOp, range,
                  spelling + " must be a statement: write out, tid = " +
                      spelling + "(...)");
  KernelObject *callee =
      call->args.empty() ? nullptr : f.getCallee(call->args[0]);
  if (!callee)
    return f.fail(DiagCode::WrongArguments,
                  call->args.empty() ? range : call->args[0]->range,
                  spelling + " takes the kernel first, as in " + spelling +
                      "(self.kernel, x, out" +
                      (isSpmd ? ", core_num=8)" : ")"));
  if (callee->kind != KernelKind::InCore || !callee->unsupported.empty())
    return f.fail(DiagCode::WrongArguments, call->args[0]->range,
                  spelling + " takes an incore function, but '" +
                      Twine(callee->name) + "' is " + callee->getSpelling());
  SmallVector<StringRef> options{"deps", "dumps", "allow_early_resolve",
                                 "predicate"};
  if (isSpmd)
    options.append({"core_num", "sync_start"});
  llvm::StringMap<const Expr *> keywords;
  for (const KeywordArg &keyword : call->keywords)
    if (llvm::is_contained(options, keyword.name.str()))
      keywords[keyword.name.str()] = keyword.value;
  KernelCall made;
  bool good = bindKernelCall(f, *callee, range, call->args.drop_front(),
                             call->keywords, options, made) &&
              checkNoDeps(f, made);
  FunctionLowering::TaskOptions task =
      f.lowerTaskOptions(range, keywords, good);
  mlir::Value blocks;
  if (isSpmd) {
    const Expr *count = keywords.lookup("core_num");
    if (!count)
      return f.fail(DiagCode::BlockCount, range,
                    "pl.spmd_submit needs core_num=, the number of "
                    "blocks");
    blocks = lowerBlockCount(f, count);
    good &= bool(blocks);
  }
  if (!good)
    return DslValue::error();
  LoweredFunction *function = getLoweredFunction(f, made);
  if (!function)
    return DslValue::error();
  addNoDeps(made, task);
  mlir::Type type = ir::TaskType::get(&f.module.context);
  mlir::StringAttr name = f.builder.getStringAttr(callee->name);
  mlir::Value tid;
  if (isSpmd) {
    auto op = ir::SpmdOp::create(
        f.builder, f.loc(range), type, blocks, task.deps, name,
        f.getUserEdges(task.deps.size()), task.allowEarly);
    fillTask(f, op.getBody(), made, *function, isSpmd);
    f.applyTaskOptions(op, task);
    tid = op.getTask();
  } else {
    auto op =
        ir::AtOp::create(f.builder, f.loc(range), type, task.deps, name,
                         f.getUserEdges(task.deps.size()), task.allowEarly);
    fillTask(f, op.getBody(), made, *function, isSpmd);
    f.applyTaskOptions(op, task);
    tid = op.getTask();
  }
  // All that the kernel returns, then the TaskId.
  DslValue returned = getReturned(f, made, *function);
  if (returned.isError())
    return returned;
  std::vector<DslValue> elements{returned};
  if (returned.kind == DslValue::Kind::Tuple)
    elements = returned.elements;
  elements.push_back(DslValue::makeTask(tid));
  return DslValue::makeTuple(std::move(elements));
}

bool pl::frontend::isSubmit(FunctionLowering &f, const Expr *expr) {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  std::string name = call ? f.getPlName(call->callee) : "";
  return name == "pl.submit" || name == "pl.spmd_submit";
}

/// `(a, b), tid = pl.submit(...)` means what `a, b, tid = ...` does.
DslValue pl::frontend::regroupSubmitted(DslValue value, const Expr *target) {
  auto *tuple = llvm::dyn_cast<TupleExpr>(target);
  if (value.kind != DslValue::Kind::Tuple || !tuple ||
      tuple->elements.size() != 2 ||
      !llvm::isa<TupleExpr, ListExpr>(tuple->elements[0]))
    return value;
  DslValue task = std::move(value.elements.back());
  value.elements.pop_back();
  return DslValue::makeTuple(
      {DslValue::makeTuple(std::move(value.elements)), std::move(task)});
}

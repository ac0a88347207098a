//===- LoweringCalls.cpp - calls, one per kind of function ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringRegions.h"
#include "LoweringStorage.h"

using namespace pl::frontend;

/// An integer argument for a parameter of another integer dtype or BOOL:
/// scalars travel as 64 bits.
static DslValue adaptScalar(FunctionLowering &f, DslValue value,
                            const ParamAnnotation &annotation,
                            const Expr *expr) {
  SourceRange range = expr->range;
  auto isInteger = [](DTypeKind dtype) {
    return !isFloat(dtype) && dtype != DTypeKind::BOOL &&
           dtype != DTypeKind::TASK_ID;
  };
  if (value.isHost() && value.host.getKind() == ValueKind::DynVar)
    value = f.toScalar(value, range);
  const TypeAnnotation &type = annotation.type;
  bool isNumber = value.isHostInt() ||
                  (value.isScalar() && value.dtype && isInteger(*value.dtype));
  if (!annotation.isGiven || !type.dtype || !isNumber ||
      type.kind != TypeAnnotation::Kind::Scalar)
    return value;
  DTypeKind dtype = *type.dtype;
  if (dtype == DTypeKind::BOOL) {
    if (value.isHost())
      return DslValue::makeHost(Value::boolean(value.host.getInt() != 0));
    mlir::Value zero = f.getConstant(
        f.builder.getIntegerAttr(value.value.getType(), 0), range);
    return DslValue::makeScalar(
        f.builder.createOrFold<mlir::arith::CmpIOp>(
            f.loc(range), mlir::arith::CmpIPredicate::ne, value.value, zero),
        dtype);
  }
  if (!isInteger(dtype))
    return value;
  if (value.isScalar())
    return value.dtype == dtype ? value : f.scalarCast(range, value, dtype);
  value.dtype = dtype;
  // In many copies of a loop's body, one function serves all values of the
  // loop's variable.
  bool isFromLoop = f.copies > kManyCopies && !f.isHostExpr(expr);
  return isFromLoop ? f.toScalar(value, range) : value;
}

/// `x` of `pl.no_dep(x)`, or null.
static const Expr *getNoDep(FunctionLowering &f, const Expr *expr) {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  if (!call || f.getPlName(call->callee) != "pl.no_dep")
    return nullptr;
  return call->args.size() == 1 && call->keywords.empty() ? call->args[0]
                                                          : nullptr;
}

bool pl::frontend::bindKernelCall(FunctionLowering &f, KernelObject &callee,
                                  SourceRange range, ExprList args,
                                  ArrayRef<KeywordArg> keywords,
                                  ArrayRef<StringRef> options,
                                  KernelCall &made) {
  made.callee = &callee;
  made.range = range;
  // Keywords bind by name, the rest by position.
  llvm::ArrayRef<Param> formals = callee.getParams();
  made.arguments.resize(formals.size());
  made.exprs.assign(formals.size(), nullptr);
  auto count = [&] {
    return "'" + callee.name + "' expects " + std::to_string(formals.size()) +
           (formals.size() == 1 ? " argument" : " arguments");
  };
  if (args.size() > formals.size()) {
    f.error(DiagCode::ArgumentCount, range,
            count() + ", but got " + Twine(args.size()))
        .note(callee.def->headerRange, "'" + callee.name + "' is defined here");
    return false;
  }
  for (auto [index, arg] : llvm::enumerate(args)) {
    if (llvm::isa<StarredExpr>(arg)) {
      f.error(DiagCode::UnsupportedPython, arg->range,
              "* is not part of kernel calls");
      return false;
    }
    made.exprs[index] = arg;
  }
  for (const KeywordArg &keyword : keywords) {
    if (llvm::is_contained(options, keyword.name.str()))
      continue;
    if (!keyword.name) {
      f.error(DiagCode::UnsupportedPython, keyword.range,
              "** is not part of kernel calls");
      return false;
    }
    size_t index = 0;
    while (index < formals.size() && formals[index].name != keyword.name)
      ++index;
    if (index == formals.size()) {
      SmallVector<StringRef> names;
      for (const Param &formal : formals)
        names.push_back(formal.name);
      f.error(DiagCode::ArgumentCount, keyword.range,
              "'" + callee.name + "' has no parameter '" + keyword.name.str() +
                  "'" + didYouMean(keyword.name, names));
      return false;
    }
    if (made.exprs[index]) {
      f.error(DiagCode::ArgumentCount, keyword.range,
              "parameter '" + keyword.name.str() + "' is given twice");
      return false;
    }
    made.exprs[index] = keyword.value;
  }
  for (auto [formal, expr] : llvm::zip(formals, made.exprs))
    if (!expr) {
      f.error(DiagCode::ArgumentCount, range,
              count() + "; parameter '" + formal.name.str() + "' is missing")
          .note(formal.range, "'" + formal.name.str() + "' is declared here");
      return false;
    }
  const SmallVector<ParamAnnotation, 0> *annotations =
      f.module.getAnnotations(callee);
  bool good = annotations;
  f.hadError |= !good;
  for (auto [index, expr] : llvm::enumerate(made.exprs)) {
    if (const Expr *inner = getNoDep(f, expr)) {
      made.noDeps.push_back(index);
      expr = inner;
    }
    DslValue &argument = made.arguments[index];
    argument = f.lower(expr);
    // A list of constants is a constant.
    if (argument.kind == DslValue::Kind::Tuple &&
        llvm::all_of(argument.elements, [](const DslValue &element) {
          return element.isHost();
        })) {
      std::vector<Value> elements;
      for (const DslValue &element : argument.elements)
        elements.push_back(element.host);
      argument = DslValue::makeHost(Value::tuple(std::move(elements)));
    }
    if (argument.kind == DslValue::Kind::Tuple)
      argument = f.fail(DiagCode::ArgumentMismatch, expr->range,
                        "a tuple cannot be passed to a kernel");
    else if (annotations)
      argument = adaptScalar(f, argument, (*annotations)[index], expr);
    if (argument.isArray() && callee.kind != KernelKind::Inline)
      argument =
          f.fail(DiagCode::ArgumentMismatch, expr->range,
                 "an array can be passed to inline functions only, but '" +
                     Twine(callee.name) + "' is " + callee.getSpelling());
    if (argument.isArray() && !checkArrayInReach(f, argument, expr->range))
      argument = DslValue::error();
    good &= !argument.isError();
  }
  return good;
}

LoweredFunction *pl::frontend::getLoweredFunction(FunctionLowering &f,
                                                  const KernelCall &call) {
  ModuleLowering &module = f.module;
  const KernelObject &callee = *call.callee;
  for (auto [index, frame] : llvm::enumerate(module.stack))
    if (frame.first == &callee) {
      std::string cycle;
      for (auto &inner : ArrayRef(module.stack).drop_front(index))
        cycle += "'" + inner.first->name + "' -> ";
      StringRef kind = callee.kind == KernelKind::Inline ? "inline " : "";
      f.error(DiagCode::Recursion, call.range,
              kind + "functions call each other in a cycle: " + cycle + "'" +
                  callee.name + "'");
      return nullptr;
    }
  constexpr size_t kMaxDepth = 64;
  if (module.stack.size() >= kMaxDepth) {
    f.error(DiagCode::Recursion, call.range, "calls are nested too deeply");
    return nullptr;
  }
  bool inCore = f.core || callee.kind == KernelKind::InCore;
  std::string signature = f.getSignature(callee, call.arguments, inCore);
  std::unique_ptr<LoweredFunction> &entry = module.functions[signature];
  if (!entry) {
    entry = std::make_unique<LoweredFunction>();
    LoweredFunction &made = *entry;
    module.session.noteLowered(callee);
    module.stack.emplace_back(&callee, call.range);
    // The map may grow meanwhile; the function itself stays where it is.
    FunctionLowering(module, *call.callee)
        .lowerInline(made, call.arguments, call.range, inCore);
    module.stack.pop_back();
  }
  LoweredFunction &made = *module.functions[signature];
  if (!made.failed)
    return &made;
  f.hadError = true;
  return nullptr;
}

void pl::frontend::noteEffects(FunctionLowering &f, const KernelCall &call,
                               const LoweredFunction &function) {
  for (auto [index, argument] : llvm::enumerate(call.arguments)) {
    if (function.arguments[index] < 0 || !argument.isTensor())
      continue;
    const ParamEffects &effects = function.effects[index];
    SourceRange where = call.exprs[index]->range;
    if (effects.readFirst)
      f.noteRead(*argument.tensor, where);
    if (effects.writes)
      f.noteWrite(*argument.tensor, where);
    if (effects.reads)
      f.noteRead(*argument.tensor, where);
  }
}

DslValue pl::frontend::makeCall(FunctionLowering &f, const KernelCall &call,
                                LoweredFunction &made) {
  SmallVector<mlir::Value> operands;
  for (auto [index, argument] : llvm::enumerate(call.arguments))
    if (made.arguments[index] >= 0)
      operands.push_back(argument.isTensor() ? argument.tensor->memref
                                             : argument.value);
  noteEffects(f, call, made);
  // A block of pl.spmd may leave its index to the kernel it dispatches.
  f.readsBlockIndex |=
      made.readsBlockIndex || call.callee->kind == KernelKind::InCore;
  if (made.runtimeScope.isValid() && !checkRuntimeScope(f, call.range))
    return DslValue::error();
  auto op = mlir::func::CallOp::create(f.builder, f.loc(call.range), made.func,
                                       operands);
  for (auto [param, index] : made.changedArrays)
    if (DslValue given = call.arguments[param]; given.isTile()) {
      for (auto [other, argument] : llvm::enumerate(call.arguments))
        if (other != param && isSameStorage(argument, given))
          f.error(DiagCode::ArgumentMismatch, call.exprs[other]->range,
                  "this tile is given to two parameters of '" +
                      Twine(call.callee->name) +
                      "', which writes into one of them; give one a tile of "
                      "its own");
      replaceStored(f, given, op.getResult(index));
    } else if (auto *name = llvm::dyn_cast<NameExpr>(call.exprs[param]))
      f.env[name->name].value.value = op.getResult(index);
  if (!made.returnsValue) {
    if (!call.assigned)
      return DslValue::makeTuple({});
    StringRef kind = call.callee->kind == KernelKind::Inline ? "inline " : "";
    return f.fail(DiagCode::NoReturnValue, call.range,
                  kind + "function '" + Twine(call.callee->name) +
                      "' has no return value; write the call alone, or "
                      "return what is assigned here");
  }
  std::vector<DslValue> results;
  for (const ReturnSlot &slot : made.returns)
    results.push_back(
        f.importReturn(slot, made, op, call.arguments, call.range));
  if (!made.returnsTuple)
    return results.front();
  return DslValue::makeTuple(std::move(results));
}

DslValue FunctionLowering::lowerKernelCall(const CallExpr *call,
                                           KernelObject &callee) {
  SourceRange range = call->range;
  KernelCall made;
  made.assigned = targetName;
  statementCall = nullptr;
  targetName = Identifier();
  bool isExtern = callee.getOption("extern");
  if (!callee.unsupported.empty() && !isExtern)
    return notLowered(range, "a call of " + callee.unsupported);
  if (isHost())
    return lowerDispatch(*this, call, callee, made.assigned);
  if (callee.kind == KernelKind::Jit || callee.kind == KernelKind::Host)
    return fail(DiagCode::MisplacedOp, range,
                "a kernel cannot call '" + Twine(callee.name) + "': it is " +
                    callee.getSpelling() +
                    ", which a host program launches; a function that "
                    "kernels call is @pl.jit.inline, .incore or "
                    ".opaque");
  if (callee.kind == KernelKind::Opaque && core && !isExtern)
    return fail(DiagCode::MisplacedOp, range,
                "'" + Twine(callee.name) + "' is " + callee.getSpelling() +
                    ": it makes tasks, and is called outside core "
                    "scopes");
  if (callee.kind == KernelKind::InCore && core && !core->isSpmd) {
    error(DiagCode::NestedScope, range,
          "'" + callee.name + "' is " + callee.getSpelling() +
              ": its call is a task, and a core scope cannot hold "
              "another")
        .note(core->header, "the outer scope is here");
    return DslValue::error();
  }
  if (!bindKernelCall(*this, callee, range, call->args, call->keywords, {},
                      made))
    return DslValue::error();
  bool isTask = !core && (callee.kind == KernelKind::InCore || isExtern);
  if (!made.noDeps.empty() && !isTask)
    return fail(DiagCode::WrongArguments,
                made.exprs[made.noDeps.front()]->range,
                "pl.no_dep(...) belongs to an argument of a task: the call of "
                "an incore function outside core scopes, or pl.submit");
  if (isExtern)
    return makeExternCall(*this, made);
  if (callee.kind == KernelKind::InCore && !core)
    return makeTaskCall(*this, made);
  LoweredFunction *function = getLoweredFunction(*this, made);
  return function ? makeCall(*this, made, *function) : DslValue::error();
}

DslValue FunctionLowering::importReturn(const ReturnSlot &slot,
                                        const LoweredFunction &callee,
                                        mlir::func::CallOp call,
                                        ArrayRef<DslValue> actuals,
                                        SourceRange range) {
  if (slot.kind == ReturnSlot::Kind::Param)
    return actuals[slot.index];
  DslValue value = slot.value;
  if (slot.kind == ReturnSlot::Kind::Host)
    return value;
  mlir::Value made = call.getResult(slot.index);
  if (!value.isTensor()) {
    value.value = made;
    return value;
  }
  auto tensor = std::make_shared<TensorRef>(*value.tensor);
  tensor->memref = made;
  // A view of a parameter is a view of the argument.
  if (tensor->param >= 0) {
    const TensorRef &root = *actuals[tensor->param].tensor;
    tensor->param = root.param;
    tensor->name = root.name;
    tensor->root = root.root;
  } else {
    tensor->root = made;
  }
  for (auto [axis, extent] : llvm::enumerate(tensor->extents)) {
    if (extent.isStatic())
      continue;
    mlir::Value index = getIndex(axis, range);
    extent.value =
        mlir::memref::DimOp::create(builder, loc(range), made, index);
    // Dims of the callee's parameters have the same extents here.
    for (const DslValue &actual : actuals)
      if (actual.isTensor() && !extent.symbol.empty())
        for (const Extent &other : actual.tensor->extents)
          if (other.symbol == extent.symbol)
            extent.value = other.value;
    if (!symbols.count(extent.symbol))
      extent.symbol.clear();
  }
  return DslValue::makeTensor(std::move(tensor));
}

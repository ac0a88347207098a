//===- LoweringCalls.cpp - inline functions, one per kind of call ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Binding of arguments
//===----------------------------------------------------------------------===//

bool FunctionLowering::bindInlineParam(unsigned index, const DslValue &actual,
                                       const TypeAnnotation &annotation,
                                       SourceRange callRange) {
  ParamInfo &info = params[index];
  StringRef name = info.name;
  auto wrong = [&](const Twine &expected) {
    error(callRange, "parameter '" + name + "' of '" + Twine(kernel.name) +
                         "' is " + expected + ", but the argument is " +
                         describe(actual))
        .note(info.range, "'" + name + "' is declared here");
    return false;
  };
  using Kind = TypeAnnotation::Kind;
  if (annotation.kind == Kind::Scalar && annotation.dtype) {
    if (*annotation.dtype == DTypeKind::TASK_ID) {
      if (!actual.isTask() && !actual.isNone())
        return wrong("a TaskId");
      info.value = actual;
      return true;
    }
    if (!actual.isScalar() && !actual.isHostNumber())
      return wrong("a " + getName(*annotation.dtype) + " scalar");
    if (actual.dtype && actual.dtype != annotation.dtype)
      return wrong("a " + getName(*annotation.dtype) + " scalar");
    info.value = actual;
    // A constant keeps its value; the annotation says its type.
    if (actual.isHost())
      info.value.dtype = annotation.dtype;
    return true;
  }
  if (annotation.kind == Kind::Array) {
    // The parameter is the argument itself.
    bool isSame = actual.isArray() && actual.dtype == annotation.dtype &&
                  annotation.dims.size() == 1 &&
                  annotation.dims[0].extent == actual.shape[0];
    if (!isSame)
      return wrong("declared " + str(annotation));
    info.value = actual;
    return true;
  }
  if (annotation.kind != Kind::Tensor && annotation.kind != Kind::Tile) {
    notLowered(info.range, "a parameter of type " + str(annotation));
    return false;
  }
  if (actual.isTile()) {
    if (annotation.dtype && annotation.dtype != actual.dtype)
      return wrong("of dtype " + getName(*annotation.dtype));
    if (annotation.hasShape) {
      if (annotation.dims.size() != actual.shape.size())
        return wrong("of rank " + Twine(annotation.dims.size()));
      for (auto [axis, dim] : llvm::enumerate(annotation.dims)) {
        int64_t extent = actual.shape[axis];
        if (!dim.isDynamic() && dim.extent != extent)
          return wrong("declared with " + Twine(dim.extent) + " in axis " +
                       Twine(axis));
        if (dim.isDynamic()) {
          SymbolInfo symbol;
          symbol.param = index;
          symbol.axis = axis;
          symbol.known = extent;
          symbols.try_emplace(module.getSymbol(dim.dynamic.get()), symbol);
        }
      }
    }
    info.value = actual;
    return true;
  }
  if (!actual.isTensor())
    return wrong("a tensor");
  const TensorRef &given = *actual.tensor;
  if (annotation.dtype && *annotation.dtype != given.dtype)
    return wrong("a " + getName(*annotation.dtype) + " tensor");
  if (annotation.hasShape && annotation.dims.size() != given.extents.size())
    return wrong("of rank " + Twine(annotation.dims.size()));

  auto tensor = std::make_shared<TensorRef>(given);
  tensor->param = index;
  tensor->name = name.str();
  for (auto [axis, extent] : llvm::enumerate(tensor->extents)) {
    bool isStatic = extent.isStatic();
    extent.value = {};
    SymbolInfo symbol;
    symbol.param = index;
    symbol.axis = axis;
    const Dim *dim = annotation.hasShape ? &annotation.dims[axis] : nullptr;
    if (dim && !dim->isDynamic()) {
      if (isStatic && dim->extent != extent.number)
        return wrong("declared with " + Twine(dim->extent) + " in axis " +
                     Twine(axis));
    }
    if (dim && dim->isDynamic()) {
      std::string text = module.getSymbol(dim->dynamic.get()).str();
      symbol.known = isStatic ? extent.number : -1;
      auto [found, isNew] = symbols.try_emplace(text, symbol);
      SymbolInfo &known = found->second;
      if (!isNew && isStatic && known.known >= 0 &&
          known.known != extent.number) {
        const ParamInfo &other = params[known.param];
        error(callRange, "'" + Twine(kernel.name) + "' declares dim '" +
                             dim->dynamic->name + "' for both '" +
                             other.name.str() + "' and '" + name +
                             "', but the arguments have " + Twine(known.known) +
                             " and " + Twine(extent.number))
            .note(other.range, "'" + other.name.str() + "', axis " +
                                   Twine(known.axis) + ", has extent " +
                                   Twine(known.known))
            .note(info.range, "'" + name + "', axis " + Twine(axis) +
                                  ", has extent " + Twine(extent.number));
        return false;
      }
      if (!isNew && isStatic && known.known < 0)
        known.known = extent.number;
      extent.symbol = text;
      if (!isStatic)
        info.dims.push_back(text);
      continue;
    }
    if (isStatic)
      continue;
    // No name from the callee: that of the caller, or a new one.
    std::string text = extent.symbol;
    if (text.empty())
      text = module.makeUniqueSymbol((name + "_" + Twine(axis)).str());
    symbols.try_emplace(text, symbol);
    extent.symbol = text;
    info.dims.push_back(text);
  }
  info.value = DslValue::makeTensor(std::move(tensor));
  return true;
}

std::string FunctionLowering::getSignature(const KernelObject &callee,
                                           ArrayRef<DslValue> arguments,
                                           bool inCoreScope) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << &callee << (inCoreScope ? " core" : " chip");
  for (const DslValue &argument : arguments) {
    os << "; ";
    if (argument.isHost()) {
      os << getTypeName(argument.host) << ' ' << repr(argument.host);
      if (argument.host.isObject() && !argument.host.isStr())
        os << ' ' << argument.host.getObject();
      if (argument.dtype)
        os << ' ' << getName(*argument.dtype);
    } else if (argument.isTensor()) {
      os << argument.tensor->memref.getType();
      for (const Extent &extent : argument.tensor->extents)
        os << ' ' << extent.symbol;
    } else {
      os << argument.value.getType();
      for (int64_t extent : argument.shape)
        os << ' ' << extent;
      os << (argument.isTileLevel ? " tile" : "");
      if (argument.dtype)
        os << ' ' << getName(*argument.dtype);
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerInline(LoweredFunction &made,
                                   ArrayRef<DslValue> arguments,
                                   SourceRange callRange, bool inCoreScope) {
  result = &made;
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  made.failed = true;
  const FunctionDefStmt &def = *kernel.def;
  for (const Param &param : def.params) {
    ParamInfo info;
    info.name = param.name;
    info.range = param.range;
    params.push_back(std::move(info));
  }
  SmallVector<mlir::Type> types;
  bool good = true;
  for (auto [index, param] : llvm::enumerate(def.params)) {
    ParamInfo &info = params[index];
    if (param.kind != ParamKind::Normal || param.defaultValue) {
      error(param.range, "a kernel takes plain parameters without defaults");
      good = false;
      continue;
    }
    const DslValue &actual = arguments[index];
    if (param.annotation) {
      FailureOr<TypeAnnotation> annotation =
          module.session.evaluateAnnotation(kernel, param.annotation);
      if (failed(annotation)) {
        good = false;
        continue;
      }
      if (annotation->hasDirection)
        warning(param.range,
                "a direction on a parameter of an inline function has no "
                "effect: the parameter is the argument itself");
      info.annotation = *annotation;
    } else {
      // Without an annotation anything goes.
      info.annotation.kind = actual.isTensor() || actual.isTile()
                                 ? TypeAnnotation::Kind::Tensor
                                 : TypeAnnotation::Kind::Scalar;
      info.annotation.dtype = actual.dtype;
    }
    if (!param.annotation && !actual.isTensor()) {
      info.value = actual;
    } else if (!bindInlineParam(index, actual, info.annotation, callRange)) {
      good = false;
      continue;
    }
    if (info.value.isHost()) {
      made.arguments.push_back(-1);
      continue;
    }
    info.argument = types.size();
    made.arguments.push_back(info.argument);
    types.push_back(actual.isTensor() ? actual.tensor->memref.getType()
                                      : actual.value.getType());
  }
  if (!good || module.session.getDiagnostics().getNumErrors() != errors)
    return;

  builder.setInsertionPointToEnd(module.module->getBody());
  auto function =
      mlir::func::FuncOp::create(builder, module.getLoc(def.name.range),
                                 module.makeUniqueFunctionName(kernel.name),
                                 builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(
      ir::PLDialect::kKind,
      ir::FuncKindAttr::get(&module.context, ir::FuncKind::inlined));
  if (inCoreScope) {
    CoreScope scope;
    scope.header = def.headerRange;
    scope.isFunction = true;
    core = scope;
  }
  beginFunction(function);
  lowerStatements(def.body);
  mlir::Block &body = func.getBody().back();
  if (body.empty() || !body.back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    builder.setInsertionPointToEnd(&body);
    SmallVector<mlir::Value> arrays;
    appendChangedArrays(*this, arrays);
    mlir::func::ReturnOp::create(builder, loc(def.headerRange), arrays);
  }
  function.setFunctionType(
      builder.getFunctionType(types, body.getTerminator()->getOperandTypes()));
  setArgumentAttributes(function);
  for (const ParamInfo &param : params)
    made.effects.push_back(param.effects);
  made.func = function;
  made.readsBlockIndex = readsBlockIndex;
  made.failed =
      hadError || module.session.getDiagnostics().getNumErrors() != errors;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::lowerInlineCall(const CallExpr *call,
                                           KernelObject &callee) {
  SourceRange range = call->range;
  Identifier assigned = targetName;
  statementCall = nullptr;
  targetName = Identifier();
  if (callee.kind != KernelKind::Inline) {
    if (callee.kind == KernelKind::InCore || callee.kind == KernelKind::Opaque)
      return notLowered(range, "a call of a @" + getSpelling(callee.kind) +
                                   " function");
    return fail(range, "a kernel cannot call '" + Twine(callee.name) +
                           "': it is @" + getSpelling(callee.kind) +
                           "; only @pl.jit.inline functions are called from "
                           "kernels");
  }

  // Keywords bind by name, the rest by position.
  llvm::ArrayRef<Param> formals = callee.def->params;
  SmallVector<DslValue> arguments(formals.size());
  SmallVector<const Expr *> exprs(formals.size());
  if (call->args.size() > formals.size())
    return fail(range, "'" + Twine(callee.name) + "' expects " +
                           Twine(formals.size()) + " arguments, but got " +
                           Twine(call->args.size()));
  for (auto [index, arg] : llvm::enumerate(call->args))
    exprs[index] = arg;
  for (const KeywordArg &keyword : call->keywords) {
    size_t index = 0;
    while (index < formals.size() && formals[index].name != keyword.name)
      ++index;
    if (index == formals.size()) {
      SmallVector<StringRef> names;
      for (const Param &formal : formals)
        names.push_back(formal.name);
      return fail(keyword.range, "'" + Twine(callee.name) +
                                     "' has no parameter '" +
                                     keyword.name.str() + "'" +
                                     didYouMean(keyword.name, names));
    }
    if (exprs[index])
      return fail(keyword.range,
                  "parameter '" + keyword.name.str() + "' is given twice");
    exprs[index] = keyword.value;
  }
  bool good = true;
  for (auto [index, expr] : llvm::enumerate(exprs)) {
    if (!expr)
      return fail(range, "'" + Twine(callee.name) + "' expects " +
                             Twine(formals.size()) + " arguments; parameter '" +
                             formals[index].name.str() + "' is missing");
    arguments[index] = lower(expr);
    if (arguments[index].kind == DslValue::Kind::Tuple)
      arguments[index] = fail(expr->range, "a tuple cannot be passed to a "
                                           "kernel");
    if (arguments[index].isArray() &&
        !checkArrayInReach(*this, arguments[index], expr->range))
      arguments[index] = DslValue::error();
    good &= !arguments[index].isError();
  }
  if (!good)
    return DslValue::error();

  for (auto [index, frame] : llvm::enumerate(module.stack))
    if (frame.first == &callee) {
      std::string cycle;
      for (auto &inner : ArrayRef(module.stack).drop_front(index))
        cycle += "'" + inner.first->name + "' -> ";
      return fail(range, "inline functions call each other in a cycle: " +
                             cycle + "'" + callee.name + "'");
    }
  constexpr size_t kMaxDepth = 64;
  if (module.stack.size() >= kMaxDepth)
    return fail(range, "calls are nested too deeply");

  std::unique_ptr<LoweredFunction> &entry =
      module.functions[getSignature(callee, arguments, core.has_value())];
  if (!entry) {
    entry = std::make_unique<LoweredFunction>();
    LoweredFunction &made = *entry;
    module.stack.emplace_back(&callee, range);
    // The map may grow meanwhile; the function itself stays where it is.
    FunctionLowering(module, callee)
        .lowerInline(made, arguments, range, core.has_value());
    module.stack.pop_back();
  }
  LoweredFunction &made =
      *module.functions[getSignature(callee, arguments, core.has_value())];
  if (made.failed) {
    hadError = true;
    return DslValue::error();
  }

  SmallVector<mlir::Value> operands;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (made.arguments[index] < 0)
      continue;
    operands.push_back(argument.isTensor() ? argument.tensor->memref
                                           : argument.value);
    if (!argument.isTensor())
      continue;
    const ParamEffects &effects = made.effects[index];
    SourceRange where = exprs[index]->range;
    if (effects.readFirst)
      noteRead(*argument.tensor, where);
    if (effects.writes)
      noteWrite(*argument.tensor, where);
    if (effects.reads)
      noteRead(*argument.tensor, where);
  }
  readsBlockIndex |= made.readsBlockIndex;
  if (made.runtimeScope.isValid() && !checkRuntimeScope(*this, range))
    return DslValue::error();
  auto op =
      mlir::func::CallOp::create(builder, loc(range), made.func, operands);
  for (auto [param, index] : made.changedArrays)
    if (auto *name = llvm::dyn_cast<NameExpr>(exprs[param]))
      env[name->name].value.value = op.getResult(index);
  if (!made.returnsValue) {
    if (assigned)
      return fail(range, "inline function '" + Twine(callee.name) +
                             "' has no return value");
    return DslValue::makeTuple({});
  }
  std::vector<DslValue> results;
  for (const ReturnSlot &slot : made.returns)
    results.push_back(importReturn(slot, made, op, arguments, range));
  if (!made.returnsTuple)
    return results.front();
  return DslValue::makeTuple(std::move(results));
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

//===- LoweringCalls.cpp - called functions, one per kind of call ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
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
  auto wrong = [&](const Twine &expected,
                   DiagCode code = DiagCode::ArgumentMismatch) {
    error(code, callRange,
          "parameter '" + name + "' of '" + Twine(kernel.name) + "' is " +
              expected + ", but the argument is " + describe(actual))
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
    DTypeKind dtype = *annotation.dtype;
    std::string expected = getWithArticle(dtype) + " scalar";
    if (!actual.isScalar() && !actual.isHostNumber())
      return wrong(expected);
    if (actual.dtype && actual.dtype != dtype)
      return wrong(expected);
    if (actual.isHost() && !actual.dtype) {
      bool isReal = isFloat(dtype), isBool = dtype == DTypeKind::BOOL;
      if (actual.host.isBool() != isBool || (actual.host.isFloat() && !isReal))
        return wrong(expected);
    }
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
  bool isShared = annotation.kind == Kind::DistributedTensor;
  if (annotation.kind != Kind::Tensor && annotation.kind != Kind::Tile &&
      !isShared) {
    notLowered(info.range, "a parameter of type " + str(annotation));
    return false;
  }
  if (actual.isTile()) {
    if (isShared)
      return wrong("a window tensor (pld.DistributedTensor)");
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
    return wrong(isShared ? "a window tensor" : "a tensor");
  if (isWindowBuffer(actual))
    return wrong(isShared ? "a window tensor: view the buffer with pld.window"
                          : "a tensor");
  if (info.isWritten && isShared != isWindow(actual))
    return wrong(isShared ? "a window tensor (pld.DistributedTensor)"
                          : "a plain tensor (pl.Tensor)",
                 DiagCode::WindowMismatch);
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
        error(DiagCode::DimMismatch, callRange,
              "'" + Twine(kernel.name) + "' declares dim '" +
                  dim->dynamic->name + "' for both '" + other.name.str() +
                  "' and '" + name + "', but the arguments have " +
                  Twine(known.known) + " and " + Twine(extent.number))
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
  funcKind = kernel.kind == KernelKind::InCore   ? ir::FuncKind::incore
             : kernel.kind == KernelKind::Opaque ? ir::FuncKind::opaque
                                                 : ir::FuncKind::inlined;
  const SmallVector<ParamAnnotation, 0> *annotations =
      module.getAnnotations(kernel);
  if (!annotations)
    return;
  for (const Param &param : kernel.getParams()) {
    ParamInfo info;
    info.name = param.name;
    info.range = param.range;
    params.push_back(std::move(info));
  }
  SmallVector<mlir::Type> types;
  bool good = true;
  for (auto [index, param] : llvm::enumerate(kernel.getParams())) {
    ParamInfo &info = params[index];
    const DslValue &actual = arguments[index];
    const ParamAnnotation &written = (*annotations)[index];
    info.isWritten = written.isGiven;
    if (written.isGiven) {
      if (written.type.hasDirection && funcKind == ir::FuncKind::inlined)
        warning(DiagCode::UselessDirection, param.range,
                "a direction on a parameter of an inline function has no "
                "effect: the parameter is the argument itself");
      info.annotation = written.type;
    } else {
      // Without an annotation anything goes.
      info.annotation.kind = actual.isTensor() || actual.isTile()
                                 ? TypeAnnotation::Kind::Tensor
                                 : TypeAnnotation::Kind::Scalar;
      info.annotation.dtype = actual.dtype;
    }
    if (!written.isGiven && !actual.isTensor()) {
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
  function->setAttr(ir::PLDialect::kKind,
                    ir::FuncKindAttr::get(&module.context, funcKind));
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
  if (!hadError && funcKind != ir::FuncKind::inlined)
    checkDirections();
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
    if (auto *name = llvm::dyn_cast<NameExpr>(call.exprs[param]))
      f.env[name->name].value.value = op.getResult(index);
  if (!made.returnsValue) {
    if (!call.assigned)
      return DslValue::makeTuple({});
    StringRef kind = call.callee->kind == KernelKind::Inline ? "inline " : "";
    return f.fail(DiagCode::NoReturnValue, call.range,
                  kind + "function '" + Twine(call.callee->name) +
                      "' has no return value");
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

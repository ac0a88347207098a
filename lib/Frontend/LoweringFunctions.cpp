//===- LoweringFunctions.cpp - bodies of called functions -----------------===//
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

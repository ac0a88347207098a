//===- LoweringEntry.cpp - programs of a chip and of the host -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// What is written about parameters
//===----------------------------------------------------------------------===//

/// Statements `x.bind_dynamic(axis, dim)` at the top level of a body.
bool ModuleLowering::applyBindDynamic(
    const KernelObject &kernel, SmallVectorImpl<ParamAnnotation> &annotations) {
  bool good = true;
  auto error = [&](DiagCode code, SourceRange range, const Twine &text) {
    report(Severity::Error, code, range, text);
    good = false;
  };
  llvm::ArrayRef<Param> params = kernel.getParams();
  for (const Stmt *stmt : kernel.def->body) {
    auto *expr = llvm::dyn_cast<ExprStmt>(stmt);
    auto *call = expr ? llvm::dyn_cast<CallExpr>(expr->value) : nullptr;
    auto *callee = call ? llvm::dyn_cast<AttributeExpr>(call->callee) : nullptr;
    if (!callee || callee->attr != "bind_dynamic")
      continue;
    auto *name = llvm::dyn_cast<NameExpr>(callee->value);
    size_t index = 0;
    while (name && index < params.size() && params[index].name != name->name)
      ++index;
    if (!name || index == params.size()) {
      error(DiagCode::WrongArguments, callee->value->range,
            "bind_dynamic belongs to a parameter");
      continue;
    }
    if (call->args.size() != 2 || !call->keywords.empty()) {
      error(DiagCode::WrongArguments, call->range,
            "bind_dynamic takes an axis and a dynamic dim");
      continue;
    }
    FailureOr<Value> axis = session.evaluate(kernel, call->args[0]);
    FailureOr<Value> dim = session.evaluate(kernel, call->args[1]);
    if (failed(axis) || failed(dim)) {
      good = false;
      continue;
    }
    ParamAnnotation &annotation = annotations[index];
    auto *dynamic = dim->as<DynVarObject>();
    int64_t number = axis->isInt() ? axis->getInt() : -1;
    bool isOpen = annotation.isGiven && !annotation.type.hasShape &&
                  annotation.type.kind == TypeAnnotation::Kind::Tensor;
    if (dynamic && number >= 0 && isOpen) {
      annotation.binds.emplace_back(number, Ref<DynVarObject>(dynamic));
      continue;
    }
    int64_t rank = annotation.type.dims.size();
    if (!dynamic || number < 0 || number >= rank) {
      error(DiagCode::WrongArguments, call->range,
            "bind_dynamic takes an axis of '" + name->name.str() + "' (0 to " +
                Twine(rank - 1) + ") and a dim made by pl.dynamic");
      continue;
    }
    Dim &bound = annotation.type.dims[number];
    if (bound.isDynamic() && bound.dynamic.get() != dynamic)
      error(DiagCode::DimMismatch, call->range,
            "axis " + Twine(number) + " of '" + name->name.str() + "' is '" +
                bound.dynamic->name + "' in its annotation, and '" +
                dynamic->name + "' here");
    bound.dynamic = Ref<DynVarObject>(dynamic);
  }
  return good;
}

const SmallVector<ParamAnnotation, 0> *
ModuleLowering::getAnnotations(const KernelObject &kernel) {
  auto [found, isNew] = annotations.try_emplace(&kernel);
  if (!isNew)
    return found->second.get();
  auto made = std::make_unique<SmallVector<ParamAnnotation, 0>>();
  bool good = true;
  for (const Param &param : kernel.getParams()) {
    ParamAnnotation &annotation = made->emplace_back();
    if (param.kind != ParamKind::Normal || param.defaultValue) {
      report(Severity::Error, DiagCode::BadAnnotation, param.range,
             "a kernel takes plain parameters without defaults");
      good = false;
      continue;
    }
    if (!param.annotation)
      continue;
    FailureOr<TypeAnnotation> type =
        session.evaluateAnnotation(kernel, param.annotation);
    if (failed(type)) {
      good = false;
      continue;
    }
    annotation.isGiven = true;
    annotation.type = std::move(*type);
  }
  good = good && applyBindDynamic(kernel, *made);
  std::unique_ptr<SmallVector<ParamAnnotation, 0>> &slot = annotations[&kernel];
  if (good)
    slot = std::move(made);
  return slot.get();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Shape and dtype of a tensor for which only `pl.Tensor` is written.
static bool completeAnnotation(FunctionLowering &f, const Param &param,
                               const ParamAnnotation &written,
                               const DslValue *actual,
                               TypeAnnotation &annotation) {
  if (annotation.hasShape && annotation.dtype && !annotation.dims.empty())
    return true;
  if (actual && actual->isTensor()) {
    annotation.hasShape = true;
    annotation.dtype = actual->tensor->dtype;
    annotation.dims.clear();
    for (auto [axis, extent] : llvm::enumerate(actual->tensor->extents)) {
      Dim &dim = annotation.dims.emplace_back();
      dim.extent = extent.number;
      if (!extent.isStatic())
        dim.dynamic = new DynVarObject(
            (param.name.str() + "_" + Twine(axis)).str(), param.range);
    }
  } else if (std::optional<TypeAnnotation> found =
                 f.module.session.findShape(f.kernel, param.name)) {
    annotation.hasShape = true;
    annotation.dtype = found->dtype;
    annotation.dims = found->dims;
  } else {
    f.error(DiagCode::BadAnnotation, param.annotation->range,
            "the shape and dtype of '" + param.name.str() +
                "' are not known: write them, as in pl.Tensor[[8, 64], "
                "pl.FP32], or give the entry a fixture");
    return false;
  }
  bool good = true;
  for (const auto &[axis, dynamic] : written.binds) {
    if (axis < int64_t(annotation.dims.size())) {
      annotation.dims[axis].dynamic = dynamic;
      continue;
    }
    f.error(DiagCode::OutOfRange, param.range,
            "bind_dynamic names axis " + Twine(axis) + " of '" +
                param.name.str() + "', which has " +
                Twine(annotation.dims.size()) + " axes");
    good = false;
  }
  return good;
}

/// Notes where the value of a dim comes from. An extent that is computed from
/// a dim has no symbol of its own.
static bool bindExtent(FunctionLowering &f, unsigned param, unsigned axis,
                       const DynVarObject *dim, SourceRange range,
                       Extent &extent) {
  const DynVarObject *base = dim->base ? dim->base.get() : dim;
  if (dim->base && !f.isHost()) {
    f.error(DiagCode::BadAnnotation, range,
            "the extent '" + dim->name + "' of axis " + Twine(axis) +
                " is computed; a kernel needs a number or one dim made "
                "by pl.dynamic there");
    return false;
  }
  if (!dim->isInvertible()) {
    f.error(DiagCode::DimMismatch, range,
            "the extent '" + dim->name + "' of axis " + Twine(axis) +
                " does not give its dims their values; only v + c, "
                "v - c and v * c (c > 0) of one dim v do")
        .note(base->range, "'" + base->name + "' is made here");
    return false;
  }
  std::string symbol = f.module.getSymbol(base).str();
  FunctionLowering::SymbolInfo info;
  info.param = param;
  info.axis = axis;
  f.symbols.try_emplace(symbol, info);
  if (f.isHost())
    f.dimSources[symbol].push_back({param, axis, dim->scale, dim->offset});
  extent.symbol = dim->base ? std::string() : symbol;
  return true;
}

static bool bindTensor(FunctionLowering &f, const Param &param, unsigned index,
                       FunctionLowering::ParamInfo &info,
                       SmallVectorImpl<mlir::Type> &types) {
  const TypeAnnotation &annotation = info.annotation;
  SourceRange range = param.annotation->range;
  mlir::Type element = f.module.getElementType(*annotation.dtype);
  if (!element || element.isIndex() ||
      *annotation.dtype == DTypeKind::TASK_ID) {
    f.notLowered(range, "a tensor of " + getName(*annotation.dtype));
    return false;
  }
  bool isShared = annotation.kind == TypeAnnotation::Kind::DistributedTensor;
  if (isShared && f.isHost()) {
    f.error(DiagCode::HostOnly, range,
            "a host program makes its windows itself, with "
            "pld.alloc_window_buffer and pld.window");
    return false;
  }
  auto tensor = std::make_shared<TensorRef>();
  tensor->dtype = *annotation.dtype;
  tensor->param = index;
  tensor->name = param.name.str().str();
  SmallVector<int64_t> shape;
  bool good = true;
  for (auto [axis, dim] : llvm::enumerate(annotation.dims)) {
    Extent extent;
    if (dim.isDynamic()) {
      good &= bindExtent(f, index, axis, dim.dynamic.get(), range, extent);
      info.dims.push_back(extent.symbol.empty() ? dim.dynamic->name
                                                : extent.symbol);
      shape.push_back(mlir::ShapedType::kDynamic);
    } else {
      extent.number = dim.extent;
      shape.push_back(dim.extent);
    }
    tensor->extents.push_back(std::move(extent));
  }
  good &= f.checkSize(shape, kMaxTensorElements, range);
  if (!good)
    return false;
  mlir::Attribute space;
  if (isShared)
    space = ir::WindowAttr::get(&f.module.context);
  types.push_back(mlir::MemRefType::get(
      shape, element, mlir::MemRefLayoutAttrInterface(), space));
  info.value = DslValue::makeTensor(std::move(tensor));
  return true;
}

bool FunctionLowering::bindProgramParams(ArrayRef<DslValue> actuals,
                                         SmallVectorImpl<mlir::Type> &types) {
  const SmallVector<ParamAnnotation, 0> *annotations =
      module.getAnnotations(kernel);
  if (!annotations) {
    hadError = true;
    return false;
  }
  using Kind = TypeAnnotation::Kind;
  bool good = true;
  for (auto [index, param] : llvm::enumerate(kernel.getParams())) {
    const ParamAnnotation &written = (*annotations)[index];
    ParamInfo &info = params.emplace_back();
    info.name = param.name;
    info.range = param.range;
    if (!written.isGiven) {
      error(DiagCode::BadAnnotation, param.range,
            "parameter '" + param.name.str() +
                "' of an entry needs an annotation, such as "
                "pl.Tensor[[8, 64], pl.FP32]");
      good = false;
      continue;
    }
    info.annotation = written.type;
    TypeAnnotation &annotation = info.annotation;
    if (!isProgram(kernel))
      annotation.direction = Direction::In; // what it does to it will show
    SourceRange range = param.annotation->range;
    if (annotation.kind == Kind::Tensor ||
        annotation.kind == Kind::DistributedTensor) {
      if (!completeAnnotation(*this, param, written,
                              actuals.empty() ? nullptr : &actuals[index],
                              annotation) ||
          !bindTensor(*this, param, index, info, types)) {
        good = false;
        continue;
      }
    } else if (annotation.kind == Kind::Scalar && annotation.dtype &&
               *annotation.dtype != DTypeKind::TASK_ID &&
               module.getElementType(*annotation.dtype)) {
      if (annotation.direction != Direction::In) {
        error(DiagCode::Direction, range,
              "a scalar cannot be Out or InOut; write a tensor of one "
              "element");
        good = false;
      }
      types.push_back(module.getScalarType(*annotation.dtype));
      info.value = DslValue::makeScalar({}, *annotation.dtype);
    } else if (!isProgram(kernel) && (annotation.kind == Kind::Array ||
                                      annotation.kind == Kind::Tile ||
                                      annotation.dtype == DTypeKind::TASK_ID)) {
      continue; // made for the call
    } else if (annotation.kind == Kind::Scalar &&
               annotation.dtype == DTypeKind::TASK_ID) {
      error(DiagCode::BadAnnotation, range,
            "an entry has no tasks to wait for: a TaskId is a parameter "
            "of inline functions only");
      good = false;
      continue;
    } else {
      notLowered(range, "a parameter of type " + str(annotation));
      good = false;
      continue;
    }
    info.argument = types.size() - 1;
  }
  return good;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerProgram(LoweredFunction &made,
                                    ArrayRef<DslValue> actuals,
                                    bool isPrivate) {
  isEntry = true;
  result = &made;
  made.failed = true;
  funcKind = kernel.kind == KernelKind::Host ? ir::FuncKind::host
                                             : ir::FuncKind::orchestration;
  SmallVector<mlir::Type> types;
  if (!bindProgramParams(actuals, types))
    return;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.module->getBody());
  made.func =
      mlir::func::FuncOp::create(builder, module.getLoc(kernel.def->name.range),
                                 module.makeUniqueFunctionName(kernel.name),
                                 builder.getFunctionType(types, {}));
  if (isPrivate)
    made.func.setPrivate();
  made.func->setAttr(ir::PLDialect::kKind,
                     ir::FuncKindAttr::get(&module.context, funcKind));
  beginFunction(made.func);
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  lowerStatements(kernel.def->body);
  builder.setInsertionPointToEnd(&func.getBody().back());
  mlir::func::ReturnOp::create(builder, loc(kernel.def->headerRange));
  // A statement with an error may be the write that is missed.
  if (errors == module.session.getDiagnostics().getNumErrors())
    checkDirections();
  setArgumentAttributes(made.func);
  for (const ParamInfo &param : params) {
    made.effects.push_back(param.effects);
    made.arguments.push_back(param.argument);
  }
  made.failed =
      hadError || errors != module.session.getDiagnostics().getNumErrors();
}

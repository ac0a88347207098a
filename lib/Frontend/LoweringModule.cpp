//===- LoweringModule.cpp - the module, its functions and their names -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringChecks.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLHostOps.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "mlir/IR/Verifier.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

ModuleLowering::ModuleLowering(mlir::MLIRContext &context, Session &session)
    : context(context), session(session) {}

mlir::Location ModuleLowering::getLoc(SourceRange range) {
  if (!range.isValid())
    return mlir::UnknownLoc::get(&context);
  FileLineCol where = session.getSources().resolve(range);
  return mlir::FileLineColLoc::get(&context, where.file, where.line,
                                   where.column);
}

mlir::Location ModuleLowering::getLoc(SourceRange range, StringRef name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(&context, name),
                            getLoc(range));
}

std::string ModuleLowering::makeUniqueSymbol(StringRef base) {
  std::string name = base.str();
  for (unsigned i = 1; !usedSymbols.insert(name).second; ++i)
    name = (base + "_" + Twine(i)).str();
  return name;
}

std::string ModuleLowering::makeUniqueFunctionName(StringRef base) {
  std::string name = base.str();
  for (unsigned i = 1; !usedNames.insert(name).second; ++i)
    name = (base + "_" + Twine(i)).str();
  return name;
}

StringRef ModuleLowering::getSymbol(const DynVarObject *dim) {
  std::string &name = symbols[dim];
  if (name.empty())
    name = makeUniqueSymbol(dim->name);
  return name;
}

mlir::Type ModuleLowering::getElementType(DTypeKind dtype) {
  mlir::Builder builder(&context);
  switch (dtype) {
  case DTypeKind::FP64:
    return builder.getF64Type();
  case DTypeKind::FP32:
    return builder.getF32Type();
  case DTypeKind::FP16:
    return builder.getF16Type();
  case DTypeKind::BF16:
    return builder.getBF16Type();
  case DTypeKind::INT8:
    return builder.getI8Type();
  case DTypeKind::INT16:
    return builder.getI16Type();
  case DTypeKind::INT32:
    return builder.getI32Type();
  case DTypeKind::INT64:
    return builder.getI64Type();
  case DTypeKind::BOOL:
    return builder.getI1Type();
  case DTypeKind::INDEX:
    return builder.getIndexType();
  case DTypeKind::TASK_ID:
    return ir::TaskType::get(&context);
  case DTypeKind::UINT8:
  case DTypeKind::UINT16:
  case DTypeKind::UINT32:
  case DTypeKind::UINT64:
    return mlir::IntegerType::get(&context, 8 * getByteSize(dtype),
                                  mlir::IntegerType::Unsigned);
  case DTypeKind::INT4:
    return builder.getIntegerType(4);
  case DTypeKind::UINT4:
    return builder.getIntegerType(4, /*isSigned=*/false);
  case DTypeKind::FP8E4M3FN:
    return mlir::Float8E4M3FNType::get(&context);
  case DTypeKind::FP8E5M2:
    return mlir::Float8E5M2Type::get(&context);
  case DTypeKind::FP8E8M0:
    return mlir::Float8E8M0FNUType::get(&context);
  case DTypeKind::FP4:
    return mlir::Float4E2M1FNType::get(&context);
  case DTypeKind::HF8:
  case DTypeKind::HF4:
    return {}; // no type has their values
  }
  return {};
}

mlir::Type ModuleLowering::getScalarType(DTypeKind dtype) {
  if (isUnsigned(dtype))
    return mlir::IntegerType::get(&context, getBits(dtype));
  return getElementType(dtype);
}

Diagnostic &ModuleLowering::report(Severity severity, DiagCode code,
                                   SourceRange range, const Twine &text) {
  std::string message = text.str();
  std::string key = message + "@" + std::to_string(range.buffer) + ":" +
                    std::to_string(range.begin) + ":" +
                    std::to_string(unsigned(severity));
  if (!reported.insert(key).second) {
    dropped = Diagnostic();
    return dropped;
  }
  Diagnostic &diagnostic =
      session.getDiagnostics().report(severity, code, range, message);
  // A function is lowered for a call: say for which.
  for (auto &[kernel, call] : llvm::reverse(stack))
    if (call.isValid())
      diagnostic.note(call, "in this call of '" + Twine(kernel->name) + "'");
  return diagnostic;
}

/// Drops scalar code that nothing uses and no user named: the ends of windows
/// whose extents are constant, above all.
static void eraseDeadScalars(mlir::ModuleOp module) {
  SmallVector<mlir::Operation *> scalars;
  module.walk([&](mlir::Operation *op) {
    if (op->removeAttr(kReplaced) && op->use_empty())
      scalars.push_back(op);
    bool isScalar = mlir::isa<mlir::arith::ArithDialect>(op->getDialect()) &&
                    !mlir::isa<mlir::NameLoc>(op->getLoc());
    // Arrays of tasks whose slots are all known.
    bool isTasks =
        mlir::isa<ir::TaskNoneOp, ir::TaskArrayOp, ir::TaskSetOp,
                  ir::TaskSlotOp, ir::TaskJoinOp, ir::UndefinedOp>(op);
    if (isScalar || isTasks || mlir::isa<mlir::memref::DimOp>(op))
      scalars.push_back(op);
  });
  for (mlir::Operation *op : llvm::reverse(scalars))
    if (mlir::isOpTriviallyDead(op))
      op->erase();
}

/// Functions made for calls that were lowered again with other types: what the
/// entry does not reach.
static void eraseUnusedFunctions(mlir::ModuleOp module) {
  llvm::StringMap<mlir::func::FuncOp> functions;
  SmallVector<mlir::func::FuncOp> reached;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isPrivate())
      functions[function.getName()] = function;
    else
      reached.push_back(function);
  for (size_t i = 0; i < reached.size(); ++i)
    reached[i].walk([&](mlir::Operation *op) {
      StringRef callee;
      if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
        callee = call.getCallee();
      else if (auto dispatch = mlir::dyn_cast<ir::DispatchOp>(op))
        callee = dispatch.getCallee();
      auto found = functions.find(callee);
      if (found == functions.end())
        return;
      reached.push_back(found->second);
      functions.erase(found);
    });
  for (auto &unused : functions)
    unused.second.erase();
}

mlir::OwningOpRef<mlir::ModuleOp> ModuleLowering::lower(KernelObject &entry) {
  context.loadDialect<ir::PLDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                      mlir::scf::SCFDialect>();
  DiagnosticEngine &diagnostics = session.getDiagnostics();
  unsigned errors = diagnostics.getNumErrors();
  if (!entry.unsupported.empty()) {
    report(Severity::Error, DiagCode::NotLowered, entry.def->headerRange,
           entry.unsupported + " is not lowered yet");
    return {};
  }
  module = mlir::ModuleOp::create(getLoc(entry.def->headerRange), entry.name);
  mlir::Builder builder(&context);
  (*module)->setAttr(ir::PLDialect::kPhase, builder.getStringAttr("pl"));
  session.noteLowered(entry);
  if (isProgram(entry)) {
    stack.emplace_back(&entry, SourceRange());
    LoweredFunction made;
    FunctionLowering(*this, entry).lowerProgram(made, {}, /*isPrivate=*/false);
    stack.pop_back();
  } else {
    lowerAlone(*this, entry);
  }
  diagnostics.flush();
  if (diagnostics.getNumErrors() != errors)
    return {};
  eraseUnusedFunctions(*module);
  eraseDeadScalars(*module);
  // What the rules above let through is checked once more by the dialect; its
  // errors carry the user's locations.
  {
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            session.getDiagnostics().error(
                DiagCode::InvalidIR, entry.def->headerRange,
                "internal: the lowered program is not valid: " +
                    diagnostic.str());
          return success();
        });
    if (failed(mlir::verify(*module)))
      return {};
  }
  warnOfNeverWritten(*this);
  remarkShortRows(*this);
  return std::move(module);
}

mlir::OwningOpRef<mlir::ModuleOp>
pl::frontend::lowerToMLIR(mlir::MLIRContext &context, Session &session,
                          KernelObject &entry) {
  return ModuleLowering(context, session).lower(entry);
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

FunctionLowering::FunctionLowering(ModuleLowering &module, KernelObject &kernel)
    : module(module), kernel(kernel), builder(&module.context) {}

Diagnostic &FunctionLowering::error(DiagCode code, SourceRange range,
                                    const Twine &text) {
  hadError = true;
  return module.report(Severity::Error, code, range, text);
}

Diagnostic &FunctionLowering::warning(DiagCode code, SourceRange range,
                                      const Twine &text) {
  return module.report(Severity::Warning, code, range, text);
}

mlir::Value FunctionLowering::insertInPrologue(
    Prologue &prologue,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> make) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (prologue.last)
    builder.setInsertionPointAfter(prologue.last);
  else
    builder.setInsertionPointToStart(prologue.block);
  mlir::Value value = make(builder);
  prologue.last = value.getDefiningOp();
  return value;
}

mlir::Value FunctionLowering::getConstant(mlir::TypedAttr attr,
                                          SourceRange range) {
  Prologue &prologue = prologues.back();
  mlir::Value &value = prologue.values[{attr.getType(), attr}];
  if (!value)
    value = insertInPrologue(prologue, [&](mlir::OpBuilder &at) {
      return mlir::arith::ConstantOp::create(at, loc(range), attr).getResult();
    });
  return value;
}

mlir::Value FunctionLowering::getIndex(int64_t value, SourceRange range) {
  return getConstant(builder.getIndexAttr(value), range);
}

mlir::Value pl::frontend::readExtent(FunctionLowering &f,
                                     const FunctionLowering::ParamInfo &param,
                                     unsigned axis, StringRef name) {
  FunctionLowering::Prologue &prologue = f.prologues.front();
  mlir::Location where = f.module.getLoc(param.range, name);
  mlir::TypedAttr attr = f.builder.getIndexAttr(axis);
  mlir::Value &index = prologue.values[{attr.getType(), attr}];
  if (!index)
    index = f.insertInPrologue(prologue, [&](mlir::OpBuilder &at) {
      return mlir::arith::ConstantOp::create(at, f.loc(param.range), attr)
          .getResult();
    });
  return f.insertInPrologue(prologue, [&](mlir::OpBuilder &at) {
    return mlir::memref::DimOp::create(at, where, param.value.tensor->memref,
                                       index)
        .getResult();
  });
}

mlir::Value FunctionLowering::getSymbolValue(StringRef symbol) {
  SymbolInfo &info = symbols[symbol];
  if (info.value)
    return info.value;
  const ParamInfo &param = params[info.param];
  if (info.known >= 0)
    return getIndex(info.known, param.range);
  bool isComputed =
      llvm::any_of(dimSources.lookup(symbol), [](const DimSource &source) {
        return source.scale != 1 || source.offset != 0;
      });
  info.value = isComputed ? bindDim(*this, symbol)
                          : readExtent(*this, param, info.axis, symbol);
  return symbols[symbol].value;
}

mlir::Operation *
FunctionLowering::createOp(StringRef name, SourceRange range,
                           mlir::ValueRange operands, mlir::Type type,
                           ArrayRef<mlir::NamedAttribute> attrs) {
  mlir::OperationState state(loc(range), ("pl." + name).str());
  state.addOperands(operands);
  if (type)
    state.addTypes(type);
  state.addAttributes(attrs);
  return builder.create(state);
}

mlir::Value
FunctionLowering::createCompute(StringRef name, SourceRange range,
                                mlir::ValueRange operands, mlir::Type type,
                                ArrayRef<mlir::NamedAttribute> attrs) {
  // One segment for each operand, then no destination and no scratch.
  SmallVector<int32_t> segments(operands.size(), 1);
  segments.append({0, 0});
  SmallVector<mlir::NamedAttribute> all(attrs);
  all.push_back(builder.getNamedAttr("operandSegmentSizes",
                                     builder.getDenseI32ArrayAttr(segments)));
  return createOp(name, range, operands, type, all)->getResult(0);
}

void FunctionLowering::beginFunction(mlir::func::FuncOp made) {
  func = made;
  mlir::Block *entry = func.addEntryBlock();
  Prologue prologue;
  prologue.block = entry;
  prologues.push_back(std::move(prologue));
  builder.setInsertionPointToEnd(entry);
  for (ParamInfo &param : params) {
    if (param.argument >= 0) {
      mlir::BlockArgument argument = func.getArgument(param.argument);
      argument.setLoc(module.getLoc(param.range, param.name.str()));
      if (param.value.isTensor())
        param.value.tensor->memref = param.value.tensor->root = argument;
      else
        param.value.value = argument;
    }
  }
  for (ParamInfo &param : params) {
    if (param.value.isTensor()) {
      auto type =
          mlir::cast<mlir::MemRefType>(param.value.tensor->memref.getType());
      for (auto [axis, extent] : llvm::enumerate(param.value.tensor->extents))
        if (!extent.symbol.empty()) {
          // A symbol that another argument fixes is that constant.
          if (int64_t known = symbols[extent.symbol].known; known >= 0)
            extent.number = known;
          else
            extent.value = getSymbolValue(extent.symbol);
        } else if (type.isDynamicDim(axis)) {
          extent.value = readExtent(*this, param, axis, param.name.str());
        }
    }
    giveStorage(param.value);
    Binding binding;
    binding.value = param.value;
    binding.range = param.range;
    env[param.name] = std::move(binding);
    if (param.value.isTile() && funcKind == ir::FuncKind::inlined)
      watchParam(*this, param.name);
  }
}

void FunctionLowering::setArgumentAttributes(mlir::func::FuncOp made) {
  for (ParamInfo &param : params) {
    if (param.argument < 0)
      continue;
    made.setArgAttr(param.argument, ir::PLDialect::kName,
                    builder.getStringAttr(param.name.str()));
    if (param.value.isArray() && !param.value.isTaskArray())
      made.setArgAttr(
          param.argument, ir::PLDialect::kDirection,
          ir::DirectionAttr::get(&module.context, ir::Direction::inout));
    if (!param.value.isTensor())
      continue;
    ir::Direction direction = ir::Direction::in;
    const ParamEffects &effects = param.effects;
    // Those of an inline function mean nothing: its parameters are the
    // arguments themselves.
    bool isDeclared = funcKind != ir::FuncKind::inlined;
    bool declaredOut =
        isDeclared && param.annotation.direction == Direction::Out;
    bool declaredInOut =
        isDeclared && param.annotation.direction == Direction::InOut;
    if (declaredInOut || ((declaredOut || effects.writes) && effects.readFirst))
      direction = ir::Direction::inout;
    else if (declaredOut || effects.writes)
      direction = ir::Direction::out;
    made.setArgAttr(param.argument, ir::PLDialect::kDirection,
                    ir::DirectionAttr::get(&module.context, direction));
    SmallVector<mlir::Attribute> dims;
    for (const std::string &symbol : param.dims)
      dims.push_back(ir::DimAttr::get(&module.context, symbol));
    if (!dims.empty())
      made.setArgAttr(param.argument, ir::PLDialect::kDims,
                      builder.getArrayAttr(dims));
  }
}

//===----------------------------------------------------------------------===//
// Reads and writes of parameters
//===----------------------------------------------------------------------===//

void FunctionLowering::noteRead(const TensorRef &tensor, SourceRange range) {
  if (tensor.param < 0)
    return;
  for (int other : tensor.otherParams) {
    TensorRef reference;
    reference.param = other;
    noteRead(reference, range);
  }
  ParamEffects &effects = params[tensor.param].effects;
  if (!effects.reads)
    effects.firstRead = range;
  effects.reads = true;
  if (!effects.writes)
    effects.readFirst = true;
}

void FunctionLowering::noteWrite(const TensorRef &tensor, SourceRange range) {
  if (tensor.param < 0)
    return;
  for (int other : tensor.otherParams) {
    TensorRef reference;
    reference.param = other;
    noteWrite(reference, range);
  }
  ParamEffects &effects = params[tensor.param].effects;
  if (!effects.writes)
    effects.firstWrite = range;
  effects.writes = true;
}

void FunctionLowering::checkDirections() {
  for (ParamInfo &param : params) {
    // Every rank may write a window; nothing of it goes back to the host.
    if (!param.value.isTensor() || isWindow(param.value))
      continue;
    const ParamEffects &effects = param.effects;
    StringRef name = param.name;
    if (param.annotation.direction == Direction::In && effects.writes) {
      StringRef wrapper = effects.readFirst ? "pl.InOut" : "pl.Out";
      warning(DiagCode::Direction, param.range,
              "'" + name + "' is written, but is declared In" +
                  (isEntry ? ": its result does not come back; "
                             "declare it "
                           : "; it is taken as ") +
                  wrapper + "[...]")
          .note(effects.firstWrite, "it is written here");
    }
    if (!isEntry)
      continue;
    if (param.annotation.direction != Direction::In && !effects.writes &&
        !effects.reads)
      warning(DiagCode::Direction, param.range,
              "'" + name + "' is an output, but nothing writes it");
    if (param.annotation.direction == Direction::Out && effects.readFirst)
      error(DiagCode::Direction, effects.firstRead,
            "'" + name +
                "' is declared Out, but is read here before "
                "anything was written to it")
          .note(param.range, "declare it pl.InOut[...] if the caller fills it");
  }
}

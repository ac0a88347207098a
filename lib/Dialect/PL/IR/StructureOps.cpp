//===- StructureOps.cpp - Rules of scopes, loops, kernels and launches ----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyEdges(OpTy op) {
  if (op.getEdges().size() != op.getDeps().size())
    return op.emitOpError()
           << "expects a reason for each of " << op.getDeps().size()
           << " deps, but got " << op.getEdges().size();
  return success();
}

LogicalResult AtOp::verify() {
  if (getBody().getNumArguments() != 0)
    return emitOpError() << "expects a body without arguments";
  return verifyEdges(*this);
}

LogicalResult SpmdOp::verify() {
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isIndex())
    return emitOpError() << "expects a body with the block index as argument";
  return verifyEdges(*this);
}

LogicalResult DummyOp::verify() { return verifyEdges(*this); }

LogicalResult LaunchOp::verify() { return verifyEdges(*this); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "expects a pl.kernel named " << getKernelAttr();
  TypeRange expected = kernel.getArgumentTypes();
  if (TypeRange(getArgs()) != expected) {
    InFlightDiagnostic diag = emitOpError()
                              << "expects the " << expected.size()
                              << " arguments of the kernel, but got "
                              << getArgs().size() << " or other types";
    diag.attachNote(kernel.getLoc()) << "the kernel is here";
    return diag;
  }
  return success();
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getMemref().getType());
  if (size_t(type.getNumDynamicDims()) != getDynamicSizes().size())
    return emitOpError() << "expects one size for each of "
                         << type.getNumDynamicDims() << " dynamic dims, got "
                         << getDynamicSizes().size();
  return success();
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, LoopKind kind,
                  Value lower, Value upper, Value step, ValueRange inits,
                  int64_t stages) {
  state.addOperands({lower, upper, step});
  state.addOperands(inits);
  state.addTypes(TypeRange(inits));
  state.getOrAddProperties<Properties>().kind =
      LoopKindAttr::get(builder.getContext(), kind);
  state.getOrAddProperties<Properties>().stages =
      builder.getI64IntegerAttr(stages);
  OpBuilder::InsertionGuard guard(builder);
  Region *body = state.addRegion();
  Block *block = builder.createBlock(body);
  block->addArgument(builder.getIndexType(), state.location);
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    YieldOp::create(builder, state.location);
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLoopKind(getKind()) << ' '
          << getInductionVariable() << " = " << getLower() << " to "
          << getUpper() << " step " << getStep();
  if (getStages() != 1)
    printer << " stages " << getStages();
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(
        llvm::zip(getCarried(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : "
                  << std::get<1>(pair).getType();
        });
    printer << ')';
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "stages"});
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  Type index = builder.getIndexType();
  StringRef kindWord;
  SMLoc loc = parser.getCurrentLocation();
  OpAsmParser::Argument induction;
  OpAsmParser::UnresolvedOperand lower, upper, step;
  if (parser.parseKeyword(&kindWord) || parser.parseArgument(induction) ||
      parser.parseEqual() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) ||
      parser.parseKeyword("step") || parser.parseOperand(step))
    return failure();
  std::optional<LoopKind> kind = symbolizeLoopKind(kindWord);
  if (!kind)
    return parser.emitError(loc, "expects range, parallel or pipeline");
  int64_t stages = 1;
  if (succeeded(parser.parseOptionalKeyword("stages")))
    if (parser.parseInteger(stages))
      return failure();
  induction.type = index;
  SmallVector<OpAsmParser::Argument> arguments{induction};
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  if (succeeded(parser.parseOptionalKeyword("iter"))) {
    auto parseOne = [&]() -> ParseResult {
      OpAsmParser::Argument &argument = arguments.emplace_back();
      return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                     parser.parseOperand(inits.emplace_back()) ||
                     parser.parseColonType(argument.type));
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
      return failure();
  }
  if (parser.resolveOperand(lower, index, state.operands) ||
      parser.resolveOperand(upper, index, state.operands) ||
      parser.resolveOperand(step, index, state.operands))
    return failure();
  for (auto [init, argument] :
       llvm::zip(inits, ArrayRef(arguments).drop_front())) {
    if (parser.resolveOperand(init, argument.type, state.operands))
      return failure();
    state.addTypes(argument.type);
  }
  state.getOrAddProperties<Properties>().kind =
      LoopKindAttr::get(parser.getContext(), *kind);
  state.getOrAddProperties<Properties>().stages =
      builder.getI64IntegerAttr(stages);
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ForOp::ensureTerminator(*body, builder, state.location);
  return parser.parseOptionalAttrDict(state.attributes);
}

LogicalResult YieldOp::verify() {
  if (isa_and_nonnull<PLDialect>((*this)->getParentOp()->getDialect()))
    return success();
  return emitOpError() << "ends a region of an op of pl, but is in '"
                       << (*this)->getParentOp()->getName() << "'";
}

LogicalResult ForOp::verify() {
  auto types = TypeRange(getInits());
  if (TypeRange(getResults()) != types || getBody().getNumArguments() == 0 ||
      TypeRange(ValueRange(getCarried())) != types ||
      TypeRange(getYield()->getOperands()) != types)
    return emitOpError() << "expects initial, carried, yielded and result "
                            "values of the same types";
  if (int64_t(getStages()) < 1)
    return emitOpError() << "expects at least one stage, got " << getStages();
  return success();
}

SmallVector<Region *> ForOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> ForOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVariable()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getLower()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getUpper()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getStep()};
}

Block::BlockArgListType ForOp::getRegionIterArgs() { return getCarried(); }

std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return getYield()->getOpOperands();
}

std::optional<ResultRange> ForOp::getLoopResults() { return getResults(); }

void ForOp::getSuccessorRegions(RegionBranchPoint point,
                                SmallVectorImpl<RegionSuccessor> &regions) {
  // The body may run zero times, and again after itself.
  regions.emplace_back(&getBody(), getBody().getArguments().drop_front());
  regions.emplace_back(getOperation(), getResults());
}

OperandRange ForOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInits();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, CoreKind core) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  properties.core = CoreKindAttr::get(builder.getContext(), core);
  Block &block = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    block.addArgument(input, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  StringRef coreWord;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&coreWord))
    return failure();
  std::optional<CoreKind> core = symbolizeCoreKind(coreWord);
  if (!core)
    return parser.emitError(loc, "expects aic, aiv or mix");
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = name;
  properties.core = CoreKindAttr::get(parser.getContext(), *core);
  SmallVector<Type> inputs;
  SmallVector<Attribute> attrs;
  for (const OpAsmParser::Argument &argument : arguments) {
    inputs.push_back(argument.type);
    attrs.push_back(argument.attrs ? argument.attrs
                                   : parser.getBuilder().getDictionaryAttr({}));
  }
  properties.function_type =
      TypeAttr::get(parser.getBuilder().getFunctionType(inputs, resultTypes));
  if (!attrs.empty())
    properties.arg_attrs = parser.getBuilder().getArrayAttr(attrs);
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  return parser.parseRegion(*body, arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyCoreKind(getCore()) << ' ';
  printer.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(
      printer, getArgumentTypes(), getArgAttrsAttr(), /*isVariadic=*/false,
      getResultTypes(), getResAttrsAttr(), &getBody(),
      /*printEmptyResult=*/false);
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getCoreAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName(), getSymVisibilityAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

StringRef KernelOp::getArgName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, PLDialect::kName);
  return name ? name.getValue() : StringRef();
}

Direction KernelOp::getArgDirection(unsigned index) {
  auto direction =
      getArgAttrOfType<DirectionAttr>(index, PLDialect::kDirection);
  return direction ? direction.getValue() : Direction::inout;
}

unsigned KernelOp::getNumTensors() {
  return llvm::count_if(getArgumentTypes(), llvm::IsaPred<MemRefType>);
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError() << "expects no results";
  bool sawScalar = false;
  for (Type type : getArgumentTypes()) {
    if (isa<MemRefType>(type) && sawScalar)
      return emitOpError() << "expects tensors before scalars";
    if (!isa<MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError() << "expects tensors and scalars, got " << type;
    sawScalar |= !isa<MemRefType>(type);
  }
  return success();
}

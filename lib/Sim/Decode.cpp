//===- Decode.cpp - structure: parameters, loops, branches, launches ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Memory.h"

#include "llvm/Support/raw_ostream.h"

using namespace pl::sim;
using mlir::Operation;
using mlir::Value;
using mlir::ValueRange;

std::optional<ElemType> pl::sim::getIntegerElemType(int64_t width,
                                                    bool isUnsigned) {
  switch (width) {
  case 8:
    return isUnsigned ? ElemType::U8 : ElemType::I8;
  case 16:
    return isUnsigned ? ElemType::U16 : ElemType::I16;
  case 32:
    return isUnsigned ? ElemType::U32 : ElemType::I32;
  case 64:
    return isUnsigned ? ElemType::U64 : ElemType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<ElemType> pl::sim::getElemType(mlir::Type type) {
  if (type.isF32())
    return ElemType::F32;
  if (type.isF16())
    return ElemType::F16;
  if (type.isBF16())
    return ElemType::BF16;
  if (type.isIndex())
    return ElemType::I64;
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  return getIntegerElemType(integer.getWidth(), integer.isUnsigned());
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Instr &Decoder::emit(Op op, Operation *from) {
  Instr &instr = code.instrs.emplace_back();
  instr.op = op;
  instr.loc = from->getLoc();
  if (auto tileOp = mlir::dyn_cast<ir::TileOpInterface>(from))
    instr.pipe = uint8_t(tileOp.getPipe());
  return instr;
}

void Decoder::setOperands(Instr &instr, llvm::ArrayRef<int32_t> list) {
  instr.operands = code.operands.size();
  instr.numOperands = list.size();
  code.operands.insert(code.operands.end(), list.begin(), list.end());
}

int32_t Decoder::constant(int64_t value, Operation *from) {
  int32_t reg = newReg();
  Instr &instr = emit(Op::Const, from);
  instr.dst = reg;
  instr.imm = value;
  return reg;
}

int32_t Decoder::define(Value value) {
  bool isView = mlir::isa<mlir::MemRefType>(value.getType());
  int32_t id = isView ? int32_t(code.numViews++) : newReg();
  slots[value] = id;
  return id;
}

llvm::SmallVector<int32_t, 8> Decoder::slotsOf(ValueRange values) {
  llvm::SmallVector<int32_t, 8> list;
  for (Value value : values)
    list.push_back(slot(value));
  return list;
}

llvm::SmallVector<int32_t, 8> Decoder::mixed(llvm::ArrayRef<int64_t> fixed,
                                             ValueRange dynamic,
                                             Operation *from) {
  llvm::SmallVector<int32_t, 8> list;
  auto next = dynamic.begin();
  for (int64_t value : fixed)
    list.push_back(mlir::ShapedType::isDynamic(value) ? slot(*next++)
                                                      : constant(value, from));
  return list;
}

void Decoder::copyAll(ValueRange from, llvm::ArrayRef<int32_t> to,
                      Operation *op) {
  auto copy = [&](bool isView, int32_t dst, int32_t src) {
    if (dst == src)
      return;
    Instr &instr = emit(isView ? Op::CopyView : Op::Copy, op);
    instr.dst = dst;
    instr.a = src;
  };
  if (from.size() == 1)
    return copy(mlir::isa<mlir::MemRefType>(from[0].getType()), to[0],
                slot(from[0]));
  llvm::SmallVector<int32_t, 8> temps;
  for (Value value : from) {
    bool isView = mlir::isa<mlir::MemRefType>(value.getType());
    temps.push_back(isView ? int32_t(code.numViews++) : newReg());
    copy(isView, temps.back(), slot(value));
  }
  for (auto [value, dst, temp] : llvm::zip(from, to, temps))
    copy(mlir::isa<mlir::MemRefType>(value.getType()), dst, temp);
}

uint8_t Decoder::newSite() {
  // The last one stands for all that do not fit a byte.
  return uint8_t(numSites < 255 ? numSites++ : 255);
}

void Decoder::noteUse(Value view, bool reads, bool writes, bool adds) {
  auto it = paramOf.find(view);
  if (it == paramOf.end())
    return;
  TensorUse &use = code.params[it->second].use;
  use.reads |= reads;
  use.writes |= writes;
  use.adds |= adds;
}

void Decoder::noteSignal(Value view) {
  auto it = paramOf.find(view);
  if (it != paramOf.end())
    code.params[it->second].use.signals = true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Decoder::decodeParam(mlir::FunctionOpInterface function, unsigned index) {
  Value value = function.getArgument(index);
  ParamDecl &param = code.params.emplace_back();
  param.loc = value.getLoc();
  auto name =
      function.getArgAttrOfType<mlir::StringAttr>(index, ir::PLDialect::kName);
  param.name = name ? name.str() : "arg" + std::to_string(index);
  if (auto direction = function.getArgAttrOfType<ir::DirectionAttr>(
          index, ir::PLDialect::kDirection)) {
    param.isOut = direction.getValue() != ir::Direction::in;
    param.isIn = direction.getValue() != ir::Direction::out;
  } else {
    param.isOut = true;
  }
  mlir::Type element = value.getType();
  if (auto memref = mlir::dyn_cast<mlir::MemRefType>(element)) {
    param.isTensor = true;
    element = memref.getElementType();
    if (memref.getRank() > kMaxRank) {
      function.emitError() << "parameter '" << param.name << "' has more than "
                           << kMaxRank
                           << " axes, which the simulator does not hold";
      return false;
    }
    if (!memref.getLayout().isIdentity()) {
      function.emitError() << "parameter '" << param.name
                           << "' is not packed, got " << memref;
      return false;
    }
    auto dims =
        function.getArgAttrOfType<mlir::ArrayAttr>(index, ir::PLDialect::kDims);
    unsigned dynamic = 0;
    for (int64_t extent : memref.getShape()) {
      bool isDynamic = mlir::ShapedType::isDynamic(extent);
      param.shape.push_back(isDynamic ? -1 : extent);
      if (!isDynamic)
        continue;
      ir::DimAttr dim;
      if (dims && dynamic < dims.size())
        dim = mlir::dyn_cast<ir::DimAttr>(dims[dynamic]);
      param.dimNames.push_back(dim ? dim.getName().str() : "");
      ++dynamic;
    }
    paramOf[value] = index;
  }
  if (mlir::isa<ir::TaskType>(element) || element.isInteger(1)) {
    param.type = ElemType::I64;
  } else if (std::optional<ElemType> type = getElemType(element)) {
    param.type = *type;
  } else {
    function.emitError() << "parameter '" << param.name << "' of type "
                         << value.getType() << " is not simulated";
    return false;
  }
  param.slot = define(value);
  return true;
}

bool Decoder::decodeParams(mlir::FunctionOpInterface function) {
  code.name = function.getName().str();
  code.loc = function.getLoc();
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (!decodeParam(function, i))
      return false;
  return true;
}

bool Decoder::decodeFunction(mlir::FunctionOpInterface function) {
  if (!decodeParams(function))
    return false;
  mlir::Region &body = function.getFunctionBody();
  if (!body.hasOneBlock()) {
    function.emitError() << "is simulated only with a body of one block";
    return false;
  }
  if (!decodeBlock(body.front()))
    return false;
  emit(Op::Return, function);
  return true;
}

bool Decoder::decodeBlock(mlir::Block &block) {
  for (Operation &op : block)
    if (!decodeOp(&op))
      return false;
  return true;
}

bool Decoder::decodeOp(Operation *op) {
  if (mlir::isa<mlir::func::ReturnOp>(op))
    return true;
  // Terminators of loops and branches are handled by what they end.
  if (mlir::isa<mlir::scf::YieldOp, ir::YieldOp, mlir::scf::ConditionOp>(op))
    return true;
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
    return decodeFor(op, loop.getLowerBound(), loop.getUpperBound(),
                     loop.getStep(), loop.getInitArgs(), *loop.getBody());
  if (auto loop = mlir::dyn_cast<ir::ForOp>(op))
    return decodeFor(op, loop.getLower(), loop.getUpper(), loop.getStep(),
                     loop.getInits(), loop.getBody().front());
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return decodeIf(branch);
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
    return decodeWhile(loop);
  if (auto launch = mlir::dyn_cast<ir::LaunchOp>(op))
    return decodeLaunch(launch);
  if (auto dummy = mlir::dyn_cast<ir::DummyOp>(op))
    return decodeDummy(dummy);
  if (auto alloc = mlir::dyn_cast<ir::AllocOp>(op))
    return decodeAlloc(alloc);
  if (mlir::isa_and_nonnull<mlir::arith::ArithDialect>(op->getDialect()))
    return decodeScalar(op);
  if (mlir::isa_and_nonnull<mlir::memref::MemRefDialect>(op->getDialect()))
    return decodeView(op);
  if (mlir::isa_and_nonnull<ir::PLDialect>(op->getDialect()))
    return decodeTileOp(op);
  op->emitError() << "'" << op->getName()
                  << "' is not simulated in phase tiles";
  return false;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

bool Decoder::decodeFor(Operation *op, Value lower, Value upper, Value step,
                        ValueRange inits, mlir::Block &body) {
  int32_t index = define(body.getArgument(0));
  llvm::SmallVector<int32_t, 8> carried;
  for (auto [argument, init, result] :
       llvm::zip(body.getArguments().drop_front(), inits, op->getResults())) {
    carried.push_back(define(argument));
    slots[result] = carried.back();
    if (auto it = paramOf.find(init); it != paramOf.end()) {
      int32_t param = it->second;
      paramOf[argument] = param;
      paramOf[result] = param;
    }
  }
  copyAll(inits, carried, op);
  Instr &start = emit(Op::Copy, op);
  start.dst = index;
  start.a = slot(lower);

  size_t head = code.instrs.size();
  Instr &test = emit(Op::LoopHead, op);
  test.a = index;
  test.b = slot(upper);
  test.c = slot(step);
  if (!decodeBlock(body))
    return false;
  copyAll(body.getTerminator()->getOperands(), carried, op);
  Instr &next = emit(Op::LoopNext, op);
  next.a = index;
  next.b = slot(step);
  next.imm = int64_t(head);
  code.instrs[head].imm = int64_t(code.instrs.size());
  return true;
}

bool Decoder::decodeIf(mlir::scf::IfOp op) {
  llvm::SmallVector<int32_t, 8> results;
  for (Value result : op.getResults())
    results.push_back(define(result));
  auto decodeArm = [&](mlir::Region &region) {
    if (region.empty())
      return true;
    if (!decodeBlock(region.front()))
      return false;
    ValueRange values = region.front().getTerminator()->getOperands();
    for (auto [result, value] : llvm::zip(op.getResults(), values))
      if (auto it = paramOf.find(value); it != paramOf.end()) {
        int32_t param = it->second;
        paramOf[result] = param;
      }
    copyAll(values, results, op);
    return true;
  };
  size_t test = code.instrs.size();
  emit(Op::JumpIfZero, op).a = slot(op.getCondition());
  if (!decodeArm(op.getThenRegion()))
    return false;
  size_t end = code.instrs.size();
  emit(Op::Jump, op);
  code.instrs[test].imm = int64_t(code.instrs.size());
  if (!decodeArm(op.getElseRegion()))
    return false;
  code.instrs[end].imm = int64_t(code.instrs.size());
  return true;
}

bool Decoder::decodeWhile(mlir::scf::WhileOp op) {
  llvm::SmallVector<int32_t, 8> before, after;
  for (Value argument : op.getBeforeArguments())
    before.push_back(define(argument));
  for (auto [argument, result] :
       llvm::zip(op.getAfterArguments(), op.getResults())) {
    after.push_back(define(argument));
    slots[result] = after.back();
  }
  int32_t trips = constant(0, op);
  copyAll(op.getInits(), before, op);
  size_t head = code.instrs.size();
  emit(Op::WhileGuard, op).a = trips;
  if (!decodeBlock(*op.getBeforeBody()))
    return false;
  copyAll(op.getConditionOp().getArgs(), after, op);
  size_t test = code.instrs.size();
  emit(Op::JumpIfZero, op).a = slot(op.getConditionOp().getCondition());
  if (!decodeBlock(*op.getAfterBody()))
    return false;
  copyAll(op.getYieldOp().getOperands(), before, op);
  emit(Op::Jump, op).imm = int64_t(head);
  code.instrs[test].imm = int64_t(code.instrs.size());
  return true;
}

//===----------------------------------------------------------------------===//
// Orchestration
//===----------------------------------------------------------------------===//

static std::string describeEdge(ir::EdgeAttr edge) {
  std::string text = ir::stringifyEdgeKind(edge.getKind()).str();
  if (edge.getBuffer())
    text += " " + edge.getBuffer().str();
  if (edge.getRegion())
    text += " " + edge.getRegion().str();
  return text;
}

static void addReasons(LaunchDecl &launch, mlir::ArrayAttr edges) {
  for (mlir::Attribute edge : edges)
    launch.reasons.push_back(describeEdge(mlir::cast<ir::EdgeAttr>(edge)));
}

bool Decoder::decodeLaunch(ir::LaunchOp op) {
  LaunchDecl &launch = code.launches.emplace_back();
  launch.name = op.getKernel().str();
  launch.kernel =
      kernelIds.try_emplace(op.getKernel(), kernelIds.size()).first->second;
  launch.earlyResolve = op.getEarlyResolve();
  launch.numDeps = op.getDeps().size();
  addReasons(launch, op.getEdges());
  for (Value argument : op.getArgs())
    launch.isTensor.push_back(mlir::isa<mlir::MemRefType>(argument.getType()));
  llvm::SmallVector<int32_t, 8> operands{slot(op.getBlocks())};
  llvm::append_range(operands, slotsOf(op.getArgs()));
  llvm::append_range(operands, slotsOf(op.getDeps()));
  int32_t task = define(op.getTask());
  Instr &instr = emit(Op::Launch, op);
  instr.dst = task;
  instr.imm = int64_t(code.launches.size()) - 1;
  setOperands(instr, operands);
  return true;
}

bool Decoder::decodeDummy(ir::DummyOp op) {
  LaunchDecl &launch = code.launches.emplace_back();
  launch.name = op.getName().value_or("dummy").str();
  launch.numDeps = op.getDeps().size();
  addReasons(launch, op.getEdges());
  int32_t task = define(op.getTask());
  Instr &instr = emit(Op::Dummy, op);
  instr.dst = task;
  instr.imm = int64_t(code.launches.size()) - 1;
  setOperands(instr, slotsOf(op.getDeps()));
  return true;
}

bool Decoder::decodeAlloc(ir::AllocOp op) {
  auto memref = mlir::cast<mlir::MemRefType>(op.getMemref().getType());
  std::optional<ElemType> type = getElemType(memref.getElementType());
  if (!type || memref.getRank() > 8 || !memref.getLayout().isIdentity()) {
    op.emitError() << "tensor '" << op.getName() << "' of type " << memref
                   << " is not simulated: it holds packed tensors of up to 8 "
                      "axes of integers, f32, f16 and bf16";
    return false;
  }
  AllocDecl &alloc = code.allocs.emplace_back();
  alloc.name = op.getName().str();
  alloc.type = *type;
  for (int64_t extent : memref.getShape())
    alloc.shape.push_back(mlir::ShapedType::isDynamic(extent) ? -1 : extent);
  int32_t view = define(op.getMemref());
  Instr &instr = emit(Op::Alloc, op);
  instr.dst = view;
  instr.imm = int64_t(code.allocs.size()) - 1;
  setOperands(instr, slotsOf(op.getDynamicSizes()));
  return true;
}

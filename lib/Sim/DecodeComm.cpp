//===- DecodeComm.cpp - other ranks, host programs
//-------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"

using namespace pl::sim;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

bool Decoder::decodeTransfer(Operation *op) {
  Value source, target, peer;
  mlir::ValueRange sourceOffsets, targetOffsets, sizes, stages;
  bool adds = false, isPut = mlir::isa<ir::PutOp>(op);
  auto take = [&](auto transfer) {
    source = transfer.getSource();
    target = transfer.getTarget();
    peer = transfer.getPeer();
    sourceOffsets = transfer.getSourceOffsets();
    targetOffsets = transfer.getTargetOffsets();
    sizes = transfer.getSizes();
    stages = transfer.getStages();
  };
  if (auto put = mlir::dyn_cast<ir::PutOp>(op)) {
    take(put);
    adds = put.getAtomic() == ir::AtomicKind::add;
  } else {
    take(mlir::cast<ir::GetOp>(op));
  }
  if (!checkElement(op, source))
    return false;
  llvm::SmallVector<int32_t, 8> operands = slotsOf(sourceOffsets);
  llvm::append_range(operands, slotsOf(targetOffsets));
  llvm::append_range(operands, slotsOf(sizes));
  Instr &instr = emit(isPut ? Op::Put : Op::Get, op);
  instr.a = slot(source);
  instr.b = slot(target);
  instr.c = slot(peer);
  instr.sub = adds;
  instr.site = newSite();
  setOperands(instr, operands);
  instr.scratch = code.operands.size();
  instr.numScratch = stages.size();
  llvm::append_range(code.operands, slotsOf(stages));
  noteUse(source, /*reads=*/true, false, false);
  noteUse(target, false, !adds, adds);
  return true;
}

bool Decoder::decodeRemote(Operation *op) {
  if (auto load = mlir::dyn_cast<ir::RemoteLoadOp>(op)) {
    if (!checkElement(op, load.getSource()))
      return false;
    Instr &instr = emit(Op::RemoteLoad, op);
    instr.dst = slot(load.getDst());
    instr.a = slot(load.getSource());
    instr.c = slot(load.getPeer());
    instr.site = newSite();
    setOperands(instr, slotsOf(load.getOffsets()));
    noteUse(load.getSource(), /*reads=*/true, false, false);
    return true;
  }
  auto store = mlir::cast<ir::RemoteStoreOp>(op);
  if (!checkElement(op, store.getTarget()))
    return false;
  bool adds = store.getAtomic() == ir::AtomicKind::add;
  Instr &instr = emit(Op::RemoteStore, op);
  instr.a = slot(store.getTile());
  instr.b = slot(store.getTarget());
  instr.c = slot(store.getPeer());
  instr.sub = adds;
  instr.site = newSite();
  setOperands(instr, slotsOf(store.getOffsets()));
  noteUse(store.getTarget(), false, !adds, adds);
  return true;
}

bool Decoder::decodeSignal(Operation *op) {
  Instr instr;
  Value signal;
  mlir::ValueRange offsets;
  if (auto notify = mlir::dyn_cast<ir::NotifyOp>(op)) {
    instr.op = Op::Notify;
    instr.a = slot(notify.getValue());
    instr.c = slot(notify.getPeer());
    instr.sub = notify.getKind() == ir::NotifyKind::set;
    signal = notify.getTarget();
    offsets = notify.getOffsets();
    code.stops = true;
  } else if (auto wait = mlir::dyn_cast<ir::WaitOp>(op)) {
    instr.op = Op::Wait;
    instr.a = slot(wait.getExpected());
    instr.sub = wait.getCmp() == ir::WaitCmp::ge;
    signal = wait.getSignal();
    offsets = wait.getOffsets();
    code.stops = true;
  } else {
    auto deferred = mlir::cast<ir::DeferWaitOp>(op);
    instr.op = Op::DeferWait;
    instr.a = slot(deferred.getExpected());
    signal = deferred.getSignal();
    offsets = deferred.getOffsets();
  }
  instr.b = slot(signal);
  instr.loc = op->getLoc();
  setOperands(instr, slotsOf(offsets));
  code.instrs.push_back(instr);
  noteSignal(signal);
  return true;
}

bool Decoder::decodeComm(Operation *op, bool &known) {
  known = true;
  if (mlir::isa<ir::PutOp, ir::GetOp>(op))
    return decodeTransfer(op);
  if (mlir::isa<ir::RemoteLoadOp, ir::RemoteStoreOp>(op))
    return decodeRemote(op);
  if (mlir::isa<ir::NotifyOp, ir::WaitOp, ir::DeferWaitOp>(op))
    return decodeSignal(op);
  if (mlir::isa<ir::RankOfOp, ir::NumRanksOp>(op)) {
    int32_t dst = define(op->getResult(0));
    Instr &instr =
        emit(mlir::isa<ir::RankOfOp>(op) ? Op::RankOf : Op::NumRanks, op);
    instr.dst = dst;
    instr.a = slot(op->getOperand(0));
    return true;
  }
  return decodeHost(op, known);
}

//===----------------------------------------------------------------------===//
// Host programs
//===----------------------------------------------------------------------===//

/// Windows: buffers of bytes, and tensors over them.
bool Decoder::decodeAllocWindow(Operation *op) {
  auto memref = mlir::cast<mlir::MemRefType>(op->getResult(0).getType());
  AllocDecl &alloc = code.allocs.emplace_back();
  auto window = mlir::dyn_cast<ir::WindowOp>(op);
  if (window) {
    std::optional<ElemType> type = getElemType(memref.getElementType());
    if (!type || memref.getRank() > 8) {
      op->emitError() << "a window of type " << memref << " is not simulated";
      return false;
    }
    alloc.type = *type;
  } else {
    alloc.type = ElemType::I8;
    alloc.name = mlir::cast<ir::AllocWindowOp>(op).getName().str();
  }
  for (int64_t extent : memref.getShape())
    alloc.shape.push_back(mlir::ShapedType::isDynamic(extent) ? -1 : extent);
  int32_t view = define(op->getResult(0));
  Instr &instr = emit(window ? Op::WindowView : Op::AllocWindow, op);
  instr.dst = view;
  if (window)
    instr.a = slot(window.getBuffer());
  instr.imm = int64_t(code.allocs.size()) - 1;
  mlir::ValueRange sizes = op->getOperands();
  setOperands(instr, slotsOf(window ? sizes.drop_front() : sizes));
  return true;
}

bool Decoder::decodeDispatch(Operation *op) {
  auto dispatch = mlir::cast<ir::DispatchOp>(op);
  DispatchDecl &decl = code.dispatches.emplace_back();
  decl.program =
      programIds->try_emplace(dispatch.getCallee(), programIds->size())
          .first->second;
  for (Value argument : dispatch.getArgs())
    decl.isTensor.push_back(mlir::isa<mlir::MemRefType>(argument.getType()));
  Instr &instr = emit(Op::Dispatch, op);
  instr.imm = int64_t(code.dispatches.size()) - 1;
  if (dispatch.getDevice())
    instr.a = slot(dispatch.getDevice());
  setOperands(instr, slotsOf(dispatch.getArgs()));
  return true;
}

bool Decoder::decodeHost(Operation *op, bool &known) {
  if (!programIds && mlir::isa<ir::AllocWindowOp, ir::WindowOp, ir::DispatchOp,
                               ir::WorldSizeOp, ir::BindDimOp>(op)) {
    op->emitError() << "'" << op->getName() << "' belongs into a host program";
    return false;
  }
  if (mlir::isa<ir::AllocWindowOp, ir::WindowOp>(op))
    return decodeAllocWindow(op);
  if (mlir::isa<ir::DispatchOp>(op))
    return decodeDispatch(op);
  if (mlir::isa<ir::WorldSizeOp>(op)) {
    int32_t dst = define(op->getResult(0));
    emit(Op::WorldSize, op).dst = dst;
    return true;
  }
  if (auto bind = mlir::dyn_cast<ir::BindDimOp>(op)) {
    BindDecl &decl = code.bindings.emplace_back();
    decl.name = bind.getName().str();
    decl.scales.assign(bind.getScales().begin(), bind.getScales().end());
    decl.offsets.assign(bind.getOffsets().begin(), bind.getOffsets().end());
    for (mlir::Attribute source : bind.getSources())
      decl.sources.push_back(mlir::cast<mlir::StringAttr>(source).str());
    int32_t dst = define(bind.getResult());
    Instr &instr = emit(Op::BindDim, op);
    instr.dst = dst;
    instr.imm = int64_t(code.bindings.size()) - 1;
    setOperands(instr, slotsOf(bind.getExtents()));
    return true;
  }
  known = false;
  return false;
}

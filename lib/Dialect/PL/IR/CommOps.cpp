//===- CommOps.cpp - Rules of communication ops ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "TileOpVerifier.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

#include "pl/Dialect/PL/IR/PLCommEnums.cpp.inc"

using namespace mlir;
using namespace mlir::pl;

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

static void addRead(Effects &effects, OpOperand &operand) {
  effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

static void addWrite(Effects &effects, OpOperand &operand) {
  effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

static void addSignal(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), SignalResource::get());
}

static LogicalResult verifyOffsets(Operation *op, MemRefType memref,
                                   unsigned numOffsets) {
  if (memref.getRank() == int64_t(numOffsets) && numOffsets > 0)
    return success();
  return op->emitOpError() << "expects one offset per axis of " << memref
                           << ", got " << numOffsets;
}

/// A box at constant offsets must lie in its tensor.
static LogicalResult verifyBox(Operation *op, MemRefType memref,
                               OperandRange offsets, OperandRange sizes) {
  for (auto [axis, offset, size] : llvm::enumerate(offsets, sizes)) {
    APInt begin, extent;
    if (!matchPattern(offset, m_ConstantInt(&begin)))
      begin = APInt(64, 0);
    if (memref.isDynamicDim(axis) ||
        !matchPattern(size, m_ConstantInt(&extent)))
      continue;
    if (begin.isNegative() || extent.isNegative() ||
        begin.getSExtValue() + extent.getSExtValue() > memref.getDimSize(axis))
      return op->emitOpError()
             << "leaves " << memref << ": in axis " << axis << " it covers "
             << begin.getSExtValue() << " to "
             << begin.getSExtValue() + extent.getSExtValue();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyTransfer(OpTy op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getElementType() != target.getElementType())
    return op.emitOpError()
           << "expects one element type, got " << source << " and " << target;
  if (source.getRank() != target.getRank())
    return op.emitOpError()
           << "expects equal ranks, got " << source << " and " << target;
  if (op.getSizes().size() != size_t(source.getRank()))
    return op.emitOpError() << "expects one size per axis of " << source
                            << ", got " << op.getSizes().size();
  if (failed(verifyOffsets(op, source, op.getSourceOffsets().size())) ||
      failed(verifyOffsets(op, target, op.getTargetOffsets().size())) ||
      failed(verifyBox(op, source, op.getSourceOffsets(), op.getSizes())) ||
      failed(verifyBox(op, target, op.getTargetOffsets(), op.getSizes())))
    return failure();
  int64_t rows = op.getChunkRows(), cols = op.getChunkCols();
  if (rows < 0 || cols < 0)
    return op.emitOpError()
           << "expects chunks of at least 0, got " << rows << " x " << cols;
  if (op.getPipeline() && (rows == 0 || cols == 0))
    return op.emitOpError()
           << "pipelines only chunks of given rows and columns";
  if (op.getStages().size() > (op.getPipeline() ? 2 : 1))
    return op.emitOpError() << "expects at most "
                            << (op.getPipeline() ? "two stages" : "one stage")
                            << ", got " << op.getStages().size();
  return success();
}

/// What atomic adds are made of.
static LogicalResult verifyAtomic(Operation *op, AtomicKind atomic,
                                  Type element) {
  if (atomic == AtomicKind::none || element.isF32() || element.isF16() ||
      element.isBF16() || element.isSignlessInteger(32) ||
      element.isSignlessInteger(16) || element.isSignlessInteger(8))
    return success();
  return op->emitOpError() << "cannot add atomically to " << element;
}

void PutOp::getEffects(Effects &effects) {
  addRead(effects, getSourceMutable());
  if (getAtomic() == AtomicKind::add)
    addRead(effects, getTargetMutable());
  addWrite(effects, getTargetMutable());
  for (OpOperand &stage : getStagesMutable())
    addWrite(effects, stage);
}

LogicalResult PutOp::verify() {
  if (failed(verifyTransfer(*this)))
    return failure();
  return verifyAtomic(*this, getAtomic(),
                      getTarget().getType().getElementType());
}

void GetOp::getEffects(Effects &effects) {
  addRead(effects, getSourceMutable());
  addWrite(effects, getTargetMutable());
  for (OpOperand &stage : getStagesMutable())
    addWrite(effects, stage);
}

LogicalResult GetOp::verify() { return verifyTransfer(*this); }

static LogicalResult verifyRemote(Operation *op, TileType tile,
                                  MemRefType window, unsigned numOffsets) {
  if (failed(verifyOffsets(op, window, numOffsets)))
    return failure();
  if (window.getElementType() != tile.getElementType())
    return op->emitOpError() << "expects one element type, got "
                             << describe(tile) << " and " << window;
  return success();
}

SmallVector<OpOperand *> RemoteStoreOp::getTileSources() {
  return {&getTileMutable()};
}
OpOperand *RemoteStoreOp::getDstOperand() { return nullptr; }
OperandRange RemoteStoreOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value RemoteStoreOp::getResultTile() { return nullptr; }

void RemoteStoreOp::getEffects(Effects &effects) {
  if (isa<BufferType>(getTile().getType()))
    addRead(effects, getTileMutable());
  if (getAtomic() == AtomicKind::add)
    addRead(effects, getTargetMutable());
  addWrite(effects, getTargetMutable());
}

LogicalResult RemoteStoreOp::verify() {
  MemRefType window = getTarget().getType();
  if (window.getRank() < 2)
    return emitOpError() << "expects a window of at least two axes, got "
                         << window;
  if (failed(verifyRemote(*this, asTile(getTile().getType()), window,
                          getOffsets().size())))
    return failure();
  return verifyAtomic(*this, getAtomic(), window.getElementType());
}

SmallVector<OpOperand *> RemoteLoadOp::getTileSources() { return {}; }
OpOperand *RemoteLoadOp::getDstOperand() {
  auto range = getDstMutable();
  return range.empty() ? nullptr : &*range.begin();
}
OperandRange RemoteLoadOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value RemoteLoadOp::getResultTile() { return getResult(); }

void RemoteLoadOp::getEffects(Effects &effects) {
  addRead(effects, getSourceMutable());
  // Another rank may have written meanwhile: not the same as an earlier load.
  addSignal(effects);
  if (OpOperand *dst = getDstOperand())
    addWrite(effects, *dst);
}

LogicalResult RemoteLoadOp::verify() {
  if (failed(verifyForm(*this, getDstOperand(), getResultTile(), {})))
    return failure();
  Type type = getDst() ? Type(getDst().getType()) : Type(getResult().getType());
  if (auto tile = dyn_cast<TileType>(type);
      tile && tile.getNumDynamicValid() != getValid().size())
    return emitOpError() << "expects one operand for each run-time valid "
                            "extent of "
                         << describe(tile) << ", got " << getValid().size();
  return verifyRemote(*this, asTile(type), getSource().getType(),
                      getOffsets().size());
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

void NotifyOp::getEffects(Effects &effects) {
  if (getKind() == NotifyKind::add)
    addRead(effects, getTargetMutable());
  addWrite(effects, getTargetMutable());
  addSignal(effects);
}

LogicalResult NotifyOp::verify() {
  return verifyOffsets(*this, getTarget().getType(), getOffsets().size());
}

void WaitOp::getEffects(Effects &effects) {
  addRead(effects, getSignalMutable());
  addSignal(effects);
}

LogicalResult WaitOp::verify() {
  return verifyOffsets(*this, getSignal().getType(), getOffsets().size());
}

void DeferWaitOp::getEffects(Effects &effects) {
  addRead(effects, getSignalMutable());
  addSignal(effects);
}

LogicalResult DeferWaitOp::verify() {
  APInt expected;
  if (matchPattern(getExpected(), m_ConstantInt(&expected)) &&
      expected.isNegative())
    return emitOpError() << "expects a value of at least 0, got "
                         << expected.getSExtValue()
                         << ": conditions compare unsigned";
  return verifyOffsets(*this, getSignal().getType(), getOffsets().size());
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static void addReadWrite(Effects &effects, OpOperand &operand) {
  addRead(effects, operand);
  addWrite(effects, operand);
}

/// One cell for each rank: [ranks], [ranks, n] or the rows of a ring.
static LogicalResult verifyCells(Operation *op, MemRefType signal) {
  if (signal.getRank() == 1 || signal.getRank() == 2)
    return success();
  return op->emitOpError() << "expects a signal of one or two axes, got "
                           << signal;
}

void AllReduceOp::getEffects(Effects &effects) {
  addReadWrite(effects, getTargetMutable());
  for (OpOperand &signal : getSignalMutable())
    addReadWrite(effects, signal);
  addSignal(effects);
}

LogicalResult AllReduceOp::verify() {
  Type element = getTarget().getType().getElementType();
  if (!element.isF32() && !element.isF16())
    return emitOpError() << "expects f32 or f16, got " << element;
  if (int64_t(getCores()) < 1)
    return emitOpError() << "expects at least one core, got " << getCores();
  if (getTopology() == Topology::ring && getCores() != 1)
    return emitOpError() << "runs a ring on one core, got " << getCores();
  if (getTopology() == Topology::ring && !getSignal())
    return emitOpError() << "needs a signal for a ring";
  return getSignal() ? verifyCells(*this, getSignal().getType()) : success();
}

void BarrierOp::getEffects(Effects &effects) {
  addReadWrite(effects, getSignalMutable());
  addSignal(effects);
}

LogicalResult BarrierOp::verify() {
  return verifyCells(*this, getSignal().getType());
}

void BroadcastOp::getEffects(Effects &effects) {
  addReadWrite(effects, getTargetMutable());
  addReadWrite(effects, getSignalMutable());
  addSignal(effects);
}

LogicalResult BroadcastOp::verify() {
  if (int64_t(getRoot()) < 0)
    return emitOpError() << "expects a root of at least 0, got "
                         << int64_t(getRoot());
  return verifyCells(*this, getSignal().getType());
}

void ReduceScatterOp::getEffects(Effects &effects) {
  addReadWrite(effects, getTargetMutable());
  addReadWrite(effects, getSignalMutable());
  addSignal(effects);
}

LogicalResult ReduceScatterOp::verify() {
  return verifyCells(*this, getSignal().getType());
}

template <typename OpTy> static void addExchange(OpTy op, Effects &effects) {
  addRead(effects, op.getSourceMutable());
  addWrite(effects, op.getTargetMutable());
  addReadWrite(effects, op.getSignalMutable());
  addSignal(effects);
}

template <typename OpTy> static LogicalResult verifyExchange(OpTy op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  if (source.getElementType() != op.getTarget().getType().getElementType())
    return op.emitOpError() << "expects one element type, got " << source
                            << " and " << op.getTarget().getType();
  if (op.getSource() == op.getTarget())
    return op.emitOpError() << "expects two tensors, got one";
  return verifyCells(op, op.getSignal().getType());
}

void AllGatherOp::getEffects(Effects &effects) { addExchange(*this, effects); }
LogicalResult AllGatherOp::verify() { return verifyExchange(*this); }

void AllToAllOp::getEffects(Effects &effects) { addExchange(*this, effects); }
LogicalResult AllToAllOp::verify() { return verifyExchange(*this); }

void AllToAllVOp::getEffects(Effects &effects) {
  addExchange(*this, effects);
  addRead(effects, getSendCountsMutable());
  addWrite(effects, getRecvCountsMutable());
}

LogicalResult AllToAllVOp::verify() {
  auto counts = cast<MemRefType>(getSendCounts().getType());
  if (!counts.getElementType().isSignlessInteger(32))
    return emitOpError() << "expects counts of i32, got " << counts;
  return verifyExchange(*this);
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLCommOps.cpp.inc"

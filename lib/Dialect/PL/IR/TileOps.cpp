//===- TileOps.cpp - Rules of tile and buffer ops -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOpVerifier.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/TileInference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static MemorySpace spaceOf(Value value) {
  if (auto buffer = dyn_cast<BufferType>(value.getType()))
    return buffer.getSpace();
  if (auto tile = dyn_cast<TileType>(value.getType()))
    return tile.getSpace();
  return MemorySpace::none;
}

Pipe mlir::pl::resolvePipe(Operation *op, const TileOpFacts &facts) {
  if (facts.pipe != Pipe::all)
    return facts.pipe;
  auto tileOp = cast<TileOpInterface>(op);
  MemorySpace from = spaceOf(tileOp.getTileSources().front()->get());
  // To global memory, be it a tensor or the slot of a ring.
  if (!tileOp.getDstOperand() && !tileOp.getResultTile())
    return from == MemorySpace::acc ? Pipe::fix : Pipe::mte3;
  if (from == MemorySpace::acc)
    return Pipe::fix;
  return from == MemorySpace::mat ? Pipe::mte1 : Pipe::v;
}

SmallVector<OpOperand *> mlir::pl::collectTileSources(Operation *op,
                                                      Value dst) {
  // Sources come before the destination and scratch operands.
  SmallVector<OpOperand *> sources;
  auto tileOp = cast<TileOpInterface>(op);
  OperandRange scratch = tileOp.getScratchBuffers();
  unsigned end = op->getNumOperands() - scratch.size() - (dst ? 1 : 0);
  for (OpOperand &operand : op->getOpOperands().take_front(end))
    if (isa<TileType, BufferType>(operand.get().getType()))
      sources.push_back(&operand);
  return sources;
}

void mlir::pl::addTileEffects(
    Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto tileOp = cast<TileOpInterface>(op);
  OpOperand *dst = tileOp.getDstOperand();
  for (OpOperand *source : tileOp.getTileSources())
    if (isa<BufferType>(source->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), source);
  if (dst)
    effects.emplace_back(MemoryEffects::Write::get(), dst);
  for (Value scratch : tileOp.getScratchBuffers())
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == scratch)
        effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks the window of a load or store: one offset per axis, an element type
/// in common, a rank that fits the box.
static LogicalResult verifyWindow(Operation *op, Type tile, MemRefType memref,
                                  unsigned numOffsets, bool convertsOnStore) {
  TileType type = asTile(tile);
  if (memref.getRank() == 0 || memref.getRank() != int64_t(numOffsets))
    return op->emitOpError() << "expects one offset per axis of " << memref
                             << ", got " << numOffsets;
  if (memref.getRank() == 1 && type.getRows() != 1)
    return op->emitOpError() << "expects a one-row tile for a rank-1 tensor, "
                                "got "
                             << describe(type);
  if (memref.getElementType() != type.getElementType() &&
      !(convertsOnStore && type.getElementType().isF32() &&
        (memref.getElementType().isBF16() || memref.getElementType().isF16())))
    return op->emitOpError() << "expects one element type, got "
                             << describe(type) << " and " << memref;
  return success();
}

OpOperand *LoadOp::getDstOperand() {
  auto range = getDstMutable();
  return range.empty() ? nullptr : &*range.begin();
}
SmallVector<OpOperand *> LoadOp::getTileSources() { return {}; }
OperandRange LoadOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value LoadOp::getResultTile() { return getResult(); }

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  if (OpOperand *dst = getDstOperand())
    effects.emplace_back(MemoryEffects::Write::get(), dst);
}

LogicalResult LoadOp::verify() {
  if (failed(verifyForm(*this, getDstOperand(), getResultTile(), {})))
    return failure();
  Type type = getDst() ? Type(getDst().getType()) : Type(getResult().getType());
  if (auto tile = dyn_cast<TileType>(type);
      tile && tile.getNumDynamicValid() != getValid().size())
    return emitOpError() << "expects one operand for each run-time valid "
                            "extent of "
                         << describe(tile) << ", got " << getValid().size();
  return verifyWindow(*this, type, cast<MemRefType>(getSource().getType()),
                      getOffsets().size(), /*convertsOnStore=*/false);
}

OpOperand *StoreOp::getDstOperand() { return nullptr; }
SmallVector<OpOperand *> StoreOp::getTileSources() {
  return {&getTileMutable()};
}
OperandRange StoreOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value StoreOp::getResultTile() { return nullptr; }

void StoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<BufferType>(getTile().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getTileMutable());
  if (getAtomic() == AtomicKind::add)
    effects.emplace_back(MemoryEffects::Read::get(), &getTargetMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

LogicalResult StoreOp::verify() {
  // Only the path out of the accumulator converts; before memory spaces are
  // assigned any tile may still become one.
  MemorySpace space = spaceOf(getTile());
  bool converts = space == MemorySpace::acc || space == MemorySpace::none;
  return verifyWindow(*this, getTile().getType(),
                      cast<MemRefType>(getTarget().getType()),
                      getOffsets().size(), converts);
}

LogicalResult SubtileOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (int64_t(getRow()) < 0 || int64_t(getCol()) < 0 ||
      int64_t(getRow()) + result.getRows() > source.getRows() ||
      int64_t(getCol()) + result.getCols() > source.getCols())
    return emitOpError() << "window [" << getRow() << ", " << getCol() << "] + "
                         << describe(result) << " leaves the source "
                         << describe(source);
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "expects one element type, got " << describe(source)
                         << " and " << describe(result);
  return success();
}

LogicalResult ReshapeOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType() ||
      source.getRows() * source.getCols() !=
          result.getRows() * result.getCols())
    return emitOpError() << "expects equal numbers of equal elements, got "
                         << describe(source) << " and " << describe(result);
  if (source.isFullyValid() && result.isFullyValid())
    return success();
  bool swapsVector = (source.getCols() == 1 && result.getRows() == 1 &&
                      source.getValidRows() == result.getValidCols()) ||
                     (source.getRows() == 1 && result.getCols() == 1 &&
                      source.getValidCols() == result.getValidRows()) ||
                     (source.getRows() == result.getRows() &&
                      source.getValidRows() == result.getValidRows() &&
                      source.getValidCols() == result.getValidCols());
  if (!swapsVector)
    return emitOpError() << "cannot map the valid box of " << describe(source)
                         << " to " << describe(result)
                         << "; only [M, 1] and [1, M] keep a partial box";
  return success();
}

LogicalResult SetValidOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getRows() != result.getRows() ||
      source.getCols() != result.getCols() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expects the same box, got " << describe(source)
                         << " and " << describe(result);
  if (result.getNumDynamicValid() != getValid().size())
    return emitOpError() << "expects one operand for each run-time valid "
                            "extent of "
                         << describe(result) << ", got " << getValid().size();
  return success();
}

OpFoldResult ValidExtentOp::fold(FoldAdaptor) {
  int64_t valid = getTile().getType().getValid(getAxis());
  if (ShapedType::isDynamic(valid))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), valid);
}

static LogicalResult verifyElement(Operation *op, MemRefType memref,
                                   Type element, unsigned numIndices) {
  if (memref.getRank() != int64_t(numIndices))
    return op->emitOpError() << "expects one index per axis of " << memref
                             << ", got " << numIndices;
  if (!isScalarOf(memref.getElementType(), element))
    return op->emitOpError()
           << "expects an element of " << memref << ", got " << element;
  return success();
}

void ReadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

LogicalResult ReadOp::verify() {
  return verifyElement(*this, cast<MemRefType>(getSource().getType()),
                       getResult().getType(), getIndices().size());
}

void WriteOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

LogicalResult WriteOp::verify() {
  return verifyElement(*this, cast<MemRefType>(getTarget().getType()),
                       getValue().getType(), getIndices().size());
}

static LogicalResult verifyHandle(Operation *op, BufferType type,
                                  unsigned numValid) {
  if (type.getNumDynamicValid() != numValid)
    return op->emitOpError() << "expects " << type.getNumDynamicValid()
                             << " run-time valid extents, got " << numValid;
  return success();
}

LogicalResult BufferOp::verify() {
  return verifyHandle(*this, getResult().getType(), getValid().size());
}

LogicalResult BufferViewOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (source.getSpace() != result.getSpace())
    return emitOpError() << "expects a view in the memory of its source";
  if (int64_t(getOffset()) < 0 ||
      int64_t(getOffset()) + result.getNumBytes() > source.getNumBytes())
    return emitOpError() << "bytes " << getOffset() << ".."
                         << getOffset() + result.getNumBytes()
                         << " leave the source of " << source.getNumBytes()
                         << " bytes";
  return verifyHandle(*this, result, getValid().size());
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLOps.cpp.inc"

//===- CrossCoreOps.cpp - The two sides of mixed kernels ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "TileOpVerifier.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::pl;

SmallVector<Block *, 2> mlir::pl::getCoreBodies(KernelOp kernel) {
  Block *body = &kernel.getBody().front();
  SmallVector<Block *, 2> bodies;
  for (Operation &op : *body)
    if (isa<CubeOp, VectorOp>(op))
      bodies.push_back(&op.getRegion(0).front());
  if (bodies.empty())
    bodies.push_back(body);
  return bodies;
}

/// One region of each kind, in a mixed kernel.
static LogicalResult verifySide(Operation *side) {
  auto kernel = cast<KernelOp>(side->getParentOp());
  if (kernel.getCore() != CoreKind::mix)
    return side->emitOpError()
           << "is a side of a mixed kernel, but '" << kernel.getSymName()
           << "' is of kind " << stringifyCoreKind(kernel.getCore());
  for (Operation *other = side->getPrevNode(); other;
       other = other->getPrevNode())
    if (other->getName() == side->getName()) {
      InFlightDiagnostic diag = side->emitOpError()
                                << "is there twice: a kernel has one such side";
      diag.attachNote(other->getLoc()) << "the other is here";
      return diag;
    }
  return success();
}

LogicalResult CubeOp::verify() { return verifySide(*this); }
LogicalResult VectorOp::verify() { return verifySide(*this); }

LogicalResult RingOp::verify() {
  auto type = cast<MemRefType>(getWorkspace().getType());
  if (type.getRank() != 2 || type.isDynamicDim(1) ||
      !type.getElementType().isInteger(8))
    return emitOpError() << "expects a workspace of one row of i8 per block, "
                            "got "
                         << type;
  auto isWhole = [](int64_t value) { return value >= 0 && value % 32 == 0; };
  if (int64_t(getSlots()) < 1 || !isWhole(getOffset()) ||
      !isWhole(getBytes()) || getBytes() == 0)
    return emitOpError() << "expects at least one slot, and an offset and slot "
                            "bytes in multiples of 32";
  if (int64_t(getOffset() + getSlots() * getBytes()) > type.getDimSize(1))
    return emitOpError() << "leaves its workspace: " << getSlots()
                         << " slots of " << getBytes() << " bytes from "
                         << getOffset() << " on, in a row of "
                         << type.getDimSize(1);
  // Both sides go by the same ring, and rings have no slot in common.
  int64_t begin = int64_t(getOffset());
  int64_t end = begin + int64_t(getSlots() * getBytes());
  for (Operation *op = (*this)->getPrevNode(); op; op = op->getPrevNode()) {
    auto other = dyn_cast<RingOp>(op);
    if (!other)
      continue;
    bool sameWay = other.getToCube() == getToCube();
    int64_t otherBegin = int64_t(other.getOffset());
    int64_t otherEnd =
        otherBegin + int64_t(other.getSlots() * other.getBytes());
    bool overlaps = other.getWorkspace() == getWorkspace() &&
                    begin < otherEnd && otherBegin < end;
    if (!sameWay && !overlaps)
      continue;
    InFlightDiagnostic diag = emitOpError();
    if (sameWay)
      diag << "is the second one to the "
           << (getToCube() ? "cube" : "vector cores")
           << ": a kernel has one ring per direction, of one number of slots";
    else
      diag << "has bytes " << begin << ".." << end - 1
           << " of its workspace, of which another ring has " << otherBegin
           << ".." << otherEnd - 1;
    diag.attachNote(other.getLoc()) << "the other is here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Handshakes
//===----------------------------------------------------------------------===//

static Operation *getSide(Operation *op) {
  while (op && !isa<CubeOp, VectorOp>(op))
    op = op->getParentOp();
  return op;
}

/// The memories that exchange tiles with the other side.
static LogicalResult verifyHandshake(Operation *op, Type tile,
                                     MemorySpace ofCube) {
  Operation *side = getSide(op);
  if (!side)
    return op->emitOpError() << "belongs into pl.cube or pl.vector";
  MemorySpace wanted = isa<CubeOp>(side) ? ofCube : MemorySpace::vec;
  if (asTile(tile).getSpace() != wanted)
    return op->emitOpError()
           << "expects a tile in " << stringifyMemorySpace(wanted) << " on the "
           << side->getName().stripDialect() << " side, got "
           << describe(asTile(tile));
  return success();
}

static LogicalResult verifySplit(Operation *op, SplitMode split) {
  if (split != SplitMode::none && isa<CubeOp>(getSide(op)))
    return op->emitOpError() << "is whole on the cube side; the lanes split it";
  return success();
}

OpOperand *PushOp::getDstOperand() { return nullptr; }
SmallVector<OpOperand *> PushOp::getTileSources() {
  return {&getTileMutable()};
}
OperandRange PushOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value PushOp::getResultTile() { return nullptr; }

void PushOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<BufferType>(getTile().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getTileMutable());
  // The ring: handshakes keep their order.
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult PushOp::verify() {
  if (failed(verifyHandshake(*this, getTile().getType(), MemorySpace::acc)))
    return failure();
  return verifySplit(*this, getSplit());
}

OpOperand *PopOp::getDstOperand() {
  auto range = getDstMutable();
  return range.empty() ? nullptr : &*range.begin();
}
SmallVector<OpOperand *> PopOp::getTileSources() { return {}; }
OperandRange PopOp::getScratchBuffers() {
  return getOperation()->getOperands().take_back(0);
}
Value PopOp::getResultTile() { return getResult(); }

void PopOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (OpOperand *dst = getDstOperand())
    effects.emplace_back(MemoryEffects::Write::get(), dst);
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult PopOp::verify() {
  if (failed(verifyForm(*this, getDstOperand(), getResultTile(), {})))
    return failure();
  Type type = getDst() ? Type(getDst().getType()) : Type(getResult().getType());
  if (auto tile = dyn_cast<TileType>(type); tile && tile.getNumDynamicValid())
    return emitOpError() << "expects a tile of known valid extents, got "
                         << describe(tile);
  if (failed(verifyHandshake(*this, type, MemorySpace::mat)))
    return failure();
  return verifySplit(*this, getSplit());
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLCrossCoreOps.cpp.inc"

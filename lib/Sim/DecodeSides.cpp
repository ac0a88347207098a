//===- DecodeSides.cpp - the two sides of mixed kernels -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

using namespace pl::sim;
using mlir::Operation;

void Decoder::decodeRing(Operation *op) {
  auto ring = mlir::cast<ir::RingOp>(op);
  RingDecl &decl = code.rings.emplace_back();
  decl.toCube = ring.getToCube();
  decl.view = slot(ring.getWorkspace());
  decl.offset = int64_t(ring.getOffset());
  decl.slots = int64_t(ring.getSlots());
  decl.bytes = int64_t(ring.getBytes());
  decl.loc = op->getLoc();
  noteUse(ring.getWorkspace(), /*reads=*/true, /*writes=*/true, false);
}

bool Decoder::decodeHandshake(Operation *op) {
  auto push = mlir::dyn_cast<ir::PushOp>(op);
  auto pop = mlir::dyn_cast<ir::PopOp>(op);
  bool isCube = op->getParentOfType<ir::CubeOp>() != nullptr;
  bool toCube = isCube == (pop != nullptr);
  auto ring = llvm::find_if(
      code.rings, [&](const RingDecl &decl) { return decl.toCube == toCube; });
  if (ring == code.rings.end()) {
    op->emitError() << "there is no ring to the "
                    << (toCube ? "cube" : "vector cores")
                    << " in this kernel before this handshake";
    return false;
  }
  Instr &instr = emit(push ? Op::Push : Op::Pop, op);
  instr.imm = ring - code.rings.begin();
  if (push)
    instr.a = slot(push.getTile());
  else
    instr.dst = slot(pop.getDst());
  instr.sub = uint8_t(push ? push.getSplit() : pop.getSplit());
  return true;
}

bool Decoder::decodeSide(ir::KernelOp kernel, bool isCube) {
  if (!decodeParams(kernel))
    return false;
  for (Operation &op : kernel.getBody().front()) {
    bool isSide = mlir::isa<ir::CubeOp, ir::VectorOp>(op);
    if (isSide && mlir::isa<ir::CubeOp>(op) != isCube)
      continue;
    if (isSide ? !decodeBlock(op.getRegion(0).front()) : !decodeOp(&op))
      return false;
  }
  emit(Op::Return, kernel);
  return true;
}

//===- InCoreAccess.cpp - What an op of a kernel touches, on which pipe ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/InCoreAccess.h"
#include "pl/Analysis/AccessRegions.h"

using namespace mlir;
using namespace mlir::pl;

static Touched touchedBuffer(Value buffer, bool writes) {
  // One address per memory space serves as the name of the memory.
  static const char memories[8] = {};
  auto type = cast<BufferType>(buffer.getType());
  Operation *def = buffer.getDefiningOp();
  int64_t address = def->getAttrOfType<IntegerAttr>("address").getInt();
  return {&memories[unsigned(type.getSpace())], address,
          address + type.getNumBytes(), writes, buffer};
}

static Touched touchedTensor(Value memref, bool writes) {
  Value root = rootOf(memref);
  return {root.getAsOpaquePointer(), 0, 1, writes, root};
}

std::optional<InCoreAccess> mlir::pl::inCoreAccessOf(Operation *op) {
  InCoreAccess access;
  auto add = [&](Touched touched) { access.touched.push_back(touched); };
  if (auto read = dyn_cast<ReadOp>(op)) {
    add(touchedTensor(read.getSource(), false));
    return access;
  }
  if (auto write = dyn_cast<WriteOp>(op)) {
    add(touchedTensor(write.getTarget(), true));
    return access;
  }
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp)
    return std::nullopt;
  access.pipe = tileOp.getPipe();
  for (OpOperand *source : tileOp.getTileSources())
    add(touchedBuffer(source->get(), false));
  if (OpOperand *dst = tileOp.getDstOperand())
    add(touchedBuffer(dst->get(), true));
  for (Value scratch : tileOp.getScratchBuffers())
    add(touchedBuffer(scratch, true));
  if (auto load = dyn_cast<LoadOp>(op))
    add(touchedTensor(load.getSource(), false));
  if (auto store = dyn_cast<StoreOp>(op))
    add(touchedTensor(store.getTarget(), true));
  return access;
}

//===- InCoreAccess.cpp - What an op of a kernel touches, on which pipe ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/InCoreAccess.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

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

/// What other ranks may rely on: every access of global memory is under way in
/// it, and a notify says that all of them are over.
static Touched touchedPublication(Value memref, bool isNotify) {
  static const char publication = 0;
  return {&publication, 0, 1, isNotify, rootOf(memref)};
}

/// What the other side of a mixed kernel may rely on: every access of global
/// memory is under way in it, and a fence comes between those before and after.
static Touched touchedByOtherSide(Value value, bool isFence) {
  static const char exchange = 0;
  return {&exchange, 0, 1, isFence, value};
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
    add(touchedByOtherSide(rootOf(read.getSource()), false));
    return access;
  }
  if (auto write = dyn_cast<WriteOp>(op)) {
    add(touchedTensor(write.getTarget(), true));
    add(touchedByOtherSide(rootOf(write.getTarget()), false));
    return access;
  }
  if (auto notify = dyn_cast<NotifyOp>(op)) {
    add(touchedPublication(notify.getTarget(), true));
    return access;
  }
  // The scalar unit issues all that follows a wait after it.
  // A transfer ends once its last bytes have left the core.
  auto addTransfer = [&](Value source, Value target, ValueRange stages) {
    for (Value stage : stages)
      add(touchedBuffer(stage, true));
    add(touchedTensor(source, false));
    add(touchedTensor(target, true));
    add(touchedPublication(target, false));
  };
  if (auto put = dyn_cast<PutOp>(op)) {
    addTransfer(put.getSource(), put.getTarget(), put.getStages());
    return access;
  }
  if (auto get = dyn_cast<GetOp>(op)) {
    addTransfer(get.getSource(), get.getTarget(), get.getStages());
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
  auto addGlobal = [&](Value tensor, bool writes) {
    add(touchedTensor(tensor, writes));
    add(touchedPublication(tensor, false));
    add(touchedByOtherSide(rootOf(tensor), false));
  };
  if (op->hasAttr(kFence))
    add(touchedByOtherSide(access.touched.front().value, true));
  if (auto load = dyn_cast<LoadOp>(op))
    addGlobal(load.getSource(), false);
  if (auto store = dyn_cast<StoreOp>(op))
    addGlobal(store.getTarget(), true);
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    addGlobal(load.getSource(), false);
  if (auto store = dyn_cast<RemoteStoreOp>(op))
    addGlobal(store.getTarget(), true);
  return access;
}

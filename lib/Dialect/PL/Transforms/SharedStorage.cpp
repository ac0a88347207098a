//===- SharedStorage.cpp - Tiles that share a buffer ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedStorage.h"

#include "pl/Analysis/TileInterference.h"
#include "pl/Analysis/UserNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::pl;

static bool isTile(Value value) { return isa<TileType>(value.getType()); }

/// Is `tile` a window of its storage, and not all of it?
static bool isPartOfStorage(Value tile) {
  for (; Operation *def = tile.getDefiningOp(); tile = def->getOperand(0)) {
    if (isa<SubtileOp>(def))
      return true;
    if (!isa<ReshapeOp, SetValidOp>(def))
      return false;
  }
  return false;
}

SmallVector<Flow> SharedStorage::collectFlows() {
  SmallVector<Flow> flows;
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, yielded, result] :
           llvm::zip(loop.getInitsMutable(), loop.getRegionIterArgs(),
                     loop.getYieldedValuesMutable().value(), loop.getResults()))
        if (isTile(argument)) {
          flows.push_back({&yielded, argument});
          flows.push_back({&init, argument});
          // The result is the carried tile after the last iteration.
          classes->unionSets(argument.getAsOpaquePointer(),
                             result.getAsOpaquePointer());
        }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        if (isTile(result)) {
          flows.push_back({&branch.thenYield()->getOpOperand(index), result});
          flows.push_back({&branch.elseYield()->getOpOperand(index), result});
        }
    } else if (auto acc = dyn_cast<MatmulAccOp>(op)) {
      flows.push_back({&acc.getAccMutable(), acc.getResult()});
    }
  });
  return flows;
}

SmallVector<Value> SharedStorage::membersOf(Value value) const {
  void *key = value.getAsOpaquePointer();
  if (!classes->contains(key))
    return {value};
  SmallVector<Value> members;
  for (void *member : classes->members(key))
    members.push_back(Value::getFromOpaquePointer(member));
  return members;
}

bool SharedStorage::join(Value a, Value b,
                         const TileInterference &interference) {
  if (leaderOf(a) == leaderOf(b))
    return true;
  SmallVector<Value> others = membersOf(b);
  for (Value x : membersOf(a))
    for (Value y : others)
      if (interference.interfere(x, y))
        return false;
  classes->unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  return true;
}

LogicalResult SharedStorage::copy(Flow flow) {
  Operation *owner = flow.operand->getOwner();
  Value value = flow.operand->get();
  auto type = cast<TileType>(value.getType());
  if (type.getSpace() != MemorySpace::vec) {
    std::string name = nameOf(value);
    return owner->emitError()
           << "PL105: '" << (name.empty() ? "this product" : name)
           << "' is still needed after it is accumulated into or merged, and "
           << stringifyMemorySpace(type.getSpace())
           << " cannot copy it; store it first, or compute it again";
  }
  OpBuilder builder(owner);
  Value copied = MoveOp::create(builder, value.getLoc(), type, value, Value(),
                                ValueRange())
                     .getResult();
  flow.operand->set(copied);
  ++numCopies;
  return success();
}

/// The tile of `value`'s type that nothing filled, made again before `owner`;
/// null where the storage of `value` is another one, or no one else's.
static Value makeOwnEmpty(Value value, Operation *owner) {
  SmallVector<Operation *> views;
  Operation *def = value.getDefiningOp();
  bool isShared = false;
  for (; isa_and_nonnull<ReshapeOp, SetValidOp>(def);
       def = def->getOperand(0).getDefiningOp()) {
    isShared |= !def->hasOneUse();
    views.push_back(def);
  }
  if (!isa_and_nonnull<EmptyOp>(def) || !(isShared || !def->hasOneUse()))
    return {};
  OpBuilder builder(owner);
  IRMapping mapping;
  builder.clone(*def, mapping);
  for (Operation *view : llvm::reverse(views))
    builder.clone(*view, mapping);
  return mapping.lookup(value);
}

LogicalResult SharedStorage::run() {
  classes.emplace();
  // Names that nothing filled may have become one; they hold nothing that two
  // flows could share.
  for (Flow flow : collectFlows())
    if (Value empty =
            makeOwnEmpty(flow.operand->get(), flow.operand->getOwner()))
      flow.operand->set(empty);
  // A window of a tile cannot be carried: its storage is the whole tile's.
  for (Flow flow : collectFlows())
    if (isPartOfStorage(flow.operand->get()))
      if (failed(copy(flow)))
        return failure();
  // A copy can itself be in the way once (tiles that change places), so a flow
  // needs at most two.
  for (unsigned round = 0; round < 3; ++round) {
    classes.emplace();
    TileInterference interference(kernel);
    SmallVector<Flow> blocked;
    for (Flow flow : collectFlows())
      if (!join(storageOf(flow.operand->get()), flow.target, interference))
        blocked.push_back(flow);
    if (blocked.empty())
      return success();
    for (Flow flow : blocked)
      if (failed(copy(flow)))
        return failure();
  }
  return kernel.emitOpError("internal: carried tiles cannot be told apart");
}

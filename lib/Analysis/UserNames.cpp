//===- UserNames.cpp - Names the user gave --------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

StringRef mlir::pl::nameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return nameOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = nameOf(part); !name.empty())
        return name;
  return {};
}

DimAttr mlir::pl::dimOf(BlockArgument argument, int64_t axis) {
  auto func =
      dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!func || !type || axis < 0 || axis >= type.getRank() ||
      !type.isDynamicDim(axis))
    return {};
  auto dims = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                               PLDialect::kDims);
  unsigned position = type.getDynamicDimIndex(axis);
  if (!dims || position >= dims.size())
    return {};
  return dyn_cast<DimAttr>(dims[position]);
}

std::string mlir::pl::nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    if (func && argument.getOwner()->isEntryBlock())
      if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        PLDialect::kName))
        return name.str();
    return nameOf(argument.getLoc()).str();
  }
  Operation *def = value.getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(def))
    return alloc.getName().str();
  if (auto buffer = dyn_cast<BufferOp>(def))
    return buffer.getName().str();
  if (auto view = dyn_cast<BufferViewOp>(def))
    return view.getName().str();
  if (auto dim = dyn_cast<memref::DimOp>(def))
    if (auto argument = dyn_cast<BlockArgument>(dim.getSource()))
      if (std::optional<int64_t> axis = dim.getConstantIndex())
        if (DimAttr symbol = dimOf(argument, *axis))
          return symbol.getName().str();
  return nameOf(def->getLoc()).str();
}

StringRef mlir::pl::taskName(Operation *task) {
  return llvm::TypeSwitch<Operation *, StringRef>(task)
      .Case<AtOp, SpmdOp, DummyOp>(
          [](auto op) { return op.getName().value_or(StringRef()); })
      .Case<LaunchOp>([](LaunchOp op) { return op.getKernel(); })
      .Default(StringRef());
}

StringRef mlir::pl::taskLabel(Operation *task) {
  StringRef name = taskName(task);
  return name.empty() ? "task" : name;
}

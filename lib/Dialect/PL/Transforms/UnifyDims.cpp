//===- UnifyDims.cpp - Dynamic dimensions read once ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_UNIFYDIMS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct UnifyDims : mlir::pl::impl::UnifyDimsBase<UnifyDims> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    // The reads of each dimension, in program order.
    llvm::MapVector<DimAttr, SmallVector<memref::DimOp>> reads;
    func.walk([&](memref::DimOp dim) {
      auto argument = dyn_cast<BlockArgument>(dim.getSource());
      std::optional<int64_t> axis = dim.getConstantIndex();
      if (!argument || argument.getOwner() != &func.front() || !axis)
        return;
      if (DimAttr name = dimOf(argument, *axis))
        reads[name].push_back(dim);
    });
    OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
    for (auto &[name, dims] : reads) {
      Value extent = readOnce(func, name, dims.front().getLoc(), builder);
      for (memref::DimOp dim : dims) {
        dim.getResult().replaceAllUsesWith(extent);
        dim.erase();
      }
      numUnified += dims.size() - 1;
    }
  }

private:
  /// Reads dimension `name` of the first parameter that has it.
  Value readOnce(func::FuncOp func, DimAttr name, Location loc,
                 OpBuilder &builder) {
    for (BlockArgument argument : func.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
        if (dimOf(argument, axis) == name)
          return memref::DimOp::create(builder, loc, argument, axis);
    }
    llvm_unreachable("the name was read from a parameter");
  }
};
} // namespace

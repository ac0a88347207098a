//===- DimSamples.cpp - Values to try for dynamic dims --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/DimSamples.h"
#include "pl/Analysis/LinearExpr.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::pl;

/// Tiles of more rows are no part of a whole tile.
static constexpr int64_t kMaxPart = 128;

DimSamples::DimSamples(func::FuncOp func) : func(func) {
  collectParameters();
  collectTiles();
}

void DimSamples::collectParameters() {
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      if (argument.getType().isIntOrIndex())
        scalars.push_back(argument);
      continue;
    }
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (DimAttr name =
              type.isDynamicDim(axis) ? dimOf(argument, axis) : DimAttr())
        if (!llvm::is_contained(names, name.getName()))
          names.push_back(name.getName());
  }
}

SmallVector<StringRef> DimSamples::getUsedNames() const {
  SmallVector<StringRef> result;
  llvm::copy_if(names, std::back_inserter(result),
                [&](StringRef name) { return used.contains(name); });
  return result;
}

DimValues DimSamples::valuesOf(ArrayRef<StringRef> names, StringRef name,
                               int64_t value, int64_t others) {
  DimValues dims;
  for (StringRef other : names)
    dims[other] = other == name ? value : others;
  return dims;
}

Value mlir::pl::sizeOf(Value memref, int64_t axis) {
  OpFoldResult size;
  if (auto alloc = memref.getDefiningOp<AllocOp>()) {
    if (alloc.getType().isDynamicDim(axis))
      size = alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(axis)];
  } else if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    size = cast.getMixedSizes()[axis];
  } else if (auto view = memref.getDefiningOp<memref::SubViewOp>();
             view && view.getDroppedDims().none()) {
    size = view.getMixedSizes()[axis];
  }
  return dyn_cast_if_present<Value>(size);
}

const llvm::StringSet<> &DimSamples::dimsOf(Value value) {
  auto [found, isNew] = dependence.try_emplace(value);
  if (!isNew)
    return found->second;
  llvm::StringSet<> result;
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_if_present<memref::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (argument && axis && argument.getOwner() == &func.getBody().front()) {
      if (DimAttr name = dimOf(argument, *axis))
        result.insert(name.getName());
    } else if (Value size = axis ? sizeOf(dim.getSource(), *axis) : Value()) {
      result = dimsOf(size);
    }
  } else if (op && op->getNumRegions() == 0) {
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex())
        for (const auto &name : dimsOf(operand))
          result.insert(name.getKey());
  }
  return dependence[value] = std::move(result);
}

void DimSamples::collectTiles() {
  auto use = [&](Value value) {
    for (const auto &name : dimsOf(value))
      used.insert(name.getKey());
  };
  auto add = [&](std::optional<int64_t> tile, Value value) {
    if (tile && *tile > 1 && *tile <= kMaxTile)
      for (const auto &name : dimsOf(value))
        tiles[name.getKey()].insert(*tile);
  };
  // A guard compares what is left of the dim, T - t0, with the tile.
  auto addGuard = [&](std::optional<int64_t> tile, const LinearExpr &left,
                      Operation *op) {
    if (!tile || *tile < 2 || left.getTerms().size() < 2)
      return;
    for (auto [term, coefficient] : left.getTerms())
      if (auto dim = term.getDefiningOp<memref::DimOp>())
        for (const auto &name : dimsOf(dim))
          guards[name.getKey()].push_back({*tile, op});
  };
  // Divisors, steps and bounds are tiles, or not worth less than tiles.
  auto addPart = [&](Value value) {
    APInt number;
    if (!matchPattern(value, m_ConstantInt(&number)) ||
        number.getSignificantBits() > 32)
      return;
    int64_t tile = number.getSExtValue();
    if (tile < 2 || tile > kMaxPart)
      return;
    int64_t both = std::lcm(whole, tile);
    whole = both <= 4 * kMaxPart ? both : std::max(whole, tile);
  };
  func.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::MinSIOp>([&](arith::MinSIOp min) {
          llvm::for_each(op->getOperands(), addPart);
          for (unsigned i : {0, 1}) {
            Value one = op->getOperand(i), other = op->getOperand(1 - i);
            add(getConstantIntValue(one), other);
            addGuard(getConstantIntValue(one), LinearExpr::of(other), op);
            // min(t0 + tile, T)
            if (auto sum = one.getDefiningOp<arith::AddIOp>())
              for (unsigned j : {0, 1})
                if (std::optional<int64_t> tile =
                        getConstantIntValue(sum->getOperand(j))) {
                  add(tile, other);
                  addGuard(tile,
                           LinearExpr::of(other) -
                               LinearExpr::of(sum->getOperand(1 - j)),
                           op);
                }
          }
        })
        .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::CeilDivSIOp>(
            [&](auto) {
              addPart(op->getOperand(1));
              add(getConstantIntValue(op->getOperand(1)), op->getOperand(0));
            })
        .Case<ForOp>([&](ForOp loop) {
          addPart(loop.getStep());
          add(getConstantIntValue(loop.getStep()), loop.getUpper());
          use(loop.getLower());
          use(loop.getUpper());
        })
        .Case<SpmdOp>([&](SpmdOp spmd) { use(spmd.getBlocks()); })
        .Case<AllocOp>([&](AllocOp alloc) {
          for (Value size : alloc.getDynamicSizes())
            use(size);
        });
  });
  // Tiles of tiles.
  for (auto &entry : tiles) {
    std::set<int64_t> &list = entry.getValue();
    SmallVector<int64_t> single(list.begin(), list.end());
    for (int64_t a : single)
      for (int64_t b : single)
        if (a * b <= kMaxTile)
          list.insert(a * b);
  }
}

//===- FootprintExtents.cpp - How much of a tile is valid -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Footprint.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::pl;

/// Of a tile that takes the extent of the others it is merged with.
static constexpr int64_t kAnyExtent = -1;
/// Longer chains of ops are not followed.
static constexpr unsigned kMaxChain = 40;

/// The extent of both, where two ways lead to a tile.
static std::optional<int64_t> agree(std::optional<int64_t> a,
                                    std::optional<int64_t> b) {
  if (!a || !b || (*a >= 0 && *b >= 0 && *a != *b))
    return std::nullopt;
  return std::max(*a, *b);
}

/// Whether a scalar has one value where `user` is, although it may be computed
/// in a loop that is over: then it is computed anew.
bool Footprint::isCurrent(Value scalar, Operation *user) {
  if (scalar.getParentBlock()->findAncestorOpInBlock(*user))
    return true;
  Operation *op = scalar.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op))
    return false;
  values.erase(scalar);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !operand.getType().isIntOrIndex() || isCurrent(operand, user);
  });
}

std::optional<int64_t> Footprint::validOf(Value tile, unsigned axis,
                                          Operation *user, unsigned depth) {
  auto type = dyn_cast<TileType>(tile.getType());
  if (!type || depth > kMaxChain)
    return std::nullopt;
  if (!ShapedType::isDynamic(type.getValid(axis)))
    return type.getValid(axis);
  auto next = [&](Value other, unsigned otherAxis) {
    return validOf(other, otherAxis, user, depth + 1);
  };
  if (auto carried = dyn_cast<BlockArgument>(tile)) {
    // Inside its loop it may differ from turn to turn.
    Operation *loop = carried.getOwner()->getParentOp();
    return isa<ForOp>(loop) && !loop->isAncestor(user)
               ? std::optional<int64_t>(kAnyExtent)
               : std::nullopt;
  }
  Operation *op = tile.getDefiningOp();
  unsigned result = cast<OpResult>(tile).getResultNumber();
  // An accumulator that nothing is in yet.
  auto set = dyn_cast<SetValidOp>(op);
  if (isa<EmptyOp>(op) || (set && set.getSource().getDefiningOp<EmptyOp>()))
    return kAnyExtent;
  if (isa<LoadOp, RemoteLoadOp, SetValidOp>(op)) {
    ValueRange given = isa<LoadOp>(op) ? cast<LoadOp>(op).getValid()
                       : isa<RemoteLoadOp>(op)
                           ? cast<RemoteLoadOp>(op).getValid()
                           : cast<SetValidOp>(op).getValid();
    Value extent =
        given[axis == 1 && ShapedType::isDynamic(type.getValidRows())];
    if (auto other = extent.getDefiningOp<ValidExtentOp>())
      return next(other.getTile(), other.getAxis());
    if (!isCurrent(extent, user))
      return std::nullopt;
    std::optional<int64_t> known = evaluate(extent);
    if (!known || *known < 0)
      return std::nullopt;
    return std::min(*known, type.getExtent(axis));
  }
  if (auto loop = dyn_cast<ForOp>(op))
    return agree(next(loop.getInits()[result], axis),
                 next(loop.getYield()->getOperand(result), axis));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return agree(next(branch.thenYield().getOperand(result), axis),
                 next(branch.elseYield().getOperand(result), axis));
  if (op->getNumRegions() || op->getNumResults() != 1)
    return std::nullopt;
  ValidSource source = validSourceOf(op, axis);
  std::optional<int64_t> least;
  for (auto [operand, operandAxis] : source.operands) {
    std::optional<int64_t> one = next(operand, operandAxis);
    if (!one)
      return std::nullopt;
    if (*one >= 0 && source.isWindow)
      one = std::clamp<int64_t>(*one - source.offset, 0, type.getExtent(axis));
    if (!least || *least < 0 || (*one >= 0 && *one < *least))
      least = one;
  }
  return least;
}

//===- Footprint.cpp - What tasks touch for given dims --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Footprint.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static std::optional<int64_t> floorDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static std::optional<int64_t> compare(arith::CmpIPredicate predicate, int64_t a,
                                      int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// The result of a scalar op on known operands.
static std::optional<int64_t> fold(Operation *op, ArrayRef<int64_t> in) {
  int64_t result;
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return in[0];
  if (isa<arith::AddIOp>(op) && !llvm::AddOverflow(in[0], in[1], result))
    return result;
  if (isa<arith::SubIOp>(op) && !llvm::SubOverflow(in[0], in[1], result))
    return result;
  if (isa<arith::MulIOp>(op) && !llvm::MulOverflow(in[0], in[1], result))
    return result;
  if (isa<arith::MinSIOp>(op))
    return std::min(in[0], in[1]);
  if (isa<arith::MaxSIOp>(op))
    return std::max(in[0], in[1]);
  if (isa<arith::FloorDivSIOp>(op))
    return floorDiv(in[0], in[1]);
  bool bothPositive = in.size() == 2 && in[0] >= 0 && in[1] > 0;
  if (bothPositive && isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return in[0] / in[1] + (in[0] % in[1] != 0);
  if (bothPositive && isa<arith::DivSIOp, arith::DivUIOp>(op))
    return in[0] / in[1];
  if (bothPositive && isa<arith::RemSIOp, arith::RemUIOp>(op))
    return in[0] % in[1];
  if (auto test = dyn_cast<arith::CmpIOp>(op))
    return compare(test.getPredicate(), in[0], in[1]);
  if (isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  if (isa<arith::AndIOp>(op))
    return in[0] & in[1];
  if (isa<arith::OrIOp>(op))
    return in[0] | in[1];
  if (isa<arith::XOrIOp>(op))
    return in[0] ^ in[1];
  return std::nullopt;
}

std::optional<int64_t> Footprint::compute(Operation *op) {
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    std::optional<SmallVector<int64_t>> shape = shapeOf(dim.getSource());
    if (axis && shape && *axis < int64_t(shape->size()))
      return (*shape)[*axis];
    return std::nullopt;
  }
  if (isa<BlockIdxOp>(op))
    return block;
  if (isa<BlockNumOp>(op)) {
    auto spmd = op->getParentOfType<SpmdOp>();
    return spmd ? evaluate(spmd.getBlocks()) : 1;
  }
  if (op->getNumOperands() == 0 || op->getNumOperands() > 3)
    return std::nullopt;
  SmallVector<int64_t, 3> in;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return std::nullopt;
    std::optional<int64_t> known = evaluate(operand);
    if (!known)
      return std::nullopt;
    in.push_back(*known);
  }
  return fold(op, in);
}

std::optional<int64_t> Footprint::evaluate(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  APInt number;
  std::optional<int64_t> result;
  if (matchPattern(value, m_ConstantInt(&number))) {
    if (number.getSignificantBits() <= 64)
      result = number.getBitWidth() == 1 ? int64_t(number.getZExtValue())
                                         : number.getSExtValue();
  } else if (Operation *op = value.getDefiningOp();
             op && op->getNumResults() == 1) {
    result = compute(op);
  }
  values[value] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> Footprint::shapeOf(Value memref) {
  std::optional<View> view = viewOf(memref);
  if (!view)
    return std::nullopt;
  return view->sizes;
}

std::optional<Footprint::View> Footprint::viewOf(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type)
    return std::nullopt;
  auto value = [&](OpFoldResult size) -> std::optional<int64_t> {
    if (auto attr = dyn_cast<Attribute>(size))
      return cast<IntegerAttr>(attr).getInt();
    return evaluate(cast<Value>(size));
  };
  auto all = [&](ArrayRef<OpFoldResult> list, SmallVector<int64_t> &into) {
    for (OpFoldResult one : list) {
      std::optional<int64_t> known = value(one);
      if (!known)
        return false;
      into.push_back(*known);
    }
    return true;
  };
  View view;
  if (auto subview = memref.getDefiningOp<memref::SubViewOp>()) {
    std::optional<View> source = viewOf(subview.getSource());
    SmallVector<int64_t> offsets, sizes, strides;
    if (!source || !all(subview.getMixedOffsets(), offsets) ||
        !all(subview.getMixedSizes(), sizes) ||
        !all(subview.getMixedStrides(), strides))
      return std::nullopt;
    view.root = source->root;
    view.offset = source->offset;
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (size_t axis = 0; axis < offsets.size(); ++axis) {
      view.offset += offsets[axis] * source->strides[axis];
      if (dropped.test(axis))
        continue;
      view.sizes.push_back(sizes[axis]);
      view.strides.push_back(strides[axis] * source->strides[axis]);
    }
    return view;
  }
  if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    std::optional<View> source = viewOf(cast.getSource());
    SmallVector<int64_t> offset;
    if (!source || !all(cast.getMixedOffsets(), offset) ||
        !all(cast.getMixedSizes(), view.sizes) ||
        !all(cast.getMixedStrides(), view.strides))
      return std::nullopt;
    view.root = source->root;
    view.offset = offset[0];
    return view;
  }
  auto argument = dyn_cast<BlockArgument>(memref);
  auto alloc = memref.getDefiningOp<AllocOp>();
  if (!alloc && !(argument && argument.getOwner() == &func.getBody().front()))
    return std::nullopt;
  view.root = memref;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    std::optional<int64_t> extent = type.getDimSize(axis);
    if (type.isDynamicDim(axis)) {
      extent = std::nullopt;
      if (alloc) {
        extent =
            evaluate(alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
      } else if (DimAttr name = dimOf(argument, axis)) {
        auto known = dims.find(name.getName());
        if (known != dims.end())
          extent = known->second;
      }
    }
    if (!extent || *extent < 0)
      return std::nullopt;
    view.sizes.push_back(*extent);
  }
  view.strides.resize(view.sizes.size());
  int64_t stride = 1;
  for (size_t axis = view.sizes.size(); axis-- > 0;) {
    view.strides[axis] = stride;
    if (llvm::MulOverflow(stride, std::max<int64_t>(view.sizes[axis], 1),
                          stride))
      return std::nullopt;
  }
  return view;
}

//===----------------------------------------------------------------------===//
// Valid extents
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

bool Footprint::touchBox(Operation *op, Value memref, ValueRange offsets,
                         ArrayRef<std::optional<int64_t>> sizes, bool reads,
                         bool writes, bool atomic, bool certain, bool exact) {
  Touch touch;
  touch.op = op;
  touch.root = rootOf(memref);
  if (!wanted(touch.root))
    return true;
  touch.reads = reads;
  touch.writes = writes;
  touch.atomic = atomic;
  touch.certain = certain;
  touch.exact = exact;
  touch.block = block;
  std::optional<View> view = viewOf(memref);
  bool isKnown = view && view->sizes.size() == offsets.size();
  SmallVector<int64_t, 4> begin, count;
  for (size_t axis = 0; isKnown && axis < offsets.size(); ++axis) {
    std::optional<int64_t> at = evaluate(offsets[axis]);
    isKnown = at && sizes[axis] && *at >= 0;
    if (!isKnown)
      break;
    begin.push_back(*at);
    // What lies outside is another check's concern.
    count.push_back(std::min(*sizes[axis], view->sizes[axis] - *at));
  }
  if (!isKnown)
    return visit(touch);
  touch.ranges.emplace();
  if (llvm::any_of(count, [](int64_t n) { return n <= 0; }))
    return visit(touch);
  // Ranges along the last axis, one range where rows follow each other.
  int64_t start = view->offset, length = 1;
  size_t rank = begin.size();
  for (size_t axis = 0; axis < rank; ++axis)
    start += begin[axis] * view->strides[axis];
  size_t outer = rank;
  while (outer > 0 && view->strides[outer - 1] == length) {
    --outer;
    length *= count[outer];
    if (count[outer] != view->sizes[outer])
      break;
  }
  SmallVector<int64_t, 4> index(outer);
  for (bool more = true; more;) {
    if (--budget < 0)
      return false;
    int64_t at = start;
    for (size_t axis = 0; axis < outer; ++axis)
      at += index[axis] * view->strides[axis];
    touch.ranges->push_back({at, at + length});
    more = false;
    for (size_t axis = outer; axis-- > 0 && !more;) {
      more = ++index[axis] < count[axis];
      if (!more)
        index[axis] = 0;
    }
  }
  return visit(touch);
}

/// The extents of a load's or store's window on all axes of its tensor.
static SmallVector<std::optional<int64_t>>
windowSizes(size_t rank, std::optional<int64_t> rows,
            std::optional<int64_t> cols) {
  SmallVector<std::optional<int64_t>> sizes(rank, 1);
  if (rank >= 1)
    sizes[rank - 1] = cols;
  if (rank >= 2)
    sizes[rank - 2] = rows;
  return sizes;
}

bool Footprint::touch(Operation *op, bool certain) {
  auto box = [&](Value memref, ValueRange offsets,
                 ArrayRef<std::optional<int64_t>> sizes, bool reads,
                 bool writes, bool atomic) {
    return touchBox(op, memref, offsets, sizes, reads, writes, atomic, certain);
  };
  if (auto load = dyn_cast<LoadOp>(op)) {
    TileType tile = load.getResult().getType();
    std::optional<int64_t> extents[2];
    ValueRange valid = load.getValid();
    for (unsigned axis = 0; axis < 2; ++axis) {
      extents[axis] = tile.getValid(axis);
      if (ShapedType::isDynamic(*extents[axis])) {
        extents[axis] = evaluate(valid.front());
        valid = valid.drop_front();
      }
    }
    if (load.getTranspose())
      std::swap(extents[0], extents[1]);
    return box(load.getSource(), load.getOffsets(),
               windowSizes(load.getOffsets().size(), extents[0], extents[1]),
               true, false, false);
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    auto tile = cast<TileType>(store.getTile().getType());
    bool exact = true;
    auto extent = [&](unsigned axis) {
      std::optional<int64_t> valid = tile.getValid(axis);
      if (ShapedType::isDynamic(*valid))
        valid = usesExtents ? validOf(store.getTile(), axis, op) : std::nullopt;
      // Where it is not known, the whole box may be written.
      if (valid && *valid >= 0)
        return *valid;
      exact = false;
      return tile.getExtent(axis);
    };
    int64_t rows = extent(0), cols = extent(1);
    bool atomic = store.getAtomic() == AtomicKind::add;
    return touchBox(op, store.getTarget(), store.getOffsets(),
                    windowSizes(store.getOffsets().size(), rows, cols), atomic,
                    true, atomic, certain, exact);
  }
  if (auto read = dyn_cast<ReadOp>(op))
    return box(read.getSource(), read.getIndices(),
               windowSizes(read.getIndices().size(), 1, 1), true, false, false);
  if (auto write = dyn_cast<WriteOp>(op))
    return box(write.getTarget(), write.getIndices(),
               windowSizes(write.getIndices().size(), 1, 1), false, true,
               false);
  auto transfer = [&](auto copy) {
    SmallVector<std::optional<int64_t>> sizes;
    for (Value size : copy.getSizes())
      sizes.push_back(evaluate(size));
    bool atomic = false;
    if constexpr (std::is_same_v<decltype(copy), PutOp>)
      atomic = copy.getAtomic() == AtomicKind::add;
    return box(copy.getSource(), copy.getSourceOffsets(), sizes, true, false,
               false) &&
           box(copy.getTarget(), copy.getTargetOffsets(), sizes, atomic, true,
               atomic);
  };
  if (auto put = dyn_cast<PutOp>(op))
    return transfer(put);
  if (auto get = dyn_cast<GetOp>(op))
    return transfer(get);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static bool isTouch(Operation *op) {
  return isa<LoadOp, StoreOp, ReadOp, WriteOp, PutOp, GetOp>(op);
}

/// Scalar code, and what touches a wanted tensor, at any depth.
bool Footprint::isRelevant(Operation *op) {
  if (isTouch(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
        return isa<MemRefType>(operand.getType()) && wanted(rootOf(operand));
      }))
    return true;
  bool isInside = false;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      bool hasTouch = false;
      SmallVector<Operation *> found;
      for (Operation &inner : block) {
        bool isScalar = inner.getNumRegions() == 0 &&
                        inner.getNumResults() == 1 &&
                        inner.getResult(0).getType().isIntOrIndex();
        bool touches = isRelevant(&inner);
        hasTouch |= touches;
        if (touches || isScalar)
          found.push_back(&inner);
      }
      if (hasTouch)
        relevant[&block] = std::move(found);
      isInside |= hasTouch;
    }
  return isInside;
}

bool Footprint::walkLoop(Operation *op, bool certain) {
  auto loop = cast<ForOp>(op);
  Block &body = loop.getBody().front();
  for (BlockArgument carried : body.getArguments())
    values[carried] = std::nullopt;
  for (Value result : loop.getResults())
    values[result] = std::nullopt;
  std::optional<int64_t> lower = evaluate(loop.getLower()),
                         upper = evaluate(loop.getUpper()),
                         step = evaluate(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return walkBlock(body, /*certain=*/false);
  for (int64_t i = *lower; i < *upper; i += *step) {
    values[loop.getInductionVariable()] = i;
    if (!walkBlock(body, certain))
      return false;
  }
  return true;
}

bool Footprint::walkBlock(Block &block, bool certain) {
  for (Operation *op : relevant[&block]) {
    if (--budget < 0)
      return false;
    if (isTouch(op)) {
      if (!touch(op, certain))
        return false;
      if (op->getNumResults() == 1)
        values[op->getResult(0)] = std::nullopt;
      continue;
    }
    if (isa<ForOp>(op)) {
      if (!walkLoop(op, certain))
        return false;
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Value result : branch.getResults())
        values[result] = std::nullopt;
      std::optional<int64_t> holds = evaluate(branch.getCondition());
      for (unsigned index = 0; index < 2; ++index) {
        Region &region = branch->getRegion(index);
        if (!region.empty() && (!holds || bool(*holds) == (index == 0)) &&
            !walkBlock(region.front(), certain && holds))
          return false;
      }
      continue;
    }
    if (op->getNumRegions()) {
      // What repeats until data say so.
      for (Region &region : op->getRegions())
        for (Block &inner : region) {
          for (BlockArgument argument : inner.getArguments())
            values[argument] = std::nullopt;
          if (!walkBlock(inner, /*certain=*/false))
            return false;
        }
      continue;
    }
    // The value of this iteration.
    Value result = op->getResult(0);
    values.erase(result);
    evaluate(result);
  }
  return true;
}

bool Footprint::walk(Operation *task, function_ref<bool(Value)> isWanted,
                     function_ref<bool(const Touch &)> onTouch) {
  wanted = isWanted;
  visit = onTouch;
  budget = kMaxSteps;
  relevant.clear();
  if (!isRelevant(task))
    return true;
  Block &body = task->getRegion(0).front();
  auto spmd = dyn_cast<SpmdOp>(task);
  block = 0;
  if (!spmd)
    return walkBlock(body, /*certain=*/true);
  std::optional<int64_t> blocks = evaluate(spmd.getBlocks());
  if (!blocks) {
    values[body.getArgument(0)] = std::nullopt;
    block = std::nullopt;
    return walkBlock(body, /*certain=*/false);
  }
  for (int64_t index = 0; index < *blocks; ++index) {
    block = index;
    values[body.getArgument(0)] = index;
    if (!walkBlock(body, /*certain=*/true))
      return false;
  }
  return true;
}

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
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"

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
  if (isa<RankOfOp>(op))
    return rank;
  if (isa<NumRanksOp>(op))
    return numRanks;
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

void Footprint::set(Value value, std::optional<int64_t> number) {
  if (values.insert_or_assign(value, number).second &&
      value.getParentBlock() != &func.getBody().front())
    local.push_back(value);
}

std::optional<int64_t> Footprint::evaluate(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  return evaluateAnew(value);
}

std::optional<int64_t> Footprint::evaluateAnew(Value value) {
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
  set(value, result);
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
// Touches
//===----------------------------------------------------------------------===//

/// Along the first axis of `sizes` of which the box has more than there is.
static std::optional<Touch::Outside> outsideOf(ArrayRef<int64_t> begin,
                                               ArrayRef<int64_t> count,
                                               ArrayRef<int64_t> sizes,
                                               bool isView) {
  if (llvm::any_of(count, [](int64_t n) { return n <= 0; }))
    return std::nullopt;
  for (unsigned axis = 0; axis < sizes.size(); ++axis)
    if (begin[axis] < 0 || begin[axis] + count[axis] > sizes[axis])
      return Touch::Outside{axis, begin[axis], begin[axis] + count[axis] - 1,
                            SmallVector<int64_t, 4>(sizes), isView};
  return std::nullopt;
}

bool Footprint::touchBox(Touch touch, Value memref, ValueRange offsets,
                         ArrayRef<std::optional<int64_t>> sizes) {
  touch.root = rootOf(memref);
  if (!wanted(touch.root))
    return true;
  touch.block = block;
  std::optional<View> view = viewOf(memref);
  bool isKnown = view && view->sizes.size() == offsets.size();
  SmallVector<int64_t, 4> begin, count;
  for (size_t axis = 0; isKnown && axis < offsets.size(); ++axis) {
    std::optional<int64_t> at = evaluate(offsets[axis]);
    isKnown = at && sizes[axis] && *at < INT32_MAX && *sizes[axis] < INT32_MAX;
    if (!isKnown)
      break;
    begin.push_back(*at);
    count.push_back(*sizes[axis]);
  }
  if (!isKnown)
    return visit(touch);
  touch.outside = outsideOf(begin, count, view->sizes, memref != touch.root);
  if (llvm::any_of(begin, [](int64_t n) { return n < 0; }))
    return visit(touch);
  for (size_t axis = 0; axis < begin.size(); ++axis)
    count[axis] = std::min(count[axis], view->sizes[axis] - begin[axis]);
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

bool Footprint::touchStore(Touch touch, Value tile, Value target,
                           ValueRange offsets, bool atomic) {
  auto type = cast<TileType>(tile.getType());
  auto extent = [&](unsigned axis) {
    std::optional<int64_t> valid = type.getValid(axis);
    if (ShapedType::isDynamic(*valid))
      valid = usesExtents ? validOf(tile, axis, touch.op) : std::nullopt;
    // Where it is not known, the whole box may be written.
    if (valid && *valid >= 0)
      return *valid;
    touch.exact = false;
    return type.getExtent(axis);
  };
  int64_t rows = extent(0), cols = extent(1);
  touch.reads = touch.atomic = atomic;
  touch.writes = true;
  return touchBox(touch, target, offsets,
                  windowSizes(offsets.size(), rows, cols));
}

bool Footprint::touchLoad(Touch touch, TileType tile, ValueRange valid,
                          bool isTransposed, Value source, ValueRange offsets) {
  std::optional<int64_t> extents[2];
  for (unsigned axis = 0; axis < 2; ++axis) {
    extents[axis] = tile.getValid(axis);
    if (ShapedType::isDynamic(*extents[axis])) {
      extents[axis] = evaluate(valid.front());
      valid = valid.drop_front();
    }
  }
  if (isTransposed)
    std::swap(extents[0], extents[1]);
  touch.reads = true;
  return touchBox(touch, source, offsets,
                  windowSizes(offsets.size(), extents[0], extents[1]));
}

bool Footprint::touch(Operation *op, bool certain) {
  Touch like;
  like.op = op;
  like.certain = certain;
  Touch reading = like, writing = like;
  reading.reads = writing.writes = true;
  auto element = [&](Touch touch, Value memref, ValueRange at) {
    return touchBox(touch, memref, at, windowSizes(at.size(), 1, 1));
  };
  auto remote = [&](Touch touch, Value peer) {
    touch.isRemote = true;
    touch.peer = evaluate(peer);
    return touch;
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return touchLoad(like, load.getResult().getType(), load.getValid(),
                     load.getTranspose(), load.getSource(), load.getOffsets());
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    return touchLoad(remote(like, load.getPeer()),
                     cast<TileType>(load.getResult().getType()),
                     load.getValid(), /*isTransposed=*/false, load.getSource(),
                     load.getOffsets());
  if (auto store = dyn_cast<StoreOp>(op))
    return touchStore(like, store.getTile(), store.getTarget(),
                      store.getOffsets(), store.getAtomic() == AtomicKind::add);
  if (auto store = dyn_cast<RemoteStoreOp>(op))
    return touchStore(remote(like, store.getPeer()), store.getTile(),
                      store.getTarget(), store.getOffsets(),
                      store.getAtomic() == AtomicKind::add);
  // The extents that are moved; those of a store are those of its tile.
  auto box = [&](Touch touch, Value memref, ValueRange at,
                 ArrayRef<int64_t> extents, ValueRange valid) {
    SmallVector<std::optional<int64_t>> sizes(extents);
    for (auto [axis, value] : llvm::enumerate(valid))
      sizes[axis] = evaluate(value);
    return touchBox(touch, memref, at, sizes);
  };
  if (auto load = dyn_cast<LoadBoxOp>(op))
    return box(reading, load.getSource(), load.getOffsets(), load.getSizes(),
               load.getValid());
  if (auto load = dyn_cast<GatherRowOp>(op))
    return box(reading, load.getSource(), load.getOffsets(), load.getSizes(),
               load.getValid());
  if (auto store = dyn_cast<StoreBoxOp>(op)) {
    TileType type = store.getTile().getType();
    writing.exact = !ShapedType::isDynamic(type.getValid(0)) &&
                    !ShapedType::isDynamic(type.getValid(1));
    writing.reads = writing.atomic = store.getAtomic() == AtomicKind::add;
    return box(writing, store.getTarget(), store.getOffsets(), store.getSizes(),
               {});
  }
  if (auto read = dyn_cast<ReadOp>(op))
    return element(reading, read.getSource(), read.getIndices());
  if (auto write = dyn_cast<WriteOp>(op))
    return element(writing, write.getTarget(), write.getIndices());
  if (auto notify = dyn_cast<NotifyOp>(op))
    return element(remote(writing, notify.getPeer()), notify.getTarget(),
                   notify.getOffsets());
  if (auto wait = dyn_cast<WaitOp>(op))
    return element(reading, wait.getSignal(), wait.getOffsets());
  if (auto wait = dyn_cast<DeferWaitOp>(op))
    return element(reading, wait.getSignal(), wait.getOffsets());
  auto transfer = [&](auto copy, Touch from, Touch to) {
    SmallVector<std::optional<int64_t>> sizes;
    for (Value size : copy.getSizes())
      sizes.push_back(evaluate(size));
    return touchBox(from, copy.getSource(), copy.getSourceOffsets(), sizes) &&
           touchBox(to, copy.getTarget(), copy.getTargetOffsets(), sizes);
  };
  if (auto put = dyn_cast<PutOp>(op)) {
    writing.reads = writing.atomic = put.getAtomic() == AtomicKind::add;
    return transfer(put, reading, remote(writing, put.getPeer()));
  }
  if (auto get = dyn_cast<GetOp>(op))
    return transfer(get, remote(reading, get.getPeer()), writing);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static bool isTouch(Operation *op) {
  return isa<LoadOp, StoreOp, ReadOp, WriteOp, LoadBoxOp, StoreBoxOp,
             GatherRowOp, PutOp, GetOp, RemoteLoadOp, RemoteStoreOp, NotifyOp,
             WaitOp, DeferWaitOp>(op);
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
    set(carried, std::nullopt);
  for (Value result : loop.getResults())
    set(result, std::nullopt);
  std::optional<int64_t> lower = evaluate(loop.getLower()),
                         upper = evaluate(loop.getUpper()),
                         step = evaluate(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return walkBlock(body, /*certain=*/false);
  for (int64_t i = *lower; i < *upper; i += *step) {
    set(loop.getInductionVariable(), i);
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
        set(op->getResult(0), std::nullopt);
      continue;
    }
    if (isa<ForOp>(op)) {
      if (!walkLoop(op, certain))
        return false;
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Value result : branch.getResults())
        set(result, std::nullopt);
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
            set(argument, std::nullopt);
          if (!walkBlock(inner, /*certain=*/false))
            return false;
        }
      continue;
    }
    // The value of this iteration.
    evaluateAnew(op->getResult(0));
  }
  return true;
}

bool Footprint::walk(Operation *task, function_ref<bool(Value)> isWanted,
                     function_ref<bool(const Touch &)> onTouch) {
  wanted = isWanted;
  visit = onTouch;
  budget = kMaxSteps;
  relevant.clear();
  // Else a program of many tasks does not fit into the caches.
  for (Value value : local)
    values.erase(value);
  local.clear();
  if (!isRelevant(task))
    return true;
  Block &body = task->getRegion(0).front();
  auto spmd = dyn_cast<SpmdOp>(task);
  block = 0;
  if (!spmd)
    return walkBlock(body, /*certain=*/true);
  std::optional<int64_t> blocks = evaluate(spmd.getBlocks());
  if (!blocks) {
    set(body.getArgument(0), std::nullopt);
    block = std::nullopt;
    return walkBlock(body, /*certain=*/false);
  }
  for (int64_t index = 0; index < *blocks; ++index) {
    block = index;
    set(body.getArgument(0), index);
    if (!walkBlock(body, /*certain=*/true))
      return false;
  }
  return true;
}

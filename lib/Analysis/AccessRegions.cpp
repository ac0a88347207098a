//===- AccessRegions.cpp - Which bytes a task touches ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Analysis/ViewWindows.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::pl;

Value mlir::pl::rootOf(Value memref) {
  for (;;) {
    if (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
      memref = view.getViewSource();
    else if (auto transpose = memref.getDefiningOp<memref::TransposeOp>())
      memref = transpose.getIn();
    else
      return memref;
  }
}

static LinearExpr extentOf(Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return LinearExpr(type.getDimSize(axis));
  if (auto alloc = memref.getDefiningOp<AllocOp>())
    return LinearExpr::of(
        alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
  // The extent of a parameter is the dim op that reads it; equal symbols have
  // equal extents, so any dim op of that symbol stands for it.
  for (Operation *user : memref.getUsers())
    if (auto dim = dyn_cast<memref::DimOp>(user))
      if (dim.getConstantIndex() == axis)
        return LinearExpr::symbol(dim.getResult());
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument)
    return LinearExpr::symbol(memref);
  if (DimAttr name = dimOf(argument, axis))
    for (BlockArgument other : argument.getOwner()->getArguments())
      for (Operation *user : other.getUsers())
        if (auto dim = dyn_cast<memref::DimOp>(user))
          if (std::optional<int64_t> i = dim.getConstantIndex())
            if (dimOf(other, *i) == name)
              return LinearExpr::symbol(dim.getResult());
  return LinearExpr::symbol(memref);
}

AccessRegion mlir::pl::AccessRegion::whole(Value root) {
  AccessRegion region;
  for (int64_t axis = 0, e = cast<MemRefType>(root.getType()).getRank();
       axis < e; ++axis)
    region.axes.push_back({LinearExpr(0), extentOf(root, axis)});
  return region;
}

bool mlir::pl::AxisRange::endsBy(const LinearExpr &limit) const {
  return isAtMost(high, limit) || llvm::any_of(ends, [&](const auto &end) {
           return isAtMost(end, limit);
         });
}

/// Whether runs of one never meet runs of the other, whatever the turns are.
static bool alternate(const AxisRange &a, const AxisRange &b) {
  if (a.step == 0 || b.step == 0)
    return false;
  int64_t step = std::gcd(a.step, b.step);
  auto [turns, rest] = (b.start - a.start).splitBy(step);
  std::optional<int64_t> distance = rest.asConstant();
  return distance && *distance >= a.width && *distance + b.width <= step;
}

bool mlir::pl::AccessRegion::isDisjointFrom(const AccessRegion &other) const {
  return llvm::any_of(llvm::zip_equal(axes, other.axes), [](auto pair) {
    auto &[a, b] = pair;
    return a.endsBy(b.low) || b.endsBy(a.low) || alternate(a, b);
  });
}

bool mlir::pl::AccessRegion::covers(const AccessRegion &other) const {
  return llvm::all_of(llvm::zip_equal(axes, other.axes), [](auto pair) {
    const AxisRange &a = std::get<0>(pair), &b = std::get<1>(pair);
    return a.step == 0 && isAtMost(a.low, b.low) && b.endsBy(a.high) &&
           llvm::all_of(a.ends, [&](const auto &end) { return b.endsBy(end); });
  });
}

bool mlir::pl::AccessRegion::meets(const AccessRegion &other) const {
  auto isBelow = [](const LinearExpr &low, const AxisRange &range) {
    auto isLess = [&](const LinearExpr &end) {
      return isNeverNegative(end - low - LinearExpr(1), /*leastDim=*/1);
    };
    return isLess(range.high) && llvm::all_of(range.ends, isLess);
  };
  // Of runs with gaps between them, the first element is there for certain.
  auto hasLow = [](const AxisRange &range) {
    return range.step == 0 || range.low == range.start;
  };
  auto isInside = [](const AxisRange &inner, const AxisRange &outer) {
    return outer.step == 0 && isAtMost(outer.low, inner.low) &&
           isAtMost(inner.high, outer.high);
  };
  return llvm::all_of(llvm::zip_equal(axes, other.axes), [&](auto pair) {
    auto &[a, b] = pair;
    if ((a.low == b.low && hasLow(a) && hasLow(b)) || isInside(a, b) ||
        isInside(b, a))
      return true;
    return a.step == 0 && b.step == 0 && isBelow(a.low, b) && isBelow(b.low, a);
  });
}

std::string mlir::pl::AccessRegion::str() const {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os, [&](const AxisRange &axis) {
    os << axis.low.str() << ':' << axis.high.str();
  });
  return text + "]";
}

bool mlir::pl::anyRegion(
    const Access &a, const Access &b,
    function_ref<bool(const AccessRegion &, const AccessRegion &)> test) {
  return test(a.region, b.region) ||
         (a.view && a.view == b.view && test(a.inView, b.inView));
}

bool mlir::pl::areDisjoint(const Access &a, const Access &b) {
  return anyRegion(a, b, [](const AccessRegion &x, const AccessRegion &y) {
    return x.isDisjointFrom(y);
  });
}

//===----------------------------------------------------------------------===//
// Accesses of a scope
//===----------------------------------------------------------------------===//

/// The window a load, store, read or write names: `offsets`, and the box of
/// `tile` on the last two axes.
static Window windowOf(ValueRange offsets, Type tile) {
  Window window;
  unsigned rank = offsets.size();
  for (auto [axis, offset] : llvm::enumerate(offsets)) {
    LinearExpr low = LinearExpr::of(offset);
    int64_t extent = 1;
    if (tile && axis + 1 == rank)
      extent = isa<TileType>(tile) ? cast<TileType>(tile).getCols()
                                   : cast<BufferType>(tile).getCols();
    else if (tile && axis + 2 == rank)
      extent = isa<TileType>(tile) ? cast<TileType>(tile).getRows()
                                   : cast<BufferType>(tile).getRows();
    window.low.push_back(low);
    window.high.push_back(low + LinearExpr(extent));
  }
  return window;
}

/// The box at `offsets` with constant extents.
static Window boxOf(ValueRange offsets, ArrayRef<int64_t> sizes) {
  Window window;
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes)) {
    window.low.push_back(LinearExpr::of(offset));
    window.high.push_back(window.low.back() + LinearExpr(size));
  }
  return window;
}

/// The box at `offsets` with the extents `sizes`.
static Window boxOf(ValueRange offsets, ValueRange sizes) {
  Window window;
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes)) {
    window.low.push_back(LinearExpr::of(offset));
    window.high.push_back(window.low.back() + LinearExpr::of(size));
  }
  return window;
}

const AccessRegion &AccessCollector::wholeOf(Value root) {
  auto [found, isNew] = whole.try_emplace(root);
  if (isNew)
    found->second = AccessRegion::whole(root);
  return found->second;
}

/// What `value` is computed from, if that is elements of a tensor.
static ReadOp readBehind(Value value) {
  llvm::SmallSetVector<Value, 8> open;
  open.insert(value);
  for (unsigned index = 0; index < open.size() && index < 32; ++index) {
    Operation *op = open[index].getDefiningOp();
    if (auto read = dyn_cast_or_null<ReadOp>(op))
      return read;
    if (!op || op->getNumRegions())
      continue;
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex())
        open.insert(operand);
  }
  return {};
}

/// The range of one axis, from bounds over the whole scope. An access stays
/// inside the tensor, so the extent bounds it as well.
static AxisRange rangeOf(const LinearExpr &low, const LinearExpr &high,
                         const LinearExpr &extent, ScopeBounds &bounds) {
  AxisRange range{LinearExpr(0), extent};
  if (std::optional<LinearExpr> least = bounds.bound(low, /*upper=*/false))
    if (!isAtMost(*least, LinearExpr(0)))
      range.low = *least;
  std::optional<LinearExpr> most = bounds.bound(high, /*upper=*/true);
  if (!most || isAtMost(extent, *most))
    return range;
  if (isAtMost(*most, extent)) {
    range.high = *most;
    return range;
  }
  // Neither is the least for certain. A number says more than a name, and the
  // end of what begins at a run-time place more than that of the tensor.
  bool isTelling =
      (most->asConstant() && !extent.asConstant()) || !range.low.asConstant();
  range.high = isTelling ? *most : extent;
  range.ends.push_back(isTelling ? extent : *most);
  return range;
}

/// The sides of minima in a sum: each is an upper bound of its own.
static SmallVector<LinearExpr, 2> sidesOfMinimum(const LinearExpr &expr) {
  for (auto [value, factor] : expr.getTerms())
    if (auto minimum = value.getDefiningOp<arith::MinSIOp>();
        minimum && factor > 0) {
      LinearExpr rest = expr.substitute(value, LinearExpr(0));
      return {rest + LinearExpr::of(minimum.getLhs()) * factor,
              rest + LinearExpr::of(minimum.getRhs()) * factor};
    }
  return {};
}

/// What an index without a bound stands for.
static std::optional<Inexact> obstacleOf(ScopeBounds &bounds) {
  Value obstacle = bounds.getObstacle();
  if (!obstacle)
    return std::nullopt;
  ReadOp read = readBehind(obstacle);
  return Inexact{read ? Inexact::Data : Inexact::Unbound, obstacle,
                 read ? rootOf(read.getSource()) : Value()};
}

/// Longer chains of tiles are not followed.
static constexpr unsigned kMaxChain = 40;

/// The valid extent of a tile, or a bound of it: what loads and pl.set_valid
/// are given, through what computes on the tile. Nothing where the box says as
/// much.
static std::optional<LinearExpr> validOf(Value tile, unsigned axis,
                                         unsigned depth = 0) {
  auto type = dyn_cast<TileType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!type || !op || op->getNumRegions() || depth > kMaxChain ||
      !ShapedType::isDynamic(type.getValid(axis)))
    return std::nullopt;
  auto given = [&](ValueRange valid) {
    return LinearExpr::of(
        valid[axis == 1 && ShapedType::isDynamic(type.getValidRows())]);
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return given(load.getValid());
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    return given(load.getValid());
  if (auto set = dyn_cast<SetValidOp>(op))
    return given(set.getValid());
  if (!isa<TileOpInterface>(op))
    return std::nullopt;
  ValidSource source = validSourceOf(op, axis);
  if (source.isWindow)
    return std::nullopt;
  // What is valid of two is valid of each.
  for (auto [operand, operandAxis] : source.operands)
    if (std::optional<LinearExpr> known =
            validOf(operand, operandAxis, depth + 1))
      return known;
  return std::nullopt;
}

/// `window` of a load's or store's tile, as far as the tile is valid.
static Window validWindowOf(Window window, Value tile) {
  size_t rank = window.low.size();
  for (unsigned axis = 0; axis < 2; ++axis)
    if (rank + axis >= 2)
      if (std::optional<LinearExpr> valid = validOf(tile, axis))
        window.high[rank + axis - 2] = window.low[rank + axis - 2] + *valid;
  return window;
}

/// Narrows `region`, which is all of `base`, to a window of `memref`; tells why
/// it may still hold more than the window. `valid` is the part of the window
/// that is moved, or the same.
static std::optional<Inexact> narrow(AccessRegion &region, Value base,
                                     Value memref, const Window &window,
                                     const Window &valid, ScopeBounds &bounds) {
  std::optional<Window> validInBase;
  if (valid.high != window.high)
    validInBase = windowOn(base, memref, valid, bounds);
  bounds.forgetObstacle();
  std::optional<Window> inBase = windowOn(base, memref, window, bounds);
  bounds.forgetObstacle();
  if (!inBase) {
    // Rows that data name have no box in any view.
    for (auto [low, high] : llvm::zip_equal(window.low, window.high)) {
      (void)bounds.bound(low, /*upper=*/false);
      (void)bounds.bound(high, /*upper=*/true);
    }
    std::optional<Inexact> why = obstacleOf(bounds);
    return why && why->reason == Inexact::Data ? why : Inexact{Inexact::View};
  }
  for (auto [axis, range] : llvm::enumerate(region.axes)) {
    const LinearExpr &low = inBase->low[axis], &high = inBase->high[axis];
    LinearExpr extent = range.high;
    range = rangeOf(low, high, extent, bounds);
    if (range.low.asConstant() == 0 && range.endsBy(LinearExpr(1)))
      continue;
    auto addEnd = [&, &range = range](const LinearExpr &side) {
      if (auto most = bounds.bound(side, /*upper=*/true);
          most && !range.endsBy(*most))
        range.ends.push_back(*most);
    };
    llvm::for_each(sidesOfMinimum(high), addEnd);
    if (validInBase && !(validInBase->high[axis] == high)) {
      // A bound that is not there is no obstacle: the box has one.
      bool hadObstacle = bool(bounds.getObstacle());
      addEnd(validInBase->high[axis]);
      llvm::for_each(sidesOfMinimum(validInBase->high[axis]), addEnd);
      if (!hadObstacle)
        bounds.forgetObstacle();
    }
    std::optional<int64_t> width = (high - low).asConstant();
    if (!width)
      continue;
    if (auto residue = bounds.residueOf(low);
        residue && residue->step > *width) {
      range.step = residue->step;
      range.width = *width;
      range.start = residue->base;
    }
  }
  if (std::optional<Inexact> why = obstacleOf(bounds))
    return why;
  if (inBase->isHull)
    return Inexact{Inexact::Hull};
  return std::nullopt;
}

std::string mlir::pl::Inexact::str() const {
  switch (reason) {
  case Data:
    return "which elements are touched depends on what is read from '" +
           nameOf(tensor) + "'";
  case Unbound: {
    std::string name = nameOf(value);
    return (name.empty() ? "an index" : "'" + name + "'") +
           std::string(" has no bound that is known before a run");
  }
  case View:
    return "the view has no box in its tensor that is known before a run";
  case Carried:
    return "a loop or branch chooses between tensors";
  case Hull:
    return "the elements between those that are touched count as touched";
  }
  return "";
}

SmallVector<Access> AccessCollector::collect(Operation *scope) {
  SmallVector<Access> accesses;
  if (!scopesStay)
    numbers = ValueNumbers();
  ScopeBounds bounds(scope, numbers);
  auto addValid = [&](Operation *op, Value memref, const Window &window,
                      const Window &valid, bool reads, bool writes,
                      bool atomic) {
    Access access;
    access.op = op;
    access.reads = reads;
    access.writes = writes;
    access.atomic = atomic;
    SmallVector<Value, 2> roots = rootsOf(memref);
    if (roots.size() > 1 || roots.front() != rootOf(memref)) {
      access.inexact = Inexact{Inexact::Carried};
      for (Value root : roots) {
        access.root = root;
        access.region = wholeOf(root);
        accesses.push_back(access);
      }
      return;
    }
    access.root = roots.front();
    access.region = wholeOf(access.root);
    access.inexact =
        narrow(access.region, access.root, memref, window, valid, bounds);
    // Two windows of one reshape may be apart where their boxes are not.
    if (Value view = access.inexact ? reshapedTensor(memref) : Value()) {
      access.view = view;
      access.inView = wholeOf(view);
      narrow(access.inView, view, memref, window, valid, bounds);
    }
    accesses.push_back(std::move(access));
  };
  auto add = [&](Operation *op, Value memref, const Window &window, bool reads,
                 bool writes, bool atomic) {
    addValid(op, memref, window, window, reads, writes, atomic);
  };
  // The cell that a notify changes is the peer's, and the one a wait reads its
  // own: on one rank they meet in the signal as a whole.
  auto addSignal = [&](Operation *op, Value signal, bool reads, bool writes) {
    Access access;
    access.op = op;
    access.root = rootOf(signal);
    access.reads = reads;
    access.writes = writes;
    access.signal = true;
    access.region = wholeOf(access.root);
    accesses.push_back(std::move(access));
  };
  scope->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<PutOp>([&](PutOp put) {
          bool atomic = put.getAtomic() == AtomicKind::add;
          add(op, put.getSource(),
              boxOf(put.getSourceOffsets(), put.getSizes()), true, false,
              false);
          add(op, put.getTarget(),
              boxOf(put.getTargetOffsets(), put.getSizes()), atomic, true,
              atomic);
        })
        .Case<GetOp>([&](GetOp get) {
          add(op, get.getSource(),
              boxOf(get.getSourceOffsets(), get.getSizes()), true, false,
              false);
          add(op, get.getTarget(),
              boxOf(get.getTargetOffsets(), get.getSizes()), false, true,
              false);
        })
        .Case<RemoteStoreOp>([&](RemoteStoreOp store) {
          bool atomic = store.getAtomic() == AtomicKind::add;
          add(op, store.getTarget(),
              windowOf(store.getOffsets(), store.getTile().getType()), atomic,
              true, atomic);
        })
        .Case<RemoteLoadOp>([&](RemoteLoadOp load) {
          Type type = load.getResult() ? Type(load.getResult().getType())
                                       : Type(load.getDst().getType());
          add(op, load.getSource(), windowOf(load.getOffsets(), type), true,
              false, false);
        })
        .Case<NotifyOp>([&](NotifyOp notify) {
          addSignal(op, notify.getTarget(), notify.getKind() == NotifyKind::add,
                    true);
        })
        .Case<WaitOp>(
            [&](WaitOp wait) { addSignal(op, wait.getSignal(), true, false); })
        .Case<DeferWaitOp>([&](DeferWaitOp wait) {
          addSignal(op, wait.getSignal(), true, false);
        })
        .Case<LoadOp>([&](LoadOp load) {
          Type type = load.getResult() ? Type(load.getResult().getType())
                                       : Type(load.getDst().getType());
          Window window = windowOf(load.getOffsets(), type);
          if (load.getTranspose() && window.low.size() >= 2) {
            // The window of a transposed load has the transposed shape.
            size_t n = window.low.size();
            LinearExpr rows = window.high[n - 2] - window.low[n - 2];
            LinearExpr cols = window.high[n - 1] - window.low[n - 1];
            window.high[n - 2] = window.low[n - 2] + cols;
            window.high[n - 1] = window.low[n - 1] + rows;
          }
          // Rows and columns of a transposed load change places.
          Window valid = load.getTranspose() || !load.getResult()
                             ? window
                             : validWindowOf(window, load.getResult());
          addValid(op, load.getSource(), window, valid, true, false, false);
        })
        .Case<StoreOp>([&](StoreOp store) {
          bool atomic = store.getAtomic() == AtomicKind::add;
          Window window =
              windowOf(store.getOffsets(), store.getTile().getType());
          addValid(op, store.getTarget(), window,
                   validWindowOf(window, store.getTile()), atomic, true,
                   atomic);
        })
        .Case<LoadBoxOp, GatherRowOp>([&](auto load) {
          add(op, load.getSource(), boxOf(load.getOffsets(), load.getSizes()),
              true, false, false);
        })
        .Case<StoreBoxOp>([&](StoreBoxOp store) {
          bool atomic = store.getAtomic() == AtomicKind::add;
          add(op, store.getTarget(),
              boxOf(store.getOffsets(), store.getSizes()), atomic, true,
              atomic);
        })
        .Case<ReadOp>([&](ReadOp read) {
          add(op, read.getSource(), windowOf(read.getIndices(), Type()), true,
              false, false);
        })
        .Case<WriteOp>([&](WriteOp write) {
          add(op, write.getTarget(), windowOf(write.getIndices(), Type()),
              false, true, false);
        });
  });
  return accesses;
}

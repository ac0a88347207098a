//===- AccessRegions.cpp - Which bytes a task touches ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

Value mlir::pl::rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
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

/// `a <= b` for certain.
static bool isAtMost(const LinearExpr &a, const LinearExpr &b) {
  std::optional<int64_t> difference = (b - a).asConstant();
  return difference && *difference >= 0;
}

bool mlir::pl::AccessRegion::isDisjointFrom(const AccessRegion &other) const {
  return llvm::any_of(llvm::zip_equal(axes, other.axes), [](auto pair) {
    auto &[a, b] = pair;
    return isAtMost(a.high, b.low) || isAtMost(b.high, a.low);
  });
}

bool mlir::pl::AccessRegion::covers(const AccessRegion &other) const {
  return llvm::all_of(llvm::zip_equal(axes, other.axes), [](auto pair) {
    auto &[a, b] = pair;
    return isAtMost(a.low, b.low) &&
           (isAtMost(b.high, a.high) || (b.end && isAtMost(*b.end, a.high)));
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

namespace {
/// Bounds of a value inside `scope` by values outside of it.
class ScopeBounds {
public:
  explicit ScopeBounds(Operation *scope) : scope(scope) {}

  /// Least (`upper` false) or greatest value of `expr`, or nothing.
  std::optional<LinearExpr> bound(LinearExpr expr, bool upper) {
    // Each step replaces a value defined inside by a bound; the nesting of
    // loops bounds their number.
    for (unsigned step = 0; step < kMaxSteps; ++step) {
      Value inner;
      int64_t coefficient = 0;
      for (auto [value, factor] : expr.getTerms())
        if (isInside(value)) {
          inner = value;
          coefficient = factor;
          break;
        }
      if (!inner)
        return expr;
      std::optional<LinearExpr> by =
          boundOfValue(inner, (coefficient > 0) == upper);
      if (!by)
        return std::nullopt;
      expr = expr.substitute(inner, *by);
    }
    return std::nullopt;
  }

private:
  static constexpr unsigned kMaxSteps = 64;

  bool isInside(Value value) const {
    return scope->isProperAncestor(value.getParentBlock()->getParentOp()) ||
           value.getParentBlock()->getParentOp() == scope;
  }

  std::optional<LinearExpr> boundOfValue(Value value, bool upper) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto spmd = dyn_cast<SpmdOp>(parent))
        return upper ? LinearExpr::of(spmd.getBlocks()) - LinearExpr(1)
                     : LinearExpr(0);
      auto loop = dyn_cast<ForOp>(parent);
      if (loop && argument == loop.getInductionVariable()) {
        std::optional<int64_t> stride =
            LinearExpr::of(loop.getStep()).asConstant();
        if (!stride || *stride <= 0)
          return std::nullopt;
        if (!upper)
          return LinearExpr::of(loop.getLower());
        LinearExpr last = LinearExpr::of(loop.getUpper()) - LinearExpr(1);
        // With constant bounds the last iteration is known exactly.
        std::optional<int64_t> trip =
            (last - LinearExpr::of(loop.getLower())).asConstant();
        if (trip && *trip >= 0)
          return LinearExpr::of(loop.getLower()) +
                 LinearExpr(*trip / *stride * *stride);
        return last;
      }
      return std::nullopt;
    }
    // A minimum is at most either side, a maximum at least either side.
    Operation *def = value.getDefiningOp();
    if ((upper && isa<arith::MinSIOp>(def)) ||
        (!upper && isa<arith::MaxSIOp>(def))) {
      for (Value operand : def->getOperands())
        if (LinearExpr::of(operand).asConstant())
          return LinearExpr::of(operand);
      return LinearExpr::of(def->getOperand(1));
    }
    // x mod c is in [0, c) when x is not negative.
    if (isa<arith::RemSIOp, arith::RemUIOp>(def)) {
      std::optional<int64_t> modulus =
          LinearExpr::of(def->getOperand(1)).asConstant();
      std::optional<LinearExpr> least =
          bound(LinearExpr::of(def->getOperand(0)), /*upper=*/false);
      if (modulus && *modulus > 0 && least && isAtMost(LinearExpr(0), *least))
        return LinearExpr(upper ? *modulus - 1 : 0);
    }
    if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(def)) {
      std::optional<int64_t> divisor =
          LinearExpr::of(def->getOperand(1)).asConstant();
      std::optional<LinearExpr> dividend =
          bound(LinearExpr::of(def->getOperand(0)), upper);
      if (divisor && *divisor > 0 && dividend)
        if (std::optional<int64_t> number = dividend->asConstant())
          if (*number >= 0)
            return LinearExpr(*number / *divisor);
    }
    return std::nullopt;
  }

  Operation *scope;
};

/// One axis of a window in terms of values anywhere.
struct Window {
  SmallVector<LinearExpr> low, high;
};
} // namespace

std::optional<LinearExpr> mlir::pl::boundOf(const LinearExpr &expr,
                                            Operation *scope, bool upper) {
  return ScopeBounds(scope).bound(expr, upper);
}

/// The tensor of which `memref` is a box.
static Value boxedTensor(Value memref) {
  while (auto subview = memref.getDefiningOp<memref::SubViewOp>())
    memref = subview.getSource();
  return memref;
}

/// Does each element of `memref` have a place of its own? Of a reshape by its
/// strides; nothing is known of other views.
static bool hasElementsOnce(Value memref) {
  auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>();
  if (!cast)
    return false;
  int64_t least = 1;
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(
           cast.getConstifiedMixedSizes(), cast.getConstifiedMixedStrides()))) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step || *step < least || least == 0)
      return false;
    // Only the outermost axis may be as long as it likes.
    std::optional<int64_t> length = getConstantIntValue(size);
    if (!length || llvm::MulOverflow(*step, *length, least))
      least = 0;
  }
  return true;
}

/// Maps a window of `memref` to one of `base`, which it is a view of. Nothing
/// when a view other than a subview is on the way.
static std::optional<Window> toBase(Value memref, Window window, Value base) {
  while (memref != base) {
    auto subview = memref.getDefiningOp<memref::SubViewOp>();
    if (!subview || llvm::any_of(subview.getStaticStrides(),
                                 [](int64_t stride) { return stride != 1; }))
      return std::nullopt;
    Window outer;
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    unsigned inner = 0;
    for (auto [axis, offset, size] :
         llvm::enumerate(subview.getMixedOffsets(), subview.getMixedSizes())) {
      LinearExpr base = isa<Attribute>(offset)
                            ? LinearExpr(*getConstantIntValue(offset))
                            : LinearExpr::of(cast<Value>(offset));
      if (dropped.test(axis)) {
        outer.low.push_back(base);
        outer.high.push_back(base + LinearExpr(1));
        continue;
      }
      outer.low.push_back(base + window.low[inner]);
      outer.high.push_back(base + window.high[inner]);
      ++inner;
    }
    window = std::move(outer);
    memref = subview.getSource();
  }
  return window;
}

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

SmallVector<Access> AccessCollector::collect(Operation *scope) {
  SmallVector<Access> accesses;
  ScopeBounds bounds(scope);
  auto regionIn = [&](Value base, Value memref, const Window &window) {
    AccessRegion region = wholeOf(base);
    std::optional<Window> inBase = toBase(memref, window, base);
    if (!inBase)
      return region;
    for (auto [axis, range] : llvm::enumerate(region.axes)) {
      // An access stays inside the tensor, so a bound that cannot be
      // compared with the extent is no better than the extent, unless the
      // access begins at a run-time place: then others may begin at its end.
      std::optional<LinearExpr> low = bounds.bound(inBase->low[axis], false);
      std::optional<LinearExpr> high = bounds.bound(inBase->high[axis], true);
      if (low && !isAtMost(*low, LinearExpr(0)))
        range.low = *low;
      if (!high)
        continue;
      if (isAtMost(*high, range.high) ||
          (high->asConstant() && !range.high.asConstant())) {
        range.high = *high;
      } else if (!range.low.asConstant() && !isAtMost(range.high, *high)) {
        range.end = range.high;
        range.high = *high;
      }
    }
    return region;
  };
  auto add = [&](Operation *op, Value memref, Window window, bool reads,
                 bool writes, bool atomic) {
    Access access;
    access.op = op;
    access.root = rootOf(memref);
    access.reads = reads;
    access.writes = writes;
    access.atomic = atomic;
    access.region = regionIn(access.root, memref, window);
    Value view = boxedTensor(memref);
    if (view != access.root && hasElementsOnce(view)) {
      access.view = view;
      access.inView = regionIn(view, memref, window);
    }
    accesses.push_back(std::move(access));
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
          add(op, load.getSource(), std::move(window), true, false, false);
        })
        .Case<StoreOp>([&](StoreOp store) {
          bool atomic = store.getAtomic() == AtomicKind::add;
          add(op, store.getTarget(),
              windowOf(store.getOffsets(), store.getTile().getType()), atomic,
              true, atomic);
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

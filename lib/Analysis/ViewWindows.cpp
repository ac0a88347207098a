//===- ViewWindows.cpp - Windows of views, as windows of tensors ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/ViewWindows.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

SmallVector<Value, 2> mlir::pl::rootsOf(Value memref) {
  llvm::SetVector<Value, SmallVector<Value, 2>> roots;
  llvm::SmallSetVector<Value, 4> open;
  open.insert(rootOf(memref));
  for (unsigned index = 0; index < open.size(); ++index) {
    Value value = open[index];
    auto follow = [&](Value other) { open.insert(rootOf(other)); };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getArgNumber() > 0) {
        unsigned carry = argument.getArgNumber() - 1;
        follow(loop.getInits()[carry]);
        follow(loop.getYield()->getOperand(carry));
        continue;
      }
    } else if (auto loop = value.getDefiningOp<ForOp>()) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      follow(loop.getInits()[result]);
      follow(loop.getYield()->getOperand(result));
      continue;
    } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      follow(branch.thenYield().getOperand(result));
      follow(branch.elseYield().getOperand(result));
      continue;
    } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
      follow(select.getTrueValue());
      follow(select.getFalseValue());
      continue;
    }
    roots.insert(value);
  }
  return roots.takeVector();
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

static LinearExpr exprOf(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return LinearExpr(cast<IntegerAttr>(attr).getInt());
  return LinearExpr::of(cast<Value>(value));
}

namespace {
/// `stride * i` for `i` in `[0, last]`.
struct Span {
  int64_t stride;
  LinearExpr last;
};
} // namespace

/// How far the spans reach beyond their start.
static LinearExpr reachOf(ArrayRef<Span> spans) {
  LinearExpr reach(0);
  for (const Span &span : spans)
    reach = reach + span.last * span.stride;
  return reach;
}

/// Whether spans leave elements out between those they have.
static bool haveGaps(SmallVector<Span> spans) {
  llvm::sort(spans,
             [](const Span &a, const Span &b) { return a.stride < b.stride; });
  LinearExpr length(1);
  for (const Span &span : spans) {
    if (span.last.asConstant() == 0)
      continue;
    if (!isAtMost(LinearExpr(span.stride), length))
      return true;
    length = length + span.last * span.stride;
  }
  return false;
}

/// The elements at `base` and the spans, which count elements of the packed
/// tensor `root`, as a box.
static std::optional<Window> boxOfElements(Value root, LinearExpr base,
                                           SmallVector<Span> spans,
                                           ScopeBounds &bounds) {
  auto type = cast<MemRefType>(root.getType());
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, 1);
  for (int64_t axis = rank - 1; axis-- > 0;)
    if (type.isDynamicDim(axis + 1) ||
        llvm::MulOverflow(strides[axis + 1],
                          std::max<int64_t>(type.getDimSize(axis + 1), 1),
                          strides[axis]))
      return std::nullopt;
  Window window;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t stride = strides[axis];
    if (axis > 0 && type.getDimSize(axis) == 1) {
      window.low.push_back(LinearExpr(0));
      window.high.push_back(LinearExpr(1));
      continue;
    }
    auto [whole, rest] = base.splitBy(stride);
    SmallVector<Span> inner;
    LinearExpr turns(0);
    SmallVector<Span> outer;
    for (const Span &span : spans) {
      if (span.stride % stride == 0)
        outer.push_back({span.stride / stride, span.last});
      else
        inner.push_back(span);
    }
    window.isHull |= haveGaps(outer);
    std::optional<LinearExpr> least = bounds.bound(rest, /*upper=*/false);
    std::optional<LinearExpr> most =
        bounds.bound(rest + reachOf(inner), /*upper=*/true);
    if (!least || !most)
      return std::nullopt;
    LinearExpr last = whole + reachOf(outer);
    if (isNeverNegative(*least) && isAtMost(*most, LinearExpr(stride - 1))) {
      window.low.push_back(whole);
      window.high.push_back(last + LinearExpr(1));
      base = rest;
      spans = std::move(inner);
      continue;
    }
    // It goes on to further steps of this axis, where those are known.
    auto [firstStep, firstRest] = least->splitBy(stride);
    auto [lastStep, lastRest] = most->splitBy(stride);
    if (!firstRest.asConstant() || !lastRest.asConstant())
      return std::nullopt;
    window.low.push_back(whole + firstStep);
    window.high.push_back(last + lastStep + LinearExpr(1));
    window.isHull |= firstRest.asConstant() != 0 ||
                     lastRest.asConstant() != stride - 1 || haveGaps(inner) ||
                     !rest.asConstant();
    for (int64_t other = axis + 1; other < rank; ++other) {
      window.low.push_back(LinearExpr(0));
      window.high.push_back(LinearExpr(type.getDimSize(other)));
    }
    break;
  }
  return window;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static std::optional<Window> throughSubview(memref::SubViewOp subview,
                                            const Window &window) {
  Window outer;
  outer.isHull = window.isHull;
  llvm::SmallBitVector dropped = subview.getDroppedDims();
  unsigned inner = 0;
  for (auto [axis, offset, stride] :
       llvm::enumerate(subview.getMixedOffsets(), subview.getMixedStrides())) {
    LinearExpr base = exprOf(offset);
    if (dropped.test(axis)) {
      outer.low.push_back(base);
      outer.high.push_back(base + LinearExpr(1));
      continue;
    }
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step || *step <= 0)
      return std::nullopt;
    outer.isHull |= *step != 1;
    LinearExpr last = window.high[inner] - LinearExpr(1);
    outer.low.push_back(base + window.low[inner] * *step);
    outer.high.push_back(base + last * *step + LinearExpr(1));
    ++inner;
  }
  return outer;
}

Value mlir::pl::reshapedTensor(Value memref) {
  while (auto subview = memref.getDefiningOp<memref::SubViewOp>())
    memref = subview.getSource();
  auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>();
  if (!cast)
    return {};
  int64_t least = 1;
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(
           cast.getConstifiedMixedSizes(), cast.getConstifiedMixedStrides()))) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step || *step < least || least == 0)
      return {};
    // Only the outermost axis may be as long as it likes.
    std::optional<int64_t> length = getConstantIntValue(size);
    if (!length || llvm::MulOverflow(*step, *length, least))
      least = 0;
  }
  return memref;
}

std::optional<Window> mlir::pl::windowOn(Value base, Value memref,
                                         Window window, ScopeBounds &bounds) {
  while (memref != base) {
    Operation *op = memref.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
      std::optional<Window> outer = throughSubview(subview, window);
      if (!outer)
        return std::nullopt;
      window = std::move(*outer);
    } else if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
      Window outer = window;
      for (auto [axis, result] :
           llvm::enumerate(transpose.getPermutation().getResults())) {
        unsigned from = cast<AffineDimExpr>(result).getPosition();
        outer.low[from] = window.low[axis];
        outer.high[from] = window.high[axis];
      }
      window = std::move(outer);
    } else if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op);
               cast && base == rootOf(memref)) {
      // Its offset counts from the start of the memory, whatever views are on
      // the way there.
      LinearExpr start = exprOf(cast.getMixedOffsets().front());
      SmallVector<Span> spans;
      for (auto [axis, stride] : llvm::enumerate(cast.getMixedStrides())) {
        std::optional<int64_t> step = exprOf(stride).asConstant();
        // A step that is not known is no matter where nothing steps.
        LinearExpr last = window.high[axis] - window.low[axis] - LinearExpr(1);
        if (!step &&
            (last.asConstant() != 0 || window.low[axis].asConstant() != 0))
          return std::nullopt;
        start = start + window.low[axis] * step.value_or(0);
        spans.push_back({step.value_or(1), last});
      }
      std::optional<Window> box =
          boxOfElements(base, start, std::move(spans), bounds);
      if (box)
        box->isHull |= window.isHull;
      return box;
    } else if (!isa<memref::CastOp>(op)) {
      return std::nullopt;
    }
    memref = op->getOperand(0);
  }
  return window;
}

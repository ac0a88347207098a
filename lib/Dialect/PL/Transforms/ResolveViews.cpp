//===- ResolveViews.cpp - Reshapes of windows as views of tensors ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::pl {
#define GEN_PASS_DEF_RESOLVEVIEWS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Where a view begins in its tensor, in elements.
class Places {
public:
  explicit Places(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  /// Adds the place of `view` to `offset`; the tensor, or null where a loop or
  /// branch stands between.
  Value resolve(Value view, Value &offset) {
    if (auto cast = view.getDefiningOp<memref::CastOp>())
      return resolve(cast.getSource(), offset);
    if (auto subview = view.getDefiningOp<memref::SubViewOp>()) {
      SmallVector<OpFoldResult> strides;
      if (!stridesOf(subview.getSource(), strides))
        return {};
      Value root = resolve(subview.getSource(), offset);
      for (auto [at, stride] :
           llvm::zip_equal(subview.getMixedOffsets(), strides))
        offset = add(offset, multiply(value(at), value(stride)));
      return root;
    }
    if (auto cast = view.getDefiningOp<memref::ReinterpretCastOp>()) {
      // What it is made of may have to be resolved first.
      if (cast.getSource().getDefiningOp<memref::ExtractStridedMetadataOp>())
        return {};
      offset = add(offset, value(cast.getMixedOffsets().front()));
      Value start = zero();
      return resolve(cast.getSource(), start);
    }
    bool isTensor =
        view.getDefiningOp<AllocOp>() ||
        (isa<BlockArgument>(view) &&
         isa<FunctionOpInterface>(view.getParentBlock()->getParentOp()));
    return isTensor ? view : Value();
  }

  Value zero() { return arith::ConstantIndexOp::create(builder, loc, 0); }

private:
  Value value(OpFoldResult from) {
    if (auto attr = dyn_cast<Attribute>(from))
      return arith::ConstantIndexOp::create(builder, loc,
                                            cast<IntegerAttr>(attr).getInt());
    return cast<Value>(from);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }

  /// The strides of a view, those that no constant is computed.
  bool stridesOf(Value view, SmallVector<OpFoldResult> &strides) {
    if (auto cast = view.getDefiningOp<memref::CastOp>())
      return stridesOf(cast.getSource(), strides);
    if (auto cast = view.getDefiningOp<memref::ReinterpretCastOp>()) {
      strides = cast.getMixedStrides();
      return true;
    }
    if (auto subview = view.getDefiningOp<memref::SubViewOp>()) {
      SmallVector<OpFoldResult> of;
      if (!stridesOf(subview.getSource(), of))
        return false;
      llvm::SmallBitVector dropped = subview.getDroppedDims();
      for (auto [axis, step] : llvm::enumerate(subview.getMixedStrides()))
        if (!dropped.test(axis))
          strides.push_back(multiply(value(of[axis]), value(step)));
      return true;
    }
    auto type = cast<MemRefType>(view.getType());
    if (!type.getLayout().isIdentity())
      return false;
    strides.resize(type.getRank());
    Value stride = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t axis = type.getRank(); axis-- > 0;) {
      strides[axis] = stride;
      if (axis == 0)
        break;
      Value extent = type.isDynamicDim(axis)
                         ? builder.createOrFold<memref::DimOp>(loc, view, axis)
                         : value(builder.getIndexAttr(type.getDimSize(axis)));
      stride = multiply(stride, extent);
    }
    return true;
  }

  OpBuilder &builder;
  Location loc;
};

struct ResolveViews : mlir::pl::impl::ResolveViewsBase<ResolveViews> {
  void runOnOperation() override {
    SmallVector<memref::ExtractStridedMetadataOp> found;
    getOperation().walk(
        [&](memref::ExtractStridedMetadataOp op) { found.push_back(op); });
    bool good = true;
    for (memref::ExtractStridedMetadataOp op : found)
      good &= succeeded(resolve(op));
    if (!good)
      signalPassFailure();
  }

private:
  LogicalResult resolve(memref::ExtractStridedMetadataOp op) {
    OpBuilder builder(op);
    Places places(builder, op.getLoc());
    Value offset = places.zero();
    Value root = places.resolve(op.getSource(), offset);
    bool isReshape =
        llvm::all_of(op.getBaseBuffer().getUsers(), [](auto *user) {
          return isa<memref::ReinterpretCastOp>(user);
        });
    bool usesMore =
        llvm::any_of(llvm::drop_begin(op->getResults(), 2),
                     [](OpResult result) { return !result.use_empty(); });
    if (!root || !isReshape || usesMore)
      return op.emitError() << "PL099: a reshape of a window that a loop or "
                               "branch carries is not lowered yet";
    op.getOffset().replaceAllUsesWith(offset);
    op.getBaseBuffer().replaceAllUsesWith(root);
    op.erase();
    ++numResolved;
    return success();
  }
};
} // namespace

//===- KernelViews.cpp - Addresses in global memory -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

Product Product::operator*(const Product &other) const {
  Product result = *this;
  result.coefficient *= other.coefficient;
  llvm::append_range(result.factors, other.factors);
  if (result.coefficient == 0)
    result.factors.clear();
  return result;
}

Product KernelWriter::product(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Product::constant(*constant);
  return Product::of(cast<Value>(value));
}

FailureOr<GmView> KernelWriter::argumentView(BlockArgument argument) {
  GmView view = views.lookup(argument);
  auto memref = cast<MemRefType>(argument.getType());
  view.element = memref.getElementType();
  Product stride = Product::constant(1);
  view.strides.resize(memref.getRank(), stride);
  view.sizes.resize(memref.getRank(), stride);
  for (int64_t axis = memref.getRank() - 1; axis >= 0; --axis) {
    view.strides[axis] = stride;
    if (memref.isDynamicDim(axis)) {
      Value extent = dims.lookup({argument.getArgNumber(), unsigned(axis)});
      // Nobody asks for the outermost extent without a parameter for it.
      view.sizes[axis] = extent ? Product::of(extent) : Product::constant(0);
    } else {
      view.sizes[axis] = Product::constant(memref.getDimSize(axis));
    }
    stride = stride * view.sizes[axis];
  }
  return view;
}

FailureOr<GmView> KernelWriter::subviewOf(memref::SubViewOp op) {
  FailureOr<GmView> source = viewOf(op, op.getSource());
  if (failed(source))
    return failure();
  GmView view = *source;
  view.sizes.clear();
  view.strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [axis, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    Product step = source->strides[axis];
    view.offset.push_back(product(offset) * step);
    if (dropped.test(axis))
      continue;
    view.sizes.push_back(product(size));
    view.strides.push_back(product(stride) * step);
  }
  return view;
}

FailureOr<GmView> KernelWriter::castViewOf(memref::ReinterpretCastOp op) {
  FailureOr<GmView> source = viewOf(op, op.getSource());
  if (failed(source))
    return failure();
  GmView view = *source;
  view.sizes.clear();
  view.strides.clear();
  view.offset.push_back(product(op.getMixedOffsets().front()));
  for (auto [size, stride] :
       llvm::zip_equal(op.getMixedSizes(), op.getMixedStrides())) {
    view.sizes.push_back(product(size));
    view.strides.push_back(product(stride));
  }
  return view;
}

FailureOr<GmView> KernelWriter::viewOf(Operation *user, Value memref) {
  if (auto known = views.find(memref); known != views.end())
    return known->second;
  Operation *op = memref.getDefiningOp();
  if (!op)
    return user->emitOpError() << "uses a tensor that is no argument";
  FailureOr<GmView> view =
      llvm::TypeSwitch<Operation *, FailureOr<GmView>>(op)
          .Case([&](memref::SubViewOp subview) { return subviewOf(subview); })
          .Case(
              [&](memref::ReinterpretCastOp cast) { return castViewOf(cast); })
          .Case([&](memref::CastOp cast) {
            return viewOf(user, cast.getSource());
          })
          .Default([&](Operation *) -> FailureOr<GmView> {
            return notYet(op, "this view of a tensor");
          });
  if (succeeded(view))
    views[memref] = *view;
  return view;
}

Value KernelWriter::productExpr(Location loc, const Product &product) {
  GmView nothing;
  nothing.offset.push_back(product);
  return address(loc, nothing, {});
}

Value KernelWriter::address(Location loc, const GmView &view,
                            ValueRange indices) {
  SmallVector<Product> sum;
  int64_t constant = 0;
  auto addProduct = [&](const Product &product) {
    if (product.isConstant())
      constant += product.coefficient;
    else
      sum.push_back(product);
  };
  for (const Product &product : view.offset)
    addProduct(product);
  for (auto [index, stride] : llvm::zip(indices, view.strides))
    addProduct(product(OpFoldResult(index)) * stride);

  Type i64 = builder.getI64Type();
  if (view.pointer && sum.empty() && constant == 0)
    return view.pointer;
  if (!view.pointer && sum.empty())
    return literal(loc, std::to_string(constant), i64);
  if (!view.pointer && constant == 0 && sum.size() == 1 &&
      sum[0].coefficient == 1 && sum[0].factors.size() == 1)
    return expr(loc, sum[0].factors[0]);

  Type type = view.pointer ? view.pointer.getType() : i64;
  auto expression =
      emitc::ExpressionOp::create(builder, loc, type, ValueRange(),
                                  /*do_not_inline=*/false);
  expression.createBody();
  OpBuilder inside = OpBuilder::atBlockBegin(&expression.getRegion().front());
  auto number = [&](int64_t value) {
    return this->number(expression, inside, value, i64);
  };
  Value total =
      view.pointer ? build(expression, inside, view.pointer) : Value();
  auto accumulate = [&](Value term) {
    total = total ? Value(emitc::AddOp::create(inside, loc, type, total, term))
                  : term;
  };
  for (const Product &product : sum) {
    Value term;
    for (Value factor : product.factors) {
      Value next = build(expression, inside, factor);
      if (!next)
        return {};
      term = term ? Value(emitc::MulOp::create(inside, loc, i64, term, next))
                  : next;
    }
    if (product.coefficient != 1)
      term = emitc::MulOp::create(inside, loc, i64, term,
                                  number(product.coefficient));
    accumulate(term);
  }
  if (constant != 0)
    accumulate(number(constant));
  emitc::YieldOp::create(inside, loc, total);
  return expression.getResult();
}

LogicalResult KernelWriter::emitDim(memref::DimOp op) {
  std::optional<int64_t> axis = getConstantIntValue(op.getDimension());
  if (!axis)
    return notYet(op, "the extent of an axis that only the run knows");
  FailureOr<GmView> view = viewOf(op, op.getSource());
  if (failed(view))
    return failure();
  if (*axis < 0 || *axis >= int64_t(view->sizes.size()))
    return op->emitOpError() << "asks for an axis the tensor does not have";
  Value extent = productExpr(op.getLoc(), view->sizes[*axis]);
  if (!extent)
    return failure();
  if (isa_and_nonnull<emitc::LiteralOp>(extent.getDefiningOp())) {
    setLeaf(op.getResult(), extent);
    return success();
  }
  return declare(op.getLoc(), op.getResult(), hint(op.getResult(), "extent"),
                 extent);
}

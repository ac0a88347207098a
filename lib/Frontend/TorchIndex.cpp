//===- TorchIndex.cpp - torch's gather, scatter and their kin -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

static FailureOr<Value> gather(TensorCall &call) {
  if (!call.bind({"input", "dim", "index"}, 3))
    return failure();
  ref::Array x = call.array(0), index = call.array(2);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::gather(x, dim, index));
}

/// Elements by their position in row-major order.
static FailureOr<Value> indexFlat(TensorCall &call, const ref::Array &x,
                                  const ref::Array &index) {
  Expected<ref::Array> flat = ref::flatten(x);
  if (!flat)
    return call.give(std::move(flat));
  return call.give(ref::index(*flat, {ref::IndexItem::of(index)}));
}

static FailureOr<Value> takeAlongDim(TensorCall &call) {
  if (!call.bind({"input", "indices", "dim"}, 2))
    return failure();
  ref::Array x = call.array(0), index = call.array(1);
  std::optional<int64_t> dim = call.maybeInteger(2);
  if (call.hasFailed())
    return failure();
  if (dim)
    return call.give(ref::takeAlongDim(x, index, *dim));
  return indexFlat(call, x, index);
}

static FailureOr<Value> take(TensorCall &call) {
  if (!call.bind({"input", "index"}, 2))
    return failure();
  ref::Array x = call.array(0), index = call.array(1);
  if (call.hasFailed())
    return failure();
  return indexFlat(call, x, index);
}

static FailureOr<Value> indexSelect(TensorCall &call) {
  if (!call.bind({"input", "dim", "index"}, 3))
    return failure();
  ref::Array x = call.array(0), index = call.array(2);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::indexSelect(x, dim, index));
}

/// `scatter(dim, index, src)` or `scatter(dim, index, value=…)`.
static FailureOr<Value> scatter(TensorCall &call, bool add) {
  bool byValue = any_of(call.keywords, [](const NamedValue &keyword) {
    return keyword.name == "value";
  });
  if (!call.bind({"input", "dim", "index", byValue ? "value" : "src"}, 4))
    return failure();
  ref::Array x = call.array(0), index = call.array(2);
  int64_t dim = call.integer(1, 0);
  ref::Operand source = call.operand(3);
  if (call.hasFailed())
    return failure();
  ref::Array result = x.clone();
  if (Error error = ref::scatterInto(result, dim, index, source, add))
    return call.raise(std::move(error));
  return makeArray(std::move(result));
}

static FailureOr<Value> indexInto(TensorCall &call, bool add) {
  if (!call.bind({"input", "dim", "index", "source"}, 4))
    return failure();
  ref::Array x = call.array(0), index = call.array(2), source = call.array(3);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  ref::Array result = x.clone();
  if (Error error = ref::indexInto(result, dim, index,
                                   ref::convert(source, x.dtype()), add))
    return call.raise(std::move(error));
  return makeArray(std::move(result));
}

static FailureOr<Value> indexFill(TensorCall &call) {
  if (!call.bind({"input", "dim", "index", "value"}, 4))
    return failure();
  ref::Array x = call.array(0), index = call.array(2);
  int64_t dim = call.integer(1, 0);
  ref::Scalar value = call.scalar(3);
  if (call.hasFailed())
    return failure();
  Expected<int64_t> axis = ref::normalizeAxis(dim, x.shape());
  if (!axis)
    return call.raise(axis.takeError());
  ref::Array result = x.clone();
  SmallVector<ref::IndexItem, 4> items(static_cast<size_t>(*axis),
                                       ref::IndexItem::range({}, {}));
  items.push_back(ref::IndexItem::of(index));
  if (Error error = ref::assignIndex(result, items, value))
    return call.raise(std::move(error));
  return makeArray(std::move(result));
}

static FailureOr<Value> maskedSelect(TensorCall &call) {
  if (!call.bind({"input", "mask"}, 2))
    return failure();
  ref::Array x = call.array(0), mask = call.array(1);
  if (call.hasFailed())
    return failure();
  Expected<ref::Dims> shape = ref::broadcastShapes(x.shape(), mask.shape());
  if (!shape)
    return call.raise(shape.takeError());
  ref::Array wide = cantFail(ref::broadcastTo(x, *shape));
  ref::Array wideMask = cantFail(ref::broadcastTo(mask, *shape));
  return call.give(ref::index(wide, {ref::IndexItem::of(wideMask)}));
}

static FailureOr<Value> nonzero(TensorCall &call) {
  if (!call.bind({"input", "as_tuple"}, 1))
    return failure();
  ref::Array x = call.array(0);
  bool asTuple = call.flag(1, false);
  if (call.hasFailed())
    return failure();
  if (asTuple)
    return call.give(Expected<std::vector<ref::Array>>(ref::nonzeroColumns(x)));
  return makeArray(ref::nonzero(x));
}

static FailureOr<Value> argwhere(TensorCall &call) {
  if (!call.bind({"input"}, 1))
    return failure();
  ref::Array x = call.array(0);
  if (call.hasFailed())
    return failure();
  return makeArray(ref::nonzero(x));
}

/// Which elements occur in another tensor.
static FailureOr<Value> isIn(TensorCall &call) {
  if (!call.bind({"elements", "test_elements"}, 2))
    return failure();
  ref::Array x = call.array(0), test = call.array(1);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> flat = ref::flatten(test);
  if (!flat)
    return call.give(std::move(flat));
  Expected<ref::Array> column = ref::unsqueeze(x, -1);
  if (!column)
    return call.give(std::move(column));
  Expected<ref::Array> same = ref::compare(ref::CompareOp::Eq, *column, *flat);
  if (!same)
    return call.give(std::move(same));
  return call.give(ref::reduce(ref::ReduceOp::Any, *same, {-1}));
}

static FailureOr<Value> oneHot(TensorCall &call) {
  if (!call.bind({"tensor", "num_classes"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t classes = call.integer(1, -1);
  if (call.hasFailed())
    return failure();
  if (!ref::isIntegral(x.dtype()))
    return call.raise("RuntimeError", "one_hot needs an integer tensor");
  for (int64_t i = 0; i < x.numel() && !call.has(1); ++i)
    classes = std::max(classes, x.getInt(i) + 1);
  ref::Dims shape(x.shape());
  shape.push_back(classes);
  Expected<ref::Array> result = ref::Array::create(ref::DType::Int64, shape);
  if (!result)
    return call.give(std::move(result));
  Expected<ref::Array> column = ref::unsqueeze(x, -1);
  if (!column)
    return call.give(std::move(column));
  if (Error error = ref::scatterInto(*result, -1, *column,
                                     ref::Operand(int64_t(1)), /*add=*/false))
    return call.raise(std::move(error));
  return makeArray(std::move(*result));
}

void addIndexFunctions(ArrayLibrary &library) {
  library.add("gather", Offered::Both, gather);
  library.add("take_along_dim", Offered::Both, takeAlongDim);
  library.add("take", Offered::Both, take);
  library.add("index_select", Offered::Both, indexSelect);
  library.addInPlace("scatter",
                     [](TensorCall &call) { return scatter(call, false); });
  library.addInPlace("scatter_add",
                     [](TensorCall &call) { return scatter(call, true); });
  library.addInPlace("index_add",
                     [](TensorCall &call) { return indexInto(call, true); });
  library.addInPlace("index_copy",
                     [](TensorCall &call) { return indexInto(call, false); });
  library.addInPlace("index_fill", indexFill);
  library.add("masked_select", Offered::Both, maskedSelect);
  library.add("nonzero", Offered::Both, nonzero);
  library.add("argwhere", Offered::Both, argwhere);
  library.add("isin", Offered::Function, isIn);
  library.add("one_hot", Offered::Function, oneHot);
}

} // namespace pl::frontend

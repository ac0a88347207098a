//===- TorchReduce.cpp - torch's reductions, softmax and sorting ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Reference/Elementwise.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

static Value namedPair(ref::ValuesAndIndices pair) {
  Ref<TupleObject> tuple(new TupleObject(
      {makeArray(std::move(pair.values)), makeArray(std::move(pair.indices))}));
  tuple->fieldNames = {"values", "indices"};
  return Value(tuple);
}

static FailureOr<Value> give(TensorCall &call,
                             Expected<ref::ValuesAndIndices> pair) {
  if (!pair)
    return call.raise(pair.takeError());
  return namedPair(std::move(*pair));
}

static void addReduction(ArrayLibrary &library, StringRef name,
                         ref::ReduceOp op) {
  library.add(name, Offered::Both, [op](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "dim", "keepdim", "dtype"}, 1))
      return failure();
    ref::Array x = call.array(0);
    ref::Dims dims = call.integers(1);
    bool keepdim = call.flag(2, false);
    std::optional<ref::DType> dtype = call.dtype(3);
    if (call.hasFailed())
      return failure();
    return call.give(ref::reduce(op, x, dims, keepdim, dtype));
  });
}

/// `max(x)`, `max(x, dim)` with places, `max(x, other)`.
static FailureOr<Value> extreme(TensorCall &call, bool largest) {
  if (call.args.size() > 1 && call.args[1].isArray()) {
    if (!call.bind({"input", "other"}, 2))
      return failure();
    ref::Array a = call.array(0), b = call.array(1);
    if (call.hasFailed())
      return failure();
    return call.give(ref::binary(
        largest ? ref::BinaryOp::Maximum : ref::BinaryOp::Minimum, a, b));
  }
  if (!call.bind({"input", "dim", "keepdim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<int64_t> dim = call.maybeInteger(1);
  bool keepdim = call.flag(2, false);
  if (call.hasFailed())
    return failure();
  if (dim)
    return give(call, ref::extreme(largest, x, *dim, keepdim));
  return call.give(
      ref::reduce(largest ? ref::ReduceOp::Max : ref::ReduceOp::Min, x));
}

static FailureOr<Value> argExtreme(TensorCall &call, bool largest) {
  if (!call.bind({"input", "dim", "keepdim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<int64_t> dim = call.maybeInteger(1);
  bool keepdim = call.flag(2, false);
  if (call.hasFailed())
    return failure();
  return call.give(ref::argExtreme(largest, x, dim, keepdim));
}

/// Functions of a tensor and a dim, with an optional dtype to convert to first.
static void addAlongDim(ArrayLibrary &library, StringRef name,
                        Expected<ref::Array> (*f)(const ref::Array &,
                                                  int64_t)) {
  library.add(name, Offered::Both, [f](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "dim", "dtype"}, 2))
      return failure();
    ref::Array x = call.array(0);
    int64_t dim = call.integer(1, 0);
    std::optional<ref::DType> dtype = call.dtype(2);
    if (call.hasFailed())
      return failure();
    return call.give(f(dtype ? ref::convert(x, *dtype) : x, dim));
  });
}

static FailureOr<Value> topk(TensorCall &call) {
  if (!call.bind({"input", "k", "dim", "largest", "sorted"}, 2))
    return failure();
  ref::Array x = call.array(0);
  int64_t k = call.integer(1, 0), dim = call.integer(2, -1);
  bool largest = call.flag(3, true);
  if (call.hasFailed())
    return failure();
  return give(call, ref::topk(x, k, dim, largest));
}

/// sort and argsort; always stable.
static FailureOr<Value> sort(TensorCall &call, bool onlyPlaces) {
  if (!call.bind({"input", "dim", "descending", "stable"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, -1);
  bool descending = call.flag(2, false);
  if (call.hasFailed())
    return failure();
  Expected<ref::ValuesAndIndices> sorted = ref::sort(x, dim, descending);
  if (sorted && onlyPlaces)
    return makeArray(sorted->indices);
  return give(call, std::move(sorted));
}

/// The distinct values in order.
static FailureOr<Value> unique(TensorCall &call) {
  if (!call.bind({"input", "sorted", "return_inverse", "return_counts", "dim"},
                 1))
    return failure();
  ref::Array x = call.array(0);
  bool withInverse = call.flag(2, false), withCounts = call.flag(3, false);
  if (call.hasFailed())
    return failure();
  if (call.has(4))
    return call.raise("NotImplementedError",
                      "unique along a dim is not supported");
  Expected<ref::Array> flat = ref::flatten(x);
  if (!flat)
    return call.give(std::move(flat));
  Expected<ref::ValuesAndIndices> sorted =
      ref::sort(*flat, 0, /*descending=*/false);
  if (!sorted)
    return call.raise(sorted.takeError());
  const ref::Array &values = sorted->values;
  bool floats = ref::isFloating(values.dtype());
  SmallVector<int64_t, 0> firsts;
  ref::Array inverse = ref::Array::make(ref::DType::Int64, x.shape());
  int64_t n = values.numel();
  for (int64_t i = 0; i < n; ++i) {
    bool repeats =
        i > 0 && (floats ? values.getDouble(i) == values.getDouble(i - 1)
                         : values.getInt(i) == values.getInt(i - 1));
    if (!repeats)
      firsts.push_back(i);
    inverse.data<int64_t>()[sorted->indices.data<int64_t>()[i]] =
        static_cast<int64_t>(firsts.size()) - 1;
  }
  int64_t distinct = static_cast<int64_t>(firsts.size());
  ref::Array result = ref::Array::make(values.dtype(), {distinct});
  ref::Array counts = ref::Array::make(ref::DType::Int64, {distinct});
  for (int64_t i = 0; i < distinct; ++i) {
    int64_t first = firsts[static_cast<size_t>(i)];
    int64_t end = i + 1 < distinct ? firsts[static_cast<size_t>(i + 1)] : n;
    counts.data<int64_t>()[i] = end - first;
    if (floats)
      result.setDouble(i, values.getDouble(first));
    else
      result.setInt(i, values.getInt(first));
  }
  std::vector<Value> parts{makeArray(std::move(result))};
  if (withInverse)
    parts.push_back(makeArray(std::move(inverse)));
  if (withCounts)
    parts.push_back(makeArray(std::move(counts)));
  return parts.size() == 1 ? parts[0] : Value::tuple(std::move(parts));
}

static FailureOr<Value> bincount(TensorCall &call) {
  if (!call.bind({"input", "weights", "minlength"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t length = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  if (call.has(1))
    return call.raise("NotImplementedError",
                      "bincount with weights is not supported");
  if (x.rank() != 1 || !ref::isIntegral(x.dtype()))
    return call.raise("RuntimeError", "bincount needs a 1-d integer tensor");
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t v = x.getInt(i);
    if (v < 0)
      return call.raise("RuntimeError", "bincount: a value is negative");
    length = std::max(length, v == INT64_MAX ? v : v + 1);
  }
  Expected<ref::Array> counts = ref::Array::create(ref::DType::Int64, {length});
  if (!counts)
    return call.give(std::move(counts));
  for (int64_t i = 0; i < x.numel(); ++i)
    ++counts->data<int64_t>()[x.getInt(i)];
  return makeArray(std::move(*counts));
}

static FailureOr<Value> variance(TensorCall &call, bool root) {
  if (!call.bind({"input", "dim", "unbiased", "keepdim", "correction"}, 1))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims dims = call.integers(1);
  int64_t correction = call.integer(4, call.flag(2, true) ? 1 : 0);
  bool keepdim = call.flag(3, false);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> result = ref::variance(x, dims, correction, keepdim);
  if (!result || !root)
    return call.give(std::move(result));
  return call.give(ref::unary(ref::UnaryOp::Sqrt, *result));
}

static FailureOr<Value> norm(TensorCall &call) {
  if (!call.bind({"input", "p", "dim", "keepdim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  double order = call.real(1, 2.0);
  ref::Dims dims = call.integers(2);
  bool keepdim = call.flag(3, false);
  if (call.hasFailed())
    return failure();
  if (order == 2.0)
    return call.give(ref::norm(x, dims, keepdim));
  // In double, rounded once.
  if (!ref::isFloating(x.dtype()))
    return call.raise("RuntimeError", "norm needs a float dtype, but got " +
                                          ref::dtypeName(x.dtype()));
  auto inDouble = [&]() -> Expected<ref::Array> {
    Expected<ref::Array> size =
        ref::unary(ref::UnaryOp::Abs, ref::convert(x, ref::DType::FP64));
    if (!size)
      return size;
    if (std::isinf(order))
      return ref::reduce(order > 0 ? ref::ReduceOp::Max : ref::ReduceOp::Min,
                         *size, dims, keepdim);
    size = order == 0.0 ? ref::compare(ref::CompareOp::Ne, *size, 0.0)
                        : ref::binary(ref::BinaryOp::Pow, *size, order);
    if (!size)
      return size;
    Expected<ref::Array> sum =
        ref::reduce(ref::ReduceOp::Sum, *size, dims, keepdim, ref::DType::FP64);
    if (!sum || order == 0.0)
      return sum;
    return ref::binary(ref::BinaryOp::Pow, *sum, 1.0 / order);
  };
  Expected<ref::Array> result = inDouble();
  if (!result)
    return call.give(std::move(result));
  return makeArray(ref::convert(*result, x.dtype()));
}

static FailureOr<Value> logsumexp(TensorCall &call) {
  if (!call.bind({"input", "dim", "keepdim"}, 2))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims dims = call.integers(1);
  bool keepdim = call.flag(2, false);
  if (call.hasFailed())
    return failure();
  return call.give(ref::logsumexp(x, dims, keepdim));
}

static FailureOr<Value> countNonzero(TensorCall &call) {
  if (!call.bind({"input", "dim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims dims = call.integers(1);
  if (call.hasFailed())
    return failure();
  return call.give(
      ref::reduce(ref::ReduceOp::Sum, ref::convert(x, ref::DType::Bool), dims));
}

void addReductionFunctions(ArrayLibrary &library) {
  using ref::ReduceOp;
  for (auto [name, op] : std::initializer_list<std::pair<StringRef, ReduceOp>>{
           {"sum", ReduceOp::Sum},
           {"mean", ReduceOp::Mean},
           {"prod", ReduceOp::Prod},
           {"amax", ReduceOp::Max},
           {"amin", ReduceOp::Min},
           {"all", ReduceOp::All},
           {"any", ReduceOp::Any}})
    addReduction(library, name, op);
  for (bool largest : {true, false}) {
    library.add(largest ? "max" : "min", Offered::Both,
                [largest](TensorCall &call) { return extreme(call, largest); });
    library.add(
        largest ? "argmax" : "argmin", Offered::Both,
        [largest](TensorCall &call) { return argExtreme(call, largest); });
  }
  addAlongDim(library, "softmax", ref::softmax);
  addAlongDim(library, "log_softmax", ref::logSoftmax);
  addAlongDim(library, "cumsum", ref::cumsum);
  addAlongDim(library, "cumprod", ref::cumprod);
  library.add("topk", Offered::Both, topk);
  library.add("sort", Offered::Both,
              [](TensorCall &call) { return sort(call, false); });
  library.add("argsort", Offered::Both,
              [](TensorCall &call) { return sort(call, true); });
  library.add("unique", Offered::Both, unique);
  library.add("bincount", Offered::Both, bincount);
  library.add("var", Offered::Both,
              [](TensorCall &call) { return variance(call, false); });
  library.add("std", Offered::Both,
              [](TensorCall &call) { return variance(call, true); });
  library.add("norm", Offered::Both, norm);
  library.add("logsumexp", Offered::Both, logsumexp);
  library.add("count_nonzero", Offered::Both, countNonzero);
}

} // namespace pl::frontend

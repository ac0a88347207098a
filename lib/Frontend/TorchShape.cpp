//===- TorchShape.cpp - torch's views and rearrangements ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

/// Functions of a tensor and a list of ints that may be spread over the
/// arguments: `x.reshape(2, 3)`, `x.reshape((2, 3))`.
static void addWithExtents(ArrayLibrary &library, StringRef name,
                           StringRef parameter,
                           Expected<ref::Array> (*f)(const ref::Array &,
                                                     ArrayRef<int64_t>)) {
  library.add(name, Offered::Both,
              [f, parameter](TensorCall &call) -> FailureOr<Value> {
                ref::Dims extents = call.takeExtents(1, parameter);
                if (!call.bind({"input"}, 1))
                  return failure();
                ref::Array x = call.array(0);
                if (call.hasFailed())
                  return failure();
                return call.give(f(x, extents));
              });
}

/// `x.view(2, 3)`, or `x.view(torch.int16)`, which looks at the same bytes.
static FailureOr<Value> view(TensorCall &call) {
  if (call.args.size() == 2 && call.args[1].isDType()) {
    if (!call.bind({"input", "dtype"}, 2))
      return failure();
    ref::Array x = call.array(0);
    std::optional<ref::DType> dtype = call.dtype(1);
    if (call.hasFailed())
      return failure();
    return call.give(ref::bitcast(x, *dtype));
  }
  ref::Dims shape = call.takeExtents(1, "size");
  if (!call.bind({"input"}, 1))
    return failure();
  ref::Array x = call.array(0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::view(x, shape));
}

static void addLike(ArrayLibrary &library, StringRef name,
                    Expected<ref::Array> (*f)(const ref::Array &,
                                              ArrayRef<int64_t>)) {
  library.add(name, Offered::Method, [f](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "other"}, 2))
      return failure();
    ref::Array x = call.array(0), other = call.array(1);
    if (call.hasFailed())
      return failure();
    return call.give(f(x, other.shape()));
  });
}

static FailureOr<Value> flatten(TensorCall &call) {
  if (!call.bind({"input", "start_dim", "end_dim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t first = call.integer(1, 0), last = call.integer(2, -1);
  if (call.hasFailed())
    return failure();
  return call.give(ref::flatten(x, first, last));
}

static FailureOr<Value> unflatten(TensorCall &call) {
  if (!call.bind({"input", "dim", "sizes"}, 3))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0);
  ref::Dims sizes = call.integers(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::unflatten(x, dim, sizes));
}

static FailureOr<Value> transpose(TensorCall &call) {
  if (!call.bind({"input", "dim0", "dim1"}, 3))
    return failure();
  ref::Array x = call.array(0);
  int64_t first = call.integer(1, 0), second = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::transpose(x, first, second));
}

/// `t(x)`: a matrix transposed, a vector as it is.
static FailureOr<Value> transposeMatrix(TensorCall &call) {
  if (!call.bind({"input"}, 1))
    return failure();
  ref::Array x = call.array(0);
  if (call.hasFailed())
    return failure();
  if (x.rank() > 2)
    return call.raise("RuntimeError", "t() needs at most two dims, but got " +
                                          ref::shapeString(x.shape()));
  return makeArray(ref::reverseDims(x));
}

static FailureOr<Value> movedim(TensorCall &call) {
  if (!call.bind({"input", "source", "destination"}, 3))
    return failure();
  ref::Array x = call.array(0);
  int64_t source = call.integer(1, 0), destination = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::movedim(x, source, destination));
}

static FailureOr<Value> squeeze(TensorCall &call) {
  if (!call.bind({"input", "dim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims dims = call.integers(1);
  if (call.hasFailed())
    return failure();
  // A dim of a 0-d tensor is there in name only.
  return call.give(ref::squeeze(x, dims));
}

static FailureOr<Value> unsqueeze(TensorCall &call) {
  if (!call.bind({"input", "dim"}, 2))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::unsqueeze(x, dim));
}

static FailureOr<Value> repeatInterleave(TensorCall &call) {
  if (!call.bind({"input", "repeats", "dim"}, 2))
    return failure();
  ref::Array x = call.array(0);
  std::optional<int64_t> dim = call.maybeInteger(2);
  if (call.hasFailed())
    return failure();
  if (!call.value(1).isArray() || call.value(1).getArray()->numel() == 1) {
    int64_t times = call.integer(1, 0);
    if (call.hasFailed())
      return failure();
    return call.give(ref::repeatInterleave(x, times, dim));
  }
  // As many copies of each element as its own count says.
  ref::Array counts = call.array(1);
  Expected<ref::Array> source = dim ? Expected<ref::Array>(x) : ref::flatten(x);
  if (!source)
    return call.give(std::move(source));
  Expected<int64_t> axis = ref::normalizeAxis(dim.value_or(0), source->shape());
  if (!axis)
    return call.raise(axis.takeError());
  if (counts.rank() != 1 || !ref::isIntegral(counts.dtype()) ||
      counts.dim(0) != source->dim(*axis))
    return call.raise("RuntimeError", "repeat_interleave needs one count for "
                                      "each of the " +
                                          Twine(source->dim(*axis)) +
                                          " elements");
  int64_t total = 0;
  for (int64_t i = 0; i < counts.numel(); ++i) {
    int64_t count = counts.getInt(i);
    if (count < 0 || AddOverflow(total, count, total))
      return call.raise("RuntimeError",
                        "repeat_interleave: the counts must not be negative");
  }
  Expected<ref::Array> places = ref::Array::create(ref::DType::Int64, {total});
  if (!places)
    return call.give(std::move(places));
  int64_t *place = places->data<int64_t>();
  for (int64_t i = 0; i < counts.numel(); ++i)
    for (int64_t k = counts.getInt(i); k > 0; --k)
      *place++ = i;
  return call.give(ref::indexSelect(*source, *axis, *places));
}

/// `split(x, 4)`: pieces of 4; `split(x, [1, 3])`: pieces of these sizes.
static FailureOr<Value> split(TensorCall &call) {
  if (!call.bind({"tensor", "split_size_or_sections", "dim"}, 2))
    return failure();
  ref::Array x = call.array(0);
  bool isSize = call.value(1).isIntOrBool();
  ref::Dims sizes = call.integers(1);
  int64_t dim = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  return isSize ? call.give(ref::splitEvery(x, sizes[0], dim))
                : call.give(ref::split(x, sizes, dim));
}

static FailureOr<Value> chunk(TensorCall &call) {
  if (!call.bind({"input", "chunks", "dim"}, 2))
    return failure();
  ref::Array x = call.array(0);
  int64_t count = call.integer(1, 0), dim = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::chunk(x, count, dim));
}

static FailureOr<Value> unbind(TensorCall &call) {
  if (!call.bind({"input", "dim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::unbind(x, dim));
}

static FailureOr<Value> join(TensorCall &call,
                             Expected<ref::Array> (*f)(ArrayRef<ref::Array>,
                                                       int64_t)) {
  if (!call.bind({"tensors", "dim"}, 1))
    return failure();
  std::vector<ref::Array> arrays = call.arrays(0);
  int64_t dim = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(f(arrays, dim));
}

static FailureOr<Value> narrow(TensorCall &call) {
  if (!call.bind({"input", "dim", "start", "length"}, 4))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0), start = call.integer(2, 0),
          length = call.integer(3, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::narrow(x, dim, start, length));
}

static FailureOr<Value> select(TensorCall &call) {
  if (!call.bind({"input", "dim", "index"}, 3))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0), index = call.integer(2, 0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::select(x, dim, index));
}

static FailureOr<Value> roll(TensorCall &call) {
  if (!call.bind({"input", "shifts", "dims"}, 2))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims shifts = call.integers(1), dims = call.integers(2);
  if (call.hasFailed())
    return failure();
  if (dims.empty() && shifts.size() == 1)
    return call.give(ref::roll(x, shifts[0], std::nullopt));
  if (shifts.size() != dims.size())
    return call.raise("RuntimeError", "roll needs as many shifts as dims");
  for (auto [shift, dim] : zip_equal(shifts, dims)) {
    Expected<ref::Array> rolled = ref::roll(x, shift, dim);
    if (!rolled)
      return call.give(std::move(rolled));
    x = std::move(*rolled);
  }
  return makeArray(std::move(x));
}

static FailureOr<Value> triangle(TensorCall &call,
                                 Expected<ref::Array> (*f)(const ref::Array &,
                                                           int64_t)) {
  if (!call.bind({"input", "diagonal"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t diagonal = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  return call.give(f(x, diagonal));
}

/// torch.nn.functional.pad with a constant: pairs from the last dim backwards.
static FailureOr<Value> pad(TensorCall &call) {
  if (!call.bind({"input", "pad", "mode", "value"}, 2))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims widths = call.integers(1);
  StringRef mode = call.text(2, "constant");
  ref::Scalar value = call.has(3) ? call.scalar(3) : ref::Scalar::ofInt(0);
  if (call.hasFailed())
    return failure();
  if (mode != "constant")
    return call.raise("NotImplementedError",
                      "pad supports mode='constant' only");
  size_t padded = widths.size() / 2;
  if (widths.size() % 2 != 0 || static_cast<int64_t>(padded) > x.rank() ||
      any_of(widths, [](int64_t w) { return w < 0 || w > INT32_MAX; }))
    return call.raise("RuntimeError",
                      "pad needs pairs of widths, not negative, for the last "
                      "dims of a tensor of shape " +
                          ref::shapeString(x.shape()));
  ref::Dims shape(x.shape());
  for (size_t i = 0; i < padded; ++i)
    shape[shape.size() - 1 - i] += widths[2 * i] + widths[2 * i + 1];
  Expected<ref::Array> result = ref::full(shape, value, x.dtype());
  if (!result)
    return call.give(std::move(result));
  ref::Array inside = *result;
  for (size_t i = 0; i < padded; ++i) {
    int64_t dim = x.rank() - 1 - static_cast<int64_t>(i);
    inside = cantFail(ref::narrow(inside, dim, widths[2 * i], x.dim(dim)));
  }
  if (Error error = ref::copyInto(inside, x))
    return call.raise(std::move(error));
  return makeArray(std::move(*result));
}

void addShapeFunctions(ArrayLibrary &library) {
  library.add("view", Offered::Method, view);
  addWithExtents(library, "reshape", "shape", ref::reshape);
  addWithExtents(library, "permute", "dims", ref::permute);
  addWithExtents(library, "expand", "size", ref::expand);
  addWithExtents(library, "broadcast_to", "size", ref::broadcastTo);
  addWithExtents(library, "repeat", "repeats", ref::repeat);
  addWithExtents(library, "tile", "dims", ref::repeat);
  addWithExtents(library, "flip", "dims", ref::flip);
  addLike(library, "view_as", ref::view);
  addLike(library, "reshape_as", ref::reshape);
  addLike(library, "expand_as", ref::expand);
  library.add("flatten", Offered::Both, flatten);
  library.add("ravel", Offered::Both, flatten);
  library.add("unflatten", Offered::Both, unflatten);
  library.add("transpose", Offered::Both, transpose);
  library.add("swapaxes", Offered::Both, transpose);
  library.add("t", Offered::Both, transposeMatrix);
  library.add("movedim", Offered::Both, movedim);
  library.add("squeeze", Offered::Both, squeeze);
  library.add("unsqueeze", Offered::Both, unsqueeze);
  library.add("repeat_interleave", Offered::Both, repeatInterleave);
  library.add("split", Offered::Both, split);
  library.add("chunk", Offered::Both, chunk);
  library.add("unbind", Offered::Both, unbind);
  for (StringRef name : {"cat", "concat", "concatenate"})
    library.add(name, Offered::Function,
                [](TensorCall &call) { return join(call, ref::cat); });
  library.add("stack", Offered::Function,
              [](TensorCall &call) { return join(call, ref::stack); });
  library.add("narrow", Offered::Both, narrow);
  library.add("select", Offered::Both, select);
  library.add("roll", Offered::Both, roll);
  library.add("tril", Offered::Both,
              [](TensorCall &call) { return triangle(call, ref::tril); });
  library.add("triu", Offered::Both,
              [](TensorCall &call) { return triangle(call, ref::triu); });
  library.add("pad", Offered::Function, pad);
}

} // namespace pl::frontend

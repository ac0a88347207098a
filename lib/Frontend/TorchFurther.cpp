//===- TorchFurther.cpp - torch's less common views, searches and writes --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A view of the elements on a diagonal of two dims, which become the last one.
static FailureOr<Value> diagonal(TensorCall &call) {
  if (!call.bind({"input", "offset", "dim1", "dim2"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t offset = call.integer(1, 0);
  int64_t dim1 = call.integer(2, 0), dim2 = call.integer(3, 1);
  if (call.hasFailed())
    return failure();
  Expected<int64_t> a = ref::normalizeAxis(dim1, x.shape());
  if (!a)
    return call.raise(a.takeError());
  Expected<int64_t> b = ref::normalizeAxis(dim2, x.shape());
  if (!b)
    return call.raise(b.takeError());
  if (*a == *b || x.rank() < 2)
    return call.raise("RuntimeError", "diagonal needs two dims");
  ref::Dims shape, strides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d == *a || d == *b)
      continue;
    shape.push_back(x.dim(d));
    strides.push_back(x.strides()[d]);
  }
  int64_t rows = x.dim(*a), columns = x.dim(*b);
  int64_t down = offset < 0 ? std::min(-std::max(offset, -rows), rows) : 0;
  int64_t along = offset > 0 ? std::min(offset, columns) : 0;
  int64_t length = std::max<int64_t>(std::min(rows - down, columns - along), 0);
  shape.push_back(length);
  strides.push_back(x.strides()[*a] + x.strides()[*b]);
  int64_t start = x.offset();
  if (length > 0)
    start += down * x.strides()[*a] + along * x.strides()[*b];
  return makeArray(x.withLayout(shape, strides, start));
}

/// Windows of `size` elements along a dim, `step` apart; the window is the last
/// dim of the view.
static FailureOr<Value> unfold(TensorCall &call) {
  if (!call.bind({"input", "dimension", "size", "step"}, 4))
    return failure();
  ref::Array x = call.array(0);
  int64_t dim = call.integer(1, 0), size = call.integer(2, 1),
          step = call.integer(3, 1);
  if (call.hasFailed())
    return failure();
  Expected<int64_t> axis = ref::normalizeAxis(dim, x.shape());
  if (!axis)
    return call.raise(axis.takeError());
  if (x.rank() == 0 || size < 0 || size > x.dim(*axis) || step < 1)
    return call.raise("RuntimeError",
                      "unfold: windows of " + Twine(size) + ", " + Twine(step) +
                          " apart, do not fit a tensor of shape " +
                          ref::shapeString(x.shape()));
  ref::Dims shape(x.shape()), strides(x.strides());
  shape[*axis] = (x.dim(*axis) - size) / step + 1;
  // A single window may have any step.
  strides[*axis] = shape[*axis] > 1 ? strides[*axis] * step : 0;
  shape.push_back(size);
  strides.push_back(x.strides()[*axis]);
  if (Error error = ref::Array::checkShape(shape))
    return call.raise(std::move(error));
  return makeArray(x.withLayout(shape, strides, x.offset()));
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// For each value the number of boundaries below it (`right`: not above it).
/// Rows of boundaries belong to rows of values; one row serves all.
static FailureOr<Value> searchRows(TensorCall &call,
                                   const ref::Array &boundaries,
                                   const ref::Array &values, bool right,
                                   bool asInt32) {
  int64_t length = boundaries.dim(boundaries.rank() - 1);
  bool isShared = boundaries.rank() == 1;
  if (!isShared &&
      (values.rank() != boundaries.rank() ||
       values.shape().drop_back() != boundaries.shape().drop_back()))
    return call.raise("RuntimeError", "boundaries of shape " +
                                          ref::shapeString(boundaries.shape()) +
                                          " do not go with values of shape " +
                                          ref::shapeString(values.shape()));
  ref::Array sorted = ref::convert(boundaries, ref::DType::FP64).contiguous();
  ref::Array wanted = ref::convert(values, ref::DType::FP64).contiguous();
  ref::Array result = ref::Array::make(ref::DType::Int64, values.shape());
  int64_t perRow = isShared ? values.numel() : values.dim(values.rank() - 1);
  for (int64_t i = 0, n = values.numel(); i < n; ++i) {
    const double *first =
        sorted.data<double>() + (isShared ? 0 : i / perRow * length);
    double value = wanted.data<double>()[i];
    // NaN comes after everything.
    const double *at = value != value ? first + length
                       : right ? std::upper_bound(first, first + length, value)
                               : std::lower_bound(first, first + length, value);
    result.data<int64_t>()[i] = at - first;
  }
  return makeArray(asInt32 ? ref::convert(result, ref::DType::Int32) : result);
}

static FailureOr<Value> bucketize(TensorCall &call) {
  if (!call.bind({"input", "boundaries", "out_int32", "right"}, 2))
    return failure();
  ref::Array boundaries = call.array(1);
  bool asInt32 = call.flag(2, false), right = call.flag(3, false);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> values =
      call.value(0).isNumber()
          ? Expected<ref::Array>(toScalar(call.value(0)).asArray())
          : Expected<ref::Array>(call.array(0));
  if (call.hasFailed())
    return failure();
  if (boundaries.rank() != 1)
    return call.raise("RuntimeError", "bucketize needs 1-d boundaries");
  return searchRows(call, boundaries, *values, right, asInt32);
}

static FailureOr<Value> searchSorted(TensorCall &call) {
  if (!call.bind({"sorted_sequence", "input", "out_int32", "right", "side"}, 2))
    return failure();
  ref::Array boundaries = call.array(0);
  bool asInt32 = call.flag(2, false), right = call.flag(3, false);
  right |= call.text(4, "left") == "right";
  if (call.hasFailed())
    return failure();
  ref::Array values = call.value(1).isNumber()
                          ? toScalar(call.value(1)).asArray()
                          : call.array(1);
  if (call.hasFailed())
    return failure();
  if (boundaries.rank() == 0)
    return call.raise("RuntimeError", "searchsorted needs a sorted sequence");
  return searchRows(call, boundaries, values, right, asInt32);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// `x.index_put((i, j), values, accumulate=False)`.
static FailureOr<Value> indexPut(TensorCall &call) {
  if (!call.bind({"input", "indices", "values", "accumulate"}, 3))
    return failure();
  ref::Array x = call.array(0);
  std::vector<ref::Array> indices = call.arrays(1);
  ref::Operand values = call.operand(2);
  bool accumulate = call.flag(3, false);
  if (call.hasFailed())
    return failure();
  SmallVector<ref::IndexItem, 4> items;
  for (const ref::Array &index : indices)
    items.push_back(ref::IndexItem::of(index));
  ref::Array result = x.clone();
  if (!accumulate) {
    if (Error error = ref::assignIndex(result, items, values))
      return call.raise(std::move(error));
    return makeArray(std::move(result));
  }
  // The flat places that the index names, then one addition a place.
  int64_t count = x.numel();
  Expected<ref::Array> numbers =
      ref::Array::create(ref::DType::Int64, x.shape());
  if (!numbers)
    return call.raise(numbers.takeError());
  for (int64_t i = 0; i < count; ++i)
    numbers->data<int64_t>()[i] = i;
  Expected<ref::Array> places = ref::index(*numbers, items);
  if (!places)
    return call.raise(places.takeError());
  ref::Array source =
      values.isPlain() ? values.scalar().asArray() : values.array();
  Expected<ref::Array> wide =
      ref::broadcastTo(ref::convert(source, x.dtype()), places->shape());
  if (!wide)
    return call.raise(wide.takeError());
  Expected<ref::Array> flatPlaces = ref::flatten(*places);
  Expected<ref::Array> flatSource = ref::flatten(*wide);
  ref::Array flat = cantFail(ref::view(result, {count}));
  if (!flatPlaces || !flatSource)
    return call.raise(
        joinErrors(flatPlaces.takeError(), flatSource.takeError()));
  if (Error error = ref::scatterInto(flat, 0, *flatPlaces, *flatSource,
                                     /*add=*/true))
    return call.raise(std::move(error));
  return makeArray(std::move(result));
}

/// The places where the mask holds take the source's elements in order.
static FailureOr<Value> maskedScatter(TensorCall &call) {
  if (!call.bind({"input", "mask", "source"}, 3))
    return failure();
  ref::Array x = call.array(0), mask = call.array(1), source = call.array(2);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> wide = ref::broadcastTo(mask, x.shape());
  if (!wide)
    return call.raise(wide.takeError());
  if (wide->dtype() != ref::DType::Bool || source.dtype() != x.dtype())
    return call.raise("RuntimeError", "masked_scatter needs a bool mask and a "
                                      "source of the tensor's dtype");
  ref::Array flags = wide->contiguous();
  int64_t count = llvm::count(flags.elements<bool>(), true);
  if (count > source.numel())
    return call.raise("RuntimeError", "masked_scatter: the mask holds at " +
                                          Twine(count) +
                                          " places, but the source has " +
                                          Twine(source.numel()) + " elements");
  Expected<ref::Array> flat = ref::flatten(source);
  if (!flat)
    return call.raise(flat.takeError());
  ref::Array result = x.clone();
  if (Error error = ref::assignIndex(result, {ref::IndexItem::of(flags)},
                                     cantFail(ref::narrow(*flat, 0, 0, count))))
    return call.raise(std::move(error));
  return makeArray(std::move(result));
}

/// `x.scatter_reduce(dim, index, src, reduce, include_self=True)`.
static FailureOr<Value> scatterReduce(TensorCall &call) {
  if (!call.bind({"input", "dim", "index", "src", "reduce", "include_self"}, 5))
    return failure();
  ref::Array x = call.array(0), index = call.array(2), source = call.array(3);
  int64_t dim = call.integer(1, 0);
  StringRef how = call.text(4, "");
  bool includeSelf = call.flag(5, true);
  if (call.hasFailed())
    return failure();
  if (!is_contained({"sum", "prod", "mean", "amax", "amin"}, how))
    return call.raise("ValueError", "scatter_reduce: reduce must be 'sum', "
                                    "'prod', 'mean', 'amax' or 'amin'");
  Expected<int64_t> axis = ref::normalizeAxis(dim, x.shape());
  if (!axis)
    return call.raise(axis.takeError());
  // Checks the index, and finds the flat place of each source element.
  ref::Array numbers = ref::Array::make(ref::DType::Int64, x.shape());
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    numbers.data<int64_t>()[i] = i;
  Expected<ref::Array> places = ref::gather(numbers, *axis, index);
  if (!places)
    return call.raise(places.takeError());
  ref::Array wide = source;
  if (source.rank() != index.rank())
    return call.raise("RuntimeError", "scatter_reduce: index and source need "
                                      "the same number of dims");
  for (int64_t d = 0; d < index.rank(); ++d) {
    Expected<ref::Array> part = ref::narrow(wide, d, 0, index.dim(d));
    if (!part)
      return call.raise(part.takeError());
    wide = std::move(*part);
  }
  ref::Array from = ref::convert(wide, ref::DType::FP64).contiguous();
  ref::Array total = ref::convert(x, ref::DType::FP64).clone();
  std::vector<int64_t> counts(static_cast<size_t>(x.numel()), includeSelf);
  for (int64_t i = 0, n = places->numel(); i < n; ++i) {
    int64_t at = places->data<int64_t>()[i];
    double &sum = total.data<double>()[at];
    double value = from.data<double>()[i];
    bool isFirst = counts[at]++ == 0;
    if (isFirst)
      sum = value;
    else if (how == "prod")
      sum *= value;
    else if (how == "amax")
      sum = value > sum || value != value ? value : sum;
    else if (how == "amin")
      sum = value < sum || value != value ? value : sum;
    else
      sum += value;
  }
  for (int64_t i = 0, n = x.numel(); how == "mean" && i < n; ++i)
    total.data<double>()[i] /= static_cast<double>(
        std::max<int64_t>(counts[static_cast<size_t>(i)], 1));
  return makeArray(ref::convert(total, x.dtype()));
}

/// `x.random_(from=0, to)`: integers in place.
static FailureOr<Value> randomInPlace(TensorCall &call) {
  bool hasTo = call.args.size() > 2;
  if (call.args.size() == 2)
    call.args.insert(call.args.begin() + 1, Value::integer(0));
  else if (!hasTo)
    return call.raise("TypeError", "random_() needs the bound `to`");
  if (!call.bind({"input", "from", "to", "generator"}, 3))
    return failure();
  ref::Array x = call.array(0);
  int64_t low = call.integer(1, 0), high = call.integer(2, 0);
  ref::Generator &generator = call.generator(3);
  if (call.hasFailed())
    return failure();
  if (Error error = ref::fillIntegers(x, generator, low, high))
    return call.raise(std::move(error));
  return call.args[0];
}

//===----------------------------------------------------------------------===//
// About dtypes and the library itself
//===----------------------------------------------------------------------===//

static FailureOr<Value> promoteTypes(TensorCall &call) {
  if (!call.bind({"type1", "type2"}, 2))
    return failure();
  std::optional<ref::DType> a = call.dtype(0), b = call.dtype(1);
  if (call.hasFailed())
    return failure();
  return Value::dtype(fromRef(ref::promoteTypes(*a, *b)));
}

static FailureOr<Value> resultType(TensorCall &call) {
  if (!call.bind({"tensor1", "tensor2"}, 2))
    return failure();
  ref::Operand a = call.operand(0), b = call.operand(1);
  if (call.hasFailed())
    return failure();
  return Value::dtype(fromRef(ref::resultType({a, b})));
}

/// A decorator or context that changes nothing here, with or without options.
static FailureOr<Value> changesNothing(TensorCall &call) {
  if (call.args.size() == 1 && call.args[0].as<FunctionObject>())
    return call.args[0];
  return Value(new NoGradObject());
}

/// `with torch.random.fork_rng():` gives the generator back as it was.
static FailureOr<Value> forkRng(TensorCall &call) {
  Ref<ModuleObject> scope(new ModuleObject("fork_rng"));
  ArrayLibrary *library = &call.library;
  ref::Generator saved = library->defaultGenerator;
  scope->set("__enter__", makeNative("__enter__", [](CallContext &) {
               return FailureOr<Value>(Value::none());
             }));
  scope->set("__exit__",
             makeNative("__exit__", [library, saved](CallContext &) {
               library->defaultGenerator = saved;
               return FailureOr<Value>(Value::boolean(false));
             }));
  return Value(scope);
}

void addFurtherFunctions(ArrayLibrary &library) {
  library.add("diagonal", Offered::Both, diagonal);
  library.add("unfold", Offered::Method, unfold);
  library.add("bucketize", Offered::Function, bucketize);
  library.add("searchsorted", Offered::Function, searchSorted);
  library.addInPlace("index_put", indexPut);
  library.addInPlace("masked_scatter", maskedScatter);
  library.addInPlace("scatter_reduce", scatterReduce);
  library.add("random_", Offered::Method, randomInPlace);
  library.add("promote_types", Offered::Function, promoteTypes);
  library.add("result_type", Offered::Function, resultType);
  library.add("get_default_dtype", Offered::Function,
              [](TensorCall &) -> FailureOr<Value> {
                return Value::dtype(DTypeKind::FP32);
              });
  for (StringRef name :
       {"inference_mode", "enable_grad", "set_grad_enabled", "compile"})
    library.add(name, Offered::Function, changesNothing);
  library.addToModule("torch.jit", "script", changesNothing);
  library.addToModule("torch.random", "fork_rng", forkRng);
}

} // namespace pl::frontend

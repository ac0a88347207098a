//===- Gather.cpp - gather, scatter and their kin -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::Twine;

/// `indices` as int64, every one checked against [0, extent).
static Expected<Array> checkedIndices(llvm::StringRef what,
                                      const Array &indices, int64_t extent) {
  if (!isIntegral(indices.dtype()))
    return fail(what + ": the index must hold integers, but it is " +
                dtypeName(indices.dtype()));
  Array dense = convert(indices, DType::Int64).contiguous();
  for (int64_t i = 0, n = dense.numel(); i < n; ++i) {
    int64_t v = dense.data<int64_t>()[i];
    if (v < 0 || v >= extent)
      return fail(what + ": index " + Twine(v) + " at " +
                  indexString(i, indices.shape()) +
                  " is out of range for an extent of " + Twine(extent));
  }
  return dense;
}

/// Rank and extents as gather and scatter want them: `indices` is nowhere
/// longer than `array` outside `axis`.
static llvm::Error checkAlong(llvm::StringRef what, const Array &array,
                              const Array &indices, int64_t axis) {
  bool fits = indices.rank() == array.rank();
  for (int64_t d = 0; fits && d < array.rank(); ++d)
    fits = d == axis || indices.dim(d) <= array.dim(d);
  if (fits)
    return llvm::Error::success();
  return fail(what + " along dim " + Twine(axis) + ": an index of shape " +
              shapeString(indices.shape()) +
              " does not fit a tensor of shape " + shapeString(array.shape()));
}

/// The strides of `array` with that of `axis` zero: what the index replaces.
static Dims stridesWithout(const Array &array, int64_t axis) {
  Dims strides(array.strides());
  if (!strides.empty())
    strides[axis] = 0;
  return strides;
}

static int64_t strideOf(const Array &array, int64_t axis) {
  return array.rank() ? array.strides()[axis] : 0;
}
static int64_t extentOf(const Array &array, int64_t axis) {
  return array.rank() ? array.dim(axis) : 1;
}

Expected<Array> pl::ref::gather(const Array &array, int64_t dim,
                                const Array &indices) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (llvm::Error error = checkAlong("gather", array, indices, *axis))
    return error;
  Expected<Array> places =
      checkedIndices("gather", indices, extentOf(array, *axis));
  if (!places)
    return places;
  Array result = Array::make(array.dtype(), indices.shape());
  int64_t stride = strideOf(array, *axis);
  Dims rest = stridesWithout(array, *axis);
  LoopPlan plan(indices.shape(), {result.strides(), places->strides(), rest});
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    plan.forEach([&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> step) {
      T *out = result.data<T>() + at[0];
      const int64_t *place = places->data<int64_t>() + at[1];
      const T *in = array.data<T>() + at[2];
      for (int64_t i = 0; i < n; ++i)
        out[i * step[0]] = in[i * step[2] + place[i * step[1]] * stride];
    });
  });
  return result;
}

Expected<Array> pl::ref::takeAlongDim(const Array &array, const Array &indices,
                                      int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (indices.rank() != array.rank())
    return fail("take_along_dim: an index of shape " +
                shapeString(indices.shape()) + " for a tensor of shape " +
                shapeString(array.shape()));
  Dims arrayShape(array.shape()), indexShape(indices.shape());
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (d == *axis || arrayShape[d] == indexShape[d])
      continue;
    if (arrayShape[d] == 1)
      arrayShape[d] = indexShape[d];
    else
      indexShape[d] = arrayShape[d];
  }
  Expected<Array> wideArray = broadcastTo(array, arrayShape);
  if (!wideArray)
    return wideArray;
  Expected<Array> wideIndices = broadcastTo(indices, indexShape);
  if (!wideIndices)
    return wideIndices;
  return gather(*wideArray, *axis, *wideIndices);
}

Expected<Array> pl::ref::indexSelect(const Array &array, int64_t dim,
                                     const Array &indices) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (indices.rank() > 1 || array.rank() == 0)
    return fail("index_select needs a 1-d index and a tensor with dims, but "
                "got shapes " +
                shapeString(indices.shape()) + " and " +
                shapeString(array.shape()));
  Expected<Array> places =
      checkedIndices("index_select", indices, array.dim(*axis));
  if (!places)
    return places;
  Expected<Array> flat = reshape(*places, {-1});
  if (!flat)
    return flat;
  llvm::SmallVector<IndexItem, 4> items(static_cast<size_t>(*axis),
                                        IndexItem::range({}, {}));
  items.push_back(IndexItem::of(*flat));
  return index(array, items);
}

/// A sum in the dtype: floats once through float32, integers wrapping.
template <typename T> static T addElements(T a, T b) {
  if constexpr (isFloatStorage<T>)
    return convertValue<T>(load(a) + load(b));
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

llvm::Error pl::ref::scatterInto(const Array &array, int64_t dim,
                                 const Array &indices, const Operand &source,
                                 bool add) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (llvm::Error error = checkAlong("scatter", array, indices, *axis))
    return error;
  Expected<Array> places =
      checkedIndices("scatter", indices, extentOf(array, *axis));
  if (!places)
    return places.takeError();
  Array from;
  if (source.isPlain()) {
    Expected<Array> wide = broadcastTo(
        convert(source.scalar().asArray(), array.dtype()), indices.shape());
    if (!wide)
      return wide.takeError();
    from = std::move(*wide);
  } else {
    from = source.array();
    if (from.dtype() != array.dtype())
      return fail("scatter: the source is " + dtypeName(from.dtype()) +
                  " but the tensor is " + dtypeName(array.dtype()));
    bool fits = from.rank() == indices.rank();
    for (int64_t d = 0; fits && d < indices.rank(); ++d)
      fits = indices.dim(d) <= from.dim(d);
    if (!fits)
      return fail("scatter: a source of shape " + shapeString(from.shape()) +
                  " is smaller than the index of shape " +
                  shapeString(indices.shape()));
    if (from.sharesStorage(array))
      from = from.clone();
  }
  int64_t stride = strideOf(array, *axis);
  Dims rest = stridesWithout(array, *axis);
  LoopPlan plan(indices.shape(), {rest, places->strides(), from.strides()});
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    plan.forEachInOrder(
        [&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> step) {
          T *out = array.data<T>() + at[0];
          const int64_t *place = places->data<int64_t>() + at[1];
          const T *in = from.data<T>() + at[2];
          for (int64_t i = 0; i < n; ++i) {
            T &target = out[i * step[0] + place[i * step[1]] * stride];
            T value = in[i * step[2]];
            target = add ? addElements(target, value) : value;
          }
        });
  });
  return llvm::Error::success();
}

llvm::Error pl::ref::indexInto(const Array &array, int64_t dim,
                               const Array &indices, const Array &source,
                               bool add) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  Dims wanted(array.shape());
  if (indices.rank() != 1 || array.rank() == 0)
    return fail("the index must have one dim, but has shape " +
                shapeString(indices.shape()));
  wanted[*axis] = indices.dim(0);
  if (source.shape() != ArrayRef<int64_t>(wanted))
    return fail("a source of shape " + shapeString(source.shape()) +
                " where the index asks for " + shapeString(wanted));
  // The same places for every element of a slice.
  Dims shape(array.rank(), 1);
  shape[*axis] = indices.dim(0);
  Expected<Array> column = reshape(indices, shape);
  if (!column)
    return column.takeError();
  Expected<Array> wide = broadcastTo(*column, wanted);
  if (!wide)
    return wide.takeError();
  return scatterInto(array, *axis, *wide, source, add);
}

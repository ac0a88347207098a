//===- Shape.cpp - Views --------------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::Twine;

Expected<int64_t> pl::ref::normalizeAxis(int64_t axis, ArrayRef<int64_t> shape,
                                         int64_t extra) {
  // A 0-d tensor takes dim 0 and -1, as torch has it.
  int64_t rank =
      std::max<int64_t>(static_cast<int64_t>(shape.size()) + extra, 1);
  if (axis < -rank || axis >= rank)
    return fail("dim " + Twine(axis) +
                " is out of range for a tensor of shape " + shapeString(shape));
  return axis < 0 ? axis + rank : axis;
}

Expected<Dims> pl::ref::normalizeAxes(ArrayRef<int64_t> axes,
                                      ArrayRef<int64_t> shape) {
  Dims result;
  for (int64_t axis : axes) {
    Expected<int64_t> normal = normalizeAxis(axis, shape);
    if (!normal)
      return normal.takeError();
    if (llvm::is_contained(result, *normal))
      return fail("dim " + Twine(axis) + " is given twice");
    result.push_back(*normal);
  }
  if (axes.empty())
    for (size_t d = 0; d < shape.size(); ++d)
      result.push_back(static_cast<int64_t>(d));
  return result;
}

Expected<Dims> pl::ref::broadcastShapes(ArrayRef<int64_t> a,
                                        ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims shape(a);
  size_t extra = a.size() - b.size();
  for (size_t d = 0; d < b.size(); ++d) {
    int64_t &extent = shape[extra + d];
    if (extent == b[d] || b[d] == 1)
      continue;
    if (extent != 1)
      return fail("shapes " + shapeString(a) + " and " + shapeString(b) +
                  " do not broadcast: " + Twine(extent) + " and " +
                  Twine(b[d]) + " differ at dim " +
                  Twine(static_cast<int64_t>(extra + d)));
    extent = b[d];
  }
  return shape;
}

Expected<Array> pl::ref::broadcastTo(const Array &array,
                                     ArrayRef<int64_t> shape) {
  if (llvm::Error error = Array::checkShape(shape))
    return error;
  int64_t extra = static_cast<int64_t>(shape.size()) - array.rank();
  Dims strides(shape.size(), 0);
  bool fits = extra >= 0;
  for (int64_t d = 0; fits && d < array.rank(); ++d) {
    if (array.dim(d) == shape[d + extra])
      strides[d + extra] = array.strides()[d];
    else
      fits = array.dim(d) == 1;
  }
  if (!fits)
    return fail("a tensor of shape " + shapeString(array.shape()) +
                " does not expand to " + shapeString(shape));
  return array.withLayout(shape, strides, array.offset());
}

/// `shape` with a -1 resolved so that it has as many elements as `array`.
static Expected<Dims> resolveShape(const Array &array,
                                   ArrayRef<int64_t> shape) {
  Dims result(shape);
  int64_t known = 1, unknown = -1;
  auto mismatch = [&] {
    return fail("shape " + shapeString(shape) + " does not fit the " +
                Twine(array.numel()) + " elements of a tensor of shape " +
                shapeString(array.shape()));
  };
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (unknown >= 0)
        return fail("shape " + shapeString(shape) + " has more than one -1");
      unknown = static_cast<int64_t>(d);
      result[d] = 1;
    } else if (shape[d] < 0) {
      return fail("shape " + shapeString(shape) + " has a negative extent");
    }
  }
  std::optional<int64_t> count = countElements(result);
  if (!count)
    return mismatch();
  known = *count;
  if (unknown >= 0) {
    if (known == 0 || array.numel() % known != 0)
      return mismatch();
    result[unknown] = array.numel() / known;
  } else if (known != array.numel()) {
    return mismatch();
  }
  if (llvm::Error error = Array::checkShape(result))
    return error;
  return result;
}

/// Strides of a view with `shape` over the same elements in the same order, if
/// the strides of `array` allow one.
static std::optional<Dims> viewStrides(const Array &array,
                                       ArrayRef<int64_t> shape) {
  if (array.numel() == 0)
    return contiguousStrides(shape);
  Dims strides(shape.size(), 1);
  // From the back: gather dims of the array that follow each other in memory,
  // and deal their elements out to dims of the new shape.
  int64_t next = static_cast<int64_t>(shape.size()) - 1;
  int64_t d = array.rank() - 1;
  while (d >= 0) {
    int64_t base = array.strides()[d];
    int64_t block = array.dim(d);
    while (d > 0 &&
           (array.dim(d - 1) == 1 || array.strides()[d - 1] == block * base)) {
      --d;
      block *= array.dim(d);
    }
    --d;
    int64_t dealt = 1;
    while (next >= 0 && (dealt < block || shape[next] == 1)) {
      strides[next] = dealt * base;
      dealt *= shape[next--];
    }
    if (dealt != block)
      return std::nullopt;
  }
  return strides;
}

Expected<Array> pl::ref::view(const Array &array, ArrayRef<int64_t> shape) {
  Expected<Dims> resolved = resolveShape(array, shape);
  if (!resolved)
    return resolved.takeError();
  std::optional<Dims> strides = viewStrides(array, *resolved);
  if (!strides)
    return fail("a tensor of shape " + shapeString(array.shape()) +
                " and strides " + shapeString(array.strides()) +
                " cannot be viewed as " + shapeString(*resolved) +
                "; use reshape");
  return array.withLayout(*resolved, *strides, array.offset());
}

Expected<Array> pl::ref::reshape(const Array &array, ArrayRef<int64_t> shape) {
  Expected<Dims> resolved = resolveShape(array, shape);
  if (!resolved)
    return resolved.takeError();
  if (std::optional<Dims> strides = viewStrides(array, *resolved))
    return array.withLayout(*resolved, *strides, array.offset());
  Array copy = array.clone();
  return copy.withLayout(*resolved, contiguousStrides(*resolved), 0);
}

Expected<Array> pl::ref::flatten(const Array &array, int64_t startDim,
                                 int64_t endDim) {
  Expected<int64_t> first = normalizeAxis(startDim, array.shape());
  if (!first)
    return first.takeError();
  Expected<int64_t> last = normalizeAxis(endDim, array.shape());
  if (!last)
    return last.takeError();
  if (*first > *last)
    return fail("flatten: start_dim " + Twine(startDim) +
                " comes after end_dim " + Twine(endDim));
  if (array.rank() == 0)
    return reshape(array, {1});
  Dims shape(array.shape().take_front(*first));
  int64_t merged = 1;
  for (int64_t d = *first; d <= *last; ++d)
    merged *= array.dim(d);
  shape.push_back(merged);
  llvm::append_range(shape, array.shape().drop_front(*last + 1));
  return reshape(array, shape);
}

Expected<Array> pl::ref::unflatten(const Array &array, int64_t dim,
                                   ArrayRef<int64_t> sizes) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return reshape(array, sizes);
  // Only this dim is split; a -1 is resolved within it.
  Array one = Array::make(DType::Bool, {array.dim(*axis)});
  Expected<Dims> parts = resolveShape(one, sizes);
  if (!parts)
    return parts.takeError();
  Dims shape(array.shape().take_front(*axis));
  llvm::append_range(shape, *parts);
  llvm::append_range(shape, array.shape().drop_front(*axis + 1));
  return reshape(array, shape);
}

Expected<Array> pl::ref::permute(const Array &array, ArrayRef<int64_t> dims) {
  if (static_cast<int64_t>(dims.size()) != array.rank())
    return fail("permute needs " + Twine(array.rank()) +
                " dims for a tensor of shape " + shapeString(array.shape()) +
                ", but got " + shapeString(dims));
  if (dims.empty())
    return array;
  Expected<Dims> order = normalizeAxes(dims, array.shape());
  if (!order)
    return order.takeError();
  Dims shape, strides;
  for (int64_t d : *order) {
    shape.push_back(array.dim(d));
    strides.push_back(array.strides()[d]);
  }
  return array.withLayout(shape, strides, array.offset());
}

Expected<Array> pl::ref::transpose(const Array &array, int64_t dim0,
                                   int64_t dim1) {
  Expected<int64_t> first = normalizeAxis(dim0, array.shape());
  if (!first)
    return first.takeError();
  Expected<int64_t> second = normalizeAxis(dim1, array.shape());
  if (!second)
    return second.takeError();
  if (array.rank() == 0)
    return array;
  Dims shape(array.shape()), strides(array.strides());
  std::swap(shape[*first], shape[*second]);
  std::swap(strides[*first], strides[*second]);
  return array.withLayout(shape, strides, array.offset());
}

Expected<Array> pl::ref::movedim(const Array &array, int64_t source,
                                 int64_t destination) {
  Expected<int64_t> from = normalizeAxis(source, array.shape());
  if (!from)
    return from.takeError();
  Expected<int64_t> to = normalizeAxis(destination, array.shape());
  if (!to)
    return to.takeError();
  Dims order;
  for (int64_t d = 0; d < array.rank(); ++d)
    if (d != *from)
      order.push_back(d);
  if (array.rank() > 0)
    order.insert(order.begin() + *to, *from);
  return permute(array, order);
}

Array pl::ref::reverseDims(const Array &array) {
  Dims shape(llvm::reverse(array.shape())),
      strides(llvm::reverse(array.strides()));
  return array.withLayout(shape, strides, array.offset());
}

Expected<Array> pl::ref::squeeze(const Array &array, ArrayRef<int64_t> dims) {
  Expected<Dims> axes = normalizeAxes(dims, array.shape());
  if (!axes)
    return axes.takeError();
  Dims shape, strides;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (array.dim(d) == 1 && llvm::is_contained(*axes, d))
      continue;
    shape.push_back(array.dim(d));
    strides.push_back(array.strides()[d]);
  }
  return array.withLayout(shape, strides, array.offset());
}

Expected<Array> pl::ref::unsqueeze(const Array &array, int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape(), /*extra=*/1);
  if (!axis)
    return axis.takeError();
  Dims shape(array.shape()), strides(array.strides());
  shape.insert(shape.begin() + *axis, 1);
  strides.insert(strides.begin() + *axis, 1);
  if (llvm::Error error = Array::checkShape(shape))
    return error;
  return array.withLayout(shape, strides, array.offset());
}

Expected<Array> pl::ref::expand(const Array &array, ArrayRef<int64_t> shape) {
  Dims target(shape);
  int64_t extra = static_cast<int64_t>(shape.size()) - array.rank();
  for (int64_t d = 0; d < static_cast<int64_t>(target.size()); ++d)
    if (target[d] == -1 && d >= extra && extra >= 0)
      target[d] = array.dim(d - extra);
  return broadcastTo(array, target);
}

Expected<Array> pl::ref::select(const Array &array, int64_t dim,
                                int64_t index) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return fail("a 0-d tensor cannot be indexed");
  int64_t extent = array.dim(*axis);
  if (index < -extent || index >= extent)
    return fail("index " + Twine(index) + " is out of range for dim " +
                Twine(*axis) + " with extent " + Twine(extent) + " (shape " +
                shapeString(array.shape()) + ")");
  if (index < 0)
    index += extent;
  Dims shape(array.shape()), strides(array.strides());
  int64_t offset = array.offset() + index * strides[*axis];
  shape.erase(shape.begin() + *axis);
  strides.erase(strides.begin() + *axis);
  return array.withLayout(shape, strides, offset);
}

Expected<Array> pl::ref::slice(const Array &array, int64_t dim,
                               std::optional<int64_t> start,
                               std::optional<int64_t> stop, int64_t step) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return fail("a 0-d tensor cannot be sliced");
  if (step <= 0)
    return fail("a slice of a tensor needs a positive step, but got " +
                Twine(step) + " (use flip to reverse)");
  int64_t extent = array.dim(*axis);
  auto clampBound = [&](std::optional<int64_t> bound, int64_t absent) {
    if (!bound)
      return absent;
    int64_t value = *bound < 0 ? std::max(*bound, -extent) + extent : *bound;
    return std::min(value, extent);
  };
  int64_t first = clampBound(start, 0), last = clampBound(stop, extent);
  int64_t length = last > first ? (last - first - 1) / step + 1 : int64_t(0);
  Dims shape(array.shape()), strides(array.strides());
  int64_t offset = array.offset() + (length ? first * strides[*axis] : 0);
  shape[*axis] = length;
  // A single element has no next one; its stride must not overflow.
  if (length > 1)
    strides[*axis] *= step;
  return array.withLayout(shape, strides, offset);
}

Expected<Array> pl::ref::narrow(const Array &array, int64_t dim, int64_t start,
                                int64_t length) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return fail("a 0-d tensor cannot be narrowed");
  int64_t extent = array.dim(*axis);
  if (start < 0 && start >= -extent)
    start += extent;
  if (start < 0 || length < 0 || start > extent || length > extent - start)
    return fail("narrow: start " + Twine(start) + " and length " +
                Twine(length) + " leave dim " + Twine(*axis) +
                " of a tensor of shape " + shapeString(array.shape()));
  return slice(array, *axis, start, start + length);
}

//===- Rearrange.cpp - Pieces, joins and copies in another order ----------===//
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

Expected<Array> pl::ref::repeat(const Array &array, ArrayRef<int64_t> times) {
  int64_t extra = static_cast<int64_t>(times.size()) - array.rank();
  if (extra < 0)
    return fail("repeat needs at least " + Twine(array.rank()) +
                " counts for a tensor of shape " + shapeString(array.shape()) +
                ", but got " + shapeString(times));
  // [n, d, n, d, …] as a broadcast view, then joined pairwise.
  Dims pairs, shape, strides;
  for (int64_t d = 0; d < static_cast<int64_t>(times.size()); ++d) {
    int64_t extent = d < extra ? 1 : array.dim(d - extra);
    int64_t total;
    if (times[d] < 0 || __builtin_mul_overflow(times[d], extent, &total))
      return fail("repeat: bad counts " + shapeString(times));
    pairs.append({times[d], extent});
    strides.append({0, d < extra ? 0 : array.strides()[d - extra]});
    shape.push_back(total);
  }
  Expected<Array> result = Array::create(array.dtype(), shape);
  if (!result)
    return result;
  Array target =
      result->withLayout(pairs, contiguousStrides(pairs), result->offset());
  if (llvm::Error error =
          copyInto(target, array.withLayout(pairs, strides, array.offset())))
    return error;
  return result;
}

Expected<Array> pl::ref::repeatInterleave(const Array &array, int64_t times,
                                          std::optional<int64_t> dim) {
  if (!dim) {
    Expected<Array> flat = flatten(array);
    if (!flat)
      return flat;
    return repeatInterleave(*flat, times, 0);
  }
  if (times < 0)
    return fail("repeat_interleave: the count " + Twine(times) +
                " is negative");
  Expected<int64_t> axis = normalizeAxis(*dim, array.shape());
  if (!axis)
    return axis.takeError();
  Expected<Array> wide = unsqueeze(array, *axis + 1);
  if (!wide)
    return wide;
  Dims shape(wide->shape());
  shape[*axis + 1] = times;
  Expected<Array> stretched = broadcastTo(*wide, shape);
  if (!stretched)
    return stretched;
  Dims joined(array.shape());
  if (__builtin_mul_overflow(joined[*axis], times, &joined[*axis]))
    return fail("repeat_interleave: the count " + Twine(times) +
                " is too large");
  Expected<Array> result = Array::create(array.dtype(), joined);
  if (!result)
    return result;
  Array target = result->withLayout(shape, contiguousStrides(shape), 0);
  if (llvm::Error error = copyInto(target, *stretched))
    return error;
  return result;
}

Expected<std::vector<Array>>
pl::ref::split(const Array &array, ArrayRef<int64_t> sizes, int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return fail("a 0-d tensor cannot be split");
  std::vector<Array> pieces;
  int64_t start = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > array.dim(*axis) - start)
      break;
    Expected<Array> piece = narrow(array, *axis, start, size);
    if (!piece)
      return piece.takeError();
    pieces.push_back(std::move(*piece));
    start += size;
  }
  if (start != array.dim(*axis) || pieces.size() != sizes.size())
    return fail("split sizes " + shapeString(sizes) +
                " do not add up to the extent " + Twine(array.dim(*axis)) +
                " of dim " + Twine(*axis) + " (shape " +
                shapeString(array.shape()) + ")");
  return pieces;
}

Expected<std::vector<Array>> pl::ref::splitEvery(const Array &array,
                                                 int64_t size, int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (size <= 0 || array.rank() == 0)
    return fail("split: pieces of size " + Twine(size) +
                " of a tensor of shape " + shapeString(array.shape()));
  Dims sizes;
  for (int64_t left = array.dim(*axis); left > 0; left -= size)
    sizes.push_back(std::min(size, left));
  if (sizes.empty())
    sizes.push_back(0);
  return split(array, sizes, *axis);
}

Expected<std::vector<Array>> pl::ref::chunk(const Array &array, int64_t count,
                                            int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (count <= 0 || array.rank() == 0)
    return fail("chunk: " + Twine(count) + " pieces of a tensor of shape " +
                shapeString(array.shape()));
  int64_t extent = array.dim(*axis);
  int64_t size = extent / count + (extent % count != 0);
  return splitEvery(array, std::max<int64_t>(size, 1), *axis);
}

Expected<std::vector<Array>> pl::ref::unbind(const Array &array, int64_t dim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0)
    return fail("a 0-d tensor has nothing to unbind");
  std::vector<Array> pieces;
  for (int64_t i = 0; i < array.dim(*axis); ++i) {
    Expected<Array> piece = select(array, *axis, i);
    if (!piece)
      return piece.takeError();
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

Expected<Array> pl::ref::cat(ArrayRef<Array> arrays, int64_t dim) {
  if (arrays.empty())
    return fail("cat needs at least one tensor");
  Expected<int64_t> axis = normalizeAxis(dim, arrays.front().shape());
  if (!axis)
    return axis.takeError();
  DType dtype = arrays.front().dtype();
  Dims shape(arrays.front().shape());
  if (shape.empty())
    return fail("cat needs tensors with at least one dim; use stack");
  shape[*axis] = 0;
  for (const Array &array : arrays) {
    dtype = promoteTypes(dtype, array.dtype());
    bool fits = array.rank() == static_cast<int64_t>(shape.size());
    for (int64_t d = 0; fits && d < array.rank(); ++d)
      fits = d == *axis || array.dim(d) == shape[d];
    if (!fits)
      return fail("cat along dim " + Twine(*axis) + ": shapes " +
                  shapeString(arrays.front().shape()) + " and " +
                  shapeString(array.shape()) + " differ elsewhere");
    shape[*axis] += array.dim(*axis);
  }
  Expected<Array> result = Array::create(dtype, shape);
  if (!result)
    return result;
  int64_t start = 0;
  for (const Array &array : arrays) {
    Expected<Array> part = narrow(*result, *axis, start, array.dim(*axis));
    if (!part)
      return part;
    if (llvm::Error error = copyInto(*part, array))
      return error;
    start += array.dim(*axis);
  }
  return result;
}

Expected<Array> pl::ref::stack(ArrayRef<Array> arrays, int64_t dim) {
  std::vector<Array> wide;
  for (const Array &array : arrays) {
    if (array.shape() != arrays.front().shape())
      return fail("stack needs equal shapes, but got " +
                  shapeString(arrays.front().shape()) + " and " +
                  shapeString(array.shape()));
    Expected<Array> piece = unsqueeze(array, dim);
    if (!piece)
      return piece;
    wide.push_back(std::move(*piece));
  }
  if (wide.empty())
    return fail("stack needs at least one tensor");
  // unsqueeze counts a negative dim in the result's rank, and so does cat here.
  return cat(wide, dim);
}

Expected<Array> pl::ref::flip(const Array &array, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return array.clone();
  Expected<Dims> axes = normalizeAxes(dims, array.shape());
  if (!axes)
    return axes.takeError();
  if (array.rank() == 0 || array.numel() == 0)
    return array.clone();
  Dims strides(array.strides());
  int64_t offset = array.offset();
  for (int64_t d : *axes) {
    offset += (array.dim(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return array.withLayout(array.shape(), strides, offset).clone();
}

Expected<Array> pl::ref::roll(const Array &array, int64_t shift,
                              std::optional<int64_t> dim) {
  if (!dim) {
    Expected<Array> flat = flatten(array);
    if (!flat)
      return flat;
    Expected<Array> rolled = roll(*flat, shift, 0);
    if (!rolled)
      return rolled;
    return reshape(*rolled, array.shape());
  }
  Expected<int64_t> axis = normalizeAxis(*dim, array.shape());
  if (!axis)
    return axis.takeError();
  if (array.rank() == 0 || array.dim(*axis) == 0)
    return array.clone();
  int64_t extent = array.dim(*axis);
  int64_t head = ((shift % extent) + extent) % extent;
  Expected<Array> last = narrow(array, *axis, extent - head, head);
  if (!last)
    return last;
  Expected<Array> first = narrow(array, *axis, 0, extent - head);
  if (!first)
    return first;
  return cat({*last, *first}, *axis);
}

/// Copies the elements of each row whose column satisfies `low <= c < high`.
static Expected<Array> triangle(const Array &array, int64_t diagonal,
                                bool lower) {
  if (array.rank() < 2)
    return fail(
        "a triangle needs at least two dims, but the tensor has shape " +
        shapeString(array.shape()));
  Array result = Array::make(array.dtype(), array.shape());
  int64_t rows = array.dim(array.rank() - 2);
  int64_t columns = array.dim(array.rank() - 1);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t edge =
        std::clamp<int64_t>(r + diagonal + (lower ? 1 : 0), 0, columns);
    int64_t begin = lower ? 0 : edge, count = lower ? edge : columns - edge;
    auto part = [&](const Array &whole) -> Expected<Array> {
      Expected<Array> row = select(whole, -2, r);
      if (!row)
        return row;
      return narrow(*row, -1, begin, count);
    };
    Expected<Array> to = part(result), from = part(array);
    if (!to || !from)
      return llvm::joinErrors(to.takeError(), from.takeError());
    if (llvm::Error error = copyInto(*to, *from))
      return error;
  }
  return result;
}

Expected<Array> pl::ref::tril(const Array &array, int64_t diagonal) {
  return triangle(array, diagonal, /*lower=*/true);
}

Expected<Array> pl::ref::triu(const Array &array, int64_t diagonal) {
  return triangle(array, diagonal, /*lower=*/false);
}

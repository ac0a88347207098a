//===- Index.cpp - Subscripts ---------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Index.h"
#include "Loops.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <atomic>

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::Twine;

IndexItem IndexItem::at(int64_t index) {
  IndexItem item;
  item.kind = Kind::Int;
  item.index = index;
  return item;
}

IndexItem IndexItem::range(std::optional<int64_t> start,
                           std::optional<int64_t> stop, int64_t step) {
  IndexItem item;
  item.kind = Kind::Slice;
  item.start = start;
  item.stop = stop;
  item.step = step;
  return item;
}

IndexItem IndexItem::newAxis() {
  IndexItem item;
  item.kind = Kind::NewAxis;
  return item;
}

IndexItem IndexItem::ellipsis() { return IndexItem(); }

IndexItem IndexItem::of(const Array &tensor) {
  // A 0-d integer is the integer itself.
  if (tensor.rank() == 0 && isIntegral(tensor.dtype()))
    return at(tensor.getInt(0));
  IndexItem item;
  item.kind = Kind::Tensor;
  item.tensor = tensor;
  return item;
}

std::vector<Array> pl::ref::nonzeroColumns(const Array &array) {
  Array mask = convert(array, DType::Bool).contiguous();
  ArrayRef<bool> flags = mask.elements<bool>();
  int64_t count = llvm::count(flags, true);
  std::vector<Array> columns;
  for (int64_t d = 0; d < array.rank(); ++d)
    columns.push_back(Array::make(DType::Int64, {count}));
  if (count == 0 || array.rank() == 0)
    return columns;
  // Row by row of the last dim, whose index alone changes within one.
  int64_t last = array.rank() - 1, width = array.dim(last), found = 0;
  int64_t *inner = columns[last].data<int64_t>();
  for (int64_t row = 0, rows = mask.numel() / width; row < rows; ++row) {
    int64_t first = found;
    const bool *flag = flags.data() + row * width;
    for (int64_t i = 0; i < width; ++i) {
      // Written always, counted when it holds: no branch to mispredict.
      if (found == count)
        break;
      inner[found] = i;
      found += flag[i];
    }
    int64_t rest = row;
    for (int64_t d = last; d-- > 0; rest /= array.dim(d))
      std::fill(columns[d].data<int64_t>() + first,
                columns[d].data<int64_t>() + found, rest % array.dim(d));
  }
  return columns;
}

Array pl::ref::nonzero(const Array &array) {
  std::vector<Array> columns = nonzeroColumns(array);
  int64_t count = columns.empty() ? array.getInt(0) != 0 : columns[0].numel();
  Array result = Array::make(DType::Int64, {count, array.rank()});
  for (int64_t d = 0; d < array.rank(); ++d)
    for (int64_t i = 0; i < count; ++i)
      result.data<int64_t>()[i * array.rank() + d] =
          columns[d].data<int64_t>()[i];
  return result;
}

namespace {

/// A subscript taken apart: what views can do is done; `tensors` holds the
/// index tensor of each dim of the view that has one.
struct Subscript {
  Array view;
  llvm::SmallVector<std::optional<Array>, 6> tensors;
  bool hasTensors = false;
};

/// The places index tensors select, and how the result is laid out around them.
struct Selection {
  /// Element offsets in the view's storage, one for each place.
  std::vector<int64_t> offsets;
  Dims placesShape;
  /// Dims of the view without an index tensor.
  Dims restShape, restStrides;
  /// How many of them come before the places in the result.
  size_t restBefore = 0;

  Dims resultShape() const {
    ArrayRef<int64_t> rest = restShape;
    Dims shape(rest.take_front(restBefore));
    llvm::append_range(shape, placesShape);
    llvm::append_range(shape, rest.drop_front(restBefore));
    return shape;
  }
};

} // namespace

static llvm::Error tooManyIndices(const Array &array, int64_t count) {
  return fail("too many indices (" + Twine(count) + ") for a tensor of shape " +
              shapeString(array.shape()));
}

/// Dims an item uses up.
static int64_t dimsOf(const IndexItem &item) {
  switch (item.kind) {
  case IndexItem::Kind::Int:
  case IndexItem::Kind::Slice:
    return 1;
  case IndexItem::Kind::Tensor:
    return item.tensor.dtype() == DType::Bool ? item.tensor.rank() : 1;
  default:
    return 0;
  }
}

static Expected<Subscript> takeApart(const Array &array,
                                     ArrayRef<IndexItem> items) {
  int64_t used = 0, ellipses = 0;
  for (const IndexItem &item : items) {
    used += dimsOf(item);
    ellipses += item.kind == IndexItem::Kind::Ellipsis;
  }
  if (used > array.rank())
    return tooManyIndices(array, used);
  if (ellipses > 1)
    return fail("a subscript may have only one '...'");
  Subscript result{array, {}, false};
  // `dim` counts in the view, `source` in the array.
  int64_t dim = 0, source = 0;
  auto place = [&](int64_t at, Array tensor) {
    result.tensors.resize(std::max<size_t>(result.tensors.size(), at + 1));
    result.tensors[at] = std::move(tensor);
    result.hasTensors = true;
  };
  auto apply = [&](Expected<Array> view) -> llvm::Error {
    if (!view)
      return view.takeError();
    result.view = std::move(*view);
    return llvm::Error::success();
  };
  for (const IndexItem &item : items) {
    switch (item.kind) {
    case IndexItem::Kind::Int: {
      int64_t extent = array.dim(source);
      if (item.index < -extent || item.index >= extent)
        return fail("index " + Twine(item.index) + " is out of range for dim " +
                    Twine(source) + " of a tensor of shape " +
                    shapeString(array.shape()));
      if (llvm::Error error = apply(select(result.view, dim, item.index)))
        return error;
      break;
    }
    case IndexItem::Kind::Slice:
      if (llvm::Error error =
              apply(slice(result.view, dim, item.start, item.stop, item.step)))
        return error;
      ++dim;
      break;
    case IndexItem::Kind::NewAxis:
      if (llvm::Error error = apply(unsqueeze(result.view, dim)))
        return error;
      ++dim;
      break;
    case IndexItem::Kind::Ellipsis:
      dim += array.rank() - used;
      source += array.rank() - used;
      break;
    case IndexItem::Kind::Tensor: {
      const Array &tensor = item.tensor;
      if (tensor.dtype() != DType::Bool) {
        if (!isIntegral(tensor.dtype()))
          return fail(
              "an index tensor must hold integers or bools, but it is " +
              dtypeName(tensor.dtype()));
        place(dim++, tensor);
        break;
      }
      if (tensor.rank() == 0)
        return fail("a 0-d bool cannot be an index");
      if (tensor.shape() !=
          array.shape().slice(source, static_cast<size_t>(tensor.rank())))
        return fail("a mask of shape " + shapeString(tensor.shape()) +
                    " does not fit dims " + Twine(source) + " to " +
                    Twine(source + tensor.rank() - 1) +
                    " of a tensor of shape " + shapeString(array.shape()));
      for (Array &column : nonzeroColumns(tensor))
        place(dim++, std::move(column));
      break;
    }
    }
    source += dimsOf(item);
  }
  result.tensors.resize(static_cast<size_t>(result.view.rank()));
  return result;
}

static Expected<Selection> selectPlaces(const Subscript &subscript) {
  const Array &view = subscript.view;
  Selection selection;
  std::optional<int64_t> first, last;
  int64_t count = 0;
  for (int64_t d = 0; d < view.rank(); ++d) {
    const std::optional<Array> &tensor = subscript.tensors[d];
    if (!tensor) {
      selection.restShape.push_back(view.dim(d));
      selection.restStrides.push_back(view.strides()[d]);
      continue;
    }
    if (!first)
      first = d;
    last = d;
    ++count;
    Expected<Dims> shape =
        broadcastShapes(selection.placesShape, tensor->shape());
    if (!shape)
      return fail("index tensors do not broadcast together: " +
                  llvm::toString(shape.takeError()));
    selection.placesShape = std::move(*shape);
  }
  // Neighbours keep their place in the result.
  selection.restBefore =
      *last - *first + 1 == count ? static_cast<size_t>(*first) : 0;
  std::optional<int64_t> places = countElements(selection.placesShape);
  if (!places || *places > Array::maxElements)
    return fail("too many index places: shape " +
                shapeString(selection.placesShape));
  selection.offsets.assign(static_cast<size_t>(*places), 0);
  for (int64_t d = *first; d <= *last; ++d) {
    if (!subscript.tensors[d])
      continue;
    Expected<Array> wide = broadcastTo(
        convert(*subscript.tensors[d], DType::Int64), selection.placesShape);
    if (!wide)
      return wide.takeError();
    Array dense = wide->contiguous();
    int64_t extent = view.dim(d), stride = view.strides()[d];
    const int64_t *values = dense.data<int64_t>();
    int64_t *offsets = selection.offsets.data();
    std::atomic<bool> isOutside{false};
    parallelRanges(*places, 1 << 15, [&](int64_t begin, int64_t end) {
      bool outside = false;
      for (int64_t i = begin; i < end; ++i) {
        int64_t v = values[i];
        bool isBad = v < -extent || v >= extent;
        outside |= isBad;
        offsets[i] += isBad ? 0 : (v < 0 ? v + extent : v) * stride;
      }
      if (outside)
        isOutside = true;
    });
    if (isOutside)
      for (int64_t i = 0; i < *places; ++i)
        if (int64_t v = values[i]; v < -extent || v >= extent)
          return fail("index " + Twine(v) + " (at " +
                      indexString(i, selection.placesShape) +
                      " of an index tensor) is out of range for an extent of " +
                      Twine(extent));
  }
  return selection;
}

/// Copies between the selected places of `view` and `dense`, which has the
/// selection's result shape; `store` tells the direction.
static void moveSelected(const Selection &selection, const Array &view,
                         const Array &dense, bool store) {
  // Strides of `dense` for the rest dims and, in row-major order, the places.
  Dims restDense, placesDense;
  size_t before = selection.restBefore, places = selection.placesShape.size();
  for (size_t d = 0; d < dense.shape().size(); ++d)
    (d >= before && d < before + places ? placesDense : restDense)
        .push_back(dense.strides()[d]);
  LoopPlan rest(selection.restShape, {selection.restStrides, restDense});
  LoopPlan order(selection.placesShape, {placesDense});
  int64_t restElements = 1;
  for (int64_t extent : selection.restShape)
    restElements *= extent;
  if (restElements == 0)
    return;
  // Reads go in any order, writes in the order of the places: the last one of
  // equal places wins.
  bool isSingle = restElements == 1;
  auto moveAs = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *inView = view.data<T>();
    T *inDense = dense.data<T>();
    const int64_t *offsets = selection.offsets.data();
    auto movePlaces = [&](T *here, int64_t step, int64_t begin, int64_t end) {
      if (isSingle && store) {
        for (int64_t i = begin; i < end; ++i)
          inView[offsets[i]] = here[i * step];
      } else if (isSingle) {
        for (int64_t i = begin; i < end; ++i)
          here[i * step] = inView[offsets[i]];
      } else {
        for (int64_t i = begin; i < end; ++i)
          rest.forEachInOrder([&](ArrayRef<int64_t> from, int64_t count,
                                  ArrayRef<int64_t> steps) {
            T *a = inView + offsets[i] + from[0];
            T *b = here + i * step + from[1];
            if (store)
              std::swap(a, b);
            int64_t stepA = steps[store ? 1 : 0], stepB = steps[store ? 0 : 1];
            if (stepA == 1 && stepB == 1)
              std::copy(a, a + count, b);
            else
              for (int64_t k = 0; k < count; ++k)
                b[k * stepB] = a[k * stepA];
          });
      }
    };
    int64_t first = 0;
    order.forEachInOrder(
        [&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> step) {
          T *here = inDense + at[0] - first * step[0];
          int64_t grain = std::max<int64_t>(1, (1 << 15) / restElements);
          if (store)
            movePlaces(here, step[0], first, first + n);
          else
            parallelRanges(n, grain, [&](int64_t begin, int64_t end) {
              movePlaces(here, step[0], first + begin, first + end);
            });
          first += n;
        });
  };
  switch (dtypeBytes(view.dtype())) {
  case 1:
    return moveAs(TypeTag<uint8_t>());
  case 2:
    return moveAs(TypeTag<uint16_t>());
  case 4:
    return moveAs(TypeTag<uint32_t>());
  default:
    return moveAs(TypeTag<uint64_t>());
  }
}

Expected<Array> pl::ref::index(const Array &array, ArrayRef<IndexItem> items) {
  Expected<Subscript> subscript = takeApart(array, items);
  if (!subscript)
    return subscript.takeError();
  if (!subscript->hasTensors)
    return subscript->view;
  Expected<Selection> selection = selectPlaces(*subscript);
  if (!selection)
    return selection.takeError();
  Expected<Array> result =
      Array::create(array.dtype(), selection->resultShape());
  if (result)
    moveSelected(*selection, subscript->view, *result, /*store=*/false);
  return result;
}

llvm::Error pl::ref::assignIndex(const Array &array, ArrayRef<IndexItem> items,
                                 const Operand &value) {
  if (value.isPlain())
    if (llvm::Error error = checkNumber(value.scalar(), array.dtype()))
      return error;
  Expected<Subscript> subscript = takeApart(array, items);
  if (!subscript)
    return subscript.takeError();
  if (!subscript->hasTensors) {
    if (!value.isPlain())
      return copyInto(subscript->view, value.array());
    fill(subscript->view, value.scalar());
    return llvm::Error::success();
  }
  Expected<Selection> selection = selectPlaces(*subscript);
  if (!selection)
    return selection.takeError();
  Array source =
      convert(value.isPlain() ? value.scalar().asArray() : value.array(),
              array.dtype());
  if (source.sharesStorage(array))
    source = source.clone();
  Dims shape = selection->resultShape();
  Expected<Array> wide = broadcastTo(source, shape);
  if (!wide)
    return fail("cannot assign a tensor of shape " +
                shapeString(source.shape()) + " to indexed elements of shape " +
                shapeString(shape));
  moveSelected(*selection, subscript->view, *wide, /*store=*/true);
  return llvm::Error::success();
}

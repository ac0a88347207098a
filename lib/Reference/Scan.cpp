//===- Scan.cpp - Running sums, softmax and sorting along a dim -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math.h"
#include "Rows.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <numeric>

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

/// Rows along `dim`, which is resolved into `axis`.
static Expected<Rows> rowsAlong(const Array &array, int64_t dim,
                                int64_t &axis) {
  Expected<int64_t> normal = normalizeAxis(dim, array.shape());
  if (!normal)
    return normal.takeError();
  axis = *normal;
  return makeRows(array, {axis});
}

/// An array for rows of `inner` elements, with the worked dim last.
static Array rowResult(const Rows &rows, DType dtype, int64_t inner,
                       bool isScalar) {
  Dims shape(rows.kept);
  if (!isScalar)
    shape.push_back(inner);
  return Array::make(dtype, shape);
}

/// Calls `f(in, out, n)` for each row of floats.
template <typename F>
static Expected<Array> mapFloatRows(llvm::StringRef what, const Array &array,
                                    int64_t dim, F f) {
  if (!isFloating(array.dtype()))
    return fail(what + " needs a float dtype, but got " +
                dtypeName(array.dtype()) + "; convert with .float() first");
  int64_t axis = 0;
  Expected<Rows> rows = rowsAlong(array, dim, axis);
  if (!rows)
    return rows.takeError();
  Array result =
      rowResult(*rows, array.dtype(), rows->inner, array.rank() == 0);
  dispatchFloating(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    forEachRow(*rows, [&](int64_t row) {
      f(rows->array.template data<T>() + row * rows->inner,
        result.data<T>() + row * rows->inner, rows->inner);
    });
  });
  return restoreDim(result, axis);
}

/// The largest value of a run as a double; NaN when there is one.
template <typename T> static double topOf(const T *in, int64_t n) {
  double top = -math::infinity;
  for (int64_t i = 0; i < n; ++i) {
    double v = static_cast<double>(load(in[i]));
    top = v > top || v != v ? v : top;
    if (top != top)
      break;
  }
  return top;
}

Expected<Array> pl::ref::softmax(const Array &array, int64_t dim) {
  return mapFloatRows(
      "softmax", array, dim, [](const auto *in, auto *out, int64_t n) {
        using T = std::remove_pointer_t<decltype(out)>;
        double top = topOf(in, n), sum = 0.0;
        llvm::SmallVector<double, 0> weights(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i)
          weights[i] = math::exp(static_cast<double>(load(in[i])) - top);
        for (double weight : weights)
          sum += weight;
        for (int64_t i = 0; i < n; ++i)
          out[i] = storeDouble<T>(weights[i] / sum);
      });
}

Expected<Array> pl::ref::logSoftmax(const Array &array, int64_t dim) {
  return mapFloatRows(
      "log_softmax", array, dim, [](const auto *in, auto *out, int64_t n) {
        using T = std::remove_pointer_t<decltype(out)>;
        double top = topOf(in, n), sum = 0.0;
        for (int64_t i = 0; i < n; ++i)
          sum += math::exp(static_cast<double>(load(in[i])) - top);
        double log = math::log(sum);
        for (int64_t i = 0; i < n; ++i)
          out[i] =
              storeDouble<T>((static_cast<double>(load(in[i])) - top) - log);
      });
}

/// Running sum or product.
static Expected<Array> scan(llvm::StringRef what, const Array &array,
                            int64_t dim, bool product) {
  if (isFloating(array.dtype()))
    return mapFloatRows(what, array, dim,
                        [=](const auto *in, auto *out, int64_t n) {
                          using T = std::remove_pointer_t<decltype(out)>;
                          double running = product ? 1.0 : 0.0;
                          for (int64_t i = 0; i < n; ++i) {
                            double v = static_cast<double>(load(in[i]));
                            running = product ? running * v : running + v;
                            out[i] = storeDouble<T>(running);
                          }
                        });
  int64_t axis = 0;
  Expected<Rows> rows = rowsAlong(convert(array, DType::Int64), dim, axis);
  if (!rows)
    return rows.takeError();
  Array result = rowResult(*rows, DType::Int64, rows->inner, array.rank() == 0);
  forEachRow(*rows, [&](int64_t row) {
    const int64_t *in = rows->array.data<int64_t>() + row * rows->inner;
    int64_t *out = result.data<int64_t>() + row * rows->inner;
    uint64_t running = product;
    for (int64_t i = 0; i < rows->inner; ++i) {
      uint64_t v = static_cast<uint64_t>(in[i]);
      running = product ? running * v : running + v;
      out[i] = static_cast<int64_t>(running);
    }
  });
  return restoreDim(result, axis);
}

Expected<Array> pl::ref::cumsum(const Array &array, int64_t dim) {
  return scan("cumsum", array, dim, /*product=*/false);
}

Expected<Array> pl::ref::cumprod(const Array &array, int64_t dim) {
  return scan("cumprod", array, dim, /*product=*/true);
}

/// The best `k` of each row in order, all of them for sort.
static Expected<ValuesAndIndices> ordered(const Array &array, int64_t dim,
                                          std::optional<int64_t> k,
                                          bool descending) {
  int64_t axis = 0;
  Expected<Rows> rows = rowsAlong(array, dim, axis);
  if (!rows)
    return rows.takeError();
  int64_t count = k.value_or(rows->inner);
  if (count < 0 || count > rows->inner)
    return fail("topk: k = " + Twine(count) + " but dim " + Twine(dim) +
                " of shape " + shapeString(array.shape()) + " has extent " +
                Twine(rows->inner));
  bool isScalar = array.rank() == 0;
  Array values = rowResult(*rows, array.dtype(), count, isScalar);
  Array indices = rowResult(*rows, DType::Int64, count, isScalar);
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    forEachRow(*rows, [&](int64_t row) {
      const T *in = rows->array.template data<T>() + row * rows->inner;
      llvm::SmallVector<int64_t, 0> order(static_cast<size_t>(rows->inner));
      std::iota(order.begin(), order.end(), 0);
      // A total order: NaN above all, then the value, then the index.
      auto before = [&](int64_t a, int64_t b) {
        auto x = load(in[a]);
        auto y = load(in[b]);
        bool nanX = x != x, nanY = y != y;
        if (nanX != nanY)
          return nanX == descending;
        if (!nanX && x != y)
          return descending ? x > y : x < y;
        return a < b;
      };
      if (count < rows->inner)
        std::partial_sort(order.begin(), order.begin() + count, order.end(),
                          before);
      else
        std::sort(order.begin(), order.end(), before);
      for (int64_t i = 0; i < count; ++i) {
        values.data<T>()[row * count + i] = in[order[i]];
        indices.data<int64_t>()[row * count + i] = order[i];
      }
    });
  });
  return ValuesAndIndices{restoreDim(values, axis), restoreDim(indices, axis)};
}

Expected<ValuesAndIndices> pl::ref::sort(const Array &array, int64_t dim,
                                         bool descending) {
  return ordered(array, dim, std::nullopt, descending);
}

Expected<ValuesAndIndices> pl::ref::topk(const Array &array, int64_t k,
                                         int64_t dim, bool largest) {
  return ordered(array, dim, k, /*descending=*/largest);
}

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
#include <array>
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

/// An unsigned number in the order of the values: equal ones (both zeros, every
/// NaN) are equal, and NaN comes after all.
template <typename T> static uint32_t orderKey(T stored) {
  auto value = load(stored);
  using V = decltype(value);
  if constexpr (std::is_floating_point_v<V>) {
    if (value != value)
      return std::numeric_limits<uint32_t>::max();
    constexpr uint32_t sign = 0x80000000u;
    uint32_t bits = llvm::bit_cast<uint32_t>(static_cast<float>(value) + 0.0f);
    return bits & sign ? ~bits : bits | sign;
  } else {
    return static_cast<uint32_t>(static_cast<int64_t>(value) -
                                 std::numeric_limits<int32_t>::min());
  }
}

/// The first `count` of a row in a total order: NaN above all, then the value,
/// then the smaller index. A key and an index share a word.
template <typename T>
static void orderByKeys(const T *in, int64_t n, int64_t count, bool descending,
                        T *values, int64_t *indices) {
  llvm::SmallVector<uint64_t, 0> words(static_cast<size_t>(n));
  uint32_t flip = descending ? ~0u : 0u;
  for (int64_t i = 0; i < n; ++i)
    words[i] = (static_cast<uint64_t>(orderKey(in[i]) ^ flip) << 32) |
               static_cast<uint64_t>(i);
  constexpr int64_t radixPays = 256;
  if (count < n) {
    std::nth_element(words.begin(), words.begin() + count, words.end());
    std::sort(words.begin(), words.begin() + count);
  } else if (n < radixPays) {
    std::sort(words.begin(), words.end());
  } else {
    // Stable, byte by byte of the key; the indices are in order already.
    llvm::SmallVector<uint64_t, 0> other(static_cast<size_t>(n));
    for (int shift = 32; shift < 64; shift += 8) {
      std::array<uint32_t, 257> starts{};
      for (uint64_t word : words)
        ++starts[((word >> shift) & 0xff) + 1];
      // Nothing to do where all have this byte in common.
      if (starts[((words[0] >> shift) & 0xff) + 1] == words.size())
        continue;
      for (size_t b = 1; b < starts.size(); ++b)
        starts[b] += starts[b - 1];
      for (uint64_t word : words)
        other[starts[(word >> shift) & 0xff]++] = word;
      std::swap(words, other);
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    indices[i] = static_cast<int64_t>(words[i] & 0xffffffffu);
    values[i] = in[indices[i]];
  }
}

/// The same for any dtype.
template <typename T>
static void orderByValues(const T *in, int64_t n, int64_t count,
                          bool descending, T *values, int64_t *indices) {
  llvm::SmallVector<int64_t, 0> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
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
  std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = in[order[i]];
    indices[i] = order[i];
  }
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
      T *to = values.data<T>() + row * count;
      int64_t *places = indices.data<int64_t>() + row * count;
      if constexpr (sizeof(T) <= 4)
        if (rows->inner <= std::numeric_limits<uint32_t>::max())
          return orderByKeys(in, rows->inner, count, descending, to, places);
      orderByValues(in, rows->inner, count, descending, to, places);
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

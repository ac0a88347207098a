//===- Reduce.cpp - Sums and extremes -------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Reduce.h"
#include "Math.h"
#include "Rows.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::Twine;

Rows pl::ref::makeRows(const Array &array, ArrayRef<int64_t> dims) {
  Rows rows;
  Dims order, innerDims(dims);
  llvm::sort(innerDims);
  for (int64_t d = 0; d < array.rank(); ++d) {
    bool chosen = llvm::is_contained(innerDims, d);
    rows.keptWithOnes.push_back(chosen ? 1 : array.dim(d));
    if (chosen) {
      rows.inner *= array.dim(d);
      continue;
    }
    rows.outer *= array.dim(d);
    rows.kept.push_back(array.dim(d));
    order.push_back(d);
  }
  // A 0-d array has dim 0 in name only.
  if (array.rank() > 0)
    llvm::append_range(order, innerDims);
  Array moved = llvm::cantFail(permute(array, order)).contiguous();
  rows.array = moved.withLayout({rows.outer, rows.inner}, {rows.inner, 1},
                                moved.offset());
  return rows;
}

void pl::ref::forEachRow(const Rows &rows,
                         llvm::function_ref<void(int64_t)> f) {
  constexpr int64_t pieceElements = 1 << 15;
  parallelRanges(rows.outer,
                 pieceElements / std::max<int64_t>(rows.inner, 1) + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row)
                     f(row);
                 });
}

Array pl::ref::restoreDim(const Array &array, int64_t dim) {
  if (array.rank() < 2)
    return array;
  return llvm::cantFail(movedim(array, -1, dim)).contiguous();
}

/// Sum of `f(x)` over a run, in eight interleaved partial sums: a fixed order
/// that vectorises.
template <typename T, typename F>
static double sumRun(const T *in, int64_t n, F f) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane)
      lanes[lane] += f(static_cast<double>(load(in[i + lane])));
  double rest = 0.0;
  for (; i < n; ++i)
    rest += f(static_cast<double>(load(in[i])));
  return (((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
          ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))) +
         rest;
}

static double identity(double v) { return v; }

/// The position of the extreme of a run; the first NaN where there is one.
template <typename T>
static int64_t extremeOf(const T *in, int64_t n, bool largest) {
  auto best = load(in[0]);
  int64_t at = 0;
  if (best != best)
    return 0;
  for (int64_t i = 1; i < n; ++i) {
    auto v = load(in[i]);
    if (v != v)
      return i;
    if (largest ? v > best : v < best) {
      best = v;
      at = i;
    }
  }
  return at;
}

static Array shaped(const Rows &rows, DType dtype, bool keepdim) {
  return Array::make(dtype, keepdim ? rows.keptWithOnes : rows.kept);
}

/// Sum, mean or product of floats.
static Array reduceFloats(ReduceOp op, const Rows &rows, bool keepdim) {
  Array result = shaped(rows, rows.array.dtype(), keepdim);
  dispatchFloating(rows.array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *out = result.data<T>();
    forEachRow(rows, [&](int64_t row) {
      const T *in = rows.array.data<T>() + row * rows.inner;
      double value;
      if (op == ReduceOp::Prod) {
        value = 1.0;
        for (int64_t i = 0; i < rows.inner; ++i)
          value *= static_cast<double>(load(in[i]));
      } else {
        value = sumRun(in, rows.inner, identity);
        if (op == ReduceOp::Mean)
          value /= static_cast<double>(rows.inner);
      }
      out[row] = storeDouble<T>(value);
    });
  });
  return result;
}

/// Sum or product of integers, in int64 and wrapping.
static Array reduceIntegers(ReduceOp op, const Rows &rows, bool keepdim) {
  Array result = shaped(rows, DType::Int64, keepdim);
  dispatch(rows.array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!isFloatStorage<T>) {
      int64_t *out = result.data<int64_t>();
      forEachRow(rows, [&](int64_t row) {
        const T *in = rows.array.data<T>() + row * rows.inner;
        uint64_t value = op == ReduceOp::Prod;
        for (int64_t i = 0; i < rows.inner; ++i) {
          uint64_t element = static_cast<uint64_t>(in[i]);
          value = op == ReduceOp::Prod ? value * element : value + element;
        }
        out[row] = static_cast<int64_t>(value);
      });
    }
  });
  return result;
}

static Array reduceExtreme(bool largest, const Rows &rows, bool keepdim) {
  Array result = shaped(rows, rows.array.dtype(), keepdim);
  dispatch(rows.array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *out = result.data<T>();
    forEachRow(rows, [&](int64_t row) {
      const T *in = rows.array.data<T>() + row * rows.inner;
      out[row] = in[extremeOf(in, rows.inner, largest)];
    });
  });
  return result;
}

static Array reduceTruth(bool all, const Rows &rows, bool keepdim) {
  Array result = shaped(rows, DType::Bool, keepdim);
  dispatch(rows.array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    bool *out = result.data<bool>();
    forEachRow(rows, [&](int64_t row) {
      const T *in = rows.array.data<T>() + row * rows.inner;
      bool value = all;
      for (int64_t i = 0; i < rows.inner && value == all; ++i)
        value = convertValue<bool>(in[i]);
      out[row] = value;
    });
  });
  return result;
}

Expected<Array> pl::ref::reduce(ReduceOp op, const Array &array,
                                ArrayRef<int64_t> dims, bool keepdim,
                                std::optional<DType> dtype) {
  Array source = dtype ? convert(array, *dtype) : array;
  if (op == ReduceOp::Mean && !isFloating(source.dtype()))
    return fail("mean needs a float dtype, but got " +
                dtypeName(source.dtype()) + "; convert with .float() first");
  Expected<Dims> axes = normalizeAxes(dims, source.shape());
  if (!axes)
    return axes.takeError();
  Rows rows = makeRows(source, *axes);
  if ((op == ReduceOp::Max || op == ReduceOp::Min) && rows.inner == 0)
    return fail("the extreme of no elements: shape " +
                shapeString(source.shape()));
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Prod:
    if (!isFloating(source.dtype())) {
      Array result = reduceIntegers(op, rows, keepdim);
      return dtype ? convert(result, *dtype) : result;
    }
    [[fallthrough]];
  case ReduceOp::Mean:
    return reduceFloats(op, rows, keepdim);
  case ReduceOp::Max:
    return reduceExtreme(/*largest=*/true, rows, keepdim);
  case ReduceOp::Min:
    return reduceExtreme(/*largest=*/false, rows, keepdim);
  case ReduceOp::All:
    return reduceTruth(/*all=*/true, rows, keepdim);
  case ReduceOp::Any:
    return reduceTruth(/*all=*/false, rows, keepdim);
  }
  llvm_unreachable("all reductions are handled");
}

/// A function of each row of floats, in double and rounded once.
template <typename F>
static Expected<Array> reduceDouble(llvm::StringRef what, const Array &array,
                                    ArrayRef<int64_t> dims, bool keepdim, F f) {
  if (!isFloating(array.dtype()))
    return fail(what + " needs a float dtype, but got " +
                dtypeName(array.dtype()));
  Expected<Dims> axes = normalizeAxes(dims, array.shape());
  if (!axes)
    return axes.takeError();
  Rows rows = makeRows(array, *axes);
  Array result = shaped(rows, array.dtype(), keepdim);
  dispatchFloating(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    forEachRow(rows, [&](int64_t row) {
      result.data<T>()[row] = storeDouble<T>(
          f(rows.array.data<T>() + row * rows.inner, rows.inner));
    });
  });
  return result;
}

Expected<Array> pl::ref::variance(const Array &array, ArrayRef<int64_t> dims,
                                  int64_t correction, bool keepdim) {
  return reduceDouble(
      "var", array, dims, keepdim, [=](const auto *in, int64_t n) {
        double count = static_cast<double>(n);
        double mean = sumRun(in, n, identity) / count;
        double squares =
            sumRun(in, n, [=](double v) { return (v - mean) * (v - mean); });
        return squares / (count - static_cast<double>(correction));
      });
}

Expected<Array> pl::ref::norm(const Array &array, ArrayRef<int64_t> dims,
                              bool keepdim) {
  return reduceDouble(
      "norm", array, dims, keepdim, [](const auto *in, int64_t n) {
        return std::sqrt(sumRun(in, n, [](double v) { return v * v; }));
      });
}

Expected<Array> pl::ref::logsumexp(const Array &array, ArrayRef<int64_t> dims,
                                   bool keepdim) {
  return reduceDouble(
      "logsumexp", array, dims, keepdim, [](const auto *in, int64_t n) {
        if (n == 0)
          return -math::infinity;
        double top =
            static_cast<double>(load(in[extremeOf(in, n, /*largest=*/true)]));
        if (!std::isfinite(top))
          return top;
        return top + math::log(sumRun(
                         in, n, [=](double v) { return math::exp(v - top); }));
      });
}

Expected<ValuesAndIndices> pl::ref::extreme(bool largest, const Array &array,
                                            int64_t dim, bool keepdim) {
  Expected<int64_t> axis = normalizeAxis(dim, array.shape());
  if (!axis)
    return axis.takeError();
  Rows rows = makeRows(array, {*axis});
  if (rows.inner == 0 && rows.outer > 0)
    return fail("the extreme of no elements: dim " + Twine(dim) + " of shape " +
                shapeString(array.shape()));
  ValuesAndIndices result{shaped(rows, array.dtype(), keepdim),
                          shaped(rows, DType::Int64, keepdim)};
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    forEachRow(rows, [&](int64_t row) {
      const T *in = rows.array.data<T>() + row * rows.inner;
      int64_t at = extremeOf(in, rows.inner, largest);
      result.values.data<T>()[row] = in[at];
      result.indices.data<int64_t>()[row] = at;
    });
  });
  return result;
}

Expected<Array> pl::ref::argExtreme(bool largest, const Array &array,
                                    std::optional<int64_t> dim, bool keepdim) {
  Expected<Array> flat = dim ? Expected<Array>(array) : flatten(array);
  if (!flat)
    return flat;
  Expected<ValuesAndIndices> found =
      extreme(largest, *flat, dim.value_or(0), dim && keepdim);
  if (!found)
    return found.takeError();
  return found->indices;
}

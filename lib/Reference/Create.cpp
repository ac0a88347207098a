//===- Create.cpp - New arrays --------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Create.h"
#include "Loops.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

Expected<Array> pl::ref::full(llvm::ArrayRef<int64_t> shape,
                              const Scalar &value, DType dtype) {
  if (llvm::Error error = checkNumber(value, dtype))
    return error;
  Expected<Array> array = Array::create(dtype, shape);
  // New memory is zero already.
  if (array &&
      (value.integer != 0 || value.real != 0.0 || std::signbit(value.real)))
    fill(*array, value);
  return array;
}

Expected<Array> pl::ref::arange(const Scalar &start, const Scalar &end,
                                const Scalar &step,
                                std::optional<DType> dtype) {
  using Kind = Scalar::Kind;
  bool isFloat = start.kind == Kind::Float || end.kind == Kind::Float ||
                 step.kind == Kind::Float;
  DType type = dtype.value_or(isFloat ? DType::FP32 : DType::Int64);
  double first = start.asDouble(), last = end.asDouble(), by = step.asDouble();
  if (by == 0.0)
    return fail("arange: step must not be 0");
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(by))
    return fail("arange: bounds and step must be finite");
  if ((last - first) * (by > 0.0 ? 1.0 : -1.0) < 0.0)
    return fail("arange: a step of " + Twine(by > 0.0 ? "+" : "-") +
                " never leads from start to end");
  double estimate = std::ceil((last - first) / by);
  if (!(estimate < 2.0 * static_cast<double>(Array::maxElements)))
    return fail("arange: too many elements");
  int64_t count = static_cast<int64_t>(estimate);
  if (!isFloat) {
    // Exact where a double is not.
    __int128 span = static_cast<__int128>(end.integer) - start.integer;
    __int128 stride = step.integer;
    count =
        static_cast<int64_t>((span + stride + (stride > 0 ? -1 : 1)) / stride);
  }
  Expected<Array> array = Array::create(type, {count});
  if (!array)
    return array;
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *out = array->data<T>();
    for (int64_t i = 0, n = array->numel(); i < n; ++i) {
      if (isFloat)
        out[i] = convertValue<T>(first + static_cast<double>(i) * by);
      else
        out[i] = convertValue<T>(start.integer + i * step.integer);
    }
  });
  return array;
}

Expected<Array> pl::ref::linspace(double start, double end, int64_t steps,
                                  DType dtype) {
  if (steps < 0)
    return fail("linspace: the number of steps " + Twine(steps) +
                " is negative");
  Expected<Array> array = Array::create(dtype, {steps});
  if (!array)
    return array;
  double by = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0.0;
  for (int64_t i = 0; i < steps; ++i) {
    // From the nearer end, so that both ends are exact.
    bool nearStart = i < steps - i;
    array->setDouble(i, nearStart
                            ? start + static_cast<double>(i) * by
                            : end - static_cast<double>(steps - 1 - i) * by);
  }
  return array;
}

Expected<Array> pl::ref::eye(int64_t rows, int64_t columns, DType dtype) {
  Expected<Array> array = Array::create(dtype, {rows, columns});
  if (!array)
    return array;
  for (int64_t i = 0, n = std::min(rows, columns); i < n; ++i)
    array->setInt(i * columns + i, 1);
  return array;
}

//===- TestUtil.h - Small arrays for the tests ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_REFERENCE_TESTUTIL_H
#define PL_TEST_UNIT_REFERENCE_TESTUTIL_H

#include "pl/Reference/Array.h"
#include "gtest/gtest.h"
#include <initializer_list>
#include <vector>

namespace pl::ref::test {

using Values = std::vector<double>;

/// A tensor of `values`, 1-d unless a shape is given.
inline Array tensor(const Values &values, DType dtype = DType::FP32,
                    llvm::ArrayRef<int64_t> shape = {}) {
  Dims extents(shape);
  if (shape.empty())
    extents.push_back(static_cast<int64_t>(values.size()));
  Array array = Array::make(dtype, extents);
  for (size_t i = 0; i < values.size(); ++i)
    array.setDouble(static_cast<int64_t>(i), values[i]);
  return array;
}

/// 0, 1, 2, … in the given shape.
inline Array counting(llvm::ArrayRef<int64_t> shape,
                      DType dtype = DType::FP32) {
  Array array = Array::make(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i)
    array.setInt(i, i);
  return array;
}

inline Values valuesOf(const Array &array) {
  Values values;
  for (int64_t i = 0; i < array.numel(); ++i)
    values.push_back(array.getDouble(i));
  return values;
}

/// The value, or a failed test and an empty one.
template <typename T> T ok(llvm::Expected<T> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return T();
}

inline void ok(llvm::Error error) {
  if (error)
    ADD_FAILURE() << llvm::toString(std::move(error));
}

template <typename T> std::string messageOf(llvm::Expected<T> result) {
  return result ? "no error" : llvm::toString(result.takeError());
}

inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "no error";
}

inline std::string shapeOf(const Array &array) {
  return shapeString(array.shape());
}

} // namespace pl::ref::test

#endif // PL_TEST_UNIT_REFERENCE_TESTUTIL_H

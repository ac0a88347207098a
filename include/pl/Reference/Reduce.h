//===- Reduce.h - Sums, extremes, softmax, sorting ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float sums are taken in double and rounded once; integer sums are int64. An
// empty list of dims means all of them.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_REDUCE_H
#define PL_REFERENCE_REDUCE_H

#include "pl/Reference/Array.h"

namespace pl::ref {

enum class ReduceOp : uint8_t { Sum, Mean, Prod, Max, Min, All, Any };

/// `dtype` converts the elements first, as torch's argument does. NaN wins in
/// Max and Min.
llvm::Expected<Array> reduce(ReduceOp op, const Array &array,
                             llvm::ArrayRef<int64_t> dims = {},
                             bool keepdim = false,
                             std::optional<DType> dtype = std::nullopt);

/// Variance with `correction` taken off the count; 1 is torch's default.
llvm::Expected<Array> variance(const Array &array, llvm::ArrayRef<int64_t> dims,
                               int64_t correction, bool keepdim);
/// The root of the sum of squares.
llvm::Expected<Array> norm(const Array &array, llvm::ArrayRef<int64_t> dims,
                           bool keepdim);
llvm::Expected<Array> logsumexp(const Array &array,
                                llvm::ArrayRef<int64_t> dims, bool keepdim);

struct ValuesAndIndices {
  Array values;
  Array indices; // int64
};

/// The largest (smallest) element along a dim and the first place it is at.
llvm::Expected<ValuesAndIndices> extreme(bool largest, const Array &array,
                                         int64_t dim, bool keepdim);
/// Only the place; over the flattened array without a dim.
llvm::Expected<Array> argExtreme(bool largest, const Array &array,
                                 std::optional<int64_t> dim, bool keepdim);

llvm::Expected<Array> cumsum(const Array &array, int64_t dim);
llvm::Expected<Array> cumprod(const Array &array, int64_t dim);
llvm::Expected<Array> softmax(const Array &array, int64_t dim);
llvm::Expected<Array> logSoftmax(const Array &array, int64_t dim);

/// Stable; NaN counts as the largest.
llvm::Expected<ValuesAndIndices> sort(const Array &array, int64_t dim,
                                      bool descending);
/// The k largest (smallest), best first; of equal ones the smaller index.
llvm::Expected<ValuesAndIndices> topk(const Array &array, int64_t k,
                                      int64_t dim, bool largest);

} // namespace pl::ref

#endif // PL_REFERENCE_REDUCE_H

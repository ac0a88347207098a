//===- Shape.h - Views and rearrangements ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that change the shape, with torch's names and rules. What torch
// returns as a view is a view here. Negative dims count from the end.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_SHAPE_H
#define PL_REFERENCE_SHAPE_H

#include "pl/Reference/Array.h"
#include <vector>

namespace pl::ref {

/// `axis` counted from the front; an error that shows `shape` when it is out of
/// range. With `extra`, that many dims more are allowed (as for unsqueeze).
llvm::Expected<int64_t>
normalizeAxis(int64_t axis, llvm::ArrayRef<int64_t> shape, int64_t extra = 0);
/// All dims of `axes` from the front, each once; every dim when `axes` is
/// empty.
llvm::Expected<Dims> normalizeAxes(llvm::ArrayRef<int64_t> axes,
                                   llvm::ArrayRef<int64_t> shape);

/// The shape both broadcast to.
llvm::Expected<Dims> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                     llvm::ArrayRef<int64_t> b);
/// A view with extents of 1 stretched (stride 0) to `shape`.
llvm::Expected<Array> broadcastTo(const Array &array,
                                  llvm::ArrayRef<int64_t> shape);

/// One extent may be -1. `view` fails where the strides do not allow it,
/// `reshape` copies.
llvm::Expected<Array> view(const Array &array, llvm::ArrayRef<int64_t> shape);
llvm::Expected<Array> reshape(const Array &array,
                              llvm::ArrayRef<int64_t> shape);
llvm::Expected<Array> flatten(const Array &array, int64_t startDim = 0,
                              int64_t endDim = -1);
llvm::Expected<Array> unflatten(const Array &array, int64_t dim,
                                llvm::ArrayRef<int64_t> sizes);
llvm::Expected<Array> permute(const Array &array, llvm::ArrayRef<int64_t> dims);
llvm::Expected<Array> transpose(const Array &array, int64_t dim0, int64_t dim1);
llvm::Expected<Array> movedim(const Array &array, int64_t source,
                              int64_t destination);
/// Reverses all dims (`.T`).
Array reverseDims(const Array &array);
/// All dims of extent 1, or those of `dims` that have it.
llvm::Expected<Array> squeeze(const Array &array, llvm::ArrayRef<int64_t> dims);
llvm::Expected<Array> unsqueeze(const Array &array, int64_t dim);
/// -1 keeps an extent.
llvm::Expected<Array> expand(const Array &array, llvm::ArrayRef<int64_t> shape);
llvm::Expected<Array> repeat(const Array &array, llvm::ArrayRef<int64_t> times);
/// Without `dim` the array is flattened first.
llvm::Expected<Array> repeatInterleave(const Array &array, int64_t times,
                                       std::optional<int64_t> dim);
llvm::Expected<Array> select(const Array &array, int64_t dim, int64_t index);
/// Elements `start, start+step, …` below `stop` of one dim; bounds clamp as in
/// Python, `step` is positive.
llvm::Expected<Array> slice(const Array &array, int64_t dim,
                            std::optional<int64_t> start,
                            std::optional<int64_t> stop, int64_t step = 1);
llvm::Expected<Array> narrow(const Array &array, int64_t dim, int64_t start,
                             int64_t length);
llvm::Expected<std::vector<Array>>
split(const Array &array, llvm::ArrayRef<int64_t> sizes, int64_t dim);
/// Pieces of `size`, the last one shorter.
llvm::Expected<std::vector<Array>> splitEvery(const Array &array, int64_t size,
                                              int64_t dim);
llvm::Expected<std::vector<Array>> chunk(const Array &array, int64_t count,
                                         int64_t dim);
llvm::Expected<std::vector<Array>> unbind(const Array &array, int64_t dim);

/// Dtypes are promoted as torch does.
llvm::Expected<Array> cat(llvm::ArrayRef<Array> arrays, int64_t dim);
llvm::Expected<Array> stack(llvm::ArrayRef<Array> arrays, int64_t dim);
llvm::Expected<Array> flip(const Array &array, llvm::ArrayRef<int64_t> dims);
llvm::Expected<Array> roll(const Array &array, int64_t shift,
                           std::optional<int64_t> dim);
/// The triangle at and below (above) the given diagonal, zeros elsewhere.
llvm::Expected<Array> tril(const Array &array, int64_t diagonal);
llvm::Expected<Array> triu(const Array &array, int64_t diagonal);

} // namespace pl::ref

#endif // PL_REFERENCE_SHAPE_H

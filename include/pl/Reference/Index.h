//===- Index.h - Subscripts, gather and scatter ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_INDEX_H
#define PL_REFERENCE_INDEX_H

#include "pl/Reference/Elementwise.h"
#include <vector>

namespace pl::ref {

/// One item of a subscript.
struct IndexItem {
  enum class Kind : uint8_t { Int, Slice, NewAxis, Ellipsis, Tensor };
  Kind kind = Kind::Ellipsis;
  int64_t index = 0;                  // Int
  std::optional<int64_t> start, stop; // Slice
  int64_t step = 1;                   // Slice
  Array tensor;                       // Tensor: integers or a bool mask

  static IndexItem at(int64_t index);
  static IndexItem range(std::optional<int64_t> start,
                         std::optional<int64_t> stop, int64_t step = 1);
  static IndexItem newAxis();
  static IndexItem ellipsis();
  static IndexItem of(const Array &tensor);
};

/// `array[items]`: a view when there is no tensor among the items, else a copy.
/// Index tensors broadcast together; their dims stand where the first of them
/// stood when they are neighbours, in front otherwise.
llvm::Expected<Array> index(const Array &array,
                            llvm::ArrayRef<IndexItem> items);

/// `array[items] = value`. Where places repeat, the last value stays.
llvm::Error assignIndex(const Array &array, llvm::ArrayRef<IndexItem> items,
                        const Operand &value);

/// Whole slices of `dim` at the places of a 1-d index.
llvm::Expected<Array> indexSelect(const Array &array, int64_t dim,
                                  const Array &indices);
/// `out[i][j] = array[index[i][j]][j]` for dim 0, and so on.
llvm::Expected<Array> gather(const Array &array, int64_t dim,
                             const Array &indices);
/// `gather` after broadcasting both outside `dim`.
llvm::Expected<Array> takeAlongDim(const Array &array, const Array &indices,
                                   int64_t dim);
/// `array[index[i][j]][j] = source[i][j]` in place, for dim 0; a plain number
/// is taken for every place. With `add`, adds instead.
llvm::Error scatterInto(const Array &array, int64_t dim, const Array &indices,
                        const Operand &source, bool add);
/// Adds (or copies) slice i of `source` to slice `indices[i]` of `dim`.
llvm::Error indexInto(const Array &array, int64_t dim, const Array &indices,
                      const Array &source, bool add);

/// Coordinates of the elements that are not zero, [count, rank] int64.
Array nonzero(const Array &array);
/// The same as one 1-d tensor for each dim.
std::vector<Array> nonzeroColumns(const Array &array);

} // namespace pl::ref

#endif // PL_REFERENCE_INDEX_H

//===- Loops.cpp - Strided loops over arrays ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>

using namespace pl::ref;

/// Below this many elements a piece is not worth a thread.
static constexpr int64_t pieceElements = 1 << 16;

void pl::ref::parallelRanges(int64_t count, int64_t grain,
                             llvm::function_ref<void(int64_t, int64_t)> body) {
  grain = std::max<int64_t>(grain, 1);
  if (count <= grain) {
    if (count > 0)
      body(0, count);
    return;
  }
  size_t pieces = static_cast<size_t>((count + grain - 1) / grain);
  llvm::parallelFor(0, pieces, [&](size_t piece) {
    int64_t begin = static_cast<int64_t>(piece) * grain;
    body(begin, std::min(begin + grain, count));
  });
}

LoopPlan::LoopPlan(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides)
    : views(strides.size()) {
  Dims merged;
  llvm::SmallVector<Dims, 4> mergedStrides(views);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    bool joins = !merged.empty();
    for (size_t v = 0; v < views && joins; ++v)
      joins = mergedStrides[v].back() == strides[v][d] * shape[d];
    if (joins) {
      merged.back() *= shape[d];
      for (size_t v = 0; v < views; ++v)
        mergedStrides[v].back() = strides[v][d];
      continue;
    }
    merged.push_back(shape[d]);
    for (size_t v = 0; v < views; ++v)
      mergedStrides[v].push_back(strides[v][d]);
  }
  innerStrides.assign(views, 1);
  if (!merged.empty()) {
    inner = merged.pop_back_val();
    for (size_t v = 0; v < views; ++v)
      innerStrides[v] = mergedStrides[v].pop_back_val();
  }
  outerShape = std::move(merged);
  outerStrides = std::move(mergedStrides);
  for (int64_t extent : outerShape)
    rows *= extent;
}

void LoopPlan::runRows(int64_t firstRow, int64_t endRow, Run run) const {
  Dims position = unflatten(firstRow, outerShape);
  llvm::SmallVector<int64_t, 4> offsets(views, 0);
  for (size_t v = 0; v < views; ++v)
    for (size_t d = 0; d < outerShape.size(); ++d)
      offsets[v] += position[d] * outerStrides[v][d];
  for (int64_t row = firstRow; row < endRow; ++row) {
    run(offsets, inner, innerStrides);
    for (size_t d = outerShape.size(); d-- > 0;) {
      bool wraps = ++position[d] == outerShape[d];
      for (size_t v = 0; v < views; ++v)
        offsets[v] += wraps ? -(outerShape[d] - 1) * outerStrides[v][d]
                            : outerStrides[v][d];
      if (!wraps)
        break;
      position[d] = 0;
    }
  }
}

void LoopPlan::forEachInOrder(Run run) const {
  if (rows != 0 && inner != 0)
    runRows(0, rows, run);
}

void LoopPlan::forEach(Run run) const {
  if (rows == 0 || inner == 0)
    return;
  if (rows == 1) {
    parallelRanges(inner, pieceElements, [&](int64_t begin, int64_t end) {
      llvm::SmallVector<int64_t, 4> offsets(views);
      for (size_t v = 0; v < views; ++v)
        offsets[v] = begin * innerStrides[v];
      run(offsets, end - begin, innerStrides);
    });
    return;
  }
  parallelRanges(rows, std::max<int64_t>(1, pieceElements / inner),
                 [&](int64_t begin, int64_t end) { runRows(begin, end, run); });
}

/// A copy whose source runs fast along another dim than its destination, in
/// square pieces that stay in the cache. `fast` is that dim.
template <typename T>
static void copyTransposed(const Array &destination, const Array &source,
                           size_t fast) {
  constexpr int64_t side = 32;
  llvm::ArrayRef<int64_t> shape = source.shape();
  size_t last = shape.size() - 1;
  int64_t rows = shape[fast], columns = shape[last];
  int64_t stepTo = destination.strides()[fast];
  int64_t stepFrom = source.strides()[last];
  Dims outer, outerTo, outerFrom;
  for (size_t d = 0; d < last; ++d) {
    if (d == fast)
      continue;
    outer.push_back(shape[d]);
    outerTo.push_back(destination.strides()[d]);
    outerFrom.push_back(source.strides()[d]);
  }
  int64_t strips = (rows + side - 1) / side;
  int64_t batches = 1;
  for (int64_t extent : outer)
    batches *= extent;
  parallelRanges(
      batches * strips, std::max<int64_t>(1, pieceElements / (side * columns)),
      [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          Dims at = unflatten(piece / strips, outer);
          T *to = destination.data<T>();
          const T *from = source.data<T>();
          for (size_t d = 0; d < at.size(); ++d) {
            to += at[d] * outerTo[d];
            from += at[d] * outerFrom[d];
          }
          int64_t first = piece % strips * side;
          int64_t count = std::min(side, rows - first);
          to += first * stepTo;
          from += first;
          for (int64_t c = 0; c < columns; c += side) {
            int64_t width = std::min(side, columns - c);
            for (int64_t r = 0; r < count; ++r)
              for (int64_t i = 0; i < width; ++i)
                to[r * stepTo + c + i] = from[r + (c + i) * stepFrom];
          }
        }
      });
}

/// The dim along which the source's elements are neighbours, where that is
/// another one than the destination's; nothing for small or plain copies.
static std::optional<size_t> findTransposed(const Array &destination,
                                            const Array &source) {
  constexpr int64_t worthIt = 8;
  llvm::ArrayRef<int64_t> shape = source.shape();
  if (shape.size() < 2 || source.numel() < pieceElements ||
      destination.strides().back() != 1 || source.strides().back() == 1 ||
      shape.back() < worthIt)
    return std::nullopt;
  for (size_t d = shape.size() - 1; d-- > 0;)
    if (source.strides()[d] == 1 && shape[d] >= worthIt)
      return d;
  return std::nullopt;
}

void pl::ref::copyElements(const Array &destination, const Array &source) {
  LoopPlan plan(source.shape(), {destination.strides(), source.strides()});
  std::optional<size_t> fast = findTransposed(destination, source);
  auto copyAs = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (fast)
      return copyTransposed<T>(destination, source, *fast);
    T *to = destination.data<T>();
    const T *from = source.data<T>();
    plan.forEach([&](llvm::ArrayRef<int64_t> at, int64_t n,
                     llvm::ArrayRef<int64_t> step) {
      T *out = to + at[0];
      const T *in = from + at[1];
      if (step[0] == 1 && step[1] == 1) {
        std::copy(in, in + n, out);
        return;
      }
      for (int64_t i = 0; i < n; ++i)
        out[i * step[0]] = in[i * step[1]];
    });
  };
  switch (dtypeBytes(source.dtype())) {
  case 1:
    return copyAs(TypeTag<uint8_t>());
  case 2:
    return copyAs(TypeTag<uint16_t>());
  case 4:
    return copyAs(TypeTag<uint32_t>());
  default:
    return copyAs(TypeTag<uint64_t>());
  }
}

//===- Layout.cpp - from one layout of a tile to another ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half of what the simulator does outside of matrix products happens here: a
// tensor is row-major, the cube memories have boxes. The place of an element is
// the sum of a part that its row gives and one that its column gives, so both
// parts are made once for each row and column.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstring>

using namespace pl::sim;
using pl::shim::Placement;

namespace {

using Offsets = llvm::SmallVector<int64_t, 256>;

/// One direction of a placement.
struct Axis {
  int64_t box, boxStride, stride;
  bool isPlain() const { return box == INT64_MAX; }
  /// How far index `x` is from the end of its box.
  int64_t left(int64_t x) const {
    return isPlain() ? INT64_MAX : box - x % box;
  }
  int64_t operator()(int64_t x) const {
    return isPlain() ? x * stride : x / box * boxStride + x % box * stride;
  }
};

/// One side of a copy: where it is, and where it begins.
struct Side {
  Axis rows, cols;
  int64_t row, col;

  Side(const Placement &at, int64_t row, int64_t col)
      : rows{at.boxRows, at.boxRowStride, at.rowStride},
        cols{at.boxCols, at.boxColStride, at.colStride}, row(row), col(col) {}
  void swapAxes() {
    std::swap(rows, cols);
    std::swap(row, col);
  }
};

/// Columns that are contiguous on both sides; offsets are bytes.
struct Run {
  int64_t dst, src, bytes;
};

} // namespace

static void appendOffsets(Offsets &offsets, const Axis &axis, int64_t first,
                          int64_t count, int64_t size) {
  offsets.reserve(size_t(count));
  for (int64_t i = 0, n; i < count; i += n) {
    n = std::min(count - i, axis.left(first + i));
    int64_t from = axis(first + i);
    for (int64_t j = 0; j < n; ++j)
      offsets.push_back((from + j * axis.stride) * size);
  }
}

//===----------------------------------------------------------------------===//
// Rows stay rows
//===----------------------------------------------------------------------===//

/// `count` runs of each row. Taken together they read whole cache lines of a
/// tensor before these are needed for something else.
template <size_t bytes, size_t count>
static void copyRuns(uint8_t *dst, const uint8_t *src, const Run *runs,
                     const Offsets &dstRows, const Offsets &srcRows) {
  constexpr size_t ahead = 12, line = 64;
  for (size_t r = 0; r < dstRows.size(); ++r) {
    uint8_t *to = dst + dstRows[r];
    const uint8_t *from = src + srcRows[r];
    if (r + ahead < srcRows.size())
      for (size_t at = 0; at < bytes * count; at += line)
        __builtin_prefetch(src + srcRows[r + ahead] + runs[0].src + at);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to + runs[i].dst, from + runs[i].src, bytes);
  }
}

static void copyRows(size_t size, uint8_t *dst, const Side &dstAt,
                     const uint8_t *src, const Side &srcAt, int64_t rows,
                     int64_t cols) {
  llvm::SmallVector<Run, 64> runs;
  for (int64_t c = 0, n; c < cols; c += n) {
    int64_t to = dstAt.col + c, from = srcAt.col + c;
    n = std::min({cols - c, dstAt.cols.left(to), srcAt.cols.left(from)});
    runs.push_back({dstAt.cols(to) * int64_t(size),
                    srcAt.cols(from) * int64_t(size), n * int64_t(size)});
  }
  Offsets dstRows, srcRows;
  appendOffsets(dstRows, dstAt.rows, dstAt.row, rows, int64_t(size));
  appendOffsets(srcRows, srcAt.rows, srcAt.row, rows, int64_t(size));
  auto have = [&](size_t first, size_t count, int64_t bytes) {
    if (first + count > runs.size())
      return false;
    for (size_t i = 0; i < count; ++i)
      if (runs[first + i].bytes != bytes)
        return false;
    return true;
  };
  for (size_t i = 0; i < runs.size();) {
    const Run *run = &runs[i];
    if (have(i, 4, 32)) {
      copyRuns<32, 4>(dst, src, run, dstRows, srcRows);
      i += 4;
    } else if (have(i, 4, 64)) {
      copyRuns<64, 4>(dst, src, run, dstRows, srcRows);
      i += 4;
    } else if (have(i, 1, 32)) {
      copyRuns<32, 1>(dst, src, run, dstRows, srcRows);
      ++i;
    } else {
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(dst + dstRows[r] + run->dst, src + srcRows[r] + run->src,
                    size_t(run->bytes));
      ++i;
    }
  }
}

//===----------------------------------------------------------------------===//
// Rows become columns
//===----------------------------------------------------------------------===//

namespace {

/// 16 bytes of elements.
template <typename T> struct Vector {
  static constexpr size_t length = 16 / sizeof(T);
  typedef T Type __attribute__((vector_size(16)));

  template <size_t... I>
  static Type low(Type a, Type b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + I % 2 * length)...);
  }
  template <size_t... I>
  static Type high(Type a, Type b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b,
                                   ((I + length) / 2 + I % 2 * length)...);
  }
};

} // namespace

/// A square of 16 bytes each way: rows of the source lie at the offsets
/// `srcRows`, columns of the destination at `dstCols`.
template <typename T>
static void transposeSquare(uint8_t *dst, const int64_t *dstCols,
                            const uint8_t *src, const int64_t *srcRows) {
  using V = Vector<T>;
  constexpr size_t length = V::length;
  constexpr std::make_index_sequence<length> indices;
  typename V::Type now[length], next[length];
  for (size_t i = 0; i < length; ++i)
    std::memcpy(&now[i], src + srcRows[i], 16);
  // Each pass interleaves the first half with the second one; as many passes as
  // an index has bits bring row bits where column bits were.
  for (size_t pass = 1; pass < length; pass *= 2) {
    for (size_t i = 0; i < length / 2; ++i) {
      next[2 * i] = V::low(now[i], now[i + length / 2], indices);
      next[2 * i + 1] = V::high(now[i], now[i + length / 2], indices);
    }
    std::copy(next, next + length, now);
  }
  for (size_t i = 0; i < length; ++i)
    std::memcpy(dst + dstCols[i], &now[i], 16);
}

/// Whether elements `first` and on are next to each other.
static bool isContiguous(const Offsets &offsets, size_t first, size_t count,
                         size_t size) {
  return first + count <= offsets.size() &&
         offsets[first + count - 1] - offsets[first] ==
             int64_t((count - 1) * size);
}

/// Elements of a row are contiguous in the source, those of a column in the
/// destination, as far as boxes go.
template <typename T>
static void transpose(uint8_t *dst, const Side &dstAt, const uint8_t *src,
                      const Side &srcAt, int64_t rows, int64_t cols) {
  constexpr size_t size = sizeof(T), length = Vector<T>::length;
  Offsets dstRows, dstCols, srcRows, srcCols;
  appendOffsets(dstRows, dstAt.rows, dstAt.row, rows, size);
  appendOffsets(dstCols, dstAt.cols, dstAt.col, cols, size);
  appendOffsets(srcRows, srcAt.rows, srcAt.row, rows, size);
  appendOffsets(srcCols, srcAt.cols, srcAt.col, cols, size);
  size_t numRows = size_t(rows), numCols = size_t(cols), nextRow, nextCol;
  for (size_t r = 0; r < numRows; r = nextRow) {
    bool isWide = isContiguous(dstRows, r, length, size);
    nextRow = r + (isWide ? length : 1);
    for (size_t c = 0; c < numCols; c = nextCol) {
      bool isSquare = isWide && isContiguous(srcCols, c, length, size);
      nextCol = c + (isSquare ? length : 1);
      if (isSquare) {
        transposeSquare<T>(dst + dstRows[r], &dstCols[c], src + srcCols[c],
                           &srcRows[r]);
        continue;
      }
      for (size_t i = r; i < nextRow; ++i)
        std::memcpy(dst + dstRows[i] + dstCols[c],
                    src + srcRows[i] + srcCols[c], size);
    }
  }
}

//===----------------------------------------------------------------------===//
// Either
//===----------------------------------------------------------------------===//

void pl::sim::copyRegion(size_t size, uint8_t *dst, const Placement &dstAt,
                         int64_t dr, int64_t dc, const uint8_t *src,
                         const Placement &srcAt, int64_t sr, int64_t sc,
                         int64_t rows, int64_t cols) {
  if (rows <= 0 || cols <= 0)
    return;
  Side to(dstAt, dr, dc), from(srcAt, sr, sc);
  auto stayRows = [&] { return to.cols.stride == 1 && from.cols.stride == 1; };
  bool stayCols = to.rows.stride == 1 && from.rows.stride == 1;
  if (!stayRows() && (stayCols || from.cols.stride != 1)) {
    to.swapAxes();
    from.swapAxes();
    std::swap(rows, cols);
  }
  if (stayRows())
    return copyRows(size, dst, to, src, from, rows, cols);
  switch (size) {
  case 1:
    return transpose<uint8_t>(dst, to, src, from, rows, cols);
  case 2:
    return transpose<uint16_t>(dst, to, src, from, rows, cols);
  case 4:
    return transpose<uint32_t>(dst, to, src, from, rows, cols);
  default:
    return transpose<uint64_t>(dst, to, src, from, rows, cols);
  }
}

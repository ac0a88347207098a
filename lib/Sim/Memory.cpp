//===- Memory.cpp - GM tensors, on-chip memories, definedness -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "pl/Machine/Machine.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace pl::sim;
using pl::shim::Placement;

llvm::StringRef pl::sim::stringify(Space space) {
  constexpr llvm::StringLiteral names[] = {"vec",   "mat", "left",
                                           "right", "acc", "bias"};
  return names[unsigned(space)];
}

int64_t pl::sim::spaceBytes(Space space) {
  return findMachine("a2a3")->findMemory(stringify(space))->bytes;
}

int64_t pl::sim::spaceAlignment(Space space) {
  return findMachine("a2a3")->findMemory(stringify(space))->alignment;
}

Bytes::Bytes(int64_t size, int fill) {
  // Rounded up, and never empty, so that null always means "no memory".
  size_t rounded = (size_t(size) + 64) / 64 * 64;
  pointer = static_cast<uint8_t *>(std::aligned_alloc(64, rounded));
  if (pointer)
    std::memset(pointer, fill, rounded);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool Buffer::prepareWrite() {
  if (borrowed) {
    ownedData = Bytes(bytes, shim::kPoisonByte);
    if (!ownedData.get())
      return false;
    if (bytes)
      std::memcpy(ownedData.get(), data, size_t(bytes));
    data = ownedData.get();
    borrowed = false;
  }
  if (!shadow) {
    ownedShadow = Bytes(bytes, kDefined);
    shadow = ownedShadow.get();
  }
  return shadow != nullptr;
}

std::string Buffer::indexOf(int64_t byte) const {
  int64_t element = byte / int64_t(shim::elemBytes(type));
  llvm::SmallVector<int64_t, 4> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t extent = std::max<int64_t>(shape[axis], 1);
    index[axis] = axis == 0 ? element : element % extent;
    element /= extent;
  }
  return fmt::format("[{}]", fmt::join(index.begin(), index.end(), ", "));
}

View View::whole(Buffer &buffer) {
  View view;
  view.buffer = &buffer;
  view.rank = buffer.shape.size();
  int64_t stride = 1;
  for (unsigned axis = view.rank; axis-- > 0;) {
    view.sizes[axis] = buffer.shape[axis];
    view.strides[axis] = stride;
    stride *= buffer.shape[axis];
  }
  return view;
}

bool View::isWhole() const {
  return offset == 0 && rank == buffer->shape.size() &&
         llvm::equal(llvm::ArrayRef(sizes, rank), buffer->shape);
}

//===----------------------------------------------------------------------===//
// Core memories
//===----------------------------------------------------------------------===//

CoreMemory::CoreMemory() {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    bytes[s] = Bytes(spaceBytes(Space(s)), shim::kPoisonByte);
    shadows[s] = Bytes(spaceBytes(Space(s)), kFresh);
  }
}

CoreMemory::CoreMemory(const int64_t (&used)[kNumSpaces]) {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    bytes[s] = Bytes(used[s], shim::kPoisonByte);
    shadows[s] = Bytes(used[s], kFresh);
  }
}

bool CoreMemory::ok() const {
  for (unsigned s = 0; s < kNumSpaces; ++s)
    if (!bytes[s].get() || !shadows[s].get())
      return false;
  return true;
}

void CoreMemory::poison(const int64_t (&used)[kNumSpaces]) {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    std::memset(bytes[s].get(), shim::kPoisonByte, size_t(used[s]));
    std::memset(shadows[s].get(), kFresh, size_t(used[s]));
  }
}

bool pl::sim::isClean(const uint8_t *shadow, int64_t count) {
  // Chunks keep the inner loop free of branches, so that it vectorises.
  constexpr int64_t chunk = 256;
  int64_t i = 0;
  for (; i + chunk <= count; i += chunk) {
    uint8_t any = 0;
    for (int64_t j = 0; j < chunk; ++j)
      any |= shadow[i + j];
    if (any)
      return false;
  }
  uint8_t any = 0;
  for (; i < count; ++i)
    any |= shadow[i];
  return any == 0;
}

//===----------------------------------------------------------------------===//
// Layout conversion
//===----------------------------------------------------------------------===//

namespace {

/// A piece in which both sides have constant strides.
struct Piece {
  int64_t rows, cols;
  int64_t dstRow, dstCol, srcRow, srcCol; ///< strides, elements
};

template <typename T> void copyPiece(T *dst, const T *src, const Piece &piece) {
  for (int64_t r = 0; r < piece.rows; ++r) {
    T *to = dst + r * piece.dstRow;
    const T *from = src + r * piece.srcRow;
    for (int64_t c = 0; c < piece.cols; ++c)
      to[c * piece.dstCol] = from[c * piece.srcCol];
  }
}

/// Rows (or columns, with the roles swapped) contiguous on both sides.
void copyRuns(size_t size, uint8_t *dst, const uint8_t *src, int64_t count,
              int64_t length, int64_t dstStride, int64_t srcStride) {
  size_t bytes = size_t(length) * size;
  int64_t dstStep = dstStride * int64_t(size);
  int64_t srcStep = srcStride * int64_t(size);
  if (bytes == 32) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dst + i * dstStep, src + i * srcStep, 32);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(dst + i * dstStep, src + i * srcStep, bytes);
}

void copyPieceOf(size_t size, uint8_t *dst, const uint8_t *src,
                 const Piece &piece) {
  if (piece.dstCol == 1 && piece.srcCol == 1)
    return copyRuns(size, dst, src, piece.rows, piece.cols, piece.dstRow,
                    piece.srcRow);
  if (piece.dstRow == 1 && piece.srcRow == 1)
    return copyRuns(size, dst, src, piece.cols, piece.rows, piece.dstCol,
                    piece.srcCol);
  switch (size) {
  case 1:
    return copyPiece(dst, src, piece);
  case 2:
    return copyPiece(reinterpret_cast<uint16_t *>(dst),
                     reinterpret_cast<const uint16_t *>(src), piece);
  case 4:
    return copyPiece(reinterpret_cast<uint32_t *>(dst),
                     reinterpret_cast<const uint32_t *>(src), piece);
  default:
    return copyPiece(reinterpret_cast<uint64_t *>(dst),
                     reinterpret_cast<const uint64_t *>(src), piece);
  }
}

/// How far index `x` is from the end of its box.
int64_t leftInBox(int64_t x, int64_t box) {
  return box == INT64_MAX ? INT64_MAX : box - x % box;
}

} // namespace

void pl::sim::copyRegion(size_t size, uint8_t *dst, const Placement &dstAt,
                         int64_t dr, int64_t dc, const uint8_t *src,
                         const Placement &srcAt, int64_t sr, int64_t sc,
                         int64_t rows, int64_t cols) {
  Piece piece{
      0, 0, dstAt.rowStride, dstAt.colStride, srcAt.rowStride, srcAt.colStride};
  for (int64_t c = 0; c < cols; c += piece.cols) {
    piece.cols = std::min({cols - c, leftInBox(dc + c, dstAt.boxCols),
                           leftInBox(sc + c, srcAt.boxCols)});
    for (int64_t r = 0; r < rows; r += piece.rows) {
      piece.rows = std::min({rows - r, leftInBox(dr + r, dstAt.boxRows),
                             leftInBox(sr + r, srcAt.boxRows)});
      copyPieceOf(size, dst + dstAt(dr + r, dc + c) * int64_t(size),
                  src + srcAt(sr + r, sc + c) * int64_t(size), piece);
    }
  }
}

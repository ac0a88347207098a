//===- Memory.h - GM tensors, on-chip memories, definedness ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_MEMORY_H
#define PL_LIB_SIM_MEMORY_H

#include "Code.h"

#include <cstdlib>
#include <utility>

namespace pl::sim {

/// 64-byte aligned bytes. Empty when the host has no memory left.
class Bytes {
public:
  Bytes() = default;
  explicit Bytes(int64_t size, int fill);
  Bytes(Bytes &&other)
      : pointer(std::exchange(other.pointer, nullptr)),
        mappedBytes(std::exchange(other.mappedBytes, 0)) {}
  Bytes &operator=(Bytes &&other) {
    std::swap(pointer, other.pointer);
    std::swap(mappedBytes, other.mappedBytes);
    return *this;
  }
  ~Bytes();
  uint8_t *get() const { return pointer; }
  /// How many there are, if there are enough of them to be worth keeping for
  /// something else. Else 0.
  size_t mappedSize() const { return mappedBytes; }

private:
  uint8_t *pointer = nullptr;
  size_t mappedBytes = 0; ///< else from aligned_alloc
};

/// Keeps bytes that nobody needs any more. To get new ones from the host takes
/// longer than to fill them.
class SpareBytes {
public:
  /// Empty when the host has no memory left.
  Bytes take(int64_t size, int fill);
  void give(Bytes bytes);

private:
  std::vector<Bytes> spare;
};

/// A tensor in global memory.
struct Buffer {
  std::string name;
  ElemType type = ElemType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t bytes = 0;
  uint8_t *data = nullptr;
  uint8_t *shadow = nullptr; ///< null: all of it is defined
  Bytes ownedData, ownedShadow;
  unsigned id = 0;
  /// The bytes belong to the caller, who expects to find them unchanged.
  bool borrowed = false;
  /// Made by the program for itself. It has bytes from the first task that uses
  /// it until the last one is complete.
  bool isTemporary = false;
  unsigned openTasks = 0; ///< those that use it and are not complete
  /// Of a window: the same tensor on all ranks, and whose this one is.
  const std::vector<Buffer *> *ranks = nullptr;
  unsigned rank = 0;
  /// Of a part that a program got of a host tensor: that tensor, and the byte
  /// of it where the part begins.
  const Buffer *whole = nullptr;
  int64_t start = 0;
  mlir::LocationAttr loc;

  /// Makes what writing needs: own bytes and a shadow. False: out of memory.
  bool prepareWrite();
  /// `[3, 0]`: the index of the element at a byte.
  std::string indexOf(int64_t byte) const;
};

constexpr unsigned kMaxRank = 8;

/// A strided window of a buffer; counts are elements.
struct View {
  Buffer *buffer = nullptr;
  int64_t offset = 0;
  unsigned rank = 0;
  int64_t sizes[kMaxRank], strides[kMaxRank];

  static View whole(Buffer &buffer);
  /// Whether indices of the view are indices of the tensor.
  bool isWhole() const;
};

/// One core's memories with their shadows.
class CoreMemory {
public:
  CoreMemory();
  /// Only the memories of which a kernel uses some bytes.
  explicit CoreMemory(const int64_t (&used)[kNumSpaces]);
  bool ok() const;
  uint8_t *data(Space space) const { return bytes[unsigned(space)].get(); }
  uint8_t *shadow(Space space) const { return shadows[unsigned(space)].get(); }
  /// Fills the first bytes of each memory with poison.
  void poison(const int64_t (&used)[kNumSpaces]);

private:
  Bytes bytes[kNumSpaces], shadows[kNumSpaces];
};

/// Whether all bytes are `kDefined`.
bool isClean(const uint8_t *shadow, int64_t count);

/// dst(dr + r, dc + c) = src(sr + r, sc + c) for elements of `size` bytes.
void copyRegion(size_t size, uint8_t *dst, const shim::Placement &dstAt,
                int64_t dr, int64_t dc, const uint8_t *src,
                const shim::Placement &srcAt, int64_t sr, int64_t sc,
                int64_t rows, int64_t cols);

/// Calls `run(byte, count)` for contiguous pieces that make up the rows x cols
/// corner of a tile of elements of `size` bytes; stops at the first `false`,
/// which it returns.
template <typename Fn>
bool forEachRun(size_t size, const shim::Placement &at, int64_t rows,
                int64_t cols, Fn &&run) {
  bool byRow = at.colStride == 1;
  int64_t outer = byRow ? rows : cols, inner = byRow ? cols : rows;
  int64_t box = byRow ? at.boxCols : at.boxRows;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0, n; i < inner; i += n) {
      n = std::min(box, inner - i);
      int64_t from = byRow ? at(o, i) : at(i, o);
      if (!run(from * int64_t(size), n * int64_t(size)))
        return false;
    }
  return true;
}

} // namespace pl::sim

#endif // PL_LIB_SIM_MEMORY_H

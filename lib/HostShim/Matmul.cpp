//===- Matmul.cpp - blocking and packing of the product -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K is cut into blocks that fit the first-level cache; the chain of an element
// goes on from the value stored after the block before, so its bits are those
// of one uninterrupted loop. An INT8 block is computed in F32, where its sums
// (at most 256 * 2^14 = 2^22) are exact, and added to C in INT32.
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Matmul.h"
#include "Kernels.h"

#include <algorithm>
#include <memory>

using namespace pl::shim;

namespace {

constexpr int64_t kLanes = 16;
constexpr int64_t kMaxRows = 8, kMaxVectors = 2;
/// Rows of A packed at a time.
constexpr int64_t kBlockM = 64;

/// Packed operands of one thread, 64-byte aligned.
struct Scratch {
  alignas(64) float a[kBlockM * kPackedK];
  alignas(64) float b[kBlockK * kMaxVectors * kLanes];
};

Scratch &scratch() {
  thread_local std::unique_ptr<Scratch> buffers = std::make_unique<Scratch>();
  return *buffers;
}

/// The part of C that one micro call computes.
struct Block {
  const TileRef &c;
  int64_t row, rows, col, cols;
};

/// Which block of K it is.
struct Stage {
  int64_t k;
  bool load, last;
};

/// Whether full vectors of C can be read and written where they lie.
bool isDirect(const Block &block) {
  const Placement &at = block.c.at;
  if (at.colStride != 1 || block.cols % kLanes != 0)
    return false;
  if (at.boxCols != INT64_MAX &&
      (at.boxCols % kLanes != 0 || block.col % kLanes != 0))
    return false;
  return block.row % at.boxRows + block.rows <= at.boxRows;
}

void computeBlock(const MatmulFns &fns, const Block &block, const float *a,
                  const float *b, const Stage &stage) {
  auto micro = block.c.type == ElemType::I32 ? fns.microI32 : fns.microF32;
  int64_t vectors = (block.cols + kLanes - 1) / kLanes;
  void *columns[kMaxVectors];
  const Placement &at = block.c.at;
  // Both element types of C have four bytes.
  auto *base = static_cast<uint32_t *>(block.c.data);
  if (isDirect(block)) {
    for (int64_t v = 0; v < vectors; ++v)
      columns[v] = base + at(block.row, block.col + v * kLanes);
    return micro(block.rows, vectors, columns, at.rowStride, a, b, stage.k,
                 stage.load, stage.last);
  }
  alignas(64) uint32_t part[kMaxRows * kMaxVectors * kLanes] = {};
  int64_t stride = vectors * kLanes;
  for (int64_t v = 0; v < vectors; ++v)
    columns[v] = part + v * kLanes;
  if (stage.load)
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; c < block.cols; ++c)
        part[r * stride + c] = base[at(block.row + r, block.col + c)];
  micro(block.rows, vectors, columns, stride, a, b, stage.k, stage.load,
        stage.last);
  for (int64_t r = 0; r < block.rows; ++r)
    for (int64_t c = 0; c < block.cols; ++c)
      base[at(block.row + r, block.col + c)] = part[r * stride + c];
}

} // namespace

void pl::shim::matmulWith(const Kernels &table, const TileRef &c,
                          const TileRef &a, const TileRef &b, bool accumulate) {
  const MatmulFns &fns = table.matmul;
  int64_t m = a.rows, n = c.cols, depth = a.cols;
  int64_t panel = fns.vectors * kLanes;
  Scratch &packed = scratch();
  auto packA = fns.packRows[int(a.type)];
  auto packB = fns.packRows[int(b.type)];
  // With K = 0 the block loop would not run, and C must still become 0.
  for (int64_t k0 = 0; k0 < std::max<int64_t>(depth, 1); k0 += kBlockK) {
    int64_t k = std::min(kBlockK, depth - k0);
    Stage stage = {k, accumulate || k0 > 0, k0 + k == depth};
    for (int64_t m0 = 0; m0 < m; m0 += kBlockM) {
      int64_t rows = std::min(kBlockM, m - m0);
      packA(packed.a, kPackedK, a, m0, rows, k0, k);
      for (int64_t n0 = 0; n0 < n; n0 += panel) {
        int64_t cols = std::min(panel, n - n0);
        int64_t ld = (cols + kLanes - 1) / kLanes * kLanes;
        if (cols != ld)
          std::memset(packed.b, 0, sizeof(float) * size_t(ld * k));
        packB(packed.b, ld, b, k0, k, n0, cols);
        for (int64_t r = 0; r < rows; r += fns.rows) {
          int64_t block = std::min(fns.rows, rows - r);
          computeBlock(fns, {c, m0 + r, block, n0, cols},
                       packed.a + r * kPackedK, packed.b, stage);
        }
      }
    }
  }
}

void pl::shim::matmul(const TileRef &c, const TileRef &a, const TileRef &b,
                      bool accumulate) {
  matmulWith(kernels(), c, a, b, accumulate);
}

void pl::shim::matmul(ElemType inputs, void *c, int64_t ldc, const void *a,
                      int64_t lda, const void *b, int64_t ldb, int64_t m,
                      int64_t n, int64_t k, bool accumulate) {
  ElemType result = inputs == ElemType::I8 ? ElemType::I32 : ElemType::F32;
  matmul({c, result, m, n, Placement::nd(ldc)},
         {const_cast<void *>(a), inputs, m, k, Placement::nd(lda)},
         {const_cast<void *>(b), inputs, k, n, Placement::nd(ldb)}, accumulate);
}

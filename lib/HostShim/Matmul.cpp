//===- Matmul.cpp - blocking and packing of the product
//--------------------===//
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

/// Whether full vectors of C can be read and written where they lie.
bool isDirect(const Block &block) {
  const Placement &at = block.c.at;
  if (block.c.type != ElemType::F32 || at.colStride != 1 ||
      block.cols % kLanes != 0)
    return false;
  if (at.boxCols % kLanes != 0 && at.boxCols != INT64_MAX)
    return false;
  if (at.boxCols != INT64_MAX && block.col % kLanes != 0)
    return false;
  return block.row % at.boxRows + block.rows <= at.boxRows;
}

void computeBlock(const MatmulFns &fns, const Block &block, const float *a,
                  const float *b, int64_t k, bool load) {
  int64_t vectors = (block.cols + kLanes - 1) / kLanes;
  float *columns[kMaxVectors];
  const Placement &at = block.c.at;
  if (isDirect(block)) {
    auto *base = static_cast<float *>(block.c.data);
    for (int64_t v = 0; v < vectors; ++v)
      columns[v] = base + at(block.row, block.col + v * kLanes);
    return fns.micro(block.rows, vectors, columns, at.rowStride, a, b, k, load);
  }
  alignas(64) float part[kMaxRows * kMaxVectors * kLanes];
  int64_t stride = vectors * kLanes;
  for (int64_t v = 0; v < vectors; ++v)
    columns[v] = part + v * kLanes;
  bool isInt = block.c.type == ElemType::I32;
  if (load && !isInt) {
    auto *from = static_cast<const float *>(block.c.data);
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; c < stride; ++c)
        part[r * stride + c] =
            c < block.cols ? from[at(block.row + r, block.col + c)] : 0.0f;
  }
  fns.micro(block.rows, vectors, columns, stride, a, b, k, load && !isInt);
  for (int64_t r = 0; r < block.rows; ++r)
    for (int64_t c = 0; c < block.cols; ++c) {
      int64_t index = at(block.row + r, block.col + c);
      float value = part[r * stride + c];
      if (!isInt) {
        static_cast<float *>(block.c.data)[index] = value;
        continue;
      }
      auto *to = static_cast<uint32_t *>(block.c.data) + index;
      uint32_t sum = uint32_t(int32_t(value));
      *to = load ? *to + sum : sum;
    }
}

/// Makes every NaN of C the one NaN.
void canonicalise(const TileRef &c) {
  auto *data = static_cast<float *>(c.data);
  const Placement &at = c.at;
  int64_t run = at.colStride == 1 ? std::min(at.boxCols, kLanes) : 1;
  for (int64_t r = 0; r < c.rows; ++r)
    for (int64_t col = 0, n; col < c.cols; col += n) {
      n = std::min(run - (run > 1 ? col % run : 0), c.cols - col);
      float *from = data + at(r, col);
      for (int64_t i = 0; i < n; ++i)
        from[i] = canonical(from[i]);
    }
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
    bool load = accumulate || k0 > 0;
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
                       packed.a + r * kPackedK, packed.b, k, load);
        }
      }
    }
  }
  if (c.type == ElemType::F32) {
    TileRef result = c;
    result.rows = m;
    canonicalise(result);
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

//===- Tiles.cpp - data movement and the cube on tiles --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace pl::shim;
using isa::fail;
using isa::GlobalArg;
using isa::Space;
using isa::TileArg;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void pl::shim::checkTile(const char *name, const char *role,
                         const TileArg &tile) {
  if (!tile.data)
    fail(name, "the %s tile has no address (TASSIGN is missing)", role);
  if (tile.validRows < 0 || tile.validRows > tile.rows || tile.validCols < 0 ||
      tile.validCols > tile.cols)
    fail(name,
         "the %s tile [%d, %d] has no valid extents; dynamic ones go to its "
         "constructor",
         role, tile.rows, tile.cols);
}

void pl::shim::checkCovers(const char *name, const char *role,
                           const TileArg &src, const TileArg &dst) {
  checkTile(name, role, src);
  if (src.validRows < dst.validRows || src.validCols < dst.validCols)
    fail(name,
         "the %s tile is valid in [%d, %d], but the destination in [%d, %d]",
         role, src.validRows, src.validCols, dst.validRows, dst.validCols);
}

static int64_t roundUp(int64_t x, int64_t unit) {
  return (x + unit - 1) / unit * unit;
}

Placement pl::shim::placementOf(const TileArg &tile) {
  if (!tile.boxed)
    return tile.blockRowMajor ? Placement::nd(tile.cols)
                              : Placement::dn(tile.rows);
  int64_t rows = tile.compact ? tile.validRows : tile.rows;
  int64_t cols = tile.compact ? tile.validCols : tile.cols;
  return Placement::boxed(roundUp(rows, tile.boxRows),
                          roundUp(cols, tile.boxCols), tile.boxRows,
                          tile.boxCols, tile.blockRowMajor, tile.boxRowMajor);
}

static TileRef refOf(const TileArg &tile) {
  return {tile.data, tile.type, tile.validRows, tile.validCols,
          placementOf(tile)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <typename T>
static void copyElements(T *dst, const Placement &to, int64_t toRow,
                         int64_t toCol, const T *src, const Placement &from,
                         int64_t fromRow, int64_t fromCol, int64_t rows,
                         int64_t cols) {
  auto inBox = [](int64_t x, int64_t box) { return box - x % box; };
  for (int64_t r = 0, runR; r < rows; r += runR) {
    runR = std::min({rows - r, inBox(toRow + r, to.boxRows),
                     inBox(fromRow + r, from.boxRows)});
    for (int64_t c = 0, runC; c < cols; c += runC) {
      runC = std::min({cols - c, inBox(toCol + c, to.boxCols),
                       inBox(fromCol + c, from.boxCols)});
      T *d = dst + to(toRow + r, toCol + c);
      const T *s = src + from(fromRow + r, fromCol + c);
      bool alongRows = to.colStride == 1 && from.colStride == 1;
      bool alongCols = to.rowStride == 1 && from.rowStride == 1;
      if (alongRows) {
        for (int64_t i = 0; i < runR; ++i)
          std::memcpy(d + i * to.rowStride, s + i * from.rowStride,
                      size_t(runC) * sizeof(T));
      } else if (alongCols) {
        for (int64_t j = 0; j < runC; ++j)
          std::memcpy(d + j * to.colStride, s + j * from.colStride,
                      size_t(runR) * sizeof(T));
      } else {
        for (int64_t i = 0; i < runR; ++i)
          for (int64_t j = 0; j < runC; ++j)
            d[i * to.rowStride + j * to.colStride] =
                s[i * from.rowStride + j * from.colStride];
      }
    }
  }
}

void pl::shim::copyBlock(size_t elemSize, void *dst, const Placement &to,
                         int64_t toRow, int64_t toCol, const void *src,
                         const Placement &from, int64_t fromRow,
                         int64_t fromCol, int64_t rows, int64_t cols) {
  auto copy = [&](auto element) {
    using T = decltype(element);
    copyElements(static_cast<T *>(dst), to, toRow, toCol,
                 static_cast<const T *>(src), from, fromRow, fromCol, rows,
                 cols);
  };
  switch (elemSize) {
  case 1:
    return copy(uint8_t());
  case 2:
    return copy(uint16_t());
  case 4:
    return copy(uint32_t());
  default:
    return copy(uint64_t());
  }
}

//===----------------------------------------------------------------------===//
// GM
//===----------------------------------------------------------------------===//

namespace {

/// Visits the two-dimensional blocks of a GM operand: the GM address of the
/// block, its placement, its extents, and where it lies in the tile.
template <typename Visit>
void forEachBlock(const GlobalArg &gm, const Visit &visit) {
  Placement at = {INT64_MAX, INT64_MAX, 0, 0, gm.stride[3], gm.stride[4]};
  for (int64_t i0 = 0; i0 < gm.shape[0]; ++i0)
    for (int64_t i1 = 0; i1 < gm.shape[1]; ++i1)
      for (int64_t i2 = 0; i2 < gm.shape[2]; ++i2) {
        int64_t outer = (i0 * gm.shape[1] + i1) * gm.shape[2] + i2;
        int64_t row = outer * gm.shape[3], col = 0;
        if (gm.columnMajor) {
          row = 0;
          col = outer * gm.shape[4];
        } else if (gm.fractal) {
          row = i2 * gm.shape[3];
          col = (i0 * gm.shape[1] + i1) * gm.shape[4];
        }
        int64_t offset =
            i0 * gm.stride[0] + i1 * gm.stride[1] + i2 * gm.stride[2];
        visit(static_cast<char *>(gm.data) +
                  offset * int64_t(elemBytes(gm.type)),
              at, row, col);
      }
}

/// Checks that the GM operand has the tile's valid extents and lies in one of
/// the task's tensors. False if there is nothing to transfer.
bool checkTransfer(const char *name, const GlobalArg &gm, const TileArg &tile) {
  checkTile(name, name[1] == 'L' ? "destination" : "source", tile);
  const int64_t *s = gm.shape;
  for (int i = 0; i < 5; ++i)
    if (s[i] < 0 || gm.stride[i] < 0)
      fail(name, "GM shape and strides must not be negative");
  int64_t rows = s[0] * s[1] * s[2] * s[3], cols = s[4];
  if (gm.columnMajor) {
    rows = s[3];
    cols = s[0] * s[1] * s[2] * s[4];
  } else if (gm.fractal) {
    rows = s[2] * s[3];
    cols = s[0] * s[1] * s[4];
  }
  if (rows != tile.validRows || cols != tile.validCols)
    fail(name,
         "GM shape [%ld, %ld, %ld, %ld, %ld] (%ld rows, %ld columns) is not "
         "the tile's valid extents [%d, %d]",
         long(s[0]), long(s[1]), long(s[2]), long(s[3]), long(s[4]), long(rows),
         long(cols), tile.validRows, tile.validCols);
  if (rows == 0 || cols == 0)
    return false;
  if (!gm.data)
    fail(name, "the GM pointer is null");
  int64_t last = 0;
  for (int i = 0; i < 5; ++i)
    last += (s[i] - 1) * gm.stride[i];
  if (Core *core = Core::current())
    core->checkGm(name, gm.data, uint64_t(last + 1) * elemBytes(gm.type));
  return true;
}

} // namespace

void isa::load(const TileArg &dst, const GlobalArg &src, bool pad,
               uint64_t padBits) {
  if (!checkTransfer("TLOAD", src, dst))
    return;
  int limit = dst.space == Space::UB ? 4095 : 16384;
  if (dst.validRows > limit)
    fail("TLOAD", "%d rows in one load; the machine does at most %d",
         dst.validRows, limit);
  size_t bytes = elemBytes(dst.type);
  Placement to = placementOf(dst);
  forEachBlock(src,
               [&](char *from, const Placement &at, int64_t row, int64_t col) {
                 copyBlock(bytes, dst.data, to, row, col, from, at, 0, 0,
                           src.shape[3], src.shape[4]);
               });
  if (!pad || dst.boxed || !dst.blockRowMajor)
    return;
  // Padding of a load completes the last 32-byte block of each row.
  int64_t end =
      std::min<int64_t>(roundUp(dst.validCols, 32 / int64_t(bytes)), dst.cols);
  for (int64_t r = 0; r < dst.validRows; ++r)
    fillRow(dst.type, rowOf(dst, r) + dst.validCols * int64_t(bytes), &padBits,
            size_t(end - dst.validCols));
}

void isa::store(const GlobalArg &dst, const TileArg &src, bool atomicAdd,
                bool relu) {
  if (!checkTransfer("TSTORE", dst, src))
    return;
  size_t from = elemBytes(src.type), to = elemBytes(dst.type);
  Placement at = placementOf(src);
  if (!atomicAdd && !relu && src.type == dst.type) {
    forEachBlock(
        dst, [&](char *gm, const Placement &gmAt, int64_t row, int64_t col) {
          copyBlock(from, gm, gmAt, 0, 0, src.data, at, row, col, dst.shape[3],
                    dst.shape[4]);
        });
    return;
  }
  size_t cols = size_t(dst.shape[4]);
  std::vector<uint64_t> wide(cols), narrow(cols), old(cols);
  Placement packed = Placement::nd(dst.shape[4]);
  forEachBlock(
      dst, [&](char *gm, const Placement &gmAt, int64_t row, int64_t col) {
        for (int64_t r = 0; r < dst.shape[3]; ++r) {
          copyBlock(from, wide.data(), packed, 0, 0, src.data, at, row + r, col,
                    1, dst.shape[4]);
          if (relu)
            unaryRow(src.type, UnaryOp::Relu, wide.data(), wide.data(), cols);
          if (src.type == dst.type)
            std::memcpy(narrow.data(), wide.data(), cols * to);
          else
            castRow(dst.type, narrow.data(), src.type, wide.data(), cols,
                    RoundMode::Rint);
          if (atomicAdd) {
            copyBlock(to, old.data(), packed, 0, 0, gm, gmAt, r, 0, 1,
                      dst.shape[4]);
            binaryRow(dst.type, BinaryOp::Add, narrow.data(), old.data(),
                      narrow.data(), cols);
          }
          copyBlock(to, gm, gmAt, r, 0, narrow.data(), packed, 0, 0, 1,
                    dst.shape[4]);
        }
      });
}

//===----------------------------------------------------------------------===//
// Between on-chip memories
//===----------------------------------------------------------------------===//

static void checkWindow(const char *name, const TileArg &window,
                        const TileArg &whole, int64_t row, int64_t col) {
  checkTile(name, "source", name[1] == 'I' ? window : whole);
  checkTile(name, "destination", name[1] == 'I' ? whole : window);
  if (row + window.validRows > whole.validRows ||
      col + window.validCols > whole.validCols)
    fail(name, "the window [%d, %d] at (%ld, %ld) leaves the valid [%d, %d]",
         window.validRows, window.validCols, long(row), long(col),
         whole.validRows, whole.validCols);
  if (whole.boxed && (row % whole.boxRows || col % whole.boxCols))
    fail(name, "offsets (%ld, %ld) are not multiples of the box [%d, %d]",
         long(row), long(col), whole.boxRows, whole.boxCols);
  if (whole.space == Space::UB && !whole.boxed &&
      (col * int64_t(elemBytes(whole.type))) % 32)
    fail(name, "column offset %ld is not a multiple of 32 bytes", long(col));
}

/// Copies rows, converting as the fix pipe does.
static void copyConverting(const TileArg &dst, int64_t toRow, int64_t toCol,
                           const TileArg &src, int64_t fromRow, int64_t fromCol,
                           int64_t rows, int64_t cols, bool relu) {
  Placement to = placementOf(dst), from = placementOf(src);
  if (dst.type == src.type && !relu)
    return copyBlock(elemBytes(dst.type), dst.data, to, toRow, toCol, src.data,
                     from, fromRow, fromCol, rows, cols);
  auto count = static_cast<size_t>(cols);
  std::vector<uint64_t> wide(count), narrow(count);
  Placement packed = Placement::nd(cols);
  for (int64_t r = 0; r < rows; ++r) {
    copyBlock(elemBytes(src.type), wide.data(), packed, 0, 0, src.data, from,
              fromRow + r, fromCol, 1, cols);
    if (relu)
      unaryRow(src.type, UnaryOp::Relu, wide.data(), wide.data(), count);
    if (dst.type == src.type)
      narrow = wide;
    else
      castRow(dst.type, narrow.data(), src.type, wide.data(), count,
              RoundMode::Rint);
    copyBlock(elemBytes(dst.type), dst.data, to, toRow + r, toCol,
              narrow.data(), packed, 0, 0, 1, cols);
  }
}

void isa::copyWindow(const char *name, const TileArg &dst, const TileArg &src,
                     int64_t row, int64_t col, bool relu) {
  checkWindow(name, dst, src, row, col);
  copyConverting(dst, 0, 0, src, row, col, dst.validRows, dst.validCols, relu);
}

void isa::insertWindow(const TileArg &dst, const TileArg &src, int64_t row,
                       int64_t col) {
  checkWindow("TINSERT", src, dst, row, col);
  copyConverting(dst, row, col, src, 0, 0, src.validRows, src.validCols, false);
}

void isa::fillPadTiles(const TileArg &dst, const TileArg &src,
                       uint64_t padBits) {
  checkTile("TFILLPAD", "source", src);
  checkTile("TFILLPAD", "destination", dst);
  size_t bytes = elemBytes(dst.type);
  Placement to = placementOf(dst), from = placementOf(src);
  int64_t rows = std::min(src.validRows, dst.rows);
  int64_t cols = std::min(src.validCols, dst.cols);
  if (dst.data != src.data)
    copyBlock(bytes, dst.data, to, 0, 0, src.data, from, 0, 0, rows, cols);
  std::vector<uint64_t> row(size_t(dst.cols));
  fillRow(dst.type, row.data(), &padBits, row.size());
  Placement packed = Placement::nd(dst.cols);
  for (int64_t r = 0; r < dst.rows; ++r) {
    int64_t first = r < rows ? cols : 0;
    copyBlock(bytes, dst.data, to, r, first, row.data(), packed, 0, 0, 1,
              dst.cols - first);
  }
}

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

/// The cube strides its memories by the extents of the product. Unless the tile
/// is compact, these must be the strides of the physical box.
static void checkStride(const char *name, const char *role, const char *extent,
                        int64_t valid, int64_t box, int64_t physical,
                        bool oneRun, bool compact) {
  if (compact || oneRun || roundUp(valid, box) == physical)
    return;
  fail(name,
       "the cube would address the %s tile by its valid %s (%ld), not by the "
       "box (%ld); give it CompactMode::Normal or full extents",
       role, extent, long(valid), long(physical));
}

void isa::matmulTiles(const char *name, const TileArg &c, const TileArg *init,
                      const TileArg &a, const TileArg &b, const TileArg *bias) {
  checkTile(name, "left", a);
  checkTile(name, "right", b);
  checkTile(name, "result", c);
  int64_t m = a.validRows, k = a.validCols, n = b.validCols;
  if (b.validRows != k)
    fail(name, "K is %ld on the left and %d on the right", long(k),
         b.validRows);
  if (c.validRows != m || c.validCols != n)
    fail(name, "the product is [%ld, %ld], the result is valid in [%d, %d]",
         long(m), long(n), c.validRows, c.validCols);
  if (m < 1 || k < 1 || n < 1 || m > 4095 || k > 4095 || n > 4095)
    fail(name, "M, K and N are %ld, %ld and %ld; each must be 1 to 4095",
         long(m), long(k), long(n));
  checkStride(name, "left", "columns", k, a.boxCols, a.cols,
              a.validRows <= a.boxRows, a.compact);
  checkStride(name, "right", "columns", n, b.boxCols, b.cols,
              b.validRows <= b.boxRows, b.compact);
  checkStride(name, "result", "rows", m, c.boxRows, c.rows,
              c.validCols <= c.boxCols, c.compact);
  if (init) {
    checkCovers(name, "accumulator", *init, c);
    if (init->data != c.data)
      copyConverting(c, 0, 0, *init, 0, 0, m, n, false);
  }
  if (bias) {
    checkTile(name, "bias", *bias);
    if (bias->validCols < n)
      fail(name, "the bias has %d columns, the product %ld", bias->validCols,
           long(n));
    // One row, repeated.
    Placement row = Placement::nd(bias->cols);
    row.rowStride = 0;
    copyBlock(elemBytes(c.type), c.data, placementOf(c), 0, 0, bias->data, row,
              0, 0, m, n);
  }
  matmul(refOf(c), refOf(a), refOf(b), init || bias);
}

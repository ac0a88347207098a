//===- VectorTiles.cpp - the vector unit on tiles -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction runs over its destination's valid extents, row by row.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace pl::shim;
using isa::fail;
using isa::TileArg;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void isa::binaryTiles(const char *name, int op, const TileArg &dst,
                      const TileArg &a, const TileArg &b) {
  checkTile(name, "destination", dst);
  checkCovers(name, "first source", a, dst);
  checkCovers(name, "second source", b, dst);
  for (int64_t r = 0; r < dst.validRows; ++r)
    binaryRow(dst.type, BinaryOp(op), rowOf(dst, r), rowOf(a, r), rowOf(b, r),
              size_t(dst.validCols));
}

void isa::binaryScalarTiles(const char *name, int op, const TileArg &dst,
                            const TileArg &a, const void *scalar,
                            bool reversed) {
  checkTile(name, "destination", dst);
  checkCovers(name, "source", a, dst);
  auto count = size_t(dst.validCols);
  for (int64_t r = 0; r < dst.validRows; ++r)
    if (reversed)
      scalarBinaryRow(dst.type, BinaryOp(op), rowOf(dst, r), scalar,
                      rowOf(a, r), count);
    else
      binaryScalarRow(dst.type, BinaryOp(op), rowOf(dst, r), rowOf(a, r),
                      scalar, count);
}

void isa::unaryTiles(const char *name, int op, const TileArg &dst,
                     const TileArg &a) {
  checkTile(name, "destination", dst);
  checkCovers(name, "source", a, dst);
  for (int64_t r = 0; r < dst.validRows; ++r)
    unaryRow(dst.type, UnaryOp(op), rowOf(dst, r), rowOf(a, r),
             size_t(dst.validCols));
}

void isa::convertTiles(const TileArg &dst, const TileArg &src, int roundMode) {
  checkTile("TCVT", "destination", dst);
  checkCovers("TCVT", "source", src, dst);
  bool widens = elemBytes(dst.type) > elemBytes(src.type);
  auto count = size_t(dst.validCols);
  std::vector<uint64_t> copy(widens ? count : 0);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    const void *from = rowOf(src, r);
    // A widened row would overwrite what is still to be read of itself.
    if (widens && dst.data == src.data) {
      if (dst.validRows > 1)
        fail("TCVT", "a widening cast of several rows in place");
      std::memcpy(copy.data(), from, count * elemBytes(src.type));
      from = copy.data();
    }
    castRow(dst.type, rowOf(dst, r), src.type, from, count,
            RoundMode(roundMode));
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void isa::rowReduceTiles(const char *name, int op, const TileArg &dst,
                         const TileArg &src) {
  checkTile(name, "destination", dst);
  checkTile(name, "source", src);
  if (dst.validRows != src.validRows)
    fail(name, "the source has %d valid rows, the destination %d",
         src.validRows, dst.validRows);
  for (int64_t r = 0; r < src.validRows; ++r)
    reduceRow(src.type, ReduceOp(op), columnElement(dst, r), rowOf(src, r),
              size_t(src.validCols));
}

void isa::colReduceTiles(const char *name, int op, const TileArg &dst,
                         const TileArg &src) {
  checkTile(name, "destination", dst);
  checkTile(name, "source", src);
  if (dst.validCols != src.validCols)
    fail(name, "the source has %d valid columns, the destination %d",
         src.validCols, dst.validCols);
  if (dst.validRows != 1)
    fail(name, "the destination has %d valid rows instead of 1", dst.validRows);
  reduceColumns(src.type, ReduceOp(op), dst.data, src.data,
                size_t(src.cols) * elemBytes(src.type), size_t(src.validRows),
                size_t(src.validCols));
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

/// A column [N, 1], or a row-major tile with one 32-byte block per row.
static bool isRowVector(const TileArg &tile) {
  return tile.validCols == 1 ||
         (tile.blockRowMajor && tile.validCols * elemBytes(tile.type) == 32);
}

void isa::rowExpandTiles(const char *name, int op, const TileArg &dst,
                         const TileArg &a, const TileArg &b,
                         bool explicitScratch) {
  checkTile(name, "destination", dst);
  checkTile(name, "first source", a);
  checkTile(name, "second source", b);
  auto isFull = [&](const TileArg &tile) {
    return tile.blockRowMajor && tile.validRows == dst.validRows &&
           tile.validCols == dst.validCols;
  };
  bool vectorIsSecond = isFull(a);
  const TileArg &vector = vectorIsSecond ? b : a;
  if (!vectorIsSecond && !isFull(b))
    fail(name, "neither source has the destination's extents [%d, %d]",
         dst.validRows, dst.validCols);
  if (!isRowVector(vector) || vector.validRows < dst.validRows)
    fail(name,
         "the source [%d, %d] is neither a column [N, 1] nor a 32-byte block "
         "per row",
         vector.validRows, vector.validCols);
  Core *core = Core::current();
  if (!vector.blockRowMajor && !explicitScratch && core)
    core->poisonHiddenScratch();
  bool perLane = vector.blockRowMajor && vector.validCols > 1;
  size_t block = 32 / elemBytes(dst.type);
  auto count = size_t(dst.validCols);
  std::vector<uint64_t> spread(perLane ? count : 0);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    const void *scalar = columnElement(vector, r);
    if (perLane) {
      // The block is repeated along the row.
      size_t bytes = elemBytes(dst.type);
      for (size_t i = 0; i < count; ++i)
        std::memcpy(reinterpret_cast<char *>(spread.data()) + i * bytes,
                    static_cast<const char *>(scalar) + i % block * bytes,
                    bytes);
      binaryRow(dst.type, BinaryOp(op), rowOf(dst, r),
                vectorIsSecond ? rowOf(a, r) : (char *)spread.data(),
                vectorIsSecond ? (char *)spread.data() : rowOf(b, r), count);
    } else if (vectorIsSecond) {
      binaryScalarRow(dst.type, BinaryOp(op), rowOf(dst, r), rowOf(a, r),
                      scalar, count);
    } else {
      scalarBinaryRow(dst.type, BinaryOp(op), rowOf(dst, r), scalar,
                      rowOf(b, r), count);
    }
  }
}

void isa::rowBroadcastTiles(const TileArg &dst, const TileArg &src) {
  checkTile("TROWEXPAND", "destination", dst);
  checkTile("TROWEXPAND", "source", src);
  if (src.validRows < dst.validRows)
    fail("TROWEXPAND", "the source has %d valid rows, the destination %d",
         src.validRows, dst.validRows);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    uint64_t scalar = 0;
    std::memcpy(&scalar, columnElement(src, r), elemBytes(src.type));
    fillRow(dst.type, rowOf(dst, r), &scalar, size_t(dst.validCols));
  }
}

void isa::colExpandTiles(const char *name, int op, const TileArg &dst,
                         const TileArg &a, const TileArg &b) {
  checkTile(name, "destination", dst);
  checkCovers(name, "full source", a, dst);
  checkTile(name, "row source", b);
  if (b.validCols < dst.validCols || b.validRows < 1)
    fail(name,
         "the row source is valid in [%d, %d], the destination in "
         "[%d, %d]",
         b.validRows, b.validCols, dst.validRows, dst.validCols);
  for (int64_t r = 0; r < dst.validRows; ++r)
    binaryRow(dst.type, BinaryOp(op), rowOf(dst, r), rowOf(a, r), rowOf(b, 0),
              size_t(dst.validCols));
}

void isa::colBroadcastTiles(const TileArg &dst, const TileArg &src) {
  checkTile("TCOLEXPAND", "destination", dst);
  checkTile("TCOLEXPAND", "source", src);
  if (src.validCols < dst.validCols)
    fail("TCOLEXPAND", "the source has %d valid columns, the destination %d",
         src.validCols, dst.validCols);
  for (int64_t r = 0; r < dst.validRows; ++r)
    std::memmove(rowOf(dst, r), rowOf(src, 0),
                 size_t(dst.validCols) * elemBytes(dst.type));
}

//===----------------------------------------------------------------------===//
// Fills, gathers, transposes
//===----------------------------------------------------------------------===//

void isa::fillTiles(const TileArg &dst, const void *scalar) {
  checkTile("TEXPANDS", "destination", dst);
  if (!dst.boxed && dst.blockRowMajor) {
    for (int64_t r = 0; r < dst.validRows; ++r)
      fillRow(dst.type, rowOf(dst, r), scalar, size_t(dst.validCols));
    return;
  }
  std::vector<uint64_t> row(size_t(dst.validCols));
  fillRow(dst.type, row.data(), scalar, row.size());
  Placement packed = Placement::nd(dst.validCols);
  packed.rowStride = 0;
  copyBlock(elemBytes(dst.type), dst.data, placementOf(dst), 0, 0, row.data(),
            packed, 0, 0, dst.validRows, dst.validCols);
}

void isa::iotaTiles(const TileArg &dst, const void *start, bool descending) {
  checkTile("TCI", "destination", dst);
  iotaRow(dst.type, dst.data, start, descending ? -1 : 1,
          size_t(dst.validCols));
}

void isa::gatherTiles(const TileArg &dst, const TileArg &src,
                      const TileArg &index) {
  checkTile("TGATHER", "destination", dst);
  checkTile("TGATHER", "source", src);
  checkCovers("TGATHER", "index", index, dst);
  if (dst.data == src.data)
    fail("TGATHER", "source and destination share storage");
  size_t elements = size_t(src.rows) * size_t(src.cols);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    auto *indices = reinterpret_cast<const uint32_t *>(rowOf(index, r));
    size_t bad = 0;
    if (!gatherRow(elemBytes(dst.type), rowOf(dst, r), src.data, elements,
                   indices, size_t(dst.validCols), &bad))
      fail("TGATHER",
           "index %d at [%ld, %zu] is outside the source's %zu elements",
           int32_t(indices[bad]), long(r), bad, elements);
  }
}

void isa::gatherMaskTiles(const TileArg &dst, const TileArg &src, int first,
                          int step) {
  checkTile("TGATHER", "destination", dst);
  checkTile("TGATHER", "source", src);
  int64_t selected = (src.validCols - first + step - 1) / step;
  if (dst.validRows != src.validRows || dst.validCols != selected)
    fail("TGATHER",
         "the pattern selects [%d, %ld] elements, the destination is valid in "
         "[%d, %d]",
         src.validRows, long(selected), dst.validRows, dst.validCols);
  Placement from = placementOf(src);
  from.colStride = step;
  copyBlock(elemBytes(dst.type), dst.data, placementOf(dst), 0, 0,
            static_cast<char *>(src.data) + first * elemBytes(src.type), from,
            0, 0, dst.validRows, dst.validCols);
}

void isa::transposeTiles(const TileArg &dst, const TileArg &src) {
  checkTile("TTRANS", "destination", dst);
  checkTile("TTRANS", "source", src);
  if (dst.validRows != src.validCols || dst.validCols != src.validRows)
    fail("TTRANS",
         "the source is valid in [%d, %d], the destination in "
         "[%d, %d]",
         src.validRows, src.validCols, dst.validRows, dst.validCols);
  if (dst.data == src.data)
    fail("TTRANS", "source and destination share storage");
  Placement from = placementOf(src);
  std::swap(from.rowStride, from.colStride);
  copyBlock(elemBytes(dst.type), dst.data, placementOf(dst), 0, 0, src.data,
            from, 0, 0, dst.validRows, dst.validCols);
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

template <typename T> static bool compare(T a, T b, int mode) {
  switch (mode) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  default:
    return a >= b;
  }
}

static bool compareElement(ElemType type, const char *a, const char *b,
                           int mode) {
  if (type == ElemType::I32) {
    int32_t x, y;
    std::memcpy(&x, a, 4);
    std::memcpy(&y, b, 4);
    return compare(x, y, mode);
  }
  float x, y;
  castRow(ElemType::F32, &x, type, a, 1, RoundMode::None);
  castRow(ElemType::F32, &y, type, b, 1, RoundMode::None);
  return compare(x, y, mode);
}

void isa::compareTiles(const TileArg &dst, const TileArg &a, const TileArg *b,
                       const void *scalar, int mode) {
  const char *name = b ? "TCMP" : "TCMPS";
  checkTile(name, "mask", dst);
  checkTile(name, "source", a);
  if (b)
    checkCovers(name, "second source", *b, a);
  if (a.type == ElemType::I32 && mode != 0)
    fail(name, "int32_t only compares for equality on this machine");
  int64_t bytes = (a.validCols + 7) / 8;
  if (dst.validRows < a.validRows || dst.validCols < bytes)
    fail(name, "the mask is valid in [%d, %d]; %d rows of %ld bytes are needed",
         dst.validRows, dst.validCols, a.validRows, long(bytes));
  size_t size = elemBytes(a.type);
  for (int64_t r = 0; r < a.validRows; ++r) {
    auto *mask = reinterpret_cast<uint8_t *>(rowOf(dst, r));
    std::memset(mask, 0, size_t(bytes));
    for (int64_t c = 0; c < a.validCols; ++c) {
      const char *y = b ? rowOf(*b, r) + c * int64_t(size)
                        : static_cast<const char *>(scalar);
      if (compareElement(a.type, rowOf(a, r) + c * int64_t(size), y, mode))
        mask[c / 8] |= uint8_t(1u << (c % 8));
    }
  }
}

void isa::selectTiles(const TileArg &dst, const TileArg &mask, const TileArg &a,
                      const TileArg *b, const void *scalar) {
  const char *name = b ? "TSEL" : "TSELS";
  checkTile(name, "destination", dst);
  checkTile(name, "mask", mask);
  checkCovers(name, "first source", a, dst);
  if (b)
    checkCovers(name, "second source", *b, dst);
  int64_t bytes = (dst.validCols + 7) / 8;
  if (mask.validRows < dst.validRows ||
      mask.validCols * int64_t(elemBytes(mask.type)) < bytes)
    fail(name, "the mask is valid in [%d, %d]; %d rows of %ld bytes are needed",
         mask.validRows, mask.validCols, dst.validRows, long(bytes));
  size_t size = elemBytes(dst.type);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    auto *bits = reinterpret_cast<const uint8_t *>(rowOf(mask, r));
    for (int64_t c = 0; c < dst.validCols; ++c) {
      bool first = bits[c / 8] >> (c % 8) & 1;
      int64_t offset = c * int64_t(size);
      const char *other =
          b ? rowOf(*b, r) + offset : static_cast<const char *>(scalar);
      std::memmove(rowOf(dst, r) + offset, first ? rowOf(a, r) + offset : other,
                   size);
    }
  }
}

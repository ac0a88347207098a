//===- TileExec.cpp - tile ops on on-chip memory --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Every op computes on the valid box and then marks what it wrote: defined if
// all it read is, else byte for byte what the sources say. The check of defined
// sources is one pass over their shadow.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "fmt/format.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

using namespace pl::sim;
using pl::shim::BinaryOp;
using pl::shim::Placement;

static size_t sizeOf(const Tile &tile) {
  return pl::shim::elemBytes(tile.decl->type);
}

static bool isWholeBox(const Tile &tile, int64_t rows, int64_t cols) {
  return rows == tile.decl->rows && cols == tile.decl->cols;
}

void Interpreter::markDefined(const Tile &tile, int64_t rows, int64_t cols) {
  if (isWholeBox(tile, rows, cols)) {
    std::memset(tile.shadow, kDefined, size_t(tile.decl->bytes()));
    return;
  }
  forEachRun(sizeOf(tile), tile.decl->at, rows, cols,
             [&](int64_t at, int64_t count) {
               std::memset(tile.shadow + at, kDefined, size_t(count));
               return true;
             });
}

bool Interpreter::isTileClean(const Tile &tile, int64_t rows,
                              int64_t cols) const {
  if (isWholeBox(tile, rows, cols))
    return isClean(tile.shadow, tile.decl->bytes());
  return forEachRun(sizeOf(tile), tile.decl->at, rows, cols,
                    [&](int64_t at, int64_t count) {
                      return isClean(tile.shadow + at, count);
                    });
}

/// The taint of an element: that of its worst byte.
static uint8_t elementTaint(const uint8_t *shadow, size_t size) {
  uint8_t taint = kDefined;
  for (size_t i = 0; i < size; ++i)
    taint = std::max(taint, shadow[i]);
  return taint;
}

static uint8_t taintAt(const Tile &tile, int64_t row, int64_t col) {
  size_t size = sizeOf(tile);
  return elementTaint(tile.shadow + tile.decl->at(row, col) * int64_t(size),
                      size);
}

static void setTaint(const Tile &tile, int64_t row, int64_t col,
                     uint8_t taint) {
  size_t size = sizeOf(tile);
  std::memset(tile.shadow + tile.decl->at(row, col) * int64_t(size), taint,
              size);
}

void Interpreter::poisonScratch(const Instr &instr) {
  for (unsigned i = 0; i < instr.numScratch; ++i) {
    const Tile &tile = tiles[code.operands[instr.scratch + i]];
    std::memset(tile.data, shim::kPoisonByte, size_t(tile.decl->bytes()));
    std::memset(tile.shadow, kFresh, size_t(tile.decl->bytes()));
  }
}

bool Interpreter::inside(const Instr &instr, const Tile &tile, int64_t rows,
                         int64_t cols) {
  if (rows <= tile.decl->rows && cols <= tile.decl->cols)
    return true;
  return fail(FailureKind::Bounds, instr,
              fmt::format("works on [{}, {}] elements of '{}', whose box is "
                          "[{}, {}]",
                          rows, cols, tile.decl->name, tile.decl->rows,
                          tile.decl->cols));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void Interpreter::elementwise(const Instr &instr) {
  const Tile &dst = tiles[instr.dst];
  const Tile *a = instr.op == Op::Full ? nullptr : &tiles[instr.a];
  const Tile *b = instr.op == Op::Binary ? &tiles[instr.b] : nullptr;
  const Reg *scalar = instr.op == Op::Scalar ? &regs[instr.b]
                      : instr.op == Op::Full ? &regs[instr.a]
                                             : nullptr;
  // Lines of contiguous elements.
  int64_t lines = dst.validRows, length = dst.validCols, ld = dst.decl->cols;
  if (instr.walk == Walk::Columns) {
    std::swap(lines, length);
    ld = dst.decl->rows;
  }
  if (instr.walk == Walk::Vector || length == ld) {
    length *= lines;
    lines = length ? 1 : 0;
  }
  size_t dstSize = sizeOf(dst), srcSize = a ? sizeOf(*a) : dstSize;
  bool undefined = false;
  for (int64_t line = 0; line < lines; ++line) {
    int64_t to = line * ld * int64_t(dstSize);
    int64_t from = line * ld * int64_t(srcSize);
    uint8_t *out = dst.data + to;
    const uint8_t *in = a ? a->data + from : nullptr;
    size_t count = size_t(length);
    // Before the values, as destination and source may be one buffer.
    uint8_t taint = scalar ? scalar->taint : uint8_t(kDefined);
    bool clean = taint == kDefined &&
                 (!a || isClean(a->shadow + from, length * int64_t(srcSize))) &&
                 (!b || isClean(b->shadow + from, length * int64_t(srcSize)));
    uint8_t *mark = dst.shadow + to;
    if (clean) {
      std::memset(mark, kDefined, count * dstSize);
    } else {
      undefined = true;
      // Backwards where elements grow, so that nothing is overwritten early.
      bool backwards = dstSize > srcSize;
      for (int64_t n = 0; n < length; ++n) {
        int64_t i = backwards ? length - 1 - n : n;
        uint8_t worst = taint;
        if (a)
          worst = std::max(
              worst,
              elementTaint(a->shadow + from + i * int64_t(srcSize), srcSize));
        if (b)
          worst = std::max(
              worst,
              elementTaint(b->shadow + from + i * int64_t(srcSize), srcSize));
        std::memset(mark + i * int64_t(dstSize), worst, dstSize);
      }
    }
    switch (instr.op) {
    case Op::Binary:
      shim::binaryRow(instr.type, BinaryOp(instr.sub), out, in, b->data + from,
                      count);
      break;
    case Op::Scalar:
      shim::binaryScalarRow(instr.type, BinaryOp(instr.sub), out, in,
                            &scalar->bits, count);
      break;
    case Op::Unary:
      shim::unaryRow(instr.type, shim::UnaryOp(instr.sub), out, in, count);
      break;
    case Op::Cast:
      shim::castRow(instr.type, out, instr.type2, in, count, instr.mode);
      break;
    default:
      shim::fillRow(instr.type, out, &scalar->bits, count);
      break;
    }
  }
  log->undefinedUses += undefined;
}

void Interpreter::iota(const Instr &instr) {
  const Tile &dst = tiles[instr.dst];
  int64_t count = dst.validRows * dst.validCols;
  shim::iotaRow(instr.type, dst.data, &regs[instr.a].bits, 1, size_t(count));
  std::memset(dst.shadow, regs[instr.a].taint, size_t(count) * sizeOf(dst));
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

void Interpreter::rowReduce(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  int64_t size = int64_t(sizeOf(src)), pitch = src.decl->cols * size;
  int64_t rowBytes = src.validCols * size;
  for (int64_t r = 0; r < src.validRows; ++r) {
    const uint8_t *mark = src.shadow + r * pitch;
    uint8_t taint = isClean(mark, rowBytes)
                        ? uint8_t(kDefined)
                        : elementTaint(mark, size_t(rowBytes));
    log->undefinedUses += taint != kDefined;
    shim::reduceRow(instr.type, shim::ReduceOp(instr.sub), dst.data + r * size,
                    src.data + r * pitch, size_t(src.validCols));
    std::memset(dst.shadow + r * size, taint, size_t(size));
  }
}

void Interpreter::colReduce(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  int64_t size = int64_t(sizeOf(src)), pitch = src.decl->cols * size;
  int64_t rowBytes = src.validCols * size;
  shim::reduceColumns(instr.type, shim::ReduceOp(instr.sub), dst.data, src.data,
                      size_t(pitch), size_t(src.validRows),
                      size_t(src.validCols));
  std::memset(dst.shadow, kDefined, size_t(rowBytes));
  if (isTileClean(src, src.validRows, src.validCols))
    return;
  ++log->undefinedUses;
  for (int64_t c = 0; c < src.validCols; ++c)
    for (int64_t r = 0; r < src.validRows; ++r) {
      uint8_t taint = taintAt(src, r, c);
      if (taint > dst.shadow[c * size])
        std::memset(dst.shadow + c * size, taint, size_t(size));
    }
}

/// The taint of element `i` of a vector: outside of its valid part nothing was
/// written, whatever was left there.
static uint8_t vectorTaint(const Tile &vector, int64_t i) {
  if (i >= vector.validRows * vector.validCols)
    return kFresh;
  size_t size = sizeOf(vector);
  return elementTaint(vector.shadow + i * int64_t(size), size);
}

void Interpreter::expandBinary(const Instr &instr) {
  const Tile &full = tiles[instr.a], &vector = tiles[instr.b];
  const Tile &dst = tiles[instr.dst];
  bool byRow = instr.op == Op::RowExpandBinary;
  int64_t size = int64_t(sizeOf(dst)), pitch = dst.decl->cols * size;
  int64_t rowBytes = dst.validCols * size;
  int64_t length = byRow ? dst.validRows : dst.validCols;
  bool vectorClean = length <= vector.validRows * vector.validCols &&
                     isClean(vector.shadow, length * size);
  bool undefined = false;
  for (int64_t r = 0; r < dst.validRows; ++r) {
    const uint8_t *in = full.data + r * pitch;
    uint8_t *out = dst.data + r * pitch, *mark = dst.shadow + r * pitch;
    const uint8_t *other = vector.data + (byRow ? r * size : 0);
    bool clean = vectorClean && isClean(full.shadow + r * pitch, rowBytes);
    if (clean) {
      std::memset(mark, kDefined, size_t(rowBytes));
    } else {
      undefined = true;
      for (int64_t c = 0; c < dst.validCols; ++c) {
        uint8_t taint = std::max(
            elementTaint(full.shadow + r * pitch + c * size, size_t(size)),
            vectorTaint(vector, byRow ? r : c));
        std::memset(mark + c * size, taint, size_t(size));
      }
    }
    if (byRow)
      shim::binaryScalarRow(instr.type, BinaryOp(instr.sub), out, in, other,
                            size_t(dst.validCols));
    else
      shim::binaryRow(instr.type, BinaryOp(instr.sub), out, in, other,
                      size_t(dst.validCols));
  }
  log->undefinedUses += undefined;
}

void Interpreter::expand(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  bool byRow = instr.op == Op::RowExpand;
  int64_t size = int64_t(sizeOf(dst)), pitch = dst.decl->cols * size;
  size_t rowBytes = size_t(dst.validCols * size);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    uint8_t *out = dst.data + r * pitch, *mark = dst.shadow + r * pitch;
    if (byRow) {
      shim::fillRow(instr.type, out, src.data + r * size,
                    size_t(dst.validCols));
      uint8_t taint = vectorTaint(src, r);
      log->undefinedUses += taint != kDefined;
      std::memset(mark, taint, rowBytes);
      continue;
    }
    std::memcpy(out, src.data, rowBytes);
    if (dst.validCols <= src.validRows * src.validCols) {
      std::memcpy(mark, src.shadow, rowBytes);
      continue;
    }
    for (int64_t c = 0; c < dst.validCols; ++c)
      std::memset(mark + c * size, vectorTaint(src, c), size_t(size));
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool Interpreter::copyTile(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  int64_t row = instr.imm, col = instr.imm2;
  int64_t rows = dst.validRows, cols = dst.validCols;
  if (row < 0 || col < 0 || row + rows > src.decl->rows ||
      col + cols > src.decl->cols)
    return fail(FailureKind::Bounds, instr,
                fmt::format("takes rows {}..{} and columns {}..{} of '{}', "
                            "whose box is [{}, {}]",
                            row, row + rows - 1, col, col + cols - 1,
                            src.decl->name, src.decl->rows, src.decl->cols));
  size_t size = sizeOf(dst), srcSize = sizeOf(src);
  if (dst.decl->type == src.decl->type) {
    copyRegion(size, dst.data, dst.decl->at, 0, 0, src.data, src.decl->at, row,
               col, rows, cols);
    // All of the source is the common case, and cheapest to check.
    if (isClean(src.shadow, src.decl->bytes())) {
      markDefined(dst, rows, cols);
      return true;
    }
    copyRegion(size, dst.shadow, dst.decl->at, 0, 0, src.shadow, src.decl->at,
               row, col, rows, cols);
    return true;
  }
  // Out of the accumulator with a conversion, a row at a time.
  rowBuffer.resize(size_t(cols) * (size + srcSize));
  uint8_t *wide = rowBuffer.data(), *narrow = wide + size_t(cols) * srcSize;
  Placement line = Placement::nd(cols);
  for (int64_t r = 0; r < rows; ++r) {
    copyRegion(srcSize, wide, line, 0, 0, src.data, src.decl->at, row + r, col,
               1, cols);
    shim::castRow(dst.decl->type, narrow, src.decl->type, wide, size_t(cols),
                  shim::RoundMode::Rint);
    copyRegion(size, dst.data, dst.decl->at, r, 0, narrow, line, 0, 0, 1, cols);
    for (int64_t c = 0; c < cols; ++c)
      setTaint(dst, r, c, taintAt(src, row + r, col + c));
  }
  return true;
}

/// The bits of a pad value.
static uint64_t padBits(PadKind kind, ElemType type) {
  using namespace pl::shim;
  if (kind == PadKind::Zero)
    return 0;
  bool least = kind == PadKind::Min;
  if (isFloat(type)) {
    float value = least ? -INFINITY : INFINITY;
    uint64_t bits = 0;
    castRow(type, &bits, ElemType::F32, &value, 1, RoundMode::Rint);
    return bits;
  }
  unsigned width = unsigned(elemBytes(type)) * 8;
  bool isUnsigned = type == ElemType::U8 || type == ElemType::U16 ||
                    type == ElemType::U32 || type == ElemType::U64;
  uint64_t all = ~uint64_t(0) >> (64 - width);
  if (isUnsigned)
    return least ? 0 : all;
  return least ? uint64_t(1) << (width - 1) : all >> 1;
}

bool Interpreter::fillPad(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  int64_t rows = src.validRows, cols = src.validCols;
  if (!inside(instr, dst, rows, cols))
    return false;
  if (src.data != dst.data) {
    copyRegion(sizeOf(dst), dst.data, dst.decl->at, 0, 0, src.data,
               src.decl->at, 0, 0, rows, cols);
    copyRegion(sizeOf(dst), dst.shadow, dst.decl->at, 0, 0, src.shadow,
               src.decl->at, 0, 0, rows, cols);
  }
  uint64_t bits = padBits(PadKind(instr.sub), dst.decl->type);
  size_t size = sizeOf(dst);
  for (int64_t r = 0; r < dst.decl->rows; ++r)
    for (int64_t c = r < rows ? cols : 0; c < dst.decl->cols; ++c) {
      std::memcpy(dst.data + dst.decl->at(r, c) * int64_t(size), &bits, size);
      setTaint(dst, r, c, kDefined);
    }
  return true;
}

bool Interpreter::transpose(const Instr &instr) {
  const Tile &src = tiles[instr.a], &dst = tiles[instr.dst];
  int64_t rows = src.validRows, cols = src.validCols;
  if (!inside(instr, dst, cols, rows))
    return false;
  // The source with rows and columns exchanged.
  const Placement &at = src.decl->at;
  Placement turned{at.boxCols,      at.boxRows,   at.boxColStride,
                   at.boxRowStride, at.colStride, at.rowStride};
  copyRegion(sizeOf(dst), dst.data, dst.decl->at, 0, 0, src.data, turned, 0, 0,
             cols, rows);
  copyRegion(sizeOf(dst), dst.shadow, dst.decl->at, 0, 0, src.shadow, turned, 0,
             0, cols, rows);
  return true;
}

bool Interpreter::gather(const Instr &instr) {
  const Tile &src = tiles[instr.a], &index = tiles[instr.b];
  const Tile &dst = tiles[instr.dst];
  bool flat = instr.sub;
  int64_t size = int64_t(sizeOf(dst)), srcCols = src.decl->cols;
  for (int64_t r = 0; r < dst.validRows; ++r) {
    int64_t line = r * index.decl->cols;
    const uint8_t *mark = index.shadow + line * 4;
    if (!isClean(mark, dst.validCols * 4)) {
      log->failureSite = elementTaint(mark, size_t(dst.validCols) * 4);
      return fail(FailureKind::Undefined, instr,
                  fmt::format("an index of row {} in '{}' {}", r,
                              index.decl->name,
                              log->failureSite == kFresh
                                  ? "was never written"
                                  : "depends on an undefined value"));
    }
    for (int64_t c = 0; c < dst.validCols; ++c) {
      int32_t at;
      std::memcpy(&at, index.data + (line + c) * 4, 4);
      int64_t row = flat ? at / srcCols : r, col = flat ? at % srcCols : at;
      if (at < 0 || row >= src.validRows || col >= src.validCols)
        return fail(FailureKind::Bounds, instr,
                    fmt::format("index {} at [{}, {}] of '{}' is outside '{}', "
                                "whose valid box is [{}, {}]{}",
                                at, r, c, index.decl->name, src.decl->name,
                                src.validRows, src.validCols,
                                flat ? fmt::format(" in rows of {}", srcCols)
                                     : std::string()));
      int64_t from = (row * srcCols + col) * size;
      int64_t to = (r * dst.decl->cols + c) * size;
      std::memcpy(dst.data + to, src.data + from, size_t(size));
      std::memcpy(dst.shadow + to, src.shadow + from, size_t(size));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

bool Interpreter::matmul(const Instr &instr) {
  const Tile &a = tiles[instr.a], &b = tiles[instr.b], &dst = tiles[instr.dst];
  int64_t m = a.validRows, n = b.validCols;
  // What is outside either box counts as zero.
  int64_t k = std::min(a.validCols, b.validRows);
  if (!inside(instr, dst, m, n))
    return false;
  bool accumulate = instr.c >= 0;
  if (accumulate && tiles[instr.c].data != dst.data) {
    const Tile &acc = tiles[instr.c];
    copyRegion(sizeOf(dst), dst.data, dst.decl->at, 0, 0, acc.data,
               acc.decl->at, 0, 0, m, n);
    copyRegion(sizeOf(dst), dst.shadow, dst.decl->at, 0, 0, acc.shadow,
               acc.decl->at, 0, 0, m, n);
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  shim::matmul({dst.data, dst.decl->type, m, n, dst.decl->at},
               {a.data, a.decl->type, m, k, a.decl->at},
               {b.data, b.decl->type, k, n, b.decl->at}, accumulate);
  log->matmulSeconds +=
      std::chrono::duration<double>(Clock::now() - start).count();

  if (isTileClean(a, m, k) && isTileClean(b, k, n)) {
    if (!accumulate)
      markDefined(dst, m, n);
    else if (!isTileClean(dst, m, n))
      ++log->undefinedUses;
    return true;
  }
  ++log->undefinedUses;
  // A result depends on a whole row and a whole column.
  std::vector<uint8_t> rowTaint(size_t(m), kDefined),
      colTaint(size_t(n), kDefined);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t r = 0; r < m; ++r)
      rowTaint[r] = std::max(rowTaint[r], taintAt(a, r, i));
    for (int64_t c = 0; c < n; ++c)
      colTaint[c] = std::max(colTaint[c], taintAt(b, i, c));
  }
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < n; ++c) {
      uint8_t taint = std::max(rowTaint[r], colTaint[c]);
      if (accumulate)
        taint = std::max(taint, taintAt(dst, r, c));
      setTaint(dst, r, c, taint);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

bool Interpreter::tileOp(const Instr &instr) {
  poisonScratch(instr);
  const Tile &dst = tiles[instr.dst];
  switch (instr.op) {
  case Op::Binary:
  case Op::Scalar:
  case Op::Unary:
  case Op::Cast:
  case Op::Full:
    elementwise(instr);
    return true;
  case Op::RowReduce:
    if (!inside(instr, dst, tiles[instr.a].validRows, 1))
      return false;
    rowReduce(instr);
    return true;
  case Op::ColReduce:
    if (!inside(instr, dst, 1, tiles[instr.a].validCols))
      return false;
    colReduce(instr);
    return true;
  case Op::RowExpandBinary:
  case Op::ColExpandBinary:
    expandBinary(instr);
    return true;
  case Op::RowExpand:
  case Op::ColExpand:
    expand(instr);
    return true;
  case Op::Iota:
    iota(instr);
    return true;
  case Op::CopyTile:
    return copyTile(instr);
  case Op::FillPad:
    return fillPad(instr);
  case Op::Transpose:
    return transpose(instr);
  case Op::Gather:
    return gather(instr);
  case Op::Matmul:
    return matmul(instr);
  default:
    return fail(FailureKind::Limit, instr, "an instruction is not simulated");
  }
}

//===- TileTypes.cpp - Tiles and windows of memory as C++ types -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pl;

static StringRef location(MemorySpace space) {
  switch (space) {
  case MemorySpace::vec:
    return "Vec";
  case MemorySpace::mat:
    return "Mat";
  case MemorySpace::left:
    return "Left";
  case MemorySpace::right:
    return "Right";
  case MemorySpace::acc:
    return "Acc";
  case MemorySpace::bias:
    return "Bias";
  case MemorySpace::none:
    return "";
  }
  llvm_unreachable("a memory space");
}

static StringRef padText(PadValue pad) {
  switch (pad) {
  case PadValue::zero:
    return "PadValue::Zero";
  case PadValue::min:
    return "PadValue::Min";
  case PadValue::max:
    return "PadValue::Max";
  }
  llvm_unreachable("a pad value");
}

/// Does the cube unit pack this tile by its valid extents? L0A and L0B by their
/// columns of fractals, L0C by its rows; a partly valid tile must then say so.
static bool isCompact(BufferType type) {
  switch (type.getSpace()) {
  case MemorySpace::left:
  case MemorySpace::right:
    return type.getValidCols() != type.getCols();
  case MemorySpace::acc:
    return type.getValidRows() != type.getRows() && type.getRows() > 16;
  default:
    return false;
  }
}

FailureOr<std::string> mlir::pl::tileType(Operation *op, StringRef name,
                                          BufferType type,
                                          StringRef elementText,
                                          std::optional<PadValue> pad) {
  if (type.getSpace() == MemorySpace::none)
    return op->emitOpError() << "tile '" << name
                             << "' has no memory space; the passes of phase "
                                "`tiles` assign one";
  int64_t rows = type.getRows(), cols = type.getCols();
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  bool isColMajor =
      type.getLayout() == Layout::dn || type.getLayout() == Layout::nz;
  StringRef inner;
  switch (type.getLayout()) {
  case Layout::nd:
  case Layout::dn: {
    int64_t run = (isColMajor ? rows : cols) * bytes;
    if (run % 32 != 0)
      return op->emitOpError()
             << "tile '" << name << "' has "
             << (isColMajor ? "columns" : "rows") << " of " << run
             << " bytes, but the tile ISA wants a multiple of 32: use a larger "
                "box and a valid extent";
    break;
  }
  case Layout::nz:
  case Layout::zz:
    inner = "SLayout::RowMajor";
    break;
  case Layout::zn:
    inner = "SLayout::ColMajor";
    break;
  }
  auto extent = [](int64_t value) {
    return ShapedType::isDynamic(value) ? std::string("-1")
                                        : std::to_string(value);
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "Tile<TileType::" << location(type.getSpace()) << ", " << elementText
     << ", " << rows << ", " << cols
     << ", BLayout::" << (isColMajor ? "ColMajor" : "RowMajor") << ", "
     << extent(type.getValidRows()) << ", " << extent(type.getValidCols());
  bool compact = isCompact(type);
  if (!inner.empty() || pad || compact)
    os << ", " << (inner.empty() ? "SLayout::NoneBox" : inner) << ", "
       << (type.getSpace() == MemorySpace::acc ? 1024 : 512);
  if (pad || compact)
    os << ", " << (pad ? padText(*pad) : "PadValue::Null");
  if (compact)
    os << ", CompactMode::Normal";
  os << ">";
  return text;
}

bool mlir::pl::isColumn(Type type) {
  auto buffer = dyn_cast<BufferType>(type);
  return buffer && buffer.getSpace() == MemorySpace::vec &&
         buffer.getLayout() == Layout::dn && buffer.getCols() == 1;
}

BufferType mlir::pl::rowOfColumn(BufferType column) {
  TileType row = TileType::get(1, column.getRows(), column.getElementType(),
                               column.getSpace(), 1, column.getValidRows());
  return BufferType::get(row, Layout::nd);
}

BufferType mlir::pl::storedTransposed(BufferType type) {
  TileType stored =
      TileType::get(type.getCols(), type.getRows(), type.getElementType(),
                    type.getSpace(), type.getValidCols(), type.getValidRows());
  return BufferType::get(stored, Layout::nz);
}

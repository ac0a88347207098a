//===- PLTypes.cpp - Tile and buffer types: text and rules ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

#define GET_TYPEDEF_CLASSES
#include "pl/Dialect/PL/IR/PLTypes.cpp.inc"

void PLDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pl/Dialect/PL/IR/PLTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text shared by tiles and buffers
//===----------------------------------------------------------------------===//

static void printExtent(AsmPrinter &printer, int64_t extent) {
  if (ShapedType::isDynamic(extent))
    printer << '?';
  else
    printer << extent;
}

static void printValid(AsmPrinter &printer, int64_t rows, int64_t cols,
                       int64_t validRows, int64_t validCols) {
  if (validRows == rows && validCols == cols)
    return;
  printer << ", valid = ";
  printExtent(printer, validRows);
  printer << 'x';
  printExtent(printer, validCols);
}

/// Parses `16x128xf32`.
static ParseResult parseBox(AsmParser &parser, int64_t &rows, int64_t &cols,
                            Type &element) {
  SmallVector<int64_t> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return failure();
  if (dims.size() != 2)
    return parser.emitError(loc, "expects rows x columns, got ")
           << dims.size() << " extents";
  rows = dims[0];
  cols = dims[1];
  return success();
}

/// Parses what follows `valid =`.
static ParseResult parseValid(AsmParser &parser, int64_t &rows, int64_t &cols) {
  SmallVector<int64_t> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseEqual() ||
      parser.parseDimensionList(dims, /*allowDynamic=*/true,
                                /*withTrailingX=*/false))
    return failure();
  if (dims.size() != 2)
    return parser.emitError(loc, "expects valid rows x columns");
  rows = dims[0];
  cols = dims[1];
  return success();
}

static LogicalResult verifyBox(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type element,
                               int64_t validRows, int64_t validCols) {
  if (rows <= 0 || cols <= 0)
    return emitError() << "expects a box of at least one cell, got " << rows
                       << "x" << cols;
  if (!element.isIntOrIndexOrFloat() || element.isIndex())
    return emitError() << "expects an integer or float element, got "
                       << element;
  for (auto [valid, extent, axis] :
       {std::tuple(validRows, rows, "rows"), {validCols, cols, "columns"}})
    if (!ShapedType::isDynamic(valid) && (valid < 0 || valid > extent))
      return emitError() << "valid " << axis << " " << valid
                         << " are outside 0.." << extent;
  return success();
}

static int64_t boxBytes(int64_t rows, int64_t cols, Type element) {
  return rows * cols * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

static unsigned countDynamic(int64_t rows, int64_t cols) {
  return ShapedType::isDynamic(rows) + ShapedType::isDynamic(cols);
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  int64_t rows, cols;
  Type element;
  if (parser.parseLess() || parseBox(parser, rows, cols, element))
    return {};
  MemorySpace space = MemorySpace::none;
  int64_t validRows = rows, validCols = cols;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    if (word == "valid") {
      if (parseValid(parser, validRows, validCols))
        return {};
      continue;
    }
    std::optional<MemorySpace> parsed = symbolizeMemorySpace(word);
    if (!parsed) {
      parser.emitError(loc, "expects a memory space (vec, mat, left, right, "
                            "acc, bias) or 'valid', got '")
          << word << "'";
      return {};
    }
    space = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(loc, parser.getContext(), rows, cols,
                                     element, space, validRows, validCols);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getCols() << 'x' << getElementType();
  if (getSpace() != MemorySpace::none)
    printer << ", " << stringifyMemorySpace(getSpace());
  printValid(printer, getRows(), getCols(), getValidRows(), getValidCols());
  printer << '>';
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type elementType,
                               MemorySpace space, int64_t validRows,
                               int64_t validCols) {
  return verifyBox(emitError, rows, cols, elementType, validRows, validCols);
}

unsigned TileType::getNumDynamicValid() const {
  return countDynamic(getValidRows(), getValidCols());
}

TileType TileType::withSpace(MemorySpace space) const {
  return get(getRows(), getCols(), getElementType(), space, getValidRows(),
             getValidCols());
}

TileType TileType::withValid(int64_t rows, int64_t cols) const {
  return get(getRows(), getCols(), getElementType(), getSpace(), rows, cols);
}

TileType TileType::withElement(Type element) const {
  return get(getRows(), getCols(), element, getSpace(), getValidRows(),
             getValidCols());
}

int64_t TileType::getNumBytes() const {
  return boxBytes(getRows(), getCols(), getElementType());
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  int64_t rows, cols;
  Type element;
  StringRef spaceWord, layoutWord;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseBox(parser, rows, cols, element) ||
      parser.parseComma() || parser.parseKeyword(&spaceWord) ||
      parser.parseComma() || parser.parseKeyword(&layoutWord))
    return {};
  std::optional<MemorySpace> space = symbolizeMemorySpace(spaceWord);
  std::optional<Layout> layout = symbolizeLayout(layoutWord);
  if (!space || !layout) {
    parser.emitError(loc, "expects a memory space and a layout, got '")
        << spaceWord << ", " << layoutWord << "'";
    return {};
  }
  int64_t validRows = rows, validCols = cols;
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("valid") ||
        parseValid(parser, validRows, validCols))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), rows, cols,
                                       element, *space, *layout, validRows,
                                       validCols);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getCols() << 'x' << getElementType()
          << ", " << stringifyMemorySpace(getSpace()) << ", "
          << stringifyLayout(getLayout());
  printValid(printer, getRows(), getCols(), getValidRows(), getValidCols());
  printer << '>';
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t cols, Type elementType,
                                 MemorySpace space, Layout layout,
                                 int64_t validRows, int64_t validCols) {
  if (space == MemorySpace::none)
    return emitError() << "expects a memory space";
  return verifyBox(emitError, rows, cols, elementType, validRows, validCols);
}

unsigned BufferType::getNumDynamicValid() const {
  return countDynamic(getValidRows(), getValidCols());
}

int64_t BufferType::getNumBytes() const {
  return boxBytes(getRows(), getCols(), getElementType());
}

//===----------------------------------------------------------------------===//
// TaskArrayType
//===----------------------------------------------------------------------===//

LogicalResult
TaskArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t size) {
  if (size < 1)
    return emitError() << "expects a positive number of slots, got " << size;
  return success();
}

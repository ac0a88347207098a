//===- VectorInference.cpp - Types of further tile ops --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/VectorInference.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

/// No number of columns, and not `?`.
static constexpr int64_t kNone = -1;
/// A row of a packed mask starts at such a number of bytes.
static constexpr int64_t kMaskRowBytes = 32;
/// What one offset of a gather of blocks picks.
static constexpr int64_t kBlockBytes = 32;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
enum class Elements {
  any,
  number,  // any but BOOL
  integer, // any but a mask
  real,    // any float
  single,  // FP32
  halfOrSingle,
  gathered,  // 16- or 32-bit data without BF16
  summed,    // what TROWEXPANDADD takes
  scattered, // signed integers up to 32 bits, FP16, BF16, FP32
};
} // namespace

static Elements elementsOf(StringRef opName) {
  return llvm::StringSwitch<Elements>(opName)
      .Cases({"and", "or", "xor", "not", "shl", "shr"}, Elements::integer)
      .Cases({"ands", "ors", "xors", "shls", "shrs"}, Elements::integer)
      .Cases({"sin", "cos"}, Elements::single)
      .Cases({"row_expand_expdif", "col_expand_expdif"}, Elements::real)
      .Case("row_expand_add", Elements::summed)
      .Cases({"prelu", "lrelu", "sort32", "mrgsort", "mrgsort_lists"},
             Elements::halfOrSingle)
      .Cases({"log", "precise_div", "precise_log", "precise_recip"},
             Elements::halfOrSingle)
      .Cases({"gather", "gather_mask", "div", "divs"}, Elements::gathered)
      .Cases({"scatter", "scatter_mask"}, Elements::scattered)
      .Cases({"full", "cast", "move", "extract", "transpose", "fillpad"},
             Elements::any)
      .Cases({"row_expand", "col_expand", "sel", "sels"}, Elements::any)
      .Default(Elements::number);
}

static bool allows(Elements elements, Type type) {
  bool isSignless = type.isSignlessInteger();
  switch (elements) {
  case Elements::any:
    return true;
  case Elements::number:
    return !type.isInteger(1);
  case Elements::integer:
    return isa<IntegerType>(type) && !type.isInteger(1);
  case Elements::real:
    return isa<FloatType>(type);
  case Elements::single:
    return type.isF32();
  case Elements::halfOrSingle:
    return type.isF16() || type.isF32();
  case Elements::gathered:
    return type.isF16() || type.isF32() ||
           (isSignless && (type.isInteger(16) || type.isInteger(32)));
  case Elements::summed:
    return allows(Elements::scattered, type) && !type.isBF16();
  case Elements::scattered:
    return type.isF16() || type.isBF16() || type.isF32() ||
           (isSignless &&
            (type.isInteger(8) || type.isInteger(16) || type.isInteger(32)));
  }
  return true;
}

static StringRef textOf(Elements elements) {
  switch (elements) {
  case Elements::any:
  case Elements::number:
    break;
  case Elements::integer:
    return "integer";
  case Elements::real:
    return "float";
  case Elements::single:
    return "FP32";
  case Elements::halfOrSingle:
    return "FP16 or FP32";
  case Elements::gathered:
    return "FP16, FP32, INT16 or INT32";
  case Elements::summed:
    return "INT8, INT16, INT32, FP16 or FP32";
  case Elements::scattered:
    return "INT8, INT16, INT32, FP16, BF16 or FP32";
  }
  return "";
}

LogicalResult mlir::pl::checkElements(StringRef opName,
                                      ArrayRef<TileType> sources,
                                      EmitTileError emitError) {
  Elements elements = elementsOf(opName);
  if (sources.empty() || allows(elements, sources[0].getElementType()))
    return success();
  if (elements == Elements::number)
    return emitError() << "takes no BOOL tiles, got " << describe(sources[0]);
  return emitError() << "expects " << textOf(elements) << " tiles, got "
                     << describe(sources[0]);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TileType mlir::pl::getMaskType(TileType compared) {
  auto toBytes = [](int64_t cells) {
    return ShapedType::isDynamic(cells)
               ? cells
               : int64_t(llvm::divideCeil(uint64_t(cells), 8));
  };
  int64_t cols = llvm::alignTo(toBytes(compared.getCols()), kMaskRowBytes);
  auto element =
      IntegerType::get(compared.getContext(), 8, IntegerType::Unsigned);
  return TileType::get(compared.getRows(), cols, element, MemorySpace::none,
                       compared.getValidRows(),
                       toBytes(compared.getValidCols()));
}

static LogicalResult checkMask(TileType mask, TileType data,
                               EmitTileError emitError) {
  auto element = dyn_cast<IntegerType>(mask.getElementType());
  if (!element || element.getWidth() < 8 || element.getWidth() > 32)
    return emitError() << "expects a packed mask of a comparison, an integer "
                          "tile of 8 to 32 bits, got "
                       << describe(mask);
  if (mask.getRows() < data.getRows() ||
      mask.getCols() * element.getWidth() < data.getCols())
    return emitError() << "expects a mask with a bit for each cell of "
                       << describe(data) << ", got " << describe(mask);
  return success();
}

std::pair<int64_t, int64_t> mlir::pl::getLanes(MaskPattern pattern) {
  switch (pattern) {
  case MaskPattern::p0101:
    return {2, 0};
  case MaskPattern::p1010:
    return {2, 1};
  case MaskPattern::p0001:
    return {4, 0};
  case MaskPattern::p0010:
    return {4, 1};
  case MaskPattern::p0100:
    return {4, 2};
  case MaskPattern::p1000:
    return {4, 3};
  case MaskPattern::p1111:
    return {1, 0};
  }
  llvm_unreachable("all patterns are handled");
}

FailureOr<TileType> mlir::pl::inferGatherMask(TileType source,
                                              MaskPattern pattern, Type element,
                                              EmitTileError emitError) {
  if (failed(checkElements("gather_mask", {source}, emitError)))
    return failure();
  auto [stride, first] = getLanes(pattern);
  if (source.getCols() % stride != 0)
    return emitError() << "expects a number of columns that "
                       << stringifyMaskPattern(pattern) << " divides (by "
                       << stride << "), got " << describe(source);
  unsigned from = source.getElementType().getIntOrFloatBitWidth();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() != from)
    return emitError() << "keeps the bits, so the result must have " << from
                       << "-bit elements like " << describe(source) << ", not "
                       << element;
  // A partly valid row keeps the lanes it has.
  int64_t valid = source.getValidCols();
  if (!ShapedType::isDynamic(valid))
    valid = valid <= first ? 0 : (valid - first + stride - 1) / stride;
  return TileType::get(source.getRows(), source.getCols() / stride, element,
                       source.getSpace(), source.getValidRows(), valid);
}

LogicalResult mlir::pl::checkScatterMask(TileType base, TileType source,
                                         MaskPattern pattern,
                                         EmitTileError emitError) {
  int64_t stride = getLanes(pattern).first;
  if (base.getRows() != source.getRows() ||
      base.getCols() != source.getCols() * stride)
    return emitError() << "expects a destination of [" << source.getRows()
                       << ", " << source.getCols() * stride << "] for "
                       << describe(source) << " by "
                       << stringifyMaskPattern(pattern) << ", got "
                       << describe(base);
  return success();
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static FailureOr<TileType> inferSort32(TileType source, TileType index,
                                       EmitTileError emitError) {
  if (source.getCols() % 32 != 0)
    return emitError() << "sorts blocks of 32 columns, got "
                       << describe(source);
  if (!index.getElementType().isUnsignedInteger(32))
    return emitError() << "expects UINT32 indices, got " << describe(index);
  if (index.getRows() != source.getRows() ||
      index.getCols() != source.getCols())
    return emitError() << "expects one index for each value, got "
                       << describe(source) << " and " << describe(index);
  int64_t valid = source.getValidCols();
  return TileType::get(source.getRows(), 2 * source.getCols(),
                       source.getElementType(), source.getSpace(),
                       source.getValidRows(),
                       ShapedType::isDynamic(valid) ? valid : 2 * valid);
}

LogicalResult mlir::pl::checkMergeRuns(TileType source,
                                       std::optional<int64_t> block,
                                       EmitTileError emitError) {
  if (source.getRows() != 1)
    return emitError() << "merges runs of one row, got " << describe(source);
  if (!block)
    return success();
  if (*block <= 0 || *block % 64 != 0)
    return emitError() << "expects runs of a multiple of 64, got block_len "
                       << *block;
  // By division: the product may not fit.
  if (source.getCols() % 4 != 0 || (source.getCols() / 4) % *block != 0)
    return emitError() << "merges four runs of " << *block
                       << " into one, which needs a multiple of 4 * " << *block
                       << " columns, got " << describe(source);
  return success();
}

static FailureOr<TileType> inferMergeLists(ArrayRef<TileType> sources,
                                           EmitTileError emitError) {
  if (sources.size() < 2 || sources.size() > 4)
    return emitError() << "merges two to four rows, got " << sources.size();
  int64_t cols = 0, valid = 0;
  for (TileType source : sources) {
    if (source.getElementType() != sources[0].getElementType())
      return emitError() << "expects rows of one element type, got "
                         << describe(sources[0]) << " and " << describe(source)
                         << "; cast one of them";
    if (source.getRows() != 1)
      return emitError() << "merges single rows, got " << describe(source);
    cols += source.getCols();
    if (ShapedType::isDynamic(source.getValidCols()))
      valid = ShapedType::kDynamic;
    else if (!ShapedType::isDynamic(valid))
      valid += source.getValidCols();
  }
  return TileType::get(1, cols, sources[0].getElementType(),
                       sources[0].getSpace(), 1, valid);
}

//===----------------------------------------------------------------------===//
// Gathering and scattering
//===----------------------------------------------------------------------===//

FailureOr<TileType> mlir::pl::inferGatherBlocks(TileType source,
                                                TileType offset, Type element,
                                                EmitTileError emitError) {
  if (!offset.getElementType().isUnsignedInteger(32))
    return emitError() << "expects UINT32 byte offsets, got "
                       << describe(offset);
  if (offset.getCols() % 8 != 0)
    return emitError() << "expects a multiple of 8 offsets in a row, got "
                       << describe(offset);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits < 8 || bits > 32)
    return emitError() << "gives elements of 8, 16 or 32 bits, not " << element;
  int64_t perBlock = kBlockBytes * 8 / bits, valid = offset.getValidCols();
  return TileType::get(offset.getRows(), offset.getCols() * perBlock, element,
                       source.getSpace(), offset.getValidRows(),
                       ShapedType::isDynamic(valid) ? valid : valid * perBlock);
}

static FailureOr<TileType> inferScatter(TileType base, TileType index,
                                        TileType source,
                                        EmitTileError emitError) {
  Type element = base.getElementType();
  if (source.getElementType() != element)
    return emitError() << "expects operands of one element type, got "
                       << describe(base) << " and " << describe(source)
                       << "; cast one of them";
  // The machine reads an index as wide as the data, 16 bits at least.
  unsigned width = element.getIntOrFloatBitWidth() == 32 ? 32 : 16;
  if (!index.getElementType().isSignlessInteger(width))
    return emitError() << "expects an INT" << width << " index for "
                       << describe(base) << ", got " << describe(index);
  if (index.getRows() != source.getRows() ||
      index.getCols() != source.getCols())
    return emitError() << "expects one index for each element, got "
                       << describe(source) << " and " << describe(index);
  return base;
}

FailureOr<TileType> mlir::pl::inferReinterpret(TileType source, int64_t rows,
                                               int64_t cols, Type element,
                                               EmitTileError emitError) {
  auto bytesOf = [](Type type) {
    return int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  };
  int64_t from = bytesOf(source.getElementType()), to = bytesOf(element);
  auto whole =
      TileType::get(rows, cols, element, source.getSpace(), rows, cols);
  if (source.getElementType() == element)
    return emitError() << "expects another element type than that of "
                       << describe(source);
  if (whole.getNumBytes() != source.getNumBytes())
    return emitError() << "keeps the bytes: " << describe(source) << " has "
                       << source.getNumBytes() << ", " << describe(whole)
                       << " has " << whole.getNumBytes();
  if (source.isFullyValid())
    return whole;
  int64_t validCols = source.getValidCols();
  if (validCols == source.getCols())
    validCols = cols;
  else if (!ShapedType::isDynamic(validCols))
    validCols = validCols * from % to == 0 ? validCols * from / to : kNone;
  else if (from != to)
    validCols = kNone;
  if (rows != source.getRows() || validCols == kNone)
    return emitError() << "cannot map the valid box of " << describe(source)
                       << " to " << describe(whole)
                       << "; fill it with pl.fillpad first";
  return whole.withValid(source.getValidRows(), validCols);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// The larger of two boxes on one axis, and on which side it is.
static int64_t uniteValid(int64_t a, int64_t b, int64_t extent, int &side) {
  if (a == b)
    return a;
  if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b))
    return a == extent || b == extent ? extent : ShapedType::kDynamic;
  side = a > b ? -1 : 1;
  return std::max(a, b);
}

static FailureOr<TileType> inferPart(TileType lhs, TileType rhs,
                                     EmitTileError emitError) {
  if (failed(inferBinary(lhs, rhs, emitError)))
    return failure();
  int rowSide = 0, colSide = 0;
  int64_t rows = uniteValid(lhs.getValidRows(), rhs.getValidRows(),
                            lhs.getRows(), rowSide);
  int64_t cols = uniteValid(lhs.getValidCols(), rhs.getValidCols(),
                            lhs.getCols(), colSide);
  if (rowSide * colSide < 0)
    return emitError() << "expects one valid box inside the other, got "
                       << describe(lhs) << " and " << describe(rhs);
  return lhs.withValid(rows, cols);
}

FailureOr<TileType> mlir::pl::inferVectorResult(StringRef opName,
                                                ArrayRef<TileType> sources,
                                                TileType hint,
                                                EmitTileError emitError) {
  if (opName.starts_with("part_"))
    return inferPart(sources[0], sources[1], emitError);
  if (opName == "cmp_mask") {
    FailureOr<TileType> both = inferBinary(sources[0], sources[1], emitError);
    return failed(both) ? both : FailureOr<TileType>(getMaskType(*both));
  }
  if (opName == "cmps_mask")
    return getMaskType(sources[0]);
  if (opName == "sel") {
    FailureOr<TileType> both = inferBinary(sources[1], sources[2], emitError);
    if (failed(both) || failed(checkMask(sources[0], *both, emitError)))
      return failure();
    return both;
  }
  if (opName == "sels") {
    if (failed(checkMask(sources[0], sources[1], emitError)))
      return failure();
    return sources[1];
  }
  if (opName == "sort32")
    return inferSort32(sources[0], sources[1], emitError);
  if (opName == "mrgsort_lists")
    return inferMergeLists(sources, emitError);
  if (opName == "scatter")
    return inferScatter(sources[0], sources[1], sources[2], emitError);
  if (opName == "scatter_mask") {
    if (sources[0].getElementType() != sources[1].getElementType())
      return emitError() << "expects operands of one element type, got "
                         << describe(sources[0]) << " and "
                         << describe(sources[1]) << "; cast one of them";
    return sources[0];
  }
  return hint;
}

//===- TileInference.cpp - Result types of tile ops -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/TileInference.h"

#include "pl/Dialect/PL/IR/VectorInference.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::isScalarOf(Type element, Type scalar) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.isUnsigned()
             ? scalar.isSignlessInteger(integer.getWidth())
             : scalar == element;
}

int64_t mlir::pl::intersectValid(int64_t a, int64_t b, int64_t extent) {
  if (a == b)
    return a;
  if (a == extent)
    return b;
  if (b == extent)
    return a;
  if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b))
    return ShapedType::kDynamic;
  return std::min(a, b);
}

std::string mlir::pl::describe(TileType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto extent = [](int64_t value) {
    return ShapedType::isDynamic(value) ? std::string("?")
                                        : std::to_string(value);
  };
  os << '[' << type.getRows() << ", " << type.getCols() << "] "
     << type.getElementType();
  if (!type.isFullyValid())
    os << " (valid [" << extent(type.getValidRows()) << ", "
       << extent(type.getValidCols()) << "])";
  return text;
}

namespace {
/// How the result's shape follows from the sources.
enum class Rule {
  sameAsSource, // unary and tile-scalar ops
  binary,       // equal boxes, or the intersection
  rowReduce,    // [M, N] -> [M, 1]
  colReduce,    // [M, N] -> [1, N]
  rowExpand,    // [M, N] with [M, 1]
  colExpand,    // [M, N] with [1, N]
  matmul,       // [M, K] x [K, N]
  matmulAcc,    // [M, N] + [M, K] x [K, N]
  gather,       // shape of the index
  transpose,    // axes swapped
  fillpad,      // all of the box valid
  given,        // whatever was asked for
  vector        // see VectorInference.h
};
} // namespace

static Rule ruleOf(StringRef opName) {
  return llvm::StringSwitch<Rule>(opName)
      .Cases({"add", "sub", "mul", "div", "maximum", "minimum"}, Rule::binary)
      .Cases({"and", "or", "xor", "shl", "shr"}, Rule::binary)
      .Cases({"fmod", "rem", "prelu", "cmp", "precise_div"}, Rule::binary)
      .Cases({"row_sum", "row_max", "row_min", "row_prod"}, Rule::rowReduce)
      .Cases({"row_argmax", "row_argmin"}, Rule::rowReduce)
      .Cases({"col_sum", "col_max", "col_min", "col_prod"}, Rule::colReduce)
      .Cases({"col_argmax", "col_argmin"}, Rule::colReduce)
      .StartsWith("row_expand_", Rule::rowExpand)
      .StartsWith("col_expand_", Rule::colExpand)
      .Case("matmul", Rule::matmul)
      .Case("matmul_acc", Rule::matmulAcc)
      .Case("gather", Rule::gather)
      .Case("transpose", Rule::transpose)
      .Case("fillpad", Rule::fillpad)
      .Cases({"full", "iota", "row_expand", "col_expand", "extract"},
             Rule::given)
      .Cases({"cmp_mask", "cmps_mask", "sel", "sels"}, Rule::vector)
      .Cases({"sort32", "mrgsort_lists"}, Rule::vector)
      .Cases({"gather_mask", "gather_blocks"}, Rule::vector)
      .Cases({"scatter", "scatter_mask"}, Rule::vector)
      .Cases({"iota_down", "tri", "random"}, Rule::vector)
      .StartsWith("part_", Rule::vector)
      .Default(Rule::sameAsSource);
}

using EmitError = function_ref<InFlightDiagnostic()>;

/// What combines a tile with a row or a column, where one of them is one.
static StringRef hintForExpand(TileType lhs, TileType rhs) {
  bool sameRows = lhs.getRows() == rhs.getRows();
  bool sameCols = lhs.getCols() == rhs.getCols();
  if (sameRows && (lhs.getCols() == 1 || rhs.getCols() == 1))
    return "; row_expand_mul, _sub and _div combine a tile with a column";
  if (sameCols && (lhs.getRows() == 1 || rhs.getRows() == 1))
    return "; col_expand_mul combines a tile with a row, col_expand makes a "
           "tile of it";
  return "";
}

FailureOr<TileType> mlir::pl::inferBinary(TileType lhs, TileType rhs,
                                          EmitTileError emitError) {
  if (lhs.getElementType() != rhs.getElementType())
    return emitError() << "expects operands of one element type, got "
                       << describe(lhs) << " and " << describe(rhs)
                       << "; cast one of them";
  if (lhs.getRows() != rhs.getRows() || lhs.getCols() != rhs.getCols())
    return emitError() << "expects operands of one shape, got " << describe(lhs)
                       << " and " << describe(rhs) << hintForExpand(lhs, rhs);
  return lhs.withValid(
      intersectValid(lhs.getValidRows(), rhs.getValidRows(), lhs.getRows()),
      intersectValid(lhs.getValidCols(), rhs.getValidCols(), lhs.getCols()));
}

/// [M, N] with a vector along `axis` 0 ([M, 1]) or 1 ([1, N]).
static FailureOr<TileType> inferExpand(TileType full, TileType vector,
                                       unsigned axis, EmitError emitError) {
  int64_t wantRows = axis == 0 ? full.getRows() : 1;
  int64_t wantCols = axis == 0 ? 1 : full.getCols();
  if (vector.getRows() != wantRows || vector.getCols() != wantCols)
    return emitError() << "expects a [" << wantRows << ", " << wantCols
                       << "] vector for " << describe(full) << ", got "
                       << describe(vector);
  if (full.getElementType() != vector.getElementType())
    return emitError() << "expects operands of one element type, got "
                       << describe(full) << " and " << describe(vector)
                       << "; cast one of them";
  return full;
}

static FailureOr<TileType> inferMatmul(TileType lhs, TileType rhs, Type element,
                                       EmitError emitError) {
  if (lhs.getCols() != rhs.getRows())
    return emitError() << "expects equal K, got " << describe(lhs) << " x "
                       << describe(rhs) << ": K is " << lhs.getCols()
                       << " on the left and " << rhs.getRows()
                       << " on the right";
  if (lhs.getElementType() != rhs.getElementType())
    return emitError() << "expects operands of one element type, got "
                       << describe(lhs) << " x " << describe(rhs);
  bool isFloat = isa<FloatType>(lhs.getElementType());
  bool fits = isFloat ? element.isF32() : element.isInteger(32);
  if (!fits || (isFloat ? lhs.getElementType().getIntOrFloatBitWidth() > 32
                        : !lhs.getElementType().isInteger(8)))
    return emitError() << "expects bf16, f16 or f32 operands with an f32 "
                          "result or i8 operands with an i32 result, got "
                       << describe(lhs) << " x " << describe(rhs) << " -> "
                       << element;
  return TileType::get(lhs.getRows(), rhs.getCols(), element, MemorySpace::none,
                       lhs.getValidRows(), rhs.getValidCols());
}

FailureOr<TileType> mlir::pl::inferTileResult(StringRef opName,
                                              ArrayRef<TileType> sources,
                                              TileType hint,
                                              EmitError emitError) {
  if (failed(checkElements(opName, sources, emitError)))
    return failure();
  switch (ruleOf(opName)) {
  case Rule::sameAsSource:
    return sources[0].withElement(hint && (opName == "cast" || opName == "move")
                                      ? hint.getElementType()
                                      : sources[0].getElementType());
  case Rule::binary:
    return inferBinary(sources[0], sources[1], emitError);
  case Rule::rowReduce:
  case Rule::colReduce: {
    bool row = ruleOf(opName) == Rule::rowReduce;
    if (sources[0].getValid(row) == 0)
      return emitError() << "reduces an empty region: " << describe(sources[0]);
    TileType s = sources[0];
    Type element = s.getElementType();
    if (opName.contains("_arg"))
      element = IntegerType::get(element.getContext(), 32);
    return row ? TileType::get(s.getRows(), 1, element, s.getSpace(),
                               s.getValidRows(), 1)
               : TileType::get(1, s.getCols(), element, s.getSpace(), 1,
                               s.getValidCols());
  }
  case Rule::rowExpand:
    return inferExpand(sources[0], sources[1], 0, emitError);
  case Rule::colExpand:
    return inferExpand(sources[0], sources[1], 1, emitError);
  case Rule::matmul:
    return inferMatmul(sources[0], sources[1], hint.getElementType(),
                       emitError);
  case Rule::matmulAcc: {
    FailureOr<TileType> product = inferMatmul(
        sources[1], sources[2], sources[0].getElementType(), emitError);
    if (failed(product))
      return failure();
    if (product->getRows() != sources[0].getRows() ||
        product->getCols() != sources[0].getCols())
      return emitError() << "expects an accumulator of the product's shape ["
                         << product->getRows() << ", " << product->getCols()
                         << "], got " << describe(sources[0]);
    return product->withSpace(sources[0].getSpace());
  }
  case Rule::gather:
    if (!sources[1].getElementType().isInteger(32))
      return emitError() << "expects an i32 index, got "
                         << describe(sources[1]);
    if (sources[1].getRows() > sources[0].getRows())
      return emitError() << "expects at most " << sources[0].getRows()
                         << " index rows, got " << describe(sources[1]);
    return sources[1].withElement(sources[0].getElementType());
  case Rule::transpose:
    return TileType::get(sources[0].getCols(), sources[0].getRows(),
                         sources[0].getElementType(), sources[0].getSpace(),
                         sources[0].getValidCols(), sources[0].getValidRows());
  case Rule::fillpad:
    return sources[0].withValid(sources[0].getRows(), sources[0].getCols());
  case Rule::given:
    return hint;
  case Rule::vector:
    return inferVectorResult(opName, sources, hint, emitError);
  }
  llvm_unreachable("all rules are handled");
}

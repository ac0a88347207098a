//===- TileInference.h - Result types of tile ops ---------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TILEINFERENCE_H
#define PL_DIALECT_PL_IR_TILEINFERENCE_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

/// The tile type that an op named `opName` computes from `sources`, with
/// `resultElement` where the op does not keep its operand's element type
/// (cast, matmul). Shapes, element types and valid extents follow the op's
/// rule; a run-time extent is `?`. Fails with a message for the user through
/// `emitError`. Ops whose result shape is not a function of the operands
/// (full, iota, row_expand, col_expand, extract) only check what they can and
/// return `hint`.
FailureOr<TileType>
inferTileResult(StringRef opName, ArrayRef<TileType> sources, TileType hint,
                function_ref<InFlightDiagnostic()> emitError);

/// Whether a scalar may be one of the elements: unsigned elements have scalars
/// without a sign of their own.
bool isScalarOf(Type element, Type scalar);

/// Valid extent of the intersection of two origin-anchored boxes.
int64_t intersectValid(int64_t a, int64_t b, int64_t extent);

/// Text of a tile's shape and box for diagnostics: "8x128 (valid ?x128)".
std::string describe(TileType type);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_IR_TILEINFERENCE_H

//===- VectorInference.h - Types of further tile ops ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of the ops of PLVectorOps.td. The front end and the verifier ask the
// same functions, so both say the same.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_VECTORINFERENCE_H
#define PL_DIALECT_PL_IR_VECTORINFERENCE_H

#include "pl/Dialect/PL/IR/TileInference.h"

namespace mlir::pl {

using EmitTileError = function_ref<InFlightDiagnostic()>;

/// Checks the element types that an op named `opName` takes.
LogicalResult checkElements(StringRef opName, ArrayRef<TileType> sources,
                            EmitTileError emitError);

/// The result of two sources of one element type and shape, with the
/// intersection of their boxes.
FailureOr<TileType> inferBinary(TileType lhs, TileType rhs,
                                EmitTileError emitError);

/// The packed mask of a comparison over a tile.
TileType getMaskType(TileType compared);

/// Lanes from one kept one to the next, and the first kept lane.
std::pair<int64_t, int64_t> getLanes(MaskPattern pattern);

/// What `pattern` keeps of a tile; `element` may differ in kind, not in width.
FailureOr<TileType> inferGatherMask(TileType source, MaskPattern pattern,
                                    Type element, EmitTileError emitError);
LogicalResult checkScatterMask(TileType base, TileType source,
                               MaskPattern pattern, EmitTileError emitError);
/// `block` is the length of a run, positive where it is known.
LogicalResult checkMergeRuns(TileType source, std::optional<int64_t> block,
                             EmitTileError emitError);
FailureOr<TileType> inferGatherBlocks(TileType source, TileType offset,
                                      Type element, EmitTileError emitError);

/// `source` as a tile of `rows` x `cols` elements of another type.
FailureOr<TileType> inferReinterpret(TileType source, int64_t rows,
                                     int64_t cols, Type element,
                                     EmitTileError emitError);

/// The result type of an op that TileInference.cpp has no rule for; `hint`
/// where it is not a function of the sources.
FailureOr<TileType> inferVectorResult(StringRef opName,
                                      ArrayRef<TileType> sources, TileType hint,
                                      EmitTileError emitError);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_IR_VECTORINFERENCE_H

//===- TileOpVerifier.h - What all tile ops must hold -----------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_IR_TILEOPVERIFIER_H
#define PL_LIB_DIALECT_PL_IR_TILEOPVERIFIER_H

#include "pl/Dialect/PL/IR/TileInference.h"

namespace mlir::pl {

/// Checks that `op` has one of its two forms, wholly.
inline LogicalResult verifyForm(Operation *op, OpOperand *dst, Value result,
                                ArrayRef<OpOperand *> sources) {
  if ((dst != nullptr) == (result != nullptr))
    return op->emitOpError()
           << "expects either a result tile or a destination buffer";
  for (OpOperand *source : sources)
    if (isa<BufferType>(source->get().getType()) != (dst != nullptr))
      return op->emitOpError() << "mixes tiles and buffers";
  return success();
}

inline TileType asTile(Type type) {
  if (auto tile = dyn_cast<TileType>(type))
    return tile;
  auto buffer = cast<BufferType>(type);
  return TileType::get(buffer.getRows(), buffer.getCols(),
                       buffer.getElementType(), buffer.getSpace(),
                       buffer.getValidRows(), buffer.getValidCols());
}

/// The rules shared by all ops that compute a tile: one form, and a result
/// that follows from the sources.
template <typename OpTy> LogicalResult verifyTileOp(OpTy op) {
  SmallVector<OpOperand *> sources = op.getTileSources();
  if (failed(verifyForm(op, op.getDstOperand(), op.getResultTile(), sources)))
    return failure();
  bool isBuffer = op.getDstOperand() != nullptr;
  TileType result = asTile(isBuffer ? op.getDstOperand()->get().getType()
                                    : op.getResultTile().getType());
  SmallVector<TileType> types;
  for (OpOperand *source : sources)
    types.push_back(asTile(source->get().getType()));
  FailureOr<TileType> inferred =
      inferTileResult(op->getName().stripDialect(), types, result,
                      [&] { return op.emitOpError(); });
  if (failed(inferred))
    return failure();
  // On buffers the valid extents are values; the shapes must still agree.
  bool agrees = inferred->getRows() == result.getRows() &&
                inferred->getCols() == result.getCols() &&
                inferred->getElementType() == result.getElementType();
  if (!isBuffer)
    agrees &= inferred->getValidRows() == result.getValidRows() &&
              inferred->getValidCols() == result.getValidCols();
  if (!agrees)
    return op.emitOpError() << "expects a result of " << describe(*inferred)
                            << ", but got " << describe(result);
  return success();
}

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_IR_TILEOPVERIFIER_H

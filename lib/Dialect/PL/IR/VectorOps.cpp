//===- VectorOps.cpp - Rules of further tile ops --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOpVerifier.h"
#include "pl/Dialect/PL/IR/PLVectorOps.h"
#include "pl/Dialect/PL/IR/VectorInference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

/// The type of the result of a tile op, in whichever form it is.
static TileType resultOf(TileOpInterface op) {
  if (OpOperand *dst = op.getDstOperand())
    return asTile(dst->get().getType());
  return op.getResultTile() ? asTile(op.getResultTile().getType()) : TileType();
}

/// Checks a result that more than the types of the sources decides.
static LogicalResult checkResult(Operation *op, FailureOr<TileType> expected,
                                 TileType result) {
  if (failed(expected))
    return failure();
  bool isBuffer = cast<TileOpInterface>(op).getDstOperand() != nullptr;
  if (expected->getRows() == result.getRows() &&
      expected->getCols() == result.getCols() &&
      (isBuffer || (expected->getValidRows() == result.getValidRows() &&
                    expected->getValidCols() == result.getValidCols())))
    return success();
  return op->emitOpError() << "expects a result of " << describe(*expected)
                           << ", but got " << describe(result);
}

/// A ramp is one row of integers.
static LogicalResult checkRamp(Operation *op, TileType result) {
  if (result.getRows() != 1 || !isa<IntegerType>(result.getElementType()))
    return op->emitOpError()
           << "makes one row of integers, not " << describe(result);
  return success();
}

LogicalResult mlir::pl::verifyVectorRules(Operation *op) {
  auto tileOp = cast<TileOpInterface>(op);
  TileType result = resultOf(tileOp);
  if (!result)
    return success(); // reported with the form of the op
  SmallVector<TileType> sources;
  for (OpOperand *source : tileOp.getTileSources())
    sources.push_back(asTile(source->get().getType()));
  auto emitError = [&] { return op->emitOpError(); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MrgsortOp merge) {
        std::optional<int64_t> block;
        if (APInt value; matchPattern(merge.getBlock(), m_ConstantInt(&value)))
          block = value.getSExtValue();
        return checkMergeRuns(sources[0], block, emitError);
      })
      .Case([&](GatherMaskOp gather) {
        return checkResult(op,
                           inferGatherMask(sources[0], gather.getPattern(),
                                           result.getElementType(), emitError),
                           result);
      })
      .Case([&](GatherBlocksOp) {
        return checkResult(op,
                           inferGatherBlocks(sources[0], sources[1],
                                             result.getElementType(),
                                             emitError),
                           result);
      })
      .Case([&](ScatterMaskOp scatter) {
        return checkScatterMask(sources[0], sources[1], scatter.getPattern(),
                                emitError);
      })
      .Case([&](ScatterOp scatter) -> LogicalResult {
        if (!scatter.getFlat() && sources[2].getRows() > sources[0].getRows())
          return emitError()
                 << "expects at most " << sources[0].getRows()
                 << " rows of elements, got " << describe(sources[2]);
        return success();
      })
      .Case([&](IotaDownOp) { return checkRamp(op, result); })
      .Case([&](RandomOp random) -> LogicalResult {
        if (random.getSeeds().size() != 6)
          return emitError() << "takes two words of a key and four of a "
                                "counter, got "
                             << random.getSeeds().size();
        if (random.getRounds() != 7 && random.getRounds() != 10)
          return emitError()
                 << "takes 7 or 10 rounds, got " << random.getRounds();
        return success();
      })
      .Default(success());
}

LogicalResult ReinterpretOp::verify() {
  TileType result = getResult().getType();
  FailureOr<TileType> expected = inferReinterpret(
      getSource().getType(), result.getRows(), result.getCols(),
      result.getElementType(), [&] { return emitOpError(); });
  if (failed(expected))
    return failure();
  if (*expected != result)
    return emitOpError() << "expects a result of " << describe(*expected)
                         << ", but got " << describe(result);
  return success();
}

LogicalResult GatherCompareOp::verify() {
  TileType source = getSource().getType(), indices = getIndices().getType(),
           counts = getCounts().getType();
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkElements("gather", {source}, emitError)))
    return failure();
  if (!isScalarOf(source.getElementType(), getScalar().getType()))
    return emitOpError() << "expects a scalar of " << describe(source)
                         << ", got " << getScalar().getType();
  if (indices.getRows() != source.getRows() ||
      !indices.getElementType().isSignlessInteger(32))
    return emitOpError() << "expects INT32 indices of " << source.getRows()
                         << " rows, got " << describe(indices);
  bool isCount = counts.getElementType().isSignlessInteger(32) ||
                 counts.getElementType().isUnsignedInteger(32);
  if (counts.getRows() != 1 || counts.getCols() != source.getRows() || !isCount)
    return emitOpError() << "expects one row of " << source.getRows()
                         << " counts of INT32 or UINT32, got "
                         << describe(counts);
  return success();
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLVectorOps.cpp.inc"

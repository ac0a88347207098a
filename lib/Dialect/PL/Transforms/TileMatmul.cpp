//===- TileMatmul.cpp - Products that fit the operand memories ---*- C++ --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/TileInference.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_TILEMATMUL
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct TileMatmul : mlir::pl::impl::TileMatmulBase<TileMatmul> {
  using TileMatmulBase::TileMatmulBase;
  void runOnOperation() override;

private:
  LogicalResult tile(Operation *op, Value acc, Value lhs, Value rhs);
  FailureOr<int64_t> chooseDepth(Operation *op, TileType lhs, TileType rhs,
                                 TileType result);
  int64_t bytesOf(StringRef memory) {
    return description->findMemory(memory)->bytes;
  }
  const ::pl::MachineDescription *description = nullptr;
};
} // namespace

/// The largest K of one piece, or an error at `op`.
FailureOr<int64_t> TileMatmul::chooseDepth(Operation *op, TileType lhs,
                                           TileType rhs, TileType result) {
  int64_t elementBytes = lhs.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t unit = ::pl::kBlockBytes / elementBytes;
  int64_t m = lhs.getRows(), k = lhs.getCols(), n = rhs.getCols();
  if (m % ::pl::kFractalRows || n % ::pl::kFractalRows || k % unit)
    return op->emitError()
           << "PL045: the cube works on rows and columns in multiples of "
           << ::pl::kFractalRows << " and K in multiples of " << unit
           << ", but this product is " << m << "x" << k << " by " << k << "x"
           << n << "; use a larger tile with valid_shape";
  if (m * n * 4 > bytesOf("acc"))
    return op->emitError() << "PL046: the product " << describe(result)
                           << " takes " << m * n * 4
                           << " bytes of acc, which has " << bytesOf("acc")
                           << "; use fewer rows or columns per tile";
  int64_t depth = std::min(bytesOf("left") / (m * elementBytes),
                           bytesOf("right") / (n * elementBytes));
  depth = std::min(depth / unit * unit, k);
  if (depth == 0)
    return op->emitError() << "PL046: one step of K of " << describe(lhs)
                           << " x " << describe(rhs)
                           << " does not fit the operand memories (left "
                           << bytesOf("left") << ", right " << bytesOf("right")
                           << " bytes); use fewer rows or columns per tile";
  // Even pieces, so that each is worth its instructions.
  int64_t pieces = llvm::divideCeil(k, depth);
  return llvm::alignTo(llvm::divideCeil(k, pieces), unit);
}

/// The part of `valid` that falls in `[begin, begin + extent)`.
static int64_t clampValid(int64_t valid, int64_t begin, int64_t extent) {
  if (ShapedType::isDynamic(valid))
    return valid;
  return std::clamp<int64_t>(valid - begin, 0, extent);
}

/// The place of `loc` with the name of `tile` and a suffix.
static Location pieceLoc(Location loc, Value tile, StringRef suffix) {
  std::string name = nameOf(tile);
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  if (name.empty())
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name + suffix), loc);
}

LogicalResult TileMatmul::tile(Operation *op, Value acc, Value lhs, Value rhs) {
  auto lhsType = dyn_cast<TileType>(lhs.getType());
  auto rhsType = dyn_cast<TileType>(rhs.getType());
  if (!lhsType || !rhsType || lhsType.getSpace() == MemorySpace::left)
    return success();
  auto resultType = cast<TileType>(op->getResult(0).getType());
  FailureOr<int64_t> depth = chooseDepth(op, lhsType, rhsType, resultType);
  if (failed(depth))
    return failure();
  if (*depth < lhsType.getCols() &&
      (ShapedType::isDynamic(lhsType.getValidCols()) ||
       ShapedType::isDynamic(rhsType.getValidRows())))
    return op->emitError(
        "PL046: a product whose valid K is a run-time value must fit "
        "the operand memories in one piece; use a smaller K "
        "per step");
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Location leftLoc = pieceLoc(loc, lhs, "_left");
  Location rightLoc = pieceLoc(loc, rhs, "_right");
  Value sum = acc;
  for (int64_t k = 0; k < lhsType.getCols(); k += *depth) {
    int64_t piece = std::min(*depth, lhsType.getCols() - k);
    int64_t validK = clampValid(lhsType.getValidCols(), k, piece);
    // A piece without valid K contributes nothing, but the first one still
    // has to make the accumulator.
    if (validK == 0 && sum)
      continue;
    auto left =
        TileType::get(lhsType.getRows(), piece, lhsType.getElementType(),
                      MemorySpace::left, lhsType.getValidRows(), validK);
    auto right = TileType::get(
        piece, rhsType.getCols(), rhsType.getElementType(), MemorySpace::right,
        clampValid(rhsType.getValidRows(), k, piece), rhsType.getValidCols());
    Value a = ExtractOp::create(builder, leftLoc, left, lhs, 0, k, Value(),
                                ValueRange())
                  .getResult();
    Value b = ExtractOp::create(builder, rightLoc, right, rhs, k, 0, Value(),
                                ValueRange())
                  .getResult();
    sum = sum ? MatmulAccOp::create(builder, loc, resultType, sum, a, b,
                                    Value(), ValueRange())
                    .getResult()
              : MatmulOp::create(builder, loc, resultType, a, b, Value(),
                                 ValueRange())
                    .getResult();
    ++numPieces;
  }
  op->getResult(0).replaceAllUsesWith(sum);
  op->erase();
  return success();
}

void TileMatmul::runOnOperation() {
  description = ::pl::findMachine(machine);
  if (!description) {
    getOperation().emitError() << "there is no machine '" << machine << "'";
    return signalPassFailure();
  }
  SmallVector<Operation *> products;
  getOperation()->walk([&](Operation *op) {
    if (isa<MatmulOp, MatmulAccOp>(op) && op->getNumResults() == 1)
      products.push_back(op);
  });
  for (Operation *op : products) {
    LogicalResult result = success();
    if (auto matmul = dyn_cast<MatmulOp>(op))
      result = tile(op, Value(), matmul.getLhs(), matmul.getRhs());
    else if (auto acc = dyn_cast<MatmulAccOp>(op))
      result = tile(op, acc.getAcc(), acc.getLhs(), acc.getRhs());
    if (failed(result))
      return signalPassFailure();
  }
}

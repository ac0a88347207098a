//===- InsertCrossings.cpp - Moves between the cube and the vector side ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/TileInterference.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_INSERTCROSSINGS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Which side has a tile. A loaded tile has none: each side loads its own. What
/// a loop or branch merges is on the vector side if any of it is.
enum class Home : uint8_t { any, cube, vector };

class Crossings {
public:
  explicit Crossings(KernelOp kernel) : kernel(kernel), extents(kernel) {}
  LogicalResult run();
  int64_t numCrossings = 0;

private:
  void findHomes();
  Home ownHome(Operation *op) const;
  Home homeOf(Value tile) const { return homes.lookup(tile); }
  LogicalResult visitOp(Operation *op);
  /// Makes `operand` a tile of the other side.
  LogicalResult cross(OpOperand &operand, MemorySpace to);
  FailureOr<Value> crossed(Value tile, MemorySpace to, Operation *user);

  KernelOp kernel;
  ValidExtents extents;
  DenseMap<Value, Home> homes;
  DenseMap<Value, Value> moved;
};
} // namespace

static bool isTile(Value value) { return isa<TileType>(value.getType()); }

static bool isView(Operation *op) {
  return isa_and_nonnull<ReshapeOp, SubtileOp, SetValidOp>(op);
}

/// The side that an op itself puts its result on.
Home Crossings::ownHome(Operation *op) const {
  if (isa<MatmulOp, MatmulAccOp, ExtractOp, AicGatherOp>(op))
    return Home::cube;
  if (isa<AivShardOp>(op))
    return Home::vector;
  auto tileOp = dyn_cast<TileOpInterface>(op);
  return tileOp && tileOp.getFacts().pipe == Pipe::v ? Home::vector : Home::any;
}

void Crossings::findHomes() {
  bool changed = true;
  auto join = [&](Value target, Home home) {
    Home &known = homes[target];
    if (known >= home)
      return;
    known = home;
    changed = true;
  };
  // A home only moves from `any` to `cube` to `vector`, so this ends.
  while (changed) {
    changed = false;
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<ForOp>(op)) {
        for (auto [init, carried, yielded, result] :
             llvm::zip(loop.getInits(), loop.getCarried(),
                       loop.getYield()->getOperands(), loop.getResults())) {
          join(carried, std::max(homeOf(init), homeOf(yielded)));
          join(result, homeOf(carried));
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (auto [index, result] : llvm::enumerate(branch.getResults()))
          join(result, std::max(homeOf(branch.thenYield().getOperand(index)),
                                homeOf(branch.elseYield().getOperand(index))));
      } else if (isView(op)) {
        join(op->getResult(0), homeOf(op->getOperand(0)));
      } else if (op->getNumResults() == 1 && isTile(op->getResult(0))) {
        join(op->getResult(0), ownHome(op));
      }
    });
  }
}

/// `tile`, whole, in a memory of the other side; with its valid box there.
FailureOr<Value> Crossings::crossed(Value tile, MemorySpace to,
                                    Operation *user) {
  // The cube has no windows: it hands over the whole product.
  Operation *def = tile.getDefiningOp();
  if (to == MemorySpace::vec && isView(def)) {
    FailureOr<Value> source = crossed(def->getOperand(0), to, user);
    if (failed(source))
      return failure();
    Value &view = moved[tile];
    if (!view) {
      OpBuilder builder(def);
      builder.setInsertionPointAfter(def);
      IRMapping mapping;
      mapping.map(def->getOperand(0), *source);
      view = builder.clone(*def, mapping)->getResult(0);
    }
    return view;
  }
  auto found = moved.find(tile);
  if (found != moved.end())
    return found->second;
  auto type = cast<TileType>(tile.getType());
  TileType whole = type.withValid(type.getRows(), type.getCols());
  SmallVector<OpFoldResult> valid;
  for (unsigned axis : {0u, 1u}) {
    if (!ShapedType::isDynamic(type.getValid(axis)))
      continue;
    valid.push_back(extents.get(tile, axis));
    if (valid.back())
      continue;
    std::string name = nameOf(tile);
    return user->emitError()
           << "PL107: " << (name.empty() ? "this tile" : "'" + name + "'")
           << " goes from one side of the core group to the other, but its "
              "valid "
           << (axis == 0 ? "rows" : "columns")
           << " are not one value that both sides know; set them with "
              "pl.set_validshape before it is used here";
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(tile);
  Location loc = tile.getLoc();
  Value source = tile;
  if (whole != type)
    source = SetValidOp::create(builder, loc, whole, tile, ValueRange());
  Value result =
      MoveOp::create(builder, loc, whole, source, Value(), ValueRange())
          .getResult();
  ++numCrossings;
  if (whole != type) {
    SmallVector<Value> values;
    for (OpFoldResult extent : valid)
      values.push_back(getValueOrCreateConstantIndexOp(builder, loc, extent));
    result = SetValidOp::create(builder, loc, type, result, values);
  }
  moved[tile] = result;
  return result;
}

LogicalResult Crossings::cross(OpOperand &operand, MemorySpace to) {
  FailureOr<Value> value = crossed(operand.get(), to, operand.getOwner());
  if (failed(value))
    return failure();
  operand.set(*value);
  return success();
}

LogicalResult Crossings::visitOp(Operation *op) {
  auto crossIfCube = [&](OpOperand &operand) {
    if (!isTile(operand.get()) || homeOf(operand.get()) != Home::cube)
      return success();
    return cross(operand, MemorySpace::vec);
  };
  if (auto loop = dyn_cast<ForOp>(op)) {
    for (auto [index, carried] : llvm::enumerate(loop.getCarried()))
      if (isTile(carried) && homeOf(carried) == Home::vector)
        if (failed(crossIfCube(loop.getInitsMutable()[index])) ||
            failed(crossIfCube(loop.getYield()->getOpOperand(index))))
          return failure();
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      if (isTile(result) && homeOf(result) == Home::vector)
        if (failed(crossIfCube(branch.thenYield()->getOpOperand(index))) ||
            failed(crossIfCube(branch.elseYield()->getOpOperand(index))))
          return failure();
    return success();
  }
  if (auto extract = dyn_cast<ExtractOp>(op)) {
    if (homeOf(extract.getSource()) != Home::vector)
      return success();
    return cross(extract.getSourceMutable(), MemorySpace::mat);
  }
  if (isa<AivShardOp, AicGatherOp>(op)) {
    for (Value tile : {op->getOperand(0), Value(op->getResult(0))})
      if (!cast<TileType>(tile.getType()).isFullyValid())
        return op->emitError() << "PL099: halves of a partly valid tile, or of "
                                  "an odd number of "
                                  "rows or columns, are not lowered yet";
    return success();
  }
  if (auto product = dyn_cast<MatmulAccOp>(op);
      product && homeOf(product.getAcc()) == Home::vector) {
    std::string name = nameOf(product.getAcc());
    return op->emitError() << "PL107: the accumulator "
                           << (name.empty() ? "of this product"
                                            : "'" + name + "'")
                           << " comes from vector work, and nothing leads from "
                              "the vector cores into the accumulator; start "
                              "with pl.matmul and add the vector tile to the "
                              "result";
  }
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp || tileOp.getFacts().pipe != Pipe::v)
    return success();
  for (OpOperand *source : tileOp.getTileSources())
    if (failed(crossIfCube(*source)))
      return failure();
  return success();
}

LogicalResult Crossings::run() {
  findHomes();
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  bool good = true;
  for (Operation *op : ops)
    good &= succeeded(visitOp(op));
  // Windows of products that only the vector side used.
  for (Operation *op : llvm::reverse(ops))
    if (isView(op) && op->use_empty())
      op->erase();
  return success(good);
}

namespace {
struct InsertCrossings : mlir::pl::impl::InsertCrossingsBase<InsertCrossings> {
  void runOnOperation() override {
    if (getOperation().getCore() != CoreKind::mix)
      return;
    Crossings crossings(getOperation());
    if (failed(crossings.run()))
      return signalPassFailure();
    numCrossings += crossings.numCrossings;
  }
};
} // namespace

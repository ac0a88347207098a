//===- LaneHalves.cpp - Vector tiles that two lanes share -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneHalves.h"

#include "pl/Dialect/PL/IR/TileInference.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::pl;

static bool isTile(Value value) { return isa<TileType>(value.getType()); }

namespace {
class Halver {
public:
  Halver(Value lane, SplitMode mode)
      : lane(lane), mode(mode), axis(mode == SplitMode::up_down ? 0 : 1) {}

  LogicalResult visitBlock(Block &block);

private:
  /// The axis on which a tile is halved, or -1 for a tile that both lanes have
  /// whole.
  int axisOf(Value tile) const {
    auto found = axes.find(tile);
    return found == axes.end() ? -1 : found->second;
  }
  LogicalResult setAxis(Operation *op, Value tile, int axis);
  /// Halved if it has more than one row or column on the axis of the split.
  LogicalResult setByExtent(Operation *op, Value tile);
  LogicalResult fail(Operation *op, const Twine &what);

  LogicalResult visitOp(Operation *op);
  LogicalResult visitLoop(ForOp loop);
  LogicalResult visitIf(scf::IfOp branch);
  LogicalResult visitLoad(LoadOp load);
  LogicalResult visitStore(StoreOp store);
  LogicalResult visitWindow(Operation *op, int64_t row, int64_t col);
  LogicalResult visitReshape(ReshapeOp reshape);
  LogicalResult visitSetValid(SetValidOp set);
  LogicalResult visitCompute(TileOpInterface op);
  FailureOr<int> resultAxis(TileOpInterface op);
  /// The run-time valid extents of a tile once it is halved on `halved`.
  SmallVector<Value> laneValid(OpBuilder &builder, Location loc, TileType type,
                               ValueRange valid, int halved);
  Value laneOffset(OpBuilder &builder, Location loc, int64_t half);
  void onlyOnFirstLane(Operation *op);

  Value lane;
  SplitMode mode;
  int axis;
  DenseMap<Value, int> axes;
};
} // namespace

LogicalResult Halver::fail(Operation *op, const Twine &what) {
  return op->emitError() << "PL070: " << what << " under pl.split("
                         << (axis == 0 ? "UP_DOWN" : "LEFT_RIGHT")
                         << "), which gives each lane half of the "
                         << (axis == 0 ? "rows" : "columns")
                         << " of every vector tile; use mode=NONE, or say what "
                            "each lane does with pl.split_aiv";
}

LogicalResult Halver::setAxis(Operation *op, Value tile, int halved) {
  axes[tile] = halved;
  if (halved < 0)
    return success();
  auto type = cast<TileType>(tile.getType());
  int64_t extents[2] = {type.getRows(), type.getCols()};
  int64_t valid[2] = {type.getValidRows(), type.getValidCols()};
  if (extents[halved] % 2)
    return fail(op, describe(type) + " cannot be halved");
  bool isWhole = valid[halved] == extents[halved];
  extents[halved] /= 2;
  valid[halved] = isWhole ? extents[halved] : ShapedType::kDynamic;
  tile.setType(TileType::get(extents[0], extents[1], type.getElementType(),
                             type.getSpace(), valid[0], valid[1]));
  return success();
}

LogicalResult Halver::setByExtent(Operation *op, Value tile) {
  auto type = cast<TileType>(tile.getType());
  return setAxis(op, tile, type.getExtent(axis) > 1 ? axis : -1);
}

Value Halver::laneOffset(OpBuilder &builder, Location loc, int64_t half) {
  return arith::MulIOp::create(
      builder, loc, lane, arith::ConstantIndexOp::create(builder, loc, half));
}

SmallVector<Value> Halver::laneValid(OpBuilder &builder, Location loc,
                                     TileType type, ValueRange valid,
                                     int halved) {
  SmallVector<Value> result;
  unsigned next = 0;
  for (int i : {0, 1}) {
    int64_t extent = type.getValid(i);
    bool isDynamic = ShapedType::isDynamic(extent);
    Value given = isDynamic ? valid[next++] : Value();
    if (i != halved) {
      if (isDynamic)
        result.push_back(given);
      continue;
    }
    if (extent == type.getExtent(i))
      continue;
    // The part of the valid rows or columns that falls in this lane's half.
    int64_t half = type.getExtent(i) / 2;
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value).getResult();
    };
    Value whole = isDynamic ? given : constant(extent);
    Value rest = arith::SubIOp::create(builder, loc, whole,
                                       laneOffset(builder, loc, half));
    rest = arith::MaxSIOp::create(builder, loc, rest, constant(0));
    result.push_back(
        arith::MinSIOp::create(builder, loc, rest, constant(half)));
  }
  return result;
}

/// What both lanes would do alike happens once.
void Halver::onlyOnFirstLane(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/false);
  op->moveBefore(branch.thenYield());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Halver::visitLoop(ForOp loop) {
  for (auto [init, carried, result] :
       llvm::zip(loop.getInits(), loop.getCarried(), loop.getResults()))
    if (isTile(init))
      for (Value tile : {Value(carried), Value(result)})
        if (failed(setAxis(loop, tile, axisOf(init))))
          return failure();
  if (failed(visitBlock(loop.getBody().front())))
    return failure();
  for (auto [init, yielded] :
       llvm::zip(loop.getInits(), loop.getYield()->getOperands()))
    if (isTile(init) && axisOf(init) != axisOf(yielded))
      return fail(loop, "a carried tile is halved in one iteration and whole "
                        "in another");
  return success();
}

LogicalResult Halver::visitIf(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (!region.empty() && failed(visitBlock(region.front())))
      return failure();
  for (auto [index, result] : llvm::enumerate(branch.getResults())) {
    if (!isTile(result))
      continue;
    int halved = axisOf(branch.thenYield().getOperand(index));
    if (halved != axisOf(branch.elseYield().getOperand(index)))
      return fail(branch, "a tile is halved on one path and whole on another");
    if (failed(setAxis(branch, result, halved)))
      return failure();
  }
  return success();
}

LogicalResult Halver::visitLoad(LoadOp load) {
  TileType type = cast<TileType>(load.getResult().getType());
  if (failed(setByExtent(load, load.getResult())))
    return failure();
  int halved = axisOf(load.getResult());
  if (halved < 0)
    return success();
  OpBuilder builder(load);
  Location loc = load.getLoc();
  SmallVector<Value> valid =
      laneValid(builder, loc, type, load.getValid(), halved);
  load.getValidMutable().assign(valid);
  unsigned rank = load.getOffsets().size();
  unsigned index = rank == 1 ? 0 : rank - 2 + halved;
  Value offset = arith::AddIOp::create(
      builder, loc, load.getOffsets()[index],
      laneOffset(builder, loc, type.getExtent(halved) / 2));
  load.getOffsetsMutable()[index].set(offset);
  return success();
}

LogicalResult Halver::visitStore(StoreOp store) {
  int halved = axisOf(store.getTile());
  if (halved < 0) {
    onlyOnFirstLane(store);
    return success();
  }
  OpBuilder builder(store);
  Location loc = store.getLoc();
  unsigned rank = store.getOffsets().size();
  unsigned index = rank == 1 ? 0 : rank - 2 + halved;
  int64_t half = cast<TileType>(store.getTile().getType()).getExtent(halved);
  Value offset = arith::AddIOp::create(builder, loc, store.getOffsets()[index],
                                       laneOffset(builder, loc, half));
  store.getOffsetsMutable()[index].set(offset);
  return success();
}

/// A window has its source's halves if it is whole on that axis.
LogicalResult Halver::visitWindow(Operation *op, int64_t row, int64_t col) {
  Value source = op->getOperand(0), result = op->getResult(0);
  int halved = axisOf(source);
  if (halved < 0)
    return setAxis(op, result, -1);
  int64_t whole = 2 * cast<TileType>(source.getType()).getExtent(halved);
  if ((halved == 0 ? row : col) != 0 ||
      cast<TileType>(result.getType()).getExtent(halved) != whole)
    return fail(op, "a window takes part of the halved axis");
  return setAxis(op, result, halved);
}

LogicalResult Halver::visitReshape(ReshapeOp reshape) {
  int halved = axisOf(reshape.getSource());
  TileType result = cast<TileType>(reshape.getResult().getType());
  if (halved < 0)
    return setAxis(reshape, reshape.getResult(), -1);
  auto source = cast<TileType>(reshape.getSource().getType());
  // A vector turns with its halves.
  bool isVector = source.getExtent(1 - halved) == 1;
  if (isVector &&
      result.getExtent(1 - halved) == 2 * source.getExtent(halved) &&
      result.getExtent(halved) == 1)
    return setAxis(reshape, reshape.getResult(), 1 - halved);
  if (result.getExtent(halved) == 2 * source.getExtent(halved) &&
      result.getExtent(1 - halved) == source.getExtent(1 - halved))
    return setAxis(reshape, reshape.getResult(), halved);
  return fail(reshape, "pl.reshape mixes the rows of " + describe(source));
}

LogicalResult Halver::visitSetValid(SetValidOp set) {
  int halved = axisOf(set.getSource());
  TileType type = cast<TileType>(set.getResult().getType());
  if (failed(setAxis(set, set.getResult(), halved)))
    return failure();
  if (halved < 0)
    return success();
  OpBuilder builder(set);
  set.getValidMutable().assign(
      laneValid(builder, set.getLoc(), type, set.getValid(), halved));
  return success();
}

/// The axis on which the result of a computation is halved.
FailureOr<int> Halver::resultAxis(TileOpInterface op) {
  StringRef name = op->getName().stripDialect();
  SmallVector<OpOperand *> sources = op.getTileSources();
  auto axisAt = [&](unsigned index) { return axisOf(sources[index]->get()); };
  if (sources.empty()) {
    auto type = cast<TileType>(op.getResultTile().getType());
    int halved = type.getExtent(axis) > 1 ? axis : -1;
    if (halved >= 0 && !isa<FullOp>(op))
      return fail(op, "'" + name.str() + "' counts along the halved axis");
    return halved;
  }
  if (name == "row_expand" || name == "col_expand") {
    // What is repeated along the halved axis is repeated half as often.
    int along = name == "row_expand" ? 1 : 0;
    return axisAt(0) >= 0 ? axisAt(0) : along == axis ? axis : -1;
  }
  bool isRow = name.starts_with("row_"), isCol = name.starts_with("col_");
  if ((isRow || isCol) && sources.size() == 1) {
    int reduced = isRow ? 1 : 0;
    if (axisAt(0) == reduced)
      return fail(op, "'" + name.str() + "' reduces the halved axis");
    return axisAt(0);
  }
  if ((isRow || isCol) && sources.size() == 2) {
    // The vector has one element for each row, or for each column.
    int length = isRow ? 0 : 1;
    if (axisAt(1) != (axisAt(0) == length ? length : -1))
      return fail(op, "one operand of '" + name.str() +
                          "' is halved and the other is not");
    return axisAt(0);
  }
  auto result = cast<TileType>(op.getResultTile().getType());
  for (OpOperand *source : sources) {
    auto type = cast<TileType>(source->get().getType());
    int halved = axisOf(source->get());
    auto whole = [&](int i) {
      return type.getExtent(i) * (i == halved ? 2 : 1);
    };
    if (isa<GatherOp, TransposeOp>(op) || whole(0) != result.getRows() ||
        whole(1) != result.getCols()) {
      if (llvm::any_of(sources, [&](OpOperand *operand) {
            return axisOf(operand->get()) >= 0;
          }))
        return fail(op, "'" + name.str() + "' mixes rows or columns");
      return -1;
    }
    if (halved != axisAt(0))
      return fail(op, "one operand of '" + name.str() +
                          "' is halved and the other is not");
  }
  return axisAt(0);
}

LogicalResult Halver::visitCompute(TileOpInterface op) {
  FailureOr<int> halved = resultAxis(op);
  if (failed(halved))
    return failure();
  return setAxis(op, op.getResultTile(), *halved);
}

LogicalResult Halver::visitOp(Operation *op) {
  if (auto loop = dyn_cast<ForOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto load = dyn_cast<LoadOp>(op))
    return visitLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return visitStore(store);
  if (auto pop = dyn_cast<PopOp>(op)) {
    pop.setSplit(mode);
    return setAxis(op, pop.getResult(), axis);
  }
  if (auto push = dyn_cast<PushOp>(op)) {
    if (axisOf(push.getTile()) != axis)
      return fail(op, "a tile that both lanes have whole goes to the cube");
    push.setSplit(mode);
    return success();
  }
  if (auto empty = dyn_cast<EmptyOp>(op))
    return setByExtent(op, empty.getResult());
  if (auto window = dyn_cast<SubtileOp>(op))
    return visitWindow(op, window.getRow(), window.getCol());
  if (auto window = dyn_cast<ExtractOp>(op))
    return visitWindow(op, window.getRow(), window.getCol());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto set = dyn_cast<SetValidOp>(op))
    return visitSetValid(set);
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (tileOp && tileOp.getResultTile())
    return visitCompute(tileOp);
  if (llvm::any_of(op->getOperands(), [&](Value value) {
        return isTile(value) && axisOf(value) >= 0;
      }))
    return fail(op, "'" + op->getName().stripDialect().str() +
                        "' reads a halved tile");
  // A wait holds both lanes; anything else that changes something happens once.
  if (!isMemoryEffectFree(op) && !isa<ReadOp>(op) && op->getNumResults() == 0 &&
      op->getName().stripDialect() != "wait")
    onlyOnFirstLane(op);
  return success();
}

LogicalResult Halver::visitBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>())
      ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(visitOp(op)))
      return failure();
  return success();
}

LogicalResult mlir::pl::halveTiles(Block &body, Value lane, SplitMode mode) {
  return Halver(lane, mode).visitBlock(body);
}

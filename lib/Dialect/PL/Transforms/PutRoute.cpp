//===- PutRoute.cpp - Where the rows of puts come to be -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PutRoute.h"

#include "Credits.h"
#include "ScheduleUtils.h"

#include "pl/Analysis/LinearExpr.h"

using namespace mlir;
using namespace mlir::pl;

/// Extents that whole multiples of stay far from the end of numbers.
static constexpr int64_t kMostRows = int64_t(1) << 40;

std::optional<PutRoute> PutRoute::of(PutOp put, ArrayRef<ForOp> loops,
                                     Region &task, Obstacle &obstacle) {
  PutRoute route;
  route.put = put;
  route.task = &task;
  if (failed(route.readLoops(loops, obstacle)) ||
      failed(route.readSource(obstacle)) || failed(route.readTarget(obstacle)))
    return std::nullopt;
  return route;
}

/// Is `op` a remainder that is not negative?
static bool isNumberOfTurn(Operation *op,
                           const std::pair<Value, Value> &remainder) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return isNonNegative(remainder.first) && isNonNegative(remainder.second);
  auto isNegative = select.getCondition().getDefiningOp<arith::CmpIOp>();
  return isNegative && isNegative.getPredicate() == arith::CmpIPredicate::slt &&
         isNegative.getLhs() == select.getFalseValue() &&
         LinearExpr::of(isNegative.getRhs()).asConstant() == 0;
}

/// What counts the turns of `loop`: where each rank begins with another one,
/// that is not the variable of the loop.
static Value counterOf(ForOp loop, int64_t low, int64_t step, int64_t trips) {
  Value counter = loop.getInductionVariable();
  if (low != 0 || step != 1)
    return counter;
  loop.walk([&](Operation *op) {
    if (!isa<arith::SelectOp, arith::RemSIOp>(op))
      return;
    auto rest = asRemainder(op->getResult(0));
    if (rest && isNumberOfTurn(op, *rest) &&
        LinearExpr::of(rest->second).asConstant() == trips &&
        dependenceOf(op->getResult(0), loop) == Dependence::distinct)
      counter = op->getResult(0);
  });
  return counter;
}

LogicalResult PutRoute::readLoops(ArrayRef<ForOp> loops, Obstacle &obstacle) {
  for (ForOp loop : loops) {
    auto low = LinearExpr::of(loop.getLower()).asConstant();
    auto step = LinearExpr::of(loop.getStep()).asConstant();
    std::optional<int64_t> trips = constantTrips(loop);
    if (!low || !trips || *trips <= 0 || *trips > kMostRows) {
      obstacle = {"a loop around its put has bounds that are not known before "
                  "it runs, or no turn",
                  loop};
      return failure();
    }
    turns.push_back(
        {loop, counterOf(loop, *low, *step, *trips), *low, *step, *trips});
  }
  return success();
}

LogicalResult PutRoute::readSource(Obstacle &obstacle) {
  auto fail = [&](const Twine &reason) {
    obstacle = {reason.str(), put};
    return failure();
  };
  MemRefType source = getSource(), target = put.getTarget().getType();
  if (source.getRank() != 2 || !source.hasStaticShape() ||
      source.getDimSize(0) > kMostRows || !source.getLayout().isIdentity())
    return fail("its put does not send rows of a tensor of two known extents");
  if (put.getAtomic() != AtomicKind::none)
    return fail("its put adds to what is in the window");
  if (LinearExpr::of(put.getSizes()[1]).asConstant() != source.getDimSize(1) ||
      LinearExpr::of(put.getSourceOffsets()[1]).asConstant() != 0 ||
      !target.getLayout().isIdentity())
    return fail("its put does not send whole rows");

  LinearExpr first = LinearExpr::of(put.getSourceOffsets()[0]);
  for (Turn &turn : turns) {
    int64_t factor = first.coefficientOf(turn.counter);
    if (factor < 0 || factor > kMostRows || turn.step > kMostRows)
      return fail("its put sends rows from the last to the first");
    turn.pitch = factor * turn.step;
    first = first.substitute(turn.counter, LinearExpr(turn.lower));
  }
  std::optional<int64_t> constant = first.asConstant();
  if (!constant || *constant < 0)
    return fail("the first row that its put sends is no sum of counters with "
                "constant factors");
  firstRow = *constant;

  if (Operation *unknown =
          Recomputation(*task).obstacle(put.getSizes()[0], {})) {
    obstacle = {"how many rows its put sends differs from turn to turn, or "
                "comes from memory",
                unknown};
    return failure();
  }
  llvm::sort(turns,
             [](const Turn &a, const Turn &b) { return a.pitch > b.pitch; });
  int64_t last = firstRow;
  for (Turn &turn : turns)
    last += turn.pitch * (turn.trips - 1);
  while (!turns.empty() && turns.back().pitch == 0)
    repeats.push_back(turns.pop_back_val());
  // The put of the last slab stays inside the tensor, and all have one size.
  maxRows = source.getDimSize(0) - last;
  numRows = LinearExpr::of(put.getSizes()[0]).asConstant();
  if (numRows)
    maxRows = std::min(maxRows, *numRows);
  if (maxRows <= 0)
    return fail("its put sends nothing, or leaves its tensor");
  int64_t needed = maxRows;
  for (Turn &turn : llvm::reverse(turns)) {
    if (turn.pitch < needed)
      return fail("two turns of its put may send one row: they are " +
                  Twine(turn.pitch) + " rows apart, and one sends up to " +
                  Twine(needed));
    needed = turn.pitch * turn.trips;
  }
  return success();
}

LogicalResult PutRoute::readTarget(Obstacle &obstacle) {
  Recomputation again(*task);
  SmallVector<Value> counters;
  SmallVector<Turn *> all;
  for (Turn &turn : turns)
    all.push_back(&turn);
  for (Turn &turn : repeats)
    all.push_back(&turn);
  for (Turn *turn : all)
    counters.push_back(turn->counter);
  for (Value place : {Value(put.getPeer()), put.getTargetOffsets()[0],
                      put.getTargetOffsets()[1]})
    if (Operation *unknown = again.obstacle(place, counters)) {
      obstacle = {"the counters of its loops alone do not say where its put "
                  "sends to",
                  unknown};
      return failure();
    }
  // Two rows of the source must not meet in one of a window: the put of the
  // later turn would win, and workers have no turns.
  Turn *peers = nullptr;
  SmallVector<Turn *> shifting;
  LinearExpr row = LinearExpr::of(put.getTargetOffsets()[0]);
  for (Turn *turn : all) {
    int64_t factor = row.coefficientOf(turn->counter);
    Dependence onColumn = dependenceOf(put.getTargetOffsets()[1], turn->loop);
    Dependence onRow = dependenceOf(put.getTargetOffsets()[0], turn->loop);
    Dependence onPeer = dependenceOf(put.getPeer(), turn->loop);
    bool isLinear = onColumn == Dependence::none &&
                    (onRow == Dependence::none ||
                     (onRow == Dependence::distinct && factor != 0)) &&
                    onPeer != Dependence::unknown &&
                    std::abs(factor) <= kMostRows;
    if (isLinear && onPeer == Dependence::distinct && !peers) {
      peers = turn;
      continue;
    }
    if (!isLinear || onPeer != Dependence::none || factor == 0) {
      obstacle = {"two turns of this loop may send to one place of a window, "
                  "where the later one would win",
                  turn->loop};
      return failure();
    }
    turn->targetPitch = std::abs(factor) * turn->step;
    shifting.push_back(turn);
  }
  llvm::sort(shifting, [](const Turn *a, const Turn *b) {
    return a->targetPitch < b->targetPitch;
  });
  int64_t needed = maxRows;
  for (const Turn *turn : shifting) {
    if (turn->targetPitch < needed) {
      obstacle = {"two turns of this loop may send to one row of a window: "
                  "they are " +
                      std::to_string(turn->targetPitch) +
                      " rows apart, and up to " + std::to_string(needed) +
                      " are sent",
                  turn->loop};
      return failure();
    }
    needed = turn->targetPitch * turn->trips;
  }
  return success();
}

bool PutRoute::reachesWholeRows() {
  MemRefType target = put.getTarget().getType();
  return target.hasStaticShape() &&
         target.getDimSize(1) == getSource().getDimSize(1) &&
         LinearExpr::of(put.getTargetOffsets()[1]).asConstant() == 0;
}

bool PutRoute::keepsTogether(int64_t rows, int64_t unit) const {
  return firstRow * unit % rows == 0 &&
         llvm::all_of(turns, [&](const Turn &turn) {
           return turn.pitch * unit % rows == 0;
         });
}

bool PutRoute::sendsTogether(int64_t rows, int64_t unit) const {
  return numRows.value_or(1) * unit % rows == 0;
}

/// An index as a number of the type of `like`.
static Value asTypeOf(OpBuilder &builder, Location loc, Value like,
                      Value index) {
  if (like.getType().isIndex())
    return index;
  return arith::IndexCastOp::create(builder, loc, like.getType(), index);
}

void PutRoute::send(OpBuilder &builder, Location loc, Value row, int64_t unit,
                    Emit emit) {
  OpBuilder::InsertionGuard guard(builder);
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value isSent;
  auto require = [&](arith::CmpIPredicate predicate, Value value, Value bound) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, value, bound);
    isSent = isSent ? Value(arith::AndIOp::create(builder, loc, isSent, holds))
                    : holds;
  };
  // Rows that no turn reaches are not sent.
  Recomputation again(*task);
  Place place;
  place.index = row;
  if (firstRow != 0) {
    place.index =
        arith::SubIOp::create(builder, loc, row, number(firstRow * unit));
    require(arith::CmpIPredicate::sge, place.index, number(0));
  }
  int64_t extent = getSource().getDimSize(0) - firstRow;
  for (Turn &turn : turns) {
    Value counter = number(0);
    if (turn.trips > 1) {
      Value pitch = number(turn.pitch * unit);
      counter = arith::FloorDivSIOp::create(builder, loc, place.index, pitch);
      if (turn.pitch * turn.trips < extent)
        require(arith::CmpIPredicate::slt, counter, number(turn.trips));
      extent = std::min(extent, turn.pitch);
      place.index = arith::RemSIOp::create(builder, loc, place.index, pitch);
    }
    again.getMapping().map(
        turn.counter, asTypeOf(builder, loc, turn.counter,
                               createMulAdd(builder, loc, counter, turn.step,
                                            number(turn.lower))));
  }
  place.numRows =
      createMulAdd(builder, loc,
                   numRows ? Value(number(*numRows))
                           : again.compute(builder, put.getSizes()[0]),
                   unit);
  if (!numRows || *numRows < extent)
    require(arith::CmpIPredicate::slt, place.index, place.numRows);
  if (isSent) {
    auto branch = scf::IfOp::create(builder, loc, isSent);
    builder.setInsertionPoint(branch.thenYield());
  }
  for (Turn &turn : repeats) {
    auto loop = ForOp::create(builder, loc, LoopKind::range, number(turn.lower),
                              number(turn.lower + turn.trips * turn.step),
                              number(turn.step));
    builder.setInsertionPoint(loop.getYield());
    again.getMapping().map(turn.counter, asTypeOf(builder, loc, turn.counter,
                                                  loop.getInductionVariable()));
  }
  place.peer = again.compute(builder, put.getPeer());
  Value first = again.compute(builder, put.getTargetOffsets()[0]);
  place.row = createMulAdd(builder, loc, first, unit, place.index);
  place.col = again.compute(builder, put.getTargetOffsets()[1]);
  emit(builder, place);
}

//===- ScheduleUtils.cpp - What transforms of a schedule share ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "pl/Analysis/CoreAffinity.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

std::string mlir::pl::describeTask(Operation *task) {
  StringRef name = taskName(task);
  if (name.empty())
    return "the task without a name";
  return ("task '" + name + "'").str();
}

Diagnostic &mlir::pl::refuse(Diagnostic &refusal, StringRef what,
                             Operation *task) {
  return refusal << "cannot " << what << " " << describeTask(task) << ": ";
}

/// Deps with their reasons, early resolve, discardable attributes and name.
template <typename NewOp, typename OldOp>
static void copyProperties(NewOp made, OldOp task, StringRef name) {
  made.getDepsMutable().assign(task.getDeps());
  made.setEdgesAttr(task.getEdges());
  made.setEarlyResolve(task.getEarlyResolve());
  made->setDiscardableAttrs(task->getDiscardableAttrDictionary());
  if (name.empty())
    made.setNameAttr(task.getNameAttr());
  else
    made.setName(name);
}

SpmdOp mlir::pl::createSpmdLike(RewriterBase &rewriter, Operation *task,
                                Value blocks, StringRef name) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(task);
  auto made = SpmdOp::create(
      rewriter, task->getLoc(), TaskType::get(task->getContext()), blocks,
      /*deps=*/ValueRange(), /*name=*/StringAttr(), rewriter.getArrayAttr({}),
      /*early_resolve=*/UnitAttr());
  Location loc = task->getLoc();
  if (auto spmd = dyn_cast<SpmdOp>(task))
    loc = spmd.getBlockIndex().getLoc();
  made.getBody().emplaceBlock().addArgument(rewriter.getIndexType(), loc);
  llvm::TypeSwitch<Operation *>(task).Case<AtOp, SpmdOp>(
      [&](auto op) { copyProperties(made, op, name); });
  return made;
}

Operation *mlir::pl::createTaskLike(RewriterBase &rewriter, Operation *task,
                                    StringRef name) {
  if (auto spmd = dyn_cast<SpmdOp>(task))
    return createSpmdLike(rewriter, task, spmd.getBlocks(), name);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(task);
  auto made = AtOp::create(
      rewriter, task->getLoc(), TaskType::get(task->getContext()),
      /*deps=*/ValueRange(), /*name=*/StringAttr(), rewriter.getArrayAttr({}),
      /*early_resolve=*/UnitAttr());
  made.getBody().emplaceBlock();
  copyProperties(made, cast<AtOp>(task), name);
  return made;
}

LogicalResult mlir::pl::checkTaskUses(Operation *task, StringRef what,
                                      Diagnostic &refusal) {
  for (Operation *user : task->getUsers()) {
    if (isa<AtOp, SpmdOp, DummyOp>(user))
      continue;
    refuse(refusal, what, task)
        << "it is used where one task is expected, and it would be several";
    refusal.attachNote(user->getLoc()) << "used by '" << user->getName() << "'";
    return failure();
  }
  return success();
}

void mlir::pl::replaceTask(RewriterBase &rewriter, Operation *task,
                           ArrayRef<Operation *> by) {
  Value old = task->getResult(0);
  if (by.size() == 1) {
    rewriter.replaceAllUsesWith(old, by.front()->getResult(0));
    rewriter.eraseOp(task);
    return;
  }
  SmallVector<Operation *> users(old.getUsers());
  for (Operation *user : users)
    llvm::TypeSwitch<Operation *>(user).Case<AtOp, SpmdOp, DummyOp>(
        [&](auto op) {
          SmallVector<Value> deps;
          SmallVector<Attribute> edges;
          for (auto [dep, edge] : llvm::zip_equal(op.getDeps(), op.getEdges()))
            for (size_t i = 0, e = dep == old ? by.size() : 1; i < e; ++i) {
              deps.push_back(dep == old ? by[i]->getResult(0) : dep);
              edges.push_back(edge);
            }
          rewriter.modifyOpInPlace(op, [&] {
            op.getDepsMutable().assign(deps);
            op.setEdgesAttr(rewriter.getArrayAttr(edges));
          });
        });
  rewriter.eraseOp(task);
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

bool mlir::pl::isNonNegative(Value value, unsigned depth) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number >= 0;
  Operation *def = value.getDefiningOp();
  if (!def)
    if (auto spmd =
            dyn_cast_or_null<SpmdOp>(value.getParentBlock()->getParentOp()))
      return value == spmd.getBlockIndex();
  if (isa_and_nonnull<memref::DimOp, BlockIdxOp, BlockNumOp>(def))
    return true;
  if (!def || depth == 0)
    return false;
  auto isOperandNonNegative = [&](Value operand) {
    return isNonNegative(operand, depth - 1);
  };
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::FloorDivSIOp,
          arith::DivSIOp, arith::RemSIOp>(def))
    return llvm::all_of(def->getOperands(), isOperandNonNegative);
  if (isa<arith::MaxSIOp>(def))
    return llvm::any_of(def->getOperands(), isOperandNonNegative);
  return false;
}

static Value createIndex(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

Value mlir::pl::createCeilDiv(OpBuilder &builder, Location loc, Value dividend,
                              int64_t divisor) {
  if (divisor == 1)
    return dividend;
  if (std::optional<int64_t> number = getConstantIntValue(dividend))
    return createIndex(builder, loc,
                       *number <= 0 ? *number / divisor
                                    : (*number - 1) / divisor + 1);
  // As users write it, so that equal counts are equal values.
  Value sum = arith::AddIOp::create(builder, loc, dividend,
                                    createIndex(builder, loc, divisor - 1));
  return arith::FloorDivSIOp::create(builder, loc, sum,
                                     createIndex(builder, loc, divisor));
}

Value mlir::pl::createTripCount(OpBuilder &builder, Location loc, Value lower,
                                Value upper, int64_t step) {
  std::optional<int64_t> first = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (first && end)
    return createIndex(builder, loc,
                       *end <= *first ? 0 : (*end - *first - 1) / step + 1);
  Value extent =
      first == 0 ? upper : arith::SubIOp::create(builder, loc, upper, lower);
  Value trips = createCeilDiv(builder, loc, extent, step);
  if (isNonNegative(extent))
    return trips;
  return arith::MaxSIOp::create(builder, loc, trips,
                                createIndex(builder, loc, 0));
}

Value mlir::pl::createMulAdd(OpBuilder &builder, Location loc, Value value,
                             int64_t factor, Value addend) {
  Value result = value;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    result = createIndex(builder, loc, *number * factor);
  else if (factor != 1)
    result = arith::MulIOp::create(builder, loc, value,
                                   createIndex(builder, loc, factor));
  if (!addend || getConstantIntValue(addend) == 0)
    return result;
  if (getConstantIntValue(result) == 0)
    return addend;
  return arith::AddIOp::create(builder, loc, result, addend);
}

Value mlir::pl::createMin(OpBuilder &builder, Location loc, Value a, Value b) {
  std::optional<int64_t> first = getConstantIntValue(a);
  std::optional<int64_t> second = getConstantIntValue(b);
  if (first && second)
    return *first < *second ? a : b;
  return arith::MinSIOp::create(builder, loc, a, b);
}

Share mlir::pl::createShare(OpBuilder &builder, Location loc, Value pieces,
                            Value worker, int64_t workers,
                            Distribution distribution) {
  if (distribution == Distribution::strided)
    return {worker, pieces, workers};
  Value perWorker = createCeilDiv(builder, loc, pieces, workers);
  std::optional<int64_t> number = getConstantIntValue(perWorker);
  Value lower =
      number ? createMulAdd(builder, loc, worker, *number)
             : Value(arith::MulIOp::create(builder, loc, worker, perWorker));
  Value upper = arith::AddIOp::create(builder, loc, lower, perWorker);
  // The last workers may have fewer, or none.
  std::optional<int64_t> all = getConstantIntValue(pieces);
  if (!all || *all % workers != 0)
    upper = createMin(builder, loc, upper, pieces);
  return {lower, upper, 1};
}

void mlir::pl::takeShareOfTrips(RewriterBase &rewriter, ForOp loop,
                                int64_t step, Value worker, int64_t workers,
                                Distribution distribution) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLower(), upper = loop.getUpper();
  Value trips = upper;
  if (distribution == Distribution::contiguous)
    trips = createTripCount(rewriter, loc, lower, upper, step);
  Share share =
      createShare(rewriter, loc, trips, worker, workers, distribution);
  if (distribution == Distribution::contiguous)
    upper =
        createMin(rewriter, loc,
                  createMulAdd(rewriter, loc, share.upper, step, lower), upper);
  lower = createMulAdd(rewriter, loc, share.lower, step, lower);
  Value newStep = createIndex(rewriter, loc, step * share.step);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getLowerMutable().assign(lower);
    loop.getUpperMutable().assign(upper);
    loop.getStepMutable().assign(newStep);
  });
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void mlir::pl::takeTile(RewriterBase &rewriter, ForOp loop, Value tile,
                        int64_t span, bool isWhole) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value first = createMulAdd(rewriter, loc, tile, span, loop.getLower());
  Value end = createMulAdd(rewriter, loc, first, 1,
                           arith::ConstantIndexOp::create(rewriter, loc, span));
  if (!isWhole)
    end = createMin(rewriter, loc, end, loop.getUpper());
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getLowerMutable().assign(first);
    loop.getUpperMutable().assign(end);
  });
}

void mlir::pl::shareTiles(RewriterBase &rewriter, ForOp loop,
                          const Tiling &tiling, Value worker, int64_t workers,
                          Distribution distribution) {
  if (distribution == Distribution::strided && tiling.tile == 1)
    return takeShareOfTrips(rewriter, loop, tiling.step, worker, workers,
                            distribution);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Share share =
      createShare(rewriter, loc, tiling.tiles, worker, workers, distribution);
  if (distribution == Distribution::contiguous) {
    Value first =
        createMulAdd(rewriter, loc, share.lower, tiling.span, loop.getLower());
    Value end = createMin(
        rewriter, loc,
        createMulAdd(rewriter, loc, share.upper, tiling.span, loop.getLower()),
        loop.getUpper());
    rewriter.modifyOpInPlace(loop, [&] {
      loop.getLowerMutable().assign(first);
      loop.getUpperMutable().assign(end);
    });
    return;
  }
  auto outer =
      ForOp::create(rewriter, loc, LoopKind::range, share.lower, share.upper,
                    arith::ConstantIndexOp::create(rewriter, loc, share.step));
  rewriter.moveOpBefore(loop, outer.getYield());
  takeTile(rewriter, loop, outer.getInductionVariable(), tiling.span,
           tiling.isWhole);
}

void mlir::pl::moveBody(RewriterBase &rewriter, Operation *task, Block *to,
                        Value index, Value blocks) {
  Block &body = task->getRegion(0).front();
  body.walk([&](Operation *op) {
    if (isa<BlockIdxOp>(op))
      rewriter.replaceAllUsesWith(op->getResult(0), index);
    if (isa<BlockNumOp>(op))
      rewriter.replaceAllUsesWith(op->getResult(0), blocks);
  });
  SmallVector<Value> arguments;
  if (isa<SpmdOp>(task))
    arguments.push_back(index);
  rewriter.inlineBlockBefore(&body, to, to->end(), arguments);
}

LogicalResult mlir::pl::checkNumber(Operation *task, StringRef what,
                                    StringRef name, int64_t number,
                                    Diagnostic &refusal) {
  if (number >= 1 && number <= INT32_MAX)
    return success();
  refuse(refusal, what, task)
      << name << " is " << number << ", but must be between 1 and 2147483647";
  return failure();
}

LogicalResult mlir::pl::checkBlocks(Operation *task, StringRef what,
                                    std::optional<int64_t> blocks,
                                    StringRef advice, Diagnostic &refusal) {
  bool isMixed = coreUseOf(task->getRegion(0)).isMixed();
  task->walk([&](SplitAivOp) { isMixed = true; });
  // A block on a whole cluster takes a cube core and two vector cores.
  int64_t most = ::pl::kMaxLaunchLanes / (isMixed ? 3 : 1);
  if (!blocks || *blocks <= most)
    return success();
  refuse(refusal, what, task)
      << "it would have " << *blocks << " blocks, but a launch "
      << (isMixed ? "of a task with work for cube and vector cores " : "")
      << "has at most " << most << "; " << advice;
  return failure();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

LogicalResult mlir::pl::transformTasks(
    func::FuncOp func, StringRef name,
    function_ref<LogicalResult(RewriterBase &, Operation *, Diagnostic &)>
        transform) {
  SmallVector<Operation *> tasks;
  bool hasOthers = false;
  func.walk([&](Operation *op) {
    if (!isa<AtOp, SpmdOp>(op))
      return;
    if (name.empty() || taskName(op) == name)
      tasks.push_back(op);
    else
      hasOthers = true;
  });
  if (tasks.empty() && hasOthers)
    emitWarning(func.getLoc())
        << "there is no task '" << name << "' in '" << func.getName() << "'";
  IRRewriter rewriter(func.getContext());
  bool isRefused = false;
  for (Operation *task : tasks) {
    Diagnostic refusal(task->getLoc(), name.empty()
                                           ? DiagnosticSeverity::Remark
                                           : DiagnosticSeverity::Error);
    if (succeeded(transform(rewriter, task, refusal)))
      continue;
    isRefused |= !name.empty();
    func.getContext()->getDiagEngine().emit(std::move(refusal));
  }
  return failure(isRefused);
}

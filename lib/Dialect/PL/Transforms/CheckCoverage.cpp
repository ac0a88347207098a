//===- CheckCoverage.cpp - No rows are left out ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoverageChecker.h"
#include "Undecided.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKCOVERAGE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Tensors, dims and tiles
//===----------------------------------------------------------------------===//

void CoverageChecker::collectTensors() {
  auto collectWrite = [&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<StoreOp, WriteOp, StoreBoxOp, PutOp, GetOp>(
            [&](auto write) { everWritten.insert(rootOf(write.getTarget())); });
  };
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<AtOp, SpmdOp>(op)) {
      tasks.push_back(op);
      op->walk(collectWrite);
      return WalkResult::skip();
    }
    if (auto alloc = dyn_cast<AllocOp>(op))
      if (!isa_and_nonnull<WindowAttr>(alloc.getType().getMemorySpace()) &&
          !alloc->hasAttr("pl.init_value"))
        produced.insert(alloc);
    collectWrite(op);
    return WalkResult::advance();
  });
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || isa_and_nonnull<WindowAttr>(type.getMemorySpace()))
      continue;
    auto direction = func.getArgAttrOfType<DirectionAttr>(
        argument.getArgNumber(), "pl.direction");
    if (direction && direction.getValue() == Direction::out) {
      produced.insert(argument);
      outputs.insert(argument);
    } else if (!type.hasStaticShape() && direction &&
               direction.getValue() == Direction::in && !argument.use_empty()) {
      inputs.insert(argument);
    }
  }
}

//===----------------------------------------------------------------------===//
// One set of dims
//===----------------------------------------------------------------------===//

static bool isAtomicAdd(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getAtomic() == AtomicKind::add;
  if (auto store = dyn_cast<StoreBoxOp>(op))
    return store.getAtomic() == AtomicKind::add;
  if (auto put = dyn_cast<PutOp>(op))
    return put.getAtomic() == AtomicKind::add;
  return false;
}

/// Whether an element counts, or may be padding. On each axis it must come
/// first, or be one of a dim that the axis is made from, or the axis must be as
/// long as one that the caller gets back.
bool CoverageChecker::isLive(const DimValues &dims, ArrayRef<int64_t> shape,
                             Value root, int64_t element) {
  auto type = cast<MemRefType>(root.getType());
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t index = element % std::max<int64_t>(shape[axis], 1);
    element /= std::max<int64_t>(shape[axis], 1);
    bool counts = index == 0;
    if (type.isDynamicDim(axis)) {
      llvm::StringSet<> names;
      if (auto argument = dyn_cast<BlockArgument>(root)) {
        if (DimAttr name = dimOf(argument, axis))
          names.insert(name.getName());
      } else if (Value size = sizeOf(root, axis)) {
        names = samples.dimsOf(size);
      }
      for (const auto &name : names)
        counts |= index < dims.lookup(name.getKey());
    } else {
      for (BlockArgument argument : func.getArguments())
        if (auto other = dyn_cast<MemRefType>(argument.getType());
            other && !inputs.contains(argument) && argument != root &&
            isWritten(argument))
          counts |= llvm::is_contained(other.getShape(), shape[axis]);
    }
    if (!counts)
      return false;
  }
  return true;
}

/// Whether a part of a loaded tile may be thrown away later.
bool CoverageChecker::isNarrowed(Operation *load) {
  auto [found, isNew] = narrowed.try_emplace(load, false);
  if (!isNew)
    return found->second;
  llvm::SetVector<Operation *> users;
  users.insert(load);
  bool result = false;
  for (size_t i = 0; i < users.size() && !result; ++i) {
    Operation *op = users[i];
    result = isa<SetValidOp, SubtileOp, ExtractOp, FillPadOp, SliceOp,
                 TileReadOp, FillPadExpandOp>(op);
    for (Value value : op->getResults())
      if (isa<TileType>(value.getType()))
        users.insert(value.user_begin(), value.user_end());
  }
  return narrowed[load] = result;
}

/// A parameter that the caller gets back.
bool CoverageChecker::isWritten(BlockArgument argument) {
  auto direction = func.getArgAttrOfType<DirectionAttr>(argument.getArgNumber(),
                                                        "pl.direction");
  return direction && direction.getValue() != Direction::in;
}

bool CoverageChecker::findGaps(const DimValues &dims, std::vector<Gap> &gaps,
                               Value only) {
  Footprint footprint(func, dims);
  struct State {
    ElementSet written, zeroed, read;
    bool anyWrite = false, anyRead = false; ///< of elements that are not known
  };
  DenseMap<Value, State> states;
  auto isWanted = [&](Value root) {
    return (!only || root == only) &&
           (produced.contains(root) || inputs.contains(root));
  };
  auto addGap = [&](Lack lack, Value root, Operation *op,
                    std::pair<int64_t, int64_t> missing, bool isAtomic) {
    std::optional<SmallVector<int64_t>> shape = footprint.shapeOf(root);
    if (!shape || shape->empty())
      return;
    int64_t row = 1;
    for (int64_t extent : ArrayRef<int64_t>(*shape).drop_front())
      row *= extent;
    if (row == 0)
      return;
    Gap gap{lack,
            root,
            op,
            missing.first / row,
            (missing.second - 1) / row,
            shape->front(),
            isAtomic};
    for (Gap &known : gaps)
      if (known.key() == gap.key()) {
        known.lastRow = std::max(known.lastRow, gap.lastRow);
        return;
      }
    if (isLive(dims, *shape, root, missing.first))
      gaps.push_back(gap);
  };
  for (Operation *task : tasks) {
    // Within a task, reads count as coming after all its writes.
    llvm::MapVector<std::pair<Operation *, Value>, ElementSet> reads;
    bool good = footprint.walk(task, isWanted, [&](const Touch &touch) {
      State &state = states[touch.root];
      if (!touch.ranges) {
        state.anyWrite |= touch.writes;
        if (touch.writes)
          unknownWrites.try_emplace(touch.root, touch.op);
        state.anyRead |= touch.reads;
        return true;
      }
      for (auto [begin, end] : *touch.ranges) {
        if (touch.writes)
          state.written.insert(begin, end);
        if (touch.writes && !touch.atomic)
          state.zeroed.insert(begin, end);
        if (touch.reads && inputs.contains(touch.root))
          state.read.insert(begin, end);
        else if (touch.reads && touch.certain && !isNarrowed(touch.op))
          reads[{touch.op, touch.root}].insert(begin, end);
      }
      return true;
    });
    steps -= footprint.stepsOfLastWalk();
    // What a task without end touches is not known.
    if (!good)
      task->walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (isa<MemRefType>(operand.getType())) {
            State &state = states[rootOf(operand)];
            state.anyWrite = state.anyRead = true;
            unknownWrites.try_emplace(rootOf(operand), task);
          }
      });
    if (steps < 0)
      return false;
    for (auto &[access, set] : reads) {
      auto [op, root] = access;
      State &state = states[root];
      // What nothing writes at all is the front end's concern.
      if (state.anyWrite || !everWritten.contains(root))
        continue;
      bool isAtomic = isAtomicAdd(op);
      const ElementSet &before = isAtomic ? state.zeroed : state.written;
      for (auto [begin, end] : set)
        if (auto missing = before.firstMissing(begin, end))
          addGap(Lack::NotWritten, root, op, *missing, isAtomic);
    }
  }
  auto checkWhole = [&](Value root, Lack lack) {
    std::optional<SmallVector<int64_t>> shape = footprint.shapeOf(root);
    if (!shape)
      return;
    State &state = states[root];
    if (lack == Lack::NotRead ? state.anyRead : state.anyWrite)
      return;
    int64_t count = 1;
    for (int64_t extent : *shape)
      count *= extent;
    const ElementSet &set = lack == Lack::NotRead ? state.read : state.written;
    for (int64_t begin = 0; begin < count;) {
      auto missing = set.firstMissing(begin, count);
      if (!missing)
        break;
      addGap(lack, root, nullptr, *missing, false);
      begin = missing->second;
    }
  };
  for (Value root : outputs)
    if (isWanted(root))
      checkWhole(root, Lack::OutputNotWritten);
  for (Value root : inputs)
    if (isWanted(root))
      checkWhole(root, Lack::NotRead);
  return true;
}

bool CoverageChecker::hasGap(const DimValues &dims, const Gap &gap) {
  std::vector<Gap> gaps;
  if (!findGaps(dims, gaps, gap.root)) {
    gaveUp = true;
    return false;
  }
  return llvm::any_of(
      gaps, [&](const Gap &other) { return other.key() == gap.key(); });
}

/// Whether a gap is there for `value` of a dim and `other` of all others.
bool CoverageChecker::isSure(const Gap &gap, StringRef dim, int64_t value,
                             int64_t other) {
  if (names.size() == 1)
    return true;
  return hasGap(DimSamples::valuesOf(names, dim, value, other), gap);
}

LogicalResult CoverageChecker::run() {
  collectTensors();
  if (tasks.empty())
    return success();
  numChecked = produced.size() + inputs.size();
  int64_t whole = 1;
  for (StringRef name : names)
    if (const std::set<int64_t> &tiles = samples.tilesOf(name); !tiles.empty())
      whole = std::max(whole, *tiles.rbegin());
  // Dims may depend on each other: first all have one value, and what is
  // missing then counts for a dim if it is also missing for other others.
  SmallVector<int64_t, 2> sizes = {1};
  if (whole > 1 && !names.empty())
    sizes.push_back(2 * std::min(whole, kMaxSample) + 1);
  for (int64_t sample : sizes) {
    DimValues dims = DimSamples::valuesOf(names, "", 0, sample);
    std::vector<Gap> gaps;
    if (!findGaps(dims, gaps)) {
      ++numUndecided;
      if (remarks)
        emitUndecided(func.getLoc(),
                      "whether '" + func.getName() +
                          "' writes all that it reads and returns",
                      "its tasks have too many blocks and steps to follow");
      return success();
    }
    for (const Gap &gap : gaps) {
      if (names.empty() && gap.lack == Lack::NotWritten)
        report(gap, dims, "", 0, nullptr);
      for (StringRef name : names)
        if (isSure(gap, name, sample, whole) &&
            isSure(gap, name, sample, 3 * whole + 1))
          judge(gap, dims, name);
      // Inputs may hold more than a program reads.
      if (gap.lack != Lack::NotRead)
        remarkGap(gap, dims, "", 0);
    }
  }
  remarkUnknown();
  return failure(failedAny);
}

namespace {
struct CheckCoverage : mlir::pl::impl::CheckCoverageBase<CheckCoverage> {
  using CheckCoverageBase::CheckCoverageBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!isOrchestration(getOperation()))
      return;
    CoverageChecker checker(getOperation(), getAnalysis<DimSamples>(), remarks);
    if (failed(checker.run()))
      signalPassFailure();
    numChecked += checker.numChecked;
    numAssumed += checker.numAssumed;
    numUndecided += checker.numUndecided;
  }
};
} // namespace

//===- CoverageReport.cpp - Which gaps are mistakes, and why ------------- ===//
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
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::pl;

static std::string rowsText(const Gap &gap) {
  std::string text = gap.firstRow == gap.lastRow
                         ? "row " + std::to_string(gap.firstRow)
                         : "rows " + std::to_string(gap.firstRow) + ".." +
                               std::to_string(gap.lastRow);
  return text + " of " + std::to_string(gap.rows);
}

/// The loads of a tensor that is not read enough, the stores of any other.
SmallVector<Operation *> CoverageChecker::touchersOf(const Gap &gap) {
  SmallVector<Operation *> found;
  auto add = [&](Operation *op, Value tensor) {
    if (rootOf(tensor) == gap.root)
      found.push_back(op);
  };
  for (Operation *task : tasks)
    task->walk([&](Operation *op) {
      if (gap.lack == Lack::NotRead)
        llvm::TypeSwitch<Operation *>(op)
            .Case<LoadOp, ReadOp, LoadBoxOp, GatherRowOp, PutOp, GetOp>(
                [&](auto read) { add(op, read.getSource()); });
      else
        llvm::TypeSwitch<Operation *>(op)
            .Case<StoreOp, WriteOp, StoreBoxOp, PutOp, GetOp>(
                [&](auto write) { add(op, write.getTarget()); });
    });
  return found;
}

/// The division that decides how many blocks or steps do `ops`, and leaves a
/// rest of a tile; null if none is found.
static Operation *roundedDown(ArrayRef<Operation *> ops, int64_t tile) {
  SmallVector<Value> open;
  for (Operation *op : ops)
    for (Operation *around = op->getParentOp(); around;
         around = around->getParentOp()) {
      if (auto loop = dyn_cast<ForOp>(around))
        open.push_back(loop.getUpper());
      if (auto spmd = dyn_cast<SpmdOp>(around))
        open.push_back(spmd.getBlocks());
    }
  llvm::SetVector<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value) || !op || op->getNumRegions())
      continue;
    if (isa<arith::FloorDivSIOp, arith::DivSIOp>(op)) {
      std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
      LinearExpr sum = LinearExpr::of(op->getOperand(0)), rest = sum;
      // max(T, tile) // tile has a guard for the one part of a tile it allows.
      bool isPadded = false;
      for (auto [term, coefficient] : sum.getTerms()) {
        rest = rest - LinearExpr::symbol(term) * coefficient;
        isPadded |= bool(term.getDefiningOp<arith::MaxSIOp>());
      }
      bool roundsUp = divisor && rest.asConstant() == *divisor - 1;
      if (divisor && *divisor > 1 && tile % *divisor == 0 && !roundsUp &&
          !isPadded && !sum.getTerms().empty())
        return op;
    }
    llvm::append_range(open, op->getOperands());
  }
  return nullptr;
}

/// Whether a product may be made of what `load` reads.
static bool isInProduct(Operation *load) {
  llvm::SetVector<Operation *> users;
  users.insert(load);
  for (size_t i = 0; i < users.size(); ++i) {
    if (isa<MatmulOp, MatmulAccOp>(users[i]))
      return true;
    for (Value value : users[i]->getResults())
      if (isa<TileType>(value.getType()))
        users.insert(value.user_begin(), value.user_end());
  }
  return false;
}

void CoverageChecker::report(const Gap &gap, const DimValues &dims,
                             StringRef dim, int64_t tile, const Guard *guard) {
  if (!reported.insert(gap.key()).second ||
      (tile && !reportedTiles.insert({dim, tile}).second))
    return;
  // Rows of a product come from rows of its left side: padding is no mistake if
  // what becomes of it is thrown away, as a run shows.
  bool isPadding = names.empty() && gap.lack == Lack::NotWritten &&
                   !gap.isAtomic && isInProduct(gap.op);
  failedAny |= !isPadding;
  std::string name = nameOf(gap.root);
  std::string when;
  if (!dim.empty())
    when = (" when " + dim + " is " + Twine(dims.lookup(dim))).str();
  Location loc = gap.op ? gap.op->getLoc() : gap.root.getLoc();
  InFlightDiagnostic diag =
      isPadding ? mlir::emitWarning(loc) : mlir::emitError(loc);
  diag << "PL110: ";
  switch (gap.lack) {
  case Lack::NotWritten:
    diag << rowsText(gap) << " of '" << name << "' "
         << (gap.firstRow == gap.lastRow ? "is " : "are ")
         << (gap.isAtomic ? "added to" : "read") << " here" << when
         << ", but no task up to this one "
         << (gap.isAtomic ? "sets" : "writes")
         << (gap.firstRow == gap.lastRow ? " it" : " them");
    if (isPadding)
      diag << ": if this is padding of a product, its rows of the result must "
              "not be used";
    break;
  case Lack::OutputNotWritten:
    diag << rowsText(gap) << " of output '" << name << "' "
         << (gap.firstRow == gap.lastRow ? "is" : "are")
         << " written by no task" << when;
    break;
  case Lack::NotRead:
    diag << rowsText(gap) << " of '" << name << "' "
         << (gap.firstRow == gap.lastRow ? "is" : "are") << " read by no task"
         << when;
    break;
  }
  SmallVector<Operation *> touchers = touchersOf(gap);
  if (tile) {
    diag << "; none is missing when it is a multiple of " << tile
         << ", so a number of blocks or steps is rounded down";
    if (Operation *division = roundedDown(touchers, tile))
      diag.attachNote(division->getLoc())
          << "it is rounded down here; round it up, (" << dim << " + "
          << tile - 1 << ") // " << tile << ", and clamp the last tile, pl.min("
          << tile << ", " << dim << " - first row)";
  }
  if (guard)
    diag.attachNote(guard->op->getLoc())
        << dim << " may be no multiple of " << tile
        << ": here a part of a tile of " << guard->tile << " is taken care of";
  for (Operation *op : ArrayRef<Operation *>(touchers).take_front(2))
    if (op != gap.op)
      diag.attachNote(op->getLoc())
          << "'" << name << "' is "
          << (gap.lack == Lack::NotRead ? "read" : "written") << " here";
}

/// That a gap is there for some sizes, for which `dim` may not be meant: it is
/// no multiple of `tile`, if that is known.
void CoverageChecker::remarkGap(const Gap &gap, const DimValues &dims,
                                StringRef dim, int64_t tile) {
  if (!remarks || reported.count(gap.key()) ||
      !remarked.insert(gap.root).second)
    return;
  std::string what = "'" + nameOf(gap.root) + "'", question;
  switch (gap.lack) {
  case Lack::NotWritten:
    question = "whether all of " + what + " that is " +
               (gap.isAtomic ? "added to" : "read") + " here has been " +
               (gap.isAtomic ? "set" : "written");
    break;
  case Lack::OutputNotWritten:
    question = "whether all of output " + what + " is written";
    break;
  case Lack::NotRead:
    question = "whether all of " + what + " is read";
    break;
  }
  std::string why = rowsText(gap);
  why += gap.firstRow == gap.lastRow ? " is missing" : " are missing";
  StringRef separator = " when ";
  for (StringRef name : names)
    if (dim.empty() || name == dim) {
      why += (separator + name + " is " + Twine(dims.lookup(name))).str();
      separator = " and ";
    }
  if (tile)
    why += ", and none when it is a multiple of " + std::to_string(tile);
  else if (!names.empty())
    why += ", but not for all sizes";
  InFlightDiagnostic diag = emitUndecided(
      gap.op ? gap.op->getLoc() : gap.root.getLoc(), question, why);
  if (tile)
    if (Operation *division = roundedDown(touchersOf(gap), tile))
      diag.attachNote(division->getLoc()) << "it is rounded down here";
}

/// Tensors whose rows cannot be counted at all.
void CoverageChecker::remarkUnknown() {
  if (!remarks)
    return;
  for (auto [root, op] : unknownWrites)
    if (produced.contains(root) && remarked.insert(root).second)
      emitUndecided(op->getLoc(),
                    "whether all of '" + Twine(nameOf(root)) +
                        "' that is read or returned is written",
                    isa<AtOp, SpmdOp>(op)
                        ? "this task has too many steps to follow"
                        : "which elements are written here is known to the "
                          "run only");
}

/// A gap that is there for one value of `dim`, whatever the other dims are.
void CoverageChecker::judge(const Gap &gap, const DimValues &dims,
                            StringRef dim) {
  if (reported.count(gap.key()))
    return;
  auto isRight = [&](int64_t value) {
    DimValues whole;
    for (StringRef name : names)
      whole[name] =
          samples.tilesOf(name).empty() ? 1 : *samples.tilesOf(name).rbegin();
    whole[dim] = value;
    return !hasGap(whole, gap);
  };
  // The least tile of whose multiples all are right.
  for (int64_t tile : samples.tilesOf(dim)) {
    int64_t similar = (dims.lookup(dim) + tile - 1) / tile * tile;
    if (!isRight(tile) || !isRight(2 * tile) || !isRight(similar))
      continue;
    if (gaveUp)
      return;
    // The tail is meant to be handled where the tensor is touched itself.
    SmallVector<Operation *> touchers = touchersOf(gap);
    auto isBeside = [&](const Guard &guard) {
      return llvm::any_of(touchers, [&](Operation *op) {
        Operation *task = op->getParentOp();
        while (!isa<AtOp, SpmdOp, func::FuncOp>(task))
          task = task->getParentOp();
        return task->isAncestor(guard.op);
      });
    };
    if (roundedDown(touchers, tile))
      for (const Guard &guard : samples.guardsOf(dim))
        if (tile % guard.tile == 0 && isBeside(guard))
          return report(gap, dims, dim, tile, &guard);
    ++numAssumed;
    remarkGap(gap, dims, dim, tile);
    reported.insert(gap.key());
    return;
  }
  // Many programs read a part of some input, or fill a part of an output. What
  // a task of this program reads must be there, at least where all tiles are
  // whole.
  int64_t all = 2;
  for (int64_t tile : samples.tilesOf(dim))
    if (int64_t both = std::lcm(all, tile); both <= DimSamples::kMaxTile)
      all = both;
  int64_t nice = (dims.lookup(dim) + all - 1) / all * all;
  if (gap.lack == Lack::NotWritten && !isRight(nice) && !isRight(3 * nice) &&
      !gaveUp)
    report(gap, dims, dim, 0, nullptr);
}

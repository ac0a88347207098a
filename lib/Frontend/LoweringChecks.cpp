//===- LoweringChecks.cpp - what is wrong although every line is legal ----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks over the lowered program that need no more than phase `pl` says.
//
//===----------------------------------------------------------------------===//

#include "LoweringChecks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace pl::frontend;
using llvm::DenseMap;
using llvm::SmallPtrSet;

//===----------------------------------------------------------------------===//
// Reads of what nothing wrote
//===----------------------------------------------------------------------===//

namespace {

/// How a tensor is used: the ops that read it, and those that write it or may.
struct Uses {
  SmallVector<mlir::Operation *> reads, writes;
};

/// Sorts the uses of tensors. What is not known to be a plain read may write.
class UseFinder {
public:
  const Uses &find(mlir::Value memref);

private:
  void collect(mlir::Value memref, Uses &uses);
  void addCall(mlir::func::CallOp call, mlir::OpOperand &operand, Uses &uses);

  DenseMap<mlir::Value, Uses> known;
};

} // namespace

const Uses &UseFinder::find(mlir::Value memref) {
  auto [it, isNew] = known.try_emplace(memref);
  if (!isNew)
    return it->second;
  Uses uses;
  collect(memref, uses);
  return known[memref] = std::move(uses);
}

/// A call does with its argument what the function does with the parameter.
void UseFinder::addCall(mlir::func::CallOp call, mlir::OpOperand &operand,
                        Uses &uses) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.isExternal()) {
    uses.writes.push_back(call);
    return;
  }
  const Uses &inner = find(callee.getArgument(operand.getOperandNumber()));
  if (!inner.writes.empty())
    uses.writes.push_back(call);
  else if (!inner.reads.empty())
    uses.reads.push_back(call);
}

void UseFinder::collect(mlir::Value memref, Uses &uses) {
  for (mlir::OpOperand &operand : memref.getUses()) {
    mlir::Operation *op = operand.getOwner();
    if (mlir::isa<mlir::memref::DimOp>(op))
      continue;
    if (auto view = mlir::dyn_cast<mlir::ViewLikeOpInterface>(op)) {
      if (view.getViewSource() == memref) {
        collect(view->getResult(0), uses);
        continue;
      }
    }
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
      addCall(call, operand, uses);
      continue;
    }
    auto effects = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(op);
    SmallVector<mlir::MemoryEffects::EffectInstance> list;
    if (effects && op->getNumRegions() == 0)
      effects.getEffectsOnValue(memref, list);
    bool onlyReads =
        !list.empty() && llvm::all_of(list, [](const auto &effect) {
          return mlir::isa<mlir::MemoryEffects::Read>(effect.getEffect());
        });
    (onlyReads ? uses.reads : uses.writes).push_back(op);
  }
}

/// Whether `write` may have run when `read` runs for the first time: it comes
/// before it, or both are in one loop. The tensor is made outside of both.
static bool mayRunBefore(mlir::Operation *write, mlir::Operation *read,
                         mlir::Operation *made) {
  for (mlir::Operation *at = read; at; at = at->getParentOp()) {
    mlir::Operation *other = at->getBlock()->findAncestorOpInBlock(*write);
    if (other)
      return other == at || other->isBeforeInBlock(at);
    if (at->getBlock() == made->getBlock())
      break;
  }
  return true;
}

void pl::frontend::warnOfNeverWritten(ModuleLowering &module) {
  UseFinder finder;
  module.module->walk([&](ir::AllocOp alloc) {
    // Attributes such as a value to start from are no operands.
    if (alloc->hasAttr("pl.init_value"))
      return;
    const Uses &uses = finder.find(alloc.getMemref());
    mlir::Operation *first = nullptr;
    for (mlir::Operation *read : uses.reads) {
      bool isLoop = false;
      for (mlir::Operation *at = read->getParentOp();
           at && at != alloc->getParentOp(); at = at->getParentOp())
        isLoop |= mlir::isa<ir::ForOp, mlir::scf::WhileOp>(at);
      bool written = llvm::any_of(uses.writes, [&](mlir::Operation *write) {
        return isLoop || mayRunBefore(write, read, alloc);
      });
      if (!written && (!first || mayRunBefore(read, first, alloc)))
        first = read;
    }
    if (!first)
      return;
    // Whether the value matters is known when it runs (padding may not).
    auto warning = mlir::emitWarning(first->getLoc())
                   << "PL048: '" << alloc.getName()
                   << "' is read here, but nothing has written it";
    warning.attachNote(alloc.getLoc())
        << "it is made here and holds nothing yet; write it first, or pass "
           "init_value=0";
  });
}

//===----------------------------------------------------------------------===//
// Reads that 'and' does not guard
//===----------------------------------------------------------------------===//

/// What a scalar is computed from, itself included. Reads of memory are leaves.
static void collectSources(mlir::Value value,
                           SmallPtrSet<mlir::Value, 16> &sources) {
  SmallVector<mlir::Value> work = {value};
  while (!work.empty() && sources.size() < 1000) {
    mlir::Value next = work.pop_back_val();
    mlir::Operation *op = next.getDefiningOp();
    if (op && op->hasTrait<mlir::OpTrait::ConstantLike>())
      continue;
    if (!sources.insert(next).second)
      continue;
    if (op && op->getNumRegions() == 0 && !mlir::isa<ir::ReadOp>(op))
      work.append(op->operand_begin(), op->operand_end());
  }
}

/// Whether an index is known to be inside an axis wherever it is read.
static bool isInside(mlir::Value index, mlir::MemRefType type, unsigned axis) {
  int64_t extent = type.getDimSize(axis);
  llvm::APInt number;
  if (mlir::matchPattern(index, mlir::m_ConstantInt(&number)))
    return !number.isNegative() && (extent == mlir::ShapedType::kDynamic ||
                                    number.getSExtValue() < extent);
  if (auto cast = index.getDefiningOp<mlir::arith::IndexCastOp>())
    return isInside(cast.getIn(), type, axis);
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(index);
  if (!argument || extent == mlir::ShapedType::kDynamic)
    return false;
  auto loop = mlir::dyn_cast<ir::ForOp>(argument.getOwner()->getParentOp());
  return loop && argument.getArgNumber() == 0 &&
         mlir::matchPattern(loop.getUpper(), mlir::m_ConstantInt(&number)) &&
         number.getSExtValue() <= extent;
}

void pl::frontend::checkGuardedReads(FunctionLowering &f, mlir::Value guard,
                                     mlir::Operation *from,
                                     const BoolOpExpr *expr, SourceRange side) {
  bool isAnd = expr->op == BoolOpKind::And;
  SmallPtrSet<mlir::Value, 16> guarded;
  collectSources(guard, guarded);
  mlir::Block *block = f.builder.getInsertionBlock();
  auto at = from ? std::next(from->getIterator()) : block->begin();
  for (mlir::Operation &op :
       llvm::make_range(at, f.builder.getInsertionPoint())) {
    auto read = mlir::dyn_cast<ir::ReadOp>(op);
    if (!read)
      continue;
    auto type = mlir::dyn_cast<mlir::MemRefType>(read.getSource().getType());
    for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
      SmallPtrSet<mlir::Value, 16> sources;
      collectSources(index, sources);
      bool usesGuarded = llvm::any_of(
          sources, [&](mlir::Value value) { return guarded.contains(value); });
      if (!usesGuarded || (type && isInside(index, type, axis)))
        continue;
      f.warning(DiagCode::GuardedRead, side,
                "both sides of '" + getSpelling(expr->op) +
                    "' are evaluated: what stands before does not keep this "
                    "read in bounds")
          .note(expr->values.front()->range,
                isAnd ? "write 'if' with this test, and the read in an 'if' "
                        "inside it"
                      : "write 'if' with this test, and the read in its "
                        "'else'");
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Remarks about speed
//===----------------------------------------------------------------------===//

/// Bytes of global memory that one access moves at least.
static constexpr int64_t kAccessBytes = 512;

void pl::frontend::remarkShortRows(ModuleLowering &module) {
  module.module->walk([](mlir::Operation *op) {
    auto load = mlir::dyn_cast<ir::LoadOp>(op);
    auto store = mlir::dyn_cast<ir::StoreOp>(op);
    if (!load && !store)
      return;
    mlir::Value tile = load ? op->getResult(0) : op->getOperand(0);
    auto type = mlir::dyn_cast<ir::TileType>(tile.getType());
    if (!type || type.getRows() == 1)
      return;
    int64_t bits =
        type.getCols() * type.getElementType().getIntOrFloatBitWidth();
    if (bits >= kAccessBytes * 8)
      return;
    mlir::emitRemark(op->getLoc())
        << "PL091: each row of this " << (load ? "load" : "store") << " is "
        << bits / 8 << " bytes long, and global memory moves " << kAccessBytes
        << " at a time; move more columns at once where the next ones are "
           "needed too";
  });
}

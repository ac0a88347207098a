//===- Exchanges.cpp - The parts of a task that sends ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"

#include "ScheduleUtils.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::isScalar(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !op->hasTrait<::mlir::OpTrait::IsTerminator>() &&
         !isa<BlockIdxOp, BlockNumOp>(op);
}

SmallVector<NotifyOp> mlir::pl::notifiesOf(Operation *op) {
  SmallVector<NotifyOp> notifies;
  WalkResult walk = op->walk([&](Operation *inner) {
    if (auto notify = dyn_cast<NotifyOp>(inner))
      notifies.push_back(notify);
    else if (!isa<ForOp, scf::IfOp, YieldOp, scf::YieldOp>(inner) &&
             !isScalar(inner))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    notifies.clear();
  return notifies;
}

FailureOr<SmallVector<Credits>>
mlir::pl::rescalable(ArrayRef<NotifyOp> sends, int64_t times, StringRef what,
                     Operation *task, Diagnostic &refusal) {
  llvm::SetVector<Value> signals;
  for (NotifyOp send : sends)
    signals.insert(NotifyOp(send).getTarget());
  SmallVector<Credits> all;
  for (Value signal : signals) {
    Diagnostic reason(task->getLoc(), DiagnosticSeverity::Error);
    FailureOr<Credits> credits = Credits::of(signal, reason);
    if (succeeded(credits))
      for (NotifyOp send : sends)
        if (const Credit *use = credits->find(send);
            use && use->kind != Credit::Kind::send) {
          refuse(refusal, what, task)
              << "it takes off credits of '" << nameOf(signal)
              << "', which each of its blocks would do again";
          refusal.attachNote(send.getLoc()) << "taken off here";
          return failure();
        }
    if (failed(credits) || failed(credits->canRescale(sends, times, reason))) {
      refuse(refusal, what, task)
          << "the credits of '" << nameOf(rootOf(signal))
          << "' cannot be followed";
      for (Diagnostic &note : reason.getNotes())
        refusal.attachNote(note.getLocation()) << note.str();
      return failure();
    }
    all.push_back(std::move(*credits));
  }
  return all;
}

void mlir::pl::rescale(RewriterBase &rewriter, ArrayRef<Credits> credits,
                       ArrayRef<NotifyOp> sends, int64_t times) {
  for (const Credits &ofSignal : credits) {
    Diagnostic unused(rewriter.getUnknownLoc(), DiagnosticSeverity::Error);
    if (failed(ofSignal.rescale(rewriter, sends, times, unused)))
      llvm_unreachable("was found possible");
  }
}

std::optional<SmallVector<ForOp>> mlir::pl::loopsAround(Operation *op,
                                                        Operation *root) {
  SmallVector<ForOp> loops;
  for (Operation *around = op; around != root;) {
    around = around->getParentOp();
    auto loop = dyn_cast<ForOp>(around);
    if (!loop || !loop.getInits().empty())
      return std::nullopt;
    loops.push_back(loop);
  }
  std::reverse(loops.begin(), loops.end());
  for (ForOp loop : loops)
    for (Operation &inner : loop.getBody().front())
      if (&inner != op && !isa<YieldOp>(inner) && !isScalar(&inner) &&
          !llvm::is_contained(loops, dyn_cast<ForOp>(&inner)))
        return std::nullopt;
  return loops;
}

Operation *Recomputation::obstacle(Value value, ValueRange known) const {
  if (llvm::is_contained(known, value) ||
      !from->isAncestor(value.getParentRegion()) || mapping.contains(value))
    return nullptr;
  Operation *def = value.getDefiningOp();
  if (!def)
    return value.getParentBlock()->getParentOp();
  if (!isScalar(def))
    return def;
  for (Value operand : def->getOperands())
    if (Operation *found = obstacle(operand, known))
      return found;
  return nullptr;
}

Value Recomputation::compute(OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (!from->isAncestor(value.getParentRegion()))
    return value;
  Operation *def = value.getDefiningOp();
  assert(def && isScalar(def) && "what has no obstacle");
  for (Value operand : def->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, compute(builder, operand));
  return builder.clone(*def, mapping)
      ->getResult(cast<OpResult>(value).getResultNumber());
}

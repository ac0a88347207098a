//===- DeriveDependencies.cpp - Edges between tasks from the bytes they touch
//---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_DERIVEDEPENDENCIES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// An access that later tasks may still have to wait for.
struct LiveAccess {
  Value task;
  Access access;
};

/// Why a task waits for another. RAW says most, WAR least.
struct Reason {
  EdgeKind kind;
  Value root;
  std::string region;
};

struct DeriveDependencies
    : mlir::pl::impl::DeriveDependenciesBase<DeriveDependencies> {
  void runOnOperation() override;

private:
  void addTask(Operation *task);
  void setEdges(Operation *task, llvm::MapVector<Value, Reason> &reasons);

  llvm::MapVector<Value, SmallVector<LiveAccess>> live;
  std::optional<AccessCollector> collector;
};
} // namespace

static bool isTask(Operation *op) { return isa<AtOp, SpmdOp, DummyOp>(op); }

static EdgeKind kindOf(const Access &earlier, const Access &later) {
  if (!earlier.writes)
    return EdgeKind::war;
  return later.reads ? EdgeKind::raw : EdgeKind::waw;
}

void DeriveDependencies::runOnOperation() {
  func::FuncOp func = getOperation();
  live.clear();
  collector.emplace();
  WalkResult walk = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isTask(op)) {
      if (op->getParentOp() != func) {
        op->emitError(
            "a task inside a loop or branch of the orchestration is "
            "not lowered yet; unroll the loop (pl.unroll) or move the "
            "branch into the scope");
        return WalkResult::interrupt();
      }
      addTask(op);
      return WalkResult::skip();
    }
    if (auto read = dyn_cast<ReadOp>(op)) {
      Value root = rootOf(read.getSource());
      for (const LiveAccess &earlier : live.lookup(root))
        if (earlier.access.writes) {
          InFlightDiagnostic diag =
              read.emitError()
              << "the orchestration reads '" << nameOf(root)
              << "', which a task writes; waiting for a task there is not "
                 "lowered yet: read it inside a scope";
          diag.attachNote(earlier.access.op->getLoc()) << "written here";
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    signalPassFailure();
}

void DeriveDependencies::addTask(Operation *task) {
  Value result = task->getResult(0);
  llvm::MapVector<Value, Reason> reasons;
  SmallVector<Access> accesses;
  if (!isa<DummyOp>(task))
    accesses = collector->collect(task);
  for (const Access &access : accesses) {
    auto found = live.find(access.root);
    if (found == live.end())
      continue;
    for (const LiveAccess &earlier : found->second) {
      if (earlier.task == result ||
          (!earlier.access.writes && !access.writes) ||
          (earlier.access.atomic && access.atomic))
        continue;
      if (earlier.access.region.isDisjointFrom(access.region)) {
        ++numDisjoint;
        continue;
      }
      EdgeKind kind = kindOf(earlier.access, access);
      auto [reason, isNew] = reasons.try_emplace(earlier.task);
      auto rank = [](EdgeKind k) {
        return k == EdgeKind::raw ? 2 : k == EdgeKind::waw ? 1 : 0;
      };
      if (isNew || rank(kind) > rank(reason->second.kind))
        reason->second = {kind, access.root, access.region.str()};
    }
  }
  setEdges(task, reasons);
  for (Access &access : accesses) {
    SmallVector<LiveAccess> &records = live[access.root];
    // What this write covers is ordered before whatever waits for the write.
    if (access.writes && !access.atomic)
      llvm::erase_if(records, [&](const LiveAccess &earlier) {
        return earlier.task != result &&
               access.region.covers(earlier.access.region);
      });
    bool known = llvm::any_of(records, [&](const LiveAccess &record) {
      return record.task == result && record.access.writes == access.writes &&
             record.access.reads == access.reads &&
             record.access.atomic == access.atomic &&
             record.access.region.covers(access.region);
    });
    if (!known)
      records.push_back({result, std::move(access)});
  }
}

void DeriveDependencies::setEdges(Operation *task,
                                  llvm::MapVector<Value, Reason> &reasons) {
  MLIRContext *context = &getContext();
  auto labelOf = [&](EdgeKind kind, const Reason &reason) {
    return EdgeAttr::get(context, kind,
                         StringAttr::get(context, nameOf(reason.root)),
                         StringAttr::get(context, reason.region));
  };
  llvm::TypeSwitch<Operation *>(task).Case<AtOp, SpmdOp, DummyOp>(
      [&](auto scope) {
        SmallVector<Value> deps(scope.getDeps());
        SmallVector<Attribute> edges(scope.getEdges().getValue());
        for (auto [dep, edge] : llvm::zip(deps, edges))
          if (auto reason = reasons.find(dep); reason != reasons.end()) {
            // The user's edge also orders bytes; it stays the user's.
            edge = labelOf(EdgeKind::user, reason->second);
            reasons.erase(reason);
          }
        for (auto &[dep, reason] : reasons) {
          deps.push_back(dep);
          edges.push_back(labelOf(reason.kind, reason));
          ++numEdges;
        }
        scope.getDepsMutable().assign(deps);
        scope.setEdgesAttr(ArrayAttr::get(context, edges));
      });
}

//===- DeriveDependencies.cpp - Edges from bytes --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/OptOuts.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

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

/// The live accesses of one tensor. Those whose rows are known numbers are
/// found by their rows, so that tasks on thousands of row blocks of one tensor
/// do not look at each other.
class LiveAccesses {
public:
  void insert(LiveAccess access) {
    unsigned index = records.size();
    if (std::optional<Rows> rows = rowsOf(access.access.region)) {
      byLow.insert({rows->low, index});
      longest = std::max(longest, rows->high - rows->low);
    } else {
      unknown.push_back(index);
    }
    records.push_back(std::move(access));
  }

  /// Calls `visit` for each access that may share rows with `region`, in
  /// program order; where it returns true the access is forgotten.
  void visit(const AccessRegion &region,
             function_ref<bool(const LiveAccess &)> visitOne) {
    SmallVector<unsigned> found;
    llvm::copy_if(unknown, std::back_inserter(found),
                  [&](unsigned index) { return isAlive(index); });
    auto begin = byLow.begin(), end = byLow.end();
    if (std::optional<Rows> rows = rowsOf(region)) {
      // What a loop without trips touches may end before it begins.
      int64_t first = rows->low - longest;
      begin = byLow.lower_bound(first);
      end = byLow.lower_bound(std::max(first, rows->high));
    }
    for (auto entry = begin; entry != end;)
      if (isAlive(entry->second)) {
        found.push_back(entry->second);
        ++entry;
      } else {
        entry = byLow.erase(entry);
      }
    llvm::sort(found);
    for (unsigned index : found)
      if (visitOne(records[index]))
        records[index].task = Value();
    llvm::erase_if(unknown, [&](unsigned index) { return !isAlive(index); });
  }

private:
  struct Rows {
    int64_t low, high;
  };

  bool isAlive(unsigned index) const { return bool(records[index].task); }

  static std::optional<Rows> rowsOf(const AccessRegion &region) {
    if (region.axes.empty())
      return std::nullopt;
    std::optional<int64_t> low = region.axes[0].low.asConstant();
    std::optional<int64_t> high = region.axes[0].high.asConstant();
    if (!low || !high)
      return std::nullopt;
    return Rows{*low, *high};
  }

  /// In program order; one that is forgotten has no task.
  std::vector<LiveAccess> records;
  std::multimap<int64_t, unsigned> byLow;
  /// Accesses whose rows are not numbers.
  SmallVector<unsigned> unknown;
  int64_t longest = 0;
};

/// Why a task waits for another. RAW says most, WAR least; a notify before a
/// wait is a signal.
struct Reason {
  EdgeKind kind;
  Value root;
  std::string region;
  /// The two accesses.
  Operation *earlier = nullptr, *later = nullptr;
  /// What could not be proved, unless some pair of accesses is sure to meet.
  std::string doubt = {};
  bool isSure = false, isByData = false;
};

struct DeriveDependencies
    : mlir::pl::impl::DeriveDependenciesBase<DeriveDependencies> {
  using DeriveDependenciesBase::DeriveDependenciesBase;

  void runOnOperation() override;

private:
  void addTask(Operation *task);
  void addReason(Reason &reason, bool isNew, const Access &earlier,
                 const Access &later);
  void remark(Operation *task, Value dep, const Reason &reason);
  void setEdges(Operation *task, llvm::MapVector<Value, Reason> &reasons,
                bool isManual);

  DenseMap<Value, LiveAccesses> live;
  /// Writes that make no edges, the last of each tensor.
  DenseMap<Value, Operation *> freeWrites;
  std::optional<AccessCollector> collector;
};
} // namespace

static bool isTask(Operation *op) { return isa<AtOp, SpmdOp, DummyOp>(op); }

/// Whether what `b` meets, `a` meets: so `b` need not be remembered.
static bool coversAll(const Access &a, const Access &b) {
  return a.region.covers(b.region) &&
         (!a.view || (a.view == b.view && a.inView.covers(b.inView)));
}

static EdgeKind kindOf(const Access &earlier, const Access &later) {
  if (earlier.signal && later.signal)
    return EdgeKind::signal;
  if (!earlier.writes)
    return EdgeKind::war;
  return later.reads ? EdgeKind::raw : EdgeKind::waw;
}

void DeriveDependencies::runOnOperation() {
  func::FuncOp func = getOperation();
  live.clear();
  freeWrites.clear();
  collector.emplace(/*scopesStay=*/true);
  WalkResult walk = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isTask(op)) {
      if (op->getParentOp() != func) {
        op->emitError(
            "PL099: a task inside a loop or branch of the orchestration is "
            "not lowered yet; unroll the loop (pl.unroll) or move the "
            "branch into the scope");
        return WalkResult::interrupt();
      }
      addTask(op);
      return WalkResult::skip();
    }
    if (auto read = dyn_cast<ReadOp>(op)) {
      Value root = rootOf(read.getSource());
      Operation *writer = freeWrites.lookup(root);
      live[root].visit(AccessRegion::whole(root),
                       [&](const LiveAccess &earlier) {
                         if (earlier.access.writes)
                           writer = earlier.access.op;
                         return false;
                       });
      if (writer) {
        InFlightDiagnostic diag =
            read.emitError()
            << "PL099: the orchestration reads '" << nameOf(root)
            << "', which a task writes; waiting for a task there is not "
               "lowered yet: read it inside a scope";
        diag.attachNote(writer->getLoc()) << "written here";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    signalPassFailure();
}

void DeriveDependencies::addReason(Reason &reason, bool isNew,
                                   const Access &earlier, const Access &later) {
  EdgeKind kind = kindOf(earlier, later);
  auto rank = [](EdgeKind k) {
    return k == EdgeKind::raw      ? 3
           : k == EdgeKind::signal ? 2
           : k == EdgeKind::waw    ? 1
                                   : 0;
  };
  if (isNew || rank(kind) > rank(reason.kind)) {
    reason.kind = kind;
    reason.root = later.root;
    reason.region = later.region.str();
    reason.earlier = earlier.op;
    reason.later = later.op;
  }
  if (reason.isSure)
    return;
  const std::optional<Inexact> &inexact =
      later.inexact ? later.inexact : earlier.inexact;
  reason.isSure = kind == EdgeKind::signal ||
                  (!inexact && earlier.region.meets(later.region));
  if (reason.isSure) {
    reason.isByData = false;
    return;
  }
  reason.isByData |= inexact && inexact->reason == Inexact::Data;
  if (reason.doubt.empty())
    reason.doubt = inexact ? inexact->str()
                           : "whether " + earlier.region.str() + " and " +
                                 later.region.str() +
                                 " have an element in "
                                 "common is not known "
                                 "before a run";
}

/// Why the task waits, and what nobody could prove.
void DeriveDependencies::remark(Operation *task, Value dep,
                                const Reason &reason) {
  StringRef later = taskLabel(task), earlier = taskLabel(dep.getDefiningOp());
  std::string tensor = "'" + nameOf(reason.root) + "'";
  bool reads = reason.kind == EdgeKind::raw || reason.kind == EdgeKind::signal;
  bool isRead = reason.kind == EdgeKind::war;
  {
    InFlightDiagnostic diag = mlir::emitRemark(reason.later->getLoc())
                              << "PL095: task '" << later
                              << "' waits for task '" << earlier << "' ("
                              << stringifyEdgeKind(reason.kind) << "): it ";
    if (reason.kind == EdgeKind::signal)
      diag << "waits for, or changes, the signal " << tensor << " after '"
           << earlier << "' does";
    else
      diag << (reads ? "reads " : "writes ") << reason.region << " of "
           << tensor << ", which '" << earlier << "' "
           << (isRead ? "reads" : "writes") << " before";
    diag.attachNote(reason.earlier->getLoc())
        << "task '" << earlier << "' "
        << (reason.kind == EdgeKind::signal ? "uses the signal"
            : isRead                        ? "reads"
                                            : "writes")
        << " here";
  }
  if (reason.isSure)
    return;
  InFlightDiagnostic diag =
      mlir::emitRemark(reason.later->getLoc())
      << "PL096: task '" << later << "' may wait for task '" << earlier
      << "' without need: of " << tensor << ", " << reason.doubt;
  diag.attachNote(reason.earlier->getLoc())
      << "the other access, of task '" << earlier << "', is here";
}

void DeriveDependencies::addTask(Operation *task) {
  Value result = task->getResult(0);
  llvm::MapVector<Value, Reason> reasons;
  SmallVector<Access> accesses;
  if (!isa<DummyOp>(task))
    accesses = collector->collect(task);
  OptOuts optOuts(task);
  llvm::erase_if(accesses, [&](const Access &access) {
    bool isFree = optOuts.contains(access.root);
    if (isFree && access.writes)
      freeWrites[access.root] = access.op;
    return isFree;
  });
  for (const Access &access : accesses)
    live[access.root].visit(access.region, [&](const LiveAccess &earlier) {
      if (earlier.task == result ||
          (!earlier.access.writes && !access.writes) ||
          (earlier.access.atomic && access.atomic))
        return false;
      if (areDisjoint(earlier.access, access)) {
        ++numDisjoint;
        return false;
      }
      auto [reason, isNew] = reasons.try_emplace(earlier.task);
      addReason(reason->second, isNew, earlier.access, access);
      return false;
    });
  bool isManual = bool(task->getDiscardableAttr(kManual));
  setEdges(task, reasons, isManual);
  for (Access &access : accesses) {
    bool known = false;
    live[access.root].visit(access.region, [&](const LiveAccess &earlier) {
      if (earlier.task == result) {
        known |= earlier.access.writes == access.writes &&
                 earlier.access.reads == access.reads &&
                 earlier.access.atomic == access.atomic &&
                 earlier.access.signal == access.signal &&
                 coversAll(earlier.access, access);
        return false;
      }
      // What this write covers is ordered before whatever waits for the write,
      // unless only the user could have ordered it.
      return !isManual && access.writes && !access.atomic &&
             access.region.covers(earlier.access.region) &&
             !areDisjoint(earlier.access, access);
    });
    if (!known)
      live[access.root].insert({result, std::move(access)});
  }
}

void DeriveDependencies::setEdges(Operation *task,
                                  llvm::MapVector<Value, Reason> &reasons,
                                  bool isManual) {
  MLIRContext *context = &getContext();
  auto labelOf = [&](EdgeKind kind, const Reason &reason) {
    return EdgeAttr::get(
        context, kind, StringAttr::get(context, nameOf(reason.root)),
        StringAttr::get(context,
                        reason.region + (reason.isByData ? " by data" : "")));
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
        if (isManual) {
          numLeftOut += reasons.size();
          reasons.clear();
        }
        for (auto &[dep, reason] : reasons) {
          deps.push_back(dep);
          edges.push_back(labelOf(reason.kind, reason));
          ++numEdges;
          if (remarks)
            remark(task, dep, reason);
        }
        scope.getDepsMutable().assign(deps);
        scope.setEdgesAttr(ArrayAttr::get(context, edges));
      });
}

//===- TripRules.cpp - What lets trips and blocks change places -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripRules.h"

#include "pl/Analysis/Repetition.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::isSignal(Operation *op) {
  return isa<NotifyOp, WaitOp, DeferWaitOp>(op);
}

int64_t mlir::pl::stepOf(ForOp loop) {
  return *LinearExpr::of(loop.getStep()).asConstant();
}

Operation *mlir::pl::findUnknown(Operation *root) {
  Operation *unknown = nullptr;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isKnown = isSignal(op) ||
                   isa<LoadOp, StoreOp, ReadOp, WriteOp, LoadBoxOp, StoreBoxOp,
                       GatherRowOp, PutOp, GetOp, RemoteStoreOp, RemoteLoadOp,
                       NoDepOp, AtOp, SpmdOp>(op) ||
                   op->hasTrait<::mlir::OpTrait::HasRecursiveMemoryEffects>() ||
                   isMemoryEffectFree(op);
    if (isKnown && !isa<BreakOp, ContinueOp, ScopeOp>(op))
      return WalkResult::advance();
    unknown = op;
    return WalkResult::interrupt();
  });
  return unknown;
}

StringRef mlir::pl::describeAccess(const Access &access) {
  if (access.signal)
    return access.writes ? "notified" : "awaited";
  if (access.atomic)
    return "added to";
  return access.writes ? "written" : "read";
}

void mlir::pl::noteAccess(Diagnostic &refusal, const Access &access) {
  refusal.attachNote(access.op->getLoc()) << describeAccess(access) << " here";
}

/// Adds of floating-point numbers give other sums in another order.
static bool needsOrder(const Access &access) {
  return !cast<MemRefType>(access.root.getType())
              .getElementType()
              .isIntOrIndex();
}

SmallVector<Access> TripRules::accessesOf(Block &block) {
  SmallVector<Access> accesses;
  for (Operation &op : block)
    accesses.append(collector.collect(&op));
  return accesses;
}

LogicalResult TripRules::checkOps() {
  if (Operation *unknown = findUnknown(task)) {
    refuse() << "it holds '" << unknown->getName()
             << "', of which is not known what it touches";
    refusal.attachNote(unknown->getLoc()) << "this one";
    return failure();
  }
  Operation *signal = nullptr;
  task->walk([&](Operation *op) {
    if (!signal && isSignal(op))
      signal = op;
  });
  if (!signal)
    return success();
  refuse() << "it notifies or waits, and others count on how often and when";
  refusal.attachNote(signal->getLoc())
      << (isa<NotifyOp>(signal) ? "it notifies here" : "it waits here");
  return failure();
}

FailureOr<ForOp> TripRules::findLoop() {
  SmallVector<ForOp> loops(task->getRegion(0).getOps<ForOp>());
  if (loops.empty()) {
    refuse() << "there is no loop in its body whose trips could be shared";
    return failure();
  }
  ForOp loop = loops.front();
  if (loops.size() > 1) {
    refuse() << "its body has " << int64_t(loops.size())
             << " loops, and only the trips of one can be shared";
    for (ForOp one : loops)
      refusal.attachNote(one.getLoc()) << "a loop is here";
    return failure();
  }
  if (!loop.getInits().empty()) {
    std::string name = nameOf(loop.getCarried().front());
    refuse() << "a trip of its loop needs "
             << (name.empty() ? "what" : "the '" + name + "' that")
             << " the trip before gives";
    refusal.attachNote(loop.getLoc()) << "the loop is here";
    return failure();
  }
  std::optional<int64_t> step = LinearExpr::of(loop.getStep()).asConstant();
  if (step && *step > 0)
    return loop;
  refuse() << "the step of its loop is not known before it runs";
  refusal.attachNote(loop.getLoc()) << "the loop is here";
  return failure();
}

LogicalResult TripRules::checkRest(ForOp loop) {
  SmallVector<Access> inside = collector.collect(loop);
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop)
      continue;
    for (const Access &access : collector.collect(&op)) {
      if (access.writes) {
        refuse() << "it does more than its loop, and each block would write '"
                 << nameOf(access.root) << "' again";
        noteAccess(refusal, access);
        refusal.attachNote(loop.getLoc()) << "the loop is here";
        return failure();
      }
      for (const Access &other : inside)
        if (other.root == access.root && other.writes &&
            !areDisjoint(other, access)) {
          refuse() << "its loop writes '" << nameOf(access.root)
                   << "', which each block would read outside of the loop";
          noteAccess(refusal, access);
          noteAccess(refusal, other);
          return failure();
        }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Trips
//===----------------------------------------------------------------------===//

namespace {
/// What the elements that an access touches depend on.
enum class Address { fixed, counted, data };
} // namespace

/// How the elements that `access` touches differ from trip to trip of `loop`.
static Address addressOf(const Access &access, ForOp loop) {
  SmallVector<Value> open;
  DenseSet<Value> seen;
  Address address = Address::fixed;
  auto push = [&](ValueRange values) {
    for (Value value : values)
      if (loop->isAncestor(value.getParentBlock()->getParentOp()) &&
          seen.insert(value).second)
        open.push_back(value);
  };
  for (Value operand : access.op->getOperands())
    if (isa<MemRefType, IndexType, IntegerType>(operand.getType()))
      push(operand);
  // A branch may be taken in one trip only.
  for (Operation *parent = access.op->getParentOp(); parent != loop;
       parent = parent->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      address = Address::counted;
      push(branch.getCondition());
    }
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *def = value.getDefiningOp();
    auto inner = dyn_cast<ForOp>(value.getParentBlock()->getParentOp());
    if (!def && inner && inner != loop &&
        value == inner.getInductionVariable()) {
      push({inner.getLower(), inner.getUpper(), inner.getStep()});
      continue;
    }
    if (!def || def->getNumRegions() != 0) {
      address = std::max(address, Address::counted);
      continue;
    }
    if (!isMemoryEffectFree(def))
      address = Address::data;
    push(def->getOperands());
  }
  return address;
}

LogicalResult TripRules::checkTripPair(ForOp loop, const Access &a,
                                       const Access &b, bool assumeDisjoint) {
  if (a.root != b.root || (!a.writes && !b.writes) ||
      Repetition(loop).areApartBothWays(a, b))
    return success();
  std::string name = nameOf(a.root);
  bool areSums = a.atomic && b.atomic;
  if (areSums && !needsOrder(a))
    return success();
  Address address = std::max(addressOf(a, loop), addressOf(b, loop));
  if (assumeDisjoint && !areSums && address != Address::fixed)
    return success();
  Diagnostic &reason = refuse();
  if (areSums)
    reason << "trips of its loop may add to the same elements of '" << name
           << "', and such sums depend on the order";
  else if (address == Address::fixed)
    reason << "each trip of its loop "
           << (a.writes && b.writes ? "writes" : "touches")
           << " the same elements of '" << name << "'";
  else if (address == Address::data)
    reason << "the data say which elements of '" << name
           << "' a trip of its loop touches, so that two trips may "
           << (a.writes && b.writes ? "write" : "touch")
           << " the same; if no two do, say so with `assume_disjoint`, which a "
              "run "
              "then checks";
  else
    reason << "a trip of its loop may "
           << (a.writes && b.writes ? "write elements of '"
                                    : "touch elements of '")
           << name << "' that another writes";
  noteAccess(refusal, a);
  if (a.op != b.op)
    noteAccess(refusal, b);
  refusal.attachNote(loop.getLoc()) << "the loop is here";
  return failure();
}

LogicalResult TripRules::checkTrips(ForOp loop, bool assumeDisjoint) {
  // `pl.parallel` is the user's word as well.
  assumeDisjoint |= loop.getKind() == LoopKind::parallel;
  SmallVector<Access> accesses = accessesOf(loop.getBody().front());
  for (auto [index, a] : llvm::enumerate(accesses))
    for (const Access &b : ArrayRef(accesses).drop_front(index))
      if (failed(checkTripPair(loop, a, b, assumeDisjoint)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Two adds of floating-point numbers to one tensor.
static bool isSum(const Access &a, const Access &b) {
  return a.root == b.root && a.atomic && b.atomic && needsOrder(a);
}

/// Provably the same number in every block.
static bool isSameInBlocks(Value value, SpmdOp launch) {
  LinearExpr expr = LinearExpr::of(value);
  std::optional<LinearExpr> least = boundOf(expr, launch, /*upper=*/false);
  std::optional<LinearExpr> most = boundOf(expr, launch, /*upper=*/true);
  return least && most && *least == *most;
}

LogicalResult TripRules::refuseSums(const Access &a, const Access &b,
                                    StringRef where) {
  refuse() << "its blocks may add to the same elements of '" << nameOf(a.root)
           << "'" << where << ", and such sums depend on the order";
  noteAccess(refusal, a);
  if (a.op != b.op)
    noteAccess(refusal, b);
  return failure();
}

LogicalResult TripRules::checkSumsOfTrips(SpmdOp launch, ForOp loop) {
  SmallVector<Access> ofTrip = accessesOf(loop.getBody().front());
  DenseMap<Operation *, Access> ofBlock;
  for (Access &access : accessesOf(launch.getBody().front()))
    if (access.atomic)
      ofBlock[access.op] = std::move(access);
  Repetition blocks(launch), trips(loop);
  // An element that all blocks add to in the same trip stays with one part of
  // the trips, where the blocks are in their order.
  trips.scope = launch;
  bool startIsSame = isSameInBlocks(loop.getLower(), launch);
  for (auto [index, a] : llvm::enumerate(ofTrip))
    for (const Access &b : ArrayRef(ofTrip).drop_front(index))
      if (isSum(a, b) && !(startIsSame && trips.areApartBothWays(a, b)) &&
          !blocks.areApartBothWays(ofBlock[a.op], ofBlock[b.op]))
        return refuseSums(a, b, " in different trips");
  return success();
}

LogicalResult TripRules::checkSumsOfBlocks(SpmdOp launch) {
  SmallVector<Access> accesses = accessesOf(launch.getBody().front());
  Repetition blocks(launch);
  for (auto [index, a] : llvm::enumerate(accesses))
    for (const Access &b : ArrayRef(accesses).drop_front(index))
      if (isSum(a, b) && !blocks.areApartBothWays(a, b))
        return refuseSums(a, b, "");
  return success();
}

//===- SplitMixedKernels.cpp - The cube and vector side of one task -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneHalves.h"
#include "SideSlice.h"

#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::pl {
#define GEN_PASS_DEF_SPLITMIXEDKERNELS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// The slots of one direction.
struct RingPlan {
  int64_t numCrossings = 0, slotBytes = 0;
  Operation *largest = nullptr;
  Operation *first = nullptr;
};

struct SplitMixedKernels
    : mlir::pl::impl::SplitMixedKernelsBase<SplitMixedKernels> {
  using SplitMixedKernelsBase::SplitMixedKernelsBase;
  void runOnOperation() override;

private:
  LogicalResult split(KernelOp kernel);
  LogicalResult planRing(KernelOp kernel, RingPlan &ring, bool toCube);
  BlockArgument addWorkspace(KernelOp kernel, int64_t rowBytes);
  void addToLaunches(KernelOp kernel, unsigned index, Type type);

  const ::pl::MachineDescription *description = nullptr;
};
} // namespace

/// Slots begin where a burst of the memory begins.
constexpr int64_t kSlotAlignment = 512;

/// How many slots to make: the hardware's credits come in halves of the ring,
/// which do not meet for odd numbers above three.
static int64_t roundSlots(int64_t slots) {
  return slots > 3 && slots % 2 ? slots + 1 : slots;
}

static int64_t slotsOf(KernelOp kernel) {
  auto slots = kernel->getAttrOfType<IntegerAttr>(kSlots);
  return roundSlots(slots ? slots.getInt() : 2);
}

LogicalResult SplitMixedKernels::planRing(KernelOp kernel, RingPlan &ring,
                                          bool toCube) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    std::optional<Crossing> crossing = getCrossing(op);
    if (!crossing || crossing->toCube != toCube)
      return WalkResult::advance();
    if (!ring.first)
      ring.first = op;
    if (getCrossing(ring.first)->split != crossing->split) {
      InFlightDiagnostic diag =
          op->emitError() << "PL099: lanes that share tiles in two ways in one "
                             "scope are not lowered yet";
      diag.attachNote(ring.first->getLoc()) << "the other way is here";
      return WalkResult::interrupt();
    }
    ++ring.numCrossings;
    int64_t bytes = crossing->getWhole().getNumBytes();
    if (bytes > ring.slotBytes) {
      ring.slotBytes = bytes;
      ring.largest = op;
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!ring.numCrossings)
    return success();
  ring.slotBytes = llvm::alignTo(ring.slotBytes, kSlotAlignment);
  StringRef memory = toCube ? "mat" : "vec";
  int64_t slots = slotsOf(kernel);
  int64_t room = description->findMemory(memory)->bytes;
  if (slots * ring.slotBytes <= room)
    return success();
  InFlightDiagnostic diag =
      ring.largest->emitError()
      << "PL109: " << slots << " slots of " << ring.slotBytes
      << " bytes, for the largest tile that goes to the "
      << (toCube ? "cube" : "vector cores") << ", do not fit " << memory
      << ", which has " << room
      << " bytes; use smaller tiles, or fewer slots with "
         "pl.cross_core_slot(slot_num=)";
  return diag;
}

/// The last tensor argument: one row of slots per block.
BlockArgument SplitMixedKernels::addWorkspace(KernelOp kernel,
                                              int64_t rowBytes) {
  unsigned index = kernel.getNumTensors();
  std::string name = "fifo";
  auto isTaken = [&] {
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (kernel.getArgName(i) == name)
        return true;
    return false;
  };
  for (unsigned i = 1; isTaken(); ++i)
    name = "fifo_" + std::to_string(i);
  Builder builder(&getContext());
  auto type = MemRefType::get({ShapedType::kDynamic, rowBytes},
                              builder.getIntegerType(8));
  DictionaryAttr attrs = builder.getDictionaryAttr(
      {builder.getNamedAttr(PLDialect::kName, builder.getStringAttr(name)),
       builder.getNamedAttr(
           PLDialect::kDirection,
           DirectionAttr::get(&getContext(), Direction::inout))});
  if (failed(kernel.insertArgument(index, type, attrs, kernel.getLoc())))
    return {};
  addToLaunches(kernel, index, type);
  return kernel.getBody().getArgument(index);
}

void SplitMixedKernels::addToLaunches(KernelOp kernel, unsigned index,
                                      Type type) {
  SmallVector<LaunchOp> launches;
  getOperation()->walk([&](LaunchOp launch) {
    if (launch.getKernel() == kernel.getSymName())
      launches.push_back(launch);
  });
  for (LaunchOp launch : launches) {
    OpBuilder builder(launch);
    Location loc = launch.getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    // A launch of no blocks still names its workspace.
    Value rows = arith::MaxSIOp::create(builder, loc, launch.getBlocks(), one);
    Value workspace =
        AllocOp::create(builder, loc, type, rows,
                        builder.getStringAttr(kernel.getSymName() + "_fifo"));
    launch.getArgsMutable().slice(index, 0).append(workspace);
  }
}

LogicalResult SplitMixedKernels::split(KernelOp kernel) {
  if (kernel.getBody().front().empty() ||
      !kernel.getBody().getOps<CubeOp>().empty())
    return success();
  // An extent that is one value is known to both sides.
  ValidExtents extents(kernel);
  kernel.walk([&](ValidExtentOp op) {
    OpFoldResult known = extents.get(op.getTile(), op.getAxis());
    if (!known)
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), known));
  });
  RingPlan toVector, toCube;
  if (failed(planRing(kernel, toVector, /*toCube=*/false)) ||
      failed(planRing(kernel, toCube, /*toCube=*/true)))
    return failure();
  SideSlice cube(kernel, SideSlice::Cube), vector(kernel, SideSlice::Vector),
      replay(kernel, SideSlice::Replay);
  bool good = succeeded(cube.run());
  good &= succeeded(vector.run());
  // What the replay needs, the other lane needs too.
  if (!good || failed(replay.run()))
    return failure();

  Block &body = kernel.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  int64_t slots = slotsOf(kernel);
  int64_t vectorBytes = toVector.numCrossings ? slots * toVector.slotBytes : 0;
  int64_t cubeBytes = toCube.numCrossings ? slots * toCube.slotBytes : 0;
  Location loc = kernel.getLoc();
  if (vectorBytes + cubeBytes) {
    BlockArgument workspace = addWorkspace(kernel, vectorBytes + cubeBytes);
    if (!workspace)
      return kernel.emitOpError("internal: takes no workspace");
    if (kernel.getNumTensors() > ::pl::kMaxTaskTensors)
      return kernel.emitError()
             << "PL109: the task takes " << kernel.getNumTensors()
             << " tensors with the workspace of its slots, but a task takes "
             << ::pl::kMaxTaskTensors << ": split it";
    if (vectorBytes)
      RingOp::create(builder, loc, workspace, /*to_cube=*/false, 0, slots,
                     toVector.slotBytes);
    if (cubeBytes)
      RingOp::create(builder, loc, workspace, /*to_cube=*/true, vectorBytes,
                     slots, toCube.slotBytes);
  }
  auto finish = [&] {
    for (Operation *op : llvm::reverse(old))
      op->erase();
    numCrossings += toVector.numCrossings + toCube.numCrossings;
    ++numSplit;
  };
  auto cubeOp = CubeOp::create(builder, loc);
  Block &cubeBody = cubeOp.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&cubeBody);
  cube.cloneInto(builder);

  builder.setInsertionPointToEnd(&body);
  auto vectorOp = VectorOp::create(builder, loc);
  Block &vectorBody = vectorOp.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&vectorBody);
  Value lane = SubblockIdxOp::create(builder, loc, builder.getIndexType());
  if (kernel->removeAttr(kLanes)) {
    vector.setLane(lane);
    vector.cloneInto(builder);
    finish();
    return success();
  }
  auto split = kernel->getAttrOfType<SplitModeAttr>(kSplit);
  if (split && split.getValue() != SplitMode::none) {
    vector.cloneInto(builder);
    finish();
    return halveTiles(vectorBody, lane, split.getValue());
  }
  // The second lane only takes part in the handshakes: the cube waits for both.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  bool hasReplay = toVector.numCrossings + toCube.numCrossings > 0;
  auto branch = scf::IfOp::create(builder, loc, isFirst, hasReplay);
  builder.setInsertionPointToStart(branch.thenBlock());
  vector.cloneInto(builder);
  if (hasReplay) {
    builder.setInsertionPointToStart(branch.elseBlock());
    replay.cloneInto(builder);
  }
  finish();
  return success();
}

void SplitMixedKernels::runOnOperation() {
  description = ::pl::findMachine(machine);
  if (!description) {
    getOperation().emitError() << "there is no machine '" << machine << "'";
    return signalPassFailure();
  }
  bool good = true;
  for (auto kernel : getOperation().getOps<KernelOp>())
    if (kernel.getCore() == CoreKind::mix)
      good &= succeeded(split(kernel));
  if (!good)
    signalPassFailure();
}

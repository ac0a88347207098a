//===- LaneRules.cpp - Rules of vector lanes and of barriers --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/ScopeRules.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/CoreAffinity.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/TileInference.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::pl;

/// The axis that a mode halves.
static unsigned splitAxis(SplitMode mode) {
  return mode == SplitMode::up_down ? 0 : 1;
}

static StringRef spell(SplitMode mode) {
  switch (mode) {
  case SplitMode::none:
    return "NONE";
  case SplitMode::up_down:
    return "UP_DOWN";
  case SplitMode::left_right:
    return "LEFT_RIGHT";
  }
  return "";
}

/// The operation as the user writes it: scalars have no names of their own.
static std::string spellOp(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return "pl." +
         llvm::StringSwitch<std::string>(name)
             .Case("maxs", "maximum")
             .Case("mins", "minimum")
             .Cases({"adds", "subs", "muls", "divs"}, name.drop_back().str())
             .Default(name.str());
}

/// The axis that an op reduces: columns of each row, or rows of each column.
static std::optional<unsigned> reducedAxis(Operation *op) {
  StringRef name = op->getName().stripDialect();
  bool isRow = name.consume_front("row_");
  if (!isRow && !name.consume_front("col_"))
    return std::nullopt;
  static constexpr StringLiteral kinds[] = {"sum",  "max",    "min",
                                            "prod", "argmax", "argmin"};
  if (!llvm::is_contained(kinds, name))
    return std::nullopt;
  return isRow ? 1 : 0;
}

/// An op that mixes what the two lanes have apart.
static LogicalResult checkSplitAxis(Operation *op, SplitMode mode) {
  if (mode == SplitMode::none || op->getNumOperands() == 0)
    return success();
  auto tile = dyn_cast<TileType>(op->getOperand(0).getType());
  if (!tile)
    return success();
  unsigned axis = splitAxis(mode);
  StringRef what = axis == 0 ? "rows" : "columns";
  if (isa<TransposeOp>(op) && affinityOf(op) == Affinity::vector &&
      tile.getRows() != 1 && tile.getCols() != 1)
    return op->emitError()
           << "PL070: pl.transpose swaps the axis that " << spell(mode)
           << " halves: each lane has its half of the " << what
           << " only; transpose on the cube side, or use mode=NONE";
  if (reducedAxis(op) == axis && tile.getExtent(axis) != 1)
    return op->emitError()
           << "PL070: " << spellOp(op) << " reduces the axis that "
           << spell(mode)
           << " halves: each lane would get the result of its half of the "
           << what
           << "; reduce the other axis, join the lanes with pl.aic_gather, or "
              "use mode=NONE";
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether `op` only passes a tile on.
static bool passesOn(Operation *op) {
  return isa<SubtileOp, SliceOp, ReshapeOp, SetValidOp, ValidExtentOp, YieldOp,
             scf::YieldOp, ForOp, scf::IfOp, SplitAivOp>(op);
}

static LogicalResult checkInside(Operation *op, SplitAivOp lanes) {
  auto reject = [&](const Twine &text, Operation *other,
                    StringRef note) -> LogicalResult {
    InFlightDiagnostic diag = op->emitError() << text;
    if (other)
      diag.attachNote(other->getLoc()) << note;
    return diag;
  };
  if (affinityOf(op) == Affinity::cube)
    return reject("PL071: " + spellOp(op) +
                      " is cube work, but pl.split_aiv is a region "
                      "of the vector lanes; move it out of the "
                      "region",
                  lanes, "the region is here");
  if (auto shard = dyn_cast<AivShardOp>(op)) {
    TileOrigin origin = originOf(shard.getSource());
    Operation *other = origin.vector ? origin.vector : origin.memory;
    if (!origin.cube && other)
      return reject(
          "PL072: pl.aiv_shard takes a product of the cube, but this tile "
          "is on the vector side already; use it as it is",
          other, "it is made here");
    return success();
  }
  if (!passesOn(op))
    for (Value operand : op->getOperands()) {
      if (!isa<TileType>(operand.getType()))
        continue;
      // A product inside the region is what is wrong, not its use.
      if (Operation *cube = originOf(operand).cube;
          cube && !lanes->isProperAncestor(cube))
        return reject(
            "PL072: a product of the cube enters the vector lanes unnamed; "
            "take it with pl.aiv_shard(...) in the region and use "
            "what that gives",
            cube, "the product is here");
    }
  return checkSplitAxis(op, lanes.getMode());
}

static LogicalResult checkOutside(Operation *op, SplitAivOp first) {
  auto reject = [&](const Twine &text, Operation *other,
                    StringRef note) -> LogicalResult {
    InFlightDiagnostic diag = op->emitError() << text;
    diag.attachNote(other->getLoc()) << note;
    return diag;
  };
  if (affinityOf(op) == Affinity::vector && isa<TileOpInterface>(op) &&
      !isa<RemoteStoreOp, RemoteLoadOp>(op))
    return reject("PL071: " + spellOp(op) +
                      " is vector work outside pl.split_aiv, but "
                      "this scope has opened a region: all its "
                      "vector work belongs into regions (mode=NONE "
                      "runs the body on both lanes)",
                  first, "a region is opened here");
  if (affinityOf(op) != Affinity::cube)
    return success();
  for (Value operand : op->getOperands()) {
    if (!isa<TileType>(operand.getType()))
      continue;
    if (Operation *vector = originOf(operand).vector;
        vector && vector->getParentOfType<SplitAivOp>())
      return reject(
          "PL072: a tile of the vector lanes enters the cube unnamed; hand "
          "it out with x = pl.aic_gather(x) at the end of the region",
          vector, "the tile is made here");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Automatic split
//===----------------------------------------------------------------------===//

/// `optimizations=[pl.split(mode)]`: all vector tiles are halved.
static LogicalResult checkAutomatic(Operation *scope, SplitMode mode) {
  // Without work of both kinds there is nothing to split.
  if (mode == SplitMode::none || !coreUseOf(scope->getRegion(0)).isMixed())
    return success();
  bool good = true;
  unsigned axis = splitAxis(mode);
  scope->walk([&](Operation *op) {
    good &= succeeded(checkSplitAxis(op, mode));
    if (affinityOf(op) != Affinity::cube)
      return;
    for (Value operand : op->getOperands()) {
      auto tile = dyn_cast<TileType>(operand.getType());
      Operation *vector = tile ? originOf(operand).vector : nullptr;
      if (!vector || tile.getExtent(axis) % 2 == 0)
        continue;
      InFlightDiagnostic diag =
          op->emitError() << "PL070: the lanes' halves of " << describe(tile)
                          << " are not equal under " << spell(mode)
                          << ": an odd extent crosses from cube to vector "
                             "only; pad it to an even one";
      diag.attachNote(vector->getLoc()) << "the tile is made here";
      good = false;
    }
  });
  return success(good);
}

LogicalResult mlir::pl::checkLanes(Operation *scope) {
  SplitAivOp first;
  scope->walk([&](SplitAivOp lanes) {
    first = lanes;
    return WalkResult::interrupt();
  });
  auto mode = scope->getAttrOfType<SplitModeAttr>("pl.split");
  if (!first)
    return mode ? checkAutomatic(scope, mode.getValue()) : success();
  bool good = true;
  if (mode) {
    InFlightDiagnostic diag =
        scope->emitError()
        << "PL073: optimizations=[pl.split(...)] and pl.split_aiv exclude each "
           "other: "
           "either the compiler halves all vector tiles of the scope, or its "
           "regions say what each lane does; remove one";
    diag.attachNote(first.getLoc()) << "a region is opened here";
    good = false;
  }
  scope->walk([&](Operation *op) {
    if (op == scope)
      return;
    auto lanes = op->getParentOfType<SplitAivOp>();
    auto inner = dyn_cast<SplitAivOp>(op);
    if (inner && lanes) {
      InFlightDiagnostic diag =
          inner.emitError()
          << "PL073: pl.split_aiv cannot be inside another: its "
             "body is one of the two lanes already";
      diag.attachNote(lanes.getLoc()) << "the outer region is here";
      good = false;
      return;
    }
    good &= succeeded(lanes ? checkInside(op, lanes) : checkOutside(op, first));
  });
  return success(good);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

LogicalResult mlir::pl::checkBarriers(Operation *scope,
                                      const ::pl::MachineDescription &machine) {
  SmallVector<SyncAllOp> barriers;
  bool hasLanes = false;
  scope->walk([&](Operation *op) {
    hasLanes |= isa<SplitAivOp>(op);
    if (auto barrier = dyn_cast<SyncAllOp>(op);
        barrier && !barrier.getWorkspace())
      barriers.push_back(barrier);
  });
  if (barriers.empty())
    return success();
  CoreUse use = coreUseOf(scope->getRegion(0));
  CoreKind kind = hasLanes ? CoreKind::mix : use.getKind();

  // How wide the launch is: a number, or what the device has.
  std::optional<int64_t> blocks = 1;
  Operation *query = nullptr;
  auto spmd = dyn_cast<SpmdOp>(scope);
  if (spmd) {
    Value count = spmd.getBlocks();
    if (auto cast = count.getDefiningOp<arith::IndexCastOp>())
      count = cast.getIn();
    APInt number;
    blocks.reset();
    if (matchPattern(count, m_ConstantInt(&number)))
      blocks = number.getSExtValue();
    else if (Operation *def = count.getDefiningOp();
             isa_and_nonnull<AvailableClustersOp, AvailableVectorCoresOp>(def))
      query = def;
  }
  bool good = true;
  for (SyncAllOp barrier : barriers) {
    SyncCores cores = barrier.getCores();
    StringRef which = stringifySyncCores(cores);
    if ((kind == CoreKind::aiv && cores != SyncCores::aiv_only) ||
        (kind == CoreKind::aic && cores != SyncCores::aic_only)) {
      bool isVector = kind == CoreKind::aiv;
      barrier.emitError() << "PL074: pl.system.syncall with core_type=\""
                          << which << "\" never ends: it waits for "
                          << (isVector ? "cube" : "vector")
                          << " cores, and this scope has only "
                          << (isVector ? "vector" : "cube")
                          << " work; use core_type=\""
                          << (isVector ? "aiv_only" : "aic_only") << "\"";
      good = false;
      continue;
    }
    bool byVectorCores = kind == CoreKind::aiv;
    int64_t needed = byVectorCores ? machine.vectorCores : machine.cubeCores;
    StringRef unit = byVectorCores           ? "vector cores"
                     : kind == CoreKind::aic ? "cube cores"
                                             : "clusters";
    if (blocks && *blocks != needed) {
      InFlightDiagnostic diag =
          barrier.emitError()
          << "PL074: the hard pl.system.syncall waits for all " << needed << ' '
          << unit << " of " << machine.name << ", but the launch has "
          << *blocks << (*blocks == 1 ? " block" : " blocks")
          << "; launch one block for each, or use mode=\"soft\" with "
             "gm_workspace= and used_cores=";
      diag.attachNote(scope->getLoc()) << "the launch is here";
      good = false;
    } else if (query && isa<AvailableVectorCoresOp>(query) != byVectorCores) {
      InFlightDiagnostic diag =
          barrier.emitError()
          << "PL074: the hard pl.system.syncall waits for all " << unit
          << ", but the launch has one block for each "
          << (byVectorCores ? "cluster; use pl.system.available_aiv_count()"
                            : "vector core; use "
                              "pl.system.available_cluster_count()")
          << ", or mode=\"soft\"";
      diag.attachNote(scope->getLoc()) << "the launch is here";
      good = false;
    } else if (!blocks && !query) {
      // An inline function may be called with the right number.
      auto func = scope->getParentOfType<func::FuncOp>();
      if (!func || !isOrchestration(func))
        continue;
      InFlightDiagnostic diag =
          barrier.emitError()
          << "PL074: the hard pl.system.syncall waits for all " << needed << ' '
          << unit << " of " << machine.name
          << ", but how many blocks the launch has is only known when it runs: "
             "any other number never ends; launch "
          << (byVectorCores ? "pl.system.available_aiv_count()"
                            : "pl.system.available_cluster_count()")
          << " blocks and let each take a share, or use mode=\"soft\" with "
             "gm_workspace= and used_cores=";
      diag.attachNote(scope->getLoc()) << "the launch is here";
      good = false;
    } else if (!scope->hasAttr("pl.sync_start")) {
      InFlightDiagnostic diag =
          barrier.emitError()
          << "PL074: the hard pl.system.syncall needs all blocks of the "
             "launch at once, but without sync_start=True they may start in "
             "waves: the first would wait for the others for ever; launch with "
             "sync_start=True, or use mode=\"soft\"";
      diag.attachNote(scope->getLoc()) << "the launch is here";
      good = false;
    }
  }
  return success(good);
}

//===----------------------------------------------------------------------===//
// Coherence
//===----------------------------------------------------------------------===//

LogicalResult mlir::pl::checkCoherence(Operation *scope) {
  llvm::MapVector<Value, WriteOp> scalars;
  scope->walk([&](WriteOp write) {
    scalars.try_emplace(rootOf(write.getTarget()), write);
  });
  bool good = true;
  auto check = [&](Operation *op, Value target) {
    auto found = scalars.find(rootOf(target));
    if (found == scalars.end() || op->hasAttr("pl.staged"))
      return;
    WriteOp write = found->second;
    InFlightDiagnostic diag =
        op->emitError() << "PL047: '" << nameOf(found->first)
                        << "' is written by pl.write and by tile stores in one "
                           "kernel: the two paths are not ordered";
    diag.attachNote(write.getLoc())
        << "the other write is here; build the values in a tile and store it "
           "once, or use two tasks";
    good = false;
    scalars.erase(found);
  };
  scope->walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      check(op, store.getTarget());
    else if (auto box = dyn_cast<StoreBoxOp>(op))
      check(op, box.getTarget());
    else if (auto get = dyn_cast<GetOp>(op))
      check(op, get.getTarget());
  });
  return success(good);
}

bool mlir::pl::concernsScopeRules(Operation *op) {
  return isa<DeferWaitOp, SplitAivOp, SyncAllOp, WriteOp>(op) ||
         (isa<AtOp, SpmdOp>(op) && op->hasAttr("pl.split"));
}

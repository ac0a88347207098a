//===- AssignMemorySpaces.cpp - Which memory holds each tile ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::pl {
#define GEN_PASS_DEF_ASSIGNMEMORYSPACES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Tiles that share storage whatever happens: those a loop or branch carries,
/// and views.
class SharedTiles {
public:
  explicit SharedTiles(KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<ForOp>(op)) {
        for (auto [init, carried, yielded, result] :
             llvm::zip(loop.getInits(), loop.getCarried(),
                       loop.getYield()->getOperands(), loop.getResults()))
          joinAll({init, carried, yielded, result});
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (auto [index, result] : llvm::enumerate(branch.getResults()))
          joinAll({result, branch.thenYield().getOperand(index),
                   branch.elseYield().getOperand(index)});
      } else if (isa<SubtileOp, ReshapeOp, SetValidOp>(op)) {
        joinAll({op->getOperand(0), op->getResult(0)});
      } else if (auto acc = dyn_cast<MatmulAccOp>(op); acc && acc.getResult()) {
        joinAll({acc.getAcc(), acc.getResult()});
      }
    });
  }

  Value leaderOf(Value value) const {
    if (!classes.contains(opaque(value)))
      return value;
    return Value::getFromOpaquePointer(classes.getLeaderValue(opaque(value)));
  }

private:
  static void *opaque(Value value) { return value.getAsOpaquePointer(); }
  void joinAll(ArrayRef<Value> values) {
    if (!isa<TileType>(values.front().getType()))
      return;
    for (Value value : values.drop_front())
      classes.unionSets(opaque(values.front()), opaque(value));
  }
  llvm::EquivalenceClasses<void *> classes;
};

struct AssignMemorySpaces
    : mlir::pl::impl::AssignMemorySpacesBase<AssignMemorySpaces> {
  void runOnOperation() override;

private:
  LogicalResult want(Value tile, MemorySpace space, Operation *who);
  LogicalResult placeWindow(SubtileOp window);

  const SharedTiles *shared = nullptr;
  /// The space asked of each group of tiles, and who asked first.
  DenseMap<Value, std::pair<MemorySpace, Operation *>> spaces;
};
} // namespace

LogicalResult AssignMemorySpaces::want(Value tile, MemorySpace space,
                                       Operation *who) {
  auto [found, isNew] = spaces.try_emplace(shared->leaderOf(tile), space, who);
  if (isNew || found->second.first == space)
    return success();
  std::string name = nameOf(tile);
  InFlightDiagnostic diag =
      who->emitError() << "PL103: '" << (name.empty() ? "this tile" : name)
                       << "' is needed in " << stringifyMemorySpace(space)
                       << " here and in "
                       << stringifyMemorySpace(found->second.first)
                       << " elsewhere; store it and load it again between the "
                          "two";
  diag.attachNote(found->second.second->getLoc())
      << "needed in " << stringifyMemorySpace(found->second.first) << " here";
  return failure();
}

/// Gives a load whose tile serves both cube and vector a twin for the cube.
static void splitSharedLoads(KernelOp kernel) {
  SmallVector<LoadOp> loads;
  kernel.walk([&](LoadOp load) { loads.push_back(load); });
  for (LoadOp load : loads) {
    if (!load.getResult())
      continue;
    auto isCube = [](Operation *user) { return isa<ExtractOp>(user); };
    bool anyCube = llvm::any_of(load->getUsers(), isCube);
    if (!anyCube || llvm::all_of(load->getUsers(), isCube))
      continue;
    OpBuilder builder(load);
    auto twin = cast<LoadOp>(builder.clone(*load));
    load.getResult().replaceUsesWithIf(twin.getResult(), [&](OpOperand &use) {
      return isCube(use.getOwner());
    });
  }
}

/// A window of a tile is a view where its bytes follow each other and start
/// where the vector unit can start, and a copy where its rows are apart.
LogicalResult AssignMemorySpaces::placeWindow(SubtileOp window) {
  TileType box = window.getSource().getType();
  TileType whole = window.getResult().getType();
  if (whole.getSpace() != MemorySpace::vec)
    return window.emitError()
           << "PL099: a window of a tile in "
           << stringifyMemorySpace(whole.getSpace())
           << " is not lowered yet; load the window from its tensor";
  int64_t bytes = box.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t row = window.getRow(), col = window.getCol();
  bool isRun = whole.getRows() == 1 || whole.getCols() == box.getCols();
  int64_t start = (isRun ? row * box.getCols() + col : col) * bytes;
  if (start % ::pl::kBlockBytes)
    return window.emitError()
           << "PL045: this window starts " << start << " bytes into "
           << (isRun ? "its tile" : "the rows of its tile")
           << "; windows of vector tiles start at multiples of "
           << ::pl::kBlockBytes << " bytes";
  if (isRun)
    return success();
  TileType part = whole;
  for (unsigned axis : {0u, 1u}) {
    int64_t valid = box.getValid(axis), from = axis == 0 ? row : col;
    if (!ShapedType::isDynamic(valid))
      valid = std::clamp<int64_t>(valid - from, 0, whole.getExtent(axis));
    part = axis == 0 ? part.withValid(valid, part.getValidCols())
                     : part.withValid(part.getValidRows(), valid);
  }
  OpBuilder builder(window);
  Value copy =
      ExtractOp::create(builder, window.getLoc(), part, window.getSource(), row,
                        col, Value(), ValueRange())
          .getResult();
  if (part != whole)
    copy =
        SetValidOp::create(builder, window.getLoc(), whole, copy, ValueRange());
  window.getResult().replaceAllUsesWith(copy);
  window.erase();
  ++numCopies;
  return success();
}

void AssignMemorySpaces::runOnOperation() {
  KernelOp kernel = getOperation();
  splitSharedLoads(kernel);
  SharedTiles tiles(kernel);
  shared = &tiles;
  spaces.clear();
  // Ops that fix a memory come first, so that messages name them.
  auto assign = [&](function_ref<LogicalResult(Operation *)> rule) {
    return kernel
        .walk([&](Operation *op) {
          return failed(rule(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
        })
        .wasInterrupted();
  };
  bool failedAny = assign([&](Operation *op) -> LogicalResult {
    if (auto extract = dyn_cast<ExtractOp>(op)) {
      MemorySpace to = extract.getResult().getType().getSpace();
      if (failed(want(extract.getSource(), MemorySpace::mat, op)))
        return failure();
      return want(extract.getResult(), to, op);
    }
    // Tiles that say where they are: what only orders the two sides.
    if (isa<EmptyOp, MoveOp>(op) && op->getNumResults() == 1)
      if (MemorySpace space =
              cast<TileType>(op->getResult(0).getType()).getSpace();
          space != MemorySpace::none)
        return want(op->getResult(0), space, op);
    if (isa<AivShardOp, AicGatherOp>(op)) {
      bool toCube = isa<AicGatherOp>(op);
      if (failed(want(op->getOperand(0),
                      toCube ? MemorySpace::vec : MemorySpace::acc, op)))
        return failure();
      return want(op->getResult(0),
                  toCube ? MemorySpace::mat : MemorySpace::vec, op);
    }
    if (isa<MatmulOp, MatmulAccOp>(op))
      return want(op->getResult(0), MemorySpace::acc, op);
    auto tileOp = dyn_cast<TileOpInterface>(op);
    if (!tileOp || tileOp.getFacts().pipe != Pipe::v)
      return success();
    for (OpOperand *source : tileOp.getTileSources())
      if (failed(want(source->get(), MemorySpace::vec, op)))
        return failure();
    return want(tileOp.getResultTile(), MemorySpace::vec, op);
  });
  // What nobody asked for in particular lives in vec.
  failedAny =
      failedAny || assign([&](Operation *op) -> LogicalResult {
        for (Value result : op->getResults())
          if (isa<TileType>(result.getType()))
            spaces.try_emplace(shared->leaderOf(result), MemorySpace::vec, op);
        return success();
      });
  if (failedAny)
    return signalPassFailure();
  auto setType = [&](Value value) {
    if (auto type = dyn_cast<TileType>(value.getType())) {
      value.setType(
          type.withSpace(spaces.lookup(shared->leaderOf(value)).first));
      ++numTiles;
    }
  };
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), setType);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), setType);
  });
  if (kernel
          .walk([&](SubtileOp window) {
            return failed(placeWindow(window)) ? WalkResult::interrupt()
                                               : WalkResult::advance();
          })
          .wasInterrupted())
    signalPassFailure();
}

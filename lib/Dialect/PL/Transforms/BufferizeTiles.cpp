//===- BufferizeTiles.cpp - Tile values become buffers ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedStorage.h"

#include "pl/Analysis/TileInterference.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Analysis/ValidExtents.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_BUFFERIZETILES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Making buffers
//===----------------------------------------------------------------------===//

static bool isTile(Value value) { return isa<TileType>(value.getType()); }

namespace {
class Bufferizer {
public:
  Bufferizer(KernelOp kernel, SharedStorage &storage)
      : kernel(kernel), storage(storage), extents(kernel) {}

  LogicalResult run();
  int64_t getNumBuffers() const { return numBuffers; }

private:
  void bufferizeBlock(Block &block);
  void bufferizeOp(Operation *op);
  void bufferizeLoop(scf::ForOp loop);
  void bufferizeIf(scf::IfOp branch);
  void bufferizeView(Operation *op);
  void bufferizeTileOp(Operation *op);
  template <typename TransferOp> void bufferizeTransfer(TransferOp op);
  void addScratch(TileOpInterface op, SmallVectorImpl<Value> &scratch);

  Value makeHandle(Value tile, OpBuilder &builder);
  Value makeBuffer(Location loc, BufferType type, ArrayRef<Value> valid,
                   StringRef name, OpBuilder &builder);
  Value makeView(Value tile, Value base, BufferType type, int64_t offset,
                 OpBuilder &builder);
  Value storageBuffer(Value leader);
  OpFoldResult validOf(Value tile, unsigned axis, OpBuilder &builder);
  /// The same as an index value.
  Value validValueOf(Value tile, unsigned axis, OpBuilder &builder,
                     Location loc);
  SmallVector<Value> dynamicValidOf(Value tile, OpBuilder &builder);
  std::string uniqueName(StringRef hint);
  void replaceScalar(Value old, Value by);
  /// What stands for a scalar that was there before loops were rebuilt.
  Value current(Value scalar) const {
    Value by = replaced.lookup(scalar);
    return by ? by : scalar;
  }

  KernelOp kernel;
  SharedStorage &storage;
  ValidExtents extents;
  DenseMap<Value, Value> handles;
  /// The buffer of a group of tiles that share storage.
  DenseMap<Value, Value> buffers;
  /// Views made of each buffer, in program order.
  DenseMap<Value, SmallVector<BufferViewOp>> views;
  /// Extents that had to be computed or are carried.
  DenseMap<Value, ValidBox> computed;
  DenseMap<Value, Value> replaced;
  llvm::StringMap<unsigned> names;
  SmallVector<Operation *> dead;
  int64_t numBuffers = 0;
};
} // namespace

static Layout layoutOf(TileType type, bool transposed) {
  switch (type.getSpace()) {
  case MemorySpace::mat:
    return transposed ? Layout::zn : Layout::nz;
  case MemorySpace::left:
    return Layout::zz;
  case MemorySpace::right:
    return Layout::zn;
  case MemorySpace::acc:
    return Layout::nz;
  default:
    return type.getCols() == 1 && type.getRows() > 1 ? Layout::dn : Layout::nd;
  }
}

static BufferType bufferTypeOf(Value tile) {
  auto load = storageOf(tile).getDefiningOp<LoadOp>();
  auto type = cast<TileType>(tile.getType());
  return BufferType::get(type, layoutOf(type, load && load.getTranspose()));
}

std::string Bufferizer::uniqueName(StringRef hint) {
  std::string name = hint.empty() ? "t" : hint.str();
  unsigned &count = names[name];
  if (count++ == 0)
    return name;
  for (;;) {
    std::string candidate = name + "_" + std::to_string(count);
    if (names.try_emplace(candidate, 1).second)
      return candidate;
    ++count;
  }
}

OpFoldResult Bufferizer::validOf(Value tile, unsigned axis,
                                 OpBuilder &builder) {
  if (OpFoldResult known = extents.get(tile, axis)) {
    auto value = dyn_cast<Value>(known);
    return value ? OpFoldResult(current(value)) : known;
  }
  auto found = computed.find(tile);
  if (found != computed.end() && found->second[axis])
    return found->second[axis];
  Operation *def = tile.getDefiningOp();
  assert(def && "extents of carried tiles are set with their loop");
  ValidSource source = validSourceOf(def, axis);
  Location loc = def->getLoc();
  Value result;
  for (auto [operand, operandAxis] : source.operands) {
    Value extent = validValueOf(operand, operandAxis, builder, loc);
    result =
        result
            ? arith::MinSIOp::create(builder, loc, result, extent).getResult()
            : extent;
  }
  int64_t box = cast<TileType>(tile.getType()).getExtent(axis);
  if (source.isWindow) {
    // The part of the source's box that falls in the window.
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value).getResult();
    };
    result =
        arith::SubIOp::create(builder, loc, result, constant(source.offset));
    result = arith::MaxSIOp::create(builder, loc, result, constant(0));
    result = arith::MinSIOp::create(builder, loc, result, constant(box));
  }
  computed[tile][axis] = result;
  return result;
}

Value Bufferizer::validValueOf(Value tile, unsigned axis, OpBuilder &builder,
                               Location loc) {
  return getValueOrCreateConstantIndexOp(builder, loc,
                                         validOf(tile, axis, builder));
}

void Bufferizer::replaceScalar(Value old, Value by) {
  old.replaceAllUsesWith(by);
  replaced[old] = by;
}

SmallVector<Value> Bufferizer::dynamicValidOf(Value tile, OpBuilder &builder) {
  SmallVector<Value> values;
  auto type = cast<TileType>(tile.getType());
  for (unsigned axis : {0u, 1u}) {
    if (!ShapedType::isDynamic(type.getValid(axis)))
      continue;
    values.push_back(validValueOf(tile, axis, builder, tile.getLoc()));
  }
  return values;
}

Value Bufferizer::makeBuffer(Location loc, BufferType type,
                             ArrayRef<Value> valid, StringRef name,
                             OpBuilder &builder) {
  ++numBuffers;
  return BufferOp::create(builder, loc, type, valid,
                          builder.getStringAttr(uniqueName(name)),
                          IntegerAttr());
}

/// The op of `block` that is or holds `op`, or null.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// The one buffer of a group of several tiles, made before the first op, in
/// the innermost block that holds all of them, that touches one.
Value Bufferizer::storageBuffer(Value leader) {
  Value &buffer = buffers[leader];
  if (buffer)
    return buffer;
  SmallVector<Operation *> touching;
  std::string name;
  TileType box;
  for (Value member : storage.membersOf(leader)) {
    auto type = cast<TileType>(member.getType());
    box = type.withValid(type.getRows(), type.getCols());
    if (name.empty())
      name = nameOf(member);
    touching.push_back(member.getDefiningOp()
                           ? member.getDefiningOp()
                           : member.getParentBlock()->getParentOp());
    llvm::append_range(touching, member.getUsers());
  }
  Block *block = touching.front()->getBlock();
  while (llvm::any_of(touching,
                      [&](Operation *op) { return !ancestorIn(block, op); }))
    block = block->getParentOp()->getBlock();
  Operation *first = nullptr;
  for (Operation *op : touching) {
    Operation *ancestor = ancestorIn(block, op);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  OpBuilder builder(first);
  buffer =
      makeBuffer(leader.getLoc(), BufferType::get(box, layoutOf(box, false)),
                 {}, name, builder);
  return buffer;
}

/// `base` seen as `tile`, at `offset` bytes. A view that is there already and
/// visible from here serves again.
Value Bufferizer::makeView(Value tile, Value base, BufferType type,
                           int64_t offset, OpBuilder &builder) {
  SmallVector<Value> valid = dynamicValidOf(tile, builder);
  SmallVector<BufferViewOp> &known = views[base];
  for (BufferViewOp view : known) {
    Operation *here = builder.getBlock()->getParentOp();
    bool visible = view->getBlock() == builder.getBlock() ||
                   view->getBlock()->findAncestorOpInBlock(*here);
    if (visible && view.getResult().getType() == type &&
        int64_t(view.getOffset()) == offset &&
        llvm::equal(view.getValid(), valid))
      return view.getResult();
  }
  std::string name = nameOf(tile);
  if (name.empty())
    name = nameOf(base);
  auto view =
      BufferViewOp::create(builder, tile.getLoc(), type, base, valid,
                           builder.getStringAttr(uniqueName(name)),
                           builder.getI64IntegerAttr(offset), IntegerAttr());
  known.push_back(view);
  return view.getResult();
}

/// The buffer through which ops name `tile`, a tile that has storage of its
/// own or shares that of its group.
Value Bufferizer::makeHandle(Value tile, OpBuilder &builder) {
  BufferType type = bufferTypeOf(tile);
  Value leader = storage.leaderOf(tile);
  std::string name = nameOf(tile);
  Value handle;
  if (storage.membersOf(leader).size() == 1) {
    handle = makeBuffer(tile.getLoc(), type, dynamicValidOf(tile, builder),
                        name, builder);
  } else {
    Value base = storageBuffer(leader);
    handle = base.getType() == type
                 ? base
                 : makeView(tile, base, type, /*offset=*/0, builder);
  }
  handles[tile] = handle;
  return handle;
}

void Bufferizer::addScratch(TileOpInterface op,
                            SmallVectorImpl<Value> &scratch) {
  using Scratch = TileOpFacts::Scratch;
  Scratch kind = op.getFacts().scratch;
  // The high-precision form of this instruction is the one with a block of
  // scratch, which holds the ones it divides.
  auto rsqrt = dyn_cast<RsqrtOp>(op.getOperation());
  bool isPrecise = rsqrt && rsqrt.getHighPrecision();
  if (kind == Scratch::none && !isPrecise)
    return;
  SmallVector<OpOperand *> sources = op.getTileSources();
  auto like = cast<TileType>(
      sources[kind == Scratch::likeIndex ? 1 : 0]->get().getType());
  TileType box =
      TileType::get(like.getRows(), like.getCols(), like.getElementType(),
                    MemorySpace::vec, like.getRows(), like.getCols());
  if (kind == Scratch::column) {
    // One block per row holds the row's scalar.
    int64_t perBlock =
        ::pl::kBlockBytes * 8 / like.getElementType().getIntOrFloatBitWidth();
    box = TileType::get(like.getRows(), perBlock, like.getElementType(),
                        MemorySpace::vec, like.getRows(), perBlock);
  }
  if (isPrecise) {
    int64_t perBlock =
        ::pl::kBlockBytes * 8 / like.getElementType().getIntOrFloatBitWidth();
    box = TileType::get(1, perBlock, like.getElementType(), MemorySpace::vec, 1,
                        perBlock);
  }
  OpBuilder builder(op);
  scratch.push_back(makeBuffer(op.getLoc(), BufferType::get(box, Layout::nd),
                               {}, "tmp", builder));
}

void Bufferizer::bufferizeTileOp(Operation *op) {
  auto tileOp = cast<TileOpInterface>(op);
  OpBuilder builder(op);
  Value result = tileOp.getResultTile();
  SmallVector<Value> scratch;
  addScratch(tileOp, scratch);
  Value dst = result ? makeHandle(result, builder) : Value();
  // The buffer form has the same operands, a destination and scratch.
  OperationState state(op->getLoc(), op->getName());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isTile(operand) ? handles.lookup(operand) : operand);
  state.addAttributes(op->getAttrs());
  if (auto load = dyn_cast<LoadOp>(op)) {
    // The valid extents belong to the buffer now.
    LoadOp::create(builder, load.getLoc(), Type(), load.getSource(),
                   load.getOffsets(), ValueRange(), load.getTransposeAttr(),
                   dst);
    dead.push_back(op);
    return;
  }
  if (auto load = dyn_cast<RemoteLoadOp>(op)) {
    RemoteLoadOp::create(builder, load.getLoc(), Type(), load.getSource(),
                         load.getOffsets(), load.getPeer(), ValueRange(), dst);
    dead.push_back(op);
    return;
  }
  if (auto pop = dyn_cast<PopOp>(op)) {
    PopOp::create(builder, pop.getLoc(), Type(), dst, pop.getSplit())
        ->setDiscardableAttrs(pop->getDiscardableAttrDictionary());
    dead.push_back(op);
    return;
  }
  if (!result) {
    op->setOperands(operands);
    return;
  }
  SmallVector<int32_t> segments;
  for (size_t i = 0; i < operands.size(); ++i)
    segments.push_back(1);
  operands.push_back(dst);
  segments.push_back(1);
  llvm::append_range(operands, scratch);
  segments.push_back(scratch.size());
  state.addOperands(operands);
  state.attributes.set("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  builder.create(state);
  dead.push_back(op);
}

/// A transfer goes through tiles of its chunk, or of as many rows and columns
/// as fit `kStageBytes`.
template <typename TransferOp>
void Bufferizer::bufferizeTransfer(TransferOp op) {
  constexpr int64_t kStageBytes = 64 << 10;
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  int64_t size = std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
  SmallVector<int64_t> extents;
  for (Value extent : op.getSizes())
    extents.push_back(getConstantIntValue(extent).value_or(1));
  int64_t cols = op.getChunkCols()
                     ? op.getChunkCols()
                     : std::min(extents.back(), kStageBytes / size);
  int64_t rows = op.getChunkRows();
  if (rows == 0) {
    rows = 1;
    for (int64_t extent : ArrayRef(extents).drop_back())
      rows *= extent;
    rows = std::min(rows, std::max<int64_t>(kStageBytes / (cols * size), 1));
  }
  int64_t perBlock = ::pl::kBlockBytes / size;
  cols = llvm::divideCeilSigned(cols, perBlock) * perBlock;
  auto box = TileType::get(rows, cols, element, MemorySpace::vec, rows, cols);
  OpBuilder builder(op);
  SmallVector<Value> stages;
  for (int i = 0; i < (op.getPipeline() ? 2 : 1); ++i)
    stages.push_back(makeBuffer(op.getLoc(), BufferType::get(box, Layout::nd),
                                {}, "stage", builder));
  op.getStagesMutable().assign(stages);
}

void Bufferizer::bufferizeView(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  OpBuilder builder(op);
  BufferType type = bufferTypeOf(result);
  int64_t offset = 0;
  if (auto subtile = dyn_cast<SubtileOp>(op)) {
    auto box = cast<TileType>(source.getType());
    offset = (subtile.getRow() * box.getCols() + subtile.getCol()) *
             box.getElementType().getIntOrFloatBitWidth() / 8;
  }
  handles[result] =
      makeView(result, handles.lookup(source), type, offset, builder);
  dead.push_back(op);
}

void Bufferizer::bufferizeLoop(scf::ForOp loop) {
  OpBuilder builder(loop);
  // Scalars stay carried; of a tile only extents that change are.
  struct Carried {
    unsigned index;
    int axis; // -1: the scalar itself
  };
  SmallVector<Carried> kept;
  SmallVector<Value> inits;
  for (auto [index, init, argument] :
       llvm::enumerate(loop.getInits(), loop.getRegionIterArgs())) {
    if (!isTile(init)) {
      kept.push_back({unsigned(index), -1});
      inits.push_back(init);
      continue;
    }
    for (int axis : {0, 1})
      if (!extents.get(argument, axis)) {
        kept.push_back({unsigned(index), axis});
        inits.push_back(validValueOf(init, axis, builder, loop.getLoc()));
      }
  }
  auto result = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = result.getBody();
  body->clear();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  result.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  replaceScalar(loop.getInductionVar(), result.getInductionVar());
  for (auto [index, carried] : llvm::enumerate(kept)) {
    BlockArgument oldArgument = loop.getRegionIterArg(carried.index);
    BlockArgument newArgument = result.getRegionIterArg(index);
    newArgument.setLoc(oldArgument.getLoc());
    if (carried.axis < 0) {
      replaceScalar(oldArgument, newArgument);
      replaceScalar(loop.getResult(carried.index), result.getResult(index));
    } else {
      computed[oldArgument][carried.axis] = newArgument;
      computed[loop.getResult(carried.index)][carried.axis] =
          result.getResult(index);
    }
  }
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  for (Value argument : loop.getRegionIterArgs())
    if (isTile(argument) && !argument.use_empty())
      makeHandle(argument, inner);
  Operation *yield = body->getTerminator();
  // Handles were put first; the rest is what the loop did.
  bufferizeBlock(*body);
  OpBuilder atYield(yield);
  SmallVector<Value> yielded;
  for (Carried carried : kept) {
    Value value = yield->getOperand(carried.index);
    if (carried.axis < 0) {
      yielded.push_back(value);
      continue;
    }
    yielded.push_back(
        validValueOf(value, carried.axis, atYield, loop.getLoc()));
  }
  yield->setOperands(yielded);
  OpBuilder after(result->getBlock(), std::next(result->getIterator()));
  for (Value tile : loop.getResults())
    if (isTile(tile) && !tile.use_empty())
      makeHandle(tile, after);
  dead.push_back(loop);
}

void Bufferizer::bufferizeIf(scf::IfOp branch) {
  OpBuilder builder(branch);
  struct Merged {
    unsigned index;
    int axis;
  };
  SmallVector<Merged> kept;
  SmallVector<Type> types;
  for (auto [index, value] : llvm::enumerate(branch.getResults())) {
    if (!isTile(value)) {
      kept.push_back({unsigned(index), -1});
      types.push_back(value.getType());
      continue;
    }
    for (int axis : {0, 1})
      if (!extents.get(value, axis)) {
        kept.push_back({unsigned(index), axis});
        types.push_back(builder.getIndexType());
      }
  }
  auto result =
      scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  for (auto [from, to] :
       llvm::zip(branch->getRegions(), result->getRegions())) {
    to.takeBody(from);
    if (to.empty())
      continue;
    Block &block = to.front();
    Operation *yield = block.getTerminator();
    bufferizeBlock(block);
    OpBuilder atYield(yield);
    SmallVector<Value> yielded;
    for (Merged merged : kept) {
      Value value = yield->getOperand(merged.index);
      if (merged.axis >= 0) {
        value = validValueOf(value, merged.axis, atYield, branch.getLoc());
      }
      yielded.push_back(value);
    }
    yield->setOperands(yielded);
  }
  for (auto [index, merged] : llvm::enumerate(kept)) {
    Value old = branch.getResult(merged.index);
    if (merged.axis < 0)
      replaceScalar(old, result.getResult(index));
    else
      computed[old][merged.axis] = result.getResult(index);
  }
  OpBuilder after(result->getBlock(), std::next(result->getIterator()));
  for (Value tile : branch.getResults())
    if (isTile(tile) && !tile.use_empty())
      makeHandle(tile, after);
  dead.push_back(branch);
}

void Bufferizer::bufferizeOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return bufferizeLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return bufferizeIf(branch);
  if (isa<CubeOp, VectorOp>(op))
    return bufferizeBlock(op->getRegion(0).front());
  if (isa<ReshapeOp, SubtileOp, SetValidOp>(op))
    return bufferizeView(op);
  if (auto empty = dyn_cast<EmptyOp>(op)) {
    OpBuilder builder(op);
    makeHandle(empty.getResult(), builder);
    dead.push_back(op);
    return;
  }
  if (auto extent = dyn_cast<ValidExtentOp>(op)) {
    OpBuilder builder(op);
    replaceScalar(extent.getResult(),
                  validValueOf(extent.getTile(), extent.getAxis(), builder,
                               op->getLoc()));
    dead.push_back(op);
    return;
  }
  if (auto put = dyn_cast<PutOp>(op))
    return bufferizeTransfer(put);
  if (auto get = dyn_cast<GetOp>(op))
    return bufferizeTransfer(get);
  if (isa<TileOpInterface>(op))
    bufferizeTileOp(op);
}

void Bufferizer::bufferizeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (!isa<BufferOp, BufferViewOp>(op))
      bufferizeOp(&op);
}

LogicalResult Bufferizer::run() {
  bufferizeBlock(kernel.getBody().front());
  // Dead ops use each other, and values of dead loops.
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead)
    op->erase();
  return success();
}

namespace {
struct BufferizeTiles : mlir::pl::impl::BufferizeTilesBase<BufferizeTiles> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](ForOp loop) {
      loop.emitOpError("expects pl-pipeline-loops to run first");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    SharedStorage storage(getOperation());
    if (failed(storage.run()))
      return signalPassFailure();
    Bufferizer bufferizer(getOperation(), storage);
    if (failed(bufferizer.run()))
      return signalPassFailure();
    numBuffers += bufferizer.getNumBuffers();
    numCopies += storage.getNumCopies();
  }
};
} // namespace

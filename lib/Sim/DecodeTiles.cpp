//===- DecodeTiles.cpp - buffers and tile ops -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace pl::sim;
using mlir::Operation;
using mlir::Value;
using mlir::ValueRange;
using pl::shim::Placement;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Where elements lie, or nothing if the box is not made of whole fractals.
static std::optional<Placement> placementOf(const TileDecl &tile) {
  int64_t c0 = 32 / int64_t(pl::shim::elemBytes(tile.type));
  int64_t boxRows = 16, boxCols = c0;
  bool blockRowMajor = false, boxRowMajor = true;
  switch (tile.layout) {
  case Layout::ND:
    return Placement::nd(tile.cols);
  case Layout::DN:
    return Placement::dn(tile.rows);
  case Layout::NZ:
    if (tile.space == Space::Acc)
      boxCols = 16;
    break;
  case Layout::ZN:
    std::swap(boxRows, boxCols);
    blockRowMajor = true;
    boxRowMajor = false;
    break;
  case Layout::ZZ:
    blockRowMajor = true;
    break;
  }
  if (tile.rows % boxRows || tile.cols % boxCols)
    return std::nullopt;
  return Placement::boxed(tile.rows, tile.cols, boxRows, boxCols, blockRowMajor,
                          boxRowMajor);
}

/// `none` is the first memory space of the dialect, and no buffer has it.
static Space spaceOf(ir::BufferType type) {
  return Space(unsigned(type.getSpace()) - 1);
}

bool Decoder::addTile(Operation *op, ir::BufferType type, llvm::StringRef name,
                      std::optional<int64_t> address, ValueRange valid) {
  auto error = [&] { return op->emitError() << "buffer '" << name << "' "; };
  if (!address) {
    error() << "has no address; plan memory before simulating";
    return false;
  }
  std::optional<ElemType> element = getElemType(type.getElementType());
  if (!element) {
    error() << "of " << type.getElementType() << " is not simulated";
    return false;
  }
  TileDecl tile;
  tile.name = name.str();
  tile.space = spaceOf(type);
  tile.layout = Layout(unsigned(type.getLayout()));
  tile.type = *element;
  tile.rows = type.getRows();
  tile.cols = type.getCols();
  tile.address = *address;
  tile.validRows = type.getValidRows();
  tile.validCols = type.getValidCols();
  std::optional<Placement> at = placementOf(tile);
  if (!at) {
    error() << "of " << type << " is not made of whole fractals of its layout";
    return false;
  }
  tile.at = *at;
  int64_t end = tile.address + tile.bytes();
  int64_t capacity = spaceBytes(tile.space);
  if (tile.address < 0 || end > capacity) {
    error() << "lies at bytes " << tile.address << ".." << end << " of "
            << stringify(tile.space) << ", which has " << capacity << " bytes";
    return false;
  }
  if (tile.address % int64_t(shim::elemBytes(tile.type))) {
    error() << "at byte " << tile.address << " is not aligned to its elements";
    return false;
  }
  int64_t &used = code.usedBytes[unsigned(tile.space)];
  used = std::max(used, end);

  int32_t id = code.tiles.size();
  slots[op->getResult(0)] = id;
  if (!valid.empty()) {
    Instr &instr = emit(Op::SetValid, op);
    instr.dst = id;
    unsigned next = 0;
    if (mlir::ShapedType::isDynamic(tile.validRows)) {
      instr.a = slot(valid[next++]);
      tile.validRows = -1;
    }
    if (mlir::ShapedType::isDynamic(tile.validCols)) {
      instr.b = slot(valid[next++]);
      tile.validCols = -1;
    }
  }
  code.tiles.push_back(tile);
  return true;
}

bool Decoder::decodeBuffer(ir::BufferOp op) {
  std::optional<int64_t> address;
  if (auto attr = op.getAddressAttr())
    address = attr.getInt();
  // Views may start inside a block, storage of its own may not.
  Space space = spaceOf(op.getResult().getType());
  int64_t alignment = spaceAlignment(space);
  if (address && *address % alignment) {
    op->emitError() << "buffer '" << op.getName() << "' at byte " << *address
                    << " of " << stringify(space) << " is not at a multiple of "
                    << alignment << " bytes";
    return false;
  }
  return addTile(op, op.getResult().getType(), op.getName(), address,
                 op.getValid());
}

bool Decoder::decodeBufferView(ir::BufferViewOp op) {
  const TileDecl &source = code.tiles[slot(op.getSource())];
  int64_t address = source.address + int64_t(op.getOffset());
  if (op.getAddressAttr() && op.getAddressAttr().getInt() != address) {
    op.emitError() << "buffer '" << op.getName() << "' is said to lie at byte "
                   << op.getAddressAttr().getInt() << ", but is at byte "
                   << address << " by its source '" << source.name << "'";
    return false;
  }
  return addTile(op, op.getResult().getType(), op.getName(), address,
                 op.getValid());
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

bool Decoder::checkElement(Operation *op, Value tensor) {
  mlir::Type type =
      mlir::cast<mlir::MemRefType>(tensor.getType()).getElementType();
  if (getElemType(type))
    return true;
  op->emitError() << "tensor of " << type << " is not simulated";
  return false;
}

bool Decoder::decodeLoad(ir::LoadOp op) {
  if (!checkElement(op, op.getSource()))
    return false;
  Instr &instr = emit(Op::Load, op);
  instr.dst = slot(op.getDst());
  instr.a = slot(op.getSource());
  instr.sub = op.getTranspose();
  instr.site = newSite();
  setOperands(instr, slotsOf(op.getOffsets()));
  noteUse(op.getSource(), /*reads=*/true, false, false);
  return true;
}

bool Decoder::decodeStore(ir::StoreOp op) {
  if (!checkElement(op, op.getTarget()))
    return false;
  bool adds = op.getAtomic() == ir::AtomicKind::add;
  Instr &instr = emit(Op::Store, op);
  instr.a = slot(op.getTile());
  instr.b = slot(op.getTarget());
  instr.sub = adds;
  instr.type = *getElemType(
      mlir::cast<mlir::MemRefType>(op.getTarget().getType()).getElementType());
  instr.site = newSite();
  setOperands(instr, slotsOf(op.getOffsets()));
  noteUse(op.getTarget(), false, !adds, adds);
  return true;
}

bool Decoder::decodeElement(Operation *op) {
  if (auto read = mlir::dyn_cast<ir::ReadOp>(op)) {
    if (!checkElement(op, read.getSource()))
      return false;
    int32_t dst = define(read.getResult());
    Instr &instr = emit(Op::Read, op);
    instr.dst = dst;
    instr.a = slot(read.getSource());
    instr.type = *getElemType(read.getResult().getType());
    instr.site = newSite();
    setOperands(instr, slotsOf(read.getIndices()));
    noteUse(read.getSource(), true, false, false);
    return true;
  }
  auto write = mlir::cast<ir::WriteOp>(op);
  if (!checkElement(op, write.getTarget()))
    return false;
  Instr &instr = emit(Op::Write, op);
  instr.a = slot(write.getValue());
  instr.b = slot(write.getTarget());
  instr.type = *getElemType(write.getValue().getType());
  instr.site = newSite();
  setOperands(instr, slotsOf(write.getIndices()));
  noteUse(write.getTarget(), false, true, false);
  return true;
}

//===----------------------------------------------------------------------===//
// Tile ops
//===----------------------------------------------------------------------===//

bool Decoder::chooseWalk(Operation *op, Instr &instr,
                         llvm::ArrayRef<int32_t> tiles) {
  auto all = [&](auto holds) {
    return llvm::all_of(tiles,
                        [&](int32_t id) { return holds(code.tiles[id]); });
  };
  if (all([](const TileDecl &t) { return t.layout == Layout::ND; })) {
    instr.walk = Walk::Rows;
    return true;
  }
  if (all([](const TileDecl &t) {
        return (t.layout == Layout::ND || t.layout == Layout::DN) &&
               (t.rows == 1 || t.cols == 1);
      })) {
    instr.walk = Walk::Vector;
    return true;
  }
  if (all([](const TileDecl &t) { return t.layout == Layout::DN; })) {
    instr.walk = Walk::Columns;
    return true;
  }
  op->emitError() << "mixes the layouts of its buffers, or uses one of the "
                     "cube, which is not simulated";
  return false;
}

namespace {
/// What a tile op becomes.
struct TileOpCode {
  Op op = Op::Return;
  unsigned sub = 0;
};
} // namespace

static TileOpCode tileOpCode(llvm::StringRef name) {
  using pl::shim::BinaryOp;
  using pl::shim::ReduceOp;
  using pl::shim::UnaryOp;
  auto binary = [](BinaryOp op) {
    return TileOpCode{Op::Binary, unsigned(op)};
  };
  auto scalar = [](BinaryOp op) {
    return TileOpCode{Op::Scalar, unsigned(op)};
  };
  auto unary = [](UnaryOp op) { return TileOpCode{Op::Unary, unsigned(op)}; };
  auto row = [](BinaryOp op) {
    return TileOpCode{Op::RowExpandBinary, unsigned(op)};
  };
  auto col = [](BinaryOp op) {
    return TileOpCode{Op::ColExpandBinary, unsigned(op)};
  };
  auto rowReduce = [](ReduceOp op) {
    return TileOpCode{Op::RowReduce, unsigned(op)};
  };
  auto colReduce = [](ReduceOp op) {
    return TileOpCode{Op::ColReduce, unsigned(op)};
  };
  return llvm::StringSwitch<TileOpCode>(name)
      .Case("add", binary(BinaryOp::Add))
      .Case("sub", binary(BinaryOp::Sub))
      .Case("mul", binary(BinaryOp::Mul))
      .Case("div", binary(BinaryOp::Div))
      .Case("maximum", binary(BinaryOp::Max))
      .Case("minimum", binary(BinaryOp::Min))
      .Case("adds", scalar(BinaryOp::Add))
      .Case("subs", scalar(BinaryOp::Sub))
      .Case("muls", scalar(BinaryOp::Mul))
      .Case("divs", scalar(BinaryOp::Div))
      .Case("maxs", scalar(BinaryOp::Max))
      .Case("mins", scalar(BinaryOp::Min))
      .Case("neg", unary(UnaryOp::Neg))
      .Case("abs", unary(UnaryOp::Abs))
      .Case("exp", unary(UnaryOp::Exp))
      .Case("log", unary(UnaryOp::Log))
      .Case("sqrt", unary(UnaryOp::Sqrt))
      .Case("recip", unary(UnaryOp::Recip))
      .Case("rsqrt", unary(UnaryOp::Rsqrt))
      .Case("row_expand_add", row(BinaryOp::Add))
      .Case("row_expand_sub", row(BinaryOp::Sub))
      .Case("row_expand_mul", row(BinaryOp::Mul))
      .Case("row_expand_div", row(BinaryOp::Div))
      .Case("col_expand_add", col(BinaryOp::Add))
      .Case("col_expand_sub", col(BinaryOp::Sub))
      .Case("col_expand_mul", col(BinaryOp::Mul))
      .Case("col_expand_div", col(BinaryOp::Div))
      .Case("row_sum", rowReduce(ReduceOp::Sum))
      .Case("row_max", rowReduce(ReduceOp::Max))
      .Case("row_min", rowReduce(ReduceOp::Min))
      .Case("col_sum", colReduce(ReduceOp::Sum))
      .Case("col_max", colReduce(ReduceOp::Max))
      .Case("cast", {Op::Cast})
      .Case("row_expand", {Op::RowExpand})
      .Case("col_expand", {Op::ColExpand})
      .Case("full", {Op::Full})
      .Case("iota", {Op::Iota})
      .Cases({"move", "extract"}, {Op::CopyTile})
      .Case("fillpad", {Op::FillPad})
      .Case("transpose", {Op::Transpose})
      .Case("gather", {Op::Gather})
      .Cases({"matmul", "matmul_acc"}, {Op::Matmul})
      .Default({});
}

/// `None`, the first mode of both enums, and all others agree by position.
static pl::shim::RoundMode roundMode(ir::RoundMode mode) {
  return pl::shim::RoundMode(unsigned(mode));
}

bool Decoder::decodeCompute(ir::TileOpInterface tileOp) {
  Operation *op = tileOp;
  TileOpCode what = tileOpCode(op->getName().stripDialect());
  if (what.op == Op::Return) {
    op->emitError() << "'" << op->getName() << "' is not simulated";
    return false;
  }
  llvm::SmallVector<int32_t, 4> sources;
  for (mlir::OpOperand *operand : tileOp.getTileSources())
    sources.push_back(slot(operand->get()));
  int32_t dst = slot(tileOp.getDstOperand()->get());
  llvm::SmallVector<int32_t, 8> scratch = slotsOf(tileOp.getScratchBuffers());

  Instr &instr = emit(what.op, op);
  instr.sub = uint8_t(what.sub);
  instr.dst = dst;
  instr.type = code.tiles[dst].type;
  if (!sources.empty()) {
    instr.a = sources[0];
    instr.type2 = code.tiles[sources[0]].type;
  }
  if (sources.size() > 1)
    instr.b = sources[1];
  instr.scratch = code.operands.size();
  instr.numScratch = scratch.size();
  code.operands.insert(code.operands.end(), scratch.begin(), scratch.end());

  auto isRowMajor = [&](int32_t id) {
    return code.tiles[id].layout == Layout::ND;
  };
  auto isVector = [&](int32_t id) {
    const TileDecl &tile = code.tiles[id];
    return (tile.layout == Layout::ND || tile.layout == Layout::DN) &&
           (tile.rows == 1 || tile.cols == 1);
  };
  auto expect = [&](bool holds) {
    if (!holds)
      op->emitError() << "has a buffer in a layout that its instruction does "
                         "not take";
    return holds;
  };
  auto supported = [&](bool holds) {
    if (!holds)
      op->emitError() << "is not defined on "
                      << tileOp.getDstOperand()->get().getType();
    return holds;
  };
  llvm::SmallVector<int32_t, 4> tiles(sources);
  tiles.push_back(dst);

  switch (what.op) {
  case Op::Unary:
    if (auto rsqrt = mlir::dyn_cast<ir::RsqrtOp>(op);
        rsqrt && rsqrt.getHighPrecision())
      instr.sub = uint8_t(shim::UnaryOp::RsqrtPrecise);
    return supported(shim::supports(shim::UnaryOp(instr.sub), instr.type)) &&
           chooseWalk(op, instr, tiles);
  case Op::Binary:
    return supported(shim::supports(shim::BinaryOp(instr.sub), instr.type)) &&
           chooseWalk(op, instr, tiles);
  case Op::Scalar:
    instr.b = slot(op->getOperand(1));
    return supported(shim::supports(shim::BinaryOp(instr.sub), instr.type)) &&
           chooseWalk(op, instr, tiles);
  case Op::Cast:
    instr.mode = roundMode(mlir::cast<ir::CastOp>(op).getMode());
    return chooseWalk(op, instr, tiles);
  case Op::Full:
    instr.a = slot(mlir::cast<ir::FullOp>(op).getValue());
    return chooseWalk(op, instr, tiles);
  case Op::Iota:
    instr.a = slot(mlir::cast<ir::IotaOp>(op).getStart());
    return expect(isVector(dst));
  case Op::RowReduce:
    return expect(isRowMajor(sources[0]) && isVector(dst));
  case Op::ColReduce:
    return expect(isRowMajor(sources[0]) && isVector(dst));
  case Op::RowExpandBinary:
  case Op::ColExpandBinary:
    return supported(shim::supports(shim::BinaryOp(instr.sub), instr.type)) &&
           expect(isRowMajor(sources[0]) && isRowMajor(dst) &&
                  isVector(sources[1]));
  case Op::RowExpand:
  case Op::ColExpand: {
    const TileDecl &from = code.tiles[sources[0]], &to = code.tiles[dst];
    int64_t need = what.op == Op::RowExpand ? to.rows : to.cols;
    return expect(isVector(sources[0]) && isRowMajor(dst) &&
                  from.rows * from.cols >= need && from.type == to.type);
  }
  case Op::CopyTile:
    if (auto extract = mlir::dyn_cast<ir::ExtractOp>(op)) {
      instr.imm = int64_t(extract.getRow());
      instr.imm2 = int64_t(extract.getCol());
    }
    return true;
  case Op::FillPad:
    instr.sub = uint8_t(mlir::cast<ir::FillPadOp>(op).getPad());
    return true;
  case Op::Gather:
    instr.sub = mlir::cast<ir::GatherOp>(op).getFlat();
    return expect(isRowMajor(sources[0]) && isRowMajor(sources[1]) &&
                  isRowMajor(dst));
  case Op::Matmul:
    if (mlir::isa<ir::MatmulAccOp>(op)) {
      instr.c = sources[0];
      instr.a = sources[1];
      instr.b = sources[2];
    }
    instr.type2 = code.tiles[instr.a].type;
    return true;
  default:
    return true;
  }
}

bool Decoder::decodeTileOp(Operation *op) {
  if (auto buffer = mlir::dyn_cast<ir::BufferOp>(op))
    return decodeBuffer(buffer);
  if (auto view = mlir::dyn_cast<ir::BufferViewOp>(op))
    return decodeBufferView(view);
  if (mlir::isa<ir::ReadOp, ir::WriteOp>(op))
    return decodeElement(op);
  if (mlir::isa<ir::BlockIdxOp, ir::BlockNumOp>(op)) {
    int32_t dst = define(op->getResult(0));
    emit(mlir::isa<ir::BlockIdxOp>(op) ? Op::BlockIdx : Op::BlockNum, op).dst =
        dst;
    return true;
  }
  if (mlir::isa<ir::SubblockIdxOp>(op)) {
    emit(Op::LaneIdx, op).dst = define(op->getResult(0));
    return true;
  }
  if (mlir::isa<ir::RingOp>(op)) {
    decodeRing(op);
    return true;
  }
  if (mlir::isa<ir::PushOp, ir::PopOp>(op) && op->getNumResults() == 0)
    return decodeHandshake(op);
  if (auto barrier = mlir::dyn_cast<ir::PipeBarrierOp>(op)) {
    emit(Op::PipeBarrier, op).pipe = uint8_t(barrier.getPipe());
    return true;
  }
  auto flag = [&](Op what, ir::Pipe from, ir::Pipe to, int64_t event) {
    emit(what, op).imm = (int64_t(from) * 8 + int64_t(to)) * 8 + event;
    return true;
  };
  if (auto set = mlir::dyn_cast<ir::SetFlagOp>(op))
    return flag(Op::SetFlag, set.getFrom(), set.getTo(), set.getEvent());
  if (auto wait = mlir::dyn_cast<ir::WaitFlagOp>(op))
    return flag(Op::WaitFlag, wait.getFrom(), wait.getTo(), wait.getEvent());

  bool isKnown = false;
  bool isGood = decodeComm(op, isKnown);
  if (isKnown)
    return isGood;
  auto tileOp = mlir::dyn_cast<ir::TileOpInterface>(op);
  bool onTiles = llvm::any_of(
      llvm::concat<const mlir::Type>(llvm::to_vector(op->getOperandTypes()),
                                     llvm::to_vector(op->getResultTypes())),
      [](mlir::Type type) { return mlir::isa<ir::TileType>(type); });
  if (!tileOp || onTiles) {
    op->emitError() << "'" << op->getName()
                    << "' is not simulated in phase tiles";
    return false;
  }
  if (auto load = mlir::dyn_cast<ir::LoadOp>(op))
    return decodeLoad(load);
  if (auto store = mlir::dyn_cast<ir::StoreOp>(op))
    return decodeStore(store);
  return decodeCompute(tileOp);
}

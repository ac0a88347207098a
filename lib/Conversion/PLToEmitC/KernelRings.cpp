//===- KernelRings.cpp - Tiles between the sides of a mixed kernel --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring is a `TPipe` object per core. A push is one instruction, with the
// handshake in it. A pop loads the tile to an address that the object has,
// which is set to the planned address of the tile before; with one local slot
// nothing is added to it. The slot is free again once it is loaded.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pl;

/// Flags of the cluster that a ring uses: this one and the next.
static unsigned flagOf(bool toCube) { return toCube ? 2 : 0; }

static StringRef splitText(SplitMode split) {
  switch (split) {
  case SplitMode::none:
    return "TileSplitAxis::TILE_NO_SPLIT";
  case SplitMode::up_down:
    return "TileSplitAxis::TILE_UP_DOWN";
  case SplitMode::left_right:
    return "TileSplitAxis::TILE_LEFT_RIGHT";
  }
  llvm_unreachable("a split mode");
}

/// Do the lanes share the tiles of this direction?
static bool isSplit(KernelOp kernel, bool toCube) {
  bool found = false;
  kernel.walk([&](VectorOp side) {
    side.walk([&](Operation *op) {
      auto push = dyn_cast<PushOp>(op);
      auto pop = dyn_cast<PopOp>(op);
      found |= toCube ? push && push.getSplit() != SplitMode::none
                      : pop && pop.getSplit() != SplitMode::none;
    });
  });
  return found;
}

/// The split of a handshake: the cube's ops do not say, the lanes' do.
static SplitMode splitOf(KernelOp kernel, bool toCube) {
  SplitMode mode = SplitMode::none;
  kernel.walk([&](VectorOp side) {
    side.walk([&](Operation *op) {
      auto push = dyn_cast<PushOp>(op);
      auto pop = dyn_cast<PopOp>(op);
      if (toCube && push)
        mode = push.getSplit();
      if (!toCube && pop)
        mode = pop.getSplit();
    });
  });
  return mode;
}

LogicalResult KernelWriter::emitRing(Operation *op) {
  auto ring = cast<RingOp>(op);
  Location loc = op->getLoc();
  bool toCube = ring.getToCube();
  FailureOr<GmView> view = viewOf(op, ring.getWorkspace());
  if (failed(view))
    return failure();
  RingName &name = rings[toCube];
  name.name = names.make(toCube ? "to_cube" : "to_vector");
  int64_t row = cast<MemRefType>(ring.getWorkspace().getType()).getDimSize(1);
  std::string type =
      llvm::formatv("TPipe<{0}, Direction::{1}, {2}, {3}, 1, {4}>",
                    flagOf(toCube), toCube ? "DIR_V2C" : "DIR_C2V",
                    ring.getBytes(), ring.getSlots(),
                    isSplit(kernel, toCube) ? "false" : "true")
          .str();
  std::string offset =
      ring.getOffset() ? " + " + std::to_string(ring.getOffset()) : "";
  line(loc);
  verbatim(loc,
           type + " " + name.name + "({} + {} * " + Twine(row) + offset +
               ", 0, 0);",
           ValueRange{view->pointer, blockIdx});
  name.leaf = literal(loc, name.name);
  if (toCube == isCube()) {
    std::string place = names.make(name.name + "_at");
    verbatim(loc, "uint32_t* const " + place + " = &" + name.name + ".fifo." +
                      (toCube ? "V2C" : "C2V") + "_CONSUMER_BUF;");
    name.place = literal(loc, place,
                         emitc::PointerType::get(
                             builder.getIntegerType(32, /*isSigned=*/false)));
  }
  return success();
}

LogicalResult KernelWriter::emitHandshake(Operation *op) {
  Location loc = op->getLoc();
  auto push = dyn_cast<PushOp>(op);
  auto pop = dyn_cast<PopOp>(op);
  bool toCube = isCube() == (pop != nullptr);
  RingName &ring = rings[toCube];
  if (!ring.leaf)
    return op->emitOpError() << "has no ring in its kernel";
  FailureOr<TileName *> known =
      tile(op, push ? Value(push.getTile()) : Value(pop.getDst()));
  if (failed(known))
    return failure();
  SplitMode split = isCube() ? splitOf(kernel, toCube)
                    : push   ? push.getSplit()
                             : pop.getSplit();
  std::string pipeType = "decltype(" + ring.name + ")";
  std::string tileType = "decltype(" + (*known)->name + ")";
  SmallVector<StringRef> templates = {pipeType, tileType, splitText(split)};
  if (push) {
    instruction(op, "TPUSH", {ring.leaf, (*known)->leaf}, templates);
    return success();
  }
  line(loc);
  Type address = builder.getIntegerType(32, /*isSigned=*/false);
  Value place = emitc::DereferenceOp::create(
      builder, loc, emitc::LValueType::get(address), ring.place);
  emitc::AssignOp::create(
      builder, loc, place,
      literal(loc, llvm::formatv("{0:x}", (*known)->address).str(), address));
  instruction(op, "TPOP", {ring.leaf, (*known)->leaf}, templates);
  instruction(op, "TFREE", ring.leaf, {pipeType, splitText(split)});
  return success();
}

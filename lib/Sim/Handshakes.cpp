//===- Handshakes.cpp - tiles through the slots of a ring -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "pl/Dialect/PL/IR/PL.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;
using mlir::pl::SplitMode;
using pl::shim::Placement;

namespace {
/// The rows and columns of a slot that one lane has, in the slot's own rows.
struct SlotBox {
  int64_t start, pitch, rows, rowBytes; ///< bytes
};
} // namespace

/// A whole tile lies packed at the start of its slot; a lane has its half of a
/// tile that is twice as large.
static SlotBox boxOf(const Tile &tile, SplitMode split, bool isSecondLane) {
  int64_t size = int64_t(pl::shim::elemBytes(tile.decl->type));
  int64_t rows = tile.validRows, cols = tile.validCols;
  int64_t width = split == SplitMode::left_right ? 2 * cols : cols;
  int64_t start = 0;
  if (isSecondLane && split == SplitMode::up_down)
    start = rows * width * size;
  if (isSecondLane && split == SplitMode::left_right)
    start = cols * size;
  return {start, width * size, rows, cols * size};
}

/// Copies between a tile and its place in the slot at byte `slot` of this
/// block's row of the workspace.
bool Interpreter::moveSlot(const Instr &instr, const Tile &tile, int64_t slot) {
  int64_t rows = tile.validRows, cols = tile.validCols;
  if (rows == 0 || cols == 0)
    return true;
  const RingDecl &ring = context->cluster->ring(unsigned(instr.imm));
  SlotBox box =
      boxOf(tile, SplitMode(instr.sub), context->queue == kLane1Queue);
  Buffer &buffer = *views[ring.view].buffer;
  int64_t end = box.start + (box.rows - 1) * box.pitch + box.rowBytes;
  if (context->block >= buffer.shape[0])
    return fail(FailureKind::Bounds, instr,
                fmt::format("a slot in row {} of the workspace '{}', which has "
                            "rows for {} block{}",
                            context->block, buffer.name, buffer.shape[0],
                            buffer.shape[0] == 1 ? "" : "s"));
  if (end > ring.bytes)
    return fail(
        FailureKind::Bounds, instr,
        fmt::format("a tile of {} bytes in a slot of {}", end, ring.bytes));
  int64_t start = context->block * buffer.shape[1] + slot + box.start;
  bool isPush = instr.op == Op::Push;
  size_t size = shim::elemBytes(tile.decl->type);
  Placement packed = Placement::nd(box.pitch / int64_t(size));
  for (auto [inSlot, inTile] : {std::pair(buffer.data + start, tile.data),
                                std::pair(buffer.shadow + start, tile.shadow)})
    if (isPush)
      copyRegion(size, inSlot, packed, 0, 0, inTile, tile.decl->at, 0, 0, rows,
                 cols);
    else
      copyRegion(size, inTile, tile.decl->at, 0, 0, inSlot, packed, 0, 0, rows,
                 cols);
  log->accessesOf(buffer.id).add({start, box.rowBytes, box.pitch, box.rows,
                                  isPush ? AccessKind::Write : AccessKind::Read,
                                  instr.loc});
  return true;
}

/// `Stop::End` once the tile has crossed.
Stop Interpreter::handshake(const Instr &instr) {
  Cluster &cluster = *context->cluster;
  unsigned ring = unsigned(instr.imm), queue = context->queue;
  bool isPush = instr.op == Op::Push;
  std::optional<int64_t> slot =
      isPush ? cluster.beginPush(ring, queue) : cluster.beginPop(ring, queue);
  if (!slot)
    return Stop::Slot;
  if (!moveSlot(instr, tiles[isPush ? instr.a : instr.dst], *slot))
    return Stop::Failure;
  if (isPush)
    cluster.endPush(ring, queue);
  else
    cluster.endPop(ring, queue);
  return Stop::End;
}

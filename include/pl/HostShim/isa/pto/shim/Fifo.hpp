//===- Fifo.hpp - tiles between cube and vector cores ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The FIFO of A2/A3: slots in global memory, flags of the cluster for their
// order. A push stores the valid box packed, a pop loads it to the local
// address and gives the slot back, as there. Cores that wait for each other end
// the run.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_FIFO_HPP
#define PL_HOSTSHIM_ISA_FIFO_HPP

#include "Memory.hpp"
#include "Tile.hpp"

namespace pto {

enum TileSplitAxis : uint8_t {
  TILE_NO_SPLIT = 0,
  TILE_UP_DOWN = 1,
  TILE_LEFT_RIGHT = 2
};

enum Direction : uint8_t { UNDEFINED = 0, DIR_C2V = 1, DIR_V2C = 2 };

template <uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum,
          uint32_t LocalSlotNum = 2, bool IsNoSplit = false,
          bool EnUnitFlag = false>
struct TPipe {
  static constexpr bool is_c2v = DirType == Direction::DIR_C2V;
  static constexpr bool is_v2c = DirType == Direction::DIR_V2C;
  static_assert(is_c2v || is_v2c, "the host shim has one direction per pipe");
  static_assert(FlagID + 1 < 16, "a cluster has 16 flags");
  static_assert(SlotNum >= 1 && LocalSlotNum >= 1, "a ring has slots");
  static_assert(SlotNum <= 3 || SlotNum % 2 == 0,
                "credits come for half a ring at a time");
  static constexpr uint32_t slotBytes = SlotSize;
  static constexpr uint32_t localSlots = LocalSlotNum;

  struct RingFIFO {
    __gm__ void *GM_SLOT_BUFFER;
    uint32_t C2V_CONSUMER_BUF, V2C_CONSUMER_BUF;
  };
  RingFIFO fifo;

  TPipe(__gm__ void *slots, uint32_t toVector, uint32_t toCube)
      : fifo{slots, toVector, toCube} {
    pl::shim::isa::openRing(FlagID, is_v2c, SlotNum);
  }

  /// The address of slot `index` of those in use.
  char *slot(int64_t index) const {
    return static_cast<char *>(fifo.GM_SLOT_BUFFER) +
           index % SlotNum * SlotSize;
  }
};

namespace shim {
/// The valid box of a tile at the start of a slot, or a lane's half of one.
template <typename TileData, TileSplitAxis Split>
pl::shim::isa::GlobalArg slotArg(const char *name, TileData &tile, char *slot,
                                 uint32_t slotBytes, bool isLane) {
  using T = typename TileData::DType;
  int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
  int64_t halves = isLane && Split == TILE_LEFT_RIGHT ? 2 : 1;
  int64_t offset = 0;
  if (isLane && Split != TILE_NO_SPLIT && pl::shim::isa::subBlock() == 1)
    offset = Split == TILE_UP_DOWN ? rows * cols : cols;
  int64_t last = rows && cols ? offset + (rows - 1) * cols * halves + cols : 0;
  if (last * int64_t(sizeof(T)) > int64_t(slotBytes))
    pl::shim::isa::fail(name, "a tile of %lld bytes in a slot of %u",
                        (long long)(last * sizeof(T)), slotBytes);
  pl::shim::isa::GlobalArg arg = {slot + offset * sizeof(T),
                                  elemTypeOf<T>(),
                                  false,
                                  false,
                                  {1, 1, 1, rows, cols},
                                  {1, 1, 1, cols * halves, 1}};
  return arg;
}
} // namespace shim

template <typename Pipe, typename TileData, TileSplitAxis Split,
          typename... Events>
inline RecordEvent TPUSH(Pipe &pipe, TileData &tile, Events &...) {
  static_assert(TileData::Loc == (Pipe::is_c2v ? TileType::Acc : TileType::Vec),
                "the cube pushes Acc tiles, the vector cores Vec tiles");
  int64_t index = pl::shim::isa::beginPush(Pipe::is_v2c);
  auto to = shim::slotArg<TileData, Split>("TPUSH", tile, pipe.slot(index),
                                           Pipe::slotBytes, Pipe::is_v2c);
  if (tile.GetValidRow() && tile.GetValidCol())
    pl::shim::isa::store(to, tile.shimArg(), false, false);
  pl::shim::isa::endPush(Pipe::is_v2c);
  return {};
}

template <typename Pipe, typename TileData, TileSplitAxis Split,
          typename... Events>
inline RecordEvent TPOP(Pipe &pipe, TileData &tile, Events &...) {
  static_assert(TileData::Loc == (Pipe::is_c2v ? TileType::Vec : TileType::Mat),
                "the vector cores pop Vec tiles, the cube Mat tiles");
  int64_t index = pl::shim::isa::beginPop(Pipe::is_v2c);
  uint64_t local =
      (Pipe::is_c2v ? pipe.fifo.C2V_CONSUMER_BUF : pipe.fifo.V2C_CONSUMER_BUF) +
      uint64_t(index) % Pipe::localSlots * Pipe::slotBytes;
  TASSIGN(tile, local);
  auto from = shim::slotArg<TileData, Split>("TPOP", tile, pipe.slot(index),
                                             Pipe::slotBytes, Pipe::is_c2v);
  if (tile.GetValidRow() && tile.GetValidCol())
    pl::shim::isa::load(tile.shimArg(), from, false, 0);
  pl::shim::isa::endPop(Pipe::is_v2c);
  return {};
}

/// A popped tile has left its slot already.
template <typename Pipe, TileSplitAxis Split, typename... Events>
inline RecordEvent TFREE(Pipe &, Events &...) {
  return {};
}

} // namespace pto

#endif // PL_HOSTSHIM_ISA_FIFO_HPP

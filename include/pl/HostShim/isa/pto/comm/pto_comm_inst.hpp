//===- pto_comm_inst.hpp - instructions between ranks ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers are done when the instruction returns; a wait blocks its thread
// until another rank's has notified it.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_PTO_COMM_INST_HPP
#define PL_HOSTSHIM_ISA_PTO_COMM_INST_HPP

#include "../pto-inst.hpp"

namespace pto::comm {

enum class NotifyOp : uint8_t { AtomicAdd = 0, Set = 1 };
enum class WaitCmp : uint8_t { EQ = 0, NE = 1, GT = 2, GE = 3, LT = 4, LE = 5 };

using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>,
                            Stride<1, 1, 1, 1, 1>, Layout::ND>;

namespace shim {
template <typename Dst, typename Src, typename Stage>
constexpr void checkTransfer() {
  static_assert(is_global_data_v<Dst> && is_global_data_v<Src> &&
                    is_tile_data_v<Stage>,
                "operands are two GlobalTensors and a tile");
  static_assert(
      std::is_same_v<typename Dst::RawDType, typename Src::RawDType> &&
          std::is_same_v<typename Stage::DType, typename Src::RawDType>,
      "a transfer does not convert");
  static_assert(Dst::layout == Src::layout, "both sides have one layout");
  static_assert(Stage::Loc == TileType::Vec && Stage::isRowMajor &&
                    !Stage::isBoxedLayout,
                "a transfer goes through a row-major Vec tile");
}
} // namespace shim

template <AtomicType Atomic = AtomicType::AtomicNone, typename Dst,
          typename Src, typename Stage>
inline RecordEvent TPUT(Dst &dst, Src &src, Stage &stage) {
  shim::checkTransfer<Dst, Src, Stage>();
  pl::shim::isa::transfer("TPUT", dst.shimArg(), src.shimArg(),
                          stage.shimArg(), nullptr,
                          Atomic == AtomicType::AtomicAdd);
  return {};
}
template <AtomicType Atomic = AtomicType::AtomicNone, typename Dst,
          typename Src, typename Stage>
inline RecordEvent TPUT(Dst &dst, Src &src, Stage &ping, Stage &pong) {
  shim::checkTransfer<Dst, Src, Stage>();
  auto second = pong.shimArg();
  pl::shim::isa::transfer("TPUT", dst.shimArg(), src.shimArg(), ping.shimArg(),
                          &second, Atomic == AtomicType::AtomicAdd);
  return {};
}

template <typename Dst, typename Src, typename Stage>
inline RecordEvent TGET(Dst &dst, Src &src, Stage &stage) {
  shim::checkTransfer<Dst, Src, Stage>();
  pl::shim::isa::transfer("TGET", dst.shimArg(), src.shimArg(),
                          stage.shimArg(), nullptr, false);
  return {};
}
template <typename Dst, typename Src, typename Stage>
inline RecordEvent TGET(Dst &dst, Src &src, Stage &ping, Stage &pong) {
  shim::checkTransfer<Dst, Src, Stage>();
  auto second = pong.shimArg();
  pl::shim::isa::transfer("TGET", dst.shimArg(), src.shimArg(), ping.shimArg(),
                          &second, false);
  return {};
}

template <typename Cell>
inline void TNOTIFY(Cell &cell, int32_t value, NotifyOp op) {
  static_assert(std::is_same_v<typename Cell::RawDType, int32_t>,
                "signals are int32_t");
  pl::shim::isa::notify(cell.shimArg().data, value, op == NotifyOp::Set);
}

template <typename Cell>
inline void TWAIT(Cell &cell, int32_t value, WaitCmp cmp) {
  static_assert(std::is_same_v<typename Cell::RawDType, int32_t>,
                "signals are int32_t");
  pl::shim::isa::wait(cell.shimArg().data, value, int(cmp));
}

} // namespace pto::comm

#endif // PL_HOSTSHIM_ISA_PTO_COMM_INST_HPP

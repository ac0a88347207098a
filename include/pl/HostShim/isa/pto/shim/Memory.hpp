//===- Memory.hpp - data movement and the cube unit -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_MEMORY_HPP
#define PL_HOSTSHIM_ISA_MEMORY_HPP

#include "Tile.hpp"

namespace pto {

namespace shim {

/// The bits of a pad value in the element's type.
template <typename T, auto Pad> constexpr uint64_t padBits() {
  constexpr auto pad = static_cast<uint64_t>(Pad);
  constexpr unsigned width = sizeof(T) * 8;
  constexpr uint64_t mask =
      width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  if constexpr (pad >= static_cast<uint64_t>(PadValue::CustomBase))
    return pad & 0xffffffff & mask;
  constexpr bool isMax = pad == static_cast<uint64_t>(PadValue::Max);
  constexpr bool isMin = pad == static_cast<uint64_t>(PadValue::Min);
  if (!isMax && !isMin)
    return 0;
  constexpr uint64_t sign = isMin ? uint64_t(1) << (width - 1) : 0;
  if constexpr (std::is_same_v<T, float>)
    return 0x7f800000 | sign;
  else if constexpr (std::is_same_v<T, half>)
    return 0x7c00 | sign;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return 0x7f80 | sign;
  else if constexpr (std::is_signed_v<T>)
    return isMin ? sign : mask >> 1;
  else
    return isMin ? 0 : mask;
}

template <typename Tile>
constexpr bool isNZ =
    Tile::isBoxedLayout && !Tile::isRowMajor && Tile::isInnerRowMajor;
template <typename Tile>
constexpr bool isZN =
    Tile::isBoxedLayout && Tile::isRowMajor && Tile::isInnerColMajor;

template <typename Tile, typename Global> constexpr void checkTransfer() {
  static_assert(is_tile_data_v<Tile> && is_global_data_v<Global>,
                "operands are a tile and a GlobalTensor");
  static_assert(Tile::Loc == TileType::Vec || Tile::Loc == TileType::Mat ||
                    Tile::Loc == TileType::Acc,
                "only Vec, Mat and Acc tiles exchange data with GM");
  // A row or column of one element is both.
  constexpr bool line = Tile::Rows == 1 || Tile::Cols == 1;
  if constexpr (Tile::Loc == TileType::Vec && !Tile::isBoxedLayout && !line) {
    static_assert(Tile::isRowMajor == (Global::layout == Layout::ND),
                  "a Vec tile has the layout of its GM tensor");
  } else if constexpr (Tile::Loc == TileType::Mat && Tile::isBoxedLayout) {
    static_assert((isNZ<Tile> && Global::layout != Layout::DN) ||
                      (isZN<Tile> && Global::layout == Layout::DN),
                  "Mat tiles are loaded ND or NZ to NZ, and DN to ZN");
  }
}

} // namespace shim

//===----------------------------------------------------------------------===//
// GM
//===----------------------------------------------------------------------===//

template <typename TileData, typename GlobalData, typename... Events>
inline RecordEvent TLOAD(TileData &dst, GlobalData &src, Events &...) {
  shim::checkTransfer<TileData, GlobalData>();
  static_assert(
      std::is_same_v<typename TileData::DType, typename GlobalData::RawDType>,
      "TLOAD does not convert");
  static_assert(TileData::Loc != TileType::Acc, "TLOAD fills Vec and Mat");
  pl::shim::isa::load(
      dst.shimArg(), src.shimArg(),
      static_cast<uint64_t>(TileData::PadVal) !=
          static_cast<uint64_t>(PadValue::Null),
      shim::padBits<typename TileData::DType, TileData::PadVal>());
  return {};
}

namespace shim {
template <typename TileData, typename GlobalData, AtomicType Atomic,
          ReluPreMode Relu>
inline void storeTile(GlobalData &dst, TileData &src) {
  using From = typename TileData::DType;
  using To = typename GlobalData::RawDType;
  checkTransfer<TileData, GlobalData>();
  if constexpr (TileData::Loc == TileType::Acc) {
    static_assert(GlobalData::layout != Layout::DN,
                  "an Acc tile cannot be stored to DN");
    static_assert(
        (std::is_same_v<From, float> &&
         (std::is_same_v<To, float> || std::is_same_v<To, half> ||
          std::is_same_v<To, bfloat16_t>)) ||
            (std::is_same_v<From, int32_t> && std::is_same_v<To, int32_t>),
        "the fix pipe stores float as float, half or bfloat16_t, and "
        "int32_t as it is");
  } else {
    static_assert(std::is_same_v<From, To>,
                  "TSTORE of a Vec or Mat tile does not convert");
    static_assert(Relu == ReluPreMode::NoRelu, "relu is the fix pipe's");
  }
  pl::shim::isa::store(dst.shimArg(), src.shimArg(),
                       Atomic == AtomicType::AtomicAdd,
                       Relu == ReluPreMode::NormalRelu);
}
} // namespace shim

template <typename TileData, typename GlobalData, typename... Events>
inline RecordEvent TSTORE(GlobalData &dst, TileData &src, Events &...) {
  shim::storeTile<TileData, GlobalData, AtomicType::AtomicNone,
                  ReluPreMode::NoRelu>(dst, src);
  return {};
}
template <STPhase Phase, typename TileData, typename GlobalData,
          typename... Events>
inline RecordEvent TSTORE(GlobalData &dst, TileData &src, Events &...) {
  return TSTORE(dst, src);
}
template <typename TileData, typename GlobalData, AtomicType Atomic,
          typename... Events>
inline RecordEvent TSTORE(GlobalData &dst, TileData &src, Events &...) {
  shim::storeTile<TileData, GlobalData, Atomic, ReluPreMode::NoRelu>(dst, src);
  return {};
}
template <typename TileData, typename GlobalData, AtomicType Atomic,
          ReluPreMode Relu, typename... Events>
inline RecordEvent TSTORE(GlobalData &dst, TileData &src, Events &...) {
  shim::storeTile<TileData, GlobalData, Atomic, Relu>(dst, src);
  return {};
}

//===----------------------------------------------------------------------===//
// Between on-chip memories
//===----------------------------------------------------------------------===//

namespace shim {
template <typename Dst, typename Src> constexpr void checkCopy() {
  constexpr bool fromMat =
      Src::Loc == TileType::Mat &&
      (Dst::Loc == TileType::Left || Dst::Loc == TileType::Right ||
       Dst::Loc == TileType::Bias);
  constexpr bool vecToVec =
      Src::Loc == TileType::Vec && Dst::Loc == TileType::Vec;
  constexpr bool accToMat =
      Src::Loc == TileType::Acc && Dst::Loc == TileType::Mat;
  static_assert(fromMat || vecToVec || accToMat,
                "A2/A3 moves Mat to Left/Right/Bias, Vec to Vec, Acc to Mat");
  static_assert(accToMat ||
                    std::is_same_v<typename Dst::DType, typename Src::DType>,
                "this move does not convert");
}
} // namespace shim

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TMOV(Dst &dst, Src &src, Events &...) {
  shim::checkCopy<Dst, Src>();
  static_assert(Dst::Rows == Src::Rows && Dst::Cols == Src::Cols,
                "TMOV moves between equal boxes");
  pl::shim::isa::copyWindow("TMOV", dst.shimArg(), src.shimArg(), 0, 0, false);
  return {};
}

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TEXTRACT(Dst &dst, Src &src, uint16_t row = 0,
                            uint16_t col = 0, Events &...) {
  shim::checkCopy<Dst, Src>();
  pl::shim::isa::copyWindow("TEXTRACT", dst.shimArg(), src.shimArg(), row, col,
                            false);
  return {};
}
template <typename Dst, typename Src, ReluPreMode Relu, typename... Events>
inline RecordEvent TEXTRACT(Dst &dst, Src &src, uint16_t row, uint16_t col,
                            Events &...) {
  shim::checkCopy<Dst, Src>();
  static_assert(Src::Loc == TileType::Acc, "relu is the fix pipe's");
  pl::shim::isa::copyWindow("TEXTRACT", dst.shimArg(), src.shimArg(), row, col,
                            Relu == ReluPreMode::NormalRelu);
  return {};
}

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TINSERT(Dst &dst, Src &src, uint16_t row, uint16_t col,
                           Events &...) {
  static_assert(Src::Loc == TileType::Acc && Dst::Loc == TileType::Mat,
                "A2/A3 inserts Acc into Mat");
  pl::shim::isa::insertWindow(dst.shimArg(), src.shimArg(), row, col);
  return {};
}

template <TFillPadMode Mode = TFillPadMode::Normal, typename Dst, typename Src,
          typename... Events>
inline std::enable_if_t<Dst::Loc == TileType::Vec, RecordEvent>
TFILLPAD(Dst &dst, Src &src, Events &...) {
  static_assert(sizeof(typename Dst::DType) == sizeof(typename Src::DType),
                "TFILLPAD does not convert");
  static_assert(static_cast<uint64_t>(Dst::PadVal) !=
                    static_cast<uint64_t>(PadValue::Null),
                "the destination names the pad value");
  static_assert(Mode == TFillPadMode::Expand ||
                    (Dst::Rows == Src::Rows && Dst::Cols == Src::Cols),
                "TFILLPAD keeps the box");
  pl::shim::isa::fillPadTiles(
      dst.shimArg(), src.shimArg(),
      shim::padBits<typename Dst::DType, Dst::PadVal>());
  return {};
}
template <typename TileData, PadValue Pad = PadValue::Zero, typename... Events>
inline std::enable_if_t<TileData::Loc == TileType::Mat, RecordEvent>
TFILLPAD(TileData &dst, TileData &src, Events &...) {
  static_assert(Pad == PadValue::Zero || Pad == PadValue::Null,
                "Mat tiles are padded with zero");
  pl::shim::isa::fillPadTiles(dst.shimArg(), src.shimArg(), 0);
  return {};
}
template <typename Dst, typename Src, typename... Events>
inline RecordEvent TFILLPAD_INPLACE(Dst &dst, Src &src, Events &...) {
  return TFILLPAD<TFillPadMode::InPlace>(dst, src);
}
template <typename Dst, typename Src, typename... Events>
inline RecordEvent TFILLPAD_EXPAND(Dst &dst, Src &src, Events &...) {
  return TFILLPAD<TFillPadMode::Expand>(dst, src);
}

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

namespace shim {
template <typename C, typename A, typename B> constexpr void checkMatmul() {
  using TA = typename A::DType;
  using TC = typename C::DType;
  static_assert(A::Loc == TileType::Left && B::Loc == TileType::Right &&
                    C::Loc == TileType::Acc,
                "a matmul takes Left and Right and gives Acc");
  static_assert(A::isRowMajor && A::isInnerRowMajor,
                "a Left tile is ZZ on A2/A3");
  static_assert(isZN<B>, "a Right tile is ZN");
  static_assert(isNZ<C> && C::SFractalSize == TileConfig::fractalCSize,
                "an Acc tile is NZ with fractals of 1024 bytes");
  static_assert(A::Rows == C::Rows && A::Cols == B::Rows && B::Cols == C::Cols,
                "M, K and N of the boxes must agree");
  static_assert(
      std::is_same_v<TA, typename B::DType> &&
          ((std::is_same_v<TA, int8_t> && std::is_same_v<TC, int32_t>) ||
           ((std::is_same_v<TA, half> || std::is_same_v<TA, bfloat16_t> ||
             std::is_same_v<TA, float>) &&
            std::is_same_v<TC, float>)),
      "operand types are int8_t, half, bfloat16_t or float, equal; "
      "the result is int32_t or float");
}
} // namespace shim

template <typename C, typename A, typename B, typename... Events>
inline RecordEvent TMATMUL(C &c, A &a, B &b, Events &...) {
  shim::checkMatmul<C, A, B>();
  pl::shim::isa::matmulTiles("TMATMUL", c.shimArg(), nullptr, a.shimArg(),
                             b.shimArg(), nullptr);
  return {};
}
template <AccPhase Phase, typename C, typename A, typename B,
          typename... Events>
inline RecordEvent TMATMUL(C &c, A &a, B &b, Events &...) {
  return TMATMUL(c, a, b);
}

template <typename C, typename A, typename B, typename... Events,
          std::enable_if_t<is_tile_data_v<B>, int> = 0>
inline RecordEvent TMATMUL_ACC(C &out, C &in, A &a, B &b, Events &...) {
  shim::checkMatmul<C, A, B>();
  auto init = in.shimArg();
  pl::shim::isa::matmulTiles("TMATMUL_ACC", out.shimArg(), &init, a.shimArg(),
                             b.shimArg(), nullptr);
  return {};
}
template <AccPhase Phase, typename C, typename A, typename B,
          typename... Events>
inline RecordEvent TMATMUL_ACC(C &out, C &in, A &a, B &b, Events &...) {
  return TMATMUL_ACC(out, in, a, b);
}
template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A,
          typename B>
inline RecordEvent TMATMUL_ACC(C &c, A &a, B &b) {
  return TMATMUL_ACC(c, c, a, b);
}

template <typename C, typename A, typename B, typename Bias, typename... Events>
inline RecordEvent TMATMUL_BIAS(C &c, A &a, B &b, Bias &bias, Events &...) {
  shim::checkMatmul<C, A, B>();
  static_assert(Bias::Loc == TileType::Bias && Bias::Rows == 1 &&
                    std::is_same_v<typename Bias::DType, typename C::DType>,
                "the bias is one row of the result's type");
  auto row = bias.shimArg();
  pl::shim::isa::matmulTiles("TMATMUL_BIAS", c.shimArg(), nullptr, a.shimArg(),
                             b.shimArg(), &row);
  return {};
}

} // namespace pto

#endif // PL_HOSTSHIM_ISA_MEMORY_HPP

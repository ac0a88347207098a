//===- VectorMisc.hpp - casts, fills, gathers, selects --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_VECTORMISC_HPP
#define PL_HOSTSHIM_ISA_VECTORMISC_HPP

#include "Vector.hpp"

namespace pto {

namespace shim {

/// The pairs A2/A3 converts in one instruction.
template <typename To, typename From> constexpr bool convertsDirectly() {
  constexpr auto to = elemTypeOf<To>(), from = elemTypeOf<From>();
  switch (from) {
  case ElemType::F32:
    return to == ElemType::F16 || to == ElemType::BF16 || to == ElemType::I16 ||
           to == ElemType::I32 || to == ElemType::I64 || to == ElemType::F32;
  case ElemType::F16:
    return to == ElemType::F32 || to == ElemType::I32 || to == ElemType::I16 ||
           to == ElemType::I8 || to == ElemType::U8;
  case ElemType::BF16:
    return to == ElemType::F32 || to == ElemType::I32;
  case ElemType::I16:
    return to == ElemType::F16 || to == ElemType::F32;
  case ElemType::I32:
    return to == ElemType::F32 || to == ElemType::I16 || to == ElemType::I64 ||
           to == ElemType::F16;
  case ElemType::I64:
    return to == ElemType::F32 || to == ElemType::I32;
  case ElemType::I8:
  case ElemType::U8:
    return to == ElemType::F16;
  default:
    return false;
  }
}

template <typename Dst, typename Src>
inline void convert(Dst &dst, Src &src, RoundMode mode) {
  static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec &&
                    Dst::isRowMajor && Src::isRowMajor && !Dst::isBoxedLayout &&
                    !Src::isBoxedLayout,
                "TCVT runs on row-major Vec tiles");
  static_assert(convertsDirectly<typename Dst::DType, typename Src::DType>(),
                "A2/A3 needs a chain of casts for this pair of types");
  pl::shim::isa::convertTiles(dst.shimArg(), src.shimArg(), int(mode));
}
} // namespace shim

template <bool NeedSetCtrl = true, typename Dst, typename Src,
          typename... Events>
inline RecordEvent TCVT(Dst &dst, Src &src, RoundMode mode, Events &...) {
  shim::convert(dst, src, mode);
  return {};
}
template <bool NeedSetCtrl = true, typename Dst, typename Src,
          typename... Events>
inline RecordEvent TCVT(Dst &dst, Src &src, RoundMode mode, SaturationMode,
                        Events &...) {
  shim::convert(dst, src, mode);
  return {};
}
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename Tmp,
          typename... Events, std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
inline RecordEvent TCVT(Dst &dst, Src &src, Tmp &, RoundMode mode,
                        Events &...) {
  shim::convert(dst, src, mode);
  return {};
}
template <bool NeedSetCtrl = true, typename Dst, typename Src, typename Tmp,
          typename... Events, std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
inline RecordEvent TCVT(Dst &dst, Src &src, Tmp &, RoundMode mode,
                        SaturationMode, Events &...) {
  shim::convert(dst, src, mode);
  return {};
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

template <typename Dst, typename... Events>
inline RecordEvent TEXPANDS(Dst &dst, typename Dst::DType scalar, Events &...) {
  static_assert(Dst::Loc == TileType::Vec || Dst::Loc == TileType::Mat,
                "TEXPANDS fills Vec and Mat tiles");
  pl::shim::isa::fillTiles(dst.shimArg(), &scalar);
  return {};
}

/// TCI<Tile, T, descending>(dst, start): start, start + 1, ... along one row.
template <typename Dst, typename T, int descending, typename... Events>
inline RecordEvent TCI(Dst &dst, T start, Events &...) {
  shim::checkVec<Dst>();
  static_assert(std::is_same_v<T, typename Dst::DType>,
                "the start has the tile's element type");
  static_assert(Dst::Rows == 1, "TCI fills one row");
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "TCI is for elements of 2 and 4 bytes");
  pl::shim::isa::iotaTiles(dst.shimArg(), &start, descending == 1);
  return {};
}
template <typename Dst, typename Tmp, typename T, int descending,
          typename... Events, std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
inline RecordEvent TCI(Dst &dst, T start, Tmp &, Events &...) {
  return TCI<Dst, T, descending>(dst, start);
}

//===----------------------------------------------------------------------===//
// Gathers and transposes
//===----------------------------------------------------------------------===//

/// dst[i, j] = element number index[i, j] of src's physical box.
template <typename Dst, typename Src, typename Index, typename Tmp,
          typename... Events>
inline RecordEvent TGATHER(Dst &dst, Src &src, Index &index, Tmp &,
                           Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkVec<Index>();
  static_assert(sizeof(typename Dst::DType) == 2 ||
                    sizeof(typename Dst::DType) == 4,
                "TGATHER moves elements of 2 and 4 bytes");
  static_assert(std::is_same_v<typename Index::DType, int32_t> ||
                    std::is_same_v<typename Index::DType, uint32_t>,
                "indices have 32 bits on A2/A3");
  static_assert(std::is_same_v<typename Tmp::DType, typename Index::DType>,
                "the scratch tile has the indices' type");
  pl::shim::isa::gatherTiles(dst.shimArg(), src.shimArg(), index.shimArg());
  return {};
}

/// Packs the elements the pattern selects in each row of src.
template <typename Dst, typename Src, MaskPattern Pattern = MaskPattern::P1111,
          auto Axis = GatherAxis::GATHER_ROW, typename... Events>
inline RecordEvent TGATHER(Dst &dst, Src &src, Events &...) {
  shim::checkVec<Dst>();
  shim::checkVec<Src>();
  static_assert(sizeof(typename Dst::DType) == sizeof(typename Src::DType),
                "TGATHER moves elements of one size");
  static_assert(Axis == GatherAxis::GATHER_ROW,
                "the host shim gathers along rows");
  constexpr int pattern = int(Pattern);
  constexpr int step = pattern == 7 ? 1 : pattern <= 2 ? 2 : 4;
  constexpr int first = pattern == 7   ? 0
                        : pattern <= 2 ? pattern - 1
                                       : pattern - 3;
  pl::shim::isa::gatherMaskTiles(dst.shimArg(), src.shimArg(), first, step);
  return {};
}

template <typename Dst, typename Src, typename Tmp, typename... Events>
inline RecordEvent TTRANS(Dst &dst, Src &src, Tmp &, Events &...) {
  shim::checkVec<Dst, Src>();
  pl::shim::isa::transposeTiles(dst.shimArg(), src.shimArg());
  return {};
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

namespace shim {
template <typename Dst, typename Src> constexpr void checkCompare() {
  checkVec<Dst>();
  checkVec<Src>();
  static_assert(std::is_same_v<typename Dst::DType, uint8_t>,
                "a mask is a uint8_t tile of packed bits on A2/A3");
  static_assert(std::is_same_v<typename Src::DType, float> ||
                    std::is_same_v<typename Src::DType, half> ||
                    std::is_same_v<typename Src::DType, int32_t>,
                "A2/A3 compares float, half and int32_t");
}
} // namespace shim

template <typename Dst, typename Src0, typename Src1, typename... Events>
inline RecordEvent TCMP(Dst &dst, Src0 &src0, Src1 &src1, CmpMode mode,
                        Events &...) {
  shim::checkCompare<Dst, Src0>();
  shim::checkVec<Src0, Src1>();
  auto b = src1.shimArg();
  pl::shim::isa::compareTiles(dst.shimArg(), src0.shimArg(), &b, nullptr,
                              int(mode));
  return {};
}
template <typename Dst, typename Src, typename... Events>
inline RecordEvent TCMPS(Dst &dst, Src &src, typename Src::DType scalar,
                         CmpMode mode, Events &...) {
  shim::checkCompare<Dst, Src>();
  pl::shim::isa::compareTiles(dst.shimArg(), src.shimArg(), nullptr, &scalar,
                              int(mode));
  return {};
}

template <typename Dst, typename Mask, typename Tmp, typename... Events>
inline RecordEvent TSEL(Dst &dst, Mask &mask, Dst &src0, Dst &src1, Tmp &,
                        Events &...) {
  shim::checkVec<Dst>();
  shim::checkVec<Mask>();
  auto b = src1.shimArg();
  pl::shim::isa::selectTiles(dst.shimArg(), mask.shimArg(), src0.shimArg(), &b,
                             nullptr);
  return {};
}
template <typename Dst, typename Mask, typename Src, typename Tmp,
          typename... Events>
inline RecordEvent TSELS(Dst &dst, Mask &mask, Src &src, Tmp &,
                         typename Src::DType scalar, Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkVec<Mask>();
  pl::shim::isa::selectTiles(dst.shimArg(), mask.shimArg(), src.shimArg(),
                             nullptr, &scalar);
  return {};
}

} // namespace pto

#endif // PL_HOSTSHIM_ISA_VECTORMISC_HPP

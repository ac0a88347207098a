//===- Types.hpp - enumerations and element types of the tile ISA ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_TYPES_HPP
#define PL_HOSTSHIM_ISA_TYPES_HPP

#include "../../../Scalar.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Address-space and function qualifiers mean nothing on the CPU.
#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef AICORE
#define AICORE
#endif

typedef _Float16 half;
typedef half float16_t;
typedef float float32_t;
typedef __bf16 bfloat16_t;

namespace pto {

enum class TileType {
  Vec,
  Mat,
  Left,
  Right,
  Acc,
  Bias,
  Scaling,
  ScaleLeft,
  ScaleRight,
  Ctrl
};
enum class BLayout { RowMajor = 0, ColMajor = 1 };
enum class SLayout { NoneBox = 0, RowMajor = 1, ColMajor = 2 };
enum class Layout { ND, DN, NZ };
enum class PadValue : uint64_t {
  Null = 0,
  Zero = 1,
  Max = 2,
  Min = 3,
  CustomBase = 0x100000000ULL
};
enum class CompactMode { Null, Normal, RowPlusOne, RowAlignedPadding };
enum class RoundMode : uint8_t {
  CAST_NONE = 0,
  CAST_RINT = 1,
  CAST_ROUND = 2,
  CAST_FLOOR = 3,
  CAST_CEIL = 4,
  CAST_TRUNC = 5,
  CAST_ODD = 6
};
enum class SaturationMode : uint8_t { ON = 0, OFF = 1 };
enum class AtomicType : uint8_t { AtomicNone = 0, AtomicAdd = 1 };
enum class ReluPreMode : uint8_t { NoRelu = 0, NormalRelu = 1 };
enum class STPhase : uint8_t { Unspecified = 0, Partial = 2, Final = 3 };
enum class AccPhase : uint8_t {
  Unspecified = 0,
  Unknown = Unspecified,
  Partial = 2,
  Final = 3
};
enum class CmpMode : uint8_t { EQ = 0, NE = 1, LT = 2, LE = 3, GT = 4, GE = 5 };
/// Which elements of each group of two or four a mask gather takes; patterns
/// are read from the right.
enum class MaskPattern : uint8_t {
  P0101 = 1,
  P1010 = 2,
  P0001 = 3,
  P0010 = 4,
  P0100 = 5,
  P1000 = 6,
  P1111 = 7
};
enum class GatherAxis : uint8_t { GATHER_ROW = 0, GATHER_COL = 1 };
enum class TFillPadMode : uint8_t { Normal = 0, InPlace = 1, Expand = 2 };
enum class DivAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };

/// What instructions return; ordering is by flags alone here.
struct RecordEvent {};

namespace TileConfig {
constexpr int alignedSize = 32;
constexpr int fixedRowSize = 16;
constexpr int fixedColSize = 16;
constexpr int fractalABSize = 512;
constexpr int fractalCSize = 1024;
} // namespace TileConfig

namespace shim {

using pl::shim::ElemType;

template <typename T> constexpr ElemType elemTypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return ElemType::F32;
  else if constexpr (std::is_same_v<T, half>)
    return ElemType::F16;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return ElemType::BF16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return ElemType::I8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return ElemType::U8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return ElemType::I16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return ElemType::U16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return ElemType::I32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return ElemType::U32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return ElemType::I64;
  else {
    static_assert(std::is_same_v<T, uint64_t>,
                  "element type is not known to the host shim");
    return ElemType::U64;
  }
}

template <typename T>
constexpr bool isFloatElem = pl::shim::isFloat(elemTypeOf<T>());

} // namespace shim
} // namespace pto

#endif // PL_HOSTSHIM_ISA_TYPES_HPP

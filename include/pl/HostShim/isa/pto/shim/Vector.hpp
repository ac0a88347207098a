//===- Vector.hpp - elementwise, reductions, broadcasts -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_VECTOR_HPP
#define PL_HOSTSHIM_ISA_VECTOR_HPP

#include "Tile.hpp"

namespace pto {

namespace shim {

// Values of the operation enumerations in pl/HostShim/Rows.h.
enum BinaryCode {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  ExpDif,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Rem
};
enum UnaryCode {
  Abs,
  Neg,
  Relu,
  Not,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  RsqrtPrecise,
  Recip
};
enum ReduceCode { ReduceSum, ReduceMax, ReduceMin, ReduceProd };

/// Plain row-major Vec tiles of one element type.
template <typename Dst, typename... Srcs> constexpr void checkVec() {
  static_assert(is_tile_data_v<Dst> && (is_tile_data_v<Srcs> && ...),
                "operands are tiles");
  static_assert(Dst::Loc == TileType::Vec &&
                    ((Srcs::Loc == TileType::Vec) && ...),
                "vector instructions run on Vec tiles");
  static_assert(
      Dst::isRowMajor && !Dst::isBoxedLayout &&
          ((Srcs::isRowMajor && !Srcs::isBoxedLayout) && ...),
      "operands are row-major (view a column [N, 1] as a row [1, N])");
  static_assert(
      (std::is_same_v<typename Dst::DType, typename Srcs::DType> && ...),
      "operands have one element type");
}

/// What the A2/A3 vector unit adds and multiplies.
template <typename T> constexpr void checkArithmetic() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> ||
                    std::is_same_v<T, int32_t> || std::is_same_v<T, int16_t>,
                "A2/A3 arithmetic is on float, half, int32_t and int16_t");
}
template <typename T> constexpr void checkFloat() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>,
                "this instruction is for float and half on A2/A3");
}
template <typename T> constexpr void checkInteger() {
  static_assert(std::is_integral_v<T>, "this instruction is for integers");
}

} // namespace shim

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

#define PL_SHIM_BINARY(NAME, CODE, CHECK)                                      \
  template <typename Dst, typename Src0, typename Src1, typename... Events>    \
  inline RecordEvent NAME(Dst &dst, Src0 &src0, Src1 &src1, Events &...) {     \
    shim::checkVec<Dst, Src0, Src1>();                                         \
    shim::CHECK<typename Dst::DType>();                                        \
    pl::shim::isa::binaryTiles(#NAME, shim::CODE, dst.shimArg(),               \
                               src0.shimArg(), src1.shimArg());                \
    return {};                                                                 \
  }

/// The public simulation accepts TADD only on three tiles of one type.
template <typename Dst, typename Src0, typename Src1, typename... Events>
inline RecordEvent TADD(Dst &dst, Src0 &src0, Src1 &src1, Events &...) {
  shim::checkVec<Dst, Src0, Src1>();
  shim::checkArithmetic<typename Dst::DType>();
  static_assert(std::is_same_v<Dst, Src0> && std::is_same_v<Dst, Src1>,
                "the tiles of TADD have one type, valid extents included");
  pl::shim::isa::binaryTiles("TADD", shim::Add, dst.shimArg(), src0.shimArg(),
                             src1.shimArg());
  return {};
}
PL_SHIM_BINARY(TSUB, Sub, checkArithmetic)
PL_SHIM_BINARY(TMUL, Mul, checkArithmetic)
PL_SHIM_BINARY(TMAX, Max, checkArithmetic)
PL_SHIM_BINARY(TMIN, Min, checkArithmetic)
PL_SHIM_BINARY(TAND, And, checkInteger)
PL_SHIM_BINARY(TOR, Or, checkInteger)
PL_SHIM_BINARY(TSHL, Shl, checkInteger)
PL_SHIM_BINARY(TSHR, Shr, checkInteger)
#undef PL_SHIM_BINARY

template <auto PrecisionType = DivAlgorithm::DEFAULT, typename Dst,
          typename Src0, typename Src1, typename... Events>
inline RecordEvent TDIV(Dst &dst, Src0 &src0, Src1 &src1, Events &...) {
  shim::checkVec<Dst, Src0, Src1>();
  shim::checkFloat<typename Dst::DType>();
  pl::shim::isa::binaryTiles("TDIV", shim::Div, dst.shimArg(), src0.shimArg(),
                             src1.shimArg());
  return {};
}

template <typename Dst, typename Src0, typename Src1, typename Tmp,
          typename... Events>
inline RecordEvent TXOR(Dst &dst, Src0 &src0, Src1 &src1, Tmp &, Events &...) {
  shim::checkVec<Dst, Src0, Src1>();
  shim::checkInteger<typename Dst::DType>();
  pl::shim::isa::binaryTiles("TXOR", shim::Xor, dst.shimArg(), src0.shimArg(),
                             src1.shimArg());
  return {};
}

#define PL_SHIM_SCALAR(NAME, CODE, CHECK)                                      \
  template <typename Dst, typename Src, typename... Events>                    \
  inline RecordEvent NAME(Dst &dst, Src &src, typename Src::DType scalar,      \
                          Events &...) {                                       \
    shim::checkVec<Dst, Src>();                                                \
    shim::CHECK<typename Dst::DType>();                                        \
    pl::shim::isa::binaryScalarTiles(#NAME, shim::CODE, dst.shimArg(),         \
                                     src.shimArg(), &scalar, false);           \
    return {};                                                                 \
  }
PL_SHIM_SCALAR(TADDS, Add, checkArithmetic)
PL_SHIM_SCALAR(TSUBS, Sub, checkArithmetic)
PL_SHIM_SCALAR(TMULS, Mul, checkArithmetic)
PL_SHIM_SCALAR(TMAXS, Max, checkArithmetic)
PL_SHIM_SCALAR(TMINS, Min, checkArithmetic)
PL_SHIM_SCALAR(TANDS, And, checkInteger)
PL_SHIM_SCALAR(TORS, Or, checkInteger)
PL_SHIM_SCALAR(TSHLS, Shl, checkInteger)
PL_SHIM_SCALAR(TSHRS, Shr, checkInteger)
#undef PL_SHIM_SCALAR

template <auto PrecisionType = DivAlgorithm::DEFAULT, typename Dst,
          typename Src, typename... Events>
inline RecordEvent TDIVS(Dst &dst, Src &src, typename Src::DType scalar,
                         Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkFloat<typename Dst::DType>();
  pl::shim::isa::binaryScalarTiles("TDIVS", shim::Div, dst.shimArg(),
                                   src.shimArg(), &scalar, false);
  return {};
}
/// scalar / src.
template <auto PrecisionType = DivAlgorithm::DEFAULT, typename Dst,
          typename Src, typename... Events>
inline RecordEvent TDIVS(Dst &dst, typename Dst::DType scalar, Src &src,
                         Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkFloat<typename Dst::DType>();
  pl::shim::isa::binaryScalarTiles("TDIVS", shim::Div, dst.shimArg(),
                                   src.shimArg(), &scalar, true);
  return {};
}

#define PL_SHIM_UNARY(NAME, CODE, CHECK)                                       \
  template <typename Dst, typename Src, typename... Events>                    \
  inline RecordEvent NAME(Dst &dst, Src &src, Events &...) {                   \
    shim::checkVec<Dst, Src>();                                                \
    shim::CHECK<typename Dst::DType>();                                        \
    pl::shim::isa::unaryTiles(#NAME, shim::CODE, dst.shimArg(),                \
                              src.shimArg());                                  \
    return {};                                                                 \
  }
#define PL_SHIM_FUNCTION(NAME, ALGORITHM, CODE)                                \
  template <auto PrecisionType = ALGORITHM::DEFAULT, typename Dst,             \
            typename Src, typename... Events>                                  \
  inline RecordEvent NAME(Dst &dst, Src &src, Events &...) {                   \
    shim::checkVec<Dst, Src>();                                                \
    shim::checkFloat<typename Dst::DType>();                                   \
    pl::shim::isa::unaryTiles(#NAME, shim::CODE, dst.shimArg(),                \
                              src.shimArg());                                  \
    return {};                                                                 \
  }
PL_SHIM_UNARY(TNEG, Neg, checkArithmetic)
PL_SHIM_UNARY(TRELU, Relu, checkArithmetic)
PL_SHIM_UNARY(TNOT, Not, checkInteger)
PL_SHIM_FUNCTION(TEXP, ExpAlgorithm, Exp)
PL_SHIM_FUNCTION(TLOG, LogAlgorithm, Log)
PL_SHIM_FUNCTION(TSQRT, SqrtAlgorithm, Sqrt)
#undef PL_SHIM_UNARY
#undef PL_SHIM_FUNCTION

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TABS(Dst &dst, Src &src, Events &...) {
  shim::checkVec<Dst, Src>();
  static_assert(std::is_same_v<Dst, Src>,
                "the tiles of TABS have one type, valid extents included");
  shim::checkArithmetic<typename Dst::DType>();
  pl::shim::isa::unaryTiles("TABS", shim::Abs, dst.shimArg(), src.shimArg());
  return {};
}

template <auto PrecisionType = RecipAlgorithm::DEFAULT, typename Dst,
          typename Src, typename... Events>
inline RecordEvent TRECIP(Dst &dst, Src &src, Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkFloat<typename Dst::DType>();
  if (static_cast<const void *>(dst.data()) == src.data())
    pl::shim::isa::fail("TRECIP", "source and destination share storage, which "
                                  "this machine cannot do");
  pl::shim::isa::unaryTiles("TRECIP", shim::Recip, dst.shimArg(),
                            src.shimArg());
  return {};
}

/// Square root, then divide. With a scratch tile: the high-precision form.
template <auto PrecisionType = RsqrtAlgorithm::DEFAULT, typename Dst,
          typename Src>
inline RecordEvent TRSQRT(Dst &dst, Src &src) {
  shim::checkVec<Dst, Src>();
  shim::checkFloat<typename Dst::DType>();
  pl::shim::isa::unaryTiles("TRSQRT", shim::Rsqrt, dst.shimArg(),
                            src.shimArg());
  return {};
}
template <auto PrecisionType = RsqrtAlgorithm::DEFAULT, typename Dst,
          typename Src, typename Tmp, typename... Events,
          std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
inline RecordEvent TRSQRT(Dst &dst, Src &src, Tmp &, Events &...) {
  shim::checkVec<Dst, Src>();
  shim::checkFloat<typename Dst::DType>();
  pl::shim::isa::unaryTiles("TRSQRT", shim::RsqrtPrecise, dst.shimArg(),
                            src.shimArg());
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace shim {
template <typename Dst, typename Src> constexpr void checkRowReduce() {
  static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec &&
                    !Dst::isBoxedLayout && !Src::isBoxedLayout &&
                    Src::isRowMajor,
                "row reductions read a row-major Vec tile");
  static_assert(Dst::isRowMajor || Dst::Cols == 1,
                "the result is row-major or a column [N, 1]");
  static_assert(Dst::Rows == Src::Rows,
                "the result has as many physical rows as the source");
  static_assert(std::is_same_v<typename Dst::DType, typename Src::DType>,
                "a reduction keeps the element type");
  checkArithmetic<typename Src::DType>();
}
} // namespace shim

#define PL_SHIM_ROW(NAME, CODE)                                                \
  template <typename Dst, typename Src, typename Tmp, typename... Events>      \
  inline RecordEvent NAME(Dst &dst, Src &src, Tmp &, Events &...) {            \
    shim::checkRowReduce<Dst, Src>();                                          \
    pl::shim::isa::rowReduceTiles(#NAME, shim::CODE, dst.shimArg(),            \
                                  src.shimArg());                              \
    return {};                                                                 \
  }
PL_SHIM_ROW(TROWSUM, ReduceSum)
PL_SHIM_ROW(TROWMAX, ReduceMax)
PL_SHIM_ROW(TROWMIN, ReduceMin)
PL_SHIM_ROW(TROWPROD, ReduceProd)
#undef PL_SHIM_ROW

#define PL_SHIM_COLUMN(NAME, CODE)                                             \
  template <typename Dst, typename Src, typename... Events>                    \
  inline RecordEvent NAME(Dst &dst, Src &src, Events &...) {                   \
    shim::checkVec<Dst, Src>();                                                \
    shim::checkArithmetic<typename Src::DType>();                              \
    pl::shim::isa::colReduceTiles(#NAME, shim::CODE, dst.shimArg(),            \
                                  src.shimArg());                              \
    return {};                                                                 \
  }
PL_SHIM_COLUMN(TCOLSUM, ReduceSum)
PL_SHIM_COLUMN(TCOLMAX, ReduceMax)
PL_SHIM_COLUMN(TCOLMIN, ReduceMin)
PL_SHIM_COLUMN(TCOLPROD, ReduceProd)
#undef PL_SHIM_COLUMN

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

namespace shim {
/// One operand has dst's valid extents, the other one scalar per row.
template <int Code, typename Dst, typename Src0, typename Src1>
inline void rowExpand(const char *name, Dst &dst, Src0 &src0, Src1 &src1,
                      bool explicitScratch) {
  using T = typename Dst::DType;
  static_assert(Dst::Loc == TileType::Vec && Dst::isRowMajor &&
                    !Dst::isBoxedLayout,
                "the result is a row-major Vec tile");
  static_assert(std::is_same_v<T, typename Src0::DType> &&
                    std::is_same_v<T, typename Src1::DType>,
                "operands have one element type");
  if constexpr (Code == Div || Code == ExpDif)
    checkFloat<T>();
  else
    checkArithmetic<T>();
  pl::shim::isa::rowExpandTiles(name, Code, dst.shimArg(), src0.shimArg(),
                                src1.shimArg(), explicitScratch);
}
} // namespace shim

#define PL_SHIM_ROW_EXPAND(NAME, CODE)                                         \
  template <auto PrecisionType = 0, typename Dst, typename Src0,               \
            typename Src1>                                                     \
  inline RecordEvent NAME(Dst &dst, Src0 &src0, Src1 &src1) {                  \
    shim::rowExpand<shim::CODE>(#NAME, dst, src0, src1, false);                \
    return {};                                                                 \
  }                                                                            \
  template <auto PrecisionType = 0, typename Dst, typename Src0,               \
            typename Src1, typename Tmp, typename... Events,                   \
            std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>                    \
  inline RecordEvent NAME(Dst &dst, Src0 &src0, Src1 &src1, Tmp &,             \
                          Events &...) {                                       \
    shim::rowExpand<shim::CODE>(#NAME, dst, src0, src1, true);                 \
    return {};                                                                 \
  }
PL_SHIM_ROW_EXPAND(TROWEXPANDADD, Add)
PL_SHIM_ROW_EXPAND(TROWEXPANDSUB, Sub)
PL_SHIM_ROW_EXPAND(TROWEXPANDMUL, Mul)
PL_SHIM_ROW_EXPAND(TROWEXPANDDIV, Div)
PL_SHIM_ROW_EXPAND(TROWEXPANDMAX, Max)
PL_SHIM_ROW_EXPAND(TROWEXPANDMIN, Min)
PL_SHIM_ROW_EXPAND(TROWEXPANDEXPDIF, ExpDif)
#undef PL_SHIM_ROW_EXPAND

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TROWEXPAND(Dst &dst, Src &src, Events &...) {
  static_assert(Dst::Loc == TileType::Vec && Dst::isRowMajor &&
                    !Dst::isBoxedLayout &&
                    std::is_same_v<typename Dst::DType, typename Src::DType>,
                "TROWEXPAND fills a row-major Vec tile of the same type");
  pl::shim::isa::rowBroadcastTiles(dst.shimArg(), src.shimArg());
  return {};
}

#define PL_SHIM_COL_EXPAND(NAME, CODE, CHECK)                                  \
  template <auto PrecisionType = 0, typename Dst, typename Src0,               \
            typename Src1, typename... Events>                                 \
  inline RecordEvent NAME(Dst &dst, Src0 &src0, Src1 &src1, Events &...) {     \
    shim::checkVec<Dst, Src0, Src1>();                                         \
    shim::CHECK<typename Dst::DType>();                                        \
    pl::shim::isa::colExpandTiles(#NAME, shim::CODE, dst.shimArg(),            \
                                  src0.shimArg(), src1.shimArg());             \
    return {};                                                                 \
  }
PL_SHIM_COL_EXPAND(TCOLEXPANDADD, Add, checkArithmetic)
PL_SHIM_COL_EXPAND(TCOLEXPANDSUB, Sub, checkArithmetic)
PL_SHIM_COL_EXPAND(TCOLEXPANDMUL, Mul, checkArithmetic)
PL_SHIM_COL_EXPAND(TCOLEXPANDDIV, Div, checkFloat)
PL_SHIM_COL_EXPAND(TCOLEXPANDMAX, Max, checkArithmetic)
PL_SHIM_COL_EXPAND(TCOLEXPANDMIN, Min, checkArithmetic)
PL_SHIM_COL_EXPAND(TCOLEXPANDEXPDIF, ExpDif, checkFloat)
#undef PL_SHIM_COL_EXPAND

template <typename Dst, typename Src, typename... Events>
inline RecordEvent TCOLEXPAND(Dst &dst, Src &src, Events &...) {
  shim::checkVec<Dst, Src>();
  pl::shim::isa::colBroadcastTiles(dst.shimArg(), src.shimArg());
  return {};
}

} // namespace pto

#endif // PL_HOSTSHIM_ISA_VECTOR_HPP

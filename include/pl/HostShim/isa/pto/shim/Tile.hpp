//===- Tile.hpp - tiles, global tensors, address assignment ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_TILE_HPP
#define PL_HOSTSHIM_ISA_TILE_HPP

#include "Runtime.hpp"
#include "Types.hpp"

namespace pto {

constexpr int DYNAMIC = -1;

//===----------------------------------------------------------------------===//
// Global tensors
//===----------------------------------------------------------------------===//

namespace shim {
/// Five extents or strides of which some are known when compiling.
template <int64_t... Static> struct Dims {
  static_assert(sizeof...(Static) == 5, "always five dims");
  static constexpr int64_t fixed[5] = {Static...};
  static constexpr int numDynamic = ((Static == DYNAMIC ? 1 : 0) + ...);
  int64_t value[5];

  Dims() {
    for (int i = 0; i < 5; ++i)
      value[i] = fixed[i] == DYNAMIC ? 1 : fixed[i];
  }
  /// As many values as dynamic dims, in order, or all five.
  template <typename... Ints,
            typename =
                std::enable_if_t<(sizeof...(Ints) > 0) &&
                                 (std::is_convertible_v<Ints, int64_t> && ...)>>
  explicit Dims(Ints... given) {
    constexpr int count = sizeof...(Ints);
    static_assert(count == numDynamic || count == 5,
                  "give one value per dynamic dim");
    const int64_t values[] = {static_cast<int64_t>(given)...};
    int next = 0;
    for (int i = 0; i < 5; ++i) {
      if (fixed[i] != DYNAMIC)
        value[i] = fixed[i];
      else
        value[i] = values[count == 5 ? i : next++];
    }
  }
};
} // namespace shim

template <int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC,
          int64_t N4 = DYNAMIC, int64_t N5 = DYNAMIC>
struct Shape : shim::Dims<N1, N2, N3, N4, N5> {
  using shim::Dims<N1, N2, N3, N4, N5>::Dims;
};
template <int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC,
          int64_t N4 = DYNAMIC, int64_t N5 = DYNAMIC>
struct Stride : shim::Dims<N1, N2, N3, N4, N5> {
  using shim::Dims<N1, N2, N3, N4, N5>::Dims;
};

template <typename Element_, typename Shape_, typename Stride_,
          Layout Layout_ = Layout::ND>
struct GlobalTensor {
  using Shape = Shape_;
  using Stride = Stride_;
  using RawDType = std::remove_cv_t<Element_>;
  using DType = RawDType;
  static constexpr Layout layout = Layout_;

  GlobalTensor() = default;
  GlobalTensor(DType *data, const Shape &shape = Shape(),
               const Stride &stride = Stride())
      : data_(data), shape_(shape), stride_(stride) {}

  DType *data() { return data_; }
  int64_t GetShape(int dim) const { return shape_.value[dim]; }
  int64_t GetStride(int dim) const { return stride_.value[dim]; }

  pl::shim::isa::GlobalArg shimArg() const {
    pl::shim::isa::GlobalArg arg = {data_,
                                    shim::elemTypeOf<DType>(),
                                    layout == Layout::DN,
                                    layout == Layout::NZ,
                                    {},
                                    {}};
    for (int i = 0; i < 5; ++i) {
      arg.shape[i] = shape_.value[i];
      arg.stride[i] = stride_.value[i];
    }
    return arg;
  }
  void shimAssign(DType *data) { data_ = data; }

private:
  DType *data_ = nullptr;
  Shape shape_;
  Stride stride_;
};

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

template <TileType Loc_, typename Element_, const int Rows_, const int Cols_,
          const BLayout BFractal_ = BLayout::RowMajor,
          const int RowValid_ = Rows_, const int ColValid_ = Cols_,
          const SLayout SFractal_ = SLayout::NoneBox,
          const int SFractalSize_ = TileConfig::fractalABSize,
          auto PadVal_ = PadValue::Null,
          const CompactMode Compact_ = CompactMode::Null>
struct Tile {
  using DType = Element_;
  using TileDType = DType *;
  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_;
  static constexpr int Cols = Cols_;
  static constexpr int ValidRow = RowValid_;
  static constexpr int ValidCol = ColValid_;
  static constexpr BLayout BFractal = BFractal_;
  static constexpr SLayout SFractal = SFractal_;
  static constexpr int SFractalSize = SFractalSize_;
  static constexpr auto PadVal = PadVal_;
  static constexpr CompactMode Compact = Compact_;
  static constexpr int Numel = Rows * Cols;
  static constexpr bool isRowMajor = BFractal == BLayout::RowMajor;
  static constexpr bool isBoxedLayout = SFractal != SLayout::NoneBox;
  static constexpr bool isInnerRowMajor = SFractal == SLayout::RowMajor;
  static constexpr bool isInnerColMajor = SFractal == SLayout::ColMajor;
  static constexpr int RowStride = isRowMajor ? Cols : 1;
  static constexpr int ColStride = isRowMajor ? 1 : Rows;
  static constexpr size_t Bytes = size_t(Rows) * Cols * sizeof(DType);

  static constexpr int blockElems =
      TileConfig::alignedSize / int(sizeof(DType));
  static constexpr bool isC = SFractalSize == TileConfig::fractalCSize;
  static constexpr int InnerRows = isC               ? 16
                                   : !isBoxedLayout  ? 1
                                   : isInnerRowMajor ? 16
                                                     : blockElems;
  static constexpr int InnerCols = isC               ? 16
                                   : !isBoxedLayout  ? 1
                                   : isInnerRowMajor ? blockElems
                                                     : 16;

  static_assert(Rows > 0 && Cols > 0 && ValidRow <= Rows && ValidCol <= Cols,
                "valid extents must fit the box");
  static_assert(ValidRow != 0 && ValidCol != 0 && ValidRow >= DYNAMIC &&
                    ValidCol >= DYNAMIC,
                "a valid extent is positive, or -1 if dynamic");
  static_assert(SFractalSize == TileConfig::fractalABSize ||
                    SFractalSize == TileConfig::fractalCSize,
                "fractals have 512 or 1024 bytes");
  static_assert(isBoxedLayout || !isRowMajor ||
                    Cols * sizeof(DType) % TileConfig::alignedSize == 0,
                "rows of a row-major tile must be multiples of 32 bytes");
  static_assert(isBoxedLayout || isRowMajor ||
                    Rows * sizeof(DType) % TileConfig::alignedSize == 0,
                "columns of a column-major tile must be multiples of 32 bytes");
  static_assert(!isBoxedLayout || ((Loc == TileType::Vec || Rows == 1 ||
                                    Rows % InnerRows == 0) &&
                                   Cols % InnerCols == 0),
                "a boxed tile must be a whole number of boxes");
  static_assert(!isBoxedLayout || isRowMajor || isInnerRowMajor,
                "boxed layouts are NZ, ZN and ZZ");
  static_assert(Compact == CompactMode::Null ||
                    (Compact == CompactMode::Normal &&
                     (Loc == TileType::Left || Loc == TileType::Right ||
                      Loc == TileType::Acc)),
                "the host shim has compact Left, Right and Acc tiles");

  Tile() = default;
  template <int R = ValidRow, int C = ValidCol>
  Tile(std::enable_if_t<R == DYNAMIC && C == DYNAMIC, unsigned> rows,
       std::enable_if_t<R == DYNAMIC && C == DYNAMIC, unsigned> cols)
      : validRow_(rows), validCol_(cols) {
    checkValid();
  }
  template <int R = ValidRow, int C = ValidCol>
  Tile(std::enable_if_t<R == DYNAMIC && (C > 0), unsigned> rows)
      : validRow_(rows) {
    checkValid();
  }
  template <int R = ValidRow, int C = ValidCol>
  Tile(std::enable_if_t<(R > 0) && C == DYNAMIC, unsigned> cols)
      : validCol_(cols) {
    checkValid();
  }

  unsigned GetValidRow() const { return validRow_; }
  unsigned GetValidCol() const { return validCol_; }
  void SetValidRow(unsigned rows) {
    static_assert(ValidRow == DYNAMIC, "the valid row extent is static");
    validRow_ = rows;
    checkValid();
  }
  void SetValidCol(unsigned cols) {
    static_assert(ValidCol == DYNAMIC, "the valid column extent is static");
    validCol_ = cols;
    checkValid();
  }
  void SetValidShape(unsigned rows, unsigned cols) {
    static_assert(ValidRow == DYNAMIC && ValidCol == DYNAMIC,
                  "the valid extents are static");
    validRow_ = rows;
    validCol_ = cols;
    checkValid();
  }

  TileDType &data() { return data_; }
  const TileDType &data() const { return data_; }
  DType GetValue(uint32_t offset) {
    static_assert(Loc == TileType::Vec, "scalar access is to Vec tiles");
    checkOffset("GetValue", offset);
    return data_[offset];
  }
  void SetValue(uint32_t offset, DType value) {
    static_assert(Loc == TileType::Vec, "scalar access is to Vec tiles");
    checkOffset("SetValue", offset);
    data_[offset] = value;
  }

  pl::shim::isa::TileArg shimArg() const {
    return {data_,
            shim::elemTypeOf<DType>(),
            pl::shim::isa::Space(int(Loc)),
            isRowMajor,
            isBoxedLayout,
            isInnerRowMajor,
            Compact == CompactMode::Normal,
            InnerRows,
            InnerCols,
            Rows,
            Cols,
            int32_t(validRow_),
            int32_t(validCol_)};
  }
  void shimAssign(DType *data) { data_ = data; }

private:
  void checkValid() const {
    if (validRow_ > unsigned(Rows) || validCol_ > unsigned(Cols))
      pl::shim::isa::fail("Tile",
                          "valid extents [%u, %u] exceed the box [%d, %d]",
                          validRow_, validCol_, Rows, Cols);
  }
  void checkOffset(const char *name, uint32_t offset) const {
    if (!data_)
      pl::shim::isa::fail(name, "the tile has no address (TASSIGN is missing)");
    if (offset >= uint32_t(Numel))
      pl::shim::isa::fail(name, "element %u is outside the box [%d, %d]",
                          offset, Rows, Cols);
  }

  DType *data_ = nullptr;
  unsigned validRow_ = ValidRow == DYNAMIC ? ~0u : ValidRow;
  unsigned validCol_ = ValidCol == DYNAMIC ? ~0u : ValidCol;
};

template <typename T> struct is_tile : std::false_type {};
template <TileType L, typename E, int R, int C, BLayout B, int RV, int CV,
          SLayout S, int F, auto P, CompactMode M>
struct is_tile<Tile<L, E, R, C, B, RV, CV, S, F, P, M>> : std::true_type {};
template <typename T> constexpr bool is_tile_data_v = is_tile<T>::value;

template <typename T> struct is_global : std::false_type {};
template <typename E, typename S, typename D, Layout L>
struct is_global<GlobalTensor<E, S, D, L>> : std::true_type {};
template <typename T> constexpr bool is_global_data_v = is_global<T>::value;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace shim {
/// Bytes of each memory on A2/A3; 0 where the host shim has none.
constexpr size_t capacity(TileType loc) {
  switch (loc) {
  case TileType::Vec:
    return 192 * 1024;
  case TileType::Mat:
    return 512 * 1024;
  case TileType::Left:
  case TileType::Right:
    return 64 * 1024;
  case TileType::Acc:
    return 128 * 1024;
  case TileType::Bias:
    return 1024;
  default:
    return 0;
  }
}
} // namespace shim

/// TASSIGN<Addr>(tile): checked when compiling.
template <std::size_t Addr, typename T>
inline std::enable_if_t<is_tile_data_v<T>> TASSIGN(T &tile) {
  static_assert(shim::capacity(T::Loc) > 0, "no such memory on this machine");
  static_assert(Addr % 32 == 0, "addresses are multiples of 32 bytes");
  static_assert(Addr + T::Bytes <= shim::capacity(T::Loc),
                "the tile reaches past the end of its memory");
  tile.shimAssign(static_cast<typename T::DType *>(pl::shim::isa::address(
      pl::shim::isa::Space(int(T::Loc)), Addr, T::Bytes)));
}

template <typename T, typename Address>
inline void TASSIGN(T &object, Address address) {
  if constexpr (is_tile_data_v<T>) {
    static_assert(std::is_integral_v<Address>, "tile addresses are numbers");
    object.shimAssign(static_cast<typename T::DType *>(pl::shim::isa::address(
        pl::shim::isa::Space(int(T::Loc)), uint64_t(address), T::Bytes)));
  } else {
    object.shimAssign(address);
  }
}

/// dst names the bytes of src.
template <typename Dst, typename Src, typename... Events>
inline RecordEvent TRESHAPE(Dst &dst, Src &src, Events &...) {
  static_assert(Dst::Loc == Src::Loc, "TRESHAPE stays in one memory");
  static_assert(Dst::Bytes == Src::Bytes, "TRESHAPE keeps the bytes");
  static_assert(Dst::isBoxedLayout == Src::isBoxedLayout,
                "TRESHAPE cannot cross plain and boxed layouts");
  dst.shimAssign(reinterpret_cast<typename Dst::DType *>(src.data()));
  return {};
}

/// dst names the window of src at (row, col).
template <typename Dst, typename Src, typename... Events>
inline RecordEvent TSUBVIEW(Dst &dst, Src &src, uint16_t row, uint16_t col,
                            Events &...) {
  static_assert(Dst::Loc == Src::Loc, "TSUBVIEW stays in one memory");
  static_assert(!Dst::isBoxedLayout && !Src::isBoxedLayout,
                "the host shim has TSUBVIEW for plain layouts");
  static_assert(Dst::RowStride == Src::RowStride &&
                    Dst::ColStride == Src::ColStride,
                "a view keeps the strides of its source");
  if (row + dst.GetValidRow() > unsigned(Src::Rows) ||
      col + dst.GetValidCol() > unsigned(Src::Cols))
    pl::shim::isa::fail("TSUBVIEW",
                        "window at (%d, %d) leaves the box [%d, %d]", row, col,
                        Src::Rows, Src::Cols);
  dst.shimAssign(src.data() + row * Src::RowStride + col * Src::ColStride);
  return {};
}

// Shapes with fixed roles; Left as on A2/A3.
template <typename E, int R, int C, int RV = R, int CV = C>
using TileLeft = Tile<TileType::Left, E, R, C, BLayout::RowMajor, RV, CV,
                      SLayout::RowMajor, TileConfig::fractalABSize>;
template <typename E, int R, int C, int RV = R, int CV = C>
using TileRight = Tile<TileType::Right, E, R, C, BLayout::RowMajor, RV, CV,
                       SLayout::ColMajor, TileConfig::fractalABSize>;
template <typename E, int R, int C, int RV = R, int CV = C>
using TileAcc = Tile<TileType::Acc, E, R, C, BLayout::ColMajor, RV, CV,
                     SLayout::RowMajor, TileConfig::fractalCSize>;

} // namespace pto

#endif // PL_HOSTSHIM_ISA_TILE_HPP

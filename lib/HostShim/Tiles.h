//===- Tiles.h - tile operands inside the shim ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_HOSTSHIM_TILES_H
#define PL_LIB_HOSTSHIM_TILES_H

#include "pl/HostShim/Core.h"
#include "pl/HostShim/Math.h"

namespace pl::shim {

/// Ends the program unless the tile has an address and valid extents.
void checkTile(const char *name, const char *role, const isa::TileArg &tile);
/// Ends the program unless `src` is valid wherever `dst` is.
void checkCovers(const char *name, const char *role, const isa::TileArg &src,
                 const isa::TileArg &dst);

/// Where the tile's elements lie.
Placement placementOf(const isa::TileArg &tile);

/// Copies a rows x cols block of elements between any two placements.
void copyBlock(size_t elemSize, void *dst, const Placement &to, int64_t toRow,
               int64_t toCol, const void *src, const Placement &from,
               int64_t fromRow, int64_t fromCol, int64_t rows, int64_t cols);

/// First byte of row `r` of a plain row-major tile.
inline char *rowOf(const isa::TileArg &tile, int64_t r) {
  return static_cast<char *>(tile.data) +
         r * tile.cols * int64_t(elemBytes(tile.type));
}
/// Element `r` of a column, or the first of row `r`.
inline char *columnElement(const isa::TileArg &tile, int64_t r) {
  int64_t step = tile.blockRowMajor ? tile.cols : 1;
  return static_cast<char *>(tile.data) +
         r * step * int64_t(elemBytes(tile.type));
}

} // namespace pl::shim

#endif // PL_LIB_HOSTSHIM_TILES_H

//===- TileTypes.h - Tiles and windows of memory as C++ types ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_TILETYPES_H
#define PL_LIB_CONVERSION_PLTOEMITC_TILETYPES_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

/// `Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, 64>`: a buffer as
/// the tile ISA spells it, written out in full because the aliases of the
/// headers differ between the machines. `elementText` is the C++ element type,
/// `pad` a PadValue where the tile is the destination of a fill. Fails, with an
/// error at `op`, for a box the ISA cannot hold.
FailureOr<std::string> tileType(Operation *op, StringRef name, BufferType type,
                                StringRef elementText,
                                std::optional<PadValue> pad = std::nullopt);

/// The buffer of `[1, N]` that is the same bytes as the column `[N, 1]`.
BufferType rowOfColumn(BufferType column);
bool isColumn(Type type);

/// The buffer as it lies in memory when a transposed load fills `type`.
BufferType storedTransposed(BufferType type);

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_TILETYPES_H

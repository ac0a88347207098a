//===- DimSamples.h - Values to try for dynamic dims ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checks that execute scalar code (Footprint.h) try: the dims and scalars
// of an orchestration, the tiles that dims are cut into, and who handles a part
// of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_DIMSAMPLES_H
#define PL_ANALYSIS_DIMSAMPLES_H

#include "pl/Analysis/Footprint.h"

#include "llvm/ADT/StringSet.h"

#include <set>

namespace mlir::pl {

/// A place that handles a part of a tile of a dim.
struct Guard {
  int64_t tile;
  Operation *op;
};

/// The scalar that makes an axis of a tensor of a function as long as it is;
/// null where the type says it, or a parameter has it.
Value sizeOf(Value memref, int64_t axis);

/// An analysis of a function: `getAnalysis<DimSamples>()`.
class DimSamples {
public:
  explicit DimSamples(func::FuncOp func);

  /// The dims of the parameters.
  ArrayRef<StringRef> getNames() const { return names; }
  /// Those that a loop, a number of blocks or an extent depends on.
  SmallVector<StringRef> getUsedNames() const;
  /// The numbers among the parameters.
  ArrayRef<Value> getScalars() const { return scalars; }

  /// Tiles that a dim is cut into, of up to `kMaxTile` rows, and products.
  const std::set<int64_t> &tilesOf(StringRef name) { return tiles[name]; }
  ArrayRef<Guard> guardsOf(StringRef name) { return guards[name]; }
  /// A multiple of all small constants that look like tiles.
  int64_t getWholeTile() const { return whole; }

  /// The dims that a scalar is computed from.
  const llvm::StringSet<> &dimsOf(Value value);
  /// `value` for one dim, `others` for all others.
  DimValues valuesOf(StringRef name, int64_t value, int64_t others) const {
    return valuesOf(names, name, value, others);
  }
  static DimValues valuesOf(ArrayRef<StringRef> names, StringRef name,
                            int64_t value, int64_t others);

  /// Larger tiles, and products of tiles, are not tried.
  static constexpr int64_t kMaxTile = 1024;

private:
  void collectParameters();
  void collectTiles();

  func::FuncOp func;
  SmallVector<StringRef> names;
  SmallVector<Value> scalars;
  llvm::StringSet<> used;
  llvm::StringMap<std::set<int64_t>> tiles;
  llvm::StringMap<SmallVector<Guard>> guards;
  DenseMap<Value, llvm::StringSet<>> dependence;
  int64_t whole = 1;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_DIMSAMPLES_H

//===- CoreAffinity.h - Which cores work needs ------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In phase `pl` one core scope may hold cube and vector work (language.md
// 3.10). Nothing says yet where a tile lives: products belong to the cube, all
// other computing to the vector cores, loads and stores to whoever uses or made
// the tile, scalars and control flow to both.
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_COREAFFINITY_H
#define PL_ANALYSIS_COREAFFINITY_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

enum class Affinity : uint8_t {
  shared,   // scalars, control flow, signals: on every core
  data,     // loads, stores, views: where the tile is
  cube,     // products
  vector,   // other computing on tiles, transfers between ranks
  boundary, // pl.aiv_shard, pl.aic_gather
};

Affinity affinityOf(Operation *op);

/// The first work of either kind in a region, also in the functions it calls.
struct CoreUse {
  Operation *cube = nullptr, *vector = nullptr;
  bool isMixed() const { return cube && vector; }
  CoreKind getKind() const {
    return isMixed() ? CoreKind::mix : cube ? CoreKind::aic : CoreKind::aiv;
  }
};
CoreUse coreUseOf(Region &region);

/// Where the data of a tile may come from. A tile merged by a branch or a loop
/// comes from each of its sources.
struct TileOrigin {
  Operation *cube = nullptr;   // a product
  Operation *vector = nullptr; // vector computing
  Operation *memory = nullptr; // a load
};
TileOrigin originOf(Value tile);

} // namespace mlir::pl

#endif // PL_ANALYSIS_COREAFFINITY_H

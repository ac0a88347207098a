//===- TileOpFacts.h - What every pass knows of a tile op -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TILEOPFACTS_H
#define PL_DIALECT_PL_IR_TILEOPFACTS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::pl {

/// One row of the facts table; PLTileOps.td fills it.
struct TileOpFacts {
  /// May the destination be the storage of a source? `first`: of the first
  /// source only; `any`: of each of them.
  enum class Alias { none, first, any };
  /// Scratch in the buffer form. `likeSource`, `likeIndex`: a box like the
  /// first or second source; `column`: one 32-byte block per row.
  enum class Scratch { none, likeSource, likeIndex, column };

  llvm::StringLiteral isa;
  Pipe pipe;
  Alias alias;
  Scratch scratch;

  bool mayAlias(unsigned source) const {
    return alias == Alias::any || (alias == Alias::first && source == 0);
  }
};

/// The pipe of `op`: that of its facts, or, for moves and stores, the one that
/// connects its memory spaces.
Pipe resolvePipe(Operation *op, const TileOpFacts &facts);

/// Operands of tile or buffer type that precede `dst`.
SmallVector<OpOperand *> collectTileSources(Operation *op, Value dst);

/// Effects of a tile op: none on values; on buffers reads of the sources,
/// writes of destination and scratch.
void addTileEffects(Operation *op,
                    SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

} // namespace mlir::pl

#endif // PL_DIALECT_PL_IR_TILEOPFACTS_H

//===- LoweringStorage.h - names that stand for one tile --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After `y = x` both names stand for one tile: what is written into it through
// one, the other sees. Tiles are SSA values here, so a write makes a new value
// for every name of that tile. The `tensor` of a DslValue that is a tile says
// which memory it is; it is compared, never looked into. Two values are one
// tile when memory and SSA value agree: a value that was only computed from
// another may have kept its `tensor`.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGSTORAGE_H
#define PL_LIB_FRONTEND_LOWERINGSTORAGE_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// Gives memory of its own to a tile that has none yet; also within tuples.
void giveStorage(DslValue &value);
/// Whether two values are one tile.
bool isSameStorage(const DslValue &a, const DslValue &b);
/// Bound names that stand for the same tile as `name` does, in the order of the
/// text.
SmallVector<Identifier> getPartners(FunctionLowering &f, Identifier name);
/// Binds a name to what a write into its tile made, and with it all names of
/// that tile. Where a name may or may not be one of them, and is read later,
/// that is an error.
void bindWritten(FunctionLowering &f, Identifier name, DslValue value,
                 SourceRange range);

/// Keeps the tile of a parameter of an inline function in sight, whatever
/// becomes of the parameter's name: the caller sees what is written into it.
void watchParam(FunctionLowering &f, Identifier name);
/// What the tile of such a parameter holds now, or null.
mlir::Value getWatched(FunctionLowering &f, Identifier name);
/// Gives the names of a tile that a callee wrote into their new value.
void replaceStored(FunctionLowering &f, const DslValue &old, mlir::Value now);
/// Whether a name was made by watchParam; such a name is always read later.
bool isWatchName(Identifier name);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGSTORAGE_H

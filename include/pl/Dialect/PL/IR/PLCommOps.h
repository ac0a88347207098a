//===- PLCommOps.h - Ranks, windows, signals, lanes -------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a header of their own: only what handles these ops needs them.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_COMM_OPS_H
#define PL_DIALECT_PL_IR_COMM_OPS_H

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommEnums.h.inc"

namespace mlir::pl {

/// What a rank's cores tell each other by signals. Whoever waits for one is
/// not moved across, nor dropped, though it only reads memory.
struct SignalResource : SideEffects::Resource::Base<SignalResource> {
  StringRef getName() final { return "pl.signals"; }
};

/// Whether `memref` is a tensor that other ranks reach.
inline bool isWindow(Type memref) {
  auto type = dyn_cast<MemRefType>(memref);
  return type && isa_and_nonnull<WindowAttr>(type.getMemorySpace());
}

/// The tile that one lane has of a tile in two halves (`halve`), or that two
/// lanes have together. Null where the halves' valid boxes make no box.
TileType getLaneTile(TileType type, SplitMode mode, bool halve);

} // namespace mlir::pl

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLCommOps.h.inc"

#endif // PL_DIALECT_PL_IR_COMM_OPS_H

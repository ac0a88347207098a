//===- LaneHalves.h - Vector tiles that two lanes share ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_LANEHALVES_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_LANEHALVES_H

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

namespace mlir::pl {

/// Turns the code of the vector side, written for whole tiles, into what one
/// lane does of it: its half of the rows or columns of every tile that has more
/// than one. Reports what cannot be halved.
LogicalResult halveTiles(Block &body, Value lane, SplitMode mode);

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_LANEHALVES_H

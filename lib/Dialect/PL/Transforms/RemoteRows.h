//===- RemoteRows.h - A store as stores into windows of others --*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_REMOTEROWS_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_REMOTEROWS_H

#include "PutRoute.h"

namespace mlir::pl {

/// Why `store`, into the tensor that a put sends or into one with rows of equal
/// parts of its rows, cannot store into windows instead; empty if it can.
std::string whyNotRemotely(StoreOp store, PutRoute &route);

/// Stores where the put would send it to, all of the tile at once if it stays
/// together, otherwise row by row. What the put would not send is not stored.
void storeRemotely(RewriterBase &rewriter, StoreOp store, PutRoute &route);

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_REMOTEROWS_H

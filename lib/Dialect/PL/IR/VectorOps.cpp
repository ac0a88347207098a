//===- VectorOps.cpp - Rules of further tile ops --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOpVerifier.h"
#include "pl/Dialect/PL/IR/PLVectorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::pl;

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLVectorOps.cpp.inc"

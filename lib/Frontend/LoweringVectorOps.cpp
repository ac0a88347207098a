//===- LoweringVectorOps.cpp - further operations on tiles ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringTable.h"

using namespace pl::frontend;

static DslValue lowerTrigonometry(FunctionLowering &f, OpCall &op) {
  DslValue x = f.toTile(op, 0);
  if (!x.isError() && x.dtype != DTypeKind::FP32)
    return f.fail(op.range(),
                  op.spelling + " takes FP32, but this is " + f.describe(x));
  return f.makeTileOp(op.range(), op.name, {x});
}

static const OpRow vectorOps[] = {
    {"sin", "x", 1, lowerTrigonometry, true},
    {"cos", "x", 1, lowerTrigonometry, true},
};

ArrayRef<OpRow> pl::frontend::getVectorOps() { return vectorOps; }

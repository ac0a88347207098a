//===- PLVectorOps.td - Further ops on tiles ---------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_VECTOR_OPS
#define PL_DIALECT_PL_IR_VECTOR_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTileOpBase.td"

class PL_LaterUnaryOp<string mnemonic, string isa, string alias = "any",
                      dag others = (ins)>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", alias>,
                   (ins PL_AnyTile:$source),
                   "$source attr-dict `:` type($source)", others,
                   [PL_NotLoweredYet]>;

let summary = "elementwise on one tile" in {
def PL_SinOp : PL_LaterUnaryOp<"sin", "TSIN">;
def PL_CosOp : PL_LaterUnaryOp<"cos", "TCOS">;
}

#endif // PL_DIALECT_PL_IR_VECTOR_OPS

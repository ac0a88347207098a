//===- PLInterfaces.td - What passes ask of a tile op ---------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_INTERFACES
#define PL_DIALECT_PL_IR_INTERFACES

include "mlir/IR/OpBase.td"

def PL_TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::mlir::pl";
  let description = [{
    An op on tiles. It has one of two forms: with tile *values* it returns its
    result; with *buffers* it writes `dst` and may use `scratch`. Passes, the
    simulator and the emitter read the facts of an op here.
  }];
  let methods = [
    InterfaceMethod<"The facts of this op: instruction, pipe, aliasing, scratch.",
      "::mlir::pl::TileOpFacts", "getFacts", (ins), [{
        return ConcreteOp::facts();
      }]>,
    InterfaceMethod<"The pipe that runs this op, from its facts and its memory spaces.",
      "::mlir::pl::Pipe", "getPipe", (ins), [{
        return resolvePipe($_op.getOperation(), ConcreteOp::facts());
      }]>,
    InterfaceMethod<"Tiles or buffers this op reads.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getTileSources", (ins)>,
    InterfaceMethod<"The destination operand in the buffer form, or null.",
      "::mlir::OpOperand *", "getDstOperand", (ins)>,
    InterfaceMethod<"The scratch buffers in the buffer form.",
      "::mlir::OperandRange", "getScratchBuffers", (ins)>,
    InterfaceMethod<"The result tile in the value form, or null.",
      "::mlir::Value", "getResultTile", (ins)>
  ];
}

#endif // PL_DIALECT_PL_IR_INTERFACES

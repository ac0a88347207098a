//===- PLCommEnums.td - Kinds of collectives ---------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_COMM_ENUMS
#define PL_DIALECT_PL_IR_COMM_ENUMS

include "mlir/IR/EnumAttr.td"

def PL_ReduceKind : I32EnumAttr<"ReduceKind", "how ranks' values combine", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>,
  I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"prod", 3>]> {
  let cppNamespace = "::mlir::pl";
}

def PL_Topology : I32EnumAttr<"Topology", "who sends to whom", [
  I32EnumAttrCase<"mesh", 0>, I32EnumAttrCase<"ring", 1>]> {
  let cppNamespace = "::mlir::pl";
}

#endif // PL_DIALECT_PL_IR_COMM_ENUMS

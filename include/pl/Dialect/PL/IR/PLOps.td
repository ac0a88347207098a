//===- PLOps.td - All of the dialect --------------------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "pl/Dialect/PL/IR/PLStructureOps.td"
include "pl/Dialect/PL/IR/PLTileOps.td"

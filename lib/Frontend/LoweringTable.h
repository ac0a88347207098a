//===- LoweringTable.h - tables of pl operations ----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation is called, what it takes and what lowers it. Each group of
// operations has a table and a file; LoweringOps.cpp looks them up.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGTABLE_H
#define PL_LIB_FRONTEND_LOWERINGTABLE_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// One operation: its parameters in order, of which the first `required` must
/// be given, and what lowers it. The name is without `pl.`, `pl.tensor.` and
/// `pl.tile.`; names of `pld` keep theirs ("pld.system.notify").
struct OpRow {
  using Handler = DslValue (*)(FunctionLowering &, OpCall &);
  llvm::StringLiteral name;
  llvm::StringLiteral params;
  unsigned required;
  Handler handler;
  bool isCompute; // belongs into a core scope
};

ArrayRef<OpRow> getBasicOps();  // LoweringOps.cpp
ArrayRef<OpRow> getTaskOps();   // LoweringTaskOps.cpp
ArrayRef<OpRow> getCommOps();   // LoweringCommOps.cpp
ArrayRef<OpRow> getMemoryOps(); // LoweringMemoryOps.cpp
ArrayRef<OpRow> getVectorOps(); // LoweringVectorOps.cpp

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGTABLE_H

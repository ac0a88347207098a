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
/// `pl.tile.`, unless only `pl.tile.X` is meant ("tile.gather"); names of `pld`
/// keep theirs ("pld.system.notify"). A parameter may have several keywords:
/// "x|input|tile".
struct OpRow {
  using Handler = DslValue (*)(FunctionLowering &, OpCall &);
  llvm::StringLiteral name;
  llvm::StringLiteral params;
  unsigned required;
  Handler handler;
  bool isCompute; // belongs into a core scope
};

ArrayRef<OpRow> getBasicOps();    // LoweringOps.cpp
ArrayRef<OpRow> getTaskOps();     // LoweringTaskOps.cpp
ArrayRef<OpRow> getCommOps();     // LoweringCommOps.cpp
ArrayRef<OpRow> getHostOps();     // LoweringHost.cpp
ArrayRef<OpRow> getMemoryOps();   // LoweringMemoryOps.cpp
ArrayRef<OpRow> getPrefetchOps(); // LoweringPrefetch.cpp
ArrayRef<OpRow> getVectorOps();   // LoweringVectorOps.cpp
ArrayRef<OpRow> getSortOps();     // LoweringSort.cpp

/// The code of a report of a rule of the dialect, from its words.
DiagCode getRuleCode(StringRef message);
/// The name that users know an op by: "and_" of "and".
StringRef getUserName(StringRef opName);
/// Whether a value may be the scalar operand of a tile.
bool isNumber(const DslValue &value);
/// Checks the scratch tile `arg` that the user gives: the compiler makes its
/// own, but what is given must be enough. Nothing to check where it is absent.
bool checkScratch(FunctionLowering &f, OpCall &op, unsigned arg,
                  ir::TileType need, DTypeKind dtype);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGTABLE_H

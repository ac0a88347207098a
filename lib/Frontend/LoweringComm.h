//===- LoweringComm.h - what operations between ranks share -----*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of windows, peers, offsets and INT32 values as arguments. What makes
// tensors of windows is elsewhere: here a tensor is one if its memref is.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGCOMM_H
#define PL_LIB_FRONTEND_LOWERINGCOMM_H

#include "LoweringCall.h"
#include "LoweringTable.h"

namespace pl::frontend {

/// A tensor as it stands in memory: a subscript is a view of it, not a load.
DslValue getTensorOperand(FunctionLowering &f, OpCall &op, unsigned arg,
                          StringRef name);
/// The same, of a window.
DslValue getWindowOperand(FunctionLowering &f, OpCall &op, unsigned arg,
                          StringRef name);
/// The same, of INT32.
DslValue getSignalOperand(FunctionLowering &f, OpCall &op, unsigned arg,
                          StringRef name);

/// An integer as an index; null after an error.
mlir::Value getIndexOperand(FunctionLowering &f, OpCall &op, unsigned arg,
                            StringRef name);
/// An integer, constant or not.
DslValue getInteger(FunctionLowering &f, OpCall &op, unsigned arg,
                    StringRef name);
/// The same as an INT32; null after an error.
mlir::Value toInt32(FunctionLowering &f, const DslValue &value,
                    SourceRange range);
mlir::Value getInt32Operand(FunctionLowering &f, OpCall &op, unsigned arg,
                            StringRef name);

/// Offsets, one per axis of `tensor`, each within it where that is known.
bool getOffsets(FunctionLowering &f, OpCall &op, unsigned arg,
                const DslValue &tensor, SmallVectorImpl<mlir::Value> &offsets);

/// Reports an operation outside core scopes, or one used as a value.
bool checkPlace(FunctionLowering &f, OpCall &op);

/// The member of an enum of `pld`; `expected` is what messages call it.
bool getEnumMember(FunctionLowering &f, OpCall &op, unsigned arg,
                   StringRef name, StringRef enumName, std::string &member);

/// `for lane in pl.split_aiv(2, mode=...)`.
void lowerSplitAiv(FunctionLowering &f, const ForStmt *stmt,
                   const CallExpr *call);

ArrayRef<OpRow> getTransferOps();   // LoweringTransfers.cpp
ArrayRef<OpRow> getSignalOps();     // LoweringSignals.cpp
ArrayRef<OpRow> getCollectiveOps(); // LoweringCollectives.cpp
ArrayRef<OpRow> getLaneOps();       // LoweringLanes.cpp

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGCOMM_H

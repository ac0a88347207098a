//===- FuncKinds.h - What a function is for ---------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_FUNCKINDS_H
#define PL_DIALECT_PL_IR_FUNCKINDS_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

inline bool isOfKind(Operation *function, FuncKind kind) {
  auto attr = function->getAttrOfType<FuncKindAttr>(PLDialect::kKind);
  return attr && attr.getValue() == kind;
}

/// A host program launches the programs of the ranks.
inline bool isHost(Operation *function) {
  return isOfKind(function, FuncKind::host);
}

/// A program of one rank, which starts tasks.
inline bool isOrchestration(Operation *function) {
  return isOfKind(function, FuncKind::orchestration);
}

} // namespace mlir::pl

#endif // PL_DIALECT_PL_IR_FUNCKINDS_H

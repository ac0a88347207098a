//===- LoweringRules.h - rules of the dialect for users ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGRULES_H
#define PL_LIB_FRONTEND_LOWERINGRULES_H

#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/VectorInference.h"

namespace pl::frontend {

/// Asks a rule of the dialect and passes its words on.
template <typename Rule>
auto askRule(FunctionLowering &f, OpCall &op, Rule rule) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&f.module.context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return success();
                                        });
  auto answer = rule([&] {
    return mlir::emitError(mlir::UnknownLoc::get(&f.module.context));
  });
  if (failed(answer))
    f.error(getRuleCode(message), op.range(), op.spelling + " " + message);
  return answer;
}

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGRULES_H

//===- Parser.h - tokens to syntax tree -----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_PARSER_H
#define PL_FRONTEND_PARSER_H

#include "pl/Frontend/AST.h"

namespace pl::frontend {

/// Parses a buffer. Reports up to the limit of the engine, at most one error
/// per statement; the result is null when there was any.
ModuleNode *parseModule(ASTContext &context, DiagnosticEngine &diagnostics,
                        uint32_t buffer);

} // namespace pl::frontend

#endif // PL_FRONTEND_PARSER_H

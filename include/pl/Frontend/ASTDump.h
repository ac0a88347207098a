//===- ASTDump.h - the syntax tree as text --------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_ASTDUMP_H
#define PL_FRONTEND_ASTDUMP_H

#include "pl/Frontend/AST.h"

namespace pl::frontend {

/// Prints a module as indented text, one node per line with its role, kind,
/// details and line:column; what `plc --emit=ast` shows.
void dumpAST(llvm::raw_ostream &os, const ModuleNode &module,
             const SourceManager &sources);

} // namespace pl::frontend

#endif // PL_FRONTEND_ASTDUMP_H

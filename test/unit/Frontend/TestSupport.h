//===- TestSupport.h - helpers of the frontend's tests --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_FRONTEND_TESTSUPPORT_H
#define PL_TEST_UNIT_FRONTEND_TESTSUPPORT_H

#include "pl/Frontend/ASTDump.h"
#include "pl/Frontend/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace pl::frontend::test {

/// One text parsed; its errors and its tree as text.
struct Parsed {
  explicit Parsed(llvm::StringRef source) : diagnostics(sources) {
    uint32_t buffer = sources.addBuffer("t.plk", source);
    module = parseModule(context, diagnostics, buffer);
  }
  /// "line:column: message" of every error, one per line.
  std::string errors() {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
      FileLineCol where = sources.resolve(diagnostic.range);
      text += std::to_string(where.line) + ":" + std::to_string(where.column) +
              ": " + diagnostic.message + "\n";
    }
    return text;
  }
  /// The reports as a user sees them.
  std::string printed() {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
      printDiagnostic(os, sources, diagnostic);
    return text;
  }
  std::string dump() {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (module)
      dumpAST(os, *module, sources);
    return text;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  ASTContext context;
  ModuleNode *module = nullptr;
};

} // namespace pl::frontend::test

#endif // PL_TEST_UNIT_FRONTEND_TESTSUPPORT_H

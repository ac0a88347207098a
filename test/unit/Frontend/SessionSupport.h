//===- SessionSupport.h - running small programs in tests -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_FRONTEND_SESSIONSUPPORT_H
#define PL_TEST_UNIT_FRONTEND_SESSIONSUPPORT_H

#include "pl/Frontend/Module.h"

#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace pl::frontend::test {

/// A program loaded from text or from a file.
struct Program {
  explicit Program(LoadOptions options = {})
      : diagnostics(sources), session(sources, diagnostics, options) {}

  bool load(llvm::StringRef source) {
    return llvm::succeeded(session.loadText("t.plk", source));
  }
  bool loadFile(llvm::StringRef path) {
    return llvm::succeeded(session.loadFile(path));
  }
  /// repr of a global of the main module.
  std::string global(llvm::StringRef name) {
    const Value *value = session.getMainModule()->find(name);
    if (!value)
      return "unbound";
    Value text = session.getInterpreter().toRepr(*value, SourceRange());
    return text.isEmpty() ? "failed" : text.getStr().str();
  }
  /// "line:column: message" of each error, separated by newlines; without a
  /// location only the message.
  std::string errors() {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
      if (diagnostic.severity != Severity::Error)
        continue;
      text += text.empty() ? "" : "\n";
      if (diagnostic.range.isValid()) {
        FileLineCol where = sources.resolve(diagnostic.range);
        text += std::to_string(where.line) + ":" +
                std::to_string(where.column) + ": ";
      }
      text += diagnostic.message;
    }
    return text;
  }
  std::string printed() {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
      printDiagnostic(os, sources, diagnostic);
    return text;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  Session session;
};

/// Runs a program; repr of its `x`, or its errors.
inline std::string run(llvm::StringRef source) {
  Program program;
  if (!program.load(source))
    return "error: " + program.errors();
  return program.global("x");
}

/// repr of an expression.
inline std::string eval(llvm::StringRef expression) {
  return run(("x = " + expression + "\n").str());
}

/// The errors of a program that must fail; empty when it does not.
inline std::string errorOf(llvm::StringRef source, uint64_t stepLimit = 0) {
  LoadOptions options;
  if (stepLimit)
    options.stepLimit = stepLimit;
  Program program(options);
  return program.load(source) ? "" : program.errors();
}

inline std::string printed(llvm::StringRef source) {
  Program program;
  return program.load(source) ? "" : program.printed();
}

} // namespace pl::frontend::test

#endif // PL_TEST_UNIT_FRONTEND_SESSIONSUPPORT_H

//===- Compile.cpp - plc compile ------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"

#include "pl/Frontend/ASTDump.h"
#include "pl/Frontend/Parser.h"

#include "llvm/Support/raw_ostream.h"

using namespace pl::frontend;

namespace pl::driver {

/// The syntax tree needs the parser only: nothing of the module is executed.
static int emitAst(const Options &options, llvm::raw_ostream &out,
                   llvm::raw_ostream &err) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  diagnostics.printTo(err);
  std::string why;
  uint32_t buffer = sources.addFile(options.file, why);
  if (!buffer) {
    err << "plc: error: cannot read '" << options.file << "': " << why << "\n";
    return ExitRejected;
  }
  ASTContext context;
  ModuleNode *module = parseModule(context, diagnostics, buffer);
  diagnostics.flush();
  if (!module)
    return ExitRejected;
  dumpAST(out, *module, sources);
  return ExitGood;
}

int runCompile(const Options &options, llvm::raw_ostream &out,
               llvm::raw_ostream &err) {
  if (options.emit == Phase::AST)
    return emitAst(options, out, err);
  err << "plc: error: only --emit=ast is there yet\n";
  return ExitUsage;
}

} // namespace pl::driver

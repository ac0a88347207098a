//===- Compile.cpp - plc compile ------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/Compilation.h"

#include "pl/Frontend/ASTDump.h"
#include "pl/Frontend/Parser.h"
#include "pl/Target/Cpp/BuildDirectory.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using pl::frontend::ASTContext;
using pl::frontend::DiagnosticEngine;
using pl::frontend::ModuleNode;
using pl::frontend::SourceManager;

namespace pl::driver {

/// The syntax tree needs the parser only: nothing of the module is executed.
static int emitAst(const Options &options, raw_ostream &out, raw_ostream &err) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  diagnostics.printTo(err);
  std::string why;
  uint32_t buffer = sources.addFile(options.file, why);
  if (!buffer) {
    diagnostics.error(frontend::DiagCode::UnreadableFile, {},
                      "cannot read '" + options.file + "': " + why);
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

namespace {

/// One `plc compile`.
class Compiler {
public:
  Compiler(const Options &options, raw_ostream &out, raw_ostream &err)
      : options(options), out(out), compiled(options, err) {}

  int run();

private:
  LogicalResult emit();
  LogicalResult emitEntries();
  LogicalResult writeFiles();
  LogicalResult saveTemp(Phase phase, mlir::ModuleOp module);

  const Options &options;
  raw_ostream &out;
  Compilation compiled;
  std::string directory;
};

} // namespace

/// One phase with all its locations, so that it can be read back and compiled
/// on without loss.
LogicalResult Compiler::saveTemp(Phase phase, mlir::ModuleOp module) {
  SmallString<128> path(directory);
  sys::path::append(path, "ir");
  if (std::error_code error = sys::fs::create_directories(path))
    return compiled.error("cannot create " + path + ": " + error.message());
  sys::path::append(path,
                    formatv("{0,0+2}-{1}.mlir", static_cast<unsigned>(phase),
                            stringify(phase))
                        .str());
  std::string why;
  std::unique_ptr<ToolOutputFile> file = mlir::openOutputFile(path, &why);
  if (!file)
    return compiled.error(why);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo();
  module->print(file->os(), flags);
  file->os() << "\n";
  file->keep();
  return success();
}

/// Prints one phase.
LogicalResult Compiler::emit() {
  Phase phase = std::min(*options.emit, Phase::EmitC);
  if (failed(compiled.compileTo(phase)))
    return failure();
  if (*options.emit == Phase::Cpp)
    return mlir::pl::printCpp(compiled.getModule(), out);
  mlir::OpPrintingFlags flags;
  flags.printNameLocAsPrefix();
  compiled.getModule()->print(out, flags);
  out << "\n";
  return success();
}

/// Phase `pl` of every entry, else of the kernels that can be looked at, as the
/// split input that MLIR's tools read.
LogicalResult Compiler::emitEntries() {
  FailureOr<SmallVector<frontend::KernelObject *>> entries =
      compiled.listEntries();
  if (failed(entries))
    return failure();
  bool isLibrary = entries->empty();
  if (isLibrary)
    *entries = to_vector(compiled.getSession()->getUncalledKernels());
  StringRef separator = "";
  LogicalResult result = success();
  for (frontend::KernelObject *entry : *entries) {
    if (isLibrary && (compiled.getSession()->wasLowered(*entry) ||
                      !compiled.canCheckAlone(*entry)))
      continue;
    compiled.selectEntry(*entry);
    out << separator;
    separator = "// -----\n";
    if (failed(emit()))
      result = failure();
  }
  return separator.empty() ? compiled.selectEntry() : result;
}

LogicalResult Compiler::writeFiles() {
  if (failed(compiled.compileTo(Phase::EmitC)))
    return failure();
  Stopwatch::Scope time(compiled.getStopwatch(), "write");
  mlir::pl::CppOptions how;
  how.machine = options.machine;
  how.version = PLC_VERSION;
  LogicalResult result =
      mlir::pl::emitCpp(compiled.getModule(), directory, how);
  compiled.getDiagnostics().flush();
  return result;
}

int Compiler::run() {
  directory = options.outputDir.empty() && (!options.emit || options.saveTemps)
                  ? compiled.getStem() + ".out"
                  : options.outputDir;
  if (options.saveTemps)
    compiled.afterPhase = [this](Phase phase, mlir::ModuleOp module) {
      return saveTemp(phase, module);
    };
  if (failed(compiled.load()))
    return compiled.getExitCode();
  if (options.emit == Phase::PL && compiled.getSession()) {
    (void)emitEntries();
    return compiled.getExitCode();
  }
  if (failed(compiled.selectEntry()))
    return compiled.getExitCode();
  if (failed(options.emit ? emit() : writeFiles()))
    return compiled.getExitCode();
  return ExitGood;
}

int runCompile(const Options &options, raw_ostream &out, raw_ostream &err) {
  if (options.emit == Phase::AST)
    return emitAst(options, out, err);
  return Compiler(options, out, err).run();
}

} // namespace pl::driver

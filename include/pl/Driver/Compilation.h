//===- Compilation.h - One program on its way through the phases ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_COMPILATION_H
#define PL_DRIVER_COMPILATION_H

#include "pl/Driver/CommandLine.h"
#include "pl/Driver/SourceDiagnostics.h"
#include "pl/Driver/Stopwatch.h"
#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"

#include <functional>
#include <memory>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace pl::driver {

/// Dialects that files and phases may hold.
void registerDialects(mlir::DialectRegistry &registry);

/// Everything of one run of the compiler: sources, diagnostics, the front end's
/// session, and the module in its present phase. Every mistake of the input is
/// printed as it is found.
class Compilation {
public:
  Compilation(const Options &options, llvm::raw_ostream &err);
  ~Compilation();
  Compilation(const Compilation &) = delete;

  /// Reads and executes the input.
  llvm::LogicalResult load();
  /// Chooses the entry of a source module: `entryName`, else what the module
  /// says. An input that is IR has none.
  llvm::LogicalResult selectEntry();
  /// The entry of that name, or null; in `names`, those that there are.
  frontend::KernelObject *
  findEntry(llvm::StringRef name,
            llvm::SmallVectorImpl<llvm::StringRef> &names);
  /// Chooses this entry; whatever another one was compiled to goes away.
  void selectEntry(frontend::KernelObject &kernel);
  /// The entry that --entry or the module names, else all that it defines;
  /// empty for IR. Fails after a report when --entry names nothing.
  llvm::FailureOr<llvm::SmallVector<frontend::KernelObject *>> listEntries();
  /// Whether `check` can look at a kernel that no program calls; says why not.
  bool canCheckAlone(const frontend::KernelObject &kernel);
  /// Brings the module to `phase`. A module that is past it is an error.
  llvm::LogicalResult compileTo(Phase phase);

  /// Called with the module after each phase it reaches.
  std::function<llvm::LogicalResult(Phase, mlir::ModuleOp)> afterPhase;

  /// ExitGood, or the code that what was reported asks for.
  int getExitCode() const;

  /// Prints "plc: error: message" and makes the run a rejected one.
  llvm::LogicalResult error(const llvm::Twine &message,
                            frontend::DiagCode code = frontend::DiagCode::None);
  /// The same, where the command line is to blame.
  llvm::LogicalResult
  usageError(const llvm::Twine &message,
             frontend::DiagCode code = frontend::DiagCode::None);

  const Options &getOptions() const { return options; }
  frontend::SourceManager &getSources() { return sources; }
  frontend::DiagnosticEngine &getDiagnostics() { return diagnostics; }
  /// Null for IR input.
  frontend::Session *getSession() { return session.get(); }
  frontend::KernelObject *getEntry() { return entry; }
  mlir::ModuleOp getModule() { return module.get(); }
  /// The phase the module is in; `AST` while there is none.
  Phase getPhase() const { return phase; }
  /// The orchestration function of the module; null in phases without one.
  mlir::func::FuncOp getEntryFunction();
  Stopwatch &getStopwatch() { return stopwatch; }
  /// The input's name without directory and extension.
  std::string getStem() const;

  /// What is not lowered yet is a remark, not an error; `compileTo` fails, and
  /// the module stays in the phase before.
  bool mayStop = false;
  /// Whether that happened last.
  bool hasStopped() const { return stopped; }

  /// Replaces the -D values before `load`.
  std::vector<std::pair<std::string, std::string>> defines;
  /// Replaces --entry before `selectEntry`.
  std::string entryName;

private:
  llvm::LogicalResult cannotRead(llvm::StringRef file, llvm::StringRef why);
  llvm::LogicalResult loadSource(const llvm::StringRef *text);
  llvm::LogicalResult loadIR(llvm::StringRef name, llvm::StringRef text);
  llvm::LogicalResult lower();
  llvm::LogicalResult advance(Phase next);
  /// The passes that bring a module to `next`, or check that it is there.
  llvm::LogicalResult runPasses(Phase next);

  const Options &options;
  llvm::raw_ostream &err;
  frontend::SourceManager sources;
  frontend::DiagnosticEngine diagnostics;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<SourceDiagnosticHandler> handler;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope timingRoot;
  std::unique_ptr<frontend::Session> session;
  frontend::KernelObject *entry = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Phase phase = Phase::AST;
  Stopwatch stopwatch;
  bool failedUsage = false;
  bool stopped = false;
};

} // namespace pl::driver

#endif // PL_DRIVER_COMPILATION_H

//===- Module.h - loading a program and asking about it -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Session is one run of the front end: the files read, the interpreter that
// executed their module level, and what they declared. The driver makes one,
// loads the user's file, reads the entries, and calls fixtures and goldens.
//
//   SourceManager sources;
//   DiagnosticEngine diagnostics(sources);
//   diagnostics.printTo(llvm::errs());
//   Session session(sources, diagnostics, options, createArrayOps());
//   if (failed(session.loadFile(path)))
//     return session.hasUsageErrors() ? 2 : 1;
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_MODULE_H
#define PL_FRONTEND_MODULE_H

#include "pl/Frontend/ArrayOps.h"
#include "pl/Frontend/HostPl.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pl::frontend {

class Interpreter;

/// Whether a kernel is a program of a chip or of the host: what can be run.
bool isProgram(const KernelObject &kernel);

struct LoadOptions {
  /// -I directories, after the directory of the importing file.
  std::vector<std::string> includeDirs;
  /// -D name=value, as given.
  std::vector<std::pair<std::string, std::string>> defines;
  /// What follows `--`; `sys.argv[1:]`.
  std::vector<std::string> argv;
  /// Module name to file: wins over the search.
  std::vector<std::pair<std::string, std::string>> overrides;
  /// Statements and loop turns one evaluation (a load, a fixture, a golden) may
  /// take before it is stopped.
  uint64_t stepLimit = 50'000'000;
  /// Bytes that lists, strings and the like may take together; tensors have
  /// limits of their own.
  uint64_t memoryLimit = uint64_t(640) << 20;
  /// Calls within calls.
  unsigned recursionLimit = 400;
  /// Where `print` writes; null is standard output.
  llvm::raw_ostream *output = nullptr;
};

class Session {
public:
  Session(SourceManager &sources, DiagnosticEngine &diagnostics,
          LoadOptions options, std::unique_ptr<ArrayOps> arrays = nullptr);
  ~Session();
  Session(const Session &) = delete;

  /// Parses and executes a file ("-" is standard input) and all it imports.
  /// Errors go to the diagnostics. Afterwards -D names that no pl.param
  /// declared are errors as well.
  llvm::LogicalResult loadFile(llvm::StringRef path);
  /// The same for a text in memory.
  llvm::LogicalResult loadText(llvm::StringRef name, llvm::StringRef text);

  /// True when what failed was the command line (unknown -D, bad value).
  bool hasUsageErrors() const;

  /// The file that was loaded; null before.
  ModuleObject *getMainModule() const;

  /// Kernels of every module in the order of their definition.
  llvm::ArrayRef<Ref<KernelObject>> getKernels() const;
  /// The kernel a name of the main module stands for, or null.
  KernelObject *findKernel(llvm::StringRef name) const;
  /// What `plc run` runs: `pl.main(entry)` of the main module, else the only
  /// @pl.jit.host of it, else its only @pl.jit. Null, with the reason in
  /// `why`, when there is none or several.
  KernelObject *getMainEntry(std::string &why);
  /// What `plc check` looks at: the programs that the main module defines,
  /// those of chips before those of hosts. For a class, what nothing in it
  /// calls. Where there are none, functions that make a @pl.program are called.
  std::vector<KernelObject *> getEntries();
  /// Kernels of the main module that are no programs and that nothing lowered
  /// so far calls, callers first. A class of test cases may make them.
  std::vector<KernelObject *> getUncalledKernels();
  /// What was lowered, for that.
  void noteLowered(const KernelObject &kernel) { lowered.insert(&kernel); }
  bool wasLowered(const KernelObject &kernel) const {
    return lowered.contains(&kernel);
  }
  /// Shape and dtype of a parameter for which only `pl.Tensor` is written,
  /// from the fixture of the entry, else from how the file itself calls it
  /// under `if __name__ == "__main__":`; nothing where neither says.
  std::optional<TypeAnnotation> findShape(const KernelObject &kernel,
                                          llvm::StringRef param);
  /// The first parameter of a kernel whose shape or type nothing says, or null:
  /// then it can be compiled for no call.
  const Param *findUnknownShape(const KernelObject &kernel);
  /// Fixture, golden and comparators of an entry; null when nothing was said.
  const EntryRecord *getEntry(const KernelObject *kernel) const;

  llvm::ArrayRef<ParamRecord> getParams() const;
  const ParamRecord *findParam(llvm::StringRef name) const;
  /// Names given with -D that no module declared.
  std::vector<std::string> getUnusedDefines() const;

  /// Calls the fixture of an entry: a dict from parameter to value. Values of
  /// the dict may be lazy; read them with `force`.
  llvm::FailureOr<Ref<DictObject>> callFixture(const KernelObject *kernel);
  /// Calls the golden with a deep copy of the inputs (made lazily, element by
  /// element): a dict from output to array.
  llvm::FailureOr<Ref<DictObject>> callGolden(const KernelObject *kernel,
                                              const Ref<DictObject> &inputs);
  /// Calls what @pl.check_inputs decorates, if anything, with such a copy of
  /// the inputs. Fails after a report when it raises.
  llvm::LogicalResult checkInputs(const KernelObject *kernel,
                                  const Ref<DictObject> &inputs);
  /// The value a lazy value makes; other values are given back.
  llvm::FailureOr<Value> force(const Value &value);
  /// Calls any callable value (a function given to a comparator, …).
  llvm::FailureOr<Value> call(const Value &callee,
                              llvm::ArrayRef<Value> args = {});

  /// A name as the body of a kernel sees it from outside: enclosing functions,
  /// then its module, then builtins. Null when unbound.
  const Value *lookup(const KernelObject &kernel, llvm::StringRef name) const;
  /// Evaluates an expression in the scope a kernel captures. Reports and fails.
  llvm::FailureOr<Value> evaluate(const KernelObject &kernel, const Expr *expr);
  /// Evaluates an annotation of a parameter or return. Reports and fails.
  llvm::FailureOr<TypeAnnotation> evaluateAnnotation(const KernelObject &kernel,
                                                     const Expr *annotation);

  Interpreter &getInterpreter() { return *interpreter; }
  DiagnosticEngine &getDiagnostics() { return diagnostics; }
  SourceManager &getSources() { return sources; }

private:
  std::vector<KernelObject *> collectEntries() const;
  /// Learns from the statements of the main block, once. (Discovery.cpp)
  void discover();
  bool discovered = false;
  llvm::DenseSet<const KernelObject *> lowered;

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  std::unique_ptr<Interpreter> interpreter;
  /// What is known of shapes that are not written, by parameter.
  llvm::DenseMap<const KernelObject *, llvm::StringMap<TypeAnnotation>> shapes;
};

} // namespace pl::frontend

#endif // PL_FRONTEND_MODULE_H

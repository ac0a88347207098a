//===- Executor.h - one run of a program ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_EXECUTOR_H
#define PL_LIB_SIM_EXECUTOR_H

#include "Interpreter.h"
#include "Schedule.h"
#include "Workers.h"

namespace pl::sim {

/// Executes a program once: binds the arguments, lets the orchestration launch
/// tasks, runs them, checks what they did.
class Executor : public Orchestrator {
public:
  Executor(const ProgramCode &program, const RunOptions &options,
           bool graphOnly);
  ~Executor() override;

  RunResult run(llvm::ArrayRef<TensorArg> tensors,
                llvm::ArrayRef<ScalarArg> scalars);

  bool alloc(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
             mlir::LocationAttr loc, View &view) override;
  bool launch(const LaunchDecl &decl, bool isDummy, int64_t blocks,
              llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars,
              llvm::ArrayRef<unsigned> deps, mlir::LocationAttr loc,
              unsigned &task) override;
  bool finishTasks() override;

private:
  /// A launched task.
  struct Task {
    const Code *kernel = nullptr; ///< null for a dummy
    std::vector<View> views;
    std::vector<Reg> scalars;
    unsigned epoch = 0;
    std::vector<std::pair<unsigned, AccessSet>> accesses;
  };

  // Bind.cpp
  bool bind(llvm::ArrayRef<TensorArg> tensors,
            llvm::ArrayRef<ScalarArg> scalars, Interpreter &entry);
  bool bindDims(llvm::ArrayRef<TensorArg> tensors,
                std::vector<llvm::SmallVector<int64_t, 4>> &shapes);
  Buffer *makeBuffer(llvm::StringRef name, ElemType type,
                     llvm::ArrayRef<int64_t> shape, mlir::LocationAttr loc);
  bool reject(FailureKind kind, std::string message, mlir::LocationAttr loc);

  // Executor.cpp
  void runTask(unsigned id);
  void finishBlock(unsigned id, int64_t block, BlockLog &log);
  void checkBlocks(unsigned id, std::vector<OwnedAccess> &accesses,
                   unsigned buffer);

  // Report.cpp
  void reportRaces();
  void reportRace(const Conflict &conflict, const Buffer &buffer,
                  bool betweenBlocks, unsigned task);
  void collectOutputs();
  void addOrigin(Failure &failure, uint8_t site, const BlockLog *log);

  const ProgramCode &program;
  RunOptions options;
  bool graphOnly;
  RunResult result;
  Schedule schedule;
  Workers workers;
  std::vector<CoreMemory> cores; ///< one per worker
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<Buffer *> params; ///< by parameter of the entry, or null
  std::vector<Task> tasks;
  std::vector<std::optional<Origin>> origins; ///< by site
  unsigned epoch = 0;
  bool failed = false;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_EXECUTOR_H

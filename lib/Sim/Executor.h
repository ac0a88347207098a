//===- Executor.h - one run of a program ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is a sequence of steps. Each step lets one rank start a task, or go on
// with the blocks of one that had stopped for signals; which, the order of the
// run decides. What the steps do to signals happens between them, in the order
// of blocks, so that it does not depend on host threads.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_EXECUTOR_H
#define PL_LIB_SIM_EXECUTOR_H

#include "Interpreter.h"
#include "Rank.h"
#include "Schedule.h"
#include "Workers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace pl::sim {

class HostProgram;

/// What a task, or a block of one between two signals, did, and all that came
/// before it.
struct Node {
  const TaskInfo *task = nullptr;
  unsigned rank = 0, index = 0; ///< of the task on its rank
  int64_t block = -1;           ///< -1: all
  llvm::BitVector before;
  std::vector<std::pair<unsigned, AccessSet>> accesses; ///< by buffer
};

/// Executes a program: binds the arguments, lets the ranks launch and run
/// tasks, checks what they did.
class Executor {
public:
  Executor(const ProgramCode &program, const RunOptions &options,
           bool graphOnly);
  ~Executor();

  RunResult run(llvm::ArrayRef<TensorArg> tensors,
                llvm::ArrayRef<ScalarArg> scalars);

private:
  friend class Rank;
  friend class HostProgram;

  // Bind.cpp
  bool bind(llvm::ArrayRef<TensorArg> tensors,
            llvm::ArrayRef<ScalarArg> scalars, Interpreter &entry);
  bool bindDims(llvm::ArrayRef<TensorArg> tensors,
                std::vector<llvm::SmallVector<int64_t, 4>> &shapes);
  Buffer *makeBuffer(llvm::StringRef name, ElemType type,
                     llvm::ArrayRef<int64_t> shape, mlir::LocationAttr loc);
  /// Gives a buffer bytes that nobody wrote. False: out of memory.
  bool makeFresh(Buffer &buffer);
  /// Nobody sees the buffer any more.
  void takeBytes(Buffer &buffer);
  bool reject(FailureKind kind, std::string message, mlir::LocationAttr loc);

  // Executor.cpp
  bool prepare(llvm::ArrayRef<TensorArg> tensors,
               llvm::ArrayRef<ScalarArg> scalars, unsigned round);
  void runAll();
  bool runEntry(Interpreter &entry, Orchestrator &host, llvm::StringRef name,
                Stop &stop);
  /// Adds what a block did to counts and failures.
  void finishBlock(const TaskInfo &task, unsigned rank, BlockLog &log);

  // Signals.cpp
  unsigned makeNode(const Rank &rank, unsigned task, int64_t block,
                    llvm::BitVector before);
  void perform(const Notify &notify, const llvm::BitVector &before);
  /// All that was notified to a cell came before what waited for it.
  void acquire(const Cell &cell, llvm::BitVector &before) const;
  void checkLeftovers();

  // Report.cpp
  void reportRaces();
  void reportRace(const Conflict &conflict, const Node &first,
                  const Node &second, const Buffer &buffer);
  void checkBlocks(const TaskInfo &task, unsigned rank,
                   std::vector<OwnedAccess> &accesses, unsigned buffer);
  void collectOutputs();
  void collectRemarks();
  void addOrigin(Failure &failure, uint8_t site, const BlockLog *log);
  void reportStuck();
  /// ` of rank 2`, or nothing when there is one rank.
  std::string rankText(unsigned rank) const;

  const ProgramCode &program;
  RunOptions options;
  bool graphOnly;
  RunResult result;
  Workers workers;
  std::vector<CoreMemory> cores; ///< one per worker
  std::vector<std::unique_ptr<Buffer>> buffers;
  SpareBytes spare;
  /// A parameter of the entry in one round, and its buffer or null.
  struct BoundParam {
    const ParamDecl *param;
    Buffer *buffer;
    unsigned round;
  };
  std::vector<BoundParam> params;
  std::vector<std::unique_ptr<Rank>> ranks;
  std::unique_ptr<HostProgram> host;
  std::vector<Node> nodes;
  /// What came before the notifies of a cell (buffer, byte).
  llvm::DenseMap<std::pair<unsigned, int64_t>, llvm::BitVector> released;
  std::vector<std::optional<Origin>> origins; ///< by site
  uint64_t step = 0;
  bool failed = false;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_EXECUTOR_H

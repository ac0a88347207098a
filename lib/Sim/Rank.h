//===- Rank.h - the tasks of one rank -------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_RANK_H
#define PL_LIB_SIM_RANK_H

#include "Interpreter.h"
#include "Schedule.h"

#include "llvm/ADT/BitVector.h"

#include "llvm/ADT/MapVector.h"

#include <deque>

namespace pl::sim {

class Executor;

/// A program to run, with its arguments in the order of its parameters.
struct Dispatch {
  const Code *program = nullptr;
  std::vector<View> views;
  std::vector<Reg> scalars;
  unsigned round = 0;
  mlir::LocationAttr loc;
};

/// A block that stops for signals, on a core of its own until it ends.
struct Strand {
  Strand(const Code &kernel) : interpreter(kernel), memory(kernel.usedBytes) {}

  int64_t block = 0;
  unsigned core = 0;
  Interpreter interpreter;
  CoreMemory memory;
  BlockLog log;
  Stop stop = Stop::Notify;
  Condition wait;
  bool isWaiting = false, isDone = false;
  uint64_t since = 0;     ///< step at which it began to wait
  llvm::BitVector before; ///< nodes before what it does next
  int64_t node = -1;      ///< its node since its last signal, if it has one
};

/// A task some of whose blocks have stopped.
struct Activity {
  unsigned task = 0;
  std::vector<int64_t> order;
  size_t next = 0; ///< in `order`: the next block to start
  int64_t numDone = 0;
  std::vector<std::unique_ptr<Strand>> strands;
  std::vector<Condition> deferred;
  llvm::BitVector before, after;
};

class Rank : public Orchestrator {
public:
  Rank(Executor &run, unsigned number);

  bool alloc(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
             mlir::LocationAttr loc, View &view) override;
  bool launch(const LaunchDecl &decl, bool isDummy, int64_t blocks,
              llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars,
              llvm::ArrayRef<unsigned> deps, mlir::LocationAttr loc,
              unsigned &task) override;
  bool hasOpenTasks() override;

  /// Lets go what waits no longer, and goes from one program to the next.
  void settle();
  bool isDone() const { return !current && queue.empty(); }
  /// Whether blocks that have stopped can go on.
  bool canContinue() const;
  bool canStart() const;
  /// `random` decides which blocks; without it the first of them all.
  void continueBlocks(Random *random);
  void startTask();
  RankResult takeResult();
  void describeStuck(Failure &failure) const;

  std::deque<Dispatch> queue;
  const unsigned number;
  std::deque<TaskInfo> infos; ///< of all programs

private:
  friend class Executor;
  /// A launched task.
  struct Task {
    const Code *kernel = nullptr; ///< null for a dummy
    std::vector<View> views;
    std::vector<Reg> scalars;
    unsigned node = 0; ///< once it has run
  };
  /// A task that waits for its conditions only.
  struct Deferred {
    unsigned task;
    std::vector<Condition> conditions;
    uint64_t since;
  };

  /// For a graph: what the task in `info` is given.
  void listArgs(TaskInfo &info, const Code &kernel, llvm::ArrayRef<View> views,
                llvm::ArrayRef<Reg> scalars);
  void begin();
  void runEntry();
  /// Gives bytes to a buffer that the program made, if it has none.
  bool provide(Buffer &buffer);
  TaskInfo &infoOf(unsigned task) { return infos[firstInfo + task]; }
  const TaskInfo &infoOf(unsigned task) const {
    return infos[firstInfo + task];
  }
  llvm::BitVector before(unsigned task) const;
  void runTask(unsigned task);
  void openActivity(unsigned task);
  void advance(Activity &activity, llvm::ArrayRef<Strand *> batch);
  void land(Activity &activity, Strand &strand);
  void startStrands(Activity &activity, std::vector<Strand *> &batch);
  bool canAdvance(const Activity &activity) const;
  /// The task has run; it is complete once `conditions` hold.
  void finish(unsigned task, std::vector<Condition> conditions);
  void complete(unsigned task);
  void bindArguments(const Task &task, Interpreter &interpreter) const;
  Context contextOf(unsigned task, int64_t block) const;
  static bool isSerial(const Code &kernel);
  unsigned numCores(TaskKind kind) const;
  unsigned freeCores(TaskKind kind) const;
  std::vector<bool> &heldCores(TaskKind kind) {
    return held[kind == TaskKind::AIC];
  }

  Executor &run;
  std::optional<Dispatch> current;
  std::unique_ptr<Interpreter> entry; ///< of `current`, until it has ended
  std::unique_ptr<Schedule> schedule;
  std::vector<Task> tasks; ///< of `current`
  size_t firstInfo = 0, numListed = 0;
  std::vector<unsigned> startOrder;
  llvm::MapVector<const Buffer *, TensorInfo> tensors; ///< of a graph
  std::vector<std::unique_ptr<Activity>> activities;
  std::vector<Deferred> deferred;
  llvm::BitVector base; ///< nodes before all tasks launched from now on
  llvm::BitVector all;  ///< nodes of tasks that are complete
  std::vector<bool> held[2];
  std::vector<Buffer *> allocated;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_RANK_H

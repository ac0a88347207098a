//===- SignalRun.h - Runs of what ranks tell each other ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all ranks do to signals, and no more of their programs: every block is a
// list of adds, sets and waits, and edges order the tasks of a rank. Each run
// of it is one that the machine may choose, with a core for every block, so
// that what goes wrong in one is a proof. There is nothing to run where data
// decide what is told or awaited.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALRUN_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALRUN_H

#include "HostLaunches.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <deque>
#include <map>

namespace mlir::pl {

/// A word of the window of one rank.
struct SignalCell {
  int64_t rank;
  Value buffer;
  int64_t element;
  SmallVector<unsigned> events;
};

/// One execution of an op on a cell.
struct SignalEvent {
  enum class Kind : uint8_t {
    add,
    set,  ///< a notify, or a write of the rank itself
    wait, ///< for at least `value`; of one block, or deferred
    waitEqual
  };
  Kind kind;
  Operation *op;
  unsigned cell, strand;
  int64_t value;

  bool isWait() const { return kind == Kind::wait || kind == Kind::waitEqual; }
};

/// A block of a task, which does one event after the other.
struct SignalStrand {
  unsigned task;
  SmallVector<unsigned> events;
};

/// A task, or what only joins tasks.
struct SignalTask {
  Operation *op;
  int64_t rank;
  SmallVector<unsigned, 4> deps, users;
  SmallVector<unsigned, 1> strands;
};

/// All events of the programs of a host program.
class SignalGraph {
public:
  /// Which dims and scalars of the caller are tried.
  struct Sample {
    int64_t dims, scalars;
  };
  /// Nothing: data decide some of it, or there is too much.
  static std::optional<SignalGraph> of(ArrayRef<Instance> instances,
                                       int64_t world, Sample sample);

  /// Does the rank of both do `early` before `late`, whatever others do?
  bool isBefore(unsigned early, unsigned late) const;
  int64_t rankOf(const SignalEvent &event) const {
    return tasks[strands[event.strand].task].rank;
  }

  std::vector<SignalCell> cells;
  std::vector<SignalEvent> events;
  std::vector<SignalStrand> strands;
  std::vector<SignalTask> tasks;
  /// Loops or branches stand between tasks: the order of tasks is more than it
  /// has to be.
  bool isApproximate = false;

private:
  bool addProgram(const Instance &instance, int64_t world, Sample sample,
                  std::optional<unsigned> &lastOfRank);
  bool addEvents(const Instance &instance, int64_t world, Sample sample,
                 const llvm::MapVector<Operation *, unsigned> &numbers);
  unsigned addTask(Operation *op, int64_t rank, ArrayRef<unsigned> deps);
  unsigned cellOf(int64_t rank, Value buffer, int64_t element);

  std::map<std::tuple<int64_t, void *, int64_t>, unsigned> cellNumbers;
};

/// Everything goes on as far as it can.
class SignalRun {
public:
  /// `held`, an event, is left for the end: nothing else goes on any more.
  explicit SignalRun(const SignalGraph &graph,
                     std::optional<unsigned> held = std::nullopt);

  bool isPerformed(unsigned event) const { return performed.test(event); }
  bool isComplete() const { return performed.all(); }
  int64_t valueOf(unsigned cell) const { return values[cell]; }
  /// What sets and negative adds made it lose, and the last of them.
  int64_t takenOff(unsigned cell) const { return taken[cell].first; }
  std::optional<unsigned> lastTaker(unsigned cell) const {
    return taken[cell].second;
  }
  /// Does a wait hold as things are?
  bool holds(const SignalEvent &wait) const;
  /// The waits that begun blocks stand at.
  ArrayRef<unsigned> getStuck() const { return stuck; }
  /// The wait that this event cannot get past, in its block or before its task.
  std::optional<unsigned> blockerOf(unsigned event) const;

private:
  void begin(unsigned task);
  void proceed(unsigned strand);
  void finish(unsigned task);
  void perform(unsigned event);

  const SignalGraph &graph;
  std::optional<unsigned> held;
  std::vector<int64_t> values;
  std::vector<std::pair<int64_t, std::optional<unsigned>>> taken;
  std::vector<SmallVector<unsigned, 1>> waiting; ///< strands, by cell
  std::vector<unsigned> position;                ///< by strand
  std::vector<unsigned> openDeps, openStrands;   ///< by task
  llvm::BitVector performed, isDone;
  std::deque<unsigned> ready, finished;
  SmallVector<unsigned> stuck;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_SIGNALRUN_H

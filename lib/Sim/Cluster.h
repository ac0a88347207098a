//===- Cluster.h - the queues of one core cluster -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a mixed kernel runs on a cube core and two vector cores. Each is a
// queue that executes its own code until it has to wait for a slot of a ring:
// a pop for a tile that both lanes (or the cube) have pushed, a push for a slot
// that both lanes (or the cube) have given back. The credits are those of the
// hardware, which come for half a ring at a time.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_CLUSTER_H
#define PL_LIB_SIM_CLUSTER_H

#include "Interpreter.h"

namespace pl::sim {

constexpr unsigned kNumQueues = 3;
enum : unsigned { kCubeQueue, kLane0Queue, kLane1Queue };

/// What a queue knows to be done: by queue, how many of its segments. A segment
/// is what a queue does between two handshakes.
using QueueClock = std::array<uint32_t, kNumQueues>;

class Cluster {
public:
  /// `kernel` is mixed; `views` and `regs` are its arguments.
  Cluster(const Code &kernel, llvm::ArrayRef<View> tensors,
          llvm::ArrayRef<Reg> scalars);

  bool ok() const;
  /// Runs one block to its end. False: `log.failure` says why.
  bool run(const Context &context, BlockLog &log);

  /// The byte of the slot where `queue` may put its next tile of a ring, or
  /// nothing while there is none. `endPush` makes the tile known.
  std::optional<int64_t> beginPush(unsigned ring, unsigned queue);
  void endPush(unsigned ring, unsigned queue);
  /// The same for the next tile to take; `endPop` gives the slot back.
  std::optional<int64_t> beginPop(unsigned ring, unsigned queue);
  void endPop(unsigned ring, unsigned queue);
  const RingDecl &ring(unsigned index) const { return rings[index].decl; }

private:
  struct Ring {
    RingDecl decl;
    /// By queue: the clock at each push, and at each slot given back.
    std::vector<QueueClock> pushed[kNumQueues], freed[kNumQueues];
  };
  struct Segment {
    unsigned queue;
    QueueClock clock;
    std::vector<std::pair<unsigned, AccessSet>> accesses;
  };

  void endSegment(unsigned queue);
  void join(unsigned queue, const QueueClock &other);
  bool reportStuck(const Context &context, BlockLog &log,
                   llvm::ArrayRef<bool> ended);
  bool checkBalance(const Context &context, BlockLog &log);
  bool checkRaces(const Context &context, BlockLog &log);
  /// The argument with this id.
  const Buffer *find(unsigned buffer) const;

  const Code &kernel;
  std::vector<Ring> rings;
  std::vector<std::unique_ptr<Interpreter>> queues;
  std::vector<CoreMemory> cores;
  BlockLog logs[kNumQueues];
  QueueClock clocks[kNumQueues];
  std::vector<Segment> segments;
  uint64_t events = 0; ///< handshakes and ends so far
};

} // namespace pl::sim

#endif // PL_LIB_SIM_CLUSTER_H

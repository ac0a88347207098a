//===- Pipes.h - the queues of instructions of one core -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar unit hands instructions to pipes and goes on. Here it goes on as
// far as it can: pipes work only when it must wait for them, and then which
// pipe does is drawn from a seed. Within a pipe, instructions overtake each
// other up to the next barrier, wait or tile that crosses, as a later one may
// read before an earlier one has written. What flags and barriers do not order
// thus happens in the wrong order sooner or later.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_PIPES_H
#define PL_LIB_SIM_PIPES_H

#include "Interpreter.h"
#include "Schedule.h"

#include <deque>

namespace pl::sim {

/// The pipes of `mlir::pl::Pipe`, `s` and `all` included.
constexpr unsigned kNumPipes = 8;
constexpr unsigned kScalarPipe = 0, kAllPipes = 7;
llvm::StringRef pipeName(unsigned pipe);

/// An instruction that a pipe was given, with what the scalar unit knew then.
struct Issued {
  const Instr *instr = nullptr;
  llvm::SmallVector<std::pair<int32_t, Reg>, 4> regs;
  int32_t viewSlot = -1;
  View view;
  struct Valid {
    int32_t tile;
    int64_t rows, cols;
  };
  llvm::SmallVector<Valid, 3> valid;
  bool isDone = false;
};

struct Pipes {
  explicit Pipes(uint64_t seed) : random(seed) {
    for (unsigned pipe = 0; pipe < kNumPipes; ++pipe)
      order[pipe] = pipe;
  }

  std::deque<Issued> queues[kNumPipes];
  size_t numOpen = 0;        ///< instructions in all queues that are not done
  unsigned order[kNumPipes]; ///< who works first
  Random random;
  const Instr *stuckAt = nullptr; ///< the tile that could not cross

  /// Which pipe works first from now on; it changes now and then.
  void shuffle();
  /// What `pipe` does next, or nothing if it has to wait or has no work.
  /// `tokens` are the flags that are set.
  Issued *pick(unsigned pipe, llvm::ArrayRef<uint8_t> tokens);
  /// Whether some pipe still has to set `flag`.
  bool hasSet(int64_t flag) const;
  void finish(unsigned pipe, Issued &item);
};

} // namespace pl::sim

#endif // PL_LIB_SIM_PIPES_H

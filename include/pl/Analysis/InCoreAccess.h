//===- InCoreAccess.h - What an op of a kernel touches, and on which pipe -===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_INCOREACCESS_H
#define PL_ANALYSIS_INCOREACCESS_H

#include "pl/Dialect/PL/IR/PL.h"

namespace mlir::pl {

/// Pipes of a core that take instructions; `Pipe::all` is not one of them.
constexpr unsigned kNumPipes = 7;

/// A set of pipes, one bit each.
using PipeSet = uint8_t;
inline PipeSet bit(Pipe pipe) { return PipeSet(1u << unsigned(pipe)); }

/// Bytes of one memory that an op touches: of an on-chip memory, or of a GM
/// tensor as a whole.
struct Touched {
  /// Which memory: equal pointers are one memory.
  const void *memory = nullptr;
  int64_t begin = 0, end = 0;
  bool writes = false;
  /// The buffer or tensor, for messages.
  Value value;

  bool conflicts(const Touched &other) const {
    return memory == other.memory && begin < other.end && other.begin < end &&
           (writes || other.writes);
  }
  bool operator==(const Touched &other) const {
    return memory == other.memory && begin == other.begin && end == other.end &&
           writes == other.writes;
  }
};

/// The pipe an op of phase `tiles` runs on and the bytes it touches.
struct InCoreAccess {
  Pipe pipe = Pipe::s;
  SmallVector<Touched> touched;
};

/// What `op` touches; nothing for ops that touch no memory. Buffers need their
/// addresses.
std::optional<InCoreAccess> inCoreAccessOf(Operation *op);

} // namespace mlir::pl

#endif // PL_ANALYSIS_INCOREACCESS_H

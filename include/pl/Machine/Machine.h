//===- Machine.h - What a machine offers ------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_MACHINE_MACHINE_H
#define PL_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace pl {

/// One on-chip memory of a core.
struct MemoryDescription {
  llvm::StringLiteral name;
  /// Bytes that a program may use.
  int64_t bytes;
  /// Addresses are multiples of this many bytes.
  int64_t alignment;
};

/// A conversion that is one instruction, between element types named as in
/// MLIR ("f32", "bf16", "i8", ...).
struct CastDescription {
  llvm::StringLiteral from, to;
};

/// A tile operation of the dialect that is an instruction, and the element
/// types it works on, named as in MLIR and separated by blanks.
struct OperationDescription {
  llvm::StringLiteral name, types;
};

/// A machine: its cores, memories, conversions and operations. Each is one data
/// file, `NAME.def`.
struct MachineDescription {
  llvm::StringLiteral name;
  int64_t cubeCores, vectorCores;
  llvm::ArrayRef<MemoryDescription> memories;
  llvm::ArrayRef<CastDescription> casts;
  llvm::ArrayRef<OperationDescription> operations;

  /// The memory called `name`, or null.
  const MemoryDescription *findMemory(llvm::StringRef name) const;
  /// The operation called `name`, or null if it has no rule about types.
  const OperationDescription *findOperation(llvm::StringRef name) const;
  bool hasCast(llvm::StringRef from, llvm::StringRef to) const;
};

/// The machine called `name`, or null.
const MachineDescription *findMachine(llvm::StringRef name);

/// Names of all machines, for messages.
llvm::ArrayRef<llvm::StringLiteral> machineNames();

/// Bytes of one block of the vector unit; rows of its tiles are whole blocks.
constexpr int64_t kBlockBytes = 32;
/// Rows of one fractal of the cube unit's operands: 16 rows of 32 bytes.
constexpr int64_t kFractalRows = 16;
/// Most blocks x lanes (cores of one block) of a launch: a signed 16-bit count.
constexpr int64_t kMaxLaunchLanes = 32767;
/// Most arguments of one task.
constexpr int64_t kMaxTaskTensors = 32, kMaxTaskScalars = 16;

} // namespace pl

#endif // PL_MACHINE_MACHINE_H

//===- Machine.cpp - Machines from their data files -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Machine/Machine.h"

#include "llvm/ADT/STLExtras.h"

using namespace pl;

namespace a2a3 {
#define MACHINE(name, cubeCores, vectorCores)
#define MEMORY(name, bytes, alignment)
#define CAST(from, to)
#define OPERATION(name, types)
#undef MEMORY
#define MEMORY(name, bytes, alignment) {#name, bytes, alignment},
static constexpr MemoryDescription memories[] = {
#include "a2a3.def"
};
#undef MEMORY
#define MEMORY(name, bytes, alignment)
#undef CAST
#define CAST(from, to) {#from, #to},
static constexpr CastDescription casts[] = {
#include "a2a3.def"
};
#undef CAST
#define CAST(from, to)
#undef OPERATION
#define OPERATION(name, types) {#name, types},
static constexpr OperationDescription operations[] = {
#include "a2a3.def"
};
#undef OPERATION
#define OPERATION(name, types)
#undef MACHINE
#define MACHINE(name, cubeCores, vectorCores)                                  \
  static constexpr MachineDescription machine{                                 \
      #name, cubeCores, vectorCores, memories, casts, operations};
#include "a2a3.def"
} // namespace a2a3

const MemoryDescription *
MachineDescription::findMemory(llvm::StringRef name) const {
  for (const MemoryDescription &memory : memories)
    if (memory.name == name)
      return &memory;
  return nullptr;
}

const OperationDescription *
MachineDescription::findOperation(llvm::StringRef name) const {
  for (const OperationDescription &operation : operations)
    if (operation.name == name)
      return &operation;
  return nullptr;
}

bool MachineDescription::hasCast(llvm::StringRef from,
                                 llvm::StringRef to) const {
  return llvm::any_of(casts, [&](const CastDescription &cast) {
    return cast.from == from && cast.to == to;
  });
}

const MachineDescription *pl::findMachine(llvm::StringRef name) {
  return name == a2a3::machine.name ? &a2a3::machine : nullptr;
}

llvm::ArrayRef<llvm::StringLiteral> pl::machineNames() {
  static constexpr llvm::StringLiteral names[] = {a2a3::machine.name};
  return names;
}

//===- ModuleValues.cpp - modules that disagree about a constant ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `config.TP = 4` before an import configures what is imported, since host
// statements run in order. A module that read the constant before the change
// keeps the old value, and shapes made of the two differ far from here. So
// reads of other modules' constants at import time are noted, and those that a
// later assignment made stale are reported.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

void Interpreter::noteModuleRead(const ModuleObject &module, StringRef name,
                                 const Value &value, SourceRange range) {
  // The statements of a module that asks itself, and calls after the import.
  if (importing.empty() || module.isOurs() || module.buffer == range.buffer)
    return;
  if (!value.isNumber() && !value.isStr())
    return;
  std::vector<ModuleUse> &reads = moduleReads[{module.buffer, name.str()}];
  for (const ModuleUse &read : reads)
    if (read.range.buffer == range.buffer)
      return; // the first use is the one that shaped its constants
  reads.push_back({range, value});
}

void Interpreter::noteModuleWrite(ModuleObject &module, StringRef name,
                                  SourceRange range) {
  if (!importing.empty() && !module.isOurs())
    moduleWrites[{module.buffer, name.str()}] = {range, Value(&module)};
}

void Interpreter::reportStaleReads() {
  for (const auto &[key, write] : moduleWrites) {
    auto reads = moduleReads.find(key);
    const auto *module = write.value.as<ModuleObject>();
    const Value *last = module->find(key.second);
    if (reads == moduleReads.end() || !last)
      continue;
    for (const ModuleUse &read : reads->second) {
      // Who assigns a constant may look at it first.
      if (read.range.buffer == write.range.buffer ||
          equalValues(read.value, *last))
        continue;
      std::string name = module->name + "." + key.second;
      diagnostics
          .warning(DiagCode::LateConfiguration, read.range,
                   "'" + name + "' was " + shortRepr(read.value) +
                       " when this module read it, but " + shortRepr(*last) +
                       " in the end: shapes made of the two "
                       "differ")
          .note(write.range,
                "changed here, after that; assign it before the first "
                "import that reads it");
    }
  }
  diagnostics.flush();
}

} // namespace pl::frontend

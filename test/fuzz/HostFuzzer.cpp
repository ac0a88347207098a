//===- HostFuzzer.cpp - lexer, parser, host interpreter -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "pl/Frontend/ASTDump.h"

using namespace llvm;
using namespace pl;
using namespace pl::frontend;

/// Fixture, then golden, as `plc run` calls them.
static void runEntry(fuzz::Program &program, KernelObject *kernel) {
  Session &session = *program.session;
  const EntryRecord *entry = session.getEntry(kernel);
  if (!entry || entry->fixture.isEmpty())
    return;
  FailureOr<Ref<DictObject>> inputs = session.callFixture(kernel);
  program.requireReason(succeeded(inputs));
  if (failed(inputs))
    return;
  for (const ValueTable::Entry &item : (*inputs)->table.getEntries()) {
    if (item.key.isEmpty())
      continue;
    bool isGood = succeeded(session.force(item.value));
    program.requireReason(isGood);
    if (!isGood)
      return;
  }
  if (!entry->golden.isEmpty())
    program.requireReason(succeeded(session.callGolden(kernel, *inputs)));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Program program(data, size);
  if (const ModuleObject *module = program.session->getMainModule())
    dumpAST(nulls(), *module->ast, program.sources);
  if (!program.isGood)
    return 0;
  for (const Ref<KernelObject> &kernel : program.session->getKernels()) {
    runEntry(program, kernel.get());
    if (program.diagnostics.hasErrors())
      break;
  }
  return 0;
}

//===- ReloadOperands.cpp - Cube operands that do not fit at once ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_RELOADOPERANDS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
struct ReloadOperands : mlir::pl::impl::ReloadOperandsBase<ReloadOperands> {
  using ReloadOperandsBase::ReloadOperandsBase;

  void runOnOperation() override {
    const ::pl::MachineDescription *description = ::pl::findMachine(machine);
    if (!description) {
      getOperation().emitError() << "there is no machine '" << machine << "'";
      return signalPassFailure();
    }
    for (MemorySpace space : {MemorySpace::left, MemorySpace::right})
      reload(space,
             description->findMemory(stringifyMemorySpace(space))->bytes);
  }

private:
  void reload(MemorySpace space, int64_t room);
};
} // namespace

void ReloadOperands::reload(MemorySpace space, int64_t room) {
  SmallVector<ExtractOp> shared;
  int64_t sharedBytes = 0, largest = 0;
  getOperation()->walk([&](ExtractOp extract) {
    if (!extract.getResult() ||
        extract.getResult().getType().getSpace() != space)
      return;
    int64_t bytes = extract.getResult().getType().getNumBytes();
    largest = std::max(largest, bytes);
    if (extract.getResult().hasOneUse())
      return;
    shared.push_back(extract);
    sharedBytes += bytes;
  });
  // What several products share stays for all of them, beside the operand of
  // one more product.
  if (shared.empty() || sharedBytes + (shared.size() > 1 ? largest : 0) <= room)
    return;
  for (ExtractOp extract : shared) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : extract.getResult().getUses())
      uses.push_back(&use);
    for (OpOperand *use : uses) {
      OpBuilder builder(use->getOwner());
      use->set(builder.clone(*extract)->getResult(0));
      ++numReloads;
    }
    extract.erase();
  }
}

//===- SyncDeletionTest.cpp - Every flag of real kernels is needed --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deletes each barrier and each pair of set and wait of the key/value branch in
// turn, in phase `tiles`, and checks the kernels again. The check must object;
// a pair that it does not miss is listed, and there are few of those: flags
// that a later joining of paths made superfluous.
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Driver/Compilation.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace pl;
using namespace pl::driver;
using mlir::pl::PipeBarrierOp;
using mlir::pl::SetFlagOp;
using mlir::pl::WaitFlagOp;

namespace {

bool passesCheck(mlir::pl::KernelOp kernel) {
  mlir::PassManager pm(kernel.getContext(), "pl.kernel");
  pm.addPass(mlir::pl::createCheckSync());
  mlir::ScopedDiagnosticHandler silence(
      kernel.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  return succeeded(pm.run(kernel));
}

TEST(SyncDeletion, EveryFlagIsMissed) {
  registerMlirOptions();
  Options options;
  options.command = Command::Check;
  options.file = PL_EXAMPLES_DIR "/decode/kv_branch.plk";
  options.defines = {{"preset", "tiny"}};
  Compilation compiled(options, llvm::errs());
  ASSERT_TRUE(succeeded(compiled.load()));
  ASSERT_TRUE(succeeded(compiled.selectEntry()));
  ASSERT_TRUE(succeeded(compiled.compileTo(Phase::Tiles)));

  unsigned deleted = 0, missed = 0;
  for (auto kernel : compiled.getModule().getOps<mlir::pl::KernelOp>()) {
    ASSERT_TRUE(passesCheck(kernel)) << kernel.getSymName().str();
    unsigned numSyncs = 0;
    kernel.walk([&](mlir::Operation *op) {
      numSyncs += llvm::isa<SetFlagOp, PipeBarrierOp>(op);
    });
    for (unsigned index = 0; index < numSyncs; ++index) {
      mlir::OwningOpRef<mlir::pl::KernelOp> copy(kernel.clone());
      unsigned at = 0;
      mlir::Operation *victim = nullptr;
      copy->walk([&](mlir::Operation *op) {
        if (llvm::isa<SetFlagOp, PipeBarrierOp>(op) && at++ == index)
          victim = op;
      });
      std::string text;
      llvm::raw_string_ostream(text) << *victim;
      // A flag goes with the wait that follows it.
      if (llvm::isa<SetFlagOp>(victim)) {
        mlir::Operation *wait = victim->getNextNode();
        ASSERT_TRUE(llvm::isa<WaitFlagOp>(wait));
        wait->erase();
      }
      victim->erase();
      ++deleted;
      if (passesCheck(*copy))
        llvm::outs() << kernel.getSymName() << ": not missed: " << text << "\n";
      else
        ++missed;
    }
  }
  llvm::outs() << missed << " of " << deleted << " are missed\n";
  EXPECT_GT(deleted, 50u);
  EXPECT_GE(missed * 10, deleted * 9);
}

} // namespace

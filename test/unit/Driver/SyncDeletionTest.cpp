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
// that a later joining of paths made superfluous. Then the program runs with
// pipes that work against it: most deletions must give a failure or another
// value, and none to which the check does not object.
//
//===----------------------------------------------------------------------===//

#include "KvBranch.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

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

bool isSync(mlir::Operation *op) {
  return llvm::isa<SetFlagOp, PipeBarrierOp>(op);
}

class SyncDeletion : public KvBranch {
protected:
  void SetUp() override { compileTo(Phase::Tiles); }

  sim::RunResult run(mlir::ModuleOp module, sim::PipeOrder pipes,
                     uint64_t seed) {
    sim::RunOptions how;
    how.pipes = pipes;
    how.seed = seed;
    return simulate(module, how);
  }

  /// Whether pipes that work against the program make it fail, or give other
  /// values than `right`.
  bool isFelt(mlir::ModuleOp module, const sim::RunResult &right) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      sim::RunResult result = run(module, sim::PipeOrder::Adversarial, seed);
      if (!result.ok())
        return true;
      for (size_t i = 0; i < result.outputs.size(); ++i)
        if (result.outputs[i].bytes != right.outputs[i].bytes)
          return true;
    }
    return false;
  }
};

TEST_F(SyncDeletion, EveryFlagIsMissed) {
  mlir::ModuleOp module = compiled->getModule();
  sim::RunResult right = run(module, sim::PipeOrder::Program, 0);
  ASSERT_TRUE(right.ok());
  EXPECT_FALSE(isFelt(module, right));

  unsigned deleted = 0, missed = 0, felt = 0;
  for (auto original : module.getOps<mlir::pl::KernelOp>()) {
    ASSERT_TRUE(passesCheck(original)) << original.getSymName().str();
    unsigned numSyncs = 0;
    original.walk([&](mlir::Operation *op) { numSyncs += isSync(op); });
    for (unsigned index = 0; index < numSyncs; ++index) {
      mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
      auto kernel =
          copy->lookupSymbol<mlir::pl::KernelOp>(original.getSymName());
      unsigned at = 0;
      mlir::Operation *victim = nullptr;
      kernel.walk([&](mlir::Operation *op) {
        if (isSync(op) && at++ == index)
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
      bool isMissed = !passesCheck(kernel), isNoticed = isFelt(*copy, right);
      missed += isMissed;
      felt += isNoticed;
      if (!isMissed)
        llvm::outs() << original.getSymName() << ": not missed: " << text
                     << "\n";
      else if (!isNoticed)
        llvm::outs() << original.getSymName() << ": not felt: " << text << "\n";
      EXPECT_TRUE(isMissed || !isNoticed)
          << original.getSymName().str() << " needs " << text;
    }
  }
  llvm::outs() << missed << " of " << deleted << " are missed by the check, "
               << felt << " are felt by a run\n";
  EXPECT_GT(deleted, 50u);
  EXPECT_GE(missed * 10, deleted * 9);
  EXPECT_GE(felt * 10, deleted * 7);
}

} // namespace

//===- EdgeDeletionTest.cpp - Every edge of a real graph has a reason -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deletes each edge of the key/value branch in turn, in phase `tasks`, compiles
// on, and runs the program in many orders. Without the edge either some order
// gives a race report or another value; or other edges imply the deleted one;
// or the user wrote it for the schedule only, and it orders no conflicting
// accesses. Anything else is an edge that nobody needs.
//
//===----------------------------------------------------------------------===//

#include "KvBranch.h"
#include "TaskEdges.h"

#include "pl/Driver/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pl;
using namespace pl::driver;

namespace {

constexpr unsigned numSeeds = 12;

class EdgeDeletion : public KvBranch {
protected:
  void SetUp() override {
    compileTo(Phase::Tasks);
    tasksModule = compiled->getModule().clone();
    right = run(tasksModule->clone(), sim::Order::Program, 0);
    ASSERT_TRUE(right.ok());
    ASSERT_FALSE(right.outputs.empty());
  }

  /// Compiles a module of phase `tasks` and runs it once.
  sim::RunResult run(mlir::ModuleOp module, sim::Order order, uint64_t seed) {
    mlir::OwningOpRef<mlir::ModuleOp> owner(module);
    mlir::PassManager pm(module.getContext());
    buildTilesPipeline(pm, {});
    EXPECT_TRUE(succeeded(pm.run(module)));
    sim::RunOptions how;
    how.order = order;
    how.seed = seed;
    return simulate(module, how);
  }

  /// What goes wrong in some order, or nothing.
  std::string findFailure(mlir::ModuleOp module) {
    struct Try {
      sim::Order order;
      uint64_t seed;
      const char *name;
    };
    std::vector<Try> tries = {{sim::Order::Newest, 0, "newest"},
                              {sim::Order::Oldest, 0, "oldest"},
                              {sim::Order::Program, 0, "program"}};
    for (unsigned seed = 0; seed < numSeeds; ++seed)
      tries.push_back({sim::Order::Shuffle, seed, "shuffle"});
    for (const Try &attempt : tries) {
      sim::RunResult result = run(module.clone(), attempt.order, attempt.seed);
      if (!result.ok())
        return llvm::formatv("{0} in order {1}, seed {2}",
                             sim::stringify(result.failures.front().kind),
                             attempt.name, attempt.seed);
      for (size_t i = 0; i < result.outputs.size(); ++i)
        if (result.outputs[i].bytes != right.outputs[i].bytes)
          return llvm::formatv("wrong {0} in order {1}, seed {2}",
                               result.outputs[i].name, attempt.name,
                               attempt.seed);
    }
    return "";
  }

  mlir::OwningOpRef<mlir::ModuleOp> tasksModule;
  sim::RunResult right;
};

TEST_F(EdgeDeletion, EveryEdgeHasAReason) {
  unsigned numEdges = 0, numCaught = 0;
  size_t numTasks = collectTasks(*tasksModule).size();
  for (size_t i = 0; i < numTasks; ++i) {
    unsigned count = collectTasks(*tasksModule)[i].deps().size();
    for (unsigned edge = 0; edge < count; ++edge) {
      ++numEdges;
      mlir::OwningOpRef<mlir::ModuleOp> mutant = tasksModule->clone();
      Task consumer = collectTasks(*mutant)[i];
      mlir::Operation *producer = consumer.deps()[edge].get().getDefiningOp();
      auto reason = llvm::cast<mlir::pl::EdgeAttr>(consumer.edges()[edge]);
      consumer.erase(edge);
      std::string found = findFailure(*mutant);
      std::string verdict;
      if (!found.empty()) {
        ++numCaught;
        verdict = "caught: " + found;
      } else if (hasPath(producer, consumer)) {
        verdict = "redundant: a path of other edges implies it";
      } else if (reason.getKind() == mlir::pl::EdgeKind::user) {
        verdict = "scheduling only: it orders no conflicting accesses";
      }
      llvm::outs() << Task{producer}.name() << " -> " << consumer.name() << " "
                   << describe(reason) << ": "
                   << (verdict.empty() ? "NO REASON" : verdict) << "\n";
      EXPECT_FALSE(verdict.empty()) << "an edge that nothing needs";
    }
  }
  // A test that finds no edge, or catches nothing, would prove nothing.
  EXPECT_GE(numEdges, 6u);
  EXPECT_GE(numCaught, 6u);
}

} // namespace

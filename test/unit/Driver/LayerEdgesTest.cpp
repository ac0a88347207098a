//===- LayerEdgesTest.cpp - The edges of the layer are the right ones -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each revision of the sliding-window layer: every edge that the compiler
// derived and kept is needed, and each orders accesses to a common element.
//
// Needed: without the edge a run reports a race or an undefined value, or gives
// another output. Where the inputs of the run have too few rows for it, no
// other path orders the two tasks, and executing their scopes for other dims
// shows an element that both touch. Edges from a notify to a wait of one rank
// are there because the language promises the order, whether the memory shows
// it or not; they are counted apart.
//
// Common: the scopes of both tasks are executed for sample dims, element by
// element, by code that knows nothing of regions (Footprint.h).
//
//===----------------------------------------------------------------------===//

#include "CompiledExample.h"
#include "TaskEdges.h"

#include "pl/Analysis/Footprint.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <map>
#include <set>

using namespace pl;
using namespace pl::driver;
using mlir::func::FuncOp;
using mlir::pl::EdgeKind;
using mlir::pl::Touch;

namespace {

struct Revision {
  const char *name, *tp, *rows;
};

/// An edge, by the numbers of its tasks in a function.
struct Edge {
  std::string function;
  unsigned producer, consumer;
  EdgeKind kind;
  std::string text;

  auto key() const { return std::tuple(function, producer, consumer); }
};

bool isProgram(FuncOp function) {
  auto kind = function->getAttrOfType<mlir::pl::FuncKindAttr>("pl.kind");
  return kind && kind.getValue() == mlir::pl::FuncKind::orchestration;
}

/// What tasks of a function touch for one set of dims.
class Sample {
public:
  Sample(FuncOp function, int64_t size, int64_t scalar)
      : function(function), scalar(scalar) {
    for (mlir::BlockArgument argument : function.getArguments())
      if (auto type = llvm::dyn_cast<mlir::MemRefType>(argument.getType()))
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          if (auto name = mlir::pl::dimOf(argument, axis))
            dims[name.getName()] = size;
  }

  /// Whether both touch an element that one of them writes; what depends on
  /// data may be any.
  enum class Answer { Disjoint, Common, Undecided };
  Answer meet(mlir::Operation *first, mlir::Operation *second) {
    Answer answer = Answer::Disjoint;
    for (const Touch &a : touchesOf(first))
      for (const Touch &b : touchesOf(second)) {
        if (a.root != b.root || !(a.writes || b.writes) ||
            (a.atomic && b.atomic))
          continue;
        if (!a.ranges || !b.ranges) {
          if (!a.ranges || !a.ranges->empty())
            if (!b.ranges || !b.ranges->empty())
              answer = Answer::Undecided;
          continue;
        }
        mlir::pl::ElementSet all;
        for (auto [begin, end] : *a.ranges)
          all.insert(begin, end);
        for (auto [begin, end] : *b.ranges) {
          auto missing = all.firstMissing(begin, end);
          if (begin < end && (!missing || *missing != std::pair(begin, end)))
            return Answer::Common;
        }
      }
    return answer;
  }

private:
  const std::vector<Touch> &touchesOf(mlir::Operation *task) {
    auto [found, isNew] = touches.try_emplace(task);
    if (!isNew)
      return found->second;
    mlir::pl::Footprint footprint(function, dims);
    footprint.useValidExtents();
    for (mlir::BlockArgument argument : function.getArguments())
      if (argument.getType().isIntOrIndex())
        footprint.assume(argument, scalar);
    std::vector<Touch> all;
    EXPECT_TRUE(footprint.walk(
        task, [](mlir::Value) { return true; },
        [&](const Touch &touch) {
          // One touch for each place and tensor, with all its elements.
          for (Touch &same : all)
            if (same.op == touch.op && same.root == touch.root &&
                same.writes == touch.writes) {
              if (same.ranges && touch.ranges)
                same.ranges->append(*touch.ranges);
              else
                same.ranges.reset();
              return true;
            }
          all.push_back(touch);
          return true;
        }));
    return touches[task] = std::move(all);
  }

  FuncOp function;
  int64_t scalar;
  mlir::pl::DimValues dims;
  std::map<mlir::Operation *, std::vector<Touch>> touches;
};

class LayerEdges : public CompiledExample,
                   public testing::WithParamInterface<Revision> {
protected:
  void SetUp() override {
    load("decode/decode_swa.plk", {{"preset", "tiny"},
                                   {"tp", GetParam().tp},
                                   {"revision", GetParam().name},
                                   {"local_t", GetParam().rows},
                                   {"varied", "true"}});
    ASSERT_TRUE(succeeded(compiled->compileTo(Phase::PL)));
    scopes = compiled->getModule().clone();
    deriveEdges(*scopes);
    ASSERT_TRUE(succeeded(compiled->compileTo(Phase::Tasks)));
    for (auto function : compiled->getModule().getOps<FuncOp>())
      if (isProgram(function))
        listEdges(function);
    // A test that finds no edge would prove nothing.
    ASSERT_GE(edges.size(), 20u);
  }

  /// As far as the edges are derived, before scopes become kernels.
  static void deriveEdges(mlir::ModuleOp module) {
    mlir::PassManager pm(module.getContext());
    pm.addPass(mlir::createInlinerPass());
    pm.addPass(mlir::createSymbolDCEPass());
    mlir::OpPassManager &functions = pm.nest<FuncOp>();
    functions.addPass(mlir::pl::createDissolveScopes());
    functions.addPass(mlir::pl::createUnifyDims());
    functions.addPass(mlir::createCanonicalizerPass());
    functions.addPass(mlir::createCSEPass());
    functions.addPass(mlir::pl::createDeriveDependencies());
    ASSERT_TRUE(succeeded(pm.run(module)));
  }

  /// Those that were derived and stayed.
  void listEdges(FuncOp function) {
    std::vector<Task> tasks = collectTasks(function);
    llvm::DenseMap<mlir::Operation *, unsigned> numbers;
    for (auto [number, task] : llvm::enumerate(tasks)) {
      numbers[task.op] = number;
      for (auto [index, dep] : llvm::enumerate(task.deps())) {
        mlir::Operation *producer = dep.get().getDefiningOp();
        mlir::pl::EdgeAttr edge = task.edge(index);
        if (edge.getKind() == EdgeKind::user || !numbers.contains(producer))
          continue;
        edges.push_back({function.getName().str(), numbers[producer],
                         unsigned(number), edge.getKind(),
                         Task{producer}.name() + " -> " + task.name() + " " +
                             describe(edge)});
      }
    }
  }

  /// The task that waits, in a module of any phase, and the number of the edge.
  static std::pair<Task, unsigned> find(mlir::ModuleOp module,
                                        const Edge &edge) {
    std::vector<Task> tasks =
        collectTasks(module.lookupSymbol<FuncOp>(edge.function));
    Task consumer = tasks[edge.consumer];
    for (auto [index, dep] : llvm::enumerate(consumer.deps()))
      if (dep.get().getDefiningOp() == tasks[edge.producer].op &&
          consumer.edge(index).getKind() == edge.kind)
        return {consumer, index};
    ADD_FAILURE() << "no edge " << edge.text;
    return {consumer, 0};
  }

  Sample::Answer meet(const Edge &edge, int64_t size, int64_t scalar) {
    auto function = scopes->lookupSymbol<FuncOp>(edge.function);
    auto key = std::tuple(edge.function, size, scalar);
    Sample &sample =
        samples.try_emplace(key, function, size, scalar).first->second;
    std::vector<Task> tasks = collectTasks(function);
    return sample.meet(tasks[edge.producer].op, tasks[edge.consumer].op);
  }

  /// Below, at and above the row tiles of the layer, whole tiles and not.
  static constexpr int64_t sizes[] = {7, 16, 33, 72, 130};

  mlir::OwningOpRef<mlir::ModuleOp> scopes;
  std::vector<Edge> edges;
  std::map<std::tuple<std::string, int64_t, int64_t>, Sample> samples;
};

//===----------------------------------------------------------------------===//
// Every edge is needed
//===----------------------------------------------------------------------===//

class LayerEdgeDeletion : public LayerEdges {
protected:
  /// What goes wrong in some order, or nothing.
  std::string findFailure(mlir::ModuleOp module, const sim::RunResult &right) {
    using sim::Order;
    std::pair<Order, uint64_t> tries[] = {
        {Order::Program, 0}, {Order::Newest, 0}, {Order::Shuffle, 1}};
    for (auto [order, seed] : tries) {
      sim::RunOptions how;
      how.order = order;
      how.seed = seed;
      how.maxReports = 1;
      sim::RunResult result = simulate(module, how);
      if (!result.ok())
        return sim::stringify(result.failures.front().kind).str();
      // In another order atomic adds round differently.
      if (order != Order::Program)
        continue;
      for (size_t i = 0; i < result.outputs.size(); ++i)
        if (result.outputs[i].bytes != right.outputs[i].bytes)
          return "wrong " + result.outputs[i].name;
    }
    return "";
  }

  /// Whether nothing else orders the two tasks, and they meet for other dims.
  bool isMissed(const Edge &edge) {
    auto function = compiled->getModule().lookupSymbol<FuncOp>(edge.function);
    std::vector<Task> tasks = collectTasks(function);
    if (hasPath(tasks[edge.producer].op, tasks[edge.consumer]))
      return false;
    for (int64_t size : sizes)
      if (meet(edge, size, /*scalar=*/1) == Sample::Answer::Common)
        return true;
    return false;
  }
};

TEST_P(LayerEdgeDeletion, EachDeletionIsCaught) {
  ASSERT_TRUE(succeeded(compiled->compileTo(Phase::Tiles)));
  makeInputs();
  mlir::ModuleOp module = compiled->getModule();
  sim::RunResult right = simulate(module, {});
  ASSERT_TRUE(right.ok());
  ASSERT_FALSE(right.outputs.empty());

  unsigned byRun = 0, byScopes = 0, promised = 0;
  for (const Edge &edge : edges) {
    auto [consumer, index] = find(module, edge);
    llvm::SmallVector<mlir::Value> deps =
        llvm::to_vector(mlir::OperandRange(consumer.deps()));
    mlir::ArrayAttr labels = consumer.edges();
    consumer.erase(index);
    std::string verdict = findFailure(module, right);
    bool isCommon = verdict.empty() && isMissed(edge);
    consumer.deps().assign(deps);
    consumer.op->setAttr("edges", labels);
    if (!verdict.empty()) {
      ++byRun;
    } else if (isCommon) {
      ++byScopes;
      verdict = "a common element for other dims";
    } else if (edge.kind == EdgeKind::signal) {
      ++promised;
      verdict = "promised order of signals";
    }
    llvm::outs() << edge.text << ": "
                 << (verdict.empty() ? "NOT CAUGHT" : verdict) << "\n";
    EXPECT_FALSE(verdict.empty()) << "nothing needs " << edge.text;
  }
  llvm::outs() << edges.size() << " derived edges: " << byRun
               << " deletions caught by a run, " << byScopes
               << " by the scopes for other dims, " << promised
               << " order signals only\n";
  EXPECT_EQ(byRun + byScopes + promised, edges.size());
  EXPECT_LE(byScopes, 2u);
  EXPECT_LE(promised, 1u);
}

//===----------------------------------------------------------------------===//
// No edge between disjoint accesses
//===----------------------------------------------------------------------===//

class LayerEdgeWitness : public LayerEdges {};

TEST_P(LayerEdgeWitness, EachEdgeOrdersACommonElement) {
  unsigned common = 0, byData = 0, signals = 0;
  std::vector<const Edge *> open;
  for (const Edge &edge : edges)
    if (edge.kind == EdgeKind::signal)
      ++signals;
    else
      open.push_back(&edge);
  std::set<const Edge *> undecided;
  for (int64_t size : sizes)
    for (int64_t scalar : {0, 1})
      llvm::erase_if(open, [&](const Edge *edge) {
        Sample::Answer answer = meet(*edge, size, scalar);
        if (answer == Sample::Answer::Undecided)
          undecided.insert(edge);
        common += answer == Sample::Answer::Common;
        return answer == Sample::Answer::Common;
      });
  for (const Edge *edge : open) {
    bool depends = undecided.count(edge);
    byData += depends;
    llvm::outs() << edge->text << ": "
                 << (depends ? "only data can tell" : "DISJOINT") << "\n";
    EXPECT_TRUE(depends) << "no common element for any dims: " << edge->text;
  }
  llvm::outs() << edges.size() << " derived edges: " << common
               << " order a common element, " << signals << " a signal, "
               << byData << " what depends on data\n";
  EXPECT_EQ(common + signals + byData, edges.size());
  // The rows of the cache that a token takes are data.
  EXPECT_EQ(byData, 1u);
}

// On one rank whole row tiles and a rest, on four fewer rows than a tile.
const Revision revisions[] = {{"base", "4", "32"},
                              {"fused", "4", "32"},
                              {"cp", "4", "24"},
                              {"parallel", "4", "32"},
                              {"parallel", "1", "72"}};

std::string nameOf(const testing::TestParamInfo<Revision> &info) {
  return info.param.name + std::string("Tp") + info.param.tp;
}

INSTANTIATE_TEST_SUITE_P(Revisions, LayerEdgeDeletion,
                         testing::ValuesIn(revisions), nameOf);
INSTANTIATE_TEST_SUITE_P(Revisions, LayerEdgeWitness,
                         testing::ValuesIn(revisions), nameOf);

} // namespace

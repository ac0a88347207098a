//===- Pipeline.cpp - The passes between the phases -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Pipeline.h"

#include "pl/Conversion/PLToEmitC/Passes.h"
#include "pl/Dialect/PL/TransformOps/Passes.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace pl::driver {

void buildSourcePipeline(mlir::OpPassManager &pm, llvm::StringRef machine) {
  pm.addPass(mlir::pl::createCheckPhase({"pl"}));
  pm.addPass(mlir::pl::createCheckScopes({machine.str()}));
  pm.addPass(mlir::pl::createCheckLaunches());
}

/// What makes equal values equal for the passes after it.
static void addCleanUp(mlir::OpPassManager &pm) {
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
}

void buildTasksPipeline(mlir::OpPassManager &pm,
                        const PipelineOptions &options) {
  pm.addPass(
      mlir::pl::createCheckLowerable({mlir::pl::Door::tasks, options.mayStop}));
  pm.addPass(mlir::createInlinerPass());
  // What only the inlined functions needed goes away with them.
  pm.addPass(mlir::createSymbolDCEPass());
  mlir::OpPassManager &written = pm.nest<mlir::func::FuncOp>();
  written.addPass(mlir::pl::createDissolveScopes());
  written.addPass(mlir::pl::createResolveViews());
  written.addPass(mlir::pl::createUnifyDims());
  addCleanUp(written);
  written.addPass(mlir::pl::createResolveTaskArrays({options.mayStop}));
  if (!options.schedule.empty()) {
    pm.addPass(mlir::pl::createApplySchedule({options.schedule.str()}));
    pm.addPass(mlir::pl::createCheckScopes({options.machine.str()}));
    addCleanUp(pm.nest<mlir::func::FuncOp>());
  }
  mlir::OpPassManager &functions = pm.nest<mlir::func::FuncOp>();
  bool remarks = options.remarks;
  functions.addPass(mlir::pl::createDeriveDependencies({remarks}));
  functions.addPass(mlir::pl::createCheckBounds({remarks}));
  functions.addPass(mlir::pl::createCheckCoverage({remarks}));
  functions.addPass(mlir::pl::createCheckRaces({remarks}));
  pm.addPass(mlir::pl::createCheckWindows({remarks}));
  pm.addPass(mlir::pl::createCheckSignals({remarks}));
  pm.addPass(mlir::pl::createCheckSignalOrder({remarks}));
  pm.addPass(mlir::pl::createOutlineKernels());
  pm.addNestedPass<mlir::func::FuncOp>(
      mlir::pl::createPruneEdges({options.remarks}));
  pm.addPass(mlir::pl::createCheckWaits());
  // Views and constants that moved into kernels are dead outside, and what a
  // kernel got by name may now be folded.
  pm.addNestedPass<mlir::func::FuncOp>(mlir::createCanonicalizerPass());
  pm.addNestedPass<mlir::pl::KernelOp>(mlir::createCanonicalizerPass());
  pm.addPass(mlir::pl::createCheckPhase({"tasks"}));
}

void buildTilesPipeline(mlir::OpPassManager &pm,
                        const PipelineOptions &options) {
  pm.addPass(
      mlir::pl::createCheckLowerable({mlir::pl::Door::tiles, options.mayStop}));
  mlir::OpPassManager &values = pm.nest<mlir::pl::KernelOp>();
  std::string name = options.machine.str();
  values.addPass(mlir::pl::createInlineLanes());
  values.addPass(mlir::pl::createExpandSelects());
  values.addPass(mlir::pl::createCheckValid());
  values.addPass(mlir::pl::createCheckOperations({name}));
  values.addPass(mlir::pl::createLegalizeCasts({name}));
  values.addPass(mlir::pl::createLegalizeGathers());
  values.addPass(mlir::pl::createTileMatmul({name}));
  values.addPass(mlir::pl::createInsertCrossings());
  values.addPass(mlir::pl::createAssignMemorySpaces());
  values.addPass(mlir::pl::createOrderSides());
  pm.addPass(mlir::pl::createSplitMixedKernels({name}));
  mlir::OpPassManager &kernels = pm.nest<mlir::pl::KernelOp>();
  kernels.addPass(mlir::pl::createPipelineLoops());
  // Only the first copy of a body can be in the first iteration.
  kernels.addPass(mlir::arith::createIntRangeOptimizationsPass());
  kernels.addPass(mlir::createCanonicalizerPass());
  kernels.addPass(mlir::createCSEPass());
  kernels.addPass(mlir::pl::createExpandSelects());
  kernels.addPass(mlir::pl::createReloadOperands({name}));
  kernels.addPass(mlir::pl::createBufferizeTiles());
  // Views that nothing uses, extents that fold.
  kernels.addPass(mlir::createCanonicalizerPass());
  kernels.addPass(mlir::createCSEPass());
  kernels.addPass(mlir::pl::createPlanMemory({name}));
  kernels.addPass(mlir::pl::createInsertSync());
  kernels.addPass(mlir::pl::createCheckSync());
  kernels.addPass(mlir::pl::createCheckHandshakes());
  pm.addPass(mlir::pl::createCheckPhase({"tiles"}));
}

void buildEmitCPipeline(mlir::OpPassManager &pm) {
  pm.addPass(mlir::pl::createConvertPLToEmitC());
}

namespace {

struct MachineOptions : mlir::PassPipelineOptions<MachineOptions> {
  Option<std::string> machine{*this, "machine",
                              llvm::cl::desc("the machine to compile for"),
                              llvm::cl::init("a2a3")};
};

} // namespace

void registerPipelines() {
  mlir::pl::registerPLTransformsPasses();
  mlir::pl::registerPLTransformOpsPasses();
  mlir::pl::registerPLToEmitCPasses();
  mlir::PassPipelineRegistration<MachineOptions>(
      "pl-lower-to-tasks", "From phase pl to phase tasks",
      [](mlir::OpPassManager &pm, const MachineOptions &options) {
        buildTasksPipeline(pm, {options.machine});
      });
  mlir::PassPipelineRegistration<MachineOptions>(
      "pl-lower-to-tiles", "From phase tasks to phase tiles",
      [](mlir::OpPassManager &pm, const MachineOptions &options) {
        buildTilesPipeline(pm, {options.machine});
      });
  mlir::PassPipelineRegistration<>("pl-lower-to-emitc",
                                   "From phase tiles to phase emitc",
                                   buildEmitCPipeline);
}

} // namespace pl::driver

//===- HostLaunches.cpp - What a host program runs on which rank ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLaunches.h"

#include "pl/Analysis/Footprint.h"
#include "pl/Analysis/LinearExpr.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"

using namespace mlir;
using namespace mlir::pl;

std::optional<int64_t> mlir::pl::worldOf(func::FuncOp host) {
  std::optional<int64_t> world;
  for (Type type : host.getArgumentTypes())
    if (auto tensor = dyn_cast<MemRefType>(type)) {
      if (tensor.getRank() == 0 || tensor.isDynamicDim(0) ||
          (world && *world != tensor.getDimSize(0)))
        return std::nullopt;
      world = tensor.getDimSize(0);
    }
  return world;
}

bool mlir::pl::addInstances(DispatchOp launch, func::FuncOp program,
                            int64_t world, std::vector<Instance> &instances) {
  auto loop = dyn_cast<ForOp>(launch->getParentOp());
  Value counter = loop ? loop.getInductionVariable() : Value();
  if (loop ? launch.getDevice() != counter ||
                 LinearExpr::of(loop.getLower()).asConstant() != 0
           : !isa<func::FuncOp>(launch->getParentOp()))
    return false;
  SmallVector<int64_t> ranks;
  if (loop) {
    for (int64_t rank = 0; rank < world; ++rank)
      ranks.push_back(rank);
  } else {
    std::optional<int64_t> rank =
        launch.getDevice() ? LinearExpr::of(launch.getDevice()).asConstant()
                           : std::optional<int64_t>(0);
    if (!rank)
      return false;
    ranks.push_back(*rank);
  }
  auto host = launch->getParentOfType<func::FuncOp>();
  DimValues noDims;
  for (int64_t rank : ranks) {
    Instance instance;
    instance.program = program;
    instance.rank = rank;
    Footprint scalarsOfHost(host, noDims);
    host.walk([&](WorldSizeOp size) {
      scalarsOfHost.assume(size.getResult(), world);
    });
    if (counter)
      scalarsOfHost.assume(counter, rank);
    for (auto [argument, value] :
         llvm::zip_equal(program.getArguments(), launch.getArgs())) {
      if (auto window = value.getDefiningOp<WindowOp>()) {
        instance.buffers[argument] = window.getBuffer();
      } else if (value.getType().isIntOrIndex()) {
        if (std::optional<int64_t> known = scalarsOfHost.evaluate(value))
          instance.scalars.push_back({argument, *known});
        else if (!isa<BlockArgument>(value))
          instance.hasAllScalars = false;
      }
    }
    instances.push_back(std::move(instance));
  }
  return true;
}

bool mlir::pl::hasOneViewEach(func::FuncOp host) {
  llvm::DenseMap<Value, Type> views;
  WalkResult walk = host.walk([&](WindowOp window) {
    auto [found, isNew] =
        views.try_emplace(window.getBuffer(), window.getType());
    return found->second == window.getType() ? WalkResult::advance()
                                             : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

//===- LegalizeCasts.cpp - Conversions the machine has ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/TileInference.h"
#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_LEGALIZECASTS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Element types a conversion may pass through, the exact ones first.
static SmallVector<Type> waypoints(MLIRContext *context) {
  Builder builder(context);
  return {builder.getF32Type(),  builder.getF16Type(),
          builder.getI32Type(),  builder.getIntegerType(16),
          builder.getBF16Type(), builder.getIntegerType(8),
          builder.getI64Type()};
}

/// The types after each hop of the shortest chain; empty if there is none.
static SmallVector<Type> chainOf(const ::pl::MachineDescription &machine,
                                 Type from, Type to) {
  SmallVector<SmallVector<Type>> paths{{}};
  SmallVector<Type> ends{from}, seen{from};
  // A breadth-first search over at most seven types.
  while (!paths.empty()) {
    SmallVector<SmallVector<Type>> nextPaths;
    SmallVector<Type> nextEnds;
    for (auto [path, end] : llvm::zip(paths, ends)) {
      std::string endText = textOf(end);
      if (machine.hasCast(endText, textOf(to))) {
        path.push_back(to);
        return path;
      }
      for (Type next : waypoints(from.getContext()))
        if (!llvm::is_contained(seen, next) &&
            machine.hasCast(endText, textOf(next))) {
          seen.push_back(next);
          nextEnds.push_back(next);
          nextPaths.push_back(path);
          nextPaths.back().push_back(next);
        }
    }
    paths = std::move(nextPaths);
    ends = std::move(nextEnds);
  }
  return {};
}

namespace {
struct LegalizeCasts : mlir::pl::impl::LegalizeCastsBase<LegalizeCasts> {
  using LegalizeCastsBase::LegalizeCastsBase;
  void runOnOperation() override {
    const ::pl::MachineDescription *description = ::pl::findMachine(machine);
    if (!description) {
      getOperation().emitError() << "there is no machine '" << machine << "'";
      return signalPassFailure();
    }
    WalkResult walk = getOperation()->walk([&](CastOp cast) {
      auto from = dyn_cast<TileType>(cast.getSource().getType());
      if (!from || !cast.getResult())
        return WalkResult::advance();
      TileType to = cast.getResult().getType();
      if (from.getElementType() == to.getElementType()) {
        cast.getResult().replaceAllUsesWith(cast.getSource());
        cast.erase();
        return WalkResult::advance();
      }
      SmallVector<Type> chain =
          chainOf(*description, from.getElementType(), to.getElementType());
      if (chain.empty()) {
        cast.emitError() << "PL040: " << machine << " cannot convert "
                         << from.getElementType() << " to "
                         << to.getElementType() << ", in any number of steps";
        return WalkResult::interrupt();
      }
      if (chain.size() == 1)
        return WalkResult::advance();
      OpBuilder builder(cast);
      Value value = cast.getSource();
      for (Type element : chain) {
        value =
            CastOp::create(builder, cast.getLoc(), from.withElement(element),
                           value, cast.getModeAttr(), Value(), ValueRange())
                .getResult();
        ++numHops;
      }
      --numHops;
      cast.getResult().replaceAllUsesWith(value);
      cast.erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

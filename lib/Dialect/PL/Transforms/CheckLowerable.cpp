//===- CheckLowerable.cpp - The door of phase `tasks` ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Lowerable.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKLOWERABLE
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// Operations of one program once its calls are inlined: what a compiler of
/// seconds can take, and far more than a decode layer has.
constexpr int64_t kMaxInlined = 200000;

namespace {
/// Sizes of functions with all that they call in them.
class InlinedSizes {
public:
  explicit InlinedSizes(ModuleOp module) : symbols(module) {}

  int64_t get(func::FuncOp function) {
    auto [known, isNew] = sizes.try_emplace(function, 0);
    if (!isNew)
      return known->second;
    int64_t size = 0;
    function.walk([&](Operation *op) {
      ++size;
      if (auto call = dyn_cast<func::CallOp>(op))
        if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
          size = std::min(size + get(callee), kMaxInlined + 1);
    });
    return sizes[function] = size;
  }

private:
  SymbolTable symbols;
  DenseMap<func::FuncOp, int64_t> sizes;
};

class CheckLowerable
    : public mlir::pl::impl::CheckLowerableBase<CheckLowerable> {
public:
  using CheckLowerableBase::CheckLowerableBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    SmallVector<NotLowered> found = findNotLowered(getOperation(), door);
    for (const NotLowered &item : found)
      reportNotLowered(getOperation(), item.loc, item.what,
                       door == Door::tasks ? "pl" : "tasks", remarksOnly);
    if (!found.empty())
      return signalPassFailure();
    if (door == Door::tiles)
      return;
    auto functions = getOperation().getOps<func::FuncOp>();
    auto isInlined = [](func::FuncOp function) { return function.isPrivate(); };
    if (llvm::none_of(functions, isInlined))
      return;
    InlinedSizes sizes(getOperation());
    for (auto function : functions)
      if (!function.isPrivate() && sizes.get(function) > kMaxInlined) {
        function.emitError()
            << "PL099: with its inline functions copied to where they are "
               "called, '"
            << function.getSymName() << "' has more than " << kMaxInlined
            << " operations; make functions that call others twice and more "
               "into loops";
        return signalPassFailure();
      }
  }
};
} // namespace

//===- PrintCredits.cpp - Says what signals count -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credits.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

namespace mlir::pl {
#define GEN_PASS_DEF_PRINTCREDITS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// "cell [*, 0] of 'told'"; * is what differs from rank to rank or turn to
/// turn.
static std::string textOf(const Credit &use, Value signal) {
  std::string text = "cell [";
  for (auto [axis, number] : llvm::enumerate(use.cell))
    text += (axis ? ", " : "") + (number ? std::to_string(*number) : "*");
  return text + "] of '" + nameOf(signal) + "'";
}

namespace {
struct PrintCredits : mlir::pl::impl::PrintCreditsBase<PrintCredits> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (Value signal : signalsOf(getOperation())) {
      Diagnostic refusal(signal.getLoc(), DiagnosticSeverity::Error);
      refusal << "the credits of '" << nameOf(rootOf(signal))
              << "' cannot be followed";
      FailureOr<Credits> credits = Credits::of(signal, refusal);
      if (failed(credits)) {
        getContext().getDiagEngine().emit(std::move(refusal));
        signalPassFailure();
        continue;
      }
      for (const Credit &use : credits->getUses()) {
        ++numUses;
        StringRef does = use.kind == Credit::Kind::send    ? "sends "
                         : use.kind == Credit::Kind::await ? "awaits "
                                                           : "takes off ";
        use.op->emitRemark()
            << does << use.amount << " in " << textOf(use, signal);
      }
    }
  }
};
} // namespace

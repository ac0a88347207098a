//===- ApplySchedule.cpp - Other tasks, as a file says --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleMessages.h"

#include "pl/Dialect/PL/TransformOps/PLTransformOps.h"
#include "pl/Dialect/PL/TransformOps/Passes.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::pl {
#define GEN_PASS_DEF_APPLYSCHEDULE
#include "pl/Dialect/PL/TransformOps/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;

namespace {
class ApplySchedule : public mlir::pl::impl::ApplyScheduleBase<ApplySchedule> {
public:
  using ApplyScheduleBase::ApplyScheduleBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ApplyScheduleBase::getDependentDialects(registry);
    mlir::pl::registerTransformOps(registry);
  }

  /// Reads the file once, before any pass runs.
  LogicalResult initialize(MLIRContext *context) override {
    ParserConfig config(context);
    if (auto read = llvm::MemoryBuffer::getFile(file.getValue()))
      text = (*read)->getBuffer().str();
    std::vector<Diagnostic> errors;
    {
      mlir::pl::ErrorKeeper keeper(context);
      schedule = std::make_shared<OwningOpRef<ModuleOp>>(
          parseSourceFile<ModuleOp>(file.getValue(), config));
      errors = keeper.take();
    }
    if (!*schedule && errors.empty())
      return emitError(UnknownLoc::get(context))
             << "PL120: cannot use '" << file << "' as a schedule";
    mlir::pl::emitScheduleErrors(context, std::move(errors), file, text,
                                 ModuleOp());
    if (!*schedule)
      return failure();
    ModuleOp module = **schedule;
    for (auto sequence : module.getOps<transform::NamedSequenceOp>())
      if (sequence.getSymName() ==
          transform::TransformDialect::kTransformEntryPointSymbolName)
        main = sequence;
    if (!main)
      return module.emitError()
             << "PL120: '" << file << "' has no transform.named_sequence @"
             << transform::TransformDialect::kTransformEntryPointSymbolName
             << ", which is what a schedule begins with";
    if (main.isExternal() || main.getBody().front().getNumArguments() != 1)
      return main.emitError()
             << "PL120: @"
             << transform::TransformDialect::kTransformEntryPointSymbolName
             << " has a body and takes one handle, that of the program: "
                "(%program: !transform.any_op)";
    return success();
  }

  void runOnOperation() override {
    // The interpreter tries alternatives on a copy beside the original, and
    // nothing is beside the module.
    Value root = main.getBody().front().getArgument(0);
    for (Operation *user : root.getUsers())
      if (isa<transform::AlternativesOp>(user)) {
        user->emitError() << "PL120: alternatives are tried on a function, not "
                             "on the program: take the function of a task with "
                             "transform.get_parent_op";
        return signalPassFailure();
      }
    LogicalResult result = success();
    std::vector<Diagnostic> errors;
    OperationFingerPrint before(getOperation());
    {
      mlir::pl::ErrorKeeper keeper(&getContext());
      result = transform::applyTransformNamedSequence(
          getOperation(), main, **schedule, transform::TransformOptions());
      errors = keeper.take();
    }
    mlir::pl::emitScheduleErrors(&getContext(), std::move(errors), file, text,
                                 **schedule);
    if (failed(result))
      signalPassFailure();
    else if (before == OperationFingerPrint(getOperation()))
      main.emitWarning() << "PL120: this schedule changes nothing: the program "
                            "has none of the tasks that it takes";
  }

private:
  /// Passes can be copied, modules cannot.
  std::shared_ptr<OwningOpRef<ModuleOp>> schedule;
  std::string text;
  transform::NamedSequenceOp main;
};
} // namespace

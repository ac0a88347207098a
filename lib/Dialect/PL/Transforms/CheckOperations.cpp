//===- CheckOperations.cpp - Operations the machine has -*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKOPERATIONS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// The operation as the user writes it: scalars have no names of their own.
static StringRef userName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("adds", "add")
      .Case("subs", "sub")
      .Case("muls", "mul")
      .Case("divs", "div")
      .Case("maxs", "maximum")
      .Case("mins", "minimum")
      .Default(name);
}

/// "bf16" as "BF16", "f32" as "FP32", "ui8" as "UINT8".
static std::string userType(StringRef type) {
  if (type == "i1")
    return "BOOL";
  if (type.starts_with("bf"))
    return type.upper();
  if (type.consume_front("f"))
    return "FP" + type.str();
  bool isUnsigned = type.consume_front("u");
  type.consume_front("i");
  return (isUnsigned ? "UINT" : "INT") + type.str();
}

/// What decides the instruction: the first source, or the result without one.
static Type elementOf(TileOpInterface op) {
  SmallVector<OpOperand *> sources = op.getTileSources();
  Type type = sources.empty() ? op.getResultTile().getType()
                              : sources.front()->get().getType();
  return cast<TileType>(type).getElementType();
}

namespace {
struct CheckOperations : mlir::pl::impl::CheckOperationsBase<CheckOperations> {
  using CheckOperationsBase::CheckOperationsBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    const ::pl::MachineDescription *target = ::pl::findMachine(machine);
    if (!target) {
      getOperation().emitError() << "unknown machine '" << machine << "'";
      return signalPassFailure();
    }
    bool failedAny = false;
    getOperation()->walk([&](TileOpInterface op) {
      if (op.getResultTile())
        failedAny |= failed(check(op, *target));
    });
    if (failedAny)
      signalPassFailure();
  }

private:
  LogicalResult check(TileOpInterface op,
                      const ::pl::MachineDescription &target) {
    StringRef name = op->getName().stripDialect();
    const ::pl::OperationDescription *known = target.findOperation(name);
    if (!known)
      return success();
    std::string element;
    llvm::raw_string_ostream(element) << elementOf(op);
    SmallVector<StringRef> types;
    StringRef(known->types).split(types, ' ');
    if (llvm::is_contained(types, element))
      return success();
    InFlightDiagnostic error = op->emitError();
    error << "PL102: " << target.name << " has no pl." << userName(name)
          << " of " << userType(element) << " tiles, only of ";
    for (auto [index, type] : llvm::enumerate(types))
      error << (index == 0                  ? ""
                : index + 1 == types.size() ? " and "
                                            : ", ")
            << userType(type);
    return error << "; cast to one of them, and back";
  }
};
} // namespace

//===- Orchestration.h - The orchestration as one C++ file ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_ORCHESTRATION_H
#define PL_LIB_CONVERSION_PLTOEMITC_ORCHESTRATION_H

#include "Writer.h"

namespace mlir::pl {

/// Writes `orchestration/NAME.cpp`: the function that the runtime calls to
/// submit the tasks of a program. Every ordering is an explicit list of task
/// ids, in a manual scope: the runtime derives none of its own.
class OrchestrationWriter : public Writer {
public:
  OrchestrationWriter(OpBuilder &builder, Names &names, bool lineDirectives,
                      func::FuncOp function,
                      const llvm::StringMap<unsigned> &kernelIds)
      : Writer(builder, names, lineDirectives), function(function),
        kernelIds(kernelIds) {}

  /// Fills `file`, which is empty.
  LogicalResult write(emitc::FileOp file);

private:
  void writePrologue(Location loc);
  void writeConfig(Location loc);
  LogicalResult writeParameters(emitc::FuncOp entry);
  LogicalResult emitOp(Operation *op) override;
  LogicalResult emitAlloc(AllocOp op);
  LogicalResult emitLaunch(LaunchOp op);
  LogicalResult emitDummy(DummyOp op);
  LogicalResult emitDim(memref::DimOp op);
  /// `PTO2TaskId NAME_deps[] = {...};` and `set_dependencies`.
  LogicalResult emitDependencies(Location loc, StringRef task, ValueRange deps,
                                 ArrayAttr edges);
  /// The id of the task just submitted, known as `task`.
  void bindTask(Location loc, Value task, StringRef name, StringRef submit,
                ValueRange arguments);
  /// The expression that submits NAME and gives its id.
  Value submit(Location loc, StringRef callee, ValueRange arguments);

  func::FuncOp function;
  const llvm::StringMap<unsigned> &kernelIds;
  DenseMap<Value, std::string> tensors;
};

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_ORCHESTRATION_H

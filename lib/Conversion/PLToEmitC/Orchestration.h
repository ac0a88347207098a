//===- Orchestration.h - The orchestration as one C++ file ------*- C++ -*-===//
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

/// Does a program take the context of the ranks, as its last scalar?
bool usesContext(func::FuncOp function);

/// Writes `orchestration/NAME.cpp`: the function that the runtime calls to
/// submit the tasks of a program.
///
/// All is in one manual scope, where the runtime orders nothing by itself: the
/// dependencies are the explicit ids, and of allocated tensors the id of their
/// allocation, which keeps the memory until its last user is done.
class OrchestrationWriter : public Writer {
public:
  OrchestrationWriter(OpBuilder &builder, Names &names, bool lineDirectives,
                      func::FuncOp function, ModuleOp module,
                      const llvm::StringMap<unsigned> &kernelIds)
      : Writer(builder, names, lineDirectives), function(function),
        kernels(module), kernelIds(kernelIds) {}

  /// Fills `file`, which is empty.
  LogicalResult write(emitc::FileOp file);

private:
  struct Tensor {
    Value leaf;
    std::string name;
    std::string owner; // the id of its allocation, if it was allocated
    SmallVector<std::string> extents;
  };

  void writePrologue(Location loc);
  void writeConfig(Location loc);
  LogicalResult writeParameters();

  LogicalResult emitOp(Operation *op) override;
  /// Allocates what was asked for since the last time, in one call.
  LogicalResult flushAllocations(Location loc);
  LogicalResult flush(Location loc) override { return flushAllocations(loc); }
  LogicalResult emitLaunch(LaunchOp op);
  LogicalResult emitDummy(DummyOp op);
  LogicalResult emitDim(memref::DimOp op);
  LogicalResult addScalar(LaunchOp op, StringRef arguments, Value value);
  /// The ids that the task waits for, with the reasons as comments.
  LogicalResult emitDependencies(Operation *op, StringRef name,
                                 StringRef arguments, ValueRange deps,
                                 ArrayAttr edges, ArrayRef<std::string> owners);
  /// Submits, and gives the task's id the name of the task.
  LogicalResult emitSubmit(Operation *op, StringRef name, StringRef callee,
                           ValueRange operands, Value blocks);

  func::FuncOp function;
  SymbolTable kernels;
  const llvm::StringMap<unsigned> &kernelIds;
  /// The context of the ranks, where tasks take it or it is asked.
  Value context;
  DenseMap<Value, Tensor> tensors;
  /// Tensors that are named in the text of an extent.
  llvm::StringSet<> usedByText;
  SmallVector<AllocOp> pendingAllocations;
};

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_ORCHESTRATION_H

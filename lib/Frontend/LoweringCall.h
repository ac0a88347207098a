//===- LoweringCall.h - calls of kernels ------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a kernel is bound to its parameters first (LoweringCalls.cpp), and
// then made: as a call, as a task around a call (LoweringProgram.cpp), or as
// the launch of a program on a rank (LoweringHost.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGCALL_H
#define PL_LIB_FRONTEND_LOWERINGCALL_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// A call with one argument for each parameter.
struct KernelCall {
  KernelObject *callee = nullptr;
  SourceRange range;
  SmallVector<const Expr *> exprs;
  SmallVector<DslValue> arguments;
  /// Arguments written as pl.no_dep(x).
  SmallVector<unsigned, 1> noDeps;
  /// The name that the result is assigned to, where it is one.
  Identifier assigned;
};

/// Binds and lowers the arguments. Keywords in `options` belong to the form of
/// the call and are left alone.
bool bindKernelCall(FunctionLowering &f, KernelObject &callee,
                    SourceRange range, ExprList args,
                    ArrayRef<KeywordArg> keywords, ArrayRef<StringRef> options,
                    KernelCall &made);
/// The function that a call calls, made now if it is the first of its kind.
/// Null after a report.
LoweredFunction *getLoweredFunction(FunctionLowering &f,
                                    const KernelCall &call);
/// The call itself, where the builder stands, and its effects on the arguments.
DslValue makeCall(FunctionLowering &f, const KernelCall &call,
                  LoweredFunction &function);
/// Reads and writes of the callee are those of the caller.
void noteEffects(FunctionLowering &f, const KernelCall &call,
                 const LoweredFunction &function);
/// What the call of a program or task gives when it returns arguments only.
DslValue getReturned(FunctionLowering &f, const KernelCall &call,
                     const LoweredFunction &function);

/// A kernel that nothing calls, as a program that calls it with tensors,
/// scalars and tiles as its parameters are declared (LoweringAlone.cpp).
void lowerAlone(ModuleLowering &module, KernelObject &kernel);

/// A task of one block around a call (LoweringProgram.cpp).
DslValue makeTaskCall(FunctionLowering &f, const KernelCall &call);
/// A task whose code is a kernel that is written elsewhere.
DslValue makeExternCall(FunctionLowering &f, const KernelCall &call);
/// `pl.submit` and `pl.spmd_submit`; their value is a flat tuple.
DslValue lowerSubmit(FunctionLowering &f, const CallExpr *call, bool isSpmd);
bool isSubmit(FunctionLowering &f, const Expr *expr);
DslValue regroupSubmitted(DslValue value, const Expr *target);

/// The launch of a program by a host program (LoweringHost.cpp).
DslValue lowerDispatch(FunctionLowering &f, const CallExpr *call,
                       KernelObject &callee, Identifier assigned);
void lowerHostLoop(FunctionLowering &f, const ForStmt *stmt);
/// The extent of an axis of a parameter, read at the top of the function.
mlir::Value readExtent(FunctionLowering &f,
                       const FunctionLowering::ParamInfo &param, unsigned axis,
                       StringRef name);
/// The value of a dynamic dim that several axes of a host program give.
mlir::Value bindDim(FunctionLowering &f, StringRef symbol);

/// Whether a tensor is this rank's part of a window.
inline bool isWindow(const DslValue &value) {
  if (!value.isTensor() || !value.tensor->memref)
    return false;
  auto type = mlir::cast<mlir::MemRefType>(value.tensor->memref.getType());
  return mlir::isa_and_nonnull<ir::WindowAttr>(type.getMemorySpace());
}
/// Whether it is a buffer that pld.alloc_window_buffer made.
bool isWindowBuffer(const DslValue &value);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGCALL_H

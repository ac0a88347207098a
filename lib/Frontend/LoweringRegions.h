//===- LoweringRegions.h - values that cross regions ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a name stands for after a branch, a loop or a scope comes from inside
// its regions. Two values of one name meet in a *form*: the common type, and a
// value of the language that lacks only its SSA value.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGREGIONS_H
#define PL_LIB_FRONTEND_LOWERINGREGIONS_H

#include "LoweringImpl.h"

namespace pl::frontend {

struct ValueForm {
  DslValue value;
  mlir::Type type;
};

/// Whether the extent is known only by asking the tensor.
bool isReadAnew(const Extent &extent);

/// Adds what `other` may be to what `tensor` may be.
void addOrigins(TensorRef &tensor, const TensorRef &other);

/// The type of views that both can be cast to.
mlir::MemRefType unifyMemRefs(mlir::MemRefType a, mlir::MemRefType b);

/// The SSA value behind a value, or null where there is none.
mlir::Value getSSA(const DslValue &value);

/// Whether regions can hand on values of this kind.
bool canCross(const DslValue &value);

/// Whether the two are the same, as far as SSA values tell.
bool isSameValue(const DslValue &a, const DslValue &b);

/// The form of one value. Extents that `region` defines are read anew.
ValueForm getForm(FunctionLowering &f, const DslValue &value,
                  mlir::Operation *region);

/// The form that `form` and the value fit, which must be of the same kind.
ValueForm unifyForm(FunctionLowering &f, const ValueForm &form,
                    const DslValue &value, mlir::Operation *region);

/// The value in this form, at the insertion point; null after a report.
mlir::Value convertTo(FunctionLowering &f, const DslValue &value,
                      const ValueForm &form, SourceRange range);

/// A value of this form out of an SSA value.
DslValue instantiate(FunctionLowering &f, const ValueForm &form,
                     mlir::Value made, SourceRange range);

/// What stands in where nothing gave a value; null where nothing can.
mlir::Value makeUndefined(FunctionLowering &f, const ValueForm &form,
                          Identifier name, SourceRange range);

/// Names that the statements may give another value: what they assign, and
/// arrays that they change or pass on.
NameSet getChanged(FunctionLowering &f, StmtList statements);

/// Whether a pl.scope may stand here: not inside a manual one.
bool checkRuntimeScope(FunctionLowering &f, SourceRange range);

/// Lowers `body` into the region of an op of the orchestration that runs it
/// once, and yields what is read after it. `make` builds the op.
void lowerRegionScope(
    FunctionLowering &f, StmtList body, SourceRange header,
    llvm::function_ref<mlir::Operation *(mlir::OpBuilder &, mlir::TypeRange)>
        make);

//===----------------------------------------------------------------------===//
// Arrays (LoweringArrays.cpp)
//===----------------------------------------------------------------------===//

DslValue readArray(FunctionLowering &f, const SubscriptExpr *expr,
                   const DslValue &array);
void writeArray(FunctionLowering &f, const SubscriptExpr *target,
                const DslValue &array, const Expr *value, SourceRange range);
/// A value that is assigned from names: arrays of numbers get storage of their
/// own.
void copyNamedArrays(FunctionLowering &f, const Expr *expr, DslValue &value);
void copyArray(FunctionLowering &f, const DslValue &from, const DslValue &to,
               SourceRange range);
/// An array of missing tasks or of zeros.
DslValue makeArrayOf(FunctionLowering &f, DTypeKind dtype, int64_t size,
                     SourceRange range);
/// Reports an array of the orchestration that a core scope uses.
bool checkArrayInReach(FunctionLowering &f, const DslValue &array,
                       SourceRange range);
/// The tasks that a consumer of the array waits for.
void appendTasks(FunctionLowering &f, mlir::Value array, SourceRange range,
                 SmallVectorImpl<mlir::Value> &tasks);
/// Adds a task once; a missing one adds nothing.
void appendTask(mlir::Value task, SmallVectorImpl<mlir::Value> &tasks);
/// The task, or `pl.task_none` for None.
mlir::Value getTask(FunctionLowering &f, const DslValue &value,
                    SourceRange range);

/// Returns the arrays of TaskIds that an inline function changed: its
/// parameters are the caller's names.
void appendChangedArrays(FunctionLowering &f,
                         SmallVectorImpl<mlir::Value> &operands);

/// Whether TaskIds that a loop rebinds become an array: pl.parallel in a
/// manual scope.
bool isInManualParallel(FunctionLowering &f);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGREGIONS_H

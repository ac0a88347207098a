//===- LoweringRenames.h - tensors' names for values of a core --*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a core scope the name of a tensor may be given to a value of the core. The
// tensor stays what it was; the code after the scope reads the value, which is
// an output of the task.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGRENAMES_H
#define PL_LIB_FRONTEND_LOWERINGRENAMES_H

#include "LoweringImpl.h"

namespace pl::frontend {

/// Whether the statement at hand, in the body of a core scope and in no branch
/// or loop of it, may give the name of `old` to `value`.
bool isRenamedInScope(FunctionLowering &f, const DslValue &old,
                      const DslValue &value);
/// Whether a name is that of a parameter which is an output: it keeps it.
/// Assigning the name writes nothing, which is reported there.
bool keepsName(FunctionLowering &f, Identifier name, const DslValue &tensor);
/// Loads the tensors whose names a branch or loop of the body gives to values
/// of the core: such names stand for values of the core from the start.
void loadRenamed(FunctionLowering &f, StmtList body, const Environment &before);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGRENAMES_H

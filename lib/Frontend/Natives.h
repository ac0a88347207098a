//===- Natives.h - what functions written in C++ share --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_NATIVES_H
#define PL_LIB_FRONTEND_NATIVES_H

#include "pl/Frontend/Interpreter.h"

namespace pl::frontend {

/// What a native function gives; failure means that it raised.
using Result = llvm::FailureOr<Value>;

/// The interpreter's own convention as a Result: an Empty value is a failure
/// that has been raised.
inline Result wrap(Value value) {
  if (value.isEmpty())
    return llvm::failure();
  return value;
}

/// Raises TypeError unless the call has `least` to `most` positional arguments
/// and no keywords. (Builtins.cpp)
Result noKeywords(CallContext &call, size_t least, size_t most);

/// Built-in functions of sequences and iterators. (BuiltinSequences.cpp)
void addSequenceBuiltins(
    llvm::function_ref<void(llvm::StringRef, NativeFn)> add);

/// The decorators that make kernels and programs: pl.jit, pl.jit.inline, ...,
/// pl.function, pl.program. (HostKernels.cpp)
void addPlKernels(ModuleObject &pl);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_NATIVES_H

//===- StdModules.h - modules of Python's library, one by one -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_STDMODULES_H
#define PL_LIB_FRONTEND_STDMODULES_H

#include "Natives.h"

namespace pl::frontend {

/// Enums, layouts and record types of `pl` and `pld` (HostEnums.cpp).
void addPlEnums(ModuleObject &pl);
void addPldEnums(ModuleObject &pld);

Ref<ModuleObject> makeMath(); // StdMath.cpp

/// `program` is the path of the file that runs, which is `sys.argv[0]`.
Ref<ModuleObject> makeSys(const LoadOptions &options,
                          llvm::StringRef program); // StdSystem.cpp
Ref<ModuleObject> makeOs();                         // StdSystem.cpp
/// pathlib, in the language itself: enough to find a file beside a module.
llvm::StringRef getPathlibSource(); // StdSystem.cpp

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_STDMODULES_H

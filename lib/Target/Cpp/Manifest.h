//===- Manifest.h - What a build directory says of itself -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_TARGET_CPP_MANIFEST_H
#define PL_LIB_TARGET_CPP_MANIFEST_H

#include "pl/Target/Cpp/BuildDirectory.h"

namespace mlir::pl {

/// `manifest.json`: kernels, orchestration and parameters of the program whose
/// files lie in folder `prefix`.
std::string manifestText(ModuleOp module, llvm::StringRef prefix,
                         const CppOptions &options);

/// `kernel_config.py`: the same for the loader of the runtime.
std::string kernelConfigText(ModuleOp module, llvm::StringRef prefix);

/// `distributed_meta.json` of a host program, from its plan.
std::string distributedMetaText(ModuleOp module, const CppOptions &options);

} // namespace mlir::pl

#endif // PL_LIB_TARGET_CPP_MANIFEST_H

//===- BuildDirectory.h - The files of a build directory --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TARGET_CPP_BUILDDIRECTORY_H
#define PL_TARGET_CPP_BUILDDIRECTORY_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;

namespace pl {

/// One file of a build directory; `path` is relative and has forward slashes.
struct BuildFile {
  std::string path, text;
};

struct CppOptions {
  /// What the manifest says of the machine and of the compiler.
  std::string machine = "a2a3";
  std::string version;
};

/// Every file of the program in `module` (phase `emitc`), in a fixed order:
/// kernels, orchestration, `manifest.json`, `kernel_config.py`; of a host
/// program these for each program it runs, in folders of their own,
/// `host_plan.json` and `distributed_meta.json`. The C++ is what translateToCpp
/// prints.
FailureOr<std::vector<BuildFile>> buildFiles(ModuleOp module,
                                             const CppOptions &options = {});

/// Writes the files into `directory`, each whole or not at all. Files that a
/// build before this one left, and this one does not have, are removed; files
/// that are not ours stay.
LogicalResult emitCpp(ModuleOp module, llvm::StringRef directory,
                      const CppOptions &options = {});

/// Prints the C++ files one after the other, each after a line with its path.
LogicalResult printCpp(ModuleOp module, llvm::raw_ostream &os);

} // namespace pl
} // namespace mlir

#endif // PL_TARGET_CPP_BUILDDIRECTORY_H

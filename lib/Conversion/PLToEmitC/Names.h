//===- Names.h - Identifiers of the emitted C++ -----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_NAMES_H
#define PL_LIB_CONVERSION_PLTOEMITC_NAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace mlir::pl {

/// Gives out identifiers of one function: the user's names where C++ allows
/// them, unique, and the same from run to run.
class Names {
public:
  /// `loopDepth` is the deepest nest of loops of the function: the printer
  /// names their counters `i1`, `j2`, ... and its own values `v1`, `v2`, ...
  explicit Names(unsigned loopDepth = 0) : loopDepth(loopDepth) {}

  /// Keeps `name` for what the file itself uses.
  void reserve(llvm::StringRef name) { taken.insert(name); }

  bool isTaken(llvm::StringRef name) const {
    return taken.contains(identifier(name));
  }

  /// An identifier like `hint` that nothing else has.
  std::string make(llvm::StringRef hint);

  /// `hint` as an identifier: letters, digits and single underscores, neither
  /// a word of C++ nor a name of the tile ISA or the runtime.
  static std::string identifier(llvm::StringRef hint);

  /// `name` inside a comment of one line.
  static std::string comment(llvm::StringRef name);

private:
  bool isPrinterName(llvm::StringRef name) const;

  unsigned loopDepth;
  llvm::StringSet<> taken;
};

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_NAMES_H

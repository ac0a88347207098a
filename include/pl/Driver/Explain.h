//===- Explain.h - What a code of a report means ----------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_EXPLAIN_H
#define PL_DRIVER_EXPLAIN_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace pl::driver {

/// Prints the section of docs/Checks.md about a code ("PL010", also "pl10").
/// False when there is none.
bool explainCode(llvm::raw_ostream &os, llvm::StringRef code);
/// Prints every code with the title of its section, in order.
void listCodes(llvm::raw_ostream &os);

} // namespace pl::driver

#endif // PL_DRIVER_EXPLAIN_H

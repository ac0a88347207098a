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

#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace pl::driver {

/// Whether docs/Checks.md has a section about a code: "PL010", also "pl10" or
/// "10".
bool hasCode(llvm::StringRef code);
/// "PL001 to PL014, PL016 to PL020 and PL204".
std::string listCodeRanges();
/// Prints the section about a code that it has.
void explainCode(llvm::raw_ostream &os, llvm::StringRef code);
/// Prints every code with the title of its section, in order.
void listCodes(llvm::raw_ostream &os);

} // namespace pl::driver

#endif // PL_DRIVER_EXPLAIN_H

//===- PrintableText.h - Text that keeps a terminal whole -------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_PRINTABLETEXT_H
#define PL_FRONTEND_PRINTABLETEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace pl::frontend {

/// Whatever the user's names and messages hold, on one line: control characters
/// and bytes that are no UTF-8 become `\n`, `\t`, `\x1b` and so on, as Python's
/// repr shows them; all other text stays as it is.
std::string makePrintable(llvm::StringRef text);

} // namespace pl::frontend

#endif // PL_FRONTEND_PRINTABLETEXT_H

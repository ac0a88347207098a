//===- DiagCodes.h - the codes of the front end's reports -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_DIAGCODES_H
#define PL_FRONTEND_DIAGCODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace pl::frontend {

/// What a report is called: PL010 and so on. Reports of later phases have codes
/// that have no name here.
enum class DiagCode : uint16_t {
  None = 0,
#define DIAG_CODE(number, name, meaning) name = number,
#include "pl/Frontend/DiagCodes.def"
};

/// What a code of the front end means, in one line; else "".
llvm::StringRef getCodeMeaning(DiagCode code);
/// Every code of the front end, in order.
llvm::ArrayRef<DiagCode> getDiagCodes();

} // namespace pl::frontend

#endif // PL_FRONTEND_DIAGCODES_H

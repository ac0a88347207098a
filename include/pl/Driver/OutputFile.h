//===- OutputFile.h - Files that are written whole or not at all -*- C++ -*-==//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_OUTPUTFILE_H
#define PL_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"

#include <system_error>

namespace pl::driver {

/// Writes `text` beside the file and moves it there, so that a reader never
/// finds half of it and a failure leaves what was there before. A link stays a
/// link; what is no regular file (a pipe, a device) is written in place.
std::error_code writeOutputFile(llvm::StringRef path, llvm::StringRef text);

} // namespace pl::driver

#endif // PL_DRIVER_OUTPUTFILE_H

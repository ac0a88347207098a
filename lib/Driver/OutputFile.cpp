//===- OutputFile.cpp - Files that are written whole or not at all --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

/// Writes and closes.
static std::error_code writeAll(int descriptor, StringRef text) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

std::error_code writeOutputFile(StringRef path, StringRef text) {
  int descriptor;
  sys::fs::file_status status;
  bool isThere = !sys::fs::status(path, status);
  if (isThere && !sys::fs::is_regular_file(status)) {
    if (std::error_code error = sys::fs::openFileForWrite(
            path, descriptor, sys::fs::CD_OpenExisting))
      return error;
    return writeAll(descriptor, text);
  }
  SmallString<256> target(path), temporary;
  if (isThere)
    if (std::error_code error = sys::fs::real_path(path, target))
      return error;
  if (std::error_code error = sys::fs::createUniqueFile(
          target + ".%%%%%%.tmp", descriptor, temporary, sys::fs::OF_None,
          sys::fs::all_read | sys::fs::all_write))
    return error;
  std::error_code error = writeAll(descriptor, text);
  if (!error)
    error = sys::fs::rename(temporary, target);
  if (error)
    sys::fs::remove(temporary);
  return error;
}

} // namespace pl::driver

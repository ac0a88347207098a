//===- Safetensors.h - .safetensors files ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .safetensors file is the length of a header (8 bytes, little-endian), the
// header (a JSON object from name to dtype, shape and range of bytes), and the
// bytes. The ranges cover the bytes once, without holes. Everything in the
// header is checked before a byte of data is read.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_SAFETENSORS_H
#define PL_REFERENCE_SAFETENSORS_H

#include "pl/Reference/Array.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <utility>
#include <vector>

namespace pl::ref {

struct SafetensorsEntry {
  std::string name;
  std::string dtypeText; // "BF16"
  /// Absent for dtypes that arrays do not have ("F8_E4M3").
  std::optional<DType> dtype;
  Dims shape;
  /// Bytes from the start of the data.
  uint64_t begin = 0, end = 0;
};

class SafetensorsFile {
public:
  /// Maps the file and checks its header; the data is read when asked for.
  static llvm::Expected<SafetensorsFile> open(llvm::StringRef path);
  /// The same for bytes in memory; `name` is for messages.
  static llvm::Expected<SafetensorsFile>
  parse(std::unique_ptr<llvm::MemoryBuffer> bytes, llvm::StringRef name);

  /// In the order of their bytes.
  llvm::ArrayRef<SafetensorsEntry> getEntries() const { return entries; }
  const SafetensorsEntry *find(llvm::StringRef name) const;
  /// A copy of the tensor.
  llvm::Expected<Array> read(llvm::StringRef name) const;
  /// Text under `__metadata__`, by name.
  llvm::ArrayRef<std::pair<std::string, std::string>> getMetadata() const {
    return metadata;
  }

private:
  std::string name;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  llvm::StringRef data;
  std::vector<SafetensorsEntry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// One tensor of a file: under its whole name ("in/x"), or under the last part
/// of it ("x"). A file with a single tensor is that tensor.
llvm::Expected<Array> readSafetensor(llvm::StringRef path,
                                     llvm::StringRef name);

/// Writes the arrays in the order given.
llvm::Error writeSafetensors(
    llvm::StringRef path, llvm::ArrayRef<std::pair<std::string, Array>> arrays,
    llvm::ArrayRef<std::pair<std::string, std::string>> metadata = {});

/// JSON text from outside. Unlike json::parse it gives up on deep nesting,
/// which would take the stack.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace pl::ref

#endif // PL_REFERENCE_SAFETENSORS_H

//===- SavedData.h - Directories of named arrays --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of `plc run --save-data` and `--golden-data`: `in/NAME.npy`,
// `out/NAME.npy`, `stage/NAME.npy`, `fixture/STAGE/{in,out}/NAME.npy` and a
// `manifest.json` that lists every file with dtype and shape and says which
// parameters the run had. Tensors are named by their path without extension:
// "in/x_hc", "fixture/rms_norm/out/x_normed".
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_SAVEDDATA_H
#define PL_REFERENCE_SAVEDDATA_H

#include "pl/Reference/Array.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace pl::ref {

/// What the manifest says of one file.
struct SavedTensor {
  std::string name;
  std::string file;
  DType dtype = DType::FP32;
  Dims shape;
  /// Free text; `replicatedNote` has a meaning.
  std::string note;
  /// XXH3 (64 bits) of the elements, row-major, in hexadecimal; empty where the
  /// manifest has none.
  std::string digest;

  bool isReplicated() const { return note == replicatedNote; }
  /// Marks a tensor of a multi-rank run that is stored without a rank axis.
  static constexpr llvm::StringLiteral replicatedNote =
      "replicated, stored once";
};

/// A saved directory opened for reading; arrays are read when asked for.
class SavedData {
public:
  static llvm::Expected<SavedData> open(llvm::StringRef directory);

  /// In alphabetical order.
  llvm::ArrayRef<SavedTensor> getTensors() const { return tensors; }
  const SavedTensor *find(llvm::StringRef name) const;
  /// Tensors directly under `prefix` ("in", "fixture/qkv/out").
  std::vector<const SavedTensor *> under(llvm::StringRef prefix) const;
  /// Names of the stages under `fixture/`.
  std::vector<std::string> getStages() const;

  /// The array, checked against the dtype and shape of the manifest.
  llvm::Expected<Array> read(const SavedTensor &tensor) const;
  llvm::Expected<Array> read(llvm::StringRef name) const;
  /// Was the file of `array`, as read, changed after it was saved? Without a
  /// digest in the manifest nobody knows, and the answer is no.
  bool isAltered(llvm::StringRef name, const Array &array) const;

  /// Everything of the manifest but `tensors`: preset, tp, local_t, ….
  const llvm::json::Object &getProperties() const { return properties; }

private:
  std::string directory;
  std::vector<SavedTensor> tensors;
  llvm::json::Object properties;
};

/// Writes a saved directory. The manifest is removed first and written last, so
/// that a run that is killed leaves no manifest with files that are not there.
class SavedDataWriter {
public:
  /// Creates the directory where it is missing.
  static llvm::Expected<SavedDataWriter> create(llvm::StringRef directory);

  /// Writes `name` ("in/x_hc") at once; the array is not kept.
  llvm::Error add(llvm::StringRef name, const Array &array,
                  llvm::StringRef note = "");

  /// Writes the manifest with `properties` beside the list of tensors.
  llvm::Error finish(llvm::json::Object properties);

private:
  std::string directory;
  std::vector<SavedTensor> tensors;
};

} // namespace pl::ref

#endif // PL_REFERENCE_SAVEDDATA_H

//===- RunData.h - Inputs and expected outputs of a run ---------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into a run and what should come out of it: from the module's
// fixture and golden, from a saved directory, or from a directory of .npy
// files. Arrays are those of the reference library until they are handed to the
// simulator as bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_RUNDATA_H
#define PL_DRIVER_RUNDATA_H

#include "pl/Driver/Compilation.h"
#include "pl/Reference/Array.h"
#include "pl/Reference/SavedData.h"
#include "pl/Sim/Sim.h"

#include <optional>
#include <string>
#include <vector>

namespace pl::driver {

/// A parameter of the compiled entry.
struct Parameter {
  enum class Direction : uint8_t { In, Out, InOut };
  std::string name;
  Direction direction = Direction::In;
  bool isTensor = true;
  bool isWindow = false; ///< only a host program allocates it
  sim::ElemType type = sim::ElemType::F32;
  /// Of a scalar, with `type`, which is I64 for index and 1-bit scalars.
  bool isFloat = false;
  unsigned scalarBits = 64;
  /// Of a tensor; -1 where only the run knows the extent.
  llvm::SmallVector<int64_t, 4> shape;
  /// Per axis the name of the dynamic dim, or "".
  llvm::SmallVector<std::string, 4> dims;

  bool isRead() const { return direction != Direction::Out; }
  bool isWritten() const { return direction != Direction::In; }
  /// "BF16 [T, 4096]"
  std::string describe() const;
};

/// The parameters of the entry function of a compiled module.
llvm::FailureOr<std::vector<Parameter>> readParameters(Compilation &compiled);

/// The element type of an array, or nothing when no tensor has it.
std::optional<sim::ElemType> getElemType(ref::DType dtype);
ref::DType getDType(sim::ElemType type);
/// That of the one element by which files hold a scalar parameter.
ref::DType getScalarDType(const Parameter &parameter);

struct NamedArray {
  std::string name;
  ref::Array array;
  /// Only the shape counts; the bytes start as poison.
  bool isPoison = false;
};

/// A saved directory that a run replays: `DIR` or `DIR:STAGE`.
class Replay {
public:
  /// Opens the directory and adds its parameters to the -D values of
  /// `compiled`, which must not be loaded yet. Fails on a contradiction.
  static llvm::FailureOr<Replay> open(Compilation &compiled);

  /// They note files that were changed after they were saved. A tensor that is
  /// stored once for all ranks, and has one dim less than `rank`, is repeated
  /// along a new first dim.
  llvm::Expected<ref::Array> readInput(llvm::StringRef name,
                                       int64_t rank) const;
  llvm::Expected<ref::Array> readOutput(llvm::StringRef name,
                                        int64_t rank) const;
  /// What the manifest of a whole run says of a scalar that has no file, as an
  /// array of one element of `dtype`.
  llvm::Expected<ref::Array> readScalar(llvm::StringRef name,
                                        ref::DType dtype) const;
  /// Adds --entry where the manifest names it. Fails on a contradiction.
  llvm::LogicalResult selectEntry(Compilation &compiled) const;
  /// The changed file that output `name` depends on: its own, or the first
  /// changed input; empty if there is none.
  std::string findAltered(llvm::StringRef name) const;
  bool hasInput(llvm::StringRef name) const;
  /// Warns of files that were changed after they were saved, where they were
  /// read.
  void reportAltered(Compilation &compiled) const;

private:
  explicit Replay(ref::SavedData data) : data(std::move(data)) {}
  llvm::LogicalResult mergeParameters(Compilation &compiled) const;
  llvm::LogicalResult checkRanks(Compilation &compiled) const;
  const llvm::json::Value *findProperty(llvm::StringRef name) const;

  llvm::Expected<ref::Array> read(const std::string &name, int64_t rank) const;

  ref::SavedData data;
  std::string inPrefix = "in/", outPrefix = "out/";
  /// Empty for a whole run.
  std::string stage;
  /// Names in the manifest, in the order they were read.
  mutable std::vector<std::string> altered;
};

/// The values a run starts from.
struct RunInputs {
  /// Tensors that are read, and written ones whose shape the source gives.
  std::vector<NamedArray> tensors;
  std::vector<sim::ScalarArg> scalars;
  /// What the fixture returned, or the same made of files.
  frontend::Ref<frontend::DictObject> fixture;

  const ref::Array *find(llvm::StringRef name) const;
};

/// Reads inputs and checks them against the parameters: every one that is read
/// is there, with the declared type and extents, and equal extents where dims
/// have one name. `replay` may be null.
llvm::FailureOr<RunInputs> readInputs(Compilation &compiled,
                                      llvm::ArrayRef<Parameter> parameters,
                                      const Replay *replay);

/// Arguments of the simulator; they point into `inputs`.
std::vector<sim::TensorArg>
makeTensorArgs(RunInputs &inputs, llvm::ArrayRef<Parameter> parameters);

/// Copies a result of the simulator into an array.
llvm::Expected<ref::Array> makeArray(const sim::TensorResult &result);

/// Writes inputs, expected outputs and parameters in the layout that Replay
/// reads; beside them, in `run/`, what was simulated.
llvm::LogicalResult saveRun(Compilation &compiled, const RunInputs &inputs,
                            llvm::ArrayRef<Parameter> parameters,
                            llvm::ArrayRef<NamedArray> expected,
                            llvm::ArrayRef<NamedArray> simulated);

} // namespace pl::driver

#endif // PL_DRIVER_RUNDATA_H

//===- HostProgram.h - an emitted build directory as a host program -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the C++ files a build directory's manifest names, runs them on the
// host shim over saved inputs, and compares the outputs bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef PL_TOOLS_HOSTRUN_HOSTPROGRAM_H
#define PL_TOOLS_HOSTRUN_HOSTPROGRAM_H

#include "pl/HostShim/HostRunner.h"
#include "pl/Reference/Array.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace pl {

namespace shim {
class HostRunner;
} // namespace shim

struct HostOptions {
  std::string buildDirectory;
  std::string dataDirectory; ///< saved by `plc run --save-data`; may be empty
  /// Folder of the data directory with the expected bytes: `out` for what the
  /// golden gave, `run` for what was simulated.
  std::string against = "out";
  std::string outDirectory;  ///< where outputs go as .npy; may be empty
  std::string workDirectory; ///< shared objects; default BUILD/host
  std::string compiler;
  std::string isaDirectory;
  unsigned jobs = 2;
  /// Checkouts of the public headers; with both, kernels are compiled against
  /// them (and run in their CPU simulation) instead of the shim's.
  std::string ptoIsaDirectory, simplerDirectory;
  /// How far an element may be from the expected one; 0 and 0: same bits.
  double rtol = 0, atol = 0;

  bool usesPublicHeaders() const {
    return !ptoIsaDirectory.empty() && !simplerDirectory.empty();
  }
};

/// The runtime's name of an element type; it has none for some.
std::optional<DataType> runtimeType(ref::DType dtype);

/// A build directory: of one program, or of a host program (`host_plan.json`)
/// with those it runs on its ranks.
class HostProgram {
public:
  static llvm::Expected<HostProgram> open(const HostOptions &options);

  /// Builds one shared object per file, warnings being errors.
  llvm::Error compile();
  /// Runs on the inputs of the data directory.
  llvm::Error run();
  /// Prints one line per output; returns how many differ from the data
  /// directory's.
  llvm::Expected<unsigned> compare();
  /// Writes `NAME.npy` per output.
  llvm::Error writeOutputs();

private:
  struct Kernel {
    int funcId;
    std::string name, source;
    bool isCube;
    bool hasSignature = false;
    std::vector<std::string> tensors; ///< directions
    unsigned numScalars = 0;
  };
  struct Param {
    std::string name;
    ref::DType dtype;
    std::vector<llvm::json::Value> shape; ///< numbers, or names of dims
    bool isScalar, isInput, isOutput;
    uint64_t scalarBits = 0;
    ref::Array value;
  };

  llvm::Error parse(const llvm::json::Object &manifest);
  llvm::Error parsePlan(llvm::json::Object object);
  llvm::Error parseParams(const llvm::json::Object &object);
  /// Hands the compiled files to a runner.
  llvm::Error load(shim::HostRunner &runner) const;

  // Ranks.cpp
  friend class RankPlan;
  llvm::Error runRanks();
  llvm::Error parseParam(const llvm::json::Object &object);
  llvm::Error readInputs();
  std::string objectPath(llvm::StringRef source) const;
  std::vector<std::string> compilerFlags(bool isKernel) const;

  HostOptions options;
  std::vector<Kernel> kernels;
  std::string orchestration;
  std::vector<Param> params;
  bool takesContext = false; ///< of the ranks, as its last scalar
  /// Of a host program: its plan, and what it runs, by folder.
  llvm::json::Object plan;
  std::map<std::string, HostProgram> programs;
};

} // namespace pl

#endif // PL_TOOLS_HOSTRUN_HOSTPROGRAM_H

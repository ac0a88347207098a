//===- KvBranch.h - The key/value branch, compiled for a test -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_DRIVER_KVBRANCH_H
#define PL_TEST_UNIT_DRIVER_KVBRANCH_H

#include "pl/Driver/Compilation.h"
#include "pl/Driver/RunData.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace pl::driver {

/// The small preset with 24 tokens, compiled to some phase, and its inputs.
class KvBranch : public testing::Test {
protected:
  static void SetUpTestSuite() { registerMlirOptions(); }

  void compileTo(Phase phase) {
    options.command = Command::Run;
    options.file = PL_EXAMPLES_DIR "/decode/kv_branch.plk";
    options.defines = {
        {"preset", "tiny"}, {"tokens", "24"}, {"varied", "true"}};
    compiled = std::make_unique<Compilation>(options, llvm::errs());
    ASSERT_TRUE(succeeded(compiled->load()));
    ASSERT_TRUE(succeeded(compiled->selectEntry()));
    ASSERT_TRUE(succeeded(compiled->compileTo(phase)));
    auto read = readParameters(*compiled);
    ASSERT_TRUE(succeeded(read));
    parameters = *read;
    auto made = readInputs(*compiled, parameters, nullptr);
    ASSERT_TRUE(succeeded(made));
    inputs = std::move(*made);
  }

  /// Runs a module of phase `tiles`.
  sim::RunResult simulate(mlir::ModuleOp module, const sim::RunOptions &how) {
    std::optional<sim::Program> program = sim::Program::create(module);
    EXPECT_TRUE(program.has_value());
    if (!program)
      return {};
    return program->run(makeTensorArgs(inputs, parameters), inputs.scalars,
                        how);
  }

  Options options;
  std::unique_ptr<Compilation> compiled;
  std::vector<Parameter> parameters;
  RunInputs inputs;
};

} // namespace pl::driver

#endif // PL_TEST_UNIT_DRIVER_KVBRANCH_H

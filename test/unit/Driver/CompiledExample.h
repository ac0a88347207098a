//===- CompiledExample.h - An example, compiled for a test ------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_DRIVER_COMPILEDEXAMPLE_H
#define PL_TEST_UNIT_DRIVER_COMPILEDEXAMPLE_H

#include "pl/Driver/Compilation.h"
#include "pl/Driver/RunData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace pl::driver {

/// A file of the examples with some parameters, and the inputs of its entry.
class CompiledExample : public testing::Test {
protected:
  using Defines = std::vector<std::pair<std::string, std::string>>;

  static void SetUpTestSuite() { registerMlirOptions(); }

  void load(const std::string &file, Defines defines) {
    options.command = Command::Run;
    options.file = PL_EXAMPLES_DIR "/" + file;
    options.defines = std::move(defines);
    compiled = std::make_unique<Compilation>(options, llvm::errs());
    ASSERT_TRUE(succeeded(compiled->load()));
    ASSERT_TRUE(succeeded(compiled->selectEntry()));
  }

  void makeInputs() {
    auto read = readParameters(*compiled);
    ASSERT_TRUE(succeeded(read));
    parameters = *read;
    auto made = readInputs(*compiled, parameters, nullptr);
    ASSERT_TRUE(succeeded(made));
    inputs = std::move(*made);
  }

  /// Runs a module of phase `tiles`.
  sim::RunResult simulate(mlir::ModuleOp module, const sim::RunOptions &how) {
    std::optional<sim::Program> program = sim::Program::create(
        module, compiled->getEntryFunction().getName().str());
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

#endif // PL_TEST_UNIT_DRIVER_COMPILEDEXAMPLE_H

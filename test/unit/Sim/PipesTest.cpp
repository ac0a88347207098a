//===- PipesTest.cpp - pipes that work against the program ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTesting.h"

using namespace pl::sim;

namespace {

/// y = 2 * (x + x) row by row, in two buffers, with all the order it needs.
constexpr const char *kRows = R"mlir(
    %c3 = arith.constant 3 : index
    %two = arith.constant 2.0 : f32
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    %u = pl.buffer "u" at 64 : !pl.buffer<1x16xf32, vec, nd>
    scf.for %i = %c0 to %c3 step %c1 {
      pl.set_flag v to mte2 event 0
      pl.wait_flag v to mte2 event 0
      pl.load %x[%i, %c0] : memref<3x16xf32> into %t : !pl.buffer<1x16xf32, vec, nd>
      pl.set_flag mte2 to v event 0
      pl.wait_flag mte2 to v event 0
      pl.set_flag mte3 to v event 0
      pl.wait_flag mte3 to v event 0
      pl.add %t, %t : !pl.buffer<1x16xf32, vec, nd>, !pl.buffer<1x16xf32, vec, nd> into %u : !pl.buffer<1x16xf32, vec, nd>
      pl.pipe_barrier v
      pl.muls %u, %two : !pl.buffer<1x16xf32, vec, nd>, f32 into %u : !pl.buffer<1x16xf32, vec, nd>
      pl.set_flag v to mte3 event 0
      pl.wait_flag v to mte3 event 0
      pl.store %u, %y[%i, %c0] : !pl.buffer<1x16xf32, vec, nd>, memref<3x16xf32>
    }
    pl.pipe_barrier all
)mlir";

std::string without(std::string text, llvm::StringRef line) {
  size_t at = text.find(line.str());
  EXPECT_NE(at, std::string::npos) << line.str();
  text.erase(at, line.size());
  return text;
}

std::string withoutFlag(std::string text, const std::string &pipes) {
  text = without(text, "pl.set_flag " + pipes + " event 0");
  return without(text, "pl.wait_flag " + pipes + " event 0");
}

/// Runs with 16 seeds. The text of the first failure, "other values", or
/// nothing.
std::string tryPipes(const std::string &body, PipeOrder pipes) {
  std::vector<Param> params = {{"x", "memref<3x16xf32>", "in"},
                               {"y", "memref<3x16xf32>", "out"}};
  TestProgram program(oneKernel("aiv", params, body, "%c1"));
  std::vector<float> x = randomFloats(48, 3);
  for (unsigned seed = 0; seed < 16; ++seed) {
    RunOptions options;
    options.pipes = pipes;
    options.seed = seed;
    RunResult result = program.run({arg("x", {3, 16}, x)}, options);
    if (!result.ok())
      return failureText(result);
    std::vector<float> y = output<float>(result, "y");
    for (size_t i = 0; i < x.size(); ++i)
      if (y[i] != 4 * x[i])
        return "other values";
  }
  return "";
}

TEST(Pipes, OrderThatIsThereSuffices) {
  EXPECT_EQ(tryPipes(kRows, PipeOrder::Program), "");
  EXPECT_EQ(tryPipes(kRows, PipeOrder::Adversarial), "");
}

TEST(Pipes, OrderThatIsNotThereIsFelt) {
  std::vector<std::string> bodies = {
      withoutFlag(kRows, "v to mte2"), withoutFlag(kRows, "mte2 to v"),
      withoutFlag(kRows, "mte3 to v"), withoutFlag(kRows, "v to mte3"),
      without(kRows, "pl.pipe_barrier v")};
  for (const std::string &body : bodies) {
    EXPECT_EQ(tryPipes(body, PipeOrder::Program), "") << body;
    EXPECT_NE(tryPipes(body, PipeOrder::Adversarial), "") << body;
  }
}

TEST(Pipes, StoresLandBeforeTheEnd) {
  std::string body = without(kRows, "pl.pipe_barrier all");
  std::string text = tryPipes(body, PipeOrder::Adversarial);
  EXPECT_NE(text.find("race: kernel 'k', block 0: the kernel may end before "
                      "this store to 'y' has landed"),
            std::string::npos)
      << text;
}

TEST(Pipes, FlagsThatNobodySetsOrTakes) {
  std::string text = tryPipes(without(kRows, "pl.set_flag mte2 to v event 0"),
                              PipeOrder::Adversarial);
  EXPECT_NE(text.find("waits for flag mte2 to v event 0, which nothing before "
                      "it sets"),
            std::string::npos)
      << text;
  text = tryPipes(without(kRows, "pl.wait_flag v to mte3 event 0"),
                  PipeOrder::Adversarial);
  EXPECT_NE(text.find("again before its last token was taken"),
            std::string::npos)
      << text;
}

/// The scalar unit reads what a pipe wrote only behind a flag, and a pipe keeps
/// the row it was given, not the one the scalar unit is at when it works.
TEST(Pipes, ScalarUnitRunsAhead) {
  std::vector<Param> params = {{"x", "memref<2x16xf32>", "in"},
                               {"y", "memref<2x16xf32>", "inout"},
                               {"z", "memref<2xf32>", "out"}};
  std::string body = R"mlir(
    %c2 = arith.constant 2 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    scf.for %i = %c0 to %c2 step %c1 {
      pl.pipe_barrier all
      pl.load %x[%i, %c0] : memref<2x16xf32> into %t : !pl.buffer<1x16xf32, vec, nd>
      pl.set_flag mte2 to mte3 event 0
      pl.wait_flag mte2 to mte3 event 0
      pl.store %t, %y[%i, %c0] : !pl.buffer<1x16xf32, vec, nd>, memref<2x16xf32>
      pl.set_flag mte3 to s event 0
      pl.wait_flag mte3 to s event 0
      %e = pl.read %y[%i, %c1] : memref<2x16xf32> -> f32
      pl.write %e, %z[%i] : f32, memref<2xf32>
    }
    pl.pipe_barrier all
  )mlir";
  std::vector<float> x = randomFloats(32, 4), y(32, 99);
  auto run = [&](const std::string &text) {
    TestProgram program(oneKernel("aiv", params, text, "%c1"));
    RunOptions options;
    options.pipes = PipeOrder::Adversarial;
    RunResult result =
        program.run({arg("x", {2, 16}, x), arg("y", {2, 16}, y)}, options);
    expectOk(result);
    EXPECT_EQ(output<float>(result, "y"), x);
    return output<float>(result, "z");
  };
  EXPECT_EQ(run(body), (std::vector<float>{x[1], x[17]}));
  EXPECT_EQ(run(withoutFlag(body, "mte3 to s")), (std::vector<float>{99, 99}));
}

} // namespace

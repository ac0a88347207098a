//===- KernelTest.cpp - what kernels compute --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTesting.h"

#include "pl/HostShim/Math.h"

using namespace pl::sim;

namespace {

/// y = x + x, ragged last block, rows of 24 columns in blocks of 4.
constexpr const char *kDouble = R"mlir(
module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @double(
      %x: memref<?x24xf32> {pl.name = "x", pl.direction = #pl.direction<in>},
      %y: memref<?x24xf32> {pl.name = "y", pl.direction = #pl.direction<out>}) {
    %b = pl.block_idx
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : memref<?x24xf32>
    %r0 = arith.muli %b, %c4 : index
    %left = arith.subi %n, %r0 : index
    %rows = arith.minsi %left, %c4 : index
    %t = pl.buffer "t" valid(%rows) at 0 : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>
    %u = pl.buffer "u" valid(%rows) at 384 : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>
    pl.load %x[%r0, %c0] : memref<?x24xf32> into %t : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
    pl.add %t, %t : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>, !pl.buffer<4x24xf32, vec, nd, valid = ?x24> into %u : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>
    pl.store %u, %y[%r0, %c0] : !pl.buffer<4x24xf32, vec, nd, valid = ?x24>, memref<?x24xf32>
  }
  func.func @main(
      %x: memref<?x24xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %y: memref<?x24xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"T">]})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : memref<?x24xf32>
    %blocks = arith.ceildivsi %n, %c4 : index
    %t = pl.launch @double blocks(%blocks) args(%x, %y : memref<?x24xf32>, memref<?x24xf32>)
    return
  }
}
)mlir";

TEST(Kernel, RaggedRowsOnAnyNumberOfThreads) {
  TestProgram program(kDouble);
  for (int64_t rows : {0, 1, 3, 4, 17}) {
    std::vector<float> x = randomFloats(size_t(rows) * 24, 1);
    for (unsigned threads : {1, 2, 4}) {
      RunOptions options;
      options.threads = threads;
      RunResult result = program.run({arg("x", {rows, 24}, x)}, options);
      expectOk(result);
      std::vector<float> y = output<float>(result, "y");
      ASSERT_EQ(y.size(), x.size());
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(y[i], x[i] + x[i]);
      EXPECT_EQ(result.tasks[0].blocks, (rows + 3) / 4);
      EXPECT_EQ(result.tasks[0].kind, TaskKind::AIV);
      EXPECT_EQ(result.undefinedUses, 0u);
    }
  }
}

} // namespace

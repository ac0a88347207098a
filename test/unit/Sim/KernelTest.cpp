//===- KernelTest.cpp - what kernels compute ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTesting.h"

#include "pl/HostShim/Math.h"

#include <cmath>

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

//===----------------------------------------------------------------------===//
// Vector ops on a partly valid box
//===----------------------------------------------------------------------===//

/// Rows and columns outside 3 x 5 must neither be read nor written.
TEST(Kernel, PartialBox) {
  std::vector<Param> params = {{"x", "memref<8x16xf32>", "in"},
                               {"y", "memref<8x16xf32>", "inout"},
                               {"s", "memref<8xf32>", "inout"},
                               {"m", "memref<16xf32>", "inout"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %r = arith.constant 3 : index
    %c = arith.constant 5 : index
    %k = arith.constant 2.5 : f32
    %x0 = pl.buffer "x0" valid(%r, %c) at 0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    %y0 = pl.buffer "y0" valid(%r, %c) at 512 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    %sum = pl.buffer "sum" valid(%r) at 1024 : !pl.buffer<8x1xf32, vec, dn, valid = ?x1>
    %row = pl.buffer_view %sum "row" valid(%r) at 1024 : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> -> !pl.buffer<1x8xf32, vec, nd, valid = 1x?>
    %max = pl.buffer "max" valid(%c) at 1056 : !pl.buffer<1x16xf32, vec, nd, valid = 1x?>
    %tmp = pl.buffer "tmp" at 2048 : !pl.buffer<8x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %x0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    pl.muls %x0, %k : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>, f32 into %x0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    pl.row_sum %x0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?> into %sum : !pl.buffer<8x1xf32, vec, dn, valid = ?x1> scratch(%tmp : !pl.buffer<8x16xf32, vec, nd>)
    pl.col_max %x0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?> into %max : !pl.buffer<1x16xf32, vec, nd, valid = 1x?>
    pl.row_expand_sub %x0, %sum : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>, !pl.buffer<8x1xf32, vec, dn, valid = ?x1> into %y0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    pl.col_expand_mul %y0, %max : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>, !pl.buffer<1x16xf32, vec, nd, valid = 1x?> into %y0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>
    pl.store %y0, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd, valid = ?x?>, memref<8x16xf32>
    pl.store %row, %s[%c0] : !pl.buffer<1x8xf32, vec, nd, valid = 1x?>, memref<8xf32>
    pl.store %max, %m[%c0] : !pl.buffer<1x16xf32, vec, nd, valid = 1x?>, memref<16xf32>
  )mlir",
                                "%c1"));
  std::vector<float> x = randomFloats(128, 2), y(128, 7), s(8, 8), m(16, 9);
  RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y),
                                  arg("s", {8}, s), arg("m", {16}, m)});
  expectOk(result);
  // Sums and products of these values are exact, so their order is free.
  for (int c = 0; c < 5; ++c)
    m[c] = std::max({x[c], x[16 + c], x[32 + c]}) * 2.5f;
  for (int r = 0; r < 3; ++r) {
    s[r] = 0;
    for (int c = 0; c < 5; ++c)
      s[r] += x[r * 16 + c] * 2.5f;
    for (int c = 0; c < 5; ++c)
      y[r * 16 + c] = (x[r * 16 + c] * 2.5f - s[r]) * m[c];
  }
  EXPECT_EQ(output<float>(result, "y"), y);
  EXPECT_EQ(output<float>(result, "s"), s);
  EXPECT_EQ(output<float>(result, "m"), m);
}

TEST(Kernel, CastIotaExpandFillPad) {
  std::vector<Param> params = {{"y", "memref<4x16xbf16>", "out"},
                               {"z", "memref<4x16xi32>", "out"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %zero = arith.constant 3 : i32
    %half = arith.constant 0.5 : f32
    %i = pl.buffer "i" at 0 : !pl.buffer<1x16xi32, vec, nd>
    %f = pl.buffer "f" at 64 : !pl.buffer<1x16xf32, vec, nd>
    %g = pl.buffer "g" at 128 : !pl.buffer<4x16xf32, vec, nd, valid = 2x16>
    %p = pl.buffer "p" at 384 : !pl.buffer<4x16xf32, vec, nd>
    %h = pl.buffer "h" at 640 : !pl.buffer<4x16xbf16, vec, nd>
    %k = pl.buffer "k" at 768 : !pl.buffer<4x16xi32, vec, nd>
    pl.iota %zero : i32 into %i : !pl.buffer<1x16xi32, vec, nd>
    pl.cast %i rint : !pl.buffer<1x16xi32, vec, nd> into %f : !pl.buffer<1x16xf32, vec, nd>
    pl.col_expand %f : !pl.buffer<1x16xf32, vec, nd> into %g : !pl.buffer<4x16xf32, vec, nd, valid = 2x16>
    pl.adds %g, %half : !pl.buffer<4x16xf32, vec, nd, valid = 2x16>, f32 into %g : !pl.buffer<4x16xf32, vec, nd, valid = 2x16>
    pl.fillpad %g max : !pl.buffer<4x16xf32, vec, nd, valid = 2x16> into %p : !pl.buffer<4x16xf32, vec, nd>
    pl.cast %p rint : !pl.buffer<4x16xf32, vec, nd> into %h : !pl.buffer<4x16xbf16, vec, nd>
    pl.cast %p trunc : !pl.buffer<4x16xf32, vec, nd> into %k : !pl.buffer<4x16xi32, vec, nd>
    pl.store %h, %y[%c0, %c0] : !pl.buffer<4x16xbf16, vec, nd>, memref<4x16xbf16>
    pl.store %k, %z[%c0, %c0] : !pl.buffer<4x16xi32, vec, nd>, memref<4x16xi32>
  )mlir",
                                "%c1"));
  RunResult result = program.run({});
  expectOk(result);
  std::vector<int32_t> z = output<int32_t>(result, "z");
  std::vector<uint16_t> y = output<uint16_t>(result, "y");
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 16; ++c) {
      EXPECT_EQ(z[r * 16 + c], r < 2 ? c + 3 : INT32_MAX);
      EXPECT_EQ(pl::shim::bf16ToF32(y[r * 16 + c]),
                r < 2 ? float(c) + 3.5f : INFINITY);
    }
}

TEST(Kernel, GatherAndTranspose) {
  std::vector<Param> params = {{"x", "memref<4x8xf32>", "in"},
                               {"i", "memref<4x8xi32>", "in"},
                               {"y", "memref<4x8xf32>", "out"},
                               {"turned", "memref<8x8xf32>", "inout"}};
  std::string source = oneKernel("aiv", params, R"mlir(
    %x0 = pl.buffer "x0" at 0 : !pl.buffer<4x8xf32, vec, nd>
    %i0 = pl.buffer "i0" at 128 : !pl.buffer<4x8xi32, vec, nd>
    %y0 = pl.buffer "y0" at 256 : !pl.buffer<4x8xf32, vec, nd>
    %s0 = pl.buffer "s0" at 384 : !pl.buffer<4x8xi32, vec, nd>
    %u0 = pl.buffer "u0" at 512 : !pl.buffer<8x4xf32, vec, nd>
    %v0 = pl.buffer "v0" at 640 : !pl.buffer<4x8xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<4x8xf32> into %x0 : !pl.buffer<4x8xf32, vec, nd>
    pl.load %i[%c0, %c0] : memref<4x8xi32> into %i0 : !pl.buffer<4x8xi32, vec, nd>
    pl.gather %x0, %i0 flat : !pl.buffer<4x8xf32, vec, nd>, !pl.buffer<4x8xi32, vec, nd> into %y0 : !pl.buffer<4x8xf32, vec, nd> scratch(%s0 : !pl.buffer<4x8xi32, vec, nd>)
    pl.store %y0, %y[%c0, %c0] : !pl.buffer<4x8xf32, vec, nd>, memref<4x8xf32>
    pl.transpose %x0 : !pl.buffer<4x8xf32, vec, nd> into %u0 : !pl.buffer<8x4xf32, vec, nd> scratch(%v0 : !pl.buffer<4x8xf32, vec, nd>)
    pl.store %u0, %turned[%c0, %c4] : !pl.buffer<8x4xf32, vec, nd>, memref<8x8xf32>
  )mlir",
                                 "%c1");
  source.replace(source.find("%b = pl.block_idx"), 0,
                 "%c4 = arith.constant 4 : index\n");
  TestProgram program(source);
  std::vector<float> x = randomFloats(32, 3), t(64, 5);
  std::vector<int32_t> index(32);
  for (int n = 0; n < 32; ++n)
    index[n] = (n * 11 + 5) % 32;
  RunResult result = program.run(
      {arg("x", {4, 8}, x), arg("i", {4, 8}, index), arg("turned", {8, 8}, t)});
  expectOk(result);
  std::vector<float> y = output<float>(result, "y");
  for (int n = 0; n < 32; ++n)
    EXPECT_EQ(y[n], x[index[n]]);
  std::vector<float> turned = output<float>(result, "turned");
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      EXPECT_EQ(turned[r * 8 + c], c < 4 ? 5.0f : x[(c - 4) * 8 + r]);

  index[13] = 32;
  result = program.run(
      {arg("x", {4, 8}, x), arg("i", {4, 8}, index), arg("turned", {8, 8}, t)});
  expectFailure(result, FailureKind::Bounds,
                {"index 32 at [1, 5] of 'i0' is outside 'x0'"});
}

TEST(Kernel, ScalarsLoopsAndViews) {
  // Sums a column through a reshaped view, with carried scalars.
  std::vector<Param> params = {{"x", "memref<6x4xi64>", "in"},
                               {"y", "memref<3xi64>", "out"},
                               {"f", "memref<1xf32>", "out"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %c4 = arith.constant 4 : index
    %c24 = arith.constant 24 : index
    %zero = arith.constant 0 : i64
    %flat = memref.reinterpret_cast %x to offset: [0], sizes: [24], strides: [1] : memref<6x4xi64> to memref<24xi64, strided<[1]>>
    %sum, %even = scf.for %i = %c1 to %c24 step %c4 iter_args(%s = %zero, %e = %zero) -> (i64, i64) {
      %v = pl.read %flat[%i] : memref<24xi64, strided<[1]>> -> i64
      %two = arith.constant 2 : i64
      %m = arith.remsi %v, %two : i64
      %is = arith.cmpi eq, %m, %zero : i64
      %e2 = scf.if %is -> i64 {
        %q = arith.addi %e, %v : i64
        scf.yield %q : i64
      } else {
        scf.yield %e : i64
      }
      %s2 = arith.addi %s, %v : i64
      scf.yield %s2, %e2 : i64, i64
    }
    pl.write %sum, %y[%c0] : i64, memref<3xi64>
    pl.write %even, %y[%c1] : i64, memref<3xi64>
    %c2 = arith.constant 2 : index
    %part = memref.subview %x[%c2, 1] [2, 2] [1, 1] : memref<6x4xi64> to memref<2x2xi64, strided<[4, 1], offset: ?>>
    %p = pl.read %part[%c1, %c1] : memref<2x2xi64, strided<[4, 1], offset: ?>> -> i64
    pl.write %p, %y[%c2] : i64, memref<3xi64>
    %n = arith.constant -7 : i64
    %d = arith.floordivsi %n, %p : i64
    %g = arith.sitofp %d : i64 to f32
    pl.write %g, %f[%c0] : f32, memref<1xf32>
  )mlir",
                                "%c1"));
  std::vector<int64_t> x(24);
  for (int i = 0; i < 24; ++i)
    x[i] = i * i % 13 - 4;
  RunResult result = program.run({arg("x", {6, 4}, x)});
  expectOk(result);
  int64_t sum = 0, even = 0;
  for (int i = 1; i < 24; i += 4) {
    sum += x[i];
    even += x[i] % 2 == 0 ? x[i] : 0;
  }
  EXPECT_EQ(output<int64_t>(result, "y"),
            (std::vector<int64_t>{sum, even, x[3 * 4 + 2]}));
  EXPECT_EQ(output<float>(result, "f")[0],
            std::floor(-7.0f / float(x[3 * 4 + 2])));
}

TEST(Kernel, WhileLoop) {
  std::vector<Param> params = {{"y", "memref<2xi64>", "out"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %one = arith.constant 1 : i64
    %limit = arith.constant 100 : i64
    %p, %q = scf.while (%i = %one, %j = %one) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi slt, %j, %limit : i64
      scf.condition(%more) %j, %i : i64, i64
    } do {
    ^bb0(%u: i64, %v: i64):
      %next = arith.addi %u, %v : i64
      scf.yield %u, %next : i64, i64
    }
    pl.write %p, %y[%c0] : i64, memref<2xi64>
    pl.write %q, %y[%c1] : i64, memref<2xi64>
  )mlir",
                                "%c1"));
  RunResult result = program.run({});
  expectOk(result);
  // Fibonacci numbers around 100.
  EXPECT_EQ(output<int64_t>(result, "y"), (std::vector<int64_t>{144, 89}));
}

/// An input is never written, whatever a kernel does to its parameter.
TEST(Kernel, InputsStayAsTheyWere) {
  std::vector<Param> params = {{"x", "memref<1x8xf32>", "in"},
                               {"y", "memref<1x8xf32>", "out"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<1x8xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<1x8xf32> into %t : !pl.buffer<1x8xf32, vec, nd>
    pl.add %t, %t : !pl.buffer<1x8xf32, vec, nd>, !pl.buffer<1x8xf32, vec, nd> into %t : !pl.buffer<1x8xf32, vec, nd>
    pl.store %t, %x[%c0, %c0] : !pl.buffer<1x8xf32, vec, nd>, memref<1x8xf32>
    pl.store %t, %y[%c0, %c0] : !pl.buffer<1x8xf32, vec, nd>, memref<1x8xf32>
  )mlir",
                                "%c1"));
  std::vector<float> x(8, 1.5f);
  RunResult result = program.run({arg("x", {1, 8}, x)});
  expectOk(result);
  EXPECT_EQ(x, std::vector<float>(8, 1.5f));
  EXPECT_EQ(output<float>(result, "y"), std::vector<float>(8, 3.0f));
}

/// A scratch buffer that overlaps a live one shows: both hold garbage after.
TEST(Kernel, ScratchIsOverwritten) {
  std::vector<Param> params = {{"x", "memref<8x16xf32>", "in"},
                               {"y", "memref<8x16xf32>", "out"}};
  TestProgram program(oneKernel("aiv", params, R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<8x16xf32, vec, nd>
    %u = pl.buffer "live" at 512 : !pl.buffer<8x16xf32, vec, nd>
    %q = pl.buffer "scratch" at 768 : !pl.buffer<8x16xf32, vec, nd>
    %s = pl.buffer "s" at 2048 : !pl.buffer<8x1xf32, vec, dn>
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %u : !pl.buffer<8x16xf32, vec, nd>
    pl.row_sum %t : !pl.buffer<8x16xf32, vec, nd> into %s : !pl.buffer<8x1xf32, vec, dn> scratch(%q : !pl.buffer<8x16xf32, vec, nd>)
    pl.store %u, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
  )mlir",
                                "%c1"));
  std::vector<float> x = randomFloats(128, 13);
  RunResult result = program.run({arg("x", {8, 16}, x)});
  expectFailure(result, FailureKind::Undefined,
                {"element [4, 0] of output 'y'", "buffer 'live'"});
}

TEST(Kernel, FlagsThatDoNotMatch) {
  std::vector<Param> params = {{"y", "memref<8xf32>", "inout"}};
  std::vector<float> y(8, 1);
  TestProgram waits(
      oneKernel("aiv", params, "pl.wait_flag mte2 to v event 3", "%c1"));
  expectFailure(waits.run({arg("y", {8}, y)}), FailureKind::Deadlock,
                {"waits for flag mte2 to v event 3"});
  TestProgram leaves(
      oneKernel("aiv", params, "pl.set_flag v to mte3 event 1", "%c1"));
  expectFailure(leaves.run({arg("y", {8}, y)}), FailureKind::Deadlock,
                {"ends with flag v to mte3 event 1 set"});
}

} // namespace

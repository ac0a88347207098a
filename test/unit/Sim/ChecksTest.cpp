//===- ChecksTest.cpp - bounds, undefined values, refused input -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTesting.h"

using namespace pl::sim;

namespace {

const Param kX{"x", "memref<?x16xf32>", "in"};
const Param kY{"y", "memref<8x16xf32>", "inout"};

/// y[0:rows] = x[4b : 4b + rows].
std::string copyRows(int rows) {
  std::string box = "!pl.buffer<" + std::to_string(rows) + "x16xf32, vec, nd>";
  return oneKernel(
      "aiv", {kX, kY},
      "%c4 = arith.constant 4 : index\n"
      "%r = arith.muli %b, %c4 : index\n"
      "%t = pl.buffer \"t\" at 0 : " +
          box + "\n" + "pl.load %x[%r, %c0] : memref<?x16xf32> into %t : " +
          box + "\npl.store %t, %y[%r, %c0] : " + box + ", memref<8x16xf32>",
      "%c3");
}

TEST(Bounds, NameTheTensor) {
  TestProgram program(copyRows(4));
  std::vector<float> x(160, 1), y(128, 0);
  RunResult result = program.run({arg("x", {10, 16}, x), arg("y", {8, 16}, y)});
  expectFailure(result, FailureKind::Bounds,
                {"kernel 'k', block 2: load of rows 8..11 of 'x', which has 10 "
                 "rows",
                 "task 'k' is launched here"});
  ASSERT_FALSE(result.failures.empty());
  EXPECT_TRUE(bool(result.failures[0].location));
  std::vector<float> longer(192, 1);
  result = program.run({arg("x", {12, 16}, longer), arg("y", {8, 16}, y)});
  expectFailure(result, FailureKind::Bounds,
                {"block 2: store of rows 8..11 of 'y', which has 8 rows"});
}

TEST(Bounds, SameReportOnAnyNumberOfThreads) {
  TestProgram program(copyRows(4));
  std::vector<float> x(16, 1), y(128, 0);
  for (unsigned threads : {1, 2, 4}) {
    RunOptions options;
    options.threads = threads;
    RunResult result =
        program.run({arg("x", {1, 16}, x), arg("y", {8, 16}, y)}, options);
    ASSERT_EQ(result.failures.size(), 1u);
    expectFailure(result, FailureKind::Bounds, {"block 0: load of rows 0..3"});
  }
}

TEST(Bounds, ViewsSayWhatTheyAreOf) {
  std::string body = R"mlir(
    %c3 = arith.constant 3 : index
    %v = memref.reinterpret_cast %y to offset: [0], sizes: [4, 32], strides: [32, 1] : memref<8x16xf32> to memref<4x32xf32, strided<[32, 1]>>
    %t = pl.buffer "t" at 0 : !pl.buffer<2x32xf32, vec, nd>
    %k = arith.constant 1.0 : f32
    pl.full %k : f32 into %t : !pl.buffer<2x32xf32, vec, nd>
    pl.store %t, %v[%c3, %c0] : !pl.buffer<2x32xf32, vec, nd>, memref<4x32xf32, strided<[32, 1]>>
  )mlir";
  TestProgram program(oneKernel("aiv", {kY}, body, "%c1"));
  std::vector<float> y(128, 0);
  expectFailure(program.run({arg("y", {8, 16}, y)}), FailureKind::Bounds,
                {"store of rows 3..4 of a view [4, 32] of 'y', which has 4"});
}

TEST(Bounds, ValidExtentOutsideTheBox) {
  std::string body = R"mlir(
    %n = arith.constant 9 : index
    %t = pl.buffer "tile" valid(%n) at 0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x16>
  )mlir";
  TestProgram program(oneKernel("aiv", {kY}, body, "%c1"));
  std::vector<float> y(128, 0);
  expectFailure(program.run({arg("y", {8, 16}, y)}), FailureKind::Bounds,
                {"9 valid rows in 'tile', which has 8"});
}

//===----------------------------------------------------------------------===//
// Undefined values
//===----------------------------------------------------------------------===//

TEST(Undefined, OutputNobodyWrote) {
  std::vector<Param> params = {kX, {"y", "memref<8x16xf32>", "out"}};
  std::string body = R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<4x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<?x16xf32> into %t : !pl.buffer<4x16xf32, vec, nd>
    pl.store %t, %y[%c0, %c0] : !pl.buffer<4x16xf32, vec, nd>, memref<8x16xf32>
  )mlir";
  TestProgram program(oneKernel("aiv", params, body, "%c1"));
  std::vector<float> x(128, 1);
  RunResult result = program.run({arg("x", {8, 16}, x)});
  expectFailure(result, FailureKind::Undefined,
                {"element [4, 0] of output 'y' is undefined: no task wrote it "
                 "(64 of 128"});
}

/// An unwritten row reaches the output through arithmetic, in another task.
TEST(Undefined, NamesTheFirstLoad) {
  Param tmp{"tmp", "memref<8x16xf32>", "inout"};
  std::string write = kernelText("aiv", "produce", {kX, tmp}, R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<7x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<?x16xf32> into %t : !pl.buffer<7x16xf32, vec, nd>
    pl.store %t, %tmp[%c0, %c0] : !pl.buffer<7x16xf32, vec, nd>, memref<8x16xf32>)mlir");
  std::string read = kernelText("aiv", "consume", {tmp, kY}, R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<8x16xf32, vec, nd>
    %s = pl.buffer "s" at 512 : !pl.buffer<8x1xf32, vec, dn>
    %q = pl.buffer "q" at 1024 : !pl.buffer<8x16xf32, vec, nd>
    pl.load %tmp[%c0, %c0] : memref<8x16xf32> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.row_sum %t : !pl.buffer<8x16xf32, vec, nd> into %s : !pl.buffer<8x1xf32, vec, dn> scratch(%q : !pl.buffer<8x16xf32, vec, nd>)
    pl.row_expand %s : !pl.buffer<8x1xf32, vec, dn> into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.store %t, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>)mlir");
  std::string entry = entryText(
      {kX, kY}, "%tmp = pl.alloc \"tmp\"() : memref<8x16xf32>\n%a = " +
                    launchText("produce", "%c1", {kX, tmp}) + "\n%b = " +
                    launchText("consume", "%c1", {tmp, kY},
                               " deps(%a : [#pl.edge<raw, \"tmp\">])"));
  TestProgram program(phaseTiles(write + read + entry));
  std::vector<float> x(128, 1), y(128, 0);
  RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)});
  expectFailure(
      result, FailureKind::Undefined,
      {"element [7, 0] of output 'y' is undefined: it depends on "
       "undefined values (16 of 128",
       "it comes from 'tmp'[7, 0], which task 'consume' (block 0) was "
       "the first to read"});
  EXPECT_GT(result.undefinedUses, 0u);
}

TEST(Undefined, PaddingIsNoFailure) {
  // All 8 rows are computed, 5 are stored.
  std::string body = R"mlir(
    %r = arith.constant 5 : index
    %t = pl.buffer "t" valid(%r) at 0 : !pl.buffer<8x16xf32, vec, nd, valid = ?x16>
    %u = pl.buffer_view %t "u" : !pl.buffer<8x16xf32, vec, nd, valid = ?x16> -> !pl.buffer<8x16xf32, vec, nd>
    pl.load %x[%c0, %c0] : memref<?x16xf32> into %t : !pl.buffer<8x16xf32, vec, nd, valid = ?x16>
    pl.add %u, %u : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd> into %u : !pl.buffer<8x16xf32, vec, nd>
    pl.store %t, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd, valid = ?x16>, memref<8x16xf32>
  )mlir";
  TestProgram program(oneKernel("aiv", {kX, kY}, body, "%c1"));
  std::vector<float> x(80, 1), y(128, 0);
  RunResult result = program.run({arg("x", {5, 16}, x), arg("y", {8, 16}, y)});
  expectOk(result);
  EXPECT_GT(result.undefinedUses, 0u);
  // It was never in a tensor, so there is no place to name.
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_EQ(output<float>(result, "y")[79], 2.0f);
  EXPECT_EQ(output<float>(result, "y")[80], 0.0f);
}

TEST(Undefined, DecidesABranchOrAnAddress) {
  Param n{"n", "memref<2xi64>", "out"};
  std::string branch = R"mlir(
    %v = pl.read %n[%c1] : memref<2xi64> -> i64
    %z = arith.constant 0 : i64
    %p = arith.cmpi sgt, %v, %z : i64
    scf.if %p {
    }
  )mlir";
  TestProgram branches(oneKernel("aiv", {n, kY}, branch, "%c1"));
  std::vector<float> y(128, 0);
  expectFailure(branches.run({arg("y", {8, 16}, y)}), FailureKind::Undefined,
                {"a branch depends on an undefined value",
                 "it comes from 'n'[1], which task 'k' (block 0)"});
  std::string address = R"mlir(
    %v = pl.read %n[%c0] : memref<2xi64> -> i64
    %i = arith.index_cast %v : i64 to index
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    pl.load %y[%i, %c0] : memref<8x16xf32> into %t : !pl.buffer<1x16xf32, vec, nd>
  )mlir";
  TestProgram addresses(oneKernel("aiv", {n, kY}, address, "%c1"));
  expectFailure(
      addresses.run({arg("y", {8, 16}, y)}), FailureKind::Undefined,
      {"the address of a load depends on an undefined value", "'n'[0]"});
}

TEST(Undefined, ScratchAndFreshBuffersAreNotValues) {
  std::string body = R"mlir(
    %t = pl.buffer "fresh" at 0 : !pl.buffer<8x16xf32, vec, nd>
    pl.store %t, %y[%c0, %c0] : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
  )mlir";
  TestProgram program(oneKernel("aiv", {kY}, body, "%c1"));
  std::vector<float> y(128, 0);
  RunResult result = program.run({arg("y", {8, 16}, y)});
  expectFailure(result, FailureKind::Undefined, {"buffer 'fresh'"});
  // What it holds is NaN, not zero.
  for (float value : output<float>(result, "y"))
    EXPECT_NE(value, value);
}

/// An atomic add to memory that nothing set to zero.
TEST(Undefined, AddToUnwrittenMemory) {
  std::vector<Param> params = {{"y", "memref<8x16xf32>", "out"}};
  std::string body = R"mlir(
    %k = arith.constant 1.0 : f32
    %t = pl.buffer "t" at 0 : !pl.buffer<8x16xf32, vec, nd>
    pl.full %k : f32 into %t : !pl.buffer<8x16xf32, vec, nd>
    pl.store %t, %y[%c0, %c0] atomic add : !pl.buffer<8x16xf32, vec, nd>, memref<8x16xf32>
  )mlir";
  TestProgram program(oneKernel("aiv", params, body, "%c2"));
  expectFailure(program.run({}), FailureKind::Undefined,
                {"element [0, 0] of output 'y'", "'y'[0, 0]", "task 'k'"});
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

TEST(Input, DimsOfOneNameAreEqual) {
  std::string source = phaseTiles(R"mlir(
    func.func @main(%x: memref<?x4xf32> {pl.name = "x", pl.dims = [#pl.dim<"T">], pl.direction = #pl.direction<in>},
                    %z: memref<8x?xf32> {pl.name = "z", pl.dims = [#pl.dim<"T">], pl.direction = #pl.direction<in>})
        attributes {pl.kind = #pl.func_kind<orchestration>} {
      return
    }
  )mlir");
  TestProgram program(source);
  std::vector<float> x(20, 0), z(48, 0);
  expectFailure(program.run({arg("x", {5, 4}, x), arg("z", {8, 6}, z)}),
                FailureKind::Input,
                {"dim 'T' is 5 in 'x' (axis 0) but 6 in 'z' (axis 1)"});
  std::vector<float> five(40, 0);
  expectOk(program.run({arg("x", {5, 4}, x), arg("z", {8, 5}, five)}));
}

TEST(Input, ShapesTypesAndNames) {
  TestProgram program(copyRows(4));
  std::vector<float> y(128, 0), x(16, 0);
  std::vector<int32_t> ints(16, 0);
  TensorArg good = arg("y", {8, 16}, y);
  expectFailure(program.run({good, arg("x", {1, 16}, ints)}),
                FailureKind::Input, {"argument 'x' is [1, 16] of i32"});
  expectFailure(program.run({good, arg("x", {4, 4}, x)}), FailureKind::Input,
                {"the parameter is [?, 16] of f32"});
  expectFailure(program.run({good, arg("z", {1, 16}, x)}), FailureKind::Input,
                {"no tensor parameter 'z'"});
  expectFailure(program.run({good, arg("x", {2, 16}, x)}), FailureKind::Input,
                {"has 64 bytes", "needs 128"});
  expectFailure(program.run({good}), FailureKind::Input,
                {"the extent of axis 0 of 'x' is not known"});
}

TEST(Input, WhatCannotBeDecoded) {
  TestProgram far(oneKernel(
      "aiv", {kY},
      "%t = pl.buffer \"big\" at 188384 : !pl.buffer<1x16xf32, vec, nd>",
      "%c1"));
  EXPECT_FALSE(far.program);
  EXPECT_NE(far.errors.find("buffer 'big' lies at bytes 188384..188448 of vec, "
                            "which has 188416 bytes"),
            std::string::npos)
      << far.errors;
  TestProgram crooked(oneKernel(
      "aiv", {kY}, "%t = pl.buffer \"t\" at 8 : !pl.buffer<1x16xf32, vec, nd>",
      "%c1"));
  EXPECT_NE(crooked.errors.find("buffer 't' at byte 8 of vec is not at a "
                                "multiple of 32 bytes"),
            std::string::npos)
      << crooked.errors;
  TestProgram unplanned(
      oneKernel("aiv", {kY},
                "%t = pl.buffer \"t\" : !pl.buffer<1x16xf32, vec, nd>", "%c1"));
  EXPECT_NE(unplanned.errors.find("has no address"), std::string::npos);
  TestProgram early("module attributes {pl.phase = \"tasks\"} {}");
  EXPECT_NE(early.errors.find("the simulator executes phase 'tiles'"),
            std::string::npos);
}

TEST(Input, ScalarArithmeticFails) {
  std::string body = "%q = arith.divsi %c1, %c0 : index\n";
  TestProgram program(oneKernel("aiv", {kY}, body, "%c1"));
  std::vector<float> y(128, 0);
  expectFailure(program.run({arg("y", {8, 16}, y)}), FailureKind::Arithmetic,
                {"integer operation on 1 and 0 has no result"});
}

} // namespace

//===- CubeTest.cpp - fractal layouts and products ------------------------===//
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

std::vector<uint16_t> toBF16(const std::vector<float> &values) {
  std::vector<uint16_t> result(values.size());
  pl::shim::castRow(ElemType::BF16, result.data(), ElemType::F32, values.data(),
                    values.size(), pl::shim::RoundMode::Rint);
  return result;
}

/// One product of a [m, 32] (valid) and a [32, 48], added atomically or stored,
/// in two steps of K. The left operand is loaded transposed if asked.
std::string product(llvm::StringRef store, bool transposedRhs) {
  std::string rhsType =
      transposedRhs ? "memref<48x32xbf16>" : "memref<32x48xbf16>";
  std::vector<Param> params = {{"x", "memref<?x32xbf16>", "in"},
                               {"w", rhsType, "in"},
                               {"y", "memref<?x48xf32>", "inout"}};
  std::string load =
      transposedRhs
          ? "pl.load %w[%c0, %k] transpose : " + rhsType +
                " into %wz : !pl.buffer<16x48xbf16, mat, zn>\n"
                "pl.move %wz : !pl.buffer<16x48xbf16, mat, zn> into %w0 : "
                "!pl.buffer<16x48xbf16, right, zn>\n"
          : "pl.load %w[%k, %c0] : " + rhsType +
                " into %wn : !pl.buffer<16x48xbf16, mat, nz>\n"
                "pl.move %wn : !pl.buffer<16x48xbf16, mat, nz> into %w0 : "
                "!pl.buffer<16x48xbf16, right, zn>\n";
  return oneKernel(
      "aic", params,
      R"mlir(
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %n = memref.dim %x, %c0 : memref<?x32xbf16>
    %r0 = arith.muli %b, %c16 : index
    %left = arith.subi %n, %r0 : index
    %rows = arith.minsi %left, %c16 : index
    %xm = pl.buffer "xm" valid(%rows) at 0 : !pl.buffer<16x16xbf16, mat, nz, valid = ?x16>
    %wn = pl.buffer "wn" at 1024 : !pl.buffer<16x48xbf16, mat, nz>
    %wz = pl.buffer "wz" at 4096 : !pl.buffer<16x48xbf16, mat, zn>
    %x0 = pl.buffer "x0" valid(%rows) at 0 : !pl.buffer<16x16xbf16, left, zz, valid = ?x16>
    %w0 = pl.buffer "w0" at 0 : !pl.buffer<16x48xbf16, right, zn>
    %acc = pl.buffer "acc" valid(%rows) at 0 : !pl.buffer<16x48xf32, acc, nz, valid = ?x48>
    scf.for %k = %c0 to %c32 step %c16 {
      pl.load %x[%r0, %k] : memref<?x32xbf16> into %xm : !pl.buffer<16x16xbf16, mat, nz, valid = ?x16>
      pl.move %xm : !pl.buffer<16x16xbf16, mat, nz, valid = ?x16> into %x0 : !pl.buffer<16x16xbf16, left, zz, valid = ?x16>
      )mlir" +
          load + R"mlir(
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        pl.matmul %x0, %w0 : !pl.buffer<16x16xbf16, left, zz, valid = ?x16>, !pl.buffer<16x48xbf16, right, zn> into %acc : !pl.buffer<16x48xf32, acc, nz, valid = ?x48>
      } else {
        pl.matmul_acc %acc, %x0, %w0 : !pl.buffer<16x48xf32, acc, nz, valid = ?x48>, !pl.buffer<16x16xbf16, left, zz, valid = ?x16>, !pl.buffer<16x48xbf16, right, zn> into %acc : !pl.buffer<16x48xf32, acc, nz, valid = ?x48>
      }
    }
    pl.store %acc, %y[%r0, %c0] )mlir" +
          store.str() +
          " : !pl.buffer<16x48xf32, acc, nz, valid = ?x48>, memref<?x48xf32>",
      "%c2");
}

TEST(Cube, ProductIsAChainOfFusedSteps) {
  for (bool transposed : {false, true}) {
    TestProgram program(product("", transposed));
    for (int64_t rows : {17, 19, 32}) {
      std::vector<uint16_t> x = toBF16(randomFloats(size_t(rows) * 32, 4));
      std::vector<uint16_t> w = toBF16(randomFloats(32 * 48, 5));
      std::vector<float> y(size_t(rows) * 48, 3);
      std::vector<int64_t> wShape = transposed ? std::vector<int64_t>{48, 32}
                                               : std::vector<int64_t>{32, 48};
      RunResult result =
          program.run({arg("x", {rows, 32}, x), arg("w", wShape, w),
                       arg("y", {rows, 48}, y)});
      expectOk(result);
      EXPECT_GT(result.matmulSeconds, 0.0);
      std::vector<float> got = output<float>(result, "y");
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < 48; ++c) {
          float sum = 0;
          for (int64_t k = 0; k < 32; ++k) {
            uint16_t b = transposed ? w[c * 32 + k] : w[k * 48 + c];
            sum = std::fma(pl::shim::bf16ToF32(x[r * 32 + k]),
                           pl::shim::bf16ToF32(b), sum);
          }
          ASSERT_EQ(got[r * 48 + c], sum) << r << ", " << c;
        }
    }
  }
}

/// GM -> nz -> zz, and zn, and back: every element where its layout says.
TEST(Cube, LayoutsOfEveryElementSize) {
  struct Case {
    std::string element;
    int size;
  };
  for (const Case &test : {Case{"i8", 1}, Case{"bf16", 2}, Case{"f32", 4}}) {
    std::string tensor = "memref<32x64x" + test.element + ">";
    std::string box = "!pl.buffer<32x64x" + test.element;
    std::vector<Param> params = {{"x", tensor, "in"}, {"y", tensor, "out"}};
    // Out of `mat` by a store, as the machine can on this memory.
    TestProgram program(oneKernel(
        "aic", params,
        "%m = pl.buffer \"m\" at 0 : " + box + ", mat, nz>\n" +
            "%z = pl.buffer \"z\" at 0 : " + box + ", left, zz>\n" +
            "%n = pl.buffer \"n\" at 0 : " + box + ", right, zn>\n" +
            "%p = pl.buffer \"p\" at 65536 : " + box + ", mat, nz>\n" +
            "pl.load %x[%c0, %c0] : " + tensor + " into %m : " + box +
            ", mat, nz>\n" + "pl.move %m : " + box +
            ", mat, nz> into %z : " + box + ", left, zz>\n" +
            "pl.move %z : " + box + ", left, zz> into %n : " + box +
            ", right, zn>\n" + "pl.move %n : " + box +
            ", right, zn> into %p : " + box + ", mat, nz>\n" +
            "pl.store %p, %y[%c0, %c0] : " + box + ", mat, nz>, " + tensor,
        "%c1"));
    std::vector<uint8_t> bytes(32 * 64 * size_t(test.size));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t(i * 37 + i / 256);
    TensorArg x;
    x.name = "x";
    x.shape = {32, 64};
    x.type = test.size == 1   ? ElemType::I8
             : test.size == 2 ? ElemType::BF16
                              : ElemType::F32;
    x.bytes = bytes;
    RunResult result = program.run({x});
    expectOk(result);
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_EQ(result.outputs[0].bytes, bytes);
  }
}

/// An extract takes its window, and the accumulator narrows on its way out.
TEST(Cube, ExtractAndNarrow) {
  std::vector<Param> params = {{"x", "memref<32x32xbf16>", "in"},
                               {"w", "memref<16x16xbf16>", "in"},
                               {"y", "memref<16x16xbf16>", "out"}};
  TestProgram program(oneKernel("aic", params, R"mlir(
    %m = pl.buffer "m" at 0 : !pl.buffer<32x32xbf16, mat, nz>
    %n = pl.buffer "n" at 2048 : !pl.buffer<16x16xbf16, mat, nz>
    %z = pl.buffer "z" at 0 : !pl.buffer<16x16xbf16, left, zz>
    %w0 = pl.buffer "w0" at 0 : !pl.buffer<16x16xbf16, right, zn>
    %acc = pl.buffer "acc" at 0 : !pl.buffer<16x16xf32, acc, nz>
    pl.load %x[%c0, %c0] : memref<32x32xbf16> into %m : !pl.buffer<32x32xbf16, mat, nz>
    pl.load %w[%c0, %c0] : memref<16x16xbf16> into %n : !pl.buffer<16x16xbf16, mat, nz>
    pl.extract %m[16, 0] : !pl.buffer<32x32xbf16, mat, nz> into %z : !pl.buffer<16x16xbf16, left, zz>
    pl.move %n : !pl.buffer<16x16xbf16, mat, nz> into %w0 : !pl.buffer<16x16xbf16, right, zn>
    pl.matmul %z, %w0 : !pl.buffer<16x16xbf16, left, zz>, !pl.buffer<16x16xbf16, right, zn> into %acc : !pl.buffer<16x16xf32, acc, nz>
    pl.store %acc, %y[%c0, %c0] : !pl.buffer<16x16xf32, acc, nz>, memref<16x16xbf16>
  )mlir",
                                "%c1"));
  std::vector<uint16_t> x = toBF16(randomFloats(32 * 32, 6));
  std::vector<uint16_t> w(256, 0);
  for (int i = 0; i < 16; ++i)
    w[i * 16 + i] = 0x3f80; // one
  RunResult result =
      program.run({arg("x", {32, 32}, x), arg("w", {16, 16}, w)});
  expectOk(result);
  std::vector<uint16_t> y = output<uint16_t>(result, "y");
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(y[r * 16 + c], x[(r + 16) * 32 + c]);
}

/// INT8 with a run-time number of rows: exact, and only those are touched.
TEST(Cube, IntegerRowsOfAnyNumber) {
  std::vector<Param> params = {{"x", "memref<?x64xi8>", "in"},
                               {"w", "memref<64x32xi8>", "in"},
                               {"y", "memref<128x32xi32>", "inout"}};
  std::string source = oneKernel("aic", params, R"mlir(
    %n = memref.dim %x, %c0 : memref<?x64xi8>
    %m = pl.buffer "m" valid(%n) at 0 : !pl.buffer<128x64xi8, mat, nz, valid = ?x64>
    %v = pl.buffer "v" at 8192 : !pl.buffer<64x32xi8, mat, nz>
    %z = pl.buffer "z" valid(%n) at 0 : !pl.buffer<128x64xi8, left, zz, valid = ?x64>
    %w0 = pl.buffer "w0" at 0 : !pl.buffer<64x32xi8, right, zn>
    %a = pl.buffer "a" valid(%n) at 0 : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>
    %s = pl.buffer "s" valid(%n) at 16384 : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>
    pl.load %x[%c0, %c0] : memref<?x64xi8> into %m : !pl.buffer<128x64xi8, mat, nz, valid = ?x64>
    pl.load %w[%c0, %c0] : memref<64x32xi8> into %v : !pl.buffer<64x32xi8, mat, nz>
    pl.move %m : !pl.buffer<128x64xi8, mat, nz, valid = ?x64> into %z : !pl.buffer<128x64xi8, left, zz, valid = ?x64>
    pl.move %v : !pl.buffer<64x32xi8, mat, nz> into %w0 : !pl.buffer<64x32xi8, right, zn>
    pl.matmul %z, %w0 : !pl.buffer<128x64xi8, left, zz, valid = ?x64>, !pl.buffer<64x32xi8, right, zn> into %a : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>
    pl.matmul_acc %a, %z, %w0 : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>, !pl.buffer<128x64xi8, left, zz, valid = ?x64>, !pl.buffer<64x32xi8, right, zn> into %s : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>
    pl.store %s, %y[%c0, %c0] : !pl.buffer<128x32xi32, acc, nz, valid = ?x32>, memref<128x32xi32>
  )mlir",
                                 "%c1");
  TestProgram program(source);
  std::mt19937 engine(12);
  for (int64_t rows : {0, 1, 5, 16, 17, 128}) {
    std::vector<int8_t> x(size_t(rows) * 64), w(64 * 32);
    for (int8_t &value : x)
      value = int8_t(engine());
    for (int8_t &value : w)
      value = int8_t(engine());
    std::vector<int32_t> y(128 * 32, -7);
    RunResult result =
        program.run({arg("x", {rows, 64}, x), arg("w", {64, 32}, w),
                     arg("y", {128, 32}, y)});
    expectOk(result);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < 32; ++c) {
        int32_t sum = 0;
        for (int64_t k = 0; k < 64; ++k)
          sum += x[r * 64 + k] * w[k * 32 + c];
        y[r * 32 + c] = 2 * sum;
      }
    EXPECT_EQ(output<int32_t>(result, "y"), y) << rows << " rows";
  }
}

} // namespace

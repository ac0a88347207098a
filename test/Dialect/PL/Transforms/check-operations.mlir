// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-check-operations))' -verify-diagnostics -split-input-file

pl.kernel aiv @fine(%x: memref<16x32xf32>, %h: memref<16x32xbf16>, %q: memref<16x32xi64>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<16x32xf32> -> !pl.tile<16x32xf32>
  %b = pl.add %a, %a : !pl.tile<16x32xf32>, !pl.tile<16x32xf32> -> !pl.tile<16x32xf32>
  // Moving and converting are for every type.
  %c = pl.load %h[%c0, %c0] : memref<16x32xbf16> -> !pl.tile<16x32xbf16>
  %d = pl.cast %c none : !pl.tile<16x32xbf16> -> !pl.tile<16x32xf32>
  %e = pl.load %q[%c0, %c0] : memref<16x32xi64> -> !pl.tile<16x32xi64>
  pl.store %e, %q[%c0, %c0] : !pl.tile<16x32xi64>, memref<16x32xi64>
}

// -----

// The first operand of an accumulation is the accumulator, INT32 for INT8.
pl.kernel aic @accumulate(%x: memref<32x32xi8>, %y: memref<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<32x32xi8> -> !pl.tile<32x32xi8>
  %b = pl.matmul %a, %a : !pl.tile<32x32xi8>, !pl.tile<32x32xi8> -> !pl.tile<32x32xi32>
  %c = pl.matmul_acc %b, %a, %a : !pl.tile<32x32xi32>, !pl.tile<32x32xi8>, !pl.tile<32x32xi8> -> !pl.tile<32x32xi32>
  pl.store %c, %y[%c0, %c0] : !pl.tile<32x32xi32>, memref<32x32xi32>
}

// -----

pl.kernel aiv @bf16(%h: memref<16x32xbf16>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : bf16
  %a = pl.load %h[%c0, %c0] : memref<16x32xbf16> -> !pl.tile<16x32xbf16>
  // expected-error @+1 {{PL102: a2a3 has no pl.add of BF16 tiles, only of FP32, FP16, INT32 and INT16; cast to one of them, and back}}
  %b = pl.add %a, %a : !pl.tile<16x32xbf16>, !pl.tile<16x32xbf16> -> !pl.tile<16x32xbf16>
  // expected-error @+1 {{PL102: a2a3 has no pl.mul of BF16 tiles}}
  %c = pl.muls %a, %two : !pl.tile<16x32xbf16>, bf16 -> !pl.tile<16x32xbf16>
  // expected-error @+1 {{PL102: a2a3 has no pl.row_max of BF16 tiles}}
  %d = pl.row_max %a : !pl.tile<16x32xbf16> -> !pl.tile<16x1xbf16>
}

// -----

pl.kernel aiv @integers(%x: memref<16x32xi64>, %y: memref<32x32xi8>, %z: memref<16x32xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %a = pl.load %z[%c0, %c0] : memref<16x32xi32> -> !pl.tile<16x32xi32>
  // expected-error @+1 {{PL102: a2a3 has no pl.div of INT32 tiles, only of FP32 and FP16; cast}}
  %b = pl.div %a, %a : !pl.tile<16x32xi32>, !pl.tile<16x32xi32> -> !pl.tile<16x32xi32>
  // expected-error @+1 {{PL102: a2a3 has no pl.full of INT64 tiles}}
  %c = pl.full %zero : i64 -> !pl.tile<16x32xi64>
  %d = pl.load %y[%c0, %c0] : memref<32x32xi8> -> !pl.tile<32x32xi8>
  // expected-error @+1 {{PL102: a2a3 has no pl.neg of INT8 tiles}}
  %e = pl.neg %d : !pl.tile<32x32xi8> -> !pl.tile<32x32xi8>
}

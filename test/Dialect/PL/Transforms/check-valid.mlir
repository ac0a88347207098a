// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-check-valid))' -verify-diagnostics -split-input-file

// Equal boxes, a full operand, and a minimum inside its bound.
pl.kernel aiv @fine(%x: memref<17x64xf32>, %n: index {pl.name = "n"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = arith.minsi %n, %c4 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %f = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32>
  %m = pl.load %x[%c0, %c0] valid(%r) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %s = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = 4x64>
  %1 = pl.add %a, %a : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
  %2 = pl.add %f, %a : !pl.tile<8x64xf32>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
  %3 = pl.add %m, %s : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = 4x64> -> !pl.tile<8x64xf32, valid = ?x64>
  %4 = pl.add %m, %a : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
}

// -----

// The extent of a tile is the value that tile was given.
pl.kernel aiv @extent_of(%x: memref<17x64xf32>, %n: index {pl.name = "n"}) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %v = pl.valid_extent %a, 0 : !pl.tile<8x64xf32, valid = ?x64>
  %f = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32>
  %b = pl.set_valid %f valid(%v) : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %1 = pl.add %a, %b : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
}

// -----

pl.kernel aiv @unrelated(%x: memref<17x64xf32>, %n: index {pl.name = "n"}, %m: index {pl.name = "m"}) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] valid(%n) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  %b = pl.load %x[%c0, %c0] valid(%m) : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = ?x64>
  // expected-error @+1 {{PL101: an operand valid [n, 64] and an operand valid [m, 64]: neither valid box is known to lie inside the other; narrow both to one box with set_validshape}}
  %c = pl.add %a, %b : !pl.tile<8x64xf32, valid = ?x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
}

// -----

// One is taller, the other wider.
pl.kernel aiv @crossed(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = 4x64>
  %b = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<8x64xf32, valid = 8x32>
  // expected-error @+1 {{neither valid box is known to lie inside the other}}
  %c = pl.add %a, %b : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = 8x32> -> !pl.tile<8x64xf32, valid = 4x32>
}

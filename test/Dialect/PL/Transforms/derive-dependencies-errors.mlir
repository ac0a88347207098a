// RUN: pl-opt %s -pl-derive-dependencies -verify-diagnostics -split-input-file

func.func @loop(%x: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.for range %i = %c0 to %n step %c1 {
    // expected-error @+1 {{a task inside a loop or branch of the orchestration is not lowered yet}}
    %t = pl.at "inner" {
    }
  }
  return
}

// -----

func.func @read_back(%x: memref<16xi32> {pl.name = "lens"}) {
  %c0 = arith.constant 0 : index
  %t = pl.at "w" {
    %c7 = arith.constant 7 : i32
    %zero = arith.constant 0 : index
    // expected-note @+1 {{written here}}
    pl.write %c7, %x[%zero] : i32, memref<16xi32>
  }
  // expected-error @+1 {{the orchestration reads 'lens', which a task writes}}
  %v = pl.read %x[%c0] : memref<16xi32> -> i32
  return
}

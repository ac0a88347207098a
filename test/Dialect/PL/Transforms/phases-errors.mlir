// RUN: pl-opt %s -pl-check-phase=phase=tiles -verify-diagnostics -split-input-file
// RUN: not pl-opt %s -split-input-file -pl-check-phase=phase=tile 2>&1 | FileCheck %s
// CHECK: there is no phase 'tile'; it is one of pl, tasks, tiles

func.func @scope() {
  // expected-error @+1 {{'pl.at' does not belong to phase 'tiles'}}
  %t = pl.at "s" {
  }
  return
}

// -----

pl.kernel aiv @values(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'pl.load' does not belong to phase 'tiles'}}
  %a = pl.load %x[%c0, %c0] : memref<17x64xf32> -> !pl.tile<1x64xf32>
}

// -----

pl.kernel aiv @no_address(%x: memref<17x64xf32>) {
  // expected-error @+1 {{buffer 'a' has no address in phase 'tiles'}}
  %a = pl.buffer "a" : !pl.buffer<1x64xf32, vec, nd>
}

// -----

pl.kernel aiv @not_planned(%x: memref<17x64xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'pl.for' does not belong to phase 'tiles'}}
  pl.for range %i = %c1 to %n step %c1 {
  }
}

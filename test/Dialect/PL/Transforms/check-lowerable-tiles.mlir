// The door of phase tiles: what kernels do that is not lowered yet.
// RUN: pl-opt %s --pl-check-lowerable=to=tiles --split-input-file --verify-diagnostics
// RUN: sed 's/expected-.*//' %s | not pl-opt --pl-check-lowerable='to=tiles remarks-only' --split-input-file 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: remark: 'pl.sin' is not lowered past phase 'tasks' yet: what later phases check of this entry is undecided

pl.kernel aiv @ops(%x: memref<8x64xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.for range %i = %c0 to %c1 step %c1 {
  }
  %u = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
  // expected-error @+1 {{PL099: 'pl.sin' is not lowered past phase 'tasks' yet}}
  %v = pl.sin %u : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // Each kind is named once.
  %w = pl.sin %v : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  pl.store %w, %x[%c0, %c0] : !pl.tile<8x64xf32>, memref<8x64xf32>
}

// -----

// expected-error @+1 {{UINT32 is not lowered past phase 'tasks' yet}}
pl.kernel aiv @types(%x: memref<8x64xui32> {pl.name = "x"}) {
}
func.func @main(%x: memref<8x64xf32>) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // expected-error @+1 {{init_value= of pl.create_tensor is not lowered past phase 'tasks' yet}}
  %y = pl.alloc "y"() {pl.init_value = 0 : i64} : memref<8x64xf32>
  return
}

// -----

// A memory that the user chose is not lost.
pl.kernel aiv @spaces(%x: memref<8x64xf32> {pl.name = "x"}) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{a tile in the memory that target_memory= or pl.create_l1 names is not lowered past phase 'tasks' yet}}
  %u = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32, mat>
  pl.store %u, %x[%c0, %c0] : !pl.tile<8x64xf32, mat>, memref<8x64xf32>
}

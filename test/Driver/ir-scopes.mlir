// IR that enters in phase pl obeys the rules of scopes that sources obey.

// RUN: %exits 1 plc check %s 2>&1 | FileCheck %s
// RUN: %exits 1 plc compile %s -o %t 2>&1 | FileCheck %s
// RUN: %exits 1 plc compile --emit=pl %s 2>&1 | FileCheck %s
// RUN: %exits 1 plc compile --emit=pl - < %s 2>&1 | FileCheck %s
// RUN: sed 's/pl.exp .p/pl.exp %%h/' %s > %t.mlir
// RUN: plc check %t.mlir | FileCheck %s --check-prefix=GOOD

// CHECK: {{(ir-scopes.mlir|<stdin>)}}:[[# @LINE + 15]]:{{.*}} error: a product of the cube enters the vector lanes unnamed; take it with pl.aiv_shard(...) in the region and use what that gives
// GOOD: no problems found

module @lanes attributes {pl.phase = "pl"} {
  func.func @lanes(
      %x: memref<32x32xbf16> {pl.name = "x", pl.direction = #pl.direction<in>},
      %y: memref<32x32xf32> {pl.name = "y", pl.direction = #pl.direction<out>})
      attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %t = pl.at "mixed" {
      %a = pl.load %x[%c0, %c0] : memref<32x32xbf16> -> !pl.tile<32x32xbf16>
      %p = pl.matmul %a, %a : !pl.tile<32x32xbf16>, !pl.tile<32x32xbf16> -> !pl.tile<32x32xf32>
      pl.split_aiv none {
      ^bb0(%lane: index):
        %h = pl.aiv_shard none %p : !pl.tile<32x32xf32> -> !pl.tile<32x32xf32>
        %e = pl.exp %p : !pl.tile<32x32xf32> -> !pl.tile<32x32xf32>
        pl.store %e, %y[%c0, %c0] : !pl.tile<32x32xf32>, memref<32x32xf32>
      }
    }
    return
  }
}

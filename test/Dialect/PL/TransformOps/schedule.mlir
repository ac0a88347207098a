// RUN: pl-opt %s -transform-interpreter | FileCheck %s
// RUN: pl-opt %s | pl-opt | FileCheck %s --check-prefix=TEXT
// RUN: pl-opt %examples/decode/decode_swa.parallel.mlir | pl-opt | FileCheck %s --check-prefix=PARALLEL
// RUN: pl-opt %examples/decode/decode_swa.fused.mlir | pl-opt | FileCheck %s --check-prefix=FUSED

// PARALLEL: transform.pl.fan_out_collective %{{.*}} workers 16 tile 8 strided
// PARALLEL: transform.pl.anchor_waits %{{.*}} after %{{.*}} into %{{.*}}
// PARALLEL: transform.pl.spmdize %{{.*}} tile 32 assume_disjoint
// FUSED: transform.pl.fuse_publish %{{.*}} with %{{.*}} workers 48 into ["swa_merge_publish", "o_group_a2a_finish"]

// A schedule is a transform script; these are its words.

module attributes {transform.with_named_sequence} {
  func.func @relay(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}, %me: index,
                   %x: memref<?x7xf32> {pl.name = "x"}, %y: memref<?x7xf32> {pl.name = "y"},
                   %u: memref<33x7xf32> {pl.name = "u"}, %v: memref<33x7xf32> {pl.name = "v"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    %c33 = arith.constant 33 : index
    %one = arith.constant 1 : i32
    %n = memref.dim %x, %c0 : memref<?x7xf32>
    %s = pl.at "shout" {
      pl.notify add %one, %sig[%me, %c0] peer %c0 : memref<3x1xi32, #pl.window>
    }
    %h = pl.at "heard" {
      pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
    }
    %b = pl.at "both" {
      pl.for range %i = %c0 to %n step %c1 {
        %t = pl.load %x[%i, %c0] : memref<?x7xf32> -> !pl.tile<1x7xf32>
        pl.store %t, %y[%i, %c0] : !pl.tile<1x7xf32>, memref<?x7xf32>
      }
      pl.for range %i = %c0 to %c33 step %c1 {
        %t = pl.load %u[%i, %c0] : memref<33x7xf32> -> !pl.tile<1x7xf32>
        pl.store %t, %v[%i, %c0] : !pl.tile<1x7xf32>, memref<33x7xf32>
      }
    }
    return
  }
  // CHECK: %[[S:.*]] = pl.at "shout"
  // CHECK: pl.at "heard" deps(%[[S]] : [#pl.edge<user>]) {
  // CHECK-NEXT: pl.wait ge
  // CHECK: pl.spmd "rows" blocks(%{{.*}}) {
  // CHECK: memref<?x7xf32>
  // CHECK: pl.spmd "more" blocks(%{{.*}}) {
  // CHECK: memref<33x7xf32>

  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // TEXT: %[[SHOUT:.*]] = transform.pl.task "shout" in %{{.*}}
    // TEXT: %[[HEARD:.*]] = transform.pl.task "heard" in %{{.*}}
    // TEXT: transform.pl.anchor_waits %[[HEARD]] after %[[SHOUT]]{{$}}
    %shout = transform.pl.task "shout" in %program
    %heard = transform.pl.task "heard" in %program
    %wait = transform.pl.anchor_waits %heard after %shout
    // TEXT: %[[BOTH:.*]] = transform.pl.task "both" in %{{.*}}
    // TEXT: %[[PARTS:.*]]:2 = transform.pl.split_fused_tasks %[[BOTH]] into ["rows", "rest"]
    // TEXT: transform.pl.spmdize %[[PARTS]]#0 tile 4 workers 3 strided{{$}}
    // TEXT: %[[REST:.*]] = transform.pl.spmdize %[[PARTS]]#1 tile 3 into "more"
    // TEXT: %[[FINE:.*]] = transform.pl.fan_out_m %[[REST]] factor 3 strided
    // TEXT: transform.pl.coarsen_blocks %[[FINE]] factor 2{{$}}
    %both = transform.pl.task "both" in %program
    %rows, %rest = transform.pl.split_fused_tasks %both into ["rows", "rest"]
    transform.pl.spmdize %rows tile 4 workers 3 strided
    %blocks = transform.pl.spmdize %rest tile 3 into "more"
    %fine = transform.pl.fan_out_m %blocks factor 3 strided
    transform.pl.coarsen_blocks %fine factor 2
    // What is optional and not there is left alone.
    // TEXT: %[[NONE:.*]] = transform.pl.task "nobody" in %{{.*}} optional
    // TEXT: %[[SILENT:.*]] = transform.pl.anchor_waits %[[NONE]] after %[[SHOUT]] deferred
    // TEXT: transform.pl.coarsen_blocks %[[SILENT]] factor 2
    %nobody = transform.pl.task "nobody" in %program optional
    %silent = transform.pl.anchor_waits %nobody after %shout deferred
    transform.pl.coarsen_blocks %silent factor 2
    transform.yield
  }
}

// RUN: pl-opt %s -transform-interpreter | FileCheck %s
// RUN: pl-opt %s | pl-opt | FileCheck %s --check-prefix=TEXT

// A schedule is a transform script; these are its words.

module attributes {transform.with_named_sequence} {
  func.func @relay(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}, %me: index) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %s = pl.at "shout" {
      pl.notify add %one, %sig[%me, %c0] peer %c0 : memref<3x1xi32, #pl.window>
    }
    %h = pl.at "heard" {
      pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
    }
    return
  }
  // CHECK: %[[S:.*]] = pl.at "shout"
  // CHECK: pl.at "heard" deps(%[[S]] : [#pl.edge<user>]) {
  // CHECK-NEXT: pl.wait ge

  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // TEXT: %[[SHOUT:.*]] = transform.pl.task "shout" in %{{.*}}
    // TEXT: %[[HEARD:.*]] = transform.pl.task "heard" in %{{.*}}
    // TEXT: transform.pl.anchor_waits %[[HEARD]] after %[[SHOUT]]{{$}}
    %shout = transform.pl.task "shout" in %program
    %heard = transform.pl.task "heard" in %program
    %wait = transform.pl.anchor_waits %heard after %shout
    transform.yield
  }
}

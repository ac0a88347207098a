// RUN: pl-opt %s -split-input-file -pl-anchor-waits='task=heard after=shout' | FileCheck %s --check-prefix=HOLD
// RUN: pl-opt %s -split-input-file -pl-anchor-waits='task=heard after=shout into=answer' | FileCheck %s --check-prefix=INTO
// RUN: pl-opt %s -split-input-file -pl-anchor-waits='task=answer after=shout deferred' | FileCheck %s --check-prefix=APART
// RUN: pl-opt %s -split-input-file -pl-anchor-waits='task=answer after=shout deferred' | pl-opt -split-input-file -pl-anchor-waits='task=answer_wait after=shout into=answer' | FileCheck %s --check-prefix=BACK

// A wait that nothing orders gets the task that it follows; another one that
// waits for it takes it in; waits at the begin of a task become one of their own.

func.func @three(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}, %me: index,
                 %x: memref<5x7xf32> {pl.name = "x"}, %y: memref<5x7xf32> {pl.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %e = pl.dummy "early"
  %s = pl.at "shout" {
    pl.for range %p = %c0 to %c3 step %c1 {
      pl.notify add %one, %sig[%me, %c0] peer %p : memref<3x1xi32, #pl.window>
    }
  }
  %h = pl.at "heard" deps(%e : [#pl.edge<user>]) {
    pl.for range %p = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %p, %me : index
      scf.if %other {
        pl.defer_wait %sig[%p, %c0] reaches %one : memref<3x1xi32, #pl.window>
      }
    }
  }
  %a = pl.at "answer" deps(%h, %s : [#pl.edge<user>, #pl.edge<user>]) early_resolve {
    %again = arith.addi %one, %one : i32
    pl.wait ge %again, %sig[%c0, %c0] : memref<3x1xi32, #pl.window>
    %t = pl.load %x[%c0, %c0] : memref<5x7xf32> -> !pl.tile<5x7xf32>
    pl.store %t, %y[%c0, %c0] : !pl.tile<5x7xf32>, memref<5x7xf32>
    pl.notify add %again, %sig[%me, %c0] peer %me : memref<3x1xi32, #pl.window>
  }
  return
}
// HOLD-LABEL: func.func @three
// HOLD: %[[E:.*]] = pl.dummy "early"
// HOLD: %[[S:.*]] = pl.at "shout" {
// HOLD: %[[H:.*]] = pl.at "heard" deps(%[[E]], %[[S]] : [#pl.edge<user>, #pl.edge<user>]) {
// HOLD:   pl.for range %[[P:.*]] =
// HOLD:     scf.if
// HOLD-NEXT:  pl.wait ge %{{.*}}, %{{.*}}[%[[P]], %{{.*}}]
// HOLD-NOT: defer_wait
// HOLD: pl.at "answer" deps(%[[H]], %[[S]] :

// INTO-LABEL: func.func @three
// INTO: %[[E:.*]] = pl.dummy "early"
// INTO: %[[S:.*]] = pl.at "shout" {
// INTO-NOT: "heard"
// INTO: pl.at "answer" deps(%[[S]], %[[E]] : [#pl.edge<user>, #pl.edge<user>]) early_resolve {
// INTO-NEXT: pl.for range
// INTO:        pl.wait ge
// INTO:      pl.wait ge
// INTO-NEXT: pl.load

// APART-LABEL: func.func @three
// APART: %[[S:.*]] = pl.at "shout" {
// APART: %[[H:.*]] = pl.at "heard"
// APART: %[[W:.*]] = pl.at "answer_wait" deps(%[[H]], %[[S]] : [#pl.edge<user>, #pl.edge<user>]) {
// APART-NEXT: %[[TWO:.*]] = arith.addi
// APART-NEXT: pl.defer_wait %{{.*}} reaches %[[TWO]]
// APART-NEXT: }
// APART-NEXT: pl.at "answer" deps(%[[H]], %[[S]], %[[W]] : [#pl.edge<user>, #pl.edge<user>, #pl.edge<user>]) early_resolve {
// APART-NEXT: arith.addi
// APART-NEXT: pl.load
// APART-NOT: pl.wait

// BACK-LABEL: func.func @three
// BACK-NOT: answer_wait
// BACK: pl.at "answer" deps(%{{[0-9]+}}, %{{[0-9]+}} : [#pl.edge<user>, #pl.edge<user>]) early_resolve {
// BACK: pl.wait ge
// BACK: pl.load

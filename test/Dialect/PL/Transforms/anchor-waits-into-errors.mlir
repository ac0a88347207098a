// RUN: pl-opt %s -split-input-file -verify-diagnostics -pl-anchor-waits='task=w after=p into=c'

func.func @does_not_follow(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %p = pl.dummy "p"
  // expected-error @+1 {{'c' does not wait for 'w'}}
  pl.at "w" {
    pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  // expected-note @+1 {{write it into deps= here, if it should}}
  pl.at "c" {
  }
  return
}

// -----

func.func @others_follow(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %p = pl.dummy "p"
  // expected-error @+1 {{'d' also waits for 'w', which would be a part of 'c'}}
  %w = pl.at "w" {
    pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  pl.at "c" deps(%w : [#pl.edge<user>]) {
  }
  // expected-note @+1 {{this would then wait for more}}
  pl.dummy "d" deps(%w : [#pl.edge<user>])
  return
}

// -----

func.func @blocks(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %p = pl.dummy "p"
  // expected-error @+1 {{the waits of 'w' would be in every block of 'c'}}
  %w = pl.at "w" {
    pl.defer_wait %sig[%c0, %c0] reaches %one : memref<3x1xi32, #pl.window>
  }
  // expected-note @+1 {{a task of many blocks}}
  pl.spmd "c" blocks(%c3) deps(%w : [#pl.edge<user>]) {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @works(%sig: memref<3x1xi32, #pl.window> {pl.name = "sig"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %p = pl.dummy "p"
  // expected-error @+1 {{'w' does more than to wait, and cannot become part of 'c'}}
  %w = pl.at "w" {
    pl.wait ge %one, %sig[%c0, %c0] : memref<3x1xi32, #pl.window>
    // expected-note @+1 {{this}}
    pl.notify add %one, %sig[%c0, %c0] peer %c0 : memref<3x1xi32, #pl.window>
  }
  pl.at "c" deps(%w : [#pl.edge<user>]) {
  }
  return
}

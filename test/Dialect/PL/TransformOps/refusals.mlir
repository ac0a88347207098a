// RUN: pl-opt %s -split-input-file -verify-diagnostics -transform-interpreter

module attributes {transform.with_named_sequence} {
  func.func @f() {
    pl.dummy "relay"
    pl.dummy "other"
    return
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+2 {{PL120: there is no task 'rellay'}}
    // expected-note @+1 {{did you mean 'relay'?}}
    transform.pl.task "rellay" in %program
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() {
    pl.dummy "relay"
    pl.dummy "other"
    return
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+2 {{PL120: there is no task 'matmul'}}
    // expected-note @+1 {{the tasks are relay, other}}
    transform.pl.task "matmul" in %program
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() {
    pl.dummy "before"
    pl.dummy "twice"
    pl.dummy "twice"
    return
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %twice = transform.pl.task "twice" in %program
    %before = transform.pl.task "before" in %program
    // expected-error @+1 {{PL120: pl.anchor_waits takes one task as its target, and this handle is of 2}}
    transform.pl.anchor_waits %twice after %before
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() {
    pl.dummy "before"
    // expected-error @+1 {{PL120: task 'idle' waits for no signal}}
    pl.at "idle" {
    }
    return
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %idle = transform.pl.task "idle" in %program
    %before = transform.pl.task "before" in %program
    // expected-note @+1 {{asked for here, by pl.anchor_waits}}
    transform.pl.anchor_waits %idle after %before
    transform.yield
  }
}

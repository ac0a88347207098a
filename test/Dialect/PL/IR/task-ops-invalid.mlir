// RUN: pl-opt %s -verify-diagnostics -split-input-file

func.func @slot(%t: !pl.task_array<2>) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{'pl.task_slot' op expects a slot in 0..1, got 2}}
  %s = pl.task_slot %t[%c2] : !pl.task_array<2>
  return
}

// -----

func.func @set(%t: !pl.task_array<2>, %a: !pl.task) {
  %c = arith.constant -1 : index
  // expected-error @+1 {{'pl.task_set' op expects a slot in 0..1, got -1}}
  %s = pl.task_set %t[%c] = %a : !pl.task_array<2>
  return
}

// -----

func.func @results() {
  // expected-error @+1 {{'pl.scope' op expects a body that yields a value for each of its 1 results}}
  %r = pl.scope manual -> (!pl.task) {
  }
  return
}

// -----

func.func @nested() {
  // expected-note @+1 {{the manual scope is here}}
  pl.scope manual {
    // expected-error @+1 {{'pl.scope' op does not belong into a manual scope}}
    pl.scope auto {
    }
  }
  return
}

// -----

func.func @outside(%m: memref<8xf32>) {
  // expected-error @+1 {{'pl.no_dep' op belongs to the body of a task, but is in 'func.func'}}
  pl.no_dep %m : memref<8xf32>
  return
}

// -----

func.func @predicate(%m: memref<8xf32>, %i: index) {
  %t = pl.at {
    // expected-error @+1 {{'pl.predicate' op expects a tensor of integers, got 'memref<8xf32>'}}
    pl.predicate %m[%i] lt 5 : memref<8xf32>
  }
  return
}

// -----

func.func @rank(%m: memref<8x1xi32>, %i: index) {
  %t = pl.at {
    // expected-error @+1 {{'pl.predicate' op expects 2 indices, got 1}}
    pl.predicate %m[%i] lt 5 : memref<8x1xi32>
  }
  return
}

// -----

func.func @array() {
  // expected-error @+1 {{'pl.array' op expects a fixed number of integers, got 'memref<4xf32>'}}
  %a = pl.array : memref<4xf32>
  return
}

// -----

func.func @no_loop() {
  // expected-error @+1 {{'pl.break' op belongs into a loop}}
  pl.break
  return
}

// -----

func.func @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pl.for range %i = %c0 to %n step %c1 iter(%x = %c0 : index) {
    // expected-error @+1 {{'pl.continue' op expects the values that its loop carries}}
    pl.continue
    pl.yield %i : index
  }
  return
}

// -----

func.func @after(%n: index, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.for range %i = %c0 to %n step %c1 {
    // expected-error @+1 {{'pl.break' op expects nothing after it}}
    pl.break
    memref.dealloc %m : memref<8xf32>
  }
  return
}

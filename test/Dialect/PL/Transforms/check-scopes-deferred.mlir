// RUN: pl-opt %s --pl-check-scopes --split-input-file --verify-diagnostics

!sig = memref<64x1xi32, #pl.window>

// What a deferred wait may stand with: scalars, reads before, branches, loops
// of constant trip count, up to 64 conditions.
func.func @good(%s: !sig, %x: memref<8xi32>, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %t = pl.at "waits" {
    %v = pl.read %x[%c0] : memref<8xi32> -> i32
    %one = arith.constant 1 : i32
    %w = arith.addi %v, %one : i32
    pl.for range %i = %c0 to %c63 step %c1 {
      %other = arith.cmpi ne, %i, %me : index
      scf.if %other {
        pl.defer_wait %s[%i, %c0] reaches %w : !sig
      } else {
        pl.defer_wait %s[%i, %c0] reaches %one : !sig
      }
    }
    pl.defer_wait %s[%c63, %c0] reaches %w : !sig
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @spmd(%s: !sig, %n: index, %v: i32) {
  // expected-note @+1 {{its scope is here}}
  %t = pl.spmd "grid" blocks(%n) {
  ^bb0(%b: index):
    // expected-error @+1 {{a deferred wait cannot be in pl.spmd: its task has one block; use with pl.at(...)}}
    pl.defer_wait %s[%b, %b] reaches %v : !sig
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @nowhere(%s: !sig, %n: index, %v: i32) {
  // expected-error @+1 {{a deferred wait belongs into a core scope of its own (with pl.at(...) as tid)}}
  pl.defer_wait %s[%n, %n] reaches %v : !sig
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @early(%s: !sig, %n: index, %v: i32) {
  // expected-note @+1 {{its scope is here}}
  %t = pl.at "waits" early_resolve {
    // expected-error @+1 {{a task with deferred waits takes no allow_early_resolve=True: it is not complete when it ends}}
    pl.defer_wait %s[%n, %n] reaches %v : !sig
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @view(%s: !sig, %n: index, %v: i32) {
  %row = memref.subview %s[1, 0] [1, 1] [1, 1] : !sig to memref<1x1xi32, strided<[1, 1], offset: 1>, #pl.window>
  %t = pl.at "waits" {
    // expected-error @+1 {{the signal of a deferred wait must be a window parameter itself, not a view of one}}
    pl.defer_wait %row[%n, %n] reaches %v : memref<1x1xi32, strided<[1, 1], offset: 1>, #pl.window>
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @read_after(%s: !sig, %x: memref<8xi32>, %n: index, %v: i32) {
  %t = pl.at "waits" {
    // expected-note @+1 {{a condition is registered here}}
    pl.defer_wait %s[%n, %n] reaches %v : !sig
    // expected-error @+1 {{a tensor is read after a deferred wait was registered; read it before the first one}}
    %w = pl.read %x[%n] : memref<8xi32> -> i32
    pl.defer_wait %s[%n, %n] reaches %w : !sig
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @read_after_branch(%s: !sig, %x: memref<8xi32>, %n: index, %v: i32, %c: i1) {
  %t = pl.at "waits" {
    scf.if %c {
      // expected-note @+1 {{a condition is registered here}}
      pl.defer_wait %s[%n, %n] reaches %v : !sig
    }
    // expected-error @+1 {{a tensor is read after a deferred wait was registered; read it before the first one}}
    %w = pl.read %x[%n] : memref<8xi32> -> i32
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @read_in_loop(%s: !sig, %x: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = pl.at "waits" {
    pl.for range %i = %c0 to %c4 step %c1 {
      // expected-error @+1 {{a tensor is read in a loop that registers deferred waits: the second turn reads after the first has registered; read before the loop}}
      %w = pl.read %x[%i] : memref<8xi32> -> i32
      // expected-note @+1 {{a condition is registered here}}
      pl.defer_wait %s[%i, %c0] reaches %w : !sig
    }
  }
  %u = pl.at "one turn" {
    pl.for range %i = %c0 to %c1 step %c1 {
      %w = pl.read %x[%i] : memref<8xi32> -> i32
      pl.defer_wait %s[%i, %c0] reaches %w : !sig
    }
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @trips(%s: !sig, %n: index, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pl.at "waits" {
    // expected-error @+1 {{a loop that registers deferred waits needs a constant, positive trip count: a task takes at most 64 conditions}}
    pl.for range %i = %c0 to %n step %c1 {
      pl.defer_wait %s[%i, %c0] reaches %v : !sig
    }
    // A loop that registers nothing needs none.
    pl.for range %i = %c0 to %n step %c1 {
    }
    // expected-error @+1 {{a loop that registers deferred waits needs a constant, positive trip count: a task takes at most 64 conditions}}
    pl.for range %i = %c0 to %c0 step %c1 {
      pl.defer_wait %s[%i, %c0] reaches %v : !sig
    }
    // expected-error @+1 {{a loop that registers deferred waits must be pl.range or pl.unroll}}
    pl.for pipeline %i = %c0 to %c1 step %c1 {
      pl.defer_wait %s[%i, %c0] reaches %v : !sig
    }
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @count(%s: !sig, %v: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %c5 = arith.constant 5 : index
  // expected-note @+1 {{its scope is here}}
  %t = pl.at "waits" {
    pl.for range %i = %c0 to %c13 step %c1 {
      pl.for range %j = %c0 to %c5 step %c1 {
        // expected-error @+1 {{this task may register more than 64 deferred waits, the most that one task takes; use several tasks}}
        pl.defer_wait %s[%i, %j] reaches %v : !sig
      }
    }
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @huge(%s: !sig, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 9223372036854775807 : index
  // expected-note @+1 {{its scope is here}}
  %t = pl.at "waits" {
    pl.for range %i = %c0 to %many step %c1 {
      pl.for range %j = %c0 to %many step %c1 {
        // expected-error @+1 {{this task may register more than 64 deferred waits}}
        pl.defer_wait %s[%i, %j] reaches %v : !sig
      }
    }
  }
  return
}

// -----

!sig = memref<4x1xi32, #pl.window>
func.func @work(%s: !sig, %x: memref<8x8xf32>, %y: memref<8x8xf32>, %w: memref<8x8xf32, #pl.window>, %n: index, %v: i32, %f: f32) {
  %t = pl.at "waits" {
    // expected-error @+1 {{this works on tiles, which a task with deferred waits cannot: it only computes scalars, reads tensors and registers conditions; do the rest in a task that depends on it}}
    %u = pl.load %x[%n, %n] : memref<8x8xf32> -> !pl.tile<8x8xf32>
    // expected-error @+1 {{this updates a tensor, which}}
    pl.store %u, %x[%n, %n] : !pl.tile<8x8xf32>, memref<8x8xf32>
    // expected-error @+1 {{this updates a tensor, which}}
    pl.write %f, %y[%n, %n] : f32, memref<8x8xf32>
    // expected-error @+1 {{this communicates with other ranks, which}}
    pl.put %x[%n, %n] to %w[%n, %n] peer %n sizes(%n, %n) : memref<8x8xf32>, memref<8x8xf32, #pl.window>
    // expected-error @+1 {{this communicates with other ranks, which}}
    pl.notify add %v, %s[%n, %n] peer %n : !sig
    // expected-error @+1 {{this blocks its core in a wait, which}}
    pl.wait ge %v, %s[%n, %n] : !sig
    // expected-error @+1 {{this works on caches or barriers, which}}
    pl.fence
    // expected-error @+1 {{this uses both vector lanes, which}}
    pl.split_aiv none {
    ^bb0(%lane: index):
    }
    // expected-note @+1 {{a condition is registered here}}
    pl.defer_wait %s[%n, %n] reaches %v : !sig
    // expected-error @+1 {{this communicates with other ranks, which}}
    pl.notify set %v, %s[%n, %n] peer %n : !sig
  }
  return
}

// -----

// The rules hold through calls.
!sig = memref<4x1xi32, #pl.window>
func.func private @read(%x: memref<8xi32>, %n: index) -> i32 attributes {pl.kind = #pl.func_kind<inline>} {
  // expected-error @+1 {{a tensor is read after a deferred wait was registered}}
  %w = pl.read %x[%n] : memref<8xi32> -> i32
  return %w : i32
}
func.func private @register(%s: !sig, %n: index, %v: i32) attributes {pl.kind = #pl.func_kind<inline>} {
  // expected-note @+1 {{a condition is registered here}}
  pl.defer_wait %s[%n, %n] reaches %v : !sig
  return
}
func.func @calls(%s: !sig, %x: memref<8xi32>, %n: index, %v: i32) {
  %t = pl.at "waits" {
    func.call @register(%s, %n, %v) : (!sig, index, i32) -> ()
    %w = func.call @read(%x, %n) : (memref<8xi32>, index) -> i32
  }
  return
}

// RUN: pl-opt %s --pl-check-lowerable --split-input-file --verify-diagnostics

func.func private @one(%x: memref<8x64xf32>) attributes {pl.kind = #pl.func_kind<inline>} {
  return
}

// Loops and branches are fine inside a core scope, and in what it calls.
func.func private @in_core(%x: memref<8x64xf32>, %c: i1) attributes {pl.kind = #pl.func_kind<inline>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.for range %i = %c0 to %c1 step %c1 {
  }
  scf.if %c {
    func.call @one(%x) : (memref<8x64xf32>) -> ()
  }
  return
}
func.func @good(%x: memref<8x64xf32>, %c: i1) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %t = pl.at "a" {
    func.call @in_core(%x, %c) : (memref<8x64xf32>, i1) -> ()
  }
  return
}

// -----

// What kernels do on tiles is for the door of phase tiles.
func.func @ops(%x: memref<8x64xf32>) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %t = pl.at "a" {
    %u = pl.load %x[%c0, %c0] : memref<8x64xf32> -> !pl.tile<8x64xf32>
    %v = pl.sin %u : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
    pl.store %v, %x[%c0, %c0] : !pl.tile<8x64xf32>, memref<8x64xf32>
    // expected-error @+1 {{'pl.dump' is not lowered past phase 'pl' yet}}
    pl.dump %x : memref<8x64xf32>
    // Each kind is named once.
    pl.dump %x : memref<8x64xf32>
  }
  return
}

// -----

func.func @structure(%c: i1, %n: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{a task inside a run-time loop is not lowered past phase 'pl' yet}}
  pl.for parallel %i = %c0 to %n step %c1 {
    %t = pl.at "a" {
    }
  }
  // expected-error @+1 {{a run-time loop outside core scopes is not lowered past phase 'pl' yet}}
  pl.for range %i = %c0 to %n step %c1 {
  }
  // expected-error @+1 {{a task inside a run-time branch is not lowered past phase 'pl' yet}}
  scf.if %c {
    %t = pl.dummy
  }
  scf.if %c {
    %two = arith.addi %n, %n : index
  }
  return
}

// -----

// Windows, signals and deferred waits go on; collectives do not.
func.func @windows(%x: memref<8x64xf32, #pl.window>, %s: memref<4x1xi32, #pl.window>) attributes {pl.kind = #pl.func_kind<orchestration>} {
  %t = pl.at "a" {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    pl.notify add %one, %s[%c0, %c0] peer %c0 : memref<4x1xi32, #pl.window>
    // expected-error @+1 {{'pl.barrier' is not lowered past phase 'pl' yet}}
    pl.barrier %s : memref<4x1xi32, #pl.window>
  }
  return
}

// -----

// Loops of host programs stay as they are.
func.func @host(%n: index, %c: i1) attributes {pl.kind = #pl.func_kind<host>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pl.for range %i = %c0 to %n step %c1 {
    pl.dispatch @chip() device(%i)
  }
  // expected-error @+1 {{a while loop of a host program is not lowered past phase 'pl' yet}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}
func.func private @chip() attributes {pl.kind = #pl.func_kind<orchestration>} {
  return
}

// -----

func.func @transposed(%x: memref<8x64xf32>) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // expected-error @+1 {{pl.transpose of a tensor outside core scopes is not lowered past phase 'pl' yet}}
  %y = memref.transpose %x (i, j) -> (j, i) : memref<8x64xf32> to memref<64x8xf32, strided<[1, 64]>>
  return
}

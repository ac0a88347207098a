// RUN: pl-opt %s --convert-pl-to-emitc -verify-diagnostics -split-input-file

// expected-error @below {{is emitted from phase `tiles`, but is in phase `tasks`}}
module attributes {pl.phase = "tasks"} {
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x16xf32> {pl.name = "x"}) {
    // expected-error @below {{has no address; pl-plan-memory gives one}}
    %t = pl.buffer "t" : !pl.buffer<8x16xf32, vec, nd>
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x17xf32> {pl.name = "x"}) {
    // expected-error @below {{tile 't' has rows of 68 bytes, but the tile ISA wants a multiple of 32: use a larger box and a valid extent}}
    %t = pl.buffer "t" at 0 : !pl.buffer<8x17xf32, vec, nd>
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x16xf32> {pl.name = "x"}) {
    %c0 = arith.constant 0 : index
    %t = pl.buffer "t" at 0 : !pl.buffer<8x1xf32, vec, dn>
    // expected-error @below {{moves a column whose rows are not next to each other in memory; load or store the rows it lies in}}
    pl.load %x[%c0, %c0] : memref<8x16xf32> into %t : !pl.buffer<8x1xf32, vec, dn>
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x16xf32, strided<[32, 2]>> {pl.name = "x"}) { // expected-error {{argument 'x' is a view; kernels take whole tensors}}
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x16xf32> {pl.name = "x"}, %a: f32 {pl.name = "a"}) {
    // expected-error @below {{'math.exp' op is not emitted as C++ yet: this op in a kernel}}
    %b = math.exp %a : f32
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  pl.kernel aiv @k(%x: memref<8x16xf32> {pl.name = "x"}) {
  }
  func.func @f(%x: memref<8x16xf32> {pl.name = "x"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c = arith.constant 40000 : index
    // expected-error @below {{has 40000 blocks, but a task has 0 to 32767}}
    %t = pl.launch @k blocks(%c) args(%x : memref<8x16xf32>)
    return
  }
}

// -----

module attributes {pl.phase = "tiles"} {
  func.func @f() attributes {pl.kind = #pl.func_kind<orchestration>} {
    return
  }
  // expected-error @below {{is a second orchestration; compile one entry at a time}}
  func.func @g() attributes {pl.kind = #pl.func_kind<orchestration>} {
    return
  }
}

// Rules of the ops of host programs.
//
// RUN: pl-opt -verify-diagnostics -split-input-file %s

func.func @buffer() {
  // expected-error @below {{expects a buffer of bytes in #pl.window, but got 'memref<64xi8>'}}
  %b = pl.alloc_window "b" : memref<64xi8>
  return
}

// -----

func.func @size(%n: index) {
  // expected-error @below {{expects a size exactly where the type has none}}
  %b = pl.alloc_window "b" [%n] : memref<64xi8, #pl.window>
  return
}

// -----

func.func @small() {
  // expected-note @below {{the buffer is allocated here}}
  %b = pl.alloc_window "b" : memref<255xi8, #pl.window>
  // expected-error @below {{needs 256 bytes, but its buffer has 255}}
  %w = pl.window %b : memref<255xi8, #pl.window> to memref<8x8xf32, #pl.window>
  return
}

// -----

func.func @plain(%b: memref<256xi8, #pl.window>) {
  // expected-error @below {{expects a packed tensor in #pl.window, but got 'memref<8x8xf32>'}}
  %w = pl.window %b : memref<256xi8, #pl.window> to memref<8x8xf32>
  return
}

// -----

func.func @sizes(%b: memref<256xi8, #pl.window>) {
  // expected-error @below {{expects one size for each of 1 dynamic dims, got 0}}
  %w = pl.window %b : memref<256xi8, #pl.window> to memref<?x8xf32, #pl.window>
  return
}

// -----

func.func @unknown() {
  // expected-error @below {{expects a function named @chip}}
  pl.dispatch @chip()
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @chip() attributes {pl.kind = #pl.func_kind<inline>}
func.func @kind() {
  // expected-error @below {{expects a function of kind orchestration}}
  pl.dispatch @chip()
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @chip(memref<4xf32>) attributes {pl.kind = #pl.func_kind<orchestration>}
func.func @types(%x: memref<5xf32>) {
  // expected-error @below {{expects 'memref<4xf32>' for argument 0, but got 'memref<5xf32>'}}
  pl.dispatch @chip(%x : memref<5xf32>)
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @chip(memref<4xf32>) attributes {pl.kind = #pl.func_kind<orchestration>}
func.func @count() {
  // expected-error @below {{expects the 1 arguments of the function, but got 0}}
  pl.dispatch @chip()
  return
}

// -----

func.func @sources(%d: index) {
  // expected-error @below {{expects a scale, an offset and a source for each of at least one extent}}
  %t = pl.bind_dim "T" extents(%d) scales [1, 2] offsets [0] sources ["x"]
  return
}

// -----

func.func @directions(%x: memref<4xf32>) {
  // expected-error @below {{expects a direction for each of 1 tensors, but got 0}}
  pl.extern "k"(%x : memref<4xf32>) directions []
  return
}

// -----

func.func @scale(%d: index) {
  // expected-error @below {{expects scales of at least 1}}
  %t = pl.bind_dim "T" extents(%d) scales [0] offsets [0] sources ["x"]
  return
}

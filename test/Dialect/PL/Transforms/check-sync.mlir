// RUN: pl-opt %s -pass-pipeline='builtin.module(pl.kernel(pl-check-sync))' -verify-diagnostics -split-input-file

pl.kernel aiv @fine(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c1 {
    pl.set_flag mte3 to mte2 event 0
    pl.wait_flag mte3 to mte2 event 0
    pl.load %x[%i, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
    pl.set_flag mte2 to mte3 event 0
    pl.wait_flag mte2 to mte3 event 0
    pl.pipe_barrier mte3
    pl.store %a, %x[%i, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
  }
  pl.pipe_barrier all
}

// -----

pl.kernel aiv @no_flag(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  // expected-note @+1 {{by pl.load here}}
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  // expected-error @+1 {{PL201: pl.neg on pipe v reads 'a' while pipe mte2 may still write 'a'; no flag or barrier orders them on every path}}
  pl.neg %a : !pl.buffer<1x64xf32, vec, nd> into %a : !pl.buffer<1x64xf32, vec, nd>
  pl.pipe_barrier all
}

// -----

// Two names of overlapping bytes, on one pipe.
pl.kernel aiv @no_barrier(%x: memref<17x64xf32>) {
  %f = arith.constant 0.0 : f32
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 128 : !pl.buffer<1x64xf32, vec, nd>
  // expected-note @+1 {{by pl.full here}}
  pl.full %f : f32 into %a : !pl.buffer<1x64xf32, vec, nd>
  // expected-error @+1 {{PL201: pl.neg on pipe v reads 'b' while pipe v may still write 'a'}}
  pl.neg %b : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  pl.pipe_barrier all
}

// -----

// The next iteration's load overtakes this one's reader.
pl.kernel aiv @next_iteration(%x: memref<17x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  %b = pl.buffer "b" at 256 : !pl.buffer<1x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{PL201: pl.load on pipe mte2 writes 'a' while pipe v may still read 'a'}}
    pl.load %x[%i, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
    pl.pipe_barrier v
    pl.neg %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
    pl.set_flag v to mte2 event 1
    pl.wait_flag v to mte2 event 1
    // The flag comes too early to order the next reader.
    pl.pipe_barrier v
    // expected-note @+1 {{by pl.neg here}}
    pl.neg %a : !pl.buffer<1x64xf32, vec, nd> into %b : !pl.buffer<1x64xf32, vec, nd>
  }
  pl.pipe_barrier all
}

// -----

// Only one branch waits.
pl.kernel aiv @one_branch(%x: memref<17x64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  // expected-note @+1 {{by pl.load here}}
  pl.load %x[%c0, %c0] : memref<17x64xf32> into %a : !pl.buffer<1x64xf32, vec, nd>
  scf.if %c {
    pl.set_flag mte2 to v event 0
    pl.wait_flag mte2 to v event 0
  }
  // expected-error @+1 {{PL201: pl.neg on pipe v reads 'a'}}
  pl.neg %a : !pl.buffer<1x64xf32, vec, nd> into %a : !pl.buffer<1x64xf32, vec, nd>
  pl.pipe_barrier all
}

// -----

pl.kernel aiv @set_twice(%x: memref<17x64xf32>) {
  pl.set_flag mte2 to v event 0
  // expected-error @+1 {{PL202: sets event 0 from mte2 to v while its last token may still be there; a flag set twice stops the core}}
  pl.set_flag mte2 to v event 0
  pl.wait_flag mte2 to v event 0
}

// -----

// The token was taken, but mte2 cannot know it.
pl.kernel aiv @set_too_soon(%x: memref<17x64xf32>) {
  pl.set_flag mte2 to v event 0
  pl.wait_flag mte2 to v event 0
  // expected-error @+1 {{PL202: sets event 0 from mte2 to v}}
  pl.set_flag mte2 to v event 0
  pl.wait_flag mte2 to v event 0
}

// -----

pl.kernel aiv @never_set(%x: memref<17x64xf32>) {
  // expected-error @+1 {{PL203: waits for event 3 from v to mte3, which nothing sets before}}
  pl.wait_flag v to mte3 event 3
}

// -----

pl.kernel aiv @set_on_some_paths(%x: memref<17x64xf32>, %c: i1) {
  scf.if %c {
    pl.set_flag v to mte3 event 0
  }
  // expected-error @+1 {{PL203: waits for event 0 from v to mte3, which is set on some paths only}}
  pl.wait_flag v to mte3 event 0
}

// -----

// expected-error @+1 {{PL204: the kernel may end with event 5 from v to mte3 still set}}
pl.kernel aiv @left_over(%x: memref<17x64xf32>) {
  pl.set_flag v to mte3 event 5
}

// -----

pl.kernel aiv @not_drained(%x: memref<17x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = pl.buffer "a" at 0 : !pl.buffer<1x64xf32, vec, nd>
  // expected-error @+1 {{PL204: the kernel may end before this store to a buffer has landed}}
  pl.store %a, %x[%c0, %c0] : !pl.buffer<1x64xf32, vec, nd>, memref<17x64xf32>
}

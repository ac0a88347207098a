// RUN: pl-opt %s -pl-print-credits -split-input-file -verify-diagnostics

// Two phases of one signal, taken off together; another column is of its own.
func.func @phases(%bell: memref<5x3xi32, #pl.window> {pl.name = "bell"}, %base: i32, %me: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %seven = arith.constant 7 : i32
  %nine = arith.constant 9 : i32
  %minus9 = arith.constant -9 : i32
  %i = arith.index_cast %me : i32 to index
  %b = arith.index_cast %base : i32 to index
  %own = arith.addi %b, %i : index
  %t = pl.spmd "ring_out" blocks(%c7) {
  ^bb0(%block: index):
    pl.for range %p = %c0 to %c5 step %c1 {
      %self = arith.cmpi eq, %p, %i : index
      scf.if %self {
      } else {
        %peer = arith.addi %b, %p : index
        // expected-remark @+1 {{sends 7 in cell [*, 2] of 'bell'}}
        pl.notify add %one, %bell[%i, %c2] peer %peer : memref<5x3xi32, #pl.window>
      }
    }
  }
  %u = pl.at "hear" {
    pl.for range %s = %c0 to %c5 step %c1 {
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        // expected-remark @+1 {{awaits 7 in cell [*, 2] of 'bell'}}
        pl.wait ge %seven, %bell[%s, %c2] : memref<5x3xi32, #pl.window>
        %peer = arith.addi %b, %s : index
        // expected-remark @+1 {{sends 2 in cell [*, 2] of 'bell'}}
        pl.notify add %two, %bell[%i, %c2] peer %peer : memref<5x3xi32, #pl.window>
        // expected-remark @+1 {{sends 1 in cell [*, 0] of 'bell'}}
        pl.notify add %one, %bell[%i, %c0] peer %peer : memref<5x3xi32, #pl.window>
      }
    }
  }
  %v = pl.at "rest" {
    pl.for range %s = %c0 to %c5 step %c1 {
      %other = arith.cmpi ne, %s, %i : index
      scf.if %other {
        // expected-remark @+1 {{awaits 9 in cell [*, 2] of 'bell'}}
        pl.defer_wait %bell[%s, %c2] reaches %nine : memref<5x3xi32, #pl.window>
      }
    }
    pl.for range %s = %c0 to %c5 step %c1 {
      // expected-remark @+1 {{takes off 9 in cell [*, 2] of 'bell'}}
      pl.notify add %minus9, %bell[%s, %c2] peer %own : memref<5x3xi32, #pl.window>
    }
  }
  return
}

// -----

// All ranks but this one add to one cell; the next of a ring tells one.
func.func @shared(%gong: memref<2xi32, #pl.window> {pl.name = "gong"}, %me: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = arith.index_cast %me : i32 to index
  %t = pl.at "strike" {
    pl.for range %p = %c0 to %c3 step %c1 {
      %other = arith.cmpi ne, %p, %i : index
      scf.if %other {
        // expected-remark @+1 {{sends 4 in cell [0] of 'gong'}}
        pl.notify add %two, %gong[%c0] peer %p : memref<2xi32, #pl.window>
      }
    }
    %next = arith.addi %i, %c1 : index
    %right = arith.remsi %next, %c3 : index
    // expected-remark @+1 {{sends 1 in cell [1] of 'gong'}}
    pl.notify add %one, %gong[%c1] peer %right : memref<2xi32, #pl.window>
    // expected-remark @+1 {{awaits 4 in cell [0] of 'gong'}}
    pl.wait ge %four, %gong[%c0] : memref<2xi32, #pl.window>
    pl.for range %turn = %c0 to %c3 step %c1 {
      // expected-remark @+1 {{sends 3 in cell [1] of 'gong'}}
      pl.notify add %one, %gong[%c1] peer %right : memref<2xi32, #pl.window>
    }
    // expected-remark @+1 {{awaits 4 in cell [1] of 'gong'}}
    pl.wait ge %four, %gong[%c1] : memref<2xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @too_few(%drum: memref<4x1xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %t = pl.at "beat" {
    pl.for range %p = %c0 to %c4 step %c1 {
      pl.notify add %one, %drum[%me, %c0] peer %p : memref<4x1xi32, #pl.window>
    }
    // expected-note @+1 {{this waits for 2, but 1 of 'drum' is sent before it in program order and not taken off}}
    pl.wait ge %two, %drum[%me, %c0] : memref<4x1xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @takes_too_much(%drum: memref<4x1xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %minus2 = arith.constant -2 : i32
  %t = pl.at "beat" {
    pl.for range %p = %c0 to %c4 step %c1 {
      pl.notify add %one, %drum[%me, %c0] peer %p : memref<4x1xi32, #pl.window>
    }
    pl.for range %s = %c0 to %c4 step %c1 {
      // expected-note @+1 {{this takes off 2, but 1 of 'drum' is there}}
      pl.notify add %minus2, %drum[%s, %c0] peer %me : memref<4x1xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @sets(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    // expected-note @+1 {{this sets the cell; credits are counted where notifies add}}
    pl.notify set %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @amount(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: i32) {
  %t = pl.at "beat" {
    // expected-note @+1 {{what this adds is no constant number}}
    pl.notify add %n, %drum[%me] peer %me : memref<4xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @threshold(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: i32) {
  %t = pl.at "beat" {
    // expected-note @+1 {{what this waits for is no constant number}}
    pl.wait ge %n, %drum[%me] : memref<4xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @equal(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    // expected-note @+1 {{this does not wait for `at least` a number}}
    pl.wait eq %one, %drum[%me] : memref<4xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @branch(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %late: i1) {
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    scf.if %late {
      // expected-note @+1 {{a branch decides whether this counts}}
      pl.notify add %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @trips(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %k = %c0 to %n step %c1 {
      // expected-note @+1 {{how often this counts is known only to the run}}
      pl.notify add %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @two_names(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    // expected-note @+1 {{cells of 'drum' are named in two ways, which may be the same cell: by a number and by rank or turn}}
    pl.notify add %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
    pl.wait ge %one, %drum[%c1] : memref<4xi32, #pl.window>
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @read(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.notify add %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
    // expected-note @+1 {{'drum' is used here, and not to send, await or take off credits}}
    %v = pl.read %drum[%me] : memref<4xi32, #pl.window> -> i32
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @others_cells(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %minus1 = arith.constant -1 : i32
  %t = pl.at "beat" {
    pl.for range %p = %c0 to %c4 step %c1 {
      // expected-note @+1 {{this takes off from cells of several ranks; a rank takes off from its own cells}}
      pl.notify add %minus1, %drum[%me] peer %p : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @which_cell(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %k = %c0 to %c4 step %c1 {
      %half = arith.floordivsi %k, %c2 : index
      // expected-note @+1 {{which cell this is differs from turn to turn in a way that is not understood}}
      pl.notify add %one, %drum[%half] peer %me : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// The next ranks of a ring, as many as there are.
func.func @ring(%gong: memref<9x1xi32, #pl.window> {pl.name = "gong"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %me = pl.rank %gong : memref<9x1xi32, #pl.window>
  %ranks = pl.num_ranks %gong : memref<9x1xi32, #pl.window>
  %i = arith.index_cast %me : i32 to index
  %n = arith.index_cast %ranks : i32 to index
  %t = pl.at "strike" {
    pl.for range %k = %c1 to %n step %c1 {
      %sum = arith.addi %i, %k : index
      %peer = arith.remsi %sum, %n : index
      // expected-remark @+1 {{sends 1 in cell [*, 0] of 'gong'}}
      pl.notify add %one, %gong[%i, %c0] peer %peer : memref<9x1xi32, #pl.window>
    }
    pl.for range %k = %c1 to %n step %c1 {
      %sum = arith.addi %i, %k : index
      %source = arith.remsi %sum, %n : index
      // expected-remark @+1 {{awaits 1 in cell [*, 0] of 'gong'}}
      pl.wait ge %one, %gong[%source, %c0] : memref<9x1xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @two_loops_cell(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %a = %c0 to %c4 step %c1 {
      pl.for range %b = %c0 to %c4 step %c1 {
        %cell = arith.addi %a, %b : index
        // expected-note @+1 {{two loops together choose the cell}}
        pl.notify add %one, %drum[%cell] peer %me : memref<4xi32, #pl.window>
      }
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @two_loops_rank(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %a = %c0 to %c4 step %c1 {
      pl.for range %b = %c0 to %c4 step %c1 {
        %peer = arith.addi %a, %b : index
        // expected-note @+1 {{two loops together choose the rank}}
        pl.notify add %one, %drum[%me] peer %peer : memref<4xi32, #pl.window>
      }
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @which_rank(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %a = %c0 to %c4 step %c1 {
      %peer = arith.floordivsi %a, %c4 : index
      // expected-note @+1 {{which rank this tells differs from turn to turn in a way that is not understood}}
      pl.notify add %one, %drum[%me] peer %peer : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @senders(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    pl.for range %p = %c0 to %n step %c1 {
      // expected-note @+1 {{how many ranks add to this cell is known only to the run}}
      pl.notify add %one, %drum[%c1] peer %p : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @large(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %t = pl.at "beat" {
    %large = arith.constant 2000000000 : i32
    pl.for range %p = %c0 to %c4 step %c1 {
      // expected-note @+1 {{the sum of what this adds does not fit a signal}}
      pl.notify add %large, %drum[%me] peer %me : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

// expected-error @+1 {{the credits of 'drum' cannot be followed}}
func.func @tasks_in_loop(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  pl.for range %p = %c0 to %c4 step %c1 {
    %t = pl.at "beat" {
      // expected-note @+1 {{how often this counts is not known}}
      pl.notify add %one, %drum[%me] peer %me : memref<4xi32, #pl.window>
    }
  }
  return
}

// -----

func.func @view(%drum: memref<4xi32, #pl.window> {pl.name = "drum"}, %me: index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // expected-error @+2 {{the credits of 'drum' cannot be followed}}
  // expected-note @+1 {{the signal is no window of the function, but a view or a part of one}}
  %square = memref.reinterpret_cast %drum to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xi32, #pl.window> to memref<2x2xi32, #pl.window>
  %t = pl.at "beat" {
    pl.notify add %one, %square[%me, %c0] peer %me : memref<2x2xi32, #pl.window>
  }
  return
}

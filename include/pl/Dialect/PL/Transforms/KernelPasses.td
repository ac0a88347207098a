//===- KernelPasses.td - Passes over kernels ---------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_KERNELPASSES
#define PL_DIALECT_PL_TRANSFORMS_KERNELPASSES

include "mlir/Pass/PassBase.td"

// From phase `tasks` to phase `tiles`, in the order in which they run.

def ExpandSelects : Pass<"pl-expand-selects", "::mlir::pl::KernelOp"> {
  let summary = "Turn selections between tiles back into branches";
  let description = [{
    Canonicalization turns an `scf.if` that only yields into `arith.select`. A
    core selects numbers, not tiles. Gives: no `arith.select` of tiles; runs after
    each canonicalization of tile values.

    ```mlir
    %t = arith.select %c, %a, %b : !pl.tile<8x64xf32>
    // becomes
    %t = scf.if %c -> (!pl.tile<8x64xf32>) {
      scf.yield %a : !pl.tile<8x64xf32>
    } else {
      scf.yield %b : !pl.tile<8x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Number of selections changed">];
}

def LegalizeCasts : Pass<"pl-legalize-casts", "::mlir::pl::KernelOp"> {
  let summary = "Split conversions into those the machine has";
  let description = [{
    A conversion that is not one instruction becomes the shortest chain of
    instructions, each with the conversion's rounding. An unreachable pair is an
    error; a conversion to the same type disappears.

    ```mlir
    %y = pl.cast %x rint : !pl.tile<8x64xi8> -> !pl.tile<8x64xf32>
    // becomes
    %h = pl.cast %x rint : !pl.tile<8x64xi8> -> !pl.tile<8x64xf16>
    %y = pl.cast %h rint : !pl.tile<8x64xf16> -> !pl.tile<8x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numHops", "hops", "Number of conversions added">];
}

def LegalizeGathers : Pass<"pl-legalize-gathers", "::mlir::pl::KernelOp"> {
  let summary = "Turn per-row gather indices into indices of the whole tile";
  let description = [{
    The instruction counts elements of the whole source. `out[r, c] =
    x[r, index[r, c]]` becomes a `flat` gather with `index + r * columns`.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numFlattened", "flattened", "Number of gathers changed">];
}

def TileMatmul : Pass<"pl-tile-matmul", "::mlir::pl::KernelOp"> {
  let summary = "Cut matmuls into pieces that fit the operand memories";
  let description = [{
    Gives: every matmul reads `left` and `right` tiles made by `pl.extract`.
    K is cut where an operand does not fit; pieces accumulate by ascending k, so
    values do not change. A product that does not fit the accumulator is an error.

    ```mlir
    %c = pl.matmul %a, %b : !pl.tile<16x512xbf16>, !pl.tile<512x128xbf16> -> !pl.tile<16x128xf32>
    // becomes, for each piece of K,
    %l = pl.extract %a[0, 0] : ... -> !pl.tile<16x256xbf16, left>
    %r = pl.extract %b[0, 0] : ... -> !pl.tile<256x128xbf16, right>
    %c = pl.matmul %l, %r : ... -> !pl.tile<16x128xf32, acc>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numPieces", "pieces", "Number of products made">];
}

def InlineLanes : Pass<"pl-inline-lanes", "::mlir::pl::KernelOp"> {
  let summary = "Turn regions of vector lanes into plain code";
  let description = [{
    The body of each `pl.split_aiv` goes where the region was; the lane is
    `pl.subblock_idx`. The kernel gets the attribute `pl.lanes`, and so does each
    op of a region that changes memory: both lanes do it, while the rest of the
    kernel happens once.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numRegions", "regions", "Number of regions inlined">];
}

def InsertCrossings : Pass<"pl-insert-crossings", "::mlir::pl::KernelOp"> {
  let summary = "Move tiles between the two sides of mixed kernels";
  let description = [{
    Works on kernels of kind `mix`, after products are cut. A product that
    vector work uses moves to `vec` right after it is made, a vector tile that
    the cube reads moves to `mat`; each moves once. Tiles go over whole and get
    their valid box on the other side. PL107: a valid extent that is not one
    value, or an accumulator that starts from a vector tile.

    ```mlir
    %c = pl.matmul %l, %r : ... -> !pl.tile<16x64xf32>
    %e = pl.exp %c : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    // becomes
    %v = pl.move %c : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    %e = pl.exp %v : !pl.tile<16x64xf32> -> !pl.tile<16x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numCrossings", "crossings", "Number of moves made">];
}

def AssignMemorySpaces : Pass<"pl-assign-memory-spaces", "::mlir::pl::KernelOp"> {
  let summary = "Say which memory holds each tile";
  let description = [{
    Operands of the cube are loaded to `mat`, products stay in `acc`, all else
    lives in `vec`. Values that a loop or branch carries share one memory. A
    tile that would need two memories is an error at the op that asks. A
    window of a vector tile whose rows are apart becomes a `pl.extract`.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [
    Statistic<"numTiles", "tiles", "Number of tiles assigned">,
    Statistic<"numCopies", "copies", "Number of windows copied">
  ];
}

def OrderSides : Pass<"pl-order-sides", "::mlir::pl::KernelOp"> {
  let summary = "Order what both sides of mixed kernels do to global memory";
  let description = [{
    Needs: tiles in their memories. Where one side of a kernel of kind `mix` reads
    or writes bytes of a tensor that the other side accesses later, in this turn
    of a loop or the next, one of them writing, a tile must cross between the two
    from the first side to the second, on every path. If none does, a small one is
    made to, right before the second access, or at the end of the loop's body. Such
    a crossing has the attribute `pl.fence`: `pl-insert-sync` puts it behind all
    accesses of global memory before it, and those after it behind it. Accesses
    that are disjoint, of the same turn or of all turns, and atomic adds among
    themselves need no order. Compares every access of a shared tensor with every
    other one of its block.

    ```mlir
    pl.store %c, %z[%r, %c0] : !pl.tile<16x64xf32, acc>, memref<64x64xf32>
    %v = pl.load %z[%r, %c0] : memref<64x64xf32> -> !pl.tile<16x64xf32, vec>
    // becomes
    pl.store %c, %z[%r, %c0] : !pl.tile<16x64xf32, acc>, memref<64x64xf32>
    %t = pl.empty : !pl.tile<16x16xf32, acc>
    %f = pl.move %t {pl.fence} : !pl.tile<16x16xf32, acc> -> !pl.tile<16x16xf32, vec>
    %v = pl.load %z[%r, %c0] : memref<64x64xf32> -> !pl.tile<16x64xf32, vec>
    ```
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [Statistic<"numFences", "fences", "Number of crossings made">];
}

def SplitMixedKernels : Pass<"pl-split-mixed-kernels", "::mlir::ModuleOp"> {
  let summary = "Make the cube and the vector side of mixed kernels";
  let description = [{
    Needs: tiles in their memories. Each side gets what it does to memory, the
    handshakes, and the scalars and control flow that these depend on. A move
    between the sides becomes `pl.push` on one and `pl.pop` on the other, so that
    both run the same handshakes in the same order on every path. The second
    vector lane replays the handshakes with empty tiles: the cube waits for both.
    The slots lie in a workspace, a new last tensor of the kernel, which each
    launch allocates: one row per block, one ring per direction, `pl.slots`
    slots (2) of the largest tile.

    * PL108: a condition, bound or number that one side needs comes from a tile
      of the other.
    * PL109: the slots do not fit the memory that receives the tiles.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [
    Statistic<"numSplit", "kernels", "Number of kernels split">,
    Statistic<"numCrossings", "crossings", "Number of pairs of push and pop">
  ];
}

def PipelineLoops : Pass<"pl-pipeline-loops", "::mlir::pl::KernelOp"> {
  let summary = "Expand pipelined loops";
  let description = [{
    Gives: `scf.for` only. A loop of n stages becomes n copies of its body per
    iteration, so that each copy has buffers of its own; what is left runs in a
    loop after it. Results do not change.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPipelined", "pipelined", "Number of loops expanded">];
}

def ReloadOperands : Pass<"pl-reload-operands", "::mlir::pl::KernelOp"> {
  let summary = "Extract shared operands of products again where they do not fit";
  let description = [{
    Equal operands of several products, as the copies of a pipelined loop have,
    are one `pl.extract` whose tile would stay in `left` or `right` from the first
    product to the last. Where all of these do not fit beside one more operand,
    each product gets an extract of its own.
  }];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"numReloads", "reloads", "Number of extracts made">];
}

def BufferizeTiles : Pass<"pl-bufferize-tiles", "::mlir::pl::KernelOp"> {
  let summary = "Turn tile values into buffers with destinations";
  let description = [{
    Needs: memory spaces. Gives: the buffer form, without addresses. Carried
    and merged tiles share one buffer; where two of them are live at once the
    tile is copied. Valid extents become operands of the op that makes a buffer.
    Scratch that an instruction needs becomes an operand.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers made">,
    Statistic<"numCopies", "copies", "Number of tiles copied">
  ];
}

def PlanMemory : Pass<"pl-plan-memory", "::mlir::pl::KernelOp"> {
  let summary = "Give each buffer an address";
  let description = [{
    Buffers that are live together do not overlap; an op's destination takes the
    storage of a source that dies there only where the instruction allows it.
    Buffers that one pipelined loop loads keep storage of their own for the
    whole loop when there is room. When a memory is too small the error lists
    what is live at the fullest point.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let options = [Option<"machine", "machine", "std::string", "\"a2a3\"",
                        "The machine to compile for">];
  let statistics = [Statistic<"peakVecBytes", "peak-vec-bytes", "Largest use of vec by a kernel">];
}

def InsertSync : Pass<"pl-insert-sync", "::mlir::pl::KernelOp"> {
  let summary = "Order the pipes of a core where they share bytes";
  let description = [{
    Needs: addresses. For each op and each earlier op on bytes it shares
    (on chip or of one tensor; at least one of them writes) that may still be
    under way: a barrier if both run on one pipe, else a flag from the earlier
    pipe to the later one, set and awaited just before the later op. An event is
    set again only when its pipe knows that the last token is gone; where it
    cannot know, a handshake in the other direction tells it. Paths through loops
    and branches are joined, so a loop that runs zero times orders nothing. The
    kernel ends with all pipes drained.
  }];
  let dependentDialects = ["::mlir::pl::PLDialect"];
  let statistics = [
    Statistic<"numFlags", "flags", "Number of flag pairs">,
    Statistic<"numBarriers", "barriers", "Number of barriers">
  ];
}

#endif // PL_DIALECT_PL_TRANSFORMS_KERNELPASSES

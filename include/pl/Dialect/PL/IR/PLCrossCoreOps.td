//===- PLCrossCoreOps.td - The two sides of mixed kernels -----*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mixed kernel runs on a cluster: one cube core and two vector cores. Its
// body holds what both sides share (views, constants), the rings that connect
// them, and the code of each side. The vector side runs on both lanes.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_CROSS_CORE_OPS
#define PL_DIALECT_PL_IR_CROSS_CORE_OPS

include "pl/Dialect/PL/IR/PLTileOpBase.td"

class PL_SideOp<string mnemonic>
    : PL_Op<mnemonic, [SingleBlock, NoTerminator, HasParent<"KernelOp">,
                       RecursiveMemoryEffects]> {
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def PL_CubeOp : PL_SideOp<"cube"> {
  let summary = "what the cube core of a mixed kernel does";
  let description = [{
    ```mlir
    pl.kernel mix @qk_pv(%q: ..., %fifo: ...) {
      pl.ring to_vector %fifo offset 0 slots 2 bytes 8192 : memref<?x24576xi8>
      pl.cube { ... pl.push %scores : ... }
      pl.vector { ... %s = pl.pop -> ... }
    }
    ```
  }];
}

def PL_VectorOp : PL_SideOp<"vector"> {
  let summary = "what both vector cores of a mixed kernel do";
}

def PL_RingOp : PL_Op<"ring", [HasParent<"KernelOp">]> {
  let summary = "slots through which tiles cross from one side to the other";
  let description = [{
    A kernel has at most one ring per direction. Each block has its own row of
    `workspace`; the ring's slots lie there from byte `offset` on, `bytes` each.
    Tiles arrive in the order in which they were pushed. A tile lies packed, row
    by row, at the start of its slot.
  }];
  let arguments = (ins AnyMemRef:$workspace, UnitAttr:$to_cube,
                       I64Attr:$offset, I64Attr:$slots, I64Attr:$bytes);
  let assemblyFormat = [{
    (`to_cube` $to_cube^) : (`to_vector`)? $workspace `offset` $offset `slots`
    $slots `bytes` $bytes attr-dict `:` type($workspace)
  }];
  let hasVerifier = 1;
}

def PL_PushOp : PL_TileOpBase<"push", PL_Facts<"TPUSH", "all">> {
  let summary = "hands a tile to the other side of a mixed kernel";
  let description = [{
    Waits for a free slot, writes the valid box there and tells the other side.
    Out of `acc` it goes to the vector cores, out of `vec` to the cube. With
    `split` each lane pushes its half of the tile that the cube gets; without, a
    lane whose tile has no valid cells only takes part in the handshake.
  }];
  let arguments = (ins PL_AnyTile:$tile,
      DefaultValuedAttr<PL_SplitModeAttr, "SplitMode::none">:$split);
  let assemblyFormat =
      "$tile (`split` $split^)? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def PL_PopOp : PL_TileOpBase<"pop", PL_Facts<"TPOP", "mte2">> {
  let summary = "takes the next tile from the other side of a mixed kernel";
  let description = [{
    Waits until the tile is there, loads it and gives the slot back. With `split`
    each lane takes its half of what the cube pushed.
  }];
  let arguments = (ins Optional<PL_BufferType>:$dst,
      DefaultValuedAttr<PL_SplitModeAttr, "SplitMode::none">:$split);
  let results = (outs Optional<PL_TileType>:$result);
  let assemblyFormat = [{
    (`split` $split^)? attr-dict (`->` type($result)^)?
    (`into` $dst^ `:` type($dst))?
  }];
  let hasVerifier = 1;
}

#endif // PL_DIALECT_PL_IR_CROSS_CORE_OPS

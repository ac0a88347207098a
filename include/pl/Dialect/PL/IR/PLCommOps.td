//===- PLCommOps.td - Ranks, windows, signals, lanes -------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_COMM_OPS
#define PL_DIALECT_PL_IR_COMM_OPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLCommEnums.td"
include "pl/Dialect/PL/IR/PLTileOpBase.td"

def PL_IsWindow : CPred<
  "::llvm::isa_and_nonnull<::mlir::pl::WindowAttr>("
  "::llvm::cast<::mlir::MemRefType>($_self).getMemorySpace())">;

/// A tensor that other ranks reach, and one that holds signals.
def PL_Window : ConfinedType<AnyMemRef, [PL_IsWindow],
    "a tensor of a window (memory space #pl.window)", "::mlir::MemRefType">;
def PL_Signal : ConfinedType<AnyMemRef, [PL_IsWindow,
    CPred<"::llvm::cast<::mlir::MemRefType>($_self).getElementType()"
          ".isSignlessInteger(32)">],
    "an i32 tensor of a window (memory space #pl.window)",
    "::mlir::MemRefType">;

class PL_LaterOp<string mnemonic, list<Trait> traits = []>
    : PL_Op<mnemonic, !listconcat([PL_NotLoweredYet], traits)>;

/// An op that reads and writes memory that it names.
class PL_CommOp<string mnemonic, list<Trait> traits = []>
    : PL_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

class PL_RankOp<string mnemonic, string summary_>
    : PL_Op<mnemonic, [Pure]> {
  let summary = summary_;
  let arguments = (ins PL_Window:$window);
  let results = (outs I32:$result);
  let assemblyFormat = "$window attr-dict `:` type($window)";
}
def PL_RankOfOp : PL_RankOp<"rank",
  "this rank's number among those that share a window">;
def PL_NumRanksOp : PL_RankOp<"num_ranks",
  "number of ranks that share a window">;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

def PL_PutOp : PL_CommOp<"put", [AttrSizedOperandSegments]> {
  let summary = "copies a box of a local tensor into the peer's window";
  let description = [{
    Reads `sizes` elements of `source` at its offsets and writes them to the
    window `target` of rank `peer`, through a tile in vector memory of `chunk`
    rows and columns (0: the whole extent). `pipeline` uses two such tiles.
    What was put is in place before a later notify of the same core is seen.
    `stages` are those tiles once storage is assigned.
    A write of `target`: every rank runs the same code on its own window.

    ```mlir
    pl.put %x[%t, %c0] to %recv[%row, %c0] peer %p sizes(%c1, %c64)
        chunk 1 x 64 : memref<8x64xi8>, memref<32x64xi8, #pl.window>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$source_offsets,
      PL_Window:$target, Variadic<Index>:$target_offsets, Index:$peer,
      Variadic<Index>:$sizes,
      DefaultValuedAttr<PL_AtomicKindAttr, "AtomicKind::none">:$atomic,
      DefaultValuedAttr<I64Attr, "0">:$chunk_rows,
      DefaultValuedAttr<I64Attr, "0">:$chunk_cols, UnitAttr:$pipeline,
      Variadic<PL_BufferType>:$stages);
  let assemblyFormat = [{
    $source `[` $source_offsets `]` `to` $target `[` $target_offsets `]`
    `peer` $peer `sizes` `(` $sizes `)` (`atomic` `` $atomic^)?
    (`chunk` $chunk_rows^ `x` $chunk_cols)? (`pipeline` $pipeline^)?
    (`stages` `(` $stages^ `:` type($stages) `)`)?
    attr-dict `:` type($source) `,` type($target)
  }];
}

def PL_GetOp : PL_CommOp<"get", [AttrSizedOperandSegments]> {
  let summary = "copies a box of the peer's window into a local tensor";
  let description = [{
    As `pl.put` the other way round. A read of `source`.
  }];
  let arguments = (ins PL_Window:$source, Variadic<Index>:$source_offsets,
      AnyMemRef:$target, Variadic<Index>:$target_offsets, Index:$peer,
      Variadic<Index>:$sizes, DefaultValuedAttr<I64Attr, "0">:$chunk_rows,
      DefaultValuedAttr<I64Attr, "0">:$chunk_cols, UnitAttr:$pipeline,
      Variadic<PL_BufferType>:$stages);
  let assemblyFormat = [{
    $source `[` $source_offsets `]` `peer` $peer `to` $target
    `[` $target_offsets `]` `sizes` `(` $sizes `)`
    (`chunk` $chunk_rows^ `x` $chunk_cols)? (`pipeline` $pipeline^)?
    (`stages` `(` $stages^ `:` type($stages) `)`)?
    attr-dict `:` type($source) `,` type($target)
  }];
}

def PL_RemoteStoreOp : PL_TileOpBase<"remote_store",
    PL_Facts<"TSTORE", "mte3">> {
  let summary = "writes the valid box of a tile into the peer's window";
  let description = [{
    As `pl.store`, into the window `target` of rank `peer`.
  }];
  let arguments = (ins PL_AnyTile:$tile, PL_Window:$target,
      Variadic<Index>:$offsets, Index:$peer,
      DefaultValuedAttr<PL_AtomicKindAttr, "AtomicKind::none">:$atomic);
  let assemblyFormat = [{
    $tile `,` $target `[` $offsets `]` `peer` $peer (`atomic` `` $atomic^)?
    attr-dict `:` type($tile) `,` type($target)
  }];
  let hasVerifier = 1;
}

def PL_RemoteLoadOp : PL_TileOpBase<"remote_load", PL_Facts<"TLOAD", "mte2">,
    [AttrSizedOperandSegments]> {
  let summary = "a box of the peer's window, as a tile";
  let description = [{
    As `pl.load`, from the window `source` of rank `peer`.
  }];
  let arguments = (ins PL_Window:$source, Variadic<Index>:$offsets,
      Index:$peer, Variadic<Index>:$valid, Optional<PL_BufferType>:$dst);
  let results = (outs Optional<PL_TileType>:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` `peer` $peer (`valid` `(` $valid^ `)`)? attr-dict
    `:` type($source) (`->` type($result)^)? (`into` $dst^ `:` type($dst))?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

def PL_NotifyOp : PL_CommOp<"notify"> {
  let summary = "adds to, or sets, a cell of the peer's window";
  let description = [{
    What this core wrote to windows before is visible to whoever sees the new
    value. `add` reads and writes the cell, `set` writes it.

    ```mlir
    pl.notify add %one, %done[%me, %c0] peer %p : memref<4x1xi32, #pl.window>
    ```
  }];
  let arguments = (ins PL_NotifyKindAttr:$kind, I32:$value, PL_Signal:$target,
                       Variadic<Index>:$offsets, Index:$peer);
  let assemblyFormat = [{
    $kind $value `,` $target `[` $offsets `]` `peer` $peer attr-dict `:`
    type($target)
  }];
}

def PL_WaitOp : PL_CommOp<"wait"> {
  let summary = "holds this core until a cell of its own window is as expected";
  let description = [{
    Blocks the core. What was written before the notify that satisfied it is
    visible afterwards.

    ```mlir
    pl.wait ge %n, %done[%peer, %c0] : memref<4x1xi32, #pl.window>
    ```
  }];
  let arguments = (ins PL_WaitCmpAttr:$cmp, I32:$expected, PL_Signal:$signal,
                       Variadic<Index>:$offsets);
  let assemblyFormat = [{
    $cmp $expected `,` $signal `[` $offsets `]` attr-dict `:` type($signal)
  }];
}

def PL_DeferWaitOp : PL_CommOp<"defer_wait"> {
  let summary = "this task is complete only once a cell reaches a value";
  let description = [{
    Registers `signal[offsets] >= expected` with the scheduler and returns: the
    core is free once the kernel ends, and the task stays incomplete until all
    its conditions hold. A task takes at most 64 of them, and does nothing else;
    `pl-check-scopes` has the rules.

    ```mlir
    pl.defer_wait %done[%peer, %c0] reaches %n : memref<4x1xi32, #pl.window>
    ```
  }];
  let arguments = (ins PL_Signal:$signal, Variadic<Index>:$offsets,
                       I32:$expected);
  let assemblyFormat = [{
    $signal `[` $offsets `]` `reaches` $expected attr-dict `:` type($signal)
  }];
  let extraClassDeclaration = [{
    /// Most conditions of one task (the runtime's completion table).
    static constexpr int64_t kMaxConditions = 64;
  }];
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// What all ranks do together on a window; `signal` has the cells of their
/// barriers, zero before and after.
class PL_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : PL_CommOp<mnemonic, !listconcat([PL_NotLoweredYet], traits)>;

def PL_AllReduceOp : PL_CollectiveOp<"allreduce"> {
  let summary = "combines the ranks' windows; every rank gets the result";
  let description = [{
    In place. Without `signal` (host programs) the compiler makes one. `cores`
    blocks share the work.
  }];
  let arguments = (ins PL_Window:$target, Optional<PL_Signal>:$signal,
      PL_ReduceKind:$kind, DefaultValuedAttr<PL_Topology, "Topology::mesh">:$topology,
      DefaultValuedAttr<I64Attr, "1">:$cores);
  let assemblyFormat = [{
    $kind $target (`signal` $signal^ `:` type($signal))?
    (`topology` $topology^)? (`cores` $cores^)? attr-dict `,` type($target)
  }];
}

def PL_BarrierOp : PL_CollectiveOp<"barrier"> {
  let summary = "holds until every rank is here";
  let arguments = (ins PL_Signal:$signal);
  let assemblyFormat = "$signal attr-dict `:` type($signal)";
}

def PL_BroadcastOp : PL_CollectiveOp<"broadcast"> {
  let summary = "every rank's window gets that of `root`";
  let arguments = (ins PL_Window:$target, PL_Signal:$signal, I64Attr:$root);
  let assemblyFormat = [{
    $target `signal` $signal `root` $root attr-dict `:` type($target) `,`
    type($signal)
  }];
}

def PL_ReduceScatterOp : PL_CollectiveOp<"reduce_scatter"> {
  let summary = "row r of the combined windows ends on rank r";
  let arguments = (ins PL_ReduceKind:$kind, PL_Window:$target,
                       PL_Signal:$signal);
  let assemblyFormat = [{
    $kind $target `signal` $signal attr-dict `:` type($target) `,`
    type($signal)
  }];
}

/// Every rank sends parts of `source`, another tensor than `target`.
class PL_ExchangeOp<string mnemonic, string summary_>
    : PL_CollectiveOp<mnemonic> {
  let summary = summary_;
  let arguments = (ins AnyMemRef:$source, PL_Window:$target,
                       PL_Signal:$signal);
  let assemblyFormat = [{
    $source `to` $target `signal` $signal attr-dict `:` type($source) `,`
    type($target) `,` type($signal)
  }];
}
def PL_AllGatherOp : PL_ExchangeOp<"allgather",
  "row r of every rank's target is the source of rank r">;
def PL_AllToAllOp : PL_ExchangeOp<"all_to_all",
  "row r of the target is the row that rank r has for this rank">;

def PL_AllToAllVOp : PL_CollectiveOp<"all_to_all_v"> {
  let summary = "all_to_all of blocks of rows, of which some count";
  let description = [{
    Source and target hold one block of rows for each rank. Whole blocks move;
    `send_counts` says how many rows of each mean anything, and `recv_counts`
    gets these numbers.
  }];
  let arguments = (ins AnyMemRef:$source, PL_Window:$target, PL_Signal:$signal,
                       AnyMemRef:$send_counts, PL_Signal:$recv_counts);
  let assemblyFormat = [{
    $source `to` $target `signal` $signal `counts` $send_counts `to`
    $recv_counts attr-dict `:` type($source) `,` type($target) `,`
    type($signal) `,` type($send_counts) `,` type($recv_counts)
  }];
}

//===----------------------------------------------------------------------===//
// Cores of one launch
//===----------------------------------------------------------------------===//

def PL_FenceOp : PL_LaterOp<"fence"> {
  let summary = "orders this core's accesses to global memory";
  let assemblyFormat = "attr-dict";
}

def PL_CacheInvalidOp : PL_LaterOp<"cache_invalid",
                                   [AttrSizedOperandSegments]> {
  let summary = "drops what this core's data cache holds of global memory";
  let description = [{
    Of all of it, or of the line that holds the start of a box of one tensor.
  }];
  let arguments = (ins Optional<AnyMemRef>:$tensor, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes);
  let assemblyFormat = [{
    ($tensor^ `[` $offsets `]` `sizes` `(` $sizes `)` `:` type($tensor))?
    attr-dict
  }];
  let hasVerifier = 1;
}

def PL_SyncAllOp : PL_LaterOp<"sync_all", [AttrSizedOperandSegments]> {
  let summary = "holds until all cores of a kind are here";
  let description = [{
    Without a workspace it is the machine's own barrier, which counts every core
    of the kind: the launch must fill them all at once. With one (16 zeroed i32
    in a cache line of their own) `participants` cores meet by polling it.
    Orders arrival, not what memory shows.

    ```mlir
    pl.sync_all mix
    pl.sync_all aiv_only workspace %ws participants %n : memref<16xi32>
    ```
  }];
  let arguments = (ins PL_SyncCoresAttr:$cores, Optional<AnyMemRef>:$workspace,
                       Optional<I32>:$participants);
  let assemblyFormat = [{
    $cores (`workspace` $workspace^ (`participants` $participants^)? `:`
    type($workspace))? attr-dict
  }];
  let hasVerifier = 1;
}

class PL_CountOp<string mnemonic, string summary_>
    : PL_LaterOp<mnemonic, [Pure]> {
  let summary = summary_;
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def PL_AvailableClustersOp : PL_CountOp<"available_clusters",
  "number of clusters (one cube and two vector cores) of the device">;
def PL_AvailableVectorCoresOp : PL_CountOp<"available_vector_cores",
  "number of vector cores of the device">;

def PL_SubblockIdxOp : PL_LaterOp<"subblock_idx", [Pure]> {
  let summary = "which vector lane of its cluster this is: 0 or 1";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// The two vector lanes of a cluster
//===----------------------------------------------------------------------===//

def PL_SplitAivOp : PL_Op<"split_aiv", [SingleBlock,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "vector work that both lanes of a cluster do";
  let description = [{
    The region argument is the lane, 0 or 1. With `up_down` and `left_right`
    each lane has its half of the rows or columns of what it gets by
    `pl.aiv_shard`; with `none` both lanes run the whole body and the lane
    selects their work. What the region yields is the same on both lanes, or was
    joined by `pl.aic_gather`.

    ```mlir
    pl.split_aiv up_down {
    ^bb0(%lane: index):
      %half = pl.aiv_shard up_down %acc : ...
    }
    ```
  }];
  let arguments = (ins PL_SplitModeAttr:$mode);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$mode $body attr-dict (`->` type($results)^)?";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getLane() { return getBody().getArgument(0); }
    ::mlir::Operation *getYield() { return getBody().front().getTerminator(); }
  }];
}

class PL_LaneOp<string mnemonic, string summary_>
    : PL_Op<mnemonic, [Pure]> {
  let summary = summary_;
  let arguments = (ins PL_SplitModeAttr:$mode, PL_TileType:$source);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $mode $source attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}
def PL_AivShardOp : PL_LaneOp<"aiv_shard",
  "a product of the cube, as this lane sees it"> {
  let description = [{
    With `up_down` and `left_right` this lane's half; of an odd extent lane 0
    has the larger half, and the valid extent of lane 1's is one less.
  }];
}
def PL_AicGatherOp : PL_LaneOp<"aic_gather",
  "what the two lanes have, as the cube sees it"> {
  let description = [{
    With `up_down` and `left_right` the two halves, joined; with `none` the
    value, which must be the same on both lanes.
  }];
}

#endif // PL_DIALECT_PL_IR_COMM_OPS

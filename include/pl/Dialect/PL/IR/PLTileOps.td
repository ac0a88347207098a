//===- PLTileOps.td - Ops on tiles and buffers ----------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TILE_OPS
#define PL_DIALECT_PL_IR_TILE_OPS

include "pl/Dialect/PL/IR/PLTileOpBase.td"

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

let summary = "elementwise, on two tiles of one shape and type" in {
def PL_AddOp : PL_BinaryOp<"add", "TADD">;
def PL_SubOp : PL_BinaryOp<"sub", "TSUB">;
def PL_MulOp : PL_BinaryOp<"mul", "TMUL">;
def PL_DivOp : PL_BinaryOp<"div", "TDIV">;
def PL_MaximumOp : PL_BinaryOp<"maximum", "TMAX">;
def PL_MinimumOp : PL_BinaryOp<"minimum", "TMIN">;
}
let summary = "elementwise, a tile with one scalar of its element type" in {
def PL_AddsOp : PL_ScalarOp<"adds", "TADDS">;
def PL_SubsOp : PL_ScalarOp<"subs", "TSUBS">;
def PL_MulsOp : PL_ScalarOp<"muls", "TMULS">;
def PL_DivsOp : PL_ScalarOp<"divs", "TDIVS">;
def PL_MaxsOp : PL_ScalarOp<"maxs", "TMAXS">;
def PL_MinsOp : PL_ScalarOp<"mins", "TMINS">;
}
let summary = "elementwise on one tile" in {
def PL_NegOp : PL_UnaryOp<"neg", "TNEG">;
def PL_AbsOp : PL_UnaryOp<"abs", "TABS">;
def PL_ExpOp : PL_UnaryOp<"exp", "TEXP">;
def PL_LogOp : PL_UnaryOp<"log", "TLOG">;
def PL_SqrtOp : PL_UnaryOp<"sqrt", "TSQRT">;
// The instruction must not have source and destination in one storage.
def PL_RecipOp : PL_UnaryOp<"recip", "TRECIP", "none">;
def PL_RsqrtOp : PL_UnaryOp<"rsqrt", "TRSQRT", "none",
                            (ins UnitAttr:$high_precision)> {
  let description = [{
    1/sqrt(x): a square root, then a division, each correctly rounded; at most
    1.5 ulp. `high_precision` asks for at most 1 ulp, which the form with a
    scratch block gives.
  }];
}
def PL_CastOp : PL_UnaryOp<"cast", "TCVT", "none", (ins PL_RoundModeAttr:$mode)> {
  let description = [{
    Converts each element with the given rounding. Float to integer saturates;
    NaN becomes 0.
  }];
  let assemblyFormat = [{
    $source `` $mode attr-dict `:` type($source)
    (`->` type($result)^)? (`into` $dst^ `:` type($dst))?
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
  }];
}
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

let summary = "reduces each row over its valid columns, to [M, 1]" in {
def PL_RowSumOp : PL_ReduceOp<"row_sum", "TROWSUM", "likeSource">;
def PL_RowMaxOp : PL_ReduceOp<"row_max", "TROWMAX", "likeSource">;
def PL_RowMinOp : PL_ReduceOp<"row_min", "TROWMIN", "likeSource">;
}
let summary = "reduces each column over its valid rows, to [1, N]" in {
def PL_ColSumOp : PL_ReduceOp<"col_sum", "TCOLSUM", "none">;
def PL_ColMaxOp : PL_ReduceOp<"col_max", "TCOLMAX", "none">;
}
let summary = "combines each row of [M, N] with one scalar of [M, 1]" in {
def PL_RowExpandAddOp : PL_ExpandOp<"row_expand_add", "TROWEXPANDADD", "first", "column">;
def PL_RowExpandSubOp : PL_ExpandOp<"row_expand_sub", "TROWEXPANDSUB", "first", "column">;
def PL_RowExpandMulOp : PL_ExpandOp<"row_expand_mul", "TROWEXPANDMUL", "first", "column">;
def PL_RowExpandDivOp : PL_ExpandOp<"row_expand_div", "TROWEXPANDDIV", "first", "column">;
}
let summary = "combines each column of [M, N] with one scalar of [1, N]" in {
def PL_ColExpandAddOp : PL_ExpandOp<"col_expand_add", "TCOLEXPANDADD", "first", "none">;
def PL_ColExpandSubOp : PL_ExpandOp<"col_expand_sub", "TCOLEXPANDSUB", "first", "none">;
def PL_ColExpandMulOp : PL_ExpandOp<"col_expand_mul", "TCOLEXPANDMUL", "first", "none">;
def PL_ColExpandDivOp : PL_ExpandOp<"col_expand_div", "TCOLEXPANDDIV", "first", "none">;
}
let summary = "repeats a vector over a tile of the result's shape" in {
def PL_RowExpandOp : PL_UnaryOp<"row_expand", "TROWEXPAND", "none">;
def PL_ColExpandOp : PL_UnaryOp<"col_expand", "TCOLEXPAND", "none">;
}

//===----------------------------------------------------------------------===//
// Making and moving tiles
//===----------------------------------------------------------------------===//

def PL_EmptyOp : PL_Op<"empty", [Pure]> {
  let summary = "a tile that is written before it is read";
  let description = [{
    The initial value of an accumulator that the first product overwrites.
  }];
  let results = (outs PL_TileType:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def PL_FullOp : PL_ComputeOp<"full", PL_Facts<"TEXPANDS", "v">, (ins),
    "$value attr-dict `:` type($value)", (ins PL_Scalar:$value)> {
  let summary = "a tile of one scalar";
}

def PL_IotaOp : PL_ComputeOp<"iota", PL_Facts<"TCI", "v">, (ins),
    "$start attr-dict `:` type($start)", (ins AnyInteger:$start)> {
  let summary = "[1, N]: start, start + 1, ...";
}

def PL_LoadOp : PL_TileOpBase<"load", PL_Facts<"TLOAD", "mte2">,
                              [AttrSizedOperandSegments]> {
  let summary = "a window of a tensor, as a tile";
  let description = [{
    Reads the valid box of the tile at `offsets` of a tensor of rank 1 or more;
    axes before the last two contribute one index, a rank-1 tensor is one row.
    `valid` gives the run-time valid extents, rows before columns. `transpose`
    reads a window of the transposed shape and lays it out transposed.

    ```mlir
    %t = pl.load %x[%r, %c] valid(%n)
        : memref<?x64xbf16> -> !pl.tile<8x64xbf16, valid = ?x64>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets,
                       Variadic<Index>:$valid, UnitAttr:$transpose,
                       Optional<PL_BufferType>:$dst);
  let results = (outs Optional<PL_TileType>:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`valid` `(` $valid^ `)`)? (`transpose` $transpose^)?
    attr-dict `:` type($source) (`->` type($result)^)? (`into` $dst^ `:` type($dst))?
  }];
  let hasVerifier = 1;
}

def PL_StoreOp : PL_TileOpBase<"store", PL_Facts<"TSTORE", "all">> {
  let summary = "writes the valid box of a tile into a tensor";
  let description = [{
    With `atomic add` the elements are added to what the tensor holds, each
    element in one step; the order is that of the run.

    ```mlir
    pl.store %t, %y[%r, %c] : !pl.tile<8x64xbf16>, memref<?x64xbf16>
    ```
  }];
  let arguments = (ins PL_AnyTile:$tile, AnyMemRef:$target,
                       Variadic<Index>:$offsets,
                       DefaultValuedAttr<PL_AtomicKindAttr, "AtomicKind::none">:$atomic);
  let assemblyFormat = [{
    $tile `,` $target `[` $offsets `]` (`atomic` `` $atomic^)? attr-dict
    `:` type($tile) `,` type($target)
  }];
  let hasVerifier = 1;
}

def PL_MoveOp : PL_ComputeOp<"move", PL_Facts<"TMOV", "all">,
    (ins PL_AnyTile:$source), "$source attr-dict `:` type($source)"> {
  let summary = "copies a tile to another on-chip memory";
}

def PL_ExtractOp : PL_ComputeOp<"extract", PL_Facts<"TEXTRACT", "all">,
    (ins PL_AnyTile:$source),
    "$source `[` $row `,` $col `]` attr-dict `:` type($source)",
    (ins I64Attr:$row, I64Attr:$col)> {
  let summary = "copies a window of a tile to another on-chip memory";
}

def PL_SubtileOp : PL_Op<"subtile", [Pure]> {
  let summary = "a window of a tile, in the same storage";
  let arguments = (ins PL_TileType:$source, I64Attr:$row, I64Attr:$col);
  let results = (outs PL_TileType:$result);
  let assemblyFormat =
    "$source `[` $row `,` $col `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def PL_ReshapeOp : PL_Op<"reshape", [Pure]> {
  let summary = "the same cells as a tile of another shape";
  let description = [{
    Element counts are equal. A partly valid tile may only turn between [M, 1]
    and [1, M]; anything else needs a fully valid tile.
  }];
  let arguments = (ins PL_TileType:$source);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def PL_SetValidOp : PL_Op<"set_valid", [Pure]> {
  let summary = "the same tile with other valid extents";
  let description = [{
    `valid` gives the run-time extents, rows before columns. The cells stay where they are.
  }];
  let arguments = (ins PL_TileType:$source, Variadic<Index>:$valid);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source (`valid` `(` $valid^ `)`)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def PL_ValidExtentOp : PL_Op<"valid_extent", [Pure]> {
  let summary = "the valid extent of a tile on one axis";
  let arguments = (ins PL_TileType:$tile, I64Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$tile `,` $axis attr-dict `:` qualified(type($tile))";
  let hasFolder = 1;
}

def PL_FillPadOp : PL_ComputeOp<"fillpad", PL_Facts<"TFILLPAD", "v">,
    (ins PL_AnyTile:$source), "$source `` $pad attr-dict `:` type($source)",
    (ins PL_PadValueAttr:$pad)> {
  let summary = "fills the cells outside the valid box";
}

def PL_TransposeOp : PL_ComputeOp<"transpose",
    PL_Facts<"TTRANS", "v", "none", "likeSource">,
    (ins PL_AnyTile:$source), "$source attr-dict `:` type($source)"> {
  let summary = "swaps rows and columns";
}

def PL_GatherOp : PL_ComputeOp<"gather",
    PL_Facts<"TGATHER", "v", "none", "likeIndex">,
    (ins PL_AnyTile:$source, PL_AnyTile:$index),
    "$source `,` $index (`flat` $flat^)? attr-dict `:` type($source) `,` type($index)",
    (ins UnitAttr:$flat)> {
  let summary = "picks elements of a tile by an index tile";
  let description = [{
    `out[r, c] = source[r, index[r, c]]`. With `flat`
    the index counts elements of the whole source box, row-major, as the
    instruction does. An index outside the valid box is an error at run time.
  }];
}

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

def PL_MatmulOp : PL_ComputeOp<"matmul", PL_Facts<"TMATMUL", "m">,
    (ins PL_AnyTile:$lhs, PL_AnyTile:$rhs),
    "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"> {
  let summary = "[M, K] x [K, N], accumulated in FP32 or INT32 by ascending k";
  let description = [{
    Cells outside the valid box of an operand count as zero. Float products are
    added by fused multiply-add in FP32, integers exactly in INT32.
  }];
}

def PL_MatmulAccOp : PL_ComputeOp<"matmul_acc",
    PL_Facts<"TMATMUL_ACC", "m", "first">,
    (ins PL_AnyTile:$acc, PL_AnyTile:$lhs, PL_AnyTile:$rhs),
    "$acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,` type($rhs)"> {
  let summary = "a product added to an accumulator";
}

//===----------------------------------------------------------------------===//
// Scalars in memory
//===----------------------------------------------------------------------===//

def PL_ReadOp : PL_Op<"read", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one element of a tensor";
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$indices);
  let results = (outs PL_Scalar:$result);
  let assemblyFormat =
    "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def PL_WriteOp : PL_Op<"write", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes one element of a tensor";
  let arguments = (ins PL_Scalar:$value, AnyMemRef:$target,
                       Variadic<Index>:$indices);
  let assemblyFormat =
    "$value `,` $target `[` $indices `]` attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers (phase `tiles`)
//===----------------------------------------------------------------------===//

def PL_BufferOp : PL_Op<"buffer", [Pure]> {
  let summary = "on-chip storage for a tile";
  let description = [{
    `valid` gives the run-time valid extents, which hold for every use.
    `address` is the byte offset in the memory space, once planned.
  }];
  let arguments = (ins Variadic<Index>:$valid, StrAttr:$name,
                       OptionalAttr<I64Attr>:$address);
  let results = (outs PL_BufferType:$result);
  let assemblyFormat = [{
    $name (`valid` `(` $valid^ `)`)? (`at` $address^)? attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def PL_BufferViewOp : PL_Op<"buffer_view", [Pure]> {
  let summary = "a buffer over part or all of another buffer's storage";
  let description = [{
    `offset` is in bytes from the start of the source.
  }];
  let arguments = (ins PL_BufferType:$source, Variadic<Index>:$valid,
                       StrAttr:$name, DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<I64Attr>:$address);
  let results = (outs PL_BufferType:$result);
  let assemblyFormat = [{
    $source $name (`offset` $offset^)? (`valid` `(` $valid^ `)`)? (`at` $address^)?
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // PL_DIALECT_PL_IR_TILE_OPS

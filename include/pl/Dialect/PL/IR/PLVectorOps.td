//===- PLVectorOps.td - Further ops on tiles ---------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_VECTOR_OPS
#define PL_DIALECT_PL_IR_VECTOR_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTileOpBase.td"

/// Rules beyond the shape of the result: element types, attributes that fix a
/// shape. See VectorOps.cpp.
def PL_HasVectorRules : NativeOpTrait<"HasVectorRules"> {
  let cppNamespace = "::mlir::pl::OpTrait";
}

class PL_LaterOp<string mnemonic, PL_Facts facts, dag sources, string format,
                 dag others = (ins)>
    : PL_ComputeOp<mnemonic, facts, sources, format, others,
                   [PL_HasVectorRules, PL_NotLoweredYet]>;

class PL_LaterUnaryOp<string mnemonic, string isa, string alias = "any">
    : PL_LaterOp<mnemonic, PL_Facts<isa, "v", alias>, (ins PL_AnyTile:$source),
                 "$source attr-dict `:` type($source)">;

class PL_LaterBinaryOp<string mnemonic, string isa, string alias = "any",
                       string scratch = "none">
    : PL_LaterOp<mnemonic, PL_Facts<isa, "v", alias, scratch>,
                 (ins PL_AnyTile:$lhs, PL_AnyTile:$rhs),
                 "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)">;

class PL_LaterScalarOp<string mnemonic, string isa, string alias = "any",
                       string scratch = "none">
    : PL_LaterOp<mnemonic, PL_Facts<isa, "v", alias, scratch>,
                 (ins PL_AnyTile:$source, PL_Scalar:$scalar),
                 "$source `,` $scalar attr-dict `:` type($source) `,` type($scalar)">;

class PL_LaterReduceOp<string mnemonic, string isa, string scratch>
    : PL_LaterOp<mnemonic, PL_Facts<isa, "v", "none", scratch>,
                 (ins PL_AnyTile:$source), "$source attr-dict `:` type($source)">;

class PL_LaterExpandOp<string mnemonic, string isa, string alias, string scratch>
    : PL_LaterOp<mnemonic, PL_Facts<isa, "v", alias, scratch>,
                 (ins PL_AnyTile:$full, PL_AnyTile:$vector),
                 "$full `,` $vector attr-dict `:` type($full) `,` type($vector)">;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

let summary = "elementwise on one FP32 tile" in {
def PL_SinOp : PL_LaterUnaryOp<"sin", "TSIN">;
def PL_CosOp : PL_LaterUnaryOp<"cos", "TCOS">;
}

let summary = "with an error of at most 1 ulp, where the plain op has 2" in {
def PL_PreciseDivOp : PL_LaterBinaryOp<"precise_div", "TDIV", "none">;
def PL_PreciseLogOp : PL_LaterUnaryOp<"precise_log", "TLOG", "none">;
def PL_PreciseRecipOp : PL_LaterUnaryOp<"precise_recip", "TRECIP", "none">;
}

let summary = "bitwise, on integer tiles of one shape and type" in {
def PL_AndOp : PL_LaterBinaryOp<"and", "TAND">;
def PL_OrOp : PL_LaterBinaryOp<"or", "TOR">;
def PL_XorOp : PL_LaterBinaryOp<"xor", "TXOR", "none", "likeSource">;
}
let summary = "bitwise, an integer tile with one scalar of its element type" in {
def PL_AndsOp : PL_LaterScalarOp<"ands", "TANDS">;
def PL_OrsOp : PL_LaterScalarOp<"ors", "TORS">;
def PL_XorsOp : PL_LaterScalarOp<"xors", "TXORS", "none", "likeSource">;
}
def PL_NotOp : PL_LaterUnaryOp<"not", "TNOT"> {
  let summary = "flips each bit of an integer tile";
}
let summary = "shifts each integer of `lhs` by the one of `rhs`" in
let description = [{
  A right shift of a signed type keeps the sign. A negative count is an error.
}] in {
def PL_ShlOp : PL_LaterBinaryOp<"shl", "TSHL">;
def PL_ShrOp : PL_LaterBinaryOp<"shr", "TSHR">;
}
let summary = "shifts each integer by one count" in {
def PL_ShlsOp : PL_LaterScalarOp<"shls", "TSHLS">;
def PL_ShrsOp : PL_LaterScalarOp<"shrs", "TSHRS">;
}
let summary = "remainder of the division rounded to zero: the dividend's sign" in {
def PL_FmodOp : PL_LaterBinaryOp<"fmod", "TFMOD">;
def PL_FmodsOp : PL_LaterScalarOp<"fmods", "TFMODS">;
}
let summary = "remainder of the floor division: the divisor's sign" in {
def PL_RemOp : PL_LaterBinaryOp<"rem", "TREM", "none", "likeSource">;
def PL_RemsOp : PL_LaterScalarOp<"rems", "TREMS", "none", "likeSource">;
}
def PL_PreluOp : PL_LaterBinaryOp<"prelu", "TPRELU", "none", "likeSource"> {
  let summary = "x where x > 0, else x times the slope of the cell";
}
def PL_LreluOp : PL_LaterScalarOp<"lrelu", "TLRELU"> {
  let summary = "x where x > 0, else x times one slope";
}

let summary = "elementwise on two tiles of different valid boxes" in
let description = [{
  One box holds the other. Cells that only one operand has are copied from it,
  so the result has the larger box.
}] in {
def PL_PartAddOp : PL_LaterBinaryOp<"part_add", "TPARTADD">;
def PL_PartMulOp : PL_LaterBinaryOp<"part_mul", "TPARTMUL">;
def PL_PartMaxOp : PL_LaterBinaryOp<"part_max", "TPARTMAX">;
def PL_PartMinOp : PL_LaterBinaryOp<"part_min", "TPARTMIN">;
}

//===----------------------------------------------------------------------===//
// Comparing and choosing
//===----------------------------------------------------------------------===//

class PL_CompareOp<string mnemonic>
    : PL_LaterOp<mnemonic, PL_Facts<"TCMP", "v">,
                 (ins PL_AnyTile:$lhs, PL_AnyTile:$rhs),
                 "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)",
                 (ins PL_CmpKindAttr:$kind)>;
class PL_CompareScalarOp<string mnemonic>
    : PL_LaterOp<mnemonic, PL_Facts<"TCMPS", "v">,
                 (ins PL_AnyTile:$source),
                 "$kind $source `,` $scalar attr-dict `:` type($source) `,` type($scalar)",
                 (ins PL_Scalar:$scalar, PL_CmpKindAttr:$kind)>;

let summary = "1 where the comparison holds, else 0, in the type of `lhs`" in
let description = [{
  A comparison with NaN holds only for `ne`. The machine's instruction gives a
  packed mask; the selection of 1 or 0 by it follows.
}] in {
def PL_CmpOp : PL_CompareOp<"cmp">;
def PL_CmpsOp : PL_CompareScalarOp<"cmps">;
}
let summary = "one bit for each cell that the comparison holds for" in
let description = [{
  The first column is the lowest bit of the first byte of its row. A row of N
  cells takes N/8 bytes, in a box of a multiple of 32 bytes.
}] in {
def PL_CmpMaskOp : PL_CompareOp<"cmp_mask">;
def PL_CmpsMaskOp : PL_CompareScalarOp<"cmps_mask">;
}
def PL_SelOp : PL_LaterOp<"sel", PL_Facts<"TSEL", "v">,
    (ins PL_AnyTile:$mask, PL_AnyTile:$lhs, PL_AnyTile:$rhs),
    "$mask `,` $lhs `,` $rhs attr-dict `:` type($mask) `,` type($lhs) `,` type($rhs)"> {
  let summary = "`lhs` where the bit of a packed mask is set, else `rhs`";
}
def PL_SelsOp : PL_LaterOp<"sels", PL_Facts<"TSELS", "v">,
    (ins PL_AnyTile:$mask, PL_AnyTile:$source),
    "$mask `,` $source `,` $scalar attr-dict `:` type($mask) `,` type($source) `,` type($scalar)",
    (ins PL_Scalar:$scalar)> {
  let summary = "the tile where the bit of a packed mask is set, else the scalar";
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

def PL_RowProdOp : PL_LaterReduceOp<"row_prod", "TROWPROD", "likeSource"> {
  let summary = "product of each row over its valid columns, [M, 1]";
}
let summary = "reduces each column over its valid rows, to [1, N]" in {
def PL_ColMinOp : PL_LaterReduceOp<"col_min", "TCOLMIN", "none">;
def PL_ColProdOp : PL_LaterReduceOp<"col_prod", "TCOLPROD", "none">;
}
let summary = "where each row has its extreme, [M, 1] of INT32; the first of equals" in {
def PL_RowArgmaxOp : PL_LaterReduceOp<"row_argmax", "TROWARGMAX", "likeSource">;
def PL_RowArgminOp : PL_LaterReduceOp<"row_argmin", "TROWARGMIN", "likeSource">;
}
let summary = "where each column has its extreme, [1, N] of INT32; the first of equals" in {
def PL_ColArgmaxOp : PL_LaterReduceOp<"col_argmax", "TCOLARGMAX", "likeSource">;
def PL_ColArgminOp : PL_LaterReduceOp<"col_argmin", "TCOLARGMIN", "likeSource">;
}
let summary = "combines each row of [M, N] with one scalar of [M, 1]" in {
def PL_RowExpandMaxOp : PL_LaterExpandOp<"row_expand_max", "TROWEXPANDMAX", "first", "column">;
def PL_RowExpandMinOp : PL_LaterExpandOp<"row_expand_min", "TROWEXPANDMIN", "first", "column">;
}
let summary = "combines each column of [M, N] with one scalar of [1, N]" in {
def PL_ColExpandMaxOp : PL_LaterExpandOp<"col_expand_max", "TCOLEXPANDMAX", "first", "none">;
def PL_ColExpandMinOp : PL_LaterExpandOp<"col_expand_min", "TCOLEXPANDMIN", "first", "none">;
}
let summary = "exp(x - v), the difference rounded first" in {
def PL_RowExpandExpdifOp : PL_LaterExpandOp<"row_expand_expdif", "TROWEXPANDEXPDIF", "first", "column">;
def PL_ColExpandExpdifOp : PL_LaterExpandOp<"col_expand_expdif", "TCOLEXPANDEXPDIF", "first", "none">;
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

def PL_Sort32Op : PL_LaterOp<"sort32", PL_Facts<"TSORT32", "v">,
    (ins PL_AnyTile:$source, PL_AnyTile:$index),
    "$source `,` $index attr-dict `:` type($source) `,` type($index)"> {
  let summary = "sorts blocks of 32 values of a row, largest first";
  let description = [{
    [1, N] values with [1, N] indices of UINT32 give [1, 2N]: pairs of a value
    and the bits of its index, in the type of the values. Equal values keep the
    order of their indices; NaN comes last. N is a multiple of 32.

    ```mlir
    %pairs = pl.sort32 %x, %i : !pl.tile<1x64xf32>, !pl.tile<1x64xui32>
        -> !pl.tile<1x128xf32>
    ```
  }];
}
def PL_MrgsortOp : PL_LaterOp<"mrgsort", PL_Facts<"TMRGSORT", "v">,
    (ins PL_AnyTile:$source),
    "$source `block` `(` $block `)` attr-dict `:` type($source)",
    (ins Index:$block)> {
  let summary = "merges each four neighbouring sorted runs of pairs into one";
  let description = [{
    `block` is the length of a run in positions of the row: a multiple of 64.
    The row holds a whole number of groups of four runs.
  }];
}
def PL_MrgsortListsOp : PL_LaterOp<"mrgsort_lists", PL_Facts<"TMRGSORT", "v">,
    (ins Variadic<PL_AnyTile>:$sources),
    "$sources (`exhausted` $exhausted^)? attr-dict `:` type($sources)",
    (ins UnitAttr:$exhausted)> {
  let summary = "merges two to four sorted rows of pairs into one";
  let description = [{
    The result is as long as the sources together. With `exhausted` the merge
    stops as soon as one source has nothing left; what follows is undefined.
  }];
}

//===----------------------------------------------------------------------===//
// Gathering and scattering
//===----------------------------------------------------------------------===//

def PL_GatherMaskOp : PL_LaterOp<"gather_mask", PL_Facts<"TGATHER", "v">,
    (ins PL_AnyTile:$source),
    "$pattern $source attr-dict `:` type($source)",
    (ins PL_MaskPatternAttr:$pattern)> {
  let summary = "the columns that a lane pattern keeps, side by side";
  let description = [{
    `p0101` keeps the even lanes and `p1010` the odd ones, `p0001` to `p1000`
    one of four, the rightmost digit being lane 0; `p1111` keeps all. The result
    may have another element type of the same width: its bits, unchanged.
  }];
}
def PL_GatherBlocksOp : PL_LaterOp<"gather_blocks", PL_Facts<"TGATHERB", "v">,
    (ins PL_AnyTile:$source, PL_AnyTile:$offset),
    "$source `,` $offset attr-dict `:` type($source) `,` type($offset)"> {
  let summary = "the 32-byte blocks that byte offsets name";
}
def PL_GatherCompareOp : PL_Op<"gather_compare", [Pure, PL_NotLoweredYet]> {
  let summary = "where the elements of each row compare so with a scalar";
  let description = [{
    Gives for each row of the source the columns (from `offset` on) of the
    elements that `kind` holds for, and how many there are. Cells of `indices`
    beyond the count of their row hold no data.

    ```mlir
    %i, %n = pl.gather_compare ge %x, %s offset 0
        : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x16xi32>, !pl.tile<1x8xi32>
    ```
  }];
  let arguments = (ins PL_TileType:$source, PL_Scalar:$scalar,
                       PL_CmpKindAttr:$kind, I64Attr:$offset);
  let results = (outs PL_TileType:$indices, PL_TileType:$counts);
  let assemblyFormat = [{
    $kind $source `,` $scalar `offset` $offset attr-dict
    `:` qualified(type($source)) `,` type($scalar)
    `->` qualified(type($indices)) `,` qualified(type($counts))
  }];
  let hasVerifier = 1;
}
def PL_ScatterOp : PL_LaterOp<"scatter", PL_Facts<"TSCATTER", "v">,
    (ins PL_AnyTile:$base, PL_AnyTile:$index, PL_AnyTile:$source),
    "$base `,` $index `,` $source (`flat` $flat^)? attr-dict `:` type($base) `,` type($index) `,` type($source)",
    (ins UnitAttr:$flat)> {
  let summary = "puts elements into a tile by an index tile";
  let description = [{
    `out = base; out[r, index[r, c]] = source[r, c]`. With `flat` the index
    counts elements of the whole box, row-major. An index outside the box is an
    error at run time; of equal indices any may win.
  }];
}
def PL_ScatterMaskOp : PL_LaterOp<"scatter_mask", PL_Facts<"TSCATTER", "v">,
    (ins PL_AnyTile:$base, PL_AnyTile:$source),
    "$pattern $base `,` $source attr-dict `:` type($base) `,` type($source)",
    (ins PL_MaskPatternAttr:$pattern)> {
  let summary = "puts the columns of a tile into the lanes of a pattern";
  let description = [{
    The other lanes keep what `base` has there; see `pl.gather_mask`.
  }];
}

//===----------------------------------------------------------------------===//
// Making tiles
//===----------------------------------------------------------------------===//

def PL_IotaDownOp : PL_LaterOp<"iota_down", PL_Facts<"TCI", "v">, (ins),
    "$start attr-dict `:` type($start)", (ins AnyInteger:$start)> {
  let summary = "[1, N]: start, start - 1, ...";
}
def PL_TriOp : PL_LaterOp<"tri", PL_Facts<"TTRI", "v">, (ins),
    "$diagonal (`upper` $upper^)? attr-dict", (ins Index:$diagonal, UnitAttr:$upper)> {
  let summary = "1 on one side of a diagonal, 0 on the other";
  let description = [{
    1 where column <= row + diagonal, or with `upper` where column >= row +
    diagonal.
  }];
}

def PL_RandomOp : PL_LaterOp<"random", PL_Facts<"TRANDOM", "v">, (ins),
    "`(` $seeds `)` `rounds` $rounds attr-dict",
    (ins Variadic<I32>:$seeds, I64Attr:$rounds)> {
  let summary = "pseudo-random integers, the same for the same seeds";
  let description = [{
    `seeds` are two words of a key and four of a counter. `rounds` is 7 or 10.
  }];
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

def PL_ReinterpretOp : PL_Op<"reinterpret", [Pure, PL_NotLoweredYet]> {
  let summary = "the same bytes as a tile of another element type";
  let description = [{
    A partly valid tile keeps its rows, and its valid columns are whole numbers
    of new elements.
  }];
  let arguments = (ins PL_TileType:$source);
  let results = (outs PL_TileType:$result);
  let assemblyFormat =
    "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

def PL_ScalarCastOp : PL_Op<"scalar_cast", [Pure, PL_NotLoweredYet]> {
  let summary = "converts a float scalar, rounding as said";
  let description = [{
    To a narrower float or to an integer, which saturates; NaN becomes 0. What
    is exact, or an integer already, is an op of `arith`.
  }];
  let arguments = (ins AnyFloat:$source, PL_RoundModeAttr:$mode);
  let results = (outs PL_Scalar:$result);
  let assemblyFormat =
    "$source `` $mode attr-dict `:` type($source) `->` type($result)";
}

#endif // PL_DIALECT_PL_IR_VECTOR_OPS

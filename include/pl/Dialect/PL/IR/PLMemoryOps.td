//===- PLMemoryOps.td - Windows, elements, layouts of tiles ---*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are values: what the language writes in place is here an op that gives
// the tile with the change, and rebinds the name.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_MEMORY_OPS
#define PL_DIALECT_PL_IR_MEMORY_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

//===----------------------------------------------------------------------===//
// Windows of tiles
//===----------------------------------------------------------------------===//

def PL_InsertOp : PL_Op<"insert", [Pure, PL_NotLoweredYet,
                                   AllTypesMatch<["target", "result"]>]> {
  let summary = "a tile with another tile written into a window of it";
  let description = [{
    The valid box of `source` replaces the cells of `target` from `[row, col]`
    on; all other cells and the valid box of the target stay. A window that
    leaves the target is an error at run time where the offsets are not known.

    ```mlir
    %2 = pl.insert %row into %1[%r, %c] : !pl.tile<1x64xf32> into !pl.tile<16x64xf32>
    ```
  }];
  let arguments = (ins PL_TileType:$source, PL_TileType:$target,
                       Index:$row, Index:$col);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source `into` $target `[` $row `,` $col `]` attr-dict
    `:` qualified(type($source)) `into` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def PL_SliceOp : PL_Op<"slice", [Pure, PL_NotLoweredYet]> {
  let summary = "a copy of the window of a tile at a run-time position";
  let description = [{
    Like `pl.subtile`, but `[row, col]` are values. The result is as valid as its
    type says, which the source's valid box must cover.

    ```mlir
    %row = pl.slice %t[%r, %c] : !pl.tile<16x64xf32> -> !pl.tile<1x64xf32>
    ```
  }];
  let arguments = (ins PL_TileType:$source, Index:$row, Index:$col);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def PL_ConcatOp : PL_Op<"concat", [Pure, PL_NotLoweredYet]> {
  let summary = "the columns of one tile, then those of another";
  let description = [{
    Rows and element types are equal. The result is valid where both are.
  }];
  let arguments = (ins PL_TileType:$lhs, PL_TileType:$rhs);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` qualified(type($lhs)) `,` qualified(type($rhs))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Elements of tiles
//===----------------------------------------------------------------------===//

def PL_TileReadOp : PL_Op<"tile_read", [Pure, PL_NotLoweredYet]> {
  let summary = "one element of a tile, as a scalar";
  let arguments = (ins PL_TileType:$source, Index:$row, Index:$col);
  let results = (outs PL_Scalar:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` attr-dict
    `:` qualified(type($source)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def PL_TileWriteOp : PL_Op<"tile_write", [Pure, PL_NotLoweredYet,
                                          AllTypesMatch<["target", "result"]>]> {
  let summary = "a tile with one element replaced by a scalar";
  let arguments = (ins PL_Scalar:$value, PL_TileType:$target, Index:$row,
                       Index:$col);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $value `into` $target `[` $row `,` $col `]` attr-dict
    `:` type($value) `into` qualified(type($target))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Between global memory and tiles
//===----------------------------------------------------------------------===//

def PL_LoadBoxOp : PL_Op<"load_box", [PL_NotLoweredYet, AttrSizedOperandSegments]> {
  let summary = "a window of a tensor that is wide in more than two axes";
  let description = [{
    The window of `sizes` at `offsets` becomes a tile of rows
    `product(sizes without the last)`, row-major. `valid`, one per axis where
    given, limits what is moved: rows of the tile outside it hold no data, and
    the tile must be filled or written over before they are read.

    ```mlir
    %t = pl.load_box %x[%i, %j, %k] sizes [2, 4, 64]
        : memref<8x8x64xf32> -> !pl.tile<8x64xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$sizes,
                       Variadic<Index>:$valid);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` `sizes` $sizes (`valid` `(` $valid^ `)`)?
    attr-dict `:` type($source) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def PL_StoreBoxOp : PL_Op<"store_box", [PL_NotLoweredYet]> {
  let summary = "writes a tile to a window that is wide in more than two axes";
  let description = [{
    The reverse of `pl.load_box`: row `r` of the tile is the row-major index of
    the axes before the last.
  }];
  let arguments = (ins PL_TileType:$tile,
                       Arg<AnyMemRef, "", [MemWrite]>:$target,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$sizes,
                       DefaultValuedAttr<PL_AtomicKindAttr, "AtomicKind::none">:$atomic);
  let assemblyFormat = [{
    $tile `,` $target `[` $offsets `]` `sizes` $sizes (`atomic` `` $atomic^)?
    attr-dict `:` qualified(type($tile)) `,` type($target)
  }];
  let hasVerifier = 1;
}

def PL_GatherRowOp : PL_Op<"gather_row", [
    PL_NotLoweredYet, AttrSizedOperandSegments,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "an accumulator with a window of a tensor moved into it";
  let description = [{
    Moves `rows x cols` elements of `source` from `offsets` on into `acc` at
    `[row, col]`, straight from global memory. `valid` limits the rows and
    columns that are moved. `transpose` places row `r` as column `r`.

    ```mlir
    %2 = pl.gather_row %pool[%p, %z] size [1, 64] into %1[%r, %z]
        : memref<?x64xbf16> into !pl.tile<128x64xbf16, mat>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$offsets, DenseI64ArrayAttr:$sizes,
                       PL_TileType:$acc, Index:$row, Index:$col,
                       Variadic<Index>:$valid, UnitAttr:$transpose);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` `size` $sizes `into` $acc `[` $row `,` $col `]`
    (`valid` `(` $valid^ `)`)? (`transpose` $transpose^)? attr-dict
    `:` type($source) `into` qualified(type($acc))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Layouts and padding
//===----------------------------------------------------------------------===//

def PL_TransposeViewOp : PL_Op<"transpose_view", [Pure, PL_NotLoweredYet]> {
  let summary = "the transposed of a tile, over the same bytes";
  let description = [{
    An NZ tile `[N, K]` and a ZN tile `[K, N]` have the same bytes: nothing moves.
  }];
  let arguments = (ins PL_TileType:$source);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def PL_FillPadExpandOp : PL_Op<"fillpad_expand", [Pure, PL_NotLoweredYet]> {
  let summary = "a tile copied into the corner of a larger one, the rest filled";
  let arguments = (ins PL_TileType:$source, PL_PadValueAttr:$pad);
  let results = (outs PL_TileType:$result);
  let assemblyFormat = [{
    $source `` $pad attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

def PL_PrefetchOp : PL_Op<"prefetch", [PL_NotLoweredYet]> {
  let summary = "asks for a tensor to be brought into the cache";
  let description = [{
    A hint that changes no value: `pl.prefetch %w : memref<1x4096xbf16>`. The
    tensor is one packed row of constant length.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$tensor);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verify() {
      auto type = ::mlir::cast<::mlir::MemRefType>(getTensor().getType());
      if (!type.hasStaticShape() || type.getRank() == 0 ||
          type.getNumElements() != type.getShape().back())
        return emitOpError() << "expects one row of constant length, got " << type;
      return ::mlir::success();
    }
  }];
  let hasVerifier = 1;
}

#endif // PL_DIALECT_PL_IR_MEMORY_OPS

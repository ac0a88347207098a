//===- PLHostOps.td - Programs that launch on ranks --------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of kind `host` allocates windows, loops over ranks and launches
// functions of kind `orchestration` on them. Its tensors hold the data of all
// ranks: the leading axis is the rank.
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_HOST_OPS
#define PL_DIALECT_PL_IR_HOST_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

def PL_WorldSizeOp : PL_Op<"world_size", [Pure]> {
  let summary = "number of ranks that the program runs on";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def PL_AllocWindowOp : PL_Op<"alloc_window", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a symmetric buffer: each rank has one of the same size";
  let description = [{
    The size is in bytes. Integers that are used as signals start at zero; what
    else is in a fresh window is poison. `name` is the user's name of the buffer.

    ```mlir
    %b = pl.alloc_window "arrived" : memref<16xi8, #pl.window>
    %c = pl.alloc_window "rows"[%bytes] : memref<?xi8, #pl.window>
    ```
  }];
  let arguments = (ins Optional<Index>:$bytes, StrAttr:$name);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = [{
    $name (`[` $bytes^ `]`)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def PL_WindowOp : PL_Op<"window", [Pure]> {
  let summary = "a tensor over the leading bytes of a window buffer";
  let description = [{
    The tensor must fit its buffer, counted in bytes.

    ```mlir
    %w = pl.window %b[%n] : memref<64xi8, #pl.window> to memref<?x1xi32, #pl.window>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$dynamicSizes);
  let results = (outs AnyMemRef:$window);
  let assemblyFormat = [{
    $buffer (`[` $dynamicSizes^ `]`)? attr-dict `:` type($buffer) `to` type($window)
  }];
  let hasVerifier = 1;
}

def PL_DispatchOp : PL_Op<"dispatch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a program on the chip of one rank";
  let description = [{
    Tensors are passed by descriptor: an argument may be a packed view, whose
    first element is where the tensor of the callee begins. Extents that are
    constant on one side only are compared at run time. A program without a
    device runs on the only chip there is. Launches on different ranks run side
    by side.

    ```mlir
    pl.dispatch @decode(%x, %w, %n : ...) device(%r)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args,
                       Optional<Index>:$device);
  let assemblyFormat = [{
    $callee `(` ($args^ `:` type($args))? `)` (`device` `(` $device^ `)`)?
    attr-dict
  }];
}

def PL_ExternOp : PL_Op<"extern", [PL_NotLoweredYet]> {
  let summary = "the code of a task that is written elsewhere";
  let description = [{
    Runs a kernel of another language on the core. `directions` says for each
    tensor of `args`, in order, how the kernel uses it.

    ```mlir
    pl.extern "attention"(%q, %out, %n : ...) directions [#pl.direction<in>, #pl.direction<out>]
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$args,
                       TypedArrayAttrBase<PL_DirectionAttr, "directions">:$directions);
  let assemblyFormat = [{
    $name `(` ($args^ `:` type($args))? `)` `directions` $directions attr-dict
  }];
  let hasVerifier = 1;
}

def PL_ExportOp : PL_Op<"export", [PL_NotLoweredYet]> {
  let summary = "a tensor made by a program that its caller gets";
  let description = [{
    One more output of the program, in the order of these ops.
  }];
  let arguments = (ins AnyMemRef:$tensor, StrAttr:$name);
  let assemblyFormat = "$name $tensor attr-dict `:` type($tensor)";
}

def PL_BindDimOp : PL_Op<"bind_dim"> {
  let summary = "the value of a dynamic dim, from the extents of arguments";
  let description = [{
    Finds the value `v` for which each extent is `scale * v + offset`. It is an
    error of the run when there is none; the report names the two axes that
    disagree, and `sources` are their names.

    ```mlir
    %m = pl.bind_dim "M" extents(%a, %b) scales [1, 64] offsets [0, 1]
           sources ["axis 1 of 'x'", "axis 2 of 'out'"]
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$extents,
                       DenseI64ArrayAttr:$scales, DenseI64ArrayAttr:$offsets,
                       StrArrayAttr:$sources);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $name `extents` `(` $extents `)` `scales` $scales `offsets` $offsets
    `sources` $sources attr-dict
  }];
  let hasVerifier = 1;
}

#endif // PL_DIALECT_PL_IR_HOST_OPS

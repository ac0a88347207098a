//===- PLTypes.td - Tiles, buffers, tasks ---------------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TYPES
#define PL_DIALECT_PL_IR_TYPES

include "mlir/IR/AttrTypeBase.td"
include "pl/Dialect/PL/IR/PLAttrs.td"

class PL_Type<string name, string mnemonic_> : TypeDef<PL_Dialect, name> {
  let mnemonic = mnemonic_;
}

def PL_TileType : PL_Type<"Tile", "tile"> {
  let summary = "a 2-D on-chip value";
  let description = [{
    `!pl.tile<16x128xf32>` is a static box of rows x columns.
    `!pl.tile<16x128xf32, acc, valid = ?x128>` also says which memory holds it
    and which rows and columns hold data; `?` is a run-time extent. Neither is
    printed when it says nothing: no space yet, all of the box valid.
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
    "::mlir::pl::MemorySpace":$space,
    "int64_t":$validRows, "int64_t":$validCols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$cols,
        "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), rows, cols, elementType,
                   MemorySpace::none, rows, cols);
    }]>,
    TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$cols,
        "::mlir::Type":$elementType, "::mlir::pl::MemorySpace":$space,
        "int64_t":$validRows, "int64_t":$validCols), [{
      return $_get(elementType.getContext(), rows, cols, elementType, space,
                   validRows, validCols);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isFullyValid() const {
      return getValidRows() == getRows() && getValidCols() == getCols();
    }
    /// Number of run-time valid extents, rows before columns.
    unsigned getNumDynamicValid() const;
    int64_t getValid(unsigned axis) const {
      return axis == 0 ? getValidRows() : getValidCols();
    }
    int64_t getExtent(unsigned axis) const {
      return axis == 0 ? getRows() : getCols();
    }
    TileType withSpace(MemorySpace space) const;
    TileType withValid(int64_t rows, int64_t cols) const;
    TileType withElement(::mlir::Type element) const;
    /// Size of the whole box.
    int64_t getNumBytes() const;
  }];
}

def PL_BufferType : PL_Type<"Buffer", "buffer"> {
  let summary = "on-chip storage of a tile";
  let description = [{
    What a tile becomes once storage matters:
    `!pl.buffer<16x128xf32, vec, nd, valid = ?x128>`. The layout orders the
    elements: `nd` row-major, `dn` column-major, `nz`, `zn`, `zz` the fractal
    layouts of the cube unit. The valid extents belong to the op that makes the
    buffer; they print only where they differ from the box.
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
    "::mlir::pl::MemorySpace":$space, "::mlir::pl::Layout":$layout,
    "int64_t":$validRows, "int64_t":$validCols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::pl::TileType":$tile,
        "::mlir::pl::Layout":$layout), [{
      return $_get(tile.getContext(), tile.getRows(), tile.getCols(),
                   tile.getElementType(), tile.getSpace(), layout,
                   tile.getValidRows(), tile.getValidCols());
    }]>
  ];
  let extraClassDeclaration = [{
    unsigned getNumDynamicValid() const;
    int64_t getValid(unsigned axis) const {
      return axis == 0 ? getValidRows() : getValidCols();
    }
    int64_t getExtent(unsigned axis) const {
      return axis == 0 ? getRows() : getCols();
    }
    /// Size of the whole box.
    int64_t getNumBytes() const;
  }];
}

def PL_TaskType : PL_Type<"Task", "task"> {
  let summary = "the completion of a task";
}

def PL_TaskArrayType : PL_Type<"TaskArray", "task_array"> {
  let summary = "a fixed number of tasks, some of which may be missing";
  let description = [{
    `!pl.task_array<8>` is a value: replacing a slot gives another array. Whoever
    depends on an array waits for the tasks in all of its slots.
  }];
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
}

def PL_AnyTask : AnyTypeOf<[PL_TaskType, PL_TaskArrayType],
                           "a task or an array of tasks">;

def PL_AnyTile : AnyTypeOf<[PL_TileType, PL_BufferType],
                           "a tile, or a buffer once storage is assigned">;
def PL_Scalar : AnyTypeOf<[AnyInteger, Index, AnyFloat], "a scalar">;

#endif // PL_DIALECT_PL_IR_TYPES

//===- Passes.td - From pl kernels to EmitC -------------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_CONVERSION_PLTOEMITC_PASSES
#define PL_CONVERSION_PLTOEMITC_PASSES

include "mlir/Pass/PassBase.td"

def ConvertPLToEmitC : Pass<"convert-pl-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Turns kernels and orchestration into the files of a build";
  let description = [{
    Needs phase `tiles`, gives phase `emitc`: one `emitc.file` for each kernel
    (`kernels/aiv/NAME.cpp`, `kernels/aic/NAME.cpp`) and one for the
    orchestration (`orchestration/NAME.cpp`). Each prints by `translateToCpp`
    as it is. Instructions are `emitc.call_opaque`, scalars are EmitC
    expressions; `emitc.verbatim` holds declarations, directives and comments.
    Names are those of the source, made unique, never a keyword, a macro or a
    name of the tile ISA.

    What the build directory needs beside the text is in attributes: a kernel's
    file has `pl.kernel`, the orchestration's file `pl.orchestration`.

    ```mlir
    pl.kernel aiv @copy(%x: memref<?x64xf32> {...}, %y: memref<?x64xf32> {...}) {
      %c0 = arith.constant 0 : index
      %t = pl.buffer "t" at 0 : !pl.buffer<8x64xf32, vec, nd>
      pl.load %x[%c0, %c0] : memref<?x64xf32> into %t : ...
    }
    ```
    becomes
    ```mlir
    emitc.file "kernels/aiv/copy.cpp" attributes {pl.kernel = {...}} {
      emitc.func @copy(...) attributes {specifiers = ["static", "__aicore__"]} {
        emitc.verbatim "Tile<TileType::Vec, float, 8, 64> t;"
        %t = emitc.literal "t" : !emitc.opaque<"auto">
        emitc.call_opaque "TASSIGN"(%t) {template_args = [#emitc.opaque<"0x0">]} : ...
        emitc.verbatim "GlobalTensor<float, ...> t_gm({});" args %x ...
        emitc.call_opaque "TLOAD"(%t, %t_gm) : ...
      }
    }
    ```
  }];
  let options = [
    Option<"lineDirectives", "line-directives", "bool", "false",
           "Write #line directives in place of comments with the source line">
  ];
  let statistics = [
    Statistic<"numFiles", "files", "Files written as emitc.file">,
    Statistic<"numInstructions", "instructions", "Tile instructions emitted">
  ];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

#endif // PL_CONVERSION_PLTOEMITC_PASSES

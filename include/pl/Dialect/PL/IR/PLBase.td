//===- PLBase.td - The pl dialect and the bases of its ops ----*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_BASE
#define PL_DIALECT_PL_IR_BASE

include "mlir/IR/OpBase.td"

def PL_Dialect : Dialect {
  let name = "pl";
  let cppNamespace = "::mlir::pl";
  let summary = "Tile-and-task kernels for an Ascend-like NPU";
  let description = [{
    A program is a set of *tasks* over tensors in global memory (GM). GM tensors
    are builtin memrefs; a task works on 2-D *tiles* in on-chip memory. The
    dialect follows a program through its phases, named by the module's
    `pl.phase`:

    | phase   | holds |
    |---------|-------|
    | `pl`    | core-group scopes (`pl.at`, `pl.spmd`) and tile values as the user wrote them |
    | `tasks` | outlined kernels, launches, explicit labelled edges |
    | `tiles` | kernels on buffers with addresses, in-core sync |

    Tiles carry a *valid extent* per axis: rows and columns outside it are
    unspecified and never reach memory.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    /// Module attribute that names the phase: "pl", "tasks" or "tiles".
    static constexpr ::llvm::StringLiteral kPhase = "pl.phase";
    /// Function attribute: the kind of function, a FuncKindAttr.
    static constexpr ::llvm::StringLiteral kKind = "pl.kind";
    /// Argument attribute: the user's name of a parameter, a StringAttr.
    static constexpr ::llvm::StringLiteral kName = "pl.name";
    /// Argument attribute: how the body uses it, a DirectionAttr.
    static constexpr ::llvm::StringLiteral kDirection = "pl.direction";
    /// Argument attribute: one DimAttr for each dynamic dim, in order.
    static constexpr ::llvm::StringLiteral kDims = "pl.dims";
    /// Loop attribute: how many iterations of the user's loop one iteration
    /// of an expanded pipeline holds, an i64.
    static constexpr ::llvm::StringLiteral kStages = "pl.stages";
  }];
}

class PL_Op<string mnemonic, list<Trait> traits = []>
    : Op<PL_Dialect, mnemonic, traits>;

/// An op that phase `pl` holds and no later phase takes yet:
/// `pl-check-lowerable` refuses it at the user's line.
def PL_NotLoweredYet : NativeOpTrait<"NotLoweredYet"> {
  let cppNamespace = "::mlir::pl::OpTrait";
}

#endif // PL_DIALECT_PL_IR_BASE

//===- PLTileOpBase.td - What tile ops have in common ------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TILE_OP_BASE
#define PL_DIALECT_PL_IR_TILE_OP_BASE

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

/// One row of the facts table.
///   isa      instruction of the tile ISA
///   pipe     pipe that runs it; `all` means "decided by the memory spaces"
///   alias    whether the destination may be the storage of a source
///   scratch  what scratch it needs: none, or a box like its first source
class PL_Facts<string isa_, string pipe_, string alias_ = "none",
               string scratch_ = "none"> {
  string isa = isa_;
  string pipe = pipe_;
  string alias = alias_;
  string scratch = scratch_;
}

class PL_TileOpBase<string mnemonic, PL_Facts f, list<Trait> traits = []>
    : PL_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<PL_TileOpInterface,
          ["getTileSources", "getDstOperand", "getScratchBuffers",
           "getResultTile"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  code factsDeclaration = [{
    static constexpr ::mlir::pl::TileOpFacts facts() {
      return {"}] # f.isa # [{", ::mlir::pl::Pipe::}] # f.pipe #
             [{, ::mlir::pl::TileOpFacts::Alias::}] # f.alias #
             [{, ::mlir::pl::TileOpFacts::Scratch::}] # f.scratch # [{};
    }
  }];
  let extraClassDeclaration = factsDeclaration;
}

/// An op that computes one tile from others. `sources` are its tile operands,
/// `others` its scalars.
class PL_ComputeOp<string mnemonic, PL_Facts f, dag sources, string format,
                   dag others = (ins), list<Trait> traits = []>
    : PL_TileOpBase<mnemonic, f,
                    !listconcat([AttrSizedOperandSegments], traits)> {
  let arguments = !con(sources, others, (ins Optional<PL_BufferType>:$dst,
                                             Variadic<PL_BufferType>:$scratch));
  let results = (outs Optional<PL_TileType>:$result);
  let assemblyFormat = format # [{
    (`->` type($result)^)? (`into` $dst^ `:` type($dst))?
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::OpOperand *> $cppClass::getTileSources() {
      return collectTileSources(getOperation(), getDst());
    }
    ::mlir::OpOperand *$cppClass::getDstOperand() {
      auto range = getDstMutable();
      return range.empty() ? nullptr : &*range.begin();
    }
    ::mlir::OperandRange $cppClass::getScratchBuffers() { return getScratch(); }
    ::mlir::Value $cppClass::getResultTile() { return getResult(); }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      addTileEffects(getOperation(), effects);
    }
    ::mlir::LogicalResult $cppClass::verify() {
      return verifyTileOp(*this);
    }
  }];
}

class PL_UnaryOp<string mnemonic, string isa, string alias = "any",
                 dag others = (ins)>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", alias>,
                   (ins PL_AnyTile:$source),
                   "$source attr-dict `:` type($source)", others>;

class PL_BinaryOp<string mnemonic, string isa>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", "any">,
                   (ins PL_AnyTile:$lhs, PL_AnyTile:$rhs),
                   "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)">;

class PL_ScalarOp<string mnemonic, string isa>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", "any">,
                   (ins PL_AnyTile:$source, PL_Scalar:$scalar),
                   "$source `,` $scalar attr-dict `:` type($source) `,` type($scalar)">;

class PL_ReduceOp<string mnemonic, string isa, string scratch>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", "none", scratch>,
                   (ins PL_AnyTile:$source),
                   "$source attr-dict `:` type($source)">;

class PL_ExpandOp<string mnemonic, string isa, string alias, string scratch>
    : PL_ComputeOp<mnemonic, PL_Facts<isa, "v", alias, scratch>,
                   (ins PL_AnyTile:$full, PL_AnyTile:$vector),
                   "$full `,` $vector attr-dict `:` type($full) `,` type($vector)">;

#endif // PL_DIALECT_PL_IR_TILE_OP_BASE

//===- PLStructureOps.td - Scopes, loops, tasks, kernels ------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_STRUCTURE_OPS
#define PL_DIALECT_PL_IR_STRUCTURE_OPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

//===----------------------------------------------------------------------===//
// Core-group scopes (phase `pl`)
//===----------------------------------------------------------------------===//

class PL_ScopeOp<string mnemonic, list<Trait> traits = []>
    : PL_Op<mnemonic, !listconcat(traits, [SingleBlock, NoTerminator,
                                           RecursiveMemoryEffects])>;

def PL_AtOp : PL_ScopeOp<"at"> {
  let summary = "one task of one block on one core group";
  let description = [{
    Runs its body as a task once every task in `deps` is complete. `edges` says
    why for each of them, in the same order. `early_resolve` lets a scheduler
    place consumers before this task ends; it never changes results.

    ```mlir
    %t = pl.at "kv_proj_seed" deps(%a : [#pl.edge<user>]) { ... }
    ```
  }];
  let arguments = (ins Variadic<PL_TaskType>:$deps, OptionalAttr<StrAttr>:$name,
                       DefaultValuedAttr<PL_EdgeArrayAttr, "{}">:$edges,
                       UnitAttr:$early_resolve);
  let results = (outs PL_TaskType:$task);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($name^)? (`deps` `(` $deps^ `:` $edges `)`)? (`early_resolve` $early_resolve^)?
    $body attr-dict
  }];
  let hasVerifier = 1;
}

def PL_SpmdOp : PL_ScopeOp<"spmd"> {
  let summary = "one task of n blocks";
  let description = [{
    As `pl.at`, for `blocks` independent blocks; the region argument is the
    block index in `[0, blocks)`. A consumer waits for all of them. Zero blocks
    complete at once.

    ```mlir
    %t = pl.spmd "rms_norm" blocks(%n) { ^bb0(%b: index): ... }
    ```
  }];
  let arguments = (ins Index:$blocks, Variadic<PL_TaskType>:$deps,
                       OptionalAttr<StrAttr>:$name,
                       DefaultValuedAttr<PL_EdgeArrayAttr, "{}">:$edges,
                       UnitAttr:$early_resolve);
  let results = (outs PL_TaskType:$task);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($name^)? `blocks` `(` $blocks `)` (`deps` `(` $deps^ `:` $edges `)`)?
    (`early_resolve` $early_resolve^)? $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getBlockIndex() { return getBody().getArgument(0); }
  }];
}

def PL_DummyOp : PL_Op<"dummy"> {
  let summary = "a task without work: joins or delays";
  let arguments = (ins Variadic<PL_TaskType>:$deps, OptionalAttr<StrAttr>:$name,
                       DefaultValuedAttr<PL_EdgeArrayAttr, "{}">:$edges);
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = [{
    ($name^)? (`deps` `(` $deps^ `:` $edges `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def PL_ForOp : PL_Op<"for", [AutomaticAllocationScope,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getInitsMutable", "getYieldedValuesMutable",
       "getRegionIterArgs", "getLoopResults"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getEntrySuccessorOperands"]>,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "a counted loop";
  let description = [{
    Iterates from `lower` while below `upper`. `range` is sequential, `parallel`
    asserts independent iterations, `pipeline` is sequential with up to `stages`
    iterations in flight; none of them changes results. Zero trips are legal.

    ```mlir
    %r = pl.for pipeline %i = %c0 to %n step %c64 stages 2
        iter(%acc = %init : !pl.tile<1x8xf32>) { ... pl.yield %x : ... }
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Index:$step,
                       Variadic<AnyType>:$inits, PL_LoopKindAttr:$kind,
                       DefaultValuedAttr<I64Attr, "1">:$stages);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "LoopKind":$kind, "Value":$lower, "Value":$upper,
                   "Value":$step, CArg<"ValueRange", "{}">:$inits,
                   CArg<"int64_t", "1">:$stages)>
  ];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVariable() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().front().getArguments().drop_front();
    }
    ::mlir::Operation *getYield() { return getBody().front().getTerminator(); }
  }];
}

def PL_YieldOp : PL_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "values carried to the next iteration, or out of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* nothing is carried */ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kernels and launches (phases `tasks`, `tiles`)
//===----------------------------------------------------------------------===//

def PL_AllocOp : PL_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tensor in global memory that lives as long as the function";
  let description = [{
    Fresh memory holds poison. `name` is the user's name of the tensor.
  }];
  let arguments = (ins Variadic<Index>:$dynamicSizes, StrAttr:$name);
  let results = (outs AnyMemRef:$memref);
  let assemblyFormat = "$name `(` $dynamicSizes `)` attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

def PL_KernelOp : PL_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove,
                                   NoTerminator, SingleBlock]> {
  let summary = "the code of a task";
  let description = [{
    Tensors come first, then scalars. Each tensor is a whole allocation or a
    whole parameter: no two arguments alias. `core` is the kind of core.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       PL_CoreKindAttr:$core,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "StringRef":$name, "FunctionType":$type,
                                 "CoreKind":$core)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// The user's name of an argument.
    ::llvm::StringRef getArgName(unsigned index);
    /// How the body uses a tensor argument.
    ::mlir::pl::Direction getArgDirection(unsigned index);
    /// Number of leading tensor arguments.
    unsigned getNumTensors();
  }];
}

def PL_LaunchOp : PL_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a task: a kernel over n blocks";
  let description = [{
    ```mlir
    %t = pl.launch @rms_norm blocks(%n) args(%x, %w, %y, %t_dim : ...)
           deps(%a : [#pl.edge<raw, "x">])
    ```
    Directions are those of the kernel's arguments. `edges` says why this task
    waits for each of `deps`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$blocks,
                       Variadic<AnyType>:$args, Variadic<PL_TaskType>:$deps,
                       DefaultValuedAttr<PL_EdgeArrayAttr, "{}">:$edges,
                       UnitAttr:$early_resolve);
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = [{
    $kernel `blocks` `(` $blocks `)` `args` `(` ($args^ `:` type($args))? `)`
    (`deps` `(` $deps^ `:` $edges `)`)? (`early_resolve` $early_resolve^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

class PL_IdOp<string mnemonic, string summary_> : PL_Op<mnemonic, [Pure]> {
  let summary = summary_;
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def PL_BlockIdxOp : PL_IdOp<"block_idx", "index of this block, in [0, block_num)">;
def PL_BlockNumOp : PL_IdOp<"block_num", "number of blocks of this launch">;

//===----------------------------------------------------------------------===//
// In-core synchronisation (phase `tiles`)
//===----------------------------------------------------------------------===//

class PL_FlagOp<string mnemonic, string summary_> : PL_Op<mnemonic> {
  let summary = summary_;
  let arguments = (ins PL_PipeAttr:$from, PL_PipeAttr:$to, I64Attr:$event);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verify() {
      if (getEvent() >= 8)
        return emitOpError() << "expects an event in 0..7, got " << getEvent();
      if (getFrom() == getTo())
        return emitOpError() << "expects two pipes; use pl.pipe_barrier";
      return ::mlir::success();
    }
  }];
  let assemblyFormat = "`` $from `to` `` $to `event` $event attr-dict";
  let hasVerifier = 1;
}
def PL_SetFlagOp : PL_FlagOp<"set_flag",
  "a token from one pipe, once all it was given before is done">;
def PL_WaitFlagOp : PL_FlagOp<"wait_flag",
  "holds a pipe until the token of another pipe is there">;

def PL_PipeBarrierOp : PL_Op<"pipe_barrier"> {
  let summary = "holds a pipe until all it was given before is done";
  let arguments = (ins PL_PipeAttr:$pipe);
  let assemblyFormat = "`` $pipe attr-dict";
}

#endif // PL_DIALECT_PL_IR_STRUCTURE_OPS

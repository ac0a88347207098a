//===- PLAttrs.td - Enums and attributes ----------------------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_ATTRS
#define PL_DIALECT_PL_IR_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "pl/Dialect/PL/IR/PLBase.td"

class PL_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::pl";
  let genSpecializedAttr = 0;
}

class PL_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<PL_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

/// The same attribute printed without its dialect prefix inside an op.
class PL_InlineEnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<PL_Dialect, info, mnemonic>;

def PL_FuncKind : PL_I32Enum<"FuncKind", "what a function is for", [
  I32EnumAttrCase<"orchestration", 0>, I32EnumAttrCase<"inlined", 1, "inline">,
  I32EnumAttrCase<"incore", 2>, I32EnumAttrCase<"host", 3>,
  I32EnumAttrCase<"opaque", 4>]>;
def PL_FuncKindAttr : PL_EnumAttr<PL_FuncKind, "func_kind">;

def PL_CoreKind : PL_I32Enum<"CoreKind", "the cores a kernel runs on", [
  I32EnumAttrCase<"aic", 0>, I32EnumAttrCase<"aiv", 1>,
  I32EnumAttrCase<"mix", 2>]>;
def PL_CoreKindAttr : PL_EnumAttr<PL_CoreKind, "core_kind">;

def PL_LoopKind : PL_I32Enum<"LoopKind", "how iterations relate", [
  I32EnumAttrCase<"range", 0>, I32EnumAttrCase<"parallel", 1>,
  I32EnumAttrCase<"pipeline", 2>]>;
def PL_LoopKindAttr : PL_InlineEnumAttr<PL_LoopKind, "loop_kind">;

def PL_MemorySpace : PL_I32Enum<"MemorySpace", "an on-chip memory", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"vec", 1>,
  I32EnumAttrCase<"mat", 2>, I32EnumAttrCase<"left", 3>,
  I32EnumAttrCase<"right", 4>, I32EnumAttrCase<"acc", 5>,
  I32EnumAttrCase<"bias", 6>]>;

def PL_Layout : PL_I32Enum<"Layout", "order of elements in a buffer", [
  I32EnumAttrCase<"nd", 0>, I32EnumAttrCase<"dn", 1>,
  I32EnumAttrCase<"nz", 2>, I32EnumAttrCase<"zn", 3>,
  I32EnumAttrCase<"zz", 4>]>;

def PL_RoundMode : PL_I32Enum<"RoundMode", "rounding of a conversion", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"rint", 1>,
  I32EnumAttrCase<"round", 2>, I32EnumAttrCase<"floor", 3>,
  I32EnumAttrCase<"ceil", 4>, I32EnumAttrCase<"trunc", 5>,
  I32EnumAttrCase<"odd", 6>]>;
def PL_RoundModeAttr : PL_InlineEnumAttr<PL_RoundMode, "round_mode">;

def PL_AtomicKind : PL_I32Enum<"AtomicKind", "how a store combines", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>]>;
def PL_AtomicKindAttr : PL_InlineEnumAttr<PL_AtomicKind, "atomic">;

def PL_PadValue : PL_I32Enum<"PadValue", "what fills cells outside the valid box", [
  I32EnumAttrCase<"zero", 0>, I32EnumAttrCase<"min", 1>,
  I32EnumAttrCase<"max", 2>]>;
def PL_PadValueAttr : PL_InlineEnumAttr<PL_PadValue, "pad_value">;

def PL_Direction : PL_I32Enum<"Direction", "how a task uses a tensor", [
  I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>,
  I32EnumAttrCase<"inout", 2>]>;
def PL_DirectionAttr : PL_EnumAttr<PL_Direction, "direction">;

def PL_EdgeKind : PL_I32Enum<"EdgeKind", "why one task waits for another", [
  I32EnumAttrCase<"raw", 0>, I32EnumAttrCase<"war", 1>,
  I32EnumAttrCase<"waw", 2>, I32EnumAttrCase<"signal", 3>,
  I32EnumAttrCase<"user", 4>]>;

def PL_Pipe : PL_I32Enum<"Pipe", "an in-core queue of instructions", [
  I32EnumAttrCase<"s", 0>, I32EnumAttrCase<"v", 1>, I32EnumAttrCase<"m", 2>,
  I32EnumAttrCase<"mte1", 3>, I32EnumAttrCase<"mte2", 4>,
  I32EnumAttrCase<"mte3", 5>, I32EnumAttrCase<"fix", 6>,
  I32EnumAttrCase<"all", 7>]>;
def PL_PipeAttr : PL_InlineEnumAttr<PL_Pipe, "pipe">;

def PL_ScopeKind : PL_I32Enum<"ScopeKind", "who orders the tasks of a scope", [
  I32EnumAttrCase<"automatic", 0, "auto">, I32EnumAttrCase<"manual", 1>]>;
def PL_ScopeKindAttr : PL_InlineEnumAttr<PL_ScopeKind, "scope_kind">;

def PL_WaitCmp : PL_I32Enum<"WaitCmp", "when a signal is there", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ge", 1>]>;
def PL_WaitCmpAttr : PL_InlineEnumAttr<PL_WaitCmp, "wait_cmp">;

def PL_NotifyKind : PL_I32Enum<"NotifyKind", "what a notify does to its cell", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"set", 1>]>;
def PL_NotifyKindAttr : PL_InlineEnumAttr<PL_NotifyKind, "notify_kind">;

def PL_SplitMode : PL_I32Enum<"SplitMode", "how two lanes share a tile", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"up_down", 1>,
  I32EnumAttrCase<"left_right", 2>]>;
def PL_SplitModeAttr : PL_InlineEnumAttr<PL_SplitMode, "split_mode">;

def PL_CmpKind : PL_I32Enum<"CmpKind", "a comparison of elements", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>,
  I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
  I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def PL_CmpKindAttr : PL_InlineEnumAttr<PL_CmpKind, "cmp_kind">;

def PL_MaskPattern : PL_I32Enum<"MaskPattern", "the lanes a mask keeps", [
  I32EnumAttrCase<"p0101", 1>, I32EnumAttrCase<"p1010", 2>,
  I32EnumAttrCase<"p0001", 3>, I32EnumAttrCase<"p0010", 4>,
  I32EnumAttrCase<"p0100", 5>, I32EnumAttrCase<"p1000", 6>,
  I32EnumAttrCase<"p1111", 7>]>;
def PL_MaskPatternAttr : PL_InlineEnumAttr<PL_MaskPattern, "mask_pattern">;

def PL_SyncCores : PL_I32Enum<"SyncCores", "which cores meet at a barrier", [
  I32EnumAttrCase<"mix", 0>, I32EnumAttrCase<"aiv_only", 1>,
  I32EnumAttrCase<"aic_only", 2>]>;
def PL_SyncCoresAttr : PL_InlineEnumAttr<PL_SyncCores, "sync_cores">;

class PL_Attr<string name, string mnemonic_> : AttrDef<PL_Dialect, name> {
  let mnemonic = mnemonic_;
}

def PL_DimAttr : PL_Attr<"Dim", "dim"> {
  let summary = "the name of a dynamic dimension";
  let description = [{
    Names a dynamic dimension of an argument: `#pl.dim<"T">`. Dimensions of one
    name have equal extents; calls and entries check it.
  }];
  let parameters = (ins StringRefParameter<"the symbol">:$name);
  let assemblyFormat = "`<` $name `>`";
}

def PL_WindowAttr : PL_Attr<"Window", "window"> {
  let summary = "memory space of a tensor that other ranks can reach";
  let description = [{
    `memref<8x16xf32, #pl.window>` is this rank's part of a symmetric buffer:
    every rank has one of the same size.
  }];
  let assemblyFormat = "";
}

def PL_EdgeAttr : PL_Attr<"Edge", "edge"> {
  let summary = "why one task waits for another";
  let description = [{
    `#pl.edge<raw, "kv", "[0:T, 0:512]">`: the consumer reads the named region
    of buffer `kv`, which the producer writes. `#pl.edge<user>` was written in
    `deps=` and is never dropped.
  }];
  let parameters = (ins
    EnumParameter<PL_EdgeKind>:$kind,
    OptionalParameter<"::mlir::StringAttr", "the buffer">:$buffer,
    OptionalParameter<"::mlir::StringAttr", "the region">:$region);
  let assemblyFormat = "`<` $kind (`,` $buffer^ (`,` $region^)?)? `>`";
}

def PL_EdgeArrayAttr : TypedArrayAttrBase<PL_EdgeAttr, "reasons of edges">;

#endif // PL_DIALECT_PL_IR_ATTRS

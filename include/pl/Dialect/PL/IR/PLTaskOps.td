//===- PLTaskOps.td - Scopes and arrays of tasks -----------*- tablegen -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_IR_TASK_OPS
#define PL_DIALECT_PL_IR_TASK_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pl/Dialect/PL/IR/PLTypes.td"

//===----------------------------------------------------------------------===//
// Tasks as values
//===----------------------------------------------------------------------===//

def PL_TaskNoneOp : PL_Op<"task_none", [Pure]> {
  let summary = "no task: whoever waits for it does not wait";
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = "attr-dict";
}

def PL_TaskArrayOp : PL_Op<"task_array", [Pure]> {
  let summary = "an array of tasks, all missing";
  let description = [{
    ```mlir
    %tids = pl.task_array : !pl.task_array<8>
    %more = pl.task_set %tids[%i] = %t : !pl.task_array<8>
    %prev = pl.task_slot %tids[%i] : !pl.task_array<8>
    %all = pl.task_join %more : !pl.task_array<8>
    ```
    Arrays are values, so `%prev` is the task that was in the slot before.
  }];
  let results = (outs PL_TaskArrayType:$array);
  let assemblyFormat = "attr-dict `:` qualified(type($array))";
}

def PL_TaskSlotOp : PL_Op<"task_slot", [Pure]> {
  let summary = "the task in a slot of an array";
  let description = [{
    An index outside the array is an error when it is constant, and undefined
    otherwise. Slots that are known fold away.
  }];
  let arguments = (ins PL_TaskArrayType:$array, Index:$index);
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = [{
    $array `[` $index `]` attr-dict `:` qualified(type($array))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def PL_TaskSetOp : PL_Op<"task_set", [Pure, AllTypesMatch<["array", "result"]>]> {
  let summary = "an array of tasks with one slot replaced";
  let arguments = (ins PL_TaskArrayType:$array, Index:$index,
                       PL_TaskType:$task);
  let results = (outs PL_TaskArrayType:$result);
  let assemblyFormat = [{
    $array `[` $index `]` `=` $task attr-dict `:` qualified(type($array))
  }];
  let hasVerifier = 1;
}

def PL_TaskJoinOp : PL_Op<"task_join", [Pure]> {
  let summary = "complete once all tasks of an array are; missing ones are";
  let arguments = (ins PL_TaskArrayType:$array);
  let results = (outs PL_TaskType:$task);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array))";
}

//===----------------------------------------------------------------------===//
// Scopes of the orchestration
//===----------------------------------------------------------------------===//

class PL_RegionScopeOp<string mnemonic, list<Trait> traits = []>
    : PL_Op<mnemonic, !listconcat(traits, [RecursiveMemoryEffects])> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
}

def PL_ScopeOp : PL_RegionScopeOp<"scope",
    [SingleBlockImplicitTerminator<"::mlir::pl::YieldOp">]> {
  let summary = "who orders the tasks of a part of the orchestration";
  let description = [{
    In a `manual` scope only the edges that the user wrote order its tasks, those
    of fresh memory included; in an `auto` scope derived edges do as well. Tasks
    after a manual scope wait for its tasks as for any other. A manual scope
    holds no other scope. Values used after the scope are yielded.

    ```mlir
    %t = pl.scope manual -> (!pl.task) {
      %a = pl.at { ... }
      pl.yield %a : !pl.task
    }
    ```
  }];
  let arguments = (ins PL_ScopeKindAttr:$kind);
  let assemblyFormat = [{
    `` $kind (`->` `(` type($results)^ `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def PL_ClusterOp : PL_RegionScopeOp<"cluster",
    [PL_NotLoweredYet, SingleBlockImplicitTerminator<"::mlir::pl::YieldOp">]> {
  let summary = "tasks that share the cores of one cluster";
  let description = [{
    The cube and vector cores of one cluster run the tasks of the body side by
    side. They take no `deps` and no `early_resolve` of their own.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let assemblyFormat = [{
    ($name^)? (`->` `(` type($results)^ `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def PL_HierarchyOp : PL_RegionScopeOp<"hierarchy",
    [PL_NotLoweredYet, SingleBlockImplicitTerminator<"::mlir::pl::YieldOp">]> {
  let summary = "a part of a program placed at a level above the core group";
  let description = [{
    `pl.hierarchy "CHIP" role "Orchestrator" { ... }`: where the body runs in
    the hierarchy of machines. It is no task.
  }];
  let arguments = (ins StrAttr:$level, OptionalAttr<StrAttr>:$role,
                       OptionalAttr<StrAttr>:$name);
  let assemblyFormat = [{
    $level (`role` $role^)? (`name` $name^)? (`->` `(` type($results)^ `)`)?
    $body attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What a user says about a task, at the head of its body
//===----------------------------------------------------------------------===//

class PL_TaskNoteOp<string mnemonic, list<Trait> traits = []>
    : PL_Op<mnemonic, traits> {
  let arguments = (ins AnyMemRef:$tensor);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

def PL_NoDepOp : PL_TaskNoteOp<"no_dep"> {
  let summary = "accesses of this task to a tensor make no edges";
  let description = [{
    The user's claim that no order is needed; it concerns this task and tensor
    only. The race check says whether the claim holds, and takes the note away.
  }];
  let hasVerifier = 1;
}

def PL_DumpOp : PL_TaskNoteOp<"dump", [PL_NotLoweredYet]> {
  let summary = "marks a tensor to be dumped by tasks that use it";
}

def PL_PredicateOp : PL_Op<"predicate", [PL_NotLoweredYet]> {
  let summary = "the task runs only if an element compares with a number";
  let description = [{
    Decided when the task becomes ready. A task that does not run completes all
    the same.

    ```mlir
    pl.predicate %count[%e, %c0] gt 0 : memref<8x1xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$tensor, Variadic<Index>:$indices,
                       PL_CmpKindAttr:$cmp, I64Attr:$value);
  let assemblyFormat = [{
    $tensor `[` $indices `]` $cmp $value attr-dict `:` type($tensor)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

def PL_ArrayOp : PL_Op<"array", [PL_NotLoweredYet,
                                 MemoryEffects<[MemAlloc]>]> {
  let summary = "a small array of numbers beside the scalars of a function";
  let description = [{
    On the stack of whoever runs the code; all zero. Elements are read and
    written with `memref.load` and `memref.store`. Each array of the language
    has storage of its own: an assignment copies.
  }];
  let results = (outs AnyMemRef:$memref);
  let assemblyFormat = "attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

def PL_UndefinedOp : PL_Op<"undefined", [Pure, PL_NotLoweredYet]> {
  let summary = "a value that nothing gave";
  let description = [{
    What a name stands for after a loop that would have bound it and ran zero
    times. Using it is a mistake.
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class PL_LeaveOp<string mnemonic, string summary_>
    : PL_Op<mnemonic, [PL_NotLoweredYet]> {
  let summary = summary_;
  let description = [{
    Ends this turn of the innermost loop around it, whose carried values are
    those given here. Nothing follows it in its block but a terminator.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}
def PL_BreakOp : PL_LeaveOp<"break", "ends a loop">;
def PL_ContinueOp : PL_LeaveOp<"continue", "goes on with the next turn of a loop">;

#endif // PL_DIALECT_PL_IR_TASK_OPS

//===- LoweringPrefetch.cpp - hints to the cache --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `pl.prefetch`: a context, prefetches in it, a session to wait in. Contexts,
// sessions and events are names of the language only; what stays is the hint.
//
//===----------------------------------------------------------------------===//

#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

static constexpr llvm::StringLiteral kContext = "a prefetch context";
static constexpr llvm::StringLiteral kSession = "a prefetch session";
static constexpr llvm::StringLiteral kEvent = "a prefetch event";

static DslValue makeHandle(StringRef what) {
  return DslValue::makeHost(Value::str(what));
}

/// Checks that an argument is what `maker` gives.
static bool checkHandle(FunctionLowering &f, OpCall &op, unsigned arg,
                        StringRef what, StringRef maker) {
  DslValue value = f.lower(op.args[arg]);
  if (value.isHost() && value.host.isStr() && value.host.getStr() == what)
    return true;
  if (!value.isError())
    f.error(DiagCode::WrongArguments, op.args[arg]->range,
            op.spelling + " needs " + what + ", which " + maker + " gives");
  return false;
}

static DslValue lowerMakeContext(FunctionLowering &f, OpCall &op) {
  return makeHandle(kContext);
}

static DslValue lowerSession(FunctionLowering &f, OpCall &op) {
  return checkHandle(f, op, 0, kContext, "pl.prefetch.make_context()")
             ? makeHandle(kSession)
             : DslValue::error();
}

static DslValue lowerPrefetch(FunctionLowering &f, OpCall &op) {
  DslValue source = f.lower(op.args[0]);
  bool good = checkHandle(f, op, 1, kContext, "pl.prefetch.make_context()");
  if (source.isError() || !good)
    return DslValue::error();
  bool isRow = source.isTensor();
  if (isRow)
    for (auto [axis, extent] : llvm::enumerate(source.tensor->extents))
      isRow &= extent.isStatic() && (extent.number == 1 ||
                                     axis + 1 == source.tensor->extents.size());
  if (!isRow)
    return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                  op.spelling +
                      " brings one row of constant length, but this is " +
                      f.describe(source) + "; reshape the tensor to [N] first");
  ir::PrefetchOp::create(f.builder, f.loc(op.range()), source.tensor->memref);
  return makeHandle(kEvent);
}

static DslValue lowerPrefetchWait(FunctionLowering &f, OpCall &op) {
  bool good = checkHandle(f, op, 0, kEvent, "pl.prefetch.async_prefetch(...)");
  good &= checkHandle(f, op, 1, kSession, "pl.prefetch.session(...)");
  return good ? DslValue::makeHost(Value::boolean(true)) : DslValue::error();
}

static const OpRow prefetchOps[] = {
    {"prefetch.make_context", "", 0, lowerMakeContext, true},
    {"prefetch.session", "ctx", 1, lowerSession, true},
    {"prefetch.async_prefetch", "src,ctx", 2, lowerPrefetch, true},
    {"prefetch.wait", "event,session_handle", 2, lowerPrefetchWait, true},
};

ArrayRef<OpRow> pl::frontend::getPrefetchOps() { return prefetchOps; }

//===- LoweringSignals.cpp - ranks, notify and wait -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static DslValue lowerCommCtx(FunctionLowering &f, OpCall &op) {
  DslValue window = getWindowOperand(f, op, 0, "its argument");
  if (window.isError())
    return window;
  DslValue ctx = window;
  ctx.kind = DslValue::Kind::CommCtx;
  return ctx;
}

template <typename OpTy>
static DslValue lowerRank(FunctionLowering &f, OpCall &op) {
  DslValue ctx = f.lower(op.args[0]);
  if (ctx.isError())
    return ctx;
  if (ctx.kind != DslValue::Kind::CommCtx)
    return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                  op.spelling +
                      " takes what pld.get_comm_ctx(window) gives, "
                      "but this is " +
                      f.describe(ctx));
  return DslValue::makeScalar(OpTy::create(f.builder, f.loc(op.range()),
                                           f.builder.getI32Type(),
                                           ctx.tensor->memref),
                              DTypeKind::INT32);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static DslValue lowerNotify(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  DslValue target = getSignalOperand(f, op, 0, "target");
  mlir::Value peer = getIndexOperand(f, op, 1, "peer");
  mlir::Value value = getInt32Operand(f, op, 3, "value");
  std::string kind;
  bool good = getEnumMember(f, op, 4, "op", "NotifyOp", kind);
  SmallVector<mlir::Value> offsets;
  if (target.isError() || !getOffsets(f, op, 2, target, offsets) || !peer ||
      !value || !good)
    return DslValue::error();
  bool isSet = kind == "Set";
  if (!isSet)
    f.noteRead(*target.tensor, op.range());
  f.noteWrite(*target.tensor, op.range());
  ir::NotifyOp::create(f.builder, f.loc(op.range()),
                       isSet ? ir::NotifyKind::set : ir::NotifyKind::add, value,
                       target.tensor->memref, offsets, peer);
  return DslValue::makeTuple({});
}

static DslValue lowerWait(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  DslValue signal = getSignalOperand(f, op, 0, "signal");
  mlir::Value expected = getInt32Operand(f, op, 2, "expected");
  std::string cmp;
  bool good = getEnumMember(f, op, 3, "cmp", "WaitCmp", cmp);
  SmallVector<mlir::Value> offsets;
  if (signal.isError() || !getOffsets(f, op, 1, signal, offsets) || !expected ||
      !good)
    return DslValue::error();
  f.noteRead(*signal.tensor, op.range());
  ir::WaitOp::create(f.builder, f.loc(op.range()),
                     cmp == "Eq" ? ir::WaitCmp::eq : ir::WaitCmp::ge, expected,
                     signal.tensor->memref, offsets);
  return DslValue::makeTuple({});
}

/// The signal of a deferred wait: a parameter under its own name.
static DslValue getDeferredSignal(FunctionLowering &f, OpCall &op) {
  const Expr *expr = op.args[0];
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  if (!name)
    return f.fail(DiagCode::DeferWait, expr->range,
                  op.spelling +
                      " takes a window parameter itself as signal, "
                      "but '" +
                      f.getText(expr) +
                      "' is a view; pass the parameter and give the cell by "
                      "offsets");
  DslValue signal = f.lower(expr);
  if (signal.isError())
    return signal;
  if (!isWindow(signal))
    return f.fail(DiagCode::DeferWait, expr->range,
                  op.spelling +
                      " expects a pld.DistributedTensor as signal, "
                      "but '" +
                      name->name.str() + "' is " + f.describe(signal));
  if (signal.tensor->dtype != DTypeKind::INT32)
    return f.fail(DiagCode::Signal, expr->range,
                  "signals are INT32, but '" + name->name.str() + "' is " +
                      f.describe(signal));
  const TensorRef &tensor = *signal.tensor;
  bool isParam = tensor.param >= 0 && tensor.memref == tensor.root;
  if (!isParam || f.params[tensor.param].name != name->name) {
    Diagnostic &diagnostic =
        f.error(DiagCode::DeferWait, expr->range,
                op.spelling +
                    " takes a window parameter itself as signal, "
                    "but '" +
                    name->name.str() + "' is " +
                    (isParam ? "another name of '" : "a view of '") +
                    tensor.name + "'");
    if (tensor.param >= 0)
      diagnostic.note(f.params[tensor.param].range,
                      "'" + tensor.name + "' is declared here");
    return DslValue::error();
  }
  return signal;
}

static DslValue lowerDeferWait(FunctionLowering &f, OpCall &op) {
  SourceRange range = op.range();
  // Where it stands, before what it says.
  if (!checkPlace(f, op))
    return DslValue::error();
  if (f.kernel.kind == KernelKind::InCore)
    return f.fail(DiagCode::DeferWait, range,
                  op.spelling + " cannot be in a pl.jit.incore "
                                "function; write a scope of its own, "
                                "with pl.at(...) as tid");
  if (f.core->isSpmd)
    return f.fail(DiagCode::DeferWait, range,
                  op.spelling + " cannot be in pl.spmd: its task has "
                                "one block; use with pl.at(...)");
  if (f.core->lanes)
    return f.fail(DiagCode::DeferWait, range,
                  op.spelling + " cannot be in pl.split_aiv: its task "
                                "has one block on one vector core");
  DslValue signal = getDeferredSignal(f, op);
  std::string cmp;
  bool good = getEnumMember(f, op, 3, "cmp", "WaitCmp", cmp);
  if (good && cmp != "Ge") {
    f.error(DiagCode::DeferWait, op.args[3]->range,
            op.spelling +
                " compares with pld.WaitCmp.Ge "
                "only, but this is pld.WaitCmp." +
                cmp);
    good = false;
  }
  DslValue expected = getInteger(f, op, 2, "expected");
  good &= !expected.isError();
  if (std::optional<int64_t> number =
          good ? f.getConstantInt(expected) : std::nullopt;
      number && (*number < 0 || *number > INT32_MAX)) {
    f.error(DiagCode::DeferWait, op.args[2]->range,
            op.spelling + " expects a value in [0, " + Twine(INT32_MAX) +
                "], but this is " + Twine(*number) +
                ": conditions compare as unsigned 32-bit");
    good = false;
  }
  SmallVector<mlir::Value> offsets;
  if (signal.isError() || !getOffsets(f, op, 1, signal, offsets) || !good)
    return DslValue::error();
  mlir::Value bound = toInt32(f, expected, op.args[2]->range);
  if (!bound)
    return DslValue::error();
  f.noteRead(*signal.tensor, range);
  ir::DeferWaitOp::create(f.builder, f.loc(range), signal.tensor->memref,
                          offsets, bound);
  return DslValue::makeTuple({});
}

static const OpRow signalOps[] = {
    {"pld.get_comm_ctx", "dist_tensor", 1, lowerCommCtx, false},
    {"pld.system.get_comm_ctx", "dist_tensor", 1, lowerCommCtx, false},
    {"pld.rank", "ctx", 1, lowerRank<ir::RankOfOp>, false},
    {"pld.system.rank", "ctx", 1, lowerRank<ir::RankOfOp>, false},
    {"pld.nranks", "ctx", 1, lowerRank<ir::NumRanksOp>, false},
    {"pld.system.nranks", "ctx", 1, lowerRank<ir::NumRanksOp>, false},
    {"pld.system.notify", "target,peer,offsets,value,op", 5, lowerNotify,
     false},
    {"pld.system.wait", "signal,offsets,expected,cmp", 4, lowerWait, false},
    {"pld.system.defer_wait", "signal,offsets,expected,cmp", 4, lowerDeferWait,
     false},
};

ArrayRef<OpRow> pl::frontend::getSignalOps() { return signalOps; }

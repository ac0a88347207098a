//===- LoweringCollectives.cpp - what all ranks do together ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace pl::frontend;

/// Collectives run on a core, or as tasks of their own in host programs.
static bool checkCollective(FunctionLowering &f, OpCall &op) {
  if (f.core || f.isHost())
    return true;
  f.error(DiagCode::MisplacedOp, op.range(),
          op.spelling + " belongs into a core scope (pl.at, "
                        "pl.spmd) or a host program");
  return false;
}

/// The signal of a collective: cells for each rank.
static DslValue getCells(FunctionLowering &f, OpCall &op, unsigned arg) {
  DslValue signal = getSignalOperand(f, op, arg, "signal");
  if (signal.isError())
    return signal;
  size_t rank = signal.tensor->extents.size();
  if (rank == 1 || rank == 2)
    return signal;
  return f.fail(DiagCode::Signal, op.args[arg]->range,
                op.spelling +
                    " needs a signal of one or two axes, [ranks] or "
                    "[ranks, 1], but this is " +
                    f.describe(signal));
}

static bool getReduceKind(FunctionLowering &f, OpCall &op, unsigned arg,
                          ir::ReduceKind &kind) {
  kind = ir::ReduceKind::sum;
  if (!op.args[arg])
    return true;
  std::string member;
  if (!getEnumMember(f, op, arg, "op", "ReduceOp", member))
    return false;
  kind = llvm::StringSwitch<ir::ReduceKind>(member)
             .Case("Max", ir::ReduceKind::max)
             .Case("Min", ir::ReduceKind::min)
             .Case("Prod", ir::ReduceKind::prod)
             .Default(ir::ReduceKind::sum);
  return true;
}

static void noteUpdate(FunctionLowering &f, OpCall &op, const DslValue &value) {
  f.noteRead(*value.tensor, op.range());
  f.noteWrite(*value.tensor, op.range());
}

static DslValue lowerAllReduce(FunctionLowering &f, OpCall &op) {
  if (!checkCollective(f, op))
    return DslValue::error();
  DslValue target = getWindowOperand(f, op, 0, "target");
  DslValue signal;
  ir::ReduceKind kind;
  bool good = getReduceKind(f, op, 2, kind);
  if (op.args[1]) {
    signal = getCells(f, op, 1);
    good &= !signal.isError();
  } else if (f.core) {
    f.error(DiagCode::Signal, op.range(),
            op.spelling + " in a core scope needs a signal; only "
                          "host programs get one made");
    good = false;
  }
  ir::Topology topology = ir::Topology::mesh;
  if (op.args[3]) {
    DslValue mode = f.lower(op.args[3]);
    bool isStr = mode.isHost() && mode.host.isStr();
    if (isStr && mode.host.getStr() == "ring") {
      topology = ir::Topology::ring;
    } else if (!isStr || mode.host.getStr() != "mesh") {
      if (!mode.isError())
        f.error(DiagCode::UnknownChoice, op.args[3]->range,
                "mode= of " + op.spelling +
                    " is \"mesh\" or \"ring\", but this is " +
                    f.describe(mode));
      good = false;
    }
  }
  int64_t cores = 1;
  if (op.args[4]) {
    DslValue number = f.lower(op.args[4]);
    if (!number.isHostInt() || number.host.getInt() < 1) {
      if (!number.isError())
        f.error(DiagCode::NotConstant, op.args[4]->range,
                "core_num= of " + op.spelling +
                    " must be a positive constant, but "
                    "this is " +
                    f.describe(number));
      good = false;
    } else {
      cores = number.host.getInt();
    }
  }
  if (target.isError() || !good)
    return target.isError() ? target : DslValue::error();
  if (cores != 1 && f.core)
    return f.fail(DiagCode::HostOnly, op.args[4]->range,
                  "core_num= of " + op.spelling +
                      " belongs to host programs; here the blocks of pl.spmd "
                      "share the work");
  if (cores != 1 && topology == ir::Topology::ring)
    return f.fail(DiagCode::WrongArguments, op.args[4]->range,
                  op.spelling + " runs a ring on one core");
  if (topology == ir::Topology::ring && !op.args[1])
    return f.fail(DiagCode::Signal, op.range(),
                  op.spelling + " needs a signal for a ring");
  if (target.tensor->dtype != DTypeKind::FP32 &&
      target.tensor->dtype != DTypeKind::FP16)
    return f.fail(DiagCode::UnsupportedDType, op.args[0]->range,
                  op.spelling + " combines FP32 or FP16, but this is " +
                      f.describe(target));
  noteUpdate(f, op, target);
  if (op.args[1])
    noteUpdate(f, op, signal);
  ir::AllReduceOp::create(f.builder, f.loc(op.range()), target.tensor->memref,
                          op.args[1] ? signal.tensor->memref : mlir::Value(),
                          kind, topology, cores);
  return target;
}

static DslValue lowerBarrier(FunctionLowering &f, OpCall &op) {
  if (!checkCollective(f, op))
    return DslValue::error();
  DslValue signal = getCells(f, op, 0);
  if (signal.isError())
    return signal;
  noteUpdate(f, op, signal);
  ir::BarrierOp::create(f.builder, f.loc(op.range()), signal.tensor->memref);
  return signal;
}

static DslValue lowerBroadcast(FunctionLowering &f, OpCall &op) {
  if (!checkCollective(f, op))
    return DslValue::error();
  DslValue target = getWindowOperand(f, op, 0, "target");
  DslValue signal = getCells(f, op, 1);
  DslValue root = f.lower(op.args[2]);
  if (!root.isError() && (!root.isHostInt() || root.host.getInt() < 0))
    root = f.fail(DiagCode::NotConstant, op.args[2]->range,
                  "root= of " + op.spelling +
                      " must be a constant rank of at "
                      "least 0, but this is " +
                      f.describe(root));
  if (target.isError() || signal.isError() || root.isError())
    return DslValue::error();
  noteUpdate(f, op, target);
  noteUpdate(f, op, signal);
  ir::BroadcastOp::create(f.builder, f.loc(op.range()), target.tensor->memref,
                          signal.tensor->memref, root.host.getInt());
  return target;
}

static DslValue lowerReduceScatter(FunctionLowering &f, OpCall &op) {
  if (!checkCollective(f, op))
    return DslValue::error();
  DslValue target = getWindowOperand(f, op, 0, "target");
  DslValue signal = getCells(f, op, 1);
  ir::ReduceKind kind;
  if (!getReduceKind(f, op, 2, kind) || target.isError() || signal.isError())
    return DslValue::error();
  if (kind != ir::ReduceKind::sum)
    return f.fail(DiagCode::UnknownChoice, op.args[2]->range,
                  op.spelling + " combines with pld.ReduceOp.Sum only");
  noteUpdate(f, op, target);
  noteUpdate(f, op, signal);
  ir::ReduceScatterOp::create(f.builder, f.loc(op.range()), kind,
                              target.tensor->memref, signal.tensor->memref);
  return target;
}

/// Source, target and signal of an exchange; false after an error.
static bool getExchange(FunctionLowering &f, OpCall &op, DslValue &source,
                        DslValue &target, DslValue &signal) {
  if (!checkCollective(f, op))
    return false;
  source = getTensorOperand(f, op, 0, "its first argument");
  target = getWindowOperand(f, op, 1, "target");
  signal = getCells(f, op, 2);
  if (source.isError() || target.isError() || signal.isError())
    return false;
  if (source.tensor->dtype != target.tensor->dtype) {
    f.error(DiagCode::DTypeMismatch, op.range(),
            op.spelling +
                " copies between tensors of one dtype, "
                "but these are " +
                f.describe(source) + " and " + f.describe(target));
    return false;
  }
  if (source.tensor->root == target.tensor->root) {
    f.error(DiagCode::WrongArguments, op.args[1]->range,
            op.spelling + " needs a target that is another tensor than its "
                          "first argument: ranks write the one while others "
                          "read the other");
    return false;
  }
  f.noteRead(*source.tensor, op.range());
  f.noteWrite(*target.tensor, op.range());
  noteUpdate(f, op, signal);
  return true;
}

template <typename OpTy>
static DslValue lowerExchange(FunctionLowering &f, OpCall &op) {
  DslValue source, target, signal;
  if (!getExchange(f, op, source, target, signal))
    return DslValue::error();
  OpTy::create(f.builder, f.loc(op.range()), source.tensor->memref,
               target.tensor->memref, signal.tensor->memref);
  return target;
}

static DslValue lowerAllToAllV(FunctionLowering &f, OpCall &op) {
  DslValue source, target, signal;
  if (!getExchange(f, op, source, target, signal))
    return DslValue::error();
  DslValue sent = getTensorOperand(f, op, 3, "send_counts");
  DslValue received = getSignalOperand(f, op, 4, "recv_counts");
  if (sent.isError() || received.isError())
    return DslValue::error();
  if (sent.tensor->dtype != DTypeKind::INT32)
    return f.fail(DiagCode::UnsupportedDType, op.args[3]->range,
                  op.spelling + " counts in INT32, but this is " +
                      f.describe(sent));
  f.noteRead(*sent.tensor, op.range());
  f.noteWrite(*received.tensor, op.range());
  ir::AllToAllVOp::create(f.builder, f.loc(op.range()), source.tensor->memref,
                          target.tensor->memref, signal.tensor->memref,
                          sent.tensor->memref, received.tensor->memref);
  return target;
}

static const OpRow collectiveOps[] = {
    {"pld.tensor.allreduce", "target,signal,op,mode,core_num", 1,
     lowerAllReduce, false},
    {"pld.tensor.barrier", "signal", 1, lowerBarrier, false},
    {"pld.tensor.broadcast", "target,signal,root", 3, lowerBroadcast, false},
    {"pld.tensor.allgather", "local_data,target,signal", 3,
     lowerExchange<ir::AllGatherOp>, false},
    {"pld.tensor.reduce_scatter", "target,signal,op", 2, lowerReduceScatter,
     false},
    {"pld.tensor.all_to_all", "input,target,signal", 3,
     lowerExchange<ir::AllToAllOp>, false},
    {"pld.tensor.all_to_all_v", "input,target,signal,send_counts,recv_counts",
     5, lowerAllToAllV, false},
};

ArrayRef<OpRow> pl::frontend::getCollectiveOps() { return collectiveOps; }

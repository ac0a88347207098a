//===- LoweringCommOps.cpp - arguments of operations between ranks --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

using namespace pl::frontend;

DslValue pl::frontend::getTensorOperand(FunctionLowering &f, OpCall &op,
                                        unsigned arg, StringRef name) {
  const Expr *expr = op.args[arg];
  DslValue value;
  if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(expr)) {
    DslValue base = f.lower(subscript->value);
    if (base.isError())
      return base;
    if (base.isTensor()) {
      FunctionLowering::Window window;
      window.range = expr->range;
      if (!f.getWindow(subscript, base.tensor->extents, window))
        return DslValue::error();
      if (window.isElement())
        return f.fail(DiagCode::WrongArguments, expr->range,
                      op.spelling + " expects a tensor as " + name +
                          ", but this is one element");
      return f.viewWindow(*base.tensor, window, expr->range);
    }
    value = base;
  } else {
    value = f.lower(expr);
  }
  if (value.isError() || value.isTensor())
    return value;
  return f.fail(DiagCode::MixedLevels, expr->range,
                op.spelling + " expects a tensor in global memory as " + name +
                    ", but this is " + f.describe(value));
}

DslValue pl::frontend::getWindowOperand(FunctionLowering &f, OpCall &op,
                                        unsigned arg, StringRef name) {
  DslValue value = getTensorOperand(f, op, arg, name);
  if (value.isError() || isWindow(value))
    return value;
  return f.fail(DiagCode::WindowMismatch, op.args[arg]->range,
                op.spelling + " expects a pld.DistributedTensor as " + name +
                    ", but '" + f.getText(op.args[arg]) + "' is " +
                    f.describe(value) + " that no other rank reaches");
}

DslValue pl::frontend::getSignalOperand(FunctionLowering &f, OpCall &op,
                                        unsigned arg, StringRef name) {
  DslValue value = getWindowOperand(f, op, arg, name);
  if (value.isError() || value.tensor->dtype == DTypeKind::INT32)
    return value;
  return f.fail(DiagCode::Signal, op.args[arg]->range,
                "signals are INT32, but '" + f.getText(op.args[arg]) + "' is " +
                    f.describe(value));
}

DslValue pl::frontend::getInteger(FunctionLowering &f, OpCall &op, unsigned arg,
                                  StringRef name) {
  DslValue value = f.lower(op.args[arg]);
  if (value.isHost() && value.host.getKind() == ValueKind::DynVar)
    value = f.toScalar(value, op.args[arg]->range);
  if (value.isError() || value.isHostInt())
    return value;
  if (value.isScalar() && value.dtype != DTypeKind::BOOL &&
      !mlir::isa<mlir::FloatType>(value.value.getType()))
    return value;
  return f.fail(DiagCode::WrongArguments, op.args[arg]->range,
                op.spelling + " expects an integer as " + name +
                    ", but this is " + f.describe(value));
}

mlir::Value pl::frontend::getIndexOperand(FunctionLowering &f, OpCall &op,
                                          unsigned arg, StringRef name) {
  DslValue value = getInteger(f, op, arg, name);
  if (value.isError())
    return {};
  if (std::optional<int64_t> number = f.getConstantInt(value);
      number && *number < 0) {
    f.error(DiagCode::OutOfRange, op.args[arg]->range,
            op.spelling + " expects " + name + " of at least 0, but this is " +
                Twine(*number));
    return {};
  }
  return f.toIndex(value, op.args[arg]->range, name);
}

mlir::Value pl::frontend::toInt32(FunctionLowering &f, const DslValue &value,
                                  SourceRange range) {
  if (value.isError())
    return {};
  if (value.isHostInt())
    return f.materialize(value, DTypeKind::INT32, range);
  if (value.dtype == DTypeKind::INT32)
    return value.value;
  return f.scalarCast(range, value, DTypeKind::INT32).value;
}

mlir::Value pl::frontend::getInt32Operand(FunctionLowering &f, OpCall &op,
                                          unsigned arg, StringRef name) {
  return toInt32(f, getInteger(f, op, arg, name), op.args[arg]->range);
}

bool pl::frontend::getOffsets(FunctionLowering &f, OpCall &op, unsigned arg,
                              const DslValue &tensor,
                              SmallVectorImpl<mlir::Value> &offsets) {
  const Expr *expr = op.args[arg];
  SmallVector<DslValue> list;
  if (!f.getList(expr, "the offsets", list))
    return false;
  size_t rank = tensor.tensor->extents.size();
  if (list.size() != rank) {
    f.error(DiagCode::WrongRank, expr->range,
            op.spelling + " needs one offset for each of " + Twine(rank) +
                " axes of '" + tensor.tensor->name + "', but got " +
                Twine(list.size()));
    return false;
  }
  FunctionLowering::Window window;
  window.range = expr->range;
  window.offsets = list;
  window.sizes.assign(rank, DslValue::makeHost(Value::integer(1)));
  if (!f.checkBounds(*tensor.tensor, window, window.sizes, "access"))
    return false;
  for (const DslValue &value : list) {
    offsets.push_back(f.toIndex(value, expr->range, "an offset"));
    if (!offsets.back())
      return false;
  }
  return true;
}

bool pl::frontend::checkPlace(FunctionLowering &f, OpCall &op) {
  if (!f.core) {
    f.error(DiagCode::MisplacedOp, op.range(),
            op.spelling + " runs on a core: it belongs into a "
                          "core scope (pl.at, pl.spmd)");
    return false;
  }
  if (f.bareCall != op.call) {
    f.error(DiagCode::NoReturnValue, op.range(),
            op.spelling + " is a statement: it gives no value that could "
                          "be used");
    return false;
  }
  return true;
}

bool pl::frontend::getEnumMember(FunctionLowering &f, OpCall &op, unsigned arg,
                                 StringRef name, StringRef enumName,
                                 std::string &member) {
  DslValue value = f.lower(op.args[arg]);
  if (value.isError())
    return false;
  auto *object = value.isHost() ? value.host.as<EnumObject>() : nullptr;
  if (object && object->enumName == enumName) {
    member = object->member;
    return true;
  }
  f.error(DiagCode::UnknownChoice, op.args[arg]->range,
          op.spelling + " expects a member of pld." + enumName + " as " + name +
              "=, but this is " + f.describe(value));
  return false;
}

ArrayRef<OpRow> pl::frontend::getCommOps() {
  // One table out of four, made once.
  static const std::vector<OpRow> all = [] {
    std::vector<OpRow> rows;
    for (ArrayRef<OpRow> group :
         {getTransferOps(), getSignalOps(), getCollectiveOps(), getLaneOps()})
      rows.insert(rows.end(), group.begin(), group.end());
    return rows;
  }();
  return all;
}

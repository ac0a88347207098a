//===- HostPlan.cpp - A host program as data ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPlan.h"

#include "Names.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::pl;
namespace json = llvm::json;

std::string mlir::pl::programDirectory(func::FuncOp program) {
  return "next_levels/" + Names::identifier(program.getName());
}

/// Element types have torch's names.
static std::string dtypeName(Type type) {
  if (type.isIndex())
    return "int64";
  if (type.isBF16())
    return "bfloat16";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  }
  return "float" + std::to_string(type.getIntOrFloatBitWidth());
}

/// Does a kernel that gets `tensor` use its cells as signals?
static bool isSignalOf(Value tensor) {
  for (Operation *user : tensor.getUsers()) {
    auto launch = dyn_cast<LaunchOp>(user);
    auto kernel = launch ? SymbolTable::lookupNearestSymbolFrom<KernelOp>(
                               launch, launch.getKernelAttr())
                         : KernelOp();
    if (!kernel)
      continue;
    for (auto [index, argument] : llvm::enumerate(launch.getArgs())) {
      if (argument != tensor)
        continue;
      Value inside = kernel.getBody().getArgument(index);
      bool found = kernel
                       .walk([&](Operation *op) {
                         Value signal;
                         if (auto notify = dyn_cast<NotifyOp>(op))
                           signal = notify.getTarget();
                         else if (auto wait = dyn_cast<WaitOp>(op))
                           signal = wait.getSignal();
                         else if (auto wait = dyn_cast<DeferWaitOp>(op))
                           signal = wait.getSignal();
                         return signal && rootOf(signal) == inside
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
      if (found)
        return true;
    }
  }
  return false;
}

/// A window that some program uses as a signal starts at zero.
static bool isSignal(AllocWindowOp buffer) {
  for (Operation *user : buffer->getUsers())
    if (auto window = dyn_cast<WindowOp>(user))
      for (OpOperand &use : window->getUses())
        if (auto dispatch = dyn_cast<DispatchOp>(use.getOwner())) {
          auto program = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              dispatch, dispatch.getCalleeAttr());
          if (use.getOperandNumber() < dispatch.getArgs().size() &&
              isSignalOf(program.getArgument(use.getOperandNumber())))
            return true;
        }
  return false;
}

namespace {
class Planner {
public:
  explicit Planner(func::FuncOp host) : host(host) {}
  FailureOr<json::Object> plan();

private:
  json::Object describeParam(BlockArgument argument);
  LogicalResult visit(Block &block);
  LogicalResult visitDispatch(DispatchOp op);
  FailureOr<json::Value> expr(Operation *user, Value value);
  FailureOr<json::Value> expr(Operation *user, OpFoldResult value);
  FailureOr<json::Value> scalarOp(Operation *op);
  FailureOr<json::Value> tensor(DispatchOp op, Value value);
  FailureOr<json::Array> list(Operation *user, ArrayRef<OpFoldResult> values);

  func::FuncOp host;
  json::Array windows, dispatches;
  SmallVector<ForOp> loops;
};
} // namespace

json::Object Planner::describeParam(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  json::Object param;
  param["name"] = json::fixUTF8(nameOf(argument));
  auto memref = dyn_cast<MemRefType>(argument.getType());
  param["dtype"] =
      dtypeName(memref ? memref.getElementType() : argument.getType());
  if (!memref) {
    param["direction"] = "in";
    return param;
  }
  json::Array shape;
  for (auto [axis, extent] : llvm::enumerate(memref.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      shape.push_back(extent);
      continue;
    }
    DimAttr dim = dimOf(argument, axis);
    shape.push_back(dim ? json::fixUTF8(dim.getName()) : "?");
  }
  param["shape"] = std::move(shape);
  auto direction =
      host.getArgAttrOfType<DirectionAttr>(index, PLDialect::kDirection);
  param["direction"] =
      stringifyDirection(direction ? direction.getValue() : Direction::inout);
  return param;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

FailureOr<json::Value> Planner::expr(Operation *user, OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return json::Value(*constant);
  return expr(user, cast<Value>(value));
}

FailureOr<json::Value> Planner::expr(Operation *user, Value value) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return json::Value(integer.getSExtValue());
  FloatAttr real;
  if (matchPattern(value, m_Constant(&real)))
    return json::Value(real.getValueAsDouble());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    for (auto [depth, loop] : llvm::enumerate(loops))
      if (loop.getInductionVariable() == argument)
        return json::Value(json::Object{{"loop", int64_t(depth)}});
    if (argument.getOwner()->getParentOp() == host)
      return json::Value(json::Object{{"scalar", nameOf(argument)}});
  }
  if (Operation *op = value.getDefiningOp())
    return scalarOp(op);
  return user->emitOpError() << "takes a number that no plan holds";
}

FailureOr<json::Value> Planner::scalarOp(Operation *op) {
  if (isa<WorldSizeOp>(op))
    return json::Value(json::Object{{"world_size", true}});
  // Numbers of a plan have 64 bits.
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return expr(op, op->getOperand(0));
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    Value root = rootOf(dim.getSource());
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (axis && root == dim.getSource() && isa<BlockArgument>(root))
      return json::Value(
          json::Object{{"dim", json::Array{nameOf(root), *axis}}});
  }
  if (auto bind = dyn_cast<BindDimOp>(op)) {
    FailureOr<json::Value> extent = expr(op, bind.getExtents().front());
    if (failed(extent))
      return failure();
    return json::Value(json::Object{{"bound", bind.getName()},
                                    {"extent", std::move(*extent)},
                                    {"scale", bind.getScales().front()},
                                    {"offset", bind.getOffsets().front()}});
  }
  StringRef name =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<arith::AddIOp>([](auto) { return "add"; })
          .Case<arith::SubIOp>([](auto) { return "sub"; })
          .Case<arith::MulIOp>([](auto) { return "mul"; })
          .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
          .Case<arith::DivSIOp, arith::DivUIOp>([](auto) { return "div"; })
          .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return "rem"; })
          .Case<arith::CeilDivSIOp>([](auto) { return "ceildiv"; })
          .Case<arith::MinSIOp>([](auto) { return "min"; })
          .Case<arith::MaxSIOp>([](auto) { return "max"; })
          .Case<arith::SelectOp>([](auto) { return "select"; })
          .Case([](arith::CmpIOp cmp) {
            return arith::stringifyCmpIPredicate(cmp.getPredicate());
          })
          .Default([](Operation *) { return ""; });
  if (name.empty()) {
    op->emitError() << "'" << op->getName()
                    << "' in a host program is not emitted yet";
    return failure();
  }
  json::Array arguments;
  for (Value operand : op->getOperands()) {
    FailureOr<json::Value> argument = expr(op, operand);
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return json::Value(
      json::Object{{"op", name}, {"args", std::move(arguments)}});
}

FailureOr<json::Array> Planner::list(Operation *user,
                                     ArrayRef<OpFoldResult> values) {
  json::Array result;
  for (OpFoldResult value : values) {
    FailureOr<json::Value> number = expr(user, value);
    if (failed(number))
      return failure();
    result.push_back(std::move(*number));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

FailureOr<json::Value> Planner::tensor(DispatchOp op, Value value) {
  auto memref = cast<MemRefType>(value.getType());
  json::Object result;
  auto window = value.getDefiningOp<WindowOp>();
  auto subview = value.getDefiningOp<memref::SubViewOp>();
  Value root = window    ? window.getBuffer()
               : subview ? subview.getSource()
                         : value;
  if (auto buffer = root.getDefiningOp<AllocWindowOp>()) {
    result["window"] = buffer.getName();
    SmallVector<OpFoldResult> shape;
    auto next = window.getDynamicSizes().begin();
    Builder builder(op.getContext());
    for (int64_t extent : memref.getShape())
      shape.push_back(ShapedType::isDynamic(extent)
                          ? OpFoldResult(*next++)
                          : OpFoldResult(builder.getIndexAttr(extent)));
    FailureOr<json::Array> extents = list(op, shape);
    if (failed(extents))
      return failure();
    result["dtype"] = dtypeName(memref.getElementType());
    result["shape"] = std::move(*extents);
    return json::Value(std::move(result));
  }
  if (!isa<BlockArgument>(root))
    return op.emitError("a tensor that is made or reshaped by a host program "
                        "is not emitted yet");
  result["param"] = nameOf(root);
  if (!subview)
    return json::Value(std::move(result));
  FailureOr<json::Array> offsets = list(op, subview.getMixedOffsets());
  FailureOr<json::Array> sizes = list(op, subview.getMixedSizes());
  if (failed(offsets) || failed(sizes))
    return failure();
  result["offsets"] = std::move(*offsets);
  result["sizes"] = std::move(*sizes);
  json::Array dropped;
  for (int axis : subview.getDroppedDims().set_bits())
    dropped.push_back(axis);
  result["dropped"] = std::move(dropped);
  return json::Value(std::move(result));
}

LogicalResult Planner::visitDispatch(DispatchOp op) {
  json::Object made;
  auto program = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  made["program"] = op.getCallee();
  made["directory"] = programDirectory(program);
  json::Array nest;
  for (ForOp loop : loops) {
    FailureOr<json::Value> lower = expr(op, loop.getLower());
    FailureOr<json::Value> upper = expr(op, loop.getUpper());
    FailureOr<json::Value> step = expr(op, loop.getStep());
    if (failed(lower) || failed(upper) || failed(step))
      return failure();
    nest.push_back(json::Object{{"from", std::move(*lower)},
                                {"to", std::move(*upper)},
                                {"step", std::move(*step)}});
  }
  made["loops"] = std::move(nest);
  if (Value device = op.getDevice()) {
    FailureOr<json::Value> rank = expr(op, device);
    if (failed(rank))
      return failure();
    made["device"] = std::move(*rank);
  }
  json::Array arguments;
  for (Value argument : op.getArgs()) {
    if (isa<MemRefType>(argument.getType())) {
      FailureOr<json::Value> given = tensor(op, argument);
      if (failed(given))
        return failure();
      arguments.push_back(std::move(*given));
      continue;
    }
    FailureOr<json::Value> number = expr(op, argument);
    if (failed(number))
      return failure();
    arguments.push_back(json::Object{{"dtype", dtypeName(argument.getType())},
                                     {"value", std::move(*number)}});
  }
  made["args"] = std::move(arguments);
  dispatches.push_back(std::move(made));
  return success();
}

LogicalResult Planner::visit(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<ForOp>(op)) {
      loops.push_back(loop);
      if (failed(visit(loop.getBody().front())))
        return failure();
      loops.pop_back();
    } else if (auto dispatch = dyn_cast<DispatchOp>(op)) {
      if (failed(visitDispatch(dispatch)))
        return failure();
    } else if (auto window = dyn_cast<AllocWindowOp>(op)) {
      auto type = cast<MemRefType>(window.getBuffer().getType());
      FailureOr<json::Value> bytes =
          window.getBytes()
              ? expr(window, window.getBytes())
              : FailureOr<json::Value>(json::Value(type.getDimSize(0)));
      if (failed(bytes))
        return failure();
      windows.push_back(json::Object{{"name", window.getName()},
                                     {"bytes", std::move(*bytes)},
                                     {"signal", isSignal(window)}});
    } else if (isa<scf::IfOp>(op)) {
      return op.emitError("a branch of a host program is not emitted yet");
    }
  }
  return success();
}

FailureOr<json::Object> Planner::plan() {
  if (failed(visit(host.getBody().front())))
    return failure();
  json::Object result;
  result["entry"] = host.getName();
  json::Array params;
  for (BlockArgument argument : host.getArguments())
    params.push_back(describeParam(argument));
  result["params"] = std::move(params);
  // Every tensor has the data of all ranks.
  result["rank_axis"] = 0;
  result["windows"] = std::move(windows);
  result["dispatches"] = std::move(dispatches);
  return result;
}

FailureOr<std::string> mlir::pl::hostPlanText(func::FuncOp host) {
  FailureOr<json::Object> plan = Planner(host).plan();
  if (failed(plan))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", json::Value(std::move(*plan)));
  return text + "\n";
}

//===- LoweringHost.cpp - windows and rank loops --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/PLHostOps.h"

#include "llvm/Support/MathExtras.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Dynamic dims
//===----------------------------------------------------------------------===//

mlir::Value pl::frontend::bindDim(FunctionLowering &f, StringRef symbol) {
  SmallVector<mlir::Value> extents;
  SmallVector<int64_t> scales, offsets;
  SmallVector<std::string> names;
  SourceRange first;
  for (const FunctionLowering::DimSource &source : f.dimSources[symbol]) {
    const FunctionLowering::ParamInfo &param = f.params[source.param];
    if (extents.empty())
      first = param.range;
    extents.push_back(readExtent(f, param, source.axis, param.name));
    scales.push_back(source.scale);
    offsets.push_back(source.offset);
    names.push_back(
        ("axis " + Twine(source.axis) + " of '" + param.name.str() + "'")
            .str());
  }
  SmallVector<StringRef> sources(names.begin(), names.end());
  return f.insertInPrologue(
      f.prologues.front(), [&](mlir::OpBuilder &at) -> mlir::Value {
        return ir::BindDimOp::create(at, f.module.getLoc(first, symbol),
                                     at.getIndexType(), symbol, extents, scales,
                                     offsets, at.getStrArrayAttr(sources));
      });
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

bool pl::frontend::isWindowBuffer(const DslValue &value) {
  return value.isTensor() && value.tensor->memref &&
         value.tensor->memref.getDefiningOp<ir::AllocWindowOp>();
}

static mlir::Attribute getWindowSpace(FunctionLowering &f) {
  return ir::WindowAttr::get(&f.module.context);
}

/// Reports an operation that only host programs have.
static bool checkHost(FunctionLowering &f, const OpCall &op) {
  if (f.isHost())
    return true;
  f.error(DiagCode::HostOnly, op.range(),
          op.spelling +
              " belongs into a host program "
              "(@pl.jit.host)" +
              (op.name.ends_with("world_size")
                   ? "; a kernel asks pld.nranks(ctx), or gets the "
                     "number as an argument"
                   : "; a kernel gets its windows as arguments"));
  return false;
}

static DslValue lowerWorldSize(FunctionLowering &f, OpCall &op) {
  if (!checkHost(f, op))
    return DslValue::error();
  return DslValue::makeScalar(ir::WorldSizeOp::create(f.builder,
                                                      f.loc(op.range()),
                                                      f.builder.getI64Type()),
                              DTypeKind::INT64);
}

/// Extents of a shape, as numbers and as values where they are not constant.
static bool getShape(FunctionLowering &f, const Expr *expr, StringRef what,
                     SmallVectorImpl<Extent> &extents) {
  SmallVector<DslValue> shape;
  if (!f.getList(expr, what, shape))
    return false;
  if (shape.empty()) {
    f.error(DiagCode::WrongRank, expr->range,
            what + " needs at least one axis");
    return false;
  }
  for (const DslValue &value : shape) {
    Extent extent;
    if (std::optional<int64_t> number = f.getConstantInt(value)) {
      if (*number <= 0) {
        f.error(DiagCode::OutOfRange, expr->range,
                "the extents of a window must be positive, but "
                "one is " +
                    Twine(*number));
        return false;
      }
      extent.number = *number;
    } else {
      extent.value = f.toIndex(value, expr->range, "an extent");
      if (!extent.value)
        return false;
      for (auto &symbol : f.symbols)
        if (symbol.second.value == extent.value)
          extent.symbol = symbol.getKey().str();
    }
    extents.push_back(std::move(extent));
  }
  return true;
}

/// Bytes of a shape; a constant where all extents are.
static DslValue getByteCount(FunctionLowering &f, ArrayRef<Extent> extents,
                             DTypeKind dtype, SourceRange range) {
  DslValue bytes = DslValue::makeHost(
      Value::integer(dtype == DTypeKind::BOOL ? 1 : getByteSize(dtype)));
  for (const Extent &extent : extents) {
    DslValue factor =
        extent.isStatic()
            ? DslValue::makeHost(Value::integer(extent.number))
            : DslValue::makeScalar(extent.value, DTypeKind::INDEX);
    bytes = bytes.isHost() && factor.isHost()
                ? f.foldBinary(range, BinOpKind::Mult, bytes, factor)
                : f.scalarBinary(range, BinOpKind::Mult, bytes, factor);
    if (bytes.isError())
      break;
  }
  return bytes;
}

/// A dtype that windows can hold.
static std::optional<DTypeKind> getWindowDType(FunctionLowering &f,
                                               const Expr *expr) {
  std::optional<DTypeKind> dtype = f.getDType(expr, "dtype=");
  if (!dtype)
    return dtype;
  if (*dtype != DTypeKind::INDEX && *dtype != DTypeKind::TASK_ID)
    return dtype;
  f.error(DiagCode::UnsupportedDType, expr->range,
          "a window cannot hold " + getName(*dtype));
  return std::nullopt;
}

static DslValue lowerAllocWindow(FunctionLowering &f, OpCall &op) {
  SourceRange range = op.range();
  Identifier name = f.targetName;
  f.targetName = Identifier();
  if (!checkHost(f, op))
    return DslValue::error();
  if (op.args[2])
    return f.fail(DiagCode::WindowName, op.args[2]->range,
                  op.spelling + " takes no name=: the buffer is named by the "
                                "variable it is assigned to");
  if (!name)
    return f.fail(DiagCode::WindowName, range,
                  op.spelling +
                      " must be assigned to one name, as in "
                      "buf = " +
                      op.spelling + "(...)");
  if (auto old = f.env.find(name);
      old != f.env.end() && isWindowBuffer(old->second.value)) {
    f.error(DiagCode::WindowName, range,
            "the window buffer '" + name.str() + "' is made twice")
        .note(old->second.range, "it is made here first");
    return DslValue::error();
  }
  DslValue size;
  if (op.args[1]) {
    std::optional<DTypeKind> dtype = getWindowDType(f, op.args[1]);
    SmallVector<Extent> extents;
    if (!getShape(f, op.args[0], "the shape", extents) || !dtype)
      return DslValue::error();
    size = getByteCount(f, extents, *dtype, range);
  } else {
    size = f.lower(op.args[0]);
    bool isList = size.kind == DslValue::Kind::Tuple ||
                  (size.isHost() &&
                   (size.host.as<TupleObject>() || size.host.as<ListObject>()));
    if (isList)
      return f.fail(DiagCode::WrongArguments, range,
                    op.spelling + " with a shape needs dtype=; without "
                                  "it the size is one number of bytes");
  }
  if (size.isError())
    return size;
  std::optional<int64_t> bytes = f.getConstantInt(size);
  if (bytes && *bytes <= 0)
    return f.fail(DiagCode::WindowBytes, op.args[0]->range,
                  "the size of a window buffer must be "
                  "positive, but this is " +
                      Twine(*bytes) + " bytes");
  mlir::Value dynamic;
  if (!bytes) {
    dynamic = f.toIndex(size, op.args[0]->range, "the size in bytes");
    if (!dynamic)
      return DslValue::error();
  }
  int64_t extent = bytes.value_or(mlir::ShapedType::kDynamic);
  auto type = mlir::MemRefType::get(extent, f.builder.getI8Type(),
                                    mlir::MemRefLayoutAttrInterface(),
                                    getWindowSpace(f));
  auto tensor = std::make_shared<TensorRef>();
  tensor->dtype = DTypeKind::INT8;
  tensor->name = name.str().str();
  tensor->memref = tensor->root = ir::AllocWindowOp::create(
      f.builder, f.module.getLoc(range, name.str()), type, dynamic,
      f.builder.getStringAttr(name.str()));
  Extent only;
  only.number = bytes.value_or(0);
  only.value = dynamic;
  tensor->extents.push_back(std::move(only));
  return DslValue::makeTensor(std::move(tensor));
}

/// Where a name got its value.
static SourceRange getBindingRange(FunctionLowering &f, const Expr *expr) {
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  auto found = name ? f.env.find(name->name) : f.env.end();
  return found == f.env.end() ? expr->range : found->second.range;
}

static DslValue lowerWindow(FunctionLowering &f, OpCall &op) {
  SourceRange range = op.range();
  if (!checkHost(f, op))
    return DslValue::error();
  DslValue buffer = f.lower(op.args[0]);
  std::optional<DTypeKind> dtype = getWindowDType(f, op.args[2]);
  SmallVector<Extent> extents;
  if (!getShape(f, op.args[1], "the shape of a window", extents) || !dtype ||
      buffer.isError())
    return DslValue::error();
  if (!isWindowBuffer(buffer))
    return f.fail(DiagCode::WrongArguments, op.args[0]->range,
                  op.spelling +
                      " takes a buffer that pld.alloc_window_buffer "
                      "made, but this is " +
                      f.describe(buffer));
  DslValue bytes = getByteCount(f, extents, *dtype, range);
  if (bytes.isError())
    return bytes;
  // The buffer's own size in bytes: what was asked for, not what is rounded up.
  std::optional<int64_t> need = f.getConstantInt(bytes);
  const Extent &size = buffer.tensor->extents.front();
  if (need && size.isStatic() && *need > size.number) {
    f.error(DiagCode::WindowBytes, range,
            "this window of " + Twine(*need) +
                " bytes does not fit its buffer '" + buffer.tensor->name +
                "' of " + Twine(size.number) + " bytes")
        .note(getBindingRange(f, op.args[0]),
              "the buffer is made here; a size that is a number is in bytes");
    return DslValue::error();
  }
  auto tensor = std::make_shared<TensorRef>();
  tensor->dtype = *dtype;
  tensor->name = buffer.tensor->name;
  tensor->extents = extents;
  SmallVector<int64_t> shape;
  SmallVector<mlir::Value> sizes;
  for (const Extent &extent : extents) {
    shape.push_back(extent.isStatic() ? extent.number
                                      : mlir::ShapedType::kDynamic);
    if (!extent.isStatic())
      sizes.push_back(extent.value);
  }
  if (!f.checkSize(shape, kMaxTensorElements, range))
    return DslValue::error();
  auto type = mlir::MemRefType::get(shape, f.module.getElementType(*dtype),
                                    mlir::MemRefLayoutAttrInterface(),
                                    getWindowSpace(f));
  tensor->memref = tensor->root = ir::WindowOp::create(
      f.builder, f.loc(range), type, buffer.tensor->memref, sizes);
  return DslValue::makeTensor(std::move(tensor));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void pl::frontend::lowerHostLoop(FunctionLowering &f, const ForStmt *stmt) {
  SourceRange header = stmt->headerRange;
  auto *call = llvm::dyn_cast<CallExpr>(stmt->iter);
  std::string spelling = call ? f.getPlName(call->callee) : "";
  auto *target = llvm::dyn_cast<NameExpr>(stmt->target);
  bool isParallel = spelling == "pl.parallel";
  if (spelling != "pl.range" && spelling != "pl.unroll" && !isParallel) {
    f.error(DiagCode::LoopHeader, stmt->iter->range,
            "a host program loops over pl.range or pl.parallel, but not over "
            "'" +
                f.getText(stmt->iter) + "'");
    return;
  }
  if (!target || !stmt->orelse.empty() || !call->keywords.empty() ||
      call->args.empty() || call->args.size() > 3) {
    f.error(DiagCode::LoopHeader, header,
            "a loop of a host program is for NAME in " + spelling +
                "(stop), (start, stop) or (start, stop, step)");
    return;
  }
  mlir::Value bounds[3];
  for (size_t i = 0; i < call->args.size(); ++i) {
    mlir::Value &bound = bounds[call->args.size() == 1 ? 1 : i];
    bound =
        f.toIndex(f.lower(call->args[i]), call->args[i]->range, "a loop bound");
    if (!bound)
      return;
  }
  for (auto [slot, number] : {std::pair(0, 0), std::pair(2, 1)})
    if (!bounds[slot])
      bounds[slot] = f.getIndex(number, header);
  if (auto step =
          f.getConstantInt(DslValue::makeScalar(bounds[2], DTypeKind::INDEX));
      !step || *step < 1) {
    f.error(DiagCode::LoopHeader, header,
            "the step of a loop of a host program must be a constant "
            "of at least 1");
    return;
  }
  auto loop = ir::ForOp::create(f.builder, f.loc(header),
                                isParallel ? ir::LoopKind::parallel
                                           : ir::LoopKind::range,
                                bounds[0], bounds[1], bounds[2]);
  loop.getInductionVariable().setLoc(
      f.module.getLoc(target->range, target->name.str()));
  mlir::OpBuilder::InsertionGuard guard(f.builder);
  f.builder.setInsertionPoint(loop.getYield());
  Environment before = f.env;
  Binding binding;
  binding.value =
      DslValue::makeScalar(loop.getInductionVariable(), DTypeKind::INDEX);
  binding.depth = f.depth + 1;
  binding.range = target->range;
  f.env[target->name] = std::move(binding);
  f.lowerNested(stmt->body);

  // A turn knows nothing of the others: what a name was before the loop it is
  // after it, unless it stands for the same tensor.
  NameSet assigned;
  collectAssigned(stmt->body, assigned);
  for (Identifier name : assigned) {
    auto old = before.find(name);
    Binding &inner = f.env[name];
    if (old == before.end()) {
      inner.state = Binding::State::LoopOnly;
      continue;
    }
    const DslValue &a = old->second.value, &b = inner.value;
    bool same =
        a.isTensor() && b.isTensor() && a.tensor->root == b.tensor->root;
    if (!same && !a.isError() && !b.isError() &&
        (getFirstUse(stmt->body, name) == FirstUse::Read ||
         f.isReadAfter(name)))
      f.notLowered(inner.range, "a loop of a host program that carries '" +
                                    Twine(name.str()) + "'");
    inner = old->second;
  }
  if (auto old = before.find(target->name); old != before.end())
    f.env[target->name] = old->second;
  else
    f.env.erase(target->name);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static const OpRow hostOps[] = {
    {"pld.world_size", "", 0, lowerWorldSize, false},
    {"pld.system.world_size", "", 0, lowerWorldSize, false},
    {"pld.alloc_window_buffer", "size,dtype,name", 1, lowerAllocWindow, false},
    {"pld.tensor.alloc_window_buffer", "size,dtype,name", 1, lowerAllocWindow,
     false},
    {"pld.window", "buf,shape,dtype", 3, lowerWindow, false},
    {"pld.tensor.window", "buf,shape,dtype", 3, lowerWindow, false},
};

ArrayRef<OpRow> pl::frontend::getHostOps() { return hostOps; }

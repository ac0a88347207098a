//===- LoweringHost.cpp - windows, rank loops, launches -------------------===//
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
        .note(getBindingRange(f, op.args[0]), "the buffer is made here");
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
// Launches
//===----------------------------------------------------------------------===//

/// The program that a launch runs, made now if it is the first launch.
static LoweredFunction *getProgram(FunctionLowering &f,
                                   const KernelCall &call) {
  ModuleLowering &module = f.module;
  KernelObject &callee = *call.callee;
  // Only tensors without a written shape depend on the call.
  std::string signature;
  llvm::raw_string_ostream os(signature);
  os << "program " << &callee;
  for (auto [written, argument] :
       llvm::zip(*module.getAnnotations(callee), call.arguments))
    if (written.isGiven && !written.type.hasShape && argument.isTensor()) {
      os << "; " << argument.tensor->memref.getType();
    }
  std::unique_ptr<LoweredFunction> &entry = module.functions[signature];
  if (!entry) {
    entry = std::make_unique<LoweredFunction>();
    LoweredFunction &made = *entry;
    module.stack.emplace_back(&callee, call.range);
    FunctionLowering(module, callee)
        .lowerProgram(made, call.arguments, /*isPrivate=*/true);
    module.stack.pop_back();
  }
  LoweredFunction &made = *module.functions[signature];
  if (!made.failed)
    return &made;
  f.hadError = true;
  return nullptr;
}

/// Checks one argument of a launch against the parameter of the program.
static bool checkArgument(FunctionLowering &f, const KernelCall &call,
                          unsigned index, LoweredFunction &program,
                          SmallVectorImpl<mlir::Value> &operands) {
  const Param &param = call.callee->getParams()[index];
  const ParamAnnotation &written =
      (*f.module.getAnnotations(*call.callee))[index];
  const DslValue &actual = call.arguments[index];
  SourceRange range = call.exprs[index]->range;
  auto wrong = [&](const Twine &expected,
                   DiagCode code = DiagCode::ArgumentMismatch) {
    f.error(code, range,
            "parameter '" + param.name.str() + "' of '" +
                Twine(call.callee->name) + "' is " + expected +
                ", but the argument is " + f.describe(actual))
        .note(param.range, "'" + param.name.str() + "' is declared here");
    return false;
  };
  mlir::Type type = program.func.getArgumentTypes()[program.arguments[index]];
  auto memref = mlir::dyn_cast<mlir::MemRefType>(type);
  if (!memref) {
    DTypeKind dtype = *written.type.dtype;
    bool isNumber = actual.isScalar() || actual.isHostNumber();
    if (!isNumber || (actual.dtype && *actual.dtype != dtype))
      return wrong(getWithArticle(dtype) + " scalar");
    operands.push_back(f.materialize(actual, dtype, range));
    return bool(operands.back());
  }
  bool isShared = written.type.kind == TypeAnnotation::Kind::DistributedTensor;
  if (!actual.isTensor() || isWindowBuffer(actual))
    return wrong(isShared ? "a window tensor, as pld.window gives"
                          : "a tensor");
  if (isShared != isWindow(actual))
    return wrong(isShared ? "a window tensor (pld.DistributedTensor)"
                          : "a plain tensor (pl.Tensor)",
                 DiagCode::WindowMismatch);
  if (memref.getElementType() != f.module.getElementType(actual.tensor->dtype))
    return wrong(getWithArticle(*written.type.dtype) + " tensor");
  ArrayRef<Extent> extents = actual.tensor->extents;
  if (size_t(memref.getRank()) != extents.size())
    return wrong("of rank " + Twine(memref.getRank()));
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    if (memref.isDynamicDim(axis))
      continue;
    int64_t expected = memref.getDimSize(axis);
    if (extent.isStatic() && extent.number != expected)
      return wrong("declared with " + Twine(expected) + " in axis " +
                   Twine(axis));
    if (!extent.isStatic())
      f.warning(DiagCode::DimMismatch, range,
                "axis " + Twine(axis) + " of '" + param.name.str() + "' is " +
                    Twine(expected) + " in '" + Twine(call.callee->name) +
                    "', but its extent here is known at run time only")
          .note(param.range, "'" + param.name.str() + "' is declared here");
  }
  auto given = mlir::cast<mlir::MemRefType>(actual.tensor->memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset, packed = 1;
  if (succeeded(given.getStridesAndOffset(strides, offset)))
    for (int64_t axis = given.getRank(); axis-- > 0;) {
      bool isKnown = !mlir::ShapedType::isDynamic(packed) &&
                     !mlir::ShapedType::isDynamic(strides[axis]);
      if (isKnown && given.getDimSize(axis) != 1 && strides[axis] != packed)
        return wrong("a packed tensor");
      packed = mlir::ShapedType::isDynamic(packed) || given.isDynamicDim(axis)
                   ? mlir::ShapedType::kDynamic
                   : packed * given.getDimSize(axis);
    }
  operands.push_back(actual.tensor->memref);
  return true;
}

/// A dim of the program has one value in a launch.
static bool checkDims(FunctionLowering &f, const KernelCall &call,
                      LoweredFunction &program) {
  struct Known {
    int64_t extent;
    unsigned index, axis;
  };
  llvm::DenseMap<const DynVarObject *, Known> values;
  const auto &annotations = *f.module.getAnnotations(*call.callee);
  for (auto [index, actual] : llvm::enumerate(call.arguments)) {
    if (!actual.isTensor())
      continue;
    for (auto [axis, dim] : llvm::enumerate(annotations[index].type.dims)) {
      const Extent &extent = actual.tensor->extents[axis];
      if (!dim.isDynamic() || !extent.isStatic())
        continue;
      Known known{extent.number, unsigned(index), unsigned(axis)};
      auto [found, isNew] = values.try_emplace(dim.dynamic.get(), known);
      const Known &other = found->second;
      if (isNew || other.extent == extent.number)
        continue;
      const Param &a = call.callee->getParams()[other.index];
      const Param &b = call.callee->getParams()[index];
      f.error(DiagCode::DimMismatch, call.range,
              "'" + Twine(call.callee->name) + "' declares dim '" +
                  dim.dynamic->name + "' for both '" + a.name.str() +
                  "' and '" + b.name.str() + "', but the arguments have " +
                  Twine(other.extent) + " and " + Twine(extent.number))
          .note(a.range, "'" + a.name.str() + "', axis " + Twine(other.axis) +
                             ", has extent " + Twine(other.extent))
          .note(b.range, "'" + b.name.str() + "', axis " + Twine(axis) +
                             ", has extent " + Twine(extent.number));
      return false;
    }
  }
  return true;
}

/// The rank of a launch: a constant, or the variable of a loop over all ranks.
static bool lowerDevice(FunctionLowering &f, const Expr *expr,
                        mlir::Value &device) {
  DslValue value = f.lower(expr);
  if (value.isError())
    return false;
  device = f.toIndex(value, expr->range, "device=");
  if (!device)
    return false;
  std::optional<int64_t> number = f.getConstantInt(value);
  if (number && *number < 0) {
    f.error(DiagCode::OutOfRange, expr->range,
            "device= must not be negative, but is " + Twine(*number));
    return false;
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(device);
  auto loop =
      argument ? mlir::dyn_cast<ir::ForOp>(argument.getOwner()->getParentOp())
               : ir::ForOp();
  if (!loop)
    return true;
  auto isNumber = [&](mlir::Value bound, int64_t expected) {
    return f.getConstantInt(DslValue::makeScalar(bound, DTypeKind::INDEX)) ==
           expected;
  };
  mlir::Value upper = loop.getUpper();
  if (auto cast = upper.getDefiningOp<arith::IndexCastOp>())
    upper = cast.getIn();
  if (isNumber(loop.getLower(), 0) && isNumber(loop.getStep(), 1) &&
      upper.getDefiningOp<ir::WorldSizeOp>())
    return true;
  f.error(DiagCode::RankLoop, expr->range,
          "a loop that launches on its rank must cover exactly "
          "[0, pld.world_size()): write for r in "
          "pl.range(pld.world_size())");
  return false;
}

DslValue pl::frontend::lowerDispatch(FunctionLowering &f, const CallExpr *call,
                                     KernelObject &callee,
                                     Identifier assigned) {
  SourceRange range = call->range;
  bool isProgram = callee.kind == KernelKind::Jit ||
                   (callee.kind == KernelKind::Opaque && callee.isFunction);
  if (!isProgram)
    return f.fail(DiagCode::HostOnly, range,
                  "a host program launches programs (@pl.jit), but '" +
                      Twine(callee.name) + "' is " + callee.getSpelling());
  bool isStatement = f.bareCall == call;
  for (auto &frame : f.module.stack)
    if (frame.first == &callee)
      return f.fail(DiagCode::Recursion, range,
                    "'" + Twine(callee.name) + "' launches itself");
  KernelCall made;
  made.assigned = assigned;
  if (!bindKernelCall(f, callee, range, call->args, call->keywords, {"device"},
                      made))
    return DslValue::error();
  mlir::Value device;
  for (const KeywordArg &keyword : call->keywords)
    if (keyword.name == "device" && !lowerDevice(f, keyword.value, device))
      return DslValue::error();
  mlir::Operation *parent = f.builder.getInsertionBlock()->getParentOp();
  if (!device && !mlir::isa<mlir::func::FuncOp>(parent))
    return f.fail(DiagCode::RankLoop, range,
                  "the launch of '" + Twine(callee.name) +
                      "' in a loop or branch needs device=, the rank "
                      "it runs on");
  LoweredFunction *program = getProgram(f, made);
  if (!program)
    return DslValue::error();
  SmallVector<mlir::Value> operands;
  bool good = true;
  for (size_t i = 0; i < made.arguments.size(); ++i)
    good &= checkArgument(f, made, i, *program, operands);
  if (!good || !checkDims(f, made, *program))
    return DslValue::error();
  noteEffects(f, made, *program);
  ir::DispatchOp::create(f.builder, f.loc(range), program->func.getName(),
                         operands, device);
  // What the caller does not take stays with the program.
  if (isStatement)
    return DslValue::makeHost(Value::none());
  for (const ReturnSlot &slot : program->returns)
    if (slot.kind == ReturnSlot::Kind::Result && made.assigned)
      return f.notLowered(range, "a launch of a program that returns a tensor "
                                 "of its own");
  return getReturned(f, made, *program);
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

//===- LoweringDispatch.cpp - launches of a host program ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"

#include "pl/Dialect/PL/IR/PLHostOps.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

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

//===- LoweringAlone.cpp - kernels that nothing calls ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of kernels for others to call has no program. Where the parameters of
// such a kernel are annotated, it can be looked at all the same: a program is
// made whose parameters are those of the kernel and that does nothing but call
// it, in a core scope where the kernel neither makes tasks nor says otherwise.
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringRegions.h"

using namespace pl::frontend;

namespace {

/// Whether a body does what only the orchestration may do.
class TaskFinder {
public:
  explicit TaskFinder(ModuleLowering &module) : module(module) {}

  bool makesTasks(KernelObject &kernel);

private:
  bool makesTasks(FunctionLowering &f, StmtList statements);
  bool makesTasks(FunctionLowering &f, const Stmt *stmt);
  bool makesTasks(FunctionLowering &f, const Expr *value);

  ModuleLowering &module;
  llvm::DenseSet<const KernelObject *> seen;
};

} // namespace

bool TaskFinder::makesTasks(KernelObject &kernel) {
  if (!seen.insert(&kernel).second)
    return false;
  FunctionLowering f(module, kernel);
  return makesTasks(f, kernel.def->body);
}

bool TaskFinder::makesTasks(FunctionLowering &f, StmtList statements) {
  return llvm::any_of(statements,
                      [&](const Stmt *stmt) { return makesTasks(f, stmt); });
}

bool TaskFinder::makesTasks(FunctionLowering &f, const Expr *value) {
  auto *call = llvm::dyn_cast_or_null<CallExpr>(value);
  if (!call)
    return false;
  if (KernelObject *callee = f.getCallee(call->callee))
    return callee->kind == KernelKind::Inline ? makesTasks(*callee) : true;
  return llvm::StringSwitch<bool>(f.getPlName(call->callee))
      .Cases({"pl.at", "pl.spmd", "pl.scope", "pl.manual_scope"}, true)
      .Cases({"pl.cluster", "pl.parallel", "pl.submit"}, true)
      .Cases({"pl.spmd_submit", "pl.system.task_dummy"}, true)
      .Default(false);
}

bool TaskFinder::makesTasks(FunctionLowering &f, const Stmt *stmt) {
  switch (stmt->kind) {
  case NodeKind::ExprStmt:
    return makesTasks(f, llvm::cast<ExprStmt>(stmt)->value);
  case NodeKind::Assign:
    return makesTasks(f, llvm::cast<AssignStmt>(stmt)->value);
  case NodeKind::AnnAssign:
    return makesTasks(f, llvm::cast<AnnAssignStmt>(stmt)->value);
  case NodeKind::Return:
    return makesTasks(f, llvm::cast<ReturnStmt>(stmt)->value);
  case NodeKind::With: {
    auto *with = llvm::cast<WithStmt>(stmt);
    return llvm::any_of(with->items,
                        [&](const WithItem &item) {
                          return makesTasks(f, item.context);
                        }) ||
           makesTasks(f, with->body);
  }
  case NodeKind::For: {
    auto *loop = llvm::cast<ForStmt>(stmt);
    return makesTasks(f, loop->iter) || makesTasks(f, loop->body);
  }
  case NodeKind::While:
    return makesTasks(f, llvm::cast<WhileStmt>(stmt)->body);
  case NodeKind::If: {
    auto *branch = llvm::cast<IfStmt>(stmt);
    return makesTasks(f, branch->body) || makesTasks(f, branch->orelse);
  }
  default:
    return false;
  }
}

/// Whether the call of a kernel belongs into a core scope.
static bool belongsOnCore(ModuleLowering &module, KernelObject &kernel,
                          const FunctionLowering &f) {
  using Kind = TypeAnnotation::Kind;
  if (kernel.kind != KernelKind::Inline)
    return kernel.kind == KernelKind::InCore;
  for (const FunctionLowering::ParamInfo &param : f.params) {
    const TypeAnnotation &type = param.annotation;
    if (type.kind == Kind::Tile)
      return true;
    if (type.dtype == DTypeKind::TASK_ID)
      return false;
  }
  return !TaskFinder(module).makesTasks(kernel);
}

/// What the call gives to one parameter; Error after a report.
static DslValue makeArgument(FunctionLowering &f,
                             const FunctionLowering::ParamInfo &param,
                             SourceRange range) {
  using Kind = TypeAnnotation::Kind;
  const TypeAnnotation &type = param.annotation;
  if (param.argument >= 0)
    return param.value;
  if (type.kind == Kind::Scalar)
    return DslValue::makeHost(Value::none()); // a task that is over
  SmallVector<int64_t> shape;
  for (const Dim &dim : type.dims) {
    if (dim.isDynamic())
      return f.fail(DiagCode::BadAnnotation, range,
                    "the shape of a tile is known when it is compiled, but "
                    "extent '" +
                        dim.dynamic->name + "' of '" + param.name.str() +
                        "' is not");
    shape.push_back(dim.extent);
  }
  if (type.kind == Kind::Array)
    return makeArrayOf(f, *type.dtype, shape[0], range);
  if (!f.checkSize(shape, kMaxTileElements, range))
    return DslValue::error();
  DslValue tile = f.makeEmptyTile(shape, *type.dtype, range);
  tile.isTileLevel = true;
  return tile;
}

static void makeLoneCall(FunctionLowering &f, KernelObject &kernel) {
  KernelCall call;
  call.callee = &kernel;
  for (auto [param, info] : llvm::zip(kernel.getParams(), f.params)) {
    DslValue argument = makeArgument(f, info, param.range);
    if (argument.isError())
      return;
    call.arguments.push_back(argument);
    call.exprs.push_back(param.annotation);
  }
  // No place of a call: reports are about the kernel itself.
  LoweredFunction *function = getLoweredFunction(f, call);
  call.range = kernel.def->headerRange;
  if (function)
    makeCall(f, call, *function);
}

void pl::frontend::lowerAlone(ModuleLowering &module, KernelObject &kernel) {
  FunctionLowering f(module, kernel);
  LoweredFunction made;
  f.result = &made;
  SmallVector<mlir::Type> types;
  if (!f.bindProgramParams({}, types))
    return;
  SourceRange header = kernel.def->headerRange;
  mlir::Location where = f.loc(header);
  f.builder.setInsertionPointToEnd(module.module->getBody());
  auto func = mlir::func::FuncOp::create(
      f.builder, where, module.makeUniqueFunctionName(kernel.name),
      f.builder.getFunctionType(types, {}));
  func->setAttr(ir::PLDialect::kKind,
                ir::FuncKindAttr::get(&module.context, f.funcKind));
  f.beginFunction(func);
  if (belongsOnCore(module, kernel, f)) {
    auto op = ir::AtOp::create(
        f.builder, where, ir::TaskType::get(&module.context),
        mlir::ValueRange(), f.builder.getStringAttr(kernel.name),
        f.getUserEdges(0), /*early_resolve=*/false);
    mlir::OpBuilder::InsertionGuard guard(f.builder);
    FunctionLowering::Prologue prologue;
    prologue.block = &op.getBody().emplaceBlock();
    f.builder.setInsertionPointToEnd(prologue.block);
    f.prologues.push_back(std::move(prologue));
    f.core.emplace();
    f.core->header = header;
    makeLoneCall(f, kernel);
    f.core.reset();
    f.prologues.pop_back();
  } else {
    makeLoneCall(f, kernel);
  }
  f.builder.setInsertionPointToEnd(&func.getBody().back());
  mlir::func::ReturnOp::create(f.builder, where);
  f.setArgumentAttributes(func);
}

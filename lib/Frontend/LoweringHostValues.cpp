//===- LoweringHostValues.cpp - what a name stands for outside ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringChecks.h"
#include "LoweringMemory.h"
#include "LoweringRegions.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

const Value *FunctionLowering::lookupHost(Identifier name) {
  if (env.contains(name))
    return nullptr;
  return module.session.lookup(kernel, name);
}

bool FunctionLowering::isHostExpr(const Expr *expr) {
  if (!expr)
    return true;
  auto all = [&](ExprList list) {
    return llvm::all_of(list, [&](const Expr *sub) { return isHostExpr(sub); });
  };
  switch (expr->kind) {
  case NodeKind::Constant:
    return true;
  case NodeKind::Name:
    // A dynamic dim is a run-time value in a body.
    return lookupHost(llvm::cast<NameExpr>(expr)->name) && !isDynamicDim(expr);
  case NodeKind::Attribute:
    return isHostExpr(llvm::cast<AttributeExpr>(expr)->value) &&
           !isDynamicDim(expr);
  case NodeKind::BinOp: {
    auto *op = llvm::cast<BinOpExpr>(expr);
    return isHostExpr(op->lhs) && isHostExpr(op->rhs);
  }
  case NodeKind::UnaryOp:
    return isHostExpr(llvm::cast<UnaryOpExpr>(expr)->operand);
  case NodeKind::BoolOp:
    return all(llvm::cast<BoolOpExpr>(expr)->values);
  case NodeKind::Compare: {
    auto *op = llvm::cast<CompareExpr>(expr);
    return isHostExpr(op->left) && all(op->comparators);
  }
  case NodeKind::IfExp: {
    auto *op = llvm::cast<IfExpExpr>(expr);
    return isHostExpr(op->test) && isHostExpr(op->body) &&
           isHostExpr(op->orelse);
  }
  case NodeKind::Tuple:
    return all(llvm::cast<TupleExpr>(expr)->elements);
  case NodeKind::List:
    return all(llvm::cast<ListExpr>(expr)->elements);
  case NodeKind::Subscript: {
    auto *sub = llvm::cast<SubscriptExpr>(expr);
    return isHostExpr(sub->value) && isHostExpr(sub->index);
  }
  case NodeKind::Slice: {
    auto *slice = llvm::cast<SliceExpr>(expr);
    return isHostExpr(slice->lower) && isHostExpr(slice->upper) &&
           isHostExpr(slice->step);
  }
  case NodeKind::Call: {
    auto *call = llvm::cast<CallExpr>(expr);
    if (!getPlName(call->callee).empty() || !isHostExpr(call->callee))
      return false;
    // A kernel is compiled, not called.
    std::string name = getDottedName(call->callee);
    if (name.empty() || getCallee(call->callee))
      return false;
    return all(call->args) &&
           llvm::all_of(call->keywords, [&](const KeywordArg &keyword) {
             return isHostExpr(keyword.value);
           });
  }
  default:
    return false;
  }
}

DslValue FunctionLowering::evaluateHost(const Expr *expr) {
  FailureOr<Value> value = module.session.evaluate(kernel, expr);
  if (failed(value))
    return DslValue::error();
  if (const auto *opaque = value->as<OpaqueObject>()) {
    SourceRange named = opaque->importRange;
    if (opaque->isLacking()) {
      auto [what, hint] = StringRef(opaque->why).split(';');
      std::string text = what.contains(" is a dtype ")
                             ? opaque->why
                             : "there is no '" + opaque->path + "'";
      if (hint.contains("did you mean"))
        text += ";" + hint.str();
      error(DiagCode::UnknownOperation, expr->range, text);
    } else {
      // One report for an import, however much of it is used.
      error(DiagCode::HostException, named,
            "module '" + Twine(opaque->module) +
                "' was not found, and a kernel needs it; add its directory "
                "with -I")
          .note(expr->range, "it is needed here");
    }
    return DslValue::error();
  }
  return DslValue::makeHost(*value);
}

/// The canonical dotted name of the modules that `pl` consists of.
static std::string getModulePrefix(const ModuleObject *object) {
  StringRef name = object->name;
  if (!object->path.empty())
    return "";
  if (name == "pl" || name == "pypto.language")
    return "pl";
  if (name == "pld" || name == "pypto.language.distributed" ||
      name == "pl.distributed")
    return "pld";
  if (name.consume_front("pypto.language.distributed."))
    return ("pld." + name).str();
  if (name.consume_front("pypto.language."))
    return ("pl." + name).str();
  if (name.starts_with("pl.") || name.starts_with("pld."))
    return name.str();
  return "";
}

std::string FunctionLowering::getPlName(const Expr *expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    const Value *value = lookupHost(name->name);
    auto *object = value ? value->as<ModuleObject>() : nullptr;
    return object ? getModulePrefix(object) : "";
  }
  auto *attribute = llvm::dyn_cast<AttributeExpr>(expr);
  if (!attribute)
    return "";
  std::string base = getPlName(attribute->value);
  if (base.empty())
    return base;
  // `pl.FP32.get_byte` is no operation.
  if (const Value *object = getMember(attribute->value);
      object && object->isDType())
    return "";
  if (base == "pl" && attribute->attr == "distributed")
    return "pld";
  return base + "." + attribute->attr.str().str();
}

const Value *FunctionLowering::getMember(const Expr *expr) {
  const Value *value = nullptr;
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    value = lookupHost(name->name);
  } else if (auto *attribute = llvm::dyn_cast<AttributeExpr>(expr)) {
    auto *name = llvm::dyn_cast<NameExpr>(attribute->value);
    const Value *base = name ? lookupHost(name->name) : nullptr;
    if (auto *object = base ? base->as<ModuleObject>() : nullptr)
      value = object->find(attribute->attr);
  }
  return value;
}

KernelObject *FunctionLowering::getCallee(const Expr *expr) {
  if (const Value *value = getMember(expr))
    return value->as<KernelObject>();
  // `self` is the program; a function outside of classes may use it for the
  // kernels of its module.
  auto *attribute = llvm::dyn_cast<AttributeExpr>(expr);
  auto *base = attribute ? llvm::dyn_cast<NameExpr>(attribute->value) : nullptr;
  if (!base || base->name != "self" || env.contains(base->name))
    return nullptr;
  for (KernelObject *member : kernel.program)
    if (member->name == attribute->attr.str())
      return member;
  const Value *value = module.session.lookup(kernel, attribute->attr);
  return value ? value->as<KernelObject>() : nullptr;
}

bool FunctionLowering::isDynamicDim(const Expr *expr) {
  const Value *value = getMember(expr);
  return value && value->getKind() == ValueKind::DynVar;
}

//===- LoweringLiveness.cpp - which names statements read and assign ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCarries.h"
#include "LoweringMemory.h"
#include "LoweringStorage.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Names in expressions
//===----------------------------------------------------------------------===//

static bool anyReads(ExprList list, Identifier name) {
  return llvm::any_of(
      list, [&](const Expr *expr) { return expr && readsName(expr, name); });
}

bool pl::frontend::readsName(const Expr *expr, Identifier name) {
  if (!expr)
    return false;
  auto reads = [&](const Expr *sub) { return readsName(sub, name); };
  switch (expr->kind) {
  case NodeKind::Name:
    return llvm::cast<NameExpr>(expr)->name == name;
  case NodeKind::BoolOp:
    return anyReads(llvm::cast<BoolOpExpr>(expr)->values, name);
  case NodeKind::BinOp: {
    auto *op = llvm::cast<BinOpExpr>(expr);
    return reads(op->lhs) || reads(op->rhs);
  }
  case NodeKind::UnaryOp:
    return reads(llvm::cast<UnaryOpExpr>(expr)->operand);
  case NodeKind::IfExp: {
    auto *op = llvm::cast<IfExpExpr>(expr);
    return reads(op->test) || reads(op->body) || reads(op->orelse);
  }
  case NodeKind::Compare: {
    auto *op = llvm::cast<CompareExpr>(expr);
    return reads(op->left) || anyReads(op->comparators, name);
  }
  case NodeKind::Call: {
    auto *call = llvm::cast<CallExpr>(expr);
    return reads(call->callee) || anyReads(call->args, name) ||
           llvm::any_of(call->keywords, [&](const KeywordArg &keyword) {
             return reads(keyword.value);
           });
  }
  case NodeKind::Attribute:
    return reads(llvm::cast<AttributeExpr>(expr)->value);
  case NodeKind::Subscript: {
    auto *sub = llvm::cast<SubscriptExpr>(expr);
    return reads(sub->value) || reads(sub->index);
  }
  case NodeKind::Starred:
    return reads(llvm::cast<StarredExpr>(expr)->value);
  case NodeKind::List:
    return anyReads(llvm::cast<ListExpr>(expr)->elements, name);
  case NodeKind::Tuple:
    return anyReads(llvm::cast<TupleExpr>(expr)->elements, name);
  case NodeKind::Slice: {
    auto *slice = llvm::cast<SliceExpr>(expr);
    return reads(slice->lower) || reads(slice->upper) || reads(slice->step);
  }
  case NodeKind::Comprehension: {
    auto *comprehension = llvm::cast<ComprehensionExpr>(expr);
    if (reads(comprehension->element) || reads(comprehension->value))
      return true;
    return llvm::any_of(
        comprehension->clauses, [&](const ComprehensionClause &clause) {
          return reads(clause.iter) || anyReads(clause.conditions, name);
        });
  }
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Names in statements
//===----------------------------------------------------------------------===//

static void collectTarget(const Expr *target, NameSet &names) {
  if (!target)
    return;
  if (auto *name = llvm::dyn_cast<NameExpr>(target))
    names.insert(name->name);
  else if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(target))
    // A write to a window gives the name a new value.
    collectTarget(subscript->value, names);
  else if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    for (const Expr *element : tuple->elements)
      collectTarget(element, names);
  else if (auto *list = llvm::dyn_cast<ListExpr>(target))
    for (const Expr *element : list->elements)
      collectTarget(element, names);
}

/// The name whose value a statement like `pl.write(x, ...)` replaces.
const NameExpr *pl::frontend::getWrittenInPlace(const Expr *expr) {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  auto *attribute =
      call ? llvm::dyn_cast<AttributeExpr>(call->callee) : nullptr;
  if (!attribute ||
      (attribute->attr != "write" && attribute->attr != "assemble" &&
       attribute->attr != "gather_row"))
    return nullptr;
  const Expr *target = call->args.empty() ? nullptr : call->args[0];
  static const StringRef names[] = {"x",    "dst",    "tensor",
                                    "tile", "target", "acc"};
  for (const KeywordArg &keyword : call->keywords)
    if (keyword.name && llvm::is_contained(names, keyword.name.str()))
      target = keyword.value;
  return llvm::dyn_cast_or_null<NameExpr>(target);
}

static void collectFrom(const Stmt *stmt, NameSet &names) {
  switch (stmt->kind) {
  case NodeKind::ExprStmt:
    collectTarget(getWrittenInPlace(llvm::cast<ExprStmt>(stmt)->value), names);
    break;
  case NodeKind::Assign:
    for (const Expr *target : llvm::cast<AssignStmt>(stmt)->targets)
      collectTarget(target, names);
    break;
  case NodeKind::AnnAssign:
    collectTarget(llvm::cast<AnnAssignStmt>(stmt)->target, names);
    break;
  case NodeKind::AugAssign:
    collectTarget(llvm::cast<AugAssignStmt>(stmt)->target, names);
    break;
  case NodeKind::For: {
    auto *loop = llvm::cast<ForStmt>(stmt);
    collectTarget(loop->target, names);
    collectAssigned(loop->body, names);
    break;
  }
  case NodeKind::While:
    collectAssigned(llvm::cast<WhileStmt>(stmt)->body, names);
    break;
  case NodeKind::If: {
    auto *branch = llvm::cast<IfStmt>(stmt);
    collectAssigned(branch->body, names);
    collectAssigned(branch->orelse, names);
    break;
  }
  case NodeKind::With: {
    auto *with = llvm::cast<WithStmt>(stmt);
    for (const WithItem &item : with->items)
      collectTarget(item.target, names);
    collectAssigned(with->body, names);
    break;
  }
  default:
    break;
  }
}

void pl::frontend::collectAssigned(StmtList statements, NameSet &names) {
  for (const Stmt *stmt : statements)
    collectFrom(stmt, names);
}

/// Names that statements pass to calls, which may change them.
static void collectPassed(StmtList statements, NameSet &names) {
  auto addArgs = [&](const Expr *value) {
    auto *call = llvm::dyn_cast_or_null<CallExpr>(value);
    if (!call)
      return;
    for (const Expr *arg : call->args)
      collectTarget(arg, names);
    for (const KeywordArg &keyword : call->keywords)
      collectTarget(keyword.value, names);
  };
  for (const Stmt *stmt : statements) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(stmt)) {
      addArgs(assign->value);
    } else if (auto *annotated = llvm::dyn_cast<AnnAssignStmt>(stmt)) {
      addArgs(annotated->value);
    } else if (auto *expr = llvm::dyn_cast<ExprStmt>(stmt)) {
      addArgs(expr->value);
    } else if (auto *branch = llvm::dyn_cast<IfStmt>(stmt)) {
      collectPassed(branch->body, names);
      collectPassed(branch->orelse, names);
    } else if (auto *counted = llvm::dyn_cast<ForStmt>(stmt)) {
      collectPassed(counted->body, names);
    } else if (auto *loop = llvm::dyn_cast<WhileStmt>(stmt)) {
      collectPassed(loop->body, names);
    } else if (auto *with = llvm::dyn_cast<WithStmt>(stmt)) {
      collectPassed(with->body, names);
    }
  }
}

/// Names into whose tiles the statements write.
static void collectWritten(FunctionLowering &f, StmtList statements,
                           NameSet &names) {
  for (const Stmt *stmt : statements) {
    if (auto *expr = llvm::dyn_cast<ExprStmt>(stmt)) {
      collectTarget(getWrittenInPlace(expr->value), names);
      // A function that gives nothing back is there for what it writes.
      auto *call = llvm::dyn_cast<CallExpr>(expr->value);
      if (call && f.getCallee(call->callee))
        collectPassed(StmtList(const_cast<Stmt *>(stmt)), names);
    } else if (auto *assign = llvm::dyn_cast<AssignStmt>(stmt)) {
      // `x = pl.assemble(x, ...)`; under another name the tile is a new one.
      const NameExpr *written = getWrittenInPlace(assign->value);
      for (const Expr *target : assign->targets) {
        auto *name = llvm::dyn_cast<NameExpr>(target);
        if (name && written && name->name == written->name)
          names.insert(name->name);
        else if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(target))
          collectTarget(subscript->value, names);
      }
    } else if (auto *branch = llvm::dyn_cast<IfStmt>(stmt)) {
      collectWritten(f, branch->body, names);
      collectWritten(f, branch->orelse, names);
    } else if (auto *counted = llvm::dyn_cast<ForStmt>(stmt)) {
      collectWritten(f, counted->body, names);
    } else if (auto *loop = llvm::dyn_cast<WhileStmt>(stmt)) {
      collectWritten(f, loop->body, names);
    } else if (auto *with = llvm::dyn_cast<WithStmt>(stmt)) {
      collectWritten(f, with->body, names);
    }
  }
}

NameSet pl::frontend::getChanged(FunctionLowering &f, StmtList statements) {
  NameSet names, passed, written;
  collectAssigned(statements, names);
  collectPassed(statements, passed);
  for (Identifier name : passed) {
    auto found = f.env.find(name);
    if (found != f.env.end() && found->second.value.isTaskArray())
      names.insert(name);
  }
  // A write into a tile changes what all its names stand for.
  collectWritten(f, statements, written);
  for (Identifier name : written) {
    auto found = f.env.find(name);
    if (found == f.env.end() || !found->second.value.isTile())
      continue;
    names.insert(name);
    for (Identifier partner : getPartners(f, name))
      names.insert(partner);
  }
  return names;
}

static bool bindsTarget(const Expr *target, Identifier name) {
  if (auto *plain = llvm::dyn_cast_or_null<NameExpr>(target))
    return plain->name == name;
  auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(target);
  return tuple && llvm::any_of(tuple->elements, [&](const Expr *element) {
           return bindsTarget(element, name);
         });
}

bool pl::frontend::bindsName(StmtList statements, Identifier name) {
  return llvm::any_of(statements, [&](const Stmt *stmt) {
    switch (stmt->kind) {
    case NodeKind::Assign:
      return llvm::any_of(
          llvm::cast<AssignStmt>(stmt)->targets,
          [&](const Expr *target) { return bindsTarget(target, name); });
    case NodeKind::AnnAssign:
      return bindsTarget(llvm::cast<AnnAssignStmt>(stmt)->target, name);
    case NodeKind::If: {
      auto *branch = llvm::cast<IfStmt>(stmt);
      return bindsName(branch->body, name) || bindsName(branch->orelse, name);
    }
    case NodeKind::For:
      return bindsName(llvm::cast<ForStmt>(stmt)->body, name);
    case NodeKind::While:
      return bindsName(llvm::cast<WhileStmt>(stmt)->body, name);
    case NodeKind::With: {
      auto *with = llvm::cast<WithStmt>(stmt);
      return bindsName(with->body, name) ||
             llvm::any_of(with->items, [&](const WithItem &item) {
               return bindsTarget(item.target, name);
             });
    }
    default:
      return false;
    }
  });
}

bool pl::frontend::leavesLoop(StmtList statements) {
  return llvm::any_of(statements, [](const Stmt *stmt) {
    switch (stmt->kind) {
    case NodeKind::Break:
    case NodeKind::Continue:
      return true;
    case NodeKind::If: {
      auto *branch = llvm::cast<IfStmt>(stmt);
      return leavesLoop(branch->body) || leavesLoop(branch->orelse);
    }
    case NodeKind::With:
      return leavesLoop(llvm::cast<WithStmt>(stmt)->body);
    default:
      return false;
    }
  });
}

/// Subscripts of a target read what they index.
static bool targetReads(const Expr *target, Identifier name) {
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    return llvm::any_of(tuple->elements, [&](const Expr *element) {
      return targetReads(element, name);
    });
  return !llvm::isa<NameExpr>(target) && readsName(target, name);
}

static FirstUse getAssignUse(ExprList targets, const Expr *value,
                             Identifier name) {
  if (readsName(value, name))
    return FirstUse::Read;
  NameSet written;
  for (const Expr *target : targets) {
    if (targetReads(target, name))
      return FirstUse::Read;
    collectTarget(target, written);
  }
  return written.contains(name) ? FirstUse::Write : FirstUse::None;
}

static FirstUse getUse(const Stmt *stmt, Identifier name) {
  switch (stmt->kind) {
  case NodeKind::Assign: {
    auto *assign = llvm::cast<AssignStmt>(stmt);
    return getAssignUse(assign->targets, assign->value, name);
  }
  case NodeKind::AnnAssign: {
    auto *assign = llvm::cast<AnnAssignStmt>(stmt);
    return getAssignUse({assign->target}, assign->value, name);
  }
  case NodeKind::AugAssign: {
    auto *assign = llvm::cast<AugAssignStmt>(stmt);
    return readsName(assign->value, name) || readsName(assign->target, name)
               ? FirstUse::Read
               : FirstUse::None;
  }
  case NodeKind::Return:
    return readsName(llvm::cast<ReturnStmt>(stmt)->value, name)
               ? FirstUse::Read
               : FirstUse::None;
  case NodeKind::ExprStmt:
    return readsName(llvm::cast<ExprStmt>(stmt)->value, name) ? FirstUse::Read
                                                              : FirstUse::None;
  case NodeKind::For: {
    auto *loop = llvm::cast<ForStmt>(stmt);
    if (readsName(loop->iter, name))
      return FirstUse::Read;
    NameSet target;
    collectTarget(loop->target, target);
    if (target.contains(name))
      return FirstUse::None;
    // A loop may run zero times: what it writes is not certain.
    return getFirstUse(loop->body, name) == FirstUse::Read ? FirstUse::Read
                                                           : FirstUse::None;
  }
  case NodeKind::While: {
    auto *loop = llvm::cast<WhileStmt>(stmt);
    if (readsName(loop->test, name) ||
        getFirstUse(loop->body, name) == FirstUse::Read)
      return FirstUse::Read;
    return FirstUse::None;
  }
  case NodeKind::If: {
    auto *branch = llvm::cast<IfStmt>(stmt);
    if (readsName(branch->test, name))
      return FirstUse::Read;
    FirstUse first = getFirstUse(branch->body, name);
    FirstUse second = getFirstUse(branch->orelse, name);
    if (first == FirstUse::Read || second == FirstUse::Read)
      return FirstUse::Read;
    return first == FirstUse::Write && second == FirstUse::Write
               ? FirstUse::Write
               : FirstUse::None;
  }
  case NodeKind::With: {
    auto *with = llvm::cast<WithStmt>(stmt);
    for (const WithItem &item : with->items)
      if (readsName(item.context, name))
        return FirstUse::Read;
    FirstUse inner = getFirstUse(with->body, name);
    if (inner != FirstUse::None)
      return inner;
    NameSet target;
    for (const WithItem &item : with->items)
      collectTarget(item.target, target);
    return target.contains(name) ? FirstUse::Write : FirstUse::None;
  }
  default:
    return FirstUse::None;
  }
}

FirstUse pl::frontend::getFirstUse(StmtList statements, Identifier name) {
  for (const Stmt *stmt : statements)
    if (FirstUse use = getUse(stmt, name); use != FirstUse::None)
      return use;
  return FirstUse::None;
}

std::string pl::frontend::getDottedName(const Expr *expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr))
    return name->name.str().str();
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(expr)) {
    std::string base = getDottedName(attribute->value);
    return base.empty() ? base : base + "." + attribute->attr.str().str();
  }
  return "";
}

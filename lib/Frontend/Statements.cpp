//===- Statements.cpp - assignments, loops and other statements -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

Flow Interpreter::execute(StmtList statements, Env &env) {
  for (const Stmt *statement : statements) {
    Flow flow = execute(statement, env);
    if (flow != Flow::Normal)
      return flow;
  }
  return Flow::Normal;
}

Flow Interpreter::execute(const Stmt *statement, Env &env) {
  if (!step(statement->range.start()) || !checkStack(statement->range.start()))
    return Flow::Raise;
  switch (statement->kind) {
  case NodeKind::ExprStmt: {
    const Expr *expr = cast<ExprStmt>(statement)->value;
    if (isa<ConstantExpr>(expr))
      return Flow::Normal;
    return evaluate(expr, env).isEmpty() ? Flow::Raise : Flow::Normal;
  }
  case NodeKind::Assign: {
    const auto *assignment = cast<AssignStmt>(statement);
    Value value = evaluate(assignment->value, env);
    if (value.isEmpty())
      return Flow::Raise;
    for (const Expr *target : assignment->targets)
      if (failed(assign(target, value, env)))
        return Flow::Raise;
    return Flow::Normal;
  }
  case NodeKind::AugAssign:
    return executeAugAssign(cast<AugAssignStmt>(statement), env);
  case NodeKind::AnnAssign: {
    const auto *assignment = cast<AnnAssignStmt>(statement);
    if (env.classBody)
      if (const auto *name = dyn_cast<NameExpr>(assignment->target)) {
        // `x: ClassVar[int] = 1` is no field.
        StringRef annotation = sources.getText(assignment->annotation->range);
        if (!annotation.contains("ClassVar"))
          env.classBody->annotated.push_back(name->name.str().str());
      }
    if (!assignment->value)
      return Flow::Normal;
    Value value = evaluate(assignment->value, env);
    if (value.isEmpty() || failed(assign(assignment->target, value, env)))
      return Flow::Raise;
    return Flow::Normal;
  }
  case NodeKind::If: {
    // An `elif` chain is walked, not recursed into.
    const auto *branch = cast<IfStmt>(statement);
    while (true) {
      Value test = evaluate(branch->test, env);
      if (test.isEmpty())
        return Flow::Raise;
      std::optional<bool> taken = truth(test, branch->test->range);
      if (!taken)
        return Flow::Raise;
      if (*taken)
        return execute(branch->body, env);
      if (branch->orelse.size() != 1 || !isa<IfStmt>(branch->orelse.front()))
        return execute(branch->orelse, env);
      branch = cast<IfStmt>(branch->orelse.front());
      if (!step(branch->range.start()))
        return Flow::Raise;
    }
  }
  case NodeKind::For:
    return executeFor(cast<ForStmt>(statement), env);
  case NodeKind::While:
    return executeWhile(cast<WhileStmt>(statement), env);
  case NodeKind::Return: {
    const auto *result = cast<ReturnStmt>(statement);
    Value value = result->value ? evaluate(result->value, env) : Value::none();
    if (value.isEmpty())
      return Flow::Raise;
    returnValue = std::move(value);
    return Flow::Return;
  }
  case NodeKind::FunctionDef: {
    const auto *function = cast<FunctionDefStmt>(statement);
    Value value = defineFunction(function, env);
    if (value.isEmpty())
      return Flow::Raise;
    store(function->name.name, std::move(value), env);
    return Flow::Normal;
  }
  case NodeKind::ClassDef: {
    const auto *cls = cast<ClassDefStmt>(statement);
    Value value = defineClass(cls, env);
    if (value.isEmpty())
      return Flow::Raise;
    store(cls->name.name, std::move(value), env);
    return Flow::Normal;
  }
  case NodeKind::Import:
    return executeImport(cast<ImportStmt>(statement), env);
  case NodeKind::ImportFrom:
    return executeImportFrom(cast<ImportFromStmt>(statement), env);
  case NodeKind::Raise:
    return executeRaise(cast<RaiseStmt>(statement), env);
  case NodeKind::Assert:
    return executeAssert(cast<AssertStmt>(statement), env);
  case NodeKind::Try:
    return executeTry(cast<TryStmt>(statement), env);
  case NodeKind::With:
    if (cast<WithStmt>(statement)->isAsync)
      break;
    return executeWith(cast<WithStmt>(statement), 0, env);
  case NodeKind::Match:
    return executeMatch(cast<MatchStmt>(statement), env);
  case NodeKind::Delete:
    for (const Expr *target : cast<DeleteStmt>(statement)->targets)
      if (executeDelete(target, env) == Flow::Raise)
        return Flow::Raise;
    return Flow::Normal;
  case NodeKind::Break:
    return Flow::Break;
  case NodeKind::Continue:
    return Flow::Continue;
  case NodeKind::Pass:
  case NodeKind::Global:
  case NodeKind::Nonlocal:
    return Flow::Normal;
  default:
    break;
  }
  (void)raise("NotImplementedError", "this statement is not supported",
              statement->range);
  return Flow::Raise;
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

bool Interpreter::unpack(const Value &value, ExprList targets,
                         SourceRange range, Env &env) {
  std::vector<Value> elements;
  if (const auto *tuple = value.as<TupleObject>())
    elements = tuple->elements;
  else if (!toVector(value, range, elements))
    return false;
  size_t star = targets.size();
  for (size_t i = 0; i < targets.size(); ++i)
    if (isa<StarredExpr>(targets[i]))
      star = i;
  bool hasStar = star != targets.size();
  size_t needed = targets.size() - hasStar;
  if (elements.size() < needed || (!hasStar && elements.size() > needed)) {
    (void)raise("ValueError",
                Twine(elements.size() < needed ? "not enough" : "too many") +
                    " values to unpack: expected " +
                    (hasStar ? "at least " : "") + Twine(needed) +
                    ", but got " + Twine(elements.size()),
                range);
    return false;
  }
  size_t surplus = elements.size() - needed;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i == star) {
      std::vector<Value> rest(elements.begin() + i,
                              elements.begin() + i + surplus);
      if (failed(assign(cast<StarredExpr>(targets[i])->value,
                        Value::list(std::move(rest)), env)))
        return false;
      continue;
    }
    size_t from = i < star ? i : i - 1 + surplus;
    if (failed(assign(targets[i], elements[from], env)))
      return false;
  }
  return true;
}

LogicalResult Interpreter::assign(const Expr *target, Value value, Env &env) {
  switch (target->kind) {
  case NodeKind::Name:
    store(cast<NameExpr>(target), std::move(value), env);
    return success();
  case NodeKind::Tuple:
    return success(
        unpack(value, cast<TupleExpr>(target)->elements, target->range, env));
  case NodeKind::List:
    return success(
        unpack(value, cast<ListExpr>(target)->elements, target->range, env));
  case NodeKind::Attribute: {
    const auto *attribute = cast<AttributeExpr>(target);
    Value object = evaluate(attribute->value, env);
    if (object.isEmpty())
      return failure();
    return setAttr(object, attribute->attr, value, target->range);
  }
  case NodeKind::Subscript: {
    const auto *subscript = cast<SubscriptExpr>(target);
    Value object = evaluate(subscript->value, env);
    if (object.isEmpty())
      return failure();
    Value index = evaluate(subscript->index, env);
    if (index.isEmpty())
      return failure();
    return setItem(object, index, value, target->range);
  }
  default:
    return raise("SyntaxError", "this cannot be assigned to", target->range);
  }
}

Flow Interpreter::executeAugAssign(const AugAssignStmt *statement, Env &env) {
  const Expr *target = statement->target;
  Value object, index, current;
  switch (target->kind) {
  case NodeKind::Attribute:
    object = evaluate(cast<AttributeExpr>(target)->value, env);
    if (object.isEmpty())
      return Flow::Raise;
    current = getAttr(object, cast<AttributeExpr>(target)->attr, target->range);
    break;
  case NodeKind::Subscript:
    object = evaluate(cast<SubscriptExpr>(target)->value, env);
    if (object.isEmpty())
      return Flow::Raise;
    index = evaluate(cast<SubscriptExpr>(target)->index, env);
    if (index.isEmpty())
      return Flow::Raise;
    current = getItem(object, index, target->range);
    break;
  default:
    current = evaluate(target, env);
    break;
  }
  if (current.isEmpty())
    return Flow::Raise;
  Value operand = evaluate(statement->value, env);
  if (operand.isEmpty())
    return Flow::Raise;
  Value result = inPlace(statement->op, current, operand, statement->range);
  if (result.isEmpty())
    return Flow::Raise;
  LogicalResult stored =
      target->kind == NodeKind::Attribute
          ? setAttr(object, cast<AttributeExpr>(target)->attr, result,
                    target->range)
      : target->kind == NodeKind::Subscript
          ? setItem(object, index, result, target->range)
          : assign(target, result, env);
  return failed(stored) ? Flow::Raise : Flow::Normal;
}

Flow Interpreter::executeDelete(const Expr *target, Env &env) {
  switch (target->kind) {
  case NodeKind::Name:
    return failed(erase(cast<NameExpr>(target), env)) ? Flow::Raise
                                                      : Flow::Normal;
  case NodeKind::Subscript: {
    const auto *subscript = cast<SubscriptExpr>(target);
    Value object = evaluate(subscript->value, env);
    if (object.isEmpty())
      return Flow::Raise;
    Value index = evaluate(subscript->index, env);
    if (index.isEmpty() || failed(deleteItem(object, index, target->range)))
      return Flow::Raise;
    return Flow::Normal;
  }
  case NodeKind::Attribute: {
    const auto *attribute = cast<AttributeExpr>(target);
    Value object = evaluate(attribute->value, env);
    if (object.isEmpty())
      return Flow::Raise;
    Value key = Value::str(attribute->attr);
    if (auto *module = object.as<ModuleObject>()) {
      if (module->find(attribute->attr)) {
        module->set(attribute->attr, Value());
        return Flow::Normal;
      }
    } else if (auto *instance = object.as<InstanceObject>()) {
      if (!instance->cls->isFrozen &&
          instance->attributes.erase(key, *hashValue(key)))
        return Flow::Normal;
    }
    (void)raiseNoAttribute(object, attribute->attr, {}, target->range);
    return Flow::Raise;
  }
  case NodeKind::Tuple:
    for (const Expr *element : cast<TupleExpr>(target)->elements)
      if (executeDelete(element, env) == Flow::Raise)
        return Flow::Raise;
    return Flow::Normal;
  default:
    (void)raise("SyntaxError", "this cannot be deleted", target->range);
    return Flow::Raise;
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Flow Interpreter::executeFor(const ForStmt *statement, Env &env) {
  if (statement->isAsync) {
    (void)raise("NotImplementedError", "'async for' is not supported",
                statement->headerRange);
    return Flow::Raise;
  }
  Value iterable = evaluate(statement->iter, env);
  if (iterable.isEmpty())
    return Flow::Raise;
  Flow result = Flow::Normal;
  bool broken = false;
  LogicalResult looped =
      forEach(iterable, statement->iter->range, [&](const Value &element) {
        if (failed(assign(statement->target, element, env))) {
          result = Flow::Raise;
          return false;
        }
        Flow flow = execute(statement->body, env);
        if (flow == Flow::Break) {
          broken = true;
          return false;
        }
        if (flow == Flow::Return || flow == Flow::Raise) {
          result = flow;
          return false;
        }
        return true;
      });
  if (result != Flow::Normal)
    return result;
  if (failed(looped))
    return Flow::Raise;
  return broken ? Flow::Normal : execute(statement->orelse, env);
}

Flow Interpreter::executeWhile(const WhileStmt *statement, Env &env) {
  while (true) {
    if (!step(statement->headerRange))
      return Flow::Raise;
    Value test = evaluate(statement->test, env);
    if (test.isEmpty())
      return Flow::Raise;
    std::optional<bool> taken = truth(test, statement->test->range);
    if (!taken)
      return Flow::Raise;
    if (!*taken)
      return execute(statement->orelse, env);
    Flow flow = execute(statement->body, env);
    if (flow == Flow::Break)
      return Flow::Normal;
    if (flow == Flow::Return || flow == Flow::Raise)
      return flow;
  }
}

} // namespace pl::frontend

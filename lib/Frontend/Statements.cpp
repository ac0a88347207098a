//===- Statements.cpp - execution of statements
//----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/SaveAndRestore.h"

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
  (void)raise("NotImplementedError",
              "this statement is not supported in the host world",
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
    (void)raise("NotImplementedError",
                "'async for' is not supported in the host world",
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

//===----------------------------------------------------------------------===//
// raise, assert, try
//===----------------------------------------------------------------------===//

Flow Interpreter::executeRaise(const RaiseStmt *statement, Env &env) {
  if (!statement->exception) {
    if (handled.empty()) {
      (void)raise("RuntimeError", "there is no exception to raise again",
                  statement->range);
      return Flow::Raise;
    }
    pending = handled.back();
    return Flow::Raise;
  }
  Value value = evaluate(statement->exception, env);
  if (value.isEmpty())
    return Flow::Raise;
  if (value.as<OpaqueObject>()) {
    (void)raiseOpaque(value, statement->exception->range);
    return Flow::Raise;
  }
  if (auto *cls = value.as<ClassObject>()) {
    value = instantiate(cls, {}, {}, statement->exception->range);
    if (value.isEmpty())
      return Flow::Raise;
  }
  auto *instance = value.as<InstanceObject>();
  if (!instance || !instance->cls->isException) {
    (void)raise("TypeError",
                "only exceptions can be raised, not '" + getTypeName(value) +
                    "'",
                statement->exception->range);
    return Flow::Raise;
  }
  if (statement->cause && evaluate(statement->cause, env).isEmpty())
    return Flow::Raise;
  pending.emplace();
  pending->value = instance;
  pending->range = statement->range;
  pending->calls = callStack;
  return Flow::Raise;
}

Flow Interpreter::executeAssert(const AssertStmt *statement, Env &env) {
  Value test = evaluate(statement->test, env);
  if (test.isEmpty())
    return Flow::Raise;
  std::optional<bool> holds = truth(test, statement->test->range);
  if (!holds)
    return Flow::Raise;
  if (*holds)
    return Flow::Normal;
  std::string message;
  if (statement->message) {
    Value text = evaluate(statement->message, env);
    if (!text.isEmpty())
      text = toStr(text, statement->message->range);
    if (text.isEmpty())
      return Flow::Raise;
    message = text.getStr().str();
  } else {
    message =
        ("'" + sources.getText(statement->test->range) + "' is false").str();
  }
  (void)raise("AssertionError", message, statement->range);
  // The values that made it false.
  if (const auto *comparison = dyn_cast<CompareExpr>(statement->test)) {
    PendingException exception = std::move(*pending);
    pending.reset();
    auto show = [&](const Expr *expr) {
      if (isa<ConstantExpr>(expr) ||
          !isa<NameExpr, BinOpExpr, AttributeExpr, SubscriptExpr>(expr))
        return;
      Value value = evaluate(expr, env);
      if (value.isNumber() || value.isStr())
        exception.notes.emplace_back(Severity::Note, expr->range,
                                     "this is " + shortRepr(value));
      pending.reset();
    };
    show(comparison->left);
    for (const Expr *expr : comparison->comparators)
      show(expr);
    pending = std::move(exception);
  }
  return Flow::Raise;
}

bool Interpreter::handlerMatches(const ExceptHandler &handler, Env &env,
                                 bool &result) {
  result = true;
  if (!handler.type)
    return true;
  // Names of handler types are read while an exception is pending.
  PendingException exception = std::move(*pending);
  pending.reset();
  Value type = evaluate(handler.type, env);
  if (type.isEmpty())
    return false;
  result = false;
  auto test = [&](const Value &candidate) {
    if (const auto *cls = candidate.as<ClassObject>())
      result |= exception.value->cls->isSubclassOf(cls);
  };
  test(type);
  if (const auto *tuple = type.as<TupleObject>())
    for (const Value &element : tuple->elements)
      test(element);
  pending = std::move(exception);
  return true;
}

static bool catchesImportError(const TryStmt *statement) {
  auto named = [](const Expr *type) {
    const auto *name = dyn_cast<NameExpr>(type);
    return name && (name->name == "ImportError" ||
                    name->name == "ModuleNotFoundError" ||
                    name->name == "Exception" || name->name == "BaseException");
  };
  for (const ExceptHandler &handler : statement->handlers) {
    if (!handler.type || named(handler.type))
      return true;
    if (const auto *tuple = dyn_cast<TupleExpr>(handler.type))
      for (const Expr *element : tuple->elements)
        if (named(element))
          return true;
  }
  return false;
}

Flow Interpreter::executeTry(const TryStmt *statement, Env &env) {
  Flow flow;
  {
    SaveAndRestore<unsigned> guard(
        importGuards, importGuards + catchesImportError(statement));
    flow = execute(statement->body, env);
  }
  if (flow == Flow::Normal) {
    flow = execute(statement->orelse, env);
  } else if (flow == Flow::Raise && !pending->fatal) {
    for (const ExceptHandler &handler : statement->handlers) {
      bool matched;
      if (!handlerMatches(handler, env, matched))
        break;
      if (!matched)
        continue;
      handled.push_back(std::move(*pending));
      pending.reset();
      if (handler.name.name)
        store(handler.name.name, Value(handled.back().value), env);
      flow = execute(handler.body, env);
      handled.pop_back();
      // Python unbinds the name at the end of its handler.
      if (handler.name.name)
        store(handler.name.name, Value(), env);
      break;
    }
  }
  if (statement->finalbody.empty())
    return flow;
  // The final block runs with the exception and the result put aside.
  std::optional<PendingException> saved = std::move(pending);
  pending.reset();
  if (saved && saved->fatal) {
    pending = std::move(saved);
    return flow;
  }
  Value savedReturn = returnValue;
  Flow last = execute(statement->finalbody, env);
  if (last != Flow::Normal)
    return last;
  pending = std::move(saved);
  returnValue = std::move(savedReturn);
  return flow;
}

Flow Interpreter::executeWith(const WithStmt *statement, size_t item,
                              Env &env) {
  if (item == statement->items.size())
    return execute(statement->body, env);
  const WithItem &with = statement->items[item];
  Value manager = evaluate(with.context, env);
  if (manager.isEmpty())
    return Flow::Raise;
  SourceRange range = with.context->range;
  Value entered = manager, exit;
  if (!manager.as<OpaqueObject>()) {
    Value enter = findAttr(manager, "__enter__", range);
    exit = findAttr(manager, "__exit__", range);
    if (pending)
      return Flow::Raise;
    if (enter.isEmpty() || exit.isEmpty()) {
      (void)raise("TypeError",
                  "'" + getTypeName(manager) +
                      "' object is no context manager for 'with'",
                  range);
      return Flow::Raise;
    }
    entered = call(enter, {}, {}, range);
    if (entered.isEmpty())
      return Flow::Raise;
  }
  if (with.target && failed(assign(with.target, entered, env)))
    return Flow::Raise;
  Flow flow = executeWith(statement, item + 1, env);
  if (exit.isEmpty() || (pending && pending->fatal))
    return flow;
  std::optional<PendingException> saved = std::move(pending);
  pending.reset();
  Value savedReturn = returnValue;
  Value type = Value::none(), value = Value::none();
  if (saved) {
    type = Value(saved->value->cls);
    value = Value(saved->value);
  }
  Value swallowed = call(exit, {type, value, Value::none()}, {}, range);
  if (swallowed.isEmpty())
    return Flow::Raise;
  if (saved) {
    std::optional<bool> quiet = truth(swallowed, range);
    if (!quiet)
      return Flow::Raise;
    if (*quiet)
      return Flow::Normal;
  }
  pending = std::move(saved);
  returnValue = std::move(savedReturn);
  return flow;
}

//===----------------------------------------------------------------------===//
// match
//===----------------------------------------------------------------------===//

bool Interpreter::matches(const Pattern *pattern, const Value &subject,
                          Env &env, bool &result) {
  result = false;
  switch (pattern->pattern) {
  case PatternKind::Value:
  case PatternKind::Singleton: {
    Value value = evaluate(pattern->expr, env);
    if (value.isEmpty())
      return false;
    if (pattern->pattern == PatternKind::Singleton) {
      result = value.isSame(subject);
      return true;
    }
    std::optional<bool> same = equal(subject, value, pattern->range);
    result = same.value_or(false);
    return same.has_value();
  }
  case PatternKind::As:
    result = true;
    if (!pattern->patterns.empty() &&
        !matches(pattern->patterns.front(), subject, env, result))
      return false;
    if (result && pattern->name.name)
      store(pattern->name.name, subject, env);
    return true;
  case PatternKind::Or:
    for (const Pattern *inner : pattern->patterns) {
      if (!matches(inner, subject, env, result))
        return false;
      if (result)
        return true;
    }
    return true;
  case PatternKind::Sequence: {
    if (!subject.as<ListObject>() && !subject.as<TupleObject>())
      return true;
    std::vector<Value> elements;
    if (!toVector(subject, pattern->range, elements))
      return false;
    size_t star = pattern->patterns.size();
    for (size_t i = 0; i < pattern->patterns.size(); ++i)
      if (pattern->patterns[i]->pattern == PatternKind::Star)
        star = i;
    bool hasStar = star != pattern->patterns.size();
    size_t needed = pattern->patterns.size() - hasStar;
    if (elements.size() < needed || (!hasStar && elements.size() != needed))
      return true;
    size_t surplus = elements.size() - needed;
    for (size_t i = 0; i < pattern->patterns.size(); ++i) {
      const Pattern *inner = pattern->patterns[i];
      if (i == star) {
        if (inner->name.name != "_")
          store(inner->name.name,
                Value::list(std::vector<Value>(elements.begin() + i,
                                               elements.begin() + i + surplus)),
                env);
        continue;
      }
      bool good;
      if (!matches(inner, elements[i < star ? i : i - 1 + surplus], env, good))
        return false;
      if (!good)
        return true;
    }
    result = true;
    return true;
  }
  case PatternKind::Mapping: {
    const auto *dict = subject.as<DictObject>();
    if (!dict)
      return true;
    Ref<DictObject> rest(new DictObject());
    for (const ValueTable::Entry &entry : dict->table.getEntries())
      if (!entry.key.isEmpty())
        rest->table.set(entry.key, entry.hash, entry.value);
    for (size_t i = 0; i < pattern->keys.size(); ++i) {
      Value key = evaluate(pattern->keys[i], env);
      if (key.isEmpty())
        return false;
      std::optional<uint64_t> keyHash = hash(key, pattern->keys[i]->range);
      if (!keyHash)
        return false;
      const Value *found = dict->table.find(key, *keyHash);
      if (!found)
        return true;
      Value element = *found;
      bool good;
      if (!matches(pattern->patterns[i], element, env, good))
        return false;
      if (!good)
        return true;
      rest->table.erase(key, *keyHash);
    }
    if (pattern->name.name)
      store(pattern->name.name, Value(rest), env);
    result = true;
    return true;
  }
  case PatternKind::Class: {
    Value type = evaluate(pattern->expr, env);
    bool good = false;
    if (type.isEmpty() || !isInstance(subject, type, pattern->range, good))
      return false;
    if (!good)
      return true;
    const auto *instance = subject.as<InstanceObject>();
    for (size_t i = 0; i < pattern->patterns.size(); ++i) {
      Value part = subject;
      if (instance) {
        if (i >= instance->cls->fields.size()) {
          (void)raise("TypeError",
                      "'" + instance->cls->name + "' has no positional field " +
                          Twine(i),
                      pattern->range);
          return false;
        }
        part = getAttr(subject, instance->cls->fields[i].name, pattern->range);
      }
      if (part.isEmpty() || !matches(pattern->patterns[i], part, env, good))
        return false;
      if (!good)
        return true;
    }
    for (size_t i = 0; i < pattern->keywordNames.size(); ++i) {
      Value part =
          findAttr(subject, pattern->keywordNames[i].name, pattern->range);
      if (pending)
        return false;
      if (part.isEmpty())
        return true;
      if (!matches(pattern->keywordPatterns[i], part, env, good))
        return false;
      if (!good)
        return true;
    }
    result = true;
    return true;
  }
  case PatternKind::Star:
    return true;
  }
  return true;
}

Flow Interpreter::executeMatch(const MatchStmt *statement, Env &env) {
  Value subject = evaluate(statement->subject, env);
  if (subject.isEmpty())
    return Flow::Raise;
  for (const MatchCase &arm : statement->cases) {
    bool matched;
    if (!step(arm.pattern->range) ||
        !matches(arm.pattern, subject, env, matched))
      return Flow::Raise;
    if (!matched)
      continue;
    if (arm.guard) {
      Value guard = evaluate(arm.guard, env);
      if (guard.isEmpty())
        return Flow::Raise;
      std::optional<bool> holds = truth(guard, arm.guard->range);
      if (!holds)
        return Flow::Raise;
      if (!*holds)
        continue;
    }
    return execute(arm.body, env);
  }
  return Flow::Normal;
}

} // namespace pl::frontend

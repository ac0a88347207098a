//===- ExecuteTry.cpp - raise, assert, try and with -----------------------===//
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

} // namespace pl::frontend

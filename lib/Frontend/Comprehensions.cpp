//===- Comprehensions.cpp - comprehensions and generators -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

/// Whether an element passes the conditions of its clause; nothing when one of
/// them raised.
static std::optional<bool> passes(Interpreter &interpreter,
                                  const ComprehensionClause &clause, Env &env) {
  for (const Expr *condition : clause.conditions) {
    Value test = interpreter.evaluate(condition, env);
    if (test.isEmpty())
      return std::nullopt;
    std::optional<bool> holds = interpreter.truth(test, condition->range);
    if (!holds || !*holds)
      return holds;
  }
  return true;
}

bool Interpreter::runClauses(const ComprehensionExpr *expr, size_t index,
                             const Value &iterable, Env &env,
                             function_ref<bool()> emit) {
  const ComprehensionClause &clause = expr->clauses[index];
  bool good = true;
  LogicalResult looped =
      forEach(iterable, clause.iter->range, [&](const Value &element) {
        if (failed(assign(clause.target, element, env)))
          return good = false;
        std::optional<bool> taken = passes(*this, clause, env);
        if (!taken)
          return good = false;
        if (!*taken)
          return true;
        if (index + 1 == expr->clauses.size())
          return good = emit();
        Value inner = evaluate(expr->clauses[index + 1].iter, env);
        return good = !inner.isEmpty() &&
                      runClauses(expr, index + 1, inner, env, emit);
      });
  return good && succeeded(looped);
}

namespace {

/// A generator expression: the loops of its clauses, suspended.
class GeneratorIterator final : public IteratorObject {
public:
  GeneratorIterator(const ComprehensionExpr *expr, Ref<Frame> frame,
                    Ref<IteratorObject> first)
      : expr(expr), frame(std::move(frame)) {
    loops.push_back(std::move(first));
  }

  FailureOr<Value> next(Interpreter &interpreter, SourceRange range) override {
    if (running) {
      (void)interpreter.raise("ValueError", "the generator is running already",
                              range);
      return failure();
    }
    running = true;
    Value result = advance(interpreter);
    running = false;
    if (result.isEmpty() && interpreter.hasPending()) {
      loops.clear();
      return failure();
    }
    return result;
  }

private:
  Value advance(Interpreter &interpreter) {
    Env env;
    env.module = frame->module.get();
    env.frame = frame.get();
    env.scope = frame->scope;
    while (!loops.empty()) {
      const ComprehensionClause &clause = expr->clauses[loops.size() - 1];
      if (!interpreter.step(clause.range))
        return Value();
      Ref<IteratorObject> loop = loops.back();
      FailureOr<Value> element = loop->next(interpreter, clause.iter->range);
      if (failed(element))
        return Value();
      if (element->isEmpty()) {
        loops.pop_back();
        continue;
      }
      if (failed(interpreter.assign(clause.target, *element, env)))
        return Value();
      std::optional<bool> taken = passes(interpreter, clause, env);
      if (!taken)
        return Value();
      if (!*taken)
        continue;
      if (loops.size() == expr->clauses.size())
        return interpreter.evaluate(expr->element, env);
      const ComprehensionClause &inner = expr->clauses[loops.size()];
      Value iterable = interpreter.evaluate(inner.iter, env);
      if (iterable.isEmpty())
        return Value();
      Ref<IteratorObject> nested =
          interpreter.iterate(iterable, inner.iter->range);
      if (!nested)
        return Value();
      loops.push_back(nested);
    }
    return Value();
  }

  const ComprehensionExpr *expr;
  Ref<Frame> frame;
  std::vector<Ref<IteratorObject>> loops;
  bool running = false;
};

} // namespace

Value Interpreter::evaluateComprehension(const ComprehensionExpr *expr,
                                         Env &env) {
  for (const ComprehensionClause &clause : expr->clauses)
    if (clause.isAsync)
      return fail("NotImplementedError", "'async for' is not supported",
                  clause.range);
  // The first iterable belongs to the scope around, the rest has its own.
  Value iterable = evaluate(expr->clauses.front().iter, env);
  if (iterable.isEmpty())
    return iterable;
  FunctionScope *scope = analyse(expr, env.scope);
  Ref<Frame> frame = makeFrame(scope, env.frame, env.module);
  Env inner;
  inner.module = env.module;
  inner.frame = frame.get();
  inner.scope = scope;

  if (expr->comprehension == ComprehensionKind::Generator) {
    Ref<IteratorObject> first =
        iterate(iterable, expr->clauses.front().iter->range);
    if (!first)
      return Value();
    return Value(new GeneratorIterator(expr, frame, first));
  }

  std::vector<Value> elements;
  Ref<DictObject> dict;
  Ref<SetObject> set;
  if (expr->comprehension == ComprehensionKind::Dict)
    dict = new DictObject();
  if (expr->comprehension == ComprehensionKind::Set)
    set = new SetObject();
  auto emit = [&]() {
    Value element = evaluate(expr->element, inner);
    if (element.isEmpty())
      return false;
    if (!dict && !set) {
      elements.push_back(std::move(element));
      return static_cast<int64_t>(elements.size()) < kMaxElements ||
             checkSize(kMaxElements + 1, expr->range);
    }
    std::optional<uint64_t> elementHash = hash(element, expr->element->range);
    if (!elementHash)
      return false;
    if (set) {
      set->table.set(element, *elementHash, Value::none());
      return true;
    }
    Value value = evaluate(expr->value, inner);
    if (value.isEmpty())
      return false;
    dict->table.set(element, *elementHash, std::move(value));
    return true;
  };

  if (!runClauses(expr, 0, iterable, inner, emit))
    return Value();
  if (dict)
    return Value(dict);
  if (set)
    return Value(set);
  return Value::list(std::move(elements));
}

} // namespace pl::frontend

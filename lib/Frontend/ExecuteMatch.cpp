//===- ExecuteMatch.cpp - the match statement -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

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

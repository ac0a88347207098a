//===- Expressions.cpp - evaluation of expressions ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

Value Interpreter::evaluateConstant(const ConstantExpr *constant) {
  switch (constant->constant) {
  case ConstantKind::None:
    return Value::none();
  case ConstantKind::True:
    return Value::boolean(true);
  case ConstantKind::False:
    return Value::boolean(false);
  case ConstantKind::Ellipsis:
    return Value::ellipsis();
  case ConstantKind::Int:
    return Value::integer(constant->intValue);
  case ConstantKind::Float:
    return Value::real(constant->floatValue);
  case ConstantKind::Str:
    return Value::str(constant->text);
  case ConstantKind::Bytes:
    return Value::bytes(constant->text);
  case ConstantKind::BigInt:
    return fail("OverflowError",
                "integer literal " + constant->text.take_front(40) +
                    " does not fit 64 bits",
                constant->range);
  case ConstantKind::Imaginary:
    return fail("NotImplementedError", "complex numbers are not supported",
                constant->range);
  }
  return Value::none();
}

bool Interpreter::evaluateElements(ExprList elements, Env &env,
                                   std::vector<Value> &values) {
  values.reserve(values.size() + elements.size());
  for (const Expr *element : elements) {
    if (const auto *starred = dyn_cast<StarredExpr>(element)) {
      Value value = evaluate(starred->value, env);
      if (value.isEmpty() || !toVector(value, starred->range, values))
        return false;
      continue;
    }
    Value value = evaluate(element, env);
    if (value.isEmpty())
      return false;
    values.push_back(std::move(value));
  }
  return true;
}

Value Interpreter::evaluate(const Expr *expr, Env &env) {
  switch (expr->kind) {
  case NodeKind::Name:
    return lookup(cast<NameExpr>(expr), env);
  case NodeKind::Constant:
    return evaluateConstant(cast<ConstantExpr>(expr));
  default:
    break;
  }
  if (!checkStack(expr->range))
    return Value();
  switch (expr->kind) {
  case NodeKind::BinOp: {
    const auto *node = cast<BinOpExpr>(expr);
    Value lhs = evaluate(node->lhs, env);
    if (lhs.isEmpty())
      return lhs;
    Value rhs = evaluate(node->rhs, env);
    if (rhs.isEmpty())
      return rhs;
    if (lhs.isInt() && rhs.isInt()) {
      // The common cases, without a call.
      int64_t result;
      if (node->op == BinOpKind::Add &&
          !__builtin_add_overflow(lhs.getInt(), rhs.getInt(), &result))
        return Value::integer(result);
      if (node->op == BinOpKind::Sub &&
          !__builtin_sub_overflow(lhs.getInt(), rhs.getInt(), &result))
        return Value::integer(result);
      if (node->op == BinOpKind::Mult &&
          !__builtin_mul_overflow(lhs.getInt(), rhs.getInt(), &result))
        return Value::integer(result);
    }
    return binary(node->op, lhs, rhs, expr->range);
  }
  case NodeKind::Call:
    return evaluateCall(cast<CallExpr>(expr), env);
  case NodeKind::Attribute: {
    const auto *node = cast<AttributeExpr>(expr);
    Value value = evaluate(node->value, env);
    if (value.isEmpty())
      return value;
    return getAttr(value, node->attr, node->attrRange);
  }
  case NodeKind::Subscript: {
    const auto *node = cast<SubscriptExpr>(expr);
    Value value = evaluate(node->value, env);
    if (value.isEmpty())
      return value;
    Value index = evaluate(node->index, env);
    if (index.isEmpty())
      return index;
    return getItem(value, index, expr->range);
  }
  case NodeKind::Compare:
    return evaluateCompare(cast<CompareExpr>(expr), env);
  case NodeKind::BoolOp: {
    const auto *node = cast<BoolOpExpr>(expr);
    Value value;
    for (const Expr *part : node->values) {
      value = evaluate(part, env);
      if (value.isEmpty() || part == node->values.back())
        return value;
      std::optional<bool> holds = truth(value, part->range);
      if (!holds)
        return Value();
      if (*holds == (node->op == BoolOpKind::Or))
        return value;
    }
    return value;
  }
  case NodeKind::UnaryOp: {
    const auto *node = cast<UnaryOpExpr>(expr);
    // The smallest int is written as the negative of a literal that is one too
    // large.
    if (node->op == UnaryOpKind::Neg)
      if (const auto *constant = dyn_cast<ConstantExpr>(node->operand))
        if (constant->constant == ConstantKind::BigInt &&
            constant->text == "9223372036854775808")
          return Value::integer(INT64_MIN);
    Value value = evaluate(node->operand, env);
    if (value.isEmpty())
      return value;
    return unary(node->op, value, expr->range);
  }
  case NodeKind::Tuple: {
    std::vector<Value> values;
    if (!evaluateElements(cast<TupleExpr>(expr)->elements, env, values))
      return Value();
    return Value::tuple(std::move(values));
  }
  case NodeKind::List: {
    std::vector<Value> values;
    if (!evaluateElements(cast<ListExpr>(expr)->elements, env, values))
      return Value();
    return Value::list(std::move(values));
  }
  case NodeKind::IfExp: {
    const auto *node = cast<IfExpExpr>(expr);
    Value test = evaluate(node->test, env);
    if (test.isEmpty())
      return test;
    std::optional<bool> holds = truth(test, node->test->range);
    if (!holds)
      return Value();
    return evaluate(*holds ? node->body : node->orelse, env);
  }
  default:
    return evaluateUncommon(expr, env);
  }
}

Value Interpreter::evaluateUncommon(const Expr *expr, Env &env) {
  switch (expr->kind) {
  case NodeKind::Comprehension:
    return evaluateComprehension(cast<ComprehensionExpr>(expr), env);
  case NodeKind::JoinedStr:
    return evaluateJoined(cast<JoinedStrExpr>(expr), env);
  case NodeKind::Dict: {
    const auto *node = cast<DictExpr>(expr);
    Ref<DictObject> dict(new DictObject());
    for (size_t i = 0; i < node->values.size(); ++i) {
      if (!node->keys[i]) {
        Value other = evaluate(node->values[i], env);
        if (other.isEmpty())
          return other;
        const auto *source = other.as<DictObject>();
        if (!source)
          return fail("TypeError",
                      "'**' needs a dict, not '" + getTypeName(other) + "'",
                      node->values[i]->range);
        for (const ValueTable::Entry &entry : source->table.getEntries())
          if (!entry.key.isEmpty())
            dict->table.set(entry.key, entry.hash, entry.value);
        continue;
      }
      Value key = evaluate(node->keys[i], env);
      if (key.isEmpty())
        return key;
      std::optional<uint64_t> keyHash = hash(key, node->keys[i]->range);
      if (!keyHash)
        return Value();
      Value value = evaluate(node->values[i], env);
      if (value.isEmpty())
        return value;
      dict->table.set(key, *keyHash, std::move(value));
    }
    return Value(dict);
  }
  case NodeKind::Set: {
    std::vector<Value> values;
    if (!evaluateElements(cast<SetExpr>(expr)->elements, env, values))
      return Value();
    Ref<SetObject> set(new SetObject());
    for (const Value &value : values) {
      std::optional<uint64_t> valueHash = hash(value, expr->range);
      if (!valueHash)
        return Value();
      set->table.set(value, *valueHash, Value::none());
    }
    return Value(set);
  }
  case NodeKind::Slice: {
    const auto *node = cast<SliceExpr>(expr);
    Value parts[3] = {Value::none(), Value::none(), Value::none()};
    const Expr *sources[3] = {node->lower, node->upper, node->step};
    for (int i = 0; i < 3; ++i) {
      if (!sources[i])
        continue;
      parts[i] = evaluate(sources[i], env);
      if (parts[i].isEmpty())
        return Value();
    }
    return Value(new SliceObject(parts[0], parts[1], parts[2]));
  }
  case NodeKind::Lambda: {
    const auto *node = cast<LambdaExpr>(expr);
    Ref<FunctionObject> function(new FunctionObject());
    function->name = "<lambda>";
    function->lambda = node;
    function->params = node->params;
    function->scope = analyse(node, env.scope);
    function->module = env.module;
    function->closure = Ref<Frame>(env.frame);
    if (!makeDefaults(node->params, env, function->defaults))
      return Value();
    return Value(function);
  }
  case NodeKind::NamedExpr: {
    const auto *node = cast<NamedExpr>(expr);
    Value value = evaluate(node->value, env);
    if (value.isEmpty())
      return value;
    store(node->target, value, env);
    return value;
  }
  case NodeKind::Starred:
    return fail("SyntaxError", "a starred expression cannot stand here",
                expr->range);
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return fail("NotImplementedError",
                "generator functions are not supported; build a list",
                expr->range);
  default:
    return fail("NotImplementedError", "this expression is not supported",
                expr->range);
  }
}

Value Interpreter::evaluateCompare(const CompareExpr *expr, Env &env) {
  Value left = evaluate(expr->left, env);
  if (left.isEmpty())
    return left;
  for (size_t i = 0; i < expr->ops.size(); ++i) {
    Value right = evaluate(expr->comparators[i], env);
    if (right.isEmpty())
      return right;
    Value result = compare(expr->ops[i], left, right, expr->range);
    if (result.isEmpty() || i + 1 == expr->ops.size())
      return result;
    std::optional<bool> holds = truth(result, expr->range);
    if (!holds)
      return Value();
    if (!*holds)
      return result;
    left = std::move(right);
  }
  return left;
}

//===----------------------------------------------------------------------===//
// f-strings
//===----------------------------------------------------------------------===//

Value Interpreter::evaluateJoined(const JoinedStrExpr *joined, Env &env) {
  std::string text;
  for (const Expr *part : joined->values) {
    if (const auto *constant = dyn_cast<ConstantExpr>(part)) {
      text += constant->text;
      continue;
    }
    const auto *field = cast<FormattedValueExpr>(part);
    Value value = evaluate(field->value, env);
    if (value.isEmpty())
      return value;
    if (field->conversion) {
      value = field->conversion == 's' ? toStr(value, field->value->range)
                                       : toRepr(value, field->value->range);
      if (value.isEmpty())
        return value;
    }
    std::string spec;
    if (field->formatSpec) {
      Value specValue = evaluateJoined(field->formatSpec, env);
      if (specValue.isEmpty())
        return specValue;
      spec = specValue.getStr().str();
    }
    Value formatted = format(value, spec, field->value->range);
    if (formatted.isEmpty())
      return formatted;
    text += formatted.getStr();
    if (!checkSize(text.size(), joined->range))
      return Value();
  }
  return Value::str(text);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value Interpreter::evaluateCall(const CallExpr *node, Env &env) {
  // A method call of a built-in type does not make a bound method first.
  const auto *attribute = dyn_cast<AttributeExpr>(node->callee);
  Value callee, self;
  if (attribute) {
    self = evaluate(attribute->value, env);
    if (self.isEmpty())
      return self;
  } else {
    callee = evaluate(node->callee, env);
    if (callee.isEmpty())
      return callee;
  }
  bool isBuiltinMethod = attribute && self.getKind() >= ValueKind::Str &&
                         self.getKind() <= ValueKind::Set;
  if (attribute && !isBuiltinMethod) {
    callee = getAttr(self, attribute->attr, attribute->attrRange);
    if (callee.isEmpty())
      return callee;
  }

  SmallVector<Value, 6> args;
  SmallVector<NamedValue, 4> keywords;
  SmallVector<Value, 1> keepAlive; // strings of `**` keys
  for (const Expr *arg : node->args) {
    if (const auto *starred = dyn_cast<StarredExpr>(arg)) {
      Value value = evaluate(starred->value, env);
      std::vector<Value> elements;
      if (value.isEmpty() || !toVector(value, starred->range, elements))
        return Value();
      args.append(elements.begin(), elements.end());
      continue;
    }
    Value value = evaluate(arg, env);
    if (value.isEmpty())
      return value;
    args.push_back(std::move(value));
  }
  for (const KeywordArg &keyword : node->keywords) {
    Value value = evaluate(keyword.value, env);
    if (value.isEmpty())
      return value;
    if (keyword.name) {
      keywords.push_back({keyword.name, std::move(value)});
      continue;
    }
    value = force(value, keyword.range);
    if (value.isEmpty())
      return value;
    const auto *dict = value.as<DictObject>();
    if (!dict)
      return fail("TypeError",
                  "'**' needs a dict, not '" + getTypeName(value) + "'",
                  keyword.range);
    for (const ValueTable::Entry &entry : dict->table.getEntries()) {
      if (entry.key.isEmpty())
        continue;
      if (!entry.key.isStr())
        return fail("TypeError", "keyword names must be strings",
                    keyword.range);
      for (const NamedValue &earlier : keywords)
        if (earlier.name == entry.key.getStr())
          return fail("TypeError",
                      "keyword argument '" + earlier.name + "' is given twice",
                      keyword.range);
      keepAlive.push_back(entry.key);
      keywords.push_back({entry.key.getStr(), entry.value});
    }
  }

  if (isBuiltinMethod) {
    CallContext call(*this, node->range, attribute->attr, args, keywords);
    bool found = true;
    Value result = callMethod(self, attribute->attr, call, found);
    if (found)
      return result;
    callee = getAttr(self, attribute->attr, attribute->attrRange);
    if (callee.isEmpty())
      return callee;
  }
  return call(callee, args, keywords, node->range);
}

} // namespace pl::frontend

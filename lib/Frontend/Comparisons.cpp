//===- Comparisons.cpp - truth, order, membership of host values ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

std::optional<bool> Interpreter::truth(const Value &value, SourceRange range) {
  switch (value.getKind()) {
  case ValueKind::None:
    return false;
  case ValueKind::Bool:
  case ValueKind::Int:
    return value.getInt() != 0;
  case ValueKind::Float:
    return value.getFloat() != 0;
  case ValueKind::Str:
    return !value.getStr().empty();
  case ValueKind::Bytes:
    return !value.as<BytesObject>()->text.empty();
  case ValueKind::List:
    return !value.as<ListObject>()->elements.empty();
  case ValueKind::Tuple:
    return !value.as<TupleObject>()->elements.empty();
  case ValueKind::Dict:
    return !value.as<DictObject>()->table.empty();
  case ValueKind::Set:
    return !value.as<SetObject>()->table.empty();
  case ValueKind::Range:
    return value.as<RangeObject>()->length != 0;
  case ValueKind::Array: {
    CallContext context(*this, range, "bool");
    if (!arrays)
      return true;
    FailureOr<bool> result = arrays->truth(context, value);
    return failed(result) ? std::nullopt : std::optional<bool>(*result);
  }
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? std::nullopt : truth(made, range);
  }
  case ValueKind::Opaque:
    (void)raiseOpaque(value, range);
    return std::nullopt;
  case ValueKind::DynVar:
    (void)raise("TypeError",
                "dynamic dim '" + value.as<DynVarObject>()->name +
                    "' has no value at compile time, so it cannot be a "
                    "condition",
                range);
    return std::nullopt;
  case ValueKind::Instance: {
    for (StringRef name : {"__bool__", "__len__"}) {
      if (!value.as<InstanceObject>()->cls->lookup(name))
        continue;
      Value method = findAttr(value, name, range);
      if (method.isEmpty())
        return std::nullopt;
      Value result = call(method, {}, {}, range);
      return result.isEmpty() ? std::nullopt : truth(result, range);
    }
    return true;
  }
  default:
    return true;
  }
}

static bool needsArrays(const Value &value) { return value.isArray(); }

std::optional<bool> Interpreter::equal(const Value &lhs, const Value &rhs,
                                       SourceRange range) {
  // Containers of arrays and instances with methods need the slow way; all else
  // is compared at once.
  if (lhs.isSame(rhs) && !lhs.isFloat() && !lhs.isArray())
    return true;
  if (needsArrays(lhs) || needsArrays(rhs)) {
    Value result = compare(CmpOpKind::Eq, lhs, rhs, range);
    return result.isEmpty() ? std::nullopt : truth(result, range);
  }
  if (lhs.as<InstanceObject>() || rhs.as<InstanceObject>()) {
    Value result = compare(CmpOpKind::Eq, lhs, rhs, range);
    return result.isEmpty() ? std::nullopt : truth(result, range);
  }
  return equalValues(lhs, rhs);
}

std::optional<bool> Interpreter::less(const Value &lhs, const Value &rhs,
                                      SourceRange range) {
  if (lhs.isInt() && rhs.isInt())
    return lhs.getInt() < rhs.getInt();
  Value result = compare(CmpOpKind::Lt, lhs, rhs, range);
  return result.isEmpty() ? std::nullopt : truth(result, range);
}

/// -1, 0, 1; 2 for unordered (NaN).
static int orderNumbers(const Value &lhs, const Value &rhs) {
  if (!lhs.isFloat() && !rhs.isFloat())
    return lhs.getInt() < rhs.getInt() ? -1 : lhs.getInt() > rhs.getInt();
  // long double holds every 64-bit integer exactly.
  long double a = lhs.isFloat() ? lhs.getFloat() : lhs.getInt();
  long double b = rhs.isFloat() ? rhs.getFloat() : rhs.getInt();
  if (std::isnan(a) || std::isnan(b))
    return 2;
  return a < b ? -1 : a > b;
}

static bool decide(CmpOpKind op, int order) {
  switch (op) {
  case CmpOpKind::Lt:
    return order == -1;
  case CmpOpKind::LtE:
    return order == -1 || order == 0;
  case CmpOpKind::Gt:
    return order == 1;
  default:
    return order == 1 || order == 0;
  }
}

std::optional<bool> Interpreter::contains(const Value &container,
                                          const Value &item,
                                          SourceRange range) {
  switch (container.getKind()) {
  case ValueKind::Str:
    if (!item.isStr()) {
      (void)raise("TypeError",
                  "'in' of a string needs a string, not '" + getTypeName(item) +
                      "'",
                  range);
      return std::nullopt;
    }
    return container.getStr().contains(item.getStr());
  case ValueKind::Dict: {
    std::optional<uint64_t> itemHash = hash(item, range);
    if (!itemHash)
      return std::nullopt;
    return container.as<DictObject>()->table.find(item, *itemHash) != nullptr;
  }
  case ValueKind::Set: {
    std::optional<uint64_t> itemHash = hash(item, range);
    if (!itemHash)
      return std::nullopt;
    return container.as<SetObject>()->table.find(item, *itemHash) != nullptr;
  }
  case ValueKind::Range:
    if (item.isIntOrBool()) {
      const auto *object = container.as<RangeObject>();
      int64_t value = item.getInt();
      if (object->length == 0)
        return false;
      int64_t last = object->start + (object->length - 1) * object->step;
      if (value < std::min(object->start, last) ||
          value > std::max(object->start, last))
        return false;
      bool up = object->step > 0;
      uint64_t distance = up ? uint64_t(value) - uint64_t(object->start)
                             : uint64_t(object->start) - uint64_t(value);
      uint64_t stride =
          up ? uint64_t(object->step) : ~uint64_t(object->step) + 1;
      return distance % stride == 0;
    }
    break;
  case ValueKind::Opaque:
    (void)raiseOpaque(container, range);
    return std::nullopt;
  case ValueKind::Instance: {
    Value method = findAttr(container, "__contains__", range);
    if (hasPending())
      return std::nullopt;
    if (!method.isEmpty()) {
      Value result = call(method, item, {}, range);
      return result.isEmpty() ? std::nullopt : truth(result, range);
    }
    break;
  }
  default:
    break;
  }
  bool found = false;
  LogicalResult looped = forEach(container, range, [&](const Value &element) {
    std::optional<bool> same = equal(element, item, range);
    found = same.value_or(false);
    return same.has_value() && !found;
  });
  if (failed(looped))
    return std::nullopt;
  return found;
}

Value Interpreter::compare(CmpOpKind op, const Value &lhs, const Value &rhs,
                           SourceRange range) {
  if (op == CmpOpKind::Is || op == CmpOpKind::IsNot) {
    bool same = lhs.isSame(rhs);
    // Small strings and enum members are one object in Python.
    if (!same && lhs.getKind() == rhs.getKind() &&
        (lhs.isStr() || lhs.getKind() == ValueKind::Enum))
      same = equalValues(lhs, rhs);
    return Value::boolean(same == (op == CmpOpKind::Is));
  }
  if (lhs.getKind() == ValueKind::Lazy || rhs.getKind() == ValueKind::Lazy) {
    Value a = force(lhs, range);
    if (a.isEmpty())
      return a;
    Value b = force(rhs, range);
    return b.isEmpty() ? b : compare(op, a, b, range);
  }
  if (op == CmpOpKind::In || op == CmpOpKind::NotIn) {
    if (rhs.isArray() && arrays) {
      CallContext context(*this, range, getSpelling(op));
      FailureOr<Value> result = arrays->compare(context, op, lhs, rhs);
      return failed(result) ? Value() : *result;
    }
    std::optional<bool> result = contains(rhs, lhs, range);
    return result ? Value::boolean(*result == (op == CmpOpKind::In)) : Value();
  }
  bool isEquality = op == CmpOpKind::Eq || op == CmpOpKind::NotEq;
  if (lhs.isNumber() && rhs.isNumber()) {
    if (isEquality)
      return Value::boolean(equalValues(lhs, rhs) == (op == CmpOpKind::Eq));
    return Value::boolean(decide(op, orderNumbers(lhs, rhs)));
  }
  if (lhs.as<OpaqueObject>() || rhs.as<OpaqueObject>()) {
    (void)raiseOpaque(lhs.as<OpaqueObject>() ? lhs : rhs, range);
    return Value();
  }
  if (lhs.isArray() || rhs.isArray()) {
    const Value &other = lhs.isArray() ? rhs : lhs;
    if (isEquality && (other.isNone() || other.isStr()))
      return Value::boolean(op == CmpOpKind::NotEq);
    if (!arrays)
      return fail("RuntimeError", "there is no array library", range);
    CallContext context(*this, range, getSpelling(op));
    FailureOr<Value> result = arrays->compare(context, op, lhs, rhs);
    return failed(result) ? Value() : *result;
  }
  const auto *left = lhs.as<InstanceObject>();
  const auto *right = rhs.as<InstanceObject>();
  if (left || right) {
    static constexpr const char *kMethods[] = {"__eq__", "__ne__", "__lt__",
                                               "__le__", "__gt__", "__ge__"};
    static constexpr const char *kReflected[] = {"__eq__", "__ne__", "__gt__",
                                                 "__ge__", "__lt__", "__le__"};
    size_t index = static_cast<size_t>(op);
    auto invoke = [&](const InstanceObject *instance, const Value &self,
                      const Value &other, StringRef name, Value &result) {
      if (!instance || !instance->cls->lookup(name))
        return false;
      Value method = findAttr(self, name, range);
      result = method.isEmpty() ? Value() : call(method, other, {}, range);
      return true;
    };
    Value result;
    if (invoke(left, lhs, rhs, kMethods[index], result) ||
        invoke(right, rhs, lhs, kReflected[index], result))
      return result;
    if (op == CmpOpKind::NotEq && (invoke(left, lhs, rhs, "__eq__", result) ||
                                   invoke(right, rhs, lhs, "__eq__", result)))
      return result.isEmpty() ? result : unary(UnaryOpKind::Not, result, range);
    if (left && right && left->cls == right->cls && left->cls->hasOrder &&
        !isEquality) {
      std::vector<Value> a, b;
      for (const ClassObject::Field &field : left->cls->fields) {
        const Value *x = left->attributes.find(field.name);
        const Value *y = right->attributes.find(field.name);
        a.push_back(x ? *x : Value::none());
        b.push_back(y ? *y : Value::none());
      }
      return compare(op, Value::tuple(std::move(a)), Value::tuple(std::move(b)),
                     range);
    }
  }
  if (isEquality && lhs.getKind() != rhs.getKind())
    return Value::boolean(op == CmpOpKind::NotEq);

  bool isTuple = lhs.getKind() == ValueKind::Tuple;
  if ((isTuple || lhs.getKind() == ValueKind::List) &&
      lhs.getKind() == rhs.getKind()) {
    if (!checkStack(range))
      return Value();
    // Copies, because comparing an element may change the lists.
    std::vector<Value> a = isTuple ? lhs.as<TupleObject>()->elements
                                   : lhs.as<ListObject>()->elements;
    std::vector<Value> b = isTuple ? rhs.as<TupleObject>()->elements
                                   : rhs.as<ListObject>()->elements;
    if (isEquality && a.size() != b.size())
      return Value::boolean(op == CmpOpKind::NotEq);
    size_t common = std::min(a.size(), b.size());
    for (size_t i = 0; i < common; ++i) {
      std::optional<bool> same = equal(a[i], b[i], range);
      if (!same)
        return Value();
      if (!*same)
        return isEquality ? Value::boolean(op == CmpOpKind::NotEq)
                          : compare(op, a[i], b[i], range);
    }
    if (isEquality)
      return Value::boolean(op == CmpOpKind::Eq);
    return Value::boolean(
        decide(op, a.size() < b.size() ? -1 : a.size() > b.size()));
  }
  if (isEquality)
    return Value::boolean(equalValues(lhs, rhs) == (op == CmpOpKind::Eq));
  if (lhs.isStr() && rhs.isStr()) {
    int order = lhs.getStr().compare(rhs.getStr());
    return Value::boolean(decide(op, order < 0 ? -1 : order > 0));
  }
  if (const auto *a = lhs.as<SetObject>())
    if (const auto *b = rhs.as<SetObject>()) {
      auto subset = [](const SetObject *x, const SetObject *y) {
        for (const ValueTable::Entry &entry : x->table.getEntries())
          if (!entry.key.isEmpty() && !y->table.find(entry.key, entry.hash))
            return false;
        return true;
      };
      bool sameSize = a->table.size() == b->table.size();
      switch (op) {
      case CmpOpKind::Lt:
        return Value::boolean(!sameSize && subset(a, b));
      case CmpOpKind::LtE:
        return Value::boolean(subset(a, b));
      case CmpOpKind::Gt:
        return Value::boolean(!sameSize && subset(b, a));
      default:
        return Value::boolean(subset(b, a));
      }
    }
  return fail("TypeError",
              "'" + getSpelling(op) + "' is not supported between '" +
                  getTypeName(lhs) + "' and '" + getTypeName(rhs) + "'",
              range);
}

} // namespace pl::frontend

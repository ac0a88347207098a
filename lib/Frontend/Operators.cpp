//===- Operators.cpp - arithmetic and comparisons of host values
//-----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/SaveAndRestore.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

static int64_t floorMod(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

static bool powOverflows(int64_t base, int64_t exponent, int64_t &result) {
  result = 1;
  while (exponent) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      return true;
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      return true;
  }
  return false;
}

static Value integerOp(Interpreter &interpreter, BinOpKind op, int64_t a,
                       int64_t b, SourceRange range) {
  auto overflow = [&] {
    return interpreter.fail("OverflowError",
                            "integer overflow: " + Twine(a) + " " +
                                getSpelling(op) + " " + Twine(b) +
                                " does not fit 64 bits",
                            range);
  };
  auto zero = [&] {
    return interpreter.fail(
        "ZeroDivisionError",
        "division by zero: " + Twine(a) + " " + getSpelling(op) + " 0", range);
  };
  int64_t result;
  switch (op) {
  case BinOpKind::Add:
    return __builtin_add_overflow(a, b, &result) ? overflow()
                                                 : Value::integer(result);
  case BinOpKind::Sub:
    return __builtin_sub_overflow(a, b, &result) ? overflow()
                                                 : Value::integer(result);
  case BinOpKind::Mult:
    return __builtin_mul_overflow(a, b, &result) ? overflow()
                                                 : Value::integer(result);
  case BinOpKind::Div:
    if (b == 0)
      return zero();
    return Value::real(static_cast<double>(static_cast<long double>(a) /
                                           static_cast<long double>(b)));
  case BinOpKind::FloorDiv:
    if (b == 0)
      return zero();
    if (a == INT64_MIN && b == -1)
      return overflow();
    return Value::integer(floorDiv(a, b));
  case BinOpKind::Mod:
    if (b == 0)
      return zero();
    return Value::integer(b == -1 ? 0 : floorMod(a, b));
  case BinOpKind::Pow:
    if (b < 0) {
      if (a == 0)
        return zero();
      return Value::real(
          std::pow(static_cast<double>(a), static_cast<double>(b)));
    }
    return powOverflows(a, b, result) ? overflow() : Value::integer(result);
  case BinOpKind::LShift:
    if (b < 0)
      return interpreter.fail("ValueError", "negative shift count", range);
    if (a == 0)
      return Value::integer(0);
    if (b > 62)
      return overflow();
    return __builtin_mul_overflow(a, int64_t(1) << b, &result)
               ? overflow()
               : Value::integer(result);
  case BinOpKind::RShift:
    if (b < 0)
      return interpreter.fail("ValueError", "negative shift count", range);
    return Value::integer(a >> std::min<int64_t>(b, 63));
  case BinOpKind::BitOr:
    return Value::integer(a | b);
  case BinOpKind::BitXor:
    return Value::integer(a ^ b);
  case BinOpKind::BitAnd:
    return Value::integer(a & b);
  case BinOpKind::MatMult:
    break;
  }
  return interpreter.fail("TypeError", "'@' needs tensors", range);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double pythonMod(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0 && ((r < 0) != (b < 0)))
    r += b;
  else if (r == 0)
    r = std::copysign(0.0, b);
  return r;
}

static Value floatOp(Interpreter &interpreter, BinOpKind op, double a, double b,
                     SourceRange range, bool &known) {
  known = true;
  auto zero = [&] {
    return interpreter.fail("ZeroDivisionError", "float division by zero",
                            range);
  };
  switch (op) {
  case BinOpKind::Add:
    return Value::real(a + b);
  case BinOpKind::Sub:
    return Value::real(a - b);
  case BinOpKind::Mult:
    return Value::real(a * b);
  case BinOpKind::Div:
    return b == 0 ? zero() : Value::real(a / b);
  case BinOpKind::FloorDiv: {
    if (b == 0)
      return zero();
    double quotient = (a - pythonMod(a, b)) / b;
    return Value::real(std::floor(quotient + 0.5));
  }
  case BinOpKind::Mod:
    return b == 0 ? zero() : Value::real(pythonMod(a, b));
  case BinOpKind::Pow: {
    if (a == 0 && b < 0)
      return interpreter.fail("ZeroDivisionError",
                              "0.0 cannot be raised to a negative power",
                              range);
    if (a < 0 && b != std::floor(b) && std::isfinite(a) && std::isfinite(b))
      return interpreter.fail("ValueError",
                              "a negative number cannot be raised to a "
                              "fractional power (complex numbers are not "
                              "supported)",
                              range);
    double result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
      return interpreter.fail("OverflowError", "float overflow in '**'", range);
    return Value::real(result);
  }
  default:
    known = false;
    return Value();
  }
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

static Value concatenate(ArrayRef<Value> a, ArrayRef<Value> b, bool isTuple) {
  std::vector<Value> result;
  result.reserve(a.size() + b.size());
  result.insert(result.end(), a.begin(), a.end());
  result.insert(result.end(), b.begin(), b.end());
  return isTuple ? Value::tuple(std::move(result))
                 : Value::list(std::move(result));
}

static bool repeatFits(Interpreter &interpreter, size_t size, int64_t &count,
                       SourceRange range) {
  count = std::max<int64_t>(count, 0);
  int64_t total;
  if (__builtin_mul_overflow(static_cast<int64_t>(size), count, &total))
    total = INT64_MAX;
  return interpreter.checkSize(total, range);
}

static Value repeat(Interpreter &interpreter, const Value &sequence,
                    int64_t count, SourceRange range) {
  if (sequence.isStr()) {
    StringRef text = sequence.getStr();
    if (!repeatFits(interpreter, text.size(), count, range))
      return Value();
    std::string result;
    result.reserve(text.size() * count);
    for (int64_t i = 0; i < count; ++i)
      result += text;
    return Value::str(result);
  }
  bool isTuple = sequence.getKind() == ValueKind::Tuple;
  ArrayRef<Value> elements = isTuple ? sequence.as<TupleObject>()->elements
                                     : sequence.as<ListObject>()->elements;
  if (!repeatFits(interpreter, elements.size(), count, range))
    return Value();
  std::vector<Value> result;
  result.reserve(elements.size() * count);
  for (int64_t i = 0; i < count; ++i)
    result.insert(result.end(), elements.begin(), elements.end());
  return isTuple ? Value::tuple(std::move(result))
                 : Value::list(std::move(result));
}

static Value setOp(BinOpKind op, const SetObject *a, const SetObject *b) {
  Ref<SetObject> result(new SetObject(a->frozen));
  auto addAll = [&](const SetObject *from, const SetObject *other, bool within,
                    bool outside) {
    for (const ValueTable::Entry &entry : from->table.getEntries()) {
      if (entry.key.isEmpty())
        continue;
      bool inOther = other->table.find(entry.key, entry.hash) != nullptr;
      if (inOther ? within : outside)
        result->table.set(entry.key, entry.hash, Value::none());
    }
  };
  switch (op) {
  case BinOpKind::BitOr:
    addAll(a, b, true, true);
    addAll(b, a, true, true);
    break;
  case BinOpKind::BitAnd:
    addAll(a, b, true, false);
    break;
  case BinOpKind::Sub:
    addAll(a, b, false, true);
    break;
  default:
    addAll(a, b, false, true);
    addAll(b, a, false, true);
    break;
  }
  return Value(result);
}

static StringRef methodName(BinOpKind op) {
  static constexpr const char *kNames[] = {
      "add", "sub",    "mul",    "matmul", "truediv", "floordiv", "mod",
      "pow", "lshift", "rshift", "or",     "xor",     "and"};
  return kNames[static_cast<size_t>(op)];
}

Value Interpreter::binary(BinOpKind op, const Value &lhs, const Value &rhs,
                          SourceRange range) {
  if (lhs.isIntOrBool() && rhs.isIntOrBool()) {
    if (lhs.isBool() && rhs.isBool() &&
        (op == BinOpKind::BitAnd || op == BinOpKind::BitOr ||
         op == BinOpKind::BitXor))
      return Value::boolean(
          integerOp(*this, op, lhs.getInt(), rhs.getInt(), range).getInt());
    return integerOp(*this, op, lhs.getInt(), rhs.getInt(), range);
  }
  if (lhs.isNumber() && rhs.isNumber()) {
    bool known;
    Value result =
        floatOp(*this, op, lhs.getNumber(), rhs.getNumber(), range, known);
    if (known)
      return result;
  }
  ValueKind left = lhs.getKind(), right = rhs.getKind();
  if (left == ValueKind::Lazy || right == ValueKind::Lazy) {
    Value a = force(lhs, range);
    if (a.isEmpty())
      return a;
    Value b = force(rhs, range);
    return b.isEmpty() ? b : binary(op, a, b, range);
  }
  if (left == ValueKind::Opaque || right == ValueKind::Opaque) {
    (void)raiseOpaque(left == ValueKind::Opaque ? lhs : rhs, range);
    return Value();
  }
  if (left == ValueKind::Array || right == ValueKind::Array) {
    if (!arrays)
      return fail("RuntimeError", "there is no array library", range);
    CallContext context(*this, range, getSpelling(op));
    FailureOr<Value> result = arrays->binary(context, op, lhs, rhs);
    return failed(result) ? Value() : *result;
  }

  if (op == BinOpKind::Add && left == right) {
    if (left == ValueKind::Str) {
      if (!checkSize(lhs.getStr().size() + rhs.getStr().size(), range))
        return Value();
      return Value::str((lhs.getStr() + rhs.getStr()).str());
    }
    if (left == ValueKind::Bytes)
      return Value::bytes(lhs.as<BytesObject>()->text +
                          rhs.as<BytesObject>()->text);
    if (left == ValueKind::List || left == ValueKind::Tuple) {
      bool isTuple = left == ValueKind::Tuple;
      ArrayRef<Value> a = isTuple ? lhs.as<TupleObject>()->elements
                                  : lhs.as<ListObject>()->elements;
      ArrayRef<Value> b = isTuple ? rhs.as<TupleObject>()->elements
                                  : rhs.as<ListObject>()->elements;
      if (!checkSize(a.size() + b.size(), range))
        return Value();
      return concatenate(a, b, isTuple);
    }
  }
  auto isSequence = [](ValueKind kind) {
    return kind == ValueKind::Str || kind == ValueKind::List ||
           kind == ValueKind::Tuple;
  };
  if (op == BinOpKind::Mult && isSequence(left) && rhs.isIntOrBool())
    return repeat(*this, lhs, rhs.getInt(), range);
  if (op == BinOpKind::Mult && isSequence(right) && lhs.isIntOrBool())
    return repeat(*this, rhs, lhs.getInt(), range);
  if (op == BinOpKind::Mod && left == ValueKind::Str)
    return formatPercent(lhs.getStr(), rhs, range);
  if (left == ValueKind::Set && right == ValueKind::Set &&
      (op == BinOpKind::BitOr || op == BinOpKind::BitAnd ||
       op == BinOpKind::Sub || op == BinOpKind::BitXor))
    return setOp(op, lhs.as<SetObject>(), rhs.as<SetObject>());
  if (left == ValueKind::Dict && right == ValueKind::Dict &&
      op == BinOpKind::BitOr) {
    Ref<DictObject> result(new DictObject());
    for (const Value *side : {&lhs, &rhs})
      for (const ValueTable::Entry &entry :
           side->as<DictObject>()->table.getEntries())
        if (!entry.key.isEmpty())
          result->table.set(entry.key, entry.hash, entry.value);
    return Value(result);
  }
  // `int | None` in an annotation.
  if (op == BinOpKind::BitOr &&
      (left == ValueKind::Class || left == ValueKind::Native ||
       left == ValueKind::None) &&
      (right == ValueKind::Class || right == ValueKind::Native ||
       right == ValueKind::None))
    return Value::tuple({lhs, rhs});

  auto viaMethod = [&](const Value &self, StringRef prefix, const Value &other,
                       Value &result) {
    if (self.getKind() != ValueKind::Instance)
      return false;
    Value method =
        findAttr(self, (prefix + methodName(op) + "__").str(), range);
    if (method.isEmpty())
      return hasPending();
    result = call(method, other, {}, range);
    return true;
  };
  Value result;
  if (viaMethod(lhs, "__", rhs, result) || viaMethod(rhs, "__r", lhs, result))
    return result;
  return fail("TypeError",
              "unsupported operand types for '" + getSpelling(op) + "': '" +
                  getTypeName(lhs) + "' and '" + getTypeName(rhs) + "'",
              range);
}

Value Interpreter::inPlace(BinOpKind op, const Value &lhs, const Value &rhs,
                           SourceRange range) {
  if (lhs.isArray() && arrays) {
    Value right = force(rhs, range);
    if (right.isEmpty())
      return right;
    if (right.as<OpaqueObject>())
      return binary(op, lhs, right, range);
    CallContext context(*this, range, getSpelling(op));
    FailureOr<Value> result = arrays->inPlace(context, op, lhs, right);
    return failed(result) ? Value() : *result;
  }
  if (auto *list = lhs.as<ListObject>()) {
    if (op == BinOpKind::Add) {
      std::vector<Value> more;
      if (!toVector(rhs, range, more) ||
          !checkSize(list->elements.size() + more.size(), range))
        return Value();
      list->elements.insert(list->elements.end(), more.begin(), more.end());
      return lhs;
    }
  }
  return binary(op, lhs, rhs, range);
}

Value Interpreter::unary(UnaryOpKind op, const Value &operand,
                         SourceRange range) {
  if (op == UnaryOpKind::Not) {
    std::optional<bool> holds = truth(operand, range);
    return holds ? Value::boolean(!*holds) : Value();
  }
  if (operand.isIntOrBool()) {
    int64_t value = operand.getInt();
    if (op == UnaryOpKind::Pos)
      return Value::integer(value);
    if (op == UnaryOpKind::Invert)
      return Value::integer(~value);
    if (value == INT64_MIN)
      return fail("OverflowError",
                  "integer overflow: -(" + Twine(value) +
                      ") does not fit 64 bits",
                  range);
    return Value::integer(-value);
  }
  if (operand.isFloat() && op != UnaryOpKind::Invert)
    return Value::real(op == UnaryOpKind::Neg ? -operand.getFloat()
                                              : operand.getFloat());
  if (operand.getKind() == ValueKind::Lazy) {
    Value made = force(operand, range);
    return made.isEmpty() ? made : unary(op, made, range);
  }
  if (operand.as<OpaqueObject>()) {
    (void)raiseOpaque(operand, range);
    return Value();
  }
  if (operand.isArray() && arrays) {
    CallContext context(*this, range, getSpelling(op));
    FailureOr<Value> result = arrays->unary(context, op, operand);
    return failed(result) ? Value() : *result;
  }
  if (operand.as<InstanceObject>()) {
    StringRef name = op == UnaryOpKind::Neg   ? "__neg__"
                     : op == UnaryOpKind::Pos ? "__pos__"
                                              : "__invert__";
    Value method = findAttr(operand, name, range);
    if (hasPending())
      return Value();
    if (!method.isEmpty())
      return call(method, {}, {}, range);
  }
  return fail("TypeError",
              "unsupported operand type for unary '" + getSpelling(op) +
                  "': '" + getTypeName(operand) + "'",
              range);
}

//===----------------------------------------------------------------------===//
// Truth and comparisons
//===----------------------------------------------------------------------===//

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

//===- Operators.cpp - arithmetic of host values --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/MathExtras.h"
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

/// What is computed from a dynamic dim: scale * dim + offset while it has that
/// form, which an annotation of a host program may use.
static Value dimOp(Interpreter &interpreter, BinOpKind op, const Value &lhs,
                   const Value &rhs, SourceRange range) {
  struct Form {
    const DynVarObject *base = nullptr;
    int64_t scale = 0, offset = 0;
    bool isLinear = true;
    std::string text;
  };
  auto getForm = [](const Value &value) {
    Form form;
    const auto *dim = value.as<DynVarObject>();
    if (!dim) {
      form.offset = value.getInt();
      form.text = std::to_string(form.offset);
      return form;
    }
    form.base = dim->base ? dim->base.get() : dim;
    form.scale = dim->scale;
    form.offset = dim->offset;
    form.isLinear = dim->scale != 0;
    form.text = dim->base ? "(" + dim->name + ")" : dim->name;
    return form;
  };
  Form a = getForm(lhs), b = getForm(rhs);
  std::string text = (a.text + " " + getSpelling(op) + " " + b.text).str();
  constexpr size_t kMaxText = 200;
  if (text.size() > kMaxText)
    return interpreter.fail("ValueError",
                            "this is computed from a dynamic dim in too many "
                            "steps",
                            range);
  bool oneBase = !a.base || !b.base || a.base == b.base;
  bool isLinear = a.isLinear && b.isLinear && oneBase;
  int64_t scale = 0, offset = 0;
  bool overflow = false;
  switch (op) {
  case BinOpKind::Add:
    overflow = AddOverflow(a.scale, b.scale, scale) ||
               AddOverflow(a.offset, b.offset, offset);
    break;
  case BinOpKind::Sub:
    overflow = SubOverflow(a.scale, b.scale, scale) ||
               SubOverflow(a.offset, b.offset, offset);
    break;
  case BinOpKind::Mult:
    isLinear &= !a.base || !b.base;
    if (isLinear) {
      const Form &dim = a.base ? a : b;
      int64_t factor = a.base ? b.offset : a.offset;
      overflow = MulOverflow(dim.scale, factor, scale) ||
                 MulOverflow(dim.offset, factor, offset);
    }
    break;
  default:
    isLinear = false;
  }
  const DynVarObject *base = a.base ? a.base : b.base;
  Ref<DynVarObject> made(new DynVarObject(text, range));
  made->base = Ref<DynVarObject>(const_cast<DynVarObject *>(base));
  made->scale = isLinear && !overflow ? scale : 0;
  made->offset = made->scale ? offset : 0;
  return Value(made);
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

  auto isDim = [](const Value &value) {
    return value.getKind() == ValueKind::DynVar || value.isInt();
  };
  if ((left == ValueKind::DynVar || right == ValueKind::DynVar) && isDim(lhs) &&
      isDim(rhs))
    return dimOp(*this, op, lhs, rhs, range);

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

} // namespace pl::frontend

//===- Builtins.cpp - built-in functions ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Natives.h"
#include "Unicode.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

raw_ostream &Interpreter::getOutput() {
  return options.output ? *options.output : outs();
}

Result noKeywords(CallContext &call, size_t least, size_t most) {
  if (!call.keywords.empty())
    return call.raise("TypeError", call.callee + "() has no parameter '" +
                                       call.keywords.front().name + "'");
  if (call.args.size() < least || call.args.size() > most)
    return call.raise(
        "TypeError", call.callee + "() takes " +
                         (least == most ? Twine(least)
                                        : Twine(least) + " to " + Twine(most)) +
                         " argument" + (most == 1 ? "" : "s") + ", but got " +
                         Twine(call.args.size()));
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Result builtinAbs(CallContext &call) {
  if (failed(noKeywords(call, 1, 1)))
    return failure();
  Value value = call.interpreter.force(call.args[0], call.range);
  if (value.isEmpty())
    return failure();
  if (value.isIntOrBool())
    return value.getInt() < 0 ? wrap(call.interpreter.unary(UnaryOpKind::Neg,
                                                            value, call.range))
                              : Result(Value::integer(value.getInt()));
  if (value.isFloat())
    return Value::real(std::fabs(value.getFloat()));
  Value method = call.interpreter.findAttr(
      value, value.isArray() ? "abs" : "__abs__", call.range);
  if (!method.isEmpty())
    return wrap(call.interpreter.call(method, {}, {}, call.range));
  if (call.interpreter.hasPending())
    return failure();
  return call.raise("TypeError", "abs() of a '" + getTypeName(value) + "'");
}

static Result builtinRound(CallContext &call) {
  SmallVector<Value> bound;
  if (failed(call.bind({"number", "ndigits"}, 1, bound)))
    return failure();
  Value value = call.interpreter.force(bound[0], call.range);
  if (value.isEmpty())
    return failure();
  bool toInteger = bound[1].isEmpty() || bound[1].isNone();
  int64_t digits = 0;
  if (!toInteger) {
    FailureOr<int64_t> given = call.asInt(bound[1], "ndigits");
    if (failed(given))
      return failure();
    digits = *given;
  }
  if (value.isIntOrBool()) {
    if (digits >= 0)
      return Value::integer(value.getInt());
    if (digits < -18)
      return Value::integer(0);
    int64_t unit = 1;
    for (int64_t i = digits; i < 0; ++i)
      unit *= 10;
    int64_t number = value.getInt();
    int64_t down = number - ((number % unit) + unit) % unit;
    int64_t rest = number - down;
    bool up = rest * 2 > unit || (rest * 2 == unit && (down / unit) % 2 != 0);
    return Value::integer(up ? down + unit : down);
  }
  if (value.isArray()) {
    Value method = call.interpreter.getAttr(value, "round", call.range);
    return method.isEmpty()
               ? Result(failure())
               : wrap(call.interpreter.call(method, {}, {}, call.range));
  }
  if (!value.isFloat())
    return call.raise("TypeError", "round() of a '" + getTypeName(value) + "'");
  double number = value.getFloat();
  if (toInteger) {
    // Half to even, as nearbyint in the default mode.
    double rounded = std::nearbyint(number);
    if (!(rounded >= -9223372036854775808.0 && rounded < 9223372036854775808.0))
      return call.raise("OverflowError",
                        "round(" + repr(value) + ") does not fit 64 bits");
    return Value::integer(static_cast<int64_t>(rounded));
  }
  if (digits > 300 || !std::isfinite(number))
    return value;
  if (digits < 0) {
    double unit = std::pow(10.0, static_cast<double>(-digits));
    return Value::real(std::nearbyint(number / unit) * unit);
  }
  // Through decimal text, which rounds the exact value correctly.
  char buffer[700];
  snprintf(buffer, sizeof(buffer), "%.*f", static_cast<int>(digits), number);
  return Value::real(strtod(buffer, nullptr));
}

static Result builtinDivmod(CallContext &call) {
  if (failed(noKeywords(call, 2, 2)))
    return failure();
  Value quotient = call.interpreter.binary(BinOpKind::FloorDiv, call.args[0],
                                           call.args[1], call.range);
  if (quotient.isEmpty())
    return failure();
  Value rest = call.interpreter.binary(BinOpKind::Mod, call.args[0],
                                       call.args[1], call.range);
  if (rest.isEmpty())
    return failure();
  return Value::tuple({quotient, rest});
}

static Result builtinPow(CallContext &call) {
  if (failed(noKeywords(call, 2, 3)))
    return failure();
  if (call.args.size() == 2)
    return wrap(call.interpreter.binary(BinOpKind::Pow, call.args[0],
                                        call.args[1], call.range));
  FailureOr<int64_t> base = call.asInt(call.args[0], "the base");
  FailureOr<int64_t> exponent = call.asInt(call.args[1], "the exponent");
  FailureOr<int64_t> modulus = call.asInt(call.args[2], "the modulus");
  if (failed(base) || failed(exponent) || failed(modulus))
    return failure();
  if (*modulus == 0 || *exponent < 0)
    return call.raise("ValueError",
                      "pow() with a modulus needs an exponent of at least 0 "
                      "and a modulus other than 0");
  __int128 mod = *modulus, factor = ((*base % mod) + mod) % mod;
  __int128 result = ((1 % mod) + mod) % mod;
  for (int64_t e = *exponent; e; e >>= 1) {
    if (e & 1)
      result = ((result * factor) % mod + mod) % mod;
    factor = ((factor * factor) % mod + mod) % mod;
  }
  return Value::integer(static_cast<int64_t>(result));
}

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

static Result builtinPrint(CallContext &call) {
  std::string separator = " ", end = "\n";
  for (const NamedValue &keyword : call.keywords) {
    if ((keyword.name == "sep" || keyword.name == "end") &&
        keyword.value.isStr())
      (keyword.name == "sep" ? separator : end) = keyword.value.getStr().str();
    else if (keyword.name != "flush" && keyword.name != "file" &&
             !keyword.value.isNone())
      return call.raise("TypeError",
                        "print() has no parameter '" + keyword.name + "'");
  }
  std::string text;
  for (size_t i = 0; i < call.args.size(); ++i) {
    Value part = call.interpreter.toStr(call.args[i], call.range);
    if (part.isEmpty())
      return failure();
    text += (i ? separator : "") + part.getStr().str();
  }
  call.interpreter.getOutput() << text << end;
  return Value::none();
}

static Result builtinGetattr(CallContext &call) {
  if (failed(noKeywords(call, 2, 3)))
    return failure();
  FailureOr<StringRef> name = call.asStr(call.args[1], "the name");
  if (failed(name))
    return failure();
  Interpreter &interpreter = call.interpreter;
  if (call.args.size() == 2)
    return wrap(interpreter.getAttr(call.args[0], *name, call.range));
  Value found = interpreter.findAttr(call.args[0], *name, call.range);
  if (!found.isEmpty())
    return found;
  if (interpreter.pending &&
      (interpreter.pending->fatal ||
       interpreter.pending->value->cls->name != "AttributeError"))
    return failure();
  interpreter.pending.reset();
  return call.args[2];
}

static Result builtinHasattr(CallContext &call) {
  if (failed(noKeywords(call, 2, 2)))
    return failure();
  FailureOr<StringRef> name = call.asStr(call.args[1], "the name");
  if (failed(name))
    return failure();
  Interpreter &interpreter = call.interpreter;
  Value found = interpreter.findAttr(call.args[0], *name, call.range);
  if (interpreter.pending &&
      (interpreter.pending->fatal ||
       interpreter.pending->value->cls->name != "AttributeError"))
    return failure();
  interpreter.pending.reset();
  return Value::boolean(!found.isEmpty());
}

static Result builtinSetattr(CallContext &call) {
  if (failed(noKeywords(call, 3, 3)))
    return failure();
  FailureOr<StringRef> name = call.asStr(call.args[1], "the name");
  if (failed(name) || failed(call.interpreter.setAttr(
                          call.args[0], *name, call.args[2], call.range)))
    return failure();
  return Value::none();
}

static Result builtinIsinstance(CallContext &call) {
  if (failed(noKeywords(call, 2, 2)))
    return failure();
  bool result;
  if (!call.interpreter.isInstance(call.args[0], call.args[1], call.range,
                                   result))
    return failure();
  return Value::boolean(result);
}

static Result builtinIssubclass(CallContext &call) {
  if (failed(noKeywords(call, 2, 2)))
    return failure();
  const auto *cls = call.args[0].as<ClassObject>();
  std::vector<Value> types{call.args[1]};
  if (const auto *tuple = call.args[1].as<TupleObject>())
    types = tuple->elements;
  bool result = false;
  for (const Value &type : types)
    if (const auto *other = type.as<ClassObject>())
      result |= cls && cls->isSubclassOf(other);
    else
      result |= type.isSame(call.args[0]);
  return Value::boolean(result);
}

static Result builtinChrOrd(CallContext &call, bool chr) {
  if (failed(noKeywords(call, 1, 1)))
    return failure();
  if (!chr) {
    FailureOr<StringRef> text = call.asStr(call.args[0], "the character");
    if (failed(text))
      return failure();
    if (countCharacters(*text) != 1)
      return call.raise("TypeError", "ord() takes one character");
    unsigned char first = (*text)[0];
    int64_t point = first < 0x80   ? first
                    : first < 0xE0 ? first & 0x1F
                    : first < 0xF0 ? first & 0x0F
                                   : first & 0x07;
    for (char byte : text->drop_front())
      point = point * 64 + (byte & 0x3F);
    return Value::integer(point);
  }
  FailureOr<int64_t> point = call.asInt(call.args[0], "the code point");
  if (failed(point))
    return failure();
  if (*point < 0 || *point > 0x10FFFF)
    return call.raise("ValueError", "chr() argument is out of range");
  std::string text;
  appendUtf8(*point, text);
  return Value::str(text);
}

void Interpreter::addBuiltins() {
  auto add = [&](StringRef name, NativeFn fn) {
    builtins[name] = makeNative(name, std::move(fn));
  };
  add("abs", builtinAbs);
  add("round", builtinRound);
  add("divmod", builtinDivmod);
  add("pow", builtinPow);
  addSequenceBuiltins(add);
  add("print", builtinPrint);
  add("getattr", builtinGetattr);
  add("hasattr", builtinHasattr);
  add("setattr", builtinSetattr);
  add("isinstance", builtinIsinstance);
  add("issubclass", builtinIssubclass);
  add("chr", [](CallContext &call) { return builtinChrOrd(call, true); });
  add("ord", [](CallContext &call) { return builtinChrOrd(call, false); });
  add("repr", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    return wrap(call.interpreter.toRepr(call.args[0], call.range));
  });
  add("format", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 2)))
      return failure();
    FailureOr<StringRef> spec =
        call.args.size() == 2 ? call.asStr(call.args[1], "the specification")
                              : FailureOr<StringRef>(StringRef());
    if (failed(spec))
      return failure();
    return wrap(call.interpreter.format(call.args[0], *spec, call.range));
  });
  add("hash", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    std::optional<uint64_t> result =
        call.interpreter.hash(call.args[0], call.range);
    return result ? Result(Value::integer(*result >> 2)) : Result(failure());
  });
  add("id", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    const Value &value = call.args[0];
    return Value::integer(
        value.isObject()
            ? static_cast<int64_t>(
                  reinterpret_cast<uintptr_t>(value.getObject()))
            : value.getInt() * 16 + static_cast<int64_t>(value.getKind()));
  });
  add("callable", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    switch (call.args[0].getKind()) {
    case ValueKind::Function:
    case ValueKind::Native:
    case ValueKind::BoundMethod:
    case ValueKind::Class:
    case ValueKind::Kernel:
      return Value::boolean(true);
    case ValueKind::Instance:
      return Value::boolean(
          call.args[0].as<InstanceObject>()->cls->lookup("__call__"));
    default:
      return Value::boolean(false);
    }
  });
  for (auto [name, base] :
       {std::pair<const char *, char>{"hex", 'x'}, {"oct", 'o'}, {"bin", 'b'}})
    add(name, [base = base](CallContext &call) -> Result {
      if (failed(noKeywords(call, 1, 1)))
        return failure();
      FailureOr<int64_t> number = call.asInt(call.args[0], "the number");
      if (failed(number))
        return failure();
      return wrap(call.interpreter.format(Value::integer(*number),
                                          std::string("#") + base, call.range));
    });
  for (StringRef name : {"open", "exec", "eval", "compile", "input",
                         "__import__", "globals", "locals", "vars", "super"})
    add(name, [name](CallContext &call) -> Result {
      return call.raise("NotImplementedError",
                        "'" + name + "' is not supported");
    });
  builtins["NotImplemented"] = Value::ellipsis();
  builtins["Ellipsis"] = Value::ellipsis();
  builtins["__debug__"] = Value::boolean(true);
}

} // namespace pl::frontend

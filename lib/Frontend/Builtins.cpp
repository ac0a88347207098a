//===- Builtins.cpp - built-in functions
//-----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

raw_ostream &Interpreter::getOutput() {
  return options.output ? *options.output : outs();
}

using Result = FailureOr<Value>;

/// An Empty value is a failure that has been raised.
static Result wrap(Value value) {
  if (value.isEmpty())
    return failure();
  return value;
}

static Result noKeywords(CallContext &call, size_t least, size_t most) {
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
// Sequences
//===----------------------------------------------------------------------===//

static Result builtinLen(CallContext &call) {
  if (failed(noKeywords(call, 1, 1)))
    return failure();
  std::optional<int64_t> length =
      call.interpreter.length(call.args[0], call.range);
  return length ? Result(Value::integer(*length)) : Result(failure());
}

static Result builtinSum(CallContext &call) {
  SmallVector<Value> bound;
  if (failed(call.bind({"iterable", "start"}, 1, bound)))
    return failure();
  Value total = bound[1].isEmpty() ? Value::integer(0) : bound[1];
  bool good = true;
  LogicalResult looped =
      call.interpreter.forEach(bound[0], call.range, [&](const Value &element) {
        total =
            call.interpreter.binary(BinOpKind::Add, total, element, call.range);
        return good = !total.isEmpty();
      });
  if (!good || failed(looped))
    return failure();
  return total;
}

static Result extreme(CallContext &call, bool wantMax) {
  Value key, fallback;
  for (const NamedValue &keyword : call.keywords) {
    if (keyword.name == "key")
      key = keyword.value;
    else if (keyword.name == "default")
      fallback = keyword.value;
    else
      return call.raise("TypeError", call.callee + "() has no parameter '" +
                                         keyword.name + "'");
  }
  if (!key.isEmpty() && key.isNone())
    key = Value();
  std::vector<Value> elements;
  if (call.args.size() == 1) {
    if (!call.interpreter.toVector(call.args[0], call.range, elements))
      return failure();
  } else {
    elements = call.args.vec();
  }
  if (elements.empty()) {
    if (!fallback.isEmpty())
      return fallback;
    return call.raise("ValueError", call.callee + "() of nothing");
  }
  Value best = elements[0], bestKey = best;
  auto keyOf = [&](const Value &element) {
    return key.isEmpty() ? element
                         : call.interpreter.call(key, element, {}, call.range);
  };
  bestKey = keyOf(best);
  if (bestKey.isEmpty())
    return failure();
  if (elements.size() == 1 && bestKey.as<OpaqueObject>())
    return call.interpreter.raiseOpaque(bestKey, call.range);
  for (size_t i = 1; i < elements.size(); ++i) {
    Value candidate = keyOf(elements[i]);
    if (candidate.isEmpty())
      return failure();
    std::optional<bool> better =
        wantMax ? call.interpreter.less(bestKey, candidate, call.range)
                : call.interpreter.less(candidate, bestKey, call.range);
    if (!better)
      return failure();
    if (*better) {
      best = elements[i];
      bestKey = candidate;
    }
  }
  return best;
}

/// A stable merge sort whose comparison may raise.
static bool mergeSort(Interpreter &interpreter, std::vector<Value> &keys,
                      std::vector<size_t> &order, bool reverse,
                      SourceRange range) {
  std::vector<size_t> other(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, order.size());
      size_t end = std::min(begin + 2 * width, order.size());
      size_t i = begin, j = middle, out = begin;
      while (i < middle && j < end) {
        if (!interpreter.step(range))
          return false;
        // Take from the right only when strictly before the left.
        std::optional<bool> before =
            reverse ? interpreter.less(keys[order[i]], keys[order[j]], range)
                    : interpreter.less(keys[order[j]], keys[order[i]], range);
        if (!before)
          return false;
        other[out++] = *before ? order[j++] : order[i++];
      }
      while (i < middle)
        other[out++] = order[i++];
      while (j < end)
        other[out++] = order[j++];
    }
    std::swap(order, other);
  }
  return true;
}

bool sortValues(CallContext &call, std::vector<Value> &elements, Value key,
                bool reverse) {
  std::vector<Value> keys = elements;
  if (!key.isEmpty() && !key.isNone())
    for (Value &element : keys) {
      element = call.interpreter.call(key, element, {}, call.range);
      if (element.isEmpty())
        return false;
    }
  std::vector<size_t> order(elements.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  if (!mergeSort(call.interpreter, keys, order, reverse, call.range))
    return false;
  std::vector<Value> sorted;
  sorted.reserve(order.size());
  for (size_t i : order)
    sorted.push_back(elements[i]);
  elements = std::move(sorted);
  return true;
}

static Result builtinSorted(CallContext &call) {
  if (call.args.size() != 1)
    return call.raise("TypeError", "sorted() takes one positional argument");
  Value key, reverse = Value::boolean(false);
  for (const NamedValue &keyword : call.keywords) {
    if (keyword.name == "key")
      key = keyword.value;
    else if (keyword.name == "reverse")
      reverse = keyword.value;
    else
      return call.raise("TypeError",
                        "sorted() has no parameter '" + keyword.name + "'");
  }
  std::vector<Value> elements;
  if (!call.interpreter.toVector(call.args[0], call.range, elements))
    return failure();
  FailureOr<bool> down = call.asBool(reverse, "reverse");
  if (failed(down) || !sortValues(call, elements, key, *down))
    return failure();
  return Value::list(std::move(elements));
}

static Result builtinReversed(CallContext &call) {
  if (failed(noKeywords(call, 1, 1)))
    return failure();
  std::vector<Value> elements;
  if (!call.interpreter.toVector(call.args[0], call.range, elements))
    return failure();
  std::reverse(elements.begin(), elements.end());
  Ref<IteratorObject> iterator =
      call.interpreter.iterate(Value::list(std::move(elements)), call.range);
  return Value(iterator);
}

namespace {

/// enumerate, zip, map and filter: lazily, as they may be of endless things.
class AdaptorIterator final : public IteratorObject {
public:
  enum Kind { Enumerate, Zip, Map, Filter };
  AdaptorIterator(Kind kind, std::vector<Ref<IteratorObject>> inputs,
                  Value function, int64_t count, bool strict = false)
      : kind(kind), inputs(std::move(inputs)), function(std::move(function)),
        count(count), strict(strict) {}

  FailureOr<Value> next(Interpreter &interpreter, SourceRange range) override {
    if (!interpreter.checkStack(range))
      return failure();
    while (true) {
      if (!interpreter.step(range))
        return failure();
      std::vector<Value> row;
      for (size_t i = 0; i < inputs.size(); ++i) {
        FailureOr<Value> element = inputs[i]->next(interpreter, range);
        if (failed(element))
          return failure();
        if (element->isEmpty()) {
          if (strict && i != 0)
            return interpreter.raise("ValueError",
                                     "zip() arguments differ in length", range);
          return Value();
        }
        row.push_back(std::move(*element));
      }
      switch (kind) {
      case Enumerate:
        return Value::tuple({Value::integer(count++), row[0]});
      case Zip:
        if (row.empty())
          return Value();
        return Value::tuple(std::move(row));
      case Map: {
        Value result = interpreter.call(function, row, {}, range);
        if (result.isEmpty())
          return failure();
        return result;
      }
      case Filter: {
        Value test = row[0];
        if (!function.isNone())
          test = interpreter.call(function, row, {}, range);
        if (test.isEmpty())
          return failure();
        std::optional<bool> keep = interpreter.truth(test, range);
        if (!keep)
          return failure();
        if (*keep)
          return row[0];
        break;
      }
      }
    }
  }

private:
  Kind kind;
  std::vector<Ref<IteratorObject>> inputs;
  Value function;
  int64_t count;
  bool strict;
};

} // namespace

static Result adapt(CallContext &call, AdaptorIterator::Kind kind,
                    ArrayRef<Value> iterables, Value function,
                    int64_t start = 0, bool strict = false) {
  std::vector<Ref<IteratorObject>> inputs;
  for (const Value &iterable : iterables) {
    Ref<IteratorObject> input = call.interpreter.iterate(iterable, call.range);
    if (!input)
      return failure();
    inputs.push_back(input);
  }
  return Value(
      new AdaptorIterator(kind, std::move(inputs), function, start, strict));
}

static Result builtinAnyAll(CallContext &call, bool wanted) {
  if (failed(noKeywords(call, 1, 1)))
    return failure();
  bool result = !wanted, good = true;
  LogicalResult looped = call.interpreter.forEach(
      call.args[0], call.range, [&](const Value &element) {
        std::optional<bool> holds = call.interpreter.truth(element, call.range);
        good = holds.has_value();
        if (good && *holds == wanted)
          result = wanted;
        return good && result != wanted;
      });
  if (!good || failed(looped))
    return failure();
  return Value::boolean(result);
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

static Result builtinNext(CallContext &call) {
  if (failed(noKeywords(call, 1, 2)))
    return failure();
  auto *iterator = call.args[0].as<IteratorObject>();
  Ref<IteratorObject> alive(iterator);
  if (!iterator) {
    if (call.args[0].as<InstanceObject>()) {
      Value method =
          call.interpreter.getAttr(call.args[0], "__next__", call.range);
      return method.isEmpty()
                 ? Result(failure())
                 : wrap(call.interpreter.call(method, {}, {}, call.range));
    }
    return call.raise("TypeError", "'" + getTypeName(call.args[0]) +
                                       "' object is no iterator");
  }
  FailureOr<Value> element = iterator->next(call.interpreter, call.range);
  if (failed(element))
    return failure();
  if (!element->isEmpty())
    return *element;
  if (call.args.size() == 2)
    return call.args[1];
  return call.raise("StopIteration", "the iterator has no more elements");
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
  uint32_t c = *point;
  std::string text;
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    text += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
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
  add("len", builtinLen);
  add("sum", builtinSum);
  add("min", [](CallContext &call) { return extreme(call, false); });
  add("max", [](CallContext &call) { return extreme(call, true); });
  add("sorted", builtinSorted);
  add("reversed", builtinReversed);
  add("enumerate", [](CallContext &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"iterable", "start"}, 1, bound)))
      return failure();
    int64_t start = 0;
    if (!bound[1].isEmpty()) {
      FailureOr<int64_t> given = call.asInt(bound[1], "start");
      if (failed(given))
        return failure();
      start = *given;
    }
    return adapt(call, AdaptorIterator::Enumerate, bound[0], Value(), start);
  });
  add("zip", [](CallContext &call) -> Result {
    bool strict = false;
    for (const NamedValue &keyword : call.keywords) {
      if (keyword.name != "strict")
        return call.raise("TypeError",
                          "zip() has no parameter '" + keyword.name + "'");
      FailureOr<bool> on = call.asBool(keyword.value, "strict");
      if (failed(on))
        return failure();
      strict = *on;
    }
    return adapt(call, AdaptorIterator::Zip, call.args, Value(), 0, strict);
  });
  add("map", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 2, 16)))
      return failure();
    return adapt(call, AdaptorIterator::Map, call.args.drop_front(),
                 call.args[0]);
  });
  add("filter", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 2, 2)))
      return failure();
    return adapt(call, AdaptorIterator::Filter, call.args[1], call.args[0]);
  });
  add("any", [](CallContext &call) { return builtinAnyAll(call, true); });
  add("all", [](CallContext &call) { return builtinAnyAll(call, false); });
  add("print", builtinPrint);
  add("getattr", builtinGetattr);
  add("hasattr", builtinHasattr);
  add("setattr", builtinSetattr);
  add("isinstance", builtinIsinstance);
  add("issubclass", builtinIssubclass);
  add("next", builtinNext);
  add("iter", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    Ref<IteratorObject> iterator =
        call.interpreter.iterate(call.args[0], call.range);
    return iterator ? Result(Value(iterator)) : Result(failure());
  });
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
                        "'" + name + "' is not supported in the host world");
    });
  builtins["NotImplemented"] = Value::ellipsis();
  builtins["Ellipsis"] = Value::ellipsis();
  builtins["__debug__"] = Value::boolean(true);
}

} // namespace pl::frontend

//===- BuiltinTypes.cpp - int, str, list and the other constructors -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

using Result = FailureOr<Value>;

static Result makeInt(CallContext &call) {
  SmallVector<Value> bound;
  if (failed(call.bind({"x", "base"}, 0, bound)))
    return failure();
  if (bound[0].isEmpty())
    return Value::integer(0);
  Value value = call.interpreter.force(bound[0], call.range);
  if (value.isEmpty())
    return failure();
  if (value.isArray() && call.interpreter.arrays) {
    FailureOr<Value> item = call.interpreter.arrays->item(call, value);
    if (failed(item))
      return failure();
    value = *item;
  }
  if (value.isIntOrBool())
    return Value::integer(value.getInt());
  if (value.isFloat()) {
    double number = value.getFloat();
    if (std::isnan(number))
      return call.raise("ValueError", "int() of nan");
    double whole = std::trunc(number);
    if (!(whole >= -9223372036854775808.0 && whole < 9223372036854775808.0))
      return call.raise("OverflowError",
                        "int(" + repr(value) + ") does not fit 64 bits");
    return Value::integer(static_cast<int64_t>(whole));
  }
  if (value.isStr()) {
    int64_t base = 10;
    if (!bound[1].isEmpty()) {
      FailureOr<int64_t> given = call.asInt(bound[1], "the base");
      if (failed(given))
        return failure();
      base = *given;
      if (base != 0 && (base < 2 || base > 36))
        return call.raise("ValueError", "int() base must be 0 or 2 to 36");
    }
    std::string digits = value.getStr().trim().lower();
    StringRef text = digits;
    bool negative = text.consume_front("-");
    if (!negative)
      text.consume_front("+");
    auto prefix = [&](StringRef mark, int64_t of) {
      if ((base == of || base == 0) && text.starts_with(mark)) {
        text = text.drop_front(2);
        text.consume_front("_");
        base = of;
      }
    };
    prefix("0x", 16);
    prefix("0o", 8);
    prefix("0b", 2);
    if (base == 0)
      base = 10;
    bool good = !text.empty() && !text.starts_with("_") &&
                !text.ends_with("_") && !text.contains("__");
    std::string plain = text.str();
    erase(plain, '_');
    uint64_t magnitude = 0;
    bool overflow = false;
    for (char c : plain) {
      unsigned digit = isDigit(c) ? c - '0' : isAlpha(c) ? c - 'a' + 10 : 99;
      good &= digit < static_cast<unsigned>(base);
      overflow |=
          __builtin_mul_overflow(magnitude, uint64_t(base), &magnitude) ||
          __builtin_add_overflow(magnitude, uint64_t(digit), &magnitude);
    }
    if (!good)
      return call.raise("ValueError", "int() cannot read " +
                                          call.interpreter.shortRepr(value) +
                                          " in base " + Twine(base));
    if (overflow || magnitude > uint64_t(INT64_MAX) + negative)
      return call.raise("OverflowError", "int(" +
                                             call.interpreter.shortRepr(value) +
                                             ") does not fit 64 bits");
    return Value::integer(
        static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude));
  }
  if (value.as<OpaqueObject>())
    return call.interpreter.raiseOpaque(value, call.range);
  if (const auto *dim = value.as<DynVarObject>())
    return call.raise("TypeError", "dynamic dim '" + dim->name +
                                       "' has no value at compile time");
  if (value.as<InstanceObject>()) {
    Value method = call.interpreter.findAttr(value, "__int__", call.range);
    if (!method.isEmpty())
      return call.interpreter.call(method, {}, {}, call.range);
    if (call.interpreter.hasPending())
      return failure();
  }
  return call.raise("TypeError", "int() of a '" + getTypeName(value) + "'");
}

static Result makeFloat(CallContext &call) {
  SmallVector<Value> bound;
  if (failed(call.bind({"x"}, 0, bound)))
    return failure();
  if (bound[0].isEmpty())
    return Value::real(0);
  Value value = call.interpreter.force(bound[0], call.range);
  if (value.isEmpty())
    return failure();
  if (value.isStr()) {
    std::string text = value.getStr().trim().lower();
    StringRef rest = text;
    bool negative = rest.consume_front("-");
    if (!negative)
      rest.consume_front("+");
    double sign = negative ? -1.0 : 1.0;
    if (rest == "inf" || rest == "infinity")
      return Value::real(sign * INFINITY);
    if (rest == "nan")
      return Value::real(NAN);
    std::string plain = rest.str();
    erase(plain, '_');
    double number;
    if (plain.empty() ||
        StringRef(plain).find_first_not_of("0123456789.e+-") !=
            StringRef::npos ||
        StringRef(plain).getAsDouble(number))
      return call.raise("ValueError", "float() cannot read " +
                                          call.interpreter.shortRepr(value));
    return Value::real(sign * number);
  }
  FailureOr<double> number = call.asFloat(value, "the argument");
  if (failed(number))
    return failure();
  return Value::real(*number);
}

static Result makeSequence(CallContext &call, bool isTuple) {
  SmallVector<Value> bound;
  if (failed(call.bind({"iterable"}, 0, bound)))
    return failure();
  std::vector<Value> elements;
  if (!bound[0].isEmpty() &&
      !call.interpreter.toVector(bound[0], call.range, elements))
    return failure();
  return isTuple ? Value::tuple(std::move(elements))
                 : Value::list(std::move(elements));
}

static Result makeSet(CallContext &call, bool frozen) {
  SmallVector<Value> bound;
  if (failed(call.bind({"iterable"}, 0, bound)))
    return failure();
  Ref<SetObject> set(new SetObject(frozen));
  if (bound[0].isEmpty())
    return Value(set);
  std::vector<Value> elements;
  if (!call.interpreter.toVector(bound[0], call.range, elements))
    return failure();
  for (const Value &element : elements) {
    std::optional<uint64_t> hash = call.interpreter.hash(element, call.range);
    if (!hash)
      return failure();
    set->table.set(element, *hash, Value::none());
  }
  return Value(set);
}

/// Entries of a dict or of an iterable of pairs.
bool updateDict(CallContext &call, ValueTable &table, const Value &source) {
  if (const auto *dict = source.as<DictObject>()) {
    // A copy: the source may be the target.
    std::vector<ValueTable::Entry> entries = dict->table.getEntries().vec();
    for (const ValueTable::Entry &entry : entries)
      if (!entry.key.isEmpty())
        table.set(entry.key, entry.hash, entry.value);
    return true;
  }
  std::vector<Value> pairs;
  if (!call.interpreter.toVector(source, call.range, pairs))
    return false;
  for (const Value &pair : pairs) {
    std::vector<Value> parts;
    if (!call.interpreter.toVector(pair, call.range, parts))
      return false;
    if (parts.size() != 2) {
      (void)call.raise("ValueError",
                       "dict() needs pairs of key and value, but got " +
                           Twine(parts.size()) + " elements");
      return false;
    }
    std::optional<uint64_t> hash = call.interpreter.hash(parts[0], call.range);
    if (!hash)
      return false;
    table.set(parts[0], *hash, parts[1]);
  }
  return true;
}

static Result makeDict(CallContext &call) {
  Ref<DictObject> dict(new DictObject());
  if (call.args.size() > 1)
    return call.raise("TypeError", "dict() takes at most one argument");
  if (call.args.size() == 1 && !updateDict(call, dict->table, call.args[0]))
    return failure();
  for (const NamedValue &keyword : call.keywords)
    dict->table.set(keyword.name, keyword.value);
  return Value(dict);
}

static Result makeRange(CallContext &call) {
  if (call.args.empty() || call.args.size() > 3 || !call.keywords.empty())
    return call.raise("TypeError", "range() takes one to three integers");
  int64_t parts[3] = {0, 0, 1};
  for (size_t i = 0; i < call.args.size(); ++i) {
    FailureOr<int64_t> part = call.asInt(call.args[i], "a range bound");
    if (failed(part))
      return failure();
    parts[call.args.size() == 1 ? 1 : i] = *part;
  }
  if (parts[2] == 0)
    return call.raise("ValueError", "range() step cannot be zero");
  auto *range = new RangeObject(parts[0], parts[1], parts[2]);
  Value result(range);
  if (range->length < 0)
    return call.raise("OverflowError",
                      "range() has more elements than 64 bits count");
  return result;
}

//===----------------------------------------------------------------------===//
// Types as values
//===----------------------------------------------------------------------===//

bool Interpreter::isInstance(const Value &value, const Value &type,
                             SourceRange range, bool &result) {
  result = false;
  if (const auto *tuple = type.as<TupleObject>()) {
    for (const Value &element : tuple->elements) {
      bool one;
      if (!isInstance(value, element, range, one))
        return false;
      result |= one;
    }
    return true;
  }
  if (const auto *cls = type.as<ClassObject>()) {
    const auto *instance = value.as<InstanceObject>();
    result = instance && instance->cls->isSubclassOf(cls);
    return true;
  }
  if (const auto *native = type.as<NativeObject>()) {
    if (native->name == "object") {
      result = true;
      return true;
    }
    if (native->constructs) {
      ValueKind kind = value.getKind();
      result =
          kind == *native->constructs ||
          (*native->constructs == ValueKind::Int && kind == ValueKind::Bool);
      if (kind == ValueKind::Set)
        result = native->name ==
                 (value.as<SetObject>()->frozen ? "frozenset" : "set");
      if (*native->constructs == ValueKind::Class)
        result =
            kind == ValueKind::Class ||
            (kind == ValueKind::Native && value.as<NativeObject>()->constructs);
      return true;
    }
  }
  if (const auto *enumClass = type.as<EnumClassObject>()) {
    const auto *member = value.as<EnumObject>();
    result = member && member->enumName == enumClass->name;
    return true;
  }
  if (type.isNone()) {
    result = value.isNone();
    return true;
  }
  if (type.as<OpaqueObject>()) {
    (void)raiseOpaque(type, range);
    return false;
  }
  (void)raise("TypeError",
              "isinstance() needs a type or a tuple of types, not '" +
                  getTypeName(type) + "'",
              range);
  return false;
}

Value Interpreter::typeOf(const Value &value) {
  if (const auto *instance = value.as<InstanceObject>())
    return Value(instance->cls);
  StringRef name = getTypeName(value);
  auto it = builtins.find(name);
  if (it != builtins.end())
    return it->second;
  // A type that has no constructor: something that has its name.
  Value &cached = moduleCache[("<type>" + name).str()];
  if (cached.isEmpty())
    cached = Value(new ClassObject(name.str()));
  return cached;
}

void Interpreter::addBuiltinTypes() {
  auto add = [&](StringRef name, ValueKind kind, NativeFn fn) {
    auto *native = new NativeObject(name.str(), std::move(fn));
    native->constructs = kind;
    builtins[name] = Value(native);
    return native;
  };
  add("int", ValueKind::Int, makeInt);
  add("float", ValueKind::Float, makeFloat);
  add("bool", ValueKind::Bool, [](CallContext &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"x"}, 0, bound)))
      return failure();
    if (bound[0].isEmpty())
      return Value::boolean(false);
    FailureOr<bool> result = call.asBool(bound[0], "the argument");
    return failed(result) ? Result(failure()) : Value::boolean(*result);
  });
  add("str", ValueKind::Str, [](CallContext &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"object"}, 0, bound)))
      return failure();
    if (bound[0].isEmpty())
      return Value::str("");
    Value text = call.interpreter.toStr(bound[0], call.range);
    return text.isEmpty() ? Result(failure()) : text;
  });
  add("bytes", ValueKind::Bytes, [](CallContext &call) -> Result {
    std::vector<Value> elements;
    if (call.args.size() != 1 ||
        !call.interpreter.toVector(call.args[0], call.range, elements))
      return call.interpreter.hasPending()
                 ? Result(failure())
                 : Result(call.raise("TypeError",
                                     "bytes() takes an iterable of ints"));
    std::string text;
    for (const Value &element : elements) {
      if (!element.isInt() || element.getInt() < 0 || element.getInt() > 255)
        return call.raise("ValueError", "a byte must lie in [0, 255]");
      text += static_cast<char>(element.getInt());
    }
    return Value::bytes(text);
  });
  add("list", ValueKind::List,
      [](CallContext &call) { return makeSequence(call, false); });
  add("tuple", ValueKind::Tuple,
      [](CallContext &call) { return makeSequence(call, true); });
  add("set", ValueKind::Set,
      [](CallContext &call) { return makeSet(call, false); });
  add("frozenset", ValueKind::Set,
      [](CallContext &call) { return makeSet(call, true); });
  NativeObject *dict = add("dict", ValueKind::Dict, makeDict);
  dict->attributes["fromkeys"] =
      makeNative("fromkeys", [](CallContext &call) -> Result {
        SmallVector<Value> bound;
        std::vector<Value> keys;
        if (failed(call.bind({"iterable", "value"}, 1, bound)) ||
            !call.interpreter.toVector(bound[0], call.range, keys))
          return failure();
        Ref<DictObject> dict(new DictObject());
        for (const Value &key : keys) {
          std::optional<uint64_t> hash = call.interpreter.hash(key, call.range);
          if (!hash)
            return failure();
          dict->table.set(key, *hash,
                          bound[1].isEmpty() ? Value::none() : bound[1]);
        }
        return Value(dict);
      });
  add("range", ValueKind::Range, makeRange);
  add("slice", ValueKind::Slice, [](CallContext &call) -> Result {
    Value parts[3] = {Value::none(), Value::none(), Value::none()};
    if (call.args.empty() || call.args.size() > 3)
      return call.raise("TypeError", "slice() takes one to three arguments");
    for (size_t i = 0; i < call.args.size(); ++i)
      parts[call.args.size() == 1 ? 1 : i] = call.args[i];
    return Value(new SliceObject(parts[0], parts[1], parts[2]));
  });
  add("type", ValueKind::Class, [](CallContext &call) -> Result {
    if (call.args.size() != 1)
      return call.raise("NotImplementedError",
                        "type() with three arguments is not supported");
    return call.interpreter.typeOf(call.args[0]);
  });
  NativeObject *object =
      add("object", ValueKind::Instance, [](CallContext &call) -> Result {
        return Value(
            new InstanceObject(Ref<ClassObject>(new ClassObject("object"))));
      });
  // A frozen dataclass sets its own fields in __post_init__ through this.
  object->attributes["__setattr__"] =
      makeNative("__setattr__", [](CallContext &call) -> Result {
        auto *instance =
            call.args.size() == 3 ? call.args[0].as<InstanceObject>() : nullptr;
        if (!instance || !call.args[1].isStr())
          return call.raise("TypeError",
                            "__setattr__() takes an object, a name and a "
                            "value");
        instance->attributes.set(call.args[1].getStr(), call.args[2]);
        return Value::none();
      });
  auto decorator = [&](StringRef name, PropertyObject::Flavour flavour) {
    builtins[name] = makeNative(name, [flavour](CallContext &call) -> Result {
      if (call.args.size() != 1)
        return call.raise("TypeError", call.callee + "() takes one function");
      return Value(new PropertyObject(flavour, call.args[0]));
    });
  };
  decorator("property", PropertyObject::Flavour::Property);
  decorator("staticmethod", PropertyObject::Flavour::Static);
  decorator("classmethod", PropertyObject::Flavour::ClassMethod);
}

} // namespace pl::frontend

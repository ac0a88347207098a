//===- StdModules.cpp - the standard modules that kernels import
//-----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// math, dataclasses, sys, os, functools, itertools, typing, enum, collections
// and a few more: the parts that module level and goldens use. Everything else
// of Python's library is an unknown module.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

using Result = FailureOr<Value>;
using Ctx = CallContext;

static Result wrap(Value value) {
  if (value.isEmpty())
    return failure();
  return value;
}

static Result oneNumber(Ctx &call, double &number) {
  if (call.args.size() != 1 || !call.keywords.empty())
    return call.raise("TypeError", call.callee + "() takes one number");
  FailureOr<double> given = call.asFloat(call.args[0], "the argument");
  if (failed(given))
    return failure();
  number = *given;
  return Value::none();
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

static Ref<ModuleObject> makeMath() {
  Ref<ModuleObject> module(new ModuleObject("math"));
  module->set("pi", Value::real(M_PI));
  module->set("e", Value::real(M_E));
  module->set("tau", Value::real(2 * M_PI));
  module->set("inf", Value::real(INFINITY));
  module->set("nan", Value::real(NAN));
  auto add = [&](StringRef name, NativeFn fn) {
    module->set(name, makeNative(name, std::move(fn)));
  };
  // Functions of one double; `good` says where they are defined.
  auto real = [&](StringRef name, double (*fn)(double),
                  bool (*good)(double) = nullptr) {
    add(name, [fn, good](Ctx &call) -> Result {
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      if (good && !good(x) && !std::isnan(x))
        return call.raise("ValueError", "math." + call.callee + "(" +
                                            formatDouble(x) +
                                            ") is not defined");
      double result = fn(x);
      if (std::isinf(result) && std::isfinite(x))
        return call.raise("OverflowError", "math." + call.callee + "(" +
                                               formatDouble(x) +
                                               ") is too large");
      return Value::real(result);
    });
  };
  real("sqrt", std::sqrt, [](double x) { return x >= 0; });
  real("exp", std::exp);
  real("expm1", std::expm1);
  real("log2", std::log2, [](double x) { return x > 0; });
  real("log10", std::log10, [](double x) { return x > 0; });
  real("log1p", std::log1p, [](double x) { return x > -1; });
  real("sin", std::sin, [](double x) { return std::isfinite(x); });
  real("cos", std::cos, [](double x) { return std::isfinite(x); });
  real("tan", std::tan, [](double x) { return std::isfinite(x); });
  real("asin", std::asin, [](double x) { return x >= -1 && x <= 1; });
  real("acos", std::acos, [](double x) { return x >= -1 && x <= 1; });
  real("atan", std::atan);
  real("sinh", std::sinh);
  real("cosh", std::cosh);
  real("tanh", std::tanh);
  real("erf", std::erf);
  real("fabs", std::fabs);
  real("degrees", [](double x) { return x * 180.0 / M_PI; });
  real("radians", [](double x) { return x * M_PI / 180.0; });
  add("log", [](Ctx &call) -> Result {
    if (call.args.empty() || call.args.size() > 2)
      return call.raise("TypeError", "log() takes one or two numbers");
    double parts[2];
    for (size_t i = 0; i < call.args.size(); ++i) {
      FailureOr<double> part = call.asFloat(call.args[i], "the argument");
      if (failed(part))
        return failure();
      if (*part <= 0)
        return call.raise("ValueError", "math.log(" + formatDouble(*part) +
                                            ") is not defined");
      parts[i] = std::log(*part);
    }
    if (call.args.size() == 2 && parts[1] == 0)
      return call.raise("ZeroDivisionError", "math.log() in base 1");
    return Value::real(call.args.size() == 2 ? parts[0] / parts[1] : parts[0]);
  });
  auto whole = [&](StringRef name, double (*fn)(double)) {
    add(name, [fn](Ctx &call) -> Result {
      if (call.args.size() == 1 && call.args[0].isIntOrBool())
        return Value::integer(call.args[0].getInt());
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      double result = fn(x);
      if (!(result >= -9223372036854775808.0 && result < 9223372036854775808.0))
        return call.raise(std::isnan(x) ? "ValueError" : "OverflowError",
                          "math." + call.callee + "(" + formatDouble(x) +
                              ") does not fit 64 bits");
      return Value::integer(static_cast<int64_t>(result));
    });
  };
  whole("floor", std::floor);
  whole("ceil", std::ceil);
  whole("trunc", std::trunc);
  auto two = [&](StringRef name, double (*fn)(double, double)) {
    add(name, [fn](Ctx &call) -> Result {
      if (call.args.size() != 2)
        return call.raise("TypeError", call.callee + "() takes two numbers");
      FailureOr<double> x = call.asFloat(call.args[0], "the argument");
      FailureOr<double> y = failed(x)
                                ? FailureOr<double>(failure())
                                : call.asFloat(call.args[1], "the argument");
      if (failed(y))
        return failure();
      return Value::real(fn(*x, *y));
    });
  };
  two("atan2", std::atan2);
  two("fmod", std::fmod);
  two("hypot", std::hypot);
  two("copysign", std::copysign);
  two("pow", std::pow);
  auto test = [&](StringRef name, bool (*fn)(double)) {
    add(name, [fn](Ctx &call) -> Result {
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      return Value::boolean(fn(x));
    });
  };
  test("isnan", [](double x) { return std::isnan(x); });
  test("isinf", [](double x) { return std::isinf(x); });
  test("isfinite", [](double x) { return std::isfinite(x); });
  add("isqrt", [](Ctx &call) -> Result {
    FailureOr<int64_t> n = call.args.size() == 1
                               ? call.asInt(call.args[0], "the argument")
                               : FailureOr<int64_t>(call.raise(
                                     "TypeError", "isqrt() takes one int"));
    if (failed(n))
      return failure();
    if (*n < 0)
      return call.raise("ValueError", "math.isqrt() of a negative number");
    int64_t root = std::sqrt(static_cast<long double>(*n));
    return Value::integer(root);
  });
  add("gcd", [](Ctx &call) -> Result {
    int64_t result = 0;
    for (const Value &arg : call.args) {
      FailureOr<int64_t> n = call.asInt(arg, "the argument");
      if (failed(n))
        return failure();
      int64_t a = result, b = *n;
      if (b == INT64_MIN)
        return call.raise("OverflowError", "math.gcd() does not fit 64 bits");
      b = std::abs(b);
      while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
      }
      result = a;
    }
    return Value::integer(result);
  });
  add("lcm", [](Ctx &call) -> Result {
    int64_t result = 1;
    for (const Value &arg : call.args) {
      FailureOr<int64_t> n = call.asInt(arg, "the argument");
      if (failed(n))
        return failure();
      if (*n == 0)
        return Value::integer(0);
      int64_t a = result, b = *n;
      while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
      }
      if (__builtin_mul_overflow(result / a, *n, &result) ||
          result == INT64_MIN)
        return call.raise("OverflowError", "math.lcm() does not fit 64 bits");
      result = std::abs(result);
    }
    return Value::integer(result);
  });
  add("prod", [](Ctx &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"iterable", "start"}, 1, bound)))
      return failure();
    Value product = bound[1].isEmpty() ? Value::integer(1) : bound[1];
    LogicalResult looped = call.interpreter.forEach(
        bound[0], call.range, [&](const Value &element) {
          product = call.interpreter.binary(BinOpKind::Mult, product, element,
                                            call.range);
          return !product.isEmpty();
        });
    return failed(looped) ? Result(failure()) : wrap(product);
  });
  return module;
}

//===----------------------------------------------------------------------===//
// dataclasses, functools, itertools, enum, collections, typing
//===----------------------------------------------------------------------===//

static Ref<ModuleObject> makeDataclasses() {
  Ref<ModuleObject> module(new ModuleObject("dataclasses"));
  module->set(
      "dataclass", makeNative("dataclass", [](Ctx &call) -> Result {
        auto *cls =
            call.args.size() == 1 ? call.args[0].as<ClassObject>() : nullptr;
        if (cls)
          return wrap(
              call.interpreter.applyDataclass(cls, call.keywords, call.range));
        if (!call.args.empty())
          return call.raise("TypeError", "dataclass() decorates a class");
        std::vector<std::pair<std::string, Value>> options;
        for (const NamedValue &keyword : call.keywords)
          options.push_back({keyword.name.str(), keyword.value});
        return makeNative("dataclass", [options](Ctx &inner) -> Result {
          auto *cls = inner.args.size() == 1 ? inner.args[0].as<ClassObject>()
                                             : nullptr;
          if (!cls)
            return inner.raise("TypeError", "dataclass() decorates a class");
          std::vector<NamedValue> keywords;
          for (const auto &[name, value] : options)
            keywords.push_back({name, value});
          return wrap(
              inner.interpreter.applyDataclass(cls, keywords, inner.range));
        });
      }));
  Ref<ClassObject> fieldClass(new ClassObject("Field"));
  module->set("Field", Value(fieldClass));
  module->set("field", makeNative("field", [fieldClass](Ctx &call) -> Result {
                Ref<InstanceObject> field(new InstanceObject(fieldClass));
                for (const NamedValue &keyword : call.keywords)
                  field->attributes.set(keyword.name, keyword.value);
                return Value(field);
              }));
  auto dataclassOf = [](Ctx &call) -> const InstanceObject * {
    const auto *instance =
        call.args.empty() ? nullptr : call.args[0].as<InstanceObject>();
    if (instance && instance->cls->isDataclass)
      return instance;
    (void)call.raise("TypeError",
                     call.callee + "() needs an instance of a dataclass");
    return nullptr;
  };
  module->set("replace", makeNative("replace", [=](Ctx &call) -> Result {
                const InstanceObject *instance = dataclassOf(call);
                if (!instance)
                  return failure();
                std::vector<NamedValue> keywords = call.keywords.vec();
                for (const ClassObject::Field &field : instance->cls->fields) {
                  const Value *value = instance->attributes.find(field.name);
                  bool given = llvm::any_of(call.keywords,
                                            [&](const NamedValue &keyword) {
                                              return keyword.name == field.name;
                                            });
                  if (field.init && value && !given)
                    keywords.push_back({field.name, *value});
                }
                return wrap(call.interpreter.instantiate(
                    instance->cls.get(), {}, keywords, call.range));
              }));
  module->set(
      "asdict", makeNative("asdict", [=](Ctx &call) -> Result {
        const InstanceObject *instance = dataclassOf(call);
        if (!instance)
          return failure();
        Ref<DictObject> dict(new DictObject());
        for (const ClassObject::Field &field : instance->cls->fields)
          if (const Value *value = instance->attributes.find(field.name))
            dict->table.set(field.name, call.interpreter.deepCopy(*value));
        return Value(dict);
      }));
  module->set("astuple", makeNative("astuple", [=](Ctx &call) -> Result {
                const InstanceObject *instance = dataclassOf(call);
                if (!instance)
                  return failure();
                std::vector<Value> values;
                for (const ClassObject::Field &field : instance->cls->fields)
                  if (const Value *value =
                          instance->attributes.find(field.name))
                    values.push_back(*value);
                return Value::tuple(std::move(values));
              }));
  module->set("fields", makeNative("fields", [](Ctx &call) -> Result {
                const ClassObject *cls = nullptr;
                if (call.args.size() == 1) {
                  cls = call.args[0].as<ClassObject>();
                  if (const auto *instance = call.args[0].as<InstanceObject>())
                    cls = instance->cls.get();
                }
                if (!cls || !cls->isDataclass)
                  return call.raise("TypeError", "fields() of no dataclass");
                Ref<ClassObject> type(new ClassObject("Field"));
                std::vector<Value> fields;
                for (const ClassObject::Field &field : cls->fields) {
                  Ref<InstanceObject> instance(new InstanceObject(type));
                  instance->attributes.set("name", Value::str(field.name));
                  if (!field.defaultValue.isEmpty())
                    instance->attributes.set("default", field.defaultValue);
                  fields.push_back(Value(instance));
                }
                return Value::tuple(std::move(fields));
              }));
  return module;
}

/// A decorator, with or without arguments, that changes nothing.
static NativeFn passThrough(bool withArguments) {
  return [withArguments](Ctx &call) -> Result {
    if (call.args.size() == 1 && call.keywords.empty() &&
        (call.args[0].as<FunctionObject>() || call.args[0].as<ClassObject>()))
      return call.args[0];
    if (!withArguments)
      return call.args.empty() ? Value::none() : call.args[0];
    return makeNative("decorator", passThrough(false));
  };
}

static Ref<ModuleObject> makeFunctools() {
  Ref<ModuleObject> module(new ModuleObject("functools"));
  // Caching changes nothing but time: host functions have no side effects that
  // matter here.
  for (StringRef name : {"lru_cache", "cache", "wraps", "total_ordering"})
    module->set(name, makeNative(name, passThrough(true)));
  module->set("cached_property",
              makeNative("cached_property", [](Ctx &call) -> Result {
                if (call.args.size() != 1)
                  return call.raise("TypeError",
                                    "cached_property() takes one function");
                return Value(new PropertyObject(PropertyObject::Flavour::Cached,
                                                call.args[0]));
              }));
  module->set("partial", makeNative("partial", [](Ctx &call) -> Result {
                if (call.args.empty())
                  return call.raise("TypeError", "partial() needs a function");
                std::vector<Value> args = call.args.vec();
                std::vector<std::pair<std::string, Value>> keywords;
                for (const NamedValue &keyword : call.keywords)
                  keywords.push_back({keyword.name.str(), keyword.value});
                return makeNative("partial", [args, keywords](Ctx &inner) {
                  std::vector<Value> all(args.begin() + 1, args.end());
                  all.insert(all.end(), inner.args.begin(), inner.args.end());
                  std::vector<NamedValue> named;
                  for (const auto &[name, value] : keywords)
                    if (llvm::none_of(inner.keywords,
                                      [&, &n = name](const NamedValue &given) {
                                        return given.name == n;
                                      }))
                      named.push_back({name, value});
                  named.insert(named.end(), inner.keywords.begin(),
                               inner.keywords.end());
                  return wrap(
                      inner.interpreter.call(args[0], all, named, inner.range));
                });
              }));
  module->set("reduce", makeNative("reduce", [](Ctx &call) -> Result {
                if (call.args.size() < 2 || call.args.size() > 3)
                  return call.raise("TypeError",
                                    "reduce() takes a function, an iterable "
                                    "and a start");
                Value total = call.args.size() == 3 ? call.args[2] : Value();
                LogicalResult looped = call.interpreter.forEach(
                    call.args[1], call.range, [&](const Value &element) {
                      total = total.isEmpty()
                                  ? element
                                  : call.interpreter.call(call.args[0],
                                                          {total, element}, {},
                                                          call.range);
                      return !total.isEmpty();
                    });
                if (failed(looped) || call.interpreter.hasPending())
                  return failure();
                if (total.isEmpty())
                  return call.raise("TypeError", "reduce() of nothing");
                return total;
              }));
  return module;
}

static Ref<ModuleObject> makeItertools() {
  Ref<ModuleObject> module(new ModuleObject("itertools"));
  auto gather = [](Ctx &call, ArrayRef<Value> args,
                   std::vector<std::vector<Value>> &pools) {
    for (const Value &arg : args) {
      pools.emplace_back();
      if (!call.interpreter.toVector(arg, call.range, pools.back()))
        return false;
    }
    return true;
  };
  module->set("product", makeNative("product", [=](Ctx &call) -> Result {
                std::vector<std::vector<Value>> pools;
                if (!gather(call, call.args, pools))
                  return failure();
                int64_t repeat = 1;
                for (const NamedValue &keyword : call.keywords) {
                  FailureOr<int64_t> given =
                      call.asInt(keyword.value, "repeat");
                  if (failed(given))
                    return failure();
                  repeat = *given;
                }
                std::vector<std::vector<Value>> rows{{}};
                for (int64_t r = 0; r < repeat; ++r)
                  for (const std::vector<Value> &pool : pools) {
                    if (!call.interpreter.checkSize(
                            int64_t(rows.size()) * int64_t(pool.size()) * 4,
                            call.range))
                      return failure();
                    std::vector<std::vector<Value>> next;
                    for (const std::vector<Value> &row : rows)
                      for (const Value &value : pool) {
                        next.push_back(row);
                        next.back().push_back(value);
                      }
                    rows = std::move(next);
                  }
                std::vector<Value> result;
                for (std::vector<Value> &row : rows)
                  result.push_back(Value::tuple(std::move(row)));
                return Value::list(std::move(result));
              }));
  auto chain = [=](Ctx &call, ArrayRef<Value> args) -> Result {
    std::vector<std::vector<Value>> pools;
    if (!gather(call, args, pools))
      return failure();
    std::vector<Value> result;
    for (const std::vector<Value> &pool : pools)
      result.insert(result.end(), pool.begin(), pool.end());
    return Value::list(std::move(result));
  };
  Value chainFn =
      makeNative("chain", [=](Ctx &call) { return chain(call, call.args); });
  chainFn.as<NativeObject>()->attributes["from_iterable"] =
      makeNative("from_iterable", [=](Ctx &call) -> Result {
        std::vector<Value> iterables;
        if (call.args.size() != 1 ||
            !call.interpreter.toVector(call.args[0], call.range, iterables))
          return call.interpreter.hasPending()
                     ? Result(failure())
                     : Result(call.raise("TypeError",
                                         "from_iterable() takes one iterable"));
        return chain(call, iterables);
      });
  module->set("chain", chainFn);
  module->set(
      "accumulate", makeNative("accumulate", [](Ctx &call) -> Result {
        std::vector<Value> elements;
        if (call.args.empty() ||
            !call.interpreter.toVector(call.args[0], call.range, elements))
          return failure();
        for (size_t i = 1; i < elements.size(); ++i) {
          elements[i] = call.interpreter.binary(BinOpKind::Add, elements[i - 1],
                                                elements[i], call.range);
          if (elements[i].isEmpty())
            return failure();
        }
        return Value::list(std::move(elements));
      }));
  return module;
}

static Ref<ModuleObject> makeEnum() {
  Ref<ModuleObject> module(new ModuleObject("enum"));
  for (StringRef name : {"Enum", "IntEnum", "Flag", "IntFlag", "StrEnum"}) {
    Ref<ClassObject> cls(new ClassObject(name.str()));
    cls->isEnum = true;
    module->set(name, Value(cls));
  }
  module->set("auto", makeNative("auto", [](Ctx &) -> Result {
                return Value::none();
              }));
  module->set("unique", makeNative("unique", passThrough(false)));
  return module;
}

static Ref<ModuleObject> makeCollections() {
  Ref<ModuleObject> module(new ModuleObject("collections"));
  module->set("OrderedDict", Value()); // filled by the caller with `dict`
  module->set("namedtuple", makeNative("namedtuple", [](Ctx &call) -> Result {
                SmallVector<Value> bound;
                if (failed(call.bind({"typename", "field_names"}, 2, bound)))
                  return failure();
                FailureOr<StringRef> name = call.asStr(bound[0], "the name");
                if (failed(name))
                  return failure();
                std::vector<std::string> fields;
                if (bound[1].isStr()) {
                  std::string text = bound[1].getStr().str();
                  std::replace(text.begin(), text.end(), ',', ' ');
                  SmallVector<StringRef> parts;
                  StringRef(text).split(parts, ' ', -1, false);
                  for (StringRef part : parts)
                    fields.push_back(part.str());
                } else {
                  FailureOr<std::vector<Value>> names =
                      call.asSequence(bound[1], "the fields");
                  if (failed(names))
                    return failure();
                  for (const Value &field : *names)
                    fields.push_back(str(field));
                }
                std::string type = name->str();
                return makeNative(type, [type, fields](Ctx &make) -> Result {
                  SmallVector<StringRef> names(fields.begin(), fields.end());
                  SmallVector<Value> values;
                  if (failed(make.bind(names, names.size(), values)))
                    return failure();
                  auto *tuple = new TupleObject(
                      std::vector<Value>(values.begin(), values.end()));
                  Value result(tuple);
                  tuple->fieldNames = fields;
                  return result;
                });
              }));
  return module;
}

/// Names of `typing`: they may be subscripted, combined with | and ignored.
static Ref<ModuleObject> makeTyping(StringRef moduleName) {
  Ref<ModuleObject> module(new ModuleObject(moduleName.str()));
  for (StringRef name : {"Any",       "Callable", "ClassVar",
                         "Dict",      "Final",    "Generic",
                         "Iterable",  "Iterator", "List",
                         "Literal",   "Mapping",  "Optional",
                         "Sequence",  "Set",      "Tuple",
                         "Type",      "Union",    "Protocol",
                         "Annotated", "Hashable", "MutableMapping",
                         "Generator", "Self",     "TypeAlias"})
    module->set(name, Value(new ClassObject(name.str())));
  Ref<ClassObject> named(new ClassObject("NamedTuple"));
  module->set("NamedTuple", Value(named));
  module->set("TYPE_CHECKING", Value::boolean(false));
  for (StringRef name : {"TypeVar", "NewType", "ParamSpec"})
    module->set(name, makeNative(name, [](Ctx &call) -> Result {
                  return Value(new ClassObject(
                      call.args.empty() ? "TypeVar" : str(call.args[0])));
                }));
  module->set("cast", makeNative("cast", [](Ctx &call) -> Result {
                if (call.args.size() != 2)
                  return call.raise("TypeError", "cast() takes two arguments");
                return call.args[1];
              }));
  for (StringRef name : {"overload", "final", "runtime_checkable"})
    module->set(name, makeNative(name, passThrough(false)));
  return module;
}

//===----------------------------------------------------------------------===//
// sys and os
//===----------------------------------------------------------------------===//

static Ref<ModuleObject> makeSys(const LoadOptions &options,
                                 StringRef program) {
  Ref<ModuleObject> module(new ModuleObject("sys"));
  std::vector<Value> argv{Value::str(program)};
  for (const std::string &arg : options.argv)
    argv.push_back(Value::str(arg));
  module->set("argv", Value::list(std::move(argv)));
  StringRef directory = sys::path::parent_path(program);
  module->set("path",
              Value::list({Value::str(directory.empty() ? "." : directory)}));
  module->set("modules", Value(new DictObject()));
  module->set("platform", Value::str("linux"));
  module->set("maxsize", Value::integer(INT64_MAX));
  module->set(
      "version_info",
      Value::tuple({Value::integer(3), Value::integer(10), Value::integer(0)}));
  module->set("exit", makeNative("exit", [](Ctx &call) -> Result {
                return call.raise("SystemExit",
                                  call.args.empty() ? "0" : str(call.args[0]));
              }));
  Ref<ModuleObject> stream(new ModuleObject("stream"));
  for (StringRef name : {"write", "flush"})
    stream->set(
        name, makeNative(name, [](Ctx &) -> Result { return Value::none(); }));
  module->set("stderr", Value(stream));
  module->set("stdout", Value(stream));
  return module;
}

static Ref<ModuleObject> makeOs() {
  Ref<ModuleObject> module(new ModuleObject("os"));
  auto text = [](Ctx &call, size_t i) -> FailureOr<std::string> {
    if (i >= call.args.size())
      return call.raise("TypeError", call.callee + "() needs a path");
    FailureOr<StringRef> given = call.asStr(call.args[i], "the path");
    if (failed(given))
      return failure();
    return given->str();
  };
  auto getenv = [](Ctx &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"key", "default"}, 1, bound)))
      return failure();
    FailureOr<StringRef> name = call.asStr(bound[0], "the name");
    if (failed(name))
      return failure();
    if (std::optional<std::string> value = sys::Process::GetEnv(*name))
      return Value::str(*value);
    return bound[1].isEmpty() ? Value::none() : bound[1];
  };
  Ref<ModuleObject> environ(new ModuleObject("environ"));
  environ->set("get", makeNative("get", getenv));
  environ->set("setdefault", makeNative("setdefault", getenv));
  module->set("environ", Value(environ));
  module->set("getenv", makeNative("getenv", getenv));
  Ref<ModuleObject> path(new ModuleObject("os.path"));
  path->set("join", makeNative("join", [text](Ctx &call) -> Result {
              SmallString<128> joined;
              for (size_t i = 0; i < call.args.size(); ++i) {
                FailureOr<std::string> part = text(call, i);
                if (failed(part))
                  return failure();
                if (sys::path::is_absolute(*part))
                  joined.clear();
                sys::path::append(joined, *part);
              }
              return Value::str(joined);
            }));
  auto map = [&](StringRef name, std::string (*fn)(StringRef)) {
    path->set(name, makeNative(name, [fn, text](Ctx &call) -> Result {
                FailureOr<std::string> given = text(call, 0);
                if (failed(given))
                  return failure();
                return Value::str(fn(*given));
              }));
  };
  map("dirname", [](StringRef p) { return sys::path::parent_path(p).str(); });
  map("basename", [](StringRef p) { return sys::path::filename(p).str(); });
  auto absolute = [](StringRef p) {
    SmallString<128> full(p);
    (void)sys::fs::make_absolute(full);
    sys::path::remove_dots(full, true);
    return full.str().str();
  };
  map("abspath", absolute);
  map("realpath", absolute);
  map("normpath", [](StringRef p) {
    SmallString<128> full(p);
    sys::path::remove_dots(full, true);
    return full.str().str();
  });
  auto test = [&](StringRef name, bool (*fn)(const Twine &)) {
    path->set(name, makeNative(name, [fn, text](Ctx &call) -> Result {
                FailureOr<std::string> given = text(call, 0);
                if (failed(given))
                  return failure();
                return Value::boolean(fn(*given));
              }));
  };
  test("exists", [](const Twine &p) { return sys::fs::exists(p); });
  test("isdir", [](const Twine &p) { return sys::fs::is_directory(p); });
  test("isfile", [](const Twine &p) { return sys::fs::is_regular_file(p); });
  module->set("path", Value(path));
  return module;
}

/// pathlib, in the language itself: enough to find a file beside a module.
static constexpr StringLiteral kPathlib = R"py(
import os


class Path:
    def __init__(self, *parts):
        self._path = os.path.join(*[str(part) for part in parts]) if parts else "."

    def __str__(self):
        return self._path

    def __repr__(self):
        return f"Path({self._path!r})"

    def __fspath__(self):
        return self._path

    def __eq__(self, other):
        return isinstance(other, Path) and self._path == other._path

    def __hash__(self):
        return hash(self._path)

    def __truediv__(self, part):
        return Path(self._path, part)

    def joinpath(self, *parts):
        return Path(self._path, *parts)

    def resolve(self):
        return Path(os.path.abspath(self._path))

    def absolute(self):
        return self.resolve()

    def exists(self):
        return os.path.exists(self._path)

    def is_dir(self):
        return os.path.isdir(self._path)

    def is_file(self):
        return os.path.isfile(self._path)

    def as_posix(self):
        return self._path

    @property
    def parent(self):
        return Path(os.path.dirname(self._path) or ".")

    @property
    def parents(self):
        result = []
        current = self._path
        while os.path.dirname(current) not in ("", current):
            current = os.path.dirname(current)
            result.append(Path(current))
        return result

    @property
    def name(self):
        return os.path.basename(self._path)

    @property
    def suffix(self):
        dot = self.name.rfind(".")
        return self.name[dot:] if dot > 0 else ""

    @property
    def stem(self):
        return self.name.removesuffix(self.suffix)


PurePath = Path
PosixPath = Path
)py";

Value Interpreter::makeStandardModule(StringRef name) {
  if (name == "pathlib") {
    uint32_t buffer = sources.addBuffer("<pathlib>", kPathlib.trim());
    return Value(loadBuffer("pathlib", "<pathlib>", buffer));
  }
  if (name == "math")
    return Value(makeMath());
  if (name == "dataclasses")
    return Value(makeDataclasses());
  if (name == "functools")
    return Value(makeFunctools());
  if (name == "itertools")
    return Value(makeItertools());
  if (name == "enum")
    return Value(makeEnum());
  if (name == "collections") {
    Ref<ModuleObject> module = makeCollections();
    module->set("OrderedDict", builtins["dict"]);
    module->set("abc", Value(makeTyping("collections.abc")));
    return Value(module);
  }
  if (name == "typing" || name == "typing_extensions" ||
      name == "collections.abc")
    return Value(makeTyping(name));
  if (name == "__future__") {
    Ref<ModuleObject> module(new ModuleObject("__future__"));
    module->set("annotations", Value::none());
    return Value(module);
  }
  if (name == "sys")
    return Value(makeSys(options, mainModule ? mainModule->path : ""));
  if (name == "os")
    return Value(makeOs());
  if (name == "os.path")
    return *importBuiltinModule("os").as<ModuleObject>()->find("path");
  if (name == "types") {
    Ref<ModuleObject> module(new ModuleObject("types"));
    Ref<ClassObject> cls(new ClassObject("SimpleNamespace"));
    module->set("SimpleNamespace",
                makeNative("SimpleNamespace", [cls](Ctx &call) -> Result {
                  Ref<InstanceObject> instance(new InstanceObject(cls));
                  for (const NamedValue &keyword : call.keywords)
                    instance->attributes.set(keyword.name, keyword.value);
                  return Value(instance);
                }));
    return Value(module);
  }
  if (name == "copy") {
    Ref<ModuleObject> module(new ModuleObject("copy"));
    module->set("deepcopy", makeNative("deepcopy", [](Ctx &call) -> Result {
                  if (call.args.empty())
                    return call.raise("TypeError", "deepcopy() of nothing");
                  return call.interpreter.deepCopy(call.args[0]);
                }));
    return Value(module);
  }
  if (name == "warnings") {
    Ref<ModuleObject> module(new ModuleObject("warnings"));
    for (StringRef function : {"warn", "filterwarnings", "simplefilter"})
      module->set(function, makeNative(function, [](Ctx &) -> Result {
                    return Value::none();
                  }));
    return Value(module);
  }
  return Value();
}

} // namespace pl::frontend

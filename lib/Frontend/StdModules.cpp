//===- StdModules.cpp - the standard modules that kernels import ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// math, dataclasses, sys, os, functools, itertools, typing, enum, collections
// and a few more: the parts that module level and goldens use. math has a file
// of its own, and so have the modules that ask the system. Everything else of
// Python's library is an unknown module.
//
//===----------------------------------------------------------------------===//

#include "StdModules.h"

using namespace llvm;

namespace pl::frontend {

using Ctx = CallContext;

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

Value Interpreter::makeStandardModule(StringRef name) {
  if (name == "pathlib") {
    uint32_t buffer = sources.addBuffer("<pathlib>", getPathlibSource());
    Ref<ModuleObject> module = loadBuffer("pathlib", "<pathlib>", buffer);
    module->isLibrary = true;
    return Value(module);
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

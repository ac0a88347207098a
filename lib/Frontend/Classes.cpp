//===- Classes.cpp - class definitions, dataclasses, instances ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace pl::frontend {

const Value *ClassObject::lookup(StringRef attribute) const {
  if (const Value *found = attributes.find(attribute))
    return found;
  for (const Ref<ClassObject> &ancestor : ancestors)
    if (const Value *found = ancestor->attributes.find(attribute))
      return found;
  return nullptr;
}

bool ClassObject::isSubclassOf(const ClassObject *other) const {
  return this == other || is_contained(ancestors, other);
}

/// A class comes before its bases, and these in the order they are written:
/// the orders of the bases are merged, taking what stands behind nothing.
bool ClassObject::orderAncestors() {
  SmallVector<std::vector<Ref<ClassObject>>> orders;
  for (const Ref<ClassObject> &base : bases) {
    orders.push_back({base});
    llvm::append_range(orders.back(), base->ancestors);
  }
  orders.push_back(bases);
  ancestors.clear();
  while (true) {
    llvm::erase_if(orders, [](const auto &order) { return order.empty(); });
    if (orders.empty())
      return true;
    Ref<ClassObject> next;
    for (const auto &candidate : orders) {
      bool isBehind = llvm::any_of(orders, [&](const auto &order) {
        return is_contained(ArrayRef(order).drop_front(), candidate.front());
      });
      if (!isBehind) {
        next = candidate.front();
        break;
      }
    }
    if (!next)
      return false;
    ancestors.push_back(next);
    for (auto &order : orders)
      if (order.front() == next)
        order.erase(order.begin());
  }
}

//===----------------------------------------------------------------------===//
// Functions and decorators
//===----------------------------------------------------------------------===//

/// Of a module that was not found, or a name that torch or a standard module
/// lacks. A misspelt decorator of pl makes no kernel, so that one is called and
/// raises.
static bool isUnknownDecorator(const Value &decorator) {
  const auto *opaque = decorator.as<OpaqueObject>();
  return opaque &&
         !(opaque->isLacking() && StringRef(opaque->module).starts_with("pl"));
}

/// In the order they are written; false when one raised.
static bool evaluateDecorators(Interpreter &interpreter, ExprList written,
                               Env &env, SmallVectorImpl<Value> &decorators) {
  for (const Expr *expr : written) {
    // `@lacking(...)` is as unknown as `@lacking`.
    if (const auto *call = dyn_cast<CallExpr>(expr))
      if (isa<NameExpr, AttributeExpr>(call->callee)) {
        Value callee = interpreter.evaluate(call->callee, env);
        if (callee.isEmpty())
          return false;
        if (isUnknownDecorator(callee)) {
          decorators.push_back(std::move(callee));
          continue;
        }
      }
    Value decorator = interpreter.evaluate(expr, env);
    if (decorator.isEmpty())
      return false;
    decorators.push_back(std::move(decorator));
  }
  return true;
}

Value Interpreter::defineFunction(const FunctionDefStmt *statement, Env &env) {
  SmallVector<Value, 2> decorators;
  if (!evaluateDecorators(*this, statement->decorators, env, decorators))
    return Value();
  Ref<FunctionObject> function(new FunctionObject());
  function->name = statement->name.name.str().str();
  function->def = statement;
  function->params = statement->params;
  function->module = env.module;
  // Methods see the names around the class, not those in it.
  function->closure = Ref<Frame>(env.frame);
  function->scope = analyse(statement, env.scope);
  if (!makeDefaults(statement->params, env, function->defaults))
    return Value();
  Value result(function);
  for (size_t i = decorators.size(); i-- > 0;) {
    // A decorator of a module that was not found leaves the function as it is:
    // what it would have done cannot matter here.
    if (isUnknownDecorator(decorators[i]))
      continue;
    result = call(decorators[i], result, {}, statement->decorators[i]->range);
    if (result.isEmpty())
      return result;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

Value Interpreter::defineClass(const ClassDefStmt *statement, Env &env) {
  SmallVector<Value, 2> decorators;
  if (!evaluateDecorators(*this, statement->decorators, env, decorators))
    return Value();
  Ref<ClassObject> cls(new ClassObject(statement->name.name.str().str()));
  allClasses.push_back(cls);
  cls->range = statement->headerRange;
  Value opaqueBase;
  bool isNamedTuple = false;
  for (const Expr *expr : statement->bases) {
    Value base = evaluate(expr, env);
    if (base.isEmpty())
      return base;
    if (auto *other = base.as<ClassObject>()) {
      cls->bases.push_back(Ref<ClassObject>(other));
      cls->isException |= other->isException;
      cls->isEnum |= other->isEnum;
      isNamedTuple |= other->name == "NamedTuple";
      continue;
    }
    if (base.as<OpaqueObject>()) {
      opaqueBase = base;
      continue;
    }
    // `object`, `int`, `Generic[T]`: nothing is inherited from them here.
    const auto *native = base.as<NativeObject>();
    if (native && native->constructs && native->name != "object" &&
        !cls->isEnum)
      return fail("NotImplementedError",
                  "a class derived from '" + native->name +
                      "' is not supported",
                  expr->range);
  }
  for (const KeywordArg &keyword : statement->keywords)
    if (evaluate(keyword.value, env).isEmpty())
      return Value();
  if (!cls->orderAncestors())
    return fail("TypeError",
                "the bases of class '" + cls->name +
                    "' come in no order that suits all of them",
                statement->headerRange);
  if (cls->ancestors.size() > ClassObject::kMaxAncestors)
    return fail("TypeError",
                "class '" + cls->name + "' inherits from more than " +
                    Twine(ClassObject::kMaxAncestors) + " classes",
                statement->headerRange);

  Env body = env;
  body.classBody = cls.get();
  cls->attributes.set("__name__", Value::str(cls->name));
  cls->attributes.set("__module__", Value::str(env.module->name));
  Flow flow = execute(statement->body, body);
  if (flow == Flow::Raise)
    return Value();
  if (!opaqueBase.isEmpty())
    return opaqueBase; // an instance of it would be as unknown as its base

  if (cls->isEnum) {
    // Plain values become members.
    SmallVector<std::pair<std::string, Value>> members;
    for (const ValueTable::Entry &entry : cls->attributes.getEntries()) {
      if (entry.key.isEmpty() || entry.key.getStr().starts_with("_") ||
          entry.value.as<FunctionObject>() || entry.value.as<PropertyObject>())
        continue;
      members.push_back({entry.key.getStr().str(), entry.value});
    }
    std::vector<Value> all;
    int64_t next = 1;
    for (auto &[name, value] : members) {
      // enum.auto() is the native itself, called: it gives None.
      if (value.isNone())
        value = Value::integer(next);
      if (value.isInt())
        next = value.getInt() + 1;
      Ref<InstanceObject> member(new InstanceObject(cls));
      member->attributes.set("name", Value::str(name));
      member->attributes.set("value", value);
      all.push_back(Value(member));
      cls->attributes.set(name, Value(member));
    }
    cls->attributes.set("__members__", Value::list(std::move(all)));
  }
  Value result(cls);
  if (isNamedTuple)
    result = applyDataclass(cls.get(), {}, statement->headerRange);
  for (size_t i = decorators.size(); !result.isEmpty() && i-- > 0;)
    if (!isUnknownDecorator(decorators[i]))
      result = call(decorators[i], result, {}, statement->decorators[i]->range);
  return result;
}

//===----------------------------------------------------------------------===//
// Dataclasses
//===----------------------------------------------------------------------===//

Value Interpreter::applyDataclass(ClassObject *cls,
                                  ArrayRef<NamedValue> options,
                                  SourceRange range) {
  cls->isDataclass = true;
  for (const NamedValue &option : options) {
    std::optional<bool> on = truth(option.value, range);
    if (!on)
      return Value();
    if (option.name == "frozen")
      cls->isFrozen = *on;
    else if (option.name == "eq")
      cls->hasEq = *on;
    else if (option.name == "order")
      cls->hasOrder = *on;
    else if (!StringSwitch<bool>(option.name)
                  .Cases({"init", "repr", "unsafe_hash", "slots", "kw_only",
                          "match_args"},
                         true)
                  .Default(false))
      return fail("TypeError",
                  "dataclass() has no parameter '" + option.name + "'", range);
  }
  auto addField = [&](ClassObject::Field field) {
    for (ClassObject::Field &existing : cls->fields)
      if (existing.name == field.name) {
        existing = std::move(field);
        return;
      }
    cls->fields.push_back(std::move(field));
  };
  for (const Ref<ClassObject> &base : cls->bases)
    if (base->isDataclass)
      for (const ClassObject::Field &field : base->fields)
        addField(field);
  for (const std::string &name : cls->annotated) {
    ClassObject::Field field;
    field.name = name;
    if (const Value *given = cls->attributes.find(name)) {
      // dataclasses.field(...) is an instance of a class of that name.
      const auto *instance = given->as<InstanceObject>();
      if (instance && instance->cls->name == "Field") {
        auto read = [&](StringRef key) {
          const Value *value = instance->attributes.find(key);
          return value ? *value : Value();
        };
        field.defaultValue = read("default");
        field.defaultFactory = read("default_factory");
        auto flag = [&](StringRef key, bool &flag) {
          Value value = read(key);
          if (value.isBool())
            flag = value.getBool();
        };
        flag("init", field.init);
        flag("compare", field.compare);
        flag("repr", field.showInRepr);
        Value key = Value::str(name);
        Value defaultValue = field.defaultValue;
        cls->attributes.erase(key, *hashValue(key));
        if (!defaultValue.isEmpty())
          cls->attributes.set(name, defaultValue);
      } else {
        if (given->as<ListObject>() || given->as<DictObject>() ||
            given->as<SetObject>())
          return fail("ValueError",
                      "mutable default of field '" + name +
                          "' would be shared by all instances; use "
                          "field(default_factory=...)",
                      cls->range);
        field.defaultValue = *given;
      }
    }
    addField(std::move(field));
  }
  bool sawDefault = false;
  for (const ClassObject::Field &field : cls->fields) {
    bool hasDefault =
        !field.defaultValue.isEmpty() || !field.defaultFactory.isEmpty();
    if (!field.init)
      continue;
    if (sawDefault && !hasDefault)
      return fail("TypeError",
                  "field '" + field.name +
                      "' without a default follows one with a default",
                  cls->range);
    sawDefault |= hasDefault;
  }
  return Value(cls);
}

Value Interpreter::instantiate(ClassObject *cls, ArrayRef<Value> args,
                               ArrayRef<NamedValue> keywords,
                               SourceRange range) {
  if (!step(range))
    return Value();
  if (cls->isEnum) {
    // Color(1): the member of that value.
    const Value *members = cls->attributes.find("__members__");
    if (members && args.size() == 1)
      for (const Value &member : members->as<ListObject>()->elements) {
        const Value *value =
            member.as<InstanceObject>()->attributes.find("value");
        if (value && equalValues(*value, args.front()))
          return member;
      }
    return fail("ValueError",
                (args.empty() ? "no value" : shortRepr(args.front())) +
                    " is no member of '" + cls->name + "'",
                range);
  }
  Ref<InstanceObject> instance(new InstanceObject(Ref<ClassObject>(cls)));
  Value self(instance);
  if (cls->isException)
    instance->attributes.set("args", Value::tuple(args.vec()));
  if (const Value *init = cls->lookup("__init__")) {
    SmallVector<Value, 6> all{self};
    all.append(args.begin(), args.end());
    Value function = *init;
    return call(function, all, keywords, range).isEmpty() ? Value() : self;
  }
  if (cls->isDataclass) {
    auto message = [&](const Twine &text) {
      return fail("TypeError", cls->name + "() " + text, range);
    };
    size_t next = 0, settable = 0;
    for (const ClassObject::Field &field : cls->fields) {
      if (!field.init)
        continue;
      ++settable;
      if (next < args.size())
        instance->attributes.set(field.name, args[next++]);
    }
    if (next < args.size())
      return message("takes " + Twine(settable) + " arguments, but got " +
                     Twine(args.size()));
    for (const NamedValue &keyword : keywords) {
      SmallVector<StringRef> names;
      for (const ClassObject::Field &field : cls->fields)
        if (field.init)
          names.push_back(field.name);
      if (!is_contained(names, keyword.name))
        return message("has no field '" + keyword.name + "'" +
                       didYouMean(keyword.name, names));
      if (instance->attributes.find(keyword.name))
        return message("got two values for '" + keyword.name + "'");
      instance->attributes.set(keyword.name, keyword.value);
    }
    for (const ClassObject::Field &field : cls->fields) {
      if (instance->attributes.find(field.name))
        continue;
      Value value = field.defaultValue;
      if (!field.defaultFactory.isEmpty()) {
        value = call(field.defaultFactory, {}, {}, range);
        if (value.isEmpty())
          return value;
      }
      if (value.isEmpty() && !field.init)
        continue;
      if (value.isEmpty())
        return message("misses the field '" + field.name + "'");
      instance->attributes.set(field.name, value);
    }
    if (const Value *after = cls->lookup("__post_init__")) {
      Value function = *after;
      if (call(function, self, {}, range).isEmpty())
        return Value();
    }
    return self;
  }
  if (!cls->isException && (!args.empty() || !keywords.empty()))
    return fail("TypeError", cls->name + "() takes no arguments", range);
  return self;
}

} // namespace pl::frontend

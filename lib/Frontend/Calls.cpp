//===- Calls.cpp - calling functions and classes --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Array.h"

using namespace llvm;

namespace pl::frontend {

Value makeNative(StringRef name, NativeFn fn) {
  return Value(new NativeObject(name.str(), std::move(fn)));
}

//===----------------------------------------------------------------------===//
// Arguments of native functions
//===----------------------------------------------------------------------===//

LogicalResult CallContext::bind(ArrayRef<StringRef> names, unsigned required,
                                SmallVectorImpl<Value> &values) {
  values.assign(names.size(), Value());
  if (args.size() > names.size())
    return raise("TypeError", callee + "() takes at most " +
                                  Twine(names.size()) + " argument" +
                                  (names.size() == 1 ? "" : "s") +
                                  ", but got " + Twine(args.size()));
  for (size_t i = 0; i < args.size(); ++i)
    values[i] = args[i];
  for (const NamedValue &keyword : keywords) {
    const auto *it = llvm::find(names, keyword.name);
    if (it == names.end())
      return raise("TypeError", callee + "() has no parameter '" +
                                    keyword.name + "'" +
                                    didYouMean(keyword.name, names));
    Value &slot = values[it - names.begin()];
    if (!slot.isEmpty())
      return raise("TypeError",
                   callee + "() got two values for '" + keyword.name + "'");
    slot = keyword.value;
  }
  for (size_t i = 0; i < required; ++i)
    if (values[i].isEmpty())
      return raise("TypeError",
                   callee + "() misses the argument '" + names[i] + "'");
  return success();
}

FailureOr<int64_t> CallContext::asInt(const Value &value, StringRef what) {
  std::optional<int64_t> result = interpreter.toIndex(value, range, what);
  if (!result)
    return failure();
  return *result;
}

FailureOr<double> CallContext::asFloat(const Value &value, StringRef what) {
  if (value.isNumber())
    return value.getNumber();
  if (value.isArray() && interpreter.arrays) {
    FailureOr<Value> item = interpreter.arrays->item(*this, value);
    if (failed(item))
      return failure();
    if (item->isNumber())
      return item->getNumber();
  }
  if (value.as<OpaqueObject>())
    return interpreter.raiseOpaque(value, range);
  return raise("TypeError", callee + "(): " + what +
                                " must be a number, not '" +
                                getTypeName(value) + "'");
}

FailureOr<bool> CallContext::asBool(const Value &value, StringRef what) {
  std::optional<bool> result = interpreter.truth(value, range);
  if (!result)
    return failure();
  return *result;
}

FailureOr<StringRef> CallContext::asStr(const Value &value, StringRef what) {
  if (value.isStr())
    return value.getStr();
  if (value.as<OpaqueObject>())
    return interpreter.raiseOpaque(value, range);
  return raise("TypeError", callee + "(): " + what +
                                " must be a string, not '" +
                                getTypeName(value) + "'");
}

FailureOr<std::vector<Value>> CallContext::asSequence(const Value &value,
                                                      StringRef what) {
  std::vector<Value> elements;
  if (!interpreter.toVector(value, range, elements))
    return failure();
  return elements;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Interpreter::makeDefaults(ArrayRef<Param> params, Env &env,
                               std::vector<Value> &defaults) {
  for (size_t i = 0; i < params.size(); ++i) {
    if (!params[i].defaultValue)
      continue;
    defaults.resize(params.size());
    defaults[i] = evaluate(params[i].defaultValue, env);
    if (defaults[i].isEmpty())
      return false;
  }
  return true;
}

bool Interpreter::bindArguments(const FunctionObject *function, Frame &frame,
                                ArrayRef<Value> args,
                                ArrayRef<NamedValue> keywords,
                                SourceRange range) {
  // The first slots of a function are its parameters, in order.
  ArrayRef<Param> params = function->params;
  auto message = [&](const Twine &text) {
    (void)raise("TypeError", function->name + "() " + text, range);
    return false;
  };
  size_t next = 0;
  std::vector<Value> surplus;
  Ref<DictObject> extra;
  size_t starSlot = params.size(), kwSlot = params.size();
  for (size_t i = 0; i < params.size(); ++i) {
    switch (params[i].kind) {
    case ParamKind::PositionalOnly:
    case ParamKind::Normal:
      if (next < args.size())
        frame.slots[i] = args[next++];
      break;
    case ParamKind::VarPositional:
      starSlot = i;
      break;
    case ParamKind::VarKeyword:
      kwSlot = i;
      extra = new DictObject();
      break;
    case ParamKind::KeywordOnly:
      break;
    }
  }
  if (next < args.size() && starSlot == params.size())
    return message("takes " + Twine(next) + " positional argument" +
                   (next == 1 ? "" : "s") + ", but got " + Twine(args.size()));
  if (starSlot != params.size())
    frame.slots[starSlot] =
        Value::tuple(std::vector<Value>(args.begin() + next, args.end()));

  for (const NamedValue &keyword : keywords) {
    size_t i = 0;
    for (; i < params.size(); ++i)
      if (params[i].name.str() == keyword.name &&
          (params[i].kind == ParamKind::Normal ||
           params[i].kind == ParamKind::KeywordOnly))
        break;
    if (i == params.size()) {
      if (extra) {
        extra->table.set(keyword.name, keyword.value);
        continue;
      }
      SmallVector<StringRef> names;
      for (const Param &param : params)
        names.push_back(param.name);
      return message("has no parameter '" + keyword.name + "'" +
                     didYouMean(keyword.name, names));
    }
    if (!frame.slots[i].isEmpty())
      return message("got two values for '" + keyword.name + "'");
    frame.slots[i] = keyword.value;
  }
  if (extra)
    frame.slots[kwSlot] = Value(extra);
  for (size_t i = 0; i < params.size(); ++i) {
    if (!frame.slots[i].isEmpty())
      continue;
    if (i < function->defaults.size() && !function->defaults[i].isEmpty())
      frame.slots[i] = function->defaults[i];
    else
      return message("misses the argument '" + params[i].name.str() + "'");
  }
  return true;
}

Value Interpreter::callFunction(const FunctionObject *function,
                                ArrayRef<Value> args,
                                ArrayRef<NamedValue> keywords,
                                SourceRange range) {
  if (!step(range) || !checkStack(range))
    return Value();
  if (callDepth >= options.recursionLimit)
    return fail("RecursionError",
                "more than " + Twine(options.recursionLimit) +
                    " calls within calls; does '" + function->name +
                    "' call itself forever?",
                range);
  if (function->scope->isGenerator || (function->def && function->def->isAsync))
    return fail(
        "NotImplementedError",
        "'" + function->name + "' is " +
            (function->scope->isGenerator ? "a generator" : "an async") +
            " function, which is not supported; return a list instead",
        range);
  Ref<Frame> frame = makeFrame(function->scope, function->closure.get(),
                               function->module.get());
  Ref<FunctionObject> alive(const_cast<FunctionObject *>(function));
  if (!bindArguments(function, *frame, args, keywords, range))
    return Value();
  CallScope scope(*this, "in the call of '" + function->name + "'", range);
  Env env;
  env.module = function->module.get();
  env.frame = frame.get();
  env.scope = function->scope;
  if (function->lambda)
    return evaluate(function->lambda->body, env);
  switch (execute(function->def->body, env)) {
  case Flow::Return:
    return std::move(returnValue);
  case Flow::Raise:
    return Value();
  default:
    return Value::none();
  }
}

Value Interpreter::callNative(const NativeObject *native, ArrayRef<Value> args,
                              ArrayRef<NamedValue> keywords,
                              SourceRange range) {
  if (!step(range) || !checkStack(range))
    return Value();
  Ref<NativeObject> alive(const_cast<NativeObject *>(native));
  // Libraries need not know of lazy values.
  SmallVector<Value, 4> forcedArgs;
  SmallVector<NamedValue, 4> forcedKeywords;
  auto isLazy = [](const Value &value) {
    return value.getKind() == ValueKind::Lazy;
  };
  if (llvm::any_of(args, isLazy) ||
      llvm::any_of(keywords, [&](const NamedValue &keyword) {
        return isLazy(keyword.value);
      })) {
    for (const Value &arg : args) {
      forcedArgs.push_back(force(arg, range));
      if (forcedArgs.back().isEmpty())
        return Value();
    }
    for (const NamedValue &keyword : keywords) {
      forcedKeywords.push_back({keyword.name, force(keyword.value, range)});
      if (forcedKeywords.back().value.isEmpty())
        return Value();
    }
    args = forcedArgs;
    keywords = forcedKeywords;
  }
  CallContext context(*this, range, native->name, args, keywords);
  FailureOr<Value> result = native->fn(context);
  if (failed(result) || result->isEmpty()) {
    // A native that fails has raised.
    if (!pending)
      (void)raise("RuntimeError", "'" + native->name + "' failed", range);
    return Value();
  }
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  // What a fuzzer makes up ends soon: work on tensors counts by their size.
  if (result->isArray() && !step(range, result->getArray()->numel() / 16))
    return Value();
#endif
  return std::move(*result);
}

Value Interpreter::call(const Value &callee, ArrayRef<Value> args,
                        ArrayRef<NamedValue> keywords, SourceRange range) {
  switch (callee.getKind()) {
  case ValueKind::Function:
    return callFunction(callee.as<FunctionObject>(), args, keywords, range);
  case ValueKind::Native:
    return callNative(callee.as<NativeObject>(), args, keywords, range);
  case ValueKind::BoundMethod: {
    const auto *method = callee.as<BoundMethodObject>();
    SmallVector<Value, 6> all{method->self};
    all.append(args.begin(), args.end());
    return call(method->function, all, keywords, range);
  }
  case ValueKind::Class:
    return instantiate(callee.as<ClassObject>(), args, keywords, range);
  case ValueKind::Opaque: {
    const auto *opaque = callee.as<OpaqueObject>();
    if (opaque->isLacking()) {
      (void)raiseOpaque(callee, range);
      return Value();
    }
    // A decorator that is not there leaves the function as it is.
    return opaque->reach("(...)");
  }
  case ValueKind::Host:
  case ValueKind::Instance: {
    Value method = findAttr(callee, "__call__", range);
    if (pending)
      return Value();
    if (!method.isEmpty())
      return call(method, args, keywords, range);
    break;
  }
  case ValueKind::Lazy: {
    Value made = force(callee, range);
    if (made.isEmpty())
      return made;
    // `x()` of a lazy tensor is the tensor.
    if (args.empty() && keywords.empty() &&
        made.getKind() != ValueKind::Function)
      return made;
    return call(made, args, keywords, range);
  }
  case ValueKind::Kernel:
    return fail("TypeError",
                "kernel '" + callee.as<KernelObject>()->name +
                    "' cannot be called outside kernels; 'plc run' launches "
                    "entries",
                range);
  case ValueKind::Enum:
  case ValueKind::EnumClass:
    break;
  default:
    break;
  }
  return fail("TypeError",
              "'" + getTypeName(callee) + "' object cannot be called", range);
}

//===----------------------------------------------------------------------===//
// Lazy values and copies
//===----------------------------------------------------------------------===//

Value Interpreter::force(const Value &value, SourceRange range) {
  auto *lazy = value.as<LazyObject>();
  if (!lazy)
    return value;
  Ref<LazyObject> alive(lazy);
  if (!lazy->made.isEmpty())
    return lazy->made;
  if (lazy->busy)
    return fail("RuntimeError", "a lazy value needs itself", range);
  if (!checkStack(range))
    return Value();
  lazy->busy = true;
  Value made;
  if (lazy->isCopy) {
    made = force(lazy->thunk, range);
    if (!made.isEmpty())
      made = deepCopy(made);
  } else {
    made = call(lazy->thunk, {}, {}, range);
    if (!made.isEmpty())
      made = force(made, range);
  }
  lazy->busy = false;
  if (made.isEmpty())
    return made;
  lazy->made = made;
  lazy->thunk = Value();
  return made;
}

Value Interpreter::deepCopy(const Value &value, unsigned depth) {
  if (depth > 100)
    return value;
  ++depth;
  switch (value.getKind()) {
  case ValueKind::Array:
    return arrays ? arrays->clone(value) : value;
  case ValueKind::List: {
    std::vector<Value> copy = value.as<ListObject>()->elements;
    for (Value &element : copy)
      element = deepCopy(element, depth);
    return Value::list(std::move(copy));
  }
  case ValueKind::Tuple: {
    std::vector<Value> copy = value.as<TupleObject>()->elements;
    for (Value &element : copy)
      element = deepCopy(element, depth);
    return Value::tuple(std::move(copy));
  }
  case ValueKind::Dict: {
    Ref<DictObject> copy(new DictObject());
    for (const ValueTable::Entry &entry :
         value.as<DictObject>()->table.getEntries())
      if (!entry.key.isEmpty())
        copy->table.set(entry.key, entry.hash, deepCopy(entry.value, depth));
    return Value(copy);
  }
  case ValueKind::Set: {
    const auto *set = value.as<SetObject>();
    Ref<SetObject> copy(new SetObject(set->frozen));
    for (const ValueTable::Entry &entry : set->table.getEntries())
      if (!entry.key.isEmpty())
        copy->table.set(entry.key, entry.hash, Value::none());
    return Value(copy);
  }
  case ValueKind::Instance: {
    const auto *instance = value.as<InstanceObject>();
    Ref<InstanceObject> copy(new InstanceObject(instance->cls));
    for (const ValueTable::Entry &entry : instance->attributes.getEntries())
      if (!entry.key.isEmpty())
        copy->attributes.set(entry.key, entry.hash,
                             deepCopy(entry.value, depth));
    return Value(copy);
  }
  case ValueKind::Lazy: {
    Ref<LazyObject> copy(new LazyObject(value));
    copy->isCopy = true;
    return Value(copy);
  }
  default:
    return value;
  }
}

} // namespace pl::frontend

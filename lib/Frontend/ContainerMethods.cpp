//===- ContainerMethods.cpp - methods of lists, dicts and sets ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodTables.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

using Result = FailureOr<Value>;
using Ctx = CallContext;

static Result arity(Ctx &call, size_t least, size_t most) {
  if (call.keywords.empty() && call.args.size() >= least &&
      call.args.size() <= most)
    return Value::none();
  return call.raise(
      "TypeError",
      call.callee + "() takes " +
          (least == most ? Twine(least) : Twine(least) + " to " + Twine(most)) +
          " positional arguments");
}

/// Position of an equal element, or -1; nullopt when a comparison raised.
static std::optional<int64_t> findElement(Ctx &call, ArrayRef<Value> elements,
                                          const Value &wanted) {
  std::vector<Value> copy = elements.vec();
  for (size_t i = 0; i < copy.size(); ++i) {
    std::optional<bool> same =
        call.interpreter.equal(copy[i], wanted, call.range);
    if (!same)
      return std::nullopt;
    if (*same)
      return i;
  }
  return -1;
}

static Result countElements(Ctx &call, ArrayRef<Value> elements) {
  if (failed(arity(call, 1, 1)))
    return failure();
  int64_t count = 0;
  std::vector<Value> copy = elements.vec();
  for (const Value &element : copy) {
    std::optional<bool> same =
        call.interpreter.equal(element, call.args[0], call.range);
    if (!same)
      return failure();
    count += *same;
  }
  return Value::integer(count);
}

static Result indexOf(Ctx &call, ArrayRef<Value> elements) {
  if (failed(arity(call, 1, 1)))
    return failure();
  std::optional<int64_t> at = findElement(call, elements, call.args[0]);
  if (!at)
    return failure();
  if (*at < 0)
    return call.raise("ValueError", call.interpreter.shortRepr(call.args[0]) +
                                        " is not in the sequence");
  return Value::integer(*at);
}

//===----------------------------------------------------------------------===//
// Lists and tuples
//===----------------------------------------------------------------------===//

const MethodTable &getListMethods(MethodTable &table) {
  auto add = [&](StringRef name,
                 std::function<Result(Ctx &, std::vector<Value> &)> fn) {
    table[name] = [fn](Ctx &call, const Value &self) {
      return fn(call, self.as<ListObject>()->elements);
    };
  };
  using List = std::vector<Value>;
  add("append", [](Ctx &call, List &list) -> Result {
    if (failed(arity(call, 1, 1)))
      return failure();
    if (static_cast<int64_t>(list.size()) >= Interpreter::kMaxElements &&
        !call.interpreter.checkSize(list.size() + 1, call.range))
      return failure();
    list.push_back(call.args[0]);
    return Value::none();
  });
  add("extend", [](Ctx &call, List &list) -> Result {
    List more;
    if (failed(arity(call, 1, 1)) ||
        !call.interpreter.toVector(call.args[0], call.range, more) ||
        !call.interpreter.checkSize(list.size() + more.size(), call.range))
      return failure();
    list.insert(list.end(), more.begin(), more.end());
    return Value::none();
  });
  add("insert", [](Ctx &call, List &list) -> Result {
    if (failed(arity(call, 2, 2)))
      return failure();
    FailureOr<int64_t> at = call.asInt(call.args[0], "the position");
    if (failed(at))
      return failure();
    int64_t size = list.size();
    int64_t where = *at < 0 ? std::max<int64_t>(*at + size, 0)
                            : std::min<int64_t>(*at, size);
    list.insert(list.begin() + where, call.args[1]);
    return Value::none();
  });
  add("pop", [](Ctx &call, List &list) -> Result {
    if (failed(arity(call, 0, 1)))
      return failure();
    int64_t at = -1, size = list.size();
    if (call.args.size() == 1) {
      FailureOr<int64_t> given = call.asInt(call.args[0], "the position");
      if (failed(given))
        return failure();
      at = *given;
    }
    if (size == 0)
      return call.raise("IndexError", "pop() from an empty list");
    if (at < 0)
      at += size;
    if (at < 0 || at >= size)
      return call.raise("IndexError", "pop() index is out of range");
    Value removed = list[at];
    list.erase(list.begin() + at);
    return removed;
  });
  add("remove", [](Ctx &call, List &list) -> Result {
    if (failed(arity(call, 1, 1)))
      return failure();
    std::optional<int64_t> at = findElement(call, list, call.args[0]);
    if (!at)
      return failure();
    if (*at < 0 || *at >= static_cast<int64_t>(list.size()))
      return call.raise("ValueError", call.interpreter.shortRepr(call.args[0]) +
                                          " is not in the list");
    list.erase(list.begin() + *at);
    return Value::none();
  });
  add("clear", [](Ctx &call, List &list) -> Result {
    List removed = std::move(list);
    list.clear();
    return Value::none();
  });
  add("copy", [](Ctx &call, List &list) -> Result {
    if (!call.interpreter.checkSize(list.size(), call.range))
      return failure();
    return Value::list(list);
  });
  add("reverse", [](Ctx &, List &list) -> Result {
    std::reverse(list.begin(), list.end());
    return Value::none();
  });
  add("sort", [](Ctx &call, List &list) -> Result {
    Value key;
    bool reverse = false;
    for (const NamedValue &keyword : call.keywords) {
      if (keyword.name == "key") {
        key = keyword.value;
        continue;
      }
      if (keyword.name != "reverse")
        return call.raise("TypeError",
                          "sort() has no parameter '" + keyword.name + "'");
      FailureOr<bool> on = call.asBool(keyword.value, "reverse");
      if (failed(on))
        return failure();
      reverse = *on;
    }
    List sorted = list;
    if (!sortValues(call, sorted, key, reverse))
      return failure();
    list = std::move(sorted);
    return Value::none();
  });
  add("count", [](Ctx &call, List &list) { return countElements(call, list); });
  add("index", [](Ctx &call, List &list) { return indexOf(call, list); });
  return table;
}

const MethodTable &getTupleMethods(MethodTable &table) {
  auto elements = [](Ctx &call, const Value &self, std::vector<Value> &all) {
    return call.interpreter.toVector(self, call.range, all);
  };
  table["count"] = [elements](Ctx &call, const Value &self) -> Result {
    std::vector<Value> all;
    if (!elements(call, self, all))
      return failure();
    return countElements(call, all);
  };
  table["index"] = [elements](Ctx &call, const Value &self) -> Result {
    std::vector<Value> all;
    if (!elements(call, self, all))
      return failure();
    return indexOf(call, all);
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Dicts and sets
//===----------------------------------------------------------------------===//

/// Keys, values or items as a list: a snapshot where Python has a view.
static Value snapshot(const ValueTable &table, bool keys, bool values) {
  std::vector<Value> result;
  result.reserve(table.size());
  for (const ValueTable::Entry &entry : table.getEntries()) {
    if (entry.key.isEmpty())
      continue;
    result.push_back(keys && values ? Value::tuple({entry.key, entry.value})
                     : keys         ? entry.key
                                    : entry.value);
  }
  return Value::list(std::move(result));
}

const MethodTable &getDictMethods(MethodTable &table) {
  auto add = [&](StringRef name,
                 std::function<Result(Ctx &, ValueTable &)> fn) {
    table[name] = [fn](Ctx &call, const Value &self) {
      return fn(call, self.as<DictObject>()->table);
    };
  };
  add("keys", [](Ctx &, ValueTable &dict) -> Result {
    return snapshot(dict, true, false);
  });
  add("values", [](Ctx &, ValueTable &dict) -> Result {
    return snapshot(dict, false, true);
  });
  add("items", [](Ctx &, ValueTable &dict) -> Result {
    return snapshot(dict, true, true);
  });
  add("get", [](Ctx &call, ValueTable &dict) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"key", "default"}, 1, bound)))
      return failure();
    std::optional<uint64_t> hash = call.interpreter.hash(bound[0], call.range);
    if (!hash)
      return failure();
    if (const Value *found = dict.find(bound[0], *hash)) {
      Value value = *found;
      return call.interpreter.force(value, call.range);
    }
    return bound[1].isEmpty() ? Value::none() : bound[1];
  });
  add("setdefault", [](Ctx &call, ValueTable &dict) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"key", "default"}, 1, bound)))
      return failure();
    std::optional<uint64_t> hash = call.interpreter.hash(bound[0], call.range);
    if (!hash)
      return failure();
    if (const Value *found = dict.find(bound[0], *hash))
      return *found;
    Value value = bound[1].isEmpty() ? Value::none() : bound[1];
    dict.set(bound[0], *hash, value);
    return value;
  });
  add("pop", [](Ctx &call, ValueTable &dict) -> Result {
    if (failed(arity(call, 1, 2)))
      return failure();
    std::optional<uint64_t> hash =
        call.interpreter.hash(call.args[0], call.range);
    if (!hash)
      return failure();
    if (const Value *found = dict.find(call.args[0], *hash)) {
      Value value = *found;
      dict.erase(call.args[0], *hash);
      return value;
    }
    if (call.args.size() == 2)
      return call.args[1];
    return call.raise("KeyError", call.interpreter.shortRepr(call.args[0]) +
                                      " is no key of the dict");
  });
  add("update", [](Ctx &call, ValueTable &dict) -> Result {
    if (call.args.size() > 1)
      return call.raise("TypeError", "update() takes at most one argument");
    if (call.args.size() == 1 && !updateDict(call, dict, call.args[0]))
      return failure();
    for (const NamedValue &keyword : call.keywords)
      dict.set(keyword.name, keyword.value);
    return Value::none();
  });
  add("clear", [](Ctx &, ValueTable &dict) -> Result {
    dict.clear();
    return Value::none();
  });
  add("copy", [](Ctx &call, ValueTable &dict) -> Result {
    if (!call.interpreter.checkSize(dict.size() * 4, call.range))
      return failure();
    Ref<DictObject> copy(new DictObject());
    for (const ValueTable::Entry &entry : dict.getEntries())
      if (!entry.key.isEmpty())
        copy->table.set(entry.key, entry.hash, entry.value);
    return Value(copy);
  });
  return table;
}

const MethodTable &getSetMethods(MethodTable &table) {
  auto operation = [&](StringRef name, BinOpKind op) {
    table[name] = [op](Ctx &call, const Value &self) -> Result {
      Value result = self;
      for (const Value &arg : call.args) {
        std::vector<Value> elements;
        if (!call.interpreter.toVector(arg, call.range, elements))
          return failure();
        Ref<SetObject> other(new SetObject());
        for (const Value &element : elements) {
          std::optional<uint64_t> hash =
              call.interpreter.hash(element, call.range);
          if (!hash)
            return failure();
          other->table.set(element, *hash, Value::none());
        }
        result = call.interpreter.binary(op, result, Value(other), call.range);
        if (result.isEmpty())
          return failure();
      }
      return result;
    };
  };
  operation("union", BinOpKind::BitOr);
  operation("intersection", BinOpKind::BitAnd);
  operation("difference", BinOpKind::Sub);
  operation("symmetric_difference", BinOpKind::BitXor);

  auto compare = [&](StringRef name, CmpOpKind op) {
    table[name] = [op](Ctx &call, const Value &self) -> Result {
      if (failed(arity(call, 1, 1)))
        return failure();
      Value result =
          call.interpreter.compare(op, self, call.args[0], call.range);
      return result.isEmpty() ? Result(failure()) : result;
    };
  };
  compare("issubset", CmpOpKind::LtE);
  compare("issuperset", CmpOpKind::GtE);

  auto change =
      [&](StringRef name,
          std::function<Result(Ctx &, ValueTable &, const Value &, uint64_t)>
              fn) {
        table[name] = [fn](Ctx &call, const Value &self) -> Result {
          auto *set = self.as<SetObject>();
          if (set->frozen)
            return call.raiseNoAttribute(self, call.callee);
          if (failed(arity(call, 1, 1)))
            return failure();
          std::optional<uint64_t> hash =
              call.interpreter.hash(call.args[0], call.range);
          if (!hash)
            return failure();
          return fn(call, set->table, call.args[0], *hash);
        };
      };
  change("add",
         [](Ctx &, ValueTable &set, const Value &key, uint64_t hash) -> Result {
           set.set(key, hash, Value::none());
           return Value::none();
         });
  change("discard",
         [](Ctx &, ValueTable &set, const Value &key, uint64_t hash) -> Result {
           set.erase(key, hash);
           return Value::none();
         });
  change("remove",
         [](Ctx &call, ValueTable &set, const Value &key,
            uint64_t hash) -> Result {
           if (set.erase(key, hash))
             return Value::none();
           return call.raise("KeyError", call.interpreter.shortRepr(key) +
                                             " is not in the set");
         });
  table["update"] = [](Ctx &call, const Value &self) -> Result {
    auto *set = self.as<SetObject>();
    if (set->frozen)
      return call.raiseNoAttribute(self, call.callee);
    for (const Value &arg : call.args) {
      std::vector<Value> elements;
      if (!call.interpreter.toVector(arg, call.range, elements))
        return failure();
      for (const Value &element : elements) {
        std::optional<uint64_t> hash =
            call.interpreter.hash(element, call.range);
        if (!hash)
          return failure();
        set->table.set(element, *hash, Value::none());
      }
    }
    return Value::none();
  };
  table["pop"] = [](Ctx &call, const Value &self) -> Result {
    auto *set = self.as<SetObject>();
    for (const ValueTable::Entry &entry : set->table.getEntries())
      if (!entry.key.isEmpty()) {
        Value key = entry.key;
        set->table.erase(key, entry.hash);
        return key;
      }
    return call.raise("KeyError", "pop() from an empty set");
  };
  table["copy"] = [](Ctx &call, const Value &self) -> Result {
    return call.interpreter.deepCopy(self);
  };
  table["isdisjoint"] = [](Ctx &call, const Value &self) -> Result {
    if (failed(arity(call, 1, 1)))
      return failure();
    bool disjoint = true;
    LogicalResult looped = call.interpreter.forEach(
        call.args[0], call.range, [&](const Value &element) {
          std::optional<bool> inside =
              call.interpreter.contains(self, element, call.range);
          if (!inside)
            return false;
          disjoint &= !*inside;
          return disjoint;
        });
    if (failed(looped))
      return failure();
    return Value::boolean(disjoint);
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Value Interpreter::callMethod(const Value &value, StringRef name,
                              CallContext &context, bool &found) {
  if (!methods)
    methods = std::make_shared<Methods>();
  const MethodTable &table = methods->of(value.getKind());
  auto it = table.find(name);
  found = it != table.end();
  if (!found)
    return Value();
  if (!step(context.range) || !checkStack(context.range))
    return Value();
  Value alive = value;
  FailureOr<Value> result = it->second(context, alive);
  return failed(result) ? Value() : std::move(*result);
}

Value Interpreter::findMethod(const Value &value, StringRef name) {
  if (!methods)
    methods = std::make_shared<Methods>();
  if (value.isFloat() || value.isInt()) {
    if (value.isFloat() && name == "is_integer") {
      double number = value.getFloat();
      return makeNative(name, [number](CallContext &) {
        return Value::boolean(std::isfinite(number) &&
                              number == std::trunc(number));
      });
    }
    if (value.isInt() && name == "bit_length") {
      int64_t number = value.getInt();
      uint64_t magnitude =
          number < 0 ? ~uint64_t(number) + 1 : uint64_t(number);
      return makeNative(name, [magnitude](CallContext &) {
        return Value::integer(magnitude ? 64 - __builtin_clzll(magnitude) : 0);
      });
    }
    if (value.isInt() && (name == "real" || name == "numerator"))
      return value;
    return Value();
  }
  const MethodTable &table = methods->of(value.getKind());
  auto it = table.find(name);
  if (it == table.end())
    return Value();
  const Method *method = &it->second;
  return makeNative(name, [method, value](CallContext &call) {
    return (*method)(call, value);
  });
}

} // namespace pl::frontend

//===- BuiltinSequences.cpp - built-ins of sequences and iterators --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodTables.h"
#include "Natives.h"

using namespace llvm;

namespace pl::frontend {

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
  const auto *numbers = bound[0].as<RangeObject>();
  if (numbers && total.isInt()) {
    // n terms, the first and the last of which make the mean.
    __int128 n = numbers->length;
    __int128 sum = total.getInt();
    if (n > 0) {
      __int128 last = numbers->start + (n - 1) * numbers->step;
      sum += n % 2 == 0 ? n / 2 * (numbers->start + last)
                        : n * ((numbers->start + last) / 2);
    }
    if (sum != static_cast<int64_t>(sum))
      return call.raise("OverflowError", "the sum does not fit 64 bits");
    return Value::integer(static_cast<int64_t>(sum));
  }
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

void addSequenceBuiltins(function_ref<void(StringRef, NativeFn)> add) {
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
  add("next", builtinNext);
  add("iter", [](CallContext &call) -> Result {
    if (failed(noKeywords(call, 1, 1)))
      return failure();
    Ref<IteratorObject> iterator =
        call.interpreter.iterate(call.args[0], call.range);
    return iterator ? Result(Value(iterator)) : Result(failure());
  });
}

} // namespace pl::frontend

//===- Iteration.cpp - iterators of host values ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"
#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

namespace {

/// Lists, tuples, strings, ranges and arrays: by position.
class IndexIterator final : public IteratorObject {
public:
  explicit IndexIterator(Value sequence) : sequence(std::move(sequence)) {}

  FailureOr<Value> next(Interpreter &interpreter, SourceRange range) override {
    switch (sequence.getKind()) {
    case ValueKind::List: {
      const std::vector<Value> &elements = sequence.as<ListObject>()->elements;
      return index < elements.size() ? elements[index++] : Value();
    }
    case ValueKind::Tuple: {
      const std::vector<Value> &elements = sequence.as<TupleObject>()->elements;
      return index < elements.size() ? elements[index++] : Value();
    }
    case ValueKind::Range: {
      const auto *object = sequence.as<RangeObject>();
      if (static_cast<int64_t>(index) >= object->length)
        return Value();
      int64_t step = static_cast<int64_t>(index++);
      return Value::integer(object->start + step * object->step);
    }
    case ValueKind::Str: {
      StringRef text = sequence.getStr();
      if (index >= text.size())
        return Value();
      size_t end = characterEnd(text, index);
      Value character = Value::str(text.slice(index, end));
      index = end;
      return character;
    }
    case ValueKind::Bytes: {
      StringRef text = sequence.as<BytesObject>()->text;
      if (index >= text.size())
        return Value();
      return Value::integer(static_cast<unsigned char>(text[index++]));
    }
    default: {
      CallContext context(interpreter, range, "iter");
      FailureOr<int64_t> length = interpreter.arrays->length(context, sequence);
      if (failed(length))
        return failure();
      if (static_cast<int64_t>(index) >= *length)
        return Value();
      return interpreter.arrays->getItem(context, sequence,
                                         Value::integer(index++));
    }
    }
  }

private:
  Value sequence;
  size_t index = 0;
};

/// Keys of a dict or elements of a set.
class TableIterator final : public IteratorObject {
public:
  TableIterator(Value owner, const ValueTable &table)
      : owner(std::move(owner)), table(table), version(table.getVersion()) {}

  FailureOr<Value> next(Interpreter &interpreter, SourceRange range) override {
    if (version != table.getVersion())
      return interpreter.raise("RuntimeError",
                               "the " + getTypeName(owner) +
                                   " changed size during iteration",
                               range);
    ArrayRef<ValueTable::Entry> entries = table.getEntries();
    while (index < entries.size() && entries[index].key.isEmpty())
      ++index;
    return index < entries.size() ? entries[index++].key : Value();
  }

private:
  Value owner;
  const ValueTable &table;
  uint64_t version;
  size_t index = 0;
};

/// An instance with __next__.
class InstanceIterator final : public IteratorObject {
public:
  explicit InstanceIterator(Value next) : nextMethod(std::move(next)) {}
  FailureOr<Value> next(Interpreter &interpreter, SourceRange range) override {
    Value element = interpreter.call(nextMethod, {}, {}, range);
    if (!element.isEmpty())
      return element;
    if (interpreter.pending && !interpreter.pending->fatal &&
        interpreter.pending->value->cls->name == "StopIteration") {
      interpreter.pending.reset();
      return Value();
    }
    return failure();
  }

private:
  Value nextMethod;
};

} // namespace

Ref<IteratorObject> Interpreter::iterate(const Value &value,
                                         SourceRange range) {
  switch (value.getKind()) {
  case ValueKind::Array:
    if (!arrays)
      break;
    LLVM_FALLTHROUGH;
  case ValueKind::List:
  case ValueKind::Tuple:
  case ValueKind::Range:
  case ValueKind::Str:
  case ValueKind::Bytes:
    return new IndexIterator(value);
  case ValueKind::Dict:
    return new TableIterator(value, value.as<DictObject>()->table);
  case ValueKind::Set:
    return new TableIterator(value, value.as<SetObject>()->table);
  case ValueKind::Iterator:
    return value.as<IteratorObject>();
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? nullptr : iterate(made, range);
  }
  case ValueKind::Opaque:
    (void)raiseOpaque(value, range);
    return nullptr;
  case ValueKind::EnumClass:
    return new IndexIterator(Value::list(value.as<EnumClassObject>()->members));
  case ValueKind::Class:
    if (const Value *members =
            value.as<ClassObject>()->attributes.find("__members__"))
      return new IndexIterator(*members);
    break;
  case ValueKind::Instance: {
    const auto *instance = value.as<InstanceObject>();
    if (instance->cls->lookup("__iter__")) {
      if (!checkStack(range))
        return nullptr;
      Value method = findAttr(value, "__iter__", range);
      Value iterator = method.isEmpty() ? Value() : call(method, {}, {}, range);
      if (iterator.isEmpty())
        return nullptr;
      if (!iterator.isSame(value))
        return iterate(iterator, range);
    }
    if (instance->cls->lookup("__next__")) {
      Value method = findAttr(value, "__next__", range);
      return method.isEmpty() ? nullptr : new InstanceIterator(method);
    }
    // A named tuple is its fields in order.
    if (instance->cls->isDataclass && !instance->cls->bases.empty() &&
        instance->cls->bases.front()->name == "NamedTuple") {
      std::vector<Value> fields;
      for (const ClassObject::Field &field : instance->cls->fields)
        if (const Value *found = instance->attributes.find(field.name))
          fields.push_back(*found);
      return new IndexIterator(Value::list(std::move(fields)));
    }
    break;
  }
  default:
    break;
  }
  (void)raise("TypeError",
              "'" + getTypeName(value) + "' object cannot be iterated", range);
  return nullptr;
}

LogicalResult Interpreter::forEach(const Value &value, SourceRange range,
                                   function_ref<bool(const Value &)> visit) {
  // Ranges are the common case of loops.
  if (const auto *object = value.as<RangeObject>()) {
    int64_t start = object->start, stride = object->step;
    for (int64_t i = 0, n = object->length; i < n; ++i) {
      if (!step(range))
        return failure();
      if (!visit(Value::integer(start + i * stride)))
        return success(!pending);
    }
    return success();
  }
  Ref<IteratorObject> iterator = iterate(value, range);
  if (!iterator)
    return failure();
  while (true) {
    if (!step(range))
      return failure();
    FailureOr<Value> element = iterator->next(*this, range);
    if (failed(element))
      return failure();
    if (element->isEmpty())
      return success();
    if (!visit(*element))
      return success(!pending);
  }
}

bool Interpreter::toVector(const Value &value, SourceRange range,
                           std::vector<Value> &elements) {
  if (const auto *list = value.as<ListObject>()) {
    if (!checkSize(list->elements.size(), range))
      return false;
    elements.insert(elements.end(), list->elements.begin(),
                    list->elements.end());
    return true;
  }
  if (const auto *tuple = value.as<TupleObject>()) {
    if (!checkSize(tuple->elements.size(), range))
      return false;
    elements.insert(elements.end(), tuple->elements.begin(),
                    tuple->elements.end());
    return true;
  }
  if (const auto *object = value.as<RangeObject>())
    if (!checkSize(object->length, range))
      return false;
  LogicalResult looped = forEach(value, range, [&](const Value &element) {
    elements.push_back(element);
    return static_cast<int64_t>(elements.size()) < kMaxElements ||
           checkSize(kMaxElements + 1, range);
  });
  return succeeded(looped);
}

std::optional<int64_t> Interpreter::length(const Value &value,
                                           SourceRange range) {
  switch (value.getKind()) {
  case ValueKind::Str:
    return countCharacters(value.getStr());
  case ValueKind::Bytes:
    return value.as<BytesObject>()->text.size();
  case ValueKind::List:
    return value.as<ListObject>()->elements.size();
  case ValueKind::Tuple:
    return value.as<TupleObject>()->elements.size();
  case ValueKind::Dict:
    return value.as<DictObject>()->table.size();
  case ValueKind::Set:
    return value.as<SetObject>()->table.size();
  case ValueKind::Range:
    return value.as<RangeObject>()->length;
  case ValueKind::EnumClass:
    return value.as<EnumClassObject>()->members.size();
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? std::nullopt : length(made, range);
  }
  case ValueKind::Opaque:
    (void)raiseOpaque(value, range);
    return std::nullopt;
  case ValueKind::Array: {
    CallContext context(*this, range, "len");
    if (!arrays)
      break;
    FailureOr<int64_t> result = arrays->length(context, value);
    return failed(result) ? std::nullopt : std::optional<int64_t>(*result);
  }
  case ValueKind::Instance: {
    Value method = findAttr(value, "__len__", range);
    if (pending)
      return std::nullopt;
    if (method.isEmpty())
      break;
    Value result = call(method, {}, {}, range);
    return result.isEmpty() ? std::nullopt : toIndex(result, range, "__len__");
  }
  default:
    break;
  }
  (void)raise("TypeError", "'" + getTypeName(value) + "' object has no len()",
              range);
  return std::nullopt;
}

} // namespace pl::frontend

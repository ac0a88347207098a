//===- Items.cpp - subscripts of host values ------------------------------===//
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

std::optional<uint64_t> Interpreter::hash(const Value &value,
                                          SourceRange range) {
  if (const auto *instance = value.as<InstanceObject>())
    if (instance->cls->lookup("__hash__")) {
      Value method = findAttr(value, "__hash__", range);
      Value result = method.isEmpty() ? Value() : call(method, {}, {}, range);
      if (result.isEmpty())
        return std::nullopt;
      return hashValue(result);
    }
  if (value.as<OpaqueObject>()) {
    (void)raiseOpaque(value, range);
    return std::nullopt;
  }
  std::optional<uint64_t> result = hashValue(value);
  if (!result)
    (void)raise("TypeError",
                "unhashable type '" + getTypeName(value) +
                    "' cannot be a key or an element of a set",
                range);
  return result;
}

std::optional<int64_t> Interpreter::toIndex(const Value &value,
                                            SourceRange range, StringRef what) {
  if (value.isIntOrBool())
    return value.getInt();
  if (value.getKind() == ValueKind::Lazy) {
    Value made = force(value, range);
    return made.isEmpty() ? std::nullopt : toIndex(made, range, what);
  }
  if (value.as<OpaqueObject>()) {
    (void)raiseOpaque(value, range);
    return std::nullopt;
  }
  if (value.isArray() && arrays) {
    CallContext context(*this, range, what);
    FailureOr<Value> item = arrays->item(context, value);
    if (failed(item))
      return std::nullopt;
    if (item->isIntOrBool())
      return item->getInt();
  }
  if (const auto *dim = value.as<DynVarObject>()) {
    (void)raise("TypeError",
                what + " must be an integer, but dynamic dim '" + dim->name +
                    "' has no value at compile time",
                range);
    return std::nullopt;
  }
  (void)raise("TypeError",
              what + " must be an integer, not '" + getTypeName(value) + "'",
              range);
  return std::nullopt;
}

namespace {

/// A slice applied to a length, as Python's slice.indices.
struct Bounds {
  int64_t start = 0, step = 1, count = 0;
};

} // namespace

static std::optional<Bounds> applySlice(Interpreter &interpreter,
                                        const SliceObject *slice,
                                        int64_t length, SourceRange range) {
  Bounds bounds;
  if (!slice->step.isNone()) {
    std::optional<int64_t> step =
        interpreter.toIndex(slice->step, range, "a slice step");
    if (!step)
      return std::nullopt;
    if (*step == 0) {
      (void)interpreter.raise("ValueError", "a slice step cannot be zero",
                              range);
      return std::nullopt;
    }
    // The largest steps act alike on any real length.
    bounds.step =
        std::clamp<int64_t>(*step, -(int64_t(1) << 40), int64_t(1) << 40);
  }
  bool up = bounds.step > 0;
  int64_t low = up ? 0 : -1, high = up ? length : length - 1;
  auto part = [&](const Value &value, int64_t missing) {
    if (value.isNone())
      return std::optional<int64_t>(missing);
    std::optional<int64_t> index =
        interpreter.toIndex(value, range, "a slice bound");
    if (!index)
      return index;
    if (*index < 0)
      *index = *index < -length ? low : *index + length;
    return std::optional<int64_t>(std::clamp(*index, low, high));
  };
  std::optional<int64_t> start = part(slice->lower, up ? low : high);
  if (!start)
    return std::nullopt;
  std::optional<int64_t> stop = part(slice->upper, up ? high : low);
  if (!stop)
    return std::nullopt;
  bounds.start = *start;
  if (up ? *start < *stop : *start > *stop)
    bounds.count = up ? (*stop - *start - 1) / bounds.step + 1
                      : (*start - *stop - 1) / -bounds.step + 1;
  return bounds;
}

static std::optional<int64_t> position(Interpreter &interpreter,
                                       const Value &index, int64_t length,
                                       StringRef what, SourceRange range) {
  std::optional<int64_t> at =
      interpreter.toIndex(index, range, ("a " + what + " index").str());
  if (!at)
    return std::nullopt;
  int64_t wrapped = *at < 0 ? *at + length : *at;
  if (wrapped < 0 || wrapped >= length) {
    (void)interpreter.raise("IndexError",
                            what + " index " + Twine(*at) +
                                " is out of range for length " + Twine(length),
                            range);
    return std::nullopt;
  }
  return wrapped;
}

static Value sliceElements(Interpreter &interpreter, ArrayRef<Value> elements,
                           const SliceObject *slice, bool isTuple,
                           SourceRange range) {
  std::optional<Bounds> bounds =
      applySlice(interpreter, slice, elements.size(), range);
  if (!bounds)
    return Value();
  if (!interpreter.checkSize(bounds->count, range))
    return Value();
  std::vector<Value> result;
  result.reserve(bounds->count);
  for (int64_t i = 0; i < bounds->count; ++i)
    result.push_back(elements[bounds->start + i * bounds->step]);
  return isTuple ? Value::tuple(std::move(result))
                 : Value::list(std::move(result));
}

static Value stringItem(Interpreter &interpreter, StringRef text,
                        const Value &index, SourceRange range) {
  int64_t length = countCharacters(text);
  bool ascii = length == static_cast<int64_t>(text.size());
  auto character = [&](int64_t i) {
    size_t begin = ascii ? i : byteOffset(text, i);
    return text.slice(begin, characterEnd(text, begin));
  };
  if (const auto *slice = index.as<SliceObject>()) {
    std::optional<Bounds> bounds =
        applySlice(interpreter, slice, length, range);
    if (!bounds)
      return Value();
    if (bounds->step == 1) {
      size_t begin = ascii ? bounds->start : byteOffset(text, bounds->start);
      size_t end = ascii ? bounds->start + bounds->count
                         : byteOffset(text, bounds->start + bounds->count);
      return Value::str(text.slice(begin, end));
    }
    std::string result;
    for (int64_t i = 0; i < bounds->count; ++i)
      result += character(bounds->start + i * bounds->step);
    return Value::str(result);
  }
  std::optional<int64_t> at =
      position(interpreter, index, length, "string", range);
  return at ? Value::str(character(*at)) : Value();
}

Value Interpreter::getItem(const Value &value, const Value &index,
                           SourceRange range) {
  if (index.getKind() == ValueKind::Lazy) {
    Value made = force(index, range);
    return made.isEmpty() ? made : getItem(value, made, range);
  }
  switch (value.getKind()) {
  case ValueKind::List:
  case ValueKind::Tuple: {
    bool isTuple = value.getKind() == ValueKind::Tuple;
    ArrayRef<Value> elements = isTuple ? value.as<TupleObject>()->elements
                                       : value.as<ListObject>()->elements;
    if (const auto *slice = index.as<SliceObject>())
      return sliceElements(*this, elements, slice, isTuple, range);
    std::optional<int64_t> at = position(*this, index, elements.size(),
                                         isTuple ? "tuple" : "list", range);
    return at ? elements[*at] : Value();
  }
  case ValueKind::Dict: {
    std::optional<uint64_t> indexHash = hash(index, range);
    if (!indexHash)
      return Value();
    const ValueTable &table = value.as<DictObject>()->table;
    // Reading an entry is what a lazy value waits for.
    if (const Value *found = table.find(index, *indexHash)) {
      Value value = *found;
      return force(value, range);
    }
    std::string hint;
    if (index.isStr()) {
      SmallVector<StringRef> keys;
      for (const ValueTable::Entry &entry : table.getEntries())
        if (entry.key.isStr())
          keys.push_back(entry.key.getStr());
      hint = didYouMean(index.getStr(), keys);
    }
    return fail("KeyError", shortRepr(index) + " is no key of the dict" + hint,
                range);
  }
  case ValueKind::Str:
    return stringItem(*this, value.getStr(), index, range);
  case ValueKind::Bytes: {
    StringRef text = value.as<BytesObject>()->text;
    if (const auto *slice = index.as<SliceObject>()) {
      std::optional<Bounds> bounds =
          applySlice(*this, slice, text.size(), range);
      if (!bounds)
        return Value();
      std::string result;
      for (int64_t i = 0; i < bounds->count; ++i)
        result += text[bounds->start + i * bounds->step];
      return Value::bytes(result);
    }
    std::optional<int64_t> at =
        position(*this, index, text.size(), "bytes", range);
    return at ? Value::integer(static_cast<unsigned char>(text[*at])) : Value();
  }
  case ValueKind::Range: {
    const auto *object = value.as<RangeObject>();
    if (const auto *slice = index.as<SliceObject>()) {
      std::optional<Bounds> bounds =
          applySlice(*this, slice, object->length, range);
      if (!bounds)
        return Value();
      // The elements fit 64 bits; the stride and the end beyond may not.
      auto clamp = [](__int128 value) {
        return static_cast<int64_t>(
            std::clamp<__int128>(value, std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()));
      };
      __int128 step = __int128(object->step) * bounds->step;
      __int128 start = object->start + __int128(bounds->start) * object->step;
      return Value(new RangeObject(
          clamp(start), clamp(start + bounds->count * step), clamp(step)));
    }
    std::optional<int64_t> at =
        position(*this, index, object->length, "range", range);
    return at ? Value::integer(object->start + *at * object->step) : Value();
  }
  case ValueKind::Array: {
    if (!arrays)
      break;
    CallContext context(*this, range, "[]");
    FailureOr<Value> result = arrays->getItem(context, value, index);
    return failed(result) ? Value() : *result;
  }
  case ValueKind::Annotation:
    return subscriptAnnotation(value.as<AnnotationObject>(), index, range);
  case ValueKind::Opaque: {
    return value.as<OpaqueObject>()->reach("[...]");
  }
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? made : getItem(made, index, range);
  }
  case ValueKind::Native: {
    // `tuple[...]` in a return annotation is a type; `list[int]` and the like
    // stay what they are.
    const auto *native = value.as<NativeObject>();
    if (native->constructs == ValueKind::Tuple) {
      TypeAnnotation annotation;
      annotation.kind = TypeAnnotation::Kind::Tuple;
      std::vector<Value> elements{index};
      if (const auto *tuple = index.as<TupleObject>())
        elements = tuple->elements;
      for (const Value &element : elements) {
        if (!element.as<AnnotationObject>())
          return value; // tuple[int, ...]
        FailureOr<TypeAnnotation> part = toAnnotation(element, range);
        if (failed(part))
          return Value();
        annotation.elements.push_back(std::move(*part));
      }
      return Value(new AnnotationObject(std::move(annotation)));
    }
    if (native->constructs)
      return value;
    break;
  }
  case ValueKind::Class:
    if (const Value *members =
            value.as<ClassObject>()->attributes.find("__members__")) {
      for (const Value &member : members->as<ListObject>()->elements) {
        const Value *name =
            member.as<InstanceObject>()->attributes.find("name");
        if (name && equalValues(*name, index))
          return member;
      }
      return fail("KeyError",
                  shortRepr(index) + " is no member of '" +
                      value.as<ClassObject>()->name + "'",
                  range);
    }
    return value; // Generic[T]
  case ValueKind::EnumClass:
    if (index.isStr())
      return getAttr(value, index.getStr(), range);
    break;
  case ValueKind::Instance: {
    Value method = findAttr(value, "__getitem__", range);
    if (pending)
      return Value();
    if (!method.isEmpty())
      return call(method, index, {}, range);
    const auto *instance = value.as<InstanceObject>();
    if (!instance->cls->bases.empty() &&
        instance->cls->bases.front()->name == "NamedTuple") {
      std::optional<int64_t> at =
          position(*this, index, instance->cls->fields.size(), "tuple", range);
      return at ? getAttr(value, instance->cls->fields[*at].name, range)
                : Value();
    }
    break;
  }
  default:
    break;
  }
  return fail("TypeError",
              "'" + getTypeName(value) + "' object cannot be subscripted",
              range);
}

LogicalResult Interpreter::setItem(const Value &value, const Value &index,
                                   const Value &newValue, SourceRange range) {
  if (index.getKind() == ValueKind::Lazy) {
    Value made = force(index, range);
    return made.isEmpty() ? failure() : setItem(value, made, newValue, range);
  }
  switch (value.getKind()) {
  case ValueKind::List: {
    auto *list = value.as<ListObject>();
    if (const auto *slice = index.as<SliceObject>()) {
      std::vector<Value> elements;
      if (!toVector(newValue, range, elements))
        return failure();
      std::optional<Bounds> bounds =
          applySlice(*this, slice, list->elements.size(), range);
      if (!bounds)
        return failure();
      if (bounds->step == 1) {
        if (!checkSize(list->elements.size() + elements.size(), range))
          return failure();
        auto at = list->elements.begin() + bounds->start;
        at = list->elements.erase(at, at + bounds->count);
        list->elements.insert(at, elements.begin(), elements.end());
        return success();
      }
      if (static_cast<int64_t>(elements.size()) != bounds->count)
        return raise("ValueError",
                     "cannot assign " + Twine(elements.size()) +
                         " elements to a slice of " + Twine(bounds->count),
                     range);
      for (int64_t i = 0; i < bounds->count; ++i)
        list->elements[bounds->start + i * bounds->step] = elements[i];
      return success();
    }
    std::optional<int64_t> at =
        position(*this, index, list->elements.size(), "list", range);
    if (!at)
      return failure();
    list->elements[*at] = newValue;
    return success();
  }
  case ValueKind::Dict: {
    std::optional<uint64_t> indexHash = hash(index, range);
    if (!indexHash)
      return failure();
    ValueTable &table = value.as<DictObject>()->table;
    if (!checkSize(0, range) ||
        static_cast<int64_t>(table.size()) > kMaxElements)
      return raise("MemoryError", "the dict is too large", range);
    table.set(index, *indexHash, newValue);
    return success();
  }
  case ValueKind::Array: {
    if (!arrays)
      break;
    Value made = force(newValue, range);
    if (made.isEmpty())
      return failure();
    CallContext context(*this, range, "[]=");
    return arrays->setItem(context, value, index, made);
  }
  case ValueKind::Opaque:
    return success();
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? failure() : setItem(made, index, newValue, range);
  }
  case ValueKind::Instance: {
    Value method = findAttr(value, "__setitem__", range);
    if (pending)
      return failure();
    if (!method.isEmpty())
      return success(!call(method, {index, newValue}, {}, range).isEmpty());
    break;
  }
  default:
    break;
  }
  return raise("TypeError",
               "'" + getTypeName(value) +
                   "' object does not support item assignment",
               range);
}

LogicalResult Interpreter::deleteItem(const Value &value, const Value &index,
                                      SourceRange range) {
  if (auto *dict = value.as<DictObject>()) {
    std::optional<uint64_t> indexHash = hash(index, range);
    if (!indexHash)
      return failure();
    if (dict->table.erase(index, *indexHash))
      return success();
    return raise("KeyError", shortRepr(index) + " is no key of the dict",
                 range);
  }
  if (auto *list = value.as<ListObject>()) {
    if (const auto *slice = index.as<SliceObject>()) {
      std::optional<Bounds> bounds =
          applySlice(*this, slice, list->elements.size(), range);
      if (!bounds)
        return failure();
      // From the back, so that positions stay right.
      for (int64_t i = 0; i < bounds->count; ++i) {
        int64_t which = bounds->step > 0 ? bounds->count - 1 - i : i;
        list->elements.erase(list->elements.begin() + bounds->start +
                             which * bounds->step);
      }
      return success();
    }
    std::optional<int64_t> at =
        position(*this, index, list->elements.size(), "list", range);
    if (!at)
      return failure();
    Value removed = list->elements[*at];
    list->elements.erase(list->elements.begin() + *at);
    return success();
  }
  return raise("TypeError",
               "'" + getTypeName(value) +
                   "' object does not support item deletion",
               range);
}

} // namespace pl::frontend

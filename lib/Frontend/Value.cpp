//===- Value.cpp - storage, equality and hashes of host values ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Value.h"

#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Objects.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

Object::~Object() = default;

void Object::destroy(const Object *object) {
  // Those whose last reference went while another one is deleted.
  thread_local std::vector<const Object *> *waiting = nullptr;
  if (waiting) {
    waiting->push_back(object);
    return;
  }
  std::vector<const Object *> list{object};
  waiting = &list;
  while (!list.empty()) {
    const Object *next = list.back();
    list.pop_back();
    delete next;
  }
  waiting = nullptr;
}

void ValueTable::takeValues(std::vector<Value> &values) {
  for (Entry &entry : entries)
    if (entry.value.isObject())
      values.push_back(std::move(entry.value));
  clear();
}

std::string HostObject::repr() const {
  return ("<" + getTypeName() + ">").str();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static constexpr struct {
  StringLiteral name;
  unsigned bytes;
} kDTypes[] = {
    {"FP64", 8},    {"FP32", 4},   {"FP16", 2},      {"BF16", 2},
    {"INT8", 1},    {"INT16", 2},  {"INT32", 4},     {"INT64", 8},
    {"UINT8", 1},   {"UINT16", 2}, {"UINT32", 4},    {"UINT64", 8},
    {"INT4", 1},    {"UINT4", 1},  {"FP8E4M3FN", 1}, {"FP8E5M2", 1},
    {"FP8E8M0", 1}, {"FP4", 1},    {"HF8", 1},       {"HF4", 1},
    {"BOOL", 1},    {"INDEX", 8},  {"TASK_ID", 8},
};

StringRef getName(DTypeKind dtype) {
  return kDTypes[static_cast<size_t>(dtype)].name;
}

unsigned getByteSize(DTypeKind dtype) {
  return kDTypes[static_cast<size_t>(dtype)].bytes;
}

std::optional<DTypeKind> parseDType(StringRef name) {
  for (size_t i = 0; i < std::size(kDTypes); ++i)
    if (kDTypes[i].name == name)
      return static_cast<DTypeKind>(i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Value::str(StringRef text) { return Value(new StrObject(text.str())); }
Value Value::bytes(StringRef text) {
  return Value(new BytesObject(text.str()));
}
Value Value::list(std::vector<Value> elements) {
  return Value(new ListObject(std::move(elements)));
}
Value Value::tuple(std::vector<Value> elements) {
  return Value(new TupleObject(std::move(elements)));
}
Value Value::array(std::shared_ptr<ref::Array> array) {
  return Value(new ArrayObject(std::move(array)));
}

StringRef Value::getStr() const {
  return cast<StrObject>(payload.object)->text;
}

const std::shared_ptr<ref::Array> &Value::getArray() const {
  return cast<ArrayObject>(payload.object)->array;
}

RangeObject::RangeObject(int64_t start, int64_t stop, int64_t step)
    : Object(ValueKind::Range), start(start), stop(stop), step(step),
      length([&]() -> int64_t {
        // In unsigned arithmetic the distance always fits.
        if (step > 0 && start < stop)
          return (uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step) + 1;
        if (step < 0 && start > stop)
          return (uint64_t(start) - uint64_t(stop) - 1) /
                     (~uint64_t(step) + 1) +
                 1;
        return 0;
      }()) {}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

size_t ValueTable::findBucket(const Value &key, uint64_t hash) const {
  size_t mask = index.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    int32_t slot = index[i];
    if (slot == -1)
      return index.size();
    if (slot >= 0 && entries[slot].hash == hash &&
        (entries[slot].key.isSame(key) || equalValues(entries[slot].key, key)))
      return i;
  }
}

void ValueTable::rebuild(size_t buckets) {
  if (live != entries.size()) {
    std::vector<Entry> kept;
    kept.reserve(live);
    for (Entry &entry : entries)
      if (!entry.key.isEmpty())
        kept.push_back(std::move(entry));
    entries = std::move(kept);
  }
  index.assign(buckets, -1);
  size_t mask = buckets - 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    size_t bucket = entries[i].hash & mask;
    while (index[bucket] != -1)
      bucket = (bucket + 1) & mask;
    index[bucket] = i;
  }
  used = entries.size();
}

Value *ValueTable::find(const Value &key, uint64_t hash) {
  if (index.empty())
    return nullptr;
  size_t bucket = findBucket(key, hash);
  return bucket == index.size() ? nullptr : &entries[index[bucket]].value;
}

void ValueTable::set(const Value &key, uint64_t hash, Value value) {
  if (Value *found = find(key, hash)) {
    *found = std::move(value);
    return;
  }
  if ((used + 1) * 4 > index.size() * 3)
    rebuild(std::max<size_t>(8, PowerOf2Ceil((live + 1) * 2)));
  size_t mask = index.size() - 1;
  size_t bucket = hash & mask;
  while (index[bucket] != -1)
    bucket = (bucket + 1) & mask;
  index[bucket] = entries.size();
  Entry entry;
  entry.key = key;
  entry.value = std::move(value);
  entry.hash = hash;
  entries.push_back(std::move(entry));
  ++live;
  ++used;
  ++version;
}

bool ValueTable::erase(const Value &key, uint64_t hash) {
  if (index.empty())
    return false;
  size_t bucket = findBucket(key, hash);
  if (bucket == index.size())
    return false;
  // Keep what is erased alive until the table is consistent again.
  Entry erased = std::move(entries[index[bucket]]);
  entries[index[bucket]] = Entry();
  index[bucket] = -2;
  --live;
  ++version;
  return true;
}

void ValueTable::clear() {
  std::vector<Entry> erased = std::move(entries);
  entries.clear();
  index.clear();
  live = used = 0;
  ++version;
}

static uint64_t hashString(StringRef text) { return xxh3_64bits(text); }

const Value *ValueTable::find(StringRef key) const {
  if (index.empty())
    return nullptr;
  uint64_t hash = hashString(key);
  size_t mask = index.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    int32_t slot = index[i];
    if (slot == -1)
      return nullptr;
    if (slot >= 0 && entries[slot].hash == hash && entries[slot].key.isStr() &&
        entries[slot].key.getStr() == key)
      return &entries[slot].value;
  }
}

void ValueTable::set(StringRef key, Value value) {
  set(Value::str(key), hashString(key), std::move(value));
}

//===----------------------------------------------------------------------===//
// Hashes and equality
//===----------------------------------------------------------------------===//

static uint64_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return value;
}

static bool isIntegral(double value) {
  return value >= -9223372036854775808.0 && value < 9223372036854775808.0 &&
         value == std::trunc(value);
}

static std::optional<uint64_t> hashAt(const Value &value, unsigned depth) {
  if (depth > 100)
    return std::nullopt;
  switch (value.getKind()) {
  case ValueKind::Bool:
  case ValueKind::Int:
    return mix(value.getInt());
  case ValueKind::Float: {
    double number = value.getFloat();
    if (isIntegral(number))
      return mix(static_cast<int64_t>(number));
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return mix(bits ^ 0x9E3779B97F4A7C15ULL);
  }
  case ValueKind::None:
  case ValueKind::Ellipsis:
    return mix(0x5bd1e995 + static_cast<uint64_t>(value.getKind()));
  case ValueKind::DType:
    return mix(0x1234567 + static_cast<uint64_t>(value.getDType()));
  case ValueKind::Str:
    return hashString(value.getStr());
  case ValueKind::Bytes:
    return hashString(value.as<BytesObject>()->text) ^ 1;
  case ValueKind::Tuple: {
    uint64_t result = 0x345678;
    for (const Value &element : value.as<TupleObject>()->elements) {
      std::optional<uint64_t> hash = hashAt(element, depth + 1);
      if (!hash)
        return std::nullopt;
      result = mix(result * 31 + *hash);
    }
    return result;
  }
  case ValueKind::Set: {
    const auto *set = value.as<SetObject>();
    if (!set->frozen)
      return std::nullopt;
    uint64_t result = 0x777;
    for (const ValueTable::Entry &entry : set->table.getEntries())
      if (!entry.key.isEmpty())
        result ^= mix(entry.hash);
    return result;
  }
  case ValueKind::Range: {
    const auto *range = value.as<RangeObject>();
    return mix(range->length) ^ mix(range->length ? range->start + 1 : 0);
  }
  case ValueKind::Instance: {
    const auto *instance = value.as<InstanceObject>();
    if (!instance->cls->isDataclass || !instance->cls->hasEq)
      break;
    if (!instance->cls->isFrozen)
      return std::nullopt;
    uint64_t result = mix(reinterpret_cast<uintptr_t>(instance->cls.get()));
    for (const ClassObject::Field &field : instance->cls->fields) {
      const Value *attribute = instance->attributes.find(field.name);
      std::optional<uint64_t> hash =
          attribute ? hashAt(*attribute, depth + 1) : 0;
      if (!hash)
        return std::nullopt;
      result = mix(result * 31 + *hash);
    }
    return result;
  }
  case ValueKind::Empty:
  case ValueKind::List:
  case ValueKind::Dict:
  case ValueKind::Slice:
    return std::nullopt;
  default:
    break;
  }
  return mix(reinterpret_cast<uintptr_t>(value.getObject()));
}

std::optional<uint64_t> hashValue(const Value &value) {
  return hashAt(value, 0);
}

static bool equalNumbers(const Value &lhs, const Value &rhs) {
  if (!lhs.isFloat() && !rhs.isFloat())
    return lhs.getInt() == rhs.getInt();
  if (lhs.isFloat() && rhs.isFloat())
    return lhs.getFloat() == rhs.getFloat();
  // Exactly: an int and the double nearest to it may differ.
  double number = lhs.isFloat() ? lhs.getFloat() : rhs.getFloat();
  int64_t integer = lhs.isFloat() ? rhs.getInt() : lhs.getInt();
  return isIntegral(number) && static_cast<int64_t>(number) == integer;
}

static bool equalAt(const Value &lhs, const Value &rhs, unsigned depth);

static bool equalLists(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                       unsigned depth) {
  if (lhs.size() != rhs.size())
    return false;
  for (size_t i = 0; i < lhs.size(); ++i)
    if (!lhs[i].isSame(rhs[i]) && !equalAt(lhs[i], rhs[i], depth))
      return false;
  return true;
}

static bool equalAt(const Value &lhs, const Value &rhs, unsigned depth) {
  if (lhs.isNumber() && rhs.isNumber())
    return equalNumbers(lhs, rhs);
  if (lhs.isSame(rhs))
    return true;
  if (lhs.getKind() != rhs.getKind() || depth > 100)
    return false;
  ++depth;
  switch (lhs.getKind()) {
  case ValueKind::Str:
    return lhs.getStr() == rhs.getStr();
  case ValueKind::Bytes:
    return lhs.as<BytesObject>()->text == rhs.as<BytesObject>()->text;
  case ValueKind::List:
    return equalLists(lhs.as<ListObject>()->elements,
                      rhs.as<ListObject>()->elements, depth);
  case ValueKind::Tuple:
    return equalLists(lhs.as<TupleObject>()->elements,
                      rhs.as<TupleObject>()->elements, depth);
  case ValueKind::Dict: {
    const ValueTable &left = lhs.as<DictObject>()->table;
    const ValueTable &right = rhs.as<DictObject>()->table;
    if (left.size() != right.size())
      return false;
    for (const ValueTable::Entry &entry : left.getEntries()) {
      if (entry.key.isEmpty())
        continue;
      const Value *other = right.find(entry.key, entry.hash);
      if (!other || !equalAt(entry.value, *other, depth))
        return false;
    }
    return true;
  }
  case ValueKind::Set: {
    const ValueTable &left = lhs.as<SetObject>()->table;
    const ValueTable &right = rhs.as<SetObject>()->table;
    if (left.size() != right.size())
      return false;
    for (const ValueTable::Entry &entry : left.getEntries())
      if (!entry.key.isEmpty() && !right.find(entry.key, entry.hash))
        return false;
    return true;
  }
  case ValueKind::Range: {
    const auto *left = lhs.as<RangeObject>(), *right = rhs.as<RangeObject>();
    return left->length == right->length &&
           (left->length == 0 || left->start == right->start) &&
           (left->length <= 1 || left->step == right->step);
  }
  case ValueKind::Slice: {
    const auto *left = lhs.as<SliceObject>(), *right = rhs.as<SliceObject>();
    return equalAt(left->lower, right->lower, depth) &&
           equalAt(left->upper, right->upper, depth) &&
           equalAt(left->step, right->step, depth);
  }
  case ValueKind::Enum: {
    const auto *left = lhs.as<EnumObject>(), *right = rhs.as<EnumObject>();
    return left->enumName == right->enumName && left->member == right->member;
  }
  case ValueKind::BoundMethod: {
    const auto *left = lhs.as<BoundMethodObject>();
    const auto *right = rhs.as<BoundMethodObject>();
    return left->self.isSame(right->self) &&
           equalAt(left->function, right->function, depth);
  }
  case ValueKind::Instance: {
    const auto *left = lhs.as<InstanceObject>();
    const auto *right = rhs.as<InstanceObject>();
    if (left->cls != right->cls || !left->cls->isDataclass || !left->cls->hasEq)
      return false;
    for (const ClassObject::Field &field : left->cls->fields) {
      if (!field.compare)
        continue;
      const Value *a = left->attributes.find(field.name);
      const Value *b = right->attributes.find(field.name);
      if (!a || !b || !equalAt(*a, *b, depth))
        return false;
    }
    return true;
  }
  default:
    return false;
  }
}

bool equalValues(const Value &lhs, const Value &rhs) {
  return equalAt(lhs, rhs, 0);
}

} // namespace pl::frontend

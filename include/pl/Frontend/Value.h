//===- Value.h - values of the host world ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Value is what a host expression evaluates to: small things (None, bool,
// int, float, a dtype) are held in place, everything else is a
// reference-counted Object. Copying a Value copies the reference, as assignment
// does in Python. The objects particular to functions, classes and modules are
// in Objects.h, those of the `pl` module in HostPl.h.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_VALUE_H
#define PL_FRONTEND_VALUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pl::ref {
class Array;
} // namespace pl::ref

namespace pl::frontend {

enum class ValueKind : uint8_t {
  Empty, // no value: an unbound name, a failed evaluation
  None,
  Bool,
  Int,
  Float,
  Ellipsis,
  DType,
  // From here on an Object.
  Str,
  Bytes,
  List,
  Tuple,
  Dict,
  Set,
  Range,
  Slice,
  Array,
  Function,
  Native,
  BoundMethod,
  Class,
  Instance,
  Property,
  Module,
  Iterator,
  Opaque,
  Enum,
  EnumClass,
  DynVar,
  Kernel,
  Annotation,
  Comparator,
  Lazy,
  Host, // an object of another library, see HostObject
};

/// Element types of the language, `pl.FP32` and so on. `torch` dtypes are the
/// same values.
enum class DTypeKind : uint8_t {
  FP64,
  FP32,
  FP16,
  BF16,
  INT8,
  INT16,
  INT32,
  INT64,
  UINT8,
  UINT16,
  UINT32,
  UINT64,
  INT4,
  UINT4,
  FP8E4M3FN,
  FP8E5M2,
  FP8E8M0,
  FP4,
  HF8,
  HF4,
  BOOL,
  INDEX,
  TASK_ID,
};

/// "FP32", "INDEX", ….
llvm::StringRef getName(DTypeKind dtype);
std::optional<DTypeKind> parseDType(llvm::StringRef name);
/// Size of one element in memory, at least 1; INDEX and TASK_ID count 8.
unsigned getByteSize(DTypeKind dtype);

/// Base of everything that is not held in a Value itself.
class Object {
public:
  explicit Object(ValueKind kind) : kind(kind) {}
  virtual ~Object();
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

  ValueKind getKind() const { return kind; }
  bool isShared() const { return refs > 1; }
  void Retain() const { ++refs; }
  void Release() const {
    if (--refs == 0)
      destroy(this);
  }

private:
  /// Deletes; what goes with it is deleted after it, not within, so that a
  /// chain of any length ends without deep recursion.
  static void destroy(const Object *object);
  mutable uint32_t refs = 0;
  const ValueKind kind;
};

template <typename T> using Ref = llvm::IntrusiveRefCntPtr<T>;

class Value {
public:
  Value() : kind(ValueKind::Empty) { payload.i = 0; }
  ~Value() { drop(); }
  Value(const Value &other) : kind(other.kind), payload(other.payload) {
    if (isObject())
      payload.object->Retain();
  }
  Value(Value &&other) noexcept : kind(other.kind), payload(other.payload) {
    other.kind = ValueKind::Empty;
  }
  Value &operator=(const Value &other) {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value &operator=(Value &&other) noexcept {
    swap(other);
    return *this;
  }
  /// Takes a share in an object.
  Value(Object *object) : kind(object->getKind()) {
    payload.object = object;
    object->Retain();
  }
  template <typename T>
  Value(const Ref<T> &object) : Value(static_cast<Object *>(object.get())) {}

  static Value none() { return Value(ValueKind::None, 0); }
  static Value ellipsis() { return Value(ValueKind::Ellipsis, 0); }
  static Value boolean(bool b) { return Value(ValueKind::Bool, b); }
  static Value integer(int64_t i) { return Value(ValueKind::Int, i); }
  static Value real(double d) {
    Value value(ValueKind::Float, 0);
    value.payload.d = d;
    return value;
  }
  static Value dtype(DTypeKind dtype) {
    return Value(ValueKind::DType, static_cast<int64_t>(dtype));
  }
  static Value str(llvm::StringRef text);
  static Value bytes(llvm::StringRef text);
  static Value list(std::vector<Value> elements = {});
  static Value tuple(std::vector<Value> elements);
  static Value array(std::shared_ptr<ref::Array> array);

  ValueKind getKind() const { return kind; }
  bool isEmpty() const { return kind == ValueKind::Empty; }
  bool isNone() const { return kind == ValueKind::None; }
  bool isBool() const { return kind == ValueKind::Bool; }
  bool isInt() const { return kind == ValueKind::Int; }
  bool isIntOrBool() const { return isInt() || isBool(); }
  bool isFloat() const { return kind == ValueKind::Float; }
  bool isNumber() const { return isInt() || isFloat() || isBool(); }
  bool isStr() const { return kind == ValueKind::Str; }
  bool isArray() const { return kind == ValueKind::Array; }
  bool isDType() const { return kind == ValueKind::DType; }
  bool isObject() const { return kind >= ValueKind::Str; }

  bool getBool() const { return payload.i != 0; }
  /// Of an int or a bool.
  int64_t getInt() const { return payload.i; }
  double getFloat() const { return payload.d; }
  /// An int, bool or float as a double.
  double getNumber() const {
    return isFloat() ? payload.d : static_cast<double>(payload.i);
  }
  DTypeKind getDType() const { return static_cast<DTypeKind>(payload.i); }
  Object *getObject() const {
    assert(isObject() && "not an object");
    return payload.object;
  }
  llvm::StringRef getStr() const;
  const std::shared_ptr<ref::Array> &getArray() const;

  /// The object as a T, or null. `value.as<ListObject>()`.
  template <typename T> T *as() const {
    return isObject() ? llvm::dyn_cast<T>(payload.object) : nullptr;
  }

  /// The same thing, as Python's `is`.
  bool isSame(const Value &other) const {
    return kind == other.kind && payload.i == other.payload.i;
  }

private:
  Value(ValueKind kind, int64_t i) : kind(kind) { payload.i = i; }
  void drop() {
    if (isObject())
      payload.object->Release();
  }
  void swap(Value &other) noexcept {
    std::swap(kind, other.kind);
    std::swap(payload, other.payload);
  }

  ValueKind kind;
  union Payload {
    int64_t i;
    double d;
    Object *object;
  } payload;
};

/// A keyword argument of a call or an item to bind to a name.
struct NamedValue {
  llvm::StringRef name;
  Value value;
};

/// "int", "str", "function", "tensor", …: the type as messages name it.
llvm::StringRef getTypeName(const Value &value);

#define PL_OBJECT_KIND(KIND)                                                   \
  static bool classof(const Object *object) {                                  \
    return object->getKind() == ValueKind::KIND;                               \
  }

class StrObject final : public Object {
public:
  explicit StrObject(std::string text)
      : Object(ValueKind::Str), text(std::move(text)) {}
  PL_OBJECT_KIND(Str)
  const std::string text; // UTF-8
};

class BytesObject final : public Object {
public:
  explicit BytesObject(std::string text)
      : Object(ValueKind::Bytes), text(std::move(text)) {}
  PL_OBJECT_KIND(Bytes)
  const std::string text;
};

class ListObject final : public Object {
public:
  explicit ListObject(std::vector<Value> elements)
      : Object(ValueKind::List), elements(std::move(elements)) {}
  PL_OBJECT_KIND(List)
  std::vector<Value> elements;
};

class TupleObject final : public Object {
public:
  explicit TupleObject(std::vector<Value> elements)
      : Object(ValueKind::Tuple), elements(std::move(elements)) {}
  PL_OBJECT_KIND(Tuple)
  const std::vector<Value> elements;
  /// Names of the fields of a named tuple, else empty.
  std::vector<std::string> fieldNames;
};

/// An insertion-ordered hash table from values to values; the storage of dicts
/// and sets. Keys must be hashable, see `hashValue`.
class ValueTable {
public:
  struct Entry {
    Value key; // Empty where an entry was erased
    Value value;
    uint64_t hash = 0;
  };

  size_t size() const { return live; }
  bool empty() const { return live == 0; }
  /// The value of a key, or null. Valid until the next change.
  Value *find(const Value &key, uint64_t hash);
  const Value *find(const Value &key, uint64_t hash) const {
    return const_cast<ValueTable *>(this)->find(key, hash);
  }
  /// Sets the value of a key; keeps the position of a key that was there.
  void set(const Value &key, uint64_t hash, Value value);
  bool erase(const Value &key, uint64_t hash);
  void clear();
  /// Empties the table, appending its values that are objects.
  void takeValues(std::vector<Value> &values);

  /// By a string key, as keyword arguments and fixtures have.
  const Value *find(llvm::StringRef key) const;
  void set(llvm::StringRef key, Value value);

  /// Entries in order of insertion, with holes (Empty keys).
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// Counts changes of the set of keys; lets an iteration see that it must
  /// stop.
  uint64_t getVersion() const { return version; }

private:
  void rebuild(size_t buckets);
  size_t findBucket(const Value &key, uint64_t hash) const;
  std::vector<Entry> entries;
  std::vector<int32_t> index; // -1 empty, -2 erased
  size_t live = 0;
  size_t used = 0; // buckets that are not -1
  uint64_t version = 0;
};

class DictObject final : public Object {
public:
  DictObject() : Object(ValueKind::Dict) {}
  PL_OBJECT_KIND(Dict)
  ValueTable table;
};

class SetObject final : public Object {
public:
  explicit SetObject(bool frozen = false)
      : Object(ValueKind::Set), frozen(frozen) {}
  PL_OBJECT_KIND(Set)
  ValueTable table;
  const bool frozen;
};

class RangeObject final : public Object {
public:
  RangeObject(int64_t start, int64_t stop, int64_t step);
  PL_OBJECT_KIND(Range)
  const int64_t start, stop, step;
  /// Number of elements.
  const int64_t length;
};

/// `lower:upper:step` as a value; parts that are absent are None.
class SliceObject final : public Object {
public:
  SliceObject(Value lower, Value upper, Value step)
      : Object(ValueKind::Slice), lower(std::move(lower)),
        upper(std::move(upper)), step(std::move(step)) {}
  PL_OBJECT_KIND(Slice)
  const Value lower, upper, step;
};

/// A tensor of the array library.
class ArrayObject final : public Object {
public:
  explicit ArrayObject(std::shared_ptr<ref::Array> array)
      : Object(ValueKind::Array), array(std::move(array)) {}
  PL_OBJECT_KIND(Array)
  std::shared_ptr<ref::Array> array;
};

/// Base of objects that another library gives to programs (a generator, a
/// device, …): it names its type, and ArrayOps answers for its attributes.
class HostObject : public Object {
public:
  HostObject() : Object(ValueKind::Host) {}
  PL_OBJECT_KIND(Host)
  virtual llvm::StringRef getTypeName() const = 0;
  /// What `str()` and `repr()` give.
  virtual std::string repr() const;
  /// A number that says which class of C++ this is, since there is no RTTI: the
  /// address of a static of the class.
  virtual const void *getClassId() const = 0;
};

/// Hash of a hashable value: equal values have equal hashes (1, 1.0 and True
/// too). None when the value cannot be hashed (list, dict, set, …).
std::optional<uint64_t> hashValue(const Value &value);

/// Python's `==` for everything that needs no user code and no arrays: numbers,
/// strings, containers, dataclass instances by field; identity otherwise.
bool equalValues(const Value &lhs, const Value &rhs);

/// Text as Python prints it; containers that hold themselves end in "...".
std::string repr(const Value &value);
std::string str(const Value &value);
/// A double as Python's repr prints it: shortest digits that read back.
std::string formatDouble(double value);

/// Number of characters of UTF-8 text, and the byte offset of the n-th.
size_t countCharacters(llvm::StringRef text);
size_t byteOffset(llvm::StringRef text, size_t character);

} // namespace pl::frontend

#endif // PL_FRONTEND_VALUE_H

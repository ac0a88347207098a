//===- Objects.h - functions, classes and modules of the host world -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_OBJECTS_H
#define PL_FRONTEND_OBJECTS_H

#include "pl/Frontend/AST.h"
#include "pl/Frontend/Value.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>

namespace pl::frontend {

class Interpreter;
class ModuleObject;

//===----------------------------------------------------------------------===//
// Native functions
//===----------------------------------------------------------------------===//

/// One call of a native function: its arguments, and how to fail.
class CallContext {
public:
  CallContext(Interpreter &interpreter, SourceRange range,
              llvm::StringRef callee = "", llvm::ArrayRef<Value> args = {},
              llvm::ArrayRef<NamedValue> keywords = {})
      : interpreter(interpreter), range(range), callee(callee), args(args),
        keywords(keywords) {}

  Interpreter &interpreter;
  /// The call expression.
  SourceRange range;
  /// Name of the function, for messages.
  llvm::StringRef callee;
  llvm::ArrayRef<Value> args;
  llvm::ArrayRef<NamedValue> keywords;

  /// Raises a Python exception ("TypeError", "ValueError", "IndexError", …) at
  /// the call. `return ctx.raise("ValueError", "…");`
  llvm::LogicalResult raise(llvm::StringRef type, const llvm::Twine &message);
  /// "'T' object has no attribute 'name'", with a suggestion.
  llvm::LogicalResult
  raiseNoAttribute(const Value &value, llvm::StringRef name,
                   llvm::ArrayRef<llvm::StringRef> candidates = {});

  /// Binds positional and keyword arguments to `names`, in that order; the
  /// first `required` must be given, the others are Empty when absent. Unknown,
  /// doubled, missing and surplus arguments raise TypeError.
  llvm::LogicalResult bind(llvm::ArrayRef<llvm::StringRef> names,
                           unsigned required,
                           llvm::SmallVectorImpl<Value> &values);

  /// An argument of a given type, or a TypeError that names it.
  llvm::FailureOr<int64_t> asInt(const Value &value, llvm::StringRef what);
  llvm::FailureOr<double> asFloat(const Value &value, llvm::StringRef what);
  llvm::FailureOr<bool> asBool(const Value &value, llvm::StringRef what);
  llvm::FailureOr<llvm::StringRef> asStr(const Value &value,
                                         llvm::StringRef what);
  /// A list, tuple or any iterable, as a vector.
  llvm::FailureOr<std::vector<Value>> asSequence(const Value &value,
                                                 llvm::StringRef what);
};

using NativeFn = std::function<llvm::FailureOr<Value>(CallContext &)>;

class NativeObject final : public Object {
public:
  NativeObject(std::string name, NativeFn fn)
      : Object(ValueKind::Native), name(std::move(name)), fn(std::move(fn)) {}
  PL_OBJECT_KIND(Native)
  const std::string name;
  const NativeFn fn;
  /// The class this function constructs (`int`, `str`, …), for isinstance.
  std::optional<ValueKind> constructs;
  /// Attributes of the function itself (`dict.fromkeys`).
  llvm::StringMap<Value> attributes;
};

Value makeNative(llvm::StringRef name, NativeFn fn);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

class ModuleObject final : public Object {
public:
  explicit ModuleObject(std::string name)
      : Object(ValueKind::Module), name(std::move(name)) {}
  PL_OBJECT_KIND(Module)

  const std::string name;
  std::string path;                // empty for built-in modules
  const ModuleNode *ast = nullptr; // null for built-in modules
  uint32_t buffer = 0;
  bool initialising = false; // true while its statements run
  /// Made by plc: what it lacks is no mistake until something needs it.
  bool isOurs() const { return !ast || isLibrary; }
  bool isLibrary = false; // ours, but written in the language itself

  /// Names at module level. Built-in modules are filled once.
  const Value *find(llvm::StringRef attribute) const {
    auto it = globals.find(attribute);
    return it == globals.end() || it->second.isEmpty() ? nullptr : &it->second;
  }
  void set(llvm::StringRef attribute, Value value) {
    globals[attribute] = std::move(value);
  }
  llvm::StringMap<Value> globals;
};

//===----------------------------------------------------------------------===//
// Functions and classes
//===----------------------------------------------------------------------===//

/// The variables of one call of a function; lives as long as a closure needs
/// it.
class Frame final : public llvm::RefCountedBase<Frame> {
public:
  Frame(FunctionScope *scope, Ref<Frame> parent, Ref<ModuleObject> module,
        size_t numSlots)
      : scope(scope), parent(std::move(parent)), module(std::move(module)),
        slots(numSlots) {}
  FunctionScope *scope;
  Ref<Frame> parent;
  Ref<ModuleObject> module;
  llvm::SmallVector<Value, 8> slots;
  /// Neighbours in the interpreter's list, which breaks cycles at the end.
  Frame *next = nullptr;
  Frame **link = nullptr;
  ~Frame();
};

/// A function or lambda written in the host world.
class FunctionObject final : public Object {
public:
  FunctionObject() : Object(ValueKind::Function) {}
  PL_OBJECT_KIND(Function)
  std::string name;
  const FunctionDefStmt *def = nullptr; // one of the two is set
  const LambdaExpr *lambda = nullptr;
  llvm::ArrayRef<Param> params;
  FunctionScope *scope = nullptr;
  Ref<ModuleObject> module;
  Ref<Frame> closure; // null at module level
  /// Default values by parameter index; Empty where there is none.
  std::vector<Value> defaults;
  llvm::StringMap<Value> attributes;
};

class BoundMethodObject final : public Object {
public:
  BoundMethodObject(Value self, Value function)
      : Object(ValueKind::BoundMethod), self(std::move(self)),
        function(std::move(function)) {}
  PL_OBJECT_KIND(BoundMethod)
  const Value self;
  const Value function;
};

/// What decorates a method: @property, @staticmethod, @classmethod,
/// functools.cached_property.
class PropertyObject final : public Object {
public:
  enum class Flavour { Property, Cached, Static, ClassMethod };
  PropertyObject(Flavour flavour, Value getter)
      : Object(ValueKind::Property), flavour(flavour),
        getter(std::move(getter)) {}
  PL_OBJECT_KIND(Property)
  const Flavour flavour;
  const Value getter;
  Value setter;
};

class ClassObject final : public Object {
public:
  explicit ClassObject(std::string name)
      : Object(ValueKind::Class), name(std::move(name)) {}
  PL_OBJECT_KIND(Class)

  struct Field {
    std::string name;
    Value defaultValue;   // Empty without one
    Value defaultFactory; // Empty without one
    bool init = true;
    bool compare = true;
    bool showInRepr = true;
  };

  const std::string name;
  std::vector<Ref<ClassObject>> bases;
  /// All that is inherited from, in the order that attributes are looked up in
  /// (Python's).
  std::vector<Ref<ClassObject>> ancestors;
  /// Makes `ancestors` from `bases`; false when no order suits all of them.
  bool orderAncestors();
  static constexpr size_t kMaxAncestors = 100;
  ValueTable attributes;
  /// Fields of a dataclass in order, inherited ones first.
  std::vector<Field> fields;
  bool isDataclass = false;
  bool isFrozen = false;
  bool isEnum = false;
  bool hasEq = true;
  bool hasOrder = false;
  bool isException = false;
  /// Fields as annotated in the body, in order; read by @dataclass.
  std::vector<std::string> annotated;
  SourceRange range;

  /// The attribute here or in a base, or null.
  const Value *lookup(llvm::StringRef attribute) const;
  bool isSubclassOf(const ClassObject *other) const;
};

class InstanceObject final : public Object {
public:
  explicit InstanceObject(Ref<ClassObject> cls)
      : Object(ValueKind::Instance), cls(std::move(cls)) {}
  PL_OBJECT_KIND(Instance)
  const Ref<ClassObject> cls;
  ValueTable attributes;
};

/// Something `next` works on.
class IteratorObject : public Object {
public:
  IteratorObject() : Object(ValueKind::Iterator) {}
  PL_OBJECT_KIND(Iterator)
  /// The next element, Empty at the end, failure when it raised.
  virtual llvm::FailureOr<Value> next(Interpreter &interpreter,
                                      SourceRange range) = 0;
};

/// The value of a module that was not found, or of a name that a module of ours
/// lacks, or of anything reached through one. Attributes and subscripts of it
/// give opaque values again, and so do calls where the module is unknown; where
/// a real value is needed the error says what is missing.
class OpaqueObject final : public Object {
public:
  OpaqueObject(std::string path, std::string module, SourceRange importRange)
      : Object(ValueKind::Opaque), path(std::move(path)),
        module(std::move(module)), importRange(importRange) {}
  /// A name at `range` that a module of ours does not have; `why` is what an
  /// AttributeError says when it is needed.
  OpaqueObject(std::string path, std::string module, SourceRange range,
               std::string why)
      : Object(ValueKind::Opaque), path(std::move(path)),
        module(std::move(module)), importRange(range), why(std::move(why)) {}
  bool isLacking() const { return !why.empty(); }
  /// What is reached through this value by `step` (".rand", "(...)").
  Value reach(llvm::StringRef step) const;
  PL_OBJECT_KIND(Opaque)
  const std::string path;   // "numpy.random.rand(…)"
  const std::string module; // "numpy"
  const SourceRange importRange;
  const std::string why; // empty where the module was not found
};

} // namespace pl::frontend

#endif // PL_FRONTEND_OBJECTS_H

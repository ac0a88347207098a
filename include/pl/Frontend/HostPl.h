//===- HostPl.h - host values of the `pl` module --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the names of `pypto.language` are at module level: enums, dynamic dims,
// kernels, annotations, comparators, lazy values. A decorated function is never
// run here; it becomes a KernelObject, which holds its syntax and the scope its
// free names are looked up in, for the lowering to read.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_HOSTPL_H
#define PL_FRONTEND_HOSTPL_H

#include "pl/Frontend/Objects.h"

#include <limits>
#include <variant>

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Enums and dynamic dims
//===----------------------------------------------------------------------===//

/// `pl.SplitMode`, `pld.NotifyOp`, …
class EnumClassObject final : public Object {
public:
  explicit EnumClassObject(std::string name)
      : Object(ValueKind::EnumClass), name(std::move(name)) {}
  PL_OBJECT_KIND(EnumClass)
  const std::string name;
  std::vector<Value> members; // EnumObjects
  llvm::StringMap<Value> aliases;
  const Value *find(llvm::StringRef member) const;
};

/// `pl.SplitMode.UP_DOWN`.
class EnumObject final : public Object {
public:
  EnumObject(std::string enumName, std::string member, int64_t value)
      : Object(ValueKind::Enum), enumName(std::move(enumName)),
        member(std::move(member)), value(value) {}
  PL_OBJECT_KIND(Enum)
  const std::string enumName, member;
  const int64_t value;
};

/// `pl.dynamic("T")`: two calls are two dims, whatever their text. What is
/// computed from a dim is one as well: `T * 64` is scale * T + offset.
class DynVarObject final : public Object {
public:
  DynVarObject(std::string name, SourceRange range)
      : Object(ValueKind::DynVar), name(std::move(name)), range(range) {}
  PL_OBJECT_KIND(DynVar)
  const std::string name; // of what is computed: its text
  const SourceRange range;
  Ref<DynVarObject> base; // null for a dim itself
  int64_t scale = 1;      // 0: no such form, as in `M * N`
  int64_t offset = 0;
  /// Whether an extent gives the dim its value.
  bool isInvertible() const { return scale > 0; }
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Of the decorators of @pl.jit, and of what @pl.function's type= or level=
/// says.
enum class KernelKind : uint8_t {
  Jit,    // @pl.jit, Orchestration: runs on one chip, an entry
  Inline, // @pl.jit.inline, Inline
  InCore, // @pl.jit.incore, InCore, AIC, AIV: a task of one block
  Host,   // @pl.jit.host, level=HOST: launches programs on ranks
  Opaque, // @pl.jit.opaque, Opaque; an entry where @pl.function says it
};
/// "pl.jit", "pl.jit.inline", ….
llvm::StringRef getSpelling(KernelKind kind);

/// A decorated function: syntax, kind and the scope it captures.
class KernelObject final : public Object {
public:
  KernelObject(KernelKind kind, std::string name, const FunctionDefStmt *def)
      : Object(ValueKind::Kernel), kind(kind), name(std::move(name)), def(def) {
  }
  PL_OBJECT_KIND(Kernel)

  const KernelKind kind;
  const std::string name;
  const FunctionDefStmt *const def;
  Ref<ModuleObject> module;
  Ref<Frame> closure; // null for a kernel at module level
  /// Keyword arguments of the decorator.
  std::vector<NamedValue> options;
  /// Made by @pl.function.
  bool isFunction = false;
  /// Not empty where the kind is not one that can be compiled: what it is.
  std::string unsupported;
  /// The class of `@pl.program` that holds it, or empty, and the kernels of
  /// that class, which the interpreter keeps.
  std::string programName;
  std::vector<KernelObject *> program;

  const Value *getOption(llvm::StringRef name) const;
  /// Of `auto_scope=`; true unless it is given as False.
  bool getAutoScope() const;
  /// What calls give values to: without the `self` of a method.
  llvm::ArrayRef<Param> getParams() const;
  /// As decorated: "@pl.jit.incore", "@pl.function(type=InCore)".
  std::string getSpelling() const;
};

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

enum class Direction : uint8_t { In, Out, InOut };

/// One extent of an annotated shape.
struct Dim {
  int64_t extent = 0;
  Ref<DynVarObject> dynamic; // wins over extent when set
  bool isDynamic() const { return dynamic != nullptr; }
};

/// What an annotation says, ready for lowering.
struct TypeAnnotation {
  enum class Kind : uint8_t {
    Tensor,
    DistributedTensor,
    Tile,
    Scalar,
    Array, // pl.Array[n, dtype]: dims holds n
    Tuple, // elements
    None,  // `-> None`
  };
  Kind kind = Kind::Tensor;
  Direction direction = Direction::In;
  /// False for bare `pl.Tensor`, whose shape and dtype come from the call.
  bool hasShape = false;
  std::optional<DTypeKind> dtype;
  std::vector<Dim> dims;
  /// Further subscripts (`pl.Tensor[[m, n], dtype, layout]`), as given.
  std::vector<Value> extras;
  std::vector<TypeAnnotation> elements;
  /// Direction was written (`pl.Out[...]`), for warnings about it.
  bool hasDirection = false;
};

/// "pl.Out[pl.Tensor[[T, 512], pl.BF16]]".
std::string str(const TypeAnnotation &annotation);

/// An annotation as a host value. `pl.Out` alone is one with `isWrapper`.
class AnnotationObject final : public Object {
public:
  explicit AnnotationObject(TypeAnnotation annotation, bool isWrapper = false)
      : Object(ValueKind::Annotation), annotation(std::move(annotation)),
        isWrapper(isWrapper) {}
  PL_OBJECT_KIND(Annotation)
  const TypeAnnotation annotation;
  const bool isWrapper;
};

//===----------------------------------------------------------------------===//
// Module conventions: parameters, fixtures, comparators, lazy values
//===----------------------------------------------------------------------===//

/// How one output is judged; spec of each kind in docs/Language.md.
///   ratio_allclose(atol, rtol, ratio=0.005, prefix=None, axis=0,
///                  zero_tail=False, kept_tail=False, where_equal="",
///                  at_least=0)
///   ratio_reldiff(d, pct, cap)
///   mapped_pool(mapping, atol, rtol, ratio=0.005)
///   exact()
class ComparatorObject final : public Object {
public:
  enum class Kind : uint8_t { RatioAllclose, RatioReldiff, MappedPool, Exact };
  explicit ComparatorObject(Kind comparator)
      : Object(ValueKind::Comparator), comparator(comparator) {}
  PL_OBJECT_KIND(Comparator)
  const Kind comparator;
  SourceRange range;
  double atol = 0, rtol = 0, ratio = 0; // RatioAllclose, MappedPool
  double atLeast = 0;                   // RatioAllclose, with where_equal=
  double d = 0, pct = 0;                // RatioReldiff
  double cap = std::numeric_limits<double>::infinity();
  /// Number of leading elements along `axis` that count: an int, the name of an
  /// input that holds it, or a function of the fixture; None means all.
  Value prefix;
  int64_t axis = 0;
  /// The tested side must be zero after the prefix.
  bool zeroTail = false;
  /// It must be what the input held after the prefix.
  bool keptTail = false;
  /// Name of the input that maps rows of the pool, or of the output of
  /// where_equal=.
  std::string mapping;
};
/// "ratio_allclose", ….
llvm::StringRef getName(ComparatorObject::Kind kind);

/// `pl.lazy(fn)`: made by calling `fn` when something first needs it.
/// Operators, attributes and subscripts of a lazy value work on what it makes;
/// see Interpreter::force.
class LazyObject final : public Object {
public:
  explicit LazyObject(Value thunk)
      : Object(ValueKind::Lazy), thunk(std::move(thunk)) {}
  PL_OBJECT_KIND(Lazy)
  /// Without arguments; Empty once made.
  Value thunk;
  Value made;
  /// Set for a copy: what is made is cloned from the original's.
  bool isCopy = false;
  bool busy = false;
};

/// `pl.param("tp", 2, choices=(1, 2, 4), help="…")`.
struct ParamRecord {
  std::string name;
  Value defaultValue;
  Value value;
  std::vector<Value> choices;
  std::string help;
  bool isSet = false; // by the command line
  SourceRange range;
};

struct CompareRecord {
  std::string output;
  Ref<ComparatorObject> comparator;
  SourceRange range;
};

/// What modules said about one entry with @pl.fixture, @pl.golden,
/// @pl.check_inputs, pl.compare, pl.persistent.
struct EntryRecord {
  Ref<KernelObject> kernel;
  // Empty without one.
  Value fixture, golden, inputCheck;
  SourceRange fixtureRange, goldenRange, inputCheckRange;
  std::vector<CompareRecord> compares;
  /// Window buffers whose signals need not end where they began.
  std::vector<std::string> persistent;
};

} // namespace pl::frontend

#endif // PL_FRONTEND_HOSTPL_H

//===- ArrayLibrary.h - torch's names in the host world -------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files that bind pl::ref to the interpreter. A function of the
// library is one entry of a table, whether a program calls it as `torch.f(x,
// …)`, as `x.f(…)`, or as `x.f_(…)`: the tensor is the first argument in each
// case.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_ARRAYLIBRARY_H
#define PL_LIB_FRONTEND_ARRAYLIBRARY_H

#include "pl/Frontend/ArrayOps.h"
#include "pl/Reference/Elementwise.h"
#include "pl/Reference/Random.h"
#include "llvm/ADT/StringMap.h"

namespace pl::frontend {

class ArrayLibrary;

/// `torch.Generator()`.
class GeneratorObject final : public HostObject {
public:
  llvm::StringRef getTypeName() const override { return "Generator"; }
  const void *getClassId() const override { return &classId; }
  static GeneratorObject *of(const Value &value);

  ref::Generator generator;

private:
  static char classId;
};

/// A context manager that does nothing: `torch.no_grad()`.
class NoGradObject final : public HostObject {
public:
  llvm::StringRef getTypeName() const override { return "no_grad"; }
  const void *getClassId() const override { return &classId; }

private:
  static char classId;
};

ref::DType toRef(DTypeKind dtype, bool &known);
DTypeKind fromRef(ref::DType dtype);
Value makeArray(ref::Array array);
/// A bool, int or float as the library takes it.
ref::Scalar toScalar(const Value &number);
/// The element of a one-element array.
Value elementValue(const ref::Array &array, int64_t flat);
/// Nested lists of an array; the element itself for a 0-d one.
Value toNestedList(const ref::Array &array);
std::string describeArray(const ref::Array &array);

/// One call of a function of the library. Argument readers that fail raise and
/// set `hasFailed`; a function reads what it needs, then asks once.
class TensorCall {
public:
  TensorCall(ArrayLibrary &library, CallContext &context,
             llvm::ArrayRef<Value> args);

  ArrayLibrary &library;
  CallContext &context;
  /// Positional arguments, lazy ones made.
  llvm::SmallVector<Value, 6> args;
  llvm::SmallVector<NamedValue, 4> keywords;

  /// Binds to parameter names; further readers take positions in `names`.
  /// `device`, `requires_grad` and the like are dropped, `axis` and `keepdims`
  /// are other words for `dim` and `keepdim`.
  bool bind(llvm::ArrayRef<llvm::StringRef> names, unsigned required);
  /// Takes extents off the positional arguments from `first` on: `f(2, 3)`,
  /// `f((2, 3))`, or the keyword `name`.
  ref::Dims takeExtents(size_t first, llvm::StringRef name);

  bool has(unsigned i) const {
    return i < values.size() && !values[i].isEmpty() && !values[i].isNone();
  }
  const Value &value(unsigned i) const { return values[i]; }
  ref::Array array(unsigned i);
  ref::Operand operand(unsigned i);
  ref::Scalar scalar(unsigned i);
  int64_t integer(unsigned i, int64_t otherwise);
  std::optional<int64_t> maybeInteger(unsigned i);
  double real(unsigned i, double otherwise);
  bool flag(unsigned i, bool otherwise);
  llvm::StringRef text(unsigned i, llvm::StringRef otherwise);
  /// An int or a sequence of ints; empty when absent.
  ref::Dims integers(unsigned i);
  std::optional<ref::DType> dtype(unsigned i);
  /// A list or tuple of tensors.
  std::vector<ref::Array> arrays(unsigned i);
  /// The generator argument, or the library's own.
  ref::Generator &generator(unsigned i);

  bool hasFailed() const { return failed; }
  /// Raises; the result goes to `return`.
  llvm::LogicalResult raise(llvm::StringRef type, const llvm::Twine &message);
  /// A library error as a RuntimeError that names the function.
  llvm::LogicalResult raise(llvm::Error error);
  llvm::FailureOr<Value> give(llvm::Expected<ref::Array> result);
  llvm::FailureOr<Value> give(llvm::Expected<std::vector<ref::Array>> result);

  /// The dtype of a value, or nothing and an exception.
  std::optional<ref::DType> toDType(const Value &value);
  std::optional<ref::Array> toArray(const Value &value, llvm::StringRef what);
  /// A tensor out of nested lists, numbers and tensors.
  std::optional<ref::Array> fromNested(const Value &value,
                                       std::optional<ref::DType> dtype);

private:
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::SmallVector<Value, 8> values;
  bool failed = false;
};

using TensorFn = std::function<llvm::FailureOr<Value>(TensorCall &)>;

/// Where a name of the table is offered.
enum class Offered : uint8_t { Function, Method, Both };

/// The array library of one session.
class ArrayLibrary final : public ArrayOps {
public:
  ArrayLibrary();

  Value getModule(llvm::StringRef name) override;
  llvm::FailureOr<Value> getAttr(CallContext &ctx, const Value &value,
                                 llvm::StringRef name) override;
  llvm::FailureOr<Value> binary(CallContext &ctx, BinOpKind op,
                                const Value &lhs, const Value &rhs) override;
  llvm::FailureOr<Value> inPlace(CallContext &ctx, BinOpKind op,
                                 const Value &lhs, const Value &rhs) override;
  llvm::FailureOr<Value> unary(CallContext &ctx, UnaryOpKind op,
                               const Value &operand) override;
  llvm::FailureOr<Value> compare(CallContext &ctx, CmpOpKind op,
                                 const Value &lhs, const Value &rhs) override;
  llvm::FailureOr<Value> getItem(CallContext &ctx, const Value &array,
                                 const Value &index) override;
  llvm::LogicalResult setItem(CallContext &ctx, const Value &array,
                              const Value &index, const Value &value) override;
  llvm::FailureOr<bool> truth(CallContext &ctx, const Value &array) override;
  llvm::FailureOr<int64_t> length(CallContext &ctx,
                                  const Value &array) override;
  llvm::FailureOr<Value> item(CallContext &ctx, const Value &array) override;
  std::string repr(const Value &array) override;
  Value clone(const Value &array) override;
  uint64_t getLiveBytes() const override;

  void add(llvm::StringRef name, Offered offered, TensorFn fn);
  /// Also as `x.NAME_(…)`, which writes the result back.
  void addInPlace(llvm::StringRef name, TensorFn fn);
  llvm::FailureOr<Value> call(CallContext &ctx, const TensorFn &fn,
                              llvm::ArrayRef<Value> args);
  /// A function of one module alone: `torch.nn.functional.gelu`.
  void addToModule(llvm::StringRef module, llvm::StringRef name, TensorFn fn);
  /// The table's function as a host function.
  Value makeFunction(llvm::StringRef name, const TensorFn &fn);

  ref::Generator defaultGenerator;
  /// The functions that are written in the language itself, once loaded.
  Ref<ModuleObject> prelude;

private:
  struct Entry {
    TensorFn fn;
    Offered offered = Offered::Both;
    bool inPlace = false;
  };
  Value findMethod(const Value &self, llvm::StringRef name);
  llvm::FailureOr<Value> hostAttr(CallContext &ctx, const Value &value,
                                  llvm::StringRef name);

  /// Before an operation of these values: counts its steps, and sees that there
  /// is memory for results and widened copies of their size. False: raised.
  bool admit(CallContext &ctx, llvm::ArrayRef<Value> values);

  ModuleObject *getOrMakeModule(llvm::StringRef name);

  llvm::StringMap<Entry> entries;
  llvm::StringMap<Ref<ModuleObject>> modules; // by full name
};

// The parts of the table.
void addElementwiseFunctions(ArrayLibrary &library); // TorchElementwise.cpp
void addReductionFunctions(ArrayLibrary &library);   // TorchReduce.cpp
void addShapeFunctions(ArrayLibrary &library);       // TorchShape.cpp
void addIndexFunctions(ArrayLibrary &library);       // TorchIndex.cpp
void addCreationFunctions(ArrayLibrary &library);    // TorchCreate.cpp
void addConversionMethods(ArrayLibrary &library);    // TorchConvert.cpp
void addFurtherFunctions(ArrayLibrary &library);     // TorchFurther.cpp
void addFileFunctions(ArrayLibrary &library);        // TorchFiles.cpp
void addPreludeFunctions(ArrayLibrary &library);     // TorchPrelude.cpp

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_ARRAYLIBRARY_H

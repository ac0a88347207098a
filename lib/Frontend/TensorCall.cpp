//===- TensorCall.cpp - Arguments of the array library --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Values of the two sides
//===----------------------------------------------------------------------===//

ref::DType toRef(DTypeKind dtype, bool &known) {
  known = true;
  switch (dtype) {
  case DTypeKind::FP64:
    return ref::DType::FP64;
  case DTypeKind::FP32:
    return ref::DType::FP32;
  case DTypeKind::FP16:
    return ref::DType::FP16;
  case DTypeKind::BF16:
    return ref::DType::BF16;
  case DTypeKind::INT8:
    return ref::DType::Int8;
  case DTypeKind::INT16:
    return ref::DType::Int16;
  case DTypeKind::INT32:
    return ref::DType::Int32;
  case DTypeKind::INT64:
  case DTypeKind::INDEX:
    return ref::DType::Int64;
  case DTypeKind::UINT8:
    return ref::DType::UInt8;
  case DTypeKind::BOOL:
    return ref::DType::Bool;
  case DTypeKind::UINT16:
  case DTypeKind::UINT32:
  case DTypeKind::UINT64:
  case DTypeKind::INT4:
  case DTypeKind::UINT4:
  case DTypeKind::FP8E4M3FN:
  case DTypeKind::FP8E5M2:
  case DTypeKind::FP8E8M0:
  case DTypeKind::FP4:
  case DTypeKind::HF8:
  case DTypeKind::HF4:
  case DTypeKind::TASK_ID:
    break;
  }
  known = false;
  return ref::DType::FP32;
}

DTypeKind fromRef(ref::DType dtype) {
  switch (dtype) {
  case ref::DType::Bool:
    return DTypeKind::BOOL;
  case ref::DType::UInt8:
    return DTypeKind::UINT8;
  case ref::DType::Int8:
    return DTypeKind::INT8;
  case ref::DType::Int16:
    return DTypeKind::INT16;
  case ref::DType::Int32:
    return DTypeKind::INT32;
  case ref::DType::Int64:
    return DTypeKind::INT64;
  case ref::DType::FP16:
    return DTypeKind::FP16;
  case ref::DType::BF16:
    return DTypeKind::BF16;
  case ref::DType::FP32:
    return DTypeKind::FP32;
  case ref::DType::FP64:
    return DTypeKind::FP64;
  }
  llvm_unreachable("all dtypes have a name in the language");
}

Value makeArray(ref::Array array) {
  return Value::array(std::make_shared<ref::Array>(std::move(array)));
}

ref::Scalar toScalar(const Value &number) {
  if (number.isFloat())
    return ref::Scalar::ofFloat(number.getFloat());
  return number.isBool() ? ref::Scalar::ofBool(number.getBool())
                         : ref::Scalar::ofInt(number.getInt());
}

Value elementValue(const ref::Array &array, int64_t flat) {
  if (array.dtype() == ref::DType::Bool)
    return Value::boolean(array.getInt(flat) != 0);
  return isFloating(array.dtype()) ? Value::real(array.getDouble(flat))
                                   : Value::integer(array.getInt(flat));
}

//===----------------------------------------------------------------------===//
// TensorCall
//===----------------------------------------------------------------------===//

TensorCall::TensorCall(ArrayLibrary &library, CallContext &context,
                       ArrayRef<Value> args)
    : library(library), context(context) {
  auto made = [&](const Value &value) {
    if (value.getKind() != ValueKind::Lazy)
      return value;
    Value result = context.interpreter.force(value, context.range);
    failed |= result.isEmpty();
    return result;
  };
  for (const Value &arg : args)
    this->args.push_back(made(arg));
  for (const NamedValue &keyword : context.keywords)
    keywords.push_back({keyword.name, made(keyword.value)});
}

/// Keywords that mean nothing on the CPU without gradients.
static bool isIgnored(StringRef name) {
  return name == "device" || name == "requires_grad" || name == "pin_memory" ||
         name == "layout" || name == "memory_format" || name == "non_blocking";
}

bool TensorCall::bind(ArrayRef<StringRef> parameterNames, unsigned required) {
  if (failed)
    return false;
  names.assign(parameterNames.begin(), parameterNames.end());
  SmallVector<NamedValue, 4> known;
  for (NamedValue keyword : keywords) {
    bool expected = is_contained(names, keyword.name);
    if (!expected && isIgnored(keyword.name))
      continue;
    if (!expected && keyword.name == "axis")
      keyword.name = "dim";
    if (!expected && keyword.name == "keepdims")
      keyword.name = "keepdim";
    known.push_back(std::move(keyword));
  }
  CallContext inner(context.interpreter, context.range, context.callee, args,
                    known);
  failed = llvm::failed(inner.bind(names, required, values));
  return !failed;
}

ref::Dims TensorCall::takeExtents(size_t first, StringRef name) {
  ref::Dims extents;
  if (failed)
    return extents;
  auto takeAll = [&](const Value &value) {
    FailureOr<std::vector<Value>> items = context.asSequence(value, name);
    failed |= llvm::failed(items);
    if (failed)
      return;
    for (const Value &item : *items) {
      FailureOr<int64_t> extent = context.asInt(item, name);
      failed |= llvm::failed(extent);
      extents.push_back(failed ? 0 : *extent);
    }
  };
  for (auto *it = keywords.begin(); it != keywords.end(); ++it)
    if (it->name == name) {
      Value value = it->value;
      keywords.erase(it);
      takeAll(value);
      return extents;
    }
  if (args.size() <= first)
    return extents;
  ValueKind kind = args[first].getKind();
  if (kind == ValueKind::List || kind == ValueKind::Tuple) {
    takeAll(args[first]);
    args.erase(args.begin() + first);
    return extents;
  }
  while (args.size() > first && !args[first].isDType()) {
    FailureOr<int64_t> extent = context.asInt(args[first], name);
    failed |= llvm::failed(extent);
    if (failed)
      break;
    extents.push_back(*extent);
    args.erase(args.begin() + first);
  }
  return extents;
}

LogicalResult TensorCall::raise(StringRef type, const Twine &message) {
  failed = true;
  return context.raise(type, message);
}

LogicalResult TensorCall::raise(Error error) {
  std::string message = toString(std::move(error));
  if (StringRef(message).starts_with(context.callee))
    return raise("RuntimeError", message);
  return raise("RuntimeError", context.callee + ": " + message);
}

FailureOr<Value> TensorCall::give(Expected<ref::Array> result) {
  if (!result)
    return raise(result.takeError());
  return makeArray(std::move(*result));
}

FailureOr<Value> TensorCall::give(Expected<std::vector<ref::Array>> result) {
  if (!result)
    return raise(result.takeError());
  std::vector<Value> elements;
  for (ref::Array &array : *result)
    elements.push_back(makeArray(std::move(array)));
  return Value::tuple(std::move(elements));
}

std::optional<ref::Array> TensorCall::toArray(const Value &value,
                                              StringRef what) {
  if (value.isArray())
    return *value.getArray();
  if (value.as<OpaqueObject>())
    (void)context.interpreter.raiseOpaque(value, context.range);
  else
    (void)context.raise("TypeError", context.callee + "(): " + what +
                                         " must be a tensor, not '" +
                                         getTypeName(value) + "'");
  failed = true;
  return std::nullopt;
}

ref::Array TensorCall::array(unsigned i) {
  if (failed)
    return ref::Array();
  return toArray(values[i], names[i]).value_or(ref::Array());
}

ref::Operand TensorCall::operand(unsigned i) {
  if (!failed && values[i].isNumber())
    return ref::Operand(toScalar(values[i]));
  return ref::Operand(array(i));
}

ref::Scalar TensorCall::scalar(unsigned i) {
  if (failed)
    return ref::Scalar();
  if (values[i].isNumber())
    return toScalar(values[i]);
  if (values[i].isArray() && values[i].getArray()->numel() == 1)
    return toScalar(elementValue(*values[i].getArray(), 0));
  (void)raise("TypeError", context.callee + "(): " + names[i] +
                               " must be a number, not '" +
                               getTypeName(values[i]) + "'");
  return ref::Scalar();
}

int64_t TensorCall::integer(unsigned i, int64_t otherwise) {
  return maybeInteger(i).value_or(otherwise);
}

std::optional<int64_t> TensorCall::maybeInteger(unsigned i) {
  if (failed || !has(i))
    return std::nullopt;
  FailureOr<int64_t> result = context.asInt(values[i], names[i]);
  failed = llvm::failed(result);
  return failed ? std::nullopt : std::optional<int64_t>(*result);
}

double TensorCall::real(unsigned i, double otherwise) {
  if (failed || !has(i))
    return otherwise;
  FailureOr<double> result = context.asFloat(values[i], names[i]);
  failed = llvm::failed(result);
  return failed ? otherwise : *result;
}

bool TensorCall::flag(unsigned i, bool otherwise) {
  if (failed || !has(i))
    return otherwise;
  FailureOr<bool> result = context.asBool(values[i], names[i]);
  failed = llvm::failed(result);
  return failed ? otherwise : *result;
}

StringRef TensorCall::text(unsigned i, StringRef otherwise) {
  if (failed || !has(i))
    return otherwise;
  FailureOr<StringRef> result = context.asStr(values[i], names[i]);
  failed = llvm::failed(result);
  return failed ? otherwise : *result;
}

ref::Dims TensorCall::integers(unsigned i) {
  ref::Dims result;
  if (failed || !has(i))
    return result;
  ValueKind kind = values[i].getKind();
  if (kind != ValueKind::List && kind != ValueKind::Tuple) {
    result.push_back(integer(i, 0));
    return result;
  }
  FailureOr<std::vector<Value>> items = context.asSequence(values[i], names[i]);
  failed = llvm::failed(items);
  if (failed)
    return result;
  for (const Value &item : *items) {
    FailureOr<int64_t> value = context.asInt(item, names[i]);
    failed = llvm::failed(value);
    if (failed)
      break;
    result.push_back(*value);
  }
  return result;
}

std::optional<ref::DType> TensorCall::toDType(const Value &value) {
  if (!value.isDType()) {
    if (value.as<OpaqueObject>())
      (void)context.interpreter.raiseOpaque(value, context.range);
    else
      (void)context.raise("TypeError", context.callee +
                                           "(): dtype must be a dtype such as "
                                           "torch.float32, not '" +
                                           getTypeName(value) + "'");
    failed = true;
    return std::nullopt;
  }
  bool known;
  ref::DType dtype = toRef(value.getDType(), known);
  if (known)
    return dtype;
  (void)raise("TypeError", "tensors of dtype " + getName(value.getDType()) +
                               " are not supported by the array library");
  return std::nullopt;
}

std::optional<ref::DType> TensorCall::dtype(unsigned i) {
  if (failed || !has(i))
    return std::nullopt;
  return toDType(values[i]);
}

std::vector<ref::Array> TensorCall::arrays(unsigned i) {
  std::vector<ref::Array> result;
  if (failed)
    return result;
  FailureOr<std::vector<Value>> items = context.asSequence(values[i], names[i]);
  failed = llvm::failed(items);
  for (size_t k = 0; !failed && k < items->size(); ++k) {
    Value item = context.interpreter.force((*items)[k], context.range);
    failed = item.isEmpty();
    if (failed)
      break;
    if (std::optional<ref::Array> array = toArray(item, names[i]))
      result.push_back(std::move(*array));
  }
  return result;
}

ref::Generator &TensorCall::generator(unsigned i) {
  if (has(i)) {
    if (GeneratorObject *object = GeneratorObject::of(values[i]))
      return object->generator;
    (void)raise("TypeError", context.callee +
                                 "(): generator must be a torch.Generator, not "
                                 "'" +
                                 getTypeName(values[i]) + "'");
  }
  return library.defaultGenerator;
}

//===----------------------------------------------------------------------===//
// Nested lists
//===----------------------------------------------------------------------===//

namespace {
/// Numbers collected from nested lists, with the shape they agree on.
struct Nested {
  ref::Dims shape;
  std::vector<Value> numbers;
  std::optional<ref::DType> dtype; // of what was seen so far
};
} // namespace

static constexpr size_t maxNesting = 32;

/// Adds `value` at `depth`; false when raised.
static bool collect(TensorCall &call, const Value &given, size_t depth,
                    Nested &nested) {
  Value value = call.context.interpreter.force(given, call.context.range);
  if (value.isEmpty())
    return false;
  auto see = [&](ref::DType dtype) {
    nested.dtype =
        nested.dtype ? ref::promoteTypes(*nested.dtype, dtype) : dtype;
  };
  auto ragged = [&] {
    (void)call.raise("ValueError",
                     "the nested lists of a tensor must all be equally long");
    return false;
  };
  // Numbers stand as deep as the first one did.
  if (value.isNumber()) {
    if (nested.shape.size() != depth)
      return ragged();
    see(value.isFloat()  ? ref::DType::FP32
        : value.isBool() ? ref::DType::Bool
                         : ref::DType::Int64);
    nested.numbers.push_back(value);
    return true;
  }
  if (value.isArray()) {
    const ref::Array &array = *value.getArray();
    size_t rank = static_cast<size_t>(array.rank());
    if (nested.numbers.empty() && nested.shape.size() == depth)
      append_range(nested.shape, array.shape());
    if (nested.shape.size() != depth + rank ||
        ArrayRef<int64_t>(nested.shape).take_back(rank) != array.shape())
      return ragged();
    see(array.dtype());
    for (int64_t i = 0, n = array.numel(); i < n; ++i)
      nested.numbers.push_back(elementValue(array, i));
    return true;
  }
  if (value.as<OpaqueObject>()) {
    (void)call.toArray(value, "data");
    return false;
  }
  ValueKind kind = value.getKind();
  if (kind != ValueKind::List && kind != ValueKind::Tuple &&
      kind != ValueKind::Range) {
    (void)call.raise("TypeError",
                     "a tensor is made of numbers and lists of them, not of '" +
                         getTypeName(value) + "'");
    return false;
  }
  if (depth == maxNesting) {
    (void)call.raise("ValueError", "lists nested too deeply for a tensor");
    return false;
  }
  FailureOr<std::vector<Value>> items = call.context.asSequence(value, "data");
  if (failed(items))
    return false;
  int64_t length = static_cast<int64_t>(items->size());
  if (nested.shape.size() == depth && nested.numbers.empty())
    nested.shape.push_back(length);
  if (nested.shape.size() <= depth || nested.shape[depth] != length)
    return ragged();
  for (const Value &item : *items)
    if (!collect(call, item, depth + 1, nested))
      return false;
  return true;
}

std::optional<ref::Array>
TensorCall::fromNested(const Value &value, std::optional<ref::DType> dtype) {
  if (value.isArray())
    return dtype && *dtype != value.getArray()->dtype()
               ? ref::convert(*value.getArray(), *dtype)
               : value.getArray()->clone();
  Nested nested;
  if (!collect(*this, value, 0, nested)) {
    failed = true;
    return std::nullopt;
  }
  Expected<ref::Array> array = ref::Array::create(
      dtype.value_or(nested.dtype.value_or(ref::DType::FP32)), nested.shape);
  if (!array) {
    (void)raise(array.takeError());
    return std::nullopt;
  }
  for (size_t i = 0; i < nested.numbers.size(); ++i) {
    const Value &number = nested.numbers[i];
    int64_t flat = static_cast<int64_t>(i);
    if (number.isFloat())
      array->setDouble(flat, number.getFloat());
    else
      array->setInt(flat, number.getInt());
    if (number.isInt() && ref::isIntegral(array->dtype()) &&
        array->getInt(flat) != number.getInt()) {
      (void)raise("RuntimeError", "the number " + Twine(number.getInt()) +
                                      " does not fit " +
                                      ref::dtypeName(array->dtype()));
      return std::nullopt;
    }
  }
  return std::move(*array);
}

} // namespace pl::frontend

//===- TorchConvert.cpp - Methods that convert, copy and describe tensors -===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using namespace pl;

namespace pl::frontend {

static void addCast(ArrayLibrary &library, StringRef name, ref::DType dtype) {
  library.add(name, Offered::Method,
              [dtype](TensorCall &call) -> FailureOr<Value> {
                if (!call.bind({"input"}, 1))
                  return failure();
                ref::Array x = call.array(0);
                if (call.hasFailed())
                  return failure();
                return x.dtype() == dtype ? call.args[0]
                                          : makeArray(ref::convert(x, dtype));
              });
}

/// `x.to(dtype)`, `x.to(other)`, `x.to("cpu")`, `x.to("cpu", dtype)`.
static FailureOr<Value> convertTo(TensorCall &call) {
  for (size_t i = call.args.size(); i-- > 1;)
    if (call.args[i].isStr() || call.args[i].isNone())
      call.args.erase(call.args.begin() + i);
  if (!call.bind({"input", "dtype", "non_blocking", "copy"}, 1))
    return failure();
  ref::Array x = call.array(0);
  bool copy = call.flag(3, false);
  ref::DType dtype = x.dtype();
  if (call.has(1) && call.value(1).isArray())
    dtype = call.array(1).dtype();
  else if (call.has(1))
    dtype = call.dtype(1).value_or(dtype);
  if (call.hasFailed())
    return failure();
  if (dtype == x.dtype())
    return copy ? makeArray(x.clone()) : call.args[0];
  return makeArray(ref::convert(x, dtype));
}

/// Methods of no arguments.
static void
addMethod(ArrayLibrary &library, StringRef name,
          std::function<FailureOr<Value>(TensorCall &, const ref::Array &)> f) {
  library.add(name, Offered::Method,
              [f = std::move(f)](TensorCall &call) -> FailureOr<Value> {
                if (!call.bind({"input"}, 1))
                  return failure();
                ref::Array x = call.array(0);
                if (call.hasFailed())
                  return failure();
                return f(call, x);
              });
}

static FailureOr<Value> itself(TensorCall &call, const ref::Array &) {
  return call.args[0];
}

/// The nested lists from dim `dim` on, starting at element `flat`.
static Value nestedFrom(const ref::Array &array, size_t dim, int64_t &flat) {
  if (dim == array.shape().size())
    return elementValue(array, flat++);
  std::vector<Value> elements;
  for (int64_t i = 0; i < array.shape()[dim]; ++i)
    elements.push_back(nestedFrom(array, dim + 1, flat));
  return Value::list(std::move(elements));
}

Value toNestedList(const ref::Array &array) {
  int64_t flat = 0;
  return nestedFrom(array.contiguous(), 0, flat);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Dims longer than this are shown by their ends when the tensor is large.
static constexpr int64_t edgeElements = 3;
static constexpr int64_t fullTextElements = 1000;

static std::string formatDigits(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.6g", value);
  return text;
}

static void printElement(raw_ostream &os, const ref::Array &array,
                         int64_t flat) {
  if (array.dtype() == ref::DType::Bool)
    os << (array.getInt(flat) ? "True" : "False");
  else if (!ref::isFloating(array.dtype()))
    os << array.getInt(flat);
  else
    // Six digits, written as a float.
    os << formatDouble(
        std::strtod(formatDigits(array.getDouble(flat)).c_str(), nullptr));
}

static void printFrom(raw_ostream &os, const ref::Array &array, size_t dim,
                      int64_t flat, bool cut) {
  if (dim == array.shape().size())
    return printElement(os, array, flat);
  int64_t extent = array.shape()[dim], stride = 1;
  for (size_t d = dim + 1; d < array.shape().size(); ++d)
    stride *= array.shape()[d];
  bool isLast = dim + 1 == array.shape().size();
  os << '[';
  for (int64_t i = 0; i < extent; ++i) {
    if (i > 0) {
      os << (isLast ? ", " : ",\n");
      if (!isLast)
        os.indent(static_cast<unsigned>(8 + dim));
    }
    if (cut && extent > 2 * edgeElements && i == edgeElements) {
      os << "...";
      i = extent - edgeElements - 1;
      continue;
    }
    printFrom(os, array, dim + 1, flat + i * stride, cut);
  }
  os << ']';
}

std::string describeArray(const ref::Array &array) {
  std::string text;
  raw_string_ostream os(text);
  os << "tensor(";
  printFrom(os, array, 0, 0, array.numel() > fullTextElements);
  bool isDefault = array.dtype() == ref::DType::FP32 ||
                   array.dtype() == ref::DType::Int64 ||
                   array.dtype() == ref::DType::Bool;
  if (array.numel() == 0)
    os << ", size=" << ref::shapeString(array.shape());
  if (!isDefault)
    os << ", dtype=torch." << ref::dtypeName(array.dtype());
  os << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static FailureOr<Value> size(TensorCall &call) {
  if (!call.bind({"input", "dim"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<int64_t> dim = call.maybeInteger(1);
  if (call.hasFailed())
    return failure();
  if (!dim) {
    std::vector<Value> extents;
    for (int64_t extent : x.shape())
      extents.push_back(Value::integer(extent));
    return Value::tuple(std::move(extents));
  }
  if (*dim < -x.rank() || *dim >= x.rank())
    return call.raise("IndexError", "dim " + Twine(*dim) +
                                        " is out of range for a tensor of "
                                        "shape " +
                                        ref::shapeString(x.shape()));
  return Value::integer(x.dim(*dim < 0 ? *dim + x.rank() : *dim));
}

static FailureOr<Value> copyFrom(TensorCall &call) {
  if (!call.bind({"input", "src", "non_blocking"}, 2))
    return failure();
  ref::Array x = call.array(0), source = call.array(1);
  if (call.hasFailed())
    return failure();
  if (Error error = ref::copyInto(x, source))
    return call.raise(std::move(error));
  return call.args[0];
}

static FailureOr<Value> fill(TensorCall &call) {
  if (!call.bind({"input", "value"}, 2))
    return failure();
  ref::Array x = call.array(0);
  ref::Scalar value = call.scalar(1);
  if (call.hasFailed())
    return failure();
  if (Error error = ref::checkNumber(value, x.dtype()))
    return call.raise(std::move(error));
  ref::fill(x, value);
  return call.args[0];
}

void addConversionMethods(ArrayLibrary &library) {
  using ref::DType;
  for (auto [name, dtype] : std::initializer_list<std::pair<StringRef, DType>>{
           {"float", DType::FP32},
           {"double", DType::FP64},
           {"half", DType::FP16},
           {"bfloat16", DType::BF16},
           {"int", DType::Int32},
           {"long", DType::Int64},
           {"short", DType::Int16},
           {"char", DType::Int8},
           {"byte", DType::UInt8},
           {"bool", DType::Bool}})
    addCast(library, name, dtype);
  library.add("to", Offered::Method, convertTo);
  library.add("type", Offered::Method, convertTo);
  library.add("type_as", Offered::Method, convertTo);
  for (StringRef name : {"cpu", "cuda", "detach", "share_memory_", "pin_memory",
                         "requires_grad_"})
    addMethod(library, name, itself);
  library.add("clone", Offered::Both, [](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input"}, 1))
      return failure();
    ref::Array x = call.array(0);
    if (call.hasFailed())
      return failure();
    return makeArray(x.clone());
  });
  addMethod(library, "contiguous",
            [](TensorCall &call, const ref::Array &x) -> FailureOr<Value> {
              return x.isContiguous() ? call.args[0] : makeArray(x.clone());
            });
  addMethod(library, "is_contiguous",
            [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
              return Value::boolean(x.isContiguous());
            });
  addMethod(library, "item",
            [](TensorCall &call, const ref::Array &x) -> FailureOr<Value> {
              if (x.numel() == 1)
                return elementValue(x, 0);
              return call.raise("RuntimeError",
                                "a tensor of shape " +
                                    ref::shapeString(x.shape()) +
                                    " is no single number");
            });
  addMethod(library, "tolist",
            [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
              return toNestedList(x);
            });
  for (StringRef name : {"numel", "nelement"})
    addMethod(library, name,
              [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
                return Value::integer(x.numel());
              });
  for (StringRef name : {"dim", "ndimension"})
    addMethod(library, name,
              [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
                return Value::integer(x.rank());
              });
  addMethod(library, "element_size",
            [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
              return Value::integer(ref::dtypeBytes(x.dtype()));
            });
  addMethod(library, "is_floating_point",
            [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
              return Value::boolean(ref::isFloating(x.dtype()));
            });
  addMethod(library, "stride",
            [](TensorCall &, const ref::Array &x) -> FailureOr<Value> {
              std::vector<Value> strides;
              for (int64_t stride : x.strides())
                strides.push_back(Value::integer(stride));
              return Value::tuple(std::move(strides));
            });
  library.add("size", Offered::Method, size);
  library.add("copy_", Offered::Method, copyFrom);
  library.add("fill_", Offered::Method, fill);
  addMethod(library, "zero_",
            [](TensorCall &call, const ref::Array &x) -> FailureOr<Value> {
              ref::fill(x, ref::Scalar::ofInt(0));
              return call.args[0];
            });
}

} // namespace pl::frontend

//===- TorchCreate.cpp - torch's new tensors and random numbers -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Shape.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

/// zeros, ones and empty (which is zero here, so that no run depends on what
/// was in memory).
static FailureOr<Value> filled(TensorCall &call, int64_t value) {
  ref::Dims shape = call.takeExtents(0, "size");
  if (!call.bind({"dtype"}, 0))
    return failure();
  std::optional<ref::DType> dtype = call.dtype(0);
  if (call.hasFailed())
    return failure();
  return call.give(ref::full(shape, ref::Scalar::ofInt(value),
                             dtype.value_or(ref::DType::FP32)));
}

static FailureOr<Value> filledLike(TensorCall &call, int64_t value) {
  if (!call.bind({"input", "dtype"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<ref::DType> dtype = call.dtype(1);
  if (call.hasFailed())
    return failure();
  return call.give(ref::full(x.shape(), ref::Scalar::ofInt(value),
                             dtype.value_or(x.dtype())));
}

/// `x.new_zeros(2, 3)`: the dtype of x unless one is given.
static FailureOr<Value> newFilled(TensorCall &call, int64_t value) {
  ref::Dims shape = call.takeExtents(1, "size");
  if (!call.bind({"input", "dtype"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<ref::DType> dtype = call.dtype(1);
  if (call.hasFailed())
    return failure();
  return call.give(
      ref::full(shape, ref::Scalar::ofInt(value), dtype.value_or(x.dtype())));
}

static FailureOr<Value> full(TensorCall &call) {
  if (!call.bind({"size", "fill_value", "dtype"}, 2))
    return failure();
  ref::Dims shape = call.integers(0);
  ref::Scalar value = call.scalar(1);
  std::optional<ref::DType> dtype = call.dtype(2);
  if (call.hasFailed())
    return failure();
  return call.give(
      ref::full(shape, value, dtype.value_or(value.defaultDType())));
}

static FailureOr<Value> fullLike(TensorCall &call) {
  if (!call.bind({"input", "fill_value", "dtype"}, 2))
    return failure();
  ref::Array x = call.array(0);
  ref::Scalar value = call.scalar(1);
  std::optional<ref::DType> dtype = call.dtype(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::full(x.shape(), value, dtype.value_or(x.dtype())));
}

static FailureOr<Value> newFull(TensorCall &call) {
  if (!call.bind({"input", "size", "fill_value", "dtype"}, 3))
    return failure();
  ref::Array x = call.array(0);
  ref::Dims shape = call.integers(1);
  ref::Scalar value = call.scalar(2);
  std::optional<ref::DType> dtype = call.dtype(3);
  if (call.hasFailed())
    return failure();
  return call.give(ref::full(shape, value, dtype.value_or(x.dtype())));
}

static FailureOr<Value> tensor(TensorCall &call) {
  if (!call.bind({"data", "dtype"}, 1))
    return failure();
  std::optional<ref::DType> dtype = call.dtype(1);
  if (call.hasFailed())
    return failure();
  std::optional<ref::Array> array = call.fromNested(call.value(0), dtype);
  if (!array)
    return failure();
  return makeArray(std::move(*array));
}

/// As tensor, but a tensor of the right dtype is given back as it is.
static FailureOr<Value> asTensor(TensorCall &call) {
  if (!call.bind({"data", "dtype"}, 1))
    return failure();
  std::optional<ref::DType> dtype = call.dtype(1);
  if (call.hasFailed())
    return failure();
  const Value &data = call.value(0);
  if (data.isArray() && (!dtype || *dtype == data.getArray()->dtype()))
    return data;
  return tensor(call);
}

/// `arange(end)`, `arange(start, end)`, `arange(start, end, step)`.
static FailureOr<Value> arange(TensorCall &call) {
  size_t count = call.args.size();
  if (count == 1)
    call.args.insert(call.args.begin(), Value::integer(0));
  else if (count == 0)
    call.args.push_back(Value::integer(0));
  // `start=` given by name after all.
  for (const NamedValue &keyword : call.keywords)
    if (keyword.name == "start" && count == 0)
      call.args.clear();
  if (!call.bind({"start", "end", "step", "dtype"}, 2))
    return failure();
  ref::Scalar start = call.scalar(0), end = call.scalar(1);
  ref::Scalar step = call.has(2) ? call.scalar(2) : ref::Scalar::ofInt(1);
  std::optional<ref::DType> dtype = call.dtype(3);
  if (call.hasFailed())
    return failure();
  return call.give(ref::arange(start, end, step, dtype));
}

static FailureOr<Value> linspace(TensorCall &call) {
  if (!call.bind({"start", "end", "steps", "dtype"}, 3))
    return failure();
  double start = call.real(0, 0.0), end = call.real(1, 0.0);
  int64_t steps = call.integer(2, 0);
  std::optional<ref::DType> dtype = call.dtype(3);
  if (call.hasFailed())
    return failure();
  return call.give(
      ref::linspace(start, end, steps, dtype.value_or(ref::DType::FP32)));
}

static FailureOr<Value> eye(TensorCall &call) {
  if (!call.bind({"n", "m", "dtype"}, 1))
    return failure();
  int64_t rows = call.integer(0, 0), columns = call.integer(1, rows);
  std::optional<ref::DType> dtype = call.dtype(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::eye(rows, columns, dtype.value_or(ref::DType::FP32)));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

using Filler = Error (*)(const ref::Array &, ref::Generator &);

static Error uniform(const ref::Array &array, ref::Generator &generator) {
  return ref::fillUniform(array, generator);
}
static Error normal(const ref::Array &array, ref::Generator &generator) {
  return ref::fillNormal(array, generator);
}

/// rand and randn.
static FailureOr<Value> random(TensorCall &call, Filler fill) {
  ref::Dims shape = call.takeExtents(0, "size");
  if (!call.bind({"dtype", "generator"}, 0))
    return failure();
  std::optional<ref::DType> dtype = call.dtype(0);
  ref::Generator &generator = call.generator(1);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> array =
      ref::Array::create(dtype.value_or(ref::DType::FP32), shape);
  if (!array)
    return call.give(std::move(array));
  if (Error error = fill(*array, generator))
    return call.raise(std::move(error));
  return makeArray(std::move(*array));
}

static FailureOr<Value> randomLike(TensorCall &call, Filler fill) {
  if (!call.bind({"input", "dtype", "generator"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<ref::DType> dtype = call.dtype(1);
  ref::Generator &generator = call.generator(2);
  if (call.hasFailed())
    return failure();
  ref::Array array = ref::Array::make(dtype.value_or(x.dtype()), x.shape());
  if (Error error = fill(array, generator))
    return call.raise(std::move(error));
  return makeArray(std::move(array));
}

/// `randint(high, size)` or `randint(low, high, size)`.
static FailureOr<Value> randint(TensorCall &call) {
  size_t count = call.args.size();
  bool hasLow = count >= 2 && call.args[1].isIntOrBool();
  for (const NamedValue &keyword : call.keywords)
    hasLow |= keyword.name == "low" || (keyword.name == "high" && count == 1);
  if (!hasLow)
    call.args.insert(call.args.begin(), Value::integer(0));
  if (!call.bind({"low", "high", "size", "dtype", "generator"}, 3))
    return failure();
  int64_t low = call.integer(0, 0), high = call.integer(1, 0);
  ref::Dims shape = call.integers(2);
  std::optional<ref::DType> dtype = call.dtype(3);
  ref::Generator &generator = call.generator(4);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> array =
      ref::Array::create(dtype.value_or(ref::DType::Int64), shape);
  if (!array)
    return call.give(std::move(array));
  if (Error error = ref::fillIntegers(*array, generator, low, high))
    return call.raise(std::move(error));
  return makeArray(std::move(*array));
}

static FailureOr<Value> randperm(TensorCall &call) {
  if (!call.bind({"n", "generator", "dtype"}, 1))
    return failure();
  int64_t n = call.integer(0, 0);
  ref::Generator &generator = call.generator(1);
  std::optional<ref::DType> dtype = call.dtype(2);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> order = ref::randomPermutation(n, generator);
  if (!order || !dtype)
    return call.give(std::move(order));
  return makeArray(ref::convert(*order, *dtype));
}

/// `x.normal_(mean, std)` and `x.uniform_(low, high)`.
static FailureOr<Value> fillRandom(TensorCall &call, bool isNormal) {
  if (!call.bind({"input", isNormal ? "mean" : "from", isNormal ? "std" : "to",
                  "generator"},
                 1))
    return failure();
  ref::Array x = call.array(0);
  double first = call.real(1, 0.0), second = call.real(2, 1.0);
  ref::Generator &generator = call.generator(3);
  if (call.hasFailed())
    return failure();
  if (Error error = isNormal ? ref::fillNormal(x, generator, first, second)
                             : ref::fillUniform(x, generator, first, second))
    return call.raise(std::move(error));
  return call.args[0];
}

static FailureOr<Value> manualSeed(TensorCall &call) {
  if (!call.bind({"seed"}, 1))
    return failure();
  int64_t seed = call.integer(0, 0);
  if (call.hasFailed())
    return failure();
  call.library.defaultGenerator.manualSeed(static_cast<uint64_t>(seed));
  return Value::none();
}

//===----------------------------------------------------------------------===//
// About dtypes
//===----------------------------------------------------------------------===//

static FailureOr<Value> finfo(TensorCall &call) {
  if (!call.bind({"dtype"}, 0))
    return failure();
  ref::DType dtype = call.dtype(0).value_or(ref::DType::FP32);
  if (call.hasFailed())
    return failure();
  double largest, epsilon, least;
  switch (dtype) {
  case ref::DType::FP16:
    largest = 65504.0;
    epsilon = 0x1p-10;
    least = 0x1p-14;
    break;
  case ref::DType::BF16:
    largest = 0x1.fep127;
    epsilon = 0x1p-7;
    least = 0x1p-126;
    break;
  case ref::DType::FP32:
    largest = 0x1.fffffep127;
    epsilon = 0x1p-23;
    least = 0x1p-126;
    break;
  case ref::DType::FP64:
    largest = std::numeric_limits<double>::max();
    epsilon = 0x1p-52;
    least = 0x1p-1022;
    break;
  default:
    return call.raise("TypeError", "finfo needs a float dtype, but got " +
                                       ref::dtypeName(dtype));
  }
  Ref<ModuleObject> info(new ModuleObject("finfo"));
  info->set("max", Value::real(largest));
  info->set("min", Value::real(-largest));
  info->set("eps", Value::real(epsilon));
  info->set("tiny", Value::real(least));
  info->set("smallest_normal", Value::real(least));
  info->set("bits", Value::integer(8 * ref::dtypeBytes(dtype)));
  return Value(info);
}

static FailureOr<Value> iinfo(TensorCall &call) {
  if (!call.bind({"dtype"}, 1))
    return failure();
  std::optional<ref::DType> dtype = call.dtype(0);
  if (call.hasFailed())
    return failure();
  if (!ref::isIntegral(*dtype))
    return call.raise("TypeError", "iinfo needs an integer dtype, but got " +
                                       ref::dtypeName(*dtype));
  int64_t bits = 8 * ref::dtypeBytes(*dtype);
  bool isUnsigned = *dtype == ref::DType::UInt8;
  int64_t largest =
      isUnsigned ? 255 : static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  Ref<ModuleObject> info(new ModuleObject("iinfo"));
  info->set("max", Value::integer(largest));
  info->set("min", Value::integer(isUnsigned ? 0 : -largest - 1));
  info->set("bits", Value::integer(bits));
  return Value(info);
}

static FailureOr<Value> ignore(TensorCall &) { return Value::none(); }

void addCreationFunctions(ArrayLibrary &library) {
  for (auto [name, value] : std::initializer_list<std::pair<StringRef, int>>{
           {"zeros", 0}, {"ones", 1}, {"empty", 0}}) {
    library.add(name, Offered::Function,
                [v = value](TensorCall &call) { return filled(call, v); });
    library.add((name + "_like").str(), Offered::Function,
                [v = value](TensorCall &call) { return filledLike(call, v); });
    library.add(("new_" + name).str(), Offered::Method,
                [v = value](TensorCall &call) { return newFilled(call, v); });
  }
  library.add("full", Offered::Function, full);
  library.add("full_like", Offered::Function, fullLike);
  library.add("new_full", Offered::Method, newFull);
  library.add("tensor", Offered::Function, tensor);
  library.add("as_tensor", Offered::Function, asTensor);
  library.add("arange", Offered::Function, arange);
  library.add("linspace", Offered::Function, linspace);
  library.add("eye", Offered::Function, eye);

  library.add("rand", Offered::Function,
              [](TensorCall &call) { return random(call, uniform); });
  library.add("randn", Offered::Function,
              [](TensorCall &call) { return random(call, normal); });
  library.add("rand_like", Offered::Function,
              [](TensorCall &call) { return randomLike(call, uniform); });
  library.add("randn_like", Offered::Function,
              [](TensorCall &call) { return randomLike(call, normal); });
  library.add("randint", Offered::Function, randint);
  library.add("randperm", Offered::Function, randperm);
  library.add("normal_", Offered::Method, [](TensorCall &call) {
    return fillRandom(call, /*isNormal=*/true);
  });
  library.add("uniform_", Offered::Method, [](TensorCall &call) {
    return fillRandom(call, /*isNormal=*/false);
  });
  library.add("manual_seed", Offered::Function, manualSeed);
  library.add("Generator", Offered::Function,
              [](TensorCall &call) -> FailureOr<Value> {
                call.args.clear(); // a device
                if (!call.bind({}, 0))
                  return failure();
                return Value(new GeneratorObject());
              });
  library.add("no_grad", Offered::Function,
              [](TensorCall &call) -> FailureOr<Value> {
                return Value(new NoGradObject());
              });
  library.add(
      "device", Offered::Function,
      [](TensorCall &call) -> FailureOr<Value> { return Value::str("cpu"); });
  library.add("finfo", Offered::Function, finfo);
  library.add("iinfo", Offered::Function, iinfo);
  for (StringRef name :
       {"set_num_threads", "set_printoptions", "use_deterministic_algorithms"})
    library.add(name, Offered::Function, ignore);
  library.add("is_tensor", Offered::Function,
              [](TensorCall &call) -> FailureOr<Value> {
                if (!call.bind({"obj"}, 1))
                  return failure();
                return Value::boolean(call.value(0).isArray());
              });
}

} // namespace pl::frontend

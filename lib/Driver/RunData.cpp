//===- RunData.cpp - Inputs of a run --------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/RunData.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Frontend/DiagCodes.h"
#include "pl/Reference/Npy.h"
#include "pl/Reference/Safetensors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using pl::frontend::DictObject;
using pl::frontend::Ref;
using pl::frontend::Value;
using pl::ref::DType;
using pl::sim::ElemType;

namespace pl::driver {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<ElemType> getElemType(DType dtype) {
  switch (dtype) {
  case DType::UInt8:
    return ElemType::U8;
  case DType::Int8:
    return ElemType::I8;
  case DType::Int16:
    return ElemType::I16;
  case DType::Int32:
    return ElemType::I32;
  case DType::Int64:
    return ElemType::I64;
  case DType::FP16:
    return ElemType::F16;
  case DType::BF16:
    return ElemType::BF16;
  case DType::FP32:
    return ElemType::F32;
  case DType::Bool:
  case DType::FP64:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Unsigned types wider than a byte have the signed type of their size: the
/// array library knows no others.
DType getDType(ElemType type) {
  switch (type) {
  case ElemType::F32:
    return DType::FP32;
  case ElemType::F16:
    return DType::FP16;
  case ElemType::BF16:
    return DType::BF16;
  case ElemType::I8:
    return DType::Int8;
  case ElemType::U8:
    return DType::UInt8;
  case ElemType::I16:
  case ElemType::U16:
    return DType::Int16;
  case ElemType::I32:
  case ElemType::U32:
    return DType::Int32;
  case ElemType::I64:
  case ElemType::U64:
    return DType::Int64;
  }
  return DType::FP32;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string Parameter::describe() const {
  std::string text = ref::dtypeName(getDType(type)).str() + " [";
  for (auto [axis, extent] : enumerate(shape)) {
    if (axis)
      text += ", ";
    if (extent >= 0)
      text += std::to_string(extent);
    else
      text += dims[axis].empty() ? "?" : dims[axis];
  }
  return text + "]";
}

static LogicalResult readTensor(mlir::MemRefType memref, mlir::ArrayAttr names,
                                Parameter &parameter) {
  std::optional<ElemType> type = sim::getElemType(memref.getElementType());
  if (!type)
    return failure();
  parameter.type = *type;
  unsigned nextName = 0;
  for (int64_t extent : memref.getShape()) {
    bool isDynamic = mlir::ShapedType::isDynamic(extent);
    parameter.shape.push_back(isDynamic ? -1 : extent);
    std::string name;
    if (isDynamic && names && nextName < names.size())
      if (auto dim = dyn_cast<mlir::pl::DimAttr>(names[nextName++]))
        name = dim.getName().str();
    parameter.dims.push_back(std::move(name));
  }
  return success();
}

FailureOr<std::vector<Parameter>> readParameters(Compilation &compiled) {
  using mlir::pl::PLDialect;
  mlir::func::FuncOp function = compiled.getEntryFunction();
  if (!function)
    return compiled.error("the module has no public function to run");
  std::vector<Parameter> parameters;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Parameter parameter;
    auto name =
        function.getArgAttrOfType<mlir::StringAttr>(i, PLDialect::kName);
    parameter.name = name ? name.str() : "arg" + std::to_string(i);
    if (auto direction = function.getArgAttrOfType<mlir::pl::DirectionAttr>(
            i, PLDialect::kDirection))
      parameter.direction = direction.getValue() == mlir::pl::Direction::out
                                ? Parameter::Direction::Out
                            : direction.getValue() == mlir::pl::Direction::inout
                                ? Parameter::Direction::InOut
                                : Parameter::Direction::In;
    mlir::Type type = function.getArgumentTypes()[i];
    if (auto memref = dyn_cast<mlir::MemRefType>(type)) {
      parameter.isWindow =
          isa_and_nonnull<mlir::pl::WindowAttr>(memref.getMemorySpace());
      if (failed(readTensor(
              memref,
              function.getArgAttrOfType<mlir::ArrayAttr>(i, PLDialect::kDims),
              parameter)))
        return compiled.error("parameter '" + parameter.name +
                              "' has an element type that cannot be run");
    } else {
      parameter.isTensor = false;
      parameter.isFloat = isa<mlir::FloatType>(type);
      parameter.scalarBits =
          isa<mlir::IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
      parameter.type = sim::getElemType(type).value_or(ElemType::I64);
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

const ref::Array *RunInputs::find(StringRef name) const {
  for (const NamedArray &tensor : tensors)
    if (tensor.name == name)
      return &tensor.array;
  return nullptr;
}

namespace {

/// Collects the inputs of one run.
class InputReader {
public:
  InputReader(Compilation &compiled, ArrayRef<Parameter> parameters,
              const Replay *replay)
      : compiled(compiled), parameters(parameters), replay(replay) {}

  FailureOr<RunInputs> read();

private:
  LogicalResult openFixture();
  LogicalResult readFromFixture(const Parameter &parameter);
  LogicalResult readTensor(const Parameter &parameter);
  LogicalResult readScalar(const Parameter &parameter);
  LogicalResult readScalarFile(const Parameter &parameter);
  LogicalResult checkTensor(const Parameter &parameter,
                            const ref::Array &array);
  FailureOr<Value> fixtureValue(const Parameter &parameter);
  Expected<ref::Array> readFile(const Parameter &parameter);
  /// An error of the data: at the fixture, where there is one.
  LogicalResult wrong(const Twine &message);

  Compilation &compiled;
  ArrayRef<Parameter> parameters;
  const Replay *replay;
  const frontend::EntryRecord *record = nullptr;
  /// The module's own, where a replay needs it.
  Ref<DictObject> fixture;
  RunInputs inputs;
  /// Extents of the dims by name, and the parameter that gave it.
  struct Binding {
    std::string name, where;
    int64_t extent;
  };
  std::vector<Binding> bindings;
};

} // namespace

LogicalResult InputReader::wrong(const Twine &message) {
  frontend::SourceRange range;
  if (record && !replay && compiled.getOptions().inputs.empty())
    range = record->fixtureRange;
  compiled.getDiagnostics().error(frontend::DiagCode::FixtureMismatch, range,
                                  message);
  compiled.getDiagnostics().flush();
  return failure();
}

/// Calls the fixture, where the inputs come from it.
LogicalResult InputReader::openFixture() {
  inputs.fixture = Ref<DictObject>(new DictObject());
  frontend::Session *session = compiled.getSession();
  if (session)
    record = session->getEntry(compiled.getEntry());
  if (replay || !compiled.getOptions().inputs.empty() || !session)
    return success();
  if (!record || record->fixture.isEmpty())
    return compiled.error(
        "'" + Twine(compiled.getEntry()->name) +
        "' has no @pl.fixture; give its inputs with --inputs DIR" +
        (compiled.getOptions().command == Command::Run ? " or --golden-data DIR"
                                                       : ""));
  FailureOr<Ref<DictObject>> made = session->callFixture(compiled.getEntry());
  compiled.getDiagnostics().flush();
  if (failed(made))
    return failure();
  inputs.fixture = *made;
  SmallVector<StringRef> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  for (const auto &entry : inputs.fixture->table.getEntries())
    if (entry.key.isStr() && !is_contained(names, entry.key.getStr()))
      compiled.getDiagnostics().warning(
          frontend::DiagCode::FixtureMismatch, record->fixtureRange,
          "the fixture gives '" + entry.key.getStr() +
              "', which is no parameter of '" + compiled.getEntry()->name +
              "'" + frontend::didYouMean(entry.key.getStr(), names));
  compiled.getDiagnostics().flush();
  return success();
}

/// Takes one tensor from the fixture beside those of a replay.
LogicalResult InputReader::readFromFixture(const Parameter &parameter) {
  if (!fixture) {
    FailureOr<Ref<DictObject>> made =
        compiled.getSession()->callFixture(compiled.getEntry());
    compiled.getDiagnostics().flush();
    if (failed(made))
      return failure();
    fixture = *made;
  }
  const Value *value = fixture->table.find(parameter.name);
  FailureOr<Value> forced =
      value ? compiled.getSession()->force(*value) : FailureOr<Value>(Value());
  compiled.getDiagnostics().flush();
  if (failed(forced))
    return failure();
  if (!forced->isArray())
    return wrong("neither the saved directory nor the fixture gives '" +
                 parameter.name + "'");
  inputs.fixture->table.set(parameter.name, *forced);
  inputs.tensors.push_back({parameter.name, forced->getArray()->contiguous()});
  return checkTensor(parameter, inputs.tensors.back().array);
}

/// Empty where the fixture says nothing.
FailureOr<Value> InputReader::fixtureValue(const Parameter &parameter) {
  const Value *value = inputs.fixture->table.find(parameter.name);
  if (!value)
    return Value();
  FailureOr<Value> made = compiled.getSession()->force(*value);
  compiled.getDiagnostics().flush();
  return made;
}

Expected<ref::Array> InputReader::readFile(const Parameter &parameter) {
  if (replay)
    return parameter.isTensor
               ? replay->readInput(parameter.name,
                                   static_cast<int64_t>(parameter.shape.size()))
               : replay->readScalar(parameter.name, getScalarDType(parameter));
  // DIR may also be a saved directory, whose inputs lie in DIR/in.
  SmallString<128> stem(compiled.getOptions().inputs);
  DType dtype =
      parameter.isTensor ? getDType(parameter.type) : getScalarDType(parameter);
  std::string file = ref::npyFileName(parameter.name, dtype);
  SmallString<128> inner(stem);
  sys::path::append(stem, file);
  sys::path::append(inner, "in", file);
  for (StringRef path : {stem.str(), inner.str()}) {
    if (sys::fs::exists(path))
      return ref::readNpy(path);
    StringRef base = path;
    (void)(base.consume_back(".npy") && base.consume_back(".bf16"));
    std::string tensors = (base + ".safetensors").str();
    if (sys::fs::exists(tensors))
      return ref::readSafetensor(tensors, parameter.name);
  }
  return ref::readNpy(stem);
}

LogicalResult InputReader::checkTensor(const Parameter &parameter,
                                       const ref::Array &array) {
  std::string found =
      (ref::dtypeName(array.dtype()) + " " + ref::shapeString(array.shape()))
          .str();
  auto mismatch = [&](const Twine &why) {
    return wrong("input '" + parameter.name + "' is " + found +
                 ", but the parameter is " + parameter.describe() + why);
  };
  if (array.dtype() != getDType(parameter.type) ||
      array.rank() != static_cast<int64_t>(parameter.shape.size()))
    return mismatch("");
  for (auto [axis, extent] : enumerate(parameter.shape)) {
    int64_t actual = array.dim(axis);
    if (extent >= 0) {
      if (actual != extent)
        return mismatch("");
      continue;
    }
    StringRef dim = parameter.dims[axis];
    if (dim.empty())
      continue;
    auto bound = find_if(
        bindings, [&](const Binding &binding) { return binding.name == dim; });
    std::string where = (parameter.name + " axis " + Twine(axis)).str();
    if (bound == bindings.end())
      bindings.push_back({dim.str(), std::move(where), actual});
    else if (bound->extent != actual)
      return mismatch("; " + dim + " is " + Twine(actual) + " here and " +
                      Twine(bound->extent) + " in " + bound->where);
  }
  return success();
}

LogicalResult InputReader::readTensor(const Parameter &parameter) {
  bool hasFiles = replay || !compiled.getOptions().inputs.empty();
  if (hasFiles) {
    if (!parameter.isRead())
      return success();
    // What a written tensor holds before may be the fixture's alone.
    bool isFilesOwn = !replay || replay->hasInput(parameter.name);
    if (!isFilesOwn && parameter.isWritten() && record &&
        !record->fixture.isEmpty())
      return readFromFixture(parameter);
    Expected<ref::Array> array = readFile(parameter);
    if (!array)
      return wrong("input '" + parameter.name +
                   "': " + toString(array.takeError()));
    inputs.fixture->table.set(
        parameter.name, Value::array(std::make_shared<ref::Array>(*array)));
    inputs.tensors.push_back({parameter.name, *array});
    return checkTensor(parameter, *array);
  }
  if (!compiled.getSession()) {
    if (!parameter.isRead())
      return success();
    for (int64_t extent : parameter.shape)
      if (extent < 0)
        return wrong("parameter '" + parameter.name + "' is " +
                     parameter.describe() +
                     "; give its extents with --inputs DIR");
    Expected<ref::Array> shape =
        ref::Array::create(getDType(parameter.type), parameter.shape);
    if (!shape)
      return wrong("parameter '" + parameter.name +
                   "': " + toString(shape.takeError()));
    inputs.tensors.push_back({parameter.name, *shape, /*isPoison=*/true});
    return success();
  }
  if (!parameter.isRead() && !inputs.fixture->table.find(parameter.name))
    return success();
  FailureOr<Value> value = fixtureValue(parameter);
  if (failed(value))
    return failure();
  if (value->isEmpty())
    return wrong("the fixture gives no '" + parameter.name + "', which '" +
                 compiled.getEntry()->name + "' reads");
  if (!value->isArray())
    return wrong("the fixture gives a " + frontend::getTypeName(*value) +
                 " for '" + parameter.name + "', but the parameter is " +
                 parameter.describe());
  inputs.tensors.push_back({parameter.name, value->getArray()->contiguous()});
  return checkTensor(parameter, inputs.tensors.back().array);
}

/// The bits of a scalar as the simulator wants them.
static uint64_t scalarBits(const Parameter &parameter, const Value &value) {
  if (!parameter.isFloat)
    return static_cast<uint64_t>(value.getInt());
  if (parameter.scalarBits == 32) {
    float single = static_cast<float>(value.getNumber());
    return bit_cast<uint32_t>(single);
  }
  if (parameter.type == ElemType::BF16)
    return ref::BFloat16::fromDouble(value.getNumber()).bits;
  return ref::Half::fromDouble(value.getNumber()).bits;
}

DType getScalarDType(const Parameter &parameter) {
  return parameter.scalarBits == 1 ? DType::Bool : getDType(parameter.type);
}

/// In a file a scalar is an array of one element.
LogicalResult InputReader::readScalarFile(const Parameter &parameter) {
  Expected<ref::Array> array = readFile(parameter);
  if (!array)
    return wrong("scalar '" + parameter.name +
                 "': " + toString(array.takeError()));
  DType dtype = getScalarDType(parameter);
  if (array->dtype() != dtype || array->numel() != 1)
    return wrong("scalar '" + parameter.name + "' is " +
                 ref::dtypeName(array->dtype()) + " " +
                 ref::shapeString(array->shape()) +
                 ", but the parameter is one " + ref::dtypeName(dtype));
  Value value = parameter.isFloat ? Value::real(array->getDouble(0))
                                  : Value::integer(array->getInt(0));
  inputs.fixture->table.set(parameter.name, value);
  inputs.scalars.push_back({parameter.name, scalarBits(parameter, value)});
  return success();
}

LogicalResult InputReader::readScalar(const Parameter &parameter) {
  if (replay || !compiled.getOptions().inputs.empty())
    return readScalarFile(parameter);
  if (!compiled.getSession())
    return wrong("scalar parameter '" + parameter.name +
                 "' has no value: IR has no fixture; give --inputs DIR or "
                 "--golden-data DIR");
  FailureOr<Value> value = fixtureValue(parameter);
  if (failed(value))
    return failure();
  if (value->isEmpty())
    return wrong("the fixture gives no '" + parameter.name + "', which '" +
                 compiled.getEntry()->name + "' reads");
  bool fits = parameter.isFloat ? value->isNumber() : value->isIntOrBool();
  if (!fits)
    return wrong("the fixture gives a " + frontend::getTypeName(*value) +
                 " for '" + parameter.name + "', which is " +
                 (parameter.isFloat ? "a float" : "an integer") + " scalar");
  inputs.scalars.push_back({parameter.name, scalarBits(parameter, *value)});
  return success();
}

FailureOr<RunInputs> InputReader::read() {
  for (const Parameter &parameter : parameters)
    if (parameter.isWindow)
      return compiled.error("parameter '" + parameter.name +
                            "' is a window: run the host program "
                            "(@pl.jit.host) that allocates it");
  if (failed(openFixture()))
    return failure();
  bool good = true;
  for (const Parameter &parameter : parameters)
    good &= succeeded(parameter.isTensor ? readTensor(parameter)
                                         : readScalar(parameter));
  frontend::Session *session = compiled.getSession();
  if (!good || (session && failed(session->checkInputs(compiled.getEntry(),
                                                       inputs.fixture))))
    return failure();
  return std::move(inputs);
}

FailureOr<RunInputs> readInputs(Compilation &compiled,
                                ArrayRef<Parameter> parameters,
                                const Replay *replay) {
  return InputReader(compiled, parameters, replay).read();
}

//===----------------------------------------------------------------------===//
// To and from the simulator
//===----------------------------------------------------------------------===//

std::vector<sim::TensorArg> makeTensorArgs(RunInputs &inputs,
                                           ArrayRef<Parameter> parameters) {
  std::vector<sim::TensorArg> args;
  for (NamedArray &tensor : inputs.tensors) {
    const Parameter *parameter =
        find_if(parameters, [&](const Parameter &candidate) {
          return candidate.name == tensor.name;
        });
    tensor.array = tensor.array.contiguous();
    sim::TensorArg arg;
    arg.name = tensor.name;
    arg.type = parameter->type;
    arg.shape.assign(tensor.array.shape().begin(), tensor.array.shape().end());
    if (parameter->isRead() && !tensor.isPoison)
      arg.bytes = ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t *>(tensor.array.rawData()),
          static_cast<size_t>(tensor.array.bytes()));
    args.push_back(std::move(arg));
  }
  return args;
}

Expected<ref::Array> makeArray(const sim::TensorResult &result) {
  Expected<ref::Array> array =
      ref::Array::create(getDType(result.type), result.shape);
  if (array && array->bytes() == static_cast<int64_t>(result.bytes.size()) &&
      !result.bytes.empty())
    std::memcpy(array->rawData(), result.bytes.data(), result.bytes.size());
  return array;
}

} // namespace pl::driver

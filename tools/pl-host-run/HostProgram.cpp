//===- HostProgram.cpp - an emitted build directory as a host program -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "pl/HostShim/Scalar.h"
#include "pl/Reference/SavedData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace pl;
using ref::fail;

// The C++ runtime library of older systems lacks what kernels compiled with a
// real bfloat16_t call; they find it here.
extern "C" __attribute__((visibility("default"))) __bf16
__truncsfbf2(float value) {
  uint16_t bits = shim::f32ToBF16<shim::RoundMode::Rint>(value);
  __bf16 result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

static std::string join(llvm::StringRef directory, llvm::StringRef file) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, file);
  return std::string(path);
}

std::optional<DataType> pl::runtimeType(ref::DType dtype) {
  switch (dtype) {
  case ref::DType::Bool:
    return DataType::BOOL;
  case ref::DType::UInt8:
    return DataType::UINT8;
  case ref::DType::Int8:
    return DataType::INT8;
  case ref::DType::Int16:
    return DataType::INT16;
  case ref::DType::Int32:
    return DataType::INT32;
  case ref::DType::Int64:
    return DataType::INT64;
  case ref::DType::FP16:
    return DataType::FLOAT16;
  case ref::DType::BF16:
    return DataType::BFLOAT16;
  case ref::DType::FP32:
    return DataType::FLOAT32;
  case ref::DType::FP64:
    return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

llvm::Expected<HostProgram> HostProgram::open(const HostOptions &options) {
  HostProgram program;
  program.options = options;
  if (program.options.workDirectory.empty())
    program.options.workDirectory = join(options.buildDirectory, "host");
  std::string path = join(options.buildDirectory, "host_plan.json");
  bool isPlan = llvm::sys::fs::exists(path);
  if (!isPlan)
    path = join(options.buildDirectory, "manifest.json");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  auto root = llvm::json::parse((*buffer)->getBuffer());
  if (!root)
    return fail(path + ": " + llvm::toString(root.takeError()));
  llvm::json::Object *object = root->getAsObject();
  if (!object)
    return fail(path + ": is not an object");
  if (llvm::Error error = isPlan ? program.parsePlan(std::move(*object))
                                 : program.parse(*object))
    return fail(path + ": " + llvm::toString(std::move(error)));
  return program;
}

llvm::Error HostProgram::parse(const llvm::json::Object &manifest) {
  const llvm::json::Array *list = manifest.getArray("kernels");
  if (!list)
    return fail("has no list 'kernels'");
  for (const llvm::json::Value &entry : *list) {
    const llvm::json::Object *kernel = entry.getAsObject();
    auto funcId = kernel ? kernel->getInteger("func_id") : std::nullopt;
    auto name = kernel ? kernel->getString("name") : std::nullopt;
    auto core = kernel ? kernel->getString("core") : std::nullopt;
    auto source = kernel ? kernel->getString("source") : std::nullopt;
    if (!funcId || !name || !source || !core ||
        (*core != "aic" && *core != "aiv"))
      return fail("a kernel needs func_id, name, core (aic or aiv), source");
    Kernel &made = kernels.emplace_back();
    made.funcId = int(*funcId);
    made.name = name->str();
    made.source = join(options.buildDirectory, *source);
    made.isCube = *core == "aic";
    const llvm::json::Array *arguments = kernel->getArray("arguments");
    const llvm::json::Array *signature = kernel->getArray("signature");
    if (!arguments || !signature)
      continue;
    made.hasSignature = true;
    for (const llvm::json::Value &direction : *signature)
      made.tensors.push_back(direction.getAsString().value_or("").str());
    if (arguments->size() < made.tensors.size())
      return fail("kernel '" + *name + "' has more tensors than arguments");
    made.numScalars = unsigned(arguments->size() - made.tensors.size());
  }
  const llvm::json::Object *object = manifest.getObject("orchestration");
  auto source = object ? object->getString("source") : std::nullopt;
  if (!source)
    return fail("has no orchestration source");
  orchestration = join(options.buildDirectory, *source);
  return parseParams(manifest);
}

llvm::Error HostProgram::parsePlan(llvm::json::Object object) {
  plan = std::move(object);
  const llvm::json::Array *list = plan.getArray("dispatches");
  if (!list)
    return fail("has no list 'dispatches'");
  for (const llvm::json::Value &entry : *list) {
    const llvm::json::Object *dispatch = entry.getAsObject();
    auto folder = dispatch ? dispatch->getString("directory") : std::nullopt;
    if (!folder)
      return fail("a dispatch has no directory");
    if (programs.count(folder->str()))
      continue;
    HostOptions inner = options;
    inner.buildDirectory = join(options.buildDirectory, *folder);
    inner.workDirectory = join(options.workDirectory, *folder);
    auto program = open(inner);
    if (!program)
      return program.takeError();
    programs.emplace(folder->str(), std::move(*program));
  }
  return parseParams(plan);
}

llvm::Error HostProgram::parseParams(const llvm::json::Object &manifest) {
  const llvm::json::Array *list = manifest.getArray("params");
  if (!list)
    return fail("has no list 'params'");
  for (const llvm::json::Value &entry : *list) {
    const llvm::json::Object *param = entry.getAsObject();
    if (!param)
      return fail("a parameter is not an object");
    if (llvm::Error error = parseParam(*param))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error HostProgram::parseParam(const llvm::json::Object &object) {
  auto name = object.getString("name");
  auto dtype = object.getString("dtype");
  if (!name || !dtype)
    return fail("a parameter needs name and dtype");
  if (*name == "comm_ctx" && *dtype == "uint64") {
    takesContext = true;
    return llvm::Error::success();
  }
  Param param;
  param.name = name->str();
  auto type = ref::parseDType(*dtype);
  if (!type || !runtimeType(*type))
    return fail("parameter " + *name + ": unknown dtype " + *dtype);
  param.dtype = *type;
  const llvm::json::Array *shape = object.getArray("shape");
  param.isScalar = !shape;
  llvm::StringRef direction = object.getString("direction").value_or("");
  // Scalars need not say it.
  if (direction.empty())
    direction = "in";
  param.isOutput = direction == "out" || direction == "inout";
  param.isInput = direction == "in" || direction == "inout";
  if (!param.isInput && !param.isOutput)
    return fail("parameter " + *name + ": direction " + direction +
                " is none of in, out, inout");
  if (shape)
    for (const llvm::json::Value &extent : *shape)
      param.shape.push_back(extent);
  params.push_back(std::move(param));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Build
//===----------------------------------------------------------------------===//

std::string HostProgram::objectPath(llvm::StringRef source) const {
  // Kernels of both cores may have one name.
  llvm::StringRef folder =
      llvm::sys::path::filename(llvm::sys::path::parent_path(source));
  return join(options.workDirectory,
              (folder + "_" + llvm::sys::path::stem(source) + ".so").str());
}

std::vector<std::string> HostProgram::compilerFlags(bool isKernel) const {
  if (!isKernel || !options.usesPublicHeaders())
    return {"-std=c++17", "-O2",     "-ffp-contract=off",
            "-Wall",      "-Werror", "-I" + options.isaDirectory};
  std::string runtime = join(options.simplerDirectory,
                             "src/a2a3/runtime/tensormap_and_ringbuffer");
  std::vector<std::string> flags = {
      // Their bfloat16_t is real only where the library has C++23's.
      "-std=c++23",
      "-D__STDCPP_BFLOAT16_T__=1",
      "-I" PL_PUBLIC_DIR,
      "-O1",
      "-w",
      "-I" + join(options.ptoIsaDirectory, "include"),
      "-I" + join(runtime, "common"),
      "-I" + join(runtime, "runtime"),
      "-I" + join(runtime, "orchestration")};
  for (const char *folder :
       {"src/common/task_interface", "src/common",
        "src/common/platform/include", "src/a2a3/platform/include"})
    flags.push_back("-I" + join(options.simplerDirectory, folder));
  return flags;
}

llvm::Error HostProgram::compile() {
  for (auto &[folder, program] : programs)
    if (llvm::Error error = program.compile())
      return error;
  if (!programs.empty())
    return llvm::Error::success();
  if (std::error_code error =
          llvm::sys::fs::create_directories(options.workDirectory))
    return fail("cannot create " + options.workDirectory + ": " +
                error.message());
  auto compiler = llvm::sys::findProgramByName(options.compiler);
  if (!compiler)
    return fail("cannot find the compiler " + options.compiler);
  std::vector<std::vector<std::string>> commands;
  auto add = [&](const std::string &source, llvm::StringRef define) {
    std::vector<std::string> command = {*compiler, "-fPIC", "-shared"};
    llvm::append_range(command, compilerFlags(!define.empty()));
    if (!define.empty())
      command.insert(command.end(), {"-D__CPU_SIM", ("-D" + define).str()});
    command.insert(command.end(), {source, "-o", objectPath(source)});
    commands.push_back(std::move(command));
  };
  for (const Kernel &kernel : kernels)
    add(kernel.source, kernel.isCube ? "__DAV_CUBE__" : "__DAV_VEC__");
  add(orchestration, "");

  std::vector<std::pair<llvm::sys::ProcessInfo, const std::string *>> running;
  std::string failed;
  auto finishOne = [&] {
    auto [process, source] = running.front();
    running.erase(running.begin());
    llvm::sys::ProcessInfo done = llvm::sys::Wait(process, std::nullopt);
    if (done.ReturnCode != 0)
      failed += " " + *source;
  };
  for (const std::vector<std::string> &command : commands) {
    if (!running.empty() && running.size() >= options.jobs)
      finishOne();
    llvm::SmallVector<llvm::StringRef> argv(command.begin(), command.end());
    std::string message;
    running.push_back({llvm::sys::ExecuteNoWait(*compiler, argv, std::nullopt,
                                                {}, 0, &message),
                       &command[command.size() - 3]});
    if (running.back().first.Pid == llvm::sys::ProcessInfo::InvalidPid)
      return fail("cannot start " + *compiler + ": " + message);
  }
  while (!running.empty())
    finishOne();
  if (!failed.empty())
    return fail("not compiled:" + failed);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Run
//===----------------------------------------------------------------------===//

llvm::Error HostProgram::readInputs() {
  auto saved = ref::SavedData::open(options.dataDirectory);
  if (!saved)
    return saved.takeError();
  llvm::StringMap<int64_t> dims;
  for (Param &param : params) {
    if (!param.isInput)
      continue;
    auto array = saved->read("in/" + param.name);
    if (!array)
      return array.takeError();
    if (array->dtype() != param.dtype)
      return fail("in/" + param.name + " is " + ref::dtypeName(array->dtype()) +
                  ", the program takes " + ref::dtypeName(param.dtype));
    param.value = array->clone();
    if (param.isScalar) {
      if (array->numel() != 1)
        return fail("in/" + param.name + " is not a scalar");
      std::memcpy(&param.scalarBits, param.value.rawData(),
                  size_t(ref::dtypeBytes(param.dtype)));
      continue;
    }
    if (array->rank() != int64_t(param.shape.size()))
      return fail("in/" + param.name + " has " + llvm::Twine(array->rank()) +
                  " dims instead of " + llvm::Twine(param.shape.size()));
    for (auto [axis, extent] : llvm::enumerate(param.shape)) {
      int64_t actual = array->dim(int64_t(axis));
      int64_t expected = actual;
      if (auto number = extent.getAsInteger())
        expected = *number;
      else if (auto name = extent.getAsString())
        expected = dims.try_emplace(*name, actual).first->second;
      if (actual != expected)
        return fail("in/" + param.name + " has extent " + llvm::Twine(actual) +
                    " on axis " + llvm::Twine(axis) + " instead of " +
                    llvm::Twine(expected));
    }
  }
  for (Param &param : params) {
    if (param.isInput || param.isScalar)
      continue;
    ref::Dims shape;
    for (const llvm::json::Value &extent : param.shape) {
      auto name = extent.getAsString();
      if (name && !dims.count(*name))
        return fail("no input fixes dim " + *name + " of " + param.name);
      shape.push_back(name ? dims[*name] : extent.getAsInteger().value_or(0));
    }
    auto array = ref::Array::create(param.dtype, shape);
    if (!array)
      return array.takeError();
    param.value = *array;
    std::memset(param.value.rawData(), shim::kPoisonByte,
                size_t(param.value.bytes()));
  }
  return llvm::Error::success();
}

llvm::Error HostProgram::load(shim::HostRunner &runner) const {
  bool loaded = true;
  for (const Kernel &kernel : kernels) {
    if (kernel.hasSignature)
      runner.setSignature(kernel.funcId, kernel.tensors, kernel.numScalars);
    loaded = loaded && runner.loadKernel(kernel.funcId, kernel.name,
                                         kernel.isCube ? shim::CoreKind::AIC
                                                       : shim::CoreKind::AIV,
                                         objectPath(kernel.source));
  }
  loaded = loaded && runner.loadOrchestration(objectPath(orchestration));
  return loaded ? llvm::Error::success() : fail(runner.error());
}

llvm::Error HostProgram::run() {
  if (llvm::Error error = readInputs())
    return error;
  if (!programs.empty())
    return runRanks();
  shim::HostRunner runner;
  if (llvm::Error error = load(runner))
    return error;
  for (Param &param : params) {
    if (param.isScalar) {
      runner.addScalar(param.scalarBits);
      continue;
    }
    std::vector<uint32_t> shape(param.value.shape().begin(),
                                param.value.shape().end());
    runner.addTensor(param.name, *runtimeType(param.dtype), shape,
                     param.value.rawData());
  }
  if (!runner.run())
    return fail(runner.error());
  return llvm::Error::success();
}

llvm::Expected<unsigned> HostProgram::compare() {
  auto saved = ref::SavedData::open(options.dataDirectory);
  if (!saved)
    return saved.takeError();
  unsigned different = 0, compared = 0;
  for (const Param &param : params) {
    if (!param.isOutput)
      continue;
    auto expected = saved->read(options.against + "/" + param.name);
    if (!expected)
      return expected.takeError();
    ref::Array want = expected->contiguous();
    if (want.dtype() != param.dtype || want.shape() != param.value.shape())
      return fail(options.against + "/" + param.name +
                  " has another dtype or shape");
    int64_t size = ref::dtypeBytes(param.dtype), first = -1, bad = 0;
    int64_t close = 0;
    for (int64_t i = 0; i < want.numel(); ++i) {
      if (!std::memcmp(want.rawData() + i * size,
                       param.value.rawData() + i * size, size_t(size)))
        continue;
      double expected = want.getDouble(i);
      double distance = std::abs(param.value.getDouble(i) - expected);
      if (distance <= options.atol + options.rtol * std::abs(expected))
        ++close;
      else
        first = bad++ ? first : i;
    }
    ++compared;
    llvm::outs() << param.name << ": " << want.numel() << " elements, ";
    if (close)
      llvm::outs() << close << " within the tolerance, ";
    if (!bad) {
      llvm::outs() << (close ? "all others equal\n" : "equal\n");
      continue;
    }
    ++different;
    llvm::outs() << bad << " differ, first "
                 << ref::indexString(first, want.shape()) << ": "
                 << param.value.getDouble(first) << " instead of "
                 << want.getDouble(first) << "\n";
  }
  if (!compared)
    return fail("the program has no output to compare");
  return different;
}

llvm::Error HostProgram::writeOutputs() {
  auto writer = ref::SavedDataWriter::create(options.outDirectory);
  if (!writer)
    return writer.takeError();
  for (const Param &param : params)
    if (param.isOutput)
      if (llvm::Error error = writer->add("out/" + param.name, param.value))
        return error;
  return writer->finish({});
}

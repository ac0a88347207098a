//===- TorchFiles.cpp - tensors in files ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch.load and torch.save of .npy and .safetensors files, and the functions
// of safetensors and safetensors.torch. Pickled files are not read.
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Npy.h"
#include "pl/Reference/Safetensors.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

/// A path given as text or as a pathlib.Path.
static std::optional<std::string> toPath(TensorCall &call, const Value &value) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  // What a fuzzer makes up reads and writes no files.
  (void)call.raise("OSError", "there are no files");
  return std::nullopt;
#endif
  Value text = call.context.interpreter.toStr(value, call.context.range);
  if (!text.isEmpty() && (value.isStr() || value.as<InstanceObject>()))
    return text.getStr().str();
  if (!text.isEmpty())
    (void)call.raise("TypeError", call.context.callee +
                                      "() needs the path of a file, not a '" +
                                      getTypeName(value) + "'");
  return std::nullopt;
}

static FailureOr<Value> raiseFile(TensorCall &call, Error error) {
  return call.raise("OSError", toString(std::move(error)));
}

static FailureOr<Value> readSafetensors(TensorCall &call, StringRef path) {
  Expected<ref::SafetensorsFile> file = ref::SafetensorsFile::open(path);
  if (!file)
    return raiseFile(call, file.takeError());
  Ref<DictObject> tensors(new DictObject());
  for (const ref::SafetensorsEntry &entry : file->getEntries()) {
    Expected<ref::Array> array = file->read(entry.name);
    if (!array)
      return raiseFile(call, array.takeError());
    tensors->table.set(entry.name, makeArray(std::move(*array)));
  }
  return Value(tensors);
}

static FailureOr<Value> load(TensorCall &call) {
  if (!call.bind({"f", "map_location", "weights_only", "mmap"}, 1))
    return failure();
  std::optional<std::string> path = toPath(call, call.value(0));
  if (!path)
    return failure();
  StringRef name = *path;
  if (name.ends_with(".safetensors"))
    return readSafetensors(call, name);
  if (!name.ends_with(".npy"))
    return call.raise("NotImplementedError",
                      "torch.load reads .safetensors and .npy files, not '" +
                          name + "'");
  Expected<ref::Array> array = ref::readNpy(name);
  if (!array)
    return raiseFile(call, array.takeError());
  return makeArray(std::move(*array));
}

static FailureOr<Value> loadFile(TensorCall &call) {
  if (!call.bind({"filename"}, 1))
    return failure();
  std::optional<std::string> path = toPath(call, call.value(0));
  return path ? readSafetensors(call, *path) : FailureOr<Value>(failure());
}

static FailureOr<Value> writeDict(TensorCall &call, const Value &value,
                                  const Value &metadata, StringRef path) {
  const auto *dict = value.as<DictObject>();
  if (!dict)
    return call.raise("TypeError", call.context.callee +
                                       "() of a .safetensors file needs a dict "
                                       "from name to tensor, not a '" +
                                       getTypeName(value) + "'");
  std::vector<std::pair<std::string, ref::Array>> arrays;
  for (const ValueTable::Entry &entry : dict->table.getEntries()) {
    if (entry.key.isEmpty())
      continue;
    if (!entry.key.isStr())
      return call.raise("TypeError", "the names of tensors must be strings");
    Value tensor =
        call.context.interpreter.force(entry.value, call.context.range);
    if (tensor.isEmpty())
      return failure();
    std::optional<ref::Array> array = call.toArray(tensor, entry.key.getStr());
    if (!array)
      return failure();
    arrays.push_back({entry.key.getStr().str(), std::move(*array)});
  }
  std::vector<std::pair<std::string, std::string>> texts;
  if (const auto *given = metadata.as<DictObject>())
    for (const ValueTable::Entry &entry : given->table.getEntries()) {
      if (entry.key.isEmpty())
        continue;
      if (!entry.key.isStr() || !entry.value.isStr())
        return call.raise("TypeError", "metadata goes from text to text");
      texts.push_back({entry.key.getStr().str(), entry.value.getStr().str()});
    }
  if (Error error = ref::writeSafetensors(path, arrays, texts))
    return raiseFile(call, std::move(error));
  return Value::none();
}

static FailureOr<Value> save(TensorCall &call) {
  if (!call.bind({"obj", "f"}, 2))
    return failure();
  std::optional<std::string> path = toPath(call, call.value(1));
  if (!path)
    return failure();
  StringRef name = *path;
  if (name.ends_with(".safetensors"))
    return writeDict(call, call.value(0), Value::none(), name);
  if (!name.ends_with(".npy"))
    return call.raise("NotImplementedError",
                      "torch.save writes .safetensors and .npy files, not '" +
                          name + "'");
  ref::Array array = call.array(0);
  if (call.hasFailed())
    return failure();
  if (Error error = ref::writeNpy(name, array))
    return raiseFile(call, std::move(error));
  return Value::none();
}

static FailureOr<Value> saveFile(TensorCall &call) {
  if (!call.bind({"tensors", "filename", "metadata"}, 2))
    return failure();
  std::optional<std::string> path = toPath(call, call.value(1));
  if (!path)
    return failure();
  return writeDict(call, call.value(0), call.value(2), *path);
}

/// `with safe_open(path, framework="pt") as f:` reads tensors one by one.
static FailureOr<Value> safeOpen(TensorCall &call) {
  if (!call.bind({"filename", "framework"}, 1))
    return failure();
  std::optional<std::string> path = toPath(call, call.value(0));
  if (!path)
    return failure();
  Expected<ref::SafetensorsFile> opened = ref::SafetensorsFile::open(*path);
  if (!opened)
    return raiseFile(call, opened.takeError());
  auto file = std::make_shared<ref::SafetensorsFile>(std::move(*opened));
  Ref<ModuleObject> object(new ModuleObject("safe_open"));
  // What `as` binds is another one, which `__enter__` can hold without a
  // circle.
  Ref<ModuleObject> entered(new ModuleObject("safe_open"));
  auto add = [&](StringRef name, const NativeFn &fn) {
    object->set(name, makeNative(name, fn));
    entered->set(name, makeNative(name, fn));
  };
  add("keys", [file](CallContext &) -> FailureOr<Value> {
    std::vector<Value> names;
    for (const ref::SafetensorsEntry &entry : file->getEntries())
      names.push_back(Value::str(entry.name));
    return Value::list(std::move(names));
  });
  add("metadata", [file](CallContext &) -> FailureOr<Value> {
    Ref<DictObject> texts(new DictObject());
    for (const auto &[key, text] : file->getMetadata())
      texts->table.set(key, Value::str(text));
    return Value(texts);
  });
  add("get_tensor", [file](CallContext &ctx) -> FailureOr<Value> {
    SmallVector<Value, 1> bound;
    if (failed(ctx.bind({"name"}, 1, bound)))
      return failure();
    FailureOr<StringRef> name = ctx.asStr(bound[0], "the name");
    if (failed(name))
      return failure();
    Expected<ref::Array> array = file->read(*name);
    if (!array)
      return ctx.raise("OSError", toString(array.takeError()));
    return makeArray(std::move(*array));
  });
  object->set("__enter__", makeNative("__enter__", [entered](CallContext &) {
                return FailureOr<Value>(Value(entered));
              }));
  object->set("__exit__", makeNative("__exit__", [](CallContext &) {
                return FailureOr<Value>(Value::boolean(false));
              }));
  return Value(object);
}

void addFileFunctions(ArrayLibrary &library) {
  library.add("load", Offered::Function, load);
  library.add("save", Offered::Function, save);
  library.addToModule("safetensors.torch", "load_file", loadFile);
  library.addToModule("safetensors.torch", "save_file", saveFile);
  library.addToModule("safetensors", "safe_open", safeOpen);
}

} // namespace pl::frontend

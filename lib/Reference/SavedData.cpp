//===- SavedData.cpp - Directories of named arrays ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/SavedData.h"
#include "pl/Reference/Npy.h"
#include "pl/Reference/Safetensors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace pl::ref;
namespace json = llvm::json;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral manifestName = "manifest.json";
static constexpr llvm::StringLiteral safetensorsSuffix = ".safetensors";

static std::string joinPath(llvm::StringRef directory, llvm::StringRef file) {
  llvm::SmallString<128> full(directory);
  path::append(full, file);
  return full.str().str();
}

static std::string digestOf(const Array &array) {
  Array packed = array.contiguous();
  uint64_t hash = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(packed.rawData()), packed.bytes()));
  return llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

/// A manifest may name files below its own directory only.
static bool staysInside(llvm::StringRef file) {
  if (file.empty() || path::is_absolute(file))
    return false;
  for (auto part = path::begin(file), end = path::end(file); part != end;
       ++part)
    if (*part == "..")
      return false;
  return true;
}

/// Reads one entry of `tensors`.
static llvm::Error parseTensor(llvm::StringRef name, const json::Value &value,
                               SavedTensor &tensor) {
  auto wrong = [&](const llvm::Twine &why) {
    return fail("tensor '" + name + "': " + why);
  };
  const json::Object *entry = value.getAsObject();
  if (!entry)
    return wrong("expected an object with file, dtype and shape");
  std::optional<llvm::StringRef> file = entry->getString("file");
  std::optional<llvm::StringRef> dtypeText = entry->getString("dtype");
  const json::Array *shape = entry->getArray("shape");
  if (!file || !dtypeText || !shape)
    return wrong("needs file, dtype and shape");
  if (!staysInside(*file))
    return wrong("file '" + *file + "' is not inside the directory");
  std::optional<DType> dtype = parseDType(*dtypeText);
  if (!dtype)
    return wrong("unknown dtype '" + *dtypeText + "'");
  tensor.name = name.str();
  tensor.file = file->str();
  tensor.dtype = *dtype;
  for (const json::Value &extent : *shape) {
    std::optional<int64_t> n = extent.getAsInteger();
    if (!n || *n < 0)
      return wrong("shape must hold non-negative integers");
    tensor.shape.push_back(*n);
  }
  if (std::optional<llvm::StringRef> note = entry->getString("note"))
    tensor.note = note->str();
  if (std::optional<llvm::StringRef> digest = entry->getString("xxh3"))
    tensor.digest = digest->lower();
  return llvm::Error::success();
}

llvm::Expected<SavedData> SavedData::open(llvm::StringRef directory) {
  std::string manifest = joinPath(directory, manifestName);
  auto buffer = llvm::MemoryBuffer::getFile(manifest, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read " + manifest + ": " + buffer.getError().message());
  llvm::Expected<json::Value> root = parseJson((*buffer)->getBuffer());
  if (!root)
    return fail(manifest + ": " + llvm::toString(root.takeError()));
  json::Object *object = root->getAsObject();
  const json::Object *entries = object ? object->getObject("tensors") : nullptr;
  if (!entries)
    return fail(manifest + ": has no object 'tensors'");
  SavedData data;
  data.directory = directory.str();
  for (const auto &[key, value] : *entries) {
    SavedTensor tensor;
    if (llvm::Error error = parseTensor(key, value, tensor))
      return fail(manifest + ": " + llvm::toString(std::move(error)));
    data.tensors.push_back(std::move(tensor));
  }
  llvm::sort(data.tensors, [](const SavedTensor &a, const SavedTensor &b) {
    return a.name < b.name;
  });
  object->erase("tensors");
  data.properties = std::move(*object);
  return data;
}

const SavedTensor *SavedData::find(llvm::StringRef name) const {
  for (const SavedTensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

std::vector<const SavedTensor *>
SavedData::under(llvm::StringRef prefix) const {
  std::vector<const SavedTensor *> found;
  for (const SavedTensor &tensor : tensors) {
    llvm::StringRef name = tensor.name;
    if (name.consume_front(prefix) && name.consume_front("/") &&
        !name.contains('/'))
      found.push_back(&tensor);
  }
  return found;
}

std::vector<std::string> SavedData::getStages() const {
  std::set<std::string> stages;
  for (const SavedTensor &tensor : tensors) {
    llvm::StringRef name = tensor.name;
    if (name.consume_front("fixture/"))
      stages.insert(name.split('/').first.str());
  }
  return {stages.begin(), stages.end()};
}

llvm::Expected<Array> SavedData::read(const SavedTensor &tensor) const {
  std::string file = joinPath(directory, tensor.file);
  llvm::Expected<Array> array =
      llvm::StringRef(tensor.file).ends_with(safetensorsSuffix)
          ? readSafetensor(file, tensor.name)
          : readNpy(file);
  if (!array)
    return array;
  if (array->dtype() != tensor.dtype ||
      array->shape() != llvm::ArrayRef<int64_t>(tensor.shape))
    return fail(file + " holds " + dtypeName(array->dtype()) + " " +
                shapeString(array->shape()) + ", but the manifest says " +
                dtypeName(tensor.dtype) + " " + shapeString(tensor.shape));
  return array;
}

llvm::Expected<Array> SavedData::read(llvm::StringRef name) const {
  if (const SavedTensor *tensor = find(name))
    return read(*tensor);
  return fail(directory + " has no tensor '" + name + "'");
}

bool SavedData::isAltered(llvm::StringRef name, const Array &array) const {
  const SavedTensor *tensor = find(name);
  return tensor && !tensor->digest.empty() && tensor->digest != digestOf(array);
}

llvm::Expected<SavedDataWriter>
SavedDataWriter::create(llvm::StringRef directory) {
  if (std::error_code error = fs::create_directories(directory))
    return fail("cannot create " + directory + ": " + error.message());
  std::string manifest = joinPath(directory, manifestName);
  if (std::error_code error = fs::remove(manifest, /*IgnoreNonExisting=*/true))
    return fail("cannot replace " + manifest + ": " + error.message());
  SavedDataWriter writer;
  writer.directory = directory.str();
  return writer;
}

llvm::Error SavedDataWriter::add(llvm::StringRef name, const Array &array,
                                 llvm::StringRef note) {
  SavedTensor tensor;
  tensor.name = name.str();
  tensor.file = npyFileName(name, array.dtype());
  tensor.dtype = array.dtype();
  tensor.shape.assign(array.shape().begin(), array.shape().end());
  tensor.note = note.str();
  tensor.digest = digestOf(array);
  if (!staysInside(tensor.file))
    return fail("cannot save a tensor under the name '" + name + "'");
  for (const SavedTensor &other : tensors)
    if (other.name == name)
      return fail("tensor '" + name + "' is saved twice");
  std::string file = joinPath(directory, tensor.file);
  llvm::StringRef parent = path::parent_path(file);
  if (std::error_code error = fs::create_directories(parent))
    return fail("cannot create " + parent + ": " + error.message());
  if (llvm::Error error = writeNpy(file, array))
    return error;
  tensors.push_back(std::move(tensor));
  return llvm::Error::success();
}

llvm::Error SavedDataWriter::finish(json::Object properties) {
  std::string manifest = joinPath(directory, manifestName);
  llvm::Error error = llvm::writeToOutput(manifest, [&](llvm::raw_ostream &os) {
    json::OStream out(os, /*IndentSize=*/1);
    out.object([&] {
      std::vector<const json::Object::value_type *> sorted;
      for (const json::Object::value_type &property : properties)
        sorted.push_back(&property);
      llvm::sort(sorted, [](const auto *a, const auto *b) {
        return a->first < b->first;
      });
      for (const json::Object::value_type *property : sorted)
        out.attribute(property->first, property->second);
      out.attributeObject("tensors", [&] {
        for (const SavedTensor &tensor : tensors)
          out.attributeObject(tensor.name, [&] {
            out.attribute("file", tensor.file);
            out.attribute("dtype", dtypeName(tensor.dtype));
            out.attributeArray("shape", [&] {
              for (int64_t extent : tensor.shape)
                out.value(extent);
            });
            out.attribute("xxh3", tensor.digest);
            if (!tensor.note.empty())
              out.attribute("note", tensor.note);
          });
      });
    });
    os << '\n';
    return llvm::Error::success();
  });
  if (error)
    return fail("cannot write " + manifest + ": " +
                llvm::toString(std::move(error)));
  return llvm::Error::success();
}

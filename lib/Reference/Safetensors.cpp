//===- Safetensors.cpp - .safetensors files -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Safetensors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace pl::ref;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "tensors are read as they lie in memory");

static constexpr size_t lengthBytes = 8;
/// The format's own limit.
static constexpr uint64_t maxHeaderBytes = 100'000'000;
static constexpr StringRef metadataKey = "__metadata__";

Expected<json::Value> pl::ref::parseJson(StringRef text) {
  constexpr unsigned maxDepth = 64;
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxDepth)
        return fail("JSON nested more than " + Twine(maxDepth) + " deep");
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return json::parse(text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::optional<DType> parseCode(StringRef code) {
  return llvm::StringSwitch<std::optional<DType>>(code)
      .Case("BOOL", DType::Bool)
      .Case("U8", DType::UInt8)
      .Case("I8", DType::Int8)
      .Case("I16", DType::Int16)
      .Case("I32", DType::Int32)
      .Case("I64", DType::Int64)
      .Case("F16", DType::FP16)
      .Case("BF16", DType::BF16)
      .Case("F32", DType::FP32)
      .Case("F64", DType::FP64)
      .Default(std::nullopt);
}

static StringRef codeOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "BOOL";
  case DType::UInt8:
    return "U8";
  case DType::Int8:
    return "I8";
  case DType::Int16:
    return "I16";
  case DType::Int32:
    return "I32";
  case DType::Int64:
    return "I64";
  case DType::FP16:
    return "F16";
  case DType::BF16:
    return "BF16";
  case DType::FP32:
    return "F32";
  case DType::FP64:
    return "F64";
  }
  llvm_unreachable("all dtypes have a code");
}

static llvm::Error parseEntry(const json::Value &value, uint64_t dataBytes,
                              SafetensorsEntry &entry) {
  const json::Object *object = value.getAsObject();
  std::optional<StringRef> dtype =
      object ? object->getString("dtype") : std::nullopt;
  const json::Array *shape = object ? object->getArray("shape") : nullptr;
  const json::Array *range =
      object ? object->getArray("data_offsets") : nullptr;
  if (!dtype || !shape || !range || range->size() != 2)
    return fail("needs dtype, shape and two data_offsets");
  entry.dtypeText = dtype->str();
  entry.dtype = parseCode(*dtype);
  if (shape->size() > Array::maxRank)
    return fail("has too many dims");
  for (const json::Value &extent : *shape) {
    std::optional<int64_t> n = extent.getAsInteger();
    if (!n || *n < 0)
      return fail("shape must hold non-negative integers");
    entry.shape.push_back(*n);
  }
  std::optional<uint64_t> begin = (*range)[0].getAsUINT64();
  std::optional<uint64_t> end = (*range)[1].getAsUINT64();
  if (!begin || !end || *begin > *end)
    return fail("data_offsets must be two offsets in order");
  if (*end > dataBytes)
    return fail("ends at byte " + Twine(*end) + " of the data, which has " +
                Twine(dataBytes) + "; the file is cut off");
  entry.begin = *begin;
  entry.end = *end;
  if (!entry.dtype)
    return llvm::Error::success();
  std::optional<int64_t> count = countElements(entry.shape);
  if (!count || *count > Array::maxElements ||
      static_cast<uint64_t>(*count * dtypeBytes(*entry.dtype)) != *end - *begin)
    return fail("shape " + shapeString(entry.shape) + " of " +
                dtypeName(*entry.dtype) + " does not match its " +
                Twine(*end - *begin) + " bytes");
  return llvm::Error::success();
}

Expected<SafetensorsFile>
SafetensorsFile::parse(std::unique_ptr<llvm::MemoryBuffer> bytes,
                       StringRef name) {
  auto wrong = [&](const Twine &why) {
    return fail(name + ": malformed .safetensors file: " + why);
  };
  StringRef all = bytes->getBuffer();
  if (all.size() < lengthBytes)
    return wrong("it has " + Twine(all.size()) +
                 " bytes, fewer than the length of its header takes");
  uint64_t length = llvm::support::endian::read64le(all.data());
  if (length > maxHeaderBytes)
    return wrong("its header claims " + Twine(length) +
                 " bytes; the limit is " + Twine(maxHeaderBytes));
  if (length > all.size() - lengthBytes)
    return wrong("its header claims " + Twine(length) + " bytes, but only " +
                 Twine(all.size() - lengthBytes) + " follow");
  StringRef header = all.substr(lengthBytes, length);
  if (!header.starts_with("{"))
    return wrong("its header does not start with '{'");
  if (!json::isUTF8(header))
    return wrong("its header is not UTF-8");
  Expected<json::Value> root = parseJson(header);
  if (!root)
    return wrong(llvm::toString(root.takeError()));

  SafetensorsFile file;
  file.name = name.str();
  file.data = all.drop_front(lengthBytes + length);
  for (const auto &[key, value] : *root->getAsObject()) {
    StringRef entryName = key;
    if (entryName == metadataKey) {
      const json::Object *texts = value.getAsObject();
      if (!texts)
        return wrong("__metadata__ is no object");
      for (const auto &[metaKey, text] : *texts) {
        if (!text.getAsString())
          return wrong("__metadata__ holds more than text under '" +
                       metaKey.str() + "'");
        file.metadata.push_back({metaKey.str(), text.getAsString()->str()});
      }
      llvm::sort(file.metadata);
      continue;
    }
    SafetensorsEntry entry;
    entry.name = entryName.str();
    if (llvm::Error error = parseEntry(value, file.data.size(), entry))
      return wrong("tensor '" + entryName + "' " +
                   llvm::toString(std::move(error)));
    file.entries.push_back(std::move(entry));
  }
  llvm::sort(file.entries, [](const SafetensorsEntry &a,
                              const SafetensorsEntry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  const SafetensorsEntry *before = nullptr;
  for (const SafetensorsEntry &entry : file.entries) {
    if (entry.begin < covered)
      return wrong("tensors '" + before->name + "' and '" + entry.name +
                   "' overlap");
    if (entry.begin > covered)
      return wrong("no tensor holds bytes " + Twine(covered) + " to " +
                   Twine(entry.begin) + " of the data");
    covered = entry.end;
    before = &entry;
  }
  if (covered != file.data.size())
    return wrong("no tensor holds the last " +
                 Twine(file.data.size() - covered) + " bytes of the data");
  file.bytes = std::move(bytes);
  return file;
}

Expected<SafetensorsFile> SafetensorsFile::open(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  return parse(std::move(*buffer), path);
}

const SafetensorsEntry *SafetensorsFile::find(StringRef wanted) const {
  for (const SafetensorsEntry &entry : entries)
    if (entry.name == wanted)
      return &entry;
  return nullptr;
}

Expected<Array> SafetensorsFile::read(StringRef wanted) const {
  const SafetensorsEntry *entry = find(wanted);
  if (!entry)
    return fail(name + " has no tensor '" + wanted + "'");
  if (!entry->dtype)
    return fail(name + ": tensor '" + wanted + "' is " + entry->dtypeText +
                ", which arrays do not have");
  Expected<Array> array = Array::create(*entry->dtype, entry->shape);
  if (!array)
    return array;
  StringRef bytes = data.slice(entry->begin, entry->end);
  std::copy(bytes.begin(), bytes.end(), array->rawData());
  // A byte other than 0 and 1 is no C++ bool.
  if (*entry->dtype == DType::Bool)
    for (char &byte :
         llvm::MutableArrayRef<char>(array->rawData(), bytes.size()))
      byte = byte != 0;
  return array;
}

Expected<Array> pl::ref::readSafetensor(StringRef path, StringRef name) {
  Expected<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file)
    return file.takeError();
  if (file->find(name))
    return file->read(name);
  StringRef leaf = name.rsplit('/').second;
  if (!leaf.empty() && file->find(leaf))
    return file->read(leaf);
  if (file->getEntries().size() == 1)
    return file->read(file->getEntries()[0].name);
  return file->read(name);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Error pl::ref::writeSafetensors(
    StringRef path, llvm::ArrayRef<std::pair<std::string, Array>> arrays,
    llvm::ArrayRef<std::pair<std::string, std::string>> metadata) {
  llvm::StringSet<> names;
  for (const auto &entry : arrays) {
    StringRef name = entry.first;
    if (name == metadataKey || !json::isUTF8(name))
      return fail("cannot write a tensor under the name '" +
                  json::fixUTF8(name) + "'");
    if (!names.insert(name).second)
      return fail("cannot write two tensors under the name '" + name + "'");
  }
  std::string header;
  llvm::raw_string_ostream text(header);
  json::OStream out(text);
  out.object([&] {
    if (!metadata.empty())
      out.attributeObject(metadataKey, [&] {
        for (const auto &[key, value] : metadata)
          out.attribute(json::fixUTF8(key), json::fixUTF8(value));
      });
    uint64_t at = 0;
    for (const auto &entry : arrays) {
      const Array &array = entry.second;
      uint64_t end = at + static_cast<uint64_t>(array.bytes());
      out.attributeObject(entry.first, [&] {
        out.attribute("dtype", codeOf(array.dtype()));
        out.attributeArray("shape", [&] {
          for (int64_t extent : array.shape())
            out.value(extent);
        });
        out.attributeArray("data_offsets", [&] {
          out.value(at);
          out.value(end);
        });
      });
      at = end;
    }
  });
  // The data starts at a multiple of 8.
  header.append((lengthBytes - header.size() % lengthBytes) % lengthBytes, ' ');
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    char length[lengthBytes];
    llvm::support::endian::write64le(length, header.size());
    os.write(length, sizeof(length));
    os << header;
    for (const auto &entry : arrays) {
      Array dense = entry.second.contiguous();
      os.write(dense.rawData(), static_cast<size_t>(dense.bytes()));
    }
    return llvm::Error::success();
  });
  if (error)
    return fail("cannot write " + path + ": " +
                llvm::toString(std::move(error)));
  return llvm::Error::success();
}

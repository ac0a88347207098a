//===- Manifest.cpp - What a build directory says of itself ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "pl/Conversion/PLToEmitC/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::pl;

/// Names of IR may hold any bytes, JSON only UTF-8.
static std::string text(DictionaryAttr dictionary, StringRef key) {
  auto value = dictionary.getAs<StringAttr>(key);
  return value ? llvm::json::fixUTF8(value.getValue()) : std::string();
}

static int64_t number(DictionaryAttr dictionary, StringRef key) {
  auto value = dictionary.getAs<IntegerAttr>(key);
  return value ? value.getInt() : 0;
}

static ArrayAttr list(DictionaryAttr dictionary, StringRef key) {
  auto value = dictionary.getAs<ArrayAttr>(key);
  return value ? value : ArrayAttr::get(dictionary.getContext(), {});
}

/// Element types have torch's names.
static std::string dtypeName(Type type) {
  if (type.isBF16())
    return "bfloat16";
  if (type.isF16())
    return "float16";
  if (type.isF32())
    return "float32";
  if (type.isF64())
    return "float64";
  if (type.isIndex())
    return "int64";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  }
  return "unknown";
}

namespace {
struct Unit {
  StringRef source;
  DictionaryAttr info;
};
struct Program {
  SmallVector<Unit> kernels;
  Unit orchestration;
};
} // namespace

static Program programOf(ModuleOp module, StringRef prefix) {
  Program program;
  for (auto file : module.getOps<emitc::FileOp>()) {
    StringRef path = file.getId();
    if (!path.consume_front(prefix))
      continue;
    if (auto info = file->getAttrOfType<DictionaryAttr>(kKernelInfo))
      program.kernels.push_back({path, info});
    if (auto info = file->getAttrOfType<DictionaryAttr>(kOrchestrationInfo))
      program.orchestration = {path, info};
  }
  return program;
}

std::string mlir::pl::distributedMetaText(ModuleOp module,
                                          const CppOptions &options) {
  auto plan = module->getAttrOfType<StringAttr>(kHostPlan);
  auto parsed = llvm::json::parse(plan.getValue());
  llvm::json::Object meta;
  meta["plc"] = options.version;
  meta["platform"] = options.machine;
  meta["host_plan"] = "host_plan.json";
  llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (object)
    meta["params"] = std::move((*object)["params"]);
  else
    llvm::consumeError(parsed.takeError());
  llvm::json::Array programs;
  for (auto file : module.getOps<emitc::FileOp>())
    if (auto info = file->getAttrOfType<DictionaryAttr>(kOrchestrationInfo))
      programs.push_back(llvm::json::Object{
          {"name", text(info, "name")},
          {"directory",
           StringRef(file.getId()).split("/orchestration/").first}});
  meta["programs"] = std::move(programs);
  std::string result;
  llvm::raw_string_ostream(result)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(meta))) << "\n";
  return result;
}

std::string mlir::pl::manifestText(ModuleOp module, StringRef prefix,
                                   const CppOptions &options) {
  Program program = programOf(module, prefix);
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::json::OStream json(os, 2);
  auto signature = [&](ArrayAttr directions) {
    json.attributeArray("signature", [&] {
      for (auto direction : directions.getAsRange<StringAttr>())
        json.value(direction.getValue().upper());
    });
  };
  json.object([&] {
    json.attribute("plc", options.version);
    json.attribute("machine", options.machine);
    json.attribute("runtime", "tensormap_and_ringbuffer");
    if (DictionaryAttr info = program.orchestration.info) {
      ArrayAttr params = list(info, "params");
      json.attributeObject("orchestration", [&] {
        json.attribute("name", text(info, "name"));
        json.attribute("source", program.orchestration.source);
        json.attribute("function_name", text(info, "entry"));
        json.attribute("config_name", text(info, "config"));
        json.attribute("arg_count", int64_t(params.size()));
      });
      json.attributeArray("params", [&] {
        for (auto param : params.getAsRange<DictionaryAttr>())
          json.object([&] {
            json.attribute("name", text(param, "name"));
            if (auto type = param.getAs<TypeAttr>("dtype"))
              json.attribute("dtype", dtypeName(type.getValue()));
            if (auto shape = param.getAs<ArrayAttr>("shape"))
              json.attributeArray("shape", [&] {
                for (Attribute extent : shape) {
                  if (auto symbol = dyn_cast<StringAttr>(extent))
                    json.value(llvm::json::fixUTF8(symbol.getValue()));
                  else
                    json.value(cast<IntegerAttr>(extent).getInt());
                }
              });
            json.attribute("direction", text(param, "direction"));
          });
      });
    }
    json.attributeArray("kernels", [&] {
      for (const Unit &kernel : program.kernels)
        json.object([&] {
          json.attribute("func_id", number(kernel.info, "func_id"));
          json.attribute("name", text(kernel.info, "name"));
          json.attribute("core", text(kernel.info, "core"));
          json.attribute("source", kernel.source);
          json.attributeArray("arguments", [&] {
            for (auto name :
                 list(kernel.info, "arguments").getAsRange<StringAttr>())
              json.value(llvm::json::fixUTF8(name.getValue()));
          });
          signature(list(kernel.info, "signature"));
        });
    });
  });
  os << "\n";
  return result;
}

/// A Python string literal; JSON's escapes are Python's.
static std::string quoted(StringRef value) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << llvm::json::Value(value);
  return result;
}

std::string mlir::pl::kernelConfigText(ModuleOp module, StringRef prefix) {
  Program program = programOf(module, prefix);
  std::string result;
  llvm::raw_string_ostream os(result);
  auto signature = [&](auto directions) {
    os << "[";
    llvm::interleaveComma(directions, os, [&](StringRef direction) {
      os << quoted(direction.upper());
    });
    os << "]";
  };
  os << "# What the loader of the runtime needs to know of this directory.\n\n"
     << "RUNTIME_CONFIG = {\n"
     << "    \"runtime\": \"tensormap_and_ringbuffer\",\n"
     << "    \"aicpu_thread_num\": 0,\n"
     << "}\n\n";
  if (DictionaryAttr info = program.orchestration.info) {
    SmallVector<std::string> directions;
    for (auto param : list(info, "params").getAsRange<DictionaryAttr>())
      if (param.contains("shape"))
        directions.push_back(text(param, "direction"));
    os << "ORCHESTRATION = {\n"
       << "    \"source\": " << quoted(program.orchestration.source) << ",\n"
       << "    \"function_name\": " << quoted(text(info, "entry")) << ",\n"
       << "    \"signature\": ";
    signature(directions);
    os << ",\n}\n\n";
  }
  os << "KERNELS = [\n";
  for (const Unit &kernel : program.kernels) {
    SmallVector<StringRef> directions;
    for (auto direction :
         list(kernel.info, "signature").getAsRange<StringAttr>())
      directions.push_back(direction.getValue());
    os << "    {\n        \"func_id\": " << number(kernel.info, "func_id")
       << ",\n        \"name\": " << quoted(text(kernel.info, "name"))
       << ",\n        \"source\": " << quoted(kernel.source)
       << ",\n        \"core_type\": " << quoted(text(kernel.info, "core"))
       << ",\n        \"signature\": ";
    signature(directions);
    os << ",\n    },\n";
  }
  os << "]\n";
  return result;
}

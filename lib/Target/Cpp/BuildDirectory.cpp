//===- BuildDirectory.cpp - The files of a build directory ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Target/Cpp/BuildDirectory.h"

#include "Manifest.h"

#include "pl/Conversion/PLToEmitC/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::pl;

static LogicalResult checkPhase(ModuleOp module) {
  auto phase = module->getAttrOfType<StringAttr>(PLDialect::kPhase);
  if (phase && phase.getValue() == "emitc")
    return success();
  return module.emitError()
         << "is written from phase `emitc`, but is in phase `"
         << (phase ? phase.getValue() : "?") << "`";
}

static LogicalResult printFile(emitc::FileOp file, std::string &text) {
  llvm::raw_string_ostream os(text);
  return emitc::translateToCpp(file, os, /*declareVariablesAtTop=*/false,
                               file.getId());
}

/// The folders of the programs: one that is empty, or those of a host program.
static std::vector<std::string> programPrefixes(ModuleOp module) {
  if (!module->hasAttr(kHostPlan))
    return {""};
  std::vector<std::string> prefixes;
  for (auto file : module.getOps<emitc::FileOp>()) {
    if (!file->hasAttr(kOrchestrationInfo))
      continue;
    StringRef path = file.getId();
    prefixes.push_back(path.take_front(path.rfind("orchestration/")).str());
  }
  return prefixes;
}

FailureOr<std::vector<BuildFile>>
mlir::pl::buildFiles(ModuleOp module, const CppOptions &options) {
  if (failed(checkPhase(module)))
    return failure();
  std::vector<BuildFile> files;
  for (auto file : module.getOps<emitc::FileOp>()) {
    BuildFile written{file.getId().str(), ""};
    if (failed(printFile(file, written.text)))
      return failure();
    files.push_back(std::move(written));
  }
  for (const std::string &prefix : programPrefixes(module)) {
    files.push_back(
        {prefix + "manifest.json", manifestText(module, prefix, options)});
    files.push_back(
        {prefix + "kernel_config.py", kernelConfigText(module, prefix)});
  }
  if (auto plan = module->getAttrOfType<StringAttr>(kHostPlan)) {
    files.push_back({"host_plan.json", plan.getValue().str()});
    files.push_back(
        {"distributed_meta.json", distributedMetaText(module, options)});
  }
  return files;
}

LogicalResult mlir::pl::printCpp(ModuleOp module, llvm::raw_ostream &os) {
  if (failed(checkPhase(module)))
    return failure();
  for (auto file : module.getOps<emitc::FileOp>()) {
    std::string text;
    if (failed(printFile(file, text)))
      return failure();
    os << "// ==== " << file.getId().getValue() << "\n" << text;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string inside(StringRef directory, StringRef path) {
  llvm::SmallString<256> full(directory);
  llvm::sys::path::append(full, llvm::sys::path::Style::native, path);
  return full.str().str();
}

static bool holds(StringRef path, StringRef text) {
  auto known = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  return known && (*known)->getBuffer() == text;
}

/// Writes `text` beside the file and moves it there.
static std::error_code writeWhole(StringRef path, StringRef text) {
  if (std::error_code error =
          llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return error;
  // A file that is right already keeps its time, so builds do no work twice.
  if (holds(path, text))
    return {};
  int descriptor;
  llvm::SmallString<256> temporary;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          path + ".%%%%%%.tmp", descriptor, temporary, llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::owner_write))
    return error;
  std::error_code error;
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  return error;
}

constexpr StringLiteral kManifest = "manifest.json";
/// The manifest of the build before, while another one is written.
constexpr StringLiteral kManifestBefore = "manifest.json.before";

/// Paths of the C++ files that the manifest of an earlier build lists.
static std::vector<std::string>
listedSources(StringRef directory, StringRef prefix, StringRef name) {
  std::vector<std::string> sources;
  auto known =
      llvm::MemoryBuffer::getFile(inside(directory, (prefix + name).str()));
  if (!known)
    return sources;
  auto root = llvm::json::parse((*known)->getBuffer());
  if (!root) {
    llvm::consumeError(root.takeError());
    return sources;
  }
  const llvm::json::Object *manifest = root->getAsObject();
  if (!manifest || !manifest->getString("plc"))
    return sources; // not ours
  auto add = [&](const llvm::json::Object *entry) {
    if (!entry)
      return;
    auto source = entry->getString("source");
    // Nothing but what a build puts there is ever removed.
    if (source && source->ends_with(".cpp") && !source->contains("..") &&
        (source->starts_with("kernels/") ||
         source->starts_with("orchestration/")))
      sources.push_back((prefix + *source).str());
  };
  if (const llvm::json::Array *kernels = manifest->getArray("kernels"))
    for (const llvm::json::Value &kernel : *kernels)
      add(kernel.getAsObject());
  add(manifest->getObject("orchestration"));
  return sources;
}

LogicalResult mlir::pl::emitCpp(ModuleOp module, StringRef directory,
                                const CppOptions &options) {
  FailureOr<std::vector<BuildFile>> files = buildFiles(module, options);
  if (failed(files))
    return failure();
  SmallVector<std::string, 4> prefixes = {""};
  for (const std::string &prefix : programPrefixes(module))
    if (!prefix.empty())
      prefixes.push_back(prefix);
  std::vector<std::string> old;
  for (StringRef prefix : prefixes)
    for (StringRef name : {kManifest, kManifestBefore})
      llvm::append_range(old, listedSources(directory, prefix, name));
  // A build that is cut off leaves no manifest, so that nobody takes a mixture
  // of two builds for one; the next build still finds what the one before
  // wrote.
  bool changes = llvm::any_of(*files, [&](const BuildFile &file) {
    return !holds(inside(directory, file.path), file.text);
  });
  if (changes)
    for (StringRef prefix : prefixes)
      (void)llvm::sys::fs::rename(
          inside(directory, (prefix + kManifest).str()),
          inside(directory, (prefix + kManifestBefore).str()));
  auto isManifest = [](const BuildFile &file) {
    return llvm::sys::path::filename(file.path) == kManifest;
  };
  std::partition(files->begin(), files->end(),
                 [&](const BuildFile &file) { return !isManifest(file); });
  llvm::StringSet<> written;
  for (const BuildFile &file : *files) {
    std::string path = inside(directory, file.path);
    if (std::error_code error = writeWhole(path, file.text))
      return module.emitError()
             << "cannot write " << path << ": " << error.message();
    written.insert(file.path);
  }
  for (const std::string &path : old)
    if (!written.contains(path))
      llvm::sys::fs::remove(inside(directory, path));
  for (StringRef prefix : prefixes)
    llvm::sys::fs::remove(inside(directory, (prefix + kManifestBefore).str()));
  return success();
}

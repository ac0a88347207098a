//===- ModuleLoader.cpp - imports -----------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is looked up in this order: the override map, the modules that plc
// provides (pl, pld, math, …), the directory of the importing file, the -I
// directories, sys.path, the directory above the importing file; `.plk` before
// `.py`, then a package's `__init__`; at last the array library's names
// (torch). What is nowhere is an opaque value.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Frontend/Parser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::frontend {

Interpreter::Interpreter(SourceManager &sources, DiagnosticEngine &diagnostics,
                         LoadOptions options, std::unique_ptr<ArrayOps> arrays)
    : sources(sources), diagnostics(diagnostics), options(std::move(options)),
      arrays(std::move(arrays)) {
  addExceptionClasses();
  addBuiltins();
  addBuiltinTypes();
  enterThread();
  (void)checkMemory(SourceRange(), 0); // what is held already
}

Interpreter::~Interpreter() {
  // Frames, modules and classes hold functions that hold them; cut the circles.
  pending.reset();
  handled.clear();
  returnValue = Value();
  std::vector<Ref<Frame>> alive;
  for (Frame *frame = frames; frame; frame = frame->next)
    alive.push_back(Ref<Frame>(frame));
  for (Ref<Frame> &frame : alive) {
    SmallVector<Value, 8> slots = std::move(frame->slots);
    frame->slots.clear();
    frame->parent = nullptr;
  }
  for (Ref<ModuleObject> &module : allModules)
    for (auto &entry : module->globals)
      entry.second = Value();
  for (Ref<ClassObject> &cls : allClasses) {
    std::vector<Value> attributes;
    cls->attributes.takeValues(attributes);
  }
  mainModule = nullptr;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string canonical(StringRef path) {
  SmallString<256> real;
  if (sys::fs::real_path(path, real))
    return path.str();
  return real.str().str();
}

Ref<ModuleObject> Interpreter::loadFile(StringRef path) {
  std::string error;
  uint32_t buffer = sources.addFile(path, error);
  if (!buffer) {
    diagnostics.error(DiagCode::UnreadableFile, {},
                      "cannot read '" + path + "': " + error);
    diagnostics.flush();
    return nullptr;
  }
  StringRef stem = path == "-" ? StringRef("stdin") : sys::path::stem(path);
  return loadBuffer(stem, path, buffer);
}

Ref<ModuleObject> Interpreter::loadBuffer(StringRef name, StringRef path,
                                          uint32_t buffer) {
  const ModuleNode *ast = parseModule(context, diagnostics, buffer);
  diagnostics.flush();
  if (!ast)
    return nullptr;
  Ref<ModuleObject> module(new ModuleObject(name.str()));
  allModules.push_back(module);
  module->path = path.str();
  module->ast = ast;
  module->buffer = buffer;
  module->initialising = true;
  module->set("__name__", Value::str(name));
  module->set("__file__", Value::str(path == "-" ? "<stdin>" : path));
  module->set(
      "__package__",
      Value::str(name.contains('.') ? name.rsplit('.').first : StringRef()));
  module->set("__doc__", ast->docstring ? Value::str(ast->docstring->text)
                                        : Value::none());
  if (!mainModule)
    mainModule = module;
  filesByPath[canonical(path)] = module;
  Env env;
  env.module = module.get();
  importing.push_back(module.get());
  Flow flow = execute(ast->body, env);
  importing.pop_back();
  module->initialising = false;
  if (flow == Flow::Raise)
    return nullptr;
  return module;
}

std::string Interpreter::describeImportCycle(const ModuleObject *module) const {
  std::string text = "circular import: ";
  auto first = llvm::find(importing, module);
  for (auto it = first; it != importing.end(); ++it)
    text += "'" + (*it)->name + "' -> ";
  return text + "'" + module->name + "'";
}

std::string Interpreter::findModuleFile(StringRef name,
                                        const ModuleObject *from) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return ""; // What a fuzzer makes up reads no files.
#endif
  for (const auto &[module, file] : options.overrides)
    if (module == name)
      return file;
  SmallVector<std::string> directories;
  if (from && !from->path.empty() && from->path != "-") {
    StringRef directory = sys::path::parent_path(from->path);
    directories.push_back(directory.empty() ? "." : directory.str());
  }
  directories.append(options.includeDirs.begin(), options.includeDirs.end());
  // What the program put into sys.path, which begins with its own directory.
  Value system = importBuiltinModule("sys");
  if (const Value *path = system.as<ModuleObject>()->find("path"))
    if (const auto *list = path->as<ListObject>())
      for (const Value &directory : list->elements)
        if (directory.isStr())
          directories.push_back(directory.getStr().str());
  // A part of a model in a folder of its own takes what lies beside that.
  if (from && !from->path.empty() && from->path != "-") {
    SmallString<256> above(sys::path::parent_path(from->path));
    sys::path::append(above, "..");
    directories.push_back(above.str().str());
  }
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  for (const std::string &directory : directories) {
    SmallString<256> base(directory);
    for (StringRef part : parts)
      sys::path::append(base, part);
    for (StringRef suffix : {".plk", ".py", "/__init__.plk", "/__init__.py"}) {
      std::string candidate = (base + suffix).str();
      if (sys::fs::is_regular_file(candidate))
        return candidate;
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

Value Interpreter::importBuiltinModule(StringRef name) {
  auto it = moduleCache.find(name);
  if (it != moduleCache.end())
    return it->second;
  Value module;
  if (name == "pl" || name == "pypto.language") {
    Value &pl = moduleCache["pl"];
    if (pl.isEmpty())
      pl = Value(makePlModule());
    module = pl;
  } else if (name == "pld" || name == "pypto.language.distributed" ||
             name == "pl.distributed") {
    module = *importBuiltinModule("pl").as<ModuleObject>()->find("distributed");
  } else if (name == "pypto") {
    Ref<ModuleObject> pypto(new ModuleObject("pypto"));
    pypto->set("language", importBuiltinModule("pl"));
    module = Value(pypto);
  } else {
    module = makeStandardModule(name);
  }
  if (!module.isEmpty())
    moduleCache[name] = module;
  return module;
}

Value Interpreter::importModule(StringRef name, SourceRange range,
                                const ModuleObject *from) {
  if (!step(range) || !checkStack(range))
    return Value();
  std::string path;
  bool overridden = llvm::any_of(options.overrides, [&](const auto &entry) {
    return entry.first == name;
  });
  if (!overridden) {
    Value builtin = importBuiltinModule(name);
    if (!builtin.isEmpty())
      return builtin;
  }
  path = findModuleFile(name, from);
  if (path.empty()) {
    if (arrays) {
      // One object per name, whoever asks.
      Value &cached = moduleCache[("<array>" + name).str()];
      if (cached.isEmpty())
        cached = arrays->getModule(name);
      if (!cached.isEmpty())
        return cached;
    }
    if (importGuards)
      return fail("ModuleNotFoundError", "no module named '" + name + "'",
                  range);
    return Value(new OpaqueObject(name.str(), name.str(), range));
  }

  auto it = filesByPath.find(canonical(path));
  if (it != filesByPath.end()) {
    if (it->second)
      return Value(it->second);
    // It failed before, and its errors have been reported.
    (void)raise("ImportError", "module '" + name + "' has errors", range);
    pending->fatal = pending->reported = true;
    return Value();
  }
  std::string error;
  uint32_t buffer = sources.addFile(path, error);
  if (!buffer)
    return fail("ImportError", "cannot read '" + path + "': " + error, range);
  if (callDepth >= options.recursionLimit)
    return fail("RecursionError", "imports are nested too deeply", range);
  CallScope scope(*this, ("while importing '" + name + "'").str(), range);
  // A `try` around this import does not guard the imports of that module.
  SaveAndRestore<unsigned> guards(importGuards, 0);
  std::string key = canonical(path);
  Ref<ModuleObject> module = loadBuffer(name, path, buffer);
  if (module)
    return Value(module);
  filesByPath[key] = nullptr;
  if (!pending) {
    // Syntax errors are out already.
    (void)raise("ImportError", "module '" + name + "' has errors", range);
    pending->fatal = pending->reported = true;
  }
  return Value();
}

Flow Interpreter::executeImport(const ImportStmt *statement, Env &env) {
  for (const ImportAlias &alias : statement->names) {
    StringRef dotted = alias.name.name;
    Value module = importModule(dotted, alias.name.range, env.module);
    if (module.isEmpty())
      return Flow::Raise;
    if (alias.asName.name) {
      store(alias.asName.name, module, env);
      continue;
    }
    size_t dot = dotted.find('.');
    if (dot == StringRef::npos) {
      store(alias.name.name, module, env);
      continue;
    }
    // `import a.b` binds `a`, of which `b` is an attribute.
    StringRef head = dotted.take_front(dot);
    Value top = importModule(head, alias.name.range, env.module);
    if (top.isEmpty())
      return Flow::Raise;
    store(context.getIdentifier(head), top, env);
    SmallVector<StringRef> parts;
    dotted.drop_front(dot + 1).split(parts, '.');
    Value owner = top;
    std::string path = head.str();
    for (StringRef part : parts) {
      path += "." + part.str();
      auto *package = owner.as<ModuleObject>();
      if (!package)
        break;
      if (const Value *found = package->find(part)) {
        owner = *found;
        continue;
      }
      Value inner = importModule(path, alias.name.range, env.module);
      if (inner.isEmpty())
        return Flow::Raise;
      package->set(part, inner);
      owner = inner;
    }
  }
  return Flow::Normal;
}

Flow Interpreter::executeImportFrom(const ImportFromStmt *statement, Env &env) {
  StringRef name = statement->module.name;
  SourceRange range = statement->module.range.isValid()
                          ? statement->module.range
                          : statement->range;
  // `from . import x` looks beside the importing file, as everything does; each
  // further dot is one directory up.
  std::string relative;
  Value module;
  Ref<ModuleObject> anchor;
  if (statement->level > 1 && !env.module->path.empty()) {
    SmallString<256> directory(sys::path::parent_path(env.module->path));
    if (directory.empty())
      directory = ".";
    for (unsigned i = 1; i < statement->level; ++i)
      sys::path::append(directory, "..");
    sys::path::append(directory, "module");
    anchor = new ModuleObject("<package>");
    anchor->path = directory.str().str();
  }
  const ModuleObject *from = anchor ? anchor.get() : env.module;
  if (!name.empty()) {
    module = importModule(name, range, from);
    if (module.isEmpty())
      return Flow::Raise;
  }
  auto *object = module.as<ModuleObject>();

  if (statement->isStar) {
    if (!object)
      return Flow::Normal;
    const Value *all = object->find("__all__");
    SmallVector<std::pair<std::string, Value>> names;
    for (const auto &entry : object->globals) {
      bool wanted = !entry.getKey().starts_with("_");
      if (all) {
        std::optional<bool> listed =
            contains(*all, Value::str(entry.getKey()), range);
        if (!listed)
          return Flow::Raise;
        wanted = *listed;
      }
      if (wanted && !entry.second.isEmpty())
        names.push_back({entry.getKey().str(), entry.second});
    }
    if (!object->isOurs())
      for (auto &[bound, value] : names)
        noteModuleRead(*object, bound, value, range);
    for (auto &[bound, value] : names)
      store(context.getIdentifier(bound), value, env);
    return Flow::Normal;
  }

  for (const ImportAlias &alias : statement->names) {
    StringRef wanted = alias.name.name;
    Value value;
    if (module.isEmpty() || module.as<OpaqueObject>()) {
      // `from . import x`, or a name of what was not found.
      if (module.isEmpty())
        value = importModule(wanted, alias.name.range, from);
      else
        value = findAttr(module, wanted, alias.name.range);
    } else {
      value = findAttr(module, wanted, alias.name.range);
      if (value.isEmpty() && !pending && object) {
        // A submodule, or `from pypto import ir`, which is not there.
        std::string dotted = (name + "." + wanted).str();
        bool hasFile = !findModuleFile(dotted, from).empty();
        if (hasFile || object->name == "pypto") {
          value = importModule(dotted, alias.name.range, from);
        } else if (object->isOurs() && !importGuards) {
          value = makeLacking(*object, wanted, alias.name.range);
        } else {
          SmallVector<StringRef> known;
          for (const auto &entry : object->globals)
            if (!entry.second.isEmpty())
              known.push_back(entry.getKey());
          llvm::sort(known);
          (void)raise("ImportError",
                      "module '" + name + "' has no name '" + wanted + "'" +
                          (object->initialising
                               ? " yet: it is still being imported (" +
                                     describeImportCycle(object) + ")"
                               : didYouMean(wanted, known)),
                      alias.name.range);
        }
      } else if (value.isEmpty() && !pending) {
        (void)raiseNoAttribute(module, wanted, {}, alias.name.range);
      }
    }
    if (value.isEmpty())
      return Flow::Raise;
    if (object && !object->isOurs())
      noteModuleRead(*object, wanted, value, alias.name.range);
    store(alias.asName.name ? alias.asName.name : alias.name.name, value, env);
  }
  return Flow::Normal;
}

} // namespace pl::frontend

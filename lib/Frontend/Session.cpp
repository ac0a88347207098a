//===- Session.cpp - loading a program and asking about it ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Frontend/Module.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace pl::frontend {

Session::Session(SourceManager &sources, DiagnosticEngine &diagnostics,
                 LoadOptions options, std::unique_ptr<ArrayOps> arrays)
    : sources(sources), diagnostics(diagnostics),
      interpreter(std::make_unique<Interpreter>(
          sources, diagnostics, std::move(options), std::move(arrays))) {}

Session::~Session() = default;

/// After the modules ran: what they raised, and -D names nobody declared.
static LogicalResult finishLoad(Session &session,
                                const Ref<ModuleObject> &module) {
  Interpreter &interpreter = session.getInterpreter();
  if (!module) {
    interpreter.reportPending();
    return failure();
  }
  interpreter.reportStaleReads();
  std::vector<std::string> unused = session.getUnusedDefines();
  if (unused.empty())
    return success();
  SmallVector<StringRef> known;
  std::string list;
  for (const ParamRecord &param : interpreter.params) {
    known.push_back(param.name);
    list += (list.empty() ? "" : ", ") + param.name;
  }
  for (const std::string &name : unused) {
    Diagnostic &error = session.getDiagnostics().error(
        DiagCode::BadParameter, {},
        "-D " + name + ": the program has no parameter '" + name + "'" +
            didYouMean(name, known));
    error.note(SourceRange(), known.empty()
                                  ? Twine("it declares no parameters")
                                  : "its parameters are " + Twine(list));
  }
  session.getDiagnostics().flush();
  interpreter.usageErrors = true;
  return failure();
}

LogicalResult Session::loadFile(StringRef path) {
  interpreter->enterThread();
  interpreter->resetSteps();
  return finishLoad(*this, interpreter->loadFile(path));
}

LogicalResult Session::loadText(StringRef name, StringRef text) {
  interpreter->enterThread();
  interpreter->resetSteps();
  uint32_t buffer = sources.addBuffer(name, text);
  return finishLoad(
      *this, interpreter->loadBuffer(sys::path::stem(name), name, buffer));
}

bool Session::hasUsageErrors() const { return interpreter->usageErrors; }

ModuleObject *Session::getMainModule() const {
  return interpreter->mainModule.get();
}

ArrayRef<Ref<KernelObject>> Session::getKernels() const {
  return interpreter->kernels;
}

KernelObject *Session::findKernel(StringRef name) const {
  const ModuleObject *module = getMainModule();
  const Value *value = module ? module->find(name) : nullptr;
  if (auto *kernel = value ? value->as<KernelObject>() : nullptr)
    return kernel;
  // Of a class: by its name in the class, or "Class.name".
  for (const Ref<KernelObject> &kernel : interpreter->kernels)
    if (kernel->module.get() == module && !kernel->programName.empty() &&
        (kernel->name == name ||
         kernel->programName + "." + kernel->name == name))
      return kernel.get();
  return nullptr;
}

std::optional<TypeAnnotation> getArrayType(Interpreter &interpreter,
                                           const Value &value) {
  if (value.getKind() != ValueKind::Array)
    return std::nullopt;
  Value shape = interpreter.getAttr(value, "shape", {});
  Value dtype = interpreter.getAttr(value, "dtype", {});
  const auto *extents = shape.isEmpty() ? nullptr : shape.as<TupleObject>();
  if (!extents || dtype.isEmpty() || !dtype.isDType())
    return std::nullopt;
  TypeAnnotation type;
  type.hasShape = true;
  type.dtype = dtype.getDType();
  for (const Value &extent : extents->elements)
    type.dims.emplace_back().extent = extent.getInt();
  return type;
}

KernelObject *Session::getMainEntry(std::string &why) {
  if (interpreter->mainEntry)
    return interpreter->mainEntry.get();
  std::vector<KernelObject *> entries = getEntries();
  for (KernelKind kind :
       {KernelKind::Host, KernelKind::Jit, KernelKind::Opaque}) {
    SmallVector<KernelObject *> found;
    for (KernelObject *kernel : entries)
      if (kernel->kind == kind)
        found.push_back(kernel);
    if (found.size() == 1)
      return found.front();
    if (found.size() > 1) {
      why = "the file has several @" + getSpelling(kind).str() + " entries (";
      for (size_t i = 0; i < found.size(); ++i)
        why += (i ? ", " : "") + found[i]->name;
      why += "); choose one with --entry or name it with pl.main(...)";
      return nullptr;
    }
  }
  why =
      "the file has no @pl.jit entry: mark the kernel to run with @pl.jit, or "
      "give a module that imports this one";
  return nullptr;
}

bool isProgram(const KernelObject &kernel) {
  return kernel.kind == KernelKind::Jit || kernel.kind == KernelKind::Host ||
         (kernel.kind == KernelKind::Opaque && kernel.isFunction);
}

/// Whether a text holds a name as a word of its own.
static bool holdsWord(StringRef text, StringRef name) {
  auto isPart = [](char c) { return isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    StringRef rest = text.drop_front(at + name.size());
    if ((at == 0 || !isPart(text[at - 1])) &&
        (rest.empty() || !isPart(rest.front())))
      return true;
  }
  return false;
}

/// Names that a body calls or hands to pl.submit, of the class or not.
static void collectCallees(ArrayRef<KernelObject *> program,
                           llvm::DenseSet<const KernelObject *> &called,
                           SourceManager &sources) {
  for (const KernelObject *caller : program)
    for (const KernelObject *callee : program) {
      if (caller == callee)
        continue;
      // Good enough to tell entries from helpers: the name after `self.`.
      if (holdsWord(sources.getText(caller->def->range),
                    "self." + callee->name))
        called.insert(callee);
    }
}

std::vector<KernelObject *> Session::getEntries() {
  std::vector<KernelObject *> entries = collectEntries();
  if (!entries.empty() || discovered)
    return entries;
  discover();
  return collectEntries();
}

std::vector<KernelObject *> Session::collectEntries() const {
  llvm::DenseSet<const KernelObject *> called;
  for (const Ref<KernelObject> &kernel : interpreter->kernels)
    if (!kernel->program.empty() && kernel->program.front() == kernel.get())
      collectCallees(kernel->program, called, sources);
  std::vector<KernelObject *> entries;
  for (KernelKind kind :
       {KernelKind::Jit, KernelKind::Opaque, KernelKind::Host})
    for (const Ref<KernelObject> &kernel : interpreter->kernels) {
      bool isProgram = kernel->kind != KernelKind::Opaque ||
                       (kernel->isFunction && kernel->unsupported.empty());
      if (kernel->kind == kind && isProgram &&
          kernel->module.get() == getMainModule() &&
          !called.count(kernel.get()))
        entries.push_back(kernel.get());
    }
  return entries;
}

std::vector<KernelObject *> Session::getUncalledKernels() {
  std::vector<KernelObject *> all, kernels, called;
  for (const Ref<KernelObject> &kernel : interpreter->kernels)
    if (kernel->module.get() == getMainModule())
      all.push_back(kernel.get());
  for (KernelObject *kernel : all) {
    if (isProgram(*kernel) || !kernel->unsupported.empty() ||
        wasLowered(*kernel))
      continue;
    bool isCalled = any_of(all, [&](const KernelObject *other) {
      return other != kernel &&
             holdsWord(sources.getText(other->def->range), kernel->name);
    });
    (isCalled ? called : kernels).push_back(kernel);
  }
  kernels.insert(kernels.end(), called.begin(), called.end());
  return kernels;
}

std::optional<TypeAnnotation> Session::findShape(const KernelObject &kernel,
                                                 StringRef param) {
  const EntryRecord *entry = getEntry(&kernel);
  if (!shapes.count(&kernel) && entry && !entry->fixture.isEmpty()) {
    shapes.try_emplace(&kernel);
    if (FailureOr<Ref<DictObject>> inputs = callFixture(&kernel);
        succeeded(inputs))
      for (const ValueTable::Entry &item : (*inputs)->table.getEntries()) {
        if (item.key.isEmpty())
          continue;
        FailureOr<Value> value = force(item.value);
        if (failed(value))
          break;
        if (std::optional<TypeAnnotation> type =
                getArrayType(*interpreter, *value))
          shapes[&kernel][item.key.getStr()] = std::move(*type);
      }
  }
  if (!shapes.count(&kernel))
    discover();
  auto &known = shapes[&kernel];
  auto type = known.find(param);
  if (type == known.end())
    return std::nullopt;
  return type->second;
}

const Param *Session::findUnknownShape(const KernelObject &kernel) {
  for (const Param &param : kernel.getParams()) {
    if (!param.annotation) {
      if (!isProgram(kernel))
        return &param;
      continue; // reported when it is compiled
    }
    FailureOr<TypeAnnotation> type =
        evaluateAnnotation(kernel, param.annotation);
    if (failed(type))
      return nullptr; // reported, and again when it is compiled
    using Kind = TypeAnnotation::Kind;
    bool isOpen =
        !type->hasShape &&
        (type->kind == Kind::Tensor ||
         (!isProgram(kernel) &&
          (type->kind == Kind::Tile || type->kind == Kind::DistributedTensor)));
    if (isOpen && !findShape(kernel, param.name))
      return &param;
  }
  return nullptr;
}

const EntryRecord *Session::getEntry(const KernelObject *kernel) const {
  for (const EntryRecord &entry : interpreter->entries)
    if (entry.kernel.get() == kernel)
      return &entry;
  return nullptr;
}

ArrayRef<ParamRecord> Session::getParams() const { return interpreter->params; }

const ParamRecord *Session::findParam(StringRef name) const {
  for (const ParamRecord &param : interpreter->params)
    if (param.name == name)
      return &param;
  return nullptr;
}

std::vector<std::string> Session::getUnusedDefines() const {
  std::vector<std::string> unused;
  for (const auto &define : interpreter->options.defines)
    if (!findParam(define.first) && !is_contained(unused, define.first))
      unused.push_back(define.first);
  return unused;
}

//===----------------------------------------------------------------------===//
// Fixtures and goldens
//===----------------------------------------------------------------------===//

static FailureOr<Ref<DictObject>>
callForDict(Interpreter &interpreter, const Value &function,
            ArrayRef<Value> args, SourceRange range, StringRef what) {
  interpreter.enterThread();
  interpreter.resetSteps();
  Value result = interpreter.call(function, args, {}, range);
  if (!result.isEmpty()) {
    if (auto *dict = result.as<DictObject>()) {
      bool good = true;
      for (const ValueTable::Entry &entry : dict->table.getEntries())
        good &= entry.key.isEmpty() || entry.key.isStr();
      if (good)
        return Ref<DictObject>(dict);
      (void)interpreter.raise(
          "TypeError", "the keys of a " + what + " must be names", range);
    } else {
      (void)interpreter.raise("TypeError",
                              "a " + what + " must return a dict, not a '" +
                                  getTypeName(result) + "'",
                              range);
    }
  }
  interpreter.reportPending();
  return failure();
}

FailureOr<Ref<DictObject>> Session::callFixture(const KernelObject *kernel) {
  const EntryRecord *entry = getEntry(kernel);
  if (!entry || entry->fixture.isEmpty()) {
    diagnostics.error(DiagCode::NoSuchEntry, kernel->def->name.range,
                      "entry '" + kernel->name +
                          "' has no fixture; add a function that returns its "
                          "inputs, decorated with @pl.fixture(" +
                          kernel->name + ")");
    diagnostics.flush();
    return failure();
  }
  Value fixture = entry->fixture;
  FailureOr<Ref<DictObject>> result =
      callForDict(*interpreter, fixture, {}, entry->fixtureRange, "fixture");
  if (failed(result))
    return failure();
  // A function without parameters stands for the value it makes.
  Ref<DictObject> inputs(new DictObject());
  for (const ValueTable::Entry &item : (*result)->table.getEntries()) {
    if (item.key.isEmpty())
      continue;
    const auto *function = item.value.as<FunctionObject>();
    inputs->table.set(item.key, item.hash,
                      function && function->params.empty()
                          ? Value(new LazyObject(item.value))
                          : item.value);
  }
  return inputs;
}

/// Each value is copied when it is first touched.
static Ref<DictObject> copyLazily(const DictObject &inputs) {
  Ref<DictObject> copies(new DictObject());
  for (const ValueTable::Entry &item : inputs.table.getEntries()) {
    if (item.key.isEmpty())
      continue;
    Ref<LazyObject> copy(new LazyObject(item.value));
    copy->isCopy = true;
    copies->table.set(item.key, item.hash, Value(copy));
  }
  return copies;
}

FailureOr<Ref<DictObject>> Session::callGolden(const KernelObject *kernel,
                                               const Ref<DictObject> &inputs) {
  const EntryRecord *entry = getEntry(kernel);
  if (!entry || entry->golden.isEmpty()) {
    diagnostics.error(DiagCode::NoSuchEntry, kernel->def->name.range,
                      "entry '" + kernel->name + "' has no golden");
    diagnostics.flush();
    return failure();
  }
  Value golden = entry->golden;
  FailureOr<Ref<DictObject>> result =
      callForDict(*interpreter, golden, Value(copyLazily(*inputs)),
                  entry->goldenRange, "golden");
  if (failed(result))
    return failure();
  Ref<DictObject> outputs(new DictObject());
  for (const ValueTable::Entry &item : (*result)->table.getEntries()) {
    if (item.key.isEmpty())
      continue;
    FailureOr<Value> value = force(item.value);
    if (failed(value))
      return failure();
    outputs->table.set(item.key, item.hash, *value);
  }
  return outputs;
}

LogicalResult Session::checkInputs(const KernelObject *kernel,
                                   const Ref<DictObject> &inputs) {
  const EntryRecord *entry = getEntry(kernel);
  if (!entry || entry->inputCheck.isEmpty())
    return success();
  interpreter->enterThread();
  interpreter->resetSteps();
  Value function = entry->inputCheck;
  Value result = interpreter->call(function, Value(copyLazily(*inputs)), {},
                                   entry->inputCheckRange);
  if (!result.isEmpty())
    return success();
  interpreter->reportPending();
  return failure();
}

FailureOr<Value> Session::force(const Value &value) {
  interpreter->enterThread();
  Value made = interpreter->force(value);
  if (made.isEmpty()) {
    interpreter->reportPending();
    return failure();
  }
  return made;
}

FailureOr<Value> Session::call(const Value &callee, ArrayRef<Value> args) {
  interpreter->enterThread();
  interpreter->resetSteps();
  Value result = interpreter->call(callee, args, {}, SourceRange());
  if (result.isEmpty()) {
    interpreter->reportPending();
    return failure();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What kernels capture
//===----------------------------------------------------------------------===//

const Value *Session::lookup(const KernelObject &kernel, StringRef name) const {
  return interpreter->lookup(name, kernel.closure.get(), kernel.module.get());
}

static Env captureEnv(const KernelObject &kernel) {
  Env env;
  env.module = kernel.module.get();
  env.frame = kernel.closure.get();
  env.scope = kernel.closure ? kernel.closure->scope : nullptr;
  return env;
}

FailureOr<Value> Session::evaluate(const KernelObject &kernel,
                                   const Expr *expr) {
  interpreter->enterThread();
  interpreter->resetSteps();
  Env env = captureEnv(kernel);
  Value value = interpreter->evaluate(expr, env);
  if (value.isEmpty()) {
    interpreter->reportPending();
    return failure();
  }
  return value;
}

FailureOr<TypeAnnotation>
Session::evaluateAnnotation(const KernelObject &kernel, const Expr *expr) {
  interpreter->enterThread();
  interpreter->resetSteps();
  Env env = captureEnv(kernel);
  Value value = interpreter->evaluate(expr, env);
  if (!value.isEmpty()) {
    FailureOr<TypeAnnotation> annotation =
        interpreter->toAnnotation(value, expr->range);
    if (succeeded(annotation))
      return annotation;
  }
  interpreter->reportPending();
  return failure();
}

} // namespace pl::frontend

//===- HostKernels.cpp - decorators that make kernels and programs --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Natives.h"
#include "pl/Frontend/HostPl.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace pl::frontend {

using Ctx = CallContext;

namespace {
/// What a decorator says besides the function.
struct KernelForm {
  KernelKind kind = KernelKind::Jit;
  bool isFunction = false;
  std::vector<std::pair<std::string, Value>> options;

  StringRef getMember(StringRef option) const {
    for (const auto &[name, value] : options)
      if (const auto *member = value.as<EnumObject>(); member && name == option)
        return member->member;
    return "";
  }
};
} // namespace

/// The kind of a @pl.function; the text is why it cannot be compiled.
static KernelKind getFunctionKind(const KernelForm &form, std::string &why) {
  StringRef level = form.getMember("level"), role = form.getMember("role");
  if (!level.empty() && level != "CHIP" && level != "CORE_GROUP") {
    if (level != "HOST")
      why = ("a function of level " + level).str();
    else if (role == "SubWorker")
      why = "a function that runs on the host itself (role SubWorker)";
    return KernelKind::Host;
  }
  StringRef type = form.getMember("type");
  if (type == "Group" || type == "Spmd" || type == "Graph")
    why = ("a function of type " + type).str();
  return StringSwitch<KernelKind>(type)
      .Case("Orchestration", KernelKind::Jit)
      .Cases({"InCore", "AIC", "AIV"}, KernelKind::InCore)
      .Case("Inline", KernelKind::Inline)
      .Default(KernelKind::Opaque);
}

static Result makeKernel(Ctx &call, const KernelForm &form,
                         const Value &function) {
  const auto *object = function.as<FunctionObject>();
  std::string spelling =
      form.isFunction ? "pl.function" : getSpelling(form.kind).str();
  if (!object || !object->def) {
    if (function.as<OpaqueObject>())
      return function;
    return call.raise("TypeError", "@" + spelling +
                                       " decorates a function, not a '" +
                                       getTypeName(function) + "'");
  }
  if (object->def->isAsync)
    return call.raise("TypeError", "a kernel cannot be an async function");
  Interpreter &interpreter = call.interpreter;
  std::string why;
  KernelKind kind = form.isFunction ? getFunctionKind(form, why) : form.kind;
  Ref<KernelObject> kernel(new KernelObject(kind, object->name, object->def));
  kernel->module = object->module;
  kernel->closure = object->closure;
  kernel->isFunction = form.isFunction;
  kernel->unsupported = std::move(why);
  for (const auto &[name, value] : form.options)
    kernel->options.push_back(
        {interpreter.context.getIdentifier(name).str(), value});
  if (kernel->getOption("extern"))
    kernel->unsupported = "a kernel that is written elsewhere";
  if (kernel->getOption("auto_scope") &&
      (kind == KernelKind::InCore || kind == KernelKind::Opaque))
    return call.raise("TypeError", "@" + spelling +
                                       " takes no 'auto_scope'; only "
                                       "pl.jit, pl.jit.host and "
                                       "pl.jit.inline do");
  interpreter.kernels.push_back(kernel);
  return Value(kernel);
}

/// `@pl.jit` and `@pl.jit(auto_scope=False)`.
static Value makeKernelDecorator(StringRef name, KernelForm form) {
  return makeNative(name, [form](Ctx &call) -> Result {
    KernelForm made = form;
    for (const NamedValue &keyword : call.keywords)
      made.options.push_back({keyword.name.str(), keyword.value});
    if (call.args.size() == 1)
      return makeKernel(call, made, call.args[0]);
    if (!call.args.empty())
      return call.raise("TypeError",
                        "@pl." + call.callee + " takes keyword arguments only");
    return makeNative(call.callee, [made](Ctx &inner) -> Result {
      if (inner.args.size() != 1)
        return inner.raise("TypeError", "a decorator takes one function");
      return makeKernel(inner, made, inner.args[0]);
    });
  });
}

/// `@pl.program` on a class: its kernels learn its name and each other.
static Result makeProgram(Ctx &call) {
  if (call.args.size() != 1)
    return makeNative("program", makeProgram);
  const auto *cls = call.args[0].as<ClassObject>();
  if (!cls)
    return call.args[0];
  std::vector<KernelObject *> kernels;
  for (const ValueTable::Entry &entry : cls->attributes.getEntries())
    if (auto *kernel = entry.value.as<KernelObject>())
      kernels.push_back(kernel);
  for (KernelObject *kernel : kernels) {
    kernel->programName = cls->name;
    kernel->program = kernels;
  }
  return call.args[0];
}

void addPlKernels(ModuleObject &pl) {
  Value jit = makeKernelDecorator("jit", {KernelKind::Jit, false, {}});
  StringMap<Value> &kinds = jit.as<NativeObject>()->attributes;
  auto add = [&](StringRef name, KernelKind kind) {
    kinds[name] = makeKernelDecorator(name, {kind, false, {}});
  };
  add("inline", KernelKind::Inline);
  add("incore", KernelKind::InCore);
  add("host", KernelKind::Host);
  add("opaque", KernelKind::Opaque);
  kinds["extern"] = makeKernelDecorator(
      "extern",
      {KernelKind::Opaque, false, {{"extern", Value::boolean(true)}}});
  pl.set("jit", jit);
  pl.set("function",
         makeKernelDecorator("function", {KernelKind::Opaque, true, {}}));
  pl.set("program", makeNative("program", makeProgram));
}

} // namespace pl::frontend

//===- TorchModules.cpp - torch and its submodules ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

/// A type that is there for annotations and isinstance.
static Value makeType(StringRef name, ValueKind kind, StringRef instead) {
  Ref<NativeObject> type(new NativeObject(
      name.str(), [name, instead](CallContext &ctx) -> FailureOr<Value> {
        return ctx.raise("TypeError", "torch." + name +
                                          "(...) is not supported; use " +
                                          instead);
      }));
  type->constructs = kind;
  return Value(type);
}

ModuleObject *ArrayLibrary::getOrMakeModule(StringRef name) {
  Ref<ModuleObject> &module = modules[name];
  if (module)
    return module.get();
  module = new ModuleObject(name.str());
  ModuleObject *made = module.get();
  auto [owner, leaf] = name.rsplit('.');
  if (!leaf.empty())
    getOrMakeModule(owner)->set(leaf, Value(made));
  return made;
}

void ArrayLibrary::addToModule(StringRef module, StringRef name, TensorFn fn) {
  getOrMakeModule(module)->set(name, makeFunction(name, fn));
}

ArrayLibrary::ArrayLibrary() {
  addElementwiseFunctions(*this);
  addReductionFunctions(*this);
  addShapeFunctions(*this);
  addIndexFunctions(*this);
  addCreationFunctions(*this);
  addConversionMethods(*this);
  addFurtherFunctions(*this);
  addFileFunctions(*this);
  addPreludeFunctions(*this);

  for (StringRef name : {"numel", "is_floating_point"})
    entries[name].offered = Offered::Both;
  for (auto [alias, name] :
       std::initializer_list<std::pair<StringRef, StringRef>>{
           {"swapdims", "transpose"},
           {"moveaxis", "movedim"},
           {"row_stack", "vstack"},
           {"arcsin", "asin"},
           {"arccos", "acos"},
           {"arctan", "atan"},
           {"arctan2", "atan2"},
           {"sgn", "sign"}}) {
    Entry entry = entries.find(name)->second;
    entries[alias] = std::move(entry);
  }

  ModuleObject *torch = getOrMakeModule("torch");
  for (const auto &entry : entries)
    if (entry.second.offered != Offered::Method)
      torch->set(entry.first(), makeFunction(entry.first(), entry.second.fn));
  for (StringRef name : {"bool", "uint8", "int8", "int16", "short", "int32",
                         "int", "int64", "long", "float16", "half", "bfloat16",
                         "float32", "float", "float64", "double"})
    torch->set(name, Value::dtype(fromRef(*ref::parseDType(name))));
  // Names of dtypes that no array has.
  torch->set("uint16", Value::dtype(DTypeKind::UINT16));
  torch->set("uint32", Value::dtype(DTypeKind::UINT32));
  torch->set("uint64", Value::dtype(DTypeKind::UINT64));
  torch->set("Tensor", makeType("Tensor", ValueKind::Array,
                                "torch.tensor, torch.zeros or torch.empty"));
  torch->set("dtype", makeType("dtype", ValueKind::DType, "torch.float32"));
  torch->set("pi", Value::real(0x1.921fb54442d18p1));
  torch->set("e", Value::real(0x1.5bf0a8b145769p1));
  torch->set("inf", Value::real(std::numeric_limits<double>::infinity()));
  torch->set("nan", Value::real(std::numeric_limits<double>::quiet_NaN()));

  auto also = [&](StringRef module, ArrayRef<StringRef> names) {
    for (StringRef name : names)
      addToModule(module, name, entries.find(name)->second.fn);
  };
  also("torch.nn.functional",
       {"softmax", "log_softmax", "relu", "silu", "sigmoid", "softplus", "tanh",
        "linear", "pad", "one_hot"});
  also("torch.linalg", {"norm", "matmul", "diagonal"});
  also("torch.special", {"erf", "erfc", "expm1", "log1p", "exp2", "logit",
                         "xlogy", "logsumexp", "softmax", "log_softmax"});
  also("torch.random", {"manual_seed"});
  // No `npu`: programs ask with hasattr whether there is one.
  addToModule(
      "torch.cuda", "is_available",
      [](TensorCall &) -> FailureOr<Value> { return Value::boolean(false); });
  addToModule(
      "torch.cuda", "device_count",
      [](TensorCall &) -> FailureOr<Value> { return Value::integer(0); });
  also("torch.cuda", {"manual_seed"});
  addToModule("torch.cuda", "manual_seed_all",
              entries.find("manual_seed")->second.fn);
}

Value ArrayLibrary::getModule(StringRef name) {
  auto found = modules.find(name);
  return found == modules.end() ? Value() : Value(found->second);
}

} // namespace pl::frontend

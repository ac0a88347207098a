//===- HostTypes.cpp - kernels, annotations and comparators ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"

using namespace llvm;

namespace pl::frontend {

const Value *EnumClassObject::find(StringRef member) const {
  for (const Value &value : members)
    if (value.as<EnumObject>()->member == member)
      return &value;
  auto alias = aliases.find(member);
  return alias == aliases.end() ? nullptr : &alias->second;
}

StringRef getSpelling(KernelKind kind) {
  switch (kind) {
  case KernelKind::Jit:
    return "pl.jit";
  case KernelKind::Inline:
    return "pl.jit.inline";
  case KernelKind::InCore:
    return "pl.jit.incore";
  case KernelKind::Host:
    return "pl.jit.host";
  case KernelKind::Opaque:
    return "pl.jit.opaque";
  }
  return "";
}

const Value *KernelObject::getOption(StringRef name) const {
  for (const NamedValue &option : options)
    if (option.name == name)
      return &option.value;
  return nullptr;
}

bool KernelObject::getAutoScope() const {
  const Value *option = getOption("auto_scope");
  return !option || !option->isBool() || option->getBool();
}

ArrayRef<Param> KernelObject::getParams() const {
  ArrayRef<Param> params = def->params;
  bool hasSelf = isFunction && !params.empty() && params[0].name == "self" &&
                 !params[0].annotation;
  return hasSelf ? params.drop_front() : params;
}

std::string KernelObject::getSpelling() const {
  if (!isFunction)
    return ("@" + frontend::getSpelling(kind)).str();
  std::string text = "@pl.function";
  for (const NamedValue &option : options)
    if (const auto *member = option.value.as<EnumObject>())
      text += (text.back() == 'n' ? "(" : ", ") + option.name.str() + "=" +
              member->member;
  return text.back() == 'n' ? text : text + ")";
}

std::string str(const TypeAnnotation &annotation) {
  std::string text;
  switch (annotation.kind) {
  case TypeAnnotation::Kind::Tensor:
    text = "pl.Tensor";
    break;
  case TypeAnnotation::Kind::DistributedTensor:
    text = "pld.DistributedTensor";
    break;
  case TypeAnnotation::Kind::Tile:
    text = "pl.Tile";
    break;
  case TypeAnnotation::Kind::Scalar:
    text = "pl.Scalar";
    break;
  case TypeAnnotation::Kind::Array:
    text = "pl.Array";
    break;
  case TypeAnnotation::Kind::Tuple:
    text = "tuple";
    break;
  case TypeAnnotation::Kind::None:
    return "None";
  }
  auto appendDim = [&](const Dim &dim) {
    text += dim.isDynamic() ? dim.dynamic->name : std::to_string(dim.extent);
  };
  if (annotation.kind == TypeAnnotation::Kind::Tuple) {
    text += "[";
    for (size_t i = 0; i < annotation.elements.size(); ++i)
      text += (i ? ", " : "") + str(annotation.elements[i]);
    text += "]";
  } else if (annotation.kind == TypeAnnotation::Kind::Array &&
             !annotation.dims.empty()) {
    text += "[";
    appendDim(annotation.dims.front());
    text += ", pl." + getName(*annotation.dtype).str() + "]";
  } else if (annotation.hasShape) {
    text += "[[";
    for (size_t i = 0; i < annotation.dims.size(); ++i) {
      text += i ? ", " : "";
      appendDim(annotation.dims[i]);
    }
    text += "]";
    if (annotation.dtype)
      text += ", pl." + getName(*annotation.dtype).str();
    text += "]";
  } else if (annotation.dtype) {
    text += "[pl." + getName(*annotation.dtype).str() + "]";
  }
  switch (annotation.direction) {
  case Direction::In:
    return text;
  case Direction::Out:
    return "pl.Out[" + text + "]";
  case Direction::InOut:
    return "pl.InOut[" + text + "]";
  }
  return text;
}

StringRef getName(ComparatorObject::Kind kind) {
  switch (kind) {
  case ComparatorObject::Kind::RatioAllclose:
    return "ratio_allclose";
  case ComparatorObject::Kind::RatioReldiff:
    return "ratio_reldiff";
  case ComparatorObject::Kind::MappedPool:
    return "mapped_pool";
  case ComparatorObject::Kind::Exact:
    return "exact";
  }
  return "";
}

} // namespace pl::frontend

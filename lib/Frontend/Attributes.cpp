//===- Attributes.cpp - attributes of host values -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StdModules.h"
#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

/// A function found in a class, as an attribute of an instance of it.
static Value bindTo(Interpreter &interpreter, const Value &self,
                    const Value &attribute, SourceRange range) {
  if (attribute.as<FunctionObject>())
    return Value(new BoundMethodObject(self, attribute));
  const auto *property = attribute.as<PropertyObject>();
  if (!property)
    return attribute;
  switch (property->flavour) {
  case PropertyObject::Flavour::Static:
    return property->getter;
  case PropertyObject::Flavour::ClassMethod: {
    const auto *instance = self.as<InstanceObject>();
    return Value(new BoundMethodObject(instance ? Value(instance->cls) : self,
                                       property->getter));
  }
  case PropertyObject::Flavour::Property:
  case PropertyObject::Flavour::Cached:
    return interpreter.call(property->getter, self, {}, range);
  }
  return attribute;
}

static Value findInstance(Interpreter &interpreter, const Value &value,
                          StringRef name, SourceRange range) {
  auto *instance = value.as<InstanceObject>();
  const Value *inClass = instance->cls->lookup(name);
  const auto *property = inClass ? inClass->as<PropertyObject>() : nullptr;
  if (property && property->flavour == PropertyObject::Flavour::Property) {
    Value attribute = *inClass;
    return bindTo(interpreter, value, attribute, range);
  }
  if (const Value *own = instance->attributes.find(name))
    return *own;
  if (inClass) {
    Value attribute = *inClass;
    Value bound = bindTo(interpreter, value, attribute, range);
    if (property && property->flavour == PropertyObject::Flavour::Cached &&
        !bound.isEmpty())
      instance->attributes.set(name, bound);
    return bound;
  }
  if (name == "__class__")
    return Value(instance->cls);
  if (name == "__dict__") {
    Ref<DictObject> dict(new DictObject());
    for (const ValueTable::Entry &entry : instance->attributes.getEntries())
      if (!entry.key.isEmpty())
        dict->table.set(entry.key, entry.hash, entry.value);
    return Value(dict);
  }
  return Value();
}

static Value findClass(Interpreter &interpreter, const Value &value,
                       StringRef name, SourceRange range) {
  const auto *cls = value.as<ClassObject>();
  if (const Value *found = cls->lookup(name)) {
    if (const auto *property = found->as<PropertyObject>()) {
      if (property->flavour == PropertyObject::Flavour::Static)
        return property->getter;
      if (property->flavour == PropertyObject::Flavour::ClassMethod)
        return Value(new BoundMethodObject(value, property->getter));
    }
    return *found;
  }
  return Value();
}

Value Interpreter::findAttr(const Value &value, StringRef name,
                            SourceRange range) {
  switch (value.getKind()) {
  case ValueKind::Module: {
    const auto *module = value.as<ModuleObject>();
    if (const Value *found = module->find(name))
      return *found;
    if (name == "__name__")
      return Value::str(module->name);
    if (name == "__file__" && !module->path.empty())
      return Value::str(module->path);
    return Value();
  }
  case ValueKind::Instance:
    return findInstance(*this, value, name, range);
  case ValueKind::Class:
    return findClass(*this, value, name, range);
  case ValueKind::Opaque: {
    return value.as<OpaqueObject>()->reach(("." + name).str());
  }
  case ValueKind::Array:
  case ValueKind::Host: {
    if (!arrays)
      return Value();
    CallContext context(*this, range, name);
    FailureOr<Value> result = arrays->getAttr(context, value, name);
    return failed(result) ? Value() : *result;
  }
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? made : findAttr(made, name, range);
  }
  case ValueKind::EnumClass: {
    const Value *member = value.as<EnumClassObject>()->find(name);
    return member ? *member : Value();
  }
  case ValueKind::Enum:
    if (name == "name")
      return Value::str(value.as<EnumObject>()->member);
    if (name == "value")
      return Value::integer(value.as<EnumObject>()->value);
    return Value();
  case ValueKind::DType: {
    DTypeKind dtype = value.getDType();
    if (name == "get_byte")
      return makeNative("get_byte", [dtype](CallContext &) {
        return Value::integer(getByteSize(dtype));
      });
    if (name == "itemsize" || name == "bytes")
      return Value::integer(getByteSize(dtype));
    if (name == "get_bit" || name == "bits")
      return makeNative("get_bit", [dtype](CallContext &) {
        return Value::integer(getByteSize(dtype) * 8);
      });
    if (name == "name")
      return Value::str(getName(dtype));
    if (name == "is_floating_point")
      return Value::boolean(dtype <= DTypeKind::BF16);
    return Value();
  }
  case ValueKind::DynVar:
    if (name == "name")
      return Value::str(value.as<DynVarObject>()->name);
    return Value();
  case ValueKind::Kernel: {
    const auto *kernel = value.as<KernelObject>();
    if (name == "__name__")
      return Value::str(kernel->name);
    if (name == "__doc__") {
      const ConstantExpr *doc = kernel->def->getDocstring();
      return doc ? Value::str(doc->text) : Value::none();
    }
    return Value();
  }
  case ValueKind::Function: {
    auto *function = value.as<FunctionObject>();
    auto it = function->attributes.find(name);
    if (it != function->attributes.end())
      return it->second;
    if (name == "__name__" || name == "__qualname__")
      return Value::str(function->name);
    if (name == "__module__")
      return Value::str(function->module->name);
    if (name == "__doc__") {
      const ConstantExpr *doc =
          function->def ? function->def->getDocstring() : nullptr;
      return doc ? Value::str(doc->text) : Value::none();
    }
    return Value();
  }
  case ValueKind::Native: {
    const auto *native = value.as<NativeObject>();
    auto it = native->attributes.find(name);
    if (it != native->attributes.end())
      return it->second;
    if (name == "__name__")
      return Value::str(native->name);
    return Value();
  }
  case ValueKind::BoundMethod:
    if (name == "__self__")
      return value.as<BoundMethodObject>()->self;
    return findAttr(value.as<BoundMethodObject>()->function, name, range);
  case ValueKind::Property: {
    const auto *property = value.as<PropertyObject>();
    if (name == "setter")
      return makeNative(
          "setter", [value, property](CallContext &call) -> FailureOr<Value> {
            if (call.args.size() != 1)
              return call.raise("TypeError", "setter() takes one function");
            Ref<PropertyObject> copy(
                new PropertyObject(property->flavour, property->getter));
            copy->setter = call.args.front();
            return Value(copy);
          });
    return Value();
  }
  case ValueKind::Range: {
    const auto *object = value.as<RangeObject>();
    if (name == "start")
      return Value::integer(object->start);
    if (name == "stop")
      return Value::integer(object->stop);
    if (name == "step")
      return Value::integer(object->step);
    break;
  }
  case ValueKind::Slice: {
    const auto *slice = value.as<SliceObject>();
    if (name == "start")
      return slice->lower;
    if (name == "stop")
      return slice->upper;
    if (name == "step")
      return slice->step;
    break;
  }
  case ValueKind::Annotation: {
    const TypeAnnotation &annotation = value.as<AnnotationObject>()->annotation;
    if (name == "dtype" && annotation.dtype)
      return Value::dtype(*annotation.dtype);
    if (name == "shape" && annotation.hasShape) {
      std::vector<Value> dims;
      for (const Dim &dim : annotation.dims)
        dims.push_back(dim.isDynamic() ? Value(dim.dynamic)
                                       : Value::integer(dim.extent));
      return Value::tuple(std::move(dims));
    }
    return Value();
  }
  default:
    break;
  }
  if (const auto *tuple = value.as<TupleObject>())
    for (size_t i = 0; i < tuple->fieldNames.size(); ++i)
      if (tuple->fieldNames[i] == name)
        return tuple->elements[i];
  return findMethod(value, name);
}

Value Interpreter::makeLacking(const ModuleObject &module, StringRef name,
                               SourceRange range) {
  SmallVector<StringRef> known;
  for (const auto &entry : module.globals)
    if (!entry.second.isEmpty())
      known.push_back(entry.getKey());
  llvm::sort(known);
  std::string path = module.name + "." + name.str();
  std::string hint = didYouMean(name, known);
  StringRef top = StringRef(module.name).split('.').first;
  std::string why;
  if (top == "pl" || top == "pld")
    why = "'" + path + "' has no meaning at module level" +
          (hint.empty() ? "; device operations belong in kernels" : hint);
  else
    why = "module '" + module.name + "' has no attribute '" + name.str() + "'" +
          (hint.empty() ? " here: plc has only a part of it" : hint);
  return Value(new OpaqueObject(path, module.name, range, why));
}

Value Interpreter::getAttr(const Value &value, StringRef name,
                           SourceRange range) {
  Value result = findAttr(value, name, range);
  const auto *owner = value.as<ModuleObject>();
  if (owner && !result.isEmpty() && !owner->isOurs())
    noteModuleRead(*owner, name, result, range);
  if (!result.isEmpty() || pending)
    return result;
  SmallVector<StringRef> known;
  if (const auto *module = value.as<ModuleObject>()) {
    for (const auto &entry : module->globals)
      if (!entry.second.isEmpty())
        known.push_back(entry.getKey());
    if (module->isOurs())
      return makeLacking(*module, name, range);
    if (module->initialising)
      return fail("AttributeError",
                  "module '" + module->name + "' has no attribute '" + name +
                      "' yet: it is still being imported (" +
                      describeImportCycle(module) + ")",
                  range);
  } else if (const auto *instance = value.as<InstanceObject>()) {
    for (const ValueTable::Entry &entry : instance->attributes.getEntries())
      if (entry.key.isStr())
        known.push_back(entry.key.getStr());
    for (const ValueTable::Entry &entry :
         instance->cls->attributes.getEntries())
      if (entry.key.isStr() && !entry.key.getStr().starts_with("__"))
        known.push_back(entry.key.getStr());
  } else if (const auto *cls = value.as<ClassObject>()) {
    for (const ValueTable::Entry &entry : cls->attributes.getEntries())
      if (entry.key.isStr())
        known.push_back(entry.key.getStr());
  } else if (const auto *enumClass = value.as<EnumClassObject>()) {
    for (const Value &member : enumClass->members)
      known.push_back(member.as<EnumObject>()->member);
    return fail("AttributeError",
                "'" + enumClass->name + "' has no member '" + name + "'" +
                    didYouMean(name, known),
                range);
  }
  llvm::sort(known);
  (void)raiseNoAttribute(value, name, known, range);
  return Value();
}

LogicalResult Interpreter::setAttr(const Value &value, StringRef name,
                                   const Value &newValue, SourceRange range) {
  switch (value.getKind()) {
  case ValueKind::Module: {
    auto *module = value.as<ModuleObject>();
    module->set(name, newValue);
    noteModuleWrite(*module, name, range);
    return success();
  }
  case ValueKind::Instance: {
    auto *instance = value.as<InstanceObject>();
    if (instance->cls->isFrozen)
      return raise("AttributeError",
                   "cannot set '" + name + "': '" + instance->cls->name +
                       "' is a frozen dataclass",
                   range);
    if (const Value *inClass = instance->cls->lookup(name))
      if (const auto *property = inClass->as<PropertyObject>()) {
        if (property->flavour == PropertyObject::Flavour::Property) {
          if (property->setter.isEmpty())
            return raise("AttributeError",
                         "property '" + name + "' cannot be set", range);
          Value setter = property->setter;
          return success(!call(setter, {value, newValue}, {}, range).isEmpty());
        }
      }
    instance->attributes.set(name, newValue);
    return success();
  }
  case ValueKind::Class: {
    value.as<ClassObject>()->attributes.set(name, newValue);
    return success();
  }
  case ValueKind::Function:
    value.as<FunctionObject>()->attributes[name] = newValue;
    return success();
  case ValueKind::Opaque:
    return success();
  case ValueKind::Array:
  case ValueKind::Host: {
    CallContext context(*this, range, name);
    if (!arrays)
      break;
    return arrays->setAttr(context, value, name, newValue);
  }
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? failure() : setAttr(made, name, newValue, range);
  }
  default:
    break;
  }
  return raise("AttributeError",
               "cannot set '" + name + "' of a '" + getTypeName(value) + "'",
               range);
}

LogicalResult ArrayOps::setAttr(CallContext &context, const Value &value,
                                StringRef name, const Value &newValue) {
  return context.raise("AttributeError", "cannot set '" + name + "' of a '" +
                                             getTypeName(value) + "'");
}

FailureOr<Value> ArrayOps::inPlace(CallContext &context, BinOpKind op,
                                   const Value &lhs, const Value &rhs) {
  return binary(context, op, lhs, rhs);
}

} // namespace pl::frontend

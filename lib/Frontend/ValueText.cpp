//===- ValueText.cpp - host values as text --------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"
#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Objects.h"
#include "pl/Frontend/Value.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Characters and numbers
//===----------------------------------------------------------------------===//

size_t countCharacters(StringRef text) {
  size_t count = 0;
  for (char byte : text)
    count += !isContinuation(byte);
  return count;
}

size_t byteOffset(StringRef text, size_t character) {
  size_t offset = 0;
  while (offset < text.size()) {
    if (!isContinuation(text[offset]) && character-- == 0)
      break;
    ++offset;
  }
  return offset;
}

std::string formatDouble(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), value,
                              std::chars_format::scientific);
  StringRef text(buffer, result.ptr - buffer);
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  (void)exponentText.getAsInteger(10, exponent);
  bool negative = mantissa.consume_front("-");
  std::string digits = mantissa.str();
  erase(digits, '.');
  std::string out = negative ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (digits.size() > 1)
      out += "." + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    int magnitude = std::abs(exponent);
    if (magnitude < 10)
      out += '0';
    return out + std::to_string(magnitude);
  }
  if (exponent < 0)
    return out + "0." + std::string(-exponent - 1, '0') + digits;
  size_t whole = exponent + 1;
  if (digits.size() <= whole)
    return out + digits + std::string(whole - digits.size(), '0') + ".0";
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

//===----------------------------------------------------------------------===//
// Names of types
//===----------------------------------------------------------------------===//

StringRef getTypeName(const Value &value) {
  switch (value.getKind()) {
  case ValueKind::Empty:
    return "unbound";
  case ValueKind::None:
    return "NoneType";
  case ValueKind::Bool:
    return "bool";
  case ValueKind::Int:
    return "int";
  case ValueKind::Float:
    return "float";
  case ValueKind::Ellipsis:
    return "ellipsis";
  case ValueKind::DType:
    return "dtype";
  case ValueKind::Str:
    return "str";
  case ValueKind::Bytes:
    return "bytes";
  case ValueKind::List:
    return "list";
  case ValueKind::Tuple:
    return "tuple";
  case ValueKind::Dict:
    return "dict";
  case ValueKind::Set:
    return value.as<SetObject>()->frozen ? "frozenset" : "set";
  case ValueKind::Range:
    return "range";
  case ValueKind::Slice:
    return "slice";
  case ValueKind::Array:
    return "Tensor";
  case ValueKind::Function:
    return "function";
  case ValueKind::Native:
    return value.as<NativeObject>()->constructs ? "type" : "function";
  case ValueKind::BoundMethod:
    return "method";
  case ValueKind::Class:
  case ValueKind::EnumClass:
    return "type";
  case ValueKind::Instance:
    return value.as<InstanceObject>()->cls->name;
  case ValueKind::Property:
    return "property";
  case ValueKind::Module:
    return "module";
  case ValueKind::Iterator:
    return "iterator";
  case ValueKind::Opaque:
    return "unknown";
  case ValueKind::Enum:
    return value.as<EnumObject>()->enumName;
  case ValueKind::DynVar:
    return "DynVar";
  case ValueKind::Kernel:
    return "kernel";
  case ValueKind::Annotation:
    return "annotation";
  case ValueKind::Comparator:
    return "comparator";
  case ValueKind::Lazy:
    return "lazy";
  case ValueKind::Host:
    return cast<HostObject>(value.getObject())->getTypeName();
  }
  return "object";
}

//===----------------------------------------------------------------------===//
// repr and str
//===----------------------------------------------------------------------===//

namespace {

class Printer {
public:
  explicit Printer(raw_ostream &os) : os(os) {}
  void print(const Value &value);

private:
  void quoted(StringRef text, bool isBytes);
  void sequence(StringRef open, ArrayRef<Value> elements, StringRef close);
  void table(StringRef open, const ValueTable &table, bool withValues,
             StringRef close);
  void instance(const InstanceObject *instance);
  raw_ostream &os;
  unsigned depth = 0;
};

void Printer::quoted(StringRef text, bool isBytes) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  os << quote;
  for (char c : text) {
    unsigned char byte = c;
    if (c == quote || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else if (c == '\r')
      os << "\\r";
    else if (c == '\t')
      os << "\\t";
    else if (byte < 0x20 || byte == 0x7F || (isBytes && byte >= 0x80))
      os << "\\x" << format_hex_no_prefix(byte, 2);
    else
      os << c;
  }
  os << quote;
}

void Printer::sequence(StringRef open, ArrayRef<Value> elements,
                       StringRef close) {
  os << open;
  interleave(elements, os, [&](const Value &element) { print(element); }, ", ");
  os << close;
}

void Printer::table(StringRef open, const ValueTable &table, bool withValues,
                    StringRef close) {
  os << open;
  bool first = true;
  for (const ValueTable::Entry &entry : table.getEntries()) {
    if (entry.key.isEmpty())
      continue;
    if (!first)
      os << ", ";
    first = false;
    print(entry.key);
    if (withValues) {
      os << ": ";
      print(entry.value);
    }
  }
  os << close;
}

void Printer::instance(const InstanceObject *instance) {
  const ClassObject &cls = *instance->cls;
  if (cls.isException) {
    const Value *args = instance->attributes.find("args");
    const auto *tuple = args ? args->as<TupleObject>() : nullptr;
    return sequence(
        cls.name + "(",
        tuple ? ArrayRef<Value>(tuple->elements) : ArrayRef<Value>(), ")");
  }
  if (!cls.isDataclass) {
    os << "<" << cls.name << " object>";
    return;
  }
  os << cls.name << "(";
  bool first = true;
  for (const ClassObject::Field &field : cls.fields) {
    if (!field.showInRepr)
      continue;
    if (!first)
      os << ", ";
    first = false;
    os << field.name << "=";
    const Value *attribute = instance->attributes.find(field.name);
    if (attribute)
      print(*attribute);
    else
      os << "?";
  }
  os << ")";
}

void Printer::print(const Value &value) {
  // Deep, or a container within itself.
  if (depth > 60) {
    os << "...";
    return;
  }
  ++depth;
  switch (value.getKind()) {
  case ValueKind::Empty:
    os << "<unbound>";
    break;
  case ValueKind::None:
    os << "None";
    break;
  case ValueKind::Bool:
    os << (value.getBool() ? "True" : "False");
    break;
  case ValueKind::Int:
    os << value.getInt();
    break;
  case ValueKind::Float:
    os << formatDouble(value.getFloat());
    break;
  case ValueKind::Ellipsis:
    os << "Ellipsis";
    break;
  case ValueKind::DType:
    os << "pl." << getName(value.getDType());
    break;
  case ValueKind::Str:
    quoted(value.getStr(), false);
    break;
  case ValueKind::Bytes:
    os << "b";
    quoted(value.as<BytesObject>()->text, true);
    break;
  case ValueKind::List:
    sequence("[", value.as<ListObject>()->elements, "]");
    break;
  case ValueKind::Tuple: {
    const auto *tuple = value.as<TupleObject>();
    sequence("(", tuple->elements, tuple->elements.size() == 1 ? ",)" : ")");
    break;
  }
  case ValueKind::Dict:
    table("{", value.as<DictObject>()->table, true, "}");
    break;
  case ValueKind::Set: {
    const auto *set = value.as<SetObject>();
    if (set->table.empty())
      os << (set->frozen ? "frozenset()" : "set()");
    else
      table(set->frozen ? "frozenset({" : "{", set->table, false,
            set->frozen ? "})" : "}");
    break;
  }
  case ValueKind::Range: {
    const auto *range = value.as<RangeObject>();
    os << "range(" << range->start << ", " << range->stop;
    if (range->step != 1)
      os << ", " << range->step;
    os << ")";
    break;
  }
  case ValueKind::Slice: {
    const auto *slice = value.as<SliceObject>();
    os << "slice(";
    print(slice->lower);
    os << ", ";
    print(slice->upper);
    os << ", ";
    print(slice->step);
    os << ")";
    break;
  }
  case ValueKind::Array:
    os << "<tensor>"; // Interpreter::repr asks the array library
    break;
  case ValueKind::Function:
    os << "<function " << value.as<FunctionObject>()->name << ">";
    break;
  case ValueKind::Native:
    if (value.as<NativeObject>()->constructs)
      os << "<class '" << value.as<NativeObject>()->name << "'>";
    else
      os << "<built-in function " << value.as<NativeObject>()->name << ">";
    break;
  case ValueKind::BoundMethod:
    os << "<bound method>";
    break;
  case ValueKind::Class:
    os << "<class '" << value.as<ClassObject>()->name << "'>";
    break;
  case ValueKind::Instance:
    instance(value.as<InstanceObject>());
    break;
  case ValueKind::Property:
    os << "<property object>";
    break;
  case ValueKind::Module:
    os << "<module '" << value.as<ModuleObject>()->name << "'>";
    break;
  case ValueKind::Iterator:
    os << "<iterator>";
    break;
  case ValueKind::Opaque:
    os << "<unknown " << value.as<OpaqueObject>()->path << ">";
    break;
  case ValueKind::Enum:
    os << value.as<EnumObject>()->enumName << "."
       << value.as<EnumObject>()->member;
    break;
  case ValueKind::EnumClass:
    os << "<enum '" << value.as<EnumClassObject>()->name << "'>";
    break;
  case ValueKind::DynVar:
    os << "pl.dynamic('" << value.as<DynVarObject>()->name << "')";
    break;
  case ValueKind::Kernel:
    os << "<kernel " << value.as<KernelObject>()->name << ">";
    break;
  case ValueKind::Annotation:
    os << str(value.as<AnnotationObject>()->annotation);
    break;
  case ValueKind::Comparator:
    os << "pl." << getName(value.as<ComparatorObject>()->comparator) << "(...)";
    break;
  case ValueKind::Lazy:
    os << "<lazy value>";
    break;
  case ValueKind::Host:
    os << cast<HostObject>(value.getObject())->repr();
    break;
  }
  --depth;
}

} // namespace

std::string repr(const Value &value) {
  std::string text;
  raw_string_ostream os(text);
  Printer(os).print(value);
  return text;
}

std::string str(const Value &value) {
  if (value.isStr())
    return value.getStr().str();
  if (const auto *instance = value.as<InstanceObject>()) {
    if (instance->cls->isException) {
      const Value *args = instance->attributes.find("args");
      const auto *tuple = args ? args->as<TupleObject>() : nullptr;
      if (!tuple || tuple->elements.empty())
        return "";
      if (tuple->elements.size() == 1)
        return str(tuple->elements.front());
      return repr(*args);
    }
  }
  return repr(value);
}

} // namespace pl::frontend

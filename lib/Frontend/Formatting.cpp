//===- Formatting.cpp - str, repr and format specifications ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"
#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// str and repr
//===----------------------------------------------------------------------===//

/// True where the text of a value needs the array library or user code.
static bool needsInterpreter(const Value &value, unsigned depth) {
  if (depth > 20)
    return false;
  auto any = [&](ArrayRef<Value> elements) {
    return llvm::any_of(elements, [&](const Value &element) {
      return needsInterpreter(element, depth + 1);
    });
  };
  switch (value.getKind()) {
  case ValueKind::Array:
  case ValueKind::Instance:
  case ValueKind::Lazy:
    return true;
  case ValueKind::List:
    return any(value.as<ListObject>()->elements);
  case ValueKind::Tuple:
    return any(value.as<TupleObject>()->elements);
  case ValueKind::Dict:
    return llvm::any_of(value.as<DictObject>()->table.getEntries(),
                        [&](const ValueTable::Entry &entry) {
                          return needsInterpreter(entry.value, depth + 1);
                        });
  default:
    return false;
  }
}

Value Interpreter::toRepr(const Value &value, SourceRange range) {
  if (!checkStack(range))
    return Value();
  if (value.as<OpaqueObject>()) {
    (void)raiseOpaque(value, range);
    return Value();
  }
  if (!needsInterpreter(value, 0))
    return Value::str(repr(value));
  auto sequence = [&](StringRef open, std::vector<Value> elements,
                      StringRef close) {
    std::string text = open.str();
    for (size_t i = 0; i < elements.size(); ++i) {
      Value part = toRepr(elements[i], range);
      if (part.isEmpty())
        return part;
      text += i ? ", " : "";
      text += part.getStr();
    }
    return Value::str(text + close.str());
  };
  switch (value.getKind()) {
  case ValueKind::Array:
    return Value::str(arrays ? arrays->repr(value) : "<tensor>");
  case ValueKind::Lazy: {
    Value made = force(value, range);
    return made.isEmpty() ? made : toRepr(made, range);
  }
  case ValueKind::List:
    return sequence("[", value.as<ListObject>()->elements, "]");
  case ValueKind::Tuple: {
    const std::vector<Value> &elements = value.as<TupleObject>()->elements;
    return sequence("(", elements, elements.size() == 1 ? ",)" : ")");
  }
  case ValueKind::Dict: {
    std::string text = "{";
    Ref<DictObject> dict(value.as<DictObject>());
    for (size_t i = 0; i < dict->table.getEntries().size(); ++i) {
      ValueTable::Entry entry = dict->table.getEntries()[i];
      if (entry.key.isEmpty())
        continue;
      Value part = toRepr(entry.value, range);
      if (part.isEmpty())
        return part;
      text += text.size() > 1 ? ", " : "";
      text += repr(entry.key) + ": " + part.getStr().str();
    }
    return Value::str(text + "}");
  }
  case ValueKind::Instance: {
    const auto *instance = value.as<InstanceObject>();
    if (instance->cls->lookup("__repr__")) {
      Value method = findAttr(value, "__repr__", range);
      return method.isEmpty() ? method : call(method, {}, {}, range);
    }
    if (instance->cls->isEnum) {
      const Value *name = instance->attributes.find("name");
      const Value *member = instance->attributes.find("value");
      if (name && member)
        return Value::str("<" + instance->cls->name + "." +
                          name->getStr().str() + ": " + repr(*member) + ">");
    }
    if (!instance->cls->isDataclass)
      return Value::str(repr(value));
    std::string text = instance->cls->name + "(";
    bool first = true;
    for (const ClassObject::Field &field : instance->cls->fields) {
      const Value *attribute = instance->attributes.find(field.name);
      if (!field.showInRepr || !attribute)
        continue;
      Value part = toRepr(*attribute, range);
      if (part.isEmpty())
        return part;
      text += (first ? "" : ", ") + field.name + "=" + part.getStr().str();
      first = false;
    }
    return Value::str(text + ")");
  }
  default:
    return Value::str(repr(value));
  }
}

Value Interpreter::toStr(const Value &value, SourceRange range) {
  if (value.isStr())
    return value;
  if (const auto *instance = value.as<InstanceObject>()) {
    if (instance->cls->lookup("__str__")) {
      Value method = findAttr(value, "__str__", range);
      Value text = method.isEmpty() ? method : call(method, {}, {}, range);
      if (text.isEmpty() || text.isStr())
        return text;
      return fail("TypeError", "__str__ must return a string", range);
    }
    if (instance->cls->isException)
      return Value::str(str(value));
    if (instance->cls->isEnum)
      if (const Value *name = instance->attributes.find("name"))
        return Value::str(instance->cls->name + "." + name->getStr().str());
  }
  Value text = toRepr(value, range);
  if (!text.isEmpty() && !text.isStr())
    return fail("TypeError", "__repr__ must return a string", range);
  return text;
}

std::string Interpreter::shortRepr(const Value &value) {
  std::string text =
      value.isArray() && arrays ? std::string("a tensor") : repr(value);
  constexpr size_t kLongest = 80;
  if (text.size() <= kLongest)
    return text;
  size_t cut = kLongest;
  while (cut && isContinuation(text[cut]))
    --cut;
  return text.substr(0, cut) + "...";
}

//===----------------------------------------------------------------------===//
// Format specifications
//===----------------------------------------------------------------------===//

namespace {

struct Spec {
  std::string fill = " ";
  char align = 0; // < > ^ =
  char sign = '-';
  bool alternate = false;
  int64_t width = 0;
  char grouping = 0; // , or _
  int64_t precision = -1;
  char type = 0;
};

bool parseSpec(StringRef text, Spec &spec) {
  auto isAlign = [](char c) {
    return c == '<' || c == '>' || c == '^' || c == '=';
  };
  size_t first = characterEnd(text, 0);
  if (first < text.size() && isAlign(text[first])) {
    spec.fill = text.take_front(first).str();
    spec.align = text[first];
    text = text.drop_front(first + 1);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = "0";
    spec.align = '=';
  }
  if (!text.empty() && isDigit(text[0]) && text.consumeInteger(10, spec.width))
    return false;
  if (!text.empty() && (text[0] == ',' || text[0] == '_')) {
    spec.grouping = text[0];
    text = text.drop_front();
  }
  if (text.consume_front(".") && (text.empty() || !isDigit(text[0]) ||
                                  text.consumeInteger(10, spec.precision)))
    return false;
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  return text.empty() && spec.width <= 10000 && spec.precision <= 1000;
}

std::string group(StringRef digits, char separator, unsigned size) {
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % size == 0)
      result += separator;
    result += digits[i];
  }
  return result;
}

std::string pad(const Spec &spec, StringRef sign, StringRef body,
                char defaultAlign) {
  char align = spec.align ? spec.align : defaultAlign;
  int64_t missing =
      spec.width - static_cast<int64_t>(sign.size() + countCharacters(body));
  std::string fill;
  auto filled = [&](int64_t n) {
    std::string text;
    for (int64_t i = 0; i < n; ++i)
      text += spec.fill;
    return text;
  };
  if (missing <= 0)
    return (sign + body).str();
  switch (align) {
  case '<':
    return (sign + body + filled(missing)).str();
  case '^':
    return (filled(missing / 2) + sign + body + filled(missing - missing / 2))
        .str();
  case '=':
    return (sign + filled(missing) + body).str();
  default:
    return (filled(missing) + sign + body).str();
  }
}

std::string formatFloat(const Spec &spec, double value, StringRef suffix) {
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::fabs(value);
  char type = spec.type ? spec.type : 'g';
  int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  std::string body;
  if (std::isinf(value) || std::isnan(value)) {
    body = std::isnan(value) ? "nan" : "inf";
    if (isUpper(type))
      body = StringRef(body).upper();
  } else if (!spec.type && spec.precision < 0) {
    body = formatDouble(magnitude);
  } else {
    // Without a type, a precision means significant digits, but there is always
    // one digit after the point.
    char pattern[16];
    snprintf(pattern, sizeof(pattern), "%%%s.*%c", spec.alternate ? "#" : "",
             type);
    char buffer[1500];
    snprintf(buffer, sizeof(buffer), pattern,
             (type == 'g' || type == 'G') && precision == 0 ? 1 : precision,
             magnitude);
    body = buffer;
    if (!spec.type && body.find_first_of(".e") == std::string::npos)
      body += ".0";
  }
  if (spec.grouping && std::isfinite(value)) {
    size_t end = body.find_first_of(".eE");
    std::string whole = body.substr(0, end);
    body = group(whole, spec.grouping, 3) +
           (end == std::string::npos ? "" : body.substr(end));
  }
  StringRef sign = negative           ? "-"
                   : spec.sign == '+' ? "+"
                   : spec.sign == ' ' ? " "
                                      : "";
  return pad(spec, sign, body + suffix.str(), '>');
}

std::string formatInteger(const Spec &spec, int64_t value) {
  uint64_t magnitude = value < 0 ? ~uint64_t(value) + 1 : uint64_t(value);
  std::string digits, prefix;
  unsigned groupSize = 3;
  switch (spec.type) {
  case 'x':
  case 'X':
    digits = utohexstr(magnitude, spec.type == 'x');
    prefix = spec.type == 'x' ? "0x" : "0X";
    groupSize = 4;
    break;
  case 'o':
  case 'b':
    for (uint64_t rest = magnitude, base = spec.type == 'o' ? 8 : 2;
         rest || digits.empty(); rest /= base)
      digits.insert(digits.begin(), '0' + rest % base);
    prefix = spec.type == 'o' ? "0o" : "0b";
    groupSize = 4;
    break;
  default:
    digits = utostr(magnitude);
    break;
  }
  if (spec.grouping)
    digits = group(digits, spec.grouping, groupSize);
  std::string sign = value < 0          ? "-"
                     : spec.sign == '+' ? "+"
                     : spec.sign == ' ' ? " "
                                        : "";
  if (spec.alternate)
    sign += prefix;
  return pad(spec, sign, digits, '>');
}

} // namespace

Value Interpreter::format(const Value &value, StringRef text,
                          SourceRange range) {
  if (value.getKind() == ValueKind::Lazy) {
    Value made = force(value, range);
    return made.isEmpty() ? made : format(made, text, range);
  }
  if (value.as<OpaqueObject>()) {
    (void)raiseOpaque(value, range);
    return Value();
  }
  if (text.empty())
    return toStr(value, range);
  Value number = value;
  if (value.isArray() && arrays) {
    CallContext context(*this, range, "format");
    FailureOr<Value> item = arrays->item(context, value);
    if (failed(item))
      return Value();
    number = *item;
  }
  if (value.as<InstanceObject>()) {
    Value method = findAttr(value, "__format__", range);
    if (pending)
      return Value();
    if (!method.isEmpty())
      return call(method, Value::str(text), {}, range);
  }
  Spec spec;
  auto unknown = [&] {
    return fail("ValueError",
                "format specification '" + text + "' is not valid for '" +
                    getTypeName(value) + "'",
                range);
  };
  if (!parseSpec(text, spec))
    return unknown();
  if (number.isIntOrBool()) {
    switch (spec.type) {
    case 0:
      if (number.isBool() && spec.precision < 0)
        return Value::str(
            pad(spec, "", number.getBool() ? "True" : "False", '<'));
      LLVM_FALLTHROUGH;
    case 'd':
    case 'n':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
      if (spec.precision >= 0)
        return unknown();
      return Value::str(formatInteger(spec, number.getInt()));
    case 'c':
      if (number.getInt() < 32 || number.getInt() > 126)
        return unknown();
      return Value::str(pad(
          spec, "", std::string(1, static_cast<char>(number.getInt())), '<'));
    default:
      number = Value::real(number.getNumber());
      break;
    }
  }
  if (number.isFloat()) {
    double magnitude = number.getFloat();
    switch (spec.type) {
    case '%':
      spec.type = 'f';
      return Value::str(formatFloat(spec, magnitude * 100, "%"));
    case 'n':
      spec.type = 'g';
      LLVM_FALLTHROUGH;
    case 0:
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return Value::str(formatFloat(spec, magnitude, ""));
    default:
      return unknown();
    }
  }
  Value plain = toStr(value, range);
  if (plain.isEmpty())
    return plain;
  if ((spec.type && spec.type != 's') || spec.align == '=' || spec.grouping ||
      (!value.isStr() && !value.as<InstanceObject>()))
    return unknown();
  StringRef body = plain.getStr();
  if (spec.precision >= 0)
    body = body.take_front(byteOffset(body, spec.precision));
  return Value::str(pad(spec, "", body, '<'));
}

} // namespace pl::frontend

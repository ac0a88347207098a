//===- FormatStrings.cpp - text % args and text.format(...) ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

Value Interpreter::formatPercent(StringRef text, const Value &args,
                                 SourceRange range) {
  std::vector<Value> values{args};
  const auto *tuple = args.as<TupleObject>();
  const auto *dict = args.as<DictObject>();
  if (tuple)
    values = tuple->elements;
  size_t next = 0;
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (++i == text.size())
      return fail("ValueError", "incomplete '%' in a format string", range);
    if (text[i] == '%') {
      result += '%';
      continue;
    }
    Value value;
    if (text[i] == '(') {
      size_t close = text.find(')', i);
      if (close == StringRef::npos || !dict)
        return fail("TypeError", "'%(name)' needs a dict", range);
      value = getItem(args, Value::str(text.slice(i + 1, close)), range);
      if (value.isEmpty())
        return value;
      i = close + 1;
    }
    std::string spec, align;
    while (i < text.size() && StringRef("-+ #0").contains(text[i])) {
      if (text[i] == '-')
        align = "<";
      else
        spec += text[i];
      ++i;
    }
    auto number = [&] {
      if (i < text.size() && text[i] == '*' && next < values.size()) {
        std::optional<int64_t> width =
            toIndex(values[next++], range, "a '*' width");
        ++i;
        if (!width)
          return false;
        spec += std::to_string(*width);
        return true;
      }
      while (i < text.size() && isDigit(text[i]))
        spec += text[i++];
      return true;
    };
    if (!number())
      return Value();
    if (i < text.size() && text[i] == '.') {
      spec += text[i++];
      if (!number())
        return Value();
    }
    if (i == text.size())
      return fail("ValueError", "incomplete '%' in a format string", range);
    char type = text[i];
    if (value.isEmpty()) {
      if (next >= values.size())
        return fail("TypeError", "not enough arguments for the format string",
                    range);
      value = values[next++];
    }
    Value part;
    switch (type) {
    case 's':
    case 'r':
      value = type == 's' ? toStr(value, range) : toRepr(value, range);
      if (value.isEmpty())
        return value;
      part = format(
          value, (align.empty() && !spec.empty() ? ">" : align) + spec, range);
      break;
    case 'd':
    case 'i':
    case 'u':
      if (value.isFloat()) {
        if (!std::isfinite(value.getFloat()) ||
            std::fabs(value.getFloat()) > 9e18)
          return fail("OverflowError", "'%d' of " + repr(value), range);
        value = Value::integer(static_cast<int64_t>(value.getFloat()));
      }
      if (!value.isIntOrBool())
        return fail("TypeError",
                    "'%d' needs a number, not '" + getTypeName(value) + "'",
                    range);
      part = format(value, align + spec + "d", range);
      break;
    default:
      if (!value.isNumber() && !value.isArray())
        return fail("TypeError",
                    "'%" + Twine(type) + "' needs a number, not '" +
                        getTypeName(value) + "'",
                    range);
      part = format(value, align + spec + type, range);
      break;
    }
    if (part.isEmpty())
      return part;
    result += part.getStr();
  }
  if (tuple && next < values.size())
    return fail("TypeError", "not all arguments are used by the format string",
                range);
  return Value::str(result);
}

Value Interpreter::formatFields(StringRef text, ArrayRef<Value> args,
                                ArrayRef<NamedValue> keywords,
                                SourceRange range) {
  std::string result;
  size_t automatic = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    char following = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '}' && following != '}')
      return fail("ValueError", "single '}' in a format string", range);
    if (c != '{' || following == '{') {
      result += c;
      i += c == '{' || c == '}';
      continue;
    }
    size_t close = i + 1;
    unsigned nested = 0;
    for (; close < text.size(); ++close) {
      if (text[close] == '{')
        ++nested;
      else if (text[close] == '}' && nested-- == 0)
        break;
    }
    if (close >= text.size())
      return fail("ValueError", "'{' without '}' in a format string", range);
    StringRef field = text.slice(i + 1, close);
    i = close;
    auto [target, spec] = field.split(':');
    char conversion = 0;
    size_t bang = target.find('!');
    if (bang != StringRef::npos) {
      if (bang + 2 == target.size())
        conversion = target[bang + 1];
      target = target.take_front(bang);
    }
    size_t nameEnd = std::min(target.find_first_of(".["), target.size());
    StringRef name = target.take_front(nameEnd);
    StringRef path = target.drop_front(nameEnd);
    Value value;
    size_t index;
    if (name.empty())
      index = automatic++;
    if (name.empty() || !name.getAsInteger(10, index)) {
      if (index >= args.size())
        return fail("IndexError", "format() has no argument " + Twine(index),
                    range);
      value = args[index];
    } else {
      for (const NamedValue &keyword : keywords)
        if (keyword.name == name)
          value = keyword.value;
      if (value.isEmpty())
        return fail("KeyError", "format() has no argument '" + name + "'",
                    range);
    }
    while (!path.empty()) {
      if (path.consume_front(".")) {
        size_t end = std::min(path.find_first_of(".["), path.size());
        value = getAttr(value, path.take_front(end), range);
        path = path.drop_front(end);
      } else {
        size_t end = path.find(']');
        if (end == StringRef::npos)
          return fail("ValueError", "'[' without ']' in a format string",
                      range);
        StringRef key = path.slice(1, end);
        int64_t number;
        value = getItem(value,
                        key.getAsInteger(10, number) ? Value::str(key)
                                                     : Value::integer(number),
                        range);
        path = path.drop_front(end + 1);
      }
      if (value.isEmpty())
        return value;
    }
    if (conversion) {
      value = conversion == 's' ? toStr(value, range) : toRepr(value, range);
      if (value.isEmpty())
        return value;
    }
    std::string expanded = spec.str();
    if (spec.contains('{')) {
      if (nested || !checkStack(range))
        return fail("ValueError", "format fields are nested too deeply", range);
      // `{:{width}}`: the inner field takes the next argument.
      Value inner =
          formatFields(spec, args.drop_front(std::min(automatic, args.size())),
                       keywords, range);
      if (inner.isEmpty())
        return inner;
      expanded = inner.getStr().str();
      automatic += spec.count("{}");
    }
    Value part = format(value, expanded, range);
    if (part.isEmpty())
      return part;
    result += part.getStr();
    if (!checkSize(result.size(), range))
      return Value();
  }
  return Value::str(result);
}

} // namespace pl::frontend

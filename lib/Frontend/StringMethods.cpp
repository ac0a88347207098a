//===- StringMethods.cpp - methods of strings -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodTables.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pl::frontend {

using Result = FailureOr<Value>;

static Result needStr(CallContext &call, size_t index, StringRef &text) {
  if (index >= call.args.size())
    return call.raise("TypeError", call.callee + "() needs a string");
  FailureOr<StringRef> given = call.asStr(call.args[index], "the argument");
  if (failed(given))
    return failure();
  text = *given;
  return Value::none();
}

static Result strip(CallContext &call, StringRef text, bool left, bool right) {
  StringRef set = " \t\n\v\f\r";
  if (!call.args.empty() && !call.args[0].isNone()) {
    if (failed(needStr(call, 0, set)))
      return failure();
  }
  if (left)
    text = text.ltrim(set);
  if (right)
    text = text.rtrim(set);
  return Value::str(text);
}

static Result split(CallContext &call, StringRef text, bool fromRight) {
  SmallVector<Value> bound;
  if (failed(call.bind({"sep", "maxsplit"}, 0, bound)))
    return failure();
  int64_t most = -1;
  if (!bound[1].isEmpty()) {
    FailureOr<int64_t> given = call.asInt(bound[1], "maxsplit");
    if (failed(given))
      return failure();
    most = *given;
  }
  std::vector<Value> parts;
  StringRef whitespace = " \t\n\v\f\r";
  if (bound[0].isEmpty() || bound[0].isNone()) {
    std::vector<StringRef> pieces;
    StringRef rest = text.trim(whitespace);
    while (!rest.empty()) {
      if (most >= 0 && static_cast<int64_t>(pieces.size()) == most) {
        pieces.push_back(rest);
        break;
      }
      size_t at = fromRight ? rest.find_last_of(whitespace)
                            : rest.find_first_of(whitespace);
      if (at == StringRef::npos) {
        pieces.push_back(rest);
        break;
      }
      pieces.push_back(fromRight ? rest.drop_front(at + 1)
                                 : rest.take_front(at));
      rest = fromRight ? rest.take_front(at).rtrim(whitespace)
                       : rest.drop_front(at).ltrim(whitespace);
    }
    if (fromRight)
      std::reverse(pieces.begin(), pieces.end());
    for (StringRef piece : pieces)
      parts.push_back(Value::str(piece));
    return Value::list(std::move(parts));
  }
  FailureOr<StringRef> separator = call.asStr(bound[0], "the separator");
  if (failed(separator))
    return failure();
  if (separator->empty())
    return call.raise("ValueError", "the separator is empty");
  StringRef rest = text;
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    size_t at = fromRight ? rest.rfind(*separator) : rest.find(*separator);
    if (at == StringRef::npos)
      break;
    parts.push_back(Value::str(fromRight
                                   ? rest.drop_front(at + separator->size())
                                   : rest.take_front(at)));
    rest = fromRight ? rest.take_front(at)
                     : rest.drop_front(at + separator->size());
  }
  parts.push_back(Value::str(rest));
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  return Value::list(std::move(parts));
}

static Result join(CallContext &call, StringRef text) {
  if (call.args.size() != 1)
    return call.raise("TypeError", "join() takes one iterable");
  std::vector<Value> parts;
  if (!call.interpreter.toVector(call.args[0], call.range, parts))
    return failure();
  std::string result;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].isStr())
      return call.raise("TypeError", "join() needs strings, but element " +
                                         Twine(i) + " is a '" +
                                         getTypeName(parts[i]) + "'");
    if (i)
      result += text;
    result += parts[i].getStr();
    if (!call.interpreter.checkSize(result.size(), call.range))
      return failure();
  }
  return Value::str(result);
}

static Result replace(CallContext &call, StringRef text) {
  StringRef from, to;
  if (failed(needStr(call, 0, from)) || failed(needStr(call, 1, to)))
    return failure();
  int64_t most = -1;
  if (call.args.size() > 2) {
    FailureOr<int64_t> given = call.asInt(call.args[2], "the count");
    if (failed(given))
      return failure();
    most = *given;
  }
  if (from.empty())
    return call.raise("ValueError", "replace() of an empty string");
  std::string result;
  while (most != 0) {
    size_t at = text.find(from);
    if (at == StringRef::npos)
      break;
    result += text.take_front(at);
    result += to;
    text = text.drop_front(at + from.size());
    if (!call.interpreter.checkSize(result.size(), call.range))
      return failure();
    --most;
  }
  result += text;
  return Value::str(result);
}

/// A prefix or suffix test with one string or a tuple of them.
static Result affix(CallContext &call, StringRef text, bool front) {
  if (call.args.size() != 1)
    return call.raise("TypeError", call.callee + "() takes one argument");
  std::vector<Value> candidates{call.args[0]};
  if (const auto *tuple = call.args[0].as<TupleObject>())
    candidates = tuple->elements;
  for (const Value &candidate : candidates) {
    FailureOr<StringRef> part = call.asStr(candidate, "the argument");
    if (failed(part))
      return failure();
    if (front ? text.starts_with(*part) : text.ends_with(*part))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

static Result find(CallContext &call, StringRef text, bool fromRight,
                   bool mustExist) {
  StringRef part;
  if (failed(needStr(call, 0, part)))
    return failure();
  size_t at = fromRight ? text.rfind(part) : text.find(part);
  if (at != StringRef::npos)
    return Value::integer(countCharacters(text.take_front(at)));
  if (mustExist)
    return call.raise("ValueError", "substring not found");
  return Value::integer(-1);
}

static Result justify(CallContext &call, StringRef text, char align) {
  if (call.args.empty() || call.args.size() > 2)
    return call.raise("TypeError", call.callee + "() takes a width");
  FailureOr<int64_t> width = call.asInt(call.args[0], "the width");
  if (failed(width))
    return failure();
  StringRef fill = align == '0' ? "0" : " ";
  if (call.args.size() == 2 && failed(needStr(call, 1, fill)))
    return failure();
  int64_t missing = *width - static_cast<int64_t>(countCharacters(text));
  if (missing <= 0)
    return Value::str(text);
  if (!call.interpreter.checkSize(*width, call.range))
    return failure();
  auto filled = [&](int64_t n) {
    std::string result;
    for (int64_t i = 0; i < n; ++i)
      result += fill;
    return result;
  };
  switch (align) {
  case '<':
    return Value::str(text.str() + filled(missing));
  case '>':
    return Value::str(filled(missing) + text.str());
  case '0': {
    bool sign = text.starts_with("-") || text.starts_with("+");
    return Value::str(text.take_front(sign).str() + filled(missing) +
                      text.drop_front(sign).str());
  }
  default:
    return Value::str(filled(missing / 2) + text.str() +
                      filled(missing - missing / 2));
  }
}

static std::string mapCase(StringRef text, StringRef how) {
  if (how == "upper")
    return text.upper();
  if (how == "lower" || how == "casefold")
    return text.lower();
  std::string result = text.lower();
  bool start = true;
  for (char &c : result) {
    bool letter = isAlpha(c);
    if (letter && start)
      c = toUpper(c);
    start = how == "title" ? !letter : start && false;
  }
  if (how == "swapcase")
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = isUpper(text[i]) ? toLower(text[i]) : toUpper(text[i]);
  return result;
}

static bool allOf(StringRef text, function_ref<bool(char)> test) {
  return !text.empty() && llvm::all_of(text, test);
}

static Result partition(CallContext &call, StringRef text, bool fromRight) {
  StringRef separator;
  if (failed(needStr(call, 0, separator)))
    return failure();
  if (separator.empty())
    return call.raise("ValueError", "the separator is empty");
  size_t at = fromRight ? text.rfind(separator) : text.find(separator);
  if (at == StringRef::npos)
    return fromRight ? Value::tuple(
                           {Value::str(""), Value::str(""), Value::str(text)})
                     : Value::tuple(
                           {Value::str(text), Value::str(""), Value::str("")});
  return Value::tuple({Value::str(text.take_front(at)), Value::str(separator),
                       Value::str(text.drop_front(at + separator.size()))});
}

static Result splitLines(StringRef text) {
  std::vector<Value> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(Value::str(text.take_front(end)));
    text = text.drop_front(end);
    if (!text.consume_front("\r\n") && !text.empty())
      text = text.drop_front();
  }
  return Value::list(std::move(lines));
}

const MethodTable &getStringMethods(MethodTable &table) {
  auto add = [&](StringRef name,
                 std::function<Result(CallContext &, StringRef)> fn) {
    table[name] = [fn](CallContext &call, const Value &self) {
      return fn(call, self.getStr());
    };
  };
  using Ctx = CallContext;
  add("strip", [](Ctx &c, StringRef s) { return strip(c, s, true, true); });
  add("lstrip", [](Ctx &c, StringRef s) { return strip(c, s, true, false); });
  add("rstrip", [](Ctx &c, StringRef s) { return strip(c, s, false, true); });
  // Each part of a few bytes is a string of its own.
  auto fits = [](Ctx &c, StringRef s) {
    return c.interpreter.checkSize(s.size(), c.range);
  };
  add("split", [fits](Ctx &c, StringRef s) -> Result {
    return fits(c, s) ? split(c, s, false) : Result(failure());
  });
  add("rsplit", [fits](Ctx &c, StringRef s) -> Result {
    return fits(c, s) ? split(c, s, true) : Result(failure());
  });
  add("splitlines", [fits](Ctx &c, StringRef s) -> Result {
    return fits(c, s) ? splitLines(s) : Result(failure());
  });
  add("partition", [](Ctx &c, StringRef s) { return partition(c, s, false); });
  add("rpartition", [](Ctx &c, StringRef s) { return partition(c, s, true); });
  add("join", join);
  add("replace", replace);
  add("startswith", [](Ctx &c, StringRef s) { return affix(c, s, true); });
  add("endswith", [](Ctx &c, StringRef s) { return affix(c, s, false); });
  add("find", [](Ctx &c, StringRef s) { return find(c, s, false, false); });
  add("rfind", [](Ctx &c, StringRef s) { return find(c, s, true, false); });
  add("index", [](Ctx &c, StringRef s) { return find(c, s, false, true); });
  add("rindex", [](Ctx &c, StringRef s) { return find(c, s, true, true); });
  add("count", [](Ctx &c, StringRef s) -> Result {
    StringRef part;
    if (failed(needStr(c, 0, part)))
      return failure();
    return Value::integer(part.empty() ? countCharacters(s) + 1
                                       : s.count(part));
  });
  add("ljust", [](Ctx &c, StringRef s) { return justify(c, s, '<'); });
  add("rjust", [](Ctx &c, StringRef s) { return justify(c, s, '>'); });
  add("center", [](Ctx &c, StringRef s) { return justify(c, s, '^'); });
  add("zfill", [](Ctx &c, StringRef s) { return justify(c, s, '0'); });
  for (StringRef how :
       {"upper", "lower", "casefold", "title", "capitalize", "swapcase"})
    add(how, [how](Ctx &, StringRef s) -> Result {
      return Value::str(mapCase(s, how));
    });
  add("format", [](Ctx &c, StringRef s) -> Result {
    Value text = c.interpreter.formatFields(s, c.args, c.keywords, c.range);
    return text.isEmpty() ? Result(failure()) : text;
  });
  add("removeprefix", [](Ctx &c, StringRef s) -> Result {
    StringRef part;
    if (failed(needStr(c, 0, part)))
      return failure();
    s.consume_front(part);
    return Value::str(s);
  });
  add("removesuffix", [](Ctx &c, StringRef s) -> Result {
    StringRef part;
    if (failed(needStr(c, 0, part)))
      return failure();
    s.consume_back(part);
    return Value::str(s);
  });
  add("isdigit", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(allOf(s, [](char c) { return isDigit(c); }));
  });
  table["isdecimal"] = table["isnumeric"] = table["isdigit"];
  add("isalpha", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(allOf(s, [](char c) { return isAlpha(c); }));
  });
  add("isalnum", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(allOf(s, [](char c) { return isAlnum(c); }));
  });
  add("isspace", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(allOf(s, [](char c) { return isSpace(c); }));
  });
  add("isupper", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(s.upper() == s && s.lower() != s);
  });
  add("islower", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(s.lower() == s && s.upper() != s);
  });
  add("isidentifier", [](Ctx &, StringRef s) -> Result {
    return Value::boolean(
        allOf(s, [](char c) { return isAlnum(c) || c == '_'; }) &&
        !isDigit(s.front()));
  });
  add("encode", [](Ctx &, StringRef s) -> Result { return Value::bytes(s); });
  return table;
}

} // namespace pl::frontend

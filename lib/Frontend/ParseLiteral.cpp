//===- ParseLiteral.cpp - numbers, strings and f-strings ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "Unicode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Expr *Parser::parseNumber() {
  auto *node = context.create<ConstantExpr>(here());
  std::string digits = spelling(token()).lower();
  erase(digits, '_');
  advance();
  StringRef literal = digits;
  bool prefixed =
      literal.size() > 1 && literal[0] == '0' && isAlpha(literal[1]);
  bool isImaginary = !prefixed && literal.consume_back("j");
  if (isImaginary ||
      (!prefixed && literal.find_first_of(".e") != StringRef::npos)) {
    node->constant =
        isImaginary ? ConstantKind::Imaginary : ConstantKind::Float;
    if (literal.getAsDouble(node->floatValue))
      return fail(node->range, "invalid decimal literal");
    return node;
  }
  unsigned radix = 10;
  if (prefixed) {
    radix = literal[1] == 'x' ? 16 : literal[1] == 'o' ? 8 : 2;
    literal = literal.drop_front(2);
  }
  uint64_t value;
  if (literal.getAsInteger(radix, value) || value > uint64_t(INT64_MAX)) {
    node->constant = ConstantKind::BigInt;
    node->text = context.copy(StringRef(digits));
    return node;
  }
  node->constant = ConstantKind::Int;
  node->intValue = value;
  return node;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

bool Parser::decodeEscape(uint32_t &pos, uint32_t end, bool isBytes,
                          std::string &result) {
  uint32_t start = pos++;
  auto append = [&](uint32_t point) {
    if (isBytes)
      result += static_cast<char>(point);
    else
      appendUtf8(point, result);
    return true;
  };
  if (pos >= end) {
    result += '\\';
    return true;
  }
  char c = text[pos++];
  switch (c) {
  case '\n':
    return true;
  case '\r':
    if (pos < end && text[pos] == '\n')
      ++pos;
    return true;
  case '\\':
  case '\'':
  case '"':
    result += c;
    return true;
  case 'a':
    return append('\a');
  case 'b':
    return append('\b');
  case 'f':
    return append('\f');
  case 'n':
    return append('\n');
  case 'r':
    return append('\r');
  case 't':
    return append('\t');
  case 'v':
    return append('\v');
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7': {
    uint32_t point = c - '0';
    for (int i = 0; i < 2 && pos < end && text[pos] >= '0' && text[pos] <= '7';
         ++i)
      point = point * 8 + (text[pos++] - '0');
    return append(isBytes ? point & 0xFF : point);
  }
  case 'x':
  case 'u':
  case 'U': {
    if (c != 'x' && isBytes)
      break;
    unsigned count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    uint32_t point = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (pos >= end || !isHexDigit(text[pos])) {
        fail({buffer, start, pos}, Twine("truncated \\") + Twine(c) +
                                       " escape: it takes " + Twine(count) +
                                       " hexadecimal digits");
        return false;
      }
      point = point * 16 + hexDigitValue(text[pos++]);
    }
    if (point > 0x10FFFF) {
      fail({buffer, start, pos}, "this escape is beyond U+10FFFF");
      return false;
    }
    return append(point);
  }
  case 'N': {
    if (isBytes)
      break;
    size_t close = text.find('}', pos);
    if (pos >= end || text[pos] != '{' || close >= end) {
      fail({buffer, start, pos}, "expected '{name}' after '\\N'");
      return false;
    }
    StringRef name = text.slice(pos + 1, close);
    // Names are compared without regard to case.
    std::optional<char32_t> point =
        sys::unicode::nameToCodepointStrict(name.upper());
    if (!point) {
      fail({buffer, start, static_cast<uint32_t>(close + 1)},
           "unknown Unicode character name '" + name + "'");
      return false;
    }
    pos = close + 1;
    return append(*point);
  }
  default:
    break;
  }
  // Python keeps an unknown escape as it is written.
  result += '\\';
  --pos;
  return true;
}

bool Parser::decodeString(uint32_t begin, uint32_t end, bool raw, bool isBytes,
                          std::string &result) {
  uint32_t pos = begin;
  while (pos < end) {
    char c = text[pos];
    if (c == '\\' && !raw) {
      if (!decodeEscape(pos, end, isBytes, result))
        return false;
      continue;
    }
    if (isBytes && static_cast<unsigned char>(c) >= 0x80) {
      fail({buffer, pos, pos + 1},
           "bytes can only contain ASCII characters; use an escape");
      return false;
    }
    ++pos;
    // Lines end in '\n' whatever the file uses.
    if (c == '\r') {
      if (pos < end && text[pos] == '\n')
        ++pos;
      c = '\n';
    }
    result += c;
  }
  return true;
}

void Parser::flushLiteral(std::string &pending, SourceRange range,
                          SmallVectorImpl<Expr *> &values) {
  if (pending.empty())
    return;
  auto *constant = context.create<ConstantExpr>(range);
  constant->constant = ConstantKind::Str;
  constant->text = context.copy(StringRef(pending));
  values.push_back(constant);
  pending.clear();
}

/// One or more adjacent literals.
Expr *Parser::parseStrings() {
  SourceRange start = here();
  SmallVector<Expr *> values;
  std::string pending;
  bool anyFormatted = false, first = true, isBytes = false;
  while (is(TokenKind::String)) {
    SourceRange range = here();
    StringRef literal = spelling(token());
    size_t prefixLength = literal.find_first_of("'\"");
    std::string prefix = literal.take_front(prefixLength).lower();
    bool raw = StringRef(prefix).contains('r');
    bool formatted = StringRef(prefix).contains('f');
    bool bytes = StringRef(prefix).contains('b');
    if (!first && bytes != isBytes)
      return fail(range, "cannot join bytes and text literals",
                  Diagnostic(Severity::Note, start, "joined with this"));
    isBytes = bytes;
    first = false;
    char quote = literal[prefixLength];
    size_t quotes = literal.substr(prefixLength).size() >= 6 &&
                            literal[prefixLength + 1] == quote &&
                            literal[prefixLength + 2] == quote
                        ? 3
                        : 1;
    uint32_t begin = range.begin + prefixLength + quotes;
    uint32_t end = range.end - quotes;
    advance();
    if (formatted) {
      anyFormatted = true;
      if (!parseFString(begin, end, raw, 0, values, pending, range))
        return nullptr;
    } else if (!decodeString(begin, end, raw, bytes, pending)) {
      return nullptr;
    }
  }
  SourceRange range = since(start);
  if (!anyFormatted) {
    auto *constant = context.create<ConstantExpr>(range);
    constant->constant = isBytes ? ConstantKind::Bytes : ConstantKind::Str;
    constant->text = context.copy(StringRef(pending));
    return constant;
  }
  flushLiteral(pending, range, values);
  auto *node = context.create<JoinedStrExpr>(range);
  node->values = context.copy(values);
  return growList(node, node->values);
}

//===----------------------------------------------------------------------===//
// f-strings
//===----------------------------------------------------------------------===//

/// Text with replacement fields, from `begin` to `end`. At nesting 0 the whole
/// literal; deeper, a format specification.
bool Parser::parseFString(uint32_t begin, uint32_t end, bool raw,
                          unsigned nesting, SmallVectorImpl<Expr *> &values,
                          std::string &pending, SourceRange literal) {
  uint32_t pos = begin;
  while (pos < end) {
    char c = text[pos];
    char next = pos + 1 < end ? text[pos + 1] : '\0';
    if (c == '{') {
      if (next == '{' && nesting == 0) {
        pending += '{';
        pos += 2;
        continue;
      }
      if (!parseReplacement(pos, end, raw, nesting, values, pending, literal))
        return false;
      continue;
    }
    if (c == '}') {
      if (next != '}' || nesting != 0) {
        fail({buffer, pos, pos + 1},
             "a single '}' is not allowed in an f-string; write '}}'");
        return false;
      }
      pending += '}';
      pos += 2;
      continue;
    }
    if (c == '\\' && !raw) {
      // A brace after an unknown escape still opens a field, except in \N{…}.
      if (next == '{' || next == '}') {
        pending += '\\';
        ++pos;
        continue;
      }
      if (!decodeEscape(pos, end, false, pending))
        return false;
      continue;
    }
    ++pos;
    if (c == '\r') {
      if (pos < end && text[pos] == '\n')
        ++pos;
      c = '\n';
    }
    pending += c;
  }
  return true;
}

bool Parser::parseReplacement(uint32_t &pos, uint32_t end, bool raw,
                              unsigned nesting, SmallVectorImpl<Expr *> &values,
                              std::string &pending, SourceRange literal) {
  uint32_t open = pos;
  SourceRange openRange(buffer, open, open + 1);
  if (nesting >= 2) {
    fail(openRange, "replacement fields of an f-string are nested too deeply");
    return false;
  }
  ++pos;
  // Find the end of the expression: the first of ! : = } outside brackets and
  // strings.
  uint32_t begin = pos;
  unsigned brackets = 0;
  bool debug = false;
  for (; pos < end; ++pos) {
    char c = text[pos];
    char next = pos + 1 < end ? text[pos + 1] : '\0';
    if (c == '\\') {
      fail({buffer, pos, pos + 1},
           "the expression part of an f-string cannot hold a backslash");
      return false;
    }
    if (c == '#') {
      fail({buffer, pos, pos + 1},
           "the expression part of an f-string cannot hold a comment");
      return false;
    }
    if (c == '\'' || c == '"') {
      bool triple = text.substr(pos, 3) == std::string(3, c);
      StringRef closing = triple ? text.substr(pos, 3) : text.substr(pos, 1);
      size_t close = text.find(closing, pos + closing.size());
      if (close == StringRef::npos || close + closing.size() > end) {
        fail({buffer, pos, pos + 1},
             "this string inside an f-string is never closed");
        return false;
      }
      pos = close + closing.size() - 1;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      ++brackets;
      continue;
    }
    if (brackets && (c == ')' || c == ']' || c == '}')) {
      --brackets;
      continue;
    }
    if (brackets)
      continue;
    if (c == '=' || c == '!' || c == '<' || c == '>') {
      if (next == '=') {
        ++pos; // == != <= >=
        continue;
      }
      if (c == '=') {
        debug = true;
        break;
      }
      if (c == '!')
        break;
      continue;
    }
    if (c == ':' || c == '}')
      break;
  }
  auto unclosed = [&] {
    fail(openRange, "expected '}' before the end of the f-string");
    return false;
  };
  if (pos >= end)
    return unclosed();

  SourceRange exprRange(buffer, begin, pos);
  if (text.slice(begin, pos).trim().empty()) {
    fail(openRange, "expected an expression between '{' and '}'");
    return false;
  }
  if (debug) {
    ++pos;
    while (pos < end && isSpace(text[pos]))
      ++pos;
    pending += text.slice(begin, pos);
  }
  flushLiteral(pending, literal, values);

  Parser inner(*this, lexRange(sources, exprRange));
  Expr *value = inner.parseFStringExpression();
  if (!value) {
    panic = true;
    return false;
  }
  auto *node = context.create<FormattedValueExpr>(openRange);
  node->value = value;
  if (pos < end && text[pos] == '!') {
    char conversion = pos + 1 < end ? text[pos + 1] : '\0';
    if (conversion != 's' && conversion != 'r' && conversion != 'a') {
      fail({buffer, pos, pos + 2},
           "expected 's', 'r' or 'a' after '!' in an f-string");
      return false;
    }
    node->conversion = conversion;
    pos += 2;
  }
  if (pos < end && text[pos] == ':') {
    // The specification may hold fields of its own.
    uint32_t specBegin = ++pos;
    unsigned nested = 0;
    for (; pos < end; ++pos) {
      if (text[pos] == '{')
        ++nested;
      else if (text[pos] == '}' && nested-- == 0)
        break;
    }
    if (pos >= end)
      return unclosed();
    SmallVector<Expr *> parts;
    std::string specText;
    SourceRange specRange(buffer, specBegin, pos);
    if (!parseFString(specBegin, pos, raw, nesting + 1, parts, specText,
                      specRange))
      return false;
    flushLiteral(specText, specRange, parts);
    auto *spec = context.create<JoinedStrExpr>(specRange);
    spec->values = context.copy(parts);
    node->formatSpec = growList(spec, spec->values);
    if (!node->formatSpec)
      return false;
  } else if (debug && !node->conversion) {
    node->conversion = 'r';
  }
  if (pos >= end)
    return unclosed();
  if (text[pos] != '}') {
    fail({buffer, pos, pos + 1}, "expected '}' in an f-string");
    return false;
  }
  ++pos;
  node->range = SourceRange(buffer, open, pos);
  values.push_back(node);
  return grow(node, {node->value, node->formatSpec}) != nullptr;
}

Expr *Parser::parseFStringExpression() {
  DepthScope scope(*this);
  Expr *value = parseYieldOrList();
  if (value && !is(TokenKind::EndOfFile))
    return unexpected("unexpected " + describeToken() +
                      " in the expression of an f-string");
  return value;
}

} // namespace pl::frontend

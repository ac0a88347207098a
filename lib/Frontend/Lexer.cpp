//===- Lexer.cpp - text to tokens -----------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Lexer.h"

#include "Unicode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace pl::frontend {

StringRef describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "end of file";
  case TokenKind::Newline:
    return "end of line";
  case TokenKind::Indent:
    return "indentation";
  case TokenKind::Dedent:
    return "end of block";
  case TokenKind::Name:
    return "name";
  case TokenKind::Number:
    return "number";
  case TokenKind::String:
    return "string";
  case TokenKind::Error:
    return "invalid text";
#define PL_KEYWORD(NAME)                                                       \
  case TokenKind::KW_##NAME:                                                   \
    return "'" #NAME "'";
#define PL_PUNCTUATOR(NAME, TEXT)                                              \
  case TokenKind::NAME:                                                        \
    return "'" TEXT "'";
#include "pl/Frontend/Tokens.def"
  }
  return "token";
}

static TokenKind classifyName(StringRef text) {
  return StringSwitch<TokenKind>(text)
#define PL_KEYWORD(NAME) .Case(#NAME, TokenKind::KW_##NAME)
#include "pl/Frontend/Tokens.def"
      .Default(TokenKind::Name);
}

namespace {

/// Python's limits; deeper text is no program.
constexpr unsigned kMaxIndents = 100;
constexpr unsigned kMaxBrackets = 200;

class Lexer {
public:
  Lexer(StringRef text, uint32_t buffer, uint32_t begin, uint32_t end)
      : text(text.substr(0, end)), buffer(buffer), pos(begin) {}

  TokenStream takeAll(bool asExpression);

private:
  char peek(unsigned ahead = 0) const {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  }
  bool atEnd() const { return pos >= text.size(); }
  /// Length of the line end at `pos`: 0, 1 or 2.
  unsigned newlineLength() const {
    if (peek() == '\n')
      return 1;
    if (peek() == '\r')
      return peek(1) == '\n' ? 2 : 1;
    return 0;
  }
  void push(TokenKind kind, uint32_t begin, uint32_t end) {
    stream.tokens.push_back({kind, begin, end, 0});
  }
  Diagnostic &pushError(uint32_t begin, uint32_t end, const Twine &message) {
    stream.tokens.push_back({TokenKind::Error, begin, end,
                             static_cast<uint32_t>(stream.errors.size())});
    stream.errors.emplace_back(Severity::Error, SourceRange(buffer, begin, end),
                               message.str());
    return stream.errors.back();
  }

  void skipComment() {
    size_t end = text.find_first_of("\r\n", pos);
    pos = end == StringRef::npos ? text.size() : end;
  }
  void lexIndentation();
  bool skipBlank();
  void lexToken();
  void lexName();
  void lexNumber();
  void lexString(size_t prefixLength);
  void lexPunctuator();
  void openBracket();
  void closeBracket();
  void giveUpBrackets();
  bool startsStatement() const;
  bool isNameStart(size_t &length) const;

  StringRef text;
  uint32_t buffer;
  size_t pos;
  TokenStream stream;

  struct Indentation {
    unsigned column, alternative;
  };
  SmallVector<Indentation> indents{{0, 0}};
  SmallVector<uint32_t> brackets;
};

bool Lexer::isNameStart(size_t &length) const {
  unsigned char byte = peek();
  if (isAlpha(byte) || byte == '_') {
    length = 1;
    return true;
  }
  if (byte < 0x80)
    return false;
  auto [point, bytes] = decodeUtf8(text.substr(pos));
  length = bytes;
  return isLetter(point);
}

void Lexer::lexName() {
  size_t begin = pos;
  while (!atEnd()) {
    size_t length = 1;
    if (isAlnum(peek()) || peek() == '_' || isNameStart(length))
      pos += length;
    else
      break;
  }
  push(classifyName(text.slice(begin, pos)), begin, pos);
}

void Lexer::lexNumber() {
  size_t begin = pos;
  auto digits = [&](auto accept) {
    // Underscores may stand between digits only.
    bool good = accept(peek());
    while (accept(peek()) || peek() == '_') {
      if (peek() == '_' && !accept(peek(1)))
        good = false;
      ++pos;
    }
    return good;
  };
  auto decimal = [](char c) { return isDigit(c); };
  auto finish = [&](bool good, StringRef what) {
    // A letter that touches the number belongs to a misspelt one.
    size_t length;
    if (isNameStart(length) || isDigit(peek())) {
      // `1if x else y` and the like are legal and rare.
      size_t save = pos;
      while (!atEnd() && (isAlnum(peek()) || peek() == '_'))
        ++pos;
      StringRef word = text.slice(save, pos);
      bool keyword = word == "if" || word == "else" || word == "and" ||
                     word == "or" || word == "in" || word == "is" ||
                     word == "for" || word == "not";
      if (keyword)
        pos = save;
      else
        good = false;
    }
    if (good)
      push(TokenKind::Number, begin, pos);
    else
      pushError(begin, pos,
                "invalid " + what + " '" +
                    text.slice(begin, pos).take_front(40) + "'");
  };

  if (peek() == '0' && isAlpha(peek(1)) && toLower(peek(1)) != 'e' &&
      toLower(peek(1)) != 'j') {
    char base = toLower(peek(1));
    if (base == 'x' || base == 'o' || base == 'b') {
      pos += 2;
      if (peek() == '_')
        ++pos;
      bool good = false;
      if (base == 'x')
        good = digits([](char c) { return isHexDigit(c); });
      else if (base == 'o')
        good = digits([](char c) { return c >= '0' && c <= '7'; });
      else
        good = digits([](char c) { return c == '0' || c == '1'; });
      finish(good, base == 'x'   ? "hexadecimal literal"
                   : base == 'o' ? "octal literal"
                                 : "binary literal");
      return;
    }
  }

  bool good = true, isFloat = false;
  if (isDigit(peek()))
    good = digits(decimal);
  size_t intEnd = pos;
  if (peek() == '.') {
    isFloat = true;
    ++pos;
    if (isDigit(peek()))
      good = digits(decimal) && good;
  }
  char exponent = toLower(peek());
  if (exponent == 'e') {
    char sign = peek(1);
    bool isSigned = sign == '+' || sign == '-';
    if (isDigit(peek(isSigned ? 2 : 1))) {
      isFloat = true;
      pos += isSigned ? 2 : 1;
      good = digits(decimal) && good;
    }
  }
  if (toLower(peek()) == 'j') {
    isFloat = true;
    ++pos;
  }
  if (!isFloat && text[begin] == '0' && intEnd - begin > 1 &&
      text.slice(begin, intEnd).find_first_not_of("0_") != StringRef::npos) {
    pushError(begin, pos,
              "leading zeros in decimal integer literals are not permitted; "
              "use an 0o prefix for octal integers");
    return;
  }
  finish(good, "decimal literal");
}

void Lexer::lexString(size_t prefixLength) {
  size_t begin = pos;
  pos += prefixLength;
  char quote = peek();
  bool triple = peek(1) == quote && peek(2) == quote;
  pos += triple ? 3 : 1;
  while (!atEnd()) {
    char c = peek();
    if (c == '\\') {
      ++pos;
      pos += std::max<size_t>(newlineLength(), atEnd() ? 0 : 1);
      continue;
    }
    if (!triple && newlineLength())
      break;
    if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
      pos += triple ? 3 : 1;
      push(TokenKind::String, begin, pos);
      return;
    }
    ++pos;
  }
  pos = std::min<size_t>(pos, text.size());
  pushError(begin, begin + prefixLength + (triple ? 3 : 1),
            triple ? "this triple-quoted string is never closed"
                   : "this string is not closed before the end of the line");
}

void Lexer::openBracket() {
  if (brackets.size() >= kMaxBrackets) {
    pushError(pos, pos + 1,
              "more than " + Twine(kMaxBrackets) + " nested brackets");
    pos = text.size();
    brackets.clear();
    return;
  }
  brackets.push_back(pos);
}

void Lexer::closeBracket() {
  char close = peek();
  if (brackets.empty()) {
    pushError(pos, pos + 1, Twine("unmatched '") + Twine(close) + "'");
    ++pos;
    return;
  }
  char open = text[brackets.back()];
  char expected = open == '(' ? ')' : open == '[' ? ']' : '}';
  if (close != expected) {
    uint32_t openPos = brackets.back();
    pushError(pos, pos + 1,
              Twine("closing '") + Twine(close) + "' does not match opening '" +
                  Twine(open) + "'")
        .note(SourceRange(buffer, openPos, openPos + 1), "opened here");
    brackets.pop_back();
    ++pos;
    return;
  }
  brackets.pop_back();
  TokenKind kind = close == ')'   ? TokenKind::RParen
                   : close == ']' ? TokenKind::RSquare
                                  : TokenKind::RBrace;
  push(kind, pos, pos + 1);
  ++pos;
}

/// The file ended, or a statement began, inside brackets.
void Lexer::giveUpBrackets() {
  uint32_t open = brackets.back();
  stream.unclosed.push_back({open, static_cast<uint32_t>(pos)});
  pushError(open, open + 1,
            Twine("'") + Twine(text[open]) + "' was never closed");
  brackets.clear();
}

void Lexer::lexPunctuator() {
  struct Entry {
    StringLiteral text;
    TokenKind kind;
  };
  static constexpr Entry kEntries[] = {
#define PL_PUNCTUATOR(NAME, TEXT) {TEXT, TokenKind::NAME},
#include "pl/Frontend/Tokens.def"
  };
  StringRef rest = text.substr(pos);
  const Entry *best = nullptr;
  for (const Entry &entry : kEntries)
    if (rest.starts_with(entry.text) &&
        (!best || entry.text.size() > best->text.size()))
      best = &entry;
  if (best) {
    push(best->kind, pos, pos + best->text.size());
    pos += best->text.size();
    return;
  }
  char c = peek();
  if (static_cast<unsigned char>(c) >= 0x80) {
    auto [point, length] = decodeUtf8(rest);
    pushError(pos, pos + length,
              formatv("invalid character '{0}' (U+{1:X-4})",
                      rest.take_front(length), point)
                  .str());
    pos += length;
    return;
  }
  if (c == '!')
    pushError(pos, pos + 1, "invalid character '!'; use 'not' to negate");
  else if (isPrint(c))
    pushError(pos, pos + 1, Twine("invalid character '") + Twine(c) + "'");
  else
    pushError(pos, pos + 1,
              formatv("invalid control character (0x{0:X-2})",
                      static_cast<unsigned>(c))
                  .str());
  ++pos;
}

void Lexer::lexToken() {
  char c = peek();
  if (isDigit(c) || (c == '.' && isDigit(peek(1))))
    return lexNumber();
  if (c == '"' || c == '\'')
    return lexString(0);
  size_t length;
  if (isNameStart(length)) {
    // A string prefix: up to two letters of r, b, u, f right before a quote.
    for (unsigned n = 1; n <= 2; ++n) {
      if (peek(n) != '"' && peek(n) != '\'')
        continue;
      std::string prefix = text.substr(pos, n).lower();
      if (StringSwitch<bool>(prefix)
              .Cases({"r", "b", "u", "f", "br", "rb"}, true)
              .Cases({"fr", "rf"}, true)
              .Default(false))
        return lexString(n);
    }
    return lexName();
  }
  if (c == '(' || c == '[' || c == '{') {
    size_t before = pos;
    openBracket();
    if (pos != before)
      return;
    return lexPunctuator();
  }
  if (c == ')' || c == ']' || c == '}')
    return closeBracket();
  lexPunctuator();
}

/// True at a word that can only begin a statement; inside brackets it shows
/// that a closing bracket is missing.
bool Lexer::startsStatement() const {
  size_t end = pos;
  while (end < text.size() && (isAlnum(text[end]) || text[end] == '_'))
    ++end;
  switch (classifyName(text.slice(pos, end))) {
  case TokenKind::KW_def:
  case TokenKind::KW_class:
  case TokenKind::KW_import:
  case TokenKind::KW_return:
  case TokenKind::KW_with:
  case TokenKind::KW_while:
  case TokenKind::KW_assert:
  case TokenKind::KW_raise:
  case TokenKind::KW_try:
  case TokenKind::KW_pass:
  case TokenKind::KW_del:
  case TokenKind::KW_global:
  case TokenKind::KW_nonlocal:
  case TokenKind::KW_break:
  case TokenKind::KW_continue:
    return true;
  default:
    return false;
  }
}

/// At the start of a line outside brackets: skips blank lines, then compares
/// the indentation of the next statement with the open blocks.
void Lexer::lexIndentation() {
  unsigned column, alternative;
  size_t lineStart;
  while (true) {
    column = alternative = 0;
    lineStart = pos;
    for (;; ++pos) {
      char c = peek();
      if (atEnd())
        break;
      if (c == ' ') {
        ++column;
        ++alternative;
      } else if (c == '\t') {
        column = (column / 8 + 1) * 8;
        ++alternative;
      } else if (c == '\f') {
        column = alternative = 0;
      } else {
        break;
      }
    }
    if (peek() == '#')
      skipComment();
    if (atEnd())
      return;
    unsigned length = newlineLength();
    if (!length)
      break;
    pos += length;
  }

  auto inconsistent = [&] {
    pushError(lineStart, pos,
              "inconsistent use of tabs and spaces in indentation");
  };
  Indentation &top = indents.back();
  if (column == top.column) {
    if (alternative != top.alternative)
      inconsistent();
    return;
  }
  if (column > top.column) {
    if (alternative <= top.alternative)
      return inconsistent();
    if (indents.size() >= kMaxIndents) {
      pushError(lineStart, pos,
                "more than " + Twine(kMaxIndents) + " levels of indentation");
      pos = text.size();
      return;
    }
    indents.push_back({column, alternative});
    push(TokenKind::Indent, lineStart, pos);
    return;
  }
  while (column < indents.back().column) {
    indents.pop_back();
    push(TokenKind::Dedent, pos, pos);
  }
  if (column != indents.back().column)
    pushError(lineStart, pos,
              "this indentation does not match any outer block");
  else if (alternative != indents.back().alternative)
    inconsistent();
}

TokenStream Lexer::takeAll(bool asExpression) {
  stream.tokens.reserve((text.size() - pos) / 4 + 8);
  if (!asExpression && text.substr(pos).starts_with("\xEF\xBB\xBF"))
    pos += 3;
  bool lineStart = !asExpression;
  while (true) {
    if (lineStart) {
      lexIndentation();
      lineStart = false;
    }
    while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\f'))
      ++pos;
    if (atEnd())
      break;
    if (peek() == '#') {
      skipComment();
      continue;
    }
    if (peek() == '\\') {
      ++pos;
      if (unsigned length = newlineLength()) {
        pos += length;
        if (atEnd())
          pushError(pos - length - 1, pos - length,
                    "the file ends after a line continuation");
        continue;
      }
      pushError(pos - 1, pos,
                "unexpected character after the line continuation character");
      skipComment();
      continue;
    }
    if (unsigned length = newlineLength()) {
      if (!brackets.empty() || asExpression) {
        pos += length;
        if (brackets.empty())
          continue;
        // Look at the first word of the next line, then lex on.
        size_t save = pos;
        while (!atEnd() && (peek() == ' ' || peek() == '\t'))
          ++pos;
        bool resync = startsStatement();
        pos = save;
        if (resync) {
          giveUpBrackets();
          push(TokenKind::Newline, pos - length, pos - length);
          lineStart = true;
        }
        continue;
      }
      push(TokenKind::Newline, pos, pos + length);
      pos += length;
      lineStart = true;
      continue;
    }
    lexToken();
  }

  if (!brackets.empty())
    giveUpBrackets();
  uint32_t end = text.size();
  if (!asExpression) {
    // The last line may lack its newline.
    if (!stream.tokens.empty()) {
      TokenKind last = stream.tokens.back().kind;
      if (last != TokenKind::Newline && last != TokenKind::Dedent &&
          last != TokenKind::Indent)
        push(TokenKind::Newline, end, end);
    }
    for (size_t i = 1; i < indents.size(); ++i)
      push(TokenKind::Dedent, end, end);
  }
  push(TokenKind::EndOfFile, end, end);
  return std::move(stream);
}

} // namespace

TokenStream lexBuffer(const SourceManager &sources, uint32_t buffer) {
  StringRef text = sources.getText(buffer);
  size_t invalid = findInvalidUtf8(text);
  if (invalid != StringRef::npos) {
    TokenStream stream;
    uint32_t at = invalid;
    unsigned byte = static_cast<unsigned char>(text[invalid]);
    stream.tokens.push_back({TokenKind::Error, at, at + 1, 0});
    stream.tokens.push_back({TokenKind::EndOfFile, at, at, 0});
    stream.errors.emplace_back(
        Severity::Error, SourceRange(buffer, at, at + 1),
        byte == 0 ? std::string("the file is not text: it holds a NUL byte")
                  : formatv("the file is not UTF-8 text (byte 0x{0:X-2})", byte)
                        .str());
    return stream;
  }
  return Lexer(text, buffer, 0, text.size()).takeAll(false);
}

TokenStream lexRange(const SourceManager &sources, SourceRange range) {
  return Lexer(sources.getText(range.buffer), range.buffer, range.begin,
               range.end)
      .takeAll(true);
}

} // namespace pl::frontend

//===- LexerTest.cpp - tests of the lexer ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace pl::frontend;

namespace {

/// Kinds of the tokens of a text, with the spelling of names and numbers, and
/// the messages of errors in angle brackets.
std::string lex(StringRef source) {
  SourceManager sources;
  uint32_t buffer = sources.addBuffer("t.plk", source);
  TokenStream stream = lexBuffer(sources, buffer);
  std::vector<std::string> parts;
  for (const Token &token : stream.tokens) {
    StringRef text = source.slice(token.begin, token.end);
    switch (token.kind) {
    case TokenKind::Newline:
      parts.push_back("NL");
      break;
    case TokenKind::Indent:
      parts.push_back("IN");
      break;
    case TokenKind::Dedent:
      parts.push_back("DE");
      break;
    case TokenKind::EndOfFile:
      break;
    case TokenKind::Error:
      parts.push_back("<" + stream.errors[token.error].message + ">");
      break;
    default:
      parts.push_back(text.str());
    }
  }
  return join(parts, " ");
}

TEST(Lexer, IndentAndDedent) {
  EXPECT_EQ(lex("if a:\n  b\n  if c:\n      d\ne\n"),
            "if a : NL IN b NL if c : NL IN d NL DE DE e NL");
}

TEST(Lexer, MissingFinalNewline) {
  EXPECT_EQ(lex("a"), "a NL");
  EXPECT_EQ(lex("if a:\n b"), "if a : NL IN b NL DE");
  EXPECT_EQ(lex("a # c"), "a NL");
}

TEST(Lexer, BlankLinesAndComments) {
  EXPECT_EQ(lex("\n# c\n   # d\n\na\n     \n  # e\nb\n"), "a NL b NL");
  EXPECT_EQ(lex(""), "");
  EXPECT_EQ(lex("   \n\t\n"), "");
}

TEST(Lexer, BracketsJoinLines) {
  EXPECT_EQ(lex("a = (1,\n\n   # c\n  2)\nb\n"), "a = ( 1 , 2 ) NL b NL");
}

TEST(Lexer, Continuation) {
  EXPECT_EQ(lex("a = 1 + \\\n   2\n"), "a = 1 + 2 NL");
  EXPECT_EQ(lex("a \\ b\n"), "a <unexpected character after the line "
                             "continuation character> NL");
}

TEST(Lexer, LineEndings) {
  EXPECT_EQ(lex("if a:\r\n\tb\r\n"), "if a : NL IN b NL DE");
  EXPECT_EQ(lex("a\rb\r"), "a NL b NL");
  EXPECT_EQ(lex("\xEF\xBB\xBFx\n"), "x NL");
  EXPECT_EQ(lex("if a:\n  b\n\f\n\fc\n"), "if a : NL IN b NL DE c NL");
}

TEST(Lexer, Tabs) {
  EXPECT_EQ(lex("if a:\n\tb\n\tc\n"), "if a : NL IN b NL c NL DE");
  // One tab reads as eight columns; spaces that only then agree do not count.
  EXPECT_EQ(lex("if a:\n\tb\n        c\n"),
            "if a : NL IN b NL <inconsistent use of tabs and spaces in "
            "indentation> c NL DE");
  EXPECT_EQ(lex("if a:\n        if b:\n\tc\n"),
            "if a : NL IN if b : NL <inconsistent use of tabs and spaces in "
            "indentation> c NL DE");
}

TEST(Lexer, UnmatchedDedent) {
  EXPECT_EQ(lex("if a:\n    b\n  c\n"),
            "if a : NL IN b NL DE <this indentation does not match any outer "
            "block> c NL");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(lex("0 1_000 0xFF_ff 0o17 0b1_0 1. .5 1e5 1.5E-3 2j 0_0 00"),
            "0 1_000 0xFF_ff 0o17 0b1_0 1. .5 1e5 1.5E-3 2j 0_0 00 NL");
  EXPECT_EQ(lex("1__0"), "<invalid decimal literal '1__0'> NL");
  EXPECT_EQ(lex("1_"), "<invalid decimal literal '1_'> NL");
  EXPECT_EQ(lex("0x"), "<invalid hexadecimal literal '0x'> NL");
  EXPECT_EQ(lex("0b12"), "<invalid binary literal '0b12'> NL");
  EXPECT_EQ(lex("12abc"), "<invalid decimal literal '12abc'> NL");
  EXPECT_EQ(lex("0777").substr(0, 14), "<leading zeros");
  EXPECT_EQ(lex("1if x else 2"), "1 if x else 2 NL");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(lex("'a' \"b\" rb'c' F\"d\" '''e\nf''' 'g\\\nh'"),
            "'a' \"b\" rb'c' F\"d\" '''e\nf''' 'g\\\nh' NL");
  EXPECT_EQ(lex("x = 'a\ny\n"), "x = <this string is not closed before the end "
                                "of the line> NL y NL");
  EXPECT_EQ(lex("'''a\n"), "<this triple-quoted string is never closed> NL");
  EXPECT_EQ(lex("'\\"), "<this string is not closed before the end of the "
                        "line> NL");
}

TEST(Lexer, Names) {
  EXPECT_EQ(lex("größe δ _x1 名前"), "größe δ _x1 名前 NL");
  EXPECT_EQ(lex("a “b”"), "a <invalid character '“' (U+201C)> b <invalid "
                          "character '”' (U+201D)> NL");
  EXPECT_EQ(lex("a ? b"), "a <invalid character '?'> b NL");
}

TEST(Lexer, Brackets) {
  EXPECT_EQ(lex("a)"), "a <unmatched ')'> NL");
  EXPECT_EQ(lex("(a]"), "( a <closing ']' does not match opening '('> NL");
  EXPECT_EQ(lex("f(a\ndef g(): pass\n"),
            "f ( a <'(' was never closed> NL def g ( ) : pass NL");
}

TEST(Lexer, Operators) {
  EXPECT_EQ(lex("a**=b//=c>>=d:=e->f...g!=h@=i"),
            "a **= b //= c >>= d := e -> f ... g != h @= i NL");
}

TEST(Lexer, NotText) {
  EXPECT_EQ(lex(StringRef("a\0b", 3)),
            "<the file is not text: it holds a NUL byte>");
  EXPECT_EQ(lex("a = '\xE9'"), "<the file is not UTF-8 text (byte 0xE9)>");
}

} // namespace

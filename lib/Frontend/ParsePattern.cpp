//===- ParsePattern.cpp - the match statement -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace llvm;

namespace pl::frontend {

/// `match` and `case` are names everywhere else. A line that begins with
/// `match`, ends in a colon and is followed by an indented `case` is the
/// statement.
bool Parser::isMatchStatement() const {
  if (!isName("match"))
    return false;
  size_t i = current + 1;
  while (stream.tokens[i].kind != TokenKind::Newline) {
    if (stream.tokens[i].kind == TokenKind::EndOfFile)
      return false;
    ++i;
  }
  return i > current + 2 && stream.tokens[i - 1].kind == TokenKind::Colon &&
         stream.tokens[i + 1].kind == TokenKind::Indent &&
         stream.tokens[i + 2].kind == TokenKind::Name &&
         spelling(stream.tokens[i + 2]) == "case";
}

Stmt *Parser::parseMatch() {
  SourceRange start = here();
  advance();
  auto *statement = context.create<MatchStmt>(start);
  statement->subject = parseExpressionList();
  if (!statement->subject)
    return nullptr;
  statement->headerRange = since(start);
  if (!expectColon("'match' subject") ||
      !expect(TokenKind::Newline,
              "expected end of line after 'match' header") ||
      !expect(TokenKind::Indent, "expected an indented block of 'case'"))
    return nullptr;
  SmallVector<MatchCase> cases;
  while (!is(TokenKind::Dedent) && !is(TokenKind::EndOfFile)) {
    if (!isName("case"))
      return unexpected("expected 'case', but got " + describeToken());
    SourceRange caseStart = here();
    advance();
    MatchCase arm;
    arm.pattern = parseOpenPattern();
    if (!arm.pattern)
      return nullptr;
    if (consume(TokenKind::KW_if) && !(arm.guard = parseNamed()))
      return nullptr;
    if (!expectColon("'case' pattern") ||
        !parseBlock("'case' pattern", since(caseStart), arm.body))
      return nullptr;
    cases.push_back(arm);
  }
  consume(TokenKind::Dedent);
  statement->cases = context.copy(cases);
  statement->range = since(start);
  return statement;
}

/// The top of a case: a sequence may lack its brackets.
Pattern *Parser::parseOpenPattern() {
  SourceRange start = here();
  Pattern *first = isStarPattern() ? parseStarPattern() : parsePattern();
  if (!first)
    return nullptr;
  if (!is(TokenKind::Comma)) {
    if (first->pattern == PatternKind::Star)
      return fail(first->range, "a starred pattern needs a sequence around it");
    return first;
  }
  SmallVector<Pattern *> patterns{first};
  while (consume(TokenKind::Comma)) {
    if (is(TokenKind::Colon) || is(TokenKind::KW_if))
      break;
    Pattern *next = isStarPattern() ? parseStarPattern() : parsePattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
  }
  auto *sequence = context.create<Pattern>(since(start));
  sequence->pattern = PatternKind::Sequence;
  sequence->patterns = context.copy(patterns);
  return sequence;
}

Pattern *Parser::parseStarPattern() {
  SourceRange start = here();
  advance();
  if (!is(TokenKind::Name))
    return unexpected("expected a name after '*', but got " + describeToken());
  auto *pattern = context.create<Pattern>(start);
  pattern->pattern = PatternKind::Star;
  pattern->name = takeName();
  pattern->range = since(start);
  return pattern;
}

Pattern *Parser::parsePattern() {
  DepthScope scope(*this);
  if (tooDeep())
    return nullptr;
  SourceRange start = here();
  Pattern *inner = parseOrPattern();
  if (!inner || !consume(TokenKind::KW_as))
    return inner;
  if (!is(TokenKind::Name))
    return unexpected("expected a name after 'as', but got " + describeToken());
  auto *pattern = context.create<Pattern>(start);
  pattern->pattern = PatternKind::As;
  pattern->patterns = context.copy(ArrayRef<Pattern *>(inner));
  pattern->name = takeName();
  pattern->range = since(start);
  return pattern;
}

Pattern *Parser::parseOrPattern() {
  SourceRange start = here();
  Pattern *first = parseClosedPattern();
  if (!first || !is(TokenKind::Pipe))
    return first;
  SmallVector<Pattern *> patterns{first};
  while (consume(TokenKind::Pipe)) {
    Pattern *next = parseClosedPattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
  }
  auto *pattern = context.create<Pattern>(since(start));
  pattern->pattern = PatternKind::Or;
  pattern->patterns = context.copy(patterns);
  return pattern;
}

Pattern *Parser::parseSequencePattern(TokenKind close) {
  SourceRange start = here();
  advance();
  SmallVector<Pattern *> patterns;
  bool comma = false;
  while (!is(close)) {
    Pattern *next = isStarPattern() ? parseStarPattern() : parsePattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
    comma = consume(TokenKind::Comma);
    if (!comma)
      break;
  }
  if (!expect(close, "expected ',' or " + pl::frontend::describe(close) +
                         " in a pattern"))
    return nullptr;
  // `(p)` only groups.
  if (close == TokenKind::RParen && patterns.size() == 1 && !comma &&
      patterns.front()->pattern != PatternKind::Star)
    return patterns.front();
  auto *pattern = context.create<Pattern>(since(start));
  pattern->pattern = PatternKind::Sequence;
  pattern->patterns = context.copy(patterns);
  return pattern;
}

Pattern *Parser::parseMappingPattern() {
  SourceRange start = here();
  advance();
  auto *pattern = context.create<Pattern>(start);
  pattern->pattern = PatternKind::Mapping;
  SmallVector<Expr *> keys;
  SmallVector<Pattern *> patterns;
  while (!is(TokenKind::RBrace)) {
    if (consume(TokenKind::StarStar)) {
      if (!is(TokenKind::Name))
        return unexpected("expected a name after '**', but got " +
                          describeToken());
      pattern->name = takeName();
    } else {
      Expr *key = parseBinary(5);
      if (!key ||
          !expect(TokenKind::Colon, "expected ':' after a key in a pattern"))
        return nullptr;
      Pattern *value = parsePattern();
      if (!value)
        return nullptr;
      keys.push_back(key);
      patterns.push_back(value);
    }
    if (!consume(TokenKind::Comma))
      break;
  }
  if (!expect(TokenKind::RBrace, "expected ',' or '}' in a pattern"))
    return nullptr;
  pattern->keys = context.copy(keys);
  pattern->patterns = context.copy(patterns);
  pattern->range = since(start);
  return pattern;
}

/// A capture, the wildcard, a dotted value or a class pattern.
Pattern *Parser::parseNamePattern() {
  SourceRange start = here();
  auto *pattern = context.create<Pattern>(start);
  if (ahead().kind != TokenKind::Dot && ahead().kind != TokenKind::LParen) {
    NameRef name = takeName();
    pattern->pattern = PatternKind::As;
    if (name.name != "_")
      pattern->name = name;
    return pattern;
  }
  auto *first = context.create<NameExpr>(start);
  first->name = takeName().name;
  Expr *value = first;
  while (consume(TokenKind::Dot)) {
    if (!is(TokenKind::Name))
      return unexpected("expected a name after '.', but got " +
                        describeToken());
    auto *attribute = context.create<AttributeExpr>(start);
    attribute->value = value;
    NameRef attr = takeName();
    attribute->attr = attr.name;
    attribute->attrRange = attr.range;
    attribute->range = since(start);
    value = grow(attribute, {value});
    if (!value)
      return nullptr;
  }
  pattern->expr = value;
  if (!consume(TokenKind::LParen)) {
    pattern->pattern = PatternKind::Value;
    pattern->range = since(start);
    return pattern;
  }
  pattern->pattern = PatternKind::Class;
  SmallVector<Pattern *> positional, keyword;
  SmallVector<NameRef> names;
  while (!is(TokenKind::RParen)) {
    bool isKeyword = is(TokenKind::Name) && ahead().kind == TokenKind::Equal;
    if (isKeyword) {
      names.push_back(takeName());
      advance();
    } else if (!names.empty()) {
      return fail(here(), "a positional pattern follows a keyword pattern");
    }
    Pattern *inner = parsePattern();
    if (!inner)
      return nullptr;
    (isKeyword ? keyword : positional).push_back(inner);
    if (!consume(TokenKind::Comma))
      break;
  }
  if (!expect(TokenKind::RParen, "expected ',' or ')' in a class pattern"))
    return nullptr;
  pattern->patterns = context.copy(positional);
  pattern->keywordNames = context.copy(names);
  pattern->keywordPatterns = context.copy(keyword);
  pattern->range = since(start);
  return pattern;
}

Pattern *Parser::parseClosedPattern() {
  SourceRange start = here();
  switch (kind()) {
  case TokenKind::LParen:
    return parseSequencePattern(TokenKind::RParen);
  case TokenKind::LSquare:
    return parseSequencePattern(TokenKind::RSquare);
  case TokenKind::LBrace:
    return parseMappingPattern();
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::KW_None:
  case TokenKind::KW_True:
  case TokenKind::KW_False: {
    auto *pattern = context.create<Pattern>(start);
    pattern->pattern = PatternKind::Singleton;
    pattern->expr = parseAtom();
    return pattern;
  }
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::Minus: {
    auto *pattern = context.create<Pattern>(start);
    pattern->pattern = PatternKind::Value;
    pattern->expr = is(TokenKind::String) ? parseStrings() : parseBinary(5);
    pattern->range = since(start);
    return pattern->expr ? pattern : nullptr;
  }
  default:
    return unexpected("expected a pattern, but got " + describeToken());
  }
}

} // namespace pl::frontend

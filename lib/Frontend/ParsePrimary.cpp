//===- ParsePrimary.cpp - atoms, displays, calls, subscripts --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Calls, subscripts, attributes
//===----------------------------------------------------------------------===//

Expr *Parser::parsePostfix(Expr *base) {
  while (base) {
    switch (kind()) {
    case TokenKind::LParen:
      base = parseCall(base);
      break;
    case TokenKind::LSquare:
      base = parseSubscript(base);
      break;
    case TokenKind::Dot: {
      advance();
      if (!is(TokenKind::Name))
        return unexpected("expected an attribute name after '.', but got " +
                          describeToken());
      auto *node = context.create<AttributeExpr>(base->range);
      node->value = base;
      NameRef attr = takeName();
      node->attr = attr.name;
      node->attrRange = attr.range;
      node->range = since(base->range);
      base = grow(node, {base});
      break;
    }
    default:
      return base;
    }
  }
  return nullptr;
}

Expr *Parser::parseCall(Expr *callee) {
  advance();
  SmallVector<Expr *> args;
  SmallVector<KeywordArg> keywords;
  SmallVector<const Node *> parts{callee};
  SmallDenseMap<const void *, SourceRange> given;
  bool sawDoubleStar = false;
  while (!is(TokenKind::RParen)) {
    SourceRange start = here();
    if (consume(TokenKind::StarStar)) {
      KeywordArg keyword;
      keyword.value = parseTest();
      if (!keyword.value)
        return nullptr;
      keyword.range = since(start);
      keywords.push_back(keyword);
      parts.push_back(keyword.value);
      sawDoubleStar = true;
    } else if (is(TokenKind::Name) && ahead().kind == TokenKind::Equal) {
      KeywordArg keyword;
      keyword.name = takeName().name;
      advance();
      keyword.value = parseTest();
      if (!keyword.value)
        return nullptr;
      keyword.range = since(start);
      auto [earlier, isNew] =
          given.try_emplace(keyword.name.getOpaque(), keyword.range);
      if (!isNew)
        return fail(
            start,
            "keyword argument '" + keyword.name.str() + "' is given twice",
            Diagnostic(Severity::Note, earlier->second, "first given here"));
      keywords.push_back(keyword);
      parts.push_back(keyword.value);
    } else {
      Expr *arg;
      if (consume(TokenKind::Star)) {
        Expr *value = parseTest();
        if (!value)
          return nullptr;
        auto *starred = context.create<StarredExpr>(since(start));
        starred->value = value;
        arg = grow(starred, {value});
      } else {
        arg = parseNamed();
      }
      if (!arg)
        return nullptr;
      if (is(TokenKind::KW_for) || is(TokenKind::KW_async)) {
        arg = finishComprehension(ComprehensionKind::Generator, start, arg,
                                  nullptr);
        if (!arg)
          return nullptr;
        if (!args.empty() || !keywords.empty() ||
            (is(TokenKind::Comma) && ahead().kind != TokenKind::RParen))
          return fail(arg->range, "a generator expression must be in "
                                  "parentheses unless it is the only argument");
      } else if (is(TokenKind::Equal)) {
        return fail(arg->range.to(here()),
                    "a keyword argument needs a plain name before '='; did "
                    "you mean '=='?");
      } else if (!keywords.empty() && !isa<StarredExpr>(arg)) {
        return fail(arg->range,
                    "a positional argument follows a keyword "
                    "argument",
                    Diagnostic(Severity::Note, keywords.front().range,
                               "the keyword argument is here"));
      } else if (sawDoubleStar) {
        return fail(arg->range, "an iterable argument unpacking follows a "
                                "keyword argument unpacking");
      }
      args.push_back(arg);
      parts.push_back(arg);
    }
    if (!consume(TokenKind::Comma))
      break;
  }
  if (!is(TokenKind::RParen))
    return unexpected("expected ',' or ')' in a call, but got " +
                      describeToken());
  advance();
  auto *node = context.create<CallExpr>(since(callee->range));
  node->callee = callee;
  node->args = context.copy(args);
  node->keywords = context.copy(keywords);
  return growList(node, ArrayRef<const Node *>(parts));
}

Expr *Parser::parseSubscriptItem() {
  SourceRange start = here();
  Expr *lower = nullptr;
  if (!is(TokenKind::Colon)) {
    lower = parseNamedOrStarred();
    if (!lower || !is(TokenKind::Colon))
      return lower;
  }
  advance();
  auto *node = context.create<SliceExpr>(start);
  node->lower = lower;
  auto atPartEnd = [&] {
    return is(TokenKind::Colon) || is(TokenKind::Comma) ||
           is(TokenKind::RSquare);
  };
  if (!atPartEnd() && !(node->upper = parseTest()))
    return nullptr;
  if (consume(TokenKind::Colon) && !atPartEnd() && !(node->step = parseTest()))
    return nullptr;
  node->range = since(start);
  return grow(node, {node->lower, node->upper, node->step});
}

Expr *Parser::parseSubscript(Expr *value) {
  advance();
  SourceRange start = here();
  if (is(TokenKind::RSquare))
    return unexpected("expected an index between '[' and ']'");
  SmallVector<Expr *> items;
  bool comma = false;
  while (!is(TokenKind::RSquare)) {
    Expr *item = parseSubscriptItem();
    if (!item)
      return nullptr;
    items.push_back(item);
    comma = consume(TokenKind::Comma);
    if (!comma)
      break;
  }
  Expr *index = items.front();
  if (items.size() > 1 || comma || isa<StarredExpr>(index)) {
    auto *tuple = context.create<TupleExpr>(since(start));
    tuple->elements = context.copy(items);
    index = growList(tuple, tuple->elements);
    if (!index)
      return nullptr;
  }
  if (!is(TokenKind::RSquare))
    return unexpected("expected ',' or ']' in a subscript, but got " +
                      describeToken());
  advance();
  auto *node = context.create<SubscriptExpr>(since(value->range));
  node->value = value;
  node->index = index;
  return grow(node, {value, index});
}

//===----------------------------------------------------------------------===//
// Atoms and displays
//===----------------------------------------------------------------------===//

Expr *Parser::parseAtom() {
  SourceRange start = here();
  auto constant = [&](ConstantKind constantKind) {
    auto *node = context.create<ConstantExpr>(start);
    node->constant = constantKind;
    advance();
    return node;
  };
  switch (kind()) {
  case TokenKind::Name: {
    auto *node = context.create<NameExpr>(start);
    node->name = takeName().name;
    return node;
  }
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
    return parseStrings();
  case TokenKind::KW_None:
    return constant(ConstantKind::None);
  case TokenKind::KW_True:
    return constant(ConstantKind::True);
  case TokenKind::KW_False:
    return constant(ConstantKind::False);
  case TokenKind::DotDotDot:
    return constant(ConstantKind::Ellipsis);
  case TokenKind::LParen:
    return parseParenthesised();
  case TokenKind::LSquare:
    return parseListDisplay();
  case TokenKind::LBrace:
    return parseBraceDisplay();
  default:
    return unexpected("expected an expression, but got " + describeToken());
  }
}

Expr *Parser::parseParenthesised() {
  SourceRange start = here();
  advance();
  if (consume(TokenKind::RParen))
    return context.create<TupleExpr>(since(start));
  Expr *inner;
  if (is(TokenKind::KW_yield)) {
    inner = parseYield();
  } else {
    SourceRange first = here();
    inner = parseNamedOrStarred();
    if (!inner)
      return nullptr;
    if (is(TokenKind::KW_for) || is(TokenKind::KW_async)) {
      inner = finishComprehension(ComprehensionKind::Generator, first, inner,
                                  nullptr);
    } else if (is(TokenKind::Comma)) {
      SmallVector<Expr *> elements{inner};
      while (consume(TokenKind::Comma)) {
        if (is(TokenKind::RParen))
          break;
        Expr *element = parseNamedOrStarred();
        if (!element)
          return nullptr;
        elements.push_back(element);
      }
      auto *tuple = context.create<TupleExpr>(start);
      tuple->elements = context.copy(elements);
      inner = growList(tuple, tuple->elements);
    } else if (isa<StarredExpr>(inner)) {
      return fail(inner->range, "a starred expression cannot stand alone");
    }
  }
  if (!inner)
    return nullptr;
  if (!is(TokenKind::RParen))
    return unexpected(
        "expected ')', but got " + describeToken() +
        (startsExpression() ? "; is a comma missing before it?" : ""));
  advance();
  // Tuples and generators own their parentheses; others only pass through them.
  if (isa<TupleExpr, ComprehensionExpr>(inner))
    inner->range = since(start);
  return inner;
}

bool Parser::parseClauses(SmallVectorImpl<ComprehensionClause> &clauses) {
  while (is(TokenKind::KW_for) || is(TokenKind::KW_async)) {
    ComprehensionClause clause;
    SourceRange start = here();
    clause.isAsync = consume(TokenKind::KW_async);
    if (!expect(TokenKind::KW_for, "expected 'for' after 'async'"))
      return false;
    clause.target = parseTargetList();
    if (!clause.target || !checkTarget(clause.target) ||
        !expect(TokenKind::KW_in,
                "expected 'in' after the target of a comprehension"))
      return false;
    clause.iter = parseOr();
    if (!clause.iter)
      return false;
    SmallVector<Expr *> conditions;
    while (consume(TokenKind::KW_if)) {
      Expr *condition;
      if (is(TokenKind::Name) && ahead().kind == TokenKind::ColonEqual)
        condition = parseNamed();
      else if (is(TokenKind::KW_lambda))
        condition = parseLambda();
      else
        condition = parseOr();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    clause.conditions = context.copy(conditions);
    clause.range = since(start);
    clauses.push_back(clause);
  }
  return true;
}

Expr *Parser::finishComprehension(ComprehensionKind comprehensionKind,
                                  SourceRange start, Expr *element,
                                  Expr *value) {
  if (isa<StarredExpr>(element))
    return fail(element->range,
                "iterable unpacking cannot be used in a comprehension");
  SmallVector<ComprehensionClause> clauses;
  if (!parseClauses(clauses))
    return nullptr;
  auto *node = context.create<ComprehensionExpr>(since(start));
  node->comprehension = comprehensionKind;
  node->element = element;
  node->value = value;
  node->clauses = context.copy(clauses);
  SmallVector<const Node *> parts{element, value};
  for (const ComprehensionClause &clause : clauses) {
    parts.push_back(clause.target);
    parts.push_back(clause.iter);
    parts.append(clause.conditions.begin(), clause.conditions.end());
  }
  return growList(node, ArrayRef<const Node *>(parts));
}

Expr *Parser::parseListDisplay() {
  SourceRange start = here();
  advance();
  SmallVector<Expr *> elements;
  while (!is(TokenKind::RSquare)) {
    Expr *element = parseNamedOrStarred();
    if (!element)
      return nullptr;
    if (elements.empty() &&
        (is(TokenKind::KW_for) || is(TokenKind::KW_async))) {
      Expr *node =
          finishComprehension(ComprehensionKind::List, start, element, nullptr);
      if (!node ||
          !expect(TokenKind::RSquare, "expected ']' after a comprehension"))
        return nullptr;
      node->range = since(start);
      return node;
    }
    elements.push_back(element);
    if (!consume(TokenKind::Comma))
      break;
  }
  if (!is(TokenKind::RSquare))
    return unexpected("expected ',' or ']' in a list, but got " +
                      describeToken());
  advance();
  auto *node = context.create<ListExpr>(since(start));
  node->elements = context.copy(elements);
  return growList(node, node->elements);
}

Expr *Parser::parseBraceDisplay() {
  SourceRange start = here();
  advance();
  SmallVector<Expr *> keys, values;
  // The first entry decides between dict and set; `{}` is a dict.
  bool isDict = is(TokenKind::RBrace), decided = isDict;
  while (!is(TokenKind::RBrace)) {
    Expr *key = nullptr, *value = nullptr;
    if (is(TokenKind::StarStar)) {
      if (decided && !isDict)
        return unexpected("'**' does not belong in a set");
      advance();
      isDict = true;
      value = parseBinary(0);
      if (!value)
        return nullptr;
    } else {
      key = parseNamedOrStarred();
      if (!key)
        return nullptr;
      if (!decided)
        isDict = is(TokenKind::Colon);
      if (isDict) {
        if (!expect(TokenKind::Colon, "expected ':' after a key of a dict"))
          return nullptr;
        value = parseTest();
        if (!value)
          return nullptr;
      }
    }
    if (keys.empty() && key &&
        (is(TokenKind::KW_for) || is(TokenKind::KW_async))) {
      Expr *node = finishComprehension(isDict ? ComprehensionKind::Dict
                                              : ComprehensionKind::Set,
                                       start, key, value);
      if (!node ||
          !expect(TokenKind::RBrace, "expected '}' after a comprehension"))
        return nullptr;
      node->range = since(start);
      return node;
    }
    decided = true;
    keys.push_back(key);
    values.push_back(value);
    if (!consume(TokenKind::Comma))
      break;
  }
  if (!is(TokenKind::RBrace))
    return unexpected("expected ',' or '}' in a " +
                      Twine(isDict ? "dict" : "set") + ", but got " +
                      describeToken());
  advance();
  if (!isDict) {
    auto *node = context.create<SetExpr>(since(start));
    node->elements = context.copy(keys);
    return growList(node, node->elements);
  }
  auto *node = context.create<DictExpr>(since(start));
  node->keys = context.copy(keys);
  node->values = context.copy(values);
  return growList(node, node->keys) ? growList(node, node->values) : nullptr;
}

} // namespace pl::frontend

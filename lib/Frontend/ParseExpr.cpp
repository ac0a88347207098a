//===- ParseExpr.cpp - expressions
//-----------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace pl::frontend {

bool Parser::startsExpression() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::Error:
  case TokenKind::LParen:
  case TokenKind::LSquare:
  case TokenKind::LBrace:
  case TokenKind::Minus:
  case TokenKind::Plus:
  case TokenKind::Tilde:
  case TokenKind::DotDotDot:
  case TokenKind::KW_None:
  case TokenKind::KW_True:
  case TokenKind::KW_False:
  case TokenKind::KW_not:
  case TokenKind::KW_lambda:
  case TokenKind::KW_await:
    return true;
  default:
    return false;
  }
}

/// After a comma: is the list over?
bool Parser::atListEnd() const {
  return !startsExpression() && !is(TokenKind::Star) &&
         !is(TokenKind::StarStar) && !is(TokenKind::KW_yield);
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static StringRef describeExpr(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Call:
    return "a function call";
  case NodeKind::Constant:
    return "a literal";
  case NodeKind::JoinedStr:
    return "an f-string";
  case NodeKind::Compare:
    return "a comparison";
  case NodeKind::Lambda:
    return "a lambda";
  case NodeKind::IfExp:
    return "a conditional expression";
  case NodeKind::Dict:
    return "a dict display";
  case NodeKind::Set:
    return "a set display";
  case NodeKind::Comprehension:
    return "a comprehension";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "a yield expression";
  case NodeKind::Await:
    return "an await expression";
  case NodeKind::NamedExpr:
    return "a named expression";
  default:
    return "an expression";
  }
}

bool Parser::checkTarget(const Expr *target, StringRef verb, bool allowTuple) {
  switch (target->kind) {
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
    return true;
  case NodeKind::Starred:
    return checkTarget(cast<StarredExpr>(target)->value, verb, false);
  case NodeKind::Tuple:
  case NodeKind::List: {
    if (!allowTuple)
      break;
    ExprList elements = isa<TupleExpr>(target)
                            ? cast<TupleExpr>(target)->elements
                            : cast<ListExpr>(target)->elements;
    unsigned stars = 0;
    for (const Expr *element : elements) {
      if (!checkTarget(element, verb))
        return false;
      stars += isa<StarredExpr>(element);
    }
    if (stars > 1) {
      fail(target->range, "two starred targets in one assignment");
      return false;
    }
    return true;
  }
  case NodeKind::Constant: {
    const auto *constant = cast<ConstantExpr>(target);
    StringRef word = constant->constant == ConstantKind::None    ? "None"
                     : constant->constant == ConstantKind::True  ? "True"
                     : constant->constant == ConstantKind::False ? "False"
                                                                 : "";
    if (word.empty())
      break;
    fail(target->range, "cannot " + verb + " " + word);
    return false;
  }
  default:
    break;
  }
  fail(target->range, "cannot " + verb + " " + describeExpr(target) +
                          (is(TokenKind::Equal) && !isa<ConstantExpr>(target)
                               ? "; did you mean '==' instead of '='?"
                               : ""));
  return false;
}

Expr *Parser::parseTargetList() {
  SourceRange start = here();
  SmallVector<Expr *> elements;
  bool comma = false;
  do {
    if (!elements.empty() && (is(TokenKind::KW_in) || is(TokenKind::Equal)))
      break;
    SourceRange elementStart = here();
    bool star = consume(TokenKind::Star);
    Expr *element = parseBinary(0);
    if (!element)
      return nullptr;
    if (star) {
      auto *starred = context.create<StarredExpr>(since(elementStart));
      starred->value = element;
      element = grow(starred, {starred->value});
      if (!element)
        return nullptr;
    }
    elements.push_back(element);
    comma = is(TokenKind::Comma);
  } while (consume(TokenKind::Comma));
  if (elements.size() == 1 && !comma)
    return elements.front();
  auto *tuple = context.create<TupleExpr>(since(start));
  tuple->elements = context.copy(elements);
  return growList(tuple, tuple->elements);
}

//===----------------------------------------------------------------------===//
// Lists of expressions
//===----------------------------------------------------------------------===//

Expr *Parser::parseNamedOrStarred() {
  if (!is(TokenKind::Star))
    return parseNamed();
  SourceRange start = here();
  advance();
  Expr *value = parseBinary(0);
  if (!value)
    return nullptr;
  auto *starred = context.create<StarredExpr>(since(start));
  starred->value = value;
  return grow(starred, {value});
}

Expr *Parser::parseExpressionList() {
  SourceRange start = here();
  Expr *first = parseNamedOrStarred();
  if (!first || !is(TokenKind::Comma))
    return first;
  SmallVector<Expr *> elements{first};
  while (consume(TokenKind::Comma)) {
    if (atListEnd())
      break;
    Expr *element = parseNamedOrStarred();
    if (!element)
      return nullptr;
    elements.push_back(element);
  }
  auto *tuple = context.create<TupleExpr>(since(start));
  tuple->elements = context.copy(elements);
  return growList(tuple, tuple->elements);
}

Expr *Parser::parseYield() {
  SourceRange start = here();
  if (!functionDepth)
    return fail(start, "'yield' outside of a function");
  advance();
  if (consume(TokenKind::KW_from)) {
    Expr *value = parseTest();
    if (!value)
      return nullptr;
    auto *node = context.create<YieldFromExpr>(since(start));
    node->value = value;
    return grow(node, {value});
  }
  Expr *value = nullptr;
  if (!atListEnd() && !(value = parseExpressionList()))
    return nullptr;
  auto *node = context.create<YieldExpr>(since(start));
  node->value = value;
  return grow(node, {value});
}

Expr *Parser::parseYieldOrList() {
  return is(TokenKind::KW_yield) ? parseYield() : parseExpressionList();
}

//===----------------------------------------------------------------------===//
// From the loosest operator to the tightest
//===----------------------------------------------------------------------===//

Expr *Parser::parseNamed() {
  if (!is(TokenKind::Name) || ahead().kind != TokenKind::ColonEqual)
    return parseTest();
  SourceRange start = here();
  auto *target = context.create<NameExpr>(start);
  target->name = takeName().name;
  advance();
  Expr *value = parseTest();
  if (!value)
    return nullptr;
  auto *node = context.create<NamedExpr>(since(start));
  node->target = target;
  node->value = value;
  return grow(node, {value});
}

Expr *Parser::parseTest() {
  DepthScope scope(*this);
  if (tooDeep())
    return nullptr;
  if (is(TokenKind::KW_lambda))
    return parseLambda();
  SourceRange start = here();
  Expr *body = parseOr();
  if (!body || !is(TokenKind::KW_if))
    return body;
  advance();
  Expr *test = parseOr();
  if (!test || !expect(TokenKind::KW_else,
                       "expected 'else' after the condition of a conditional "
                       "expression"))
    return nullptr;
  Expr *orelse = parseTest();
  if (!orelse)
    return nullptr;
  auto *node = context.create<IfExpExpr>(since(start));
  node->test = test;
  node->body = body;
  node->orelse = orelse;
  return grow(node, {test, body, orelse});
}

Expr *Parser::parseLambda() {
  SourceRange start = here();
  advance();
  auto *node = context.create<LambdaExpr>(start);
  if (!parseParams(true, node->params) ||
      !expect(TokenKind::Colon, "expected ':' after 'lambda' parameters"))
    return nullptr;
  SaveAndRestore<unsigned> function(functionDepth, functionDepth + 1);
  SaveAndRestore<bool> async(isAsyncFunction, false);
  node->body = parseTest();
  if (!node->body)
    return nullptr;
  node->range = since(start);
  return grow(node, {node->body});
}

Expr *Parser::parseOr() {
  SourceRange start = here();
  Expr *first = parseAnd();
  if (!first || !is(TokenKind::KW_or))
    return first;
  SmallVector<Expr *> values{first};
  while (consume(TokenKind::KW_or)) {
    Expr *next = parseAnd();
    if (!next)
      return nullptr;
    values.push_back(next);
  }
  auto *node = context.create<BoolOpExpr>(since(start));
  node->op = BoolOpKind::Or;
  node->values = context.copy(values);
  return growList(node, node->values);
}

Expr *Parser::parseAnd() {
  SourceRange start = here();
  Expr *first = parseNot();
  if (!first || !is(TokenKind::KW_and))
    return first;
  SmallVector<Expr *> values{first};
  while (consume(TokenKind::KW_and)) {
    Expr *next = parseNot();
    if (!next)
      return nullptr;
    values.push_back(next);
  }
  auto *node = context.create<BoolOpExpr>(since(start));
  node->op = BoolOpKind::And;
  node->values = context.copy(values);
  return growList(node, node->values);
}

Expr *Parser::parseNot() {
  if (!is(TokenKind::KW_not))
    return parseComparison();
  DepthScope scope(*this);
  if (tooDeep())
    return nullptr;
  SourceRange start = here();
  advance();
  Expr *operand = parseNot();
  if (!operand)
    return nullptr;
  auto *node = context.create<UnaryOpExpr>(since(start));
  node->op = UnaryOpKind::Not;
  node->operand = operand;
  return grow(node, {operand});
}

static std::optional<CmpOpKind> getComparison(TokenKind kind, TokenKind next) {
  switch (kind) {
  case TokenKind::EqualEqual:
    return CmpOpKind::Eq;
  case TokenKind::NotEqual:
    return CmpOpKind::NotEq;
  case TokenKind::Less:
    return CmpOpKind::Lt;
  case TokenKind::LessEqual:
    return CmpOpKind::LtE;
  case TokenKind::Greater:
    return CmpOpKind::Gt;
  case TokenKind::GreaterEqual:
    return CmpOpKind::GtE;
  case TokenKind::KW_is:
    return next == TokenKind::KW_not ? CmpOpKind::IsNot : CmpOpKind::Is;
  case TokenKind::KW_in:
    return CmpOpKind::In;
  case TokenKind::KW_not:
    if (next == TokenKind::KW_in)
      return CmpOpKind::NotIn;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Expr *Parser::parseComparison() {
  SourceRange start = here();
  Expr *left = parseBinary(0);
  if (!left || !getComparison(kind(), ahead().kind))
    return left;
  SmallVector<CmpOpKind, 2> ops;
  SmallVector<Expr *, 4> parts{left};
  while (std::optional<CmpOpKind> op = getComparison(kind(), ahead().kind)) {
    advance();
    if (*op == CmpOpKind::IsNot || *op == CmpOpKind::NotIn)
      advance();
    Expr *right = parseBinary(0);
    if (!right)
      return nullptr;
    ops.push_back(*op);
    parts.push_back(right);
  }
  auto *node = context.create<CompareExpr>(since(start));
  node->left = left;
  node->ops = context.copy(ops);
  ExprList all = context.copy(parts);
  node->comparators = all.drop_front();
  return growList(node, all);
}

/// Precedence of a binary operator; 0 for other tokens.
static unsigned getBinary(TokenKind kind, BinOpKind &op) {
  switch (kind) {
  case TokenKind::Pipe:
    op = BinOpKind::BitOr;
    return 1;
  case TokenKind::Caret:
    op = BinOpKind::BitXor;
    return 2;
  case TokenKind::Amp:
    op = BinOpKind::BitAnd;
    return 3;
  case TokenKind::LessLess:
    op = BinOpKind::LShift;
    return 4;
  case TokenKind::GreaterGreater:
    op = BinOpKind::RShift;
    return 4;
  case TokenKind::Plus:
    op = BinOpKind::Add;
    return 5;
  case TokenKind::Minus:
    op = BinOpKind::Sub;
    return 5;
  case TokenKind::Star:
    op = BinOpKind::Mult;
    return 6;
  case TokenKind::Slash:
    op = BinOpKind::Div;
    return 6;
  case TokenKind::SlashSlash:
    op = BinOpKind::FloorDiv;
    return 6;
  case TokenKind::Percent:
    op = BinOpKind::Mod;
    return 6;
  case TokenKind::At:
    op = BinOpKind::MatMult;
    return 6;
  default:
    return 0;
  }
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  SourceRange start = here();
  Expr *left = parseUnary();
  while (left) {
    BinOpKind op;
    unsigned precedence = getBinary(kind(), op);
    if (precedence == 0 || precedence < minPrecedence)
      return left;
    SourceRange opRange = here();
    advance();
    Expr *right = parseBinary(precedence + 1);
    if (!right)
      return nullptr;
    auto *node = context.create<BinOpExpr>(since(start));
    node->op = op;
    node->lhs = left;
    node->rhs = right;
    node->opRange = opRange;
    left = grow(node, {left, right});
  }
  return nullptr;
}

Expr *Parser::parseUnary() {
  UnaryOpKind op;
  switch (kind()) {
  case TokenKind::Minus:
    op = UnaryOpKind::Neg;
    break;
  case TokenKind::Plus:
    op = UnaryOpKind::Pos;
    break;
  case TokenKind::Tilde:
    op = UnaryOpKind::Invert;
    break;
  default:
    return parsePower();
  }
  DepthScope scope(*this);
  if (tooDeep())
    return nullptr;
  SourceRange start = here();
  advance();
  Expr *operand = parseUnary();
  if (!operand)
    return nullptr;
  auto *node = context.create<UnaryOpExpr>(since(start));
  node->op = op;
  node->operand = operand;
  return grow(node, {operand});
}

Expr *Parser::parsePower() {
  SourceRange start = here();
  bool await = consume(TokenKind::KW_await);
  if (await && !isAsyncFunction)
    return fail(start, "'await' outside of an async function");
  Expr *base = parsePostfix(parseAtom());
  if (!base)
    return nullptr;
  if (await) {
    auto *node = context.create<AwaitExpr>(since(start));
    node->value = base;
    base = grow(node, {node->value});
    if (!base)
      return nullptr;
  }
  if (!is(TokenKind::StarStar))
    return base;
  DepthScope scope(*this);
  if (tooDeep())
    return nullptr;
  SourceRange opRange = here();
  advance();
  Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  auto *node = context.create<BinOpExpr>(since(start));
  node->op = BinOpKind::Pow;
  node->lhs = base;
  node->rhs = exponent;
  node->opRange = opRange;
  return grow(node, {base, exponent});
}

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
      for (const KeywordArg &earlier : keywords)
        if (earlier.name && earlier.name == keyword.name)
          return fail(
              start,
              "keyword argument '" + keyword.name.str() + "' is given twice",
              Diagnostic(Severity::Note, earlier.range, "first given here"));
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

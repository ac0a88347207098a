//===- ParseExpr.cpp - lists of expressions, targets, operators -----------===//
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

} // namespace pl::frontend
